"""Brief answers, which the Lab's sliders use: equal to asked answers in everything that the table shows."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.derived import Derived
from brvtui.engines.contract import AnswersBriefly
from brvtui.lab.evaluation.results import QueryResult
from brvtui.lab.judgments.model import NOT_COVERED, Judgment
from brvtui.lab.whatif.variant import Control, SignalChange, Variant, with_value
from brvtui.session import Session
from brvtui.session.variants import VariantState
from tests.support.examples import seeds
from tests.support.generated import generated, prose, query
from tests.support.trees import Tree

VARIANTS, QUERIES = 5, 4


def random_tree(folder: Path, pick: random.Random) -> Tree:
    """A tree with some equal notes, whose order depends on more than their scores."""
    other = generated(folder / "other", pick.randrange(99), 8) if pick.random() < 0.2 else None
    tree = generated(folder / "tree", pick.randrange(10**6), pick.choice((4, 20, 30, 60)), other)
    for number in range(pick.choice((0, 3))):
        tree.note(f"auth/equal_{number}.md", "Token anchor", f"token anchor ember {prose(random.Random(1))}", days=3)
    return tree


def random_variant(session: Session, pick: random.Random) -> Variant:
    """A variant in which up to four sliders are moved."""
    controls = list(session.variants.controls("byterover"))
    path = pick.choice(session.snapshot.notes).path
    groups = ("score", "decay", "direct", "search", "out_of_domain", "clock", "entities", "paths")
    controls = [each for each in controls if each.group in groups or pick.random() < 0.1]
    chosen = pick.sample([*controls, *session.variants.note_controls(path)], pick.randint(1, 4))
    result = Variant()
    for control in chosen:
        result = with_value(result, control, random_value(control, pick))
    return result


def random_value(control: Control, pick: random.Random) -> bool | float | str:
    if control.choices:
        return pick.choice(control.choices)
    near = control.moved(control.base, pick.randint(-3, 3))
    return pick.choice((near, control.at(pick.uniform(control.least, control.most))))


def asked(state: VariantState, judgment: Judgment) -> QueryResult:
    """The answer in ``state`` if nothing is cached, as far as the Lab's table shows it."""
    snapshot = state.context.snapshot
    fresh = replace(snapshot, derived=Derived(), postings=replace(snapshot.postings, derived=Derived()))
    result = replace(state, context=replace(state.context, snapshot=fresh), known={}).ask(judgment)
    without_parts = tuple(replace(each, parts=()) for each in result.results)
    return replace(result, results=without_parts, sentence="", version="", prompt_tokens=0, ms=0.0)


@pytest.mark.parametrize("seed", seeds(4, 240))
def test_brief_answers_equal_asked_ones(tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    session = random_tree(tmp_path, pick).session(profile=pick.choice(("brv-3", "docs", "combined")))
    judgments = [Judgment(f"q{number}", query(pick), pick.choice(("", "", "auth"))) for number in range(QUERIES)]
    for _ in range(VARIANTS):
        state = session.variants.state(random_variant(session, pick), "byterover")
        for judgment in judgments:
            assert session.variants.brief(state, judgment) == asked(state, judgment), (state.variant, judgment)


def test_random_answers_are_of_every_kind(tmp_path: Path) -> None:
    """So the comparison above covers direct answers, both kinds of model calls, and queries that are not covered."""
    outcomes = set()
    for seed in range(6):
        pick = random.Random(seed)
        session = random_tree(tmp_path / str(seed), pick).session()
        state = session.variants.state(Variant(days=pick.choice((0.0, 400.0))), "byterover")
        texts = [*(query(pick) for _ in range(20)), "quokka"]
        outcomes |= {session.variants.brief(state, Judgment("q", text)).outcome for text in texts}
    assert outcomes == {NOT_COVERED, "tier 2", "tier 3", "tier 4"}


def test_constants_signals_and_clock_reuse_the_matching_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = generated(tmp_path / "tree", 7, 30).session()
    path, judgment = session.snapshot.notes[0].path, Judgment("q", "token anchor refresh-token")
    for days in (0.0, 3.0):  # later, some notes are no longer recent, so the notes are in another order
        session.variants.brief(session.variants.state(Variant(days=days), "byterover"), judgment)
    matched: list[object] = []
    match = "brvtui.engines.byterover.search.matching.match_terms"
    monkeypatch.setattr(match, lambda *args, **options: matched.append(args))  # an answer that needs it fails
    for number in range(3):
        variants = (
            Variant(constants=(("score.importance", 0.2 + number / 100),)),
            Variant(constants=(("direct.min_top", 0.5 + number / 100),)),
            Variant(signals=(SignalChange(path, "importance", 50.0 + number),)),
            Variant(days=4.0 + number),
        )
        for variant in variants:
            session.variants.brief(session.variants.state(variant, "byterover"), judgment)
    assert not matched


def test_engines_that_cannot_be_brief_are_asked(tmp_path: Path) -> None:
    session = generated(tmp_path / "tree", 7, 30).session()
    state = session.variants.state(Variant(engine="baseline"))
    assert not isinstance(state.engine, AnswersBriefly)
    judgment = Judgment("q", "token anchor")
    assert session.variants.brief(state, judgment) is session.variants.result(state, judgment)
