"""The Health screen: findings by kind, their details, actions on several at once, ignored ones, and its tabs."""

from __future__ import annotations

import json

import pytest

from brvtui.app.editing.changes import NewNoteDialog
from brvtui.app.editing.merge_dialog import BOTH, ONLY, MergeDialog, SidesPane, TwoNotes
from brvtui.app.editing.plan_dialog import PlanDialog, TextDialog, effect_lines
from brvtui.app.health.findings_pane import FindingsPane
from brvtui.app.health.screen import HealthScreen
from brvtui.app.widgets.key_bar import KeyBar
from brvtui.app.widgets.ordered_keys import Options
from brvtui.engines.contract import EngineError
from brvtui.lab.health.finding import Confidence, Finding, FindingKind, HealthReport
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.paint.glyphs import UNICODE
from brvtui.session.edit_effect import effect_of_plan
from brvtui.session.health import ProjectHealth
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.engine_files.curate_log import read_curations
from brvtui.tree.engine_files.sidecar import project_data
from tests.app.driving import WIDE, MakeApp, at_two_sizes, on, press, settled, until
from tests.app.looking import AppPilot, flat, frame, text_of, toast_text, view
from tests.notes.conftest import files_of
from tests.support.trees import Tree

ONE, OTHER, EMPTY = "deploy/cooling.md", "deploy/cooling_again.md", "deploy/todo.md"
_TEXT = "\n".join(
    f"- pump {number} moves {number * 7} litres of coolant per minute to rack {number}" for number in range(30)
)


@pytest.fixture
def ill(garden: Tree) -> Tree:
    """A tree with two notes that say the same, a note with only a title, and a pending review."""
    garden.file(ONE, f"---\nauthor: Ada\n---\n# Cooling of the racks\n\n{_TEXT}\n", days=9)
    garden.file(OTHER, f"# Cooling of racks\n\n{_TEXT}\n- a valve shuts at 60 degrees\n", days=2)
    garden.file(EMPTY, "# Todo\n", days=1)
    operation = {"type": "UPDATE", "filePath": str(garden.tree / EMPTY), "reviewStatus": "pending", "reason": "shorter"}
    log = project_data(garden.root) / "curate-log" / "cur-1795000000000.json"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps({"taskId": "t-7", "startedAt": 1_795_000_000_000, "operations": [operation, 3]}))
    return garden


async def opened(pilot: AppPilot) -> FindingsPane:
    """Opens the screen, and waits for the first check."""
    await settled(pilot)
    screen = await on(pilot, HealthScreen, "escape", "7")
    await until(pilot, lambda: view(pilot).health.report is not None and not view(pilot).health.is_checking)
    await settled(pilot)
    return screen.findings


def to(pane: FindingsPane, kind: FindingKind, *notes: str) -> None:
    """Moves the cursor to the first finding of ``kind`` that names ``notes``."""
    found = (key for key, row in pane.rows_by_key.items() if isinstance(row, Finding) and row.kind is kind)
    pane.move_to(pane.choices.index(next(key for key in found if all(note in key for note in notes))))


def with_gap(pilot: AppPilot) -> None:
    """Shows a single finding, a gap."""
    gap = Finding(FindingKind.GAP, (), Confidence.LOW, "no note covers it", "", ("zebra crossing",))
    store = pilot.app.store  # type: ignore[attr-defined]
    store.update(view(pilot).health._replace(report=HealthReport((gap,), (), 1, 1, 90)))


