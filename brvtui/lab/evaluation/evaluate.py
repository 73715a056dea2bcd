"""Runs every judged query with an engine on one snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from brvtui.engines.contract import AnswersBriefly, Context, Engine, Query
from brvtui.engines.registry import presentation, verdict_sentence
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.following import DocumentFinder, FollowedDocument
from brvtui.lab.judgments.model import FAILED, Judgment, outcome_of
from brvtui.lab.trace_diff import best_hits
from brvtui.services.legs import LegError, RerankDocument, ServiceError
from brvtui.trace import State, Trace
from brvtui.wording import counted, first_of

Progress = Callable[[int, int], None]
EngineRequest = tuple[str, str]
"""The text and the scope of a query."""
_NOTHING: Mapping[EngineRequest, QueryResult] = {}
_SERVICE_OF_STEP = {"vectors": "embedder", "gaps": "embedder", "rerank": "reranker"}
"""For each step that uses a service, the kind of service that failed or gave an unusable answer if the step fails."""


class _WatchedServices:
    """The available services, and a record of the failed ones."""

    def __init__(self, services: Any) -> None:
        self._services = services
        self._names: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        """The reason for the first failure of each service, keyed by its kind and name. Clear it before each query."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._services, name)

    @property
    def embedder(self) -> Any:
        return self._watched("embedder")

    @property
    def reranker(self) -> Any:
        return self._watched("reranker")

    def add_unusable(self, trace: Trace) -> None:
        """Adds the services whose answers could not be used, such as a vector of zeros for a query."""
        for step in trace.steps:
            kind = _SERVICE_OF_STEP.get(step.name, "") if step.state is State.FAILED else ""
            if kind and not any(name.startswith(kind) for name in self.failed):
                self.failed[self._names.get(kind, kind)] = step.summary

    def _watched(self, kind: str) -> Any:
        try:
            service = getattr(self._services, kind)
        except ServiceError as error:
            self.failed[kind] = str(error)
            raise
        if service is None:
            return None
        self._names[kind] = f"{kind} {service.name}"
        return _WatchedService(service, self._names[kind], self.failed)


class _WatchedService:
    """An embedder or reranker that records its failures."""

    def __init__(self, service: Any, name: str, failed: dict[str, str]) -> None:
        self._service, self._name, self._failed = service, name, failed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._service, name)

    def embed(self, texts: Sequence[str]) -> Any:
        vectors = self._call(self._service.embed, texts)
        if not all(any(vector) for vector in vectors):
            self._failed.setdefault(self._name, "its answer contains a vector that is empty or all zeros")
        return vectors

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> Any:
        return self._call(self._service.rerank, query, documents)

    def _call(self, call: Callable[..., Any], *arguments: Any) -> Any:
        try:
            answer = call(*arguments)
        except LegError as error:
            self._failed.setdefault(self._name, str(error))
            raise
        if arguments[-1] and not len(answer):
            self._failed.setdefault(self._name, "its answer is empty")
        return answer


def evaluate(
    engine: Engine[Any],
    context: Context[Any],
    judgments: Sequence[Judgment],
    like: Query,
    revision: str = "",
    progress: Progress = lambda done, of: None,
    known: Mapping[EngineRequest, QueryResult] = _NOTHING,
) -> Evaluation:
    """The evaluation of ``engine`` with ``judgments`` in ``context``. Each query is a preview with the options of
    ``like``.

    A judgment without a scope gets the scope of ``like``. Moved documents are found at their new paths. Calls
    ``progress`` with the number of finished queries and the total. ``known`` contains results from the same state, by
    text and scope; their queries do not run again. Raises :class:`brvtui.engines.contract.EngineError`.
    """
    finder = DocumentFinder(context.snapshot)
    results: list[QueryResult] = []
    notices = [*context.snapshot.notices]
    guesses: dict[str, None] = {}
    failed, reasons = Counter[str](), dict[str, str]()
    services: Any = _WatchedServices(context.services)
    context = replace(context, services=services)
    reused = 0
    for number, judgment in enumerate(judgments, start=1):
        followed, odd = finder.followed(judgment)
        notices += [f"{judgment.id}: {item.document.path}: {_moved_text(item)}" for item in odd]
        guesses |= {f"{item.document.path} → {item.path}": None for item in odd if item.is_guess}
        cached = known.get(asked_words(followed, like))
        if cached is None:
            services.failed.clear()
            trace = ask(engine, context, followed, like)
            results.append(result_of(followed, trace))
            services.add_unusable(trace)
            failed.update(services.failed.keys())
            reasons |= services.failed
        else:
            reused += 1
            results.append(judged_as(cached, followed))
        progress(number, len(judgments))
    failures = tuple(
        f"the {name} failed for {count} of {counted(len(judgments), 'query', 'queries')}: {reasons[name]}"
        for name, count in failed.items()
    )
    info = context.snapshot_info
    options = {name: str(value) for name, value in like.options.items()}
    profile = str(getattr(context.constants, "name", ""))
    return Evaluation(
        engine=engine.name,
        version=results[-1].version if results else "",
        profile=profile,
        project=info.project,
        revision=revision,
        notes=info.notes,
        clock=info.clock,
        queries=tuple(results),
        notices=(*failures, *notices),
        options=options,
        kept=reused,
        failures=failures,
        guesses=_guess_line(list(guesses)),
    )


