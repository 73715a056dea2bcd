"""Evaluates an open project's judged queries: now, compared with a file or a git revision, and in sweeps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.config.layers import PROJECT_FILE
from brvtui.config.profile_choice import profile_file
from brvtui.engines.contract import Context, Query
from brvtui.lab.evaluation.causes import CauseFinder, Reverting
from brvtui.lab.evaluation.comparing import (
    Assessment,
    Comparison,
    Drift,
    DriftPoint,
    GateResult,
    compare_evaluations,
    gate_doubts,
    gate_drop,
    gate_outcomes,
    gate_silent,
    gate_under,
)
from brvtui.lab.evaluation.evaluate import Progress
from brvtui.lab.evaluation.keeping import KeepingEvaluator
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.judgments.reading import LARGEST, parse_judgments
from brvtui.lab.whatif.sweep import FORM, Axis, Sweep, SweepError, parse_axis, sweep, without
from brvtui.lab.whatif.variant import Variant
from brvtui.loading.revised import UNCHANGED, revised
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.regular_files import read_within
from brvtui.saved.evaluations import read_evaluation
from brvtui.session.held_notes import at_revision
from brvtui.session.variants import VariantState
from brvtui.snapshot.naming import find_note
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.revision import Revision
from brvtui.tree.reading.project import MARKER, SOURCES, places_of
from brvtui.tree.reading.signals import defaults
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_AXES = 2
_OF_CROSSINGS = 100
"""The cost, in points of a sweep, of the search for all values at which a query's outcome changes."""


def parse_axes(session: Session, written: Sequence[str]) -> list[Axis]:
    """The axes ``written`` (:func:`brvtui.lab.whatif.sweep.parse_axis`), one or two.

    Raises :class:`brvtui.lab.whatif.sweep.SweepError` and :class:`brvtui.snapshot.naming.UnknownNote`.
    """
    if not 1 <= len(written) <= _MOST_AXES:
        raise SweepError(f"give one or two constants, each as {FORM}")
    constants = session.variants.controls(session.engine)
    axes = []
    for text in written:
        constant, colon, values = text.partition(":")
        if colon and any(constant == each.key for each in constants):
            raise SweepError(f"{shortened(text, 60)} must be {FORM}; write {constant}={values}")
        name, equals, values = text.partition("=")
        note, of_note, signal = name.rpartition(":")
        path = _path_of_note(session, note) if of_note else ""
        controls = [*constants, *(session.variants.note_controls(path) if path else ())]
        named = f"{path}:{signal}{equals}{values}" if path else text
        axes.append(parse_axis(named, controls, len(written)))
    if len({axis.control.key for axis in axes}) < len(axes):
        raise SweepError(f"{axes[0].control.key} is given twice: choose two different constants")
    return axes


def runs_of_sweep(axes: Sequence[Axis]) -> int:
    """The approximate number of times that a sweep over ``axes`` runs each query."""
    return _points(axes) + (_OF_CROSSINGS if len(axes) == 1 else 0)


def _points(axes: Sequence[Axis]) -> int:
    return math.prod(len(axis.values) for axis in axes)


def _path_of_note(session: Session, name: str) -> str:
    """The path of the note called ``name``, whose signals can be swept. Raises the exceptions of :func:`parse_axes`."""
    if not session.kind.can_vary:
        raise SweepError(
            f"{shortened(name, 60)}: only notes in a context tree have signals to sweep; choose a constant"
        )
    found = find_note(session.snapshot, name)
    if found.position is None:
        raise SweepError(f"{found.path} is not searched, so its signals change nothing: choose another note")
    return found.path


def swept_over(
    session: Session,
    axes: Sequence[Axis],
    judgments: Sequence[Judgment],
    metric: Metric,
    base: Variant,
    engine: str,
    options: Mapping[str, Any],
    progress: Progress,
) -> Sweep:
    """Runs ``judgments`` with ``engine`` over the grid of ``axes``, each time with the replacements in ``base``.

    Calls ``progress`` with the number of finished points and the total, and again during the search for crossings. An
    exception from ``progress`` ends the sweep. Raises the exceptions of running queries.
    """
    points = _points(axes)
    done = 0

    def told(number: int, of: int) -> None:
        nonlocal done
        done = number
        progress(number, of)

    def state(variant: Variant) -> VariantState:
        progress(done, points)
        return session.variants.state(variant, engine, options=options)

    names = (engine, session.engines.profile(engine), state(without(base, axes)).context.snapshot_info.clock)
    return sweep(axes, judgments, metric, state, base, names, told)


