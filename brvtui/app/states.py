"""What the app shows, in parts: each sub-state of the view is replaced as a whole when something of it changes."""

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
    from brvtui.lab.about import About, Around
    from brvtui.lab.answer_diff import AnswerDiff
    from brvtui.lab.evaluation.comparing import ChangeLine
    from brvtui.lab.evaluation.results import QueryResult
    from brvtui.lab.judgments.model import Judgment
    from brvtui.lab.log_comparison import LogComparison, LogSummary
    from brvtui.lab.whatif.variant import Control, EarlierNotes, Variant
    from brvtui.saved.traces import SavedTrace
    from brvtui.session.edit_effect import EditEffect
    from brvtui.trace import Detail, Trace
    from brvtui.trace.routing import CacheNow
    from brvtui.tree.engine_files.query_log import LoggedQuery

INDEX = "index"
"""The kind of a folder's ``_index.md``."""
MANIFEST = "manifest"
"""The kind of ``_manifest.json``."""
NEWER, GONE = "newer", "gone"
"""How a file differs from what was read of it."""
CHANGED = "changed"
"""How a note on disk stands to the one in the editor; it may also be :data:`GONE`."""
NO_SUCH_NOTE = "there is no such note (any more)"
"""Said of a note that keys are to act on, and that somebody removed."""
GONE_TEXT = "the file is gone: this is from before it was removed"
"""Said above what is shown of a file that is :data:`GONE`."""
LOOKING = "looking for the context tree"
"""Said while a project is opened, before its files are counted."""
STALE_LABELS = {NEWER: "changed since", GONE: "file gone"}
"""How a file differs, in a few words."""


class Phase(StrEnum):
    """How far the project is."""

    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"


def ancestors(path: str) -> Iterator[str]:
    """The folders above ``path``, the nearest first."""
    above = path.rpartition("/")[0]
    while above:
        yield above
        above = above.rpartition("/")[0]


class NoteText(NamedTuple):
    """The text of the selected note, or why it cannot be shown."""

    path: str
    text: str
    problem: str = ""


class CounterfactualSearch(NamedTuple):
    """The search for changes after which ``trace`` needs no model; ``found`` is None while it goes on."""

    trace: Trace
    found: Counterfactuals | None = None


class ProjectState(NamedTuple):
    """What is open, and how far it is read."""

    phase: Phase = Phase.LOADING
    problem: str = ""
    """Why it cannot be opened or read."""
    closed_by: SettingProblem | None = None
    """The setting that keeps it closed, if one does."""
    done: int = 0
    total: int = 0
    """How many files are read so far, and how many there are."""
    overview: Overview | None = None
    saved: SavedTrace | None = None
    """The trace that is shown without its project; None for a project."""

    @property
    def generation(self) -> int:
        """Of the snapshot that is shown; 0 before the first."""
        return self.overview.generation if self.overview is not None else 0


class EngineState(NamedTuple):
    """What answers queries."""

    name: str = DEFAULT
    mode: str = ""
    """The mode that is asked for; empty for an engine without modes."""
    profile: str = ""
    frozen: bool = False
    """Whether the clock stands still."""
    recording: bool = False
    """Whether runs record access hits."""
    has_others: bool = True
    """Whether another engine, or that of the project's other memory, can be switched to."""

    @property
    def has_usual_profile(self) -> bool:
        """Whether the profile is the engine's default, whatever settings change of it."""
        engine = declaration(self.name)
        return self.profile.removesuffix("*") == (engine.profiles[0] if engine is not None else self.name)


class ModelState(NamedTuple):
    """The language model."""

    name: str = ""
    """The one that is set; empty for none."""
    live: LiveAnswer | None = None
    """What it does for an answer, while it does."""


class WatchState(NamedTuple):
    """Whether changes on disk are noticed."""

    active: bool = False
    why: str = ""
    """Why they are not, or only by polling; empty before watching has begun."""
    poll_s: float = 0.0
    """How often files are looked at; 0 where the system tells what changes."""
    catching_up: bool = False
    """Whether something changed on disk that is not shown yet."""
    text_index: str = ""
    """The place of the text index (:attr:`brvtui.store.text_index.KeptTextIndex.place`); empty until it is known."""


