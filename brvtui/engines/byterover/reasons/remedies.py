"""Changes that improve a note's place in the answer to a query. Each one is tried by running the router again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from brvtui.engines.advice import edited_now
from brvtui.engines.byterover.counterfactuals.case import Case
from brvtui.engines.byterover.counterfactuals.find import missing_words, near_wordings
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.reasons.why_not import Loss, query_changes
from brvtui.engines.byterover.sections import Search
from brvtui.engines.changes import (
    Cancelled,
    Change,
    Combined,
    NoChange,
    Proposal,
    Reworded,
    SignalsSet,
    TimeSet,
    after_hits,
    higher_maturities,
    signals_in_words,
    titles,
    updated,
)
from brvtui.engines.contract import trial_limit
from brvtui.ranking.decay import just_before_ms
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.trace import Remedy, RemedyKind, Trace
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.signals import Source

MOST_HITS = 50
"""The maximum number of access hits to try before giving up on a promotion."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The rank, score and use of a note in an answer."""

    rank: int | None
    """The rank, counted from 1; None if the note is not among the results."""
    tier: int
    score: float | None
    used: int | None = None
    """The note's place among the quoted notes, counted from 1; None if it is not quoted."""

    def is_above(self, other: Standing) -> bool:
        """True if the note is placed better than in ``other``. A note that is quoted earlier is placed better, as is
        one quoted at the same place in a lower tier. Notes that are not quoted are compared by rank.
        """
        return self._order < other._order

    def is_lower_than(self, other: Standing) -> bool:
        """True if the note has a worse rank than in ``other``, or loses its place in a direct answer at the same rank.
        Such a change lowers the note, even if the note is quoted earlier.
        """
        ranks = [math.inf if one.rank is None else one.rank for one in (self, other)]
        direct = [one.used is not None and one.tier <= _DIRECT for one in (self, other)]
        return ranks[0] > ranks[1] or (ranks[0] == ranks[1] and direct == [False, True])

    def gain_over(self, now: Standing) -> str:
        """The improvement over ``now`` in words; empty if there is none, or if it is only a better rank."""
        if now.rank is None or self.rank is None or self.rank < now.rank or self.used is None:
            return ""
        if now.used is None:
            return "then quoted"
        if self.used < now.used:
            return f"quoted as number {self.used}, not {now.used}"
        return "no model needed" if self.tier <= _DIRECT < now.tier else f"tier {self.tier}, not {now.tier}"

    @property
    def leads(self) -> bool:
        """True if the note is quoted first in an answer that needs no model, which is the best possible standing."""
        return self.used == 1 and self.tier <= _DIRECT

    @property
    def _order(self) -> tuple[float, float, float]:
        rank = math.inf if self.rank is None else self.rank
        return (math.inf, math.inf, rank) if self.used is None else (self.used, self.tier, rank)


def remedies(context: Context, trace: Trace, named: Named, cancelled: Callable[[], bool]) -> tuple[Remedy, ...]:
    """The changes that raise the note ``named`` in the answer to the query of ``trace``, best first.

    They include the smallest helpful change of wording and the best one, the best title, and each higher maturity that
    helps more than the one below it. For a folder, only wordings are tried, based on the notes in the folder. For other
    files that are not searched, the result is empty. If ``cancelled`` becomes true, the result contains only the
    changes found until then. Ranks, scores and tiers are computed on an empty cache.
    """
    if named.position is not None:
        cases = [Case(context, trace, named.position, cancelled)]
    else:
        below = _notes_below(context.snapshot, trace, named.path)
        cases = [Case(context, trace, position, cancelled, named.path) for position in below]
    if not cases:
        return ()
    try:
        now = standing(cases[0], Reworded(trace.query))
    except Cancelled:
        return ()
    assert now is not None  # the unchanged tree can always be searched
    found = list(_all_remedies(cases, now))
    return tuple(remedy for _, remedy in sorted(found, key=lambda pair: _merit(now, *pair)))


