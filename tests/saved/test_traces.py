"""Saved traces and plain data, of this and other versions, and invalid files."""

from __future__ import annotations

import dataclasses
import json
import os
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui import __version__
from brvtui import trace as words
from brvtui.engines.byterover import sections
from brvtui.engines.byterover.sections import Search
from brvtui.engines.jeffs_brain import sections as hybrid_sections
from brvtui.engines.registry import presentation
from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import trace_lines
from brvtui.report.saved import Form, markdown_report, rendered
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.saved.traces import SavedError, as_json, as_plain, read, trace_from_plain
from brvtui.trace import Check, Hit, Part, State, adds_up, to_plain
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
def test_saved_trace_is_read_back(project: Tree, tmp_path: Path, query: str) -> None:
    session = project.session()
    saved = session.explainer.saved(session.with_plain_search(session.run(query), 3))
    assert read(written(tmp_path / "t.json", as_json(saved))) == saved


def test_saved_hybrid_trace_is_read_back(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    saved = session.explainer.saved(session.preview("quokka", engine="jeffs_brain", services=True))
    assert read(written(tmp_path / "t.json", as_json(saved))) == saved


def test_missing_engine_sections_are_kept(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    value = as_plain(session.explainer.saved(session.preview("token")))
    value["engine"] = value["trace"]["engine"] = "elsewhere"
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(value))
    for _ in range(2):
        saved = read(file)
        assert to_plain(saved.trace)["sections"] == value["trace"]["sections"]
        assert [notice for notice in saved.trace.notices if "is not installed" in notice] == [saved.trace.notices[-1]]
        file.write_bytes(as_json(saved))
    assert presentation("elsewhere").title == "elsewhere"


def test_saved_trace_contains_details_of_hits_and_near_misses(project: Tree) -> None:
    session = project.session()
    trace = session.preview("quokka")
    saved = session.explainer.saved(trace)
    assert trace.section(Search).near_misses
    assert {hit.file for hit in trace.hits if hit.text} <= saved.detail.keys()
    assert {miss.file for miss in trace.near_misses} <= saved.detail.keys()
    assert all(detail.hit is not None and adds_up(detail.hit) for detail in saved.detail.values())
    assert (saved.saved_by, saved.saved_at) == (f"brv-tui {__version__}", "2026-11-20T12:00:00Z")
    assert NOW_MS == 1_795_176_000_000


def test_trace_without_its_snapshot_is_saved_without_detail(project: Tree) -> None:
    session = project.session()
    trace = session.preview("quokka")
    for number in range(4):
        project.note(f"z/{number}.md", "More", "more")
        session.load()
    saved = session.explainer.saved(trace)
    assert (saved.trace, saved.detail) == (trace, {})


def test_json_output_of_query_is_read_as_a_trace(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    plain = as_plain(session.explainer.saved(session.preview("quokka")))
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
        ({"schema": 1}, "saved by an earlier brv-tui (schema 1, this one reads 2): run the query and save it again"),
        ({"detail": []}, "detail must be an object, not a list"),
        ({"detail": {"x": {}}}, "detail.x.path is missing"),
        ({"saved_at": 3}, "saved_at must be text"),
        ({"trace": None}, "trace must be an object"),
    ],
)
def test_invalid_traces_are_reported(project: Tree, tmp_path: Path, change: dict[str, Any], says: str) -> None:
    session = project.session()
    file = written(tmp_path / "t.json", {**as_plain(session.explainer.saved(session.preview("quokka"))), **change})
    assert says in refusal(file)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "not a saved trace"),
        (b"{}", "create one with brv-tui query TEXT --save FILE.json"),
        (b'{"trace": {}}', "not a saved trace"),
        (b'{"schema": 2, "trace": {}}', "trace.schema is missing"),
        (b'{"schema": 2, "trace": 3}', "trace must be an object"),
    ],
)
def test_files_without_a_trace_are_reported(tmp_path: Path, content: bytes, says: str) -> None:
    assert says in refusal(written(tmp_path / "t.json", content))


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    assert "cannot be read (there is no such file)" in refusal(tmp_path / "none.json")
    assert "cannot be read" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    assert "not a regular file" in refusal(tmp_path / "pipe.json")


def test_trace_without_steps_is_reported(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    plain = as_plain(session.explainer.saved(session.preview("quokka")))
    plain["trace"]["steps"] = []
    assert "must contain the steps" in refusal(written(tmp_path / "t.json", plain))


@pytest.mark.parametrize("tier", [-1, 5, 10**40])
@pytest.mark.parametrize("engine", ["byterover", "elsewhere"])
def test_tier_outside_the_known_range_is_shown(project: Tree, tmp_path: Path, tier: int, engine: str) -> None:
    session = project.session()
    plain = as_plain(session.explainer.saved(session.preview("quokka")))
    plain["trace"] |= {"tier": tier, "engine": engine}
    plain["trace"]["steps"][0]["tier"] = tier
    saved = read(written(tmp_path / "t.json", plain))
    assert saved.trace.tier == saved.trace.steps[0].tier == tier
    assert str(tier) in markdown_report(saved)
    assert f"TIER {tier}" in "".join(row.plain for row in trace_lines(saved.trace, {}, 100, UNICODE))


def refusal(file: Path) -> str:
    """The error line that refuses a file. It must name the file."""
    with pytest.raises(SavedError) as raised:
        read(file)
    message = str(raised.value)
    assert message.startswith(f"{file}: ")
    assert "\n" not in message
    return message


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Yields the place of every value of plain data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at] * bool(at) + [place for key, item in inner for place in places(item, (*at, key))]


