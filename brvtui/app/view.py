"""What every screen is drawn from: one frozen view of the app, made of sub-states, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.app.states import (
    AnswerState,
    AnyTrace,
    CacheState,
    EditorState,
    EngineState,
    LogState,
    ModelState,
    NoteState,
    ProjectState,
    QueryState,
    SelectionState,
    StaleState,
    WatchState,
)
from brvtui.engines.jeffs_brain.trace import HybridHit, HybridTrace
from brvtui.trace import Answer, Completion, Ended, Hit, NearMiss, Outcome, Trace

SubState = (
    ProjectState
    | EngineState
    | ModelState
    | WatchState
    | StaleState
    | QueryState
    | AnswerState
    | SelectionState
    | NoteState
    | CacheState
    | LogState
    | EditorState
)


@dataclass(frozen=True, slots=True)
class View:
    """One state of the app. A pane names in ``READS`` the sub-states that it is drawn from."""

    project: ProjectState = ProjectState()
    engine: EngineState = EngineState()
    model: ModelState = ModelState()
    watch: WatchState = WatchState()
    stale: StaleState = StaleState()
    query: QueryState = QueryState()
    answer: AnswerState = AnswerState()
    selection: SelectionState = SelectionState()
    note: NoteState = NoteState()
    cache: CacheState = CacheState()
    log: LogState = LogState()
    editor: EditorState = EditorState()

    @property
    def answered(self) -> AnyTrace | None:
        """The answer to the query, of whichever pipeline; None without a query."""
        return (self.answer.foreign or self.answer.trace) if self.query.text.strip() else None

    @property
    def ran(self) -> bool:
        """Whether the query was run; else it was probed."""
        return (
            not self.answer.foreign.probe
            if self.answer.foreign
            else self.answer.trace is not None and self.answer.trace.mode == "run"
        )

    @property
    def uncached(self) -> str:
        """Why a run's answer was not cached, in a few words; empty when it was, and for a probe."""
        if self.answer.trace is None or not self.ran:
            return ""
        answer = self.answer.trace.answer
        done = answer.completion
        if done is None:
            return "no LLM asked" if answer.kind == "extractive" and self.model.name else ""
        return fell_short(answer) or ("cut off" if done.ended is Ended.CUT else "")

    @property
    def fused(self) -> HybridHit | None:
        """The selected note in the list of a hybrid search."""
        if self.answer.foreign is None:
            return None
        return next((hit for hit in self.answer.foreign.ranking if hit.path == self.selection.file), None)

    @property
    def may_take_less(self) -> bool:
        """Whether the answer needs a model, or there is none."""
        ended = (
            self.answer.trace.outcome if self.answer.trace is not None and self.answered is self.answer.trace else None
        )
        return ended in (Outcome.SINGLE_CALL, Outcome.AGENTIC_LOOP, Outcome.NOT_COVERED)

    @property
    def hit(self) -> Hit | None:
        """The selected result, when it is one."""
        if self.answer.trace is None:
            return None
        return next((hit for hit in self.answer.trace.hits if hit.file == self.selection.file), None)

    @property
    def near_miss(self) -> NearMiss | None:
        """The selected near miss, when it is one."""
        if self.answer.trace is None or self.hit is not None:
            return None
        return next((miss for miss in self.answer.trace.search.near_misses if miss.file == self.selection.file), None)

    @property
    def retried(self) -> Hit | None:
        """The selected note as the retry ladder found it, when that is where it was found."""
        if self.answer.trace is None or self.hit is not None or self.near_miss is not None:
            return None
        return next((hit for hit in self.answer.trace.ladder.hits if hit.file == self.selection.file), None)

    def maturity_of(self, file: str) -> str:
        """The maturity of the note at ``file``; empty when there is none."""
        branch = self.project.overview.branches.get(file) if self.project.overview is not None else None
        return branch.maturity if branch is not None else ""

    def knows(self, file: str) -> bool:
        """Whether there is a file at ``file``, be it a note or not."""
        overview = self.project.overview
        return overview is not None and (file in overview.branches or any(file == path for path, _ in overview.unseen))

    @property
    def unused(self) -> bool:
        """Whether the search was computed to be shown and not used, because the cache answered."""
        return self.answer.trace is not None and not self.answer.trace.used


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
