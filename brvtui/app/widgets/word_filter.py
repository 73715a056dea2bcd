"""A filter by words: keeps rows that contain every word, in any order and case, and marks the words."""

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
        """Returns the filter for the words of ``text``; a blank text keeps everything."""
        return cls(tuple(dict.fromkeys(text.lower().split())))

    def __bool__(self) -> bool:
        return bool(self.words)

    def keeps(self, lowered: str) -> bool:
        """Returns whether every word is part of ``lowered``, a text in lower case."""
        return all(word in lowered for word in self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Returns a pattern for any of the words, the longest first; None without words."""
        if not self.words:
            return None
        return re.compile("|".join(map(re.escape, sorted(self.words, key=len, reverse=True))), re.IGNORECASE)
