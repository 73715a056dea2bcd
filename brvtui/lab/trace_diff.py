"""The difference between two answers: each result's rank and score parts, the outcomes, and a summary sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from brvtui.engines.contract import Context, Engine
from brvtui.engines.registry import presentation
from brvtui.lab.judgments.model import outcome_of
from brvtui.paint.line import Span
from brvtui.paint.sentence import Sentence, clause, title
from brvtui.paint.steps import deciding, outcome
from brvtui.paint.text import number, signed
from brvtui.snapshot.naming import Named
from brvtui.trace import Detail, Hit, State, Trace
from brvtui.wording import counted

SAME = 1e-9
"""Score changes up to this size are ignored."""
_LIGHT = 10
"""The weight of the counts at the end of the sentence, which are dropped first if space is short."""


@dataclass(frozen=True, slots=True)
class NoteStanding:
    """One note in one answer."""

    path: str
    title: str
    rank: int | None
    """The rank, from 1; None if the note is not a result."""
    score: float | None
    """The score; for a note that is not a result, the score that it would have, or None if it would have none."""
    parts: dict[str, float]
    """The parts of the score, keyed by name, in the engine's order."""
    reason: str = ""
    """The reason why the note is not a result, if known."""
    detail: Detail | None = None


def best_hits(trace: Trace) -> dict[str, Hit]:
    """The best hit of each document, keyed by file, best first."""
    hits: dict[str, Hit] = {}
    for hit in trace.hits:
        hits.setdefault(hit.file, hit)
    return hits


def standings(trace: Trace) -> dict[str, NoteStanding]:
    """Every result of ``trace``, keyed by file, best first."""
    return {file: _scored(file, rank, hit) for rank, (file, hit) in enumerate(best_hits(trace).items(), start=1)}


def near_misses(trace: Trace) -> dict[str, NoteStanding]:
    """Every near miss of ``trace``, keyed by file."""
    return {
        miss.file: NoteStanding(miss.file, miss.title, None, miss.score, {}, miss.reason) for miss in trace.near_misses
    }


def standing_in(engine: Engine[Any], context: Context[Any], trace: Trace, named: Named) -> NoteStanding:
    """The standing of the note ``named`` in ``trace``, the answer of ``engine`` in ``context``."""
    detail = engine.detail(context, trace, named.path) if named.position is not None else None
    standing = standings(trace).get(named.path)
    if standing is not None and standing.title:
        return replace(standing, detail=detail)
    why = engine.why(context, trace, named)
    if standing is not None:
        return replace(standing, title=why.title, detail=detail)
    reason = why.reason.text if why.reason is not None else ""
    full_reason = f"{reason} ({why.numbers})" if reason and why.numbers else reason
    if why.hit is None:
        return NoteStanding(named.path, why.title, None, None, {}, full_reason, detail)
    return replace(
        _scored(named.path, None, why.hit), title=why.hit.title or why.title, reason=full_reason, detail=detail
    )


def part_changes(then: NoteStanding, now: NoteStanding) -> dict[str, float]:
    """The change in each part of the score, keyed by name; a missing part is taken as 0."""
    names = {**then.parts, **now.parts}
    return {name: now.parts.get(name, 0.0) - then.parts.get(name, 0.0) for name in names}


def _scored(file: str, rank: int | None, hit: Hit) -> NoteStanding:
    parts: dict[str, float] = {}
    for part in hit.parts:
        parts[part.name] = parts.get(part.name, 0.0) + part.value
    return NoteStanding(file, hit.title, rank, hit.score, parts)


class Shift(Enum):
    """The change of a rank or a score since the earlier answer."""

    SAME = auto()
    BETTER = auto()
    WORSE = auto()
    NEW = auto()
    GONE = auto()


@dataclass(frozen=True, slots=True)
class ResultChange:
    """One result, compared between two answers. If only one answer contains it, it has no rank in the other."""

    then: NoteStanding
    now: NoteStanding
    decimals: int
    """The number of decimals in scores. Differences that these decimals do not show are ignored."""

    @property
    def title(self) -> str:
        """The current title of a current result; otherwise, the earlier title."""
        return (self.then if self.now.rank is None else self.now).title

    @property
    def moved(self) -> Shift:
        """The change of the result's rank."""
        if self.then.rank is None or self.now.rank is None:
            return Shift.NEW if self.then.rank is None else Shift.GONE
        if self.now.rank == self.then.rank:
            return Shift.SAME
        return Shift.BETTER if self.now.rank < self.then.rank else Shift.WORSE

    @property
    def scored(self) -> Shift:
        """The change of the result's score; SAME if the two scores cannot be compared."""
        if not self._is_seen(self.change):
            return Shift.SAME
        return Shift.BETTER if self.change > 0 else Shift.WORSE

    @property
    def change(self) -> float:
        """The difference between the scores; 0 if they cannot be compared."""
        return 0.0 if self.then.score is None or self.now.score is None else self.now.score - self.then.score

    @property
    def differs(self) -> bool:
        """True if the rank differs, or if the scores differ at the shown number of decimals."""
        return self.moved is not Shift.SAME or self.scored is not Shift.SAME

    @property
    def is_changed(self) -> bool:
        """True if the rank or the score differs, including differences that the shown decimals hide."""
        return self.moved is not Shift.SAME or abs(self.change) > SAME

    @property
    def part(self) -> tuple[str, float]:
        """The score part with the largest change, and that change; an empty name if no change is visible."""
        changed = part_changes(self.then, self.now) if self.scored is not Shift.SAME and self.now.rank else {}
        name = max(changed, key=lambda one: abs(changed[one]), default="")
        return (name, changed[name]) if name and self._is_seen(changed[name]) else ("", 0.0)

    def _is_seen(self, difference: float) -> bool:
        return abs(difference) * 10.0**self.decimals >= 0.5


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """A query setting that changed, such as wording, profile or time."""

    name: str
    then: str
    now: str


