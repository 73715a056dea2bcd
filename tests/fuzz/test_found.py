"""Cases found by fuzzing, and each target with a few changed inputs."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.isolation import Isolated
from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
_INPUTS = 4


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long) for name in TARGETS])
def test_each_target_survives_some_mutated_inputs(name: str, tmp_path: Path) -> None:
    process, pick = Isolated(name, tmp_path), random.Random(5)
    try:
        seeds = process.start()
        for _ in range(_INPUTS):
            data = TARGETS[name].mutate(pick, pick.choice(seeds), seeds)
            assert process.run(data).problem == "", data
    finally:
        process.stop()


@pytest.mark.parametrize("name", sorted(folder.name.replace("_", " ") for folder in FOUND.iterdir()))
def test_inputs_that_once_failed_now_pass(name: str, tmp_path: Path) -> None:
    process = Isolated(name, tmp_path)
    try:
        for file in sorted((FOUND / name.replace(" ", "_")).iterdir()):
            outcome = process.run(file.read_bytes())
            assert outcome.problem == "", f"{file.name}: {outcome.report}"
    finally:
        process.stop()
