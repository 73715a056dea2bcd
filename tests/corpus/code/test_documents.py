"""Symbols as documents, and notes that mention symbols."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from brvtui.corpus.code.documents import CodeNames, Documentation, Naming, SpeakingNote
from brvtui.corpus.code.index import build_index
from brvtui.corpus.code.records import CodeGraph
from brvtui.corpus.code.snapshot import RepositorySnapshot, repository_snapshot
from brvtui.engines.byterover import profile
from brvtui.publishing.repository import find_repository
from tests.corpus.code.making import graph_of, read_here, write

FILES = {
    "src/shop/store.py": "class Store:\n  def read(self): pass\n  def write_all(self): pass\ndef open_store(): pass\n",
    "src/shop/web.py": "class Server:\n    def read(self): pass\ndef serve(): pass\n",
    "src/shop/util.py": "def helper_of_all(): pass\n",
    "src/other/util.py": "def other(): pass\n",
    "tests/test_store.py": "class Store: pass\ndef open_store(): pass\n",
    "pkg/disk.go": "package disk\ntype Disk struct{}\nfunc (d *Disk) Sync() {}\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> CodeGraph:
    return graph_of(tmp_path_factory.mktemp("shop"), FILES)


@pytest.fixture(scope="module")
def names(graph: CodeGraph) -> CodeNames:
    return CodeNames(graph)


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("src/shop/store.py", "src/shop/store.py"),
        ("./shop/store.py:12", "src/shop/store.py"),
        ("store.py#L3-L9", "src/shop/store.py"),
        ("repository/src/shop/store.py", "src/shop/store.py"),
        ("util.py", ""),
        ("other/util.py", "src/other/util.py"),
        ("re.py", ""),
        ("gone.py", ""),
    ],
)
def test_file_is_named_by_its_path_or_a_unique_suffix(names: CodeNames, written: str, path: str) -> None:
    assert names.file(written) == path


@pytest.mark.parametrize(
    ("written", "id_"),
    [
        ("open_store()", "src/shop/store.py.open_store"),
        ("Store", "src/shop/store.py.Store"),
        ("Store.read", "src/shop/store.py.Store.read"),
        ("Store#read", "src/shop/store.py.Store.read"),
        ("shop.store.Store.read(key)", "src/shop/store.py.Store.read"),
        ("Disk::Sync", "pkg.Disk.Sync"),
        ("read", ""),
        ("Shop.read", ""),
        ("tore.read", ""),
        ("a b", ""),
    ],
)
def test_symbol_is_named_only_if_it_is_unique(names: CodeNames, written: str, id_: str) -> None:
    assert names.symbol(written) == id_


def test_note_mentions_code_by_path_or_symbol_name(names: CodeNames) -> None:
    text = """
`Server.read` answers; see src/shop/web.py, shop/store.py:3 and `util.py`.
It calls write_all at the end, and read, and Store too.

