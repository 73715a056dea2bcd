"""The sub-states of the view. When a part of a sub-state changes, the whole sub-state is replaced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from brvtui.engines.registry import DEFAULT, declaration

if TYPE_CHECKING:
    from brvtui.app.contents import Edit, Overview, SimilarNotes
    from brvtui.app.live_answer import LiveAnswer
    from brvtui.config.schema import SettingProblem
    from brvtui.engines.counterfactuals import Counterfactuals
    from brvtui.engines.together import OneRanking
    from brvtui.fleet.fleet_file import Absence, Fleet
    from brvtui.fleet.questions import MemberAnswer, MemberState
    from brvtui.lab.about import About, FileSurroundings
    from brvtui.lab.answer_diff import AnswerDiff
    from brvtui.lab.delivery.turns import Delivery, Turn
    from brvtui.lab.evaluation.comparing import ChangeLine
    from brvtui.lab.evaluation.results import QueryResult
    from brvtui.lab.health.finding import HealthReport
    from brvtui.lab.judgments.model import Judgment
    from brvtui.lab.log_comparison import LogComparison, LogSummary
    from brvtui.lab.whatif.variant import Control, EarlierNotes, Variant
    from brvtui.saved.traces import SavedTrace
    from brvtui.session.edit_effect import EditEffect
    from brvtui.trace import Detail, Trace
    from brvtui.trace.routing import CacheNow
    from brvtui.tree.engine_files.curate_log import Curation
    from brvtui.tree.engine_files.query_log import LoggedQuery

INDEX = "index"
"""The kind of a folder's ``_index.md``."""
MANIFEST = "manifest"
"""The kind of ``_manifest.json``."""
NEWER, GONE = "newer", "gone"
"""The states of a file that differs from the text that was read."""
CHANGED = "changed"
"""The state of a note that has changed on disk since the editor read it; a removed note is :data:`GONE`."""
NO_SUCH_NOTE = "there is no such note (any more)"
"""The message about a note that was removed before a key could act on it."""
GONE_TEXT = "the file is gone: this is the state before it was removed"
"""The message above a displayed file that is :data:`GONE`."""
LOOKING = "looking for the context tree"
"""The message shown while a project is being opened, before its files are counted."""
STALE_LABELS = {NEWER: "changed since", GONE: "file gone"}
"""Labels for files that differ from the text that was read."""


class Phase(StrEnum):
    """The progress of opening the project."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


def ancestors(path: str) -> Iterator[str]:
    """Yields the folders above ``path``, the nearest first."""
    above = path.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


class NoteText(NamedTuple):
    """The text of the selected note, or the problem that prevents showing it."""

    path: str
    text: str
    problem: str = ""


class CounterfactualSearch(NamedTuple):
    """A search for changes that would avoid the model call in ``trace``; ``found`` is None while it runs."""

    trace: Trace
    found: Counterfactuals | None = None


class ProjectState(NamedTuple):
    """The open project or saved trace, and the progress of reading it."""

    phase: Phase = Phase.LOADING
    problem: str = ""
    """The reason why the project or saved trace cannot be opened or read."""
    closed_by: SettingProblem | None = None
    """The setting that prevents opening the project, if there is one."""
    done: int = 0
    total: int = 0
    """The numbers of files read so far and of all files."""
    overview: Overview | None = None
    saved: SavedTrace | None = None
    """The trace that is shown without its project; None for a project."""

    @property
    def generation(self) -> int:
        """The generation of the displayed snapshot; 0 before the first."""
        return self.overview.generation if self.overview is not None else 0


class EngineState(NamedTuple):
    """The engine that answers queries."""

    name: str = DEFAULT
    mode: str = ""
    """The selected mode; empty for an engine without modes."""
    profile: str = ""
    frozen: bool = False
    """True if the clock is frozen."""
    recording: bool = False
    """True if runs record access hits."""
    has_others: bool = True
    """True if the user can switch to another engine or to the project's other memory."""

    @property
    def has_usual_profile(self) -> bool:
        """True if the profile is the engine's default, regardless of settings that modify it."""
        engine = declaration(self.name)
        return self.profile.removesuffix("*") == (engine.profiles[0] if engine is not None else self.name)


class ModelState(NamedTuple):
    """The language model."""

    name: str = ""
    """The name of the model in the settings; empty if there is none."""
    live: LiveAnswer | None = None
    """The answer that the model is writing; None if it is not writing."""


class WatchState(NamedTuple):
    """The state of watching for changes on disk."""

    active: bool = False
    why: str = ""
    """The reason why changes are not watched, or only by polling; empty before watching starts."""
    poll_s: float = 0.0
    """The interval of polling in seconds; 0 if the operating system reports changes."""
    catching_up: bool = False
    """True if there are changes on disk that are not shown yet."""
    text_index: str = ""
    """The place of the text index (:attr:`brvtui.store.text_index.KeptTextIndex.place`); empty until it is known."""


