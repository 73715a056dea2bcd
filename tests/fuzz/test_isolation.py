"""Limits of a fuzzed process: violations are detected, and the next input gets a new process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.isolation import Isolated
from tests.fuzz.reducing import reduced

_DEVOURING = "MemoryError in"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Isolated]:
    result = Isolated("misbehaving", tmp_path_factory.mktemp("fuzz"))
    assert result.start() == [b"fine"]
    yield result
    result.stop()


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"raise", "FileNotFoundError in"),
        (b"wrong", "Wrong in misbehaving.py:run this should not be"),
        (b"hold", "memory"),
        (b"devour", _DEVOURING),
        (b"die", "the process ended with -11"),
        pytest.param(b"loop", "slow", marks=pytest.mark.long),
    ],
)
def test_failing_inputs_are_detected(process: Isolated, data: bytes, problem: str) -> None:
    assert process.run(data).problem.startswith(problem)
    assert process.run(b"fine").problem == ""


def test_failing_input_is_reduced(process: Isolated) -> None:
    assert reduced(b" " * 40 + b"raise" + b"\n" * 9, lambda data: bool(process.run(data).problem)) == b"raise"
