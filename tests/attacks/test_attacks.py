"""What the scripts of attacks try, as tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks import files, index, notes
from tests.attacks.harness import Attack, got_through


@pytest.mark.long
@pytest.mark.parametrize("attack", [*files.ATTACKS, *notes.ATTACKS, *index.ATTACKS], ids=lambda attack: attack.name)
def test_nothing_gets_through(attack: Attack, tmp_path: Path) -> None:
    assert got_through(attack, tmp_path) == ""
