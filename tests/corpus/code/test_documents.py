"""Notes that name files and symbols are joined with them."""

from __future__ import annotations

import time

import pytest

from brvtui.corpus.code.documents import CodeNames, Documentation, Naming, SpeakingNote
from brvtui.corpus.code.records import CodeGraph
from tests.corpus.code.making import graph_of

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
def test_a_file_is_named_by_its_path_or_the_end_of_it(names: CodeNames, written: str, path: str) -> None:
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
def test_a_symbol_is_named_when_it_is_the_only_one(names: CodeNames, written: str, id_: str) -> None:
    assert names.symbol(written) == id_


def test_a_note_names_code_by_paths_and_by_names(names: CodeNames) -> None:
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


def test_notes_are_found_from_code_and_code_without_notes(graph: CodeGraph) -> None:
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


def test_text_that_looks_like_anything_is_no_name(names: CodeNames) -> None:
    text = "``` \n`a` [[x]] `" + "x" * 500 + "` " + "a/" * 5_000 + " " + "`" * 2_000 + " \x1b[31m `Store\n`"
    assert names.mentions(SpeakingNote("n.md", text)) == []


LONG = ["x" * 200_000, "a." * 100_000, "a/" * 100_000, "`a" * 100_000, "```\n" * 50_001, "a_b " * 50_000]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_long_texts_take_no_time(names: CodeNames, text: str) -> None:
    started = time.process_time()
    names.mentions(SpeakingNote("n.md", text))
    assert time.process_time() - started < 2
