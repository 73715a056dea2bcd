"""The keywords and tags of notes as phrases that stand for them (``docs/knowing.md``, "Equivalence classes")."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from brvtui.engines.knowing.equivalence import EquivalenceClass, PhraseTable
from brvtui.engines.knowing.keywords import size
from brvtui.engines.knowing.note_reading import NotePiece
from brvtui.engines.knowing.seed_rules import NoteClassRules

NOTE_SOURCE = "note"
"""The source of the classes that notes' own keywords make."""
_JOINTS = re.compile("[_-]+")


def note_classes(pieces: Iterable[NotePiece], rules: NoteClassRules) -> PhraseTable:
    """A class for each note: its keywords and tags, but for those that too many notes have.

    Phrases count as whole words, and notes that more phrases stand for come first.
    """
    phrases = [(piece.nodes[0], tuple(_phrases(piece, rules))) for piece in pieces]
    counts = Counter(phrase for _, held in phrases for phrase in held)
    classes = []
    for node, held in phrases:
        kept = tuple(phrase for phrase in held if counts[phrase] <= rules.most_notes)
        if kept:
            classes.append(EquivalenceClass(node.name, kept, (), rules.weight, NOTE_SOURCE, nodes=(node.id,)))
    return PhraseTable(classes, whole_words=True)


def _phrases(piece: NotePiece, rules: NoteClassRules) -> Iterator[str]:
    written = dict.fromkeys((*piece.keywords, *piece.tags))
    for phrase in dict.fromkeys(text for word in written for text in (word, _JOINTS.sub(" ", word).strip())):
        if size(phrase) >= rules.least:
            yield phrase
