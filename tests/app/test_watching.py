"""Messages about file watching, and the user's position, which is not affected by changes on disk."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

import pytest

from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.tree import TreePane
from brvtui.ranking.maturity import LEVELS
from brvtui.session import Session
from brvtui.tree.watching import watch
from brvtui.tree.watching.watch import network_disk
from tests.app.driving import HUGE, WIDE, MakeApp, ask, open_notes, press, settled, until
from tests.app.looking import AppPilot, brv, flat, frame, screen, text_of, toast_text, view
from tests.support.trees import Tree


async def test_polling_is_reported_with_its_reason(
    garden: Tree, make_app: MakeApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"1 0 0:1 / {os.path.realpath(garden.root)} rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(watch, "network_disk", lambda folder: network_disk(folder, mounts))
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "rollback")
        why = "a disk of type nfs4 does not report outside changes"
        await until(pilot, lambda: why in text_of(pilot, "#status"))
        assert re.search(r"polling every \d+ s", text_of(pilot, "#status"))
        assert f"{why}; so all files are checked every" in toast_text(pilot)


async def test_catching_up_is_shown_until_it_is_finished(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.app.project.project.CATCHING_UP_S", 0.01)
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
        assert view(pilot).watch.active
        assert view(pilot).knows("auth/jwt/added.md")


async def test_cache_pane_lists_stale_entries_that_are_still_served(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await ask(pilot, "token store")
        await press(pilot, "enter")
        for number in range(3):
            garden.note(f"auth/jwt/added{number}.md", "Added")
        garden.age("deploy/rollback.md", 9)
        await until(pilot, lambda: "and 1 file more" in text_of(pilot, "#cache"))
        await settled(pilot)
        pane = flat(pilot, "#cache")
        assert "still given, although the tree has changed deploy/rollback.md changed auth/jwt/added0.md new" in pane
        assert "old answers may still be given for 30 s; then the fingerprint is computed again" in pane
        assert "for 5 s more, a search may use the earlier index" in pane


async def test_recreated_tree_keeps_the_users_position(garden: Tree, make_app: MakeApp) -> None:
    garden.note("auth/jwt/long.md", "Long", "\n\n".join(f"token paragraph {number}" for number in range(200)), days=1)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "token")
        brv(pilot).selection.select("auth/jwt/long.md")
        await open_notes(pilot)
        note, tree = (frame(pilot).query_one(selector, Pane) for selector in ("#note", "#tree"))
        await until(pilot, lambda: len(note.lines) > 100)
        note.scroll_to_row(40)
        before = (note.offset_row, tree.offset_row, [line.plain for line in tree.lines])
        kept = garden.root / "kept"
        garden.tree.rename(kept)
        await until(pilot, lambda: view(pilot).project.overview is not None and not view(pilot).project.overview.notes)  # type: ignore[union-attr]
        await settled(pilot)
        assert (view(pilot).selection.file, view(pilot).query.text) == ("auth/jwt/long.md", "token")
        assert view(pilot).stale.files == {"auth/jwt/long.md": "gone"}
        await until(pilot, lambda: "the file is gone" in text_of(pilot, "#note"))
        await press(pilot, "5")
        assert "The notes will appear here as soon as they can be read." in flat(pilot, "#judged")
        await press(pilot, "2")
        kept.rename(garden.tree)
        await until(pilot, lambda: view(pilot).knows("auth/jwt/long.md"))
        await until(pilot, lambda: len(note.lines) > 100)
        await settled(pilot)
        assert view(pilot).stale.files == {}
        assert (view(pilot).selection.file, view(pilot).query.text, screen(pilot).field.value) == (
            "auth/jwt/long.md",
            "token",
            "token",
        )
        assert (note.offset_row, tree.offset_row, [line.plain for line in tree.lines]) == before


async def test_removed_tree_is_not_called_empty_and_cursors_are_restored(garden: Tree, pilot: AppPilot) -> None:
    await settled(pilot)
    tree = screen(pilot).query_one("#tree", TreePane)
    tree.move_to(tree.choices.index("billing/refunds.md"))
    kept = garden.root / "kept"
    (garden.tree / "billing").rename(kept)
    await until(pilot, lambda: not view(pilot).knows("billing/refunds.md"))
    await settled(pilot)
    assert tree.chosen != "billing/refunds.md"
    kept.rename(garden.tree / "billing")
    await until(pilot, lambda: view(pilot).knows("billing/refunds.md"))
    await until(pilot, lambda: tree.chosen == "billing/refunds.md")
    garden.tree.rename(garden.root / "kept")
    why = "GONE   the folder cannot be read: No such file or directory."
    await until(pilot, lambda: why in text_of(pilot, "#route"))
    for name in ("results", "tree"):
        assert "The notes will appear here as soon as they can be read." in flat(pilot, f"#{name}")
    await ask(pilot, "rollback")
    text = flat(pilot, "#results")
    assert "The notes will appear here as soon as they can be read." in text
    assert "begins a note" not in text
    assert why in text_of(pilot, "#route")
    assert "contains no notes" not in text_of(pilot, "#route")
    screen(pilot).field.value = ""
    garden.tree.mkdir()
    await until(pilot, lambda: "EMPTY" in text_of(pilot, "#route"))
    await pilot.press("escape", "w")
    text = "no notes in this tree yet: there is no note to explain"
    await until(pilot, lambda: text in toast_text(pilot))


async def test_stale_notes_are_marked_on_every_screen_without_watching(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_WATCH", "false")
    monkeypatch.setattr("brvtui.app.project.selection.CHECK_S", 0.02)
    async with make_app(garden.root).run_test(size=HUGE) as pilot:
        await until(pilot, lambda: view(pilot).watch.why)
        screen(pilot).field.value = "token rotation"
        await until(pilot, lambda: len(results(pilot)) > 2)
        first, second, *_ = results(pilot)
        brv(pilot).selection.select(first)
        garden.note(first, "Another", "text", days=-1)
        (garden.tree / second).unlink()
        await until(pilot, lambda: view(pilot).stale.files == {first: "newer", second: "gone"})
        assert "changed since" in text_of(pilot, "#results")
        assert "file gone" in text_of(pilot, "#results")
        assert "the file has changed: this is the score of the earlier text" in " ".join(
            text_of(pilot, "#score").split()
        )
        brv(pilot).selection.select(second)
        await until(pilot, lambda: "the file is gone" in text_of(pilot, "#score"))
        assert text_of(pilot, "#tree").count("⚠") == 2
        await pilot.press("escape", "3")
        await until(pilot, lambda: frame(pilot).TITLE == "Maturity")
        await until(pilot, lambda: "the file is gone" in text_of(pilot, "#ageing"))
        cards = " ".join(text_of(pilot, f"#{level}") for level in LEVELS)
        assert cards.count("changed since") == cards.count("file gone") == 1
        await open_notes_unwatched(pilot)
        await until(pilot, lambda: "the file is gone" in text_of(pilot, "#note"))


def results(pilot: AppPilot) -> list[str]:
    trace = view(pilot).answer.trace
    return [hit.file for hit in trace.hits if hit.kind == "context"] if trace else []


async def open_notes_unwatched(pilot: AppPilot) -> None:
    await pilot.press("escape", "2")
    await until(pilot, lambda: frame(pilot).TITLE == "Notes")
