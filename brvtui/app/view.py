"""The frozen view that all screens are drawn from, which consists of sub-states, and its store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from brvtui.app.actions import everywhere, panes, screens
from brvtui.app.actions.action import Need, Place
from brvtui.app.modes import HEALTH, MATURITY, Mode
from brvtui.app.states import (
    AnswerState,
    CacheState,
    EditorState,
    EditsState,
    EngineState,
    FleetSelection,
    FleetState,
    HealthState,
    LabState,
    LogState,
    ModelState,
    NoteState,
    Phase,
    PinState,
    ProjectState,
    QueryState,
    SelectionState,
    StaleState,
    WatchState,
)
from brvtui.engines.registry import kind_of, presentation
from brvtui.text.visible import bounded
from brvtui.tree.reading.kinds import ProjectKind

if TYPE_CHECKING:
    from brvtui.app.live_answer import LiveAnswer
    from brvtui.engines.presentation import Presentation
    from brvtui.trace import Hit, NearMiss, Trace
    from brvtui.trace.routing import Route

# The words of the app for notes, and their replacements for the symbols of a repository.


_PHRASES = {
    "maturity (○ draft, ◐ validated, ● core, ▤ summary, ▱ archived stub), title": "title",
    " by maturity (○ draft, ◐ validated, ● core)": "",
    "context tree": "repository",
    "whole tree": "whole repository",
    "note text": "source",
    "Notes": "Symbols",
    "notes": "symbols",
    "Note": "Symbol",
    "note": "symbol",
}
_WRITTEN = re.compile("|".join(rf"(?<!\w){re.escape(phrase)}(?!\w)" for phrase in _PHRASES))


def over_code(text: str) -> str:
    """Returns ``text`` about notes in the words for code: *the Symbols screen*, *the selected symbol*."""
    return _WRITTEN.sub(lambda match: _PHRASES[match[0]], text)


SubState = (
    ProjectState
    | EngineState
    | ModelState
    | WatchState
    | StaleState
    | QueryState
    | AnswerState
    | PinState
    | SelectionState
    | NoteState
    | CacheState
    | LogState
    | LabState
    | FleetState
    | FleetSelection
    | EditorState
    | EditsState
    | HealthState
)


NO_MEMORY = "no memory is open: Enter on a result or a member opens one"
"""The message on the Fleet screen if no project is open."""
NO_FLEET = "no fleet is open; brv-tui fleet open opens one"
OTHER_MEMORY = "that note is in a memory that is not open: Enter on its result opens that memory"
Found = TypeVar("Found", "Hit", "NearMiss")


@cache
def needing(needs: Need) -> frozenset[str]:
    """Returns the names of the actions that require any of ``needs``."""
    places = [one for module in (everywhere, panes, screens) for one in vars(module).values() if isinstance(one, Place)]
    return frozenset(
        action.name
        for place in places
        for action in place.actions
        if needs & (action.needs if "pane(" in action.call else action.needs | place.needs)
    )


class View(NamedTuple):
    """One state of the app. Panes list the sub-states that they use in ``READS``."""

    project: ProjectState = ProjectState()
    engine: EngineState = EngineState()
    model: ModelState = ModelState()
    watch: WatchState = WatchState()
    stale: StaleState = StaleState()
    query: QueryState = QueryState()
    answer: AnswerState = AnswerState()
    pin: PinState = PinState()
    selection: SelectionState = SelectionState()
    note: NoteState = NoteState()
    cache: CacheState = CacheState()
    log: LogState = LogState()
    lab: LabState = LabState()
    fleet: FleetState = FleetState()
    fleet_selection: FleetSelection = FleetSelection()
    editor: EditorState = EditorState()
    edits: EditsState = EditsState()
    health: HealthState = HealthState()

    @property
    def kind(self) -> ProjectKind:
        """The kind of the project; until the project is read, the kind that the engine ranks."""
        return self.project.overview.kind if self.project.overview is not None else kind_of(self.engine.name)

    @property
    def is_native(self) -> bool:
        """True if the current engine also writes the project, so that notes age by its rules."""
        return self.engine.name == self.kind.native

    @property
    def no_project(self) -> str:
        """The reason why there is no project to query, with advice; empty if one is open or being opened."""
        if self.project.saved:
            return "this is a saved trace and its project is not open; brv-tui FOLDER opens it"
        if self.project.phase is Phase.FAILED:
            return "no project is open; brv-tui FOLDER opens one"
        if self.fleet.alone:
            return NO_MEMORY
        return ""

    @property
    def idle(self) -> frozenset[str]:
        """The names of actions that do nothing now, which are not offered."""
        return needing(self._lacking)

    @property
    def _lacking(self) -> Need:
        """The requirements that the current state does not meet."""
        lacking = Need.FLEET if self.fleet.fleet is None else Need.NOTHING
        if self.no_project:
            failed = self.project.phase is Phase.FAILED
            return lacking | Need.PROJECT | (Need.ANSWER | Need.RESULT if failed else Need.NOTHING)
        engine = self.engine
        shown = None if self.opening else self.presentation  # the first paint does not wait for an engine
        for need, is_there in (
            (Need.NOTES, self.kind.has_files),
            (Need.TREE, not self.kind.is_html),
            (Need.TIERS, (shown is None or shown.has_tiers) and self.kind.has_maturity),
            (Need.CACHE, shown is None or shown.caches),
            (Need.GRAPH, shown is not None and shown.draws_graph),
            (Need.LEARNING, shown is not None and shown.learns),
            (Need.MODES, engine.mode),
            (Need.ENGINES, engine.has_others),
            (Need.RESULT, self.answered is not None),
        ):
            lacking |= Need.NOTHING if is_there else need
        return lacking

    def worded(self, text: str) -> str:
        """Returns ``text`` about notes, in the words for code if the project is code."""
        return text if self.kind.has_files else over_code(text)

    @property
    def answered(self) -> Trace | None:
        """The answer to the query; None if there is no query, unless the trace of an empty query is open."""
        return self.answer.trace if self.query.text.strip() or self.project.saved else None

    @property
    def live(self) -> LiveAnswer | None:
        """The answer that a model is writing to the current query with the current engine; otherwise None."""
        live, query = self.model.live, self.query
        return live if live is not None and live.is_about(query.text, query.scope, self.engine.name) else None

    @property
    def opening(self) -> bool:
        """True while the project is being located, when its settings may still change the engine."""
        return self.project.phase is Phase.LOADING and not self.project.total

    @property
    def presentation(self) -> Presentation:
        """The presentation of the engine that gave the answer, or of the selected engine."""
        return presentation(self.answer.trace.engine if self.answer.trace is not None else self.engine.name)

    @property
    def ran(self) -> bool:
        """True if the query was run, False if it was only previewed."""
        return self.answer.trace is not None and self.answer.trace.ran

    @property
    def uncached(self) -> str:
        """The reason why a run's answer was not cached, in a few words; empty if it was cached or previewed."""
        trace = self.answer.trace
        if trace is None or not trace.ran:
            return ""
        from brvtui.paint.answers import why_uncached

        return why_uncached(trace.answer, self.model.name)

    @property
    def route(self) -> Route | None:
        """The outcome of the route; None if there is no answer, or if the engine has no tiers."""
        if self.answer.trace is None:
            return None
        from brvtui.trace.routing import Route  # not before the first paint

        return self.answer.trace.find(Route)

    @property
    def may_need_less(self) -> bool:
        """True if the answer needs a model, or the notes do not cover the query."""
        return self.answered is not None and self.route is not None and self.route.needs_model

    @property
    def hit(self) -> Hit | None:
        """The selected result; None if another note is selected."""
        return self._selected(self.answer.trace.hits) if self.answer.trace is not None else None

    @property
    def near_miss(self) -> NearMiss | None:
        """The selected near miss; None if another note is selected."""
        trace = self.answer.trace
        return self._selected(trace.near_misses) if trace is not None and self.hit is None else None

    @property
    def retried(self) -> Hit | None:
        """The selected note as a hit of the retry ladder; None if another note is selected."""
        trace = self.answer.trace
        if trace is None or self.hit is not None or self.near_miss is not None:
            return None
        return self._selected(_retried(trace))

    def _selected(self, candidates: Iterable[Found]) -> Found | None:
        return next((one for one in candidates if one.file == self.selection.file), None)

    def maturity_of(self, file: str) -> str:
        """Returns the maturity of the note at ``file``; empty for code and if there is no such note."""
        overview = self.project.overview
        branch = overview.branches.get(file) if overview is not None and self.kind.has_maturity else None
        return branch.maturity if branch is not None else ""

    def has_screen(self, mode: Mode) -> bool:
        """True if the screen ``mode`` is available; code has neither maturity nor health."""
        return self.kind.has_maturity if mode == MATURITY else self.kind.has_files or mode != HEALTH

    def knows(self, file: str) -> bool:
        """True if there is a file at ``file``, which may be a note or another file."""
        overview = self.project.overview
        return overview is not None and (file in overview.branches or any(file == path for path, _ in overview.unseen))

    @property
    def fleet_result(self) -> FleetSelection:
        """The selected result of the fleet with its note, or else the best result; empty if there are no results."""
        state, (member, file) = self.fleet, self.fleet_selection
        if state.together:
            results = (
                []
                if state.ranking is None
                else [FleetSelection(one.member, one.hit.file) for one in state.ranking.hits]
            )
            near = [] if state.ranking is None else state.ranking.near_misses
            results += [FleetSelection(one.member, one.miss.file) for one in near]
            chosen = (one for one in results if member in ("", one.member) and file in ("", one.file))
            return next(chosen, FleetSelection(member))
        member = member or (state.covering[0].member if state.covering else "")
        hits = state.answers[member].hits if member in state.answers else ()
        return FleetSelection(member, hits[0].file if hits else "")

    @property
    def unused(self) -> bool:
        """True if the search results are shown but not used, because the cache answered."""
        return self.route is not None and not self.route.used


