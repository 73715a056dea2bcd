"""What the tests of the documentation share: the pages, their headings, and a project made from notes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/engine.md",
    "docs/architecture.md",
    "docs/configuration.md",
)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() * 1000
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@pytest.fixture
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(params=PAGES)
def page_name(request: pytest.FixtureRequest) -> str:
    """Each page in turn."""
    return str(request.param)


@pytest.fixture
def read() -> Callable[[str], str]:
    """The text of a file of the repository."""
    return lambda name: (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def engine() -> str:
    """The text of docs/engine.md."""
    return (ROOT / "docs/engine.md").read_text(encoding="utf-8")


@pytest.fixture
def headings() -> Callable[[str], dict[str, str]]:
    """The headings of a markdown text, by their anchors as forges make them."""
    return lambda text: {slug(title): title for title in _HEADING.findall(without_code(text))}


@pytest.fixture
def prose() -> Callable[[str], str]:
    """A markdown text without its fenced blocks."""
    return without_code


@pytest.fixture
def make_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, tuple[str, float]]], Path]:
    """Makes a project of notes given as path: (text, days of age at :data:`NOW`)."""
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "engine"))
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(tmp_path / "own"))

    def make(notes: Mapping[str, tuple[str, float]]) -> Path:
        project = tmp_path / "project"
        (project / ".brv").mkdir(parents=True)
        (project / ".brv/config.json").write_text("{}", encoding="utf-8")
        for path, (text, days) in notes.items():
            file = project / ".brv/context-tree" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            stamp = round(NOW - days * 86_400_000) * 1_000_000
            os.utime(file, ns=(stamp, stamp))
        return project

    return make


@pytest.fixture
def now_ms() -> float:
    """The clock of the tests."""
    return NOW


def without_code(text: str) -> str:
    """``text`` without fenced blocks."""
    return _FENCE.sub("", text)


def slug(title: str) -> str:
    """The anchor of a heading."""
    kept = "".join(character for character in title.lower() if character.isalnum() or character in " -_")
    return kept.strip().replace(" ", "-")
