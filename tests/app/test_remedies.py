"""Reasons for a note's rank from every screen that lists notes, and remedies."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from textual.screen import Screen

from brvtui.app.app import BrvTui
from brvtui.app.editing.changes import NewNoteDialog
from brvtui.app.editing.plan_dialog import PlanDialog, SignalsDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.lab.screen import LabScreen
from brvtui.app.log.log_pane import LogPane
from brvtui.app.log.screen import LogScreen
from brvtui.app.query.remedy_dialog import RemedyDialog, RemedyPane, reasons_of, title_of
from brvtui.app.query.screen import QueryScreen
from brvtui.app.screens.message import MessageScreen
from brvtui.app.widgets.ordered_keys import Options
from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import explain_lines
from brvtui.trace import Remedy, RemedyKind, RemedySearch
from tests.app.driving import WIDE, ask, ask_from_cache, on, press, settled, until
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, toast_text, trace_of, view
from tests.support.trees import Tree


def remedies(pilot: AppPilot) -> list[Remedy]:
    """The listed remedies."""
    return [remedy for pane in pilot.app.screen.query(RemedyPane) for remedy in pane._remedies or ()]


def plant_kumquats(garden: Tree) -> None:
    """Creates two notes with the same words, the second slightly more important."""
    garden.note("fruit/kumquat.md", "Kumquat", "kumquat", days=60, importance=60)
    garden.note("fruit/other.md", "Kumquat", "kumquat", days=60, importance=62)


async def asked_why(pilot: AppPilot, query: str, path: str) -> None:
    """Runs ``query``, then opens the reasons for the rank of the note at ``path``."""
    await ask(pilot, query, "escape")
    brv(pilot).selection.select(path)
    await settled(pilot)
    await pilot.press("w")
    await raising(pilot)
    await until(pilot, lambda: bool(remedies(pilot)))


async def raising(pilot: AppPilot) -> RemedyPane:
    """Brings the tab with the changes that raise the score to the front, and returns the pane."""
    await until(pilot, lambda: isinstance(pilot.app.screen, RemedyDialog))
    pane = pilot.app.screen.query_one(RemedyPane)
    if pane.lower:
        await pilot.press("l")
    return pane


async def lowering(pilot: AppPilot, query: str) -> RemedyPane:
    """Runs ``query``, then opens the lowering changes for the first result."""
    await ask(pilot, query, "escape", "w")
    await until(pilot, lambda: isinstance(pilot.app.screen, RemedyDialog))
    pane = pilot.app.screen.query_one(RemedyPane)
    await until(pilot, lambda: pane._searches.get(True) is not None)
    return pane


async def take(pilot: AppPilot, kind: RemedyKind) -> Remedy:
    """Chooses the first remedy of a kind."""
    place = next(place for place, remedy in enumerate(remedies(pilot)) if remedy.kind is kind)
    chosen = remedies(pilot)[place]
    choices = pilot.app.screen.query_one(RemedyPane).choices
    await pilot.press(*["j"] * choices.index(str(place)), "enter")
    return chosen


async def test_wording_fills_the_query_field_and_title_opens_the_editor(pilot: AppPilot) -> None:
    await asked_why(pilot, "kubernetes", "deploy/rollback.md")
    assert "Why it is not in the answer" in shown(pilot)
    assert "Enter go there" in shown(pilot)
    chosen = await take(pilot, RemedyKind.WORDING)
    await until(pilot, lambda: isinstance(frame(pilot), QueryScreen) and screen(pilot).field.value == chosen.query)
    await settled(pilot)
    trace = trace_of(pilot)
    assert trace.tier == chosen.tier
    assert chosen.rank is not None
    assert trace.hits[chosen.rank - 1].file == "deploy/rollback.md"
    assert view(pilot).selection.file == "deploy/rollback.md"
    await asked_why(pilot, "kubernetes", "deploy/rollback.md")
    chosen = await take(pilot, RemedyKind.TITLE)
    await on(pilot, EditorScreen)
    assert chosen.text in toast_text(pilot)
    await settled(pilot)


@pytest.mark.long
async def test_wording_that_the_cache_would_answer_is_marked(pilot: AppPilot) -> None:
    await asked_why(pilot, "kubernetes", "deploy/rollback.md")
    listed = remedies(pilot)
    assert "the cache has an answer" not in shown(pilot)
    await take(pilot, RemedyKind.WORDING)
    await settled(pilot)
    await press(pilot, "i", "enter")
    await asked_why(pilot, "kubernetes", "deploy/rollback.md")
    hints = {one.query: one.how for one in remedies(pilot) if one.query}
    assert list(hints) == [one.query for one in listed if one.query]
    assert hints[listed[0].query] == (
        "use this wording, but the cache has an answer to a similar query: clear it first with c on the Query screen"
    )


@pytest.mark.long
async def test_note_helped_by_a_rewording_is_selected_in_the_answer(app: BrvTui) -> None:
    path = "auth/jwt/session_expiry.md"
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        brv(pilot).queries.select_once_answered("token rotation session", path)
        await ask(pilot, "token rotation session")
        assert trace_of(pilot).hits[0].file != path
        assert view(pilot).selection.file == path
        await ask(pilot, "token rotation session keys")
        assert view(pilot).selection.file == view(pilot).answer.trace.hits[0].file  # type: ignore[union-attr]
        brv(pilot).queries.select_once_answered("token rotation session keys", path)
        assert view(pilot).selection.file == path, "what is answered already is not asked again"
        await settled(pilot)


@pytest.mark.long
async def test_filtered_list_takes_the_visible_remedy(pilot: AppPilot) -> None:
    await asked_why(pilot, "kubernetes", "deploy/rollback.md")
    listed = remedies(pilot)
    assert listed[0].kind is RemedyKind.WORDING
    await pilot.press("slash", *"title", "enter")
    await until(pilot, lambda: listed[0].text not in shown(pilot))
    await on(pilot, EditorScreen, "enter")
    title = next(remedy for remedy in listed if remedy.kind is RemedyKind.TITLE)
    assert title.text in toast_text(pilot)
    await settled(pilot)


@pytest.mark.long
async def test_update_remedy_is_explained_but_not_applied(app: BrvTui, garden: Tree) -> None:
    plant_kumquats(garden)
    async with app.run_test(size=WIDE) as pilot:
        await asked_why(pilot, "kumquat", "fruit/kumquat.md")
        chosen = await take(pilot, RemedyKind.UPDATE)
        await until(pilot, lambda: not isinstance(pilot.app.screen, RemedyDialog))
        await settled(pilot)
        assert f"to make it: {chosen.how}" in toast_text(pilot)
        assert not isinstance(frame(pilot), EditorScreen)


@pytest.mark.long
async def test_maturity_from_a_signals_file_opens_no_dialog(app: BrvTui, garden: Tree) -> None:
    plant_kumquats(garden)
    held = {path: each.to_mapping() for path, each in garden.signals.items()}
    (garden.root / "signals.json").write_text(json.dumps(held))
    async with app.run_test(size=WIDE) as pilot:
        await asked_why(pilot, "kumquat", "fruit/kumquat.md")
        chosen = await take(pilot, RemedyKind.MATURITY)
        assert chosen.how.startswith("in ByteRover, 9 more hits make it core; ")
        assert "the signals file, which takes precedence" in chosen.how
        await until(pilot, lambda: not isinstance(pilot.app.screen, RemedyDialog))
        message = "its signals come from the file given with --signals"
        await until(pilot, lambda: message in toast_text(pilot))
        assert not isinstance(pilot.app.screen, SignalsDialog)


@pytest.mark.long
async def test_maturity_remedy_opens_the_dialog_with_proposed_values(app: BrvTui, garden: Tree) -> None:
    plant_kumquats(garden)
    (garden.root / "signals.json").write_text("{}")
    garden.read_frontmatter()
    for path in ("fruit/kumquat.md", "fruit/other.md"):
        file = garden.tree / path
        kept = file.stat().st_mtime_ns
        file.write_text(f"---\nimportance: {62 if 'other' in path else 60}\nmaturity: draft\n---\n{file.read_text()}")
        os.utime(file, ns=(kept, kept))
    async with app.run_test(size=WIDE) as pilot:
        await asked_why(pilot, "kumquat", "fruit/kumquat.md")
        chosen = await take(pilot, RemedyKind.MATURITY)
        await on(pilot, SignalsDialog)
        assert pilot.app.screen.query_one("#maturity", Options).chosen == chosen.maturity
        assert "in its frontmatter" in chosen.how
        assert pilot.app.screen.query_one("#where", Options).chosen == "frontmatter"
        await press(pilot, "escape")


@pytest.mark.long
async def test_cached_answer_is_not_called_the_current_answer(pilot: AppPilot) -> None:
    await ask_from_cache(pilot, "rollback")
    await pilot.press("escape", "w")
    pane = await raising(pilot)
    await until(pilot, lambda: "in an answer that needs no model" in shown(pilot))
    assert pane.heading(view(pilot)) == "It answers when the query is run again"
    text = " ".join(line.plain.strip() for line in pane.lines)
    notice = "without the cache (c on the Query screen clears it), it is already first in an answer that needs no model"
    assert text.startswith(f"[raise]  lower the answer came from the cache; {notice}")


def test_note_quoted_by_the_cached_answer_is_not_called_missing(garden: Tree) -> None:
    garden.note("fruit/f1.md", "Kumquat", "all about the kumquat")
    session = garden.session()
    session.run("kumquat facts")
    garden.note("fruit/f1.md", "Citrus", "all about citrus")
    session.load()
    result = session.explainer.explain("kumquat facts", "fruit/f1.md")
    assert title_of(result) == "Why a new search does not find it for “kumquat facts”"
    quoted = "uoted in the answer that came from the cache, given 0 s earlier; a new search does not find it"
    assert f"Q{quoted}." in reasons_of(result)
    lines = [line.plain for line in explain_lines(result, 160, UNICODE)]
    assert any("NOT FOUND BY A NEW SEARCH" in line for line in lines)
    assert any(f"q{quoted}" in line for line in lines)


@pytest.mark.long
async def test_remedy_for_an_unsearched_file_is_shown_once(app: BrvTui, garden: Tree) -> None:
    garden.file("_archived/auth/jwt/old_flow.full.md", "# Old flow\n")
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape")
        for path, message in (
            (
                "_archived/auth/jwt/old_flow.full.md",
                "to restore it, press Esc, select its stub _archived/auth/jwt/old_flow",
            ),
            ("auth/broken.md", "what helps is shown above"),
        ):
            brv(pilot).reasons.explain(path)
            await on(pilot, RemedyDialog)
            await until(pilot, lambda: message in flat(pilot))  # noqa: B023
            await pilot.press("escape")


@pytest.mark.long
async def test_folder_result_has_only_wording_remedies(app: BrvTui, garden: Tree) -> None:
    folder = "fruit/_index.md"
    plant_kumquats(garden)
    garden.summary("fruit", "Of fruit.")
    async with app.run_test(size=WIDE) as pilot:
        await asked_why(pilot, "rollback kumquat", folder)
        assert {one.kind for one in remedies(pilot)} == {RemedyKind.WORDING}
        chosen = await take(pilot, RemedyKind.WORDING)
        await until(pilot, lambda: view(pilot).answer.trace.query == chosen.query)  # type: ignore[union-attr]
        assert view(pilot).answer.trace.hits[(chosen.rank or 0) - 1].file == folder  # type: ignore[union-attr]
        await ask(pilot, "kumquat")
        brv(pilot).selection.select(folder)
        await settled(pilot)
        await pilot.press("escape", "w")
        message = "none of the other wordings that were tried helps. This result represents its folder"
        await until(pilot, lambda: message in flat(pilot))


@pytest.mark.long
async def test_w_on_a_stub_explains_how_to_restore_its_note(pilot: AppPilot) -> None:
    await asked_why(pilot, "kubernetes", "_archived/auth/jwt/old_flow.stub.md")
    text = flat(pilot)
    assert "it is the stub of an archived note; restoring the note brings back its full text" in text
    assert "Press Esc, then X to restore it." in text


@pytest.mark.long
async def test_w_works_on_the_notes_and_maturity_screens(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    for key in ("2", "3"):
        await press(pilot, "escape", key)
        await on(pilot, RemedyDialog, "w")
        await press(pilot, "escape")


async def test_leading_note_of_a_direct_answer_needs_no_remedy(app: BrvTui, pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    assert trace_of(pilot).tier == 2
    await pilot.press("escape", "w")
    pane = await raising(pilot)
    await until(pilot, lambda: "it is already first in an answer that needs no model" in shown(pilot))
    text = " ".join(line.plain.strip() for line in pane.lines)
    assert "If it should not answer this query, press l to see changes that lower it" in text
    await on(pilot, MessageScreen, "f1")
    await until(pilot, lambda: "What would help it · help" in shown(pilot))
    assert "Close the dialog" in shown(pilot)
    assert "Go to the place where you can make the change" not in shown(pilot), "there is none to make"
    await pilot.press("escape")
    assert isinstance(app.screen, RemedyDialog)
    assert pane.heading(view(pilot)) == "It answers"
    pane.put(False, RemedySearch((Remedy("validated", True, rank=1, tier=2, kind=RemedyKind.MATURITY),), ()))
    assert pane.heading(view(pilot)) == "What would help it"
    pane.put(False, RemedySearch((), ()))
    result = pane._explanation
    assert (result.rank, result.trace.tier, pane.heading(view(pilot))) == (1, 2, "It answers")
    others = replace(result.trace, answer=replace(result.trace.answer, sources=("other.md",)))
    pane._explanation = replace(result, trace=others)
    assert pane.heading(view(pilot)) == "What would help it"
    await settled(pilot)


async def test_first_result_is_lowered_and_missing_note_is_not(pilot: AppPilot) -> None:
    pane = await lowering(pilot, "token rotation session")
    first, second = trace_of(pilot).hits[:2]
    assert pane.heading(view(pilot)) == "What would lower it"
    assert "raise  [lower]" in shown(pilot)
    chosen = next(one for one in remedies(pilot) if one.kind is RemedyKind.SHORTER_QUERY)
    assert chosen.rank != 1
    assert await take(pilot, RemedyKind.SHORTER_QUERY) == chosen
    await until(pilot, lambda: screen(pilot).field.value == chosen.query)
    await settled(pilot)
    assert trace_of(pilot).hits[0].file != first.file
    await ask(pilot, "token rotation session", "escape")
    brv(pilot).selection.select(second.file)
    await settled(pilot)
    await on(pilot, RemedyDialog, "w")
    assert not pilot.app.screen.query_one(RemedyPane).lower
    await press(pilot, "escape")
    brv(pilot).selection.select("deploy/rollback.md")
    await settled(pilot)
    await on(pilot, RemedyDialog, "w")
    await pilot.press("l")
    await until(pilot, lambda: "so nothing can lower it" in flat(pilot))


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "dialog"),
    [
        (RemedyKind.ARCHIVE, PlanDialog),
        (RemedyKind.LOWER_MATURITY, SignalsDialog),
        (RemedyKind.NEW_NOTE, NewNoteDialog),
    ],
)
async def test_lowering_change_opens_its_dialog(
    app: BrvTui, garden: Tree, kind: RemedyKind, dialog: type[Screen[object]]
) -> None:
    for name, maturity in (("a", "core"), ("b", "validated")):
        path = garden.note(f"fruit/{name}.md", "Kumquat", "kumquat juice", days=3)
        if kind is not RemedyKind.NEW_NOTE:  # a new note is a draft, so it would rank below such notes
            garden.sidecar_file(path, {"importance": 60, "maturity": maturity})
    async with app.run_test(size=WIDE) as pilot:
        await lowering(pilot, "kumquat")
        await take(pilot, kind)
        await on(pilot, dialog)
        await press(pilot, "escape")


@pytest.mark.long
async def test_setting_becomes_a_lab_column(app: BrvTui, garden: Tree) -> None:
    garden.note("fruit/kumquat.md", "Kumquat", "kumquat")
    async with app.run_test(size=WIDE) as pilot:
        pane = await lowering(pilot, "kumquat")
        value = Remedy("x", True, rank=2, kind=RemedyKind.SETTING, setting="direct.min_top", value=0.9)
        pane.put(True, RemedySearch((value,), (RemedyKind.SETTING,)))
        await take(pilot, RemedyKind.SETTING)
        await on(pilot, LabScreen)
        await until(pilot, lambda: "direct.min_top=0.9" in shown(pilot))


async def test_tab_is_selected_by_a_click(pilot: AppPilot) -> None:
    pane = await lowering(pilot, "rollback")
    await pilot.click(pane, offset=(4, 1))
    assert not pane.lower
    await until(pilot, lambda: "it is already first in an answer that needs no model" in shown(pilot))


async def test_failed_search_gives_the_reason_and_no_longer_seems_to_run(pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "escape", "w")
    pane = await raising(pilot)
    await settled(pilot)
    dropped = replace(trace_of(pilot).snapshot, generation=-1)
    pane._explanation = replace(pane._explanation, trace=replace(trace_of(pilot), snapshot=dropped))
    await pilot.press("escape")
    reasons = brv(pilot).reasons
    reasons._show(reasons._project.session, pane._explanation)  # type: ignore[arg-type]
    await until(pilot, lambda: "the notes have changed: close this dialog, and press w again" in flat(pilot))
    assert "so nothing can lower it" not in flat(pilot)
    assert "trying" not in flat(pilot)


async def add_fruit(garden: Tree, pilot: AppPilot) -> None:
    """Adds a note about kumquats, and a newer core note that only mentions them and outranks it."""
    filler = " ".join(f"word{number}" for number in range(200))
    garden.note("fruit/kumquat.md", "Kumquat", "kumquat kumquat kumquat", days=300, importance=5)
    garden.note("fruit/bowl.md", "Fruit bowl", f"one kumquat {filler}", days=0, importance=95, maturity="core")
    await settled(pilot)
    await until(pilot, lambda: view(pilot).knows("fruit/bowl.md"))


async def test_first_result_offers_to_raise_the_note_that_matches_better(garden: Tree, pilot: AppPilot) -> None:
    await add_fruit(garden, pilot)
    pane = await lowering(pilot, "kumquat")
    better = pane._explanation.trace.better_match
    assert better is not None
    assert (pane._explanation.path, better.file) == ("fruit/bowl.md", "fruit/kumquat.md")
    assert "“Kumquat” (2nd) matches better" in flat(pilot)
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, RemedyDialog) and "Kumquat · fruit/" in flat(pilot))
    assert pilot.app.screen.query_one(RemedyPane)._explanation.path == better.file
    assert not pilot.app.screen.query_one(RemedyPane).lower
    assert view(pilot).selection.file == better.file


async def test_better_note_is_raised_for_the_logged_query(garden: Tree, pilot: AppPilot) -> None:
    await add_fruit(garden, pilot)
    await ask(pilot, "kumquat")
    await press(pilot, "enter")
    await ask(pilot, "rollback")
    await press(pilot, "enter")
    await pilot.press("escape", "4")
    await until(pilot, lambda: isinstance(frame(pilot), LogScreen) and view(pilot).log.entries is not None)
    frame(pilot).query_one(LogPane).go_to_query("kumquat")
    await until(pilot, lambda: (log := view(pilot).log).compared is not None and log.compared.entry.query == "kumquat")
    await on(pilot, RemedyDialog, "w")
    await until(pilot, lambda: "“Kumquat” (2nd) matches better" in flat(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, RemedyDialog) and "Kumquat · fruit/" in flat(pilot))
    explanation = pilot.app.screen.query_one(RemedyPane)._explanation
    assert (explanation.path, explanation.trace.query) == ("fruit/kumquat.md", "kumquat")
