"""Frozen dataclasses from plain data: what came back is what went in, and what does not fit is named."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui import trace as words
from brvtui.engines.byterover import sections
from brvtui.engines.jeffs_brain import sections as hybrid_sections
from brvtui.saved.rebuilding import PlainError, from_plain
from brvtui.saved.traces import trace_from_plain
from brvtui.trace import Check, Hit, Part, State, to_plain
from tests.support.trees import Tree

QUERIES = ("quokka", "x", "x/n.md", "zebra", "quokka wallaby facts", "", "the of", "is the quokka's burrow deep?")


@pytest.fixture
def project(tree: Tree) -> Tree:
    """A tree with something of everything that a trace can hold."""
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
def test_a_trace_comes_back_as_it_was(project: Tree, query: str, profile: str) -> None:
    session = project.session(profile)
    for trace in (session.probe(query), session.run(query), session.run(f"{query}  "), session.probe(query, "x")):
        assert trace_from_plain(through_json(trace)) == trace


@pytest.mark.parametrize("query", QUERIES[:-1])
def test_a_hybrid_trace_comes_back_as_it_was(project: Tree, query: str) -> None:
    trace = project.session().probe(query, engine="jeffs_brain", services=True)
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
def test_every_record_comes_back_as_it_was(kind: type) -> None:
    @given(st.from_type(kind))
    def check(value: Any) -> None:
        assert from_plain(kind, through_json(value)) == value

    assert len(KINDS) > 25
    check()


def test_whole_numbers_stay_whole() -> None:
    made = from_plain(Part, {"name": "p", "value": 2, "amount": None, "factor": 0.5})
    assert repr(made.value) == "2"
    assert made == Part("p", 2.0, None, 0.5)


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
def test_what_does_not_fit_is_named(change: dict[str, Any], says: str) -> None:
    plain = to_plain(Hit("p", "p", "T", words.Kind.CONTEXT, words.Origin.TEXT, 0.5, (), None, None, None))
    with pytest.raises(PlainError) as raised:
        from_plain(Hit, {**plain, **change})
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_a_later_version_adds_is_passed_over_and_what_it_can_leave_out_is_filled() -> None:
    plain = to_plain(Check("n", 1.0, "<", 2.0, True, -1.0, "", ""))
    plain["later"] = {"anything": [1]}
    del plain["note"]
    assert from_plain(Check, plain) == Check("n", 1.0, "<", 2.0, True, -1.0, "", "")


def test_free_data_is_kept_but_not_without_end() -> None:
    @dataclass(frozen=True)
    class Free:
        value: dict[str, Any]

    assert from_plain(Free, {"value": {"a": [1, {"b": None}]}}) == Free({"a": [1, {"b": None}]})
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(PlainError, match="nested too deeply"):
        from_plain(Free, {"value": {"a": deep}})


def test_a_state_is_a_state_again() -> None:
    assert from_plain(State, "hit") is State.HIT