def selectable(trace: Trace) -> list[str]:
    """Returns the files of results, near misses and :func:`advised` hits in displayed order, without duplicates."""
    listed: list[Hit | NearMiss] = [*trace.hits, *trace.near_misses, *advised(trace)]
    return list(dict.fromkeys(one.file for one in listed))


def advised(trace: Trace) -> tuple[Hit, ...]:
    """Returns the hits of the retry ladder if the search found nothing; they are not results, but may be relevant."""
    return () if trace.hits else _retried(trace)


def _retried(trace: Trace) -> tuple[Hit, ...]:
    from brvtui.trace import Ladder  # not before the first paint

    ladder = trace.find(Ladder)
    return ladder.hits if ladder is not None else ()


def marks_of(trace: Trace | None) -> dict[str, str]:
    """Returns the tree's marks for notes of the answer, keyed by file: the score, or the rank in a fused list."""
    if trace is None:
        return {}
    if trace.legs:
        return {hit.file: f"#{place}" for place, hit in enumerate(trace.hits, start=1)}
    return {hit.file: f"{hit.score:.{trace.scale.decimals}f}" for hit in trace.hits}


_FIELDS = {type(state): name for name, state in View._field_defaults.items()}
"""The name of each sub-state in the view, by type."""
_OF_TRACES: dict[Any, tuple[str, ...]] = {
    ProjectState: ("saved",), EngineState: ("profile",), QueryState: ("text", "scope"), PinState: ("trace", "diff"),
    AnswerState: ("trace", "counterfactuals"), SelectionState: ("file", "detail"), FleetState: ("answers", "ranking"),
}  # fmt: skip
"""The fields of sub-states that come from traces, whose texts may be of any length."""


