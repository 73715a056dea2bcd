"""The terms of a snapshot, with their frequencies, notes, neighbours and other spellings.

A term is a lower-case word as :func:`brvtui.text.analysis.terms` splits a note's title, text or path (its *fields*).
``df`` is the number of notes that contain it in any field, ``cf`` the number of times that it occurs in all fields, and
``idf`` is ``ln(1 + (N - df + 0.5) / (df + 0.5))`` for N notes. The numbers come from :mod:`brvtui.text.postings`,
because tantivy's index counts notes by field, and lists no collection frequencies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import compress, pairwise, product
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from brvtui.derived import Key
from brvtui.ranking import bm25
from brvtui.snapshot import Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.text.analysis import STOP_WORDS, fold, from_utf16, terms, utf16
from brvtui.text.constants import ExpansionRules
from brvtui.text.segment import FIELDS
from brvtui.text.vocabulary import KINDS

Order = Literal["df", "cf", "idf", "term"]
_LEAST_COMPOUND, _LONGEST_COMPOUND = 4, 40
"""The minimum and maximum length of a word that may also be written as two."""


class Term(NamedTuple):
    """A term with its numbers, as described in :mod:`brvtui.lab.terms`, and the fields in which it occurs."""

    term: str
    df: int
    cf: int
    idf: float
    fields: tuple[str, ...]


class TermNeighbour(NamedTuple):
    """A term that a query for another term also finds. ``weight`` is the factor for its scores, above 0 and below 1."""

    term: str
    kind: str
    """``prefix`` or ``fuzzy``."""
    distance: int
    """The number of additional letters for ``prefix``, and of edits for ``fuzzy``."""
    weight: float
    df: int


class TermVariant(NamedTuple):
    """Another spelling of a term (webhook, web hook), and the number of notes with that spelling.

    Such spellings split a topic.
    """

    spelling: str
    df: int


class TermDetails(NamedTuple):
    """The neighbours of a term, heaviest first, its other spellings, most frequent first, and the paths of its notes in
    document order.
    """

    neighbours: tuple[TermNeighbour, ...]
    variants: tuple[TermVariant, ...]
    paths: tuple[str, ...]


def frequency(term: Term, notes: int) -> str:
    """``common`` for a term in more than half of all ``notes``, ``rare`` for one in a single note, otherwise empty."""
    return "common" if 2 * term.df > notes else "rare" if term.df == 1 else ""


class TermList:
    """All terms of one snapshot. The first use of each method takes longest; results are cached."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Counts the terms of ``snapshot``. Reads no files."""
        self._snapshot, postings = snapshot, snapshot.postings
        df, cf = postings.term_counts()
        held = postings.frequencies.reshape(-1, len(FIELDS)) > 0
        fields = {mask: tuple(compress(FIELDS, mask)) for mask in product((False, True), repeat=len(FIELDS))}
        self.notes = len(postings)
        self.by_name: Mapping[str, Term] = {
            (name := from_utf16(postings.ids.terms[identity])): Term(
                name, int(df[identity]), int(cf[identity]), bm25.idf(self.notes, int(df[identity])), fields[tuple(mask)]
            )
            for identity, mask in zip(
                postings.vocabulary.ids.tolist(), held[postings.vocabulary.ids].tolist(), strict=True
            )
        }
        """The terms in alphabetical order, keyed by term."""

    def find(self, text: str = "", order: Order = "term", only: str = "") -> list[Term]:
        """The terms that contain ``text``, ignoring case and accents. They are sorted by ``df`` or ``cf`` (most
        frequent first), by ``idf`` (rarest first), or by ``term``. ``only`` limits them to terms with that
        :func:`frequency` or, if it is ``split``, to terms that a note also writes as two words. For ``split``, the
        first call reads all notes.
        """
        wanted = fold(text.strip())
        names: Iterable[str] = self._snapshot.postings.vocabulary.containing(wanted) if wanted else self.by_name
        found = [self.by_name[name] for name in names]
        if only:
            split = {"".join(pair) for pair in self._compounds} if only == "split" else ()
            found = [term for term in found if only == frequency(term, self.notes) or term.term in split]
        return sorted(found, key=attrgetter(order), reverse=order != "term")

    def details(self, term: str, rules: ExpansionRules | None, limit: int | None = None) -> TermDetails:
        """At most ``limit`` details of each kind. Neighbours are the other terms that a query for ``term`` finds by
        ``rules``; there are none without rules.

        The first call reads all notes.
        """
        postings = self._snapshot.postings
        identity = postings.ids.get(utf16(term))
        places = np.flatnonzero(postings.has_any([identity] if identity is not None else [])).tolist()
        variants = [
            TermVariant(" ".join(pair), df) if whole == term else TermVariant(whole, self.by_name[whole].df)
            for pair, df in self._compounds.items()
            if term in (*pair, (whole := "".join(pair)))
        ]
        return TermDetails(
            tuple(sorted(self._neighbours(term, rules), key=lambda one: (-one.weight, one.term)))[:limit],
            tuple(sorted(variants, key=lambda one: (-one.df, one.spelling)))[:limit],
            tuple(self._snapshot.notes[place].path for place in places[:limit]),
        )

    def _neighbours(self, term: str, rules: ExpansionRules | None) -> Iterator[TermNeighbour]:
        if rules is not None:
            found = self._snapshot.postings.vocabulary.expand(utf16(term), rules)
            columns = (found.ids, found.kinds, found.distances, found.weights)
            for identity, kind, distance, weight in zip(*(column.tolist() for column in columns), strict=True):
                name = from_utf16(self._snapshot.postings.ids.terms[identity])
                if name != term:
                    yield TermNeighbour(name, KINDS[kind].value, distance, weight, self.by_name[name].df)

    @cached_property
    def _compounds(self) -> Counter[tuple[str, str]]:
        """For each pair of adjacent words that notes also write as one, the number of notes with the pair."""
        words = self.by_name.keys() - STOP_WORDS
        wanted = {
            (name[:place], name[place:])
            for name in words
            if _LEAST_COMPOUND <= len(name) <= _LONGEST_COMPOUND and name.isalpha()
            for place in range(1, len(name) - 1)
            if name[:place] in words and name[place:] in self.by_name
        }
        notes = self._snapshot.notes if wanted else ()
        return Counter(
            pair for note in notes for pair in wanted.intersection(pairwise(_words(self._snapshot, note.path)))
        )


def _words(snapshot: Snapshot, path: str) -> list[str]:
    try:
        document = text_document(snapshot, path)
    except OSError:  # the file has just been removed
        return []
    return [from_utf16(term) for term in terms(f"{document.title}\n{document.text}")]


_TABLE: Key[TermList] = Key("terms")


def terms_of(snapshot: Snapshot) -> TermList:
    """The terms of ``snapshot``, counted on first use, which takes about two seconds for 10,000 notes."""
    return snapshot.derived.of(_TABLE, lambda: TermList(snapshot))
