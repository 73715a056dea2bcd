"""Pinning an answer, and comparing any other with it."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.query.answer import PINNED, AnswerPane
from brvtui.app.widgets.lines import Paragraphs
from brvtui.text import visible
from tests.app.commands.test_palette import chosen
from tests.app.driving import NARROW, WIDE, MakeApp, ask, press, settled, until
from tests.app.engines import switch_to
from tests.app.looking import AppPilot, brv, screen, text_of, toast_text, view
from tests.app.pictures import Looks
from tests.support.settings import own
from tests.support.trees import Tree


def tab(pilot: AppPilot) -> str:
    """The tab of the Answer pane that is in front."""
    return screen(pilot).query_one(AnswerPane).tab


async def pinned(pilot: AppPilot, query: str) -> None:
    """Runs ``query``, pins its answer, and brings the comparison to the front."""
    await ask(pilot, query)
    await press(pilot, "escape", "b", "B")


async def test_pinned_answer_stays_after_engine_profile_and_note_changes(garden: Tree, pilot: AppPilot) -> None:
    await pinned(pilot, "token store")
    pin = view(pilot).pin.trace
    assert pin is view(pilot).answer.trace
    assert "this is the pinned answer" in text_of(pilot, "#answer")
    await press(pilot, "p")
    assert "profile: brv-3 → docs" in text_of(pilot, "#answer")
    await press(pilot, "P")
    assert "engine: ByteRover → Jeffs Brain" in text_of(pilot, "#answer")
    assert "scores of different engines are not comparable" in text_of(pilot, "#answer")
    await ask(pilot, "refund credit note")
    assert tab(pilot) == PINNED
    assert "wording: token store → refund credit note" in text_of(pilot, "#answer")
    garden.note("billing/credit.md", "Refund credit note", "refund credit note")
    await until(pilot, lambda: "Refund credit note" in text_of(pilot, "#answer"))
    assert view(pilot).pin.trace is pin


async def test_changes_since_the_pin_have_causes(garden: Tree, pilot: AppPilot) -> None:
    await pinned(pilot, "token store")
    await pilot.press("p")
    await until(pilot, lambda: "constants" in text_of(pilot, "#answer"))
    diff = view(pilot).pin.diff
    assert diff is not None
    assert diff.traces.then is view(pilot).pin.trace
    for note in diff.notes:
        assert {cause.kind.value: cause.change for cause in note.causes}["notes and signals"] == 0
        assert sum(cause.change for cause in note.causes) == pytest.approx(note.change, abs=1e-9)
    await pilot.press("p", "p")  # from docs over combined back to brv-3
    await until(pilot, lambda: "constants" not in text_of(pilot, "#answer"))
    first = view(pilot).pin.trace
    assert first is not None
    (garden.tree / first.hits[0].file).write_text("# Store\n\nNothing of it.\n")
    await until(pilot, lambda: "notes and signals" in text_of(pilot, "#answer"))
    await ask(pilot, "rollback")
    assert view(pilot).pin.diff is None


async def test_long_answer_can_be_pinned_and_compared(
    garden: Tree, pilot: AppPilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visible, "LONGEST_SHOWN", 300)
    file = garden.note("billing/long.md", f"Quokka {'x' * 1_000}", "quokka")
    await until(pilot, lambda: view(pilot).knows(file))
    await pinned(pilot, "quokka")
    seen = brv(pilot).store.shown
    assert seen.hit is not None
    assert len(seen.hit.title) < 400
    assert seen.pin.trace is seen.answer.trace is not view(pilot).answer.trace
    assert "this is the pinned answer" in text_of(pilot, "#answer")
    await pilot.press("p")
    await until(pilot, lambda: view(pilot).pin.diff is not None)
    seen = brv(pilot).store.shown
    assert seen.pin.diff is not None
    assert seen.pin.diff.traces.then is seen.pin.trace is not seen.answer.trace
    assert len(seen.pin.diff.notes[0].title) < 400
    await until(pilot, lambda: "constants" in text_of(pilot, "#answer"))


@pytest.mark.long
async def test_changed_profile_is_the_cause_even_with_changed_settings(garden: Tree, make_app: MakeApp) -> None:
    own('[signals]\nfrontmatter = "on"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await pinned(pilot, "token store")
        await pilot.press("p")
        await until(pilot, lambda: "profile: brv-3* → docs" in text_of(pilot, "#answer"))
        await until(pilot, lambda: view(pilot).pin.diff is not None)
        assert "constants" in text_of(pilot, "#answer")
        assert "notes and signals" not in text_of(pilot, "#answer")


async def test_comparison_can_be_copied_but_is_not_saved_in_a_trace(app: BrvTui, pilot: AppPilot) -> None:
    await pinned(pilot, "token store")
    await pilot.press("y")
    await until(pilot, lambda: "nothing to compare yet" in toast_text(pilot))
    await ask(pilot, "refund credit note", "escape", "B", "y")
    await until(pilot, lambda: "wording: token store → refund credit note" in app.clipboard)
    assert "then → now" in app.clipboard
    await pilot.press("x")
    await until(pilot, lambda: app.has_modal)
    await settled(pilot)
    text = " ".join(line.plain.strip() for line in app.screen.query_one("#field-hint", Paragraphs).lines)
    assert "the pinned answer is not saved with the trace; y in the comparison's tab copies the comparison" in text


async def test_b_pins_unpins_and_replaces_the_pin(pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("escape", "b", "B")
    assert view(pilot).pin.trace is None
    assert tab(pilot) == "answer"
    await pinned(pilot, "token store")
    assert tab(pilot) == PINNED
    await pilot.press("b")
    assert view(pilot).pin.trace is None
    assert tab(pilot) == "answer"
    assert "pinned" not in text_of(pilot, "#answer")
    await pinned(pilot, "token store")
    await ask(pilot, "rollback", "b")
    assert view(pilot).pin.trace is view(pilot).answer.trace
    assert view(pilot).pin.trace is not None


@pytest.mark.long
@pytest.mark.parametrize("word", ["compare", "diff"])
async def test_palette_opens_the_comparison(app: BrvTui, word: str) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "token store", "escape", "b")
        await ask(pilot, "rollback")
        await chosen(pilot, word)
        assert tab(pilot) == PINNED
        assert screen(pilot).body.maximised == "answer"


async def test_comparison_matches_its_pictures(looks: Looks, app: BrvTui) -> None:
    async with app.run_test(size=NARROW) as pilot:
        await pinned(pilot, "refresh token rotation")
        await ask(pilot, "key rotation")
        await looks(pilot, "test_it_looks_so[wording-{size}]")


@pytest.mark.long
@pytest.mark.parametrize(("engine", "names"), [("byterover", True), ("jeffs_brain", False)])
async def test_another_profile_is_offered_if_the_engine_has_one(engine: str, names: bool, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token", "escape")
    if engine != "byterover":
        await switch_to(pilot, engine)
    await press(pilot, "b")
    assert "pinned: change wording" in toast_text(pilot)
    assert ("profile (p)" in toast_text(pilot)) is names
