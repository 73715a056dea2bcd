"""A saved answer beside that of now: its notes are not at hand, but its moment and its constants are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.answer_diff.find import MOST_NOTES
from brvtui.lab.answer_diff.results import AnswerDiff, NoteDiff, OutcomeStep
from brvtui.lab.answer_diff.standings import NoteStanding, cause_of, has_moved, parts_of, ranked, standing_in
from brvtui.lab.answer_diff.states import CauseKind
from brvtui.lab.judgments.model import outcome_of
from brvtui.trace import Trace

Replacements = Sequence[tuple[CauseKind, Context[Any]]]
"""What is replaced one after the other, each with the context in which the query is asked then; the last is now."""


def diff_with_saved(
    engine: Engine[Any], saved: Trace, name: str, replacements: Replacements, most: int = MOST_NOTES
) -> AnswerDiff:
    """The answer ``saved``, called ``name``, beside that of now, with causes for the first ``most`` notes that changed.

    Whatever is not replaced by itself belongs to the first replacement: the notes and signals of then are gone.
    """
    query = Query.repeating(saved)
    answers = [(kind, context, engine.answer(context, query)) for kind, context in replacements]
    now = answers[-1][2]
    first, last = ranked(saved), ranked(now)
    changed = [path for path in dict.fromkeys((*last, *first)) if has_moved(first.get(path), last.get(path))]
    return AnswerDiff(
        query=saved.query,
        scope=saved.scope_option,
        engine=saved.engine,
        then_name=name,
        now_name="now",
        outcome_then=outcome_of(saved),
        outcome_now=outcome_of(now),
        outcomes=tuple(OutcomeStep(str(kind), outcome_of(trace)) for kind, _, trace in answers),
        notes=tuple(_notes(engine, saved, answers, changed[:most])),
        left_out=max(0, len(changed) - most),
        then=saved,
        now=now,
    )


def _notes(
    engine: Engine[Any], saved: Trace, answers: Sequence[tuple[CauseKind, Context[Any], Trace]], paths: Sequence[str]
) -> Iterator[NoteDiff]:
    for path in paths:
        then = at = _saved_standing(saved, path)
        causes = []
        for kind, context, trace in answers:
            before, at = at, standing_in(engine, context, trace, path)
            causes.append(cause_of(kind, before, at))
        titles = [hit.title for trace in (answers[-1][2], saved) for hit in trace.hits if hit.file == path]
        yield NoteDiff(path, titles[0], then.rank, at.rank, then.score, at.score, tuple(causes), at.reason, then.reason)


def _saved_standing(saved: Trace, path: str) -> NoteStanding:
    """Where the note at ``path`` stood; of one that was no result, what the near misses say."""
    found = ranked(saved).get(path)
    if found is not None:
        return NoteStanding(found[1].score, found[0], parts_of(found[1]), None, "")
    miss = next((miss for miss in saved.near_misses if miss.file == path), None)
    if miss is None:
        return NoteStanding(None, None, {}, None, "not among the results that were saved")
    return NoteStanding(miss.score, None, {}, None, miss.reason)
