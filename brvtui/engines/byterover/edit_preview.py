"""The answers to a query before and after an edit, with the scores of a search after the edit is saved."""

from __future__ import annotations

from dataclasses import replace

from brvtui.engines.ageing.board import Board
from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.decision import decide, find_results, results_with_words
from brvtui.engines.byterover.search.detail import score_of
from brvtui.engines.edit_previews import EditPreview, EditPreviewState
from brvtui.loading.revised import edit_after_save, edited
from brvtui.timing import Stopwatch
from brvtui.trace import Origin


def preview_edit(context: Context, query: str, scope: str, path: str, data: bytes, keep_mtime: bool) -> EditPreview:
    """The outcome of ``query`` before and after ``data`` replaces the content of the file at ``path`` in the project's
    own tree.

    The outcome after the edit is computed both with a new modification time and with the old one; ``keep_mtime`` is
    True if a save would keep the old one. Nothing is written.
    """
    snapshot, now_ms = context.snapshot, context.now_ms
    saved = [
        edited(snapshot, context.constants, now_ms, edit_after_save(snapshot, now_ms, path, data, keep))
        for keep in (False, True)
    ]
    unseen = next((file.reason for file in saved[0].unseen if file.path == path), "")
    states = (replace(context, snapshot=state) for state in (snapshot, *saved))
    now, renewed, kept = (_state(state, query, scope, path) for state in states)
    return EditPreview(path, now, renewed, kept, keep_mtime, unseen)


def _state(context: Context, query: str, scope: str, path: str) -> EditPreviewState:
    position = context.snapshot.by_path.get(path)
    row = None if position is None else Board(context.snapshot, context.constants.ageing, context.now_ms).row(position)
    recency, ceiling = (None, None) if row is None else (row.recency, row.ceiling)
    if not query.strip():
        return EditPreviewState((), None, recency, ceiling)
    results = results_with_words(context, find_results(context, query, scope, Stopwatch()))
    own = next((hit for hit in results.hits if hit.file == path and hit.origin is not Origin.PROPAGATED), None)
    if own is None and position is not None:
        own = score_of(context, results.search, position)
    decision = decide(context, results)
    return EditPreviewState(results.hits, own, recency, ceiling, decision.why, decision.tier, decision.outcome)
