"""One repository of code that is asked for what a task needs, and which notes speak of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from brvtui import faults
from brvtui.corpus.code.documents import CodeMention, CodeNames, Documentation, nearest_of_each_note
from brvtui.corpus.code.index import Progress, build_index
from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeTasks
from brvtui.engines.knowing.profile import load_profile
from brvtui.session.notes_on_code import speaking_notes
from brvtui.snapshot import Snapshot
from brvtui.store.kept_code import KeptCode


@dataclass(frozen=True, slots=True)
class NoteOnCode:
    """A note that speaks of symbols of an answer."""

    note: str
    ranks: tuple[int, ...]
    """The places of these symbols in the answer, from 1."""
    written: tuple[str, ...]
    """What the note writes for them, each once: names of symbols and files."""


class CodeSession:
    """A repository that was read, and the notes of a project about it."""

    def __init__(
        self, root: Path, profile: str = "", notes: Snapshot | None = None, progress: Progress | None = None
    ) -> None:
        """Reads the repository at ``root``, or what changed in it since it was read last.

        Calls ``progress`` with the numbers of files that were read and of all of these. Raises
        :class:`brvtui.corpus.code.reading.NoGrammar`, :class:`brvtui.typed_tables.ProfileError` for a profile
        that is none, and OSError when ``root`` is no folder that can be read.
        """
        constants = load_profile(profile)
        kept = KeptCode(root)
        before = kept.read()
        index = build_index(root, before=before, progress=progress)
        self.problem = ""
        """Why what was read could not be kept for the next time; empty when it is."""
        if before is None or index.files != before.files:
            try:
                kept.write(index)
            except OSError as error:
                self.problem = f"what was read of the code is not kept: {faults.error_line(error, kept.path)}"
        self.graph = index.graph()
        self.tasks = CodeTasks(self.graph, constants)
        """Answers over the symbols."""
        self._notes = notes

    def files(self, written: Iterable[str]) -> tuple[list[str], list[str]]:
        """The files that are meant by ``written``, by paths or the ends of paths; and what means none, or several."""
        names = CodeNames(self.graph)
        meant = {one: names.file(one) for one in written}
        return list(dict.fromkeys(filter(None, meant.values()))), [one for one, path in meant.items() if not path]

    @cached_property
    def documentation(self) -> Documentation:
        """Which notes speak of which code; of none without a project."""
        return Documentation(self.graph, speaking_notes(self._notes))

    def notes_about(self, id_: str) -> list[CodeMention]:
        """The mentions of a symbol in notes, each note once, nearest first."""
        return nearest_of_each_note(self.documentation.notes_about(id_))

    def notes_on(self, answer: CodeAnswer) -> list[NoteOnCode]:
        """The notes that speak of the symbols of an answer; first those of whose symbols the scores sum to most."""
        ranks: dict[str, list[int]] = {}
        written: dict[str, dict[str, None]] = {}
        weights: dict[str, float] = {}
        for rank, scored in enumerate(answer.packed, start=1):
            for mention in self.notes_about(scored.node.id):
                ranks.setdefault(mention.note, []).append(rank)
                written.setdefault(mention.note, {})[mention.written] = None
                weights[mention.note] = weights.get(mention.note, 0.0) + scored.score
        order = sorted(ranks, key=lambda note: (-weights[note], note))
        return [NoteOnCode(note, tuple(ranks[note]), tuple(written[note])) for note in order]

    def files_without_note(self, answer: CodeAnswer | None = None) -> Sequence[str]:
        """The files, tests aside, of which no note speaks: all, or those of an answer's symbols, best first."""
        without = self.documentation.files_without_note()
        if answer is None:
            return without
        unspoken = set(without)
        return list(dict.fromkeys(one.node.path for one in answer.packed if one.node.path in unspoken))
