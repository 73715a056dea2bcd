"""Wrapping text with several roles: nothing is lost or too wide, and links keep their positions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from brvtui.paint.flow import Piece, Spot, chop, column_widths, flow, line_of, spots_in, table, width_of
from brvtui.paint.text import breaks, wrap

_TEXT = st.text("ab 日é", max_size=20)
_PIECES = st.lists(
    st.builds(Piece, _TEXT, st.sampled_from(["text", "bold text"]), st.sampled_from([-1, 0, 1])), max_size=6
)


def _text(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


@given(_TEXT, st.integers(4, 30))
def test_line_breaks_drop_only_spaces(text: str, width: int) -> None:
    ranges = breaks(text, width)
    assert [text[start:end] for start, end in ranges] == wrap(text, width)
    assert all(cell_len(text[start:end]) <= width for start, end in ranges)
    ends = [0, *(place for pair in ranges for place in pair), len(text)]
    assert ends == sorted(ends)
    assert not "".join(text[ends[n] : ends[n + 1]] for n in range(0, len(ends), 2)).strip()


@given(_PIECES, st.integers(4, 30))
def test_rows_keep_every_letter_with_its_role(pieces: list[Piece], width: int) -> None:
    rows = flow(pieces, width)
    assert all(width_of(row) <= width for row in rows)
    given_letters = [(char, piece.role, piece.link) for piece in pieces for char in piece.text if char != " "]
    result = [(char, piece.role, piece.link) for row in rows for piece in row for char in piece.text if char != " "]
    assert result == given_letters


@given(_PIECES, st.integers(4, 30))
def test_chopped_rows_join_to_the_text(pieces: list[Piece], width: int) -> None:
    rows = chop(pieces, width)
    assert "".join(_text(row) for row in rows) == _text(pieces)
    assert all(width_of(row) <= width for row in rows)


def test_line_feed_ends_a_row() -> None:
    assert [_text(row) for row in flow([Piece("one\ntwo"), Piece(" three\n")], 20)] == ["one", "two three", ""]


def test_link_across_rows_has_a_spot_in_each_row() -> None:
    rows = flow([Piece("see "), Piece("the long name", "link", 3), Piece(".")], 9)
    assert [_text(row) for row in rows] == ["see the", "long", "name."]
    spots = [spot for number, row in enumerate(rows) for spot in spots_in(row, number)]
    assert spots == [(3, Spot(0, 4, 7)), (3, Spot(1, 0, 4)), (3, Spot(2, 0, 4))]


def test_link_with_two_roles_is_one_spot() -> None:
    row = [Piece("a "), Piece("bold", "bold", 0), Piece(" rest", "text", 0), Piece("x", "text", 1)]
    assert list(spots_in(row, 7)) == [(0, Spot(7, 2, 11)), (1, Spot(7, 11, 12))]


def test_adjacent_pieces_of_one_role_become_one_span() -> None:
    assert line_of([Piece("a"), Piece("b", "text", 2), Piece(""), Piece("c", "muted")]).spans == [
        ("ab", "text"),
        ("c", "muted"),
    ]


class TestTables:
    ROWS = (
        ([Piece("Name")], [Piece("A long description")]),
        ([Piece("x")], [Piece("words that need more room than there is")]),
    )

    def test_columns_are_as_wide_as_their_cells_if_there_is_room(self) -> None:
        assert column_widths(self.ROWS, 80) == [4, 39]

    def test_widest_column_shrinks_first(self) -> None:
        assert column_widths(self.ROWS, 30) == [4, 24]
        result = [_text(row) for row in table(self.ROWS, ["left", "right"], 30, "-")]
        assert result == [
            "Name        A long description",
            "----  ------------------------",
            "x         words that need more",
            "            room than there is",
        ]

    def test_table_rows_may_have_fewer_cells(self) -> None:
        rows = [[[Piece("a")], [Piece("b")]], [[Piece("c")]]]
        assert [_text(row) for row in table(rows, [], 20, "-")] == ["a  b", "-  -", "c"]

    @given(st.lists(st.lists(st.text("ab ", max_size=12), min_size=1, max_size=4), min_size=1, max_size=4))
    def test_no_line_is_wider_than_its_columns(self, cells: list[list[str]]) -> None:
        rows = [[[Piece(cell)] for cell in row] for row in cells]
        widths = column_widths(rows, 30)
        assert all(width_of(row) <= sum(widths) + 2 * (len(widths) - 1) for row in table(rows, [], 30, "-"))
