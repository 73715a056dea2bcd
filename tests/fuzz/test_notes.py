"""The readers of notes: any bytes can be read, and each part found is at its stated place in the text."""

from __future__ import annotations

import time
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.segment import FIELDS, TermIds, note_terms
from brvtui.tree.editing.archive import StubError, archived_as, read_stub, stub_text
from brvtui.tree.editing.fields import BrokenFrontmatter, FieldsError, fields_of, set_fields
from brvtui.tree.editing.merging import difference, merged
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import KnownFiles, problems
from brvtui.tree.reading.contents import Unseen, cut, read_bytes, title_of, updated_ms
from brvtui.tree.reading.frontmatter import block_span, parse, scalars_under
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.reading.links import LinkState, Names, links_in
from brvtui.tree.reading.signals import defaults, from_frontmatter
from tests.fuzz.budget import fuzzed
from tests.fuzz.texts import ANY, BYTES, TEXTS
from tests.support.trees import BRV3, NOW_MS

NAMES = Names(["a/b.md", "a/context.md", "x/good.md", "root.md"])
KNOWN = KnownFiles(NAMES)
BASE = defaults(BRV3.signals)
VALUES = st.one_of(ANY, st.booleans(), st.floats(allow_nan=False, allow_infinity=False), st.lists(ANY, max_size=3))


def assert_inside(offset: int, text: str) -> None:
    assert 0 <= offset <= len(text)


@fuzzed
@given(BYTES)
def test_any_bytes_are_read_as_a_note_or_refused(data: bytes) -> None:
    try:
        read = read_bytes(data, BRV3.limits)
    except Unseen:
        return
    title = title_of(read.text, "n.md")
    assert "\n" not in title
    terms = note_terms(title, read.text, "a/n.md", TermIds())
    assert len(terms.rows) == len(terms.tf) == len(set(terms.rows.tolist()))
    assert len(terms.lengths) == len(FIELDS)
    assert cut(read.text, BRV3.limits).text == read.text


@fuzzed
@given(TEXTS)
def test_any_text_is_parsed_for_frontmatter(text: str) -> None:
    front = parse(text)
    assert 0 <= front.body_start <= len(text)
    assert all(isinstance(key, str) for key in front.fields)
    span = block_span(text)
    assert span is None or 0 <= span[0] <= span[1] <= len(text)
    for scalar in scalars_under(text, "related"):
        assert span[0] <= scalar.start < scalar.end <= span[1]
        assert not scalar.quote or text[scalar.start] == scalar.quote
    signals = from_frontmatter(text, BASE)
    assert signals is None or 0 <= signals.importance <= 100
    assert updated_ms(text) is None or isinstance(updated_ms(text), float)


@fuzzed
@given(TEXTS, st.sampled_from(["maturity", "related", "new key", "importance"]), VALUES)
def test_setting_a_field_succeeds_or_is_refused(text: str, key: str, value: object) -> None:
    try:
        found = fields_of(text)
    except BrokenFrontmatter as error:
        assert_inside(error.offset, text)
        return
    for field in found:
        assert 0 <= field.key_start <= field.key_end <= len(text)
        assert 0 <= field.start <= field.end <= len(text)  # for an alias, these are the positions of its anchor
    try:
        result = set_fields(text, {key: value})  # type: ignore[dict-item]  # one of Value's kinds
    except FieldsError:
        return
    span = block_span(text)
    assert result.endswith(text[text.index("\n", span[1]) + 1 :] if span else text)
    assert parse(result).fields.keys() == {**parse(text).fields, key: value}.keys()


@fuzzed
@given(TEXTS, st.sampled_from(["a/n.md", "n.md", "x/y/z/n.md"]))
def test_links_have_correct_positions(text: str, source: str) -> None:
    lines = text.split("\n")
    end = 0
    for link in links_in(text):
        assert end <= link.start < link.end <= len(text)
        end = link.end
        assert lines[link.line - 1][link.column :].startswith(text[link.start : link.end].split("\n")[0])
        found = NAMES.resolve(link, source)
        inside = found.state in (LinkState.NOTE, LinkState.FOLDER)
        assert inside == bool(found.path in NAMES.files or found.path in NAMES.folders)
        assert ".." not in found.path.split("/")
        assert not found.path.startswith("/")


