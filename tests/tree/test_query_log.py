"""The engine's query log, including hostile entries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.logbook import QueryLogFolder
from brvtui.tree.engine_files.query_log import ENGINE, logged_files, query_log_folder, read_entries, read_entry
from tests.support.examples import examples

ENTRY = {
    "id": "qry-1000",
    "query": "how are tokens rotated",
    "taskId": "t1",
    "startedAt": 1_000,
    "completedAt": 1_250,
    "status": "completed",
    "tier": 3,
    "timing": {"durationMs": 240},
    "matchedDocs": [{"path": "auth/a.md", "score": 0.82, "title": "A"}, {"path": "auth/b.md", "score": 0.71}],
    "searchMetadata": {"resultCount": 2, "topScore": 0.82, "totalFound": 7, "cacheFingerprint": "abc"},
    "response": "…",
}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*ENTRY, "x"]), inner, max_size=6),
    max_leaves=12,
)


def write(folder: Path, name: str, value: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def test_log_entry_is_read(tmp_path: Path) -> None:
    entry = read_entry(write(tmp_path, "qry-1000.json", ENTRY))
    assert (entry.at_ms, entry.query, entry.who, entry.status) == (1000, "how are tokens rotated", ENGINE, "completed")
    assert (entry.tier, entry.took_ms, entry.top_score, entry.total_found) == (3, 240, 0.82, 7)
    assert entry.paths == ("auth/a.md", "auth/b.md")
    assert entry.fingerprint == "abc"
    assert not entry.not_covered
    assert not entry.from_cache


def test_uncovered_query_is_tier_2_without_results(tmp_path: Path) -> None:
    bare = {**ENTRY, "tier": 2, "matchedDocs": [], "searchMetadata": {"resultCount": 0, "topScore": 0, "totalFound": 0}}
    entry = read_entry(write(tmp_path, "qry-1.json", bare))
    assert entry.not_covered
    assert entry.top_score is None, "there is no number 1 that could have scored 0"
    cached = read_entry(write(tmp_path, "qry-2.json", {**bare, "tier": 0}))
    assert cached.from_cache
    assert not cached.not_covered


def test_missing_values_are_unknown(tmp_path: Path) -> None:
    entry = read_entry(write(tmp_path, "qry-77.json", {"query": "x", "status": "processing", "startedAt": "soon"}))
    assert (entry.at_ms, entry.tier, entry.took_ms, entry.top_score, entry.paths) == (77, None, None, None, ())
    without = {key: value for key, value in ENTRY.items() if key != "timing"}
    timed = read_entry(write(tmp_path, "qry-78.json", without))
    assert timed.took_ms == 250


@pytest.mark.parametrize("at", [1e308, 9e99, 1e15, -1e15, 10**400, -6.3e13])
@pytest.mark.parametrize("name", ["qry-1000.json", f"qry-{10**20}.json"])
def test_impossible_time_counts_as_unknown(tmp_path: Path, at: float, name: str) -> None:
    entry = read_entry(write(tmp_path, name, {**ENTRY, "startedAt": at, "completedAt": at}))
    assert entry.at_ms in (0, 1_000)
    assert entry.took_ms == 240


def test_newest_entries_come_first_and_other_files_are_skipped(tmp_path: Path) -> None:
    folder = query_log_folder(tmp_path)
    assert logged_files([folder], 5) == []
    for moment in (9, 100, 30):
        write(folder, f"qry-{moment}.json", {**ENTRY, "startedAt": moment})
    for name, text in (("qry-50.json", "no json"), ("other.json", "{}"), ("qry-60.json", "[1]"), ("qry-x.tmp", "{}")):
        write(folder, name, text)
    files = logged_files([folder], 10)
    assert [file.name for file in files][:3] == ["qry-100.json", "qry-60.json", "qry-50.json"]
    assert [entry.at_ms for entry in read_entries(files)] == [100, 30, 9]
    assert len(logged_files([folder], 2)) == 2


def test_copy_of_a_log_in_the_project_is_read_too(tmp_path: Path) -> None:
    own, copy = query_log_folder(tmp_path / "data"), tmp_path / "project" / ".brv" / "query-log"
    log = QueryLogFolder(tmp_path / "data", copy)
    assert (log.place, log.read(5)) == (own, [])
    write(copy, "qry-30.json", {**ENTRY, "startedAt": 30})
    assert (log.place, [entry.at_ms for entry in log.read(5)]) == (copy, [30])
    for moment in (20, 40):
        write(own, f"qry-{moment}.json", {**ENTRY, "startedAt": moment})
    assert (log.place, [entry.at_ms for entry in log.read(5)]) == (own, [40, 30, 20])


def test_copy_of_a_log_behind_a_link_is_not_read(tmp_path: Path) -> None:
    elsewhere, copy = tmp_path / "elsewhere", tmp_path / "project" / ".brv" / "query-log"
    write(elsewhere, "qry-30.json", ENTRY)
    copy.parent.mkdir(parents=True)
    copy.symlink_to(elsewhere)
    assert QueryLogFolder(tmp_path / "data", copy).read(5) == []


@examples(150)
@given(JSON)
def test_hostile_entries_are_read_safely(tmp_path: Path, value: object) -> None:
    read_entry(write(tmp_path, "qry-1.json", value))
    if isinstance(value, dict):
        read_entry(write(tmp_path, "qry-2.json", {**ENTRY, **value}))
