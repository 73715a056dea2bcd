"""Asks all engines of an open project: one query, or every judged one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from brvtui.engines import registry
from brvtui.engines.contract import Context, Engine, EngineError, Query
from brvtui.lab.engine_comparison.judged import JudgedEngines
from brvtui.lab.engine_comparison.one_query import EngineAnswers, ask_engines
from brvtui.lab.evaluation.evaluate import Progress, evaluate
from brvtui.lab.evaluation.keeping import KeepingEvaluator
from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.evaluation.results import Evaluation
from brvtui.lab.judgments.model import Judgment
from brvtui.store.kept_answers import KeptAnswers

if TYPE_CHECKING:
    from brvtui.session.session import Session


def ask_all(session: Session, query: Query, names: Sequence[str] = ()) -> EngineAnswers:
    """``query`` through the engines called ``names``; without any, through all that rank what is open.

    Raises :class:`brvtui.engines.contract.EngineError` for an engine that is not installed.
    """
    return ask_engines([_asked(session, name) for name in names or _all(session)], query)


def judge_all(
    session: Session,
    judgments: Sequence[Judgment],
    metrics: Sequence[Metric],
    like: Query,
    names: Sequence[str] = (),
    progress: Progress = lambda done, of: None,
    keep: bool = True,
) -> JudgedEngines:
    """Every one of ``judgments`` through the engines called ``names``, or all; answers are kept as by ``eval``.

    With ``keep`` False they are not, for a tree that will soon be gone.

    An engine that refuses a query is left out, with a line that says why. Raises
    :class:`brvtui.engines.contract.EngineError` for an engine that is not installed.
    """
    evaluator = KeepingEvaluator(KeptAnswers(session.project.tree))
    asked = [_asked(session, name) for name in names or _all(session)]
    made: list[Evaluation] = []
    problems = []
    for engine, context in asked:
        try:
            evaluate_with = evaluator.evaluate if keep else evaluate
            made.append(evaluate_with(engine, context, judgments, like, "", progress))
        except EngineError as error:
            problems.append(f"{engine.name}: {error}")
    return JudgedEngines(tuple(made), tuple(metrics), tuple(problems))


def _all(session: Session) -> Sequence[str]:
    from brvtui.session.engines import OF_CODE

    return (OF_CODE,) if session.is_code else session.engines.names


def _asked(session: Session, name: str) -> tuple[Engine[Any], Context[Any]]:
    if name not in _all(session):
        named = f"{name} does not rank what is open here: choose among {', '.join(_all(session))}"
        raise EngineError(registry.why_unknown(name) or named)
    return session.engines.named(name), session.engines.context(name)
