"""What the editor does when the note changes on disk, when it was killed, and with the user's own editor."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from brvtui.app.app import BrvTui
from brvtui.app.screens.comparing import ConflictDialog, DraftDialog, GoneDialog
from brvtui.app.screens.drafts import DraftsDialog
from brvtui.app.screens.editor import EditorScreen
from brvtui.app.screens.leaving import LeavingDialog
from brvtui.app.screens.query import QueryScreen
from brvtui.store.drafts import Drafts
from tests.app.driving import NARROW, WIDE, ask, brv, frame, settled, shown, until, view
from tests.app.editing import NOTE, area, drafted, looked, open_note, toasts, type_keys
from tests.support.trees import NOW_MS, Tree

MakeApp = Callable[..., BrvTui]
_TEXT = "# Rollback\n\none\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def garden(garden: Tree) -> Tree:
    """The garden with a note of a few lines."""
    garden.file(NOTE, _TEXT, 3)
    return garden


def _on_disk(garden: Tree, path: str = NOTE) -> str:
    return (garden.tree / path).read_text()


def _by_somebody(garden: Tree, text: str) -> None:
    garden.file(NOTE, text, 0)


async def _clash(pilot: Pilot[Any], garden: Tree, theirs: str) -> None:
    """Mine begins with an x; theirs is on disk; ^S was pressed."""
    await open_note(pilot)
    await type_keys(pilot, "x")
    _by_somebody(garden, theirs)
    await until(pilot, lambda: view(pilot).edit and view(pilot).edit.on_disk == "changed")  # type: ignore[union-attr]
    await pilot.press("ctrl+s")
    await until(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog))
    await settled(pilot)


async def test_a_note_without_changes_follows_the_disk_and_keeps_its_place(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        area(pilot).move_cursor((6, 2))
        _by_somebody(garden, _TEXT.replace("one\n", "one\nand a half\n"))
        await until(pilot, lambda: "and a half" in area(pilot).text)
        await looked(pilot)
        assert area(pilot).cursor_location == (7, 2)
        assert "shown as it is now" in toasts(pilot)
        assert not view(pilot).edit.dirty  # type: ignore[union-attr]
        await type_keys(pilot, "x")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "fixve" in _on_disk(garden))
        assert "and a half" in _on_disk(garden)


@pytest.mark.parametrize("size", [NARROW, WIDE], ids=["80x24", "120x36"])
async def test_unsaved_text_is_told_at_once_and_never_touched(
    garden: Tree, make_app: MakeApp, size: tuple[int, int]
) -> None:
    async with make_app(garden.root).run_test(size=size) as pilot:
        await open_note(pilot)
        await type_keys(pilot, "x")
        _by_somebody(garden, "theirs\n")
        await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
        assert area(pilot).text == f"x{_TEXT}"
        assert "was changed on disk; your text is kept here" in toasts(pilot)
        _by_somebody(garden, _TEXT)
        await until(pilot, lambda: "CHANGED ON DISK" not in shown(pilot))


async def test_mine_can_be_kept(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _clash(pilot, garden, _TEXT.replace("two", "zwei"))
        assert "-  x# Rollback" in shown(pilot).replace("- x#", "-  x#")
        assert "+ zwei" in shown(pilot)
        await pilot.press("m")
        await until(pilot, lambda: _on_disk(garden) == f"x{_TEXT}")
        await looked(pilot)
        assert "unsaved" not in shown(pilot)
        assert "ON DISK" not in shown(pilot)


async def test_theirs_can_be_taken_and_mine_brought_back(garden: Tree, make_app: MakeApp) -> None:
    theirs = _TEXT.replace("two", "zwei")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _clash(pilot, garden, theirs)
        await pilot.press("t")
        await looked(pilot)
        assert area(pilot).text == theirs
        assert not view(pilot).edit.dirty  # type: ignore[union-attr]
        assert _on_disk(garden) == theirs
        await pilot.press("ctrl+z")
        assert area(pilot).text == f"x{_TEXT}"


async def test_both_can_be_merged(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _clash(pilot, garden, _TEXT.replace("four", "vier"))
        await pilot.press("e")
        await looked(pilot)
        merged = f"x{_TEXT}".replace("four", "vier")
        assert area(pilot).text == merged
        assert view(pilot).edit.dirty  # type: ignore[union-attr]
        await pilot.press("ctrl+s")
        await until(pilot, lambda: _on_disk(garden) == merged)


async def test_lines_that_both_changed_are_left_to_be_decided(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _clash(pilot, garden, _TEXT.replace("# Rollback", "# Zurück"))
        assert "merged, 1 place would be yours to decide" in shown(pilot)
        await pilot.press("e")
        await looked(pilot)
        assert area(pilot).text.startswith("<<<<<<< mine\nx# Rollback\n=======\n# Zurück\n>>>>>>> theirs\n")
        assert area(pilot).selected_text == "<<<<<<<"
        assert "1 place to decide" in toasts(pilot)


async def test_a_clash_can_be_left_for_later(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await _clash(pilot, garden, "theirs\n")
        await pilot.press("escape")
        await looked(pilot)
        assert area(pilot).text == f"x{_TEXT}"
        assert _on_disk(garden) == "theirs\n"
        assert "CHANGED ON DISK" in shown(pilot)


async def test_leaving_with_save_stays_when_the_note_clashes(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await type_keys(pilot, "x")
        _by_somebody(garden, "theirs\n")
        await until(pilot, lambda: "CHANGED ON DISK" in shown(pilot))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(pilot.app.screen, LeavingDialog))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog))
        await pilot.press("escape")
        await looked(pilot)
        assert pilot.app.is_running
        assert area(pilot).text == f"x{_TEXT}"


async def _gone(pilot: Pilot[Any], garden: Tree) -> None:
    """The note, to which an x was typed, is removed by somebody; ^S was pressed."""
    await open_note(pilot)
    await type_keys(pilot, "x")
    (garden.tree / NOTE).unlink()
    await until(pilot, lambda: "REMOVED ON DISK" in shown(pilot))
    await pilot.press("ctrl+s")
    await until(pilot, lambda: isinstance(pilot.app.screen, GoneDialog))


async def test_a_removed_note_can_be_written_again(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _gone(pilot, garden)
        await pilot.press("w")
        await until(pilot, lambda: (garden.tree / NOTE).exists())
        await looked(pilot)
        assert _on_disk(garden) == f"x{_TEXT}"


async def test_a_removed_note_can_be_dropped(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _gone(pilot, garden)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(frame(pilot), QueryScreen))
        await settled(pilot)
        assert not (garden.tree / NOTE).exists()
        assert drafted(garden.root) is None


async def test_a_note_without_changes_is_closed_when_it_is_removed(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        (garden.tree / NOTE).unlink()
        await until(pilot, lambda: isinstance(frame(pilot), QueryScreen))
        await until(pilot, lambda: "was removed on disk: closed" in toasts(pilot))


# drafts


def _drafts(garden: Tree) -> Drafts:
    return Drafts(garden.tree)


async def test_unsaved_text_is_drafted_and_dropped_with_the_save(garden: Tree, make_app: MakeApp) -> None:
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await type_keys(pilot, "xy")
        await looked(pilot)
        assert drafted(garden.root) == f"xy{_TEXT}".encode()
        await pilot.press("backspace", "backspace")
        await until(pilot, lambda: drafted(garden.root) is None)
        await type_keys(pilot, "z")
        await looked(pilot)
        assert drafted(garden.root)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drafted(garden.root) is None)
        assert _on_disk(garden) == f"z{_TEXT}"


@pytest.fixture
def left(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The garden with a draft of a process that is gone."""
    import hashlib

    base = hashlib.sha256(_TEXT.encode()).hexdigest()
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        _drafts(garden).keep(NOTE, _TEXT.replace("two", "TWO").encode(), base, NOW_MS - 125_000)
    return garden


