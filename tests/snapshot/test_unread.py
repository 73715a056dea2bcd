"""Files of a tree that are not read, as a snapshot and an answer without results name them."""

from __future__ import annotations

import pytest

from brvtui.engines import registry
from brvtui.engines.contract import Context, Query
from brvtui.loading.incremental import update
from tests.support.trees import BRV3, NOW_MS, Tree

HTML = "2 HTML topics are here, which only ByteRover V4 reads: in a tree without Markdown, open them with --engine byt"


@pytest.fixture
def odd(tree: Tree) -> Tree:
    tree.note("a/b/c.md", "Title", "text")
    for name, data in {
        "a/one.html": b"<bv-topic>", "a/two.HTML": b"", "a/x.mdx": b"x", "a/.n.md.icloud": b"", "a/bad.md": b"\xff\xfe",
    }.items():  # fmt: skip
        (tree.tree / name).write_bytes(data)
    (tree.tree / "linked.md").symlink_to("/etc/hosts")
    return tree


def test_each_is_named(odd: Tree) -> None:
    html, others = odd.snapshot().unread
    assert html == f"{HTML}erover_v4 --root {odd.tree}"
    assert others.startswith("not read: ")
    assert others.endswith(", and 1 more")
    reasons = {file.path: file.reason for file in odd.snapshot().unseen}
    assert reasons["a/x.mdx"] == "the ending must be .md in lower case"
    assert "placeholder of iCloud" in reasons["a/.n.md.icloud"]
    assert "not UTF-8" in reasons["a/bad.md"]
    assert "symlink" in reasons["linked.md"]


@pytest.mark.parametrize("engine", ["byterover", "jeffs_brain", "soleri", "knowing"])
def test_only_an_answer_without_results_names_them(odd: Tree, engine: str) -> None:
    loaded = registry.load(engine)
    context = Context(odd.snapshot(), loaded.constants(), NOW_MS)
    assert HTML in str(loaded.answer(context, Query("zyzzyva")).notices)
    assert HTML not in str(loaded.answer(context, Query("text")).notices)


def test_a_tree_of_topics_alone_can_be_opened(tree: Tree) -> None:
    (tree.tree / "one.html").write_bytes(b"<bv-topic>")
    assert f"reads: open them with --engine byterover_v4 --root {tree.tree}" in str(tree.snapshot().unread)


def test_other_files_are_not_named(tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    for name in ("_manifest.json", "a/picture.png", "a/.gitkeep", "a/_index.md", "a/b/c.abstract.md"):
        (tree.tree / name).write_bytes(b"{}")
    assert tree.snapshot().unread == ()


def test_a_new_one_is_noticed(tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    before = tree.snapshot()
    (tree.tree / "a/new.html").write_bytes(b"")
    assert update(before, ["a/new.html"], BRV3, NOW_MS, tree.layers()) is None
