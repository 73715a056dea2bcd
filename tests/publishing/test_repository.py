"""Updates of an open repository, file by file."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from brvtui.corpus.code import reading
from brvtui.engines.byterover import profile
from brvtui.publishing import repository
from brvtui.publishing.repository import RepositoryPublisher, find_repository
from brvtui.tree.reading.project import ProjectError
from tests.corpus.code.making import write

CONSTANTS = profile.load()


FILES = {"a.py": "def a(): pass\n", "b.py": "from a import a\ndef b(): a()\n", "c.py": "def c(): pass\n"}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path / "repo", FILES)


def names(publisher: RepositoryPublisher) -> set[str]:
    return set(publisher.newest.by_path)


def test_only_changed_files_are_relinked(root: Path) -> None:
    publisher = RepositoryPublisher(find_repository(root))
    assert publisher.newest is None
    assert publisher.load(CONSTANTS, 1.0)
    first = publisher.newest
    assert names(publisher) == {"a.py/a", "b.py/b", "c.py/c"}
    assert not publisher.refresh(CONSTANTS, 2.0)
    assert publisher.newest is first
    write(root, {"c.py": "def c(): pass\ndef later(): c()\n"})
    assert publisher.refresh(CONSTANTS, 3.0)
    assert names(publisher) == {"a.py/a", "b.py/b", "c.py/c", "c.py/later"}
    assert publisher._index.memory.relinked == ("c.py",)
    assert publisher.of_generation(first.generation) is first
    (root / "a.py").unlink()
    assert publisher.refresh(CONSTANTS, 4.0)
    assert names(publisher) == {"b.py/b", "c.py/c", "c.py/later"}
    with pytest.raises(KeyError):
        publisher.of_generation(99)


def test_next_process_reuses_the_stored_index(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = RepositoryPublisher(find_repository(root))
    publisher.load(CONSTANTS, 1.0)
    assert publisher.keep(CONSTANTS)
    assert not publisher.keep(CONSTANTS), "nothing is new"
    again = RepositoryPublisher(find_repository(root))
    read: list[int] = []
    again.load(CONSTANTS, 1.0, lambda done, _: read.append(done))
    assert names(again) == names(publisher)
    assert read == [], "no file was read anew"
    assert not again.keep(CONSTANTS)


def test_changes_in_a_watched_repository_are_noticed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(repository, "_SHARE", 1)
    publisher = RepositoryPublisher(find_repository(root))
    publisher.load(CONSTANTS, 1.0)
    noticed = threading.Event()
    assert publisher.watch(noticed.set, lambda _: None).poll_seconds == 0
    try:
        write(root, {".git/index": "x", "notes.txt": "x"})
        assert not noticed.wait(0.3), "no source file changed"
        write(root, {"new/d.py": "def d(): pass\n"})
        assert noticed.wait(10)
    finally:
        publisher.close()
    assert publisher.refresh(CONSTANTS, 2.0)
    assert "new/d.py/d" in names(publisher)


def test_repository_is_never_written(root: Path) -> None:
    before = sorted(root.rglob("*"))
    publisher = RepositoryPublisher(find_repository(root))
    publisher.load(CONSTANTS, 1.0)
    publisher.keep(CONSTANTS)
    publisher.close()
    assert sorted(root.rglob("*")) == before


def test_unreadable_repository_is_reported_in_one_line(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in (root / "a.py", root / "none"):
        with pytest.raises(ProjectError, match="no such folder; choose one with --repo"):
            find_repository(wrong)
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
    # without its cache of loaded grammars
    monkeypatch.setattr("brvtui.corpus.code.reader_process.grammar", reading.grammar.__wrapped__)
    with pytest.raises(ProjectError, match="install the grammars"):
        RepositoryPublisher(find_repository(root)).load(CONSTANTS, 1.0)