async def _offered(pilot: Pilot[Any]) -> None:
    await ask(pilot, "rollback")
    brv(pilot).selection.select(NOTE)
    await pilot.press("escape", "e")
    await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
    await settled(pilot)


async def test_drafts_are_told_at_the_start(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert f"1 draft of unsaved text: {NOTE}" in toasts(pilot)


async def test_drafts_are_listed_and_one_is_looked_at(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await settled(pilot)
        await pilot.press("escape", "D")
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftsDialog))
        await settled(pilot)
        assert NOTE in shown(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
        await pilot.press("d")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        await pilot.press("f3", "D")
        await until(pilot, lambda: "there are none" in shown(pilot))


async def test_a_draft_is_offered_and_can_be_taken(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered(pilot)
        assert "from 2 min ago" in shown(pilot)
        assert "+ TWO" in shown(pilot)
        assert "has changed since" not in shown(pilot)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        assert area(pilot).text == _TEXT.replace("two", "TWO")
        assert "• unsaved" in shown(pilot)
        assert _on_disk(left) == _TEXT
        await pilot.press("ctrl+s")
        await until(pilot, lambda: drafted(left.root) is None)
        assert _on_disk(left) == _TEXT.replace("two", "TWO")


async def test_a_draft_can_be_dropped(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await _offered(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await looked(pilot)
        assert area(pilot).text == _TEXT
        assert drafted(left.root) is None


async def test_a_draft_that_is_not_decided_on_stays(left: Tree, make_app: MakeApp) -> None:
    async with make_app(left.root).run_test(size=NARROW) as pilot:
        await _offered(pilot)
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(frame(pilot), QueryScreen)
        assert drafted(left.root)


async def test_a_draft_of_another_text_says_so(left: Tree, make_app: MakeApp) -> None:
    _by_somebody(left, _TEXT.replace("five", "FIVE"))
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await _offered(pilot)
        assert "has changed since the draft was begun" in shown(pilot)


async def test_the_draft_of_a_note_that_is_gone_can_be_written(left: Tree, make_app: MakeApp) -> None:
    (left.tree / NOTE).unlink()
    async with make_app(left.root).run_test(size=WIDE) as pilot:
        await settled(pilot)
        brv(pilot).editing.edit(NOTE)
        await until(pilot, lambda: isinstance(pilot.app.screen, DraftDialog))
        await pilot.press("t")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen))
        await pilot.press("ctrl+s")
        await until(pilot, lambda: (left.tree / NOTE).exists())
        assert _on_disk(left) == _TEXT.replace("two", "TWO")


# the user's own editor


@pytest.fixture
def own_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Sets $EDITOR to a script that runs Python on ``text`` and ``path``, and lets tests have no terminal."""

    @contextmanager
    def suspended(self: object) -> Any:
        yield

    def make(code: str) -> Path:
        script = tmp_path / "own editor.py"
        script.write_text(
            "import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\ntext = path.read_bytes().decode()\n"
            f"{code}\npath.write_bytes(text.encode())\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}' --wait")
        return script

    monkeypatch.setattr(BrvTui, "suspend", suspended)
    return make


async def _outside(pilot: Pilot[Any]) -> None:
    await ask(pilot, "rollback")
    brv(pilot).selection.select(NOTE)
    await pilot.press("escape", "E")


async def test_the_users_own_editor_saves_what_it_made(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor("assert path.name == 'rollback.md'; assert path.parent.stat().st_mode & 0o77 == 0; text += 'six\\n'")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: _on_disk(garden) == f"{_TEXT}six\n")
        await settled(pilot)
        assert f"saved {NOTE}" in toasts(pilot)
        assert isinstance(frame(pilot), QueryScreen)


async def test_the_users_own_editor_may_change_nothing(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor("")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "nothing to save" in toasts(pilot))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "set $VISUAL or $EDITOR"),
        ("/no/such/editor -w", "/no/such/editor: No such file or directory"),
        ("sh -c 'exit 3'", "sh ended with 3 and wrote nothing"),
        ("vi 'unclosed", "cannot be read as a command"),
    ],
)
async def test_an_editor_that_does_not_work_is_one_line(
    garden: Tree,
    make_app: MakeApp,
    own_editor: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    said: str,
) -> None:
    own_editor("")
    monkeypatch.setenv("EDITOR", command)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: said in toasts(pilot))
        assert _on_disk(garden) == _TEXT


async def test_a_terminal_that_cannot_be_handed_over_is_one_line(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "no other program can be opened" in toasts(pilot))


async def test_the_users_own_editor_meets_a_change_of_somebody_else(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor(f"text = text.replace('two', 'mine'); pathlib.Path({str(garden.tree / NOTE)!r}).write_text('theirs')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, ConflictDialog))
        await pilot.press("m")
        await until(pilot, lambda: _on_disk(garden) == _TEXT.replace("two", "mine"))
        await looked(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(frame(pilot), QueryScreen))


async def test_a_dirty_text_is_what_is_handed_over(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor("assert text.startswith('x#'); text = text.replace('two', 'TWO')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await type_keys(pilot, "x")
        await pilot.press("f7")
        await until(pilot, lambda: _on_disk(garden) == f"x{_TEXT}".replace("two", "TWO"))
        await looked(pilot)
        assert area(pilot).text == _on_disk(garden)
        assert "unsaved" not in shown(pilot)
        await pilot.press("ctrl+z")
        assert area(pilot).text == f"x{_TEXT}"


async def test_a_long_note_is_kept_as_a_draft_when_it_clashes(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    long = "# Rollback\n" + "word " * 50_000
    garden.file(NOTE, long, 1)
    own_editor(f"text = 'x' + text; pathlib.Path({str(garden.tree / NOTE)!r}).write_text('theirs')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "your text is kept as a draft" in toasts(pilot))
        await until(pilot, lambda: drafted(garden.root) == f"x{long}".encode())
        assert _on_disk(garden) == "theirs"
        assert isinstance(frame(pilot), QueryScreen)
