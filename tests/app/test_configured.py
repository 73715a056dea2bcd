"""The app with the user's settings."""

from __future__ import annotations

import pytest

from brvtui.app.states import Phase
from brvtui.config import user_file
from tests.app.driving import NARROW, MakeApp, ask, settled
from tests.app.looking import shown, text_of, toasts, view
from tests.support.settings import own
from tests.support.trees import Tree


async def test_broken_settings_file_is_reported_and_defaults_are_used(garden: Tree, make_app: MakeApp) -> None:
    own("theme = 'brv-light\nrecording = true")
    app = make_app(garden.root)
    async with app.run_test(size=NARROW) as pilot:
        await ask(pilot, "rollback")
        (toast,) = toasts(pilot)
        assert toast.startswith(f"{user_file()}: cannot be read as settings (Expected ")
        assert toast.endswith("; ignored here, but commands such as query refuse it")
        assert "\n" not in toast
        assert not view(pilot).engine.recording
        assert "TIER" in shown(pilot)


async def test_unusable_settings_are_ignored_and_counted_in_one_toast(garden: Tree, make_app: MakeApp) -> None:
    own('thme = 1\nhistory = -1\nrecording = true\n[llm]\nurl = "x"\n')
    app = make_app(garden.root)
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        (toast,) = toasts(pilot)
        message = (
            "unknown key thme; did you mean theme?; ignored here, but commands such as query refuse it (and 2 more"
        )
        assert toast.startswith(f"{user_file()}: {message}")
        assert view(pilot).engine.recording
        assert "recording" in text_of(pilot, "#status")


async def test_setting_problems_are_reported_without_a_project(
    tmp_path_factory: pytest.TempPathFactory, make_app: MakeApp
) -> None:
    own("thme = 1")
    app = make_app(tmp_path_factory.mktemp("none") / "nowhere")
    async with app.run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert len(toasts(pilot)) == 1


async def test_unreadable_project_settings_are_reported(garden: Tree, make_app: MakeApp) -> None:
    (garden.root / ".brv" / "brv-tui.toml").write_text("junk")
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert "brv-tui.toml: cannot be read as settings" in view(pilot).project.problem


async def test_watching_can_be_turned_off(garden: Tree, make_app: MakeApp) -> None:
    own("watch = false")
    async with make_app(garden.root).run_test(size=(200, 60)) as pilot:
        while not view(pilot).watch.why:
            await pilot.pause()
        assert not view(pilot).watch.active
        assert "not watching: turned off in the settings" in text_of(pilot, "#status")


@pytest.mark.parametrize(
    ("wanted", "remote", "level"),
    [("auto", "", "full"), ("auto", "1", "none"), ("on", "1", "full"), ("off", "", "none")],
)
def test_animations_follow_the_setting_and_the_connection(
    wanted: str, remote: str, level: str, garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSH_CONNECTION", "SSH_TTY", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    if remote:
        monkeypatch.setenv("SSH_TTY", remote)
    monkeypatch.setenv("BRV_TUI_ANIMATIONS", wanted)
    assert make_app(garden.root).animation_level == level