```python
helper_of_all()
```
"""
    found = names.mentions(SpeakingNote("a/b.md", text))
    assert [(one.target, one.written, one.how) for one in found] == [
        ("src/shop/web.py", "src/shop/web.py", Naming.PATH),
        ("src/shop/store.py", "shop/store.py", Naming.PATH),
        ("src/shop/web.py.Server.read", "Server.read", Naming.NAME),
        ("src/shop/store.py.Store.write_all", "write_all", Naming.NAME),
    ]
    assert {one.note for one in found} == {"a/b.md"}


def test_notes_about_code_and_code_without_notes_are_found(graph: CodeGraph) -> None:
    notes = [
        SpeakingNote("one.md", "The `Store` keeps."),
        SpeakingNote("two.md", "src/shop/store.py and shop/util.py"),
    ]
    documentation = Documentation(graph, notes)
    assert [(edge.source, edge.type, edge.target) for edge in documentation.edges()] == [
        ("note://one.md", "documents", "src/shop/store.py.Store"),
        ("note://two.md", "documents", "src/shop/store.py.Store"),
        ("note://two.md", "documents", "src/shop/store.py.open_store"),
        ("note://two.md", "documents", "src/shop/util.py.helper_of_all"),
    ]
    assert [one.note for one in documentation.notes_about("src/shop/store.py.Store.read")] == ["one.md", "two.md"]
    assert [one.note for one in documentation.notes_about("src/shop/store.py.open_store")] == ["two.md"]
    assert {one.note for one in documentation.notes_about("src/shop/store.py")} == {"one.md", "two.md"}
    assert documentation.notes_about("src/shop/web.py.serve") == []
    assert documentation.files_without_note == ["pkg/disk.go", "src/other/util.py", "src/shop/web.py"]


def test_no_symbol_mentions_are_found_in_hostile_text(names: CodeNames) -> None:
    text = "``` \n`a` [[x]] `" + "x" * 500 + "` " + "a/" * 5_000 + " " + "`" * 2_000 + " \x1b[31m `Store\n`"
    assert names.mentions(SpeakingNote("n.md", text)) == []


LONG = ["x" * 200_000, "a." * 100_000, "a/" * 100_000, "`a" * 100_000, "```\n" * 50_001, "a_b " * 50_000]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_long_texts_are_searched_quickly(names: CodeNames, text: str) -> None:
    started = time.process_time()
    names.mentions(SpeakingNote("n.md", text))
    assert time.process_time() - started < 2


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


PAGES = {"src/shop.py": SHOP, "pkg/disk.go": "package disk\n\ntype Disk struct{}\n\nfunc (d *Disk) Sync() {}\n"}


def snapshot_of(root: Path, before: RepositorySnapshot | None = None) -> RepositorySnapshot:
    index = build_index(root, read=read_here)
    return repository_snapshot(find_repository(root), index, profile.load(), 0.0, before)


@pytest.fixture
def held(tmp_path: Path) -> RepositorySnapshot:
    return snapshot_of(write(tmp_path / "repo", PAGES))


def test_every_symbol_is_a_document_below_its_file(held: RepositorySnapshot) -> None:
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


def test_symbol_text_ends_before_the_next_outer_symbol(held: RepositorySnapshot) -> None:
    assert held.text("src/shop.py/Store.read") == '    def read(self):\n        return os.environ["HOME"]\n'
    assert held.text("src/shop.py/Store").startswith("class Store:\n")
    assert held.text("src/shop.py/Store").endswith("return inner()\n")
    assert held.text("src/shop.py/Store.size").startswith("    @property\n    def size")
    assert held.text("src/shop.py/show") == '@cached\n@app.get("/a/b")\ndef show(): pass\n'
    assert held.text("pkg/disk.go/Disk") == "type Disk struct{}\n\nfunc (d *Disk) Sync() {}\n", "with its methods"
    assert held.text("src/shop.py/env var HOME") == "env var HOME, first used in src/shop.py\n"
    assert held.read("pkg/disk.go/Disk.Sync") == b"func (d *Disk) Sync() {}\n"


def test_removed_or_replaced_file_is_not_read(held: RepositorySnapshot, tmp_path: Path) -> None:
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


def test_unchanged_files_keep_their_index_entries(held: RepositorySnapshot) -> None:
    root = held.project.tree
    write(root, {"src/shop.py": SHOP + "\ndef more(): pass\n"})
    later = snapshot_of(root, held)
    assert snapshot_of(root).fingerprint == later.fingerprint != held.fingerprint
    assert later.generation == held.generation + 1
    assert later.parsed["pkg/disk.go/Disk"] is held.parsed["pkg/disk.go/Disk"]
    assert later.parsed["src/shop.py/show"] is not held.parsed["src/shop.py/show"]
    assert "src/shop.py/more" in later.by_path


def test_empty_repository_gives_an_empty_snapshot(tmp_path: Path) -> None:
    held = snapshot_of(tmp_path)
    held.warm()
    assert held.notes == ()
    assert held.hierarchy.domains == ()
