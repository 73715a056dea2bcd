"""A copy of the sample tree."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from tests.support.recorded import REPOSITORY


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return copytree(REPOSITORY / "sample-tree", tmp_path / "sample")
