"""Runs every judged query with an engine on one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.engines.registry import verdict_sentence
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.following import DocumentFinder, FollowedDocument
from brvtui.lab.judgments.model import Judgment, outcome_of
from brvtui.lab.trace_diff import best_hits
from brvtui.trace import Trace

Progress = Callable[[int, int], None]
EngineRequest = tuple[str, str]
"""The text and the scope of a query."""
_NOTHING: Mapping[EngineRequest, QueryResult] = {}


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
    reused = 0
    for number, judgment in enumerate(judgments, start=1):
        followed, odd = finder.followed(judgment)
        notices += [f"{judgment.id}: {item.document.path}: {_moved_text(item)}" for item in odd]
        cached = known.get(asked_words(followed, like))
        if cached is None:
            results.append(result_of(followed, ask(engine, context, followed, like)))
        else:
            reused += 1
            results.append(judged_as(cached, followed))
        progress(number, len(judgments))
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
        notices=tuple(notices),
        options=options,
        kept=reused,
    )


def _moved_text(item: FollowedDocument) -> str:
    """A message about a judged document that is not at its path, with the command that updates the judgments."""
    if item.moved:
        return f"moved to {item.path}, {item.how} (brv-tui judge follow records that)"
    return f"{item.how} (brv-tui judge set removes it)"


def _quoted(trace: Trace) -> tuple[str, ...]:
    """The files of the results quoted in the answer, or in the prompt for a model.

    A placeholder for a model's answer does not count as a quotation.
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
    return replace(found, id=judgment.id, scope=judgment.scope, expected=judgment.expected, grades=_grades(judgment))


def _grades(judgment: Judgment) -> dict[str, int]:
    return {document.path: document.grade for document in judgment.documents}


def ask(engine: Engine[Any], context: Context[Any], judgment: Judgment, like: Query) -> Trace:
    """The trace of running the query of ``judgment``."""
    return engine.answer(context, replace(like, text=judgment.text, scope=judgment.scope or like.scope, run=False))


def result_of(judgment: Judgment, trace: Trace) -> QueryResult:
    """The result for ``judgment`` from ``trace``. If several results are in one document, the best one counts."""
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
        grades=_grades(judgment),
        outcome=outcome_of(trace),
        results=results,
        prompt_tokens=prompt.tokens if prompt is not None else 0,
        ms=trace.timings.get("total", 0.0),
        sentence=verdict_sentence(trace),
        version=trace.version,
        quoted=_quoted(trace),
    )
