"""The board of all notes, compared with single notes as searches score them, after changes, and in real time."""

from __future__ import annotations

import os
import random
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from brvtui.engines.ageing.board import Board
from brvtui.engines.ageing.events import ARCHIVE, BELOW_MATURITY, LEAVES_PROMPT, LEAVES_TIER_2, OF_NOTES, PRUNING
from brvtui.engines.ageing.forecast import (
    BoardOrder,
    Forecast,
    after_hits,
    after_saving,
    after_updates,
    calendar,
    columns,
    curve,
    days_to_next_event,
)
from brvtui.engines.byterover.edit_preview import preview_edit
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.scoring import path_hits
from brvtui.engines.edit_previews import EditPreview
from brvtui.ranking.maturity import LEVELS
from brvtui.tree.reading.signals import Source
from tests.support.ceilings import ceiling_of
from tests.support.generated import generated
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, changed, stored

DATED = "---\nupdatedAt: 2026-11-13T12:00:00Z\n---\n# Dated\n"
"""Seven days before the tests' clock."""


def board_of(tree: Tree, profile: Profile = BRV3, now_ms: float = NOW_MS) -> Board:
    return Board(tree.snapshot(profile), profile.ageing, now_ms)


def place(board: Board, path: str) -> int:
    return board.snapshot.by_path[path]


def random_board(folder: Path, seed: int, profile: Profile = BRV3) -> Board:
    pick = random.Random(seed)
    tree = generated(folder / "project", seed)
    for path in sorted(file.relative_to(tree.tree).as_posix() for file in tree.tree.rglob("*.md")):
        date = pick.choice(
            ("", "updatedAt: soon\n", f"updatedAt: 20{pick.randrange(20, 28)}-0{pick.randrange(1, 10)}-11\n")
        )
        if date and not path.endswith("_index.md"):
            age = (NOW_MS - (tree.tree / path).stat().st_mtime_ns / 1e6) / DAY_MS
            tree.file(path, f"---\n{date}---\n{(tree.tree / path).read_text(errors='replace')}", age)
    return board_of(tree, profile)


def test_board_row_has_the_signals_and_ceiling_of_its_note(tree: Tree) -> None:
    tree.note("a/n.md", "Named", days=10, importance=60, maturity="validated", recency=0.5, access_count=4)
    row = board_of(tree).row(0)
    assert (row.path, row.title, row.maturity, row.source) == ("a/n.md", "Named", "validated", str(Source.FILE))
    assert (row.importance_stored, row.recency_stored, row.days) == (60, 0.5, 10)
    assert row.importance == pytest.approx(60 * 0.995**10)
    assert row.recency == pytest.approx(np.exp(-1 / 3))
    assert (row.access_count, row.update_count, row.updated_days) == (4, 0, None)
    assert (row.promoted_from, row.demoted_below, row.to_promotion, row.to_demotion) == (85, 35, 25, 25)
    assert (row.hits_to_promotion, row.after_one_hit, row.has_come) == (9, "validated", ())


def test_core_has_no_promotion_and_draft_no_demotion(tree: Tree) -> None:
    tree.note("a/core.md", "Core", maturity="core", importance=50)
    tree.note("a/draft.md", "Draft", importance=70)
    board = board_of(tree)
    core, draft = (board.row(place(board, f"a/{name}.md")) for name in ("core", "draft"))
    assert (core.promoted_from, core.to_promotion, core.hits_to_promotion) == (None, None, None)
    assert (core.to_demotion, core.after_one_hit) == (-10, "validated")
    assert (draft.demoted_below, draft.to_demotion) == (None, None)
    assert (draft.to_promotion, draft.hits_to_promotion, draft.after_one_hit) == (0, 1, "validated")


def test_empty_tree_has_an_empty_board(tree: Tree) -> None:
    board = board_of(tree)
    assert len(board) == 0
    assert board.hits_to_promotion.size == 0
    assert all(not come.size for come in board.today.has_come.values())
    assert all(not days.size for days in board.days_until.values())


