"""Problems of a topic's HTML: what V4 fails on or leaves unsearched, each at its place; no text breaks the search."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.notes.topic_problems import topic_problems
from brvtui.tree.editing.problems import Severity

TOPIC = '<bv-topic title="T">\n{}\n</bv-topic>'
GOOD = '<bv-fact id="bve-aaaa0001">x</bv-fact>'


def said(inner: str) -> list[tuple[int, int, str]]:
    return [(one.line, one.column, one.message) for one in topic_problems(TOPIC.format(inner), ("a/b.html",))]


def test_a_sound_topic_has_no_problems() -> None:
    assert said(GOOD) == []
    assert said("<p>text</p><bv-fact>no element has an id, so all is searched</bv-fact>") == []
    assert said(f"{GOOD}<bv-reason>silent</bv-reason><!-- <bv-nonsense> --><br/>") == []


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (f"{GOOD}<bv-fcat>x</bv-fcat>", "V4 knows no element bv-fcat: did you mean bv-fact?"),
        (f"{GOOD}<bv-zzzzzz>x</bv-zzzzzz>", "V4 knows no element bv-zzzzzz"),
        (f"{GOOD}<bv-rule>x</bv-rule>", "<bv-rule> is not searched: it has no id"),
        (f'{GOOD}<BV-RULE ID="d-rs256">x</BV-RULE>', "its id d-rs256 is not bve- and eight small letters or digits"),
        (f"{GOOD}{GOOD}", "bve-aaaa0001 stands twice: every query fails"),
        (f'{GOOD}<bv-reason title="a>b" />', "<bv-reason …/> closes nothing: the element swallows what follows"),
        (f"{GOOD}<bv-reason>x", "<bv-reason> has no end tag"),
        (f"{GOOD}</bv-flow>", "</bv-flow> closes nothing"),
    ],
)
def test_each_problem_stands_at_its_tag(inner: str, message: str) -> None:
    ((line, column, found),) = said(inner)
    assert message in found
    assert (line, column) == (1, len(GOOD))


def test_attributes_of_the_topic() -> None:
    html = f'<bv-topic title="T" related="@a/b.html, @c.html" sig="x">{GOOD}</bv-topic>'
    found = topic_problems(html, ("a/b.html",))
    assert [one.message for one in found] == [
        "related: there is no topic c.html",
        "the topic is signed (sig): an edit here does not renew that",
    ]
    assert {one.severity for one in found} == {Severity.WARNING}
    assert "there is no bv-topic" in topic_problems("<p>x</p>", ())[0].message


PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["<bv-fact", "<bv-fact>", "</bv-fact>", ' id="bve-aaaa0001"', "/>", "<!--", "-->", '"', "'", "=", "\n"]
    ),
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_has_problems_at_places_within_it(html: str) -> None:
    rows = html.split("\n")
    for one in topic_problems(html, ()):
        assert one.column <= len(rows[one.line])


def test_a_tag_that_never_ends_takes_no_time() -> None:
    begun = time.process_time()
    for html in (
        "<bv-fact " + "a" * 50_000,
        "<bv-fact " + "a=b " * 20_000,
        "<bv-fact '" + "\"'" * 20_000,
        "<!--" * 20_000,
    ):
        topic_problems(html, ())
    assert time.process_time() - begun < 5
