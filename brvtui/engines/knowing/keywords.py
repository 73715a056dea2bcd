"""Extracts the keywords of a task: quoted identifiers, compounds and plain words (``docs/reference/knowing.md``,
"Keywords").
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from brvtui.engines.knowing.seed_rules import KeywordRules

_BACK_TICK = "`"
_CALL = "()"
_LEFT, _RIGHT = "\"'`([{", ",;:!?\"'`]}"
_UPPER, _LOWER = re.compile("[A-Z]"), re.compile("[a-z]")
_CAPITALS = re.compile("(?=[A-Z])")
_WHITE = "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
_SPACE = re.compile(f"[{_WHITE}]+")
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_CLUSTER = b"cluster\0"


class KeywordRule(StrEnum):
    """The rule that produced a keyword."""

    QUOTED = "back-ticks"
    CODE = "code pattern"
    VERB = "after a verb"
    WORD = "word"
    PART = "part of a word"
    ABBREVIATION = "abbreviation"
    BIGRAM = "two words"


class Keyword(NamedTuple):
    """A keyword, the rule that produced it, and its origin in the task's text."""

    text: str
    rule: KeywordRule
    source: str


@dataclass(frozen=True, slots=True)
class KeywordSet:
    """The keywords of a task in order of specificity, without duplicates."""

    exact: tuple[Keyword, ...] = ()
    compounds: tuple[Keyword, ...] = ()
    components: tuple[Keyword, ...] = ()

    @property
    def primary(self) -> tuple[str, ...]:
        """Identifiers and compounds, which are searched first."""
        return tuple(keyword.text for keyword in (*self.exact, *self.compounds))

    @property
    def parts(self) -> tuple[str, ...]:
        """The texts of the components, which are neither identifiers nor compounds."""
        return tuple(keyword.text for keyword in self.components)

    @property
    def all(self) -> tuple[str, ...]:
        """All keywords, primary ones first."""
        return (*self.primary, *self.parts)

    def __bool__(self) -> bool:
        return bool(self.exact or self.compounds or self.components)


