"""Which notes speak of the symbols of an answer, and which of its files have no note."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.corpus.code.documents import Documentation, nearest_of_each_note
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import NoteOnCode


def notes_on(packed: Sequence[ScoredCandidate], documentation: Documentation) -> tuple[NoteOnCode, ...]:
    """The notes that speak of the symbols ``packed``; first those of whose symbols the scores sum to most."""
    ranks: dict[str, list[int]] = {}
    written: dict[str, dict[str, None]] = {}
    weights: dict[str, float] = {}
    for rank, scored in enumerate(packed, start=1):
        for mention in nearest_of_each_note(documentation.notes_about(scored.node.id)):
            ranks.setdefault(mention.note, []).append(rank)
            written.setdefault(mention.note, {})[mention.written] = None
            weights[mention.note] = weights.get(mention.note, 0.0) + scored.score
    order = sorted(ranks, key=lambda note: (-weights[note], note))
    return tuple(NoteOnCode(note, tuple(ranks[note]), tuple(written[note])) for note in order)


def files_without_note(packed: Sequence[ScoredCandidate], documentation: Documentation) -> tuple[str, ...]:
    """The files of the symbols ``packed``, tests aside, of which no note speaks, nor of what is in them; best first."""
    without = set(documentation.files_without_note)
    return tuple(dict.fromkeys(one.node.path for one in packed if one.node.path in without))
