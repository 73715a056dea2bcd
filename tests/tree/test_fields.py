"""Frontmatter fields: positions, and edits that keep other lines."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.fields import (
    BrokenFrontmatter,
    FieldsError,
    Value,
    double_quoted,
    fields_of,
    scalar,
    set_fields,
)
from brvtui.tree.reading.frontmatter import block_of, parse, scalars_under
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


def test_fields_have_their_positions_in_the_text() -> None:
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
    result = set_fields(NOTE, values)
    assert changed_lines(NOTE, result) == lines
    assert result.endswith("# Body\n\nmaturity: draft\n")


@pytest.mark.parametrize("file", sorted(SAMPLE.rglob("*.md")), ids=lambda file: file.stem)
def test_fields_of_all_sample_notes_can_be_set(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    result = set_fields(text, {"importance": 12.5, "maturity": "validated"})
    lines = changed_lines(text, result)
    assert parse(result).fields["importance"] == 12.5
    assert all(line[1:].startswith(("importance:", "maturity:", "---")) for line in lines)
    assert result.count("\n") - text.count("\n") in (0, 1, 2, 4)


def test_booleans_and_numbers_are_distinguished() -> None:
    text = "---\naccessCount: false\nrecency: true\ndone: 1\n---\n"
    result = set_fields(text, {"accessCount": 0, "recency": 1.0, "done": True})
    assert result == "---\naccessCount: 0\nrecency: 1\ndone: true\n---\n"


def test_setting_fields_keeps_line_endings() -> None:
    text = "---\r\na: 1\r\n---\r\nbody\r\n"
    assert set_fields(text, {"a": 2, "b": 3}) == "---\r\na: 2\r\nb: 3\r\n---\r\nbody\r\n"
    assert set_fields("body\r\n", {"a": 2, "b": "x"}) == "---\r\na: 2\r\nb: x\r\n---\r\nbody\r\n"
    assert set_fields("", {"a": 2}) == "---\na: 2\n---\n"
    assert set_fields("---\n---\n", {"a": 2}) == "---\na: 2\n---\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\na: [1\n---\n", "cannot be read"),
        ("---\na: 1\na: 2\n---\n", "the key a occurs twice"),
        ("---\n- 1\n---\n", "not a mapping"),
        ("---\n{a: 1}\n---\n", "edit it as text"),
        ("---\nx: &x 1\na: *x\n---\n", "edit it as text"),
        ("---\na: &x 1\nx: *x\n---\n", "edit it as text"),
    ],
)
def test_fields_of_broken_frontmatter_are_not_set(text: str, message: str) -> None:
    with pytest.raises(FieldsError, match=message):
        set_fields(text, {"b" if "{" in text else "a": 5})


@pytest.mark.parametrize(
    ("block", "message", "offset"),
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
def test_error_has_its_position_in_the_frontmatter(block: str, message: str, offset: int) -> None:
    with pytest.raises(BrokenFrontmatter, match=message) as error:
        fields_of(f"---\n{block}---\n")
    assert error.value.offset == offset


YAML = st.text(st.sampled_from("ab:-#'\"[]{}|>&*!? \n\t0é😀\r"), max_size=40)
VALUES = st.one_of(st.text(max_size=12), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans())


@given(
    YAML, st.sampled_from(["a", "b", "key", "x y", "é"]), st.one_of(VALUES, st.lists(st.text(max_size=5), max_size=3))
)
def test_setting_a_field_succeeds_or_is_refused(block: str, key: str, value: Value) -> None:
    text = f"---\n{block}\n---\nbody\n"
    try:
        result = set_fields(text, {key: value})
    except FieldsError:
        return
    assert parse(result).fields[key] == value
    assert {**parse(text).fields, key: value} == parse(result).fields
    assert result.endswith("body\n")


@given(YAML)
def test_reading_fields_raises_only_frontmatter_errors(block: str) -> None:
    begin, end = 4, len(block) + 5
    try:
        places = [(field.start, field.end) for field in fields_of(f"---\n{block}\n---\n")]
    except BrokenFrontmatter as error:
        places = [(error.offset, error.offset)]
    assert all(begin <= start <= last <= end for start, last in places)


READABLE = st.text(st.characters(exclude_categories=["Cs"])).filter(
    lambda text: not yaml.reader.Reader.NON_PRINTABLE.search(scalar(text))
)


@pytest.mark.parametrize(
    ("text", "in_block", "in_flow"),
    [
        ("auth/jwt/x.md", "auth/jwt/x.md", "auth/jwt/x.md"),
        ("a, b.md", "a, b.md", "'a, b.md'"),
        ("a/[b].md", "a/[b].md", "'a/[b].md'"),
        ("it's", "it's", "it's"),
        ("'it", "'''it'", "'''it'"),
        ("@a/b", "'@a/b'", "'@a/b'"),
        ("a: b", "'a: b'", "'a: b'"),
        ("a:b", "a:b", "a:b"),
        ("a #b", "'a #b'", "'a #b'"),
        ("a#b", "a#b", "a#b"),
        ("true", "'true'", "'true'"),
        ("12", "'12'", "'12'"),
        ("", "''", "''"),
        (" a", "' a'", "' a'"),
        ("a\tb", '"a\\tb"', '"a\\tb"'),
        ("\x01é\u2028", '"\\x01é\\L"', '"\\x01é\\L"'),
    ],
)
def test_scalars_are_quoted_only_if_necessary(text: str, in_block: str, in_flow: str) -> None:
    assert (scalar(text), scalar(text, in_flow=True)) == (in_block, in_flow)


@given(READABLE)
def test_written_scalars_are_read_back(text: str) -> None:
    assert yaml.safe_load(f"key: {scalar(text)}\n") == {"key": text}
    assert yaml.safe_load(f"key: [{scalar(text, in_flow=True)}, x]\n") == {"key": [text, "x"]}
    assert yaml.safe_load(f"key: {double_quoted(text)}\n") == {"key": text}
    assert "\n" not in scalar(text)


YAMLISH = st.lists(
    st.sampled_from(
        [
            "a: 1",
            "b: [x, y]",
            "- item",
            "c: {",
            "@x",
            "!!bool no",
            "d: !!int ''",
            "...",
            "---",
            "\t",
            "é: 😀",
            ":",
            "? ",
            "a: *b",
        ]
    ),
    max_size=8,
).map("\n".join)


@pytest.mark.parametrize("text", ["---\na: 1\n---\nbody", "---\r\na: 1\r\n---\r\nbody", "---\na: 1\r\n---\nbody"])
def test_frontmatter_block_is_parsed(text: str) -> None:
    found = parse(text)
    assert found.fields == {"a": 1}
    assert text[found.body_start :] == "body"
    assert found.problem == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        "body",
        "\ufeff---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "--- \na: 1\n---\n",
        "----\na: 1\n---\n",
        "---\na: 1\n---",
        "---\na: 1\n--- \n",
        "---\na: 1\n----\n",
        "---\na: 1\n  ---\n",
        "---\na: 1\n",
        "---a: 1\n---\n",
    ],
)
def test_text_without_a_block_has_no_fields(text: str) -> None:
    found = parse(text)
    assert (found.fields, found.body_start) == ({}, 0)
    assert block_of(text) == ""


@pytest.mark.parametrize(
    "block",
    [
        "a: [1",
        "a: @x",
        "- just\n- a list",
        "only text",
        "a: 1\na: 2",
        "a: 1\n...",
        "a: !!bool foo",
        "a: !!timestamp foo",
        'a: !!int ""',
        "a: !!float x",
        "a: 2020-13-45",
        "? [1, 2]\n: 3",
        pytest.param("a: " + "[" * 3000, id="deep"),
        "a: *unknown",
        "",
    ],
)
def test_block_that_is_not_a_mapping_has_no_fields(block: str) -> None:
    found = parse(f"---\n{block}\n---\nbody")
    assert (found.fields, found.body_start) == ({}, 0)
    assert found.problem != ""


def test_frontmatter_problem_fits_on_one_line() -> None:
    assert "\n" not in parse("---\na: [1\nb: }\n---\n").problem


@given(st.one_of(st.text(), YAMLISH, YAMLISH.map(lambda block: f"---\n{block}\n---\nbody")))
def test_any_text_can_be_parsed(text: str) -> None:
    found = parse(text)
    assert 0 <= found.body_start <= len(text)
    assert all(isinstance(key, str) for key in found.fields)


@pytest.mark.parametrize(
    "block",
    ["k: &a [*a]", "k: &a {b: *a}", "k: &a {<<: *a}", "&a k: {b: &c [x, {d: *c}]}", "&a\nk: *a", "k: &a {? *a : 1}"],
)
def test_recursive_alias_is_refused(block: str) -> None:
    """Code that visits the values would never end."""
    text = f"---\nimportance: 5\n{block}\n---\n# T\n"
    front = parse(text)
    assert front.fields == {}
    assert front.problem
    with pytest.raises(BrokenFrontmatter):
        fields_of(text)


def test_repeated_alias_is_accepted() -> None:
    assert parse("---\na: &x [1]\nb: [*x, *x]\n---\n").fields == {"a": [1], "b": [[1], [1]]}


def bomb(levels: int, times: int) -> str:
    """Frontmatter in which each level repeats the one before; quoted keys need no space before an alias."""
    repeated = [",".join(f'"{n}":*a{level}' for n in range(times)) for level in range(levels - 1)]
    lines = ['a0: &a0 {"k":1}', *(f"a{level}: &a{level} {{{row}}}" for level, row in enumerate(repeated, start=1))]
    return "\n".join(["---", "importance: 50", *lines, "---", "# T\n\n"])


@pytest.mark.timeout(5)
@pytest.mark.parametrize(("levels", "times"), [(12, 5), (40, 2), (400, 2), (3, 900), (20, 3)])
def test_multiplying_aliases_are_refused(levels: int, times: int) -> None:
    text = bomb(levels, times)
    assert "expand" in parse(text).problem or "deeply" in parse(text).problem
    assert scalars_under(f"{text[:4]}related: [a.md]\n{text[4:]}", "related") == ()
    with pytest.raises(BrokenFrontmatter):
        fields_of(text)


@pytest.mark.timeout(5)
def test_shared_values_are_visited_once() -> None:
    rows = ", ".join("*x" for _ in range(2_000))
    assert parse(f"---\na: &x {{k: 1}}\nb: [{rows}]\n---\n").fields == {"a": {"k": 1}, "b": [{"k": 1}] * 2_000}
    many = ",".join("1" for _ in range(20_000))
    assert "expand" in parse(f"---\na: &x [{many}]\nb: [{rows}]\n---\n").problem


@pytest.mark.parametrize("value", ["[" * 99 + "]" * 99, "- " * 2 + "x", "1:59:59", "9" * 3_000, "0x" + "f" * 2_998])
def test_values_within_the_limits_are_read(value: str) -> None:
    front = parse(f"---\na:\n  {value}\n---\n")
    assert front.problem == ""
    assert str(front.fields["a"])


@pytest.mark.parametrize(
    "value", ["[" * 101 + "]" * 101, "{a: " * 101 + "}" * 101, "- " * 101 + "x", "9" * 3_001, "1" + ":59" * 1_001]
)
def test_values_beyond_the_limits_are_refused(value: str) -> None:
    front = parse(f"---\nb: {{c: 1}}\na:\n  {value}\n---\n")
    assert front.fields == {}
    assert front.problem