def _merit(now: Standing, there: Standing, remedy: Remedy) -> tuple[bool, bool, tuple[float, float, float], bool]:
    """The sort key of changes. Changes that lose the direct answer come last, after those that only hits can make in
    ByteRover. If several changes have the same result, the simplest one, saving the note, comes first.
    """
    needs_hits, is_edit = remedy.kind is RemedyKind.MATURITY, remedy.kind is RemedyKind.EDIT
    return now.tier <= _DIRECT < there.tier, needs_hits, there._order, not is_edit


def standing(case: Case, change: Change) -> Standing | None:
    """The standing of the file in ``case`` after ``change``; None if that change cannot be made.

    Raises :class:`Cancelled`.
    """
    try:
        results, decision = case.ask(change)
    except NoChange:
        return None
    used = next((place for place, hit in enumerate(decision.prefetched, start=1) if hit.file == case.file), None)
    for rank, hit in enumerate(results.hits, start=1):
        if hit.file == case.file:
            return Standing(rank, decision.tier, hit.score, used)
    return Standing(None, decision.tier, None)


def _notes_below(snapshot: Snapshot, trace: Trace, path: str) -> list[int]:
    """The positions of notes that can lift the folder whose summary is at ``path``: the note that lifts it now or, if
    there is none, the first few notes in the folder. Empty for a file that is not a summary.
    """
    summary = next((one for one in snapshot.summaries.values() if one.file == path), None)
    if summary is None:
        return []
    child = next((lift.child for lift in trace.section(Search).lifts if lift.summary_file == path), "")
    own = f"{summary.folder}/{CONTEXT_FILE}"  # this note lifts only the folders above its own
    below = f"{summary.folder}/"
    inside = [place for place, note in enumerate(snapshot.notes) if note.path.startswith(below) and note.path != own]
    return [place for place in inside if snapshot.notes[place].result_path == child] or inside[:_MOST_BELOW]


def _all_remedies(cases: Sequence[Case], now: Standing) -> Iterator[tuple[Standing, Remedy]]:
    case, *_ = cases
    is_fixed = bool(case.folder_file) or not case.note.is_local  # a shared source is read only
    # The few changes of the note's state come before the many wordings and titles, for a search that ends early.
    edited = [] if is_fixed else _improving(case, now, [_edit(case)])
    matured = [] if is_fixed else _improving(case, now, _higher_maturity(case))
    updates = [] if is_fixed else _improving(case, now, _update(case))
    wordings = {tried.change: tried for each in cases for tried in _reworded(each)}
    reworded = _improving(case, now, list(wordings.values()))
    # the smallest change that helps, and the one that helps most
    yield from _as_remedies(now, RemedyKind.WORDING, dict.fromkeys((*reworded[:1], *reworded[-1:])))
    yield from _as_remedies(now, RemedyKind.EDIT, edited)
    yield from _as_remedies(now, RemedyKind.UPDATE, updates)
    yield from _as_remedies(now, RemedyKind.MATURITY, matured)
    if is_fixed:
        return
    # A title saved with a new time must help more than just the new time does. If none helps more, titles with the old
    # time are tried.
    minimum = edited[0][0] if edited else now
    retitled = _improving(case, minimum, _titles(case, "the note saved today", just_before_ms(case.context.now_ms)))
    retitled = retitled or _improving(case, now, _titles(case, TIME_KEPT, int(case.note.mtime_ms)))
    yield from _as_remedies(now, RemedyKind.TITLE, retitled[-1:])


def _improving(case: Case, now: Standing, candidates: Sequence[Proposal]) -> list[tuple[Standing, Proposal]]:
    """Those ``candidates``, tried before the search is cancelled, that improve on the note's standing ``now`` and on
    all earlier candidates without lowering the note.
    """
    improving: list[tuple[Standing, Proposal]] = []
    best = now
    for candidate in candidates:
        try:
            there = standing(case, candidate.change)
        except Cancelled:
            break
        if there is not None and there.is_above(best) and not there.is_lower_than(now):
            best = there
            improving.append((there, candidate))
        if best.leads:
            break
    return improving


