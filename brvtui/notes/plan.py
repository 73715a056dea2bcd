"""Changes to notes as data. A plan can be shown before it is applied. Applying its reverse undoes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from brvtui.lab.judgments.model import Judgment
from brvtui.tree.reading.signals import NoteSignals


class NoteError(Exception):
    """Raised if an operation was not performed. The message is one line: the note, the problem and the remedy."""


class ChangedMeanwhile(NoteError):
    """Raised if the file at ``path`` has changed since the plan was made. ``what`` describes the difference."""

    def __init__(self, path: str, what: str, remedy: str = "check it and try again") -> None:
        """The message ends with the ``remedy``."""
        super().__init__(f"{path}: {what}; {remedy}")
        self.path = path
        self.what = what


@dataclass(frozen=True, slots=True)
class FileContent:
    """The content of a file.

    If ``mtime_ns`` is None, the file gets the time of writing. If ``mode`` is None, it gets the default
    permissions.
    """

    data: bytes = field(repr=False)
    mtime_ns: int | None = None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Replaces the file at ``path``; creates it if ``before`` is None, and removes it if ``after`` is None."""

    path: str
    before: FileContent | None
    after: FileContent | None

    def reverse(self) -> Write:
        """The step that undoes this one."""
        return Write(self.path, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Move:
    """Moves the file at ``path``, whose bytes must have this SHA-256, to ``target``."""

    path: str
    target: str
    sha256: str

    def reverse(self) -> Move:
        """The step that undoes this one."""
        return Move(self.target, self.path, self.sha256)


@dataclass(frozen=True, slots=True)
class MoveFolder:
    """Moves the folder at ``path``, with its contents, to ``target``."""

    path: str
    target: str

    def reverse(self) -> MoveFolder:
        """The step that undoes this one."""
        return MoveFolder(self.target, self.path)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The signals of a note in the tool's overlay, before and after a change. None means that the overlay has none."""

    path: str
    before: NoteSignals | None
    after: NoteSignals | None


@dataclass(frozen=True, slots=True)
class Record:
    """Changes several entries of the tool's overlay in one step."""

    entries: tuple[Recorded, ...]

    def reverse(self) -> Record:
        """The step that undoes this one."""
        return Record(tuple(Recorded(entry.path, entry.after, entry.before) for entry in reversed(self.entries)))


Step = Write | Move | MoveFolder | Record


def path_after(path: str, steps: Iterable[Step]) -> str:
    """Returns the path that the note at ``path`` has after ``steps``.

    It is different only if a step moves the note or its folder.
    """
    for step in steps:
        if isinstance(step, Move | MoveFolder) and path == step.path:
            path = step.target
        elif isinstance(step, MoveFolder) and path.startswith(f"{step.path}/"):
            path = f"{step.target}{path[len(step.path) :]}"
    return path


@dataclass(frozen=True, slots=True)
class Plan:
    """A change that the user can preview: steps in order, and notices."""

    title: str
    steps: tuple[Step, ...]
    notices: tuple[str, ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    """The paths of replaced notes, each with the path of the note that takes its place."""
    judgments: tuple[tuple[Judgment, Judgment], ...] = ()
    """The judged queries that change with the notes, before and after."""

    def reverse(self) -> Plan:
        """Returns the plan that undoes this one."""
        judgments = tuple((after, before) for before, after in self.judgments)
        return Plan(self.title, tuple(step.reverse() for step in reversed(self.steps)), judgments=judgments)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders of the tree that the plan changes."""
        changing = [step for step in self.steps if not isinstance(step, Record)]
        targets = [step.target for step in changing if isinstance(step, (Move, MoveFolder))]
        return (*(step.path for step in changing), *targets)

    @property
    def size(self) -> int:
        """The total size in bytes of the contents in the plan."""
        writes = [step for step in self.steps if isinstance(step, Write)]
        return sum(len(held.data) for step in writes for held in (step.before, step.after) if held)