SAME_ORDER_MS = 3_600_000
"""The time span for which document order is treated as constant, because the set of recent notes stays the same."""
_MOST_EXPLAINED = 50
"""The maximum number of changed queries to explain. Explaining one of them tries every changed note."""
_LARGEST_FILE = 8 << 20
_NOT_IN_GIT = (
    "--baseline-rev reads the notes of a context tree from git, and this is not one: save an evaluation with "
    "brv-tui eval --save before.json, and later compare with it using brv-tui eval --baseline before.json"
)
Limits = tuple[tuple[Metric, float], ...]


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """The metrics, baseline and gates of an evaluation."""

    metrics: tuple[Metric, ...]
    like: Query
    """The query from which all queries get their scope and options."""
    baseline: Path | None = None
    """The file of an earlier evaluation."""
    judgments: Path | None = None
    """The judgments file, which is also read at the revision."""
    revision: str = ""
    """The git revision of the notes to compare with."""
    least: Limits = ()
    """The minimum means of metrics."""
    drops: Limits = ()
    """The maximum drops in the means of metrics."""
    same_outcomes: bool = False
    """True if no query may change its tier."""
    slow: frozenset[str] = frozenset()
    """The outcomes that no query may have, because such answers usually come too late for the agent's hook."""
    limit_s: float = 0.0
    """The number of seconds for which the agent's hook waits."""
    later_ms: float = 0.0
    """The time of the evaluation after the session's clock, in milliseconds; negative for earlier times."""
    use_kept: bool = True
    """True if stored answers may be reused for earlier queries; with a running clock, only those from the last hour."""

    @property
    def baseline_name(self) -> str:
        """The name of the baseline; empty if there is none."""
        return self.revision or str(self.baseline or "")

    @property
    def is_gated(self) -> bool:
        """True if the evaluation can fail, or is compared with a baseline."""
        return self.has_gates or bool(self.baseline_name)

    @property
    def has_gates(self) -> bool:
        """True if the evaluation can fail."""
        return bool(self.least or self.drops or self.same_outcomes or self.limit_s)


def assess(session: Session, judgments: Sequence[Judgment], plan: EvaluationPlan, progress: Progress) -> Assessment:
    """Runs all ``judgments``, compares the results with the baseline of ``plan``, and finds changes and their causes.

    Each query is a preview: nothing is written, checked out or cached. Calls ``progress`` with the number of answered
    queries and the total, for each side. Raises :class:`brvtui.engines.contract.EngineError`,
    :class:`brvtui.tree.history.git.RevisionError` and :class:`brvtui.saved.traces.SavedError`; the last two are raised
    before any query runs.
    """
    engine = session.engines.named(session.engine)
    evaluator = replace(session.evaluator, is_used=plan.use_kept)
    context = _context(session, plan, evaluator)
    if plan.revision and not session.kind.can_vary:
        raise RevisionError(_NOT_IN_GIT)
    revision = reverting = None
    if plan.revision:
        revision, difference = at_revision(context.snapshot, plan.revision, defaults(session.profile.signals))
        reverting = Reverting(plan.revision, difference, context.snapshot, context.now_ms, session.profile)
    earlier = read_evaluation(plan.baseline) if plan.baseline is not None else None

    def asked(in_context: Context[Any], revision: str) -> Evaluation:
        return evaluator.evaluate(engine, in_context, judgments, plan.like, revision, progress, plan.later_ms)

    evaluation = asked(context, "")
    if reverting is not None:
        # shared sources and settings are current
        before = replace(context, snapshot=reverting.revert(reverting.difference))
        is_same = not reverting.difference.paths and reverting.difference.unread is None
        earlier = replace(evaluation, revision=plan.revision) if is_same else asked(before, plan.revision)
    comparison = None
    if earlier is not None:
        comparison = compare_evaluations(evaluation, earlier, context.snapshot.parsed.__contains__)
    if revision is not None and comparison is not None:
        comparison = _with_earlier_judgments(session, plan, revision.commit, comparison, context)
        comparison = _with_changed_files(session, plan, revision.commit, comparison)
    if reverting is not None and comparison is not None:
        notices = [reverting.difference.times] if reverting.difference.times else []
        if plan.revision == "HEAD" and plan.has_gates and not reverting.difference.paths:
            notices.append("no note differs from HEAD; in CI, pass the merge's target branch")
        if session.project.sources:
            notices.append(f"shared sources are compared as they are now, not as of {plan.revision}")
        comparison = replace(comparison, notices=(*comparison.notices, *notices))
    gates = tuple(_gates(evaluation, comparison, plan))
    assessment = Assessment(evaluation, plan.metrics, comparison, plan.baseline_name, gates)
    decisive = plan.drops[0][0] if plan.drops else plan.metrics[0]
    finder = CauseFinder(engine, context, plan.like, {each.id: each for each in judgments}, decisive)
    return replace(assessment, causes=finder.explain(assessment.to_explain[:_MOST_EXPLAINED], reverting))


def drift(
    session: Session, judgments: Sequence[Judgment], plan: EvaluationPlan, days: Sequence[float], progress: Progress
) -> Drift:
    """Runs all ``judgments`` for now and for each of ``days``, assuming that no note changes until then.

    The gates of ``plan`` are checked now, and on each of these days with the current results as the baseline. Raises
    :class:`brvtui.engines.contract.EngineError`.
    """
    engine = session.engines.named(session.engine)
    evaluator = replace(session.evaluator, is_used=plan.use_kept)
    now = _context(session, plan, evaluator)

    def asked(after_ms: float) -> Evaluation:
        context = context_at(session, now.now_ms + after_ms) if after_ms else now
        return evaluator.evaluate(engine, context, judgments, plan.like, "", progress, plan.later_ms + after_ms)

    today, points = asked(0.0), []
    for day in sorted(set(days)):
        comparison = compare_evaluations(asked(day * MS_PER_DAY), today)
        gates = tuple(_gates(comparison.now, comparison, plan))
        points.append(DriftPoint(day, comparison, gates))
    return Drift(today, plan.metrics, tuple(points), tuple(_gates(today, None, plan)))


