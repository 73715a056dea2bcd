"""Editable text of any bytes."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brvtui.tree.editing.note_text import NotText, note_text, without_hidden

PIECES = st.sampled_from(
    [
        *(b"\r\n", b"\n", b"\r", b"a", b"b c", b"---", b"\t", b"\xff", b"\xc3", b"\xa9", b"\xef\xbb\xbf"),
        *("é日😀".encode(), b"\x1b[2J", b"\x0c", b"\x7f"),
        *("\u2028\u2029\x85\x1c\u202e\ufeff".encode(), "␍⣿⠁\ue000".encode()),
    ]
)


DATA = st.one_of(st.lists(PIECES, max_size=12).map(b"".join), st.binary(max_size=60)).map(
    lambda data: data.replace(b"\0", b"0")
)


TYPED = st.text(st.sampled_from("ab é日😀\n\t#-"), max_size=8)


@given(DATA)
@example(b"\xef\xbb\xbf\xef\xbb\xbf")
def test_any_bytes_are_preserved(data: bytes) -> None:
    note = note_text(data)
    assert note.encode(note.text) == data


@given(DATA)
def test_lines_break_only_at_line_feeds(data: bytes) -> None:
    text = note_text(data).text
    assert text.splitlines() == (text.removesuffix("\n").split("\n") if text else [])
    assert all(char.isprintable() or char in "\n\t" or ord(char) > 0x9F for char in text)
    text.encode()  # fails if the text contains surrogates


@given(DATA, st.integers(0, 80), st.integers(0, 80), TYPED)
def test_edit_changes_no_byte_outside_itself(data: bytes, one: int, other: int, typed: str) -> None:
    note = note_text(data)
    start, end = sorted((min(one, len(note.text)), min(other, len(note.text))))
    edited = note.encode(note.text[:start] + typed + note.text[end:])
    head, tail = note.encode(note.text[:start]), note.encode(note.text[end:])
    tail = tail[3:] if note.has_bom else tail
    assert data.startswith(head)
    assert data.endswith(tail)
    assert edited == head + typed.replace("\n", note.newline).encode() + tail


@given(DATA)
def test_plain_text_positions_match_the_editable_text(data: bytes) -> None:
    note = note_text(data)
    plain = note.plain(note.text)
    assert len(plain) == len(note.text)
    assert plain.count("\n") == note.text.count("\n")
    decoded = data.decode("utf-8", "surrogateescape")
    assert plain.replace("\n", note.newline) == (decoded[1:] if note.has_bom else decoded)
    assert note.encode_plain(plain) == data


@given(DATA, DATA, st.one_of(TYPED, st.sampled_from("␍⣿⠁␛\ue000")))
@example(b"a\x1b", b"\xff\x1b", "")
@example(b"a", b"\x1b", "␛")
def test_replaced_text_can_be_restored(data: bytes, other: bytes, typed: str) -> None:
    before = note_text(data)
    shown = before.text + typed
    after = note_text(other, before, shown)
    assert after.encode(after.text) == other
    if before.marks.items() <= after.marks.items():
        assert after.plain(shown) == before.plain(shown)
    else:
        assert any(mark in other.decode("utf-8", "surrogateescape") for mark in before.marks)


@given(DATA, st.text(max_size=8))
def test_characters_without_a_placeholder_are_kept(data: bytes, typed: str) -> None:
    kept = without_hidden(data.decode("utf-8", "surrogateescape").replace("\n", "") + typed)
    assert note_text(kept.encode()).marks == {}
    assert without_hidden(kept) == kept


@pytest.mark.parametrize(
    ("data", "newline", "text"),
    [
        (b"a\nb\n", "\n", "a\nb\n"),
        (b"a\r\nb", "\r\n", "a\nb"),
        (b"a\rb\r", "\r", "a\nb\n"),
        (b"a\r\nb\nc\r", "\n", "a␍\nb\nc␍"),
        (b"", "\n", ""),
    ],
)
def test_mixed_line_endings_are_normalised_for_editing(data: bytes, newline: str, text: str) -> None:
    note = note_text(data)
    assert (note.newline, note.text) == (newline, text)


def test_placeholders_are_explained_in_the_legend() -> None:
    note = note_text("a\x1b[2Jb\u202ec".encode() + b"\xe9\x0c")
    assert note.text == "a␛[2Jb\ue02ec⣩␌"
    assert note.legend == (
        ("␌", "U+000C"),
        ("␛", "escape"),
        ("\ue02e", "U+202E"),
        ("⣩", "byte E9, not UTF-8"),
    )
    assert note_text("plain é\n".encode()).legend == ()


def test_placeholder_that_occurs_in_the_note_is_not_used() -> None:
    note = note_text("␛ \x1b".encode())
    assert note.text == "␛ ⠁"
    assert note.plain("␛⠁") == "␛\x1b"


def test_unused_placeholders_are_always_found() -> None:
    common = "".join(map(chr, [*range(0x2400, 0x2440), *range(0x2800, 0x2900), *range(0xE000, 0xF900)]))
    note = note_text(f"{common}\x1b\x0c".encode())
    assert note.text == f"{common}\U000f0001\U000f0000"


def test_pasted_lone_surrogate_is_replaced() -> None:
    assert note_text(b"a\xff").encode("a\ud800⣿") == "a\ufffd".encode() + b"\xff"


@pytest.mark.parametrize("data", ["text".encode("utf-16"), b"\0", b"a\0b"])
def test_binary_data_is_refused(data: bytes) -> None:
    with pytest.raises(NotText, match="UTF-16 or binary"):
        note_text(data)
