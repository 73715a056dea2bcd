"""Engines are closed: one of another package that ages and counts is treated as ours are, by what it can do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from brvtui.app.maturity.board_on_day import BoardOptions, board_on_day
from brvtui.app.maturity.cards import label_of
from brvtui.engines.contract import EngineError
from brvtui.paint.glyphs import UNICODE
from brvtui.session import Session
from tests.engines.tiered_toy import FADES, GATE
from tests.support.engine_packages import declared
from tests.support.trees import Tree


@pytest.fixture
def session(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Notes of several ages, in a project to which the toy is native."""
    tree.note("a/b/new.md", "New quokka", "a quokka", days=1)
    tree.note("a/b/old.md", "Old quokka", "a quokka", days=5)
    tree.note("a/b/faded.md", "Faded quokka", "a quokka", days=50)
    with declared(tmp_path, monkeypatch, "tiered", "tests.engines.tiered_toy:TieredToy"):
        made = tree.session()
        made.kind = replace(made.kind, native="tiered")
        yield made


def test_the_board_follows_the_rules_of_the_engine(session: Session) -> None:
    board = session.ageing.board()
    assert board.events == (FADES,)
    days = board.days_until[FADES]
    places = [board.snapshot.by_path[f"a/b/{name}.md"] for name in ("faded", "old", "new")]
    assert days[places[0]] == 0
    assert 0 < days[places[1]] < days[places[2]]
    assert days[places[2]] - days[places[1]] == pytest.approx(4, abs=0.01)
    for place in places[1:]:
        before, after = (board.after(float(days[place]) + step).ceiling[place] for step in (-0.01, 0.01))
        assert before >= GATE > after


def test_the_maturity_screen_has_its_events_and_words(session: Session) -> None:
    shown = board_on_day(session, BoardOptions(day=7, only=FADES), None)
    assert shown.events == (FADES,)
    marks = {
        path: label_of(shown.mark(place), UNICODE)[0]
        for path in ("a/b/faded.md", "a/b/new.md")
        if (place := shown.position(path)) is not None
    }
    assert marks == {"a/b/faded.md": "⚠ fading", "a/b/new.md": "▾ 6d fading"}
    assert np.asarray(shown.calendar[FADES]).sum() == 2


def test_a_note_has_its_ceiling(session: Session) -> None:
    page = session.about("a/b/old.md")
    assert page.ceiling is not None
    assert page.ceiling.score == pytest.approx(5, abs=0.01)
    assert session.around("a/b/old.md").place is None, "it has no manifest"


def test_its_access_hits_are_those_that_it_counts(session: Session) -> None:
    session.recording = True
    trace = session.run("quokka", engine="tiered")
    assert (trace.tier, len(trace.hits)) == (2, 3)
    held = zip(session.snapshot.notes, session.snapshot.signals, strict=True)
    counts = {note.path: stored.access_count for note, stored in held}
    assert counts == {hit.file: int(hit is trace.hits[0]) for hit in trace.hits}


def test_what_it_cannot_do_is_refused_in_a_line(session: Session) -> None:
    trace = session.probe("quokka", engine="tiered")
    with pytest.raises(EngineError, match="leave it out with tiered"):
        session.answers.counterfactuals(trace)
    with pytest.raises(EngineError, match="leave it out with tiered"):
        session.with_plain_search(trace, 3)
