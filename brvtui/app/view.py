"""What the panes read: one frozen state of the app. They compute nothing from it but its drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from brvtui.app.editing.state import Edit
from brvtui.app.live import Live
from brvtui.engines.jeffs_brain.trace import HybridHit, HybridTrace
from brvtui.lab.log_summary import Compared, LogSummary
from brvtui.trace import Answer, CacheLook, Completion, Detail, Ended, FingerprintState, Hit, NearMiss, Outcome, Trace
from brvtui.tree.engine_files.logged_query import LoggedQuery

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals.levers import Takes
    from brvtui.engines.byterover.route.tree_changes import TreeChanges
    from brvtui.lab.about import About, Around
    from brvtui.lab.similar import Similar

INDEX = "index"
"""The kind of a folder's ``_index.md``."""
MANIFEST = "manifest"
"""The kind of ``_manifest.json``."""
AnyTrace = Trace | HybridTrace
"""An answer of some pipeline. Each pane matches on it in one place, so a new pipeline is a new case in each."""
BYTEROVER = "byterover"


NEWER, GONE = "newer", "gone"
"""How a file stands to what is shown of it, when it is not as it was read."""
ASTRAY = {NEWER: "changed since", GONE: "file gone"}
"""The same in few words."""


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
    def shut(self) -> str:
        """Why the tree as a whole cannot be read; empty when it can."""
        return next((reason for path, reason in self.unseen if path == "."), "")

    @property
    def why_empty(self) -> str:
        """Why there are no notes, where there are none."""
        if self.shut:
            return f"the tree: {self.shut}; once it is there, so are its notes"
        return "no notes in this tree yet"


@dataclass(frozen=True, slots=True)
class CacheShown:
    """The simulated cache a moment ago."""

    fingerprint: FingerprintState
    look: CacheLook
    changes: Mapping[str, TreeChanges] = field(default_factory=dict)
    """By an entry's key what changed in the tree since it was answered."""
    index_left_s: float = 0.0
    """How long the engine may still search the index from before the last change."""


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
class TakesShown:
    """What it would take that no model is needed for the answer ``trace``; ``found`` is None until that is known."""

    trace: Trace
    found: Takes | None = None


@dataclass(frozen=True, slots=True)
class LogShown:
    """Both logs as last read, newest first, and one entry beside its answer now."""

    entries: tuple[LoggedQuery, ...]
    summary: LogSummary
    problem: str = ""
    following: bool = False
    """Whether each query that the engine logs is explained as it comes."""
    compared: Compared | None = None


