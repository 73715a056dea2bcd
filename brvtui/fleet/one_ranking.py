"""Ranks the notes of all members together, like the notes of a single tree. Each member scores its own notes.

The engine, which is the same for all members, defines the questions, and merges the best results by its own rules. Each
folder belongs to its member.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from brvtui.engines import registry
from brvtui.engines.together import NotTogether, OneRanking, PartQuestion, RanksTogether
from brvtui.fleet.answering import Asker
from brvtui.fleet.fleet_file import Absence, AbsenceKind, FleetError, Member
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.questions import ConstantsOf, MemberState, StateRequest
from brvtui.lab.evaluation.results import Evaluation, QueryResult, RankedDocument, ScorePart
from brvtui.lab.judgments.model import COVERED, NOT_COVERED, Judgment
from brvtui.trace.routing import SearchOutcome


@dataclass(frozen=True, slots=True)
class PartOf:
    """A question that asks one member for its part of a ranking of all members."""

    question: PartQuestion

    def of(self, opened: OpenMember) -> Any:
        """Returns the member's part of the ranking.

        Raises FleetError if the member cannot be ranked with others, and EngineError.
        """
        name, context = opened.project.engine, opened.context
        engine = opened.project.engines.named(name)
        if not isinstance(engine, RanksTogether):
            raise FleetError(_other_engine(name), AbsenceKind.NOT_RANKED)
        if why := engine.why_apart(context.constants):
            raise FleetError(why, AbsenceKind.NOT_RANKED)
        return self.question.of(context)


class _Members:
    """The members in the ranking. A member that does not answer is removed from it."""

    def __init__(self, asker: Asker, members: Sequence[Member], profiles: Mapping[str, str]) -> None:
        self._asker, self.profiles = asker, profiles
        self._members = {member.name: member for member in members}
        self.missing: list[Absence] = []

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._members)

    @property
    def now_ms(self) -> float:
        return self._asker.now_ms

    def ask(self, questions: Mapping[str, PartQuestion]) -> dict[str, Any]:
        replies = self._asker.ask_each([(self._members[name], PartOf(one)) for name, one in questions.items()])
        self.missing += replies.missing
        for one in replies.missing:
            del self._members[one.member]
        return replies.values


def one_ranking(asker: Asker, members: Sequence[Member], query: str, limit: int = 0) -> OneRanking:
    """Ranks all members together for ``query``, with at most ``limit`` results (0: the profile's default).

    Members whose engine or constants differ from most other members' are left out, each with a message. Raises
    :class:`brvtui.fleet.fleet_file.FleetError` if no member is left, or if the query names several places.
    """
    replies = asker.ask(members, StateRequest())
    states: dict[str, MemberState] = replies.values
    missing = (*replies.missing, *_different(states))
    names = {one.member for one in missing}
    able = [member for member in members if member.name not in names]
    answers = asker.ask(able[:1], ConstantsOf()).values
    if not answers:
        first = missing[0] if missing else Absence("", "no member answers")
        raise _nobody(first.why, first.kind)
    [constants] = answers.values()
    engine = registry.load(states[able[0].name].engine)
    assert isinstance(engine, RanksTogether)  # members with other engines were left out above
    if why := engine.why_apart(constants):
        raise _nobody(why, AbsenceKind.NOT_RANKED)
    together = _Members(asker, able, {name: state.profile for name, state in states.items()})
    together.missing += missing
    domains = frozenset(domain for one in able for domain in states[one.name].domains)
    try:
        ranking = engine.rank_together(constants, query, limit, together, domains)
    except NotTogether as error:
        raise FleetError(str(error), AbsenceKind.NOT_RANKED) from error
    return replace(ranking, missing=tuple(together.missing))


def _nobody(why: str, kind: AbsenceKind) -> FleetError:
    return FleetError(f"no member can be ranked with others: {why}", kind)


def _other_engine(name: str) -> str:
    able = ", ".join(one for one in registry.names() if registry.has(one, RanksTogether))
    return f"its engine is {name}: only {able} can be ranked together"


def _different(states: Mapping[str, MemberState]) -> list[Absence]:
    """Returns the members whose engine or constants differ from most other members'."""
    counts = Counter((one.engine, one.constants) for one in states.values() if registry.has(one.engine, RanksTogether))
    usual = counts.most_common(1)[0][0] if counts else ("", "")
    absences = []
    for name, one in states.items():
        if not registry.has(one.engine, RanksTogether):
            absences.append(Absence(name, _other_engine(one.engine), AbsenceKind.NOT_RANKED))
        elif (one.engine, one.constants) != usual:
            why = (
                f"its constants ({one.profile}) differ from those of most members: their scores cannot form one ranking"
            )
            absences.append(Absence(name, why, AbsenceKind.OTHER_CONSTANTS))
    return absences


def evaluate_together(
    asker: Asker, members: Sequence[Member], judgments: Sequence[Judgment], fleet: str, clock: str
) -> tuple[Evaluation, tuple[Absence, ...]]:
    """Evaluates one ranking of ``members`` with ``judgments``. Returns the evaluation and the missing members.

    A judged document is a path in any member, or ``[member]:path``. Raises :class:`brvtui.fleet.fleet_file.FleetError`.
    """
    results: list[QueryResult] = []
    missing: dict[str, Absence] = {}
    answer = None
    for judgment in judgments:
        answer = one_ranking(asker, members, judgment.text)
        missing |= {one.member: one for one in answer.missing}
        results.append(_result(judgment, answer))
    profile, notes = (answer.profile, answer.notes) if answer is not None else ("", 0)
    evaluation = Evaluation(registry.DEFAULT, "", profile, fleet, "", notes, clock, tuple(results))
    return evaluation, tuple(missing.values())


def _result(judgment: Judgment, answer: OneRanking) -> QueryResult:
    grades = {document.path: document.grade for document in judgment.documents}
    results: dict[str, RankedDocument] = {}
    for one in answer.hits:
        named = f"[{one.member}]:{one.hit.file}"
        path = one.hit.file if one.hit.file in grades else named
        parts = tuple(ScorePart(part.name, part.value) for part in one.hit.parts)
        results.setdefault(path, RankedDocument(path, one.hit.score, parts))
    is_covered = answer.outcome in (SearchOutcome.MATCHES, SearchOutcome.PATH_NOTE, SearchOutcome.PATH_FOLDER)
    return QueryResult(
        id=judgment.id,
        text=judgment.text,
        scope="",
        expected=judgment.expected,
        grades=grades,
        outcome=COVERED if is_covered else NOT_COVERED,
        results=tuple(results.values()),
        prompt_tokens=0,
        ms=0.0,
    )
