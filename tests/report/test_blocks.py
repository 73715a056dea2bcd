"""Blocks, Markdown, evaluations and models' work: as lines, in text, files and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console

from brvtui.cli.ask import called, gave, spent
from brvtui.paint.blocks import Block, Ends, Marked, Rule, Text, lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.line import Line, line
from brvtui.paint.text import kept_whole
from brvtui.report.markdown_text import Markdown, bold, escaped, fenced, heading, joined, paragraph, path, table
from brvtui.report.query import trace_report
from brvtui.report.saved import markdown_report
from brvtui.saved.traces import saved_now
from brvtui.text.visible import visible
from brvtui.trace import Answer, Cited, Completion, EndReason, ModelTurn, Stage, ToolStep, Trace, Usage
from tests.support.trees import NOW_MS, Tree

LONG = "carrier pigeons resend webhooks when nobody answers for a while"


def _plain(*blocks: Block, width: int = 24) -> list[str]:
    return [one.plain for one in lines_of(blocks, width, UNICODE)]


def test_paragraph_has_a_hanging_indent_and_a_right_margin() -> None:
    assert _plain(Text(LONG, before="   ", after=4)) == [
        "   carrier pigeons",
        "   resend webhooks",
        "   when nobody",
        "   answers for a",
        "   while",
    ]
    assert _plain(Text(LONG, before=line(" ⚠ ", "warn"), limit=2)) == [" ⚠ carrier pigeons", "   resend webhooks when"]
    assert _plain(Text("")) == [" "]


def test_wrapped_text_keeps_its_style() -> None:
    first, second, *_ = lines_of([Text(LONG, "muted", line(" ⚠ ", "warn"))], 24, UNICODE)
    assert first.spans == [(" ⚠ ", "warn"), ("carrier pigeons", "muted")]
    assert second.spans == [("   ", "muted"), ("resend webhooks when", "muted")]
    assert lines_of([Text("a", "muted", " • ")], 24, UNICODE)[0].spans == [(" • a", "muted")]


@pytest.mark.parametrize("width", [8, 13, 24, 70])
def test_no_block_is_wider_than_its_pane(width: int) -> None:
    blocks: list[Block] = [
        Rule(LONG),
        Text(LONG),
        Marked(f"# {LONG}\n\n{LONG}", ["pigeons"]),
        Ends(line(LONG), line("0.82")),
        Line().gap().add(LONG),
    ]
    assert max(one.width for one in lines_of(blocks, width, UNICODE)) <= width


def test_blocks_can_be_laid_out_at_another_width() -> None:
    blocks: list[Block] = [Ends(line(LONG), line("0.82")), line(LONG), Text(LONG, before=line("    "))]
    wide = _plain(*blocks, width=40)
    assert max(map(len, _plain(*blocks, width=5))) <= 5
    assert _plain(*blocks, width=40) == wide


def test_blocks_for_a_file_are_neither_cut_nor_wrapped() -> None:
    with kept_whole():
        assert _plain(Text(LONG), line(LONG), Ends(line(LONG), line("0.82")), width=10) == [
            f" {LONG}",
            LONG,
            f"{LONG}  0.82",
        ]


def test_control_characters_are_made_visible() -> None:
    (shown,) = _plain(Text("a\x1b[31mb"))
    assert "\x1b" not in shown
    assert "[31mb" in shown


def test_blocks_after_a_very_long_text_are_omitted() -> None:
    shown = _plain(Marked("row\n" * 5000), Rule("after it"))
    assert 1500 < len(shown) < 1510
    assert shown[-1].endswith("more lines")
    assert _plain(Marked("row\n" * 3), Rule("after it"))[-1].startswith("┄┄ after it")


def test_stage_shows_its_counts_in_one_line() -> None:
    (shown,) = _plain(Stage("least score", 9, 2, 7, ""), width=60)
    assert "9 − 2     = 7" in shown


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
    """The types of ``tokens``, except links from a bare domain (0.al), which GitHub does not make (GFM, Autolinks)."""
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
def test_escaped_text_contains_no_markdown(text: str) -> None:
    tokens = list(inner(paragraph(text)))
    assert kinds(tokens) <= HARMLESS
    assert shown(tokens) == visible(text).strip()


@given(NASTY)
def test_heading_stays_one_line_of_text(text: str) -> None:
    blocks = READER.parse(heading(2, text))
    assert [block.type for block in blocks] == ["heading_open", "inline", "heading_close"]
    assert shown(blocks[1].children or []) == visible(text).strip()


@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=4))
@example([("0.AL", "www.evil.example")])
def test_table_cells_cannot_be_broken_by_their_text(rows: list[tuple[str, str]]) -> None:
    blocks = READER.parse(table(("one", "two"), rows, ("two",)))
    cells = [shown(block.children or []) for block in blocks if block.type == "inline"]
    assert cells == ["one", "two", *(visible(cell).strip() for row in rows for cell in row)]
    assert kinds(token for block in blocks for token in block.children or ()) <= HARMLESS


@given(NASTY)
def test_path_is_rendered_as_code_or_text(text: str) -> None:
    blocks = READER.parse(table(("path",), [(path(text),)]))
    cell = [block for block in blocks if block.type == "inline"][1]
    assert kinds(cell.children or ()) <= HARMLESS | {"code_inline"}
    assert shown(cell.children or []).strip() == visible(text).strip()


@given(NASTY)
def test_fenced_text_is_kept_verbatim(text: str) -> None:
    blocks = READER.parse(fenced(text) + "\nafter\n")
    assert [block.type for block in blocks][:2] == ["fence", "paragraph_open"]
    assert blocks[0].content == visible(text, keep="\n") + "\n"


@pytest.mark.parametrize(
    ("result", "is_now"),
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
def test_markdown_pieces_have_their_expected_form(result: str, is_now: str) -> None:
    assert result == is_now


STEP = ToolStep(1, 1, "read_note", '{"path": "x/n.md"}', "{}", 42, "", ("x/n.md",))


REFUSED = replace(STEP, number=2, arguments='{"path": "../x.md"}', refused="../x.md: points outside the tree", read=())


TURNS = (ModelTurn(1, "", 2, Usage(90, 5, False)), ModelTurn(2, "Yes.", 0, Usage(10, 5, False)))


DONE = Completion(
    model="mini at h",
    ended=EndReason.ANSWERED,
    why="",
    turns=TURNS,
    steps=(STEP, REFUSED),
    usage=Usage(100, 10, False),
    cost_cents=None,
    cited=(Cited("x/n.md", True, True), Cited("y.md", False, False)),
    missing=(),
    timings={"turn 1": 800.0, "turn 1 first text": 700.0, "turn 2": 1200.0, "step 1": 3.0},
)


def answered(tree: Tree) -> Trace:
    tree.note("x/n.md", "Quokka", "A quokka eats leaves.", days=300)
    tree.notes(30)
    trace = tree.ask("quokka")
    return replace(trace, answer=Answer("model", "## Summary\nYes.", trace.answer.prompt, "", ("x/n.md",), DONE))


def test_spent_tokens_are_shown() -> None:
    assert DONE.took_ms == 2003.0
    assert spent(DONE) == "mini at h: 2 calls, 2 tools, 100 tokens sent, 10 received, 2.0 s"
    dear = replace(
        DONE, cost_cents=0.12, usage=Usage(100, 10, True), turns=DONE.turns[:1], steps=(STEP,),
        timings={"turn 1": 800.0, "step 1": 3.0},
    )  # fmt: skip
    assert spent(dear) == "mini at h: 1 call, 1 tool, about 100 tokens sent, 10 received, 0.12 cents, 0.8 s"
    assert spent(replace(DONE, turns=())) == "mini at h: no call was completed"


def test_failed_call_counts_towards_the_time() -> None:
    failed = replace(DONE, ended=EndReason.FAILED, turns=TURNS[:1])
    assert failed.took_ms == 2003.0
    assert spent(failed) == "mini at h: 1 call, 2 tools, 100 tokens sent, 10 received, 2.0 s"
    alone = replace(failed, turns=(), steps=(), timings={"turn 1": 60_000.0, "turn 1 first text": 50_000.0})
    assert alone.took_ms == 60_000.0


def test_each_tool_call_has_a_line() -> None:
    assert called(1, STEP.tool, STEP.arguments) == '1. read_note {"path": "x/n.md"}'
    assert gave(REFUSED, 0) == "../x.md: points outside the tree, 0 ms"
    assert called(3, "search", "x" * 200) == f"3. search {'x' * 100}…"
    assert gave(STEP, 1.6) == "42 tokens, 2 ms"


def test_text_report_shows_the_models_work(tree: Tree) -> None:
    console = Console(width=100, record=True, file=None, quiet=True)
    with console.capture() as captured:
        console.quiet = False
        console.print(trace_report(answered(tree), {}, 100))
    text = captured.get()
    assert "by mini at h" in text
    assert "2 calls · 2 tools · 100 t in, 10 t out" in text
    assert "2. read_note" in text
    assert "## Summary\nYes." in "\n".join(line.strip() for line in text.splitlines())


def test_markdown_report_shows_the_models_work(tree: Tree) -> None:
    text = markdown_report(saved_now(answered(tree), NOW_MS))
    assert "by mini at h" in text
    assert "2 calls · 2 tools" in text
    assert "points outside the tree" in text
    assert "not grounded, because it is not in the tree: y.md" in text
