"""Notes similar to a note, by tantivy's measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from brvtui.snapshot import Snapshot
from brvtui.text.analysis import from_utf16
from brvtui.text.index import IndexedDocument
from brvtui.text.postings import Postings
from brvtui.text.segment import FIELDS

_MOST_WORDS = 6
_CONTENT = FIELDS.index("content")


@dataclass(frozen=True, slots=True)
class Similar:
    """A note that is similar to another.

    ``score`` is tantivy's, above 0 and without an upper end; ``share`` is the part of the best one's, 0..1. ``words``
    are the rarest words that both notes hold.
    """

    path: str
    title: str
    score: float
    share: float
    words: tuple[str, ...]


def similar_notes(snapshot: Snapshot, path: str, limit: int) -> tuple[Similar, ...]:
    """The ``limit`` notes most similar to the note at ``path``, best first.

    The first call makes the index, which reads every note; later ones read only what changed since. Raises KeyError for
    an unknown note, OSError when it cannot be read.
    """
    own = snapshot.by_path[path]
    note = snapshot.notes[own]
    found = snapshot.likeness_index.similar(IndexedDocument(note.file, note.title, snapshot.text(path)), limit)
    best = found[0][1] if found else 1.0
    return tuple(
        Similar(
            snapshot.notes[place].path,
            snapshot.notes[place].title,
            score,
            score / best,
            _shared_words(snapshot.postings, own, place),
        )
        for place, score in found
    )


def _shared_words(postings: Postings, one: int, other: int) -> tuple[str, ...]:
    """The rarest words that both notes hold in their content, rarest first."""
    fields = len(FIELDS)
    rows = np.intersect1d(postings.note(one).rows, postings.note(other).rows)
    terms = (rows[rows % fields == _CONTENT] // fields).tolist()
    names = postings.ids.terms
    rarest = sorted(
        (term for term in terms if names[term]), key=lambda term: (postings.df(term, _CONTENT), names[term])
    )
    return tuple(from_utf16(names[term]) for term in rarest[:_MOST_WORDS])
