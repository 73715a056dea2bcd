"""What a filter keeps and marks: rows that hold every word of it, in any order, whatever the case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class WordFilter:
    """The words of a filter, in lower case."""

    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> WordFilter:
        """The filter that ``text`` says; a blank one keeps everything."""
        return cls(tuple(dict.fromkeys(text.lower().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def keeps(self, lowered: str) -> bool:
        """Whether every word is part of ``lowered``, a text in lower case."""
        return all(word in lowered for word in self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Matches any of the words, the longest first; None when there is none."""
        if not self.words:
            return None
        return re.compile("|".join(map(re.escape, sorted(self.words, key=len, reverse=True))), re.IGNORECASE)
