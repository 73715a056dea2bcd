"""tools/check_prose.py finds style faults in docstrings, pages and commit subjects."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.pages import script

Faults = Callable[[], list[str]]


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Faults:
    """Runs the check on ``tmp_path``, which contains a README, and returns the faults."""
    check = script("tools/check_prose.py")
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setattr(check, "_FIRST_COMMIT", "first")
    (tmp_path / "README.md").write_text("# A tool\n")

    def found() -> list[str]:
        code = check.main()
        lines = capsys.readouterr().out.splitlines()
        assert code == (lines != ["prose: no faults"])
        return lines if code else []

    return found


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("brvtui/a.py", '"""What is read of a note."""\n', ":1: the docstring begins with “What”"),
        ("tests/a.py", 'def read():\n    """How a note is read."""\n', ":2: the docstring begins with “How”"),
        ("tools/a.py", 'class Note:\n    path: str\n    """Where it is."""\n', ":3: the docstring begins with “Where”"),
        ("benchmarks/a.py", 'async def ask():\n    """Asks anew."""\n', ":2: “anew” in a docstring"),
        ("brvtui/a.py", '"""Mends notes."""\n', ":1: “Mends” in a docstring"),
        ("brvtui/a.py", '"""Whatever is read."""\nTEXT = """What is read."""\n', ""),
        ("docs/how-to/a.md", "# Saving\n\nIt ends otherwise than before.\n", ":3: “otherwise than”"),
        ("CHANGELOG.md", "It is read anew.\n", ":1: “anew”"),
        ("docs/a.md", "```\nanew\n```\n", ""),
        ("docs/a.md", "```\nold\n```\nanew\n", ":4: “anew”"),
        ("docs/glossary.md", "anew: again\n", ""),
        ("README.md", "line\n" * 150, ""),
        ("README.md", "line\n" * 151, " has 151 lines, and may have 150"),
    ],
    ids=lambda value: value[:40],
)
def test_faults_of_docstrings_and_pages(name: str, text: str, fault: str, tmp_path: Path, faults: Faults) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert [line.split(": begin ")[0].split(": say ")[0] for line in faults()] == ([f"{name}{fault}"] if fault else [])


def test_long_subjects_of_later_commits_are_faults(tmp_path: Path, faults: Faults) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    for length in (80, 72, 73):
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x" * length], check=True)
        if length == 80:
            subprocess.run([*git, "tag", "first"], check=True)
    (line,) = faults()
    assert line.endswith(": the subject has 73 characters, and may have 72")
