"""What every test shares: data folders of its own, small trees, hypothesis without a clock or a database."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.trees import Tree

settings.register_profile(
    "brv-tui",
    database=None,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("brv-tui")


@pytest.fixture(autouse=True)
def own_data_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither the engine's data nor the tool's own, nor any setting, is ever the user's."""
    folder = tmp_path_factory.mktemp("data")
    for name in [name for name in os.environ if name.startswith("BRV_TUI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BRV_DATA_DIR", str(folder / "engine"))
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(folder / "tool"))
    return folder


@pytest.fixture
def make_tree(tmp_path: Path) -> Callable[[str], Tree]:
    """Makes projects in the test's temporary folder."""
    return lambda name: Tree(tmp_path / name)


@pytest.fixture
def tree(make_tree: Callable[[str], Tree]) -> Tree:
    """An empty project."""
    return make_tree("project")
