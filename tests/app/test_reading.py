"""A file of the tree: frontmatter, notices, raw text, and the targets of links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brvtui.app.markdown import Document, LinkTarget
from brvtui.app.notes.reading import notices, page_document, resolver
from brvtui.lab.about import About, FileState
from brvtui.tree.reading.links import LinkKind
from tests.support.trees import Tree

FRONT = """---
title: Token store
tags: [a, b]
related: [auth/jwt/expiry.md, '@auth/jwt/gone.md']
count: 3
empty:
flag: true
when: 2026-05-06T11:00:00Z
nested: {a: 1, b: [x, y]}
---
# Token store

See [expiry](expiry.md#two), [out](../../../x.md), [web](https://a.b/c), [here](#token-store), [pic](x.png),
[folder](../jwt), [lost](nope.md) and @auth/jwt/expiry.md.
"""


@pytest.fixture
def page(tree: Tree) -> About:
    tree.file("auth/jwt/store.md", FRONT)
    tree.note("auth/jwt/expiry.md", "Expiry")
    tree.file("auth/jwt/context.md", "# Tokens\n")
    tree.note("auth/folder/x.md", "X")
    return tree.session().about("auth/jwt/store.md")


def _text(document: Document) -> str:
    return "\n".join(line.plain.rstrip() for line in document.lines)


def test_frontmatter_is_a_table_with_links(page: About) -> None:
    document = page_document(page, 60, False)
    assert _text(document).split("\n")[:11] == [
        " ┄┄ frontmatter " + "┄" * 44,
        " title    Token store",
        " tags     a, b",
        " related  auth/jwt/expiry.md",
        "          @auth/jwt/gone.md (no such note)",
        " count    3",
        " empty    –",
        " flag     true",
        " when     2026-05-06 11:00:00+00:00",
        ' nested   {"a": 1, "b": ["x", "y"]}',
        " " + "┄" * 59,
    ]
    assert document.links[0].target == LinkTarget(path="auth/jwt/expiry.md")
    assert document.links[1].target == LinkTarget(broken="no such note")


@pytest.mark.parametrize(
    ("kind", "written", "target"),
    [
        (LinkKind.MARKDOWN, "expiry.md#two", LinkTarget(path="auth/jwt/expiry.md", fragment="two")),
        (LinkKind.MARKDOWN, "expiry.md?x=1", LinkTarget(path="auth/jwt/expiry.md")),
        (LinkKind.MARKDOWN, "%65xpiry.md", LinkTarget(path="auth/jwt/expiry.md")),
        (LinkKind.MARKDOWN, "../../../x.md", LinkTarget(broken="outside the tree")),
        (LinkKind.MARKDOWN, "/etc/passwd", LinkTarget(broken="outside the tree")),
        (LinkKind.MARKDOWN, "https://a.b/c", LinkTarget(outside="https://a.b/c")),
        (LinkKind.MARKDOWN, "mailto:x@y.z", LinkTarget(outside="mailto:x@y.z")),
        (LinkKind.MARKDOWN, "#token-store", LinkTarget(fragment="token-store")),
        (LinkKind.MARKDOWN, "x.png", LinkTarget(outside="x.png")),
        (LinkKind.MARKDOWN, "../jwt", LinkTarget(path="auth/jwt/context.md")),
        (LinkKind.MARKDOWN, "../folder", LinkTarget(path="auth/folder")),
        (LinkKind.MARKDOWN, "nope.md", LinkTarget(broken="no such note")),
        (LinkKind.RELATION, "auth/jwt/expiry.md", LinkTarget(path="auth/jwt/expiry.md")),
        (LinkKind.RELATED, "Auth/JWT/Expiry", LinkTarget(path="auth/jwt/expiry.md")),
    ],
)
def test_links_resolve_to_their_targets(page: About, kind: LinkKind, written: str, target: LinkTarget) -> None:
    found = resolver(page)(kind, written)
    assert found == target or (found.outside.endswith(target.outside) and target.outside == "x.png")


def test_raw_text_contains_every_character_of_the_file(page: About) -> None:
    document = page_document(page, 200, True)
    bare = _text(document).replace(" (no such note)", "").replace(" (outside the tree)", "")
    assert "\n".join(line[1:] for line in bare.split("\n")) == FRONT
    for link in document.links:
        for spot in link.spots:
            assert document.lines[spot.line].plain[spot.start : spot.end].strip()


def test_broken_frontmatter_is_shown_as_text_with_its_problem(tree: Tree) -> None:
    tree.file("a/b.md", "---\ntitle: [unclosed\n---\n# B\n\ntext\n")
    text = _text(page_document(tree.session().about("a/b.md"), 60, False))
    assert text.startswith(" unreadable frontmatter: line 2: did not find")
    assert "\n title: [unclosed\n" in text
    assert text.endswith(" B\n " + "─" * 59 + "\n text")


def test_deeply_nested_frontmatter_is_refused(tree: Tree) -> None:
    for block in ("a: " + "[" * 900 + "]" * 900, "a: " + "- " * 900 + "x", "a: 1" + ":59" * 20_000):
        tree.file("a/b.md", f"---\n{block}\n---\n# B\n")
        page = tree.session().about("a/b.md")
        assert "unreadable frontmatter: " in _text(page_document(page, 80, False))


def test_cut_text_ends_with_a_notice(tree: Tree) -> None:
    tree.file("a/b.md", "# B\n" + "x\n" * 600_000)
    page = tree.session().about("a/b.md")
    for raw in (True, False):
        ends = " ".join(line.plain.strip() for line in page_document(page, 40, raw).lines[-4:])
        assert ends.endswith("too long to be shown in full: open the note in your own editor to see the rest")


def test_note_without_frontmatter_begins_with_its_text(tree: Tree) -> None:
    tree.note("a/b.md", "B", "text")
    assert _text(page_document(tree.session().about("a/b.md"), 20, False)).startswith(" B\n")


def test_files_other_than_markdown_are_shown_as_plain_text(tree: Tree) -> None:
    tree.note("a/b.md", "B")
    tree.file("_manifest.json", '{"# no": "heading"}')
    assert _text(page_document(tree.session().about("_manifest.json"), 40, False)) == ' {"# no": "heading"}'


def test_notices_above_the_text_describe_the_state_of_the_file(page: About) -> None:
    assert list(notices(page)) == []
    assert "changed on disk" in next(notices(replace(page, state=FileState.NEWER)))
    assert list(notices(replace(page, unread_signals=True))) == [
        "neither the engine nor this profile reads the signals in its frontmatter (signals.frontmatter)"
    ]
    assert list(notices(replace(page, cut_lines=1, cut_units=2))) == [
        "the engine does not read the last 1 line",
        "the engine reads only the beginning of 2 long lines",
    ]
    gone = replace(page, state=FileState.GONE, problem="the file is gone", text="")
    assert _text(page_document(gone, 80, False)) == " the file is gone"
    kept = replace(page, state=FileState.GONE, moved_to="a/c.md", moved_how="it has the same text")
    document = page_document(kept, 80, False)
    assert _text(document).split("\n")[:2] == [
        " the file is gone: this is the state before it was removed",
        " moved to a/c.md: it has the same text",
    ]
    assert "frontmatter" in _text(document)
    assert document.links[0].target.path == "a/c.md"
    unseen = replace(page, problem="cannot be shown: x", unseen="x", text="")
    assert _text(page_document(unseen, 80, False)) == " cannot be shown: x\n not read by the engine: x"


def test_shared_source_links_stay_in_that_source(page: About) -> None:
    shared = replace(page, alias="lib", path="[lib]:auth/jwt/store.md")
    assert resolver(shared)(LinkKind.MARKDOWN, "expiry.md").path == "[lib]:auth/jwt/expiry.md"


def test_conflict_markers_are_shown_unchanged(tree: Tree) -> None:
    conflict = "# Store\n\n<<<<<<< mine\nTen days.\n=======\nNine days.\n>>>>>>> theirs\n\nTitle X\n=======\n"
    tree.file("a/conflict.md", conflict)
    tree.file("a/windows.md", conflict.replace("\n", "\r\n"))
    tree.file("a/code.md", f"# Code\n\n```\n{conflict}```\n")
    tree.file("a/quoted.md", "# Quoted\n\n>>>>>>> theirs\n")
    session = tree.session()
    for path in ("a/conflict.md", "a/windows.md", "a/code.md"):
        shown = [line.plain.strip(" │") for line in page_document(session.about(path), 60, raw=False).lines]
        for whole in ("<<<<<<< mine", "Ten days.", "=======", "Nine days.", ">>>>>>> theirs"):
            assert whole in shown, path
        assert shown.count("=======") == (2 if path == "a/code.md" else 1), "outside of a conflict it makes a heading"
    alone = [line.plain.strip() for line in page_document(session.about("a/quoted.md"), 60, raw=False).lines]
    # without its first marker, this is not a conflict but nested quotes in Markdown
    assert ">>>>>>> theirs" not in alone
