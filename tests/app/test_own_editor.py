"""A note in the user's own editor."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing import note_on_disk, note_saving
from brvtui.app.editing.note_on_disk import MOST_CHARS
from brvtui.app.editing.note_saving import SaveDoubt
from brvtui.app.editing.questions import ConflictDialog, DamageDialog, DiffPane, DraftDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.query.screen import QueryScreen
from brvtui.store.drafts import DraftStore
from brvtui.timing import system_clock
from tests.app.driving import WIDE, MakeApp, ask, on, press, settled, until
from tests.app.editing import FEW_LINES, NOTE, area, drafted, looked, on_disk, open_note, type_in_note, type_keys
from tests.app.looking import AppPilot, brv, flat, frame, shown, toast_text
from tests.support.settings import own
from tests.support.trees import Tree

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("few_lines")]


@pytest.fixture
def own_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Sets $EDITOR to a script that runs Python on ``text`` and ``path``, and makes tests work without a terminal."""

    def make(code: str) -> Path:
        script = tmp_path / "own editor.py"
        script.write_text(
            "import sys, pathlib\npath = pathlib.Path(sys.argv[-1])\ntext = path.read_bytes().decode()\n"
            f"{code}\npath.write_bytes(text.encode())\n"
        )
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f"{sys.executable} '{script}' --wait")
        return script

    monkeypatch.setattr(BrvTui, "suspend", lambda _: nullcontext())
    return make


