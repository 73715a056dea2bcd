"""Stubs in the engine's archive."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from brvtui.tree.editing.archive import Stub, StubError, archived_as, cue, read_stub, stub_text
from brvtui.tree.editing.fields import scalar
from brvtui.tree.reading.contents import units
from brvtui.tree.reading.files import Role, role_of
from brvtui.tree.reading.frontmatter import parse
from tests.support.archived import (
    AGAIN,
    ALIKE,
    BACKSLASH,
    CASES,
    NOT_UTF8,
    RECORDED,
    RECORDED_MS,
    TWICE,
    as_bytes,
    importance_of,
)
from tests.support.trees import BRV3

STUB = (
    "---\nevicted_at: '2026-11-20T12:00:00.250Z'\nevicted_importance: 50\noriginal_path: {original}\n"
    "original_token_count: 2\npoints_to: {full}\ntype: archive_stub\n---\ncue..."
)


@pytest.mark.parametrize("case", ALIKE, ids=lambda c: c["id"])
def test_archived_files_match_the_engine(case: dict[str, Any]) -> None:
    assert RECORDED["now"] == "2026-11-20T12:00:00.250Z"
    names = archived_as(case["path"])
    text = as_bytes(case["before"][case["path"]]).decode("utf-8")
    result = stub_text(case["path"], text, importance_of(case), RECORDED_MS, BRV3.archive)
    after = case["after_archive"]
    assert result.encode("utf-8") == as_bytes(after[names.stub])
    assert as_bytes(after[names.full]).decode("utf-8") == text
    assert case["path"] not in after
    assert case["archived"]["value"]["stubPath"] == names.stub
    assert case["archived"]["value"]["fullPath"] == names.full
    assert case["archived"]["value"]["ghostCueTokenCount"] == int(units(cue(text, BRV3.archive)) / 4 + 0.5)


@pytest.mark.parametrize("case", ALIKE, ids=lambda c: c["id"])
def test_stubs_written_by_the_engine_are_read(case: dict[str, Any]) -> None:
    names = archived_as(case["path"])
    text = as_bytes(case["after_archive"][names.stub]).decode("utf-8")
    assert read_stub(text) == Stub(case["path"], names.full)
    fields = parse(text).fields
    assert fields["evicted_at"] == RECORDED["now"]
    assert fields["evicted_importance"] == pytest.approx(importance_of(case))
    assert fields["original_token_count"] == int(units(as_bytes(case["before"][case["path"]]).decode()) / 4 + 0.5)


def test_recorded_data_losses_of_the_engine_are_known() -> None:
    lost = CASES[NOT_UTF8]
    assert as_bytes(lost["after_restore"][lost["path"]]) != as_bytes(lost["before"][lost["path"]])
    assert "error" in CASES[BACKSLASH]["restored"]
    twice = CASES[TWICE]
    assert "# Old\n" not in twice["after_archive"].values()
    again = CASES[AGAIN]
    assert "# Second\n" not in again["after_restore"].values()


@pytest.mark.parametrize("name", ["yard/n.md", "n.md", "a/b/c/d/e.f.md"])
def test_archived_names_have_the_right_roles(name: str) -> None:
    names = archived_as(name)
    assert (role_of(names.stub), role_of(names.full)) == (Role.STUB, Role.ARCHIVED)
    assert names.stub.endswith(".stub.md")
    assert names.full.endswith(".full.md")


@pytest.mark.parametrize(
    ("original", "full", "message"),
    [
        ("../../etc/passwd.md", "_archived/a.full.md", "points outside"),
        ("/etc/passwd.md", "_archived/a.full.md", "points outside"),
        ("a/../../b.md", "_archived/a.full.md", "points outside"),
        ("a\\..\\b.md", "_archived/a.full.md", "points outside"),
        ("a//b.md", "_archived/a.full.md", "points outside"),
        ("./b.md", "_archived/a.full.md", "points outside"),
        ("a/b", "_archived/a.full.md", "does not end in .md"),
        ("a/_index.md", "_archived/a.full.md", "not the path of a note"),
        ("a/b.abstract.md", "_archived/a.full.md", "not the path of a note"),
        ("_archived/b.stub.md", "_archived/a.full.md", "not the path of a note"),
        ("_archived/b.md", "_archived/a.full.md", "not the path of a note"),
        ("3", "_archived/a.full.md", "original_path is missing"),
        ("''", "_archived/a.full.md", "original_path is missing"),
        ("[a/b.md]", "_archived/a.full.md", "original_path is missing"),
        ("a/b.md", "a/other.md", "not a full text"),
        ("a/b.md", "_archived/../a/other.full.md", "points outside"),
        ("a/b.md", "/_archived/a.full.md", "points outside"),
        ("a/b.md", "_archived/a.stub.md", "not a full text"),
        ("a/b.md", "~", "points_to is missing"),
    ],
)
def test_stub_naming_invalid_files_is_refused(original: str, full: str, message: str) -> None:
    with pytest.raises(StubError, match=message):
        read_stub(STUB.format(original=original, full=full))


@pytest.mark.parametrize("text", ["", "# A note\n", "---\ntype: summary\n---\n", "---\ntype: [\n---\n"])
def test_file_that_is_not_a_stub_is_refused(text: str) -> None:
    with pytest.raises(StubError, match="type: archive_stub"):
        read_stub(text)


def test_handwritten_stub_is_read() -> None:
    stub = read_stub(
        "---\r\ntype: archive_stub\r\noriginal_path: a/b.md\r\npoints_to: _archived/a/b.full.md\r\n"
        "evicted_importance: high\r\n---\r\nanything"
    )
    assert stub == Stub("a/b.md", "_archived/a/b.full.md")


PATHS = st.lists(
    st.text(st.characters(exclude_characters="/\\\0", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
        lambda part: part not in (".", "..")
    ),
    min_size=1,
    max_size=4,
).map("/".join)


@given(PATHS, st.text(), st.floats(0, 100))
def test_written_stub_is_read_back(path: str, text: str, importance: float) -> None:
    path = f"{path}/note.md" if not path.startswith("_archived") else "note.md"
    result = stub_text(path, text.encode("utf-8", "replace").decode(), importance, RECORDED_MS, BRV3.archive)
    if yaml.reader.Reader.NON_PRINTABLE.search(scalar(path)):
        with pytest.raises(StubError, match="type: archive_stub"):
            read_stub(result)
        return
    assert read_stub(result) == Stub(path, archived_as(path).full)
    assert parse(result).fields["evicted_importance"] == importance


@given(st.text())
def test_reading_a_stub_raises_only_stub_errors(text: str) -> None:
    for candidate in (text, f"---\ntype: archive_stub\n{text}\n---\n"):
        with suppress(StubError):
            assert read_stub(candidate).points_to
