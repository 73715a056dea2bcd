"""What the next days bring to all notes, by the engines that have forecasts."""

from __future__ import annotations

import pytest

from brvtui.engines.ageing.events import OF_NOTES
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from tests.support.trees import Tree


@pytest.fixture
def session(tree: Tree) -> Session:
    tree.note("a/plain.md", "Plain", days=1)
    tree.note("a/old.md", "Old", days=70)
    tree.file("a/season.md", "---\ntitle: Season\nvalidFrom: 2026-01-01\nvalidUntil: 2026-12-01\n---\nOpen.\n", 3)
    tree.note("b/core.md", "Core", days=3)
    tree.sidecar_file("b/core.md", {"importance": 90, "maturity": "core", "accessCount": 12, "updateCount": 3,
                                    "recency": 1})  # fmt: skip
    return tree.session()


@pytest.mark.parametrize("days", [0, 1, 30, 365])
def test_it_counts_what_the_board_counts(session: Session, days: int) -> None:
    found = session.ageing.outlook("byterover", days)
    forecast = session.ageing.forecast(days)
    assert found.ranked == len(session.snapshot.notes)
    assert [count.kind for count in found.counts] == [event.key for event in OF_NOTES]
    for event, count in zip(OF_NOTES, found.counts, strict=True):
        assert count.by_then == forecast.then.has_come[event].sum()
        assert count.in_span == forecast.changed[event].sum()
        listed = session.ageing.outlook("byterover", days, count.kind)
        assert len(listed.documents) == count.in_span
        assert len(session.ageing.outlook("byterover", days, count.kind, with_come=True).documents) == count.by_then


def test_notes_come_in_the_order_of_their_events(session: Session) -> None:
    found = session.ageing.outlook("byterover", 365)
    assert found.until == "2027-11-20"
    firsts = [document.events[0].days for document in found.documents]
    assert firsts == sorted(firsts)
    plain = next(document for document in found.documents if document.path == "a/plain.md")
    assert (plain.events[0].kind, plain.events[0].date) == ("leaves-tier-2", "2026-11-22")
    assert plain.events[0].days == pytest.approx(2.46, abs=0.01)
    assert plain.ceiling > plain.ceiling_then
    assert (plain.title, plain.maturity) == ("Plain", "draft")


def test_another_engine_has_events_of_its_own(session: Session) -> None:
    found = session.ageing.outlook("soleri", 30, "window-closes")
    assert [document.path for document in found.documents] == ["a/season.md"]
    assert [event.date for event in found.documents[0].events] == ["2026-12-01"]
    assert [(count.by_then, count.in_span) for count in found.counts] == [(1, 1)]


def test_a_ceiling_of_byterover_is_the_boards(session: Session) -> None:
    made = session.ageing.in_engine("byterover", "a/plain.md", 30)
    board = session.ageing.board()
    position = board.snapshot.by_path["a/plain.md"]
    assert made.ceiling == pytest.approx(board.today.ceiling[position])
    assert made.ceiling == pytest.approx(made.reach + sum(part.value for part in made.lacks))
    assert made.ceiling_then == board.after(30).ceiling[position]
    assert session.ageing.in_engine("byterover", "nowhere.md") is None


def test_what_cannot_be_asked_is_one_line(session: Session) -> None:
    with pytest.raises(EngineError, match=r"has no forecasts: .* engines here that have: byterover, soleri"):
        session.ageing.outlook("jeffs_brain", 30)
    with pytest.raises(EngineError, match="ByteRover has no event leaves-tier; did you mean leaves-tier-2"):
        session.ageing.outlook("byterover", 30, "leaves-tier")
