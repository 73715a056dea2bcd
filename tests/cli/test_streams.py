"""Standard streams that are closed, have no reader, or cannot encode our symbols: no traceback is ever printed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from brvtui.cli.program import main
from brvtui.paint.glyphs import TO_LETTERS
from brvtui.saved.traces import as_json
from brvtui.text.visible import json_line
from tests.cli.conftest import Run
from tests.support.trees import Tree

COMMANDS = (
    ("query", "refresh"),
    ("query", "refresh", "--format", "json"),
    ("explain", "refresh", "auth/jwt/rotation.md"),
    ("replay", "--queries", "queries.json"),
    ("ask", "refresh token"),
    ("maturity", "--now", "2026-11-20T12:00:00Z"),  # the time for which the tree was made
    ("config",),
    ("cache", "info"),
    ("forget",),
)
WITHOUT_PROJECT = (
    ("show", "saved.json"),
    ("show", "saved.json", "--format", "md"),
    ("keys",),
    ("completion", "bash"),
    ("themes",),
    ("--help",),
)


@pytest.fixture
def folder(project: Tree, tmp_path: Path) -> Path:
    """A folder with queries and a saved trace. One note has a title outside every 8-bit encoding."""
    project.note("auth/jwt/\u6f22.md", "refresh \u6f22\u5b57", "refresh")
    (tmp_path / "queries.json").write_text('["refresh"]')
    session = project.session()
    (tmp_path / "saved.json").write_bytes(as_json(session.explainer.saved(session.preview("refresh"))))
    return tmp_path


def _all(project: Tree) -> list[list[str]]:
    inside = [[*command, "--project", str(project.root)] for command in COMMANDS]
    return [*inside, *(list(command) for command in WITHOUT_PROJECT)]


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs a command in this process with other standard streams; returns exit code, output and errors."""

    def called(
        arguments: list[str], encoding: str = "utf-8", **streams: io.TextIOWrapper | None
    ) -> tuple[int, str, str]:
        written = io.BytesIO(), io.BytesIO()
        out, err = (io.TextIOWrapper(stream, encoding, write_through=True) for stream in written)
        with monkeypatch.context() as patched:
            patched.chdir(folder)
            patched.setattr(sys, "argv", ["brv-tui", *arguments])
            for name, stream in {"stdout": out, "stderr": err, **streams}.items():
                patched.setattr(sys, name, stream)
            with pytest.raises(SystemExit) as ended:
                main()
        shown, errors = (stream.getvalue().decode(encoding, "replace") for stream in written)
        return int(ended.value.code or 0), shown, errors

    return called


def test_closed_stream_is_not_an_error(project: Tree, call: Call) -> None:
    for arguments in _all(project):
        for closed in ("stdin", "stdout", "stderr"):
            code, _, err = call(arguments, **{closed: None})
            assert (code, "failed" in err) == (0, False), (arguments, err)


def test_reader_that_exits_early_is_not_an_error(project: Tree, call: Call) -> None:
    for arguments in _all(project):
        read, write = os.pipe()
        os.close(read)
        with suppress(BrokenPipeError), open(write, "w", encoding="utf-8") as stdout:
            code, _, err = call(arguments, stdout=stdout)
            beside = ("note: ", "TIER ")
            assert (code, [line for line in err.splitlines() if not line.startswith(beside)]) == (0, []), arguments


def test_app_refuses_closed_streams(project: Tree, call: Call) -> None:
    for closed in ("stdin", "stdout"):
        code, _, err = call(["open", str(project.root)], **{closed: None})
        assert (code, err.startswith("brv-tui: the app needs a terminal")) == (2, True)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp437"])
def test_every_command_supports_any_output_encoding(project: Tree, call: Call, encoding: str) -> None:
    for arguments in _all(project):
        code, _, err = call(arguments, encoding)
        assert (code, "failed" in err) == (0, False), (arguments, err)


@pytest.mark.long
@pytest.mark.parametrize("command", [("query", "refresh"), ("maturity",), ("show", "saved.json"), ("--help",)])
def test_processes_survive_closed_or_unread_streams(project: Tree, folder: Path, command: tuple[str, ...]) -> None:
    """A real process also has closed descriptors and flushes its output at exit."""
    for arguments in (one for one in _all(project) if tuple(one[: len(command)]) == command):
        for streams in (">&-", "<&- >&- 2>&-", "| head -1 >/dev/null"):
            program = f'( "$@"; echo $? >code ) {streams}; exit $(cat code)'
            shell = ["sh", "-c", program, "sh", sys.executable, "-m", "brvtui", *arguments]
            ran = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            assert (ran.returncode, "failed" in ran.stderr, "Traceback" in ran.stderr) == (0, False, False), arguments


def test_characters_outside_the_encoding_become_ascii(project: Tree, call: Call) -> None:
    _, out, _ = call([*_all(project)[0], "--full"], "ascii")
    assert r"refresh \u6f22\u5b57" in out
    assert "\\u2265" not in out
    assert ">=" in out


@pytest.mark.long
def test_ascii_setting_converts_characters_to_ascii(project: Tree, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [one for one in _all(project) if not {"ask", "--help", "json", "md", "replay"} & set(one)]
    fleet = ["fleet", "query", "refresh “it”", "--now", "2026-11-20T12:00:00Z", "--over", str(project.root)]
    texts += [*([*fleet, "--merge", merge] for merge in ("each", "one")), ["llm", "check"], ["code", "refresh"]]
    written = {place: call(place)[1] for place in map(tuple, texts)}
    assert "−" in written[tuple(texts[-3])] or "“" in written[tuple(texts[-3])]
    monkeypatch.setenv("BRV_TUI_ASCII", "on")
    for arguments in texts:
        out, err = call(arguments)[1:]
        assert {sign for sign in out + err if ord(sign) in TO_LETTERS} == set(), arguments


def test_json_contains_no_terminal_control_characters() -> None:
    odd = "a\x1b\x7f\x85\x9b\u202e\u2066\u2028\u2029\u200b\ufeff\udc80\U000e0041é漢"
    line = json_line({"text": odd})
    assert line.decode().isprintable() is False  # because of the line feed at its end
    assert line.decode()[:-1].isprintable()
    assert json.loads(line) == {"text": odd}
    assert "é漢".encode() in line


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
@pytest.mark.parametrize(
    "words",
    [
        ("compare", "quokka"),
        ("diff", "quokka", "--at", "+30d"),
        ("explain", "quokka", "a/b\udcff.md"),
        ("find", "quokka"),
        ("find", "quokka", "--format", "json"),
        ("maturity",),
        ("migrate", "--dry-run", "quokka"),
        *(("query", "quokka", "--engine", engine) for engine in ("byterover", "jeffs_brain", "soleri", "knowing")),
        *(("query", "quokka", "--engine", engine, "--format", "json") for engine in ("byterover", "knowing")),
    ],
    ids=" ".join,
)
def test_note_name_outside_utf8_stops_no_command(run: Run, project: Tree, words: tuple[str, ...]) -> None:
    project.note("a/b\udcff.md", "Odd quokka", "A quokka with an odd name.")
    code, out, err = run(*words)
    assert code in (0, 1)
    assert "\udcff" not in out + err
    assert "failed" not in err
