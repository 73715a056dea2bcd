"""The page on security: every test that it names exists, and its attacks are as many as the scripts have."""

from __future__ import annotations

import importlib
import re

import pytest

from tests.docs.pages import ROOT, page, section
from tests.docs.test_rules import defined

PAGE = page("docs/security.md")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_ATTACKS = re.compile(r"^\| `(\w+)` \| .* \| (\d+) \| 0 \|$", re.M)


@pytest.mark.parametrize(("path", "name"), sorted(set(_NAMED.findall(PAGE))))
def test_named_tests_exist(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    assert not name or name in defined(path)


def test_every_promise_names_a_test() -> None:
    rows = [line for line in section(PAGE, "Promises and their tests").splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    assert [row for row in rows[1:] if not _NAMED.search(row) and set(row) - set("|- ")] == []


@pytest.mark.parametrize(("script", "count"), _ATTACKS.findall(section(PAGE, "The table of attacks")))
def test_attacks_are_counted(script: str, count: str) -> None:
    assert len(importlib.import_module(f"tests.attacks.{script}").ATTACKS) == int(count)


def test_every_script_is_listed() -> None:
    scripts = {file.stem for file in (ROOT / "tests/attacks").glob("[a-z]*.py")} - {"harness", "test_attacks"}
    assert {script for script, _ in _ATTACKS.findall(PAGE)} == scripts
