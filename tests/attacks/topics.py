"""HTML topics that need much time or memory to parse, search, show or check: nesting, formatting, attributes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.attacks.harness import Attack, report

_SPACE = "11111111-1111-4111-8111-111111111111"
_LARGEST, _LONGEST = 2_090_000, 10_500_000
"""Texts are cut to the first length, up to which topics are read, unless they have the second length or more."""
_BOLD = "".join(f"<b a={n}>" for n in range(1_000))
_FORMATTING = ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
TOPICS = {
    "1,000 open formatting elements and 10,000 paragraphs": f"<p>{_BOLD}" + "<p>x" * 10_000,
    "1,000 open formatting elements and 10,000 list items": f"<li>{_BOLD}" + "<li>x" * 10_000,
    "1,000 open formatting elements and 10,000 cells": f"<table><td>{_BOLD}<td>" + "<b><td>x" * 10_000,
    "every formatting element open three times, in 10,000 buttons": (
        "".join(f"<{name}>" * 3 for name in _FORMATTING) + "<button>x" * 10_000
    ),
    "formatting elements that end within blocks": "<b><div>" * 20_000 + "</b></div>" * 20_000,
    "formatting elements that are never opened": "<div>" * 5_000 + "</b>" * 100_000,
    "links in one another, over blocks": "<a><div>" * 20_000,
    "formatting hidden in an attribute": f'<p ="><div a="{_BOLD}' + "<p>x" * 10_000,
    "formatting hidden in a comment": f"<!-->{_BOLD}" + "<p>x-->" * 10_000,
    "formatting hidden in a style of SVG": f"<svg><style><p>{_BOLD}" + "<p>x" * 10_000 + "</style>",
    "formatting hidden in character data": f"<p><![CDATA[>{_BOLD}" + "<p>x" * 10_000 + "]]>",
    "formatting hidden in a script": f"<script><!--<script></script>--></script><p>{_BOLD}" + "<p>x" * 10_000,
    "500 kB of nested blocks": "<div>" * 100_000,
    "2 MB of nested blocks": "<div>" * 2_000_000,
    "nested elements of V4": "<bv-fact id=bve-00000001>x" * 100_000,
    "nested lists": "<ul><li>x" * 60_000,
    "nested tables": "<table><tr><td>x" * 40_000,
    "text before tables": "<table>" + "x<div>" * 60_000,
    "rows of text before a table": "<table>" + "x<tr>" * 400_000,
    "templates": "<template><td>" * 40_000,
    "options": "<select>" + "<option>x" * 60_000,
    "groups of options": "<select>" + "<optgroup><option>" * 40_000,
    "buttons": "<button>" * 80_000,
    "frames": "<frameset>" * 60_000,
    "SVG in SVG": "<svg><foreignObject><p>" * 30_000,
    "empty elements of HTML in SVG": "<svg>" + "<wbr>" * 100_000,
    "formulas": "<math><mi><p>" * 40_000,
    "end tags of paragraphs that nobody opened": "<div>" * 3_000 + "</p>" * 2_000_000,
    "unknown end tags below 5,000 open elements": "<span>" * 5_000 + "</y>" * 1_000_000,
    "a million attributes": "<p " + " ".join(f"a{n}=1" for n in range(1_000_000)) + ">",
    "one attribute 2,000,000 times": "<p " + "a=1 " * 2_000_000 + ">",
    "attributes added to the root": "".join(f"<html a{n}=1 b{n}=1>" for n in range(100_000)),
    "an attribute of 2 MB": f"<bv-topic title='{'gate ' * 1_900_000}'>",
    "2 MB in one text": "gate " * 1_900_000,
    "an attribute without end": "<p a=" + "\"'" * 4_000_000,
    "tags without end": "<p " * 3_000_000,
    "a comment without end": "<!--" + "<p>-" * 2_400_000,
    "comments": "<!-->" * 1_900_000,
    "entities": "&CounterClockwiseContourIntegral;" * 290_000,
    "entities without end": "&#" * 4_500_000,
    "brackets": "<" * 9_900_000,
    "null characters": "a\0" * 4_500_000,
    "names of 2 MB": "<x-" + "y" * 9_000_000 + ">",
    "100,000 kinds of elements": "".join(f"<x-{n}></x-{n}>" for n in range(100_000)),
    "190,000 elements": "<br>" * 190_000,
    "90,000 facts": "<bv-fact id=bve-00000001>north gate</bv-fact>" * 90_000,
    "90,000 facts, each with its own id": "".join(f"<bv-fact id=bve-{n:08}>gate</bv-fact>" for n in range(90_000)),
    "190,000 images": "<img alt=gate src=gate>" * 190_000,
    "19,000 facts": "".join(f"<bv-fact id=bve-{n:08}>north gate</bv-fact>" for n in range(19_000)),
    "facts in one another with a long text": "<bv-fact>" * 2_000 + "é" * 32_000,
    "facts in one another with a shorter text": "<bv-fact>" * 1_000 + "é" * 32_000,
    "a long summary and 5,000 facts": (
        f'<bv-topic summary="{"s " * 400_000}">' + "".join(f"<bv-fact id=bve-{n:08}>x</bv-fact>" for n in range(5_000))
    ),
    "a long picture and 5,000 facts": (
        f'<bv-topic><img alt="{"s " * 400_000}">' + "".join(f"<bv-fact id=bve-{n:08}>x</bv-fact>" for n in range(5_000))
    ),
    "plain text after everything": "<plaintext>" + "<b a=1><p>" * 900_000,
    "11 MB": "x" * 11_000_000,
}


def _space(html: str) -> Callable[[Path], Sequence[str | Path]]:
    def prepare(folder: Path) -> Sequence[str | Path]:
        tree = folder / _SPACE / "context-tree"
        (tree / "yard").mkdir(parents=True)
        good = '<bv-topic title="North gate"><bv-fact id="bve-00000009">opens at six</bv-fact></bv-topic>'
        (tree / "yard" / "gate.html").write_text(good)
        (tree / "yard" / "bad.html").write_text(html[:_LARGEST] if len(html) < _LONGEST else html, "utf-8")
        return ["explain", "north gate", "yard/gate.html", "--root", tree]

    return prepare


_SHOW = """
import sys
from brvtui.app.notes.reading import page_document
from brvtui.session import Session
from brvtui.tree.spaces.project import NamedSpace
from pathlib import Path
from brvtui.notes.topic_problems import topic_problems
session = Session.open(None, space=NamedSpace(root=Path(sys.argv[-1])))
session.load()
page = session.about("yard/bad.html")
assert page_document(page, 40, False).lines
topic_problems((Path(sys.argv[-1]) / "yard/bad.html").read_text("utf-8"), session.snapshot.by_path)
session.close()
"""


def _all() -> Iterator[Attack]:
    for what, html in TOPICS.items():
        yield Attack(f"a topic with {what}", _space(html))
        yield Attack(f"a topic with {what}, shown and checked", _space(html), _SHOW)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
