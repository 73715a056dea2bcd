"""Reading untrusted TOML text."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Literal

import pytest

from brvtui.typed_tables import ProfileError, Range, parse_tables, typed

_MANY = 200_000


_REASONS = re.compile("parts|xpected|nvalid|Unclosed|nested|decode|Unterminated")


@pytest.mark.parametrize(
    ("part", "why"),
    [(b"a", "more than 64 parts"), (b'"b"', "more than 64 parts"), (b"'c' ", "more than 64 parts")],
)
@pytest.mark.parametrize("form", [b"%s = 1", b"[%s]", b"x = {%s = 1}"])
def test_key_with_many_parts_is_refused_quickly(part: bytes, why: str, form: bytes) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=why):
        parse_tables(form % b".".join([part] * _MANY))
    assert time.process_time() - began < 2


@pytest.mark.parametrize("data", [b"a" * 1_000_000, b'"' * 1_000_000, b"a." * 63, b"'" * 999_999, b'a"b.' * 200_000])
def test_hostile_toml_is_refused_quickly(data: bytes) -> None:
    began = time.process_time()
    with pytest.raises(ValueError, match=_REASONS):
        parse_tables(data)
    assert time.process_time() - began < 2


def test_keys_and_numbers_with_dots_are_read() -> None:
    dotted = ".".join(["a"] * 60)
    numbers = ", ".join(["0.5"] * 500)
    sentence = "One. Two. " * 20
    tables = parse_tables(f'{dotted} = 1\nnumbers = [{numbers}]\ntext = "{sentence}"\n'.encode())
    assert len(tables["numbers"]) == 500
    assert tables["text"] == sentence


def test_reason_for_invalid_toml_is_short() -> None:
    with pytest.raises(ValueError, match="…") as refused:
        parse_tables(f"[{'k' * 9_000}]\n[{'k' * 9_000}]".encode())
    assert len(str(refused.value)) <= 120


@pytest.mark.parametrize("data", [b"a = " + b"[" * 5_000, b"\xff = 1", b"a ="])
def test_invalid_toml_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=_REASONS):
        parse_tables(data)


@pytest.mark.parametrize("number", [10**400, 10**300, 1.1e15, -(10**400), -1.1e15, 9e-16, 5e-324, float("nan")])
def test_extreme_numbers_are_out_of_range(number: float) -> None:
    assert number not in Range(least=float("-inf"))


@pytest.mark.parametrize("number", [0, 1e-15, 10**15, -1e15, -1e-15])
def test_numbers_within_15_powers_of_ten_are_in_range(number: float) -> None:
    assert number in Range(least=float("-inf"))


@dataclass(frozen=True)
class Rules:
    days: float
    curve: Literal["straight", "bent"] = "straight"


def test_field_with_a_default_is_optional() -> None:
    assert typed(Rules, {"days": 3}, "", "test") == Rules(3.0)
    assert typed(Rules, {"days": 3, "curve": "bent"}, "", "test") == Rules(3.0, "bent")
    with pytest.raises(ProfileError, match="test: days is missing"):
        typed(Rules, {"curve": "bent"}, "", "test")
    with pytest.raises(ProfileError, match="curve must be one of straight, bent"):
        typed(Rules, {"days": 3, "curve": "round"}, "", "test")
