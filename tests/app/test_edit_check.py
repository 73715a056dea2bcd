"""The effects of an edit on the judged queries and the open one, in a toast and in the Lab."""

from __future__ import annotations

from threading import Event, Lock, Thread

import pytest

from brvtui.app.editing.questions import DamageDialog
from brvtui.app.lab import edit_check
from brvtui.app.lab.edit_check import AS_BEFORE, OPEN_QUERY, run_alone, sentence
from brvtui.app.lab.lab import EarlierAnswerDialog
from brvtui.app.widgets.lines import Lines
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.evaluation.results import QueryResult, RankedDocument
from brvtui.lab.whatif.variant import EarlierNotes
from brvtui.session.edit_effect import EditEffect
from tests.app.driving import NARROW, WIDE, MakeApp, ask, on, press, settled, until
from tests.app.editing import NOTE, editor, open_note
from tests.app.judging import ROTATION, asked, judged, table, to_lab
from tests.app.looking import AppPilot, brv, flat, text_of, toast_text, view
from tests.support.trees import Tree

pytestmark = pytest.mark.long


async def test_lab_shows_a_column_for_unsaved_text(with_judgments: Tree, pilot: AppPilot) -> None:
    await open_note(pilot)
    await press(pilot, "ctrl+home", *(["ctrl+k"] * 60))
    edit = view(pilot).editor.edit
    assert edit is not None
    assert edit.dirty
    await press(pilot, "escape")
    await press(pilot, "k")
    await to_lab(pilot)
    await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
    await asked(pilot)
    column = view(pilot).lab.columns[1]
    assert column.variant.edit is not None
    assert column.variant.edit.path == NOTE
    assert column.title.startswith("edit ")
    assert not column.problem


async def test_edit_that_breaks_a_judged_query_is_explained_in_the_lab(with_judgments: Tree, make_app: MakeApp) -> None:
    """Checks the toast, the mark on the Lab tab, the Lab's details about the change, and the report after a revert."""
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await open_note(pilot, ROTATION)
        brv(pilot).edits.hold()
        await settled(pilot)
        before = editor(pilot).area.text
        editor(pilot).area.replace_text("# Something else\n\nNothing of it is left.\n")
        dialog = await on(pilot, DamageDialog, "ctrl+s")
        lost = "would lose 76% of its characters, and 1 judged query expects it"
        assert lost in " ".join(" ".join(row.plain for row in dialog.query_one("#question", Lines).lines).split())
        dialog.listen()
        await pilot.press("s")
        message = "1 of 3 judged queries has a different answer after the edit to refresh_rotation.md, 1 worse ("
        await until(
            pilot,
            lambda: (
                f"{message}“refresh token rotation”): the Lab (5) shows it, u undoes the latest change"
                in toast_text(pilot)
            ),
        )
        assert "5 Lab +1" in text_of(pilot, "#status")
        await pilot.press("escape", "5")
        await until(pilot, lambda: view(pilot).lab.causes is not None)
        assert "(5)" not in toast_text(pilot), "it leads to the screen that is now in front"
        await asked(pilot)
        assert "+1" not in text_of(pilot, "#status")
        assert "changed first, then worst" in table(pilot).heading(view(pilot))
        assert table(pilot).judgment is not None
        assert table(pilot).judgment.text == "refresh token rotation"  # type: ignore[union-attr]
        await until(pilot, lambda: "what the edits changed" in text_of(pilot, "#cell"))
        words = flat(pilot, "#cell")
        first = view(pilot).lab.columns[0].cells["refresh-token-rotation"].result.ranking[0]
        assert f"{first}: rank 3 → rank 1" in words
        assert f"{ROTATION}: rank 1 → rank 3, score" in words
        assert f"cause: {ROTATION} was edited: with its old text, the old ranking is back (tried)" in words
        await pilot.resize_terminal(*NARROW)
        await pilot.press("f2")
        await until(pilot, lambda: f"cause: {ROTATION} was edited" in text_of(pilot, "#judged"))
        (with_judgments.tree / ROTATION).write_text(before)
        await until(pilot, lambda: view(pilot).edits.effect is not None and not view(pilot).edits.effect.otherwise)
        assert "a different answer" not in toast_text(pilot), "it is taken back: the edit was"
        await open_note(pilot)
        await pilot.press("enter", "ctrl+s")
        await until(pilot, lambda: f"3 judged queries have {AS_BEFORE}" in toast_text(pilot))