class StaleState(NamedTuple):
    """Notes whose file is not what is shown of them."""

    files: Mapping[str, str] = {}
    """:data:`NEWER` or :data:`GONE` by the note's path."""


class QueryState(NamedTuple):
    """The query that is answered."""

    text: str = ""
    scope: str = ""
    """The folder that it is kept to; empty for the whole tree."""
    history: tuple[str, ...] = ()
    """Queries that were run, oldest first."""
    followed: LoggedQuery | None = None
    """The query of the engine that is explained, while it is followed."""


class AnswerState(NamedTuple):
    """The answer to the query."""

    trace: Trace | None = None
    preparing: str = ""
    """What the engine makes ahead of queries, in words."""
    serving: bool = False
    """Whether services are asked for a run."""
    counterfactuals: CounterfactualSearch | None = None
    """The last search for them; it may be of an earlier answer."""
    ticks: Mapping[str, float] = {}
    """Thresholds that scores are compared with, by the constant's name, as far as traces named them."""

    @property
    def busy(self) -> str:
        """What is under way behind the screen, in words."""
        return self.preparing or ("asking the services" if self.serving else "")


class PinState(NamedTuple):
    """The answer that others are compared with."""

    trace: Trace | None = None
    """None until one was pinned."""
    diff: AnswerDiff | None = None
    """What changed since, with causes, where the same was asked again; None until that is found out."""


class SelectionState(NamedTuple):
    """The selected note, and how its score was made."""

    file: str = ""
    detail: Detail | None = None
    plain: str = ""
    """One line on where plain search ranks it for the same query; empty until the user asks."""


class NoteState(NamedTuple):
    """What was read of notes that are, or were, selected."""

    text: NoteText | None = None
    page: About | None = None
    """What is known of one by itself."""
    around: Around | None = None
    """What surrounds one."""
    similar: SimilarNotes | None = None
    seeking_similar: str = ""
    """The note whose like is being sought."""


class CacheState(NamedTuple):
    """The simulated cache."""

    seen: CacheNow | None = None


class EngineLog(NamedTuple):
    """Where the engine keeps the queries of this project."""

    place: str
    exists: bool
    is_pending: bool = False
    """Whether it holds only what was not sent yet, as that of ByteRover V4."""


class LogState(NamedTuple):
    """Both logs as last read, newest first, and one entry beside its answer now."""

    entries: tuple[LoggedQuery, ...] | None = None
    """None until they were read."""
    engine_log: EngineLog | None = None
    """None until it was looked for."""
    summary: LogSummary | None = None
    following: bool = False
    """Whether each query that the engine logs is explained as it comes."""
    compared: LogComparison | None = None


class LabCell(NamedTuple):
    """How one query is answered in one variant."""

    result: QueryResult
    values: tuple[float | None, ...]
    """The value of each of :data:`brvtui.lab.evaluation.results.DEFAULT_METRICS`."""


class LabColumn(NamedTuple):
    """The judged queries in one variant."""

    variant: Variant
    title: str
    cells: Mapping[str, LabCell] = {}
    """Of the queries that are asked so far, by the judgment's id."""
    problem: str = ""
    """Why it cannot be asked; empty when it can."""


class CellCauses(NamedTuple):
    """Why one query is answered otherwise now than in an earlier variant."""

    variant: Variant
    query: str
    """The judgment's id."""
    lines: tuple[ChangeLine, ...] | None = None
    """None while they are sought."""


class LabState(NamedTuple):
    """The judged queries, and how they are answered in some variants."""

    judgments: tuple[Judgment, ...] | None = None
    """None until they were read."""
    unjudged: tuple[Judgment, ...] = ()
    """Queries of the Log, which are asked while none is judged."""
    open_query: Judgment | None = None
    """The query of the Query screen, which is asked too."""
    file: str = ""
    problem: str = ""
    """Why the judgments cannot be read."""
    columns: tuple[LabColumn, ...] = ()
    """The first is of the present."""
    what_if: Variant | None = None
    """What the sliders are at; None while they are at what is."""
    controls: tuple[Control, ...] = ()
    """What the sliders of constants and clock can be at."""
    done: int = 0
    total: int = 0
    """How many answers there are so far, and how many there will be, while queries are asked."""
    stopped: bool = False
    """Whether the user stopped it before the end."""
    causes: CellCauses | None = None
    """Of the cell under the cursor, where its column is of before."""

    @property
    def rows(self) -> tuple[Judgment, ...]:
        """Every query that is asked, the open one first."""
        opened = (self.open_query,) if self.open_query is not None else ()
        return (*opened, *(self.judgments or self.unjudged))


