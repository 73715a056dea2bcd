"""Digests of answers: `python -m tests.frozen.answers compare HEAD` lists each changed field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.frozen.answers import DIGESTS, answers, differences, digest

FROZEN: dict[str, str] = json.loads(DIGESTS.read_text(encoding="utf-8"))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", [24, pytest.param(1, marks=pytest.mark.long)])
def test_answers_match_the_frozen_digests(tmp_path: Path, part: int) -> None:
    digests = {name: digest(answer) for name, answer in answers(tmp_path, part)}
    assert len(digests) > 80
    assert [name for name, value in digests.items() if FROZEN.get(name) != value] == []
    assert part > 1 or digests.keys() == FROZEN.keys()


def test_difference_lists_every_changed_field() -> None:
    old, new = {"hits": [{"score": 0.5, "path": "a"}]}, {"hits": [{"score": 0.6, "path": "a"}], "tier": 2}
    assert list(differences(old, new)) == ["  hits[0].score: 0.5 -> 0.6", "  tier: null -> 2"]
    assert digest(old) != digest(new)
