"""The Query screen before there is a query: a field, some questions to try, and nothing else."""

from __future__ import annotations

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import samples
from brvtui.engines import registry
from brvtui.engines.contract import LearningEngine
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment
from brvtui.tree.reading.project import find_project
from tests.app.driving import NARROW, WIDE, MakeApp, ask, press, settled, type_text
from tests.app.looking import AppPilot, screen, text_of, trace_of, view
from tests.support.trees import Tree

QUESTIONS = ("token store", "rollback", "refund window", "quiet hours")


@pytest.fixture
def judged(garden: Tree) -> Tree:
    """The garden with judged queries, the first of which is limited to a folder."""
    scoped = Judgment("scoped", "deploy", "deploy")
    queries = (scoped, *(Judgment(text.replace(" ", "-"), text) for text in QUESTIONS))
    JudgmentsFile.of(find_project(garden.root)).change(lambda _: queries)
    return garden


@pytest.mark.parametrize("engine", registry.names())
def test_presentation_declares_whether_its_engine_learns(engine: str) -> None:
    assert registry.presentation(engine).learns is isinstance(registry.load(engine), LearningEngine)


def test_samples_are_judged_queries_about_the_whole_tree(judged: Tree) -> None:
    assert samples(judged.session()) == QUESTIONS[:3]


def test_logged_queries_are_samples_if_few_are_judged(garden: Tree) -> None:
    session = garden.session()
    assert samples(session) == ()
    for query in ("rollback", "token store", "rollback"):
        session.logbook.add(session.run(query), session.clock(), 1.0)
    assert set(samples(session)) == {"rollback", "token store"}


def test_broken_judgments_give_no_samples(judged: Tree) -> None:
    JudgmentsFile.of(find_project(judged.root)).path.write_text("[[query]")
    assert samples(judged.session()) == ()


async def test_sample_question_runs_by_keyboard(judged: Tree, make_app: MakeApp) -> None:
    async with make_app(judged.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert screen(pilot).results.choices == list(QUESTIONS[:3])
        await press(pilot, "f2", "j", "enter")
        assert trace_of(pilot).query == QUESTIONS[1]
        assert not view(pilot).ran


async def test_sample_question_runs_with_one_click(judged: Tree, make_app: MakeApp) -> None:
    async with make_app(judged.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        results = screen(pilot).results
        await pilot.click(results, offset=(4, 1 + results.owner.index(2)))
        await settled(pilot)
        assert trace_of(pilot).query == QUESTIONS[2]


async def test_filter_finds_samples(judged: Tree, make_app: MakeApp) -> None:
    async with make_app(judged.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await press(pilot, "f2", "slash")
        await type_text(pilot, "roll")
        assert screen(pilot).results.choices == ["rollback"]
        assert view(pilot).selection.file == ""


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
async def test_steps_and_digest_appear_with_the_first_answer(
    garden: Tree, make_app: MakeApp, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRV_TUI_PANES")  # the panes that a new user sees
    app = make_app(garden.root)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert _lines(pilot, "#digest") == []
        assert len(_lines(pilot, "#verdict")) == 1
        assert len(_lines(pilot, "#mode")) == 0
        await ask(pilot, "rollback")
        assert len(_lines(pilot, "#verdict")) > 2
        assert _lines(pilot, "#digest")
        assert _lines(pilot, "#mode")


async def test_status_names_maturities_and_gives_details_only_with_an_answer(app: BrvTui) -> None:
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        status = text_of(pilot, "#status")
        assert all(name in status for name in ("draft", "validated", "core"))
        assert "profile" not in status
        await ask(pilot, "rollback")
        assert "profile" in text_of(pilot, "#status")


def _lines(pilot: AppPilot, part: str) -> list[str]:
    return [text for text in text_of(pilot, part).splitlines() if text.strip()]
