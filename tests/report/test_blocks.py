"""Blocks as lines: the widths, the beginnings of paragraphs, and where they end."""

from __future__ import annotations

import pytest

from brvtui.paint.blocks import Block, Ends, Marked, Rule, Text, lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.line import Line, line
from brvtui.paint.text import kept_whole
from brvtui.trace import Stage

LONG = "carrier pigeons resend webhooks when nobody answers for a while"


def _plain(*blocks: Block, width: int = 24) -> list[str]:
    return [one.plain for one in lines_of(blocks, width, UNICODE)]


def test_a_paragraph_hangs_below_its_beginning_and_leaves_cells_free() -> None:
    assert _plain(Text(LONG, before="   ", after=4)) == [
        "   carrier pigeons",
        "   resend webhooks",
        "   when nobody",
        "   answers for a",
        "   while",
    ]
    assert _plain(Text(LONG, before=line(" ⚠ ", "warn"), limit=2)) == [" ⚠ carrier pigeons", "   resend webhooks when"]
    assert _plain(Text("")) == [" "]


def test_a_beginning_keeps_its_role_and_the_others_are_blank() -> None:
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


def test_blocks_can_be_made_lines_of_again_at_another_width() -> None:
    blocks: list[Block] = [Ends(line(LONG), line("0.82")), line(LONG), Text(LONG, before=line("    "))]
    wide = _plain(*blocks, width=40)
    assert max(map(len, _plain(*blocks, width=5))) <= 5
    assert _plain(*blocks, width=40) == wide


def test_nothing_is_cut_or_wrapped_for_a_file() -> None:
    with kept_whole():
        assert _plain(Text(LONG), line(LONG), Ends(line(LONG), line("0.82")), width=10) == [
            f" {LONG}",
            LONG,
            f"{LONG}  0.82",
        ]


def test_control_characters_are_shown_and_not_written() -> None:
    (shown,) = _plain(Text("a\x1b[31mb"))
    assert "\x1b" not in shown
    assert "[31mb" in shown


def test_what_follows_a_very_long_text_is_left_out() -> None:
    shown = _plain(Marked("row\n" * 5000), Rule("after it"))
    assert 1500 < len(shown) < 1510
    assert shown[-1].endswith("more lines")
    assert _plain(Marked("row\n" * 3), Rule("after it"))[-1].startswith("┄┄ after it")


def test_a_stage_is_one_line_and_conserves_its_counts() -> None:
    (shown,) = _plain(Stage("least score", 9, 2, 7, ""), width=60)
    assert "9 − 2     = 7" in shown
