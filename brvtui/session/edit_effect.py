"""The effect of edits on queries: the current answers to judged or recent queries, compared with earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from brvtui.engines.contract import LONGEST_QUERY
from brvtui.lab.evaluation.causes import CauseFinder
from brvtui.lab.evaluation.comparing import ChangeLine, LineKind, QueryChange
from brvtui.lab.evaluation.evaluate import judged_as
from brvtui.lab.evaluation.results import DEFAULT_METRICS
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.log_comparison import LogComparison, compare
from brvtui.lab.whatif.variant import EarlierNotes, Variant
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference
from brvtui.notes.plan import Plan, Write
from brvtui.tree.reading.files import NS_PER_MS, SEARCHABLE, role_of
from brvtui.wording import first_of

if TYPE_CHECKING:
    from brvtui.session.session import Session

MOST_ASKED = 200
"""The maximum number of judged queries that run again after an edit."""
_MOST_LOGGED = 20
_MOST_READ = 300
_MOST_TRIED = 8
_MOST_NAMED = 3
_FOUND_THEN = 3


@dataclass(frozen=True, slots=True)
class EditEffect:
    """The effect of changed notes on the answers to queries."""

    earlier: EarlierNotes | None
    """The notes before the change; None if nothing changed."""
    judged: int
    """The number of judged queries that ran again."""
    unjudged: int
    """The number of unjudged queries that ran again."""
    left_out: int
    """The number of judged queries after the first 200, which did not run."""
    judged_otherwise: tuple[QueryChange, ...]
    """The judged queries whose answer changed."""
    unjudged_otherwise: tuple[QueryChange, ...]
    """The unjudged queries whose answer changed."""

    @property
    def otherwise(self) -> tuple[QueryChange, ...]:
        """All queries whose answer changed, judged ones first."""
        return (*self.judged_otherwise, *self.unjudged_otherwise)

    @property
    def worse(self) -> tuple[str, ...]:
        """The judged queries that got worse in their first metric, or that lost an expected outcome."""
        return tuple(each.now.text for each in self.judged_otherwise if each.is_loss)


def asked_last(session: Session) -> tuple[Judgment, ...]:
    """The newest queries in the Log that can be asked, at most 20, as judgments that expect nothing; newest first."""
    entries = session.logbook.read(_MOST_READ)
    queries = dict.fromkeys((each.query.strip(), each.scope) for each in entries if not each.problem)
    words = [each for each in queries if 0 < len(each[0]) <= LONGEST_QUERY]
    return tuple(Judgment(f"asked: {scope}: {text}", text, scope) for text, scope in words[:_MOST_LOGGED])


def effect_of_edits(
    session: Session,
    earlier: EarlierNotes | None,
    judgments: Sequence[Judgment],
    unjudged: Sequence[Judgment],
    engine: str,
    mode: str,
    cancelled: Callable[[], bool],
    planned: Mapping[Judgment, Judgment] | None = None,
) -> EditEffect | None:
    """Runs ``judgments`` (the first 200) and the ``unjudged`` queries on the current and the ``earlier`` notes. A
    query in both runs as a judged one.

    If ``planned`` is given, the ``earlier`` notes are those after a plan, so they count as the newer ones; ``planned``
    has the judgments that the plan changes. ``engine`` answers in ``mode``, as a preview. Returns None if ``cancelled``
    returns True before the end. Raises :class:`brvtui.engines.contract.EngineError`.
    """
    judged = judgments[:MOST_ASKED]
    known = {(each.text.strip(), each.scope) for each in judgments}
    unjudged = [each for each in unjudged if (each.text.strip(), each.scope) not in known]
    asked = (*judged, *unjudged)
    changes: list[QueryChange] = []
    if earlier is not None and asked:
        runner = session.variants
        now = runner.state(Variant(), engine, mode)
        if cancelled():
            return None
        before = runner.state(Variant(earlier=earlier), engine, mode)
        for judgment in asked:
            if cancelled():
                return None
            result = runner.result(now, judgment)
            other = runner.result(before, judgment if planned is None else planned.get(judgment, judgment))
            results = (result, other) if planned is None else (other, result)
            changes.append(QueryChange(*results, earlier.paths_now))
        runner.keep(now)
    otherwise = [
        tuple(change for change in part if change.is_otherwise)
        for part in (changes[: len(judged)], changes[len(judged) :])
    ]
    return EditEffect(earlier, len(judged), len(unjudged), len(judgments) - len(judged), *otherwise)


def effect_of_plan(
    session: Session,
    plan: Plan,
    judgments: Sequence[Judgment],
    unjudged: Sequence[Judgment],
    engine: str,
    mode: str,
    cancelled: Callable[[], bool],
) -> EditEffect | None:
    """Runs queries like :func:`effect_of_edits` on the current notes and on those after ``plan``."""
    now_ns = int(session.clock()) * NS_PER_MS
    after = {step.path: step.after for step in plan.steps if isinstance(step, Write)}
    edits = {
        path: EditedFile(path, content.data, content.mtime_ns or now_ns)
        for path, content in after.items()
        if content is not None and role_of(path) in SEARCHABLE
    }
    removed = frozenset(path for path, content in after.items() if content is None)
    earlier = EarlierNotes(tuple(after), dict(plan.replaced), Difference(edits, removed))
    return effect_of_edits(session, earlier, judgments, unjudged, engine, mode, cancelled, dict(plan.judgments))


def causes_of_change(
    session: Session, variant: Variant, judgment: Judgment, engine: str, mode: str
) -> tuple[ChangeLine, ...]:
    """The reasons why the answer for ``judgment`` differs between now and ``variant``: earlier notes, or a revision.

    Names the note that fell, the part of its score that changed, and the edit that caused the change, which is found by
    undoing single edits. Empty if the answers are equal. If no judged note fell, the first note in ``variant`` is taken
    as the expected one. Raises :class:`brvtui.engines.contract.EngineError` and
    :class:`brvtui.tree.history.git.RevisionError`.
    """
    runner = session.variants
    now, before = runner.state(Variant(), engine, mode), runner.state(variant, engine, mode)
    change = QueryChange(now.ask(judgment), before.ask(judgment), variant.paths_now)
    if not change.is_otherwise:
        return ()
    first = change.before.ranking[:1]
    renamed: tuple[ChangeLine, ...] = ()
    if first and not change.is_worse(DEFAULT_METRICS[0]):
        found = before.finder.judged(first[0], _FOUND_THEN)
        then = replace(judgment, documents=(found,))
        judgment, moved = now.finder.followed(then)
        renamed = tuple(ChangeLine(f"{one.document.path} is now {one.path}") for one in moved if one.moved)
        change = QueryChange(judged_as(change.now, judgment), judged_as(change.before, then), variant.paths_now)
    by_id = {judgment.id: judgment}
    finder = CauseFinder(now.engine, now.context, now.like, by_id, DEFAULT_METRICS[0], most_tried=_MOST_TRIED)
    reverting = runner.reverting(before)
    times = (ChangeLine(reverting.difference.times),) if reverting is not None and reverting.difference.times else ()
    is_lost = change.changes_outcome or change.is_worse(DEFAULT_METRICS[0])
    edited = variant.earlier.paths if variant.earlier is not None and reverting is None else ()
    untried = (ChangeLine(f"changed since then: {first_of(edited)}", LineKind.CAUSE),) if edited else ()
    explained = finder.explain([change], reverting)[judgment.id]
    return (*renamed, *(() if is_lost else _moves(change)), *explained, *untried, *times)


def edits_behind(session: Session, compared: LogComparison, earlier: EarlierNotes) -> tuple[str, ...]:
    """The edits since ``earlier`` without which the logged answer is back; empty if it is not back without all of them.

    Raises :class:`brvtui.engines.contract.EngineError`.
    """
    entry, variant = compared.entry, Variant(earlier=earlier)
    judgment = Judgment("logged", entry.query, entry.scope)
    before = compare(entry, session.variants.state(variant, entry.engine).trace(judgment))
    if before.differences and (before.is_other or not compared.is_other):
        return ()
    lines = causes_of_change(session, variant, judgment, entry.engine, "")
    causes = tuple(line.text.removeprefix("cause: ") for line in lines if line.kind is LineKind.CAUSE)
    return causes or (f"{first_of(earlier.paths)}: without these edits, the answer matches the logged one (tried)",)


def _moves(change: QueryChange) -> Iterator[ChangeLine]:
    """Yields lines about an answer without a judged note that fell: changed ranks, judged notes first, and changed
    quotes.
    """
    now, before, moved = change.now, change.before, change.all_paths_now
    was = {moved.get(path, path): rank for rank, path in enumerate(before.ranking, start=1)}
    ranks = {path: (was.get(path), now.rank_of(path)) for path in (*now.relevant, *now.ranking, *was)}
    for path in [path for path, (then, there) in ranks.items() if then != there][:_MOST_NAMED]:
        then, there = ranks[path]
        yield ChangeLine.of_rank(path, f"{then or 'not found'} → {there or 'not found'}")
    quoted = {moved.get(path, path): path for path in before.quoted}
    yield from (ChangeLine(f"{old}: no longer quoted") for path, old in quoted.items() if path not in now.quoted)
    yield from (ChangeLine(f"{path}: now quoted") for path in now.quoted if path not in quoted)
