"""Compares answers in an open project: two answers to one query, two notes in one answer, or several engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brvtui.config.profile_choice import recorded_profile, with_overrides
from brvtui.engines import registry
from brvtui.engines.contract import Context, Engine, EngineError, Query
from brvtui.engines.profile_files import profiles_of, tree_profile
from brvtui.lab.answer_diff import AnswerDiff, AskedState, CauseKind, CauseSearch, StateMixer, diff_with_saved
from brvtui.lab.engine_comparison import EngineAnswers, JudgedEngines, ask_engines
from brvtui.lab.evaluation.evaluate import evaluate
from brvtui.lab.evaluation.results import Evaluation, Metric
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.pair import PairComparison, RankSwapSearch, compare_pair
from brvtui.loading.revised import UNCHANGED, Difference, edit_after_save, revised
from brvtui.session.evaluating import SAME_ORDER_MS
from brvtui.session.held_notes import at_revision
from brvtui.snapshot.naming import find_note
from brvtui.trace import Trace
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.signals import SignalLayers, defaults, read_signals_file
from brvtui.typed_tables import ProfileError
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session.session import Session
    from brvtui.snapshot import Snapshot

# Runs one query, or every judged query, with all engines of an open project.


def ask_all(session: Session, query: Query, names: Sequence[str] = ()) -> EngineAnswers:
    """The answers to ``query`` from the engines ``names``, by default from all that rank the open project.

    Raises :class:`brvtui.engines.contract.EngineError` for an engine that is not installed.
    """
    return ask_engines([_asked(session, name) for name in names or session.engines.names], query)


def judge_all(
    session: Session,
    judgments: Sequence[Judgment],
    metrics: Sequence[Metric],
    like: Query,
    names: Sequence[str] = (),
    keep: bool = True,
) -> JudgedEngines:
    """The results for all ``judgments`` from the engines ``names``, by default from all.

    Answers are stored in the cache that ``eval`` uses unless ``keep`` is False, as for temporary trees. An engine that
    refuses a query is left out, with a line that gives the reason. Raises
    :class:`brvtui.engines.contract.EngineError` for an engine that is not installed.
    """
    pairs = [_asked(session, name) for name in names or session.engines.names]
    evaluations: list[Evaluation] = []
    problems = []
    for engine, context in pairs:
        try:
            evaluate_with = session.evaluator.evaluate if keep else evaluate
            evaluations.append(evaluate_with(engine, context, judgments, like))
        except EngineError as error:
            problems.append(f"{engine.name}: {error}")
    return JudgedEngines(tuple(evaluations), tuple(metrics), tuple(problems))


def _asked(session: Session, name: str) -> tuple[Engine[Any], Context[Any]]:
    if name not in session.engines.names:
        named = f"{name} cannot rank this project: choose one of {', '.join(session.engines.names)}"
        raise EngineError(registry.why_unknown(name) or named)
    return session.engines.named(name), session.engines.context(name)


# The reasons why one note ranks above another in an answer, and the changes that would swap them.


def why_above(session: Session, query: Query, one: str, other: str) -> PairComparison:
    """Compares the notes named ``one`` and ``other`` for ``query``, the higher one first. Writes nothing.

    Raises :class:`brvtui.engines.contract.EngineError`, :class:`brvtui.snapshot.naming.UnknownNote` and
    :class:`brvtui.lab.pair.NotScored`.
    """
    engine, context = session.engines.named(session.engine), session.engines.context(session.engine)
    notes = [find_note(context.snapshot, name) for name in (one, other)]
    comparison = compare_pair(engine, context, engine.answer(context, query), notes[0], notes[1])
    turner = RankSwapSearch(engine, context, session.profile, query, comparison.above.path, comparison.below.path)
    return replace(comparison, turning=turner.smallest())


_MS_PER_MINUTE = 60_000
_SPANS = (
    (1_440 * _MS_PER_MINUTE, "day", "days"),
    (60 * _MS_PER_MINUTE, "hour", "hours"),
    (_MS_PER_MINUTE, "minute", "minutes"),
)
_AS_IT_IS = "as it is"


@dataclass(frozen=True, slots=True)
class DiffPlan:
    """Two states: *then* is the project as it is, or at a revision; *now* is the project with the other changes in this
    plan. At least one change must be given.
    """

    query: Query
    then_ms: float
    """The time for "then", in milliseconds since 1970."""
    revision: str = ""
    """The git revision with the notes for "then"."""
    at_ms: float | None = None
    """The time for "now", in milliseconds since 1970."""
    profile: str = ""
    """The profile for "now"."""
    signals: Path | None = None
    """The file with the signals for "now"."""
    edits: Mapping[str, bytes] = field(default_factory=dict)
    """The contents of files that "now" replaces, keyed by path below the tree; they count as saved just before "then".
    """
    without: tuple[str, ...] = ()
    """The files that "now" leaves out."""


def diff_answers(session: Session, plan: DiffPlan) -> AnswerDiff:
    """Runs the query of ``plan`` in both states, and finds the causes of every change. Writes nothing.

    Raises :class:`brvtui.engines.contract.EngineError`, :class:`brvtui.tree.history.git.RevisionError`,
    :class:`brvtui.typed_tables.ProfileError` and :class:`brvtui.tree.reading.signals.SignalsError`.
    """
    engine = session.engines.named(session.engine)
    context = replace(session.engines.context(session.engine), now_ms=plan.then_ms)
    changes_files = plan.revision or plan.edits or plan.without
    if (changes_files or plan.signals) and not session.kind.can_vary:
        raise EngineError(
            "only the notes in a context tree can be compared in this way; choose another time or profile"
        )
    base = context.snapshot
    then = AskedState(_AS_IT_IS, context, session.profile, UNCHANGED, base.stored)
    now = replace(then, name=_name(plan, context.now_ms), difference=_edited(plan, context))
    if plan.revision:
        _, difference = at_revision(base, plan.revision, defaults(session.profile.signals))
        stored = base.stored.with_first(difference.signals)
        then = replace(then, name=plan.revision, difference=difference, stored=stored)
    if plan.signals is not None:
        file_signals = read_signals_file(plan.signals, defaults(session.profile.signals))
        now = replace(now, stored=SignalLayers((file_signals, *base.stored.layers), base.stored.broken))
    if plan.profile:
        constants, reading = _constants(session, plan.profile)
        now = replace(now, reading=reading, context=replace(now.context, constants=constants))
    if plan.at_ms is not None:
        now = replace(now, context=replace(now.context, now_ms=plan.at_ms))
    return replace(CauseSearch(engine, StateMixer(then, now), plan.query).diff(), times=then.difference.times)


def diff_with_saved_answer(session: Session, saved: Trace, name: str) -> AnswerDiff:
    """Compares the answer ``saved``, called ``name``, with the same engine's current answer. Writes nothing.

    First replaces the notes and signals with the current ones, then the time, then the constants if the saved profile
    can be read. If it cannot, the constants change in the first step. Raises
    :class:`brvtui.engines.contract.EngineError`.
    """
    engine = registry.without_state(session.engines.named(saved.engine))
    context = session.engines.context(saved.engine)
    constants: Any = context.constants
    reading: TreeConstants = session.profile
    is_same = getattr(constants, "name", saved.profile) == saved.profile
    if not is_same:
        with suppress(ProfileError, EngineError):
            constants, reading = _recorded_constants(session, saved)
    then_ms = datetime.fromisoformat(saved.snapshot.clock).timestamp() * 1000
    of_then = replace(context, constants=constants)

    def at(now_ms: float) -> Context[Any]:
        snapshot = context.snapshot
        if session.kind.can_vary:
            saved_then = _saved_at(now_ms, snapshot)
            is_as_read = reading is session.profile and abs(now_ms - context.now_ms) <= SAME_ORDER_MS
            if saved_then.edits or not is_as_read:
                snapshot = revised(snapshot, reading, now_ms, saved_then)
        return replace(of_then, snapshot=snapshot, now_ms=now_ms)

    replacements = [(CauseKind.NOTES, at(then_ms)), (CauseKind.AGE, at(context.now_ms))]
    if constants is not context.constants:
        replacements.append((CauseKind.CONSTANTS, context))
    return diff_with_saved(engine, saved, name, replacements)


def _saved_at(moment_ms: float, snapshot: Snapshot) -> Difference:
    """The files in ``snapshot`` that were written after ``moment_ms``, with their time set back to ``moment_ms``.

    Otherwise, the effect of saving a note on its recency would be reported as an effect of age.
    """
    edits = {}
    for path, entry in snapshot.parsed.items():
        if entry.mtime_ms > moment_ms and not entry.alias:
            with suppress(OSError):  # the file was removed
                edits[path] = edit_after_save(snapshot, moment_ms, path, snapshot.read(path), keep_mtime=False)
    return Difference(edits, frozenset())


def _constants(session: Session, profile: str) -> tuple[Any, TreeConstants]:
    """The engine's constants in ``profile``, and the constants for reading files with this profile."""
    if not registry.reads_trees(session.engine):
        return session.engines.named(session.engine).constants(profile), session.profile
    chosen = with_overrides(tree_profile(profile), session.settings)
    return chosen, chosen


