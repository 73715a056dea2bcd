"""The Lab: judging by keys, the table of judged queries, its columns, what an edit would break."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.lab import asking
from brvtui.app.lab.cell import CellPane
from brvtui.app.lab.edit_check import OPEN_QUERY, sentence
from brvtui.app.lab.judged import JudgedPane
from brvtui.app.lab.screen import LabScreen
from brvtui.app.lab.sweep_dialog import SweepDialog, SweepPane
from brvtui.app.lab.what_if import WhatIfPane
from brvtui.app.query.screen import QueryScreen
from brvtui.engines import registry
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.evaluation.results import QueryResult, RankedDocument
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.grading import with_query
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.lab.whatif.variant import EarlierNotes, Variant
from brvtui.session.edit_effect import EditEffect
from brvtui.store.folders import config_folder
from brvtui.tree.reading.project import find_project
from tests.app.driving import NARROW, SIZES, WIDE, ask, brv, frame, screen, settled, shown, text_of, until, view
from tests.app.editing import NOTE, editor, open_note, toasts, type_keys
from tests.app.test_log import logged
from tests.support.trees import Tree

ROTATION = "auth/jwt/refresh_rotation.md"
MakeApp = Callable[..., BrvTui]


def judged(garden: Tree) -> tuple[Judgment, ...]:
    return JudgmentsFile.of(find_project(garden.root)).read()


@pytest.fixture
def with_judgments(garden: Tree) -> Tree:
    """The garden with three judged queries."""

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        before = with_query(before, "refresh token rotation", "", "tier 2", (JudgedDocument(ROTATION, 3),))
        before = with_query(before, "zebra quagga", "", "not covered", ())
        return with_query(before, "rollback", "", "", (JudgedDocument("nowhere/gone.md", 2),))

    JudgmentsFile.of(find_project(garden.root)).change(edit)
    return garden


async def to_lab(pilot: Pilot[Any]) -> None:
    await settled(pilot)
    await pilot.press("escape", "5")
    await until(pilot, lambda: isinstance(frame(pilot), LabScreen) and view(pilot).lab.judgments is not None)
    await asked(pilot)


async def asked(pilot: Pilot[Any]) -> None:
    """Waits until every query is asked."""
    await settled(pilot)
    await until(pilot, lambda: view(pilot).lab.done == view(pilot).lab.total)
    await settled(pilot)


def table(pilot: Pilot[Any]) -> JudgedPane:
    return frame(pilot).query_one(JudgedPane)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
async def test_a_row_has_metric_tier_and_first_miss(
    with_judgments: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async with make_app(with_judgments.root).run_test(size=size) as pilot:
        await to_lab(pilot)
        said = text_of(pilot, "#judged")
        rows = {line.split("  ")[0].strip(): line for line in said.splitlines()}
        assert rows["refresh token rotation"].rstrip().endswith("1.00 T3✗")
        assert rows["zebra quagga"].rstrip().endswith("none")
        assert "0.00" in rows["rollback"]
        assert "mean ndcg@10 of 2 queries" in said
        await pilot.press("S", "j", "j", "f3")
        await until(pilot, lambda: "first miss: nowhere/gone.md" in text_of(pilot, "#cell"))


async def test_without_judgments_it_says_how_to_make_them(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        assert "No query is judged yet" in shown(pilot)
        assert ".brv/brv-tui/judgments.toml" in shown(pilot)
        await pilot.press("J")
        await settled(pilot)
        await until(pilot, lambda: "none is logged: ask one on the Query screen" in toasts(pilot))


async def test_the_open_query_is_judged_by_its_answer(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation")
        await to_lab(pilot)
        assert "refresh token rotation" in text_of(pilot, "#judged")
        await pilot.press("J")
        await until(pilot, lambda: judged(garden))
        await asked(pilot)
        (made,) = judged(garden)
        assert (made.text, made.expected) == ("refresh token rotation", "tier 3")
        assert [(each.path, each.grade) for each in made.documents] == [(ROTATION, 3)]
        assert "mean ndcg@10 of 1 query" in text_of(pilot, "#judged")


async def test_the_queries_of_the_log_are_judged(garden: Tree, make_app: MakeApp) -> None:
    logged(garden, 9, "refresh token rotation")
    logged(garden, 7, "token store")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await pilot.press("J")
        await until(pilot, lambda: len(judged(garden)) == 2)
        await asked(pilot)
        assert "token store" in text_of(pilot, "#judged")


async def test_one_entry_of_the_log_is_judged(garden: Tree, make_app: MakeApp) -> None:
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


async def test_a_result_is_graded_on_the_query_screen(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation")
        await pilot.press("f2", "j", "J")
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


def test_a_note_that_was_graded_and_moved_is_graded_where_it_was(garden: Tree) -> None:
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


async def test_a_column_is_added_sorted_by_loss_and_removed(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await pilot.press("v")
        await settled(pilot)
        await pilot.press(*"direct", "full_stop", *"min", "underscore", *"top=1", "enter")
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        assert view(pilot).lab.columns[1].variant == Variant(constants=(("direct.min_top", 1),))
        pilot.app.call_later(frame(pilot)._lab.add, Variant(without=(ROTATION,)))  # type: ignore[attr-defined]
        await until(pilot, lambda: len(view(pilot).lab.columns) == 3)
        await asked(pilot)
        assert table(pilot).choices[0] == "refresh-token-rotation"
        assert "−1.00" in text_of(pilot, "#judged").splitlines()[2]
        await pilot.press("g", "l", "l", "f3")
        await until(pilot, lambda: f"first miss: {ROTATION}" in text_of(pilot, "#cell"))
        await pilot.press("f2", "d")
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)


async def test_maturity_leads_to_the_answers_of_its_day(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
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


async def test_a_column_that_is_refused_is_not_waited_for(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        lab_screen = frame(pilot)
        assert isinstance(lab_screen, LabScreen)
        for days in range(1, 9):
            lab_screen.add_column(Variant(days=days))
        await until(pilot, lambda: "8 columns are the most" in toasts(pilot))
        await until(pilot, lambda: table(pilot).chosen_column == view(pilot).lab.columns[-1])
        assert str(view(pilot).lab.columns[-1].variant) == "+7d"
        await pilot.press("h", "h", "d")
        await until(pilot, lambda: len(view(pilot).lab.columns) == 7)
        here = table(pilot).column
        lab_screen._lab.add(Variant(days=8))
        await until(pilot, lambda: len(view(pilot).lab.columns) == 8)
        assert table(pilot).column == here


async def test_a_wrong_column_is_said(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await pilot.press("v")
        await settled(pilot)
        await pilot.press(*"solerj")
        await settled(pilot)
        assert "did you mean soleri" in shown(pilot)
        await pilot.press("enter")
        assert len(view(pilot).lab.columns) == 1
        await pilot.press("escape")
        pilot.app.call_later(frame(pilot)._lab.add, Variant(revision="nowhere"))  # type: ignore[attr-defined]
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        await pilot.press("l", "f3")
        await until(pilot, lambda: "git" in text_of(pilot, "#cell"))


async def test_a_constant_that_its_engine_does_not_have_is_refused_where_it_is_typed(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await pilot.press("escape", "P")
        await until(pilot, lambda: view(pilot).engine.name == "jeffs_brain")
        await to_lab(pilot)
        await pilot.press("v")
        await settled(pilot)
        assert "min_top" not in shown(pilot)
        assert "since HEAD" not in shown(pilot)  # the garden is in no git repository
        await type_keys(pilot, "direct.min_top=0.9")
        await pilot.press("enter")
        await until(pilot, lambda: "Jeffs Brain: unknown key direct" in shown(pilot))
        assert len(view(pilot).lab.columns) == 1


async def test_the_cursor_goes_to_a_new_column_and_hidden_ones_are_counted(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        for number, name in enumerate(("soleri", "knowing", "+30d"), start=1):
            await pilot.press("v")
            await settled(pilot)
            await type_keys(pilot, name)
            await pilot.press("enter")
            await until(pilot, lambda number=number: table(pilot).column == number)  # type: ignore[misc]
            assert name in text_of(pilot, "#judged").splitlines()[0]
        assert "1 more column: h l" in text_of(pilot, "#judged")
        await asked(pilot)


async def test_another_profile_names_its_column_and_stands_in_the_status_line(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        assert "profile" not in text_of(pilot, "#status")
        await pilot.press("escape", "p")
        await until(pilot, lambda: "profile docs" in text_of(pilot, "#status"))
        await to_lab(pilot)
        assert view(pilot).lab.columns[0].title == "docs"


async def test_enter_asks_the_query_with_the_columns_engine(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        pilot.app.call_later(frame(pilot)._lab.add, Variant("jeffs_brain"))  # type: ignore[attr-defined]
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        await pilot.press("l", "enter")
        await until(pilot, lambda: isinstance(frame(pilot), QueryScreen))
        await settled(pilot)
        assert view(pilot).engine.name == "jeffs_brain"
        assert screen(pilot).field.value in {each.text for each in judged(with_judgments)}


async def test_enter_takes_the_profile_too_and_says_what_it_cannot_take(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        pilot.app.call_later(frame(pilot)._lab.add, Variant(profile="docs", days=30))  # type: ignore[attr-defined]
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        await pilot.press("l", "enter")
        await until(pilot, lambda: view(pilot).engine.profile == "docs")
        await settled(pilot)
        assert "+30d is only in the Lab" in toasts(pilot)


async def test_unsaved_text_says_which_queries_it_would_break(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press("ctrl+home", *(["ctrl+k"] * 60))
        await settled(pilot)
        edit = view(pilot).editor.edit
        assert edit is not None
        assert edit.dirty
        await pilot.press("escape")
        await settled(pilot)
        await pilot.press("k")
        await settled(pilot)
        await to_lab(pilot)
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        column = view(pilot).lab.columns[1]
        assert column.variant.edit is not None
        assert column.variant.edit.path == NOTE
        assert column.title.startswith("edit ")
        assert not column.problem


async def test_asking_stops_at_once_and_goes_on(
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
        await pilot.press("b")
        await until(pilot, lambda: view(pilot).lab.done == 3)
        await settled(pilot)


async def test_a_committed_tree_has_a_column_of_what_changed_since(with_judgments: Tree, make_app: MakeApp) -> None:
    git = ["git", "-C", str(with_judgments.root), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "notes"]):
        subprocess.run([*git, *words], check=True)
    with_judgments.file(ROTATION, "# Nothing\n\nNothing is left.\n", 1)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        assert [column.title for column in view(pilot).lab.columns] == ["byterover", "since HEAD"]
        first = text_of(pilot, "#judged").splitlines()[2]
        assert first.strip().startswith("refresh token rotation")
        assert "−0.50" in first


async def test_broken_judgments_are_said_and_stay(garden: Tree, make_app: MakeApp) -> None:
    file = JudgmentsFile.of(find_project(garden.root)).path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("version = 1\n[[query]\n")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        await to_lab(pilot)
        assert "judgments.toml" in text_of(pilot, "#judged")
        assert "line 2" in text_of(pilot, "#judged")
        await pilot.press("J")
        await settled(pilot)
    assert file.read_text() == "version = 1\n[[query]\n"


async def test_the_cell_shows_nothing_before_there_is_something(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        assert "the query under the cursor" in text_of(pilot, "#cell")
        assert frame(pilot).query_one(CellPane)


async def test_a_slider_changes_a_constant_and_the_table_follows(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        await to_lab(pilot)
        await pilot.press("f4", "slash", *"top", "enter")
        await settled(pilot)
        pane = frame(pilot).query_one(WhatIfPane)
        pane.move_to(pane.choices.index("direct.min_top"))
        await pilot.press(*(["left_curly_bracket"] * 4))
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("direct.min_top", 0.45),)))
        assert "was 0.85" in text_of(pilot, "#sliders")
        await pilot.press("slash", *(["backspace"] * 3), *"gap", "enter")
        await settled(pilot)
        pane.move_to(pane.choices.index("direct.min_gap"))
        await pilot.press(*(["left_curly_bracket"] * 5))
        both = (("direct.min_gap", 0.03), ("direct.min_top", 0.45))
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=both))
        await asked(pilot)
        columns = view(pilot).lab.columns
        assert [column.title for column in columns] == ["byterover", "what if"]
        changed = columns[1].cells["refresh-token-rotation"].result.outcome
        assert (columns[0].cells["refresh-token-rotation"].result.outcome, changed) == ("tier 3", "tier 2")
        assert set(columns[1].cells) == {row.id for row in view(pilot).lab.rows}
        assert "the open query" in columns[1].cells
        assert "ndcg@10 0.50 → 0.50, 1 other tier" in str(pane.border_title)
        await pilot.press("d")
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=both[1:]))
        await pilot.press("0")
        await until(pilot, lambda: len(view(pilot).lab.columns) == 1)
        await asked(pilot)


async def test_a_value_is_typed_and_kept_as_a_profile(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await pilot.press("f4", "K")
        assert "and none is changed" in toasts(pilot)
        pane = frame(pilot).query_one(WhatIfPane)
        pane.move_to(pane.choices.index("search.limit"))
        await pilot.press("enter", "end", "backspace", "backspace", *"x", "enter")
        assert "must be a whole number" in shown(pilot)
        await pilot.press("backspace", "3", "enter")
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(constants=(("search.limit", 3),)))
        await asked(pilot)
        await pilot.press("K", *"mine", "enter")
        await until(pilot, lambda: "kept as" in toasts(pilot))
        assert registry.load("byterover").constants(str(config_folder() / "mine.toml")).search.limit == 3
        assert registry.load("byterover").constants("mine").search.limit == 3
        for name in ("docs", "soleri-code", "byterover", "config"):
            await pilot.press("K", *name, "enter")
            await until(pilot, lambda: f"{name} is a name of ours: choose another one" in toasts(pilot))  # noqa: B023
            assert not (config_folder() / f"{name}.toml").exists()
        await pilot.press("0")
        await until(pilot, lambda: view(pilot).lab.what_if is None)
        await asked(pilot)


async def test_a_click_puts_the_slider_there(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        pane = frame(pilot).query_one(WhatIfPane)
        first, cells = pane._track
        await pilot.click("#sliders", offset=(first + cells, 2))
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(days=365))
        await asked(pilot)
        assert view(pilot).lab.columns[1].cells["refresh-token-rotation"].values[0] is not None


async def test_a_note_is_left_out_from_its_row(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        table(pilot).move_to(table(pilot).choices.index("refresh-token-rotation"))
        await settled(pilot)
        await pilot.press("f4")
        pane = frame(pilot).query_one(WhatIfPane)
        pane.move_to(pane.choices.index(f"{ROTATION}:left out"))
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).lab.what_if == Variant(without=(ROTATION,)))
        await asked(pilot)
        assert view(pilot).lab.columns[1].cells["refresh-token-rotation"].result.first_miss == ROTATION


async def test_an_edit_says_what_it_breaks_and_the_lab_why(with_judgments: Tree, make_app: MakeApp) -> None:
    """The toast, the mark beside the Lab until it is looked at, its cursor, note and cause; reverting is told too."""
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await open_note(pilot, ROTATION)
        brv(pilot).controllers.edits.hold()
        await settled(pilot)
        before = editor(pilot).area.text
        editor(pilot).area.replace_text("# Something else\n\nNothing of it is left.\n")
        await pilot.press("ctrl+s")
        said = "1 of 3 judged queries is answered otherwise since refresh_rotation.md changed, 1 worse: "
        await until(pilot, lambda: f"{said}Esc, then 5 shows it" in toasts(pilot))
        assert "5 Lab ⚠1" in text_of(pilot, "#status")
        await pilot.press("escape", "5")
        await until(pilot, lambda: view(pilot).lab.causes is not None)
        await asked(pilot)
        assert "⚠1" not in text_of(pilot, "#status")
        assert table(pilot).judgment is not None
        assert table(pilot).judgment.text == "refresh token rotation"  # type: ignore[union-attr]
        await until(pilot, lambda: "what the edits changed" in text_of(pilot, "#cell"))
        words = " ".join(text_of(pilot, "#cell").split())
        assert f"{ROTATION}: rank 1 → rank 3, score" in words
        assert f"cause: {ROTATION} was edited: with its text of before, the query is as good as it was (tried)" in words
        await pilot.resize_terminal(*NARROW)
        await pilot.press("f2")
        await until(pilot, lambda: f"cause: {ROTATION} was edited" in text_of(pilot, "#judged"))
        (with_judgments.tree / ROTATION).write_text(before)
        await until(pilot, lambda: view(pilot).edits.effect is not None and not view(pilot).edits.effect.otherwise)
        assert "answered otherwise" not in toasts(pilot), "it is taken back: the edit was"
        await open_note(pilot)
        await pilot.press("enter", "ctrl+s")
        await until(pilot, lambda: "3 judged queries are answered as before" in toasts(pilot))


async def ask_and_break(pilot: Pilot[Any], tree: Tree) -> None:
    """Asks a query, then takes its text from the note that is first, and waits until that was noticed."""
    await ask(pilot, "refunds billing")
    brv(pilot).controllers.edits.hold()
    await settled(pilot)
    (tree.tree / "billing/refunds.md").write_text("# Something else\n\nNothing of it is left.\n")
    await until(pilot, lambda: view(pilot).edits.effect is not None)


async def test_an_edit_that_costs_the_open_query_its_note_is_told_and_not_judged_as_right(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    """The answer before the edit is taken in its column; the answer now only once the edit is accepted."""
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, with_judgments)
        said = "the open query is answered otherwise since refunds.md changed; 3 judged queries are not"
        await until(pilot, lambda: said in toasts(pilot))
        await to_lab(pilot)
        assert table(pilot).chosen == OPEN_QUERY
        await pilot.press("J")
        await until(
            pilot, lambda: "“refunds billing” is not judged, because an edit changed the answer" in toasts(pilot)
        )
        assert len(judged(with_judgments)) == 3
        await pilot.press("l")
        assert table(pilot).chosen_column == view(pilot).lab.columns[1]
        await pilot.press("J")
        await until(pilot, lambda: len(judged(with_judgments)) == 4)
        assert [each.path for each in judged(with_judgments)[-1].documents] == ["billing/refunds.md"]
        said = "“refunds billing” is judged as answered before the edits; 4 judged queries in all; u takes it back"
        await until(pilot, lambda: said in toasts(pilot))


async def test_what_was_judged_last_is_taken_back(with_judgments: Tree, make_app: MakeApp) -> None:
    before = judged(with_judgments)
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        await pilot.press("escape", "J", "3")
        await until(pilot, lambda: len(judged(with_judgments)) == 4)
        await until(pilot, lambda: "u takes it back" in toasts(pilot))
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        await to_lab(pilot)
        await pilot.press("backspace")
        await until(pilot, lambda: "“token store” is not judged" in toasts(pilot))
        await pilot.press("j")
        taken = table(pilot).judgment
        await pilot.press("backspace")
        await until(pilot, lambda: taken not in judged(with_judgments))
        await until(pilot, lambda: "is no longer judged; 2 judged queries in all" in toasts(pilot))
        await pilot.press("u")
        await until(pilot, lambda: judged(with_judgments) == before)
        await pilot.press("u")
        await until(pilot, lambda: "nothing was changed in this session" in toasts(pilot))


async def test_judgments_that_others_changed_are_not_put_back(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token store")
        await pilot.press("escape", "J", "3")
        await until(pilot, lambda: "u takes it back" in toasts(pilot))
        JudgmentsFile.of(find_project(with_judgments.root)).change(lambda now: now[1:])
        kept = judged(with_judgments)
        await pilot.press("u")
        await until(pilot, lambda: "the judgments were changed since" in toasts(pilot))
        assert judged(with_judgments) == kept


async def test_another_engine_and_another_open_query_are_looked_at_anew_after_an_edit(
    garden: Tree, make_app: MakeApp
) -> None:
    garden.age_by_today()
    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, garden)
        first = view(pilot).edits.effect
        await ask(pilot, "freeze window")
        (garden.tree / "deploy/freeze_window.md").unlink()
        said = "the query asked last is answered otherwise since 2 notes changed"
        await until(pilot, lambda: said in toasts(pilot))
        second = view(pilot).edits.effect
        assert second is not first
        await pilot.press("escape", "P")
        await until(pilot, lambda: view(pilot).engine.name != "byterover")
        await until(pilot, lambda: view(pilot).edits.effect is not second)


def swept(pilot: Pilot[Any]) -> str:
    """The lines of the dialog of a sweep."""
    found = pilot.app.screen.query(SweepPane)
    return "\n".join(line.plain for pane in found for line in pane.lines)


async def test_the_title_stands_behind_the_tabs_where_there_is_room(with_judgments: Tree, make_app: MakeApp) -> None:
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        tabs = "Judged queries│Answer│What if"
        assert f"{tabs}  Judged queries 3 · ndcg@10 · by loss ━" in shown(pilot)
        await pilot.press("f4")
        assert f"{tabs} ━" in shown(pilot)
        await pilot.press("l")
        await until(pilot, lambda: f"{tabs}  What if · ndcg@10 " in shown(pilot))
        await pilot.resize_terminal(60, NARROW[1])
        await until(pilot, lambda: f"{tabs} ━" in shown(pilot))


async def test_a_constant_is_swept_and_two_together_and_the_curve_saved(
    with_judgments: Tree, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.app.exporting.sharing.pictures_folder", lambda: tmp_path / "pictures")
    (tmp_path / "pictures").mkdir()
    async with make_app(with_judgments.root).run_test(size=NARROW) as pilot:
        await to_lab(pilot)
        await pilot.press("f4")
        sliders = frame(pilot).query_one(WhatIfPane)
        sliders.move_to(sliders.choices.index("direct.prefetch"))
        await pilot.press("O")
        await until(pilot, lambda: "sweep another constant first" in toasts(pilot))
        await pilot.press("o")
        await until(pilot, lambda: "past this value" in swept(pilot))
        lines = swept(pilot).splitlines()
        assert "direct.prefetch: ndcg@10 of 2 of 3 judged queries" in lines[0]
        dialog = pilot.app.screen
        assert isinstance(dialog, SweepDialog)
        (crossing,) = (each for each in dialog.made.crossings)  # type: ignore[union-attr]
        assert crossing.query == "refresh-token-rotation"
        await pilot.press("v")
        file = tmp_path / "pictures" / "sweep-of-direct-prefetch.svg"
        await until(pilot, lambda: f"saved {file}" in toasts(pilot))
        assert f"{crossing.before} → {crossing.after}" in file.read_text()
        await pilot.press("escape", "j", "O")
        await until(pilot, lambda: "across" in swept(pilot))
        await pilot.press("escape")


def _result(query: str, path: str) -> QueryResult:
    return QueryResult(query, query, "", "", {"a.md": 3}, "tier 2", (RankedDocument(path, 0.9),), 0, 1.0)


@pytest.mark.parametrize(
    ("effect", "key", "said"),
    [
        ((14, 0, 0, 0, 0, 1), "5", "14 judged queries are answered as before"),
        ((14, 1, 0, 0, 0, 1), "5", "14 judged queries and the open query are answered as before"),
        ((1, 0, 0, 0, 0, 1), "5", "the judged query is answered as before"),
        ((0, 3, 0, 0, 0, 1), "", "the 3 queries asked last are answered as before; none is judged"),
        (
            (0, 1, 0, 0, 1, 1),
            "5",
            "the query asked last is answered otherwise since n0.md changed; none is judged: 5 shows it",
        ),
        (
            (14, 0, 0, 2, 0, 1),
            "5",
            "2 of 14 judged queries are answered otherwise since n0.md changed, 2 worse: 5 shows them",
        ),
        (
            (14, 1, 0, 0, 1, 1),
            "5",
            "the open query is answered otherwise since n0.md changed; 14 judged queries are not: 5 shows it",
        ),
        (
            (14, 1, 0, 1, 0, 1),
            "5",
            "1 of 14 judged queries is answered otherwise since n0.md changed, 1 worse; the open query is not: "
            "5 shows it",
        ),
        (
            (14, 1, 0, 2, 1, 1),
            "5",
            "2 of 14 judged queries and the open query are answered otherwise since n0.md changed, 2 worse: "
            "5 shows them",
        ),
        (
            (200, 0, 9, 1, 0, 3),
            "",
            "1 of the first 200 judged queries is answered otherwise since 3 notes changed, 1 worse",
        ),
    ],
)
def test_what_an_edit_changes_is_one_sentence(effect: tuple[int, int, int, int, int, int], key: str, said: str) -> None:
    judged, unjudged, left_out, changed, others, notes = effect
    earlier = EarlierNotes(tuple(f"x/n{number}.md" for number in range(notes)))
    changes = [QueryChange(_result(str(n), "b.md"), _result(str(n), "a.md")) for n in range(changed + others)]
    made = EditEffect(earlier, judged, unjudged, left_out, tuple(changes[:changed]), tuple(changes[changed:]))
    assert sentence(made, "note", key) == said


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (("a/_index.md", "a/b.abstract.md", "a/b.md", "a/c.md"), "2 notes"),
        (("_archived/a/b.full.md", "_archived/a/b.stub.md", "a/b.md"), "b.md"),
        (("_index.md", "a/_index.md"), "2 files"),
    ],
)
def test_notes_are_counted_not_what_is_derived_from_them(paths: tuple[str, ...], said: str) -> None:
    change = QueryChange(_result("0", "b.md"), _result("0", "a.md"))
    made = EditEffect(EarlierNotes(paths), 1, 0, 0, (change,), ())
    assert f"since {said} changed" in sentence(made, "note")
