from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.fields import BrokenFrontmatter, fields_of
from brvtui.tree.reading.frontmatter import block_of, parse, scalars_under

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
def test_a_block(text: str) -> None:
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
def test_no_block(text: str) -> None:
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
def test_a_block_that_is_no_mapping_means_none(block: str) -> None:
    found = parse(f"---\n{block}\n---\nbody")
    assert (found.fields, found.body_start) == ({}, 0)
    assert found.problem != ""


def test_a_problem_is_one_line() -> None:
    assert "\n" not in parse("---\na: [1\nb: }\n---\n").problem


@given(st.one_of(st.text(), YAMLISH, YAMLISH.map(lambda block: f"---\n{block}\n---\nbody")))
def test_parsing_never_raises(text: str) -> None:
    found = parse(text)
    assert 0 <= found.body_start <= len(text)
    assert all(isinstance(key, str) for key in found.fields)


@pytest.mark.parametrize(
    "block",
    ["k: &a [*a]", "k: &a {b: *a}", "k: &a {<<: *a}", "&a k: {b: &c [x, {d: *c}]}", "&a\nk: *a", "k: &a {? *a : 1}"],
)
def test_an_alias_that_leads_back_to_what_holds_it_is_no_frontmatter(block: str) -> None:
    """Whatever walks through the values would never end."""
    text = f"---\nimportance: 5\n{block}\n---\n# T\n"
    front = parse(text)
    assert front.fields == {}
    assert front.problem
    with pytest.raises(BrokenFrontmatter):
        fields_of(text)


def test_an_alias_may_stand_twice() -> None:
    assert parse("---\na: &x [1]\nb: [*x, *x]\n---\n").fields == {"a": [1], "b": [[1], [1]]}


def bomb(levels: int, times: int) -> str:
    """Frontmatter in which each level repeats the one before; quoted keys need no space before an alias."""
    repeated = [",".join(f'"{n}":*a{level}' for n in range(times)) for level in range(levels - 1)]
    lines = ['a0: &a0 {"k":1}', *(f"a{level}: &a{level} {{{row}}}" for level, row in enumerate(repeated, start=1))]
    return "\n".join(["---", "importance: 50", *lines, "---", "# T\n\n"])


@pytest.mark.timeout(5)
@pytest.mark.parametrize(("levels", "times"), [(12, 5), (40, 2), (400, 2), (3, 900), (20, 3)])
def test_aliases_that_multiply_are_no_frontmatter(levels: int, times: int) -> None:
    text = bomb(levels, times)
    assert "multiply" in parse(text).problem or "deeper" in parse(text).problem
    assert scalars_under(f"{text[:4]}related: [a.md]\n{text[4:]}", "related") == ()
    with pytest.raises(BrokenFrontmatter):
        fields_of(text)


@pytest.mark.timeout(5)
def test_values_that_are_shared_are_walked_once() -> None:
    rows = ", ".join("*x" for _ in range(2_000))
    assert parse(f"---\na: &x {{k: 1}}\nb: [{rows}]\n---\n").fields == {"a": {"k": 1}, "b": [{"k": 1}] * 2_000}
    many = ",".join("1" for _ in range(20_000))
    assert "multiply" in parse(f"---\na: &x [{many}]\nb: [{rows}]\n---\n").problem


@pytest.mark.parametrize("value", ["[" * 99 + "]" * 99, "- " * 2 + "x", "1:59:59", "9" * 3_000, "0x" + "f" * 2_998])
def test_values_within_the_limits_are_read(value: str) -> None:
    front = parse(f"---\na:\n  {value}\n---\n")
    assert front.problem == ""
    assert str(front.fields["a"])


@pytest.mark.parametrize(
    "value", ["[" * 101 + "]" * 101, "{a: " * 101 + "}" * 101, "- " * 101 + "x", "9" * 3_001, "1" + ":59" * 1_001]
)
def test_values_beyond_them_are_not(value: str) -> None:
    front = parse(f"---\nb: {{c: 1}}\na:\n  {value}\n---\n")
    assert front.fields == {}
    assert front.problem
