"""Two answers beside each other: what was asked otherwise, how ranks and scores moved, and which part moved them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from brvtui.engines.registry import presentation
from brvtui.paint.line import Span
from brvtui.paint.sentence import Sentence, clause, title
from brvtui.paint.steps import deciding, outcome
from brvtui.paint.text import number, signed
from brvtui.trace import Hit, NearMiss, State, Trace
from brvtui.wording import counted

_LIGHT = 10
"""The weight of the counts at the end of the sentence: they give way first."""


class Shift(Enum):
    """How a rank, or a score, compares with the one of the pinned answer."""

    SAME = auto()
    BETTER = auto()
    WORSE = auto()
    NEW = auto()
    GONE = auto()


@dataclass(frozen=True, slots=True)
class ChangedSetting:
    """What was asked otherwise: the wording, the profile, the moment and so on."""

    name: str
    then: str
    now: str


@dataclass(frozen=True, slots=True)
class ResultChange:
    """One result in both answers. Ranks count from 1 and are None where the note is no result.

    Scores are None where there is none, and for answers of different engines, whose scores mean different things.
    """

    title: str
    file: str
    rank_then: int | None
    rank_now: int | None
    score_then: float | None = None
    score_now: float | None = None
    decimals: int = 2
    """The decimals with which its engine writes scores; a smaller difference is none."""
    part: str = ""
    """The part of the score that changed most; empty where none did."""
    part_difference: float = 0.0
    lost: str = ""
    """Why a near miss is no result; empty for everything else."""

    @property
    def moved(self) -> Shift:
        """How its rank compares."""
        if self.rank_then is None or self.rank_now is None:
            return Shift.NEW if self.rank_then is None else Shift.GONE
        if self.rank_now == self.rank_then:
            return Shift.SAME
        return Shift.BETTER if self.rank_now < self.rank_then else Shift.WORSE

    @property
    def scored(self) -> Shift:
        """How its score compares; the same where there are not two scores to compare."""
        if self.score_then is None or self.score_now is None:
            return Shift.SAME
        if not _is_seen(self.score_now - self.score_then, self.decimals):
            return Shift.SAME
        return Shift.BETTER if self.score_now > self.score_then else Shift.WORSE

    @property
    def differs(self) -> bool:
        """Whether its rank or its score differs."""
        return self.moved is not Shift.SAME or self.scored is not Shift.SAME


@dataclass(frozen=True)
class AnswerComparison:
    """An answer beside a pinned one."""

    then: Trace
    """The pinned one."""
    now: Trace
    settings: tuple[ChangedSetting, ...]
    """What was asked otherwise; empty where nothing was."""
    results: tuple[ResultChange, ...]
    """Every result of both: those of now in their order, then those that are gone."""

    @property
    def by_score(self) -> bool:
        """Whether scores are compared: both answers are of one engine."""
        return self.then.engine == self.now.engine

    @property
    def same_outcome(self) -> bool:
        """Whether the same engine answers at the same tier, or does not cover the query both times."""
        return self.by_score and (self.then.tier, self.then.covered) == (self.now.tier, self.now.covered)

    @property
    def differs(self) -> bool:
        """Whether anything of the answers differs."""
        return not self.same_outcome or any(result.differs for result in self.results)


def compare_answers(then: Trace, now: Trace) -> AnswerComparison:
    """``now`` beside ``then``. Results are the same by path and file; of two engines, by file alone."""
    same_engine = then.engine == now.engine
    before, after = _ranked(then, same_engine), _ranked(now, same_engine)
    missed = {miss.file: miss for miss in now.near_misses} if same_engine else {}
    made = [_change(before.get(key), found, None, now, same_engine) for key, found in after.items()]
    gone = ((key, found) for key, found in before.items() if key not in after)
    made += [_change(found, None, missed.get(found[1].file), now, same_engine) for _, found in gone]
    return AnswerComparison(then, now, tuple(_settings(then, now)), tuple(made))


def difference_sentence(compared: AnswerComparison) -> Sentence:
    """What differs, in one sentence: the outcome of both, the note that mattered most, and how many others moved."""
    if not compared.differs:
        return (clause("Nothing differs: the same outcome, notes, ranks and scores"),)
    named = not compared.by_score
    if compared.same_outcome:
        answered = f"{_outcome(compared.now, named)} both times"
    else:
        then, now = compared.then, compared.now
        gates = ("", "") if named else (_gate(then, now), _gate(now, then))
        answered = f"pinned was {_outcome(then, named)}{gates[0]}, now {_outcome(now, named)}{gates[1]}"
    made = [clause(answered[:1].upper() + answered[1:])]
    told = _leader(compared)
    if told:
        # what came from the cache has the tier of the cached answer, and the ranks of a new search
        made.append(clause("; in a new search, " if _is_cached(compared.now) else ": ", told))
    counts = _counts(compared)
    return (*made, clause(f"; {counts}", weight=_LIGHT)) if counts else tuple(made)


def _ranked(trace: Trace, same_engine: bool) -> dict[tuple[str, str], tuple[int, Hit]]:
    """Rank and hit by what identifies it; of two hits of one note the better one."""
    made: dict[tuple[str, str], tuple[int, Hit]] = {}
    for rank, hit in enumerate(trace.hits, 1):
        made.setdefault((hit.path if same_engine else "", hit.file), (rank, hit))
    return made


def _change(
    before: tuple[int, Hit] | None, after: tuple[int, Hit] | None, missed: NearMiss | None, now: Trace, by_score: bool
) -> ResultChange:
    rank_then, then = before or (None, None)
    rank_now, found = after or (None, None)
    shown = found or then
    assert shown is not None
    if not by_score:
        return ResultChange(shown.title, shown.file, rank_then, rank_now)
    decimals, part, difference = now.scale.decimals, "", 0.0
    if then is not None and found is not None and _is_seen(found.score - then.score, decimals):
        part, difference = _part(then, found, decimals)
    score_now = found.score if found is not None else missed.score if missed is not None else None
    return ResultChange(
        shown.title, shown.file, rank_then, rank_now, then.score if then is not None else None, score_now, decimals,
        part, difference, missed.reason if missed is not None else "",
    )  # fmt: skip


def _part(then: Hit, now: Hit, decimals: int) -> tuple[str, float]:
    """The part that changed most, and by how much; an empty name where none changed in the decimals that are shown."""
    changed: dict[str, float] = {}
    for hit, sign in ((then, -1), (now, 1)):
        for part in hit.parts:
            changed[part.name] = changed.get(part.name, 0.0) + sign * part.value
    name = max(changed, key=lambda one: abs(changed[one]), default="")
    return (name, changed[name]) if name and _is_seen(changed[name], decimals) else ("", 0.0)


def _is_seen(difference: float, decimals: int) -> bool:
    return abs(difference) * 10.0**decimals >= 0.5


def _settings(then: Trace, now: Trace) -> Iterator[ChangedSetting]:
    same_engine = then.engine == now.engine
    for name, was, is_now in (
        ("wording", then.query, now.query),
        ("scope", then.scope_option or "whole tree", now.scope_option or "whole tree"),
        ("engine", presentation(then.engine).title, presentation(now.engine).title),
        ("profile", then.profile, now.profile if same_engine else then.profile),
        ("mode", _mode(then), _mode(now) if same_engine else _mode(then)),
        ("probe or run", then.mode, now.mode),
        ("notes", str(then.snapshot.notes), str(now.snapshot.notes)),
        ("moment", _moment(then), _moment(now)),
    ):
        if was != is_now:
            yield ChangedSetting(name, was, is_now)


def _mode(trace: Trace) -> str:
    return str(trace.options.get("mode") or "default")


def _moment(trace: Trace) -> str:
    """Day and minute: what passes between two keys is no difference worth a word."""
    return trace.snapshot.clock[:16].replace("T", " ")


def _outcome(trace: Trace, named: bool) -> str:
    """The tier, or that the query is not covered; ``named`` with the engine's name, which also stands for no tier."""
    tier = f"tier {trace.tier}" if trace.tier is not None else ""
    name = presentation(trace.engine).title if named or not tier else ""
    remarks = [*(["from the cache"] if _is_cached(trace) else []), *([] if trace.covered else ["not covered"])]
    return f"{name} {tier}".strip() + (f" ({', '.join(remarks)})" if remarks else "")


