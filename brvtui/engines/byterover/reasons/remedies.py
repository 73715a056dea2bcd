"""Changes that help one note in the answer to a query; each was tried by running the router again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from brvtui.engines.byterover.ageing.after_changes import accessed, updated
from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.counterfactuals.case import Cancelled, Case
from brvtui.engines.byterover.counterfactuals.changes import (
    Change,
    NoChange,
    Reworded,
    SignalsSet,
    TimeSet,
    TitleSet,
    Updated,
    changed,
)
from brvtui.engines.byterover.counterfactuals.words import missing_words, near_wordings, title_choices
from brvtui.engines.byterover.reasons.why_not import Loss, query_changes
from brvtui.engines.byterover.route.decision import decide, find_results
from brvtui.engines.byterover.sections import Search
from brvtui.engines.contract import trial_limit
from brvtui.ranking.decay import just_before_ms
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.timing import Stopwatch
from brvtui.trace import Remedy, RemedyKind, Trace
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.signals import Source
from brvtui.wording import counted

MOST_HITS = 50
"""How many access hits are counted until a note is promoted."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a note stands in an answer."""

    rank: int | None
    """From 1; None where it is not among the results."""
    tier: int
    score: float | None
    used: int | None = None
    """Its place, from 1, among the notes that are quoted; None where it is not quoted."""

    def is_above(self, other: Standing) -> bool:
        """Whether the note stands higher than in ``other``: quoted earlier, or as early in a lower tier, or, where it
        is not quoted, at a better rank."""
        return self._order < other._order

    def gain_over(self, now: Standing) -> str:
        """What is better than ``now`` where the rank is not; empty where it is."""
        if now.rank is None or self.rank is None or self.rank < now.rank or self.used is None:
            return ""
        if now.used is None:
            return "quoted then"
        if self.used < now.used:
            return f"quoted as number {self.used}, not {now.used}"
        return "no model is needed then" if self.tier <= _DIRECT < now.tier else f"tier {self.tier}, not {now.tier}"

    @property
    def leads(self) -> bool:
        """Whether it comes first in an answer that needs no model: nothing is better."""
        return self.used == 1 and self.tier <= _DIRECT

    @property
    def _order(self) -> tuple[float, float, float]:
        rank = math.inf if self.rank is None else self.rank
        return (math.inf, math.inf, rank) if self.used is None else (self.used, self.tier, rank)


@dataclass(frozen=True, slots=True)
class _TriedChange:
    change: Change
    text: str
    how: str


def remedies(context: Context, trace: Trace, named: Named, cancelled: Callable[[], bool]) -> tuple[Remedy, ...]:
    """The changes after which the note ``named`` stands higher in the answer to the query of ``trace``, best first.

    Of wordings the least change that helps and the best one, of titles the best one, and each level of maturity that
    is better than the last. A folder is found for a note in it: for what stands for it, wordings of that note alone.
    Empty for another file that is not searched, and when ``cancelled`` became true. Ranks, scores and tiers are those
    on an empty cache.
    """
    if named.position is not None:
        cases = [Case(context, trace, named.position, cancelled)]
    else:
        below = _notes_below(context.snapshot, trace, named.path)
        cases = [Case(context, trace, position, cancelled, named.path) for position in below]
    if not cases:
        return ()
    now = standing(cases[0], Reworded(trace.query))
    assert now is not None  # the tree as it is can be asked
    try:
        found = list(_found(cases, now))
    except Cancelled:
        return ()
    return tuple(remedy for _, remedy in sorted(found, key=lambda pair: pair[0]._order))


def standing(case: Case, change: Change) -> Standing | None:
    """Where the file of ``case`` stands after ``change``; None when that change cannot be made.

    Raises :class:`Cancelled`.
    """
    if case.cancelled():
        raise Cancelled
    try:
        after = replace(case.context, snapshot=changed(case.context, change))
    except NoChange:
        return None
    query = change.query if isinstance(change, Reworded) else case.trace.query
    made = find_results(after, query, case.trace.scope_option, Stopwatch())
    decided = decide(after, made)
    used = next((place for place, hit in enumerate(decided.prefetched, start=1) if hit.file == case.file), None)
    for rank, hit in enumerate(made.hits, start=1):
        if hit.file == case.file:
            return Standing(rank, decided.tier, hit.score, used)
    return Standing(None, decided.tier, None)


def _notes_below(snapshot: Snapshot, trace: Trace, path: str) -> list[int]:
    """The positions of the notes that can lift the folder for which ``path`` stands: the one that does, else the first
    few in it. Empty for a file that stands for no folder."""
    summary = next((one for one in snapshot.summaries.values() if one.file == path), None)
    if summary is None:
        return []
    child = next((lift.child for lift in trace.section(Search).lifts if lift.summary_file == path), "")
    own = f"{summary.folder}/{CONTEXT_FILE}"  # which lifts the folders above it alone
    below = f"{summary.folder}/"
    inside = [place for place, note in enumerate(snapshot.notes) if note.path.startswith(below) and note.path != own]
    return [place for place in inside if snapshot.notes[place].result_path == child] or inside[:_MOST_BELOW]


