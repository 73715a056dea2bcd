"""The attack scripts, run as tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks import (
    concurrent_saves,
    files,
    folders,
    globs,
    index,
    links,
    notes,
    own_files,
    planted,
    projects,
    repositories,
    served,
    services,
    topics,
    traces,
    transcripts,
    words,
)
from tests.attacks.harness import Attack, Probe, got_through

ATTACKS = (
    *files.ATTACKS,
    *notes.ATTACKS,
    *index.ATTACKS,
    *links.ATTACKS,
    *projects.ATTACKS,
    *services.ATTACKS,
    *served.ATTACKS,
    *concurrent_saves.ATTACKS,
    *own_files.ATTACKS,
    *planted.ATTACKS,
    *repositories.ATTACKS,
    *topics.ATTACKS,
    *traces.ATTACKS,
    *transcripts.ATTACKS,
    *folders.ATTACKS,
    *globs.ATTACKS,
    *words.ATTACKS,
)


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_every_attack_fails(attack: Attack | Probe, tmp_path: Path) -> None:
    assert got_through(attack, tmp_path) == ""
