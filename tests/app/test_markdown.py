"""Markdown rendered as lines: the look of each construct, links, and limits for hostile text."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from brvtui.app.markdown import (
    MOST_CHARS,
    MOST_MARKS,
    MOST_PIECES,
    Abandoned,
    Document,
    Full,
    LinkTarget,
    Typesetter,
    plain,
    slug,
    typeset,
)
from brvtui.tree.reading.links import LinkKind

pytestmark = pytest.mark.long

WIDTH = 40


def _resolve(kind: LinkKind, written: str) -> LinkTarget:
    if "missing" in written:
        return LinkTarget(broken="no such note")
    return LinkTarget(path=f"{kind.value}:{written}")


def _set(text: str, width: int = WIDTH) -> Document:
    typesetter = Typesetter(width, _resolve)
    with suppress(Full):
        typeset(text, typesetter)
    return typesetter.document()


def _lines(text: str, width: int = WIDTH) -> list[str]:
    return [line.plain.rstrip() for line in _set(text, width).lines]


def _roles(document: Document, word: str) -> set[str]:
    return {role for line in document.lines for text, role in line.spans if word in text}


def test_headings_are_styled_and_can_be_link_targets() -> None:
    document = _set("# One *thing*\n\ntext\n\n## Two: `code`!\nmore\n\n### Three\n")
    assert [line.plain.rstrip() for line in document.lines] == [
        " One thing",
        " " + "─" * 39,
        " text",
        "",
        " Two: code!",
        " more",
        "",
        " Three",
    ]
    assert document.headings == {"one-thing": 0, "two-code": 4, "three": 7}
    assert _roles(document, "One") == {"bold accent"}
    assert _roles(document, "Three") == {"bold strong"}


def test_paragraphs_wrap_and_soft_breaks_are_spaces() -> None:
    assert _lines("one two\nthree four five six seven eight nine ten\n\nnext  \nline") == [
        " one two three four five six seven eight",
        " nine ten",
        "",
        " next",
        " line",
    ]


def test_inline_markup_becomes_roles() -> None:
    document = _set("a **bold *both*** `code` ~~gone~~ plain")
    assert _roles(document, "bold ") == {"bold text"}
    assert _roles(document, "both") == {"bold italic text"}
    assert _roles(document, "code") == {"summary"}
    assert _roles(document, "gone") == {"strike text"}
    assert document.lines[0].plain == " a bold both code gone plain"


def test_lists_are_indented_with_bullets_and_numbers() -> None:
    text = "- one\n- two that is long enough to wrap around here\n  - inner\n    1. deep\n    2. deeper\n- [ ] task\n"
    assert _lines(f"{text}\n7. seven\n8. eight\n") == [
        " • one",
        " • two that is long enough to wrap",
        "   around here",
        "   • inner",
        "     1. deep",
        "     2. deeper",
        " • [ ] task",
        "",
        " 7. seven",
        " 8. eight",
    ]


def test_blank_lines_in_lists_and_quotes_are_kept() -> None:
    assert _lines("- one\n\n- two\n") == [" • one", "", " • two"]
    assert _lines("-\n- x\n") == [" •", " • x"]
    assert _lines("before\n\n> quoted\n> text\n>\n> > deeper\n\nafter") == [
        " before",
        "",
        " │ quoted text",
        " │",
        " │ │ deeper",
        "",
        " after",
    ]


def test_code_blocks_keep_every_character() -> None:
    assert _lines("```py\nif a:\n\treturn  1\n\n```\n\n    indented\n") == [
        " │ if a:",
        " │     return  1",
        " │",
        "",
        " │ indented",
    ]
    long = "x" * 90
    assert "".join(line.removeprefix(" │ ") for line in _lines(f"```\n{long}\n```")) == long


def test_tables_are_aligned_and_html_is_shown_as_text() -> None:
    assert _lines("| a | b |\n|---|--:|\n| 1 | **22** |\n\n---\n\n![alt](x.png) <b>no</b> &lt;") == [
        " a   b",
        " ─  ──",
        " 1  22",
        "",
        " " + "─" * 39,
        "",
        " alt (image: x.png) <b>no</b> <",
    ]


def test_links_and_relations_have_positions_and_targets() -> None:
    document = _set("See [the *flow*](../b.md#part), @auth/jwt/a.md and `@not/a/link.md` or [x](missing.md).", 120)
    found = [
        (link.target, [document.lines[spot.line].plain[spot.start : spot.end] for spot in link.spots])
        for link in document.links
    ]
    assert found == [
        (LinkTarget(path="link:../b.md#part"), ["the flow"]),
        (LinkTarget(path="relation:auth/jwt/a.md"), ["@auth/jwt/a.md"]),
        (LinkTarget(broken="no such note"), ["x"]),
    ]
    assert "x (no such note)." in document.lines[0].plain
    assert _roles(document, "flow") == {"italic underline accent"}
    assert _roles(document, "x") == {"strike bad"}


def test_links_in_tables_and_lists_have_positions() -> None:
    document = _set("| n | l |\n|---|---|\n| a | [go](a.md) |\n\n- [one](b.md)\n")
    for link, word in zip(document.links, ("go", "one"), strict=True):
        (spot,) = link.spots
        assert document.lines[spot.line].plain[spot.start : spot.end] == word


def test_links_in_plain_text_are_marked_in_place() -> None:
    typesetter = Typesetter(WIDTH, _resolve)
    text = "---\nrelated: [a/b.md]\n---\n# Title\r\nSee @a/b/missing.md\n"
    start, second = text.index("a/b.md"), text.index("@a/b/missing")
    places = [(start, start + 6, LinkKind.RELATED, "a/b.md"), (second, second + 12, LinkKind.RELATION, "a/b/missing")]
    plain(text, typesetter, places)
    document = typesetter.document()
    assert [line.plain.rstrip() for line in document.lines] == [
        " ---",
        " related: [a/b.md]",
        " ---",
        " # Title",
        " See @a/b/missing (no such note).md",
        "",
    ]
    assert [link.target.path for link in document.links] == ["related:a/b.md", ""]


def test_escapes_and_unsafe_links_are_shown_as_text() -> None:
    document = _set("[red]x[/red] \x1b[31m \u202e `\x07`\n\n[evil](javascript:alert)")
    shown = "\n".join(line.plain for line in document.lines)
    assert "[red]x[/red] ␛[31m \\u202e ␇" in shown
    assert "[evil](javascript:alert)" in shown
    assert not document.links


def test_text_outside_markdown_is_shown_unchanged() -> None:
    assert _lines("[a]: b.md\n") == [" [a]: b.md", ""]
    assert _lines(">" * 50) == [" " + ">" * 39, " " + ">" * 11]
    assert _lines("") == [""]


def test_very_long_text_is_not_rendered() -> None:
    lines = _lines("# x\n" + "a b\n" * (MOST_CHARS // 4))
    assert "too long to be rendered" in lines[0] + lines[1]
    assert " # x" in lines[:4]


@pytest.mark.parametrize("mark", ["[", "![", "*a", "|a|", "a\n", "\\"])
def test_text_with_very_many_marks_is_not_rendered(mark: str) -> None:
    assert "too long to be rendered" in _lines("north gate\n\n" + mark * (MOST_MARKS + 1))[0]
    assert "too long" not in _lines("north gate\n\n" + mark * (MOST_MARKS // 20))[0]


def test_long_prose_is_rendered() -> None:
    text = "# Gates\n\n" + "The north gate opens at six. " * (MOST_CHARS // 30)
    assert _lines(text, 100)[0] == " Gates"


def test_document_is_cut_at_its_maximum_length() -> None:
    typesetter = Typesetter(20, _resolve)
    with pytest.raises(Full):
        plain("\n" * MOST_CHARS, typesetter)
    assert len(typesetter.lines) == MOST_PIECES // 2


def test_cancelled_document_is_not_rendered() -> None:
    answers = iter([False, False, True])
    typesetter = Typesetter(20, _resolve, lambda: next(answers))
    with pytest.raises(Abandoned):
        plain("a\n" * 10_000, typesetter)
    assert 0 < len(typesetter.lines) < 1_000


_HOSTILE = {
    "brackets": "[" * 50_000,
    "stars": "a*" * 50_000,
    "links": "[a](" * (MOST_MARKS // 2),
    "images": "![](" * 20_000,
    "emphasis": "**a*" * 20_000,
    "ticks": "`" * 1_000 + " ``" * 20_000,
    "one word": "x" * 200_000,
    "tabs": "\t" * 100_000 + "a",
    "a million tabs": "\t" * 1_000_000,
    "relations": "@a/b/c " * 20_000,
    "wide": "日本語" * 50_000,
    "rows": "|a|b|\n|-|-|\n" + "|x|y|\n" * 10_000,
    "a wide cell beside many": "|a" * 100 + "|\n" + "|-" * 100 + "|\n" + "|x" * 99 + "|" + "y" * 900_000 + "|\n",
    "escapes": "\x1b[31m a" * 10_000,
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_texts_are_typeset_quickly(text: str) -> None:
    begun = time.process_time()
    document = _set(text, 80)
    assert time.process_time() - begun < 10, "quadratic"
    assert document.lines


@given(st.text(st.sampled_from("ab*_`#>-|[]()!\n \t~1.@/\\&<日\x1b"), max_size=80), st.integers(10, 60))
def test_any_text_is_typeset_within_its_width(text: str, width: int) -> None:
    document = _set(text, width)
    for line in document.lines:
        assert "\x1b" not in line.plain
        if "│ │" not in line.plain and "  " not in line.plain.strip():
            assert cell_len(line.plain) <= max(width, 1) + 8
    for link in document.links:
        for spot in link.spots:
            assert 0 <= spot.start < spot.end <= len(document.lines[spot.line].plain)


def test_heading_slugs_match_links() -> None:
    assert slug("What's New, in 2.0?") == "whats-new-in-20"
