"""Symbols as documents: a page for each, below its file, with its lines of source."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.corpus.code.index import build_index
from brvtui.corpus.code.snapshot import RepositorySnapshot, repository_snapshot
from brvtui.engines.byterover import profile
from brvtui.publishing.repository import find_repository
from tests.corpus.code.making import read_here, write

SHOP = '''import os

class Store:
    """Keeps."""

    def read(self):
        return os.environ["HOME"]

    @property
    def size(self):
        def inner():
            return 1
        return inner()


@cached
@app.get("/a/b")
def show(): pass
@app.get("/a_b")
def show_other(): pass
'''
FILES = {"src/shop.py": SHOP, "pkg/disk.go": "package disk\n\ntype Disk struct{}\n\nfunc (d *Disk) Sync() {}\n"}


def snapshot_of(root: Path, before: RepositorySnapshot | None = None) -> RepositorySnapshot:
    index = build_index(root, read=read_here)
    return repository_snapshot(find_repository(root), index, profile.load(), 0.0, before)


@pytest.fixture
def held(tmp_path: Path) -> RepositorySnapshot:
    return snapshot_of(write(tmp_path / "repo", FILES))


def test_every_symbol_has_one_page_below_its_file(held: RepositorySnapshot) -> None:
    titles = {note.path: note.title for note in held.notes}
    assert titles == {
        "pkg/disk.go/Disk": "Disk",
        "pkg/disk.go/Disk.Sync": "Disk.Sync",
        "src/shop.py/env var HOME": "env var HOME",
        "src/shop.py/Store": "Store",
        "src/shop.py/Store.read": "Store.read",
        "src/shop.py/Store.size": "Store.size",
        "src/shop.py/Store.inner": "Store.inner",
        "src/shop.py/show": "show",
        "src/shop.py/GET _a_b": "GET /a/b",
        "src/shop.py/show_other": "show_other",
        "src/shop.py/GET _a_b-2": "GET /a_b",
    }
    assert held.pages.path_of.keys() == {node.id for node in held.pages.graph.nodes}


def test_a_page_holds_the_lines_up_to_the_next_symbol_outside(held: RepositorySnapshot) -> None:
    assert held.text("src/shop.py/Store.read") == '    def read(self):\n        return os.environ["HOME"]\n'
    assert held.text("src/shop.py/Store").startswith("class Store:\n")
    assert held.text("src/shop.py/Store").endswith("return inner()\n")
    assert held.text("src/shop.py/Store.size").startswith("    @property\n    def size")
    assert held.text("src/shop.py/show") == '@cached\n@app.get("/a/b")\ndef show(): pass\n'
    assert held.text("pkg/disk.go/Disk") == "type Disk struct{}\n\nfunc (d *Disk) Sync() {}\n", "with its methods"
    assert held.text("src/shop.py/env var HOME") == "env var HOME, which src/shop.py uses first\n"
    assert held.read("pkg/disk.go/Disk.Sync") == b"func (d *Disk) Sync() {}\n"


def test_what_is_gone_or_replaced_is_not_read(held: RepositorySnapshot, tmp_path: Path) -> None:
    source = held.location("src/shop.py/show")
    secret = tmp_path / "secret"
    secret.write_text("secret\n" * 99)
    source.unlink()
    with pytest.raises(FileNotFoundError):
        held.text("src/shop.py/show")
    source.symlink_to(secret)
    with pytest.raises(OSError, match=r"symlink|symbolic|loop"):
        held.text("src/shop.py/show")
    for path in ("src/shop.py/none", "../secret", "src/shop.py"):
        with pytest.raises(FileNotFoundError):
            held.text(path)
    (tmp_path / "repo/pkg/disk.go").write_text("short\n")
    assert held.text("pkg/disk.go/Disk.Sync") == "\n", "the file has fewer lines than when it was read"


def test_entries_of_unchanged_files_stay_the_same(held: RepositorySnapshot) -> None:
    root = held.project.tree
    write(root, {"src/shop.py": SHOP + "\ndef more(): pass\n"})
    later = snapshot_of(root, held)
    assert snapshot_of(root).fingerprint == later.fingerprint != held.fingerprint
    assert later.generation == held.generation + 1
    assert later.parsed["pkg/disk.go/Disk"] is held.parsed["pkg/disk.go/Disk"]
    assert later.parsed["src/shop.py/show"] is not held.parsed["src/shop.py/show"]
    assert "src/shop.py/more" in later.by_path


def test_an_empty_repository_is_a_snapshot(tmp_path: Path) -> None:
    held = snapshot_of(tmp_path)
    held.warm()
    assert held.notes == ()
    assert held.hierarchy.domains == ()
