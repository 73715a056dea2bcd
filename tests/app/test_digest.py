"""Short forms of the Retry and Cache panes, shown by default without pressing a key."""

from __future__ import annotations

import pytest

from brvtui.paint.text import seconds
from brvtui.trace.routing import CacheLook, Ladder
from tests.app.driving import NARROW, WIDE, MakeApp, ask, press, until
from tests.app.engines import switch_to
from tests.app.looking import AppPilot, flat, screen, trace_of, view
from tests.support.trees import Tree


@pytest.fixture(autouse=True)
def few(all_panes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The app with default settings."""
    monkeypatch.delenv("BRV_TUI_PANES")


def _digest(pilot: AppPilot) -> str:
    widget = screen(pilot).query_one("#digest")
    return flat(pilot, "#digest") if widget.display else ""


async def test_digest_names_the_query_of_each_rung_with_its_count(pilot: AppPilot) -> None:
    await ask(pilot, "refund+zzzzzzzz")
    (found,) = [rung for rung in trace_of(pilot).section(Ladder).rungs if rung.hits]
    assert f"“{found.query}” found {found.hits} note" in _digest(pilot)
    await ask(pilot, "zebra+quagga")
    ran = [rung for rung in trace_of(pilot).section(Ladder).rungs[1:] if rung.ran]
    assert len(ran) > 2
    assert all(f"“{rung.query}”" in _digest(pilot) for rung in ran)
    await ask(pilot, "token store")
    assert trace_of(pilot).section(Ladder).rungs == ()
    assert "not needed" in _digest(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x36", "80x24"])
async def test_digest_shows_cache_entries_and_their_lifetime(pilot: AppPilot, size: tuple[int, int]) -> None:
    await ask(pilot, "token store")
    assert "no entries" in _digest(pilot)
    await press(pilot, "enter")
    await ask(pilot, "how are tokens stored in the store")
    assert not trace_of(pilot).ran
    seen = view(pilot).cache.seen
    assert seen is not None
    (entry,) = seen.look.entries
    assert f"1/{seen.look.capacity}" in _digest(pilot)
    assert f"1 entry, valid for {seconds(entry.left_s)}" in _digest(pilot)


async def test_digest_compares_query_with_most_similar_cache_entry(pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await press(pilot, "ctrl+r")
    await ask(pilot, "rollback alias")
    await press(pilot, "ctrl+r")
    await ask(pilot, "token store rollback migrations")
    (check,) = [check for check in [trace_of(pilot).section(CacheLook).fuzzy_check] if check is not None]
    assert check.passed is False
    assert f"{check.value:.2f} ({check.threshold:.2f} needed)" in _digest(pilot)
    assert "“token store”" in _digest(pilot)
    await ask(pilot, "the token store")
    assert "fuzzy hit" in _digest(pilot)
    await ask(pilot, "rollback alias")
    assert "exact hit" in _digest(pilot)
    await ask(pilot, "")
    assert _digest(pilot) == ""


async def test_digest_omits_panes_that_are_shown(pilot: AppPilot) -> None:
    await ask(pilot, "token store")
    await press(pilot, "escape", "f5")
    assert "not needed" not in _digest(pilot)
    assert "no entries" in _digest(pilot)
    await press(pilot, "f6")
    assert _digest(pilot) == ""
    await press(pilot, "f9")
    assert "not needed" in _digest(pilot)
    await press(pilot, "f9")
    assert _digest(pilot) == ""


async def test_digest_omits_features_that_the_engine_lacks(pilot: AppPilot) -> None:
    await ask(pilot, "zebra+quagga", "escape")
    await switch_to(pilot, "jeffs_brain")
    assert "Retry" in _digest(pilot)
    assert "Cache" not in _digest(pilot)
    await switch_to(pilot, "knowing")
    assert _digest(pilot) == ""


async def test_digest_counts_down_the_lifetime_of_entries(garden: Tree, make_app: MakeApp) -> None:
    app = make_app(garden.root, now_ms=None)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "enter")
        await ask(pilot, "token store")
        before = _digest(pilot)
        await until(pilot, lambda: _digest(pilot) != before)
        assert "1 entry, valid for" in _digest(pilot)
