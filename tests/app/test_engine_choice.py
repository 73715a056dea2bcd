"""The choice of the engine: with a key, in the settings, and if an engine is unavailable; messages about several
engines.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.query.answering import EngineUnusable, QueryRequest
from brvtui.app.screens.message import TextPane
from brvtui.engines import profile_files, registry
from brvtui.engines.jeffs_brain.sections import ENGINE
from brvtui.engines.profile_files import kept_profiles
from brvtui.engines.soleri.sections import VaultSearch
from brvtui.store.folders import config_folder
from tests.app.driving import WIDE, MakeApp, ask, press, settled, until
from tests.app.engines import found, switch, switch_to
from tests.app.looking import AppPilot, brv, screen, text_of, toasts, trace_of, view
from tests.support.engine_packages import declared
from tests.support.settings import own
from tests.support.trees import NOW_MS, Tree

pytestmark = pytest.mark.long


async def test_outdated_refusals_do_not_switch_the_engine(pilot: AppPilot) -> None:
    await ask(pilot, "token", "escape")
    queries = brv(pilot).queries
    for engine, behind, answers in (
        ("soleri", None, "jeffs_brain"),
        ("soleri", 0, "jeffs_brain"),
        ("jeffs_brain", 1, "jeffs_brain"),
        ("jeffs_brain", 0, "byterover"),
        ("jeffs_brain", None, "byterover"),
    ):
        await switch_to(pilot, "jeffs_brain")
        brv(pilot).clear_notifications()
        number = queries.requests.newest - (behind or 0)
        request = None if behind is None else QueryRequest(number, "token", "", True)
        queries.refused(EngineUnusable("it cannot be asked", engine, request))
        await settled(pilot)
        assert view(pilot).engine.name == answers
        assert ("it cannot be asked; byterover answers" in toasts(pilot)) == (answers != "jeffs_brain")


async def test_settings_choose_the_engine(
    app: BrvTui, garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_ENGINE", "jeffs_brain")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        assert found(pilot).hits[0].path == "deploy/rollback.md"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package whose engine cannot be imported."""
    with declared(tmp_path, monkeypatch, "broken", "nowhere_at_all:Engine"):
        yield


@pytest.mark.parametrize(("engine", "message"), [("jefs_brain", "no engine jefs_brain"), ("broken", "nowhere_at_all")])
async def test_unavailable_engine_in_settings_falls_back_with_one_toast(
    broken: None, garden: Tree, make_app: Any, monkeypatch: pytest.MonkeyPatch, engine: str, message: str
) -> None:
    monkeypatch.setenv("BRV_TUI_ENGINE", engine)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        assert any(message in toast and toast.endswith("; byterover answers") for toast in toasts(pilot))
        assert view(pilot).engine.name == "byterover"
        assert view(pilot).answer.trace is not None


async def test_switching_skips_an_engine_that_cannot_be_loaded(broken: None, pilot: AppPilot) -> None:
    await ask(pilot, "rollback", "escape")
    await switch_to(pilot, registry.names()[-2])
    await press(pilot, "P")
    assert any("the engine broken cannot be loaded" in toast for toast in toasts(pilot))
    assert view(pilot).engine.name == "byterover"


