"""The pages of the documentation, their headings and links, for the tests that compare them with the code."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
PAGES = tuple(
    file.relative_to(ROOT).as_posix()
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "benchmarks/**/*.md",
        "themes/*.md",
        "sample-tree/*.md",
        "tests/data/**/*.md",
    )
    for file in sorted(ROOT.glob(pattern))
)
"""Every page of the documentation, keyed by its path in the repository."""
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def page(name: str) -> str:
    """The text of a file in the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def sources(*endings: str) -> dict[str, str]:
    """The texts of the package's files with these endings, keyed by their path in the repository."""
    files = [file for ending in endings for file in sorted((ROOT / "brvtui").rglob(f"*{ending}"))]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def without_code(text: str) -> str:
    """A markdown text without its fenced blocks."""
    return _FENCE.sub("", text)


def headings(text: str) -> dict[str, str]:
    """The headings of a markdown text, keyed by the anchors that code forges generate for them."""
    return {slug(title): title for title in _HEADING.findall(without_code(text))}


def section(text: str, title: str) -> str:
    """The text below the second-level heading ``title``."""
    return text.split(f"\n## {title}\n")[1].split("\n## ")[0]


def slug(title: str) -> str:
    """The anchor of a heading."""
    kept = "".join(character for character in title.lower() if character.isalnum() or character in " -_")
    return kept.strip().replace(" ", "-")


def script(name: str) -> ModuleType:
    """Imports a script in the repository as a module."""
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
