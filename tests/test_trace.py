"""Trace classes, plain data, and data derived from immutable objects."""

from __future__ import annotations

import dataclasses
import json
import threading
from enum import StrEnum
from typing import Any

import pytest

from brvtui import trace as words
from brvtui.derived import Derived, Key
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
def test_score_equals_the_sum_of_its_parts_within_1e_9(
    score: float, values: tuple[float, ...], gap: float, fits: bool
) -> None:
    result = hit(score, *values)
    assert parts_gap(result) == pytest.approx(gap, abs=1e-15)
    assert adds_up(result) == fits


def test_trace_values_convert_to_plain_data() -> None:
    assert to_plain({"a": (State.HIT, [Kind.SUMMARY]), 3: Part("p", 0.5)}) == {
        "a": ["hit", ["summary"]],
        "3": {"name": "p", "value": 0.5, "amount": None, "factor": None, "note": ""},
    }
    assert type(to_plain(State.HIT)) is str


def test_trace_classes_are_frozen() -> None:
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
def test_trace_converts_to_json_scalars(tree: Tree, query: str) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.summary("x")
    tree.notes(30)
    plain = to_plain(tree.ask(query))
    assert scalars(plain) <= {str, int, float, bool, type(None)}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["schema"] == words.SCHEMA == 2
    assert list(plain)[-1] == "timings"


def test_every_enum_has_lower_case_string_values() -> None:
    enums = [value for value in vars(words).values() if isinstance(value, type) and issubclass(value, StrEnum)]
    assert len(enums) >= 5
    assert all(member.value == member.value.lower() for enum in enums if enum is not StrEnum for member in enum)


COUNT: Key[int] = Key("count")


def test_derived_entry_is_computed_once() -> None:
    derived, result = Derived(), []

    def gather() -> int:
        result.append(1)
        return len(result)

    assert derived.known(COUNT) is None
    assert [derived.of(COUNT, gather), derived.of(COUNT, gather), derived.known(COUNT)] == [1, 1, 1]
    assert derived.known(Key("count")) is None
    derived.put(COUNT, 7)
    assert derived.of(COUNT, gather) == 7


def test_first_of_two_concurrently_derived_values_is_used() -> None:
    derived, together, found = Derived(), threading.Barrier(2), []
    lists: Key[list[int]] = Key("list")

    def gather() -> list[int]:
        together.wait(30)
        return []

    threads = [threading.Thread(target=lambda: found.append(derived.of(lists, gather))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]


def test_failed_derived_entry_is_computed_again() -> None:
    derived = Derived()
    with pytest.raises(OSError, match="gone"):
        derived.of(COUNT, lambda: (_ for _ in ()).throw(OSError("gone")))
    assert derived.of(COUNT, lambda: 3) == 3
