"""Finds why two answers to one query differ, by asking again with one thing replaced after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.answer_diff.results import AnswerDiff, NoteDiff, OutcomeStep
from brvtui.lab.answer_diff.standings import NoteStanding, cause_of, has_moved, ranked, standing_in
from brvtui.lab.answer_diff.states import CauseKind, StateMixer, in_order
from brvtui.lab.judgments.model import outcome_of
from brvtui.trace import Trace

MOST_NOTES = 20
"""How many notes a comparison explains: those that stand first in one of the answers."""
_TEXTS = "texts of notes"


@dataclass(frozen=True)
class CauseSearch:
    """Asks ``engine`` one query in every state of ``mixer``."""

    engine: Engine[Any]
    mixer: StateMixer
    query: Query
    _answers: dict[int, tuple[Context[Any], Trace]] = field(default_factory=dict)
    """By the identity of the snapshot and the constants: states that are the same are asked once."""

    def diff(self, most: int = MOST_NOTES) -> AnswerDiff:
        """Both answers beside each other, with causes for the first ``most`` notes that changed."""
        then, now = self._answer(()), self._answer(CauseKind)
        first, last = ranked(then[1]), ranked(now[1])
        changed = [path for path in dict.fromkeys((*last, *first)) if has_moved(first.get(path), last.get(path))]
        return AnswerDiff(
            query=self.query.text,
            scope=self.query.scope,
            engine=self.engine.name,
            then_name=self.mixer.then.name,
            now_name=self.mixer.now.name,
            outcome_then=outcome_of(then[1]),
            outcome_now=outcome_of(now[1]),
            outcomes=tuple(self._outcomes()),
            notes=tuple(self.note(path) for path in changed[:most]),
            left_out=max(0, len(changed) - most),
            then=then[1],
            now=now[1],
        )

    def note(self, path: str) -> NoteDiff:
        """The note at ``path`` in both answers, with the causes of its change."""
        then = at = self._standing((), path)
        causes = []
        for kind, taken in in_order(self.mixer.kinds):
            if kind is CauseKind.OWN_TEXT and path not in self.mixer.changed_files:
                continue
            before, at = at, self._standing(taken, path)
            causes.append(cause_of(kind, before, at))
        now = self._standing(CauseKind, path)
        held = now if now.rank is not None else then
        context, trace = self._answer(CauseKind if held is now else ())
        scores = then.score, now.score
        return NoteDiff(
            path, _title(context, trace, path), then.rank, now.rank, *scores, tuple(causes), now.reason, then.reason
        )

    def _outcomes(self) -> Iterable[OutcomeStep]:
        for kind, taken in in_order(self.mixer.kinds):
            if kind is not CauseKind.OWN_TEXT:
                what = _TEXTS if kind is CauseKind.OTHER_TEXTS else str(kind)
                yield OutcomeStep(what, outcome_of(self._answer(taken)[1]))

    def _answer(self, taken: Iterable[CauseKind], path: str = "") -> tuple[Context[Any], Trace]:
        context = self.mixer.mixed(tuple(taken), path)
        key = hash((id(context.snapshot), id(context.constants), context.now_ms))
        if key not in self._answers:
            self._answers[key] = context, self.engine.answer(context, self.query)
        return self._answers[key]

    def _standing(self, taken: Iterable[CauseKind], path: str) -> NoteStanding:
        return standing_in(self.engine, *self._answer(taken, path), path)


def _title(context: Context[Any], trace: Trace, path: str) -> str:
    """The title of the note at ``path``; of a folder's summary, that of the result."""
    place = context.snapshot.by_path.get(path)
    if place is not None:
        return context.snapshot.notes[place].title
    found = ranked(trace).get(path)
    return found[1].title if found is not None else path.rpartition("/")[2]
