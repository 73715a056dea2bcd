"""Compares two notes, which may say nearly the same, or disagree about the same thing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

from brvtui.lab.health.statements import Disagreement, Statement, Weight, disagreements, statements, stems

_COPY, _ALIKE, _ALIKE_WORDS, _SAME_WORDS = 0.8, 0.5, 0.75, 0.85
_AGREED, _LEAST_AGREED = 0.6, 3
_SAME_TITLE, _SAME_FACT, _LIKE_TITLE, _LIKE_WORDS = 0.6, 0.6, 0.5, 0.5
_LEAST_TEXT = 4
"""The minimum number of distinct stems in each of two near-duplicates."""
_MOST_DIFFERENT = 4
_SERIAL = re.compile(
    r"\d+|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|week)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class ComparedNote:
    """A note prepared for comparisons with others."""

    title: str
    statements: tuple[Statement, ...]
    stems: Counter[str]
    """For each stem, the number of statements that contain it."""
    file: str = ""
    """The name of the file, which says what the note is about if its title is vague."""

    @classmethod
    def of(cls, title: str, body: str, file: str = "") -> ComparedNote:
        """The note with this ``title``, and the text ``body`` without frontmatter."""
        cut = statements(body)
        return cls(title, cut, Counter(word for one in cut for word in one.words), file)


class PairResult(NamedTuple):
    """The comparison of two notes, which can be stored as JSON."""

    duplicate: float = 0.0
    """The confidence that the notes say the same, from 0 to 1; 0 below 0.5."""
    same_words: float = 0.0
    """The shared part of all words, by idf, from 0 to 1."""
    superseded: float = 0.0
    """The confidence that one of the notes is superseded, from 0 to 1; 0 if both can be right."""
    facts: Disagreement | None = None
    """The strongest disagreement."""

    @classmethod
    def of(cls, plain: Any) -> PairResult:
        """The result that was stored as ``plain``."""
        duplicate, same_words, superseded, facts = plain
        return cls(duplicate, same_words, superseded, Disagreement(*facts) if facts else None)


def compare(one: ComparedNote, two: ComparedNote, weight: Weight, likeness: float) -> PairResult:
    """Compares two notes whose word triples have the Jaccard similarity ``likeness``. ``weight`` returns the idf of a
    stem.
    """

    def total(words: frozenset[str] | set[str]) -> float:
        return sum(map(weight, words))

    both, whole = one.stems.keys() & two.stems.keys(), total(one.stems.keys() | two.stems.keys())
    same_words = total(both) / whole if min(len(one.stems), len(two.stems)) >= _LEAST_TEXT else 0.0
    titles = stems(one.title), stems(two.title)
    subject = titles[0] & titles[1]
    if _is_parallel(one, two, titles):
        return PairResult(same_words=same_words)
    found, agreements = disagreements(one.statements, two.statements, subject, weight)
    agreed = agreements / max(1, len(one.statements), len(two.statements))
    duplicate = 0.0
    if likeness >= _ALIKE and same_words >= _ALIKE_WORDS:
        duplicate = 1.0 if likeness >= _COPY else 0.8
    elif not found and agreements:
        duplicate = 0.7 if agreed >= _AGREED and agreements >= _LEAST_AGREED else 0.6 * (same_words >= _SAME_WORDS)
    is_specific = total(subject) >= weight("")
    title = is_specific * total(subject) / max(total(titles[0]), total(titles[1]), 1e-9)
    facts = [one for one in found if title >= _SAME_TITLE or (one.strength >= _SAME_FACT and not one.is_name)][:1]
    names = stems(f"{one.title} {one.file}"), stems(f"{two.title} {two.file}")
    is_alike = title >= _LIKE_TITLE or (same_words >= _LIKE_WORDS and not _is_parallel(one, two, names))
    is_other = len(found) > _MOST_DIFFERENT and not agreements and title < _SAME_TITLE
    if not facts or is_other or not is_alike:
        return PairResult(duplicate, same_words)
    strength = facts[0].strength * (1.0 if title >= _COPY or same_words >= _AGREED else 0.8)
    return PairResult(duplicate, same_words, strength, facts[0])


def serials_in(title: str) -> frozenset[str]:
    """The numbers, months and weekdays in ``title``. Notes with different ones are about different things."""
    return frozenset(map(str.lower, _SERIAL.findall(title)))


def _is_parallel(one: ComparedNote, two: ComparedNote, titles: tuple[frozenset[str], frozenset[str]]) -> bool:
    """True if the titles name two different subjects of the notes, such as two services with the same settings."""
    serial = serials_in(one.title), serials_in(two.title)
    if serial[0] and serial[1] and serial[0] != serial[1]:
        return True
    mine, yours = titles[0] - titles[1], titles[1] - titles[0]
    return any(one.stems[word] and word not in two.stems for word in mine) and any(
        two.stems[word] and word not in one.stems for word in yours
    )