_SCALARS = st.sampled_from(
    [None, True, 0, -1, 7, 0.5, -2.5, 1e300, -1e300, "", "x", "\x1b[31m|`<b>", "ﷺ\u202e\udcff", [], {}, [[]]]
)


def test_damaged_file_is_refused_or_shown(project: Tree, tmp_path: Path) -> None:
    session = project.session()
    whole = as_json(session.explainer.saved(session.with_plain_search(session.run("is the quokka old?"), 2)))
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


QUERIES = ("quokka", "x", "x/n.md", "zebra", "quokka wallaby facts", "", "the of", "is the quokka's burrow deep?")


@pytest.fixture
def answered_project(tree: Tree) -> Tree:
    """A tree whose traces contain at least one of every kind of data."""
    tree.note("x/n.md", "Quokka", "all about the quokka", 3, importance=80.0, maturity="core")
    tree.note("x/burrow.md", "Burrow [red]\x1b[31m", "deep is the burrow", 40)
    tree.note("y/wallaby.md", "Wallaby facts", "a wallaby is no quokka", 200)
    tree.summary("x")
    tree.notes(60)
    return tree


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(to_plain(value)))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("profile", ["brv-3", "combined"])
def test_trace_round_trips(answered_project: Tree, query: str, profile: str) -> None:
    session = answered_project.session(profile)
    for trace in (session.preview(query), session.run(query), session.run(f"{query}  "), session.preview(query, "x")):
        assert trace_from_plain(through_json(trace)) == trace


@pytest.mark.parametrize("query", QUERIES[:-1])
def test_hybrid_trace_round_trips(answered_project: Tree, query: str) -> None:
    trace = answered_project.session().preview(query, engine="jeffs_brain", services=True)
    assert trace_from_plain(through_json(trace)) == trace


def _holds_any(kind: Any) -> bool:
    if dataclasses.is_dataclass(kind):
        return any(_holds_any(hint) for hint in typing.get_type_hints(kind).values())
    return kind is Any or any(_holds_any(inner) for inner in typing.get_args(kind))


KINDS = [
    kind
    for module in (words, sections, hybrid_sections)
    for kind in vars(module).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
    if f"{kind.__module__}.".startswith(f"{module.__name__}.")
    if not _holds_any(kind)
    and kind
    not in (sections.Search, sections.EntitySearch, sections.EntityStep, sections.PlainSearch, hybrid_sections.Hybrid)
]


def _finite() -> st.SearchStrategy[float]:
    return st.floats(-1e60, 1e60)


st.register_type_strategy(float, _finite())


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_record_round_trips(kind: type) -> None:
    @given(st.from_type(kind))
    def check(value: Any) -> None:
        assert from_plain(kind, through_json(value)) == value

    assert len(KINDS) > 25
    check()


def test_integers_stay_integers() -> None:
    result = from_plain(Part, {"name": "p", "value": 2, "amount": None, "factor": 0.5})
    assert repr(result.value) == "2"
    assert result == Part("p", 2.0, None, 0.5)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"score": "high"}, "score must be a number from -1e60 to 1e60, not 'high'"),
        ({"score": True}, "score must be a number"),
        ({"score": float("inf")}, "score must be a number"),
        ({"score": 10**400}, "score must be a number"),
        ({"title": None}, "title must be text"),
        ({"kind": "essay"}, "kind must be one of context, summary, archive_stub, not 'essay'"),
        ({"kind": ["context"]}, "kind must be one of"),
        ({"parts": {}}, "parts must be a list, not an object"),
        ({"parts": [{"name": "x"}]}, "parts[0].value is missing"),
        ({"text": 3}, "text must be an object"),
        ({"text": {"term_sum": 1, "matched_terms": 1.5}}, "text.matched_terms must be a whole number"),
    ],
)
def test_invalid_values_are_named(change: dict[str, Any], says: str) -> None:
    plain = to_plain(Hit("p", "p", "T", words.Kind.CONTEXT, words.Origin.TEXT, 0.5, (), None, None, None))
    with pytest.raises(PlainError) as raised:
        from_plain(Hit, {**plain, **change})
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_fields_are_skipped_and_missing_ones_filled() -> None:
    plain = to_plain(Check("n", 1.0, "<", 2.0, True, -1.0, "", ""))
    plain["later"] = {"anything": [1]}
    del plain["note"]
    assert from_plain(Check, plain) == Check("n", 1.0, "<", 2.0, True, -1.0, "", "")


def test_untyped_data_is_kept_up_to_a_depth_limit() -> None:
    @dataclass(frozen=True)
    class Free:
        value: dict[str, Any]

    assert from_plain(Free, {"value": {"a": [1, {"b": None}]}}) == Free({"a": [1, {"b": None}]})
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(PlainError, match="nested too deeply"):
        from_plain(Free, {"value": {"a": deep}})


def test_enum_values_are_restored() -> None:
    assert from_plain(State, "hit") is State.HIT
