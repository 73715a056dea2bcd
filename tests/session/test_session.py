"""One open project: what a session does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.session import NotLoaded, Session
from brvtui.trace.routing import Route
from brvtui.typed_tables import ProfileError
from tests.support.trees import NOW_MS, Tree
from tests.support.untouched import state_of

Make = Callable[[str], Tree]


def test_nothing_can_be_asked_before_it_is_loaded(quokkas: Tree) -> None:
    session = Session.open(quokkas.root)
    assert not session.is_loaded
    with pytest.raises(NotLoaded):
        session.probe("quokka")
    assert session.load()
    assert session.is_loaded


def test_loading_again_publishes_only_changes(quokkas: Tree) -> None:
    session = quokkas.session()
    before = session.snapshot
    assert not session.load()
    assert session.snapshot is before
    quokkas.note("x/new.md", "New")
    assert session.load()
    assert session.snapshot.generation == before.generation + 1
    assert "x/new.md" in session.snapshot.by_path
    assert "x/new.md" not in before.by_path


def test_stored_signals_that_change_are_a_change(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/n.md", {"importance": 90})
    assert session.load()
    assert session.probe("quokka").hits[0].signals is not None


def test_stored_signals_of_a_summary_are_a_change_too(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/_index.md", {"importance": 90})
    assert session.load()
    assert session.snapshot.summary_signals["x/_index.md"].importance == 90


def test_another_profile_empties_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.use_profile("docs")
    session.load()
    trace = session.probe("quokka")
    assert (trace.profile, trace.section(Route).used) == ("docs", True)
    with pytest.raises(ProfileError):
        session.use_profile("nothing")
    assert session.profile.name == "docs"


def test_a_clock_that_is_given_is_frozen(quokkas: Tree) -> None:
    assert quokkas.session().frozen
    assert not Session.open(quokkas.root).frozen


def test_looking_changes_nothing(quokkas: Tree, make_tree: Make, own_data_folders: Path) -> None:
    quokkas.file("_archived/x/o.stub.md", "# Old\nquokka")
    quokkas.file("x/context.md", "# X\nquokka")
    other = make_tree("other")
    other.note("pay/c.md", "Shared", "quokka")
    quokkas.source(("lib", other))
    before = state_of(quokkas.root, other.root, own_data_folders)
    assert len(before) > 30
    session = quokkas.session()
    for query in (
        "quokka",
        "wallaby jumping",
        "x",
        "x/n.md",
        "zebra",
        "",
        "the of",
        "x quokka",
        "[lib]:pay",
        "quokka?",
    ):
        session.probe(query)
        session.run(query)
        session.search(query, 10)
        found = session.probe(query)
        for hit in found.hits:
            if hit.file in session.snapshot.by_path:
                session.answers.detail(found, hit.file)
        for note in ("x/n.md", "x/_index.md", "Wallaby"):
            session.answers.explain(query, note)
        session.cache_now(query)
    session.load()
    session.use_profile("docs")
    session.load()
    session.run("quokka")
    assert not session.recording
    assert session.history.read() == []
    session.close()
    assert state_of(quokkas.root, other.root, own_data_folders) == before
    assert not (own_data_folders / "tool").exists()


def test_the_frozen_clock_is_the_one_that_ages(quokkas: Tree) -> None:
    later = quokkas.session(now_ms=NOW_MS + 86_400_000).probe("quokka")
    assert later.hits[0].signals.days == 1.0
