"""The score of one named note under a search, whether or not the search kept it."""

from __future__ import annotations

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.search.detail import detail
from brvtui.engines.byterover.search.scoring import text_hits
from brvtui.engines.byterover.sections import Search
from brvtui.trace import Detail, Hit


def score_of(context: Context, found: Search, position: int) -> Hit | None:
    """The hit that the note at ``position`` is, or would have been, in ``found``; None when no term matches it."""
    return scored(context, detail(context, found, context.snapshot.notes[position].path))


def scored(context: Context, made: Detail) -> Hit | None:
    """The hit of the note whose terms ``made`` details; None when no term matches it."""
    if made.score is None or not made.contributions:
        return None
    return text_hits(context, [context.snapshot.by_path[made.path]], [made.score])[0]
