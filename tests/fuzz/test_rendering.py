"""Rendered traces and notes: complete lines, no terminal controls, no markup, for any content of notes and files."""

from __future__ import annotations

import io
import json
import unicodedata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

from brvtui.app.notes.reading import page_document
from brvtui.engines.byterover.sections import Search
from brvtui.engines.registry import presentation
from brvtui.lab.about import About, FileState
from brvtui.paint.bars import meter, stack, stacked
from brvtui.paint.glyphs import ASCII, UNICODE
from brvtui.paint.line import Line, rule
from brvtui.paint.steps import notices, stage_line, step_lines, strip, times
from brvtui.report.query import explain_report
from brvtui.report.saved import Form, markdown_report, rendered, text_report
from brvtui.saved.traces import SavedError, SavedTrace, as_json, read
from brvtui.session import Session
from brvtui.text.visible import visible
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.links import Names
from tests.fuzz.budget import fuzzed, fuzzed_slowly
from tests.fuzz.texts import ANY, ODD, QUERIES, TEXTS
from tests.support.trees import Tree

NAMES = Names(["a/b.md", "a/context.md", "x/good.md", "root.md"])
WIDTHS = st.integers(20, 160)
GLYPHS = st.sampled_from([UNICODE, ASCII])
NAME = st.one_of(ODD, ANY).map(lambda name: name.replace("/", "").replace("\0", "")[:40])
JUNK = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats(), ANY, ODD),
    *(st.just([]), st.just({}), st.lists(st.integers(), max_size=2), st.dictionaries(ANY, st.integers(), max_size=2)),
)


