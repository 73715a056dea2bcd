"""Which words of a question stand in a note: in its title, in its path, in its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from brvtui.engines.knowing.seed_rules import KeywordRules
from brvtui.trace import MatchedWord, MatchKind

_WORD = re.compile(r"[^\W_]+")
_LEAST = 2


class QuestionWords:
    """The words of one question that are no stop words."""

    def __init__(self, question: str, rules: KeywordRules) -> None:
        """Words of one letter are left out, too."""
        found = dict.fromkeys(_WORD.findall(question.lower()))
        self.words = [word for word in found if len(word) >= _LEAST and word not in rules.stop_words]

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(word, re.compile(rf"(?<![^\W_]){re.escape(word)}[^\W_]*")) for word in self.words]

    def matched(self, title: str, path: str, text: str) -> tuple[MatchedWord, ...]:
        """The words that stand in a note, whole or as a beginning, each with the fields that hold it."""
        fields = [("title", title.lower()), ("path", path.lower()), ("text", text.lower())]
        return tuple(self._matches(fields))

    def _matches(self, fields: Sequence[tuple[str, str]]) -> Iterator[MatchedWord]:
        for word, pattern in self._patterns:
            near = [(name, pattern.findall(text)) for name, text in fields if word in text]
            held = [(name, min(found, key=len)) for name, found in near if found]
            if held:
                best = min((found for _, found in held), key=len)
                kind = MatchKind.EXACT if best == word else MatchKind.PREFIX
                order = sorted(held, key=lambda pair: len(pair[1]))
                yield MatchedWord(word, best, kind, len(best) - len(word), tuple(name for name, _ in order))