async def test_profiles_help_and_feedback_match_the_answering_engine(app: BrvTui) -> None:
    own = {
        "byterover": "found by searching for a single word",
        "jeffs_brain": "by words (w)",
        "soleri": "rank by words (b)",
    }
    async with app.run_test(size=WIDE) as pilot:
        await switch(pilot, "rollback")
        before = view(pilot).engine.profile
        await press(pilot, "p")
        assert any("Jeffs Brain has only one profile" in toast for toast in toasts(pilot))
        assert view(pilot).engine.profile == before
        await switch_to(pilot, "byterover")
        await pilot.press("p")
        await until(pilot, lambda: view(pilot).engine.profile != before)
        await settled(pilot)
        for engine, letters in own.items():
            await switch_to(pilot, engine)
            screen(pilot).query_one("#results").focus()
            await press(pilot, "f1")
            text = " ".join(line.plain.strip() for line in pilot.app.screen.query_one(TextPane).lines)
            assert [message in text for message in own.values()] == [message == letters for message in own.values()]
            await pilot.press("escape")
        await switch_to(pilot, ENGINE)
        await press(pilot, "f2", "r")
        assert any("Jeffs Brain does not learn from feedback" in toast for toast in toasts(pilot))
        await switch_to(pilot, "soleri")
        await pilot.press("f2", "r")
        await until(pilot, lambda: any("1 of 30 feedback rows" in toast for toast in toasts(pilot)))
        await settled(pilot)
        assert trace_of(pilot).section(VaultSearch).weights.rows == 1


async def test_next_profile_cycles_through_the_users_own_profiles(app: BrvTui) -> None:
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "low.toml").write_text('extends = "brv-3"\n[search]\nlimit = 3\n')
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape")
        for profile in ("docs", "combined", "low", "brv-3"):
            await pilot.press("p")
            await until(pilot, lambda: view(pilot).engine.profile == profile)  # noqa: B023
            await settled(pilot)


@pytest.mark.parametrize("engine", ["byterover", "soleri"])
async def test_unusable_profile_is_refused_in_one_line_and_skipped(
    garden: Tree, make_app: MakeApp, engine: str
) -> None:
    usual, *others = registry.load(engine).profiles
    own(f'engine = "{engine}"\n')
    (config_folder() / "wrong.toml").write_text(f'extends = "{usual}"\nlimt = 3\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "escape")
        for profile in others:
            await press(pilot, "p")
            assert view(pilot).engine.profile == profile
        await press(pilot, "p")
        assert view(pilot).engine.profile == others[-1]
        assert toasts(pilot)[-1] == "wrong: unknown key limt; did you mean limits?"
        await press(pilot, "p")
        assert view(pilot).engine.profile == usual


async def test_profiles_are_never_read_in_the_event_loop(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[threading.Thread] = []

    def noted() -> dict[str, object]:
        readers.append(threading.current_thread())
        return kept_profiles()

    monkeypatch.setattr(profile_files, "kept_profiles", noted)
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        for keys in (("escape", "b"), ("p",), ("comma",)):
            before = len(readers)
            await press(pilot, *keys)
            assert len(readers) > before, keys
    assert threading.current_thread() not in readers


async def test_log_from_several_engines_names_the_engine_in_every_row(app: BrvTui, garden: Tree) -> None:
    session = garden.session()
    session.logbook.add(session.preview("rollback"), NOW_MS, 1.0)
    session.logbook.add(session.preview("rollback", engine=ENGINE), NOW_MS + 1, 1.0)
    session.logbook.add(session.preview("zzzzzzz", engine=ENGINE), NOW_MS + 2, 1.0)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: (log := view(pilot).log) and log.compared)
        await settled(pilot)
        rows = text_of(pilot, "#log").splitlines()[1:]
        named = [name for row in rows for name in registry.names() if row.rstrip().endswith(f"  {name}")]
        assert named == [ENGINE, ENGINE, "byterover"]
        assert "jeffs_brain 1 answered, 1 not covered" in text_of(pilot, "#summary")


async def test_log_names_the_engine_of_entries_by_another_engine(app: BrvTui, garden: Tree) -> None:
    session = garden.session()
    session.logbook.add(session.preview("rollback"), NOW_MS, 1.0)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: (log := view(pilot).log) and log.compared)
        await settled(pilot)
        assert "byterover" not in text_of(pilot, "#log")
        assert "now, with an empty cache" in text_of(pilot, "#entry")
        await switch_to(pilot, ENGINE)
        assert text_of(pilot, "#log").rstrip().endswith("  byterover")
        entry = text_of(pilot, "#entry")
        assert " engine    byterover" in entry
        assert "now by byterover, with an empty cache" in entry