def _units(states: Iterable[Any]) -> Iterator[Any]:
    """Yields the fields of ``states`` that come from traces, each after the traces and answers that it contains."""
    for state in states:
        for name in _OF_TRACES.get(type(state), ()):
            part = getattr(state, name)
            yield from part.values() if isinstance(part, dict) else ()
            yield getattr(part, "trace", None)
            yield part


class ViewStore:
    """Contains the current :class:`View`. Each update replaces whole sub-states, which the type checker can verify."""

    def __init__(self, draw: Callable[[View], None]) -> None:
        """Creates the store; ``draw`` shows a view in the screen in front.

        Other screens are updated when they are shown.
        """
        self.view = self.shown = View()
        """The whole state, and a copy for display whose very long texts :func:`bounded` has cut.

        A trace that several sub-states share in :attr:`view` is also shared in :attr:`shown`.
        """
        self._draw = draw
        self._subscribers: list[tuple[frozenset[type], Callable[[], None]]] = []

    def subscribe(self, reads: Sequence[type[SubState]], handler: Callable[[], None]) -> None:
        """Calls ``handler`` after each update that replaces a sub-state of one of the types in ``reads``."""
        self._subscribers.append((frozenset(reads), handler))

    def update(self, *states: SubState) -> None:
        """Replaces the sub-states of the same types by ``states``, and shows the changes."""
        changes: dict[str, Any] = {_FIELDS[type(state)]: state for state in states}
        self.shown = self.shown._replace(**dict(self._bounded(states)))
        self.view = self.view._replace(**changes)
        self._draw(self.shown)
        changed = {type(state) for state in states}
        for reads, handler in self._subscribers:
            if not reads.isdisjoint(changed):
                handler()

    def _bounded(self, states: Iterable[Any]) -> Iterator[tuple[str, Any]]:
        """Yields the name of each of ``states`` with a copy cut for display; measures only the parts that are new."""
        known = {id(whole): cut for whole, cut in zip(_units(self.view), _units(self.shown), strict=True)}
        for one in _units(states):
            if id(one) not in known:
                known[id(one)] = bounded(one, known)
        for state in states:
            parts = {name: known[id(getattr(state, name))] for name in _OF_TRACES.get(type(state), ())}
            yield _FIELDS[type(state)], state._replace(**parts)


def read_of(view: View, reads: Sequence[type[SubState]]) -> tuple[SubState, ...]:
    """Returns the sub-states of ``view`` of the types in ``reads``."""
    return tuple(getattr(view, _FIELDS[state]) for state in reads)
