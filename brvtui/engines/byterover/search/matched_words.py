"""Finds the query words that each result matches, and the words in the note that match them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.search.near_misses import NEAR_MISSES
from brvtui.engines.byterover.sections import Lift, Search
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import from_utf16, terms
from brvtui.text.constants import TextRules
from brvtui.text.segment import FIELDS
from brvtui.text.vocabulary import KINDS, Expansion
from brvtui.trace import Hit, MatchedWord, Origin

BELOW = ("below",)
"""The field that is recorded for words of a lifted folder. These words occur in a note inside the folder."""
_NAMES = tuple({"content": "text"}.get(name, name) for name in FIELDS)
_ORDER = tuple(("title", "path", "text").index(name) for name in _NAMES)
"""The position of each index field in the list of a match's fields."""
Words = tuple[MatchedWord, ...]


def with_words(context: Context, found: Search, misses: int = NEAR_MISSES) -> Search:
    """``found`` with the query words that each hit, and each of the first ``misses`` near misses, matches.

    A folder gets the words of the note that lifted it.
    """
    text_hits = [hit for hit in found.hits if hit.origin is Origin.TEXT]
    files = [hit.file for hit in text_hits] + [miss.file for miss in found.near_misses[:misses]]
    words = matched_words(context, found.lint.filtered, files)
    below = words_below(found.lifts, {hit.path: words.get(hit.file, ()) for hit in text_hits})

    def own(hit: Hit) -> Words:
        return below.get(hit.path, ()) if hit.origin is Origin.PROPAGATED else words.get(hit.file, ())

    return replace(
        found,
        hits=tuple(replace(hit, words=own(hit)) for hit in found.hits),
        near_misses=tuple(replace(miss, words=words.get(miss.file, ())) for miss in found.near_misses),
    )


def hits_with_words(context: Context, text: str, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """The ``hits`` of a search for ``text``, each with the words that it matches; hits found by name have none."""
    hits = tuple(hits)
    words = matched_words(context, text, [hit.file for hit in hits if hit.origin is Origin.TEXT])
    return tuple(replace(hit, words=words.get(hit.file, ())) for hit in hits)


def words_below(lifts: Iterable[Lift], words: Mapping[str, Words]) -> Mapping[str, Words]:
    """For each lifted folder, the matched words of the note that lifted it. ``words`` contains the matched words of
    each note.
    """
    return {
        lift.folder: tuple(replace(word, fields=BELOW) for word in words.get(lift.child, ()))
        for lift in lifts
        if lift.kept
    }


def matched_words(context: Context, text: str, files: Sequence[str]) -> dict[str, Words]:
    """For the note at each of ``files``, the best match of each term of ``text``, in the order of the text.

    The best match has the highest product of weight and field boost. So a longer form in the title can outweigh the
    term itself in the text.
    """
    snapshot, rules = context.snapshot, context.constants.text
    places = [(file, snapshot.by_path[file]) for file in dict.fromkeys(files) if file in snapshot.by_path]
    if not places:
        return {}
    note_terms = _NoteTerms.of(snapshot, [position for _, position in places])
    boosts = np.asarray([rules.boost[name] for name in FIELDS])
    matches: list[list[MatchedWord]] = [[] for _ in places]
    for token in dict.fromkeys(terms(text)):
        for note, word in note_terms.answers(snapshot, _expansion(snapshot, token, rules), boosts):
            matches[note].append(word)
    return {file: tuple(words) for (file, _), words in zip(places, matches, strict=True)}


def _expansion(snapshot: Snapshot, token: str, rules: TextRules) -> Expansion:
    postings = snapshot.postings
    return postings.exact(token) if rules.relevance == "tantivy" else postings.expand(token, rules)


@dataclass(frozen=True, slots=True)
class _NoteTerms:
    """The terms of some notes as parallel arrays, note by note, with one row for each term and field."""

    notes: NDArray[np.int64]
    terms: NDArray[np.int64]
    fields: NDArray[np.int64]

    @classmethod
    def of(cls, snapshot: Snapshot, positions: Sequence[int]) -> _NoteTerms:
        rows = [snapshot.postings.note(position).rows for position in positions]
        joined = np.concatenate(rows).astype(np.int64)
        notes = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
        return cls(notes, joined // len(FIELDS), joined % len(FIELDS))

    def answers(
        self, snapshot: Snapshot, expansion: Expansion, boosts: NDArray[np.float64]
    ) -> Iterable[tuple[int, MatchedWord]]:
        """Yields each note with a term of ``expansion``, and its best match by the fields' ``boosts``."""
        if not len(expansion.ids):
            return
        order = np.argsort(expansion.ids)
        sorted_ids = expansion.ids[order]
        near = np.minimum(np.searchsorted(sorted_ids, self.terms), len(sorted_ids) - 1)
        rows = np.flatnonzero(sorted_ids[near] == self.terms)
        notes, fields, places = self.notes[rows], self.fields[rows], order[near[rows]]
        weights = expansion.weights[places] * boosts[fields]
        best = np.lexsort((places, -weights, notes))
        _, firsts = np.unique(notes[best], return_index=True)
        names = snapshot.postings.ids.terms
        for at in best[firsts].tolist():
            note, place = int(notes[at]), int(places[at])
            matched_fields = sorted(fields[(notes == note) & (places == place)].tolist(), key=_ORDER.__getitem__)
            yield (
                note,
                MatchedWord(
                    from_utf16(expansion.term),
                    from_utf16(names[int(expansion.ids[place])]),
                    KINDS[expansion.kinds[place]],
                    int(expansion.distances[place]),
                    tuple(_NAMES[field] for field in matched_fields),
                ),
            )
