"""Fields of a frontmatter: where they stand, and set without a change to any other line."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.fields import BrokenFrontmatter, FieldsError, Value, fields_of, set_fields
from brvtui.tree.reading.frontmatter import parse
from tests.docs.pages import ROOT

SAMPLE = ROOT / "sample-tree" / ".brv" / "context-tree"
NOTE = """---
# how this note came to be
title:   "Token: rotation"   # shown
summary: >
  two lines
  of summary

tags: [auth,   'tokens', ]
related:
    - auth/a.md   # the first
    - auth/b.md

# signals
importance: 50
maturity: draft # for now
empty:
updatedAt: '2026-11-12T09:20:00.000Z'
---
# Body

maturity: draft
"""


def changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm="")
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("---", "+++")]


def test_where_fields_stand() -> None:
    found = {field.key: field for field in fields_of(NOTE)}
    texts = {key: NOTE[field.start : field.end] for key, field in found.items()}
    assert texts["title"] == '"Token: rotation"'
    assert texts["summary"] == ">\n  two lines\n  of summary"
    assert texts["tags"] == "[auth,   'tokens', ]"
    assert texts["related"] == "- auth/a.md   # the first\n    - auth/b.md"
    assert texts["empty"] == ""
    assert [NOTE[field.key_start : field.key_end] for field in found.values()] == list(found)
    assert [NOTE[item.start :].split()[0] for item in found["related"].items] == ["auth/a.md", "auth/b.md"]
    assert found["importance"].value == 50


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"maturity": "core"}, ["-maturity: draft # for now", "+maturity: core # for now"]),
        ({"importance": 68.0}, ["-importance: 50", "+importance: 68"]),
        ({"importance": 68.25}, ["-importance: 50", "+importance: 68.25"]),
        ({"importance": 50, "maturity": "draft"}, []),
        ({"title": "Other"}, ['-title:   "Token: rotation"   # shown', '+title:   "Other"   # shown']),
        ({"empty": "no"}, ["-empty:", "+empty: 'no'"]),
        ({"tags": ["a", "b: c"]}, ["-tags: [auth,   'tokens', ]", "+tags: [a, 'b: c']"]),
        ({"related": ["x/y.md"]}, ["-    - auth/a.md   # the first", "-    - auth/b.md", "+    - x/y.md"]),
        ({"related": []}, ["-related:", "-    - auth/a.md   # the first", "-    - auth/b.md", "+related: []"]),
        ({"summary": "short"}, ["-summary: >", "-  two lines", "-  of summary", "+summary: short"]),
        ({"summary": "a\nb"}, ["-summary: >", "-  two lines", "-  of summary", '+summary: "a\\nb"']),
        (
            {"updatedAt": "2027-01-01T00:00:00.000Z"},
            ["-updatedAt: '2026-11-12T09:20:00.000Z'", "+updatedAt: '2027-01-01T00:00:00.000Z'"],
        ),
        (
            {"recency": 0.5, "createdAt": "2027-01-01T00:00:00.000Z", "note": "1e3"},
            ["+recency: 0.5", "+createdAt: '2027-01-01T00:00:00.000Z'", "+note: '1e3'"],
        ),
    ],
)
def test_only_lines_of_changed_fields_change(values: dict[str, Value], lines: list[str]) -> None:
    made = set_fields(NOTE, values)
    assert changed_lines(NOTE, made) == lines
    assert made.endswith("# Body\n\nmaturity: draft\n")


@pytest.mark.parametrize("file", sorted(SAMPLE.rglob("*.md")), ids=lambda file: file.stem)
def test_the_sample_notes(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    made = set_fields(text, {"importance": 12.5, "maturity": "validated"})
    lines = changed_lines(text, made)
    assert parse(made).fields["importance"] == 12.5
    assert all(line[1:].startswith(("importance:", "maturity:", "---")) for line in lines)
    assert made.count("\n") - text.count("\n") in (0, 1, 2, 4)


def test_true_is_no_number() -> None:
    text = "---\naccessCount: false\nrecency: true\ndone: 1\n---\n"
    made = set_fields(text, {"accessCount": 0, "recency": 1.0, "done": True})
    assert made == "---\naccessCount: 0\nrecency: 1\ndone: true\n---\n"


def test_line_ends_stay() -> None:
    text = "---\r\na: 1\r\n---\r\nbody\r\n"
    assert set_fields(text, {"a": 2, "b": 3}) == "---\r\na: 2\r\nb: 3\r\n---\r\nbody\r\n"
    assert set_fields("body\r\n", {"a": 2, "b": "x"}) == "---\r\na: 2\r\nb: x\r\n---\r\nbody\r\n"
    assert set_fields("", {"a": 2}) == "---\na: 2\n---\n"
    assert set_fields("---\n---\n", {"a": 2}) == "---\na: 2\n---\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\na: [1\n---\n", "cannot be read"),
        ("---\na: 1\na: 2\n---\n", "the key a stands twice"),
        ("---\n- 1\n---\n", "not a mapping"),
        ("---\n{a: 1}\n---\n", "edit it as text"),
        ("---\nx: &x 1\na: *x\n---\n", "edit it as text"),
        ("---\na: &x 1\nx: *x\n---\n", "edit it as text"),
    ],
)
def test_what_cannot_be_set(text: str, said: str) -> None:
    with pytest.raises(FieldsError, match=said):
        set_fields(text, {"b" if "{" in text else "a": 5})


@pytest.mark.parametrize(
    ("block", "said", "offset"),
    [
        ("a: [1\nb: 2\n", "did not find expected ',' or ']'", 7),
        ("ü: ö\na: {b: 1\nc: 2\n", "did not find expected ',' or '}'", 12),
        ("ok: 1\na b\nc: 2\nd: 3\n", "could not find expected ':'", 10),
        ("a b\nc: 2\n", "mapping values are not allowed", 4),
        ("a: 1\n  c: 2\n", "mapping values are not allowed", 12),
        ("a: b: c\n", "mapping values are not allowed", 8),
        ("ok: 1\n\tx: 1\n", "a tab character that violates indentation", 10),
        ("a: 'x\n", "found unexpected end of stream", 7),
        ("a: *nope\n", "undefined alias", 7),
        ("a: !!int x\n", "invalid literal", 4),
        ("- 1\n", "not a mapping", 4),
        ("a: \x07\n", "unacceptable character", 4),
    ],
)
def test_what_is_broken_and_where(block: str, said: str, offset: int) -> None:
    with pytest.raises(BrokenFrontmatter, match=said) as error:
        fields_of(f"---\n{block}---\n")
    assert error.value.offset == offset


YAML = st.text(st.sampled_from("ab:-#'\"[]{}|>&*!? \n\t0é😀\r"), max_size=40)
VALUES = st.one_of(st.text(max_size=12), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


@given(
    YAML, st.sampled_from(["a", "b", "key", "x y", "é"]), st.one_of(VALUES, st.lists(st.text(max_size=5), max_size=3))
)
def test_a_field_is_set_or_refused(block: str, key: str, value: Value) -> None:
    text = f"---\n{block}\n---\nbody\n"
    try:
        made = set_fields(text, {key: value})
    except FieldsError:
        return
    assert parse(made).fields[key] == value
    assert {**parse(text).fields, key: value} == parse(made).fields
    assert made.endswith("body\n")


@given(YAML)
def test_nothing_else_is_raised(block: str) -> None:
    begin, end = 4, len(block) + 5
    try:
        places = [(field.start, field.end) for field in fields_of(f"---\n{block}\n---\n")]
    except BrokenFrontmatter as error:
        places = [(error.offset, error.offset)]
    assert all(begin <= start <= last <= end for start, last in places)
