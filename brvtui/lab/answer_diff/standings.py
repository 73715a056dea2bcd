"""Where one note stands in one answer, and what lies between two such standings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from brvtui.engines.contract import Context, Engine
from brvtui.lab.answer_diff.results import SAME, Cause, PartChange
from brvtui.lab.answer_diff.states import CauseKind
from brvtui.snapshot.naming import Named
from brvtui.trace import Contribution, Detail, Hit, Trace


@dataclass(frozen=True, slots=True)
class NoteStanding:
    """A note in one answer."""

    score: float | None
    rank: int | None
    parts: dict[str, float]
    detail: Detail | None
    reason: str


def standing_in(engine: Engine[Any], context: Context[Any], trace: Trace, path: str) -> NoteStanding:
    """Where the note at ``path`` stands in ``trace``, which ``engine`` answered in ``context``."""
    found = ranked(trace).get(path)
    place = context.snapshot.by_path.get(path)
    detail = engine.detail(context, trace, path) if place is not None else None
    if found is not None:
        rank, hit = found
        return NoteStanding(hit.score, rank, parts_of(hit), detail, "")
    if path not in context.snapshot.parsed:
        return NoteStanding(None, None, {}, None, "no such note")
    why = engine.why(context, trace, Named(path, place))
    reason = why.reason.text if why.reason is not None else ""
    said = f"{reason} ({why.numbers})" if reason and why.numbers else reason
    if why.hit is None:
        return NoteStanding(None, None, {}, detail, said)
    return NoteStanding(why.hit.score, None, parts_of(why.hit), detail, said)


def cause_of(kind: CauseKind, before: NoteStanding, after: NoteStanding) -> Cause:
    """What the replacement of ``kind`` does to a note that stood ``before`` it, and stands ``after`` it, so."""
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


def parts_of(hit: Hit) -> dict[str, float]:
    """The parts of its score by name."""
    made: dict[str, float] = {}
    for part in hit.parts:
        made[part.name] = made.get(part.name, 0.0) + part.value
    return made


def ranked(trace: Trace) -> dict[str, tuple[int, Hit]]:
    """The best hit of each document with its rank among documents, from 1."""
    made: dict[str, tuple[int, Hit]] = {}
    for hit in trace.hits:
        if hit.file not in made:
            made[hit.file] = len(made) + 1, hit
    return made


def has_moved(then: tuple[int, Hit] | None, now: tuple[int, Hit] | None) -> bool:
    """Whether a note has another rank or another score; also when it is a result in only one of both answers."""
    if then is None or now is None:
        return True
    return then[0] != now[0] or abs(then[1].score - now[1].score) > SAME
