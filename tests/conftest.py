"""Fixtures for every test: separate data folders, small trees, and hypothesis without a deadline or database."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import HealthCheck, settings

from tests.support.examples import FULL, SHORT
from tests.support.trees import Tree

for _profile, _examples in (("short", SHORT), ("full", FULL)):
    settings.register_profile(
        _profile,
        max_examples=_examples,
        database=None,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile("short")  # make test-all passes --hypothesis-profile full


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out attacks in the fast lane, because every process would create megabytes of input for them."""
    return True if config.option.markexpr == "not long" and collection_path.name == "attacks" else None


def pytest_collection_finish() -> None:
    """Runs the garbage collector rarely: with Python's default thresholds, it takes a third of the tests' CPU time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


_numbers = itertools.count()


@pytest.fixture(autouse=True)
def own_data_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Gives each test its own data folders and settings instead of the user's."""
    folder = tmp_path_factory.getbasetemp() / "data" / str(next(_numbers))  # mktemp() would list all existing folders
    folder.mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith("BRV_TUI_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BRV_DATA_DIR", str(folder / "engine"))
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(folder / "tool"))
    yield folder
    rmtree(folder, ignore_errors=True)


@pytest.fixture
def make_tree(tmp_path: Path) -> Callable[[str], Tree]:
    """Makes projects in the test's temporary folder."""
    return lambda name: Tree(tmp_path / name)


@pytest.fixture
def tree(make_tree: Callable[[str], Tree]) -> Tree:
    """An empty project."""
    return make_tree("project")
