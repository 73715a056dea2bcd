"""Text in a pipe or a file is neither wrapped nor cut, unless COLUMNS sets a width."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from brvtui.paint.line import folded, line, rule
from brvtui.paint.text import cut, cut_left, fit, kept_whole, wrap
from tests.cli.conftest import Run
from tests.support.trees import Tree

LONG = "Each use of a refresh token gives a new one, and the one before it is worth nothing then, whoever has it"
DEEP = "auth/" + "/".join(f"a_folder_of_some_length_{number}" for number in range(6)) + "/rotation_of_refresh_tokens.md"


@pytest.fixture
def project(tree: Tree) -> Tree:
    """A note whose title, path and text are longer than a line of 80 columns."""
    tree.note(DEEP, LONG, f"{LONG}. {LONG}.", 0.1)
    return tree


def commands(saved: Path) -> dict[tuple[str, ...], bool]:
    """The commands that print text, and True for commands that open the project."""
    return {
        ("query", "refresh token", "--takes", "--save", str(saved)): True,
        ("explain", "refresh token", DEEP, "--takes"): True,
        ("maturity", "--days", "300"): True,
        ("show", str(saved)): False,
        ("keys",): False,
        ("themes",): False,
    }


def test_output_in_a_pipe_is_neither_wrapped_nor_cut(run: Run, tmp_path: Path) -> None:
    for command, inside in commands(tmp_path / "saved.json").items():
        _, whole, err = run(*command, inside=inside, now=inside)
        assert not err.startswith("brv-tui:"), err
        assert "…" not in whole, command
        assert not [row for row in whole.splitlines() if row != row.rstrip()]
        if command[0] in ("query", "explain", "show"):
            assert LONG in whole
            assert DEEP in whole
            (said,) = (row for row in whole.splitlines() if "Answered directly" in row or "Needs a model" in row)
            assert said.rstrip().endswith(" ms")


def test_columns_variable_sets_the_width(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command, inside in commands(tmp_path / "saved.json").items():
        monkeypatch.setenv("COLUMNS", "60")
        text = run(*command, inside=inside, now=inside)[1]
        assert max(len(row) for row in text.splitlines()) <= 60, command


def test_table_columns_stay_aligned_in_a_pipe(run: Run, project: Tree) -> None:
    """A long title does not shift the columns of other rows."""
    project.note("auth/short.md", "Refresh", "A refresh token.", 40)
    project.notes(12)
    engines = (part for name in ("byterover", "jeffs_brain", "soleri", "knowing") for part in ("--engine", name))
    rows = run("compare", "refresh token", *engines)[1].splitlines()
    head = next(row for row in rows if "ByteRover" in row)
    places = [head.index(name) for name in ("ByteRover", "Jeffs Brain", "Soleri", "knowing")]
    results = [row for row in rows if "× " in row]
    assert len(results) >= 2
    assert {found.start() for row in results for found in re.finditer(r"\d× ", row)} == set(places)
    for engine in ("byterover", "jeffs_brain"):
        rows = run("query", "refresh token", "--engine", engine)[1].splitlines()
        scored = [found for row in rows if (found := re.match(r"( ?\d+ .{3}.+?) +[01]?\.\d+ [█▉▊▋▌▍▎▏]+$", row))]
        assert sorted(LONG in found[1] for found in scored) == [False, True], rows
        assert len({found[0].rindex(" ") for found in scored}) == 1, scored
    run("judge", "set", f"how is a refresh token {'used ' * 30}", f"{DEEP}=3", now=False)
    run("judge", "set", "refresh", f"{DEEP}=3", now=False)
    table = run("eval")[1].splitlines()
    table = table[next(place for place, row in enumerate(table) if row.startswith(" query ")) :]
    assert [table[0].index("outcome")] * 2 == [row.index("tier ") for row in table[1:]]


@pytest.mark.parametrize("columns", ["", "90"])
def test_ascii_setting_applies_to_commands(
    run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    project.note("auth/café.md", "Café tokens", "A refresh token.", 40)
    saved = tmp_path / "saved.json"
    for command, inside in {**commands(saved), ("diff", "refresh token", "--at", "+90d"): True}.items():
        monkeypatch.setenv("BRV_TUI_ASCII", "on")
        text = run(*command, inside=inside, now=inside)[1]
        assert set(re.findall(r"[^\x00-\x7f]", text)) <= {"é"}, command
        if command[0] == "diff":
            assert "rank 1 -> 1" in text
        if command[0] in ("query", "show", "diff"):
            assert "Café" in text
            monkeypatch.setenv("BRV_TUI_ASCII", "off")
            assert re.search("[█─“’−]", run(*command, inside=inside, now=inside)[1]), command


def test_ascii_setting_escapes_names_in_every_command(
    run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, saved = "auth/a…é.md", str(tmp_path / "a …é.json")
    project.note(note, "Tokens … café", "A refresh token.", 40)
    monkeypatch.setenv("BRV_TUI_ASCII", "on")
    for command in (
        ("query", "refresh token", "--save", saved),
        ("judge", "set", "refresh token", f"{note}=3"),
        ("judge", "list"),
        ("judge", "export", "trec", saved.replace(".json", ".txt")),
        ("judge", "follow"),
        ("eval", "--save", saved),
        ("sweep", "direct.min_top=0.5:0.9:2", "--save", saved),
        ("feedback", "refresh token", note, "accepted", "--engine", "soleri"),
    ):
        code, text, notes = run(*command, now=command[0] in ("query", "eval", "sweep"))
        assert code == 0, (command, notes)
        assert set(re.findall(r"[^\x00-\x7f]", text + notes)) <= {"é"}, command


def test_ascii_setting_leaves_a_models_answer_unchanged(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.note("auth/a–b.md", "Tokens – café", "A refresh token.", 40)
    monkeypatch.setenv("BRV_TUI_ASCII", "off")
    _, answer, said = run("ask", "tokens café")
    assert "“" in said
    monkeypatch.setenv("BRV_TUI_ASCII", "on")
    _, again, in_letters = run("ask", "tokens café")
    assert answer == again
    assert "auth/a–b.md" in answer
    assert set(re.findall(r"[^\x00-\x7f]", in_letters)) <= {"é"}


def test_full_output_is_neither_cut_nor_wrapped() -> None:
    with kept_whole():
        assert (cut(LONG, 5), cut_left(LONG, 5), fit(LONG, 5), wrap(LONG, 5)) == (LONG, LONG, LONG, [LONG])
        assert [one.plain for one in folded(line(LONG), 9)] == [LONG]
        assert line(LONG).right(20, line("3 ms")).plain == f"{LONG}  3 ms"
        assert line("short").right(20, line("3 ms")).plain == "short           3 ms"
        assert len(rule(20, "a label").plain) == 20
    assert cut(LONG, 5) == "Each…"


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
def test_commands_never_replace_a_device_or_pipe(run: Run, project: Tree, tmp_path: Path, kind: int) -> None:
    project.note("auth/tokens.md", "Tokens", "A refresh token.", 40)
    assert run("judge", "set", "refresh token", "auth/tokens.md=3", now=False)[0] == 0
    for number, command in enumerate(
        (
            ("query", "refresh token", "--save", "x.json"),
            ("eval", "--save", "x.json"),
            ("sweep", "direct.min_top=0.5:0.9:2", "--save", "x.json"),
            ("judge", "export", "trec", "x"),
            ("judge", "export", "qmd", "x"),
        )
    ):
        place = tmp_path / f"{number}{command[-1]}"
        os.mknod(place, kind | 0o600)
        code, _, line = run(*command[:-1], str(place), now=command[0] != "judge")
        assert (code in (2, 4), line.count("\n"), place.name in line) == (True, 1, True), line
        assert stat.S_IFMT(place.lstat().st_mode) == kind
