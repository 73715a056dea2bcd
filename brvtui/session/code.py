"""One repository of code that is asked for what a task needs, and which notes speak of it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from brvtui import faults
from brvtui.corpus.code.documents import CodeMention, Documentation, SpeakingNote
from brvtui.corpus.code.index import build_index
from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeTasks
from brvtui.engines.knowing.profile import load_profile
from brvtui.snapshot import Snapshot
from brvtui.store.kept_code import KeptCode


class CodeSession:
    """A repository that was read, and the notes of a project about it."""

    def __init__(self, root: Path, profile: str = "", notes: Snapshot | None = None) -> None:
        """Reads the repository at ``root``, or what changed in it since it was read last.

        Raises :class:`brvtui.corpus.code.reading.NoGrammar`, :class:`brvtui.typed_tables.ProfileError` for a profile
        that is none, and OSError when ``root`` is no folder that can be read.
        """
        constants = load_profile(profile)
        kept = KeptCode(root)
        before = kept.read()
        index = build_index(root, before=before)
        self.problem = ""
        """Why what was read could not be kept for the next time; empty when it is."""
        if before is None or index.files != before.files:
            try:
                kept.write(index)
            except OSError as error:
                self.problem = f"what was read of the code is not kept: {faults.error_line(error, kept.path)}"
        self.graph = index.graph()
        self._tasks = CodeTasks(self.graph, constants)
        self._notes = notes

    def answer(self, task: str, budget: int) -> CodeAnswer:
        """What ``task`` needs of the code, packed into ``budget`` tokens."""
        return self._tasks.answer(task, budget)

    @cached_property
    def documentation(self) -> Documentation:
        """Which notes speak of which code; of none without a project."""
        held = self._notes
        texts = () if held is None else (SpeakingNote(note.path, _text(held, note.path)) for note in held.notes)
        return Documentation(self.graph, texts)

    def notes_about(self, id_: str) -> list[CodeMention]:
        """The mentions of a symbol in notes, each note once, nearest first."""
        return list({one.note: one for one in reversed(self.documentation.notes_about(id_))}.values())[::-1]


def _text(notes: Snapshot, path: str) -> str:
    try:
        return notes.text(path)
    except OSError:
        return ""
