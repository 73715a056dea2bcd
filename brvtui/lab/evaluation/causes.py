"""Finds the causes of changed results: the notes that fell, the changed score parts, and the responsible edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from brvtui.engines.contract import Context, Engine, Query
from brvtui.lab.answer_diff import AskedState, CauseSearch, StateMixer
from brvtui.lab.evaluation.comparing import ChangeLine, QueryChange
from brvtui.lab.evaluation.evaluate import ask, result_of
from brvtui.lab.evaluation.results import Metric, QueryResult
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import Judgment
from brvtui.loading import EditedFile
from brvtui.loading.revised import UNCHANGED, Difference, revised
from brvtui.paint.text import signed
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.tree.constants import TreeConstants
from brvtui.wording import first_of

_MOST_NOTES, _MOST_PARTS = 3, 3
_SAME = 1e-9
_SHOWN = 0.00005


@dataclass(frozen=True)
class Reverting:
    """An earlier state of the notes, used to build snapshots that revert some notes to that state."""

    name: str
    difference: Difference
    snapshot: Snapshot
    """The current notes."""
    now_ms: float
    """The time that the snapshots represent."""
    reading: TreeConstants
    """The constants for reading files."""

    def revert(self, part: Difference) -> Snapshot:
        """The current notes, with the files in ``part`` reverted to the earlier state."""
        return revised(self.snapshot, self.reading, self.now_ms, part)

    def mixer(self, context: Context[Any]) -> StateMixer:
        """The mixer of the current state of ``context`` and the earlier state."""
        now = AskedState("now", context, self.reading, UNCHANGED, context.snapshot.stored)
        stored = now.stored.with_first(self.difference.signals)
        return StateMixer(replace(now, name=self.name, difference=self.difference, stored=stored), now)


@dataclass(frozen=True, slots=True)
class CauseFinder:
    """Explains the changes in an evaluation by running queries with ``engine`` in ``context``, with the options of
    ``like``.
    """

    engine: Engine[Any]
    context: Context[Any]
    like: Query
    judgments: Mapping[str, Judgment]
    """The judgments, keyed by id."""
    metric: Metric
    """The metric used to compare results with earlier ones."""
    most_tried: int = 30
    """The maximum number of changed notes that are reverted, because each of them needs a new snapshot."""

    def explain(
        self, changes: Sequence[QueryChange], reverting: Reverting | None = None
    ) -> dict[str, tuple[ChangeLine, ...]]:
        """Explanations keyed by query id: lines about the effects of each change and, with ``reverting``, about the
        cause of the change.

        A note is the cause if reverting only that note restores the earlier result.
        """
        causes = self._edit_causes(changes, reverting) if reverting is not None else {}
        mixer = reverting.mixer(self.context) if reverting is not None else None
        return {
            change.now.id: (
                *self._effects(change, mixer),
                *([causes[change.now.id]] if change.now.id in causes else ()),
            )
            for change in changes
        }

    def _effects(self, change: QueryChange, mixer: StateMixer | None) -> Iterator[ChangeLine]:
        """Yields lines about a changed outcome, relevant notes that fell, and a new first note."""
        now, before = change.now, change.before
        if change.changes_outcome:
            yield ChangeLine(now.sentence)
        olds = dict(zip(now.relevant, before.relevant, strict=False))
        fallen = [(path, old) for path, old in olds.items() if _place(now.rank_of(path)) > _place(before.rank_of(old))]
        was = {path: old for old, path in change.all_paths_now.items()}
        risen = [(path, old) for path in now.ranking[:1] if before.ranking[:1] != ((old := was.get(path, path)),)]
        for path, old in [*fallen[:_MOST_NOTES], *risen]:
            rank = now.rank_of(path)
            rank_text = f"rank {rank}" if rank else "not found"
            score = self._score_change(change, path, old) if mixer is None else self._causes(now, path, old, mixer)
            yield ChangeLine.of_rank(path, f"{before.rank_of(old) or 'not found'} → {rank_text}{score}")
            if rank is None:
                yield from self._reason(now, path)

    def _score_change(self, change: QueryChange, path: str, old: str) -> str:
        now = next((item for item in change.now.results if item.path == path), None)
        was = next((item for item in change.before.results if item.path == old), None)
        if now is None or was is None:
            return ""
        parts = {part.name: part.value for part in now.parts}
        for part in was.parts:
            parts[part.name] = parts.get(part.name, 0.0) - part.value
        largest = sorted(((abs(value), name) for name, value in parts.items() if abs(value) > _SHOWN), reverse=True)
        listed = ", ".join(f"{name} {signed(parts[name], 4)}" for _, name in largest[:_MOST_PARTS])
        return f", score {was.score:.4g} → {now.score:.4g}" + (f" ({listed})" if listed else "")

    def _causes(self, now: QueryResult, path: str, old: str, mixer: StateMixer) -> str:
        """The score of the note at ``path`` before and after, with the causes of the change, as text; empty if the note
        moved there from ``old`` or if no cause is visible.
        """
        judgment = self.judgments[now.id]
        query = replace(self.like, text=judgment.text, scope=judgment.scope or self.like.scope, run=False)
        note = CauseSearch(self.engine, mixer, query).note(path) if path == old else None
        return f", score {note.summary}" if note is not None and ":" in note.summary else ""

    def _reason(self, now: QueryResult, path: str) -> Iterator[ChangeLine]:
        """Yields a line with the reason why the note at ``path`` is not in the current answer."""
        snapshot = self.context.snapshot
        if path not in snapshot.by_path:
            unread = next((file.reason for file in snapshot.unseen if file.path == path), "")
            yield ChangeLine(f"{path}: {f'not read: {unread}' if unread else 'the note no longer exists'}")
            return
        trace = ask(self.engine, self.context, self.judgments[now.id], self.like)
        why = self.engine.why(self.context, trace, Named(path, snapshot.by_path[path]))
        if why.reason is not None:
            yield ChangeLine(f"{path}: {why.reason.text}" + (f" ({why.numbers})" if why.numbers else ""))

    def _edit_causes(self, changes: Sequence[QueryChange], reverting: Reverting) -> dict[str, ChangeLine]:
        """The cause of each change, found by reverting the changed notes one at a time."""
        paths = reverting.difference.paths
        if not paths:
            return {}
        seen = {path for change in changes for path in (*change.now.ranking, *change.before.ranking)}
        candidates = sorted(paths, key=lambda path: path not in seen)[: self.most_tried]
        lines: dict[str, ChangeLine] = {}
        left = list(changes)
        for path in candidates:
            if not left:
                break
            snapshot = reverting.revert(reverting.difference.only({path}))
            for change in [*left]:
                if self._is_as_before(change, snapshot):
                    edit = self._edit(path, reverting, change)
                    what = "outcome" if change.changes_outcome else "answer"
                    what = "ranking" if change.is_worse(self.metric) else what
                    lines[change.now.id] = ChangeLine.of_cause(f"{edit}, the old {what} is back (tried)")
                    left.remove(change)
        together = f"none of the {len(paths)} changed files explains it on its own"
        if len(paths) == 1:
            together = "the only changed file does not explain it"
        if len(paths) > len(candidates):
            together = f"{len(candidates)} of {len(paths)} changed files were tried one by one, and none explains it"
        return {
            **lines,
            **{change.now.id: ChangeLine.of_cause(self._missing_notes(change) or together) for change in left},
        }

    def _missing_notes(self, change: QueryChange) -> str:
        """A message about relevant notes from the earlier answer that are now missing; empty if there are none."""
        now, before = change.now, change.before
        missing = [
            path
            for path, old in zip(now.relevant, before.relevant, strict=False)
            if before.rank_of(old) is not None and path not in self.context.snapshot.by_path
        ]
        if missing and not self.context.snapshot.notes:
            return "every note is gone"
        return f"{first_of(missing)} {'is' if len(missing) == 1 else 'are'} gone" if missing else ""

    def _is_as_before(self, change: QueryChange, snapshot: Snapshot) -> bool:
        judgment, _ = DocumentFinder(snapshot).followed(self.judgments[change.now.id])
        result = result_of(judgment, ask(self.engine, replace(self.context, snapshot=snapshot), judgment, self.like))
        if not change.changes_outcome and not change.is_worse(self.metric):
            moved = {old: path for old, path in change.paths_now.items() if path in snapshot.by_path}
            return not replace(change, now=result, paths_now=moved).is_otherwise
        value, before = result.value(self.metric), change.before.value(self.metric)
        is_as_good = before is None or (value is not None and value >= before - _SAME)
        return is_as_good and (not change.changes_outcome or result.outcome == change.before.outcome)

    def _edit(self, path: str, reverting: Reverting, change: QueryChange) -> str:
        if path in reverting.difference.removed:
            return f"{path} was added: without it"
        if path not in self.context.snapshot.parsed:
            return f"{path} was removed: with it"
        edit = reverting.difference.edits.get(path)
        signals = replace(reverting.difference.only({path}), edits={})
        if edit is None or (signals.paths and self._is_as_before(change, reverting.revert(signals))):
            return f"the maturity or importance of {path} was set: without that"
        entry = self.context.snapshot.parsed[path]

        def would_do(alone: EditedFile) -> bool:
            return self._is_as_before(change, reverting.revert(Difference({path: alone}, frozenset())))

        if edit.mtime_ns == entry.mtime_ns or would_do(replace(edit, mtime_ns=entry.mtime_ns)):
            return f"{path} was edited: with its old text"
        with suppress(OSError):
            if would_do(replace(edit, data=self.context.snapshot.read(path))):
                return f"the file time of {path} changed: with the old one"
        parts = "text, file time and signals" if signals.paths else "text and file time"
        return f"{path} was edited: only with its old {parts} together"


def _place(rank: int | None) -> float:
    return float("inf") if rank is None else rank