async def ask_and_break(pilot: AppPilot, tree: Tree) -> None:
    """Runs a query, replaces the text of its first note, and waits until the app detects the change."""
    await ask(pilot, "refunds billing")
    brv(pilot).edits.hold()
    await settled(pilot)
    (tree.tree / "billing/refunds.md").write_text("# Something else\n\nNothing of it is left.\n")
    await until(pilot, lambda: view(pilot).edits.effect is not None)


async def test_changed_answer_of_open_query_is_reported_but_not_judged(with_judgments: Tree, make_app: MakeApp) -> None:
    """`J` asks which answer is right, and offers the one from before the edit."""
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, with_judgments)
        message = (
            f"the open query has a different answer after the edit to refunds.md; 3 judged queries have {AS_BEFORE}"
        )
        await until(pilot, lambda: message in toast_text(pilot))
        await to_lab(pilot)
        assert table(pilot).chosen == OPEN_QUERY
        dialog = await on(pilot, EarlierAnswerDialog, "J")
        text = " ".join(row.plain for row in dialog.query_one("#question", Lines).lines)
        assert "“refunds billing” has a different answer since the edits." in text
        await press(pilot, "escape")
        assert len(judged(with_judgments)) == 3
        await on(pilot, EarlierAnswerDialog, "J")
        await pilot.press("enter")
        await until(pilot, lambda: len(judged(with_judgments)) == 4)
        assert [each.path for each in judged(with_judgments)[-1].documents] == ["billing/refunds.md"]
        based = "“refunds billing” is judged, based on the answer before the edits"
        message = f"{based}; 4 judged queries in all; u undoes it"
        await until(pilot, lambda: message in toast_text(pilot))


async def test_current_answer_can_be_judged_after_an_edit(with_judgments: Tree, make_app: MakeApp) -> None:
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, with_judgments)
        await to_lab(pilot)
        now, before = (column.cells[OPEN_QUERY].result.outcome for column in view(pilot).lab.columns[:2])
        assert now != before
        await on(pilot, EarlierAnswerDialog, "J")
        await pilot.press("n")
        await until(pilot, lambda: len(judged(with_judgments)) == 4)
        assert judged(with_judgments)[-1].expected == now


async def test_lab_shows_the_answers_before_the_edits_of_the_last_session(
    with_judgments: Tree, make_app: MakeApp
) -> None:
    """After a restart, the column is shown without a notification. Accepting the edits removes the column for good."""
    with_judgments.age_by_today()
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, with_judgments)
    for is_last in (False, True):
        async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
            await ask(pilot, "refunds billing")
            brv(pilot).edits.hold()
            await until(pilot, lambda: view(pilot).edits.earlier is not None)
            assert view(pilot).edits.earlier.paths == ("billing/refunds.md",)
            assert "a different answer" not in toast_text(pilot)
            await to_lab(pilot)
            before = view(pilot).lab.columns[1]
            assert before.title == "before edits"
            assert before.cells[OPEN_QUERY].result.ranking[0] == "billing/refunds.md"
            if is_last:
                await pilot.press("l", "d")
                await until(pilot, lambda: len(view(pilot).lab.columns) == 1)
    async with make_app(with_judgments.root, now_ms=None).run_test(size=WIDE) as pilot:
        await settled(pilot)
        brv(pilot).edits.hold()
        await settled(pilot)
        assert view(pilot).edits.earlier is None


async def test_effect_is_checked_again_for_another_engine_or_query(garden: Tree, make_app: MakeApp) -> None:
    garden.age_by_today()
    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask_and_break(pilot, garden)
        first = view(pilot).edits.effect
        await ask(pilot, "freeze window")
        (garden.tree / "deploy/freeze_window.md").unlink()
        message = "the latest query has a different answer after edits to 2 notes"
        await until(pilot, lambda: message in toast_text(pilot))
        second = view(pilot).edits.effect
        assert second is not first
        await pilot.press("escape", "P")
        await until(pilot, lambda: view(pilot).engine.name != "byterover")
        await until(pilot, lambda: view(pilot).edits.effect is not second)


def _result(query: str, path: str) -> QueryResult:
    return QueryResult(query, query, "", "", {"a.md": 3}, "tier 2", (RankedDocument(path, 0.9),), 0, 1.0)


