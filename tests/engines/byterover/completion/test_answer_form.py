"""The parts of an answer, and the sources that it names."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.completion.answer_form import cited, missing_parts
from brvtui.snapshot import Snapshot
from tests.support.trees import Tree


@pytest.fixture
def snapshot(tree: Tree) -> Snapshot:
    tree.note("x/n.md", "N", "text")
    tree.file("x/context.md", "stands for x")
    tree.note("x/two words.md", "Two", "text")
    return tree.snapshot()


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("## Summary\n## Details\n## Sources\n## Gaps", ()),
        ("# summary:\n**Details**\n### 3. Sources\n**Gaps:**", ()),
        ("## Summary\nIn details, sources have gaps.", ("Details", "Sources", "Gaps")),
        ("", ("Summary", "Details", "Sources", "Gaps")),
    ],
)
def test_parts(text: str, missing: tuple[str, ...]) -> None:
    assert missing_parts(text) == missing


@pytest.mark.parametrize(
    ("source", "path", "in_tree"),
    [
        ("- x/n.md", "x/n.md", True),
        ("- .brv/context-tree/x/n.md", "x/n.md", True),
        ("* `x/n.md`: why", "x/n.md", True),
        ("1. [the note](x/n.md)", "x/n.md", True),
        ("- **x/n.md** (read)", "x/n.md", True),
        ("- x", "x", True),
        ("- x/two words.md", "x/two words.md", True),
        ("- x/made_up.md", "x/made_up.md", False),
        ("- ../secret.md", "../secret.md", False),
        ("- The company handbook", "The company handbook", False),
        ("- None", None, None),
    ],
)
def test_sources(snapshot: Snapshot, source: str, path: str | None, in_tree: bool | None) -> None:
    found = cited(snapshot, f"## Summary\nWords.\n## Sources\n{source}\n## Gaps\n- none", ())
    assert [(one.path, one.in_tree) for one in found] == ([] if path is None else [(path, in_tree)])


def test_a_path_in_the_text_is_a_source_too(snapshot: Snapshot) -> None:
    found = cited(snapshot, "## Details\nAs (x/n.md) says, and `y/other.md`.\n## Sources\n- x/n.md", {"x/n.md"})
    assert [(one.path, one.in_tree, one.seen) for one in found] == [
        ("x/n.md", True, True), ("y/other.md", False, False),
    ]  # fmt: skip


@given(text=st.text(alphabet="#*-` ./[]()\nabSourcesmd", max_size=80))
def test_any_text_has_a_form(text: str, snapshot_of_one: Snapshot) -> None:
    names = [one.path for one in cited(snapshot_of_one, text, ())]
    assert len(names) == len(set(names))


@pytest.fixture(scope="module")
def snapshot_of_one(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    tree = Tree(tmp_path_factory.mktemp("one"))
    tree.note("a/b.md", "B", "text")
    return tree.snapshot()


@pytest.mark.parametrize(
    "line",
    [
        "## a" + " " * 20_000 + "x",
        "**a" + ": *" * 7_000 + "x",
        "a" * 20_000,
        ".md" * 7_000 + "x",
        "- " + "[" * 20_000,
        "- " + "[x](a" * 4_000,
        "- a" + " " * 20_000 + "x",
        "- " + "`" * 20_001,
    ],
)
def test_no_answer_takes_long_to_read(snapshot: Snapshot, line: str) -> None:
    """With time in proportion to the text this takes milliseconds; with its square, seconds for each."""
    began = time.process_time()
    text = f"## Sources\n{line}"
    assert missing_parts(text) == ("Summary", "Details", "Gaps")
    cited(snapshot, text, ())
    assert time.process_time() - began < 1


@pytest.mark.parametrize("text", ["x/n.md.", "(x/n.md:3)", "see x/n.md, then", "x/n.md.html"])
def test_a_path_ends_where_its_file_does(snapshot: Snapshot, text: str) -> None:
    assert [one.path for one in cited(snapshot, text, ())] == ["x/n.md"]


def test_a_long_line_is_no_heading() -> None:
    assert "Summary" in missing_parts("## Summary" + " :" * 40)
