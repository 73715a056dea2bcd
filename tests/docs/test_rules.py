"""The tables of rules in docs: every function and every test that they name exists.

A page with the heading ``## Rules`` has one or more tables below it, with the columns Rule, Function, Test and
Deviation. A function, a constant or a field is written as ``brvtui/….py:name`` or ``brvtui/….py:Class.name``; a test as
``tests/….py::test_name`` or ``tests/….py::TestClass::test_name``, with the id of a test case in brackets. A cell may
contain several of them, or ``–`` for none. For a rule without a function or a test, the column Deviation gives the
reason.
"""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.docs.pages import PAGES as ALL_PAGES
from tests.docs.pages import ROOT, page, section

_RULES = "\n## Rules\n"
_COLUMNS = ["Rule", "Function", "Test", "Deviation"]
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_NONE = "–"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
PAGES = [name for name in ALL_PAGES if name.startswith("docs/reference/") and _RULES in page(name)]


def rows(text: str) -> list[list[str]]:
    """The rows of all tables below the heading, without their heads."""
    lines = [line for line in section(text, "Rules").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in _CELL.split(line)[1:-1]] for line in lines]
    return [row for row in cells if row != _COLUMNS and set("".join(row)) - set("-: ")]


def names(body: list[ast.stmt], prefix: str = "") -> set[str]:
    """The dotted names of the functions, classes, methods, constants and fields that these statements define."""
    defined = set()
    for statement in body:
        if isinstance(statement, _DEFINITIONS):
            defined.add(f"{prefix}{statement.name}")
        if isinstance(statement, ast.ClassDef):
            defined |= names(statement.body, f"{prefix}{statement.name}.")
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        defined |= {f"{prefix}{target.id}" for target in targets if isinstance(target, ast.Name)}
    return defined


@cache
def defined(path: str) -> frozenset[str]:
    """The names that the Python file ``path`` defines; empty if there is no such file."""
    file = ROOT / path
    return frozenset(names(ast.parse(file.read_text("utf-8")).body)) if file.is_file() else frozenset()


def exists(path: str, name: str) -> bool:
    """True if the file defines ``name`` and, if this names one case of a test, contains the id of the case."""
    test, _, case = name.replace("::", ".").removesuffix("]").partition("[")
    return test in defined(path) and re.search(rf"(\b|_){case}\b", (ROOT / path).read_text("utf-8")) is not None


def missing(text: str) -> list[str]:
    """The faults of a page: malformed rows, and functions and tests that do not exist."""
    faults = []
    for row in rows(text):
        if len(row) != len(_COLUMNS) or not row[0]:
            faults.append(f"not four cells: {' | '.join(row)}")
            continue
        rule, functions, tests, deviation = row
        for cell, folder, mark in ((functions, "brvtui/", ":"), (tests, "tests/", "::")):
            references = _CODE.findall(cell)
            if not references and (cell != _NONE or deviation == _NONE):
                faults.append(f"no {folder} reference, and no reason: {rule}")
            for reference in references:
                path, _, name = reference.partition(mark)
                if not path.startswith(folder) or not exists(path, name):
                    faults.append(f"does not exist: {reference}")
        if not deviation:
            faults.append(f"empty deviation: {rule}")
    return faults


def test_pages_with_rules_are_found() -> None:
    assert "docs/reference/knowing.md" in PAGES


@pytest.mark.parametrize("name", PAGES)
def test_rules_name_functions_and_tests_that_exist(name: str) -> None:
    assert rows(page(name))
    assert missing(page(name)) == []


HEAD = "# Page\n\n## Rules\n\n| Rule | Function | Test | Deviation |\n| --- | --- | --- | --- |\n"
THIS = "`tests/docs/test_rules.py::test_pages_with_rules_are_found`"
CODE = "`brvtui/engines/knowing/words.py:camel_words`"


@pytest.mark.parametrize(
    "row",
    [
        f"| a | `brvtui/engines/knowing/words.py:nothing` | {THIS} | – |",
        f"| a | `brvtui/nowhere.py:camel_words` | {THIS} | – |",
        f"| a | `brvtui/engines/knowing/words.py` | {THIS} | – |",
        f"| a | {CODE} | `tests/docs/test_rules.py::test_nothing` | – |",
        f"| a | {CODE} | `tests/engines/knowing/test_recorded.py::test_recorded_answers_match[no_family]` | – |",
        f"| a | {CODE} | `tests/docs/test_rules.py` | – |",
        f"| a | {CODE} | – | – |",
        f"| a | – | {THIS} | – |",
        f"| a | {CODE} | {THIS} | |",
        f"| a | {CODE} | {THIS} |",
        f"| | {CODE} | {THIS} | – |",
        f"| a | see the code | {THIS} | – |",
    ],
)
def test_rule_with_a_missing_function_or_test_is_reported(row: str) -> None:
    assert missing(f"{HEAD}{row}\n\n## Next\n")


def test_valid_rules_are_accepted() -> None:
    text = f"{HEAD}| a \\| b | {CODE}, {CODE} | {THIS} | – |\n| c | – | – | not offered: no use here |\n\n## Next\n"
    assert len(rows(text)) == 2
    assert missing(text) == []