def _guess_line(moves: Sequence[str]) -> str:
    if not moves:
        return ""
    notes = counted(len(moves), "judged note is found only by its", "judged notes are found only by their")
    same = "it is the same note" if len(moves) == 1 else "they are the same notes"
    return f"{notes} title or name: {first_of(moves)}; if {same}, run brv-tui judge follow, otherwise brv-tui judge set"


def _moved_text(item: FollowedDocument) -> str:
    """A message about a judged document that is not at its path, with the command that updates the judgments."""
    if item.moved:
        return f"moved to {item.path}, {item.how} (brv-tui judge follow records that)"
    return f"{item.how} (brv-tui judge set removes it)"


def _quoted(trace: Trace) -> tuple[str, ...]:
    """The files of the results quoted in the answer, or in the prompt for a model.

    The sources of a placeholder for a model's answer are not included.
    """
    prompt = trace.answer.prompt
    named = set(prompt.prefetched) if prompt is not None else set()
    if prompt is None or trace.answer.kind != "extractive":
        named.update(trace.answer.sources)
    return tuple(dict.fromkeys(hit.file for hit in trace.hits if hit.path in named))


def asked_words(judgment: Judgment, like: Query) -> EngineRequest:
    """The text and the scope of the query for ``judgment``, with defaults from ``like``."""
    return judgment.text, judgment.scope or like.scope


def judged_as(found: QueryResult, judgment: Judgment) -> QueryResult:
    """``found`` as the result for ``judgment``, whose query has the same text."""
    return replace(found, id=judgment.id, scope=judgment.scope, expected=judgment.expected, grades=judgment.grades)


def ask(engine: Engine[Any], context: Context[Any], judgment: Judgment, like: Query) -> Trace:
    """The trace of running the query of ``judgment``."""
    return engine.answer(context, replace(like, text=judgment.text, scope=judgment.scope or like.scope, run=False))


def brief_result(engine: AnswersBriefly, context: Context[Any], judgment: Judgment, like: Query) -> QueryResult:
    """The result of running the query of ``judgment``, with only the outcome, the results and the quoted documents."""
    text, scope = asked_words(judgment, like)
    answer = engine.brief_answer(context, replace(like, text=text, scope=scope, run=False))
    results = tuple(RankedDocument(*each) for each in answer.results.items())
    judged = (judgment.id, judgment.text, judgment.scope, judgment.expected, judgment.grades)
    return QueryResult(*judged, outcome_of(answer), results, 0, 0.0, quoted=answer.quoted)


def result_of(judgment: Judgment, trace: Trace) -> QueryResult:
    """The result for ``judgment`` from ``trace``. If a document has several results, only the best one is used."""
    results = tuple(
        RankedDocument(file, hit.score, tuple(ScorePart(part.name, part.value) for part in hit.parts))
        for file, hit in best_hits(trace).items()
    )
    prompt = trace.answer.prompt
    return QueryResult(
        id=judgment.id,
        text=judgment.text,
        scope=judgment.scope,
        expected=judgment.expected,
        grades=judgment.grades,
        outcome=FAILED if presentation(trace.engine).failure(trace) else outcome_of(trace),
        results=results,
        prompt_tokens=prompt.tokens if prompt is not None else 0,
        ms=trace.timings.get("total", 0.0),
        sentence=verdict_sentence(trace),
        version=trace.version,
        quoted=_quoted(trace),
    )
