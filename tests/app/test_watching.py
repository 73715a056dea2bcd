"""What the app says of watching, and that changes on disk leave the user where he was."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.session import Session
from brvtui.tree import watch
from brvtui.tree.disks import network_disk
from tests.app.driving import HUGE, WIDE, ask, settled, text_of, until, view
from tests.app.editing import toasts
from tests.support.trees import Tree

MakeApp = Callable[..., BrvTui]


async def test_polling_says_so_and_why(
    garden: Tree, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 0:1 / {os.path.realpath(garden.root)} rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(watch, "network_disk", lambda folder: network_disk(folder, mounts))
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await settled(pilot)
        why = "a disk of type nfs4 does not tell what others change"
        assert re.search(r"polling every \d+ s", text_of(pilot, "#status"))
        assert why in text_of(pilot, "#status")
        assert f"{why}; so all files are looked at every" in toasts(pilot)


async def test_catching_up_is_said_while_it_lasts(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.app.project.CATCHING_UP_S", 0.01)
    go_on = threading.Event()
    refresh = Session.refresh

    def slow(session: Session, *places: object) -> bool:
        assert go_on.wait(20)
        return refresh(session, *places)  # type: ignore[arg-type]  # as it was called

    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        monkeypatch.setattr(Session, "refresh", slow)
        garden.note("auth/jwt/added.md", "Added")
        await until(pilot, lambda: "catching up" in text_of(pilot, "#status"))
        go_on.set()
        await until(pilot, lambda: "catching up" not in text_of(pilot, "#status"))
        assert view(pilot).watching
        assert view(pilot).knows("auth/jwt/added.md")


async def test_the_cache_pane_says_what_became_stale_and_what_is_served_all_the_same(
    garden: Tree, make_app: MakeApp
) -> None:
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "token store")
        await pilot.press("enter")
        await settled(pilot)
        for number in range(3):
            garden.note(f"auth/jwt/added{number}.md", "Added")
        garden.age("deploy/rollback.md", 9)
        await until(pilot, lambda: "and 1 file more" in text_of(pilot, "#cache"))
        await settled(pilot)
        pane = " ".join(text_of(pilot, "#cache").split())
        assert "still served, though the tree changed deploy/rollback.md changed auth/jwt/added0.md new" in pane
        assert "until it is computed anew, 30 s, old answers are served" in pane
        assert "for 5 s a search may still see the index from before" in pane