@dataclass(frozen=True)
class TraceDiff:
    """A comparison of two answers."""

    then: Trace
    now: Trace
    results: tuple[ResultChange, ...]
    """All results of both answers: current results by rank, then the ones that are gone. If the answers come from
    different engines, the results have no scores, because scores are not comparable.
    """

    @property
    def by_score(self) -> bool:
        """True if scores are compared, because both answers come from the same engine."""
        return self.then.engine == self.now.engine

    @property
    def outcomes(self) -> tuple[str, str]:
        """The earlier and the current outcome."""
        return outcome_of(self.then), outcome_of(self.now)

    @property
    def same_outcome(self) -> bool:
        """True if the same engine answers at the same tier with the same coverage."""
        return self.by_score and (self.then.tier, self.then.covered) == (self.now.tier, self.now.covered)

    @property
    def differs(self) -> bool:
        """True if the answers differ in anything that is shown."""
        return not self.same_outcome or any(result.differs for result in self.results)

    @property
    def settings(self) -> tuple[ChangedSetting, ...]:
        """The query settings that changed; empty if there are none."""
        return tuple(_settings(self.then, self.now))


def diff_traces(then: Trace, now: Trace, by_document: bool = False) -> TraceDiff:
    """Compares ``now`` with ``then``, result by result. A result that is gone may now be a near miss, if both answers
    come from the same engine.

    Ranks are positions among results, as in all panes, or with ``by_document`` among documents by best result.
    """
    same_engine = then.engine == now.engine
    before, after = (_keyed(trace, same_engine, by_document) for trace in (then, now))
    missed = near_misses(now)
    pairs = [(before.get(key) or _absent(one), one) for key, one in after.items()]
    pairs += [(one, missed.get(one.path) or _absent(one)) for key, one in before.items() if key not in after]
    if not same_engine:
        pairs = [(_unscored(one), _unscored(other)) for one, other in pairs]
    return TraceDiff(then, now, tuple(ResultChange(*pair, now.scale.decimals) for pair in pairs))


def _keyed(trace: Trace, same_engine: bool, by_document: bool) -> dict[tuple[str, str], NoteStanding]:
    """The results of ``trace``, under a key that matches them between traces: path and file, or only the file."""
    if by_document:
        return {("", file): one for file, one in standings(trace).items()}
    result: dict[tuple[str, str], NoteStanding] = {}
    for rank, hit in enumerate(trace.hits, start=1):
        result.setdefault((hit.path if same_engine else "", hit.file), _scored(hit.file, rank, hit))
    return result


def _absent(one: NoteStanding) -> NoteStanding:
    return NoteStanding(one.path, one.title, None, None, {})


def _unscored(one: NoteStanding) -> NoteStanding:
    return NoteStanding(one.path, one.title, one.rank, None, {})


def difference_sentence(compared: TraceDiff) -> Sentence:
    """The differences in one sentence: both outcomes, the most important note, and the number of other moved notes."""
    if not compared.differs:
        return (clause("Nothing differs: the same outcome, notes, ranks and scores"),)
    named = not compared.by_score
    if compared.same_outcome:
        answered = f"{_outcome(compared.now, named)} both times"
    else:
        then, now = compared.then, compared.now
        gates = ("", "") if named else (_gate(then, now), _gate(now, then))
        answered = f"changed from {_outcome(then, named)}{gates[0]} to {_outcome(now, named)}{gates[1]}"
    clauses = [clause(answered[:1].upper() + answered[1:])]
    leader = _leader(compared)
    if leader:
        # a cached answer has the tier of the cache, but its ranks come from a new search
        clauses.append(clause("; in a new search, " if _is_cached(compared.now) else ": ", leader))
    counts = _counts(compared)
    return (*clauses, clause(f"; {counts}", weight=_LIGHT)) if counts else tuple(clauses)