@at_two_sizes
async def test_findings_show_reason_cost_origin_and_remedies(
    ill: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async with make_app(ill.root).run_test(size=size) as pilot:
        pane = await opened(pilot)
        rows = text_of(pilot, "#findings").splitlines()
        review = next(number for number, row in enumerate(rows) if row.strip().startswith("review"))
        assert rows[review - 1].strip().endswith(" 1")
        to(pane, FindingKind.NEAR_DUPLICATE, ONE, OTHER)
        await settled(pilot)
        row = pane.row
        assert isinstance(row, Finding)
        details = flat(pilot, "#finding")
        assert row.sentence in details
        assert "Ada" in details
        assert " c Merge the notes" in details
        pane.move_to(0)
        await settled(pilot)
        assert "task t-7: shorter" in flat(pilot, "#finding")


async def test_list_follows_edits_without_moving_the_cursor(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.TITLE_ONLY, EMPTY)
        before = pane.chosen
        ill.file("deploy/empty.md", "# Later\n")
        await until(pilot, lambda: any("empty.md" in key for key in pane.choices))
        assert pane.chosen == before
        ill.file(EMPTY, f"# Todo\n\n{_TEXT[:400]} and other sentences\n")
        await until(pilot, lambda: before not in pane.choices)
        assert pane.row is not None


async def test_marked_notes_are_archived_together_and_restored_by_one_undo(ill: Tree, make_app: MakeApp) -> None:
    ill.file("deploy/empty.md", "# Later\n", days=1)
    before = files_of(ill.tree)
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        for path in (EMPTY, "deploy/empty.md"):
            to(pane, FindingKind.TITLE_ONLY, path)
            await press(pilot, "space")
        assert len(pane.marked) == 2
        dialog = await on(pilot, PlanDialog, "X")
        await until(pilot, lambda: dialog.pane.plan is not None and dialog.pane.effect)
        await settled(pilot)
        assert any("quer" in row.plain for row in dialog.pane.effect or ())
        await press(pilot, "enter")
        await until(pilot, lambda: not (ill.tree / EMPTY).exists() and not (ill.tree / "deploy/empty.md").exists())
        await until(pilot, lambda: not pane.marked)
        await press(pilot, "u")
        await until(pilot, lambda: files_of(ill.tree) == before)


async def test_merge_shows_both_notes_and_keeps_the_chosen_one(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.NEAR_DUPLICATE, ONE, OTHER)
        dialog = await on(pilot, MergeDialog, "c")
        await settled(pilot)
        proposed, way = dialog.entered
        assert "valve shuts" in "".join(row.plain for row in dialog.query_one(SidesPane).lines)
        dialog.query_one(Options).focus()
        await press(pilot, "right")
        keep = dialog.entered[0]
        assert keep != proposed
        dialog.pane.focus()
        await press(pilot, "t")
        assert dialog.entered[1] != way
        assert " t " in "".join(row.plain for row in dialog.query_one(KeyBar).lines)
        await until(pilot, lambda: dialog.pane.plan is not None)
        await settled(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: not (ill.tree / proposed).exists())
        assert "valve shuts" in (ill.tree / keep).read_text()
        assert (ill.tree / archived_as(proposed).full).exists()


async def test_similar_notes_are_not_joined_by_default(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.NEAR_DUPLICATE, ONE, OTHER)
        dialog = await on(pilot, MergeDialog, "c")
        await until(pilot, lambda: dialog.pane.plan is not None)
        assert dialog.pane.plan is not None
        assert dialog.entered[0] not in dialog.pane.plan.paths
        assert dialog.entered[1] == ONLY
    different = MergeDialog(TwoNotes({"a.md": "one", "b.md": "two"}, (), False), lambda *_: None, lambda _: ())  # type: ignore[arg-type, return-value]
    assert [*different.make_fields()][1].chosen == BOTH  # type: ignore[attr-defined]


async def test_cursor_returns_to_the_finding_that_an_undo_restores(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.TITLE_ONLY, EMPTY)
        key = pane.chosen
        dialog = await on(pilot, PlanDialog, "X")
        await until(pilot, lambda: dialog.pane.plan is not None)
        await settled(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: key not in pane.choices and not view(pilot).health.is_checking)
        pane.move_to(0)
        pane.move_to(len(pane.choices) - 1)
        await press(pilot, "u")
        await until(pilot, lambda: pane.chosen == key)


@at_two_sizes
async def test_key_bar_names_archiving_only_for_findings_about_notes(
    ill: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async with make_app(ill.root).run_test(size=size) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.TITLE_ONLY, EMPTY)
        await settled(pilot)
        assert " X " in text_of(pilot, "#keys")
        with_gap(pilot)
        to(pane, FindingKind.GAP, "zebra crossing")
        await settled(pilot)
        assert " X " not in text_of(pilot, "#keys")


async def test_title_is_changed(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.TITLE_ONLY, EMPTY)
        dialog = await on(pilot, TextDialog, "r")
        assert isinstance(dialog.maker(), str), "the title is unchanged"
        await press(pilot, "s")
        await until(pilot, lambda: dialog.pane.plan is not None)
        await settled(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: (ill.tree / EMPTY).read_text() == "# Todos\n")


async def test_useful_actions_are_named_first(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        for kind, first in ((FindingKind.TITLE_ONLY, "archive"), (FindingKind.NEAR_DUPLICATE, "merge")):
            row = next(each for each in pane.choices if kind in each)
            pane.move_to(pane.choices.index(row))
            await settled(pilot)
            advice = text_of(pilot, "#finding").lower().partition("what you can do")[2]
            assert first in advice.splitlines()[1], kind


async def test_ignored_findings_are_listed_last_and_restored(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        to(pane, FindingKind.TITLE_ONLY, EMPTY)
        key = pane.chosen
        beside = (pane.choices[pane.cursor + 1 :] or pane.choices[pane.cursor - 1 :])[0]
        await pilot.press("d")
        await until(pilot, lambda: view(pilot).health.report.ignored)  # type: ignore[union-attr]
        await settled(pilot)
        assert (pane.choices[-1], pane.chosen) == (key, beside), "the next finding is selected"
        assert "1 finding is listed last, as ignored; u takes that back" in toast_text(pilot)
        pane.move_to(pane.choices.index(key))
        await pilot.press("d")
        await until(pilot, lambda: not view(pilot).health.is_checking and not view(pilot).health.report.ignored)  # type: ignore[union-attr]
        assert key in pane.choices
        pane.move_to(pane.choices.index(key))
        await pilot.press("d", "u")
        await until(pilot, lambda: "1 finding is listed again" in toast_text(pilot))
        await until(pilot, lambda: not view(pilot).health.is_checking and not view(pilot).health.report.ignored)  # type: ignore[union-attr]
        await pilot.press("u")
        await until(pilot, lambda: "nothing to undo" in toast_text(pilot))


@at_two_sizes
async def test_terms_and_tokens_are_tabs(ill: Tree, make_app: MakeApp, size: tuple[int, int]) -> None:
    async with make_app(ill.root).run_test(size=size) as pilot:
        await opened(pilot)
        await press(pilot, "f4")
        body = frame(pilot).body
        assert {pane.id for pane in body.panes if pane.display} == {"findings", "terms"}  # type: ignore[attr-defined]
        x, y = body.tab_spots()["tokens"]
        await pilot.click(offset=(x + 2, y))
        await settled(pilot)
        assert frame(pilot).stop == "tokens"
        await press(pilot, "escape")
        assert frame(pilot).stop == "findings"


async def test_failed_check_is_explained(ill: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProjectHealth, "report", lambda *_, **__: (_ for _ in ()).throw(EngineError("broken")))
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "7")
        await until(pilot, lambda: view(pilot).health.problem)
        await settled(pilot)
        assert "broken" in text_of(pilot, "#findings")
        assert not toast_text(pilot)


async def test_new_note_for_a_gap_has_its_query(ill: Tree, make_app: MakeApp) -> None:
    async with make_app(ill.root).run_test(size=WIDE) as pilot:
        pane = await opened(pilot)
        with_gap(pilot)
        to(pane, FindingKind.GAP, "zebra crossing")
        await settled(pilot)
        assert frame(pilot).query_at_hand[0] == "zebra crossing"
        assert not frame(pilot).query_at_hand.is_covered
        await on(pilot, NewNoteDialog, "a")
        await press(pilot, "enter")
        await until(pilot, lambda: view(pilot).editor.edit is not None)
        await until(pilot, lambda: view(pilot).query.text == "zebra crossing")


def test_effect_lists_worse_queries_first(ill: Tree) -> None:
    session = ill.session()
    judgments = (Judgment("q", "valve degrees", documents=(JudgedDocument(OTHER, 3),)), Judgment("r", "zebra"))
    JudgmentsFile.of(session.project).change(lambda _: judgments)
    archive = session.notes.plan_archiving([OTHER])
    logged = (Judgment("asked: : valve degrees", "valve degrees"),)
    effect = effect_of_plan(session, archive, judgments, logged, session.engine, "", bool)
    assert effect is not None
    assert (effect.judged, effect.unjudged, effect.worse) == (2, 0, ("valve degrees",)), "a logged query counts once"
    assert [change.now.id for change in effect.otherwise] == ["q"]
    head, query = effect_lines(effect, UNICODE)
    assert head.spans[0][1] == "bad"
    assert query.plain.split()[0] == "worse"
    assert query.plain.endswith(effect.otherwise[0].summary)
    merge = session.notes.plan_replacing([(OTHER, ONE)], is_merge=True, joins=True)
    effect = effect_of_plan(session, merge, judgments, (), session.engine, "", bool)
    assert effect is not None
    assert not effect.worse


@pytest.mark.parametrize("place", ["/etc/passwd", "../x.md", "\ud800", "\0", 3, None])
def test_curations_outside_the_tree_are_left_out(tree: Tree, place: object) -> None:
    log = project_data(tree.root) / "curate-log"
    log.mkdir(parents=True)
    (log / "cur-1.json").write_text(
        json.dumps({"operations": [{"filePath": place}, {"filePath": str(tree.tree / "a.md")}]})
    )
    (log / "cur-2.json").write_text("[")
    (log / "cur-3.json").write_text('{"operations": 7}')
    assert [each.notes for each in read_curations(project_data(tree.root), tree.tree)] == [("a.md",)]
