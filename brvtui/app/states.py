"""What the app shows, in parts: each sub-state of the view is replaced as a whole when something of it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from brvtui.engines.registry import DEFAULT

if TYPE_CHECKING:
    from brvtui.app.live_answer import LiveAnswer
    from brvtui.engines.byterover.counterfactuals import Counterfactuals
    from brvtui.engines.byterover.preview import Preview
    from brvtui.engines.byterover.route.tree_changes import CacheNow
    from brvtui.lab.about import About, Around
    from brvtui.lab.log_summary import Compared, LogSummary
    from brvtui.lab.similar import Similar
    from brvtui.trace import Detail, Trace
    from brvtui.tree.editing.problems import Problem
    from brvtui.tree.engine_files.query_log import LoggedQuery

INDEX = "index"
"""The kind of a folder's ``_index.md``."""
MANIFEST = "manifest"
"""The kind of ``_manifest.json``."""
NEWER, GONE = "newer", "gone"
"""How a file differs from what was read of it."""
CHANGED = "changed"
"""How a note on disk stands to the one in the editor; it may also be :data:`GONE`."""
STALE_LABELS = {NEWER: "changed since", GONE: "file gone"}
"""The same in a few words."""


class Phase(StrEnum):
    """How far the project is."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


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
    """What a filter looks at: title and path of a file in lower case."""


def ancestors(path: str) -> Iterator[str]:
    """The folders above ``path``, the nearest first."""
    above = path.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A note as the empty state lists it."""

    path: str
    title: str
    maturity: str
    importance: float


@dataclass(frozen=True, slots=True)
class Overview:
    """What header, tree and empty state show of a snapshot."""

    project: str
    notes: int
    counts: tuple[int, int, int]
    """Notes by maturity: draft, validated, core."""
    unseen: tuple[tuple[str, str], ...]
    """Path and reason of files that the engine does not see."""
    roots: tuple[Branch, ...]
    important: tuple[NoteLine, ...]
    notices: tuple[str, ...]
    branches: Mapping[str, Branch]
    """Every folder and file of :attr:`roots` by its path."""
    aside: int
    """How many stubs and derived files there are."""
    fingerprint: str
    generation: int
    loaded_ms: float
    """When it was read."""
    reads_frontmatter: bool = False
    """Whether a note's frontmatter may hold its signals."""

    @property
    def unreadable(self) -> str:
        """Why the tree as a whole cannot be read; empty when it can."""
        return next((reason for path, reason in self.unseen if path == "."), "")

    @property
    def why_empty(self) -> str:
        """Why there are no notes, where there are none."""
        if self.unreadable:
            return f"the tree: {self.unreadable}; once it is there, so are its notes"
        return "no notes in this tree yet"


@dataclass(frozen=True, slots=True)
class NoteText:
    """The text of the selected note, or why it cannot be shown."""

    path: str
    text: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SimilarNotes:
    """The notes most like the one at ``path``, best first, or why they cannot be found."""

    path: str
    found: tuple[Similar, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CounterfactualSearch:
    """The search for changes after which ``trace`` needs no model; ``found`` is None while it goes on."""

    trace: Trace
    found: Counterfactuals | None = None


@dataclass(frozen=True, slots=True)
class ProjectState:
    """What is open, and how far it is read."""

    phase: Phase = Phase.LOADING
    problem: str = ""
    """Why it cannot be opened or read."""
    done: int = 0
    total: int = 0
    """How many files are read so far, and how many there are."""
    overview: Overview | None = None
    saved: str = ""
    """Who saved the trace that is shown without its project, and when; empty for a project."""

    @property
    def generation(self) -> int:
        """Of the snapshot that is shown; 0 before the first."""
        return self.overview.generation if self.overview is not None else 0


@dataclass(frozen=True, slots=True)
class EngineState:
    """What answers queries."""

    name: str = DEFAULT
    mode: str = ""
    """The mode that is asked for; empty for an engine without modes."""
    profile: str = ""
    frozen: bool = False
    """Whether the clock stands still."""
    recording: bool = False
    """Whether runs record access hits."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """The language model."""

    name: str = ""
    """The one that is set; empty for none."""
    live: LiveAnswer | None = None
    """What it does for an answer, while it does."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """Whether changes on disk are noticed."""

    active: bool = False
    why: str = ""
    """Why they are not, or only by polling; empty before watching has begun."""
    poll_s: float = 0.0
    """How often files are looked at; 0 where the system tells what changes."""
    catching_up: bool = False
    """Whether something changed on disk that is not shown yet."""


@dataclass(frozen=True, slots=True)
class StaleState:
    """Notes whose file is not what is shown of them."""

    files: Mapping[str, str] = field(default_factory=dict)
    """:data:`NEWER` or :data:`GONE` by the note's path."""


@dataclass(frozen=True, slots=True)
class QueryState:
    """The query that is answered."""

    text: str = ""
    scope: str = ""
    """The folder that it is kept to; empty for the whole tree."""
    history: tuple[str, ...] = ()
    """Queries that were run, oldest first."""
    followed: LoggedQuery | None = None
    """The query of the engine that is explained, while it is followed."""


@dataclass(frozen=True, slots=True)
class AnswerState:
    """The answer to the query."""

    trace: Trace | None = None
    preparing: str = ""
    """What the engine makes ahead of queries, in words."""
    serving: bool = False
    """Whether services are asked for a run."""
    counterfactuals: CounterfactualSearch | None = None
    """The last search for them; it may be of an earlier answer."""
    ticks: Mapping[str, float] = field(default_factory=dict)
    """Thresholds that scores are compared with, by the constant's name, as far as traces named them."""

    @property
    def busy(self) -> str:
        """What is under way behind the screen, in words."""
        return self.preparing or ("asking the services" if self.serving else "")


@dataclass(frozen=True, slots=True)
class SelectionState:
    """The selected note, and how its score was made."""

    file: str = ""
    detail: Detail | None = None


@dataclass(frozen=True, slots=True)
class NoteState:
    """What was read of notes that are, or were, selected."""

    text: NoteText | None = None
    page: About | None = None
    """What is known of one by itself."""
    around: Around | None = None
    """What surrounds one."""
    similar: SimilarNotes | None = None
    seeking_similar: str = ""
    """The note whose like is being sought."""


@dataclass(frozen=True, slots=True)
class CacheState:
    """The simulated cache."""

    seen: CacheNow | None = None


@dataclass(frozen=True, slots=True)
class LogState:
    """Both logs as last read, newest first, and one entry beside its answer now."""

    entries: tuple[LoggedQuery, ...] | None = None
    """None until they were read."""
    summary: LogSummary | None = None
    following: bool = False
    """Whether each query that the engine logs is explained as it comes."""
    compared: Compared | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What saving does to one number of the note: as it is now, saved with a new modification time, with the old."""

    name: str
    now: float | None
    saved: float | None
    kept: float | None


@dataclass(frozen=True, slots=True)
class TextCheck:
    """The problems of the text in the editor, and the effects of saving it."""

    problems: tuple[Problem, ...] = ()
    effects: tuple[Effect, ...] = ()
    preview: Preview | None = None


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


@dataclass(frozen=True, slots=True)
class EditorState:
    """The editor."""

    edit: Edit | None = None
    """The note that is open in it."""