def controls(text: str) -> set[str]:
    """The control characters in ``text`` except line feeds."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}


def check_message(message: str) -> None:
    """Checks that ``message`` is not empty and contains no control characters."""
    assert message
    assert not controls(message)


def painted(lines: list[Line], width: int) -> None:
    for line in lines:
        assert line.width <= width
        assert not controls(line.plain)
        assert "\n" not in line.plain


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def session(place: Path) -> Session:
    """A tree of hostile titles, texts and names."""
    tree = Tree(place / "project")
    tree.note("x/good.md", "Quokka", "all about the quokka and its anchor", 3, importance=70, maturity="core")
    for number, name in enumerate(("[red]", "\x1b[31m", "\u202eright", "a`|b", "<b>", "-", "#", "é日😀", "caf\udce9")):
        text = f"quokka {name} anchor\n```\n{name}\n````\n\x1b[2J"
        tree.note(f"x/{name}_{number}.md", f"{name} quokka {name}", text, number * 40)
    tree.summary("x", "quokka [red]")
    tree.notes(20)
    return tree.session()


@fuzzed_slowly
@given(st.data(), QUERIES, st.integers(30, 200))
def test_any_query_can_be_reported(session: Session, data: st.DataObject, query: str, width: int) -> None:
    asked = f"{query} {data.draw(st.sampled_from(['', 'quokka', 'quokka anchor']))}"
    if data.draw(st.booleans()):
        saved = session.explainer.saved(session.with_plain_search(session.preview(asked), 3))
    else:
        saved = session.explainer.saved(session.preview(asked, engine="jeffs_brain", services=True))
    shown(saved, width)
    explanation = session.explainer.explain(asked, "x/good.md", trace=saved.trace)
    assert not controls(printed(explain_report(explanation, width), width))


def shown(saved: SavedTrace, width: int) -> None:
    """Checks that each form of ``saved`` is complete, and contains no control characters and no markup from notes."""
    text = printed(text_report(saved, width, True), width)
    assert not controls(text)
    assert max(map(cell_len, text.split("\n"))) <= width
    markdown = markdown_report(saved)
    assert not controls(markdown)
    reader = MarkdownIt("gfm-like", {"html": True})
    # this option would treat context.md as a Moldovan domain, which GitHub does not
    reader.linkify.set({"fuzzy_link": False})
    blocks = reader.parse(markdown)
    assert not {block.type for block in blocks if "html" in block.type}
    kinds = {token.type for block in blocks for token in block.children or ()}
    assert not kinds & {"link_open", "image", "html_inline"}
    root = ElementTree.fromstring(rendered(saved, Form.SVG))
    assert root.tag.endswith("svg")


def printed(report: Any, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False, color_system=None)
    console.print(report)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@fuzzed_slowly
@given(st.data(), JUNK)
def test_damaged_trace_is_read_or_refused(session: Session, place: Path, data: st.DataObject, junk: Any) -> None:
    """Changes or removes one value anywhere in a saved trace, or adds an unknown key."""
    value = json.loads(as_json(session.explainer.saved(session.preview("quokka anchor"))))
    here: Any = value
    while True:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        assume(keys)
        key = data.draw(st.sampled_from(keys))
        if not isinstance(here[key], (dict, list)) or not here[key] or data.draw(st.integers(0, 3)) == 0:
            break
        here = here[key]
    how = data.draw(st.sampled_from(["other", "gone", "more"]))
    if how == "other":
        here[key] = junk
    elif how == "gone":
        del here[key]
    elif isinstance(here, dict):
        here[data.draw(ANY)] = junk
    file = place / "damaged.json"
    file.write_bytes(json.dumps(value).encode("utf-8", "surrogatepass"))
    try:
        saved = read(file)
    except SavedError as error:
        check_message(visible(str(error)))
        return
    shown(saved, 100)


@fuzzed
@given(st.data(), QUERIES, WIDTHS, GLYPHS)
def test_steps_of_any_query_can_be_painted(
    session: Session, data: st.DataObject, query: str, width: int, glyphs: Any
) -> None:
    trace = session.preview(f"{query} quokka" if data.draw(st.booleans()) else query)
    values = data.draw(st.booleans())
    result = strip(trace.steps, trace.timings, presentation(trace.engine).outlook, width, glyphs, values)
    result += notices([*trace.notices, query], width, glyphs) + times(trace.timings, width)
    result += [line for step in trace.steps for line in step_lines(step, (), width, glyphs)]
    result += [stage_line(stage, width) for stage in trace.section(Search).stages]
    painted([line.cut(width) for line in result], width)  # a pane does not draw beyond its width
    for hit in trace.hits:
        assert sum(value for _, value in stack(hit.parts).kept) == pytest.approx(hit.score)
        bar = Line().extend(stacked(hit.parts, width, [0.5], glyphs))
        assert bar.width <= width


@fuzzed
@given(TEXTS, NAME, WIDTHS, st.booleans())
def test_any_note_can_be_painted(text: str, name: str, width: int, raw: bool) -> None:
    page = About(f"a/{name}.md", "", name, 1, NAMES, FileState.CURRENT, text, frontmatter=parse(text))
    document = page_document(page, width, raw)
    painted(list(document.lines), width)
    assert len(document.lowered) == len(document.lines)
    for placed in document.links:
        assert ".." not in placed.target.path.split("/")
        for spot in placed.spots:
            assert 0 <= spot.line < len(document.lines)
            assert 0 <= spot.start < spot.end <= len(document.lines[spot.line].plain)
    assert all(0 <= line <= len(document.lines) for line in document.headings.values())


@fuzzed
@given(st.one_of(TEXTS, QUERIES), st.integers(1, 60), GLYPHS, st.floats(allow_nan=False))
def test_any_text_fits_into_the_line_width(text: str, width: int, glyphs: Any, value: float) -> None:
    result = Line().add(text).add(text, "bold").cut(width)
    assert result.width <= width
    assert not controls(result.plain)
    assert Line().fit(text, width).width == width
    assert Line().add(text).right(width, Line().add("x")).width == width
    painted([rule(width, text)], width)
    assert sum(cell_len(part) for part, _ in meter(value, width, glyphs)) <= width
