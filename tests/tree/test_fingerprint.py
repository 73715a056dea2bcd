from __future__ import annotations

import hashlib
import os

from brvtui.tree.reading.fingerprint import EMPTY, fingerprint
from tests.support.trees import NOW_MS, Tree


def digest(*lines: str) -> str:
    return hashlib.md5("|".join(lines).encode(), usedforsecurity=False).hexdigest()[:16]


def test_it_is_an_md5_of_paths_and_times_in_locale_order() -> None:
    files = [("/t/b.md", 2), ("/t/A.md", 1), ("/t/a_b/x.md", 3), ("/t/a/x.md", 4)]
    assert fingerprint(files) == digest("/t/a_b/x.md:3", "/t/A.md:1", "/t/a/x.md:4", "/t/b.md:2")


def test_nothing_is_empty() -> None:
    assert fingerprint([]) == EMPTY == "empty"


def test_what_it_covers(tree: Tree) -> None:
    for path in ("a/n.md", "a/context.md", "_archived/a/o.stub.md", "a/orphan.abstract.md"):
        tree.file(path, "x")
    tree.file("a/binary.md", b"\0")
    for path in (
        "a/_index.md",
        "a/n.overview.md",
        "_archived/a/o.full.md",
        "_manifest.json",
        "a/.dot.md",
        ".d/n.md",
        "a/t.txt",
    ):
        tree.file(path, "x")
    covered = ["_archived/a/o.stub.md", "a/binary.md", "a/context.md", "a/n.md", "a/orphan.abstract.md"]
    assert tree.snapshot().fingerprint == digest(*(f"{tree.tree / path}:{NOW_MS}" for path in covered))


def test_times_are_whole_milliseconds_rounded(tree: Tree) -> None:
    place = tree.file("a/n.md", "x")
    os.utime(place, ns=(0, NOW_MS * 1_000_000 + 500_000))
    assert tree.snapshot().fingerprint == digest(f"{place}:{NOW_MS + 1}")


def test_paths_are_real(tree: Tree) -> None:
    tree.file("a/n.md", "x")
    link = tree.root.parent / "link"
    link.symlink_to(tree.root)
    other = Tree.__new__(Tree)
    other.root, other.tree, other.signals = link, link / ".brv" / "context-tree", {}
    assert other.snapshot().fingerprint == tree.snapshot().fingerprint


def test_touched_times_stand_in(tree: Tree) -> None:
    place = tree.file("a/n.md", "x")
    snapshot = tree.snapshot()
    assert snapshot.fingerprint_with({}) == snapshot.fingerprint
    assert snapshot.fingerprint_with({"a/n.md": 7}) == digest(f"{place}:7")
    assert snapshot.fingerprint_with({"unknown.md": 7}) == snapshot.fingerprint


def test_shared_sources_are_covered(tree: Tree) -> None:
    other = Tree(tree.root.parent / "other")
    mine, theirs = tree.file("a/n.md", "x"), other.file("pay/c.md", "y", days=1)
    tree.source(("lib", other))
    before = tree.snapshot().fingerprint
    lines = sorted((f"{mine}:{NOW_MS}", f"{theirs}:{NOW_MS - 86_400_000}"))
    assert before == digest(*sorted(lines, key=lambda line: "other" not in line))
    other.age("pay/c.md", 2)
    assert tree.snapshot().fingerprint != before