class StaleState(NamedTuple):
    """The displayed notes whose file is missing, or newer than the text that was read."""

    files: Mapping[str, str] = {}
    """:data:`NEWER` or :data:`GONE`, keyed by the note's path."""


class QueryState(NamedTuple):
    """The current query."""

    text: str = ""
    scope: str = ""
    """The folder that limits the query; empty for the whole tree."""
    history: tuple[str, ...] = ()
    """The queries that were run, oldest first."""
    samples: tuple[str, ...] = ()
    """A few judged or logged queries for the user to start with."""
    followed: LoggedQuery | None = None
    """The engine's logged query that is explained, while the engine is followed."""
    read_notices: frozenset[str] = frozenset()
    """The warnings about answers that the user has seen in the Route pane."""


class AnswerState(NamedTuple):
    """The answer to the query."""

    trace: Trace | None = None
    preparing: str = ""
    """The current preparation of the engine as text; empty if there is none."""
    serving: bool = False
    """True while services are called for a run."""
    counterfactuals: CounterfactualSearch | None = None
    """The last search for counterfactuals, which may belong to an earlier answer."""
    ticks: Mapping[str, float] = {}
    """The thresholds for scores that traces contain, keyed by the constant's name."""

    @property
    def busy(self) -> str:
        """The work in the background as text; empty if there is none."""
        return self.preparing or ("calling services" if self.serving else "")


class PinState(NamedTuple):
    """The pinned answer, with which others are compared."""

    trace: Trace | None = None
    """The pinned answer; None if there is none."""
    diff: AnswerDiff | None = None
    """The differences from the pinned answer, with causes, if its query was repeated; None until they are known."""


class SelectionState(NamedTuple):
    """The selected note, and the detail of its score."""

    file: str = ""
    detail: Detail | None = None
    plain: str = ""
    """A line with the note's rank in plain search for the same query; empty until requested."""


class NoteState(NamedTuple):
    """The data read for selected notes."""

    text: NoteText | None = None
    page: About | None = None
    """The text of a note and the facts about it."""
    around: FileSurroundings | None = None
    """A note's links, ageing and place in the manifest."""
    similar: SimilarNotes | None = None
    seeking_similar: str = ""
    """The note whose similar notes are being searched."""


class CacheState(NamedTuple):
    """The simulated cache."""

    seen: CacheNow | None = None


class EngineLog(NamedTuple):
    """The place of the engine's log of this project's queries."""

    place: str
    exists: bool
    is_pending: bool = False
    """True if the log, like ByteRover V4's, contains only queries that have not been sent yet."""


class LogState(NamedTuple):
    """Both logs as last read, newest first, and the comparison of one entry with its current answer."""

    entries: tuple[LoggedQuery, ...] | None = None
    """The logged entries; None until they are read."""
    engine_log: EngineLog | None = None
    """The place of the engine's log; None until it is known."""
    summary: LogSummary | None = None
    following: bool = False
    """True if each query that the engine logs is explained immediately."""
    compared: LogComparison | None = None
    delivery: Delivery | None = None
    """The turns of agents; None until transcripts are read, which needs the user's permission."""
    turns: Mapping[LoggedQuery, Turn] = {}
    """The turns in ``delivery``, by their entries."""
    answers: Mapping[LoggedQuery, QueryResult] = {}
    """The current answers to queries that are judged or were not covered, by their entries."""


class LabCell(NamedTuple):
    """The answer to one query in one variant."""

    result: QueryResult
    values: tuple[float | None, ...]
    """The values of :data:`brvtui.lab.evaluation.results.DEFAULT_METRICS`."""


class LabColumn(NamedTuple):
    """The answers to the judged queries in one variant."""

    variant: Variant
    title: str
    cells: Mapping[str, LabCell] = {}
    """The answers received so far, by the judgment's id."""
    problem: str = ""
    """The reason why the variant cannot answer; empty if it can."""


class CellCauses(NamedTuple):
    """The reasons why one query's answer differs between an earlier variant and now."""

    variant: Variant
    query: str
    """The id of the query's judgment."""
    lines: tuple[ChangeLine, ...] | None = None
    """The reasons; None while the search for them is running."""


