"""Notes converted as by V4's own migration: all recorded ones, and rules that the recordings do not cover."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover_v4.migration.converter import convert
from brvtui.tree.spaces.topic_html import parse_topic
from tests.support.recorded import milliseconds

RECORDED = json.loads(gzip.decompress((Path(__file__).parents[2] / "data/byterover_v4/migration.json.gz").read_bytes()))


SAMPLE = Path(__file__).parents[3] / "sample-tree/.brv/context-tree"


NOW = milliseconds("2026-11-20T12:00:00Z")


STAMPS = ' createdat="2026-11-20T12:00:00.000Z" updatedat="2026-11-20T12:00:00.000Z"'


def body(text: str) -> str:
    """The markup inside the topic for a note with this text."""
    html = convert("note.md", text, NOW).html
    return html.partition(">")[2].removesuffix("</bv-topic>")


def attributes(text: str, path: str = "note.md") -> str:
    """The topic's own attributes, except the path and the dates of the migration."""
    tag = convert(path, text, NOW).html.partition(">")[0]
    return tag.replace(STAMPS, "").replace(f'<bv-topic path="{path.removesuffix(".md")}"', "").strip()


def test_every_recorded_note_is_converted_as_by_v4() -> None:
    assert [len(held["notes"]) for held in RECORDED] == [23, 23]
    for held in RECORDED:
        for note in held["notes"]:
            made = convert(note["note"], note["text"], milliseconds(held["now"]))
            assert (made.topic, made.html) == (note["topic"], note["html"]), note["note"]


def test_every_sample_note_becomes_a_topic_that_keeps_its_text() -> None:
    notes = sorted(SAMPLE.rglob("*.md"))
    assert len(notes) == 98
    for note in notes:
        made = convert(note.relative_to(SAMPLE).as_posix(), note.read_text(encoding="utf-8"), NOW)
        topic = parse_topic(made.html)
        assert made.problem == ""
        assert topic.attribute("title")
        assert topic.body
        assert not topic.searched_elements, "migration stamps no ids"


# The output of V4's own migration for each note.
@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a\n# H\nb\n## Notes\nx", "<bv-fact>a\nb</bv-fact><bv-fact>x</bv-fact>"),
        ("##\tFacts\n- a", "<bv-fact>a</bv-fact>"),
        ("b\n## \nx", "<bv-fact>b\n## \nx</bv-fact>"),
        ("## Facts\n- [team]", "<bv-fact>[team]</bv-fact>"),
        ("## Facts\n- **s** : t", '<bv-fact subject="s">t</bv-fact>'),
        ("## Facts\n- **s**: [team]", '<bv-fact subject="s">[team]</bv-fact>'),
        ("## Decisions\n- \n-\n- a", "<bv-decision>a</bv-decision><bv-fact>-</bv-fact>"),
        ("## Raw Concept\n **Task: ** y", "<bv-task>y</bv-task>"),
        ("## Raw Concept\n**Owner:**", "<bv-fact>Owner</bv-fact>"),
        ("## Raw Concept\n**Task:** r\r\nx", "<bv-fact>**Task:** r\r\nx</bv-fact>"),
        ("## Raw Concept\n**Patterns:**\n- `a``b` - c", '<bv-pattern description="c">a``b</bv-pattern>'),
        ("## Narrative\n### Diagram\nx", "<bv-structure>x</bv-structure>"),
        ("## Narrative\n### Diagrams\n```dot\n\n```\nz",
         '<bv-diagram type="dot"></bv-diagram><bv-examples>z</bv-examples>'),
        ("## Narrative\n### Diagrams\n~~~dot\n### in\n~~~", '<bv-diagram type="dot">### in</bv-diagram>'),
        ("---\ntitle: T\n---x\nB", "<bv-fact>x\nB</bv-fact>"),
        ("---\n---\nB", "<bv-fact>---\n---\nB</bv-fact>"),
        ("---\ntitle: T\ntitle: U\n---\nB", "<bv-fact>---\ntitle: T\ntitle: U\n---\nB</bv-fact>"),
    ],
)  # fmt: skip
def test_sections_become_elements(text: str, html: str) -> None:
    assert body(text) == html


@pytest.mark.parametrize(
    ("fields", "made"),
    [
        ("title: |\n  a\n  b", 'title="a\nb\n" type="topic"'),
        ("title: !!str 5", 'title="5" type="topic"'),
        ("title: 0o17", 'title="note" type="topic"'),
        ("title: yes\nsummary: no", 'title="yes" type="topic" summary="no"'),
        ("b: &x [1]\n<<: {title: M}", 'title="M" type="topic"'),
        ("tags: [a, 1, 1.5, 1e3, 0x1F, true, ~, -0, .5, 1_0, 010, 1e400, 1e23, 1e-7]",
         'title="note" type="topic" tags="a,1,1.5,1000,31,true,null,0,0.5,10,10,Infinity,1e+23,1e-7"'),
        ("tags: [2026-01-01, [b], {c: d}]", 'title="note" type="topic" '
         'tags="Thu Jan 01 2026 00:00:00 GMT+0000 (Coordinated Universal Time),b,[object Object]"'),
        ("related: [a.md, 1, 'b.md ', c.MD]", 'title="note" type="topic" related="a.html,1,b.html,c.MD"'),
        ("related: []\nrelateds: [q.md]", 'title="note" type="topic"'),
        ("related: 5\nrelateds: [q.md]", 'title="note" type="topic" related="q.html"'),
        ("related: 'a.md, b.md'", 'title="note" type="topic" related="a.html,b.html"'),
    ],
)  # fmt: skip
def test_frontmatter_fields_become_attributes(fields: str, made: str) -> None:
    assert attributes(f"---\n{fields}\n---\nB") == made


@pytest.mark.parametrize(
    ("given", "iso"),
    [
        ("2026-02-30", "2026-03-02T00:00:00.000Z"),
        ("2026-13-01", "2027-01-01T00:00:00.000Z"),
        ("0000-01-01", "1900-01-01T00:00:00.000Z"),
        ("2026-1-2 3:04:05.6 +1:30", "2026-01-02T01:34:05.600Z"),
        ("2026-01-02t03:04:05.123456-02", "2026-01-02T05:04:05.123Z"),
        ("5\ncreatedat: x", "x"),
    ],
)
def test_dates_are_converted_as_by_v4(given: str, iso: str) -> None:
    assert f'createdat="{iso}"' in convert("note.md", f"---\ncreatedAt: {given}\n---\nB", NOW).html


def test_blank_heading_leaves_a_note_without_a_title() -> None:
    """V4's own migration skips such notes."""
    assert not convert("note.md", "#  \n\ntext", NOW).has_title
    assert convert("note.md", "---\ntitle: T\n---\n#  \n\ntext", NOW).has_title
    assert attributes("# \ntext") == attributes("#\u2028\ntext") == 'title="note" type="topic"'


def test_hostile_notes_are_fast() -> None:
    many = 40_000
    for text in ("## Facts\n- a" + " " * many + "[b c]", "## Rules\n" + "- a\n" * many, "## Facts\n- " + "**a" * many):
        assert len(convert("note.md", text, NOW).html) > many


@given(st.text(alphabet="#-*+`~:[]()\n\r\t .ab1\u2028é", max_size=200))
def test_any_text_is_converted(text: str) -> None:
    assert convert("a/b.md", text, NOW).html.startswith('<bv-topic path="a/b"')