def _context(session: Session, plan: EvaluationPlan, evaluator: KeepingEvaluator) -> Context[Any]:
    """The context for ``plan``. If answers from the last hour are stored, its time is the time of these answers."""
    context = context_at(session, session.clock() + plan.later_ms)
    engine = session.engines.named(session.engine)
    moment, _ = evaluator.recent(engine, context, plan.like, plan.later_ms)
    return context if moment == context.now_ms else context_at(session, moment)


def context_at(session: Session, now_ms: float) -> Context[Any]:
    """The context for an answer of the session's engine at ``now_ms``, assuming that no note changes until then."""
    context = session.engines.context(session.engine)
    if now_ms == context.now_ms:
        return context
    snapshot = context.snapshot
    if abs(now_ms - context.now_ms) > SAME_ORDER_MS and session.kind.can_vary:
        snapshot = revised(snapshot, session.profile, now_ms, UNCHANGED)
    return replace(context, snapshot=snapshot, now_ms=now_ms)


def _gates(evaluation: Evaluation, comparison: Comparison | None, plan: EvaluationPlan) -> list[GateResult]:
    gates = [gate_under(evaluation, metric, minimum) for metric, minimum in plan.least]
    gates += [gate_silent(evaluation, plan.slow, plan.limit_s)] if plan.limit_s else []
    if comparison is not None:
        gates += [gate_drop(comparison, metric, maximum) for metric, maximum in plan.drops]
        gates += [gate_outcomes(comparison)] if plan.same_outcomes else []
    return [*gates, *gate_doubts(evaluation, comparison)] if gates else []


def _with_earlier_judgments(
    session: Session, plan: EvaluationPlan, commit: str, comparison: Comparison, context: Context[Any]
) -> Comparison:
    """``comparison`` with a line about queries that were in the judgments file at the revision, but are missing or
    judged differently now.
    """
    root, finder = session.project.root.resolve(), DocumentFinder(context.snapshot)
    try:
        path = (plan.judgments or root).resolve().relative_to(root).as_posix()
        judged = parse_judgments(Revision(root, commit).content(path, LARGEST), f"{path} at {plan.revision}")
    except ValueError as error:  # also RevisionError and JudgmentsError
        why = f"removed judgments go undetected, because the file cannot be read at {plan.revision} ({error})"
        return replace(comparison, notices=(why, *comparison.notices))
    then = tuple(
        QueryResult(each.id, each.text, each.scope, "", each.grades, "", (), 0, 0.0)
        for each in map(finder.followed_surely, judged)
    )
    earlier = compare_evaluations(comparison.now, replace(comparison.before, queries=then), lambda path: True)
    added = {each.now.id for each in comparison.changes} - {each.now.id for each in earlier.changes}
    return replace(comparison, left_out=earlier.left_out, added=frozenset(added))


def _with_changed_files(session: Session, plan: EvaluationPlan, commit: str, comparison: Comparison) -> Comparison:
    """``comparison`` with a line for each file of the project that affects both sides, but differs at the revision."""
    try:
        revision = Revision(session.project.root, commit)
    except RevisionError as error:  # the tree has its own repository
        why = f"changes to the project's settings and shared sources go undetected ({error})"
        return replace(comparison, notices=(why, *comparison.notices))
    try:
        changed = changed_files(session, revision)
    except RevisionError as error:
        why = f"settings and shared sources cannot be compared with those at {plan.revision} ({error})"
        return replace(comparison, unlike=(why,))
    why = "the baseline used the current file; save one there, then use --baseline FILE"
    return replace(comparison, unlike=tuple(f"{path} differs at {plan.revision}: {why}" for path in changed))


def changed_files(session: Session, revision: Revision) -> tuple[str, ...]:
    """The paths of files with settings, sources or constants of the project that differ at ``revision``, relative to
    the project. Raises :class:`brvtui.tree.history.git.RevisionError`.
    """
    root, profile = session.project.root, profile_file(session.configuration)
    files = [Path(MARKER, PROJECT_FILE), Path(MARKER, SOURCES)]
    if profile is not None:
        files += [place.relative_to(root) for place in places_of(profile) if place.is_relative_to(root)][:1]
    return tuple(path.as_posix() for path in files if _differs(root, path.as_posix(), revision))


def _differs(root: Path, path: str, revision: Revision) -> bool:
    try:
        now = read_within(root, root / path, _LARGEST_FILE)
    except OSError:  # the project is read without this file
        now = b""
    then = revision.followed_content(path, _LARGEST_FILE) or b""
    return now.replace(b"\r\n", b"\n") != then.replace(b"\r\n", b"\n")
