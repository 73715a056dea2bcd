"""A saved trace as text, Markdown and SVG, and in files: complete, and safe for any content of notes."""

from __future__ import annotations

import io
import re
import stat
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from brvtui.engines.registry import presentation
from brvtui.report.saved import ExportError, Form, export, form_of, markdown_report, rendered, text_report, write_report
from brvtui.saved.traces import SavedTrace, read
from brvtui.trace import Scale, Trace
from tests.support.trees import Tree

STRANGE = "A [red]title[/red] `code` | pipe \x1b[31mred\u202e <img src=http://evil.example/x> ![i](http://evil.example)"


@pytest.fixture
def project(tree: Tree) -> Tree:
    """Hits, near misses, a summary, entity searches, a cache, and hostile notes."""
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("x/strange|`note.md", f"quokka {STRANGE}", f"quokka\n```\n{STRANGE}\n````\n# no heading", 2)
    tree.note("y/wallaby.md", "Wallaby", "no quokka at all", 200)
    tree.summary("x")
    tree.notes(60)
    return tree


@pytest.fixture
def saved(project: Tree) -> SavedTrace:
    """The trace of a run after another run, so that the cache is not empty."""
    session = project.session()
    session.run("wallaby")
    return session.explainer.saved(session.with_plain_search(session.run("quokka"), 2))


def text_of(saved: SavedTrace, whole: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False, markup=False, emoji=False)
    console.print(text_report(saved, 100, whole))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_markdown_contains_the_whole_decision(saved: SavedTrace) -> None:
    trace = saved.trace
    assert isinstance(trace, Trace)
    blocks = MarkdownIt("gfm-like").parse(markdown_report(saved))
    headings = [after.content for block, after in pairwise(blocks) if block.type == "heading_open"]
    assert headings[0] == "Why “quokka” got its answer"
    second = [after.content for block, after in pairwise(blocks) if block.type == "heading_open" and block.tag == "h2"]
    assert second == [
        "Results", "Route", "Scores", "Retry", "Cache (simulated)", "Answer: no model asked", "Prompt",
    ]  # fmt: skip
    text = "\n".join(block.content for block in blocks)
    for step in trace.steps:
        assert step.label in text
        assert all(" ".join(check.note.split()) in " ".join(text.split()) for check in step.checks), (
            "a file has no width"
        )
    for hit in trace.hits:
        assert f"{hit.score:.2f}" in text
    assert "the search on its own, with limit 2" in text
    assert "Not in the results" in headings
    assert saved.saved_at in text
    assert sum(item.value for item in saved.detail["x/n.md"].contributions) == pytest.approx(
        saved.detail["x/n.md"].score.term_sum
    )
    assert all(f"{item.value:.3f}" in text for item in saved.detail["x/n.md"].contributions)


def test_markdown_uses_the_engines_score_scale(saved: SavedTrace) -> None:
    finer = replace(saved, trace=replace(saved.trace, scale=Scale(5)))
    first = next(row.results[0] for row in presentation(saved.trace.engine).attempts(saved.trace) if row.results)
    assert f"{first.path}` {first.score:.5f}" in markdown_report(finer).partition("## Retry")[2]


def test_markdown_escapes_the_content_of_notes(saved: SavedTrace) -> None:
    blocks = MarkdownIt("gfm-like", {"html": True}).parse(markdown_report(saved))
    kinds = {token.type for block in blocks for token in block.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "code_inline", "softbreak"}
    assert {block.type for block in blocks if "html" in block.type or "code" in block.type} == set()
    fences = [block for block in blocks if block.type == "fence"]
    assert any("# no heading" in fence.content for fence in fences)
    assert "\x1b" not in markdown_report(saved)


def test_svg_is_valid_xml_without_external_resources(saved: SavedTrace) -> None:
    document = rendered(saved, Form.SVG).decode()
    root = ElementTree.fromstring(document)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = "".join(root.itertext())
    assert "quokka" in words
    assert "[red]title[/red]" in words.replace("\xa0", " ")
    assert not re.search(r"@font-face|@import|url\(\s*[\"']?http|href|<(?:script|image|foreignObject)", document)


def test_svg_replaces_characters_outside_xml(project: Tree) -> None:
    project.note("x/nonchar.md", "quokka \ufffe\uffff\ud800 \x00", "text")
    session = project.session()
    ElementTree.fromstring(rendered(session.explainer.saved(session.preview("quokka \ufffe\x0b")), Form.SVG).decode())


def test_text_equals_the_query_commands_output(saved: SavedTrace) -> None:
    assert "TIER" in text_of(saved)
    assert "the search on its own, with limit 2" in text_of(saved)
    assert len(text_of(saved, whole=True)) > len(text_of(saved))


def test_hybrid_trace_is_rendered_in_each_format(project: Tree) -> None:
    session = project.session()
    saved = session.explainer.saved(session.preview("quokka", engine="jeffs_brain", services=True))
    assert "JEFFS BRAIN" in text_of(saved)
    blocks = MarkdownIt("gfm-like", {"html": True}).parse(markdown_report(saved))
    kinds = {token.type for block in blocks for token in block.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}
    assert "bm25" in markdown_report(saved)
    ElementTree.fromstring(rendered(saved, Form.SVG).decode())


def test_trace_is_exported_to_each_format(saved: SavedTrace, tmp_path: Path) -> None:
    for form in Form:
        file = tmp_path / f"trace.{form.upper()}"
        file.write_text("old")
        export(saved, file)
        assert file.read_bytes() == rendered(saved, form)
    assert read(tmp_path / "trace.JSON") == saved
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "project") == [
        "trace.JSON", "trace.MD", "trace.SVG",
    ]  # fmt: skip
    fresh = tmp_path / "fresh.json"
    export(saved, fresh)
    other = tmp_path / "other.txt"
    other.write_text("")
    assert stat.S_IMODE(fresh.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


@pytest.mark.parametrize("name", ["trace", "trace.txt", ".json", "trace.json.gz"])
def test_unknown_file_extensions_are_refused(name: str) -> None:
    with pytest.raises(ExportError, match=r"\.json, \.md, \.svg"):
        form_of(Path(name))


def test_export_into_the_tree_is_refused(saved: SavedTrace, project: Tree, tmp_path: Path) -> None:
    inside = project.tree / "x" / "trace.md"
    (tmp_path / "link").symlink_to(project.tree)
    for file in (inside, tmp_path / "link" / "trace.md"):
        with pytest.raises(ExportError, match="would become a note"):
            export(saved, file, [project.tree])
    with pytest.raises(ExportError, match="would become a note"):
        export(saved, inside)  # the trace's own project is not open
    with pytest.raises(ExportError, match="would become a note"):
        write_report(inside, b"", [])
    linked = tmp_path / "linked" / ".brv" / "context-tree"
    linked.parent.mkdir(parents=True)
    (tmp_path / "memory").mkdir()
    linked.symlink_to(tmp_path / "memory")
    with pytest.raises(ExportError, match="would become a note"):
        write_report(linked / "trace.md", b"", [])
    assert not inside.exists()


def test_unwritable_files_are_reported(saved: SavedTrace, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="there is no folder"):
        export(saved, tmp_path / "no" / "trace.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ExportError, match="not a file"):
        export(saved, tmp_path / "folder.json")
    long = tmp_path / f"{'x' * 300}.json"
    with pytest.raises(ExportError, match="cannot be written") as raised:
        export(saved, long)
    assert "\n" not in str(raised.value)
