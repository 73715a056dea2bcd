"""Edit and see: the answer with the edited text beside the current one, and the effects of saving on the note."""

from __future__ import annotations

import pytest

from tests.app.driving import WIDE, MakeApp, ask, at_two_sizes, settled, until
from tests.app.editing import NOTE, area, editor, looked, open_note, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, flat, frame, shown, text_of, view
from tests.support.trees import Tree

_OTHER = "billing/invoices/numbering.md"


async def test_predicted_ranking_matches_the_ranking_after_saving(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "credit note")
    before = {hit.file: hit.score for hit in view(pilot).answer.trace.hits}  # type: ignore[union-attr]
    assert _OTHER not in before
    brv(pilot).selection.select(_OTHER)
    await pilot.press("escape", "e")
    await until(pilot, lambda: view(pilot).editor.edit is not None)
    await looked(pilot)
    assert "now, and after saving" in text_of(pilot, "#ranking")
    await pilot.press("f6")
    await type_keys(pilot, "# Credit note, credit note\n")
    await looked(pilot)
    preview = view(pilot).editor.edit.check.preview  # type: ignore[union-attr]
    assert preview is not None
    assert "new   Credit note" in text_of(pilot, "#ranking")
    foreseen = {moved.file: moved.after.score for moved in preview.results if moved.after}
    assert (garden.tree / _OTHER).read_text().startswith("# Invoice")
    assert {hit.file: hit.score for hit in view(pilot).answer.trace.hits} == before  # type: ignore[union-attr]
    await pilot.press("ctrl+s")
    await until(pilot, lambda: (garden.tree / _OTHER).read_text().startswith("# Credit"))
    await looked(pilot)
    await pilot.press("escape")
    await until(pilot, lambda: view(pilot).editor.edit is None)
    await until(pilot, lambda: any(hit.file == _OTHER for hit in view(pilot).answer.trace.hits))  # type: ignore[union-attr]
    await settled(pilot)
    assert {hit.file: hit.score for hit in view(pilot).answer.trace.hits} == foreseen  # type: ignore[union-attr]
    assert view(pilot).answer.trace.tier == preview.after.tier  # type: ignore[union-attr]


async def test_ranking_marks_results_that_rise_or_drop_out(pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    first = view(pilot).answer.trace.hits[0].file  # type: ignore[union-attr]
    brv(pilot).selection.select(first)
    await pilot.press("escape", "e")
    await until(pilot, lambda: view(pilot).editor.edit is not None)
    await looked(pilot)
    assert "found by “token”" in text_of(pilot, "#ranking"), "with a higher score than results above"
    area(pilot).replace_text("nothing of it\n")
    await looked(pilot)
    text = text_of(pilot, "#ranking")
    assert "was" in text
    assert "▴" in text
    assert "▾" in text
    await pilot.press("ctrl+z")
    await looked(pilot)
    assert not {"was", "▴", "▾"} & set(text_of(pilot, "#ranking").split())


@at_two_sizes
async def test_effects_of_saving_are_shown_above_the_text(
    garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    garden.age(NOTE, 60)
    async with make_app(garden.root).run_test(size=size) as pilot:
        await open_note(pilot)
        edit = view(pilot).editor.edit
        assert edit is not None
        score, recency, ceiling = edit.check.effects
        assert (score.name, recency.name, ceiling.name) == ("score", "recency", "best possible score")
        assert recency.kept == recency.now
        assert recency.now is not None
        assert recency.saved == pytest.approx(1.0)
        assert f"score {score.now:.2f}" in shown(pilot)
        if size == WIDE:
            assert f"recency {recency.now:.2f} → 1.00 (old time: {recency.kept:.2f})" in shown(pilot)
        await pilot.press("f6")
        if size == WIDE:
            assert f"recency {recency.now:.2f} (new time: 1.00)" in shown(pilot)


async def test_ranking_follows_the_query_and_warns_of_unread_text(pilot: AppPilot) -> None:
    await settled(pilot)
    brv(pilot).editing.edit(NOTE)
    await until(pilot, lambda: view(pilot).editor.edit is not None)
    await looked(pilot)
    assert "best possible score 1.00" in shown(pilot)
    assert "Type a query on the Query screen" in flat(pilot, "#ranking")
    await pilot.press("escape")
    await type_in_note(pilot, "x")
    await pilot.press("escape", "k")
    await until(pilot, lambda: frame(pilot) is not brv(pilot).editing.editor)
    await ask(pilot, "freeze window", "escape")
    brv(pilot).editing.edit(NOTE)
    await until(pilot, lambda: frame(pilot) is brv(pilot).editing.editor)
    await looked(pilot)
    assert "Freeze window" in text_of(pilot, "#ranking")
    assert editor(pilot).query_one("#ranking").border_title == "Ranking · freeze window"
    area(pilot).replace_text("\ufffd broken\n")
    await looked(pilot)
    assert "no longer read: a U+FFFD" in flat(pilot, "#ranking")
    assert area(pilot).line_marks
