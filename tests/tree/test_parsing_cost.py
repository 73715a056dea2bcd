"""The cost of parsing topics: it is far below the limit for ordinary topics, and never less than the parser's work."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from brvtui.tree.spaces import contents
from brvtui.tree.spaces.contents import read_space
from brvtui.tree.spaces.locating import SpaceFolder
from brvtui.tree.spaces.topic_html import MOST_COST, UnreadableTopic, _nodes, loose_text, parse_topic, parsing_cost
from tests.attacks.topics import TOPICS
from tests.support.spaces import recorded_space

RECORDED = sorted(Path(__file__).parents[1].glob("data/byterover_v4/*space*"))
ORDINARY = {
    "400 sections": "<section><h2>a</h2><p>b <b>c</b> <a href=d>e</a></p><ul><li>f</li><li>g</li></ul></section>" * 400,
    "4,000 paragraphs without an end tag": "<p>text" * 4_000,
    "4,000 items without an end tag": "<ul>" + "<li>text" * 4_000 + "</ul>",
    "a table of 1,000 rows without end tags": "<table>" + "<tr><td>a<td>b<td>c" * 1_000 + "</table>",
    "300 drawings": "<svg viewBox='0 0 9 9'><g><path d='M0 0'/><circle r=1 /></g></svg>" * 300,
    "a style, a script and a title": (
        "<title>a <b> title</title><style>p > b { color: red }</style><script>if (a<b && c>d) f('</p>')</script>"
        + "<p>text <i>text</i><br></p>" * 2_000
    ),
    "an exported drawing with a style": (
        "<svg><style><![CDATA[ g > path { fill: red } ]]></style><path d='M0 0'/></svg>"
        + "<svg><style><!-- g > path {} --></style></svg><p>text <i>text</i></p>" * 300
    ),
    "20 forgotten end tags of bold text": "<li><b>text</li><p>text</p>" * 20 + "<p>text</p>" * 1_000,
    "5,000 line breaks after a drawing": "<svg></svg>" + "text<br>" * 5_000,
    "code with brackets": "<pre><code>a &lt; b; if (a < b) {}</code></pre>" * 1_000,
    "a word in every attribute": f"<bv-fact title='{'word ' * 5_000}' id=bve-00000001>fact</bv-fact>" * 40,
    "a comment with tags": "<!-- <b><b><b> -->" * 5_000,
}
PARTS = (
    "a", "b", "i", "font", "nobr", "p", "div", "ul", "li", "dd", "dt", "table", "tr", "td", "caption", "col", "button",
    "select", "option", "input", "svg", "math", "mi", "desc", "title", "style", "script", "textarea", "object", "html",
    "template", "form", "h1", "h2", "br", "span", "bv-fact", "body", "frameset", "section", "wbr", "foreignObject",
)  # fmt: skip


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_recorded_topics_are_far_below_the_cost_limit(file: Path) -> None:
    files = recorded_space(file)["files"].items()
    topics = [held["text"] for name, held in files if name.endswith(".html") and "text" in held]
    assert max(map(parsing_cost, topics)) < MOST_COST / 500


@pytest.mark.parametrize("what", ORDINARY)
def test_ordinary_topics_are_parsed(what: str) -> None:
    assert parse_topic(f"{ORDINARY[what]}end").body.endswith("end")
    assert loose_text(f"end{ORDINARY[what]}").startswith("end")


COSTLY = [what for what in TOPICS if what.startswith(("1,000 open", "formatting hidden", "2 MB of"))]


@pytest.mark.parametrize("what", COSTLY)
def test_costly_topics_are_refused(what: str) -> None:
    with pytest.raises(UnreadableTopic, match="too costly to parse"):
        parse_topic(TOPICS[what])


def test_20000_closed_elements_are_parsed_and_more_must_be_split() -> None:
    fact = "<bv-fact id='bve-00000001' category='gate' confidence='0.9'>north gate</bv-fact>\n"
    assert len(parse_topic(f"<bv-topic>{fact * 19_990}</bv-topic>").elements) == 19_991
    with pytest.raises(UnreadableTopic, match="; split the topic, or close elements that are open"):
        parse_topic(fact * 21_000)


@pytest.mark.parametrize("seed", range(60))
def test_cost_covers_every_topic_node(seed: int) -> None:
    """Repeats a random run of tags, so that all data that the parser keeps per run adds up."""
    rng = random.Random(seed)
    runs = ["".join(map(_tag, rng.choices(PARTS, k=rng.randint(1, 7)), rng.choices("ssseec", k=7))) for _ in range(5)]
    for run in runs:
        html = "<p>" + "".join(f"<b a={n}>" for n in range(20)) + run * 400
        nodes = sum(1 for _ in _nodes(LexborHTMLParser(html, is_fragment=True).root))
        assert nodes * 500 <= parsing_cost(html), run


def _tag(name: str, kind: str) -> str:
    return {"s": f"<{name}>x", "e": f"</{name}>", "c": f"<{name} a='>' b=\"<\"><!--></{name}>-->"}[kind]


def test_total_markup_in_a_space_is_limited(tmp_path: Path) -> None:
    folder = SpaceFolder(tmp_path / "context-tree", tmp_path, "root")
    folder.tree.mkdir()
    html = "<b>" * 2_000 + "token"
    each = parsing_cost(html)
    assert each < MOST_COST
    count = 12
    for number in range(count):
        (folder.tree / f"{number:02}.html").write_text(html)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(contents, "_MOST_PARSING", each * 5)
        found = read_space(folder)
    assert len(found.topics) == 6
    assert [file.path for file in found.unseen if file.is_past_limit] == [f"{n:02}.html" for n in range(6, count)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(contents, "_MOST_PARSING", each * 5)
        again = read_space(folder, {topic.path: topic for topic in read_space(folder).topics})
    assert [topic.path for topic in again.topics] == [topic.path for topic in found.topics]
