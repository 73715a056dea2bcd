"""The vocabulary of explanation: sums, plain data, JSON."""

from __future__ import annotations

import dataclasses
import json
from enum import StrEnum
from typing import Any

import pytest

from brvtui import trace as words
from brvtui.trace import Hit, Kind, Origin, Part, State, adds_up, parts_gap, to_plain
from tests.support.trees import Tree


def hit(score: float, *values: float) -> Hit:
    parts = tuple(Part(f"part {number}", value) for number, value in enumerate(values))
    return Hit("x", "x", "X", Kind.CONTEXT, Origin.TEXT, score, parts, None, None, None)


@pytest.mark.parametrize(
    ("score", "values", "gap", "fits"),
    [
        (0.5, (0.2, 0.3), 0.0, True),
        (0.5, (0.2, 0.3 + 1e-10), 1e-10, True),
        (0.5, (0.2, 0.3 + 1e-8), 1e-8, False),
        (0.5, (), 0.5, False),
        (0.0, (), 0.0, True),
    ],
)
def test_sums(score: float, values: tuple[float, ...], gap: float, fits: bool) -> None:
    made = hit(score, *values)
    assert parts_gap(made) == pytest.approx(gap, abs=1e-15)
    assert adds_up(made) == fits


def test_plain_data() -> None:
    assert to_plain({"a": (State.HIT, [Kind.SUMMARY]), 3: Part("p", 0.5)}) == {
        "a": ["hit", ["summary"]],
        "3": {"name": "p", "value": 0.5, "amount": None, "factor": None, "note": ""},
    }
    assert type(to_plain(State.HIT)) is str


def test_the_vocabulary_is_frozen() -> None:
    classes = [value for value in vars(words).values() if isinstance(value, type) and dataclasses.is_dataclass(value)]
    assert len(classes) > 25
    assert all(made.__dataclass_params__.frozen for made in classes)  # type: ignore[attr-defined]


def scalars(value: Any) -> set[type]:
    if isinstance(value, dict):
        return {str if isinstance(key, str) else type(key) for key in value} | {
            t for v in value.values() for t in scalars(v)
        }
    if isinstance(value, list):
        return {t for item in value for t in scalars(item)}
    return {type(value)}


@pytest.mark.parametrize("query", ["quokka", "x", "x/n.md", "zebra", "quokka wallaby facts", ""])
def test_a_trace_is_json_of_scalars_alone(tree: Tree, query: str) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.summary("x")
    tree.notes(30)
    plain = to_plain(tree.ask(query))
    assert scalars(plain) <= {str, int, float, bool, type(None)}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["schema"] == words.SCHEMA == 2
    assert list(plain)[-1] == "timings"


def test_every_enum_is_of_strings() -> None:
    enums = [value for value in vars(words).values() if isinstance(value, type) and issubclass(value, StrEnum)]
    assert len(enums) >= 5
    assert all(member.value == member.value.lower() for enum in enums if enum is not StrEnum for member in enum)