def _found(cases: Sequence[Case], now: Standing) -> Iterator[tuple[Standing, Remedy]]:
    case, *_ = cases
    wordings = {tried.change: tried for each in cases for tried in _reworded(each)}
    reworded = _improving(case, now, list(wordings.values()))
    # The least change that helps, and the one that helps most.
    yield from _as_remedies(now, RemedyKind.WORDING, dict.fromkeys((*reworded[:1], *reworded[-1:])))
    if case.folder_file or not case.note.is_local:  # a shared source is read only
        return
    edited = _improving(case, now, [_edit(case)])
    yield from _as_remedies(now, RemedyKind.EDIT, edited)
    yield from _as_remedies(now, RemedyKind.UPDATE, _improving(case, now, _update(case)))
    yield from _as_remedies(now, RemedyKind.MATURITY, _improving(case, now, _higher_maturity(case)))
    # A new title is saved with a new time: it must do more than that time alone.
    least = edited[0][0] if edited else now
    yield from _as_remedies(now, RemedyKind.TITLE, _improving(case, least, _titles(case))[-1:])


def _improving(case: Case, now: Standing, candidates: Sequence[_TriedChange]) -> list[tuple[Standing, _TriedChange]]:
    """Returns those of ``candidates`` after which the note stands above ``now`` and above all candidates before."""
    made: list[tuple[Standing, _TriedChange]] = []
    best = now
    for candidate in candidates:
        there = standing(case, candidate.change)
        if there is not None and there.is_above(best):
            best = there
            made.append((there, candidate))
        if best.leads:
            break
    return made


def _as_remedies(
    now: Standing, kind: RemedyKind, found: Iterable[tuple[Standing, _TriedChange]]
) -> Iterator[tuple[Standing, Remedy]]:
    for there, chosen in found:
        change = chosen.change
        yield (
            there,
            Remedy(
                chosen.text,
                True,
                query=change.query if isinstance(change, Reworded) else "",
                rank=there.rank,
                score=there.score,
                kind=kind,
                tier=there.tier,
                how=chosen.how,
                maturity=change.signals.maturity if isinstance(change, SignalsSet) else "",
                title=change.title if isinstance(change, TitleSet) else "",
                is_used=there.used is not None,
                gain=there.gain_over(now),
            ),
        )


_MOST_BELOW = 4
"""Wordings of so many notes are tried for a folder that no note lifts now."""
_REWORDED = (Loss.PATH, Loss.UNMATCHED_WORD, Loss.AND)
"""The losses whose wordings are tried: together all that there are."""
_DIRECT = 2
"""The tier of direct answers: nothing is better on an empty cache."""


def _reworded(case: Case) -> list[_TriedChange]:
    made: dict[str, _TriedChange] = {}
    of_losses = (query_changes(loss, case.trace, case.note.title) for loss in _REWORDED)
    for wording in chain(near_wordings(case), *of_losses):
        query = wording.query.strip()
        if query and query != case.trace.query and query not in made:
            made[query] = _TriedChange(Reworded(query), f"“{query}”: {wording.text}", "ask so")
    return list(made.values())[: trial_limit(case.trace.query)]


def _edit(case: Case) -> _TriedChange:
    text = f"edited today, not {counted(round(case.days), 'day', 'days')} ago"
    if not case.days:
        text = f"edited before this moment, not after it: at 0 days its stored recency {case.signals.recency:g} counts"
    elif case.days < 1:
        text = f"edited now, not {counted(max(1, round(case.days * 24)), 'hour', 'hours')} ago"
    return _TriedChange(TimeSet(case.note.path, just_before_ms(case.context.now_ms)), text, "save it with a change")


def _update(case: Case) -> list[_TriedChange]:
    if case.ignores_signals:
        return []
    after = updated(case.signals, case.context.constants.signals)
    text = f"one update: importance {after.importance:g} instead of {case.signals.importance:g}, edited today"
    level = f", {after.maturity}" if after.maturity != case.signals.maturity else ""
    return [
        _TriedChange(
            Updated(case.note.path, after, just_before_ms(case.context.now_ms)),
            f"{text}{level}",
            "have brv curate add what is new about it",
        )
    ]


_KEPT = {
    Source.FILE: "in the signals file, which wins over all other places",
    Source.FRONTMATTER: "here, in its frontmatter",
}
"""Where the maturity of a note is set that is kept there now."""


def _higher_maturity(case: Case) -> list[_TriedChange]:
    if case.ignores_signals:
        return []
    above = LEVELS[LEVELS.index(case.signals.maturity) + 1 :]
    where = _KEPT.get(case.signals.source, "here, in this tool's own overlay")
    return [
        _TriedChange(
            SignalsSet(case.note.path, replace(case.signals, maturity=level)),
            f"{level} instead of {case.signals.maturity}",
            f"set {where}; in ByteRover {_hits_until(case, level)}",
        )
        for level in above
    ]


def _hits_until(case: Case, level: str) -> str:
    state = case.signals
    for hits in range(1, MOST_HITS + 1):
        state = accessed(state, case.context.constants.signals)
        if LEVELS.index(state.maturity) >= LEVELS.index(level):
            return f"{hits} more {'hit makes' if hits == 1 else 'hits make'} it {level}"
    return f"{MOST_HITS} more hits do not make it {level}"


def _titles(case: Case) -> list[_TriedChange]:
    at_ms = just_before_ms(case.context.now_ms)
    return [
        _TriedChange(
            TitleSet(case.note.path, " ".join([case.note.title, *chosen]).strip(), at_ms),
            f"“{' '.join(chosen)}” added to its title, and saved today",
            "edit its # heading, or write one",
        )
        for chosen in islice(title_choices(missing_words(case)), trial_limit(case.trace.query))
    ]
