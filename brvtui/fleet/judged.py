"""One set of judgments over all members, asked by one ranking."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines import registry
from brvtui.engines.together import OneRanking
from brvtui.fleet.answering import Asker
from brvtui.fleet.fleet_file import Absence, Member
from brvtui.fleet.one_ranking import one_ranking
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.model import COVERED, NOT_COVERED, Judgment
from brvtui.trace.routing import SearchOutcome


def evaluate_together(
    asker: Asker, members: Sequence[Member], judgments: Sequence[Judgment], fleet: str, clock: str
) -> tuple[Evaluation, tuple[Absence, ...]]:
    """How one ranking over ``members`` answers ``judgments``, and who was missing.

    A judged document is a path that any member may have, or ``[member]:path``. Raises
    :class:`brvtui.fleet.fleet_file.FleetError`.
    """
    made: list[QueryResult] = []
    missing: dict[str, Absence] = {}
    answer = None
    for judgment in judgments:
        answer = one_ranking(asker, members, judgment.text)
        missing |= {one.member: one for one in answer.missing}
        made.append(_result(judgment, answer))
    profile, notes = (answer.profile, answer.notes) if answer is not None else ("", 0)
    evaluation = Evaluation(registry.DEFAULT, "", profile, fleet, "", notes, clock, tuple(made))
    return evaluation, tuple(missing.values())


def _result(judgment: Judgment, answer: OneRanking) -> QueryResult:
    grades = {document.path: document.grade for document in judgment.documents}
    results: dict[str, RankedDocument] = {}
    for one in answer.hits:
        named = f"[{one.member}]:{one.hit.file}"
        path = one.hit.file if one.hit.file in grades else named
        parts = tuple(ScorePart(part.name, part.value) for part in one.hit.parts)
        results.setdefault(path, RankedDocument(path, one.hit.score, parts))
    found = answer.outcome in (SearchOutcome.MATCHES, SearchOutcome.PATH_NOTE, SearchOutcome.PATH_FOLDER)
    return QueryResult(
        id=judgment.id,
        text=judgment.text,
        scope="",
        expected=judgment.expected,
        grades=grades,
        outcome=COVERED if found else NOT_COVERED,
        results=tuple(results.values()),
        prompt_tokens=0,
        ms=0.0,
    )
