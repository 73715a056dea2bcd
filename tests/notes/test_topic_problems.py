"""Problems of a topic's HTML: text that V4 cannot read or search, each with its place; no text breaks the search."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.notes.topic_problems import topic_damage, topic_problems
from brvtui.tree.editing.problems import Severity

TOPIC = '<bv-topic title="T">\n{}\n</bv-topic>'


GOOD = '<bv-fact id="bve-aaaa0001">x</bv-fact>'


def problems_of(inner: str) -> list[tuple[int, int, str]]:
    return [(one.line, one.column, one.message) for one in topic_problems(TOPIC.format(inner), ("a/b.html",))]


def test_valid_topic_has_no_problems() -> None:
    assert problems_of(GOOD) == []
    assert problems_of("<p>text</p><bv-fact>no element has an id, so all is searched</bv-fact>") == []
    assert problems_of(f"{GOOD}<bv-reason>silent</bv-reason><!-- <bv-nonsense> --><br/>") == []


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (f"{GOOD}<bv-fcat>x</bv-fcat>", "V4 does not know the element bv-fcat: did you mean bv-fact?"),
        (f"{GOOD}<bv-zzzzzz>x</bv-zzzzzz>", "V4 does not know the element bv-zzzzzz"),
        (f"{GOOD}<bv-rule>x</bv-rule>", "<bv-rule> is not searched: it has no id"),
        (
            f'{GOOD}<BV-RULE ID="d-rs256">x</BV-RULE>',
            "its id d-rs256 is not bve- plus eight lower-case letters or digits",
        ),
        (f"{GOOD}{GOOD}", "bve-aaaa0001 occurs twice: every query whose scope"),
        (f'{GOOD}<bv-reason title="a>b" />', "<bv-reason …/> closes nothing: the element contains everything up to"),
        (f"{GOOD}<bv-reason>x", "<bv-reason> has no end tag"),
        (f"{GOOD}</bv-flow>", "</bv-flow> closes nothing"),
    ],
)
def test_each_problem_has_the_position_of_its_tag(inner: str, message: str) -> None:
    ((line, column, found),) = problems_of(inner)
    assert message in found
    assert (line, column) == (1, len(GOOD))


def test_topic_attributes_are_checked() -> None:
    html = f'<bv-topic title="T" related="@a/b.html, @c.html" sig="x">{GOOD}</bv-topic>'
    found = topic_problems(html, ("a/b.html",))
    assert [one.message for one in found] == [
        "related: there is no topic c.html",
        "the topic is signed (sig): editing it here does not update the signature",
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
def test_problems_of_any_text_have_positions_inside_it(html: str) -> None:
    rows = html.split("\n")
    for one in topic_problems(html, ()):
        assert one.column <= len(rows[one.line])


def test_unclosed_tags_are_checked_quickly() -> None:
    begun = time.process_time()
    for html in (
        "<bv-fact " + "a" * 50_000,
        "<bv-fact " + "a=b " * 20_000,
        "<bv-fact '" + "\"'" * 20_000,
        "<!--" * 20_000,
    ):
        topic_problems(html, ())
    assert time.process_time() - begun < 5


SOUND = (
    f'<bv-topic title="Tokens" summary="Of refresh" keywords="jwt"><p>Loose.</p>{GOOD}'
    '<bv-rule id="bve-aaaa0002">Rotate keys.</bv-rule></bv-topic>'
)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("<bv-topic ", "<bv-topix ", "the topic would have no title and no summary and no keywords"),
        ('title="Tokens"', 'title="Tokens', "the topic would have no summary"),
        (' keywords="jwt"', "", "the topic would have no keywords"),
        ('"jwt"><p>Loose.</p>', '"jwt"', "bve-aaaa0001 would not be searched"),
        ('"bve-aaaa0001"', '"bve-aaaa001"', "bve-aaaa0001 would not be searched"),
        ("<p>Loose.", "<!-- <p>Loose.", "bve-aaaa0001 would not be searched"),
        ("<p>Loose.", "<textarea>", "bve-aaaa0001 would not be searched"),
        ("bv-rule id", "bv-rul id", "bve-aaaa0002 would not be searched"),
        ("</bv-fact>", "", "<bv-fact> has no end tag"),
        ("</bv-topic>", "", "<bv-topic> has no end tag"),
        ("<p>Loose.", GOOD, "occurs twice"),
        ("aaaa0002", "aaaa0001", "bve-aaaa0002 would not be searched"),
    ],
)
def test_damage_names_the_text_that_v4_no_longer_reads(before: str, after: str, message: str) -> None:
    broken = SOUND.replace(before, after)
    assert broken != SOUND
    assert message in topic_damage(SOUND, broken)
    assert topic_damage(broken, f"{broken} ") == "", "it was damaged before"


def test_overly_costly_markup_is_damage() -> None:
    costly = "".join(f"<b a={number}>" for number in range(1_000)) + "<p>x" * 10_000
    assert "V4 would not read it: " in topic_damage(SOUND, SOUND + costly)
    assert topic_damage(costly, SOUND) == topic_damage(costly, costly) == ""


def test_text_swallowed_by_a_comment_is_damage() -> None:
    assert topic_damage("<p>All of it.</p>", "<!--<p>All of it.</p>") == "none of its text would be read"


@pytest.mark.parametrize(
    "now",
    [
        SOUND.replace("Loose", "Loose & more"),
        SOUND.replace(GOOD, ""),
        SOUND.replace('<bv-rule id="bve-aaaa0002">Rotate keys.</bv-rule>', "<bv-reason>Silent.</bv-reason>"),
        SOUND.replace('"jwt"', '"jwt, kid"'),
    ],
)
def test_deliberate_edit_is_not_damage(now: str) -> None:
    assert topic_damage(SOUND, now) == ""


@given(st.lists(PIECES, max_size=20).map("".join), st.lists(PIECES, max_size=20).map("".join))
def test_damage_check_accepts_any_two_texts(was: str, now: str) -> None:
    assert topic_damage(was, was) == ""
    assert "\n" not in topic_damage(was, now)
