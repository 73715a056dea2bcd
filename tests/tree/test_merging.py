"""Differences and merges of two texts with a common base."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing import merging
from brvtui.tree.editing.merging import DiffLine, Merged, Side, difference, merged

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d e\n", "a"]), max_size=9).map("".join)


@given(TEXT, TEXT)
def test_merge_takes_the_only_changed_text(base: str, changed: str) -> None:
    assert merged(base, changed, base) == Merged(changed, 0)
    assert merged(base, base, changed) == Merged(changed, 0)
    assert merged(base, changed, changed) == Merged(changed, 0)


@given(TEXT, TEXT, TEXT)
def test_merge_keeps_every_new_line(base: str, mine: str, theirs: str) -> None:
    result = merged(base, mine, theirs)
    old, lines = set(base.split("\n")), result.text.split("\n")
    for text in (mine, theirs):
        assert set(text.split("\n")) - old <= set(lines)
    assert lines.count("<<<<<<< mine") == lines.count(">>>>>>> theirs") == result.conflicts


@given(TEXT, TEXT, TEXT)
def test_merge_is_symmetric(base: str, mine: str, theirs: str) -> None:
    result, turned = merged(base, mine, theirs), merged(base, theirs, mine)
    assert result.conflicts == turned.conflicts
    assert result.conflicts or result.text == turned.text


@given(TEXT, TEXT)
def test_difference_contains_both_texts(mine: str, theirs: str) -> None:
    hunks = difference(mine, theirs, context=100)
    assert bool(hunks) is (mine != theirs)
    lines = [line for hunk in hunks for line in hunk.lines]
    for text, other in ((mine, Side.THEIRS), (theirs, Side.MINE)):
        if hunks:
            assert [line.text for line in lines if line.side is not other] == (
                text.removesuffix("\n").split("\n") if text else []
            )


def test_changes_in_different_places_are_merged() -> None:
    base = "one\ntwo\nthree\nfour\nfive\n"
    result = merged(base, base.replace("one", "ONE"), base.replace("five", "FIVE\nsix"))
    assert result == Merged("ONE\ntwo\nthree\nfour\nFIVE\nsix\n", 0)


def test_changes_in_the_same_place_conflict() -> None:
    result = merged("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc")
    assert result == Merged("a\n<<<<<<< mine\nmine\nc\n=======\ntheirs\nc\n>>>>>>> theirs\n", 1)
    result = merged("a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n")
    assert result == Merged("a\n<<<<<<< mine\nmine\n=======\ntheirs\n>>>>>>> theirs\nc\n", 1)


def test_difference_has_line_numbers() -> None:
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
def test_equal_texts_have_no_difference(text: str) -> None:
    assert difference(text, text) == ()


def test_long_texts_are_compared_quickly() -> None:
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
def test_expensive_comparison_falls_back_to_a_coarse_one(monkeypatch: pytest.MonkeyPatch, pairs: int) -> None:
    monkeypatch.setattr(merging, "_MOST_STEPS", 0)
    monkeypatch.setattr(merging, "_MOST_PAIRS", pairs)
    test_merge_takes_the_only_changed_text()
    test_merge_keeps_every_new_line()
    test_merge_is_symmetric()
    test_difference_contains_both_texts()


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("a\n" * 1_999, "a\nb\n" * 999),
        ("".join(f"{number % 200}\n" for number in range(60_000)), "".join(f"{n * n % 200}\n" for n in range(60_000))),
    ],
    ids=["one line", "200 lines"],
)
def test_very_frequent_lines_are_compared_quickly(mine: str, theirs: str) -> None:
    began = time.process_time()
    assert difference(mine, theirs)
    assert time.process_time() - began < 10