def _settings(then: Trace, now: Trace) -> Iterator[ChangedSetting]:
    same_engine = then.engine == now.engine
    for name, was, is_now in (
        ("wording", then.query, now.query),
        ("scope", then.scope_option or "whole tree", now.scope_option or "whole tree"),
        ("engine", presentation(then.engine).title, presentation(now.engine).title),
        ("profile", then.profile, now.profile if same_engine else then.profile),
        ("mode", _mode(then), _mode(now) if same_engine else _mode(then)),
        ("preview or run", then.mode, now.mode),
        ("notes", str(then.snapshot.notes), str(now.snapshot.notes)),
        ("moment", _moment(then), _moment(now)),
    ):
        if was != is_now:
            yield ChangedSetting(name, was, is_now)


def _mode(trace: Trace) -> str:
    return str(trace.options.get("mode") or "default")


def _moment(trace: Trace) -> str:
    """The date and time of ``trace`` to the minute, because smaller differences are ignored."""
    return trace.snapshot.clock[:16].replace("T", " ")


def _outcome(trace: Trace, named: bool) -> str:
    """The tier or ``not covered``, preceded by the engine's name if ``named`` is set or if there is no tier."""
    tier = f"tier {trace.tier}" if trace.tier is not None else ""
    name = presentation(trace.engine).title if named or not tier else ""
    remarks = [*(["from the cache"] if _is_cached(trace) else []), *([] if trace.covered else ["not covered"])]
    return f"{name} {tier}".strip() + (f" ({', '.join(remarks)})" if remarks else "")


def _is_cached(trace: Trace) -> bool:
    return trace.answer.kind == "cached"


def _gate(trace: Trace, other: Trace) -> str:
    """The check that failed in ``trace`` and passed in ``other``, in brackets; empty if there is none.

    Steps that ``other`` did not reach are ignored.
    """
    passed = {step.name for step in other.steps if step.state in (State.PASSED, State.TAKEN)}
    for step in trace.steps:
        check = deciding(step) if step.state is State.FAILED and step.name in passed else None
        if check is not None and check.passed is False:
            return f" ({outcome(check)})"
    return ""


def _leader(compared: TraceDiff) -> list[Span]:
    """The change at the first rank, which matters most."""
    was_first = next((one for one in compared.results if one.then.rank == 1), None)
    is_first = next((one for one in compared.results if one.now.rank == 1), None)
    if is_first is None:
        return [*title(was_first.title), (" is gone, and nothing else was found", "text")] if was_first else []
    if was_first is None:
        return [*title(is_first.title), (" is found now; nothing was found before", "text")]
    if was_first is is_first:
        return _change_spans(is_first) if is_first.differs else _largest_change(compared)
    came = " is first now" if is_first.then.rank is not None else " is new and ranks first"
    return [*title(is_first.title), (f"{came}; ", "text"), *_change_spans(was_first)]


def _largest_change(compared: TraceDiff) -> list[Span]:
    """The change of the best-ranked changed result, if the first result has not changed."""
    first = next((one for one in compared.results if one.differs), None)
    return [*_change_spans(first), ("; the first is unchanged", "text")] if first is not None else []


def _change_spans(one: ResultChange) -> list[Span]:
    """The change of one result: the rank, the score, and the score part that caused the change."""
    score_then, score_now = number(one.then.score, one.decimals), number(one.now.score, one.decimals)
    with_scores = one.then.score is not None and one.now.score is not None
    match one.moved:
        case Shift.NEW:
            text = f" is new at rank {one.now.rank}"
        case Shift.GONE:
            scores = f", {score_then} then, {score_now} now" if with_scores else ""
            text = f" is no longer a result{scores}"
        case Shift.SAME:
            text = (
                f" {_verb(one.scored)} from {score_then} to {score_now}"
                if one.scored is not Shift.SAME
                else " is unchanged"
            )
        case moved:
            text = f" {_verb(moved)} from rank {one.then.rank} to {one.now.rank}"
            if one.scored is not Shift.SAME:
                text += f", its score {_verb(one.scored)} from {score_then} to {score_now}"
    name, change = one.part
    part = f", {name} {signed(change, one.decimals)}" if name else ""
    return [*title(one.title), (text + part, "text")]


def _verb(shift: Shift) -> str:
    return "rose" if shift is Shift.BETTER else "fell"


def _counts(compared: TraceDiff) -> str:
    """The numbers of new, gone and moved results; empty if their sum is below 2."""
    shifts = [one.moved for one in compared.results]
    new, removed = shifts.count(Shift.NEW), shifts.count(Shift.GONE)
    moved = shifts.count(Shift.BETTER) + shifts.count(Shift.WORSE)
    if new + removed + moved < 2:
        return ""
    parts = (f"{new} new" if new else "", f"{removed} gone" if removed else "", f"{moved} moved" if moved else "")
    return ", ".join(part for part in parts if part) + f" of {counted(len(shifts), 'result', 'results')}"
