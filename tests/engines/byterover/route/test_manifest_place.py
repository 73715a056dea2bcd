"""Where a note stands in the manifest, or why it does not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from brvtui.engines.byterover.route.manifest import ManifestPlace, manifest_of, manifest_place, source_fingerprint
from tests.support.trees import BRV3, Tree

HUNDRED = "x" * 399 + "\n"


def place(tree: Tree, path: str) -> ManifestPlace:
    return manifest_place(tree.snapshot(), BRV3.manifest, path)


@pytest.fixture
def lanes(tree: Tree) -> Tree:
    tree.file("a/1.md", HUNDRED * 30)
    tree.file("a/2.md", HUNDRED * 20)
    tree.file("a/3.md", HUNDRED * 9)
    tree.file("a/3.abstract.md", HUNDRED)
    tree.file("a/3.overview.md", HUNDRED)
    tree.file("a/context.md", HUNDRED)
    tree.summary("a", tokens=7)
    tree.file("_archived/a/9.stub.md", HUNDRED)
    tree.file("_archived/a/9.full.md", HUNDRED)
    tree.file("_archived/a/note.md", HUNDRED)
    return tree


def test_a_note_in_its_lane(lanes: Tree) -> None:
    found = place(lanes, "a/1.md")
    assert (found.lane, found.position, found.entries, found.tokens, found.before) == ("contexts", 1, 3, 3000, 0)
    assert (found.budget, found.text_path, found.left_out) == (4000, "a/1.md", "")
    assert found.source.startswith("computed in memory")
    assert place(lanes, "a/context.md").before == 3100


def test_an_abstract_stands_where_its_note_does(lanes: Tree) -> None:
    found = place(lanes, "a/3.md")
    assert (found.position, found.tokens, found.before, found.text_path) == (2, 100, 3000, "a/3.abstract.md")
    assert place(lanes, "a/3.abstract.md") == found


def test_summaries_and_stubs(lanes: Tree) -> None:
    assert (place(lanes, "a/_index.md").lane, place(lanes, "a/_index.md").tokens) == ("summaries", 7)
    assert (place(lanes, "_archived/a/9.stub.md").lane, place(lanes, "_archived/a/9.stub.md").budget) == ("stubs", 500)


def test_why_a_note_is_left_out(lanes: Tree) -> None:
    found = place(lanes, "a/2.md")
    assert (found.position, found.tokens, found.before) == (None, 2000, 3000)
    assert found.left_out == "its 2000 tokens do not fit into the 1000 that are left"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a/3.overview.md", "overviews are never in it"),
        ("_archived/a/9.full.md", "of what is in _archived, only stubs are in it"),
        ("_archived/a/note.md", "of what is in _archived, only stubs are in it"),
        ("a/gone.abstract.md", "its note is gone"),
    ],
)
def test_what_is_never_in_it(lanes: Tree, path: str, said: str) -> None:
    lanes.file("a/gone.abstract.md", HUNDRED)
    found = place(lanes, path)
    assert (found.lane, found.position, found.left_out) == ("", None, said)


def test_shared_sources_and_unreadable_notes(lanes: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.note("b/n.md", "N")
    lanes.source(("lib", other))
    lanes.file("a/bad.md", b"\0")
    assert place(lanes, "[lib]:b/n.md").left_out == "notes of shared sources are never in it"
    assert place(lanes, "a/bad.md").left_out.startswith("the engine cannot read it: a NUL byte")
    with pytest.raises(KeyError):
        place(lanes, "nowhere.md")


def test_a_manifest_on_disk_lists_what_it_lists(lanes: Tree) -> None:
    snapshot = lanes.snapshot()
    entries = [{"path": "a/2.md", "type": "context", "tokens": 2000}]
    value = {"version": 1, "source_fingerprint": source_fingerprint(snapshot), "active_context": entries}
    (lanes.tree / "_manifest.json").write_text(json.dumps(value))
    assert manifest_of(snapshot, BRV3.manifest).left_out("a/1.md") is None
    assert place(lanes, "a/2.md").position == 1
    assert place(lanes, "a/1.md").left_out == "_manifest.json does not list it"
