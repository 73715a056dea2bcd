"""New notes: templates and paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.new_notes import NewNote, Template, first_place, keywords_of, new_path, slug_of, text_of
from brvtui.tree.editing.note_text import note_text
from brvtui.tree.editing.problems import KnownFiles, problems
from brvtui.tree.reading.contents import title_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.reading.links import Names, links_in
from brvtui.tree.reading.signals import Source, defaults, from_frontmatter
from tests.support.trees import BRV3, NOW_MS, Tree, paths, stored

KNOWN = KnownFiles(Names(["auth/tokens/rotation.md"]))


NEW_NOTE = NewNote(
    "Grace window",
    NOW_MS,
    query="how long is the   grace window?",
    tags=("auth",),
    keywords=("grace", "window"),
    related=("auth/tokens/rotation.md",),
)


DECISION = """---
title: Grace window
summary: ''
tags: [auth, decision]
related: [auth/tokens/rotation.md]
keywords: [grace, window]
createdAt: '2026-11-20T12:00:00.000Z'
updatedAt: '2026-11-20T12:00:00.000Z'
---
# Grace window

## Reason
Asked on 2026-11-20, and no note covered it: how long is the grace window?

## Raw Concept
**Task:**

**Changes:**

**Files:**

**Flow:**

**Timestamp:** 2026-11-20

**Author:**

## Narrative
### Structure

### Highlights

### Rules

## Facts

## Relations
@auth/tokens/rotation.md
"""


def test_decision_template_has_its_sections() -> None:
    assert text_of(Template.DECISION, NEW_NOTE) == DECISION


@pytest.mark.parametrize("template", Template)
def test_every_template_gives_a_note_without_problems(template: Template) -> None:
    text = text_of(template, NEW_NOTE)
    assert problems("auth/tokens/grace.md", note_text(b""), text, KNOWN, BRV3.limits) == ()
    assert title_of(text, "x.md") == "Grace window"
    assert {link.target for link in links_in(text)} == {"auth/tokens/rotation.md"}
    tags = ["auth"] if template is Template.BLANK else ["auth", template.value]
    assert parse(text).fields["tags"] == tags
    assert from_frontmatter(text, defaults(BRV3.signals)) is None


def test_template_contains_signals_on_request() -> None:
    signals = stored(importance=68.5, recency=0.25, maturity="validated", access_count=3)
    text = text_of(Template.BLANK, NewNote("T", NOW_MS, signals=signals))
    assert from_frontmatter(text, defaults(BRV3.signals)) == stored(
        importance=68.5, recency=0.25, maturity="validated", access_count=3, source=Source.FRONTMATTER
    )


def test_note_created_for_a_query_is_found_by_the_query(tree: Tree) -> None:
    query = "how long is the grace window?"
    tree.note("auth/tokens/rotation.md", "Rotation")
    words = keywords_of(query, BRV3.query.stop_words)
    assert words == ("long", "grace", "window")
    tree.file("auth/tokens/grace.md", text_of(Template.RUNBOOK, NewNote("Grace", NOW_MS, query=query, keywords=words)))
    assert paths(tree.search(query))[0] == "auth/tokens/grace.md"


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_any_words_give_a_readable_note(title: str, query: str, word: str) -> None:
    note = NewNote(title, NOW_MS, query=query, summary=query, tags=(word,), keywords=keywords_of(query, ()))
    for template in Template:
        fields = parse(text_of(template, note)).fields
        assert fields["title"] == " ".join(fields["title"].split(" "))
        assert fields["tags"][0] == word
        assert fields["createdAt"] == "2026-11-20T12:00:00.000Z"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Refresh token rotation", "refresh_token_rotation"),
        ("INC-131: retries — again!", "inc_131_retries_again"),
        ("Café über alles", "cafe_uber_alles"),
        ("../../etc/passwd", "etc_passwd"),
        (".hidden", "hidden"),
        ("日本 語", "日本_語"),
        ("...", ""),
        ("x" * 200, "x" * 80),
    ],
)
def test_titles_become_file_names(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_new_note_path_comes_from_folder_and_title() -> None:
    assert new_path("auth/tokens", "Grace window", ()) == "auth/tokens/grace_window.md"
    assert new_path("", "Top", ["auth/top.md"]) == "top.md"


@pytest.mark.parametrize(
    ("folder", "title", "message"),
    [
        ("auth", "Rotation", "auth/rotation.md: already exists"),
        ("Auth", "rotation", "already exists"),
        ("auth", "?!", "does not yield a file name"),
        ("..", "x", "points outside the tree"),
        ("/etc", "x", "points outside the tree"),
        ("a//b", "x", "not the path of a note"),
        (".git", "x", "begins with a dot"),
        ("auth", "context", "engine's own files"),
        ("_archived/auth", "x", "engine's own files"),
    ],
)
def test_invalid_new_paths_are_refused(folder: str, title: str, message: str) -> None:
    with pytest.raises(PathError, match=message):
        new_path(folder, title, ["auth/rotation.md"])


@given(st.text(max_size=20), st.text(max_size=40))
def test_new_path_is_always_inside_the_tree(folder: str, title: str) -> None:
    try:
        path = new_path(folder, title, ())
    except PathError:
        return
    assert parts_of(path)
    assert ".." not in path.split("/")


@pytest.mark.parametrize("template", list(Template))
def test_cursor_starts_below_the_first_section_heading(template: Template) -> None:
    text = text_of(template, NewNote("A note", NOW_MS, query="why"))
    lines = text.split("\n")
    assert lines[first_place(text, is_new=True) - 2 : first_place(text, is_new=True) + 1] == [
        "## Reason",
        f"Asked on {lines[first_place(text, is_new=True) - 1][9:19]}, and no note covered it: why",
        "",
    ]
    assert first_place("# No sections\n", is_new=True) == 0


def test_existing_note_is_edited_from_its_body() -> None:
    head = "---\ntitle: Keys\n---\n"
    texts = ("# Keys\n", f"{head}# Keys\n", f"{head}\n# Keys\n", head, "---\nnever closed\n")
    assert [first_place(text, is_new=False) for text in texts] == [0, 3, 4, 3, 0]