@pytest.mark.parametrize("seed", range(4))
def test_board_signals_and_ceilings_equal_the_ones_of_hits(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    for position, note in enumerate(board.snapshot.notes):
        [hit] = path_hits(Context(board.snapshot, BRV3, NOW_MS), [note], 1.0, "x")
        row = board.row(position)
        assert row.importance == hit.signals.importance
        assert row.recency == hit.signals.recency
        assert row.days == hit.signals.days
        assert row.ceiling == hit.ceiling.score
        left = [board.days_until[event][position] for event in (LEAVES_TIER_2, LEAVES_PROMPT)]
        assert left == [np.inf if one.days_left is None else one.days_left for one in hit.ceiling.horizons]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("profile", [BRV3, DOCS, changed(BRV3, decay={"importance_base": 1.0})])
def test_event_happens_on_its_day(seed: int, profile: Profile, tmp_path: Path) -> None:
    """The note changes between just before and just after the event.

    Events forecast as "never" do not happen within ten years.
    """
    board = random_board(tmp_path, seed, profile)
    steady = (board.snapshot.columns.recency == 1) | (board.today.days > 0)
    for event, days in board.days_until.items():
        come = board.today.has_come[event]
        assert ((days == 0) == come)[steady].all(), event
        late = board.after(3_000).has_come[event]
        assert (late == (days <= 3_000))[steady].all(), event
        for position in np.flatnonzero((days > 0.02) & np.isfinite(days) & steady).tolist():
            day = float(days[position])
            assert not board.after(day - 0.01).has_come[event][position]
            assert board.after(day + 0.01).has_come[event][position]


@pytest.mark.parametrize("seed", range(4))
def test_board_for_a_future_day_equals_a_later_clock(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    ahead, later = board.after(40), Board(board.snapshot, BRV3.ageing, NOW_MS + 40 * DAY_MS).today
    assert (ahead.importance == later.importance).all()
    assert (ahead.ceiling == later.ceiling).all()
    assert all((ahead.has_come[event] == later.has_come[event]).all() for event in OF_NOTES)


@pytest.mark.parametrize("seed", range(4))
def test_hits_to_promotion_are_counted(seed: int, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    for position, before in enumerate(board.snapshot.signals):
        row, level = board.row(position), LEVELS.index(before.maturity)
        levels = (LEVELS.index(after_hits(before, 0, True, n, BRV3.ageing).signals.maturity) for n in range(1, 41))
        first = next(levels)
        assert LEVELS.index(row.after_one_hit) == first
        higher = (n for n, then in enumerate(chain([first], levels), start=1) if then > level)
        assert row.hits_to_promotion == next(higher, None)


class TestArchive:
    def test_note_without_a_date_keeps_its_importance(self, tree: Tree) -> None:
        tree.note("a/old.md", "Old", days=300)
        tree.note("a/low.md", "Low", days=300, importance=34)
        board = board_of(tree)
        days = board.days_until[ARCHIVE]
        assert days[place(board, "a/old.md")] == np.inf
        assert days[place(board, "a/low.md")] == 0

    def test_date_in_the_note_overrides_the_file_time(self, tree: Tree) -> None:
        tree.file("a/n.md", DATED, days=300)
        board = board_of(tree)
        assert board.row(0).updated_days == 7
        assert board.days_until[ARCHIVE][0] == pytest.approx(np.log(35 / 50) / np.log(0.995) - 7)
        assert board.today.archive_importance[0] == pytest.approx(50 * 0.995**7)

    def test_unparsable_date_prevents_archiving(self, tree: Tree) -> None:
        tree.file("a/n.md", "updatedAt: soon\n# N\n")
        tree.signals["a/n.md"] = stored(importance=1)
        board = board_of(tree)
        assert board.days_until[ARCHIVE][0] == np.inf
        assert not board.after(365).has_come[ARCHIVE][0]

    @pytest.mark.parametrize("path", ["_archived/a/n.stub.md", "_archived/n.md", "a/_archived/n.md"])
    def test_archived_files_are_not_archived_again(self, path: str, tree: Tree) -> None:
        tree.note(path, "N", importance=1)
        board = board_of(tree)
        assert board.days_until[ARCHIVE][0] == np.inf
        assert board.days_until[PRUNING][0] == np.inf

    def test_validated_and_core_notes_are_not_pruned(self, tree: Tree) -> None:
        for maturity in LEVELS:
            tree.note(f"a/{maturity}.md", "N", days=500, importance=1, maturity=maturity)
        board = board_of(tree)
        offered = {
            event: {board.row(position).maturity for position in np.flatnonzero(come).tolist()}
            for event, come in board.today.has_come.items()
        }
        assert offered[ARCHIVE] == {"draft"}
        assert offered[PRUNING] == {"draft", "validated"}

    def test_docs_profile_has_no_pruning(self, tree: Tree) -> None:
        tree.note("a/n.md", "N", days=500)
        assert board_of(tree, DOCS).days_until[PRUNING][0] == np.inf

    def test_shared_notes_are_never_archived_or_pruned(self, tree: Tree) -> None:
        other = Tree(tree.root.parent / "other")
        other.note("b/n.md", "Shared", days=500)
        tree.source(("lib", other))
        board = board_of(tree)
        assert board.snapshot.notes[0].alias == "lib"
        assert board.days_until[ARCHIVE][0] == board.days_until[PRUNING][0] == np.inf


def test_hits_leave_the_files_age_unchanged() -> None:
    made = after_hits(stored(importance=53, recency=0.4, access_count=2), 10.0, True, 5, BRV3.ageing)
    assert (made.times, made.signals.importance, made.signals.maturity, made.signals.access_count) == (
        5,
        68,
        "validated",
        7,
    )
    assert (made.signals.recency, made.days, made.signals.update_count) == (0.4, 10.0, 0)
    assert made.ceiling == ceiling_of(10.0, 68, 0.4, "validated", True, BRV3)


def test_updates_reset_the_age_of_the_note() -> None:
    made = after_updates(stored(importance=53, recency=0.4, update_count=2), 10.0, False, 3, BRV3.ageing)
    assert (made.times, made.signals.importance, made.signals.maturity, made.signals.update_count) == (
        3,
        68,
        "validated",
        5,
    )
    assert (made.signals.recency, made.days, made.signals.access_count) == (1.0, 0.0, 0)
    assert made.ceiling == ceiling_of(0.0, 68, 1.0, "validated", False, BRV3)


@pytest.mark.parametrize("after", [after_hits, after_updates])
def test_zero_events_change_nothing(after: object) -> None:
    before = stored(importance=90, recency=0.4)
    made = after(before, 10.0, True, 0, BRV3.ageing)  # type: ignore[operator]
    assert (made.signals.importance, made.signals.maturity, made.signals.recency, made.days) == (90, "draft", 0.4, 10.0)


@pytest.mark.parametrize("level", LEVELS)
def test_saving_gives_the_days_for_a_note_written_now(tree: Tree, level: str) -> None:
    tree.note("a/n.md", "Named", days=0, importance=55, maturity=level, recency=0.5)
    board = board_of(tree)
    saved = after_saving(board.snapshot.signals[0], True, BRV3.ageing)
    assert saved.gates == {event: board.days_until[event][0] for event in (LEAVES_TIER_2, LEAVES_PROMPT)}
    assert saved.ceiling == board.row(0).ceiling
    tree.note("a/n.md", "Named", days=200, importance=55, maturity=level, recency=0.5)
    older = after_hits(stored(importance=55, maturity=level, recency=0.5), 200.0, True, 0, BRV3.ageing)
    assert older.gates == {event: board_of(tree).days_until[event][0] for event in saved.gates}


def test_importance_never_exceeds_its_maximum() -> None:
    assert after_hits(stored(importance=95), 0, True, 50, BRV3.ageing).signals.importance == 100


def test_each_hit_is_evaluated_separately() -> None:
    """A core note at 50 is demoted by its first hit and is validated at 65; five hits at once would keep it core."""
    assert after_hits(stored(importance=50, maturity="core"), 0, True, 5, BRV3.ageing).signals.maturity == "validated"


_TEXT = b"# Rollback\n\nby hand\n"


def after_save(tree: Tree, path: str, data: bytes) -> EditPreview:
    return preview_edit(Context(tree.snapshot(), BRV3, NOW_MS), "rollback hand", "", path, data, keep_mtime=False)


@pytest.fixture
def grown(tree: Tree) -> Tree:
    """An old note among others."""
    tree.note("ops/rollback.md", "Rollback", "by alias", days=40, importance=70, recency=1.0)
    tree.note("ops/other.md", "Other", days=3)
    return tree


def test_saving_resets_the_age_unless_the_file_time_is_kept(grown: Tree) -> None:
    found = after_save(grown, "ops/rollback.md", _TEXT)
    assert found.now.recency is not None
    assert found.now.recency < 0.5
    assert found.renewed.recency == pytest.approx(1.0)
    assert found.kept.recency == found.now.recency
    assert found.renewed.ceiling is not None
    assert found.kept.ceiling is not None
    assert found.renewed.ceiling > found.kept.ceiling == found.now.ceiling


@pytest.mark.parametrize("keeps", [False, True])
def test_prediction_matches_the_result_after_the_file_is_written(grown: Tree, keeps: bool) -> None:
    found = after_save(grown, "ops/rollback.md", _TEXT)
    grown.file("ops/rollback.md", _TEXT, 40 if keeps else 1 / DAY_MS)
    after = grown.snapshot()
    written = Board(after, BRV3.ageing, NOW_MS).row(after.by_path["ops/rollback.md"])
    foreseen = found.kept if keeps else found.renewed
    assert (foreseen.recency, foreseen.ceiling, foreseen.own.signals.importance) == (
        written.recency, written.ceiling, written.importance,
    )  # fmt: skip


def test_new_note_has_no_current_values(grown: Tree) -> None:
    found = after_save(grown, "ops/new.md", _TEXT)
    assert (found.now.recency, found.now.ceiling) == (None, None)
    assert found.renewed.recency is not None
    assert (found.kept.recency, found.kept.ceiling) == (found.renewed.recency, found.renewed.ceiling)


def test_unreadable_note_is_not_on_the_board(grown: Tree) -> None:
    found = after_save(grown, "ops/rollback.md", b"# A\0B")
    assert found.now.ceiling is not None
    assert [(state.recency, state.ceiling) for state in (found.renewed, found.kept)] == [(None, None)] * 2


def test_save_prediction_writes_no_file(grown: Tree) -> None:
    place = grown.tree / "ops/rollback.md"
    before = os.stat(place).st_ctime_ns, place.read_bytes()
    after_save(grown, "ops/rollback.md", _TEXT)
    assert (os.stat(place).st_ctime_ns, place.read_bytes()) == before


@pytest.fixture
def garden(tree: Tree) -> Tree:
    tree.note("b/young.md", "young", days=1, importance=60)
    tree.note("a/old.md", "Old", days=50, importance=90, access_count=9)
    tree.note("a/even.md", "even", days=20, importance=60, update_count=3)
    tree.note("c/core.md", "Core", days=3, importance=91, maturity="core")
    tree.note("c/fallen.md", "fallen", days=400, importance=91, maturity="core")
    return tree


@pytest.mark.parametrize(
    ("order", "drafts"),
    [
        (BoardOrder.IMPORTANCE, ["a/old.md", "b/young.md", "a/even.md"]),
        (BoardOrder.EVENT, ["b/young.md", "a/old.md", "a/even.md"]),
        (BoardOrder.PROMOTION, ["a/old.md", "a/even.md", "b/young.md"]),
        (BoardOrder.CEILING, ["b/young.md", "a/even.md", "a/old.md"]),
        (BoardOrder.RECENCY, ["b/young.md", "a/even.md", "a/old.md"]),
        (BoardOrder.ACCESSES, ["a/old.md", "a/even.md", "b/young.md"]),
        (BoardOrder.UPDATES, ["a/even.md", "a/old.md", "b/young.md"]),
        (BoardOrder.TITLE, ["a/even.md", "a/old.md", "b/young.md"]),
    ],
)
def test_board_is_sorted_by_the_selected_order(order: BoardOrder, drafts: list[str], garden: Tree) -> None:
    board = board_of(garden)
    found = columns(Forecast(board, 0), order)
    paths = [[board.snapshot.notes[position].path for position in column.tolist()] for column in found]
    assert paths[0] == drafts
    assert paths[1] == []
    assert sorted(paths[2]) == ["c/core.md", "c/fallen.md"]


def test_board_can_show_only_notes_with_an_event(garden: Tree) -> None:
    board = board_of(garden)
    pruned = columns(Forecast(board, 11), BoardOrder.TITLE, PRUNING)
    assert [board.snapshot.notes[position].path for position in pruned[0].tolist()] == ["a/old.md"]
    assert not len(columns(Forecast(board, 9), BoardOrder.TITLE, PRUNING)[0])


@pytest.mark.parametrize("order", BoardOrder)
@pytest.mark.parametrize("seed", range(3))
def test_every_note_is_listed_once_under_its_maturity(seed: int, order: BoardOrder, tmp_path: Path) -> None:
    board = random_board(tmp_path, seed)
    found = columns(Forecast(board, 30), order)
    assert sorted(position for column in found for position in column.tolist()) == list(range(len(board)))
    for level, column in zip(LEVELS, found, strict=True):
        assert {board.snapshot.signals[position].maturity for position in column.tolist()} <= {level}


def test_soonest_event_is_in_the_future(garden: Tree) -> None:
    board = board_of(garden)
    for position, day in enumerate(days_to_next_event(board).tolist()):
        ahead = [coming.days for coming in Forecast(board, 0).coming(position) if coming.days > 0]
        assert day == min(ahead, default=float("inf"))


@pytest.fixture
def board(tree: Tree) -> Board:
    """One draft of importance 50, written and dated seven days ago."""
    tree.file("a/n.md", DATED, days=7)
    return board_of(tree)


def test_upcoming_events_are_listed_with_their_days(board: Board) -> None:
    coming = Forecast(board, 54).coming(0)
    assert [(one.event, round(one.days, 1), one.by_then) for one in coming] == [
        (LEAVES_TIER_2, 0.0, False),
        (PRUNING, 53.0, True),
        (LEAVES_PROMPT, 53.9, True),
        (ARCHIVE, 64.2, False),
    ]


def test_maturity_is_independent_of_the_day(tree: Tree) -> None:
    """Decay is not stored: a core note at 85 is below 60 after 70 days but remains core, even at the next hit."""
    tree.note("a/n.md", "N", importance=85, maturity="core")
    board = board_of(tree)
    forecast = Forecast(board, 71)
    assert board.days_until[BELOW_MATURITY][0] == pytest.approx(np.log(60 / 85) / np.log(0.995))
    assert forecast.changed[BELOW_MATURITY].tolist() == [True]
    later = Board(tree.snapshot(now_ms=NOW_MS + 71 * 86_400_000), BRV3.ageing, NOW_MS + 71 * 86_400_000).row(0)
    assert (later.maturity, later.after_one_hit, later.has_come) == ("core", "core", (BELOW_MATURITY,))


def test_forecast_for_today_has_no_changes(board: Board) -> None:
    assert not Forecast(board, 0).any_change.any()


def test_past_events_are_not_changes(board: Board) -> None:
    assert Forecast(board, 365).changed[LEAVES_TIER_2].tolist() == [False]
    assert Forecast(board, 365).any_change.tolist() == [True]


@pytest.mark.parametrize("seed", range(3))
def test_calendar_counts_match_the_forecast_of_each_day(seed: int, tmp_path: object) -> None:
    board = random_board(tmp_path, seed)  # type: ignore[arg-type]
    days = calendar(board)
    for event, counts in days.items():
        assert len(counts) == 366
        assert counts[0] == 0
        for day in (1, 20, 100, 365):
            assert counts[: day + 1].sum() == pytest.approx(Forecast(board, day).changed[event].sum(), abs=0)


def test_curve_begins_and_ends_at_the_board_values(board: Board) -> None:
    made = curve(board, 0, 100)
    then = board.after(100)
    assert len(made.importance) == 101
    for values, today, later in (
        (made.importance, board.today.importance, then.importance),
        (made.recency, board.today.recency, then.recency),
        (made.ceiling, board.today.ceiling, then.ceiling),
    ):
        assert values[0] == today[0]
        assert values[-1] == later[0]
        assert (np.diff(values) < 0).all()


def test_note_with_a_future_date_does_not_age_yet(tree: Tree) -> None:
    tree.note("a/n.md", "N", days=-10)
    made = curve(board_of(tree), 0, 20)
    assert made.importance[:11].tolist() == [50.0] * 11
    assert made.importance[11] < 50
