"""The forecast of answers that come too late for the agent's hook."""

from __future__ import annotations

from dataclasses import replace

from brvtui.lab.judgments.file import JudgmentsFile, new_text
from brvtui.lab.judgments.model import Judgment
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.session.silence import DOCUMENTED_MS, forecast_silence, slow_tiers, tier_durations
from brvtui.tree.engine_files.query_log import ENGINE, LoggedQuery
from tests.support.trees import NOW_MS, Tree

ENTRY = LoggedQuery(NOW_MS, "q", ENGINE, "completed", tier=4, waited_ms=3_000.0)


def test_median_of_the_log_replaces_the_documented_duration() -> None:
    documented = tier_durations([ENTRY] * 4)
    assert (documented[4].ms, documented[4].is_logged) == (DOCUMENTED_MS[4], False)
    logged = tier_durations([replace(ENTRY, waited_ms=1000.0 * seconds) for seconds in (1, 2, 3, 4, 50)])
    assert (logged[4].ms, logged[4].is_logged) == (3_000.0, True)
    assert not tier_durations([replace(ENTRY, status="error")] * 9)[4].is_logged
    assert slow_tiers(documented, 6_000.0) == {4}
    assert slow_tiers(logged, 6_000.0) == frozenset()


def test_first_silent_day_is_the_first_with_a_slow_tier(tree: Tree) -> None:
    tree.note("auth/tokens.md", "Refresh tokens", "Each use of a refresh token gives a new one.", 1)
    tree.notes(12)
    queries = ["refresh tokens", "refresh token use", "filler", "nothing like it at all"]
    session = tree.session()
    judgments = new_text([Judgment(f"q{number}", text) for number, text in enumerate(queries)])
    path = JudgmentsFile.of(session.project).path
    path.parent.mkdir()
    path.write_text(judgments)
    found = forecast_silence(session, 400)
    assert found.tried == len(queries)
    tiers = {
        day: {text: _tier(tree, text, day) for text in queries}
        for one in found.queries
        for day in {one.days, max(one.days - 1, 0), 400}
    }
    assert any(one.days for one in found.queries)
    for one in found.queries:
        assert tiers[one.days][one.query] == one.tier == 4
        assert not one.days or tiers[one.days - 1][one.query] != 4
    silent = {one.query for one in found.queries}
    assert silent == {text for text in queries if tiers[400][text] == 4}


def _tier(tree: Tree, text: str, day: int) -> int | None:
    trace = tree.session(now_ms=NOW_MS + day * MS_PER_DAY).preview(text)
    return trace.tier if trace.covered else None
