"""Long values and wide terminals cost no more than short ones, and storage that fails has an exit code of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from rich.text import Text

from brvtui.cli.output import print_report
from brvtui.store.feedback import FeedbackFile
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.support.trees import Tree

LONG = "x" * 100_000
_MOST = 4_100


@pytest.mark.parametrize("name", [LONG, "x" * 300, "y/" * 2_000 + ".toml", "é" * 5_000, "a b " * 20_000, "nope"])
def test_unknown_profile_is_shortened(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("BRV_TUI_PROFILE", name)
    code, _, err = run("query", "rollback")
    assert code == 2
    assert err.startswith("brv-tui: no profile ")
    assert "use brv-3" in err
    assert len(err) < 400


@pytest.mark.parametrize(
    "words",
    [
        ("query", "rollback", "--engine", LONG),
        ("query", "rollback", "--profile", LONG),
        ("explain", "rollback", LONG),
        ("explain", "rollback", "a b " * 20_000),
        ("query", "rollback", f"--{LONG}"),
        ("query", "rollback", "--format", LONG),
        ("show", LONG),
        (LONG, "--x"),
    ],
    ids=lambda words: "-".join(word[:10] for word in words),
)
def test_quoted_values_are_shortened(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run(*words, inside=words[0] not in ("show", LONG), now=False)
    assert code in (2, 3, 4)
    assert err.count("\n") == 1
    assert len(err) < _MOST


@pytest.mark.parametrize("columns", ["999999999", "100000", "1001", "1000"])
def test_width_of_output_is_bounded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    widths = []

    def report(width: int) -> Text:
        widths.append(width)
        return Text("wide " * 1_000)

    print_report(report)
    assert widths == [1_000]
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 1_000


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "no data folder"])
@pytest.mark.parametrize("engine", ["soleri", "knowing"])
def test_feedback_that_cannot_be_written_fails(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, engine: str, kind: str
) -> None:
    file = FeedbackFile(find_project(project.root).tree, engine).path
    if kind == "no data folder":
        monkeypatch.setenv("BRV_TUI_DATA_DIR", os.devnull)
    else:
        file.parent.mkdir(parents=True)
        {"fifo": os.mkfifo, "folder": Path.mkdir, "link": lambda path: path.symlink_to("/etc/passwd")}[kind](file)
    code, _, err = run("feedback", "rollback", "deploy/rollback.md", "accepted", "--engine", engine)
    assert code == 4
    assert "the feedback cannot be kept: " in err.splitlines()[-1]


@pytest.mark.parametrize("address", ["unix:///tmp/x", "ftp://127.0.0.1/", "javascript:1", "http://", "http://[::1"])
def test_bad_address_is_bad_usage_for_every_service(run: Run, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for service in ("LLM", "EMBEDDER"):
        monkeypatch.setenv(f"BRV_TUI_{service}_MODEL", "m")
        monkeypatch.setenv(f"BRV_TUI_{service}_URL", address)
    code, _, err = run("ask", "zebra rotation", "--llm")
    assert (code, "llm.url" in err) == (2, True)
    code, _, err = run("query", "rotation", "--engine", "jeffs_brain", "--mode", "hybrid")
    assert (code, "services.embedder.url" in err) == (2, True)
