"""Text to edit: any bytes come back as they were; differences and merges of two texts."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brvtui.tree.editing import merging
from brvtui.tree.editing.merging import DiffLine, Merged, Side, difference, merged
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
def test_any_bytes_come_back(data: bytes) -> None:
    note = note_text(data)
    assert note.encode(note.text) == data


@given(DATA)
def test_lines_break_at_line_feeds_alone(data: bytes) -> None:
    text = note_text(data).text
    assert text.splitlines() == (text.removesuffix("\n").split("\n") if text else [])
    assert all(char.isprintable() or char in "\n\t" or ord(char) > 0x9F for char in text)
    text.encode()  # no surrogates


@given(DATA, st.integers(0, 80), st.integers(0, 80), TYPED)
def test_no_byte_outside_an_edit_changes(data: bytes, one: int, other: int, typed: str) -> None:
    note = note_text(data)
    start, end = sorted((min(one, len(note.text)), min(other, len(note.text))))
    edited = note.encode(note.text[:start] + typed + note.text[end:])
    head, tail = note.encode(note.text[:start]), note.encode(note.text[end:])
    tail = tail[3:] if note.has_bom else tail
    assert data.startswith(head)
    assert data.endswith(tail)
    assert edited == head + typed.replace("\n", note.newline).encode() + tail


@given(DATA)
def test_plain_text_stands_where_the_text_to_edit_does(data: bytes) -> None:
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
def test_a_text_that_takes_the_place_of_another_can_be_undone(data: bytes, other: bytes, typed: str) -> None:
    before = note_text(data)
    shown = before.text + typed
    after = note_text(other, before, shown)
    assert after.encode(after.text) == other
    if before.marks.items() <= after.marks.items():
        assert after.plain(shown) == before.plain(shown)
    else:
        assert any(mark in other.decode("utf-8", "surrogateescape") for mark in before.marks)


@given(DATA, st.text(max_size=8))
def test_what_has_no_mark_is_kept(data: bytes, typed: str) -> None:
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
def test_line_ends(data: bytes, newline: str, text: str) -> None:
    note = note_text(data)
    assert (note.newline, note.text) == (newline, text)


def test_marks_are_told() -> None:
    note = note_text("a\x1b[2Jb\u202ec".encode() + b"\xe9\x0c")
    assert note.text == "a␛[2Jb\ue02ec⣩␌"
    assert note.legend == (
        ("␌", "U+000C"),
        ("␛", "escape"),
        ("\ue02e", "U+202E"),
        ("⣩", "byte E9, no UTF-8"),
    )
    assert note_text("plain é\n".encode()).legend == ()


def test_a_mark_that_stands_in_the_note_is_not_used() -> None:
    note = note_text("␛ \x1b".encode())
    assert note.text == "␛ ⠁"
    assert note.plain("␛⠁") == "␛\x1b"


def test_marks_are_always_found() -> None:
    common = "".join(map(chr, [*range(0x2400, 0x2440), *range(0x2800, 0x2900), *range(0xE000, 0xF900)]))
    note = note_text(f"{common}\x1b\x0c".encode())
    assert note.text == f"{common}\U000f0001\U000f0000"


def test_half_a_character_that_is_pasted_is_replaced() -> None:
    assert note_text(b"a\xff").encode("a\ud800⣿") == "a\ufffd".encode() + b"\xff"


@pytest.mark.parametrize("data", ["text".encode("utf-16"), b"\0", b"a\0b"])
def test_what_is_not_text_is_refused(data: bytes) -> None:
    with pytest.raises(NotText, match="UTF-16 or binary"):
        note_text(data)


TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d e\n", "a"]), max_size=9).map("".join)


@given(TEXT, TEXT)
def test_one_changed_text_wins(base: str, changed: str) -> None:
    assert merged(base, changed, base) == Merged(changed, 0)
    assert merged(base, base, changed) == Merged(changed, 0)
    assert merged(base, changed, changed) == Merged(changed, 0)


@given(TEXT, TEXT, TEXT)
def test_no_new_line_of_either_is_lost(base: str, mine: str, theirs: str) -> None:
    made = merged(base, mine, theirs)
    old, lines = set(base.split("\n")), made.text.split("\n")
    for text in (mine, theirs):
        assert set(text.split("\n")) - old <= set(lines)
    assert lines.count("<<<<<<< mine") == lines.count(">>>>>>> theirs") == made.conflicts


@given(TEXT, TEXT, TEXT)
def test_a_merge_is_the_same_from_both_sides(base: str, mine: str, theirs: str) -> None:
    made, turned = merged(base, mine, theirs), merged(base, theirs, mine)
    assert made.conflicts == turned.conflicts
    assert made.conflicts or made.text == turned.text


@given(TEXT, TEXT)
def test_a_difference_tells_both_texts(mine: str, theirs: str) -> None:
    hunks = difference(mine, theirs, context=100)
    assert bool(hunks) is (mine != theirs)
    lines = [line for hunk in hunks for line in hunk.lines]
    for text, other in ((mine, Side.THEIRS), (theirs, Side.MINE)):
        if hunks:
            assert [line.text for line in lines if line.side is not other] == (
                text.removesuffix("\n").split("\n") if text else []
            )


def test_changes_in_two_places_come_together() -> None:
    base = "one\ntwo\nthree\nfour\nfive\n"
    made = merged(base, base.replace("one", "ONE"), base.replace("five", "FIVE\nsix"))
    assert made == Merged("ONE\ntwo\nthree\nfour\nFIVE\nsix\n", 0)


def test_changes_in_one_place_need_a_decision() -> None:
    made = merged("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc")
    assert made == Merged("a\n<<<<<<< mine\nmine\nc\n=======\ntheirs\nc\n>>>>>>> theirs\n", 1)
    made = merged("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")
    assert made == Merged("a\n<<<<<<< mine\nmine\n=======\ntheirs\n>>>>>>> theirs\nc\n", 1)


def test_a_difference_numbers_its_lines() -> None:
    base = "".join(f"line {number}\n" for number in range(1, 30))
    first, last = difference(base.replace("line 3\n", "three\n"), base.replace("line 25\n", ""))
    assert first.lines[0] == DiffLine(Side.BOTH, "line 1", 1, 1)
    assert [line for line in first.lines if line.side is not Side.BOTH] == [
        DiffLine(Side.THEIRS, "line 3", None, 3),
        DiffLine(Side.MINE, "three", 3, None),
    ]
    assert len(first.lines) == 7
    assert [line for line in last.lines if line.side is not Side.BOTH] == [DiffLine(Side.MINE, "line 25", 25, None)]
    assert last.lines[-1] == DiffLine(Side.BOTH, "line 28", 28, 27)


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n"])
def test_equal_texts_do_not_differ(text: str) -> None:
    assert difference(text, text) == ()


def test_a_long_text_is_compared_at_once() -> None:
    begun = time.monotonic()
    text = "".join(f"{number}\n\n" for number in range(20_000))
    mine, theirs = text.replace("7\n\n", "seven\n\n", 1), text.replace("19995\n", "late\n")
    first, last = difference(mine, theirs)
    assert [(line.side, line.text) for line in (*first.lines, *last.lines) if line.side is not Side.BOTH] == [
        (Side.THEIRS, "7"),
        (Side.MINE, "seven"),
        (Side.THEIRS, "late"),
        (Side.MINE, "19995"),
    ]
    assert merged(text, mine, theirs) == Merged(mine.replace("19995\n", "late\n"), 0)
    assert difference("a" + "\n" * 20_000, "\n" * 20_000 + "b")
    assert time.monotonic() - begun < 20, "minutes, when every line is looked for among all others"


@pytest.mark.parametrize("pairs", [merging._MOST_PAIRS, 0])
def test_what_takes_too_many_steps_is_compared_more_coarsely(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    monkeypatch.setattr(merging, "_MOST_STEPS", 0)
    monkeypatch.setattr(merging, "_MOST_PAIRS", pairs)
    test_one_changed_text_wins()
    test_no_new_line_of_either_is_lost()
    test_a_merge_is_the_same_from_both_sides()
    test_a_difference_tells_both_texts()


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("a\n" * 1_999, "a\nb\n" * 999),
        ("".join(f"{number % 200}\n" for number in range(60_000)), "".join(f"{n * n % 200}\n" for n in range(60_000))),
    ],
    ids=["one line", "200 lines"],
)
def test_lines_that_stand_everywhere_take_no_minutes(mine: str, theirs: str) -> None:
    began = time.process_time()
    assert difference(mine, theirs)
    assert time.process_time() - began < 10
