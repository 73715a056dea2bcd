"""The score of one named note under a search, whether or not the search kept it."""

from __future__ import annotations

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.search.detail import detail
from brvtui.engines.byterover.search.scoring import text_hits
from brvtui.snapshot import Snapshot
from brvtui.trace import Hit, Search


def score_of(snapshot: Snapshot, profile: Profile, now_ms: float, found: Search, position: int) -> Hit | None:
    """The hit that the note at ``position`` is, or would have been, in ``found``; None when no term matches it."""
    scored = detail(snapshot, profile, found, snapshot.notes[position].path)
    if not scored.contributions:
        return None
    return text_hits(snapshot, profile, now_ms, [position], [scored.score])[0]
