"""The facts about one file of the tree: its surroundings, links to it, and similar notes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brvtui.engines.ageing.events import LEAVES_TIER_2
from brvtui.engines.byterover.route.manifest import manifest_place
from brvtui.lab.about import FileState
from brvtui.lab.backlinks import LinkIndex, LinkReader
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.tree.reading.links import LinkState
from tests.support.trees import NOW_MS, Tree


@pytest.fixture
def session(tree: Tree) -> Session:
    tree.note("auth/jwt/store.md", "Token store", "See @auth/jwt/expiry.md and [it](expiry.md).", days=2)
    tree.note("auth/jwt/expiry.md", "Expiry", "@auth/jwt/missing.md", days=90)
    tree.file("auth/jwt/context.md", "# About tokens\n\n@auth/jwt/store.md\n", 5)
    tree.file("auth/jwt/store.abstract.md", "Short.", 1)
    tree.file("auth/broken.md", b"# Broken \xff", 1)
    tree.file("auth/binary.md", b"a\0b", 1)
    tree.file("auth/front.md", "---\ntitle: [unclosed\n---\n# Front\n", 1)
    tree.summary("auth")
    return tree.session()


def test_page_shows_text_signals_and_state_of_a_note(session: Session) -> None:
    page = session.about("auth/jwt/store.md")
    assert (page.path, page.title, page.alias) == ("auth/jwt/store.md", "Token store", "")
    assert page.text.startswith("# Token store")
    assert page.state is FileState.CURRENT
    assert not page.problem
    assert not page.unseen
    assert page.generation == session.snapshot.generation
    assert page.aged.days == pytest.approx(2)
    assert [horizon.constant for horizon in page.ceiling.horizons] == ["direct.min_top", "direct.prefetch"]


def test_signals_and_ceiling_equal_those_of_a_hit(session: Session) -> None:
    hit = next(hit for hit in session.preview("token store").hits if hit.file == "auth/jwt/store.md")
    page = session.about("auth/jwt/store.md")
    assert (page.aged, page.ceiling) == (hit.signals, hit.ceiling)


def test_changed_or_removed_file_is_reported(session: Session, tree: Tree) -> None:
    tree.file("auth/jwt/store.md", "# Other\n\ntext\n", 0)
    page = session.about("auth/jwt/store.md")
    assert page.state is FileState.NEWER
    assert page.title == "Token store"
    assert page.text.startswith("# Other")
    (tree.tree / "auth/jwt/store.md").unlink()
    page = session.about("auth/jwt/store.md")
    assert page.state is FileState.GONE
    assert page.problem == "the file is gone"
    assert page.aged is not None


def test_other_files_have_text_but_no_signals(session: Session) -> None:
    derived = session.about("auth/_index.md")
    assert derived.state is FileState.NOT_READ
    assert derived.text
    assert derived.aged is None
    unseen = session.about("auth/broken.md")
    assert unseen.text == "# Broken \ufffd"
    assert unseen.unseen == "not UTF-8 (byte 9)"
    assert session.about("auth/binary.md").problem == "cannot be shown: it is not text"
    missing = session.about("auth/nothing.md")
    assert missing.state is FileState.GONE
    outside = session.about("../signals.json")
    assert "points outside the tree" in outside.problem
    assert not outside.text


def test_text_is_complete_even_if_the_engine_reads_only_a_part(tree: Tree) -> None:
    text = "# Long\n" + "line\n" * 3_000
    tree.file("a/long.md", text)
    page = tree.session().about("a/long.md")
    assert page.text == text
    assert page.cut_lines == 1_002


@pytest.mark.parametrize(
    ("block", "unread"),
    [
        ("importance: 90\n", True),
        ("maturity: core\ntitle: N\n", True),
        ("importance: 50\nrecency: 1\nmaturity: draft\n", False),
        ("importance: 900\n", False),
        ("title: N\n", False),
    ],
)
def test_unread_signals_in_frontmatter_are_reported(tree: Tree, block: str, unread: bool) -> None:
    tree.file("a/n.md", f"---\n{block}---\n# N\n")
    assert tree.session().about("a/n.md").unread_signals is unread
    assert not tree.session("docs").about("a/n.md").unread_signals
    tree.sidecar_file("a/n.md", {"importance": 60})
    assert not tree.session().about("a/n.md").unread_signals


def test_broken_frontmatter_is_reported(session: Session) -> None:
    page = session.about("auth/front.md")
    assert page.frontmatter.problem
    assert page.frontmatter.fields == {}


def test_surroundings_list_links_backlinks_and_events(session: Session) -> None:
    result = session.around("auth/jwt/store.md")
    assert [found.path for found in result.links] == ["auth/jwt/expiry.md", "auth/jwt/expiry.md"]
    assert [link.source for link in result.backlinks] == ["auth/jwt/context.md"]
    place = result.place
    assert (place.lane, place.text_path) == ("contexts", "auth/jwt/store.abstract.md")
    assert place == manifest_place(session.snapshot, session.profile.manifest, "auth/jwt/store.md")
    assert result.standing.path == "auth/jwt/store.md"
    assert [coming.days for coming in result.coming] == sorted(coming.days for coming in result.coming)


def test_upcoming_events_match_the_forecast(session: Session) -> None:
    result = session.around("auth/jwt/expiry.md")
    forecast = session.ageing.forecast(0)
    position = session.snapshot.by_path["auth/jwt/expiry.md"]
    assert result.coming == forecast.coming(position)
    assert LEAVES_TIER_2 in {coming.event for coming in result.coming}


def test_links_to_a_folder_are_links_to_its_context(session: Session, tree: Tree) -> None:
    tree.note("deploy/a.md", "A", "[tokens](../auth/jwt)")
    session.load()
    assert [link.source for link in session.around("auth/jwt/context.md").backlinks] == ["deploy/a.md"]


def test_other_files_have_no_surroundings(session: Session) -> None:
    for path in ("auth/nothing.md", "auth/broken.md", "auth/_index.md"):
        result = session.around(path)
        assert (result.links, result.backlinks, result.coming, result.standing) == ((), (), (), None)
    assert session.around("auth/_index.md").place is not None
    assert session.around("auth/nothing.md").place is None


def test_shared_note_has_a_page_and_surroundings(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = Tree(tmp_path_factory.mktemp("other"))
    other.note("x/y/one.md", "One", "@x/y/two.md")
    other.note("x/y/two.md", "Two")
    tree.note("a/b.md", "B")
    tree.source(("lib", other))
    session = tree.session()
    page = session.about("[lib]:x/y/one.md")
    assert (page.alias, page.title) == ("lib", "One")
    assert "x/y/two.md" in page.names.files
    assert [found.path for found in session.around("[lib]:x/y/one.md").links] == ["[lib]:x/y/two.md"]


def test_ages_use_the_clock_of_the_session(tree: Tree) -> None:
    tree.note("a/b.md", "B", days=10)
    early, late = tree.session(), tree.session(now_ms=NOW_MS + 86_400_000)
    first, second = early.about("a/b.md").aged, late.about("a/b.md").aged
    assert second.days - first.days == pytest.approx(1)


@pytest.fixture
def yard(tree: Tree) -> Tree:
    tree.file("yard/gates/north.md", "---\nrelated: [yard/gates/south.md, yard/gone/x.md]\n---\n# North\n")
    tree.file("yard/gates/south.md", "# South\n\n[north](north.md) and @yard/gates/north.md\n")
    tree.file("yard/gates/context.md", "# Gates\n\n[out](../../../../etc/passwd) ![plan](plan.png) [all](.)\n")
    tree.file("yard/_index.md", "---\ntype: summary\ncondensation_order: 1\n---\n[north](gates/north.md)\n")
    return tree


def index_of(tree: Tree, reader: LinkReader | None = None) -> LinkIndex:
    result = (reader or LinkReader()).index(tree.snapshot())
    assert result is not None
    return result


def test_links_of_a_note_have_targets_and_states(yard: Tree) -> None:
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


def test_note_and_folder_backlinks_are_found(yard: Tree) -> None:
    index = index_of(yard)
    found = index.backlinks("yard/gates/north.md")
    assert [(link.source, link.found.link.kind.value) for link in found] == [
        ("yard/gates/south.md", "link"),
        ("yard/gates/south.md", "relation"),
    ]
    assert [link.source for link in index.backlinks("yard/gates")] == ["yard/gates/context.md"]
    assert index.backlinks("yard/gone/x.md") == ()


def test_shared_source_links_stay_in_their_own_tree(yard: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.file("yard/gates/north.md", "# Other north\n\n@yard/gates/east.md\n")
    other.file("yard/gates/east.md", "# East\n")
    yard.source(("lib", other))
    index = index_of(yard)
    assert [found.path for found in index.links_of("[lib]:yard/gates/east.md")] == []
    assert [found.source for found in index.backlinks("[lib]:yard/gates/east.md")] == ["[lib]:yard/gates/north.md"]
    assert [found.source for found in index.backlinks("yard/gates/north.md")] == ["yard/gates/south.md"] * 2


def test_note_is_read_again_only_after_a_change(yard: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_link_reading_can_be_cancelled(yard: Tree) -> None:
    assert LinkReader().index(yard.snapshot(), lambda: True) is None


def test_removed_note_has_no_links(yard: Tree) -> None:
    snapshot = yard.snapshot()
    (yard.tree / "yard/gates/south.md").unlink()
    result = LinkReader().index(snapshot)
    assert result.backlinks("yard/gates/north.md") == ()
