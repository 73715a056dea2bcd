"""Data for parts of the view that the first frame does not need: the tree, similar notes, and edited text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.engines.edit_previews import EditPreview
    from brvtui.session.finding import SimilarNote
    from brvtui.tree.editing.problems import Problem
    from brvtui.tree.reading.kinds import ProjectKind


@dataclass(frozen=True, slots=True)
class Branch:
    """A folder or file of the tree pane. Children are ordered: folders, then notes by name, then derived files."""

    path: str
    name: str
    is_folder: bool
    kind: str
    """``domain``, ``topic`` or ``subtopic`` for a folder; a :class:`brvtui.trace.Kind` for a note; else a file kind."""
    maturity: str
    """The maturity of a note; otherwise empty."""
    children: tuple[Branch, ...] = ()
    counts: tuple[int, int, int] = (0, 0, 0)
    """The numbers of notes in the folder by maturity."""
    aside: bool = False
    """True if the tree hides the entry by default: stubs, derived files, and folders that contain only these."""
    importance: float = 0.0
    """The stored importance, 0 to 100."""
    mtime_ms: int = 0
    low: str = ""
    """The title and path in lower case, for filters."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The data of a snapshot for the status line, the tree and empty panes."""

    project: str
    notes: int
    counts: tuple[int, int, int]
    """The numbers of notes by maturity: draft, validated, core."""
    roots: tuple[Branch, ...]
    branches: Mapping[str, Branch]
    """All folders and files of :attr:`roots`, keyed by path."""
    fingerprint: str
    generation: int
    kind: ProjectKind
    unseen: tuple[tuple[str, str], ...] = ()
    """The path of each file that the engine does not see, with the reason."""
    notices: tuple[str, ...] = ()
    aside: int = 0
    """The number of stubs and derived files."""
    loaded_ms: float = 0.0
    """The time when the snapshot was read, in milliseconds since 1970."""
    reads_frontmatter: bool = False
    """True if the engine reads signals from frontmatter."""
    unread: str = ""
    """The reason why no file is read (the tree is behind a symlink or belongs to another engine); otherwise empty."""
    to_mend: frozenset[str] = frozenset()
    """The paths of notes with unusable frontmatter or with conflict markers."""

    @property
    def unreadable(self) -> str:
        """The reason why the tree cannot be read at all; empty if it can be read."""
        return next((reason for path, reason in self.unseen if path == "."), "")

    @property
    def why_empty(self) -> str:
        """The reason why the tree has no notes; used only for a tree without notes."""
        if self.unreadable:
            return f"{self.unreadable}. The notes will appear here as soon as they can be read."
        return self.kind.why_empty or self.unread or "no notes in this tree yet"


@dataclass(frozen=True, slots=True)
class SimilarNotes:
    """The notes most similar to the note at ``path``, best first, or the problem that prevented the search."""

    path: str
    found: tuple[SimilarNote, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """One of the note's numbers: now, after a save with a new modification time, and after a save with the old time."""

    name: str
    now: float | None
    saved: float | None
    kept: float | None


@dataclass(frozen=True, slots=True)
class TextCheck:
    """The problems of the text in the editor, and the effects of saving it."""

    problems: tuple[Problem, ...] = ()
    effects: tuple[Effect, ...] = ()
    preview: EditPreview | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """The state of an edit, which all screens show."""

    path: str
    is_new: bool = False
    dirty: bool = False
    keep_mtime: bool = False
    on_disk: str = ""
    """CHANGED or GONE if another program has changed or removed the note since the editor read it; otherwise empty."""
    check: TextCheck = TextCheck()
