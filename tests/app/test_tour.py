"""The guided tour of the sample: each step names its key, and the last one proves the fix."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from textual.widgets._toast import Toast

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.app import BrvTui
from brvtui.app.editing.note_editor import NoteEditor
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.keys.bindings import split
from brvtui.app.lab import edit_check
from brvtui.app.project.opening import Opening
from brvtui.app.query.query_box import QueryInput
from brvtui.app.query.remedy_dialog import RemedyDialog
from brvtui.app.tour.steps import ASKED, JUDGMENT, NOTE, STEPS
from brvtui.app.tour.tour import TourBar
from brvtui.session import Session
from brvtui.tree.saving.ages import stamp, write_log
from tests.app.driving import NARROW, WIDE, ask, at_two_sizes, press, settled, type_text, until
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, toast_text
from tests.cli.conftest import Run
from tests.cli.conftest import project as project  # needed by the fixture `run`
from tests.cli.conftest import run as run
from tests.support.recorded import REPOSITORY
from tests.support.settings import own

SAMPLE = REPOSITORY / "sample-tree"
PREFERENCES = "notifications/preferences/preference_model.md"


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A fresh copy of the sample."""
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns(".restamped", "query-log"))
    stamp(folder, time.time() * 1000)
    write_log(folder, time.time() * 1000)
    return folder


