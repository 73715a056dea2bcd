"""Compares two notes: nearly the same, or about the same thing and in disagreement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.lab.health.likeness import likeness, shingle_hashes
from brvtui.lab.health.statements import Disagreement, Statement, Weight, disagreements, statements, stems

LEAST_WORDS, LEAST_TITLE = 0.35, 0.6
"""The minimum measures (:meth:`brvtui.lab.health.overlap.Overlap.shared`) of pairs that are compared."""
NEAR = 0.4
"""The minimum estimate of the similarity by MinHash from which a pair is compared, whatever its other measures."""
_COPY, _ALIKE, _ALIKE_WORDS, _SAME_WORDS = 0.8, 0.5, 0.75, 0.85
_AGREED, _LEAST_AGREED = 0.6, 3
_MOST_KEPT = 3
_LEAST_TEXT = 4
"""The minimum number of distinct stems in each of two near-duplicates."""
_SERIAL = re.compile(
    r"\d+|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|week)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note prepared for comparisons with others."""

    title: str
    body: str
    statements: tuple[Statement, ...]
    stems: Counter[str]
    """For each stem, the number of statements that contain it."""

    @classmethod
    def of(cls, title: str, body: str) -> NoteText:
        """The note with this ``title``, and the text ``body`` without frontmatter."""
        cut = statements(body)
        return cls(title, body, cut, Counter(word for one in cut for word in one.words))


@dataclass(frozen=True, slots=True)
class PairResult:
    """The comparison of two notes."""

    likeness: float
    """The Jaccard similarity of the word triples, from 0 to 1."""
    same_words: float
    """The shared part of all words, by idf, from 0 to 1."""
    agreements: int
    """The number of statements that both notes make."""
    is_parallel: bool
    """True if each note is about something else that its title names, such as two services with the same settings."""
    disagreements: tuple[Disagreement, ...]
    """The strongest disagreements; empty for parallel notes."""
    count: int
    """The number of all disagreements."""
    statements: int
    """The number of statements in the longer note."""

    @property
    def duplicate(self) -> float:
        """The confidence that the notes say the same, from 0 to 1; 0 below 0.5."""
        if self.is_parallel:
            return 0.0
        if self.likeness >= _COPY:
            return 1.0
        if self.likeness >= _ALIKE and self.same_words >= _ALIKE_WORDS:
            return 0.8
        if self.count or not self.agreements:
            return 0.0
        agreed = self.agreements / max(1, self.statements)
        if agreed >= _AGREED and self.agreements >= _LEAST_AGREED:
            return 0.7
        return 0.6 if self.same_words >= _SAME_WORDS else 0.0


def compare(one: NoteText, two: NoteText, weight: Weight) -> PairResult:
    """Compares two notes. ``weight`` returns the idf of a stem."""
    both, either = one.stems.keys() & two.stems.keys(), one.stems.keys() | two.stems.keys()
    whole = sum(map(weight, either))
    same_words = sum(map(weight, both)) / whole if whole and min(len(one.stems), len(two.stems)) >= _LEAST_TEXT else 0.0
    alike = likeness(shingle_hashes(one.body), shingle_hashes(two.body)) if len(both) >= _LEAST_TEXT else 0.0
    is_parallel = _is_parallel(one, two)
    longer = max(len(one.statements), len(two.statements))
    found: Sequence[Disagreement] = ()
    agreements = 0
    if not is_parallel:
        subject = stems(one.title) & stems(two.title)
        found, agreements = disagreements(one.statements, two.statements, subject, weight)
    return PairResult(alike, same_words, agreements, is_parallel, tuple(found[:_MOST_KEPT]), len(found), longer)


def _is_parallel(one: NoteText, two: NoteText) -> bool:
    serial = [frozenset(word.lower() for word in _SERIAL.findall(note.title)) for note in (one, two)]
    if serial[0] and serial[1] and serial[0] != serial[1]:
        return True
    return all(
        any(word not in other.stems and note.stems[word] for word in stems(note.title) - stems(other.title))
        for note, other in ((one, two), (two, one))
    )
