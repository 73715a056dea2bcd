"""The Lab: judging by keys, the table of judged queries, and its columns."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from brvtui.app.lab import asking
from brvtui.app.lab.edit_check import OPEN_QUERY
from brvtui.app.lab.judged import right_note
from brvtui.app.lab.screen import LabScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.lab.evaluation.results import QueryResult, RankedDocument
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.whatif.variant import Variant
from brvtui.paint.glyphs import UNICODE
from brvtui.tree.reading.project import find_project
from tests.app.driving import NARROW, WIDE, MakeApp, ask, at_all_sizes, on, press, settled, until
from tests.app.editing import type_keys
from tests.app.judging import ROTATION, asked, judged, table, to_lab
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, text_of, toast_text, view
from tests.app.test_log import logged
from tests.support.trees import Tree


async def add_column(pilot: AppPilot, variant: Variant) -> None:
    """Adds a column, and waits until every query has run for it."""
    count = len(view(pilot).lab.columns)
    pilot.app.call_later(frame(pilot)._lab.add, variant)  # type: ignore[attr-defined]
    await until(pilot, lambda: len(view(pilot).lab.columns) == count + 1)
    await asked(pilot)


@at_all_sizes
async def test_lab_shows_metric_tier_and_first_miss_of_a_query(
    with_judgments: Tree, size: tuple[int, int], pilot: AppPilot
) -> None:
    await to_lab(pilot)
    text = text_of(pilot, "#judged")
    rows = {line.split("  ")[0].strip(): line for line in text.splitlines()}
    assert rows["refresh token rotation"].rstrip().endswith("1.00 T3✗")
    assert rows["zebra quagga"].rstrip().endswith("none")
    assert "0.00" in rows["rollback"]
    assert "mean of 2 graded" in text
    await pilot.press("S", "j", "j", "f3")
    await until(pilot, lambda: "first miss: nowhere/gone.md" in text_of(pilot, "#cell"))
    assert "nowhere/gone.md is gone: brv-tui judge set" in flat(pilot, "#cell")


def test_right_note_or_expected_outcome_is_named() -> None:
    def named(expected: str, outcome: str, grades: dict[str, int], *paths: str) -> str:
        results = tuple(RankedDocument(path, 1.0) for path in paths)
        return right_note(QueryResult("q", "q", "", expected, grades, outcome, results, 0, 1.0), UNICODE)[0]

    assert named("", "tier 2", {"a/right.md": 3}, "a/wrong.md", "a/right.md") == "2nd: right"
    assert named("", "tier 2", {"a/right.md": 3}, "a/wrong.md") == "missed: right"
    assert named("", "tier 2", {"a/right.md": 3}, "a/right.md") == ""
    assert named("tier 2", "tier 3", {"a/right.md": 3}, "a/right.md") == "tier 2 expected"
    assert named("not covered", "tier 2", {}, "a/wrong.md") == "should not answer"
    assert named("not covered", "not covered", {}) == "✓ none expected"


async def test_lab_without_judgments_explains_how_to_create_them(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        assert "No query is judged yet" in shown(pilot)
        assert ".brv/brv-tui/judgments.toml" in shown(pilot)
        await press(pilot, "J")
        await until(pilot, lambda: "no query is open or logged" in toast_text(pilot))
        await pilot.press("f3")
        assert "the query in the column under the cursor" in text_of(pilot, "#cell")


async def test_open_query_is_judged_by_its_answer(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await to_lab(pilot)
    assert "refresh token rotation" in text_of(pilot, "#judged")
    await pilot.press("J")
    await until(pilot, lambda: judged(garden))
    await asked(pilot)
    (result,) = judged(garden)
    assert (result.text, result.expected) == ("refresh token rotation", "tier 3")
    assert [(each.path, each.grade) for each in result.documents] == [(ROTATION, 3)]
    assert "mean of 1 graded" in text_of(pilot, "#judged")


@pytest.mark.long
async def test_logged_queries_can_be_judged(garden: Tree, make_app: MakeApp) -> None:
    logged(garden, 9, "refresh token rotation")
    logged(garden, 7, "token store")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await pilot.press("J")
        await until(pilot, lambda: len(judged(garden)) == 2)
        await asked(pilot)
        assert "token store" in text_of(pilot, "#judged")


@pytest.mark.long
async def test_one_log_entry_can_be_judged(garden: Tree, make_app: MakeApp) -> None:
    logged(garden, 9, "refresh token rotation")
    logged(garden, 7, "token store")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: view(pilot).log.entries is not None)
        await settled(pilot)
        await pilot.press("j", "J")
        await until(pilot, lambda: judged(garden))
        assert [each.text for each in judged(garden)] == ["refresh token rotation"]
        await settled(pilot)
        assert "grade its results on the Query screen" in toast_text(pilot)


@pytest.mark.long
async def test_uncovered_query_has_no_results_to_grade(pilot: AppPilot) -> None:
    await ask(pilot, "zebra quagga")
    await to_lab(pilot)
    await pilot.press("J")
    await until(pilot, lambda: "is judged, based on the current answer" in toast_text(pilot))
    assert "grade its results" not in toast_text(pilot)
    assert "brv-tui judge set QUERY --expect" in toast_text(pilot)


async def test_result_is_graded_on_the_query_screen(garden: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation", "f2", "j", "J")
    await until(pilot, lambda: "It has no grade yet" in shown(pilot))
    assert "How relevant" in shown(pilot)
    await pilot.press("1")
    await until(pilot, lambda: judged(garden))
    await settled(pilot)
    second = view(pilot).selection.file
    assert [(each.path, each.grade) for each in judged(garden)[0].documents] == [(second, 1)]
    await pilot.press("J")
    await until(pilot, lambda: "Its grade is 1." in shown(pilot))
    await pilot.press("d")
    await until(pilot, lambda: not judged(garden)[0].documents)
    await settled(pilot)


def test_moved_note_keeps_its_grade_and_can_be_regraded(garden: Tree) -> None:
    moved = "auth/moved.md"
    asking.grade(garden.session(), "rotation", "", ROTATION, 2)
    (garden.tree / ROTATION).rename(garden.tree / moved)
    session = garden.session()
    assert asking.grade_of(session, "rotation", "", moved) == 2
    asking.grade(session, "rotation", "", moved, 0)
    assert [(each.path, each.grade) for each in judged(garden)[0].documents] == [(moved, 0)]
    asking.grade(session, "rotation", "", moved, None)
    assert asking.grade_of(session, "rotation", "", moved) is None
    assert not judged(garden)[0].documents


async def test_column_is_added_sorted_by_loss_and_removed(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await press(pilot, "v")
    await pilot.press(*"direct", "full_stop", *"min", "underscore", *"top=1", "enter")
    await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
    await asked(pilot)
    assert view(pilot).lab.columns[1].variant == Variant(constants=(("direct.min_top", 1),))
    await add_column(pilot, Variant(without=(ROTATION,)))
    assert table(pilot).choices[0] == "refresh-token-rotation"
    assert "−1.00" in text_of(pilot, "#judged").splitlines()[3]
    await pilot.press("g", "l", "l", "f3")
    await until(pilot, lambda: f"first miss: {ROTATION}" in text_of(pilot, "#cell"))
    await pilot.press("f2", "d")
    await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
    await asked(pilot)


async def test_maturity_opens_a_lab_column_for_its_day(with_judgments: Tree, pilot: AppPilot) -> None:
    await settled(pilot)
    await pilot.press("escape", "3", "right_square_bracket", "A")
    await until(pilot, lambda: isinstance(frame(pilot), LabScreen) and view(pilot).lab.judgments is not None)
    await asked(pilot)
    column = table(pilot).chosen_column
    assert column is not None
    assert str(column.variant) == "+1d"
    await pilot.press("3", "0", "A")
    await until(pilot, lambda: Variant(days=30) in [column.variant for column in view(pilot).lab.columns])
    await asked(pilot)
    column = table(pilot).chosen_column
    assert column is not None
    assert str(column.variant) == "+30d"


@pytest.mark.long
async def test_cursor_does_not_wait_for_a_refused_column(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    lab_screen = frame(pilot)
    assert isinstance(lab_screen, LabScreen)
    for days in range(1, 9):
        lab_screen.add_column(Variant(days=days))
    await until(pilot, lambda: "at most 8 columns" in toast_text(pilot))
    await until(pilot, lambda: table(pilot).chosen_column == view(pilot).lab.columns[-1])
    assert str(view(pilot).lab.columns[-1].variant) == "+7d"
    await pilot.press("h", "h", "d")
    await until(pilot, lambda: len(view(pilot).lab.columns) == 7)
    here = table(pilot).column
    lab_screen._lab.add(Variant(days=8))
    await until(pilot, lambda: len(view(pilot).lab.columns) == 8)
    assert table(pilot).column == here


@pytest.mark.long
async def test_invalid_column_is_reported(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await press(pilot, "v")
    await press(pilot, *"solerj")
    assert "did you mean soleri" in shown(pilot)
    await pilot.press("enter")
    assert len(view(pilot).lab.columns) == 1
    await pilot.press("escape")
    await add_column(pilot, Variant(revision="nowhere"))
    await pilot.press("l", "f3")
    await until(pilot, lambda: "git" in text_of(pilot, "#cell"))


@pytest.mark.long
async def test_unknown_constant_is_refused_while_typing(with_judgments: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "escape", "P")
    await until(pilot, lambda: view(pilot).engine.name == "jeffs_brain")
    await to_lab(pilot)
    await press(pilot, "v")
    assert "min_top" not in shown(pilot)
    assert "since HEAD" not in shown(pilot)  # the garden is not in a git repository
    await type_keys(pilot, "direct.min_top=0.9")
    await pilot.press("enter")
    await until(pilot, lambda: "Jeffs Brain: unknown key direct" in shown(pilot))
    assert len(view(pilot).lab.columns) == 1


async def test_cursor_moves_to_a_new_column_and_hidden_columns_are_counted(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        for number, name in enumerate(("soleri", "knowing", "+30d"), start=1):
            await press(pilot, "v")
            await type_keys(pilot, name)
            await pilot.press("enter")
            await until(pilot, lambda number=number: table(pilot).column == number)  # type: ignore[misc]
            assert name in text_of(pilot, "#judged").splitlines()[0]
        assert "1 more column: h l" in text_of(pilot, "#judged")
        await asked(pilot)


@pytest.mark.long
async def test_chosen_profile_is_named_in_the_status_line_and_lab_column(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        assert "profile" not in text_of(pilot, "#status")
        await pilot.press("escape", "p")
        await until(pilot, lambda: "profile docs" in text_of(pilot, "#status"))
        await to_lab(pilot)
        assert view(pilot).lab.columns[0].title == "docs"


async def test_enter_runs_the_query_with_the_columns_engine(with_judgments: Tree, pilot: AppPilot) -> None:
    await to_lab(pilot)
    await add_column(pilot, Variant("jeffs_brain"))
    await on(pilot, QueryScreen, "l", "enter")
    await settled(pilot)
    assert view(pilot).engine.name == "jeffs_brain"
    assert screen(pilot).field.value in {each.text for each in judged(with_judgments)}


@pytest.mark.parametrize("came_from", ["4", "5"])
async def test_enter_leads_to_the_results_of_the_query(with_judgments: Tree, make_app: MakeApp, came_from: str) -> None:
    """From the Lab and the Log, also if another pane of the Query screen had the focus."""
    logged(with_judgments, 3, "refresh token rotation")
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await pilot.press("f4")
        assert frame(pilot).stop not in ("results", "query")
        await pilot.press("escape", came_from)
        await settled(pilot)
        await on(pilot, QueryScreen, "g", "enter")
        await until(pilot, lambda: view(pilot).answered and view(pilot).query.text == "refresh token rotation")
        await settled(pilot)
        assert frame(pilot).stop == "results"
        first = view(pilot).selection.file
        await press(pilot, "j")
        assert view(pilot).selection.file != first


@pytest.mark.long
async def test_enter_uses_the_profile_of_the_column_and_reports_settings_that_only_the_lab_has(
    with_judgments: Tree, pilot: AppPilot
) -> None:
    await to_lab(pilot)
    await add_column(pilot, Variant(profile="docs", days=30))
    await pilot.press("l", "enter")
    await until(pilot, lambda: view(pilot).engine.profile == "docs")
    await settled(pilot)
    assert "+30d applies only in the Lab" in toast_text(pilot)


async def test_lab_runs_can_be_stopped_and_continued(
    with_judgments: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    gate = threading.Event()
    cell = asking._cell

    def slow(result: Any) -> Any:
        assert gate.wait(20)
        return cell(result)

    monkeypatch.setattr(asking, "_cell", slow)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "5")
        await until(pilot, lambda: view(pilot).lab.total)
        await pilot.press("b")
        await until(pilot, lambda: view(pilot).lab.stopped)
        gate.set()
        await settled(pilot)
        assert view(pilot).lab.done == 0
        assert "stopped at 0 of 3" in str(table(pilot).border_title)
        for done, stopped in ((1, False), (2, True)):  # the longest titles fit on a screen of 120 columns
            lab = view(pilot).lab._replace(done=done, total=240, stopped=stopped)
            heading = table(pilot).heading(view(pilot)._replace(lab=lab))
            assert f"{done} of 240" in heading
            assert len(heading) <= 64
        await pilot.press("b")
        await until(pilot, lambda: view(pilot).lab.done == 3)
        await settled(pilot)


async def test_lab_for_a_committed_tree_has_a_since_head_column(with_judgments: Tree, make_app: MakeApp) -> None:
    git = ["git", "-C", str(with_judgments.root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "notes"]):
        subprocess.run([*git, *words], check=True)
    with_judgments.file(ROTATION, "# Nothing\n\nNothing is left.\n", 1)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        assert [column.title for column in view(pilot).lab.columns] == ["byterover", "since HEAD"]
        legend, first = text_of(pilot, "#judged").splitlines()[2:4]
        assert legend.strip() == "1 if right notes are first · T2✗ unexpected tier 2 · – no grades"
        assert first.strip().startswith("refresh token rotation")
        assert "−0.50" in first


async def test_broken_judgments_file_is_reported_and_not_overwritten(garden: Tree, make_app: MakeApp) -> None:
    file = JudgmentsFile.of(find_project(garden.root)).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("version = 1\n[[query]\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await to_lab(pilot)
        assert "judgments.toml" in text_of(pilot, "#judged")
        assert "line 2" in text_of(pilot, "#judged")
        await press(pilot, "J")
    assert file.read_text() == "version = 1\n[[query]\n"


async def test_last_judgment_can_be_undone(with_judgments: Tree, make_app: MakeApp) -> None:
    before = judged(with_judgments)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token store", "escape", "J", "3")
        await until(pilot, lambda: len(judged(with_judgments)) == 4)
        await until(pilot, lambda: "u undoes it" in toast_text(pilot))
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        for count, grade in enumerate(("3", "1"), 1):
            await pilot.press("J", grade)
            await until(pilot, lambda: judged(with_judgments) != before)
            await until(pilot, lambda: len(brv(pilot).lab._done) == count)  # noqa: B023
        await pilot.press("u")
        await until(pilot, lambda: [each.grade for each in judged(with_judgments)[-1].documents] == [3])
        await settled(pilot)
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        await to_lab(pilot)
        await pilot.press("backspace")
        await until(pilot, lambda: "“token store” is not judged" in toast_text(pilot))
        await pilot.press("j")
        taken = table(pilot).judgment
        await pilot.press("backspace")
        await until(pilot, lambda: taken not in judged(with_judgments))
        await until(pilot, lambda: "is no longer judged; 2 judged queries in all" in toast_text(pilot))
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        await pilot.press("u")
        await until(pilot, lambda: "nothing to undo in this session" in toast_text(pilot))


async def test_u_undoes_changes_to_notes_and_judgments_newest_first(with_judgments: Tree, make_app: MakeApp) -> None:
    before = judged(with_judgments)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        session = brv(pilot).project.session
        assert session is not None
        notes = session.notes
        notes.apply(notes.plan_archive("deploy/rollback.md"))
        await pilot.press("escape", "J", "3")
        await until(pilot, lambda: "u undoes it" in toast_text(pilot))
        notes.apply(notes.plan_archive("deploy/freeze_window.md"))
        await pilot.press("u")
        await until(pilot, lambda: notes.journal.depth == 1)
        assert judged(with_judgments) != before
        await settled(pilot)
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        assert notes.journal.depth == 1
        await settled(pilot)
        await pilot.press("u")
        await until(pilot, lambda: notes.journal.depth == 0)


async def test_undo_does_not_overwrite_judgments_changed_by_others(with_judgments: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "token store", "escape", "J", "3")
    await until(pilot, lambda: "u undoes it" in toast_text(pilot))
    JudgmentsFile.of(find_project(with_judgments.root)).change(lambda now: now[1:])
    kept = judged(with_judgments)
    await pilot.press("u")
    await until(pilot, lambda: "the judgments have changed since" in toast_text(pilot))
    assert judged(with_judgments) == kept


@pytest.mark.long
async def test_pane_title_follows_the_tabs_if_there_is_room(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        tabs = "Judged queries│Answer│What if"
        assert f"{tabs}  3 · ndcg@10 · worst first ━" in shown(pilot)
        await pilot.press("f4")
        assert f"{tabs} ━" in shown(pilot)
        await pilot.press("l")
        await until(pilot, lambda: f"{tabs}  ndcg@10 " in shown(pilot))
        await pilot.resize_terminal(60, NARROW[1])
        await until(pilot, lambda: f"{tabs} ━" in shown(pilot))


def test_second_note_with_the_top_grade_names_the_first(garden: Tree) -> None:
    session = garden.session()
    assert "too" not in asking.grade(session, "rotation", "", ROTATION, 3).said
    assert f"{ROTATION} has grade 3 too" in asking.grade(session, "rotation", "", "deploy/rollback.md", 3).said


async def test_ungraded_open_query_comes_after_the_failures(with_judgments: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refunds billing")
    await to_lab(pilot)
    judgments = table(pilot).choices
    assert judgments[:2] == ["refresh-token-rotation", "rollback"]
    assert OPEN_QUERY in judgments[2:]
    assert "open: refunds billing" in text_of(pilot, "#judged")
