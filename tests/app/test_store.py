"""The view changes in whole sub-states, and is drawn before subscribers are notified."""

from __future__ import annotations

from dataclasses import replace

import pytest

from brvtui.app.states import (
    AnswerState,
    CounterfactualSearch,
    FleetState,
    NoteState,
    PinState,
    ProjectState,
    QueryState,
    SelectionState,
)
from brvtui.app.view import View, ViewStore
from brvtui.fleet.questions import MemberAnswer
from brvtui.saved.traces import SavedTrace
from brvtui.text import visible
from brvtui.trace import Trace
from tests.support.trees import Tree


def test_change_is_drawn_before_subscribers_are_notified() -> None:
    seen: list[object] = []
    store = ViewStore(lambda view: seen.append(view.query.text))
    store.subscribe((QueryState, NoteState), lambda: seen.append("told"))
    store.update(store.view.query._replace(text="peas", scope="garden"), SelectionState("peas.md"))
    assert seen == ["peas", "told"]
    assert store.view == View(query=QueryState("peas", "garden"), selection=SelectionState("peas.md"))


def test_only_subscribers_of_changed_states_are_notified() -> None:
    notified: list[str] = []
    store = ViewStore(lambda view: None)
    store.subscribe((NoteState,), lambda: notified.append("note"))
    store.update(QueryState("peas"))
    assert notified == []
    store.update(NoteState())
    assert notified == ["note"]


def test_subscriber_may_change_the_view() -> None:
    drawn: list[tuple[str, str]] = []
    store = ViewStore(lambda view: drawn.append((view.query.text, view.selection.file)))
    store.subscribe((QueryState,), lambda: store.update(SelectionState("peas.md")))
    store.update(QueryState("peas"))
    assert drawn == [("peas", ""), ("peas", "peas.md")]


def test_initial_view_has_generation_zero() -> None:
    assert View().project.generation == 0


def _trace(tree: Tree) -> Trace:
    tree.note("x/good.md", "Quokka", "all about the quokka")
    return tree.session().preview("quokka")


def test_long_trace_is_shortened_once_for_all_states(tree: Tree) -> None:
    trace, store = replace(_trace(tree), notices=("x" * 12_000,)), ViewStore(lambda view: None)
    store.update(ProjectState(saved=SavedTrace(trace)), AnswerState(trace))
    store.update(store.view.answer._replace(counterfactuals=CounterfactualSearch(trace)))
    store.update(PinState(trace))
    store.update(store.view.answer._replace(serving=True))
    shown = store.shown
    assert shown.project.saved is not None
    assert shown.answer.counterfactuals is not None
    assert shown.answer.trace is not None
    assert len(shown.answer.trace.notices[0]) < 11_000
    assert shown.answer.trace is shown.pin.trace is shown.answer.counterfactuals.trace is shown.project.saved.trace
    assert store.view.pin.trace is trace


def test_only_new_fleet_answers_are_measured(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    hits, names_of = _trace(tree).hits, visible._field_names
    answers = {f"m{place}": MemberAnswer("byterover", "brv-3", 1, True, 2, "", 1, hits) for place in range(9)}
    measured: list[type] = []

    def counted(kind: type) -> tuple[str, ...]:
        measured.append(kind)
        return names_of(kind)

    monkeypatch.setattr(visible, "_field_names", counted)
    store = ViewStore(lambda view: None)
    store.update(FleetState(answers=dict(list(answers.items())[:8])))
    assert measured.count(MemberAnswer) == 8
    measured.clear()
    store.update(store.view.fleet._replace(done=1))
    assert measured == []
    store.update(store.view.fleet._replace(answers=answers))
    assert measured.count(MemberAnswer) == 1
    long = replace(answers["m0"], sentence="x" * 12_000)
    store.update(store.view.fleet._replace(answers={**answers, "m0": long}))
    before, shown = measured.count(MemberAnswer), store.shown.fleet.answers
    store.update(store.view.fleet._replace(answers={**answers, "m0": long, "m9": answers["m1"]}))
    assert len(shown["m0"].sentence) < 11_000
    assert store.shown.fleet.answers["m0"] is shown["m0"]
    assert store.shown.fleet.answers["m1"] is answers["m1"]
    assert measured.count(MemberAnswer) == before