def size(text: str) -> int:
    """The length of ``text`` in UTF-8 bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def lower(text: str) -> str:
    """``text`` in lower case, converted character by character: ``Σ`` always becomes ``σ``, and ``İ`` becomes ``i``."""
    return text.lower() if text.isascii() else "".join("i" if char == "İ" else char.lower() for char in text)


def ascii_lower(text: str) -> str:
    """``text`` with its ASCII letters in lower case."""
    return text.translate(_ASCII_LOWER)


def words(text: str) -> list[str]:
    """The words of ``text``, split at white space."""
    return [word for word in _SPACE.split(text) if word]


def normal_task(task: str) -> str:
    """``task`` in lower case, without surrounding white space.

    Tasks that are equal in this form share a cached pack.
    """
    return lower(task.strip(_WHITE))


def has_mixed_case(text: str) -> bool:
    """True if ``text`` contains both upper-case and lower-case ASCII letters."""
    return bool(_UPPER.search(text)) and bool(_LOWER.search(text))


def is_compound(text: str) -> bool:
    """True if ``text`` looks like an identifier of several words."""
    return "_" in text or "." in text or has_mixed_case(text)


def split_identifier(text: str) -> list[str]:
    """The words of ``text``, split at underscores if there are any, and otherwise before each capital."""
    return [part for part in (text.split("_") if "_" in text else _CAPITALS.split(text)) if part]


def capitalised(text: str) -> str:
    """``text`` with the first character in upper case."""
    return text[:1].upper() + text[1:]


def keyword_set(task: str, rules: KeywordRules) -> KeywordSet:
    """The keywords of ``task``: identifiers, compounds, and components (whose words are sorted, longest first)."""
    return _Extraction(task, rules).keywords()


def code_patterns(text: str, rules: KeywordRules) -> list[str]:
    """The words of ``text`` that must be code: calls, members of a type, and dotted names with an underscore."""
    patterns: dict[str, None] = {}
    for raw in words(text):
        word = raw.rstrip(_RIGHT).lstrip(_LEFT)
        was_called = word.endswith(_CALL)
        word = word.removesuffix(_CALL).lstrip(".")
        if size(word) < rules.code_least or lower(word) in rules.prose_abbreviations or _is_number(word):
            continue
        is_dotted = "." in word
        if was_called or (is_dotted and ("A" <= word[0] <= "Z" or "_" in word)):
            for name in (word, word.rpartition(".")[2]) if is_dotted else (word,):
                if rules.code_least <= size(name) <= rules.code_most:
                    patterns[name] = None
    return list(patterns)


def cluster_hash(keywords: Sequence[str]) -> str:
    """The id of the cluster of tasks with these primary ``keywords``, as 64 hexadecimal digits. All digits are zero if
    there are no keywords.
    """
    if not keywords:
        return "0" * hashlib.sha256().digest_size * 2
    words = sorted(keyword.encode("utf-8", "surrogatepass") for keyword in keywords)
    return hashlib.sha256(_CLUSTER + b"\0".join(words)).hexdigest()


def _is_number(word: str) -> bool:
    return not word.strip("0123456789.")


class _Extraction:
    """Extracts the keywords of one task in several phases. A keyword belongs to the first phase that finds it."""

    def __init__(self, task: str, rules: KeywordRules) -> None:
        self._task, self._rules = task, rules
        self._words = [word.strip(rules.trimmed) for word in words(task)]
        self._stop, self._verbs = frozenset(rules.stop_words), frozenset(rules.verbs)
        self._fillers = frozenset(rules.fillers)
        self._seen: set[str] = set()
        self._exact: list[Keyword] = []
        self._compounds: list[Keyword] = []

    def keywords(self) -> KeywordSet:
        for text in self._quoted():
            self._add_with_lower(self._exact, text, KeywordRule.QUOTED)
        for text in code_patterns(self._task, self._rules):
            self._add_with_lower(self._compounds, text, KeywordRule.CODE)
        priority, words, bigrams = self._priority(), self._parts(), self._bigrams()
        words.sort(key=lambda keyword: -size(keyword.text))
        if self._rules.bigrams_are_compounds:
            return KeywordSet(tuple(self._exact), (*self._compounds, *bigrams), (*priority, *words))
        return KeywordSet(tuple(self._exact), tuple(self._compounds), (*priority, *words, *bigrams))

    def _add(self, into: list[Keyword], text: str, rule: KeywordRule, source: str) -> None:
        if text not in self._seen:
            self._seen.add(text)
            into.append(Keyword(text, rule, source))

    def _add_with_lower(self, into: list[Keyword], text: str, rule: KeywordRule) -> None:
        self._add(into, text, rule, text)
        self._add(into, lower(text), rule, text)

    def _quoted(self) -> Iterator[str]:
        for piece in self._task.split(_BACK_TICK)[1:-1:2]:
            text = piece.strip(_WHITE)
            if text and " " not in text and size(text) <= self._rules.quoted_most:
                yield text

    def _priority(self) -> list[Keyword]:
        """The first significant word after a leading verb. A compound is added to the compounds instead."""
        keywords: list[Keyword] = []
        if not self._words or lower(self._words[0]) not in self._verbs:
            return keywords
        target = next((word for word in self._words[1:] if word and lower(word) not in self._fillers), "")
        if not target:
            return keywords
        low = lower(target)
        if is_compound(target):
            self._add(self._compounds, low, KeywordRule.VERB, target)
            if has_mixed_case(target):
                self._add(self._compounds, target, KeywordRule.VERB, target)
            return keywords
        self._add(keywords, low, KeywordRule.VERB, target)
        if size(low) >= self._rules.capital_least:
            self._add(keywords, capitalised(low), KeywordRule.VERB, target)
        return keywords

    def _parts(self) -> list[Keyword]:
        keywords: list[Keyword] = []
        for word in self._words:
            parts, low = split_identifier(word), lower(word)
            if "_" in low or "." in low or len(parts) > 1:
                if low not in self._stop:
                    self._add(self._compounds, low, KeywordRule.WORD, word)
                if has_mixed_case(word):
                    self._add(self._compounds, word, KeywordRule.WORD, word)
            rule = KeywordRule.PART if len(parts) > 1 else KeywordRule.WORD
            for part in map(lower, parts):
                if size(part) < self._rules.part_least or part in self._stop or part in self._seen:
                    continue
                self._add(keywords, part, rule, word)
                if part in self._rules.abbreviations:
                    self._add(keywords, self._rules.abbreviations[part], KeywordRule.ABBREVIATION, word)
        return keywords

    def _bigrams(self) -> list[Keyword]:
        keywords: list[Keyword] = []
        for one, other in pairwise(filter(self._may_pair, map(lower, self._words))):
            if {one, other} & self._verbs or max(size(one), size(other)) < self._rules.bigram_long:
                continue
            source = f"{one} {other}"
            self._add(keywords, capitalised(one) + capitalised(other), KeywordRule.BIGRAM, source)
            self._add(keywords, f"{one}_{other}", KeywordRule.BIGRAM, source)
        return keywords

    def _may_pair(self, word: str) -> bool:
        rules = self._rules
        return (
            size(word) >= rules.bigram_least
            and word not in self._stop
            and (rules.bigram_fillers or word not in self._fillers)
            and not any(char in word for char in rules.bigram_without)
        )