@pytest.fixture(autouse=True)
def held_at_once(nothing_held: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records the notes soon after opening, so that the Lab can show the answers before an edit."""
    monkeypatch.setattr(edit_check, "HOLD_S", 0.1)


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """The file that records that the tour was shown, which does not exist yet."""
    return tmp_path / "own" / "tour.json"


def bar(pilot: AppPilot) -> TourBar:
    """The tour's bar on the front screen or dialog."""
    return pilot.app.screen.query_one(TourBar)


def said(pilot: AppPilot) -> str:
    """The text of the bar; empty if there is none."""
    lines = [line.plain for bar in pilot.app.screen.query(TourBar) for line in bar.lines]
    return " ".join(" ".join(lines).split())


def keys(pilot: AppPilot) -> list[str]:
    """The keys to press according to the bar, by Textual's names."""
    actions = brv(pilot).tour.shown[1]
    assert all(brv(pilot).shown_key(one) in bar(pilot).lines[0].plain for one in actions)
    return [split(ACTIONS[one].keys)[0] for one in actions]


def key(pilot: AppPilot) -> str:
    """The only key to press according to the bar."""
    (only,) = keys(pilot)
    return only


def screen_of_edit(pilot: AppPilot) -> EditorScreen:
    """The Edit screen, which is in front."""
    front = frame(pilot)
    assert isinstance(front, EditorScreen)
    return front


async def begun(pilot: AppPilot) -> None:
    """Waits for the offer, and accepts it."""
    await settled(pilot)
    assert "New here?" in said(pilot)
    assert len(bar(pilot).lines) <= 3
    await press(pilot, key(pilot))


async def step(pilot: AppPilot, number: int) -> None:
    """Waits until the bar shows step ``number``, fully visible and clear of the rest of the screen."""
    await until(pilot, lambda: f"{number} of 6: " in said(pilot))
    await settled(pilot)
    words = STEPS[number].text.split()
    assert [word for word in words if word not in said(pilot).split()] == []
    assert bar(pilot).region.height == len(bar(pilot).lines) <= 3
    assert not bar(pilot).region.overlaps(frame(pilot).body.region)


@at_two_sizes
@pytest.mark.parametrize("panes", ["few", pytest.param("all", marks=pytest.mark.long)])
async def test_tour_ends_with_the_wrong_answer_fixed(
    sample: Path, seen: Path, size: tuple[int, int], panes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_PANES", panes)
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=size) as pilot:
        await begun(pilot)
        for number in (1, 2, 3):
            await step(pilot, number)
            await press(pilot, key(pilot))
        assert isinstance(pilot.app.screen, RemedyDialog)
        assert "edited today, not 31 days ago" in flat(pilot)
        await step(pilot, 4)
        assert "own store" in said(pilot), "the sample's signals are not where ByteRover has them"
        assert keys(pilot) == ["escape", "e"]
        await press(pilot, *keys(pilot))
        await step(pilot, 5)
        await type_text(pilot, "- checked today")
        assert "- checked today" in shown(pilot)  # this is the line with the cursor, which must be visible
        await press(pilot, key(pilot))
        await step(pilot, 6)
        assert isinstance(screen_of_edit(pilot).focused, NoteEditor), "more typing is more editing"
        assert keys(pilot) == ["escape", "5"]
        await press(pilot, *keys(pilot))
        await until(pilot, lambda: "Fixed and measured" in said(pilot))
        await until(pilot, lambda: re.search(rf"{ASKED} +1\.00 T2 +0\.39 T2 +\+0\.61", shown(pilot)))
        assert keys(pilot) == []
        await press(pilot, "f12")
        assert not pilot.app.screen.query(TourBar)
    assert seen.exists()
    assert (sample / ".brv/context-tree" / NOTE).read_text().endswith("[convention]\n- checked today")


def test_eval_command_confirms_the_fix_from_the_tour(sample: Path, run: Run) -> None:
    def first() -> object:
        out = run("eval", "--project", str(sample), "--format", "json", inside=False)[1]
        (found,) = [one for one in json.loads(out)["evaluation"]["queries"] if one["id"] == JUDGMENT]
        return found["results"][0]["path"]

    assert first() == "auth/tokens/refresh_token_rotation.md"
    note = sample / ".brv/context-tree" / NOTE
    note.write_text(note.read_text() + "- checked today")
    assert first() == NOTE


async def replayed(pilot: AppPilot) -> None:
    """Starts the tour again, and runs its query from the Log."""
    await settled(pilot)
    await press(pilot, "f12")
    for number in (1, 2):
        await step(pilot, number)
        await press(pilot, key(pilot))


async def test_tour_of_a_fixed_copy_continues_with_the_proof(sample: Path) -> None:
    note = sample / ".brv/context-tree" / NOTE
    note.write_text(note.read_text() + "- checked today")
    async with BrvTui(Opening(sample)).run_test(size=NARROW) as pilot:
        await replayed(pilot)
        await step(pilot, 6)
        await press(pilot, key(pilot))
        await until(pilot, lambda: "Fixed and measured" in said(pilot))


async def test_tour_ends_if_the_copy_was_changed_in_another_way(sample: Path) -> None:
    first = sample / ".brv/context-tree/auth/tokens/refresh_token_rotation.md"
    first.unlink()
    async with BrvTui(Opening(sample)).run_test(size=NARROW) as pilot:
        await replayed(pilot)
        await until(pilot, lambda: "this copy of the sample has been changed" in toast_text(pilot))
        assert not pilot.app.screen.query(TourBar)


async def test_tour_works_by_mouse(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        for number in range(1, 5):
            await pilot.click(TourBar)
            await step(pilot, number)
        await pilot.click(TourBar)  # a click on the bar closes the dialog
        await until(pilot, lambda: not pilot.app.has_modal)  # type: ignore[attr-defined]  # BrvTui
        await pilot.click(TourBar)
        await step(pilot, 5)
        await pilot.click(TourBar, offset=(70, 1))  # F12
        await settled(pilot)
        assert not pilot.app.screen.query(TourBar)
        assert pilot.app.current_mode == "edit"


async def test_escape_declines_the_offer_for_good(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert not seen.exists()
        await press(pilot, "escape")
        assert not pilot.app.screen.query(TourBar)
        assert "F12" in toast_text(pilot)
        assert isinstance(pilot.app.focused, QueryInput), "a question can be typed at once"
        await press(pilot, "escape", "tab", "2", "1")
        assert not pilot.app.screen.query(TourBar)
        await until(pilot, seen.exists)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
async def test_only_f12_ends_the_tour_and_it_resumes_at_the_same_step(sample: Path, seen: Path, number: int) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await begun(pilot)
        for before in range(1, number):
            await step(pilot, before)
            await press(pilot, key(pilot))
        await step(pilot, number)
        await press(pilot, "escape", "escape")
        await step(pilot, number)
        await press(pilot, "f12")
        assert not pilot.app.screen.query(TourBar)
        await press(pilot, "escape", "f12")
        await step(pilot, number)


async def test_no_message_covers_the_bar(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW, notifications=True) as pilot:
        await begun(pilot)
        for number in (1, 2, 3):
            await step(pilot, number)
            await press(pilot, key(pilot))
        for keys_to in ((), ("escape", "e")):  # first over a dialog, then in the editor with the cursor at the end
            await press(pilot, *keys_to)
            pilot.app.notify("a message that is as long as two lines of a small terminal, which is rather long")
            await until(pilot, lambda: pilot.app.screen.query(Toast))
            await settled(pilot)
            assert all(toast.region.y >= bar(pilot).region.bottom for toast in pilot.app.screen.query(Toast))
            pilot.app.clear_notifications()  # type: ignore[attr-defined]  # BrvTui


async def test_letter_in_a_field_is_preceded_by_the_key_that_leaves_it(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await begun(pilot)
        await step(pilot, 1)
        screen(pilot).field.focus()
        await until(pilot, lambda: keys(pilot) == ["escape", "4"] and "press Esc, then 4" in said(pilot))
        await press(pilot, *keys(pilot))
        await step(pilot, 2)


async def test_bar_leads_back_to_the_screen_for_the_step(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await begun(pilot)
        await press(pilot, "4", "2")
        await until(pilot, lambda: "press 4" in said(pilot))


async def test_bar_leads_back_to_the_editor(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await begun(pilot)
        for number in (1, 2, 3):
            await step(pilot, number)
            await press(pilot, key(pilot))
        await step(pilot, 4)
        await press(pilot, "escape", "e")
        await step(pilot, 5)
        await brv(pilot).switch_mode("query")
        await until(pilot, lambda: "5 of 6" in said(pilot) and "press e" in said(pilot))
        await press(pilot, "e")
        await until(pilot, lambda: "press ^s" in said(pilot))


async def test_tour_gives_the_note_a_new_time(sample: Path, seen: Path) -> None:
    own("[editor]\nkeep_mtime = true\n")
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await begun(pilot)
        for number in (1, 2, 3):
            await step(pilot, number)
            await press(pilot, key(pilot))
        await step(pilot, 4)
        await press(pilot, "escape", "e")
        await step(pilot, 5)
        await type_text(pilot, "- checked today")
        await press(pilot, "ctrl+s")
        assert key(pilot) == "f6"
        await press(pilot, key(pilot))
        assert key(pilot) == "ctrl+s"
        await type_text(pilot, ".")
        await press(pilot, key(pilot))
        await step(pilot, 6)


async def test_tour_selects_the_wrong_answer_in_the_log(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await ask(pilot, "carrier resends", "enter")
        await settled(pilot)
        await press(pilot, "f12", "4")
        await step(pilot, 2)
        await press(pilot, "enter")
        await step(pilot, 3)


async def test_offer_waits_while_the_user_types(sample: Path, seen: Path) -> None:
    async with BrvTui(Opening(sample, tour=seen)).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await ask(pilot, "carrier resends", "enter")
        await settled(pilot)
        assert "TIER 3" in shown(pilot)
        assert "New here?" in said(pilot)
        assert not seen.exists()


async def test_palette_starts_the_tour_on_the_sample(sample: Path) -> None:
    async with BrvTui(Opening(sample)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert not pilot.app.screen.query(TourBar)
        await press(pilot, brv_key("app.commands"), *"guided")
        await press(pilot, "enter")
        await step(pilot, 1)


def brv_key(action: str) -> str:
    """The default key of ``action``."""
    return split(ACTIONS[action].keys)[0]


async def test_tour_needs_the_sample(app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await press(pilot, "f12")
        assert "the tour needs the sample" in toast_text(pilot)
        assert not pilot.app.screen.query(TourBar)


def test_second_wrong_answer_has_a_remedy_that_works(sample: Path) -> None:
    session = Session.open(sample)
    session.load()
    trace = session.preview("can consignees unsubscribe")
    assert trace.tier == 2
    assert trace.hits[0].file == "ingest/pipeline/dead_letter_replay.md"
    note = sample / ".brv/context-tree" / PREFERENCES
    note.write_text(note.read_text().replace("# Preference model for recipients", "# Preferences of consignees"))
    session.refresh()
    assert session.preview("can consignees unsubscribe").hits[0].file == PREFERENCES
    session.close()


def test_tour_states_facts_about_the_sample(sample: Path) -> None:
    entries = json.loads((SAMPLE / "query-log.json").read_text(encoding="utf-8"))
    assert f"{len(entries)} questions this week" in STEPS[1].text
    assert max(entry["days"] for entry in entries) < 7
    assert min(entries, key=lambda entry: entry["days"])["query"] == ASKED
    session = Session.open(sample)
    session.load()
    hits = session.preview(ASKED).hits
    assert ([hit.file for hit in hits].index(NOTE), hits[0].file) == (4, "auth/tokens/refresh_token_rotation.md")
    assert round(hits[4].text.raw / hits[0].text.raw) == 8
    assert (hits[0].signals.maturity, hits[4].signals.maturity) == ("core", "validated")
    session.close()
