"""The terms of a snapshot, with their frequencies, notes, neighbours and other spellings.

A term is a lower-case word as :func:`brvtui.text.analysis.terms` splits a note's title, text or path (its *fields*).

- ``df``, the document frequency, is the number of notes that contain the term in any field.
- ``cf``, the collection frequency, is the number of times that the term occurs in all fields of all notes.
- ``idf`` is ``ln(1 + (N - df + 0.5) / (df + 0.5))`` for N notes, above 0 for every term. This is the weight of
  Robertson and Spärck Jones (1976) in the form of Lucene, tantivy and MiniSearch, which add 1 in the logarithm.

The numbers come from :mod:`brvtui.text.postings`, because tantivy's index cannot give them: it counts notes by field,
counts changed notes until it merges their segment, lists no collection frequencies, and cuts scripts without spaces
into pairs of characters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import compress, pairwise, product
from typing import Literal, NamedTuple

import numpy as np

from brvtui.derived import Key
from brvtui.ranking import bm25
from brvtui.snapshot import Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.text.analysis import STOP_WORDS, fold, from_utf16, terms, utf16
from brvtui.text.constants import ExpansionRules
from brvtui.text.full_text import stems_of
from brvtui.text.segment import FIELDS
from brvtui.text.vocabulary import KINDS

Order = Literal["df", "cf", "idf", "term"]
_LEAST_COMPOUND, _LONGEST_COMPOUND = 4, 40
"""The minimum and maximum length of a word that may also be written as two."""
_FEW_PAIRS = 1_000
"""The maximum number of pairs for which only the notes with both words are read."""
_Pair = tuple[str, str]


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
    """Another spelling of a term, and the number of notes that contain it. Such spellings split a topic."""

    spelling: str
    kind: str
    """``compound`` (webhook, web hook) or ``form`` (another form with the same English stem, or with accents)."""
    df: int


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
        """The terms that contain ``text``, regardless of case and accents: by ``df`` or ``cf`` from the most frequent
        on, by ``idf`` from the rarest on, or by ``term``.

        ``only`` limits them to those whose :func:`frequency` it is or, if it is ``split``, to those that a note also
        writes as two words. For ``split``, the first call reads all notes.
        """
        wanted = fold(text.strip())
        names: Iterable[str] = self._snapshot.postings.vocabulary.containing(wanted) if wanted else self.by_name
        found = [self.by_name[name] for name in names]
        if only:
            split = self._split if only == "split" else ()
            found = [term for term in found if only == frequency(term, self.notes) or term.term in split]
        keys: Mapping[str, Callable[[Term], int]] = {
            "df": lambda term: -term.df,
            "cf": lambda term: -term.cf,
            "idf": lambda term: term.df,
        }
        return sorted(found, key=keys[order]) if order in keys else found

    def notes_with(self, term: str) -> tuple[str, ...]:
        """The paths of the notes that contain ``term``, in document order."""
        return tuple(self._snapshot.notes[place].path for place in np.flatnonzero(self._has(term)).tolist())

    def _has(self, term: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        identity = self._snapshot.postings.ids.get(utf16(term))
        return self._snapshot.postings.has_any([identity] if identity is not None else [])

    def neighbours(self, term: str, rules: ExpansionRules | None) -> list[TermNeighbour]:
        """The other terms that match a query for ``term`` by ``rules``, heaviest first; none without rules."""
        if rules is None:
            return []
        names = self._snapshot.postings.ids.terms
        found = self._snapshot.postings.vocabulary.expand(utf16(term), rules)
        columns = (found.ids, found.kinds, found.distances, found.weights)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        neighbours = [
            TermNeighbour(name, KINDS[kind].value, distance, weight, self.by_name[name].df)
            for identity, kind, distance, weight in rows
            if (name := from_utf16(names[identity])) != term
        ]
        return sorted(neighbours, key=lambda one: (-one.weight, one.term))

    def variants(self, term: str) -> list[TermVariant]:
        """The other spellings of ``term``, most frequent first. Reads the notes that contain the parts of compounds."""
        pairs = [*_cuts(term)]
        pairs += ((term, name.removeprefix(term)) for name in self.by_name if name.startswith(term))
        pairs += ((name.removesuffix(term), term) for name in self.by_name if name.endswith(term))
        written = self._adjacent(pair for pair in pairs if self._may_join(pair))
        found = [
            TermVariant(" ".join(pair), "compound", count)
            if "".join(pair) == term
            else TermVariant("".join(pair), "compound", self.by_name["".join(pair)].df)
            for pair, count in written.items()
        ]
        forms = self._by_stem.get(self._stems.get(term, ""), [])
        found += (TermVariant(name, "form", self.by_name[name].df) for name in forms if name != term)
        return sorted(dict.fromkeys(found), key=lambda one: (-one.df, one.spelling))

    @cached_property
    def _stems(self) -> Mapping[str, str]:
        return dict(zip(self.by_name, stems_of(self.by_name), strict=True))

    @cached_property
    def _by_stem(self) -> Mapping[str, list[str]]:
        groups = defaultdict[str, list[str]](list)
        for name, stem in self._stems.items():
            groups[stem].append(name)
        return groups

    @cached_property
    def _split(self) -> frozenset[str]:
        pairs = (pair for name in self.by_name for pair in _cuts(name) if self._may_join(pair))
        return frozenset("".join(pair) for pair in self._adjacent(pairs))

    def _may_join(self, pair: _Pair) -> bool:
        """True if ``pair`` and the word that it forms are terms, and it is not a phrase like "of ten" or "is a"."""
        (one, other), whole = pair, "".join(pair)
        is_phrase = one in STOP_WORDS and (len(one) == 1 or len(other) < _LEAST_COMPOUND or other in STOP_WORDS)
        is_letter = len(other) == 1 or (len(one) == 1 and other in STOP_WORDS)
        if is_phrase or is_letter or whole in STOP_WORDS or not whole.isalpha():
            return False
        return all(name in self.by_name for name in (one, other, whole))

    def _adjacent(self, pairs: Iterable[_Pair]) -> Counter[_Pair]:
        """The number of notes in which the words of each pair are adjacent; pairs that never are do not occur."""
        wanted = frozenset(pairs)
        has = {part: self._has(part) for pair in wanted for part in pair} if len(wanted) <= _FEW_PAIRS else {}
        masks = [has[one] & has[other] for one, other in wanted] if has else []
        places = np.flatnonzero(np.logical_or.reduce(masks)).tolist() if masks else range(self.notes * bool(wanted))
        found = Counter[_Pair]()
        for place in places:
            found.update(wanted.intersection(pairwise(_words(self._snapshot, self._snapshot.notes[place].path))))
        return found


def _cuts(term: str) -> Iterator[_Pair]:
    if _LEAST_COMPOUND <= len(term) <= _LONGEST_COMPOUND:
        yield from ((term[:place], term[place:]) for place in range(1, len(term)))


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
