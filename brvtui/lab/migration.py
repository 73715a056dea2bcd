"""Compares the answers to a query before and after a migration to ByteRover V4. Writes nothing to disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from brvtui.engines.migration import MigratedTree
from brvtui.lab.judgments.model import NOT_COVERED, Judgment, outcome_of
from brvtui.trace import Trace

_SHOWN = 10


class AnswerChange(StrEnum):
    """Kinds of answer changes, worst first."""

    NOTHING_FOUND = "no longer covered"
    FIRST_GONE = "the first note is no longer in the answer"
    OTHER_FIRST = "another note is first"
    COVERED_NOW = "not covered before, and to be cited after"
    SAME_FIRST = "the same note is first"
    STILL_NOTHING = "still not covered"
    RIGHTLY_NOTHING = "not covered now, as the judgment expects"


@dataclass(frozen=True, slots=True)
class AnsweredNote:
    """A note in an answer, with its score."""

    note: str
    score: float


@dataclass(frozen=True, slots=True)
class MigratedAnswer:
    """One query's answers before and after the migration. Scores of the two engines are not comparable."""

    query: str
    scope: str
    source: str
    """``judged``, ``logged`` or ``given``."""
    change: AnswerChange
    outcome: str
    """The outcome in ByteRover 3: ``tier 2``, ``not covered``."""
    should_cite: bool
    """True if V4 would tell its agent to cite the answer."""
    before: tuple[AnsweredNote, ...]
    """Up to ten notes from the earlier answer, best first."""
    after: tuple[AnsweredNote, ...]
    """Up to ten notes from the later answer, best first. They are the sources of the topics found by V4."""
    rank_before: int | None
    """The earlier rank of the best judged note; None if no note is judged or none is in the answer."""
    rank_after: int | None


def migrated_answer(
    judgment: Judgment, source: str, before: Trace, tree: MigratedTree, notes: Mapping[str, str], now_ms: float
) -> MigratedAnswer:
    """The answers to the query of ``judgment``: ``before``, and the answer from the space in ``tree`` at ``now_ms``.

    ``notes`` maps each topic to the note it came from.
    """
    answer = tree.answer(judgment.text, judgment.scope, now_ms)
    old = tuple(AnsweredNote(hit.path, hit.score) for hit in before.hits[:_SHOWN])
    new = tuple(AnsweredNote(notes[path], score) for path, score in answer.hits[:_SHOWN])
    return MigratedAnswer(
        query=judgment.text,
        scope=judgment.scope,
        source=source,
        change=_change(judgment, before, old, new),
        outcome=outcome_of(before),
        should_cite=answer.should_cite,
        before=old,
        after=new,
        rank_before=_rank(judgment, old),
        rank_after=_rank(judgment, new),
    )


def _change(
    judgment: Judgment, trace: Trace, before: tuple[AnsweredNote, ...], after: tuple[AnsweredNote, ...]
) -> AnswerChange:
    if not after and before and judgment.expected == NOT_COVERED:
        return AnswerChange.RIGHTLY_NOTHING
    if not after:
        return AnswerChange.NOTHING_FOUND if before else AnswerChange.STILL_NOTHING
    if not trace.covered or not before:
        return AnswerChange.COVERED_NOW
    if before[0].note == after[0].note:
        return AnswerChange.SAME_FIRST
    kept = any(hit.note == before[0].note for hit in after)
    return AnswerChange.OTHER_FIRST if kept else AnswerChange.FIRST_GONE


def _rank(judgment: Judgment, hits: tuple[AnsweredNote, ...]) -> int | None:
    best = max((document.grade for document in judgment.documents), default=0)
    wanted = {document.path for document in judgment.documents if document.grade == best and best}
    return next((rank for rank, hit in enumerate(hits, 1) if hit.note in wanted), None)
