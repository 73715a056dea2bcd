"""One repository of code that is asked for what a task needs, and which notes speak of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from brvtui import faults
from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, speaking_note
from brvtui.corpus.code.index import Progress, build_index
from brvtui.engines.code import CodeEntry
from brvtui.engines.knowing.code_lines import lines_beside, no_note_line, symbol_lines, unread_lines, why_lines
from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeTasks
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.remembered import UseMemory, feedback_problem
from brvtui.engines.knowing.sections import ENGINE
from brvtui.engines.knowing.symbol_index import files_without_note, notes_on
from brvtui.engines.knowing.tracing_words import note_on_code
from brvtui.services.provided import NO_SERVICES, EngineServices
from brvtui.snapshot import Snapshot
from brvtui.store.feedback import FeedbackFile
from brvtui.store.kept_code import KeptCode


class CodeSession:
    """A repository that was read, and the notes of a project about it."""

    def __init__(
        self,
        root: Path,
        profile: str = "",
        notes: Snapshot | None = None,
        progress: Progress | None = None,
        now: float | None = None,
        services: EngineServices = NO_SERVICES,
    ) -> None:
        """Reads the repository at ``root``, or what changed in it since it was read last.

        ``now``, in seconds since 1970, is the time of the clock unless given; the embedder of ``services`` fills gaps.
        Calls ``progress`` with the numbers of files that were read and of all of these. Raises
        :class:`brvtui.corpus.code.reading.NoGrammar`, :class:`brvtui.typed_tables.ProfileError` for a profile that is
        none, and OSError when ``root`` is no folder that can be read.
        """
        constants = load_profile(profile)
        kept = KeptCode(root)
        before = kept.read()
        index = build_index(root, before=before, progress=progress)
        self.problem = ""
        """Why feedback cannot be read, or what was read cannot be kept for the next time; empty for neither."""
        if before is None or index.files != before.files:
            try:
                kept.write(index)
            except OSError as error:
                self.problem = f"what was read of the code is not kept: {faults.error_line(error, kept.path)}"
        try:
            said = FeedbackFile(root, ENGINE).said()
        except OSError as error:
            said = []
            self.problem = feedback_problem(error)
        self.graph = index.graph()
        speaking = (speaking_note(notes, note.path) for note in notes.notes) if notes is not None else ()
        self.documentation = Documentation(self.graph, speaking)
        """Which notes speak of which code; of none without a project."""
        memory, times = UseMemory(constants).after(said), CommitTimes(root)
        moment = time.time() if now is None else now
        self.tasks = CodeTasks(self.graph, constants, self.documentation, memory, times, moment, services)
        """Answers over the symbols, joined with these notes."""
        self.review_budget = self.tasks.review_budget
        self.has_code = self.documentation.has_code

    def ask(self, entry: CodeEntry, asked: Sequence[str], budget: int) -> CodeAnswer:
        """The answer to a task, whose words are ``asked``, or about files, within ``budget`` tokens."""
        match entry:
            case "task":
                return self.tasks.answer(" ".join(asked), budget)
            case "files":
                return self.tasks.answer_files(asked, budget)
            case "changes":
                return self.tasks.answer_changes(asked, budget)

    def is_empty(self, answer: CodeAnswer) -> bool:
        """Whether ``answer`` has no symbol."""
        return not answer.packed

    def unread(self) -> list[str]:
        """Lines on what was not read, one for each reason."""
        return [*filter(None, [self.graph.cut]), *unread_lines(self.graph.skipped)]

    def notices(self, answer: CodeAnswer) -> list[str]:
        """Lines on what would count for ``answer`` and is not there."""
        return self.tasks.notices(answer)

    def as_text(self, answer: CodeAnswer, form: str) -> str:
        """The symbols of ``answer`` as an agent is given them: ``xml``, ``markdown`` or ``json``."""
        return answer.as_text(form)

    def lines(self, answer: CodeAnswer) -> list[str]:
        """The first symbols of ``answer``, why each is there, which notes speak of them, and files without any."""
        lines = symbol_lines(answer, self.graph.nodes)
        if self.documentation.is_empty or not answer.packed:
            return lines
        return lines + lines_beside(self.note_lines(answer), self.files_without_note(answer))

    def note_lines(self, answer: CodeAnswer) -> list[str]:
        """The notes that speak of the symbols of ``answer``; first those of whose symbols the scores sum to most."""
        return [note_on_code(note) for note in notes_on(answer.packed, self.documentation)]

    def no_note_line(self, answer: CodeAnswer) -> str:
        """Why no note is listed for ``answer``."""
        return no_note_line(answer)

    def why_lines(self, answer: CodeAnswer, symbol: str) -> tuple[list[str], bool] | None:
        """Where ``symbol`` stands in ``answer``, the parts of its score, and whether it has one; None for no symbol."""
        return why_lines(answer, symbol)

    def files(self, written: Iterable[str]) -> tuple[list[str], list[str]]:
        """The files that are meant by ``written``, by paths or the ends of paths; and what means none, or several."""
        meant = {one: self.documentation.names.file(one) for one in written}
        return list(dict.fromkeys(filter(None, meant.values()))), [one for one, path in meant.items() if not path]

    def files_without_note(self, answer: CodeAnswer | None = None) -> Sequence[str]:
        """The files, tests aside, of which no note speaks: all, or those of an answer's symbols, best first."""
        if answer is None:
            return self.documentation.files_without_note
        return files_without_note(answer.packed, self.documentation)
