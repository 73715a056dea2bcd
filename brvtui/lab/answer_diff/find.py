"""Finds why two answers to one query differ, by asking again with one thing replaced after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.answer_diff.states import CauseKind, StateMixer, in_order
from brvtui.lab.judgments.model import outcome_of
from brvtui.snapshot.naming import Named
from brvtui.trace import Contribution, Detail, Hit, Trace

MOST_NOTES = 20
"""How many notes a comparison explains: those that stand first in one of the answers."""
_SEEN = 0.00005
_TEXTS = "texts of notes"
SAME = 1e-9
"""A smaller change of a score is none."""


@dataclass(frozen=True, slots=True)
class PartChange:
    """How much one part of a score changed."""

    name: str
    change: float


@dataclass(frozen=True, slots=True)
class Cause:
    """What one replacement does to the score of a note: the scores before and after it were asked for."""

    kind: CauseKind
    change: float
    score: float | None
    """The score afterwards; None where no word of the query matches it, or there is no such note."""
    rank: int | None
    """The rank afterwards, from 1; None where it is no result."""
    parts: tuple[PartChange, ...]
    """The parts of the score that changed, the largest change first."""
    through: tuple[PartChange, ...] = ()
    """Of other notes' texts: how much the sum over the query's terms changed by ``idf``, by ``length`` (that of the
    average note) and by ``matches`` (terms that match now or did then); empty of engines without such sums."""
    reason: str = ""
    """Why it is no result afterwards, where this replacement took it out."""


@dataclass(frozen=True, slots=True)
class NoteDiff:
    """One note in both answers. The causes sum to the change of its score; a score that is missing counts as 0."""

    path: str
    title: str
    rank_then: int | None
    rank_now: int | None
    score_then: float | None
    score_now: float | None
    causes: tuple[Cause, ...]
    reason: str = ""
    """Why it is no result now; empty where it is one."""
    reason_then: str = ""
    """Why it was no result then; empty where it was one."""

    @property
    def change(self) -> float:
        """The change of its score."""
        return (self.score_now or 0.0) - (self.score_then or 0.0)

    @property
    def summary(self) -> str:
        """The scores, and the causes that are seen in four decimals: ``0.9000 → 0.5898: its own text -0.3100, …``."""
        then, now = ("–" if score is None else f"{score:.4f}" for score in (self.score_then, self.score_now))
        said = [f"{cause.kind} {cause.change:+.4f}" for cause in self.causes if abs(cause.change) >= _SEEN]
        return f"{then} → {now}" + (f": {', '.join(said)}" if said else "")

    @property
    def main_cause(self) -> Cause | None:
        """What changed its score most; None where nothing did."""
        made = max(self.causes, key=lambda cause: abs(cause.change), default=None)
        return made if made is not None and abs(made.change) > SAME else None


@dataclass(frozen=True, slots=True)
class OutcomeStep:
    """The outcome of the query once a replacement is made for all notes."""

    what: str
    outcome: str


@dataclass(frozen=True)
class AnswerDiff:
    """Two answers to one query."""

    query: str
    scope: str
    engine: str
    then_name: str
    now_name: str
    outcome_then: str
    outcome_now: str
    outcomes: tuple[OutcomeStep, ...]
    """The outcome after each replacement; the texts of all notes are replaced together."""
    notes: tuple[NoteDiff, ...]
    """Those whose rank or score changed, in their order now, then those that are gone."""
    left_out: int
    """How many more there are."""
    then: Trace
    now: Trace

    @property
    def differs(self) -> bool:
        """Whether the outcome or the rank of a note changed; a score alone changes with every second."""
        return self.outcome_then != self.outcome_now or any(note.rank_then != note.rank_now for note in self.notes)


@dataclass(frozen=True, slots=True)
class _Standing:
    """A note in one answer."""

    score: float | None
    rank: int | None
    parts: dict[str, float]
    detail: Detail | None
    reason: str


@dataclass(frozen=True)
class CauseSearch:
    """Asks ``engine`` one query in every state of ``mixer``."""

    engine: Engine[Any]
    mixer: StateMixer
    query: Query
    _answers: dict[int, tuple[Context[Any], Trace]] = field(default_factory=dict)
    """By the identity of the snapshot and the constants: states that are the same are asked once."""

    def diff(self, most: int = MOST_NOTES) -> AnswerDiff:
        """Both answers beside each other, with causes for the first ``most`` notes that changed."""
        then, now = self._answer(()), self._answer(CauseKind)
        first, last = _ranked(then[1]), _ranked(now[1])
        changed = [path for path in dict.fromkeys((*last, *first)) if _moved(first.get(path), last.get(path))]
        return AnswerDiff(
            query=self.query.text,
            scope=self.query.scope,
            engine=self.engine.name,
            then_name=self.mixer.then.name,
            now_name=self.mixer.now.name,
            outcome_then=outcome_of(then[1]),
            outcome_now=outcome_of(now[1]),
            outcomes=tuple(self._outcomes()),
            notes=tuple(self.note(path) for path in changed[:most]),
            left_out=max(0, len(changed) - most),
            then=then[1],
            now=now[1],
        )

    def note(self, path: str) -> NoteDiff:
        """The note at ``path`` in both answers, with the causes of its change."""
        then = at = self._standing((), path)
        causes = []
        for kind, taken in in_order(self.mixer.kinds):
            if kind is CauseKind.OWN_TEXT and path not in self.mixer.changed_files:
                continue
            before, at = at, self._standing(taken, path)
            causes.append(_cause(kind, before, at))
        now = self._standing(CauseKind, path)
        held = now if now.rank is not None else then
        snapshot = self._answer(CauseKind if held is now else ())[0].snapshot
        place = snapshot.by_path.get(path)
        title = snapshot.notes[place].title if place is not None else path.rpartition("/")[2]
        scores = then.score, now.score
        return NoteDiff(path, title, then.rank, now.rank, *scores, tuple(causes), now.reason, then.reason)

    def _outcomes(self) -> Iterable[OutcomeStep]:
        for kind, taken in in_order(self.mixer.kinds):
            if kind is not CauseKind.OWN_TEXT:
                what = _TEXTS if kind is CauseKind.OTHER_TEXTS else str(kind)
                yield OutcomeStep(what, outcome_of(self._answer(taken)[1]))

    def _answer(self, taken: Iterable[CauseKind], path: str = "") -> tuple[Context[Any], Trace]:
        context = self.mixer.mixed(tuple(taken), path)
        key = hash((id(context.snapshot), id(context.constants), context.now_ms))
        if key not in self._answers:
            self._answers[key] = context, self.engine.answer(context, self.query)
        return self._answers[key]

    def _standing(self, taken: Iterable[CauseKind], path: str) -> _Standing:
        context, trace = self._answer(taken, path)
        ranked = _ranked(trace).get(path)
        place = context.snapshot.by_path.get(path)
        detail = self.engine.detail(context, trace, path) if place is not None else None
        if ranked is not None:
            rank, hit = ranked
            return _Standing(hit.score, rank, _parts(hit), detail, "")
        if path not in context.snapshot.parsed:
            return _Standing(None, None, {}, None, "no such note")
        why = self.engine.why(context, trace, Named(path, place))
        reason = why.reason.text if why.reason is not None else ""
        said = f"{reason} ({why.numbers})" if reason and why.numbers else reason
        if why.hit is None:
            return _Standing(None, None, {}, detail, said)
        return _Standing(why.hit.score, None, _parts(why.hit), detail, said)


def _cause(kind: CauseKind, before: _Standing, after: _Standing) -> Cause:
    parts = {name: after.parts.get(name, 0.0) - before.parts.get(name, 0.0) for name in {**before.parts, **after.parts}}
    through: tuple[PartChange, ...] = ()
    if kind is CauseKind.OTHER_TEXTS and before.detail is not None and after.detail is not None:
        through = through_terms(before.detail.contributions, after.detail.contributions)
    reason = after.reason if before.rank is not None and after.rank is None else ""
    change = (after.score or 0.0) - (before.score or 0.0)
    return Cause(kind, change, after.score, after.rank, _largest(parts), through, reason)


def through_terms(before: Iterable[Contribution], after: Iterable[Contribution]) -> tuple[PartChange, ...]:
    """By what the sum over the terms of one unchanged note changed, when the texts of others did.

    A term's value is proportional to its idf: its share is what the new idf alone makes of the old value. The rest
    comes of the average length, in the order idf, length. Terms that are in only one of both are ``matches``.
    """
    old, new = {_term(each): each for each in before}, {_term(each): each for each in after}
    idf = length = matches = 0.0
    for key in {**old, **new}:
        was, is_now = old.get(key), new.get(key)
        if was is None or is_now is None:
            matches += (is_now.value if is_now else 0.0) - (was.value if was else 0.0)
            continue
        with_idf = was.value * is_now.idf / was.idf if was.idf else 0.0
        idf += with_idf - was.value
        length += is_now.value - with_idf
    return _largest({"idf": idf, "length": length, "matches": matches})


def _term(each: Contribution) -> tuple[str, str, str]:
    return each.query_term, each.term, each.field


def _largest(changes: dict[str, float]) -> tuple[PartChange, ...]:
    made = (PartChange(name, change) for name, change in changes.items() if abs(change) > SAME)
    return tuple(sorted(made, key=lambda part: (-abs(part.change), part.name)))


def _parts(hit: Hit) -> dict[str, float]:
    made: dict[str, float] = {}
    for part in hit.parts:
        made[part.name] = made.get(part.name, 0.0) + part.value
    return made


def _ranked(trace: Trace) -> dict[str, tuple[int, Hit]]:
    """The best hit of each document with its rank among documents, from 1."""
    made: dict[str, tuple[int, Hit]] = {}
    for hit in trace.hits:
        if hit.file not in made:
            made[hit.file] = len(made) + 1, hit
    return made


def _moved(then: tuple[int, Hit] | None, now: tuple[int, Hit] | None) -> bool:
    if then is None or now is None:
        return True
    return then[0] != now[0] or abs(then[1].score - now[1].score) > SAME
