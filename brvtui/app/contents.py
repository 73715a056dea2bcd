"""What sub-states hold once there is something to show: the tree, notes like another, the text that is edited.

Nothing of it is imported before the first frame.
"""

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
    """A folder or file of the tree pane: folders first, then notes by name, then derived files."""

    path: str
    name: str
    is_folder: bool
    kind: str
    """``domain``, ``topic``, ``subtopic``; of a note its :class:`brvtui.trace.Kind`; else what kind of derived file."""
    maturity: str
    """Of a note; empty for everything else."""
    children: tuple[Branch, ...] = ()
    counts: tuple[int, int, int] = (0, 0, 0)
    """Notes in it by maturity."""
    aside: bool = False
    """Shown only when asked for: stubs, derived files, and folders that hold nothing else."""
    importance: float = 0.0
    """As stored, 0..100."""
    mtime_ms: int = 0
    low: str = ""
    """Title and path of a file in lower case, for filters."""


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A note as the empty state lists it."""

    path: str
    title: str
    maturity: str
    importance: float


@dataclass(frozen=True, slots=True)
class Overview:
    """The data of a snapshot that header, tree and empty state show."""

    project: str
    notes: int
    counts: tuple[int, int, int]
    """Notes by maturity: draft, validated, core."""
    roots: tuple[Branch, ...]
    branches: Mapping[str, Branch]
    """Every folder and file of :attr:`roots` by its path."""
    fingerprint: str
    generation: int
    kind: ProjectKind
    unseen: tuple[tuple[str, str], ...] = ()
    """Path and reason of files that the engine does not see."""
    important: tuple[NoteLine, ...] = ()
    notices: tuple[str, ...] = ()
    aside: int = 0
    """The number of stubs and derived files."""
    loaded_ms: float = 0.0
    """When it was read."""
    reads_frontmatter: bool = False
    """Whether signals in a note's frontmatter count."""
    unread: str = ""
    """The reason that no file is read: the tree is behind a link, or holds files of another engine; else empty."""
    to_mend: frozenset[str] = frozenset()
    """The paths of notes with frontmatter that cannot be used, or with a conflict to decide."""

    @property
    def unreadable(self) -> str:
        """Returns why the tree as a whole cannot be read; empty when it can."""
        return next((reason for path, reason in self.unseen if path == "."), "")

    @property
    def why_empty(self) -> str:
        """Returns why there are no notes, where there are none."""
        if self.unreadable:
            return f"the tree: {self.unreadable}; once it is there, so are its notes"
        return self.kind.why_empty or self.unread or "no notes in this tree yet"


@dataclass(frozen=True, slots=True)
class SimilarNotes:
    """The notes most like the one at ``path``, best first, or why they cannot be found."""

    path: str
    found: tuple[SimilarNote, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """One number of the note as it is now, saved with a new modification time, and saved with the old one."""

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
    """The state of an edit, as all screens show it."""

    path: str
    is_new: bool = False
    dirty: bool = False
    keep_mtime: bool = False
    on_disk: str = ""
    """CHANGED or GONE when somebody else wrote or removed the note since it was read; else empty."""
    check: TextCheck = TextCheck()
