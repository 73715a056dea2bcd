"""Pieces of Markdown: whatever the text holds, a reader of Markdown shows it as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from brvtui.report.markdown_text import Markdown, bold, escaped, fenced, heading, joined, paragraph, path, table
from brvtui.text.visible import visible

READER = MarkdownIt("gfm-like", {"html": True})
HARMLESS = {"text", "text_special", "softbreak"}
NASTY = st.text(st.sampled_from("`|*_[]()<>!#~\\&$:/.-+=123 \n\t\r\x1b\u202eaw@\udcff")) | st.text() | st.sampled_from(
    ["http://evil.example", "www.evil.example", "a@evil.example", "![x](http://evil.example/x.png)", "<img src=x>",
     "&lt;b&gt;", "[a](javascript:x)", "`` ` ``", "~~gone~~", "__init__.py", "1. one", "- one", "***", "| a | b |"]
)  # fmt: skip


def inner(text: str) -> Iterator[Token]:
    """Every token inside the blocks of a Markdown text."""
    for block in READER.parse(text):
        yield from block.children or ()


def kinds(tokens: Iterable[Token]) -> set[str]:
    """The types of ``tokens``, but for links made of a bare domain (0.al): GitHub makes none (GFM, Autolinks)."""
    found, is_bare = set(), False
    for token in tokens:
        if token.type == "link_open":
            is_bare = token.markup == "linkify" and bool(_BARE.match(str(token.attrs["href"])))
        if not (is_bare and token.type.startswith("link_")):
            found.add(token.type)
    return found


_BARE = re.compile(r"http://(?!www\.|evil\.)", re.IGNORECASE)


def shown(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens)


@given(NASTY)
def test_escaped_text_is_text_alone(text: str) -> None:
    tokens = list(inner(paragraph(text)))
    assert kinds(tokens) <= HARMLESS
    assert shown(tokens) == visible(text).strip()


@given(NASTY)
def test_a_heading_is_one_line_of_text(text: str) -> None:
    blocks = READER.parse(heading(2, text))
    assert [block.type for block in blocks] == ["heading_open", "inline", "heading_close"]
    assert shown(blocks[1].children or []) == visible(text).strip()


@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=4))
@example([("0.AL", "www.evil.example")])
def test_a_table_keeps_its_cells(rows: list[tuple[str, str]]) -> None:
    blocks = READER.parse(table(("one", "two"), rows, ("two",)))
    cells = [shown(block.children or []) for block in blocks if block.type == "inline"]
    assert cells == ["one", "two", *(visible(cell).strip() for row in rows for cell in row)]
    assert kinds(token for block in blocks for token in block.children or ()) <= HARMLESS


@given(NASTY)
def test_a_path_is_code_or_text(text: str) -> None:
    blocks = READER.parse(table(("path",), [(path(text),)]))
    cell = [block for block in blocks if block.type == "inline"][1]
    assert kinds(cell.children or ()) <= HARMLESS | {"code_inline"}
    assert shown(cell.children or []).strip() == visible(text).strip()


@given(NASTY)
def test_fenced_text_is_kept_letter_by_letter(text: str) -> None:
    blocks = READER.parse(fenced(text) + "\nafter\n")
    assert [block.type for block in blocks][:2] == ["fence", "paragraph_open"]
    assert blocks[0].content == visible(text, keep="\n") + "\n"


@pytest.mark.parametrize(
    ("made", "is_now"),
    [
        (path("auth/jwt/refresh_rotation.md"), "`auth/jwt/refresh_rotation.md`"),
        (escaped("snake_case _x_ __init__"), r"snake_case \_x\_ \_\_init\_\_"),
        (escaped("a < b & c > d"), "a &lt; b &amp; c &gt; d"),
        (bold("a*b"), r"**a\*b**"),
        (bold(""), ""),
        (paragraph("  "), ""),
        (escaped(Markdown("**kept**")), "**kept**"),
        (table(("a",), []), ""),
        (table(("a", "b"), [("1", "2")], ("b",)), "| a | b |\n| --- | ---: |\n| 1 | 2 |\n"),
        (joined(["a\n", "", "b\n"]), "a\n\nb\n"),
    ],
)
def test_pieces(made: str, is_now: str) -> None:
    assert made == is_now