@pytest.mark.parametrize(
    ("effect", "key", "message"),
    [
        ((14, 0, 0, 0, 0, 1), "5", f"14 judged queries have {AS_BEFORE}"),
        ((14, 1, 0, 0, 0, 1), "5", f"14 judged queries and the open query have {AS_BEFORE}"),
        ((1, 0, 0, 0, 0, 1), "5", f"the judged query has {AS_BEFORE}"),
        ((0, 3, 0, 0, 0, 1), "", f"the latest 3 queries have {AS_BEFORE}; none of them is judged"),
        (
            (0, 1, 0, 0, 1, 1),
            "5",
            "the latest query has a different answer after the edit to n0.md; none of them is judged: "
            "the Lab (5) shows it",
        ),
        (
            (14, 0, 0, 2, 0, 1),
            "5",
            "2 of 14 judged queries have a different answer after the edit to n0.md, 2 worse (“0” and 1 more): "
            "the Lab (5) shows them",
        ),
        (
            (14, 1, 0, 0, 1, 1),
            "5",
            f"the open query has a different answer after the edit to n0.md; "
            f"14 judged queries have {AS_BEFORE}: the Lab (5) shows it",
        ),
        (
            (14, 1, 0, 1, 0, 1),
            "5",
            "1 of 14 judged queries has a different answer after the edit to n0.md, 1 worse (“0”); "
            f"the open query has {AS_BEFORE}: the Lab (5) shows it",
        ),
        (
            (14, 1, 0, 2, 1, 1),
            "5",
            "2 of 14 judged queries and the open query have a different answer after the edit to n0.md, 2 worse "
            "(“0” and 1 more): the Lab (5) shows them",
        ),
        (
            (200, 0, 9, 1, 0, 3),
            "",
            "1 of the first 200 judged queries has a different answer after edits to 3 notes, 1 worse (“0”)",
        ),
    ],
)
def test_effect_of_an_edit_is_described_in_one_sentence(
    effect: tuple[int, int, int, int, int, int], key: str, message: str
) -> None:
    judged, unjudged, left_out, changed, others, notes = effect
    earlier = EarlierNotes(tuple(f"x/n{number}.md" for number in range(notes)))
    changes = [QueryChange(_result(str(n), "b.md"), _result(str(n), "a.md")) for n in range(changed + others)]
    result = EditEffect(earlier, judged, unjudged, left_out, tuple(changes[:changed]), tuple(changes[changed:]))
    assert sentence(result, "note", key) == message
    undo = "u undoes the latest change"
    assert (undo in sentence(result, "note", key, "u")) is (changed > 0), "only if a judged query is worse"


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (("a/_index.md", "a/b.abstract.md", "a/b.md", "a/c.md"), "2 notes"),
        (("_archived/a/b.full.md", "_archived/a/b.stub.md", "a/b.md"), "b.md"),
        (("_index.md", "a/_index.md"), "2 files"),
    ],
)
def test_edit_sentence_counts_notes_without_derived_files(paths: tuple[str, ...], message: str) -> None:
    change = QueryChange(_result("0", "b.md"), _result("0", "a.md"))
    result = EditEffect(EarlierNotes(paths), 1, 0, 0, (change,), ())
    assert f" {message}, 1 worse" in sentence(result, "note")


def test_question_about_a_long_query_fits_on_the_screen() -> None:
    (message,) = EarlierAnswerDialog([("refund " * 1_000, "")])._paragraphs
    assert message.endswith("since the edits. The judgment will expect the answer that you choose.")
    assert len(message) < 300


def test_cancelled_check_does_not_start_while_another_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    lock, begun, end = Lock(), Event(), Event()
    started: list[int] = []

    def check(number: int) -> None:
        started.append(number)
        begun.set()
        assert end.wait(30)

    threads = [Thread(target=run_alone, args=(lock, lambda number=number: check(number))) for number in range(4)]
    monkeypatch.setattr(edit_check, "is_cancelled", lambda: False)
    threads[0].start()
    assert begun.wait(30)
    monkeypatch.setattr(edit_check, "is_cancelled", lambda: True)
    for thread in threads[1:]:
        thread.start()
    for thread in threads[1:]:
        thread.join(30)
    assert started == [0]
    monkeypatch.setattr(edit_check, "is_cancelled", lambda: False)
    end.set()
    threads[0].join(30)
    run_alone(lock, lambda: check(5))
    assert started == [0, 5]
