"""Questions about the code in a repository, for any engine that ranks symbols."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from brvtui.corpus.code.index import Progress
    from brvtui.services.provided import EngineServices
    from brvtui.snapshot import Snapshot

CodeEntry = Literal["task", "files", "changes"]


class CodeRepository(Protocol):
    """A repository that was read. Answers are the engine's own objects; lines are not yet made safe to show."""

    problem: str
    """The reason why the index cannot be kept, or feedback does not count; empty without one."""
    review_budget: int
    """The tokens of the answer to a change, where no budget is given."""
    has_code: bool
    """True if any source file was read."""

    def ask(self, entry: CodeEntry, asked: Sequence[str], budget: int) -> Any:
        """The answer to a task, whose words are ``asked``, or about files, within ``budget`` tokens."""

    def is_empty(self, answer: Any) -> bool:
        """True if ``answer`` has no symbol."""

    def files(self, written: Iterable[str]) -> tuple[list[str], list[str]]:
        """The files that are meant by ``written``, by paths or the ends of paths; and what means none, or several."""

    def files_without_note(self, answer: Any = None) -> Sequence[str]:
        """The files, tests aside, of which no note speaks: all, or those of an answer's symbols, best first."""

    def unread(self) -> list[str]:
        """A line for each reason for which files were not read."""

    def notices(self, answer: Any) -> list[str]:
        """Lines on feedback and services that could not count for ``answer``."""

    def as_text(self, answer: Any, form: str) -> str:
        """The symbols of ``answer`` as an agent is given them: ``xml``, ``markdown`` or ``json``."""

    def lines(self, answer: Any) -> list[str]:
        """The first symbols of ``answer``, why each is there, which notes speak of them, and files without any."""

    def note_lines(self, answer: Any) -> list[str]:
        """The notes that speak of the symbols of ``answer``; empty if none does."""

    def no_note_line(self, answer: Any) -> str:
        """The reason why no note is listed for ``answer``."""

    def why_lines(self, answer: Any, symbol: str) -> tuple[list[str], bool] | None:
        """The rank of ``symbol`` in ``answer`` with the parts of its score, and True if it has a score.

        None if no symbol has that in its name.
        """


@runtime_checkable
class ReadsCode(Protocol):
    """An engine that ranks the symbols of a repository for tasks, files and changes."""

    def read_code(
        self, root: Path, profile: str, notes: Snapshot | None, progress: Progress | None, services: EngineServices
    ) -> CodeRepository:
        """The repository at ``root``, read with the constants called ``profile``, and the notes of a project about it.

        Calls ``progress`` with the numbers of files that were read and of all of these. Raises
        :class:`brvtui.corpus.code.reading.NoGrammar`, :class:`brvtui.typed_tables.ProfileError`, and OSError when
        ``root`` is no folder that can be read.
        """