@dataclass(frozen=True, slots=True)
class View:
    """One state of the app: every screen is drawn from it."""

    phase: Phase = Phase.LOADING
    problem: str = ""
    done: int = 0
    total: int = 0
    overview: Overview | None = None
    profile: str = ""
    frozen: bool = False
    recording: bool = False
    watching: bool = False
    watch_why: str = ""
    """Why changes are not noticed, or only by polling."""
    poll_s: float = 0.0
    """How often files are looked at; 0 where the system tells what changes."""
    catching_up: bool = False
    """Whether something changed on disk that is not shown yet."""
    astray: Mapping[str, str] = field(default_factory=dict)
    """:data:`NEWER` or :data:`GONE` by the path of a note whose file is not what is shown of it."""
    saved: str = ""
    """Who saved the trace that is shown without its project, and when; empty for a project."""
    history: tuple[str, ...] = ()
    """Queries that were run, oldest first."""
    query: str = ""
    scope: str = ""
    pipeline: str = BYTEROVER
    """Whose retrieval answers."""
    mode: str = "auto"
    """Which legs are asked for, where a pipeline has legs."""
    busy: str = ""
    """What is under way behind the screen, in words."""
    model: str = ""
    """The language model that is set; empty for none."""
    live: Live | None = None
    """What a model does for an answer, while it does."""
    trace: Trace | None = None
    """ByteRover's answer; None when another pipeline answered."""
    foreign: HybridTrace | None = None
    """The answer of another pipeline."""
    selected: str = ""
    detail: Detail | None = None
    own: Hit | None = None
    """The score that the selected near miss would have had."""
    note: NoteText | None = None
    page: About | None = None
    """What is known by itself of a note that is, or was, selected."""
    around: Around | None = None
    """What surrounds a note that is, or was, selected."""
    similar: SimilarNotes | None = None
    seeking_similar: str = ""
    """The note whose like is being sought."""
    cache: CacheShown | None = None
    takes: TakesShown | None = None
    """What was asked for last; it may be of an earlier answer."""
    log: LogShown | None = None
    followed: LoggedQuery | None = None
    """The query of the engine that is explained, while it is followed."""
    edit: Edit | None = None
    """The note that is open in the editor."""
    constants: Mapping[str, float] = field(default_factory=dict)
    """Thresholds by dotted name, as far as traces named them."""

    @property
    def answered(self) -> AnyTrace | None:
        """The answer to the query, of whichever pipeline; None without a query."""
        return (self.foreign or self.trace) if self.query.strip() else None

    @property
    def ran(self) -> bool:
        """Whether the query was run; else it was probed."""
        return not self.foreign.probe if self.foreign else self.trace is not None and self.trace.mode == "run"

    @property
    def uncached(self) -> str:
        """Why a run's answer was not cached, in a few words; empty when it was, and for a probe."""
        if self.trace is None or not self.ran:
            return ""
        answer = self.trace.answer
        done = answer.completion
        if done is None:
            return "no LLM asked" if answer.kind == "extractive" and self.model else ""
        return fell_short(answer) or ("cut off" if done.ended is Ended.CUT else "")

    @property
    def fused(self) -> HybridHit | None:
        """The selected note in the list of a hybrid search."""
        if self.foreign is None:
            return None
        return next((hit for hit in self.foreign.ranking if hit.path == self.selected), None)

    @property
    def may_take_less(self) -> bool:
        """Whether the answer needs a model, or there is none."""
        ended = self.trace.outcome if self.trace is not None and self.answered is self.trace else None
        return ended in (Outcome.SINGLE_CALL, Outcome.AGENTIC_LOOP, Outcome.NOT_COVERED)

    @property
    def hit(self) -> Hit | None:
        """The selected result, when it is one."""
        if self.trace is None:
            return None
        return next((hit for hit in self.trace.hits if hit.file == self.selected), None)

    @property
    def near_miss(self) -> NearMiss | None:
        """The selected near miss, when it is one."""
        if self.trace is None or self.hit is not None:
            return None
        return next((miss for miss in self.trace.search.near_misses if miss.file == self.selected), None)

    @property
    def retried(self) -> Hit | None:
        """The selected note as the retry ladder found it, when that is where it was found."""
        if self.trace is None or self.hit is not None or self.near_miss is not None:
            return None
        return next((hit for hit in self.trace.ladder.hits if hit.file == self.selected), None)

    def maturity_of(self, file: str) -> str:
        """The maturity of the note at ``file``; empty when there is none."""
        branch = self.overview.branches.get(file) if self.overview is not None else None
        return branch.maturity if branch is not None else ""

    def knows(self, file: str) -> bool:
        """Whether there is a file at ``file``, be it a note or not."""
        overview = self.overview
        return overview is not None and (file in overview.branches or any(file == path for path, _ in overview.unseen))

    @property
    def unused(self) -> bool:
        """Whether the search was computed to be shown and not used, because the cache answered."""
        return self.trace is not None and not self.trace.used


def fell_short(answer: Answer) -> str:
    """What kept a model that was asked from answering, in a word or two; empty when it answered or none was asked."""
    match answer.completion:
        case None:
            return ""
        case Completion(ended=Ended.CANCELLED):
            return "stopped"
        case Completion(ended=Ended.FAILED):
            return "failed"
        case _:
            return "" if answer.kind == "model" else "nothing written"


def selectable(trace: AnyTrace) -> list[str]:
    """The files of results and near misses in the order of display, each once."""
    match trace:
        case Trace():
            near = [miss.file for miss in trace.search.near_misses]
            return list(dict.fromkeys([hit.file for hit in trace.hits] + near))
        case HybridTrace():
            return [hit.path for hit in trace.ranking]


def marks_of(trace: AnyTrace | None) -> dict[str, str]:
    """What the tree shows beside a note of the answer, by its file: the score, or the place in a fused list."""
    match trace:
        case None:
            return {}
        case Trace():
            return {hit.file: f"{hit.score:.2f}" for hit in trace.hits}
        case HybridTrace():
            return {hit.path: f"#{place}" for place, hit in enumerate(trace.hits, start=1)}


def constants_of(trace: Trace) -> dict[str, float]:
    """Thresholds that ``trace`` names, by the constant's dotted name."""
    named = {
        check.constant: check.threshold for step in trace.steps for check in step.checks if check.threshold is not None
    }
    for hit in trace.hits:
        for horizon in hit.ceiling.horizons if hit.ceiling else ():
            named.setdefault(horizon.constant, horizon.threshold)
    return named
