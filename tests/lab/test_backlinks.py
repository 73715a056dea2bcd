"""Which notes link to which, over a snapshot; a note is read again only when it changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brvtui.lab.backlinks import LinkIndex, LinkReader
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.links import LinkState
from tests.support.trees import Tree


@pytest.fixture
def yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", "---\nrelated: [yard/gates/south.md, yard/gone/x.md]\n---\n# North\n")
    tree.file("yard/gates/south.md", "# South\n\n[north](north.md) and @yard/gates/north.md\n")
    tree.file("yard/gates/context.md", "# Gates\n\n[out](../../../../etc/passwd) ![plan](plan.png) [all](.)\n")
    tree.file("yard/_index.md", "---\ntype: summary\ncondensation_order: 1\n---\n[north](gates/north.md)\n")
    return tree


def index_of(tree: Tree, reader: LinkReader | None = None) -> LinkIndex:
    made = (reader or LinkReader()).index(tree.snapshot())
    assert made is not None
    return made


def test_links_of_a_note(yard: Tree) -> None:
    index = index_of(yard)
    assert [(found.state, found.path) for found in index.links_of("yard/gates/north.md")] == [
        (LinkState.NOTE, "yard/gates/south.md"),
        (LinkState.BROKEN, ""),
    ]
    assert [(found.state, found.path) for found in index.links_of("yard/gates/context.md")] == [
        (LinkState.REFUSED, ""),
        (LinkState.FOREIGN, "yard/gates/plan.png"),
        (LinkState.FOLDER, "yard/gates"),
    ]
    assert index.links_of("nowhere.md") == ()


def test_backlinks_of_a_note_and_of_a_folder(yard: Tree) -> None:
    index = index_of(yard)
    found = index.backlinks("yard/gates/north.md")
    assert [(link.source, link.found.link.kind.value) for link in found] == [
        ("yard/gates/south.md", "link"),
        ("yard/gates/south.md", "relation"),
    ]
    assert [link.source for link in index.backlinks("yard/gates")] == ["yard/gates/context.md"]
    assert index.backlinks("yard/gone/x.md") == ()


def test_links_of_shared_sources_stay_in_their_own_tree(yard: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.file("yard/gates/north.md", "# Other north\n\n@yard/gates/east.md\n")
    other.file("yard/gates/east.md", "# East\n")
    yard.source(("lib", other))
    index = index_of(yard)
    assert [found.path for found in index.links_of("[lib]:yard/gates/east.md")] == []
    assert [found.source for found in index.backlinks("[lib]:yard/gates/east.md")] == ["[lib]:yard/gates/north.md"]
    assert [found.source for found in index.backlinks("yard/gates/north.md")] == ["yard/gates/south.md"] * 2


def test_a_note_is_read_again_only_when_it_changed(yard: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = Snapshot.read

    def reading(self: Snapshot, path: str) -> bytes:
        read.append(path.rpartition("/")[2])
        return original(self, path)

    monkeypatch.setattr(Snapshot, "read", reading)
    reader = LinkReader()
    before = yard.snapshot()
    first = reader.index(before)
    assert sorted(read) == ["context.md", "north.md", "south.md"]
    assert reader.index(before) is first
    yard.file("yard/gates/south.md", "# South\n", days=1)
    again = reader.index(yard.snapshot(previous=before))
    assert read[3:] == ["south.md"]
    assert again.backlinks("yard/gates/north.md") == ()


def test_reading_can_be_cancelled(yard: Tree) -> None:
    assert LinkReader().index(yard.snapshot(), lambda: True) is None


def test_a_note_that_is_gone_meanwhile_has_no_links(yard: Tree) -> None:
    snapshot = yard.snapshot()
    (yard.tree / "yard/gates/south.md").unlink()
    made = LinkReader().index(snapshot)
    assert made.backlinks("yard/gates/north.md") == ()