class EditsState(NamedTuple):
    """What edits changed since the notes were held."""

    effect: EditEffect | None = None
    """None while nothing changed, or is asked."""
    is_seen: bool = True
    """Whether the Lab was in front since."""

    @property
    def earlier(self) -> EarlierNotes | None:
        """The notes before the edits, as far as queries were asked of them."""
        return self.effect.earlier if self.effect is not None else None

    @property
    def unseen(self) -> int:
        """How many queries are answered otherwise, and were not looked at."""
        return 0 if self.effect is None or self.is_seen else len(self.effect.otherwise)


class Covering(NamedTuple):
    """A member that covers the question. They are listed in the order of these values."""

    needs_model: bool
    """Whether a model has to answer; so it is taken to be where an engine has no tiers."""
    lacks: int
    """How many words of the question its best note does not hold."""
    tier: int
    """Of an engine without tiers a number above all tiers."""
    place: int
    """In the fleet."""
    member: str


class FleetWork(StrEnum):
    """What is being done with a fleet."""

    IDLE = "idle"
    OPENING = "opening"
    """Members are opened, so that they are known before they are asked."""
    ASKING = "asking"
    STOPPED = "stopped"
    """The user stopped asking."""


class FleetState(NamedTuple):
    """The fleet that is open, a question to all its members, and what has come back so far."""

    fleet: Fleet | None = None
    """None while none is open."""
    alone: bool = False
    """Whether no project is open beside it."""
    opened: str = ""
    """The member whose memory is the open project; empty for none."""
    text: str = ""
    """The question that the answers are to."""
    together: bool = False
    """Whether one ranking of all notes is shown, in place of each member's own answer."""
    work: FleetWork = FleetWork.IDLE
    step: str = ""
    """What is done for one ranking, in words."""
    done: int = 0
    total: int = 0
    """How many replies there are so far, and how many there will be."""
    took_s: float = 0.0
    answers: Mapping[str, MemberAnswer] = {}
    """By member; of each only its best hits."""
    covering: tuple[Covering, ...] = ()
    ranking: OneRanking | None = None
    known: Mapping[str, MemberState] = {}
    """The members that were opened."""
    missing: Mapping[str, Absence] = {}
    """The members that gave no answer of their own, or cannot be opened."""
    left_out: Mapping[str, Absence] = {}
    """The members that are not in one ranking."""
    problem: str = ""
    """Why nobody can be asked."""

    @property
    def unread(self) -> Mapping[str, Absence]:
        """The members that are not in what is shown."""
        return self.left_out if self.together and self.ranking is not None else self.missing

    def ranked(self, member: str) -> int | None:
        """How many results of the one ranking that is shown are of ``member``; None where each answers by itself."""
        if not self.together or self.ranking is None:
            return None
        return sum(hit.member == member for hit in self.ranking.hits)

    @property
    def is_busy(self) -> bool:
        """Whether members are being asked or opened."""
        return self.work in (FleetWork.ASKING, FleetWork.OPENING)


class FleetSelection(NamedTuple):
    """The result of a fleet that is selected."""

    member: str = ""
    file: str = ""
    """In one ranking, the note; empty for the member's best."""


class EditorState(NamedTuple):
    """The editor."""

    edit: Edit | None = None
    """The note that is open in it."""
    drafts: tuple[str, ...] = ()
    """Notes with drafts that no running editor works on, the newest draft first."""

    @property
    def left(self) -> tuple[str, ...]:
        """The notes whose drafts are still to be dealt with: that of the note in the editor is."""
        return tuple(path for path in self.drafts if self.edit is None or path != self.edit.path)