@pytest.fixture
def notices(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The toasts of apps that are not running."""
    found: list[str] = []
    monkeypatch.setattr(BrvTui, "notify", lambda _, text, **__: found.append(text))
    return found


async def _outside(pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    brv(pilot).selection.select(NOTE)
    await pilot.press("escape", "E")


async def test_draft_too_long_for_the_editor_is_not_compared_and_opens_in_own_editor(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "word\n" * (MOST_CHARS // 5 + 1)
    with monkeypatch.context() as gone:
        gone.setattr("brvtui.store.drafts.os.getpid", lambda: 2**22 + 1)
        DraftStore(garden.tree).keep(NOTE, long.encode(), None, system_clock())
    own_editor("text += 'six\\n'")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback")
        brv(pilot).selection.select(NOTE)
        await on(pilot, DraftDialog, "escape", "e")
        await settled(pilot)
        assert f"{len(long)} characters are too many to show and edit here" in flat(pilot)
        assert not pilot.app.screen.query(DiffPane)
        await until(pilot, lambda: "m use mine" in shown(pilot))
        await pilot.press("m")
        await until(pilot, lambda: on_disk(garden) == f"{long}six\n")
        assert isinstance(frame(pilot), QueryScreen)


async def test_external_editor_saves_changes_and_reports_failures(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_editor("assert path.name == 'rollback.md'; assert path.parent.stat().st_mode & 0o77 == 0; text += 'six\\n'")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: on_disk(garden) == f"{FEW_LINES}six\n")
        await settled(pilot)
        assert f"saved {NOTE}" in toast_text(pilot)
        assert isinstance(frame(pilot), QueryScreen)
        own_editor("")
        await _outside(pilot)
        await until(pilot, lambda: "nothing to save" in toast_text(pilot))
        monkeypatch.setenv("EDITOR", "sh -c 'exit 3'")
        await _outside(pilot)
        await until(pilot, lambda: "sh exited with code 3 and wrote nothing; check $EDITOR" in toast_text(pilot))
        await settled(pilot)
        assert on_disk(garden) == f"{FEW_LINES}six\n"
        assert drafted(garden.root) is None


@pytest.mark.parametrize(
    ("own_command", "variables", "message"),
    [
        ("", {}, "no editor is set: set editor.command, $VISUAL or $EDITOR"),
        ("", {"EDITOR": "/no/such/editor -w"}, "/no/such/editor: No such file or directory; check $EDITOR"),
        ("", {"EDITOR": "sh -c 'exit 3'"}, "sh exited with code 3 and wrote nothing; check $EDITOR"),
        ("", {"EDITOR": "vi 'unclosed"}, "$EDITOR is not a valid command"),
        ("", {"EDITOR": "true", "VISUAL": "/no/visual"}, "/no/visual: No such file or directory; check $VISUAL"),
        ("vi 'unclosed", {"VISUAL": "true"}, "editor.command is not a valid command"),
        ("/no/own", {"EDITOR": "true", "VISUAL": "true"}, "/no/own: No such file or directory; check editor.command"),
    ],
)
def test_unusable_external_editor_is_reported_in_one_line(
    garden: Tree,
    make_app: MakeApp,
    own_editor: Callable[[str], Path],
    notices: list[str],
    monkeypatch: pytest.MonkeyPatch,
    own_command: str,
    variables: dict[str, str],
    message: str,
) -> None:
    """``editor.command`` has precedence over $VISUAL, and $VISUAL over $EDITOR."""
    own_editor("")
    monkeypatch.setenv("EDITOR", "")
    for name, command in variables.items():
        monkeypatch.setenv(name, command)
    own(f'[editor]\ncommand = "{own_command}"')
    assert make_app(garden.root).external_editor.hand_over(NOTE, b"text") is None
    assert len(notices) == 1
    assert notices[0].startswith(message)
    assert "\n" not in notices[0]


async def test_project_settings_cannot_set_the_editor(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], tmp_path: Path
) -> None:
    own_editor("text += 'mine\\n'")
    touched = tmp_path / "touched"
    (garden.root / ".brv" / "brv-tui.toml").write_text(f'[editor]\ncommand = "touch {touched}"\n')
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: on_disk(garden) == f"{FEW_LINES}mine\n")
        assert "editor.command is for your own settings file" in toast_text(pilot)
    assert not touched.exists()


async def test_terminal_that_cannot_start_an_editor_is_reported(
    garden: Tree, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "cannot open another program" in toast_text(pilot))


async def test_change_by_others_during_external_editing_is_a_conflict(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor(f"text = text.replace('two', 'mine'); pathlib.Path({str(garden.tree / NOTE)!r}).write_text('theirs')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await on(pilot, ConflictDialog)
        await pilot.press("m")
        await until(pilot, lambda: on_disk(garden) == FEW_LINES.replace("two", "mine"))
        await looked(pilot)
        await on(pilot, QueryScreen, "escape")


async def test_unsaved_text_is_passed_to_the_external_editor(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor("assert text.startswith('x#'); text = text.replace('two', 'TWO')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await type_in_note(pilot, "x")
        await pilot.press("f7")
        await until(pilot, lambda: on_disk(garden) == f"x{FEW_LINES}".replace("two", "TWO"))
        await looked(pilot)
        assert area(pilot).text == on_disk(garden)
        assert "unsaved" not in shown(pilot)
        await pilot.press("ctrl+z")
        assert area(pilot).text == f"x{FEW_LINES}"


async def test_conflict_in_a_note_that_is_too_long_to_edit_becomes_a_draft(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    long = "# Rollback\n" + "word " * 50_000
    garden.file(NOTE, long, 1)
    own_editor(f"text = 'x' + text; pathlib.Path({str(garden.tree / NOTE)!r}).write_text('theirs')")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "your text is kept as a draft" in toast_text(pilot))
        await until(pilot, lambda: drafted(garden.root) == f"x{long}".encode())
        assert on_disk(garden) == "theirs"
        assert isinstance(frame(pilot), QueryScreen)


async def test_browser_session_opens_no_external_editor(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own_editor("text += 'six\\n'")
    monkeypatch.setattr(BrvTui, "is_web", True)
    async with make_app(garden.root).run_test(size=(120, 160)) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: "in a browser, no other program can be opened" in toast_text(pilot))
        await press(pilot, "question_mark")
        assert "VISUAL" not in shown(pilot)
        await pilot.press("escape")
        await ask(pilot, "")
        brv(pilot).selection.select("")
        brv(pilot).clear_notifications()
        await pilot.press("escape", "E")
        await until(pilot, lambda: "select a note first: e edits it" in toast_text(pilot))
        assert "your own editor" not in toast_text(pilot)
        assert on_disk(garden) == FEW_LINES


async def test_damaging_text_from_own_editor_becomes_a_draft(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    own_editor("path.write_bytes(b'<<<<<<< mine\\none\\n=======\\ntwo\\n>>>>>>> theirs\\n\\xff'); sys.exit()")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await _outside(pilot)
        await until(pilot, lambda: drafted(garden.root) is not None)
        assert on_disk(garden) == FEW_LINES
        assert drafted(garden.root) == b"<<<<<<< mine\none\n=======\ntwo\n>>>>>>> theirs\n\xff"
        for message in ("would damage it: ", "the conflict markers would become part of its text", "kept as a draft"):
            await until(pilot, lambda message=message: message in toast_text(pilot))
        await on(pilot, DraftDialog, "e")
        await settled(pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(frame(pilot), EditorScreen) and area(pilot).text.startswith("<<<<<<<"))
        await on(pilot, DamageDialog, "ctrl+s")
        assert on_disk(garden) == FEW_LINES


@pytest.mark.parametrize(
    "code",
    [
        "path.unlink(); path.symlink_to(beside); sys.exit()",
        "path.unlink(); path.symlink_to('/etc/passwd'); sys.exit()",
        "path.unlink(); path.symlink_to(path.name); sys.exit()",
        "import os; path.unlink(); os.mkfifo(path); sys.exit()",
        "path.unlink(); path.mkdir(); sys.exit()",
        "path.unlink(); sys.exit()",
    ],
)
def test_external_copy_that_was_replaced_by_something_else_is_refused(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], notices: list[str], tmp_path: Path, code: str
) -> None:
    beside = tmp_path / "beside.txt"
    beside.write_text("outside")
    own_editor(f"beside = {str(beside)!r}; {code}")
    assert make_app(garden.root).external_editor.hand_over(NOTE, FEW_LINES.encode()) is None
    assert len(notices) == 1
    assert notices[0].endswith("; check $EDITOR")


_BLOCK = "---\ntitle: one\nkeywords: [a]\n---\n# R\n\ntext\n"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfebad", b"caf\xe9\n", b"t\0e\0x\0t\0", b"# R\n\ntext\n", b"", b"title: one\n# R\n", b"---\n- a\n---\n"],
)
def test_text_that_would_lose_its_encoding_or_frontmatter_is_not_saved(garden: Tree, data: bytes) -> None:
    garden.file(NOTE, _BLOCK, 3)
    session = garden.session()
    doubt = note_saving.save(session, note_on_disk.on_disk(session, NOTE), data, False)
    assert isinstance(doubt, SaveDoubt)
    assert doubt.data == data
    assert doubt.problem.startswith(f"saving {NOTE} would damage it: ")
    assert ("it would no longer be UTF-8 text" in doubt.problem) is (data in (b"\xff\xfebad", b"caf\xe9\n"))
    assert on_disk(garden) == _BLOCK


async def test_frontmatter_lost_in_external_editor_needs_confirmation(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path]
) -> None:
    garden.file(NOTE, _BLOCK, 3)
    own_editor("text = '# R\\n'")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press("f7")
        for _ in range(2):  # if the user says no, the next save asks again
            await on(pilot, DamageDialog)
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(pilot.app.screen, DamageDialog))
            assert on_disk(garden) == _BLOCK
            await pilot.press("ctrl+s")


async def test_frontmatter_lost_during_a_save_needs_confirmation(
    garden: Tree, make_app: MakeApp, own_editor: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    garden.file(NOTE, _BLOCK, 3)
    own_editor("text = '# R\\n'")
    may_save, save = threading.Event(), note_saving.save

    def save_later(*arguments: Any) -> note_saving.SaveResult:
        may_save.wait(10)
        return save(*arguments)

    monkeypatch.setattr(note_saving, "save", save_later)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await open_note(pilot)
        await pilot.press("ctrl+end")
        await type_keys(pilot, "x")
        await pilot.press("ctrl+s", "f7")
        await until(pilot, lambda: area(pilot).text == "# R\n")
        may_save.set()
        await on(pilot, DamageDialog)
        assert on_disk(garden) == f"{_BLOCK}x"
