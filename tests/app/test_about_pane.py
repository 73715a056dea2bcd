"""The pane About: its facts, navigation, links, filter and scrolling."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.notes.about import FIND_SIMILAR
from tests.app.driving import HUGE, MakeApp, press, settled
from tests.app.linked import HUB, STORE, about_of, note_of, open_linked
from tests.app.looking import AppPilot, flat, frame, text_of, toast_text, view
from tests.support.trees import Tree


@pytest.fixture
def app(linked: Tree, make_app: MakeApp) -> BrvTui:
    return make_app(linked.root)


async def test_about_shows_facts_and_opens_a_clicked_backlink(app: BrvTui) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await open_linked(pilot, STORE)
        text = text_of(pilot, "#about")
        assert "● Token store" in text
        assert "signals from signals file" in text
        assert "best possible score" in text
        assert "leaves tier 2 in" in text
        assert "contexts: number" in text
        assert "linked from 1" in text
        assert "Hub" in text
        await open_linked(pilot)
        about = about_of(app)
        place = about.choices.index(next(choice for choice in about.choices if choice.endswith("hub/other.md")))
        row = about.owner.index(place) - about.offset_row
        await pilot.click("#about", offset=(6, row + 1))
        await settled(pilot)
        assert view(pilot).selection.file == "hub/other.md"


async def test_links_in_about_can_be_opened_and_filtered(app: BrvTui, pilot: AppPilot) -> None:
    await open_linked(pilot)
    about = about_of(app)
    await pilot.press("f4")
    assert about.path == STORE
    assert frame(pilot).note_at_hand == STORE
    await press(pilot, "enter")
    assert view(pilot).selection.file == STORE
    assert app.focused is note_of(app)
    await press(pilot, "b", "f4")
    assert view(pilot).selection.file == HUB
    lost = next(place for place, choice in enumerate(about.choices) if "nowhere" in choice)
    about.move_to(lost)
    assert about.note == ""
    assert frame(pilot).note_at_hand == HUB
    await pilot.press("enter")
    assert "does not lead to a note" in toast_text(pilot)
    assert "no such note" in text_of(pilot, "#about")
    await press(pilot, "f4", "slash", *"rotation", "enter")
    assert [choice.partition("\0")[2] for choice in about_of(app).choices] == ["auth/jwt/refresh_rotation.md"]


async def test_keys_act_on_the_shown_note_until_a_link_is_visible(app: BrvTui) -> None:
    async with app.run_test(size=(80, 14)) as pilot:
        await open_linked(pilot)
        about = about_of(app)
        await press(pilot, "f4")
        assert about.path == STORE
        assert about.owner.index(0) >= about.rows, "the first link is below what is seen"
        assert frame(pilot).note_at_hand == HUB
        about.reveal()
        assert frame(pilot).note_at_hand == STORE


async def test_similar_notes_are_found_on_request(app: BrvTui, pilot: AppPilot) -> None:
    await open_linked(pilot, STORE)
    about = about_of(app)
    assert "press f in this pane to find similar notes" in flat(pilot, "#about")
    await press(pilot, "f4")
    await press(pilot, "f")
    likes = [choice for choice in about.choices if choice.startswith("like")]
    assert likes
    assert FIND_SIMILAR not in about.choices
    assert about.chosen == likes[0]
    await press(pilot, "enter")
    assert likes[0].endswith(view(pilot).selection.file)
    assert "press f in this pane to find similar notes" in flat(pilot, "#about")


async def test_found_similar_notes_scroll_into_view(app: BrvTui) -> None:
    async with app.run_test(size=(80, 18)) as pilot:
        await open_linked(pilot, STORE)
        await press(pilot, "f4")
        about = about_of(app)
        assert about.owner.index(about.choices.index(FIND_SIMILAR)) >= about.rows
        await press(pilot, "f")
        assert 0 <= about.owner.index(about.cursor) - about.offset_row < about.rows


async def test_files_other_than_notes_have_no_similar_notes(pilot: AppPilot) -> None:
    await open_linked(pilot, "auth/_index.md")
    assert "folder summary" in text_of(pilot, "#about")
    await press(pilot, "f4")
    await press(pilot, "G", "enter")
    assert "only notes have similar notes" in flat(pilot, "#about")


async def test_keys_scroll_about_to_its_end_and_back(app: BrvTui) -> None:
    async with app.run_test(size=(60, 18)) as pilot:
        await open_linked(pilot)
        await pilot.press("f4")
        await settled(pilot)  # the pane was hidden at this size, so it requests its data only now
        await pilot.press("G")
        assert about_of(app).offset_row == about_of(app).last_offset > 0
        await pilot.press("g")
        assert about_of(app).offset_row == 0
