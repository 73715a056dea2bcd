#!/usr/bin/env python3
"""Checks the parts of our style that a script can recognise: docstrings, words, commit subjects, the README's length.

    python tools/check_prose.py

Prints one line for each fault; the exit code is 1 if there are any. Quoted notes, fixtures, and names and strings
that belong to engines are not checked.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_FIRST_COMMIT = "aba06d25"
"""The subjects of all later commits are checked."""
_LONGEST_SUBJECT, _LONGEST_README = 72, 150
_OPENINGS = re.compile(r"(What|Whether|How|Why|Where|Which|When|Who)\b")
_WORDS = re.compile(r"\b(anew|otherwise than|otherwise as|what is told|is no more of|mends?)\b", re.IGNORECASE)
_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the line and text of each docstring, also of attributes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, _DOCUMENTED):
            for statement in node.body:
                value = statement.value if isinstance(statement, ast.Expr) else None
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.lineno, value.value.strip()


def _faults_of_code() -> Iterator[str]:
    for folder in ("brvtui", "tests", "benchmarks", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for number, text in _docstrings(path):
                place = f"{path.relative_to(ROOT)}:{number}"
                if opening := _OPENINGS.match(text):
                    yield f"{place}: the docstring begins with “{opening[0]}”: begin with a noun or a verb"
                if word := _WORDS.search(text):
                    yield f"{place}: “{word[0]}” in a docstring: say it in plain words"


def _faults_of_pages() -> Iterator[str]:
    for pattern in _PAGES:
        for path in sorted(ROOT.glob(pattern)):
            if path.name == "glossary.md":  # this page lists the words to avoid
                continue
            in_block = False
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                in_block ^= line.startswith("```")
                if not in_block and (word := _WORDS.search(line)):
                    yield f"{path.relative_to(ROOT)}:{number}: “{word[0]}”: say it in plain words"
    lines = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > _LONGEST_README:
        yield f"README.md has {lines} lines, and may have {_LONGEST_README}"


def _faults_of_commits() -> Iterator[str]:
    command = ["git", "-C", str(ROOT), "log", "--format=%h %s", f"{_FIRST_COMMIT}..HEAD"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in listed.stdout.splitlines():  # empty if there is no history, as in a source archive
        commit, _, subject = line.partition(" ")
        if len(subject) > _LONGEST_SUBJECT:
            yield f"commit {commit}: the subject has {len(subject)} characters, and may have {_LONGEST_SUBJECT}"


def main() -> int:
    """Prints the faults."""
    faults = [*_faults_of_code(), *_faults_of_pages(), *_faults_of_commits()]
    print("\n".join(faults) or "prose: no faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
