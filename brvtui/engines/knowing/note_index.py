"""The index of a snapshot's notes: the graph, the channels' indexes, and the constants for notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from brvtui.engines.knowing.equivalence import EquivalenceClass, PhraseTable
from brvtui.engines.knowing.keywords import size
from brvtui.engines.knowing.model import Node
from brvtui.engines.knowing.note_reading import NotePiece
from brvtui.engines.knowing.notes_graph import NoteGraph, note_graph
from brvtui.engines.knowing.packing import text_tokens
from brvtui.engines.knowing.pipeline import TaskIndex, task_index
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.reached import ScoringContext
from brvtui.engines.knowing.scoring import ScoredCandidate, lifts_penalty
from brvtui.engines.knowing.sections import NoteOnCode
from brvtui.engines.knowing.seed_rules import NoteClassRules
from brvtui.engines.knowing.seeding import seed_index
from brvtui.snapshot import Snapshot
from brvtui.wording import counted

# Equivalence classes for notes: their keywords and tags are phrases that find them (``docs/reference/knowing.md``,
# "Equivalence classes").


NOTE_SOURCE = "note"
"""The source of classes built from the keywords and tags of notes."""
_JOINTS = re.compile("[_-]+")


def note_classes(pieces: Iterable[NotePiece], rules: NoteClassRules) -> PhraseTable:
    """One class per note, with the note's keywords and tags as phrases. Those that too many notes share are left out.

    Phrases match only whole words, and notes with more matching phrases come first.
    """
    phrases = [(piece.nodes[0], tuple(_phrases(piece, rules))) for piece in pieces]
    counts = Counter(phrase for _, own_phrases in phrases for phrase in own_phrases)
    classes = []
    for node, own_phrases in phrases:
        kept = tuple(phrase for phrase in own_phrases if counts[phrase] <= rules.most_notes)
        if kept:
            classes.append(EquivalenceClass(node.name, kept, (), rules.weight, NOTE_SOURCE, nodes=(node.id,)))
    return PhraseTable(classes, whole_words=True)


def _phrases(piece: NotePiece, rules: NoteClassRules) -> Iterator[str]:
    written = dict.fromkeys((*piece.keywords, *piece.tags))
    for phrase in dict.fromkeys(text for word in written for text in (word, _JOINTS.sub(" ", word).strip())):
        if size(phrase) >= rules.least:
            yield phrase


AROUND = "`'\",;:()@?!."
"""Punctuation that may surround a file name in a sentence."""


@dataclass(frozen=True, eq=False)
class NoteIndex:
    """The searchable notes of one snapshot."""

    nouns: ClassVar[tuple[str, str]] = ("note", "notes")
    """The singular and plural names of a result."""
    why_penalised: ClassVar[str] = "archived or deprecated"
    """The reason that is shown for a reduced score of a result."""
    notes: NoteGraph
    task: TaskIndex

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages about notes that are missing from the graph or incomplete in it."""
        unread = len(self.notes.unread)
        line = f"{counted(unread, 'note', 'notes')} cannot be read, so only their names are in the graph"
        return (line,) if unread else ()

    def title(self, node: Node) -> str:
        """The display title of a node. The title of a section includes the title of its note."""
        known = self.notes.known.get(node.stands_in)
        return known.piece.titles.get(node.id, node.name) if known is not None else node.name

    def text(self, node: Node) -> str:
        """The text of a note or section; empty for other nodes."""
        known = self.notes.known.get(node.stands_in)
        return known.piece.texts.get(node.id, "") if known is not None else ""

    def files_named(self, text: str) -> list[str]:
        """The notes, and files mentioned in notes, whose paths or names occur in ``text``, in order of mention."""
        paths = self.task.graph.by_path
        ends: dict[str, list[str]] = {}
        for path in paths:
            ends.setdefault(path.rpartition("/")[2], []).append(path)
        words = [word.strip(AROUND) for word in text.split()]
        matches = (([word] if word in paths else ends.get(word, [])) for word in words if word)
        return list(dict.fromkeys(path for paths_of in matches for path in paths_of if path))

    def scoring(self, task: str, entry: str, now: float, feedback: Mapping[str, float]) -> ScoringContext:
        """Facts outside the graph that are needed to score results for ``task`` at ``now``, in seconds since 1970.

        ``feedback`` contains the share of useful votes for each note, keyed by path.
        """
        profile = self.task.profile
        lifted = lifts_penalty(task, profile.scoring)
        return ScoringContext(
            now,
            penalised=lambda node: node.is_set_aside and not lifted,
            observes_change=profile.notes.recency_of_change,
            caller_types=profile.notes.user_types,
            feedback=self.task.graph.by_node(feedback),
        )

    def delivered(self, node: Node) -> str:
        """The text of a result for an agent: its title, id, summary and text."""
        head = self.notes.piece(node.path).nodes[0]
        rules = self.task.profile.notes
        says = self.text(node) if rules.delivers == "whole" or node is not head else ""
        summary = head.signature if node is head else ""
        return "\n\n".join(filter(None, (f"# {self.title(node)}", f"`{node.id}`", summary, says)))

    def notes_on(self, packed: Sequence[ScoredCandidate]) -> tuple[NoteOnCode, ...]:
        """The notes that mention the ``packed`` symbols; empty if the results are notes."""
        return ()

    def files_without_note(self, packed: Sequence[ScoredCandidate]) -> tuple[str, ...]:
        """The files of the ``packed`` symbols that no note mentions; empty if the results are notes."""
        return ()

    def cost(self, node: Node) -> int:
        """The number of tokens in the text of a result for an agent."""
        return text_tokens(self.delivered(node), self.task.profile.packing)


def index_notes(snapshot: Snapshot, profile: KnowingProfile, before: NoteIndex | None = None) -> NoteIndex:
    """The index of the notes in ``snapshot``.

    ``before`` is an earlier index with the same profile. Notes that have not changed since the earlier index are not
    read again.
    """
    rules = for_notes(profile)
    notes = note_graph(snapshot, rules.notes, before.notes if before is not None else None)
    classes = note_classes((known.piece for known in notes.known.values()), rules.equivalence.of_notes)
    last = before.task.seeds if before is not None else None
    return NoteIndex(notes, task_index(seed_index(notes.graph, rules, classes, last=last)))


def for_notes(profile: KnowingProfile) -> KnowingProfile:
    """``profile`` with its edge weights, noise rules and edge types changed to those for notes."""
    notes = profile.notes
    return replace(
        profile,
        walk=replace(profile.walk, edge_weights={**profile.walk.edge_weights, **notes.edge_weights}),
        hits=replace(profile.hits, types=notes.hits_types),
        noise=profile.noise_of_notes,
        equivalence=replace(profile.equivalence, alias_types=notes.caller_types),
    )
