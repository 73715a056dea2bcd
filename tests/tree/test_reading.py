"""The engine's reading limits, and its definition of white space."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.reading.contents import Unseen, check_readable, cut, read_note, title_of
from brvtui.tree.reading.javascript import SPACE, spaced_words
from tests.support.examples import examples
from tests.support.trees import BRV3, changed

LIMITS = BRV3.limits
MEGABYTES_10 = 10 * 1024 * 1024


def _short(value: object) -> str:
    return repr(value)[:24]


def is_seen(data: bytes) -> bool:
    try:
        check_readable(data, LIMITS)
    except Unseen:
        return False
    return True


@pytest.mark.parametrize(("size", "seen"), [(MEGABYTES_10, True), (MEGABYTES_10 + 1, False)])
def test_file_above_ten_megabytes_is_not_read(tmp_path: Path, size: int, seen: bool) -> None:
    file = tmp_path / "n.md"
    file.write_bytes(b"a" * size)
    if seen:
        assert read_note(file, size, LIMITS).text.startswith("aaa")
    else:
        with pytest.raises(Unseen, match="larger than 10 MB"):
            read_note(file, size, LIMITS)


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"a" * 4095 + "é".encode() + b"b" * 100, False),
        (b"a" * 4094 + "é".encode() + b"b" * 100, True),
        (b"a" * 4096 + "é".encode(), True),
        (b"a" * 4094 + "日".encode() + b"b", False),
        (b"a" * 4093 + "日".encode() + b"b", True),
        (b"a" * 4093 + "😀".encode(), False),
        (b"a" * 4092 + "😀".encode(), True),
    ],
    ids=_short,
)
def test_character_cut_at_byte_4096_hides_the_note(data: bytes, seen: bool) -> None:
    assert is_seen(data) == seen


def test_cut_character_is_given_as_the_reason() -> None:
    with pytest.raises(Unseen, match="byte 4096 cuts a character"):
        check_readable(b"a" * 4095 + "é".encode() + b"b", LIMITS)


@pytest.mark.parametrize(
    ("controls", "size", "seen"),
    [(10, 100, True), (11, 100, False), (100, 1000, True), (101, 1000, False), (409, 4096, True), (410, 4096, False)],
)
def test_file_may_contain_ten_percent_control_bytes(controls: int, size: int, seen: bool) -> None:
    assert is_seen(b"\x01" * controls + b"a" * (size - controls)) == seen


def test_share_of_control_bytes_counts_bytes_not_characters() -> None:
    assert is_seen(b"\x01" * 11 + "é".encode() * 88)
    assert not is_seen(b"\x01" * 11 + b"e" * 88)


@pytest.mark.parametrize("byte", [1, 8, 0x0E, 0x1F])
def test_control_characters_count_as_binary(byte: int) -> None:
    assert not is_seen(bytes([byte]) * 11 + b"a" * 89)


@pytest.mark.parametrize("text", ["\t", "\n", "\x0b", "\x0c", "\r", "\x7f", "\x80", "\x9f", "\u200b"])
def test_white_space_and_other_characters_do_not_count_as_binary(text: str) -> None:
    assert is_seen((text * 50).encode())


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"", True),
        (b"\0", False),
        (b"a" * 4095 + b"\0", False),
        (b"a" * 4096 + b"\0", True),
        (b"caf\xe9", False),
        (b"a" * 4096 + b"\xe9\xff", True),
        ("a\ufffdb".encode(), False),
        (b"a" * 4096 + "\ufffd".encode(), True),
        (b"\xed\xa0\x80", False),
        (b"\xc0\xaf", False),
        (b"ab\xe6\x97", False),
        ("ab".encode("utf-16"), False),
        ("日本".encode("utf-16-le"), False),
        (b"\xef\xbb\xbfabc", True),
    ],
    ids=_short,
)
def test_file_with_a_binary_start_is_not_read(data: bytes, seen: bool) -> None:
    assert is_seen(data) == seen


def test_late_invalid_bytes_become_replacement_characters(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_bytes((b"a" * 70 + b"\n") * 60 + b"\xe9\0")
    assert read_note(file, file.stat().st_size, LIMITS).text.endswith("\n\ufffd\0")


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + "..."),
        ("x" * 2000 + "\r", "x" * 2000 + "..."),
        ("x" * 1999 + "\r", "x" * 1999 + "\r"),
        ("😀" * 1000, "😀" * 1000),
        ("😀" * 1001, "😀" * 1000 + "..."),
        ("😀" * 1500, "😀" * 1000 + "..."),
        ("x" + "😀" * 1000, "x" + "😀" * 999 + "\ud83d..."),
        ("é" * 2000, "é" * 2000),
        ("é" * 2001, "é" * 2000 + "..."),
    ],
    ids=_short,
)
def test_lines_are_cut_after_2000_units(line: str, kept: str) -> None:
    read = cut(line, LIMITS)
    assert read.text == kept
    assert read.cut_units == (line != kept)
    assert cut(f"short\n{line}\nshort", LIMITS).text == f"short\n{kept}\nshort"


@pytest.mark.parametrize(
    ("text", "kept", "lost"),
    [
        ("l\n" * 1999, "l\n" * 1999, 0),
        ("l\n" * 2000, "l\n" * 1999 + "l", 1),
        ("l\n" * 1999 + "l", "l\n" * 1999 + "l", 0),
        ("l\n" * 2000 + "beyond", "l\n" * 1999 + "l", 1),
        ("l\r\n" * 2000, "l\r\n" * 1999 + "l\r", 1),
        ("l\n" * 2005, "l\n" * 1999 + "l", 6),
        ("l\r" * 3000, ("l\r" * 3000)[:2000] + "...", 0),
    ],
    ids=_short,
)
def test_files_are_cut_after_2000_lines(text: str, kept: str, lost: int) -> None:
    read = cut(text, LIMITS)
    assert read.text == kept
    assert read.cut_lines == lost


@given(st.text(st.sampled_from("ab\n\ré😀"), max_size=60), st.integers(1, 8), st.integers(1, 8))
def test_cut_respects_its_limits(text: str, lines: int, units: int) -> None:
    limits = changed(BRV3, limits={"max_lines": lines, "max_line_units": units}).limits
    expected = []
    for line in text.split("\n")[:lines]:
        data = line.encode("utf-16-le", "surrogatepass")
        shortened = len(data) > 2 * units
        expected.append(data[: 2 * units].decode("utf-16-le", "surrogatepass") + "..." * shortened)
    assert cut(text, limits).text == "\n".join(expected)


@given(st.binary(max_size=300))
def test_any_readable_bytes_have_a_title(data: bytes) -> None:
    if is_seen(data):
        text = data.decode("utf-8", "replace")
        assert isinstance(title_of(cut(text, LIMITS).text, "n.md"), str)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Plain", "Plain"),
        ("#   Spaced Title   \n", "Spaced Title"),
        ("# Title #", "Title #"),
        ("# **bold** `code`", "**bold** `code`"),
        ("#\tTab", "n"),
        ("#\u00a0Nbsp", "n"),
        ("#tight", "n"),
        (" # indented", "n"),
        ("## second level", "n"),
        ("# \n# Next", "Next"),
        ("#  \n# Next", ""),
        ("# \u00a0\t\n", ""),
        ("#\n", "n"),
        ("---\n# infront\n---\n# Later", "infront"),
        ("---\ntitle: Ignored\n---\ntext", "n"),
        ("```\n# fenced\n```", "fenced"),
        ("text\n\n# Later", "Later"),
        ("\ufeff# Behind the mark", "n"),
        ("\ufeff# Behind\n# Later", "Later"),
        ("a\r# After a lone return", "After a lone return"),
        ("a\u2028# After a line separator", "After a line separator"),
        ("a\u2029# After a paragraph separator", "After a paragraph separator"),
        ("a\u0085# Not after NEL", "n"),
        ("a\x0b# Not after VT", "n"),
        ("# Ends here\rrest", "Ends here"),
        ("# Windows\r\n", "Windows"),
        ("", "n"),
    ],
)
def test_title_comes_from_the_first_heading(text: str, title: str) -> None:
    assert title_of(text, "n.md") == title


@pytest.mark.parametrize(
    ("name", "title"), [("dotted.name.md", "dotted.name"), ("Cap Name.md", "Cap Name"), ("md.md.md", "md.md")]
)
def test_note_without_a_heading_is_named_after_its_file(name: str, title: str) -> None:
    assert title_of("text", name) == title


_ODD = st.text(st.sampled_from([*SPACE, *"\x1c\x1d\x1e\x1f\x85\x00\x7f", "a", "é", "漢"]), max_size=12)


@examples(1_000)
@given(text=st.text(max_size=12) | _ODD)
def test_words_are_split_only_at_javascript_white_space(text: str) -> None:
    assert spaced_words(text) == [word for word in re.split(f"[{SPACE}]+", text) if word]
    assert spaced_words("a\x1cb\x1fc d") == ["a\x1cb\x1fc", "d"]
