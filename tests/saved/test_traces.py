"""Saved traces: read again, of this version and of others, and files that are none."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui import __version__
from brvtui.engines.byterover.sections import Search
from brvtui.engines.registry import presentation
from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import trace_lines
from brvtui.report.saved import Form, markdown_report, rendered
from brvtui.saved.traces import SavedError, as_json, as_plain, read
from brvtui.trace import adds_up, to_plain
from tests.support.trees import NOW_MS, Tree


@pytest.fixture
def project(tree: Tree) -> Tree:
    """A tree with hits, near misses, a folder's summary and enough notes for every gate."""
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("x/old.md", "Old quokka", "a quokka of long ago", 300)
    tree.note("y/wallaby.md", "Wallaby", "no quokka at all", 90)
    tree.summary("x")
    tree.notes(60)
    return tree


def written(file: Path, content: Any) -> Path:
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return file


@pytest.mark.parametrize("query", ["quokka", "zebra", "", "x/n.md"])
def test_what_was_saved_is_read_again(project: Tree, tmp_path: Path, query: str) -> None:
    session = project.session()
    saved = session.answers.saved(session.with_plain_search(session.run(query), 3))
    assert read(written(tmp_path / "t.json", as_json(saved))) == saved


def test_a_hybrid_trace_is_read_again(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    saved = session.answers.saved(session.probe("quokka", engine="jeffs_brain", services=True))
    assert read(written(tmp_path / "t.json", as_json(saved))) == saved


def test_sections_of_an_engine_that_is_not_installed_are_kept(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    value = as_plain(session.answers.saved(session.probe("token")))
    value["engine"] = value["trace"]["engine"] = "elsewhere"
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(value))
    for _ in range(2):
        saved = read(file)
        assert to_plain(saved.trace)["sections"] == value["trace"]["sections"]
        assert [notice for notice in saved.trace.notices if "is not installed" in notice] == [saved.trace.notices[-1]]
        file.write_bytes(as_json(saved))
    assert presentation("elsewhere").title == "elsewhere"


def test_it_holds_what_the_panes_show_of_hits_and_near_misses(project: Tree) -> None:
    session = project.session()
    trace = session.probe("quokka")
    saved = session.answers.saved(trace)
    assert trace.section(Search).near_misses
    assert {hit.file for hit in trace.hits if hit.text} <= saved.detail.keys()
    assert {miss.file for miss in trace.near_misses} <= saved.detail.keys()
    assert all(detail.hit is not None and adds_up(detail.hit) for detail in saved.detail.values())
    assert (saved.saved_by, saved.saved_at) == (f"brv-tui {__version__}", "2026-11-20T12:00:00Z")
    assert NOW_MS == 1_795_176_000_000


def test_when_the_snapshot_is_gone_the_trace_is_saved_without_detail(project: Tree) -> None:
    session = project.session()
    trace = session.probe("quokka")
    for number in range(4):
        project.note(f"z/{number}.md", "More", "more")
        session.load()
    saved = session.answers.saved(trace)
    assert (saved.trace, saved.detail) == (trace, {})


def test_the_answer_of_query_is_a_saved_trace_too(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    plain = as_plain(session.answers.saved(session.probe("quokka")))
    bare = {"schema": plain["schema"], "trace": plain["trace"]}
    read_again = read(written(tmp_path / "t.json", bare))
    assert plain["trace"] == to_plain(read_again.trace)
    assert (read_again.detail, read_again.saved_at) == ({}, "")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema": 99}, "saved by a later brv-tui (schema 99, this one reads 2): update brv-tui"),
        ({"schema": "1"}, "its schema is '1'"),
        ({"schema": 0}, "its schema is 0"),
        ({"schema": 1}, "saved by an earlier brv-tui (schema 1, this one reads 2): ask and save it again"),
        ({"detail": []}, "detail must be an object, not a list"),
        ({"detail": {"x": {}}}, "detail.x.path is missing"),
        ({"saved_at": 3}, "saved_at must be text"),
        ({"trace": None}, "trace must be an object"),
    ],
)
def test_what_is_wrong_is_said(project: Tree, tmp_path: Path, change: dict[str, Any], says: str) -> None:
    session = project.session()
    file = written(tmp_path / "t.json", {**as_plain(session.answers.saved(session.probe("quokka"))), **change})
    assert says in refusal(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a saved trace"),
        (b"{}", "brv-tui query TEXT --save FILE.json makes one"),
        (b'{"trace": {}}', "not a saved trace"),
        (b'{"schema": 2, "trace": {}}', "trace.schema is missing"),
        (b'{"schema": 2, "trace": 3}', "trace must be an object"),
    ],
)
def test_what_is_no_trace_is_said(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in refusal(written(tmp_path / "t.json", content))


def test_a_file_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    assert "cannot be read (there is no such file)" in refusal(tmp_path / "none.json")
    assert "cannot be read" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    assert "not a regular file" in refusal(tmp_path / "pipe.json")


def test_a_trace_without_steps_is_said(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    plain = as_plain(session.answers.saved(session.probe("quokka")))
    plain["trace"]["steps"] = []
    assert "must hold the steps" in refusal(written(tmp_path / "t.json", plain))


@pytest.mark.parametrize("tier", [-1, 5, 10**40])
@pytest.mark.parametrize("engine", ["byterover", "elsewhere"])
def test_a_tier_is_the_engines(project: Tree, tmp_path: Path, tier: int, engine: str) -> None:
    session = project.session()
    plain = as_plain(session.answers.saved(session.probe("quokka")))
    plain["trace"] |= {"tier": tier, "engine": engine}
    plain["trace"]["steps"][0]["tier"] = tier
    saved = read(written(tmp_path / "t.json", plain))
    assert saved.trace.tier == saved.trace.steps[0].tier == tier
    assert str(tier) in markdown_report(saved)
    assert f"TIER {tier}" in "".join(row.plain for row in trace_lines(saved.trace, {}, 100, UNICODE))


def refusal(file: Path) -> str:
    """The one line with which a file is refused; it names the file."""
    with pytest.raises(SavedError) as raised:
        read(file)
    said = str(raised.value)
    assert said.startswith(f"{file}: ")
    assert "\n" not in said
    return said


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value of plain data stands."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at] * bool(at) + [place for key, item in inner for place in places(item, (*at, key))]


_SCALARS = st.sampled_from(
    [None, True, 0, -1, 7, 0.5, -2.5, 1e300, -1e300, "", "x", "\x1b[31m|`<b>", "ﷺ\u202e\udcff", [], {}, [[]]]
)


def test_a_damaged_file_is_refused_or_shown_never_a_crash(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    whole = as_json(session.answers.saved(session.with_plain_search(session.run("is the quokka old?"), 2)))
    everywhere = places(json.loads(whole))

    @given(st.sampled_from(everywhere), _SCALARS)
    def check(place: tuple[Any, ...], damage: Any) -> None:
        value = json.loads(whole)
        holder = value
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = damage
        try:
            saved = read(written(tmp_path / "t.json", value))
        except SavedError as error:
            assert "\n" not in str(error)  # noqa: PT017
            return
        for form in Form:
            assert rendered(saved, form)

    check()