@fuzzed
@given(BYTES, st.sampled_from(["a/n.md", "_archived/a/b.stub.md", "a/_index.md"]))
def test_any_bytes_can_be_edited_or_are_refused(data: bytes, path: str) -> None:
    try:
        note = note_text(data)
    except NotText:
        return
    assert note.encode(note.text) == data
    lines = note.text.split("\n")
    for problem in problems(path, note, note.text, KNOWN, BRV3.limits):
        assert problem.message
        assert 0 <= problem.line < len(lines)
        assert 0 <= problem.column <= len(lines[problem.line])


@fuzzed
@given(TEXTS)
def test_stub_names_only_files_inside_the_tree(text: str) -> None:
    try:
        stub = read_stub(text)
    except StubError:
        return
    for path in (stub.original_path, stub.points_to):
        with suppress(PathError):
            assert ".." not in parts_of(path)


@fuzzed
@given(TEXTS, st.sampled_from(["a/b.md", "a b/'c'.md", "é/日.md", "x: y/#z.md", "- a.md"]), st.floats(0, 100))
def test_written_stub_is_read_back(text: str, path: str, importance: float) -> None:
    stub = read_stub(stub_text(path, text, importance, NOW_MS, BRV3.archive))
    assert (stub.original_path, stub.points_to) == (path, archived_as(path).full)


@fuzzed
@given(TEXTS, TEXTS, TEXTS)
def test_any_texts_can_be_merged(base: str, mine: str, theirs: str) -> None:
    assert merged(base, mine, base).text == mine
    assert merged(base, base, theirs).text == theirs
    assert merged(base, mine, mine) == merged(mine, mine, mine)
    assert bool(difference(mine, theirs)) == (mine != theirs)
    result = merged(base, mine, theirs)
    assert result.conflicts >= 0


_LONGEST = 20_000
"""The maximum number of characters of a value. All values together may exceed the limit of a block."""


def _flow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["a", "b", "c"])
    several = st.lists(inner, max_size=4)
    fields = st.lists(st.tuples(st.sampled_from(['"k":', "k: ", "<<: ", "? *a : ", '"l":']), inner), max_size=4)
    return st.one_of(
        several.map(lambda items: f"[{','.join(items)}]"),
        fields.map(lambda pairs: "{" + ",".join(f"{key}{value}" for key, value in pairs) + "}"),
        st.tuples(names, inner).map(lambda pair: f"&{pair[0]} {pair[1]}"),
        st.tuples(st.sampled_from(["!!str ", "!!set ", "!!omap ", "!!int ", "! "]), inner).map("".join),
        st.tuples(inner, st.integers(1, 400)).map(lambda pair: f"[{','.join([pair[0]] * pair[1])}]"[:_LONGEST]),
    )


FLOW = st.recursive(st.sampled_from(["*a", "*b", "*c", "1", "x", "''", '"y"', "2026-01-01", "~"]), _flow, max_leaves=12)
ANCHORED = st.lists(st.tuples(st.sampled_from(["importance", "related", "type", "d", "e"]), FLOW), max_size=6).map(
    lambda fields: "---\n" + "".join(f"{key}: {value}\n" for key, value in fields) + "---\n# T\n"
)


@fuzzed
@given(ANCHORED)
def test_yaml_anchors_cost_no_more_than_their_text(text: str) -> None:
    began = time.process_time()
    front = parse(text)
    with suppress(BrokenFrontmatter):
        fields_of(text)
    scalars_under(text, "related")
    from_frontmatter(text, BASE)
    assert len(repr(front.fields)) < 3_000_000  # the size of the largest permitted number of values
    assert time.process_time() - began < 2
