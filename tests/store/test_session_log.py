"""The tool's own log of queries: lines that are appended, rotated, and read newest first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui import logbook
from brvtui.logbook import SessionLog
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery
from tests.support.examples import examples
from tests.support.trees import Tree

ENTRY = LoggedQuery(
    1.5, "a “query” 😀\n", OURS, "completed", 2, 1.25, 0.9, 3, ("a/b.md",), False, "fp", "auth", "brv-3"
)


def test_entries_come_back_newest_first(tree: Tree) -> None:
    log = SessionLog(tree.tree)
    assert log.read(5) == []
    for moment in range(4):
        log.add(replace(ENTRY, at_ms=float(moment)))
    assert [entry.at_ms for entry in log.read(3)] == [3, 2, 1]
    assert log.read(9)[0] == replace(ENTRY, at_ms=3.0)


def test_the_options_of_a_query_come_back(tree: Tree) -> None:
    log = SessionLog(tree.tree)
    entry = replace(ENTRY, options={"aliases": {"tea": ["brew"]}, "top_k": 3})
    log.add(entry)
    assert log.read(1) == [entry]


def test_a_large_log_is_put_aside_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    log = SessionLog(tree.tree)
    monkeypatch.setattr(logbook, "LARGEST_BYTES", 600)
    for moment in range(20):
        log.add(replace(ENTRY, at_ms=float(moment)))
    kept = [entry.at_ms for entry in log.read(100)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == 19
    assert 3 <= len(kept) < 20
    assert len(list(log.path.parent.glob("queries*.jsonl"))) <= 2


@examples(100)
@given(st.binary(max_size=80))
def test_broken_lines_are_left_out(tree: Tree, junk: bytes) -> None:
    log = SessionLog(tree.tree)
    log.path.unlink(missing_ok=True)
    log.add(ENTRY)
    with log.path.open("ab") as file:
        file.write(junk + b"\n")
    log.add(replace(ENTRY, at_ms=9.0))
    found = [entry for entry in log.read(9) if entry == ENTRY or entry.at_ms == 9.0]
    assert len(found) == 2


@pytest.mark.parametrize(
    "line",
    ["[]", "{}", '{"query": 1}', '{"at_ms": "x", "query": "q", "who": "", "status": ""}', '{"paths": 3}', "null"],
)
def test_lines_of_another_shape_are_left_out(tree: Tree, line: str) -> None:
    log = SessionLog(tree.tree)
    log.add(ENTRY)
    with log.path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert log.read(5) == [ENTRY]


def test_a_folder_that_cannot_be_written_is_an_error(tree: Tree, own_data_folders: Path) -> None:
    own_data_folders.mkdir(parents=True, exist_ok=True)
    log = SessionLog(tree.tree)
    log.path.parent.parent.mkdir(parents=True, exist_ok=True)
    log.path.parent.write_text("a file where the folder belongs")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        log.add(ENTRY)
