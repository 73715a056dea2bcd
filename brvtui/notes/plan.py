"""What is to be done to notes, as data: shown before it is done, and undone by its own reverse."""

from __future__ import annotations

from dataclasses import dataclass, field

from brvtui.tree.reading.signals import NoteSignals


class NoteError(Exception):
    """It was not done; the message is one line: which note, what is wrong, what to do."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """What a file holds. Without a modification time (ns) it has that of its writing; without permissions, ordinary."""

    data: bytes = field(repr=False)
    mtime_ns: int | None = None
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """The file at ``path`` is replaced; made when there was none ``before``, removed when there is none ``after``."""

    path: str
    before: FileContent | None
    after: FileContent | None

    def reverse(self) -> Write:
        """What undoes it."""
        return Write(self.path, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Move:
    """The file at ``path``, whose bytes have this SHA-256, gets the path ``target``."""

    path: str
    target: str
    sha256: str

    def reverse(self) -> Move:
        """What undoes it."""
        return Move(self.target, self.path, self.sha256)


@dataclass(frozen=True, slots=True)
class MoveFolder:
    """The folder at ``path`` gets the path ``target``, with everything in it."""

    path: str
    target: str

    def reverse(self) -> MoveFolder:
        """What undoes it."""
        return MoveFolder(self.target, self.path)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The signals of the note at ``path`` in the tool's own overlay; None for none."""

    path: str
    before: NoteSignals | None
    after: NoteSignals | None


@dataclass(frozen=True, slots=True)
class Record:
    """Entries of the tool's own overlay that change, in one step."""

    entries: tuple[Recorded, ...]

    def reverse(self) -> Record:
        """What undoes it."""
        return Record(tuple(Recorded(entry.path, entry.after, entry.before) for entry in reversed(self.entries)))


Step = Write | Move | MoveFolder | Record


@dataclass(frozen=True, slots=True)
class LineEdit:
    """A line that changes in the note at ``path`` (before it is moved). Lines count from 1."""

    path: str
    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in the order in which they are taken, the lines that they change, and what the user should know."""

    title: str
    steps: tuple[Step, ...]
    edits: tuple[LineEdit, ...] = ()
    notices: tuple[str, ...] = ()

    def reverse(self) -> Plan:
        """What undoes it."""
        return Plan(self.title, tuple(step.reverse() for step in reversed(self.steps)))

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders of the tree that it changes."""
        changing = [step for step in self.steps if not isinstance(step, Record)]
        targets = [step.target for step in changing if isinstance(step, (Move, MoveFolder))]
        return (*(step.path for step in changing), *targets)

    @property
    def size(self) -> int:
        """Bytes of all texts that it holds."""
        writes = [step for step in self.steps if isinstance(step, Write)]
        return sum(len(held.data) for step in writes for held in (step.before, step.after) if held)
