"""The Maturity screen's data: marks, words, and one note's ageing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brvtui.app.maturity.board_on_day import BoardOnDay, BoardOptions, Mark, ageing_of, board_on_day
from brvtui.app.maturity.cards import HEIGHT, card, header, label_of, sentence_of, share
from brvtui.engines.ageing.events import (
    ARCHIVE,
    BELOW_MATURITY,
    LEAVES_PROMPT,
    LEAVES_TIER_2,
    OF_NOTES,
    PRUNING,
    Event,
    count_sentence,
)
from brvtui.engines.ageing.forecast import BoardOrder, UpcomingEvent
from brvtui.paint.glyphs import ASCII, UNICODE
from brvtui.session import Session
from tests.support.trees import Tree

DATED = "---\nupdatedAt: 2026-11-13T12:00:00Z\n---\n# Dated\n"


@pytest.fixture
def session(tree: Tree) -> Iterator[Session]:
    tree.file("a/dated.md", DATED, days=7)
    tree.note("a/plain.md", "Plain", days=1)
    tree.note("a/old.md", "Old", days=70)
    tree.note("b/core.md", "Core", days=3)
    tree.sidecar_file("b/core.md", {"importance": 90, "maturity": "core", "accessCount": 12, "updateCount": 3,
                                    "recency": 1})  # fmt: skip
    result = tree.session()
    yield result
    result.close()


def marks(on_day: BoardOnDay) -> dict[str, Mark | None]:
    notes = on_day.board.snapshot.notes
    return {note.path: on_day.mark(position) for position, note in enumerate(notes)}


def test_today_marks_each_note_with_its_next_event(session: Session) -> None:
    found = marks(board_on_day(session, BoardOptions(), None))
    assert found["a/plain.md"] == Mark(LEAVES_TIER_2, pytest.approx(2.46, abs=0.01), False)
    assert found["a/old.md"] == Mark(PRUNING, 0.0, False)
    core = found["b/core.md"]
    assert core is not None
    assert (core.event, core.by_then) == (BELOW_MATURITY, False)


def test_next_event_is_marked_even_if_another_has_passed(tree: Tree) -> None:
    tree.file("a/again.md", "---\nupdatedAt: 2026-07-13T12:00:00Z\n---\n# Again\n", days=1)
    session = tree.session()
    board = board_on_day(session, BoardOptions(), None)
    mark = marks(board)["a/again.md"]
    assert mark is not None
    assert 0 < mark.days <= 30
    assert label_of(mark, UNICODE)[0] == f"leaves tier 2 in {mark.days:.0f} d"
    session.close()


def test_future_day_marks_the_most_serious_event_until_then(session: Session) -> None:
    found = marks(board_on_day(session, BoardOptions(65), None))
    dated = found["a/dated.md"]
    assert dated is not None
    assert (dated.event, dated.by_then, dated.more) == (ARCHIVE, True, 2)
    plain = found["a/plain.md"]
    assert plain is not None
    assert (plain.event, plain.by_then, plain.more) == (PRUNING, True, 2)


def test_collected_events_are_reused(session: Session) -> None:
    first = board_on_day(session, BoardOptions(), None)
    second = board_on_day(session, BoardOptions(30, BoardOrder.TITLE, PRUNING), first)
    assert second.board is first.board
    assert second.names is first.names
    assert second.calendar is first.calendar
    assert [len(second.columns[level]) for level in ("draft", "validated", "core")] == [1, 0, 0]


def test_event_filter_matches_the_events_on_cards(session: Session) -> None:
    found = marks(board_on_day(session, BoardOptions(65, only=LEAVES_TIER_2), None))
    assert all(mark is not None and mark.event is LEAVES_TIER_2 for mark in found.values())
    plain = found["a/plain.md"]
    assert plain is not None
    assert (plain.days, plain.by_then, plain.more) == (pytest.approx(2.46, abs=0.01), True, 0)


def test_changes_filter_shows_only_notes_changed_by_that_day(session: Session) -> None:
    def paths(wanted: BoardOptions) -> set[str]:
        result = board_on_day(session, wanted, None)
        notes = result.board.snapshot.notes
        return {notes[place].path for column in result.columns.values() for place in column}

    everything = paths(BoardOptions())
    assert paths(BoardOptions(only_changes=True)) == everything, "no day has passed"
    for day in (1, 30, 65, 365):
        for only in OF_NOTES:
            come = paths(BoardOptions(day, only=only))
            before = paths(BoardOptions(0, only=only))
            assert paths(BoardOptions(day, only=only, only_changes=True)) == come - before
        changed = set().union(*(paths(BoardOptions(day, only=only, only_changes=True)) for only in OF_NOTES))
        assert paths(BoardOptions(day, only_changes=True)) == changed


def test_empty_columns_collapse_but_never_all(session: Session) -> None:
    result = board_on_day(session, BoardOptions(), None)
    assert result.collapsed == {"validated"}
    assert board_on_day(session, BoardOptions(only=ARCHIVE), result).collapsed == frozenset()


@pytest.mark.parametrize("event", OF_NOTES)
def test_count_sentence_gives_total_and_recent_events(event: Event) -> None:
    assert count_sentence(event, 51, 14, 30) == f"51 {event.state}, 14 of them in the next 30 days"
    assert count_sentence(event, 51, 0, 1) == f"51 {event.state}, none of them in the next day"
    assert count_sentence(event, 51, 0, 0) == f"51 {event.state} by today"
    assert all((event.short, event.happens, event.happen, event.meaning, event.in_short))


def test_notes_are_found_by_path(session: Session) -> None:
    result = board_on_day(session, BoardOptions(), None)
    assert result.level_of("b/core.md") == "core"
    assert result.level_of("gone.md") == ""
    assert result.position("gone.md") is None
    assert result.names[result.position("a/plain.md") or 0] == "plain\na/plain.md"


def test_ageing_shows_present_and_future_signals_of_a_note(session: Session) -> None:
    on_day = board_on_day(session, BoardOptions(10), None)
    result = ageing_of(session, on_day, "b/core.md", 4)
    assert result is not None
    assert (result.row.importance_stored, result.hits.times, result.hits.signals.importance) == (90, 4, 100)
    assert result.then_importance == pytest.approx(90 * 0.995**13)
    assert (result.updates.signals.importance, result.thresholds) == (100, (0.85, 0.7))
    assert ageing_of(session, on_day, "gone.md", 4) is None


@pytest.mark.parametrize(
    ("mark", "label"),
    [
        (None, ""),
        (Mark(PRUNING, 0.0, False), "prunable"),
        (Mark(LEAVES_PROMPT, 0.4, False), "leaves prompt in <1 d"),
        (Mark(LEAVES_TIER_2, 12.4, True), "▾ left tier 2"),
        (Mark(ARCHIVE, 12.4, True, 2), "▾ archivable +2 more"),
        (Mark(ARCHIVE, 12.4, True, filtered=True), "archivable in 12 d"),
        (Mark(LEAVES_TIER_2, 12.4, False, filtered=True), "leaves tier 2 in 12 d"),
        (Mark(LEAVES_TIER_2, 0.0, False, filtered=True), "left tier 2"),
    ],
)
def test_mark_labels_show_event_and_days(mark: Mark | None, label: str) -> None:
    assert label_of(mark, UNICODE)[0] == label


def test_event_sentences_distinguish_past_present_and_future() -> None:
    for event in OF_NOTES:
        come, ahead, then = (sentence_of(UpcomingEvent(event, day, by), UNICODE)[0] for day, by in
                             ((0.0, False), (12.0, False), (12.0, True)))  # fmt: skip
        assert come.startswith(f"• {event.has_come} (")
        assert ahead.startswith(f"• {event.happens} ")
        assert "in 12\u00a0d" in ahead
        assert then.startswith("▾ ")
        assert event.in_short in come.replace("\u00a0", " ")


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("width", [10, 23, 40, 61, 62, 77, 120])
def test_cards_fit_their_width(width: int, glyphs: object, session: Session) -> None:
    for day in (0, 65, 365):
        on_day = board_on_day(session, BoardOptions(day), None)
        for position in range(len(on_day.board)):
            lines = card(on_day, position, width, glyphs)  # type: ignore[arg-type]
            assert len(lines) == HEIGHT
            assert all(line.width <= width for line in lines)
    assert header(width).width <= width


@pytest.mark.parametrize(("value", "text"), [(1.0, "1.0"), (0.996, "1.0"), (0.87, ".87"), (0.0, ".00")])
def test_shares_are_written_in_three_characters(value: float, text: str) -> None:
    assert share(value) == text