def _as_remedies(
    now: Standing, kind: RemedyKind, found: Iterable[tuple[Standing, Proposal]]
) -> Iterator[tuple[Standing, Remedy]]:
    for there, chosen in found:
        remedy = chosen.remedy(kind, there.rank, there.score, there.tier)
        yield there, replace(remedy, is_used=there.used is not None, gain=there.gain_over(now))


_MOST_BELOW = 4
"""The number of notes whose wordings are tried for a folder that no note currently lifts."""
_REWORDED = (Loss.PATH, Loss.UNMATCHED_WORD, Loss.AND)
"""The reasons for which other wordings are always tried."""
_DIRECT = 2
"""The tier of direct answers, which is the best one on an empty cache."""


def _reworded(case: Case) -> list[Proposal]:
    proposals: dict[str, Proposal] = {}
    of_losses = (query_changes(loss, case.trace, case.note.title) for loss in _REWORDED)
    for wording in chain(near_wordings(case), *of_losses):
        query = wording.query.strip()
        if query and query != case.trace.query and query not in proposals:
            proposals[query] = Proposal(Reworded(query), f"“{query}”: {wording.text}", "use this wording")
    return list(proposals.values())[: trial_limit(case.trace.query)]


def _edit(case: Case) -> Proposal:
    text = edited_now(case.days, f"at 0 days, its stored recency {case.signals.recency:g} is used unchanged")
    return Proposal(TimeSet(case.note.path, just_before_ms(case.context.now_ms)), text, "change and save it")


def _update(case: Case) -> list[Proposal]:
    if case.ignores_signals:
        return []
    before, after = case.signals, updated(case.signals, case.context.constants.signals)
    text = f"one update: importance {after.importance:g} instead of {before.importance:g}, edited today"
    level = f", {after.maturity}" if after.maturity != before.maturity else ""
    saved = TimeSet(case.note.path, just_before_ms(case.context.now_ms))
    change = Combined(SignalsSet(case.note.path, after), saved)
    return [Proposal(change, f"{text}{level}", "let brv curate add something new to it")]


TIME_KEPT = "its old time kept"
"""The remark for a new title that helps only if the note keeps its modification time."""
_KEPT = {
    Source.FILE: " in the signals file, which takes precedence over all other places,",
    Source.FRONTMATTER: " in its frontmatter",
}
"""The place where a note's maturity must be set, keyed by the current source of the note's signals."""


def _higher_maturity(case: Case) -> list[Proposal]:
    if case.ignores_signals:
        return []
    where = _KEPT.get(case.signals.source, "")
    return [
        Proposal(
            SignalsSet(case.note.path, state),
            signals_in_words(case.signals, state),
            f"in ByteRover, {_hits_until(case, state.maturity)}; setting it{where} changes only brv-tui",
        )
        for state in higher_maturities(case.signals)
    ]


def _hits_until(case: Case, level: str) -> str:
    states = islice(after_hits(case.signals, case.context.constants.signals), MOST_HITS)
    for hits, state in enumerate(states, start=1):
        if LEVELS.index(state.maturity) >= LEVELS.index(level):
            return f"{hits} more {'hit makes' if hits == 1 else 'hits make'} it {level}"
    return f"{MOST_HITS} more hits do not make it {level}"


def _titles(case: Case, saved: str, mtime_ms: int) -> list[Proposal]:
    choices = titles(case.note, missing_words(case), mtime_ms)
    how = "edit its # heading, or add one"
    return [
        Proposal(change, f"“{added}” added to its title, and {saved}", how)
        for added, change in islice(choices, trial_limit(case.trace.query))
    ]
