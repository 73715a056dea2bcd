"""Filters of the Maturity screen: by words, by an event, and by changes in the days ahead."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.arrangement import STRIP
from brvtui.app.maturity.ageing import AgeingPane
from brvtui.engines.ageing.events import OF_NOTES, PRUNING
from brvtui.ranking.maturity import LEVELS
from tests.app.driving import HUGE, NARROW, ask, press, settled, until
from tests.app.looking import AppPilot, brv, flat, frame, shown, text_of, toast_text, view
from tests.app.test_maturity import column, maturity, opened

pytestmark = pytest.mark.long


async def test_event_filter_keeps_only_notes_with_the_event(pilot: AppPilot) -> None:
    await opened(pilot, *"ffff")
    assert maturity(pilot).wanted.only is PRUNING
    assert column(pilot, "draft").choices == ["auth/oauth/key_rotation.md", "billing/refunds.md"]
    assert "2 prunable by today" in shown(pilot)
    assert "prunable: ByteRover may prune it, because its file is old" in shown(pilot)
    assert column(pilot, "core").outer_size.width == STRIP
    assert "".join(text_of(pilot, "#core").split()) == "●0core"
    await pilot.press("f5", "escape")  # Esc also works with the focus on the pane beside the columns
    await settled(pilot)
    assert maturity(pilot).wanted.only is None
    assert len(column(pilot, "draft").choices) == 9
    assert column(pilot, "core").outer_size.width > STRIP


async def test_changes_filter_keeps_only_notes_that_change_by_that_day(pilot: AppPilot) -> None:
    await opened(pilot, "c")
    assert (maturity(pilot).wanted.day, maturity(pilot).wanted.only_changes) == (30, True), "today changes nothing"
    listed = sum(len(column(pilot, level).choices) for level in LEVELS)
    assert 0 < listed < 13
    assert f"only the {listed} notes that change in the next 30 days" in shown(pilot)
    await press(pilot, *"ffff")
    assert "only the 2 that become prunable in the next 30 days" in shown(pilot)
    held = column(pilot, "draft").choices
    assert len(held) == 2
    assert text_of(pilot, "#draft").count("prunable in") == 2
    await press(pilot, "c")
    assert "4 prunable, 2 of them in the next 30 days" in shown(pilot)
    assert set(held) < set(column(pilot, "draft").choices)
    await press(pilot, "c", "0")
    assert "2 prunable by today" in shown(pilot)


@pytest.mark.parametrize("size", [HUGE], ids=["200x60"])
async def test_event_filter_that_hides_the_selection_selects_a_visible_note(
    pilot: AppPilot,
) -> None:
    await opened(pilot)
    brv(pilot).selection.select("deploy/freeze_window.md")
    await press(pilot, "f", "f")
    assert "deploy/freeze_window.md" not in column(pilot, "draft").choices
    selected = view(pilot).selection.file
    assert selected == column(pilot, "draft").chosen
    assert brv(pilot).note_at_hand == selected
    assert selected[:20] in pilot.app.screen.query_one(AgeingPane).heading(view(pilot))
    await pilot.press("f5", "f2")
    await until(pilot, lambda: frame(pilot).stop == "draft")
    await settled(pilot)
    assert view(pilot).selection.file == selected
    await press(pilot, "f", "f", "f4")
    for _ in range(9):
        await press(pilot, "f")
        if not column(pilot, "core").choices and column(pilot, "draft").choices:
            break
    assert frame(pilot).stop != "core"
    assert view(pilot).selection.file == column(pilot, frame(pilot).stop).chosen
    assert "Enter details" in text_of(pilot, "#keys")


async def test_empty_column_offers_no_details(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot, "f2", "slash", *"qqq", "enter")
        await settled(pilot)
        assert "Enter details" not in text_of(pilot, "#keys")
        await press(pilot, "escape")
        assert "Enter details" in text_of(pilot, "#keys")
        for _ in range(9):
            await press(pilot, "f", "c")
            if not any(column(pilot, level).choices for level in LEVELS):
                break
        assert ("Enter details" in text_of(pilot, "#keys")) == bool(column(pilot, frame(pilot).stop).choices)


async def test_word_filter_applies_to_every_column(pilot: AppPilot) -> None:
    await opened(pilot, "slash")
    await press(pilot, *"rotation")
    found = {level: column(pilot, level).choices for level in LEVELS}
    assert found == {
        "draft": ["auth/jwt/refresh_rotation.md", "i18n/rotation_ja.md", "auth/oauth/key_rotation.md"],
        "validated": [],
        "core": [],
    }
    assert "3 of 9" in shown(pilot)
    assert "nothing matches" in flat(pilot, "#core")
    await press(pilot, "enter", "n")
    assert view(pilot).selection.file == "i18n/rotation_ja.md"
    await press(pilot, "escape")
    assert len(column(pilot, "core").choices) == 2
    assert view(pilot).selection.file == "i18n/rotation_ja.md"


async def test_keys_do_not_act_on_notes_hidden_by_the_filter(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await opened(pilot, "slash", *"zzz", "enter")
    assert not any(column(pilot, level).choices for level in LEVELS)
    assert view(pilot).selection.file
    for key in ("w", "X", "I", "e"):
        brv(pilot).clear_notifications()
        await pilot.press(key)
        await until(pilot, lambda: "nothing matches: Esc clears the filter" in toast_text(pilot))
        assert not brv(pilot).has_modal
    await press(pilot, "escape")
    assert frame(pilot).note_at_hand
    await press(pilot, "f4", "slash", *"rotation", "enter")  # this filter leaves some other notes
    assert column(pilot, "draft").choices
    assert not column(pilot, "core").choices
    assert frame(pilot).note_at_hand in ("", *column(pilot, "draft").choices)
    await press(pilot, "f2", "j")
    assert frame(pilot).note_at_hand in column(pilot, "draft").choices


async def test_filter_that_empties_the_current_column_selects_another_note(pilot: AppPilot) -> None:
    await opened(pilot, "f4", "slash", *"rotation")
    await settled(pilot)
    assert not column(pilot, "core").choices
    shown_now = view(pilot).selection.file
    assert shown_now in column(pilot, "draft").choices
    assert shown_now[:14] in pilot.app.screen.query_one(AgeingPane).heading(view(pilot))
    await press(pilot, *"zzz", "enter")
    assert "no note is selected" in text_of(pilot, "#ageing")
    await press(pilot, "escape", "slash", "S", "e", "0", "right_square_bracket", "3")
    assert column(pilot, "core").word_filter.words == ("se0]3",), "letters are text in the filter"
    assert maturity(pilot).wanted.day == 0


@pytest.mark.parametrize("size", [NARROW], ids=["80x24"])
async def test_event_meanings_are_not_cut_at_80_columns(pilot: AppPilot) -> None:
    await opened(pilot)
    seen = set()
    for _ in OF_NOTES:
        await press(pilot, "f")
        event = maturity(pilot).wanted.only
        assert event is not None
        assert event.meaning in shown(pilot), "never cut"
        seen.add(event)
    assert seen == set(OF_NOTES)
    while maturity(pilot).wanted.only is not PRUNING:
        await press(pilot, "f")
    await press(pilot, "f4")
    assert flat(pilot, "#core") == "no core note is prunable; 2 with other maturities; f shows another event"
    assert "prunable: ByteRover may prune it, because its file is old" in shown(pilot)
    while maturity(pilot).wanted.only is not None:
        await press(pilot, "f")
    await press(pilot, "f2", "slash", *"zzz", "enter")
    assert "nothing matches" in shown(pilot)
    await press(pilot, "enter")
    assert maturity(pilot).stop != "ageing", "there is no note to open"