def _is_cached(trace: Trace) -> bool:
    return trace.answer.kind == "cached"


def _gate(trace: Trace, other: Trace) -> str:
    """The check by which a step failed in ``trace`` that passed in ``other``, in brackets; or empty.

    A step that ``other`` did not reach decided nothing between the two: there, the cache answered first.
    """
    passed = {step.name for step in other.steps if step.state in (State.PASSED, State.TAKEN)}
    for step in trace.steps:
        check = deciding(step) if step.state is State.FAILED and step.name in passed else None
        if check is not None and check.passed is False:
            return f" ({outcome(check)})"
    return ""


def _leader(compared: AnswerComparison) -> list[Span]:
    """What became of the first results: with them, an answer stands or falls."""
    was_first = next((one for one in compared.results if one.rank_then == 1), None)
    is_first = next((one for one in compared.results if one.rank_now == 1), None)
    if is_first is None:
        return [*title(was_first.title), (" is gone, and nothing else was found", "text")] if was_first else []
    if was_first is None:
        return [*title(is_first.title), (" is found now, nothing was then", "text")]
    if was_first is is_first:
        return _told(is_first) if is_first.differs else _biggest(compared)
    came = " is first now" if is_first.rank_then is not None else " is new and first"
    return [*title(is_first.title), (f"{came}; ", "text"), *_told(was_first)]