class LabState(NamedTuple):
    """The judged queries and their answers in variants."""

    judgments: tuple[Judgment, ...] | None = None
    """The judgments; None until they are read."""
    unjudged: tuple[Judgment, ...] = ()
    """The queries of the log, used while there are no judgments."""
    open_query: Judgment | None = None
    """The query of the Query screen, which is answered in addition to the judged ones."""
    file: str = ""
    problem: str = ""
    """The reason why the judgments cannot be read."""
    columns: tuple[LabColumn, ...] = ()
    """The Lab's columns; the first one is the present."""
    what_if: Variant | None = None
    """The values of the sliders; None if no slider has been moved."""
    controls: tuple[Control, ...] = ()
    """The sliders of constants and clock, with their ranges."""
    done: int = 0
    total: int = 0
    """The numbers of answers so far and of all answers, while queries run."""
    stopped: bool = False
    """True if the user stopped the queries."""
    causes: CellCauses | None = None
    """The causes for the cell under the cursor, if its column is an earlier variant."""

    @property
    def rows(self) -> tuple[Judgment, ...]:
        """All queries of the Lab, the open one first."""
        opened = (self.open_query,) if self.open_query is not None else ()
        return (*opened, *(self.judgments or self.unjudged))


class EditsState(NamedTuple):
    """The effect of edits since the notes were recorded."""

    effect: EditEffect | None = None
    """The effect; None while there is no change, or queries are running."""
    is_seen: bool = True
    """True if the Lab has been in front since the effect was found."""

    @property
    def earlier(self) -> EarlierNotes | None:
        """The notes before the edits, as used by the queries."""
        return self.effect.earlier if self.effect is not None else None

    @property
    def unseen(self) -> int:
        """The number of changed answers that the user has not seen."""
        return 0 if self.effect is None or self.is_seen else len(self.effect.otherwise)


class HealthState(NamedTuple):
    """The findings about the memory."""

    report: HealthReport | None = None
    """The findings of the last check; None before the first one has ended."""
    reviews: tuple[Curation, ...] = ()
    """The changes that wait for the user's review in the engine."""
    problem: str = ""
    """The reason why the last check failed; empty if it did not."""
    is_checking: bool = False


class Covering(NamedTuple):
    """A member that covers the question. Members are sorted by these fields, in this order."""

    needs_model: bool
    """True if a model has to answer; assumed for engines without tiers."""
    lacks: int
    """The number of question words that the member's best note lacks."""
    tier: int
    """The tier; for an engine without tiers, a number above all tiers."""
    place: int
    """The member's position in the fleet."""
    member: str


class FleetWork(StrEnum):
    """The current work with a fleet."""

    IDLE = "idle"
    OPENING = "opening"
    """Members are opened before any question."""
    ASKING = "asking"
    STOPPED = "stopped"
    """The user stopped the question."""


class FleetState(NamedTuple):
    """The open fleet, the question to its members, and the replies so far."""

    fleet: Fleet | None = None
    """The open fleet; None if there is none."""
    alone: bool = False
    """True if no project is open beside the fleet."""
    opened: str = ""
    """The member that is the open project; empty if there is none."""
    text: str = ""
    """The question that the answers belong to."""
    together: bool = False
    """True if one ranking of all notes is shown instead of each member's own answer."""
    work: FleetWork = FleetWork.IDLE
    step: str = ""
    """The current step of one ranking, as text."""
    done: int = 0
    total: int = 0
    """The numbers of replies so far and of all replies."""
    took_s: float = 0.0
    answers: Mapping[str, MemberAnswer] = {}
    """The members' answers, keyed by member, with only the best hits."""
    covering: tuple[Covering, ...] = ()
    ranking: OneRanking | None = None
    known: Mapping[str, MemberState] = {}
    """The states of the members that were opened."""
    missing: Mapping[str, Absence] = {}
    """The members that did not answer, or that cannot be opened."""
    left_out: Mapping[str, Absence] = {}
    """The members that are not part of the common ranking."""
    problem: str = ""
    """The reason why the members cannot be queried."""

    @property
    def unread(self) -> Mapping[str, Absence]:
        """The members without a displayed answer."""
        return self.left_out if self.together and self.ranking is not None else self.missing

    def ranked(self, member: str) -> int | None:
        """Returns the number of results from ``member`` in the common ranking; None if members answer separately."""
        if not self.together or self.ranking is None:
            return None
        return sum(hit.member == member for hit in self.ranking.hits)

    @property
    def is_busy(self) -> bool:
        """True if members are being queried or opened."""
        return self.work in (FleetWork.ASKING, FleetWork.OPENING)


class FleetSelection(NamedTuple):
    """The selected result of a fleet."""

    member: str = ""
    file: str = ""
    """The note in one ranking; empty for the member's best note."""


class EditorState(NamedTuple):
    """The state of the editor."""

    edit: Edit | None = None
    """The edit of the open note; None if no note is open."""
    drafts: tuple[str, ...] = ()
    """The notes with drafts that no running editor uses, the newest draft first."""

    @property
    def left(self) -> tuple[str, ...]:
        """The notes in :attr:`drafts` except the note in the editor."""
        return tuple(path for path in self.drafts if self.edit is None or path != self.edit.path)