def _recorded_constants(session: Session, saved: Trace) -> tuple[Any, TreeConstants]:
    """The constants with which ``saved`` was answered, as in :func:`_constants`. Opens no file that a trace names.

    Raises :class:`brvtui.typed_tables.ProfileError`.
    """
    profile, engine = saved.profile, saved.engine
    if not registry.reads_trees(engine):
        if profile not in profiles_of(engine):
            raise ProfileError(f"no profile {profile}")
        return session.engines.named(engine).constants(profile), session.profile
    profile_then = recorded_profile(session.configuration, profile.removesuffix("*"))
    if profile.endswith("*") and profile_then.name != profile:
        raise ProfileError(f"{profile}: the constants that the settings changed at that time are not known")
    return profile_then, profile_then


def _edited(plan: DiffPlan, context: Context[Any]) -> Difference:
    edits = {
        path: edit_after_save(context.snapshot, context.now_ms, path, data, keep_mtime=False)
        for path, data in plan.edits.items()
    }
    return Difference(edits, frozenset(plan.without))


def _name(plan: DiffPlan, then_ms: float) -> str:
    """A short label to show instead of "now": the changes in ``plan``, in a few words."""
    changes = [f"profile {plan.profile}" if plan.profile else "", "other signals" if plan.signals is not None else ""]
    changes += [f"{path} edited" for path in plan.edits] + [f"without {path}" for path in plan.without]
    changes.append(_later(plan.at_ms - then_ms) if plan.at_ms is not None else "")
    return ", ".join(filter(None, changes)) or _AS_IT_IS


def _later(ms: float) -> str:
    """The time span ``ms`` in words, such as ``2 hours later`` or ``3 days earlier``; empty if less than a minute."""
    away = round(abs(ms) / _MS_PER_MINUTE) * _MS_PER_MINUTE
    if not away:
        return ""
    exact = next((span for span in _SPANS[:-1] if away % span[0] == 0), None)
    size, one, more = exact or next((span for span in _SPANS if away >= 2 * span[0]), _SPANS[-1])
    about = "" if away % size == 0 else "about "
    return f"{about}{counted(round(away / size), one, more)} {'later' if ms > 0 else 'earlier'}"