def _biggest(compared: AnswerComparison) -> list[Span]:
    """What became of the best result that differs, where the first one does not."""
    first = next((one for one in compared.results if one.differs), None)
    return [*_told(first), ("; the first stays", "text")] if first is not None else []


def _told(one: ResultChange) -> list[Span]:
    """What became of one result: where it went, its score, and the part that moved it."""
    score_then, score_now = number(one.score_then, one.decimals), number(one.score_now, one.decimals)
    with_scores = one.score_then is not None and one.score_now is not None
    match one.moved:
        case Shift.NEW:
            told = f" is new at rank {one.rank_now}"
        case Shift.GONE:
            scores = f", {score_then} then, {score_now} now" if with_scores else ""
            told = f" is no result any more{scores}"
        case Shift.SAME:
            told = (
                f" {_verb(one.scored)} from {score_then} to {score_now}" if one.scored is not Shift.SAME else " stays"
            )
        case moved:
            told = f" {_verb(moved)} from rank {one.rank_then} to {one.rank_now}"
            if one.scored is not Shift.SAME:
                told += f", its score {_verb(one.scored)} from {score_then} to {score_now}"
    part = f", {one.part} {signed(one.part_difference, one.decimals)}" if one.part else ""
    return [*title(one.title), (told + part, "text")]


def _verb(shift: Shift) -> str:
    return "rose" if shift is Shift.BETTER else "fell"


def _counts(compared: AnswerComparison) -> str:
    """How many results are new, gone or moved, in words; empty where at most one is."""
    shifts = [one.moved for one in compared.results]
    new, gone = shifts.count(Shift.NEW), shifts.count(Shift.GONE)
    moved = shifts.count(Shift.BETTER) + shifts.count(Shift.WORSE)
    if new + gone + moved < 2:
        return ""
    told = (f"{new} new" if new else "", f"{gone} gone" if gone else "", f"{moved} moved" if moved else "")
    return ", ".join(part for part in told if part) + f" of {counted(len(shifts), 'result', 'results')}"
