"""The Log screen: both logs, comparisons with current answers, and new entries in the engine's log."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.lab import asking
from brvtui.app.log.log_pane import LogPane, key_of, moment, score_of
from brvtui.app.log.screen import LogEntryPane, LogScreen
from brvtui.app.query.remedy_dialog import RemedyDialog
from brvtui.app.query.screen import QueryScreen
from brvtui.engines.profile_files import profiles_of
from brvtui.engines.registry import DEFAULT
from brvtui.lab.delivery.turns import DeliveryChannel, DeliveryOutcome, Recall, Turn
from brvtui.notes.signals import SignalTarget
from brvtui.paint.line import Line, Span
from brvtui.store.folders import shown_path
from brvtui.timing import system_clock
from brvtui.tree.engine_files.query_log import LoggedQuery, query_log_folder
from brvtui.tree.engine_files.sidecar import project_data
from tests.app.driving import NARROW, WIDE, MakeApp, ask, ask_from_cache, at_all_sizes, on, press, settled, until
from tests.app.judging import ROTATION
from tests.app.looking import AppPilot, brv, flat, frame, screen, shown, text_of, toast_text, view
from tests.support.settings import own
from tests.support.trees import NOW_MS, Tree

SIGNS = ("✓", "✗", "•", "⚠")


def logged(garden: Tree, number: int, query: str, **changes: object) -> None:
    """Writes an entry of the engine's log as a complete file, dated ``number`` minutes ago."""
    folder = query_log_folder(project_data(garden.root))
    folder.mkdir(parents=True, exist_ok=True)
    began = int(NOW_MS) - number * 60_000
    value: dict[str, object] = {
        "id": f"qry-{began}",
        "query": query,
        "startedAt": began,
        "completedAt": began + 240,
        "status": "completed",
        "tier": 3,
        "timing": {"durationMs": 240},
        "matchedDocs": [{"path": "auth/jwt/refresh_rotation.md", "score": 0.84}],
        "searchMetadata": {"resultCount": 1, "topScore": 0.84, "totalFound": 1},
        **changes,
    }
    part = folder / f".qry-{began}.tmp"
    part.write_text(json.dumps(value), encoding="utf-8")
    part.rename(folder / f"qry-{began}.json")


@pytest.fixture
def with_log(garden: Tree) -> Tree:
    """The garden, after an engine has answered some queries."""
    nothing = {"resultCount": 0, "topScore": 0, "totalFound": 0}
    logged(garden, 9, "refresh token rotation")
    logged(garden, 7, "zebra quagga", tier=2, matchedDocs=[], searchMetadata=nothing)
    logged(garden, 5, "token store", tier=4, timing={"durationMs": 9_000})
    logged(garden, 3, "token store", tier=0, timing={"durationMs": 2})
    logged(garden, 1, "what fails", status="error", error="no model", tier=None)
    return garden


async def to_log(pilot: Any) -> None:
    await settled(pilot)
    await pilot.press("escape", "4")
    await until(pilot, lambda: isinstance(frame(pilot), LogScreen) and view(pilot).log.entries is not None)
    await settled(pilot)


@at_all_sizes
async def test_both_logs_are_listed_newest_first(with_log: Tree, size: tuple[int, int], pilot: AppPilot) -> None:
    await ask(pilot, "rollback")
    await press(pilot, "enter")
    await to_log(pilot)
    lines = text_of(pilot, "#log").splitlines()
    order = [word for line in lines for word in ("rollback", "what fails", "zebra", "refresh") if word in line]
    assert order == ["rollback", "what fails", "zebra", "refresh"]
    assert " here " in next(line for line in lines if "rollback" in line), "not brv, which reads as the engine"
    assert "not covered" in text_of(pilot, "#summary") or size == NARROW


def mark_of(pilot: AppPilot, entry: LoggedQuery) -> Span:
    """Returns the sign before the query of ``entry`` in the Log, with its role; the query itself if there is none."""
    pane = frame(pilot).query_one(LogPane)
    row = pane.lines[pane.owner.index(pane.choices.index(key_of(entry)))]
    texts = [text for text, _ in row.spans]
    return row.spans[max(texts.index(entry.query) - 1, 0)]


async def chosen(pilot: AppPilot, entry: LoggedQuery) -> list[Line]:
    """Moves to ``entry``, and returns the lines about its differences."""
    pane = frame(pilot).query_one(LogPane)
    pane.move_to(pane.choices.index(key_of(entry)))
    await until(pilot, lambda: (compared := view(pilot).log.compared) and compared.entry == entry)
    await settled(pilot)
    lines = list(frame(pilot).query_one(LogEntryPane).lines)
    return lines[: next(place for place, row in enumerate(lines) if "┄ then ┄" in row.plain)]


def signs_in(lines: list[Line]) -> list[Span]:
    return [(text.strip(), role) for row in lines for text, role in row.spans[:1] if text.strip() in SIGNS]


async def test_only_wrong_first_notes_are_marked_with_a_cross(garden: Tree, pilot: AppPilot) -> None:
    """The grades, and not a difference, decide on the sign: of the row, and of what has changed since."""
    right, wrong = [{"path": ROTATION, "score": 0.84}], [{"path": "deploy/rollback.md", "score": 0.84}]
    asking.grade(garden.session(), "refresh token rotation", "", ROTATION, 3)
    asking.grade(garden.session(), "token store", "", "deploy/rollback.md", 3)
    for minute, query, first in (
        (1, "refresh token rotation", wrong), (2, "refresh token rotation", right), (3, "token store", wrong),
        (4, "token store", right), (5, "freeze window", wrong),
    ):  # fmt: skip
        logged(garden, minute, query, matchedDocs=first)
    await to_log(pilot)
    fixed, same, worse, still, unjudged = view(pilot).log.entries or ()
    assert [mark_of(pilot, one)[0].strip() for one in (fixed, still)] == ["✓", "✗"]
    assert mark_of(pilot, fixed)[1] == "ok"
    assert not {"✓", "✗"} & {mark_of(pilot, one)[0].strip() for one in (same, worse, unjudged)}
    lines = {one: await chosen(pilot, one) for one in (fixed, same, worse, still, unjudged)}
    assert [("✗", "warn") in signs_in(lines[one]) for one in (fixed, same, worse, still, unjudged)] == [
        False, False, True, True, False,
    ]  # fmt: skip
    assert ("✓", "ok") in signs_in(lines[fixed])
    for one in (worse, still):
        assert "deploy/rollback.md (grade 3)" in " ".join(" ".join(row.plain for row in lines[one]).split())
    graded = [row.plain for row in frame(pilot).query_one(LogEntryPane).lines if "grade 3" in row.plain]
    assert not graded, "the last query has no grades"
    await chosen(pilot, fixed)
    assert any(row.plain.endswith("grade 3") for row in frame(pilot).query_one(LogEntryPane).lines)


async def test_edit_that_corrects_an_answer_is_proven_and_marked(garden: Tree, make_app: MakeApp) -> None:
    """The row gets another sign while the Log is open, and the only cause is the edit that was tried."""
    garden.age_by_today()
    new = "auth/jwt/token_store.md"
    asking.grade(garden.session(now_ms=None), "refresh token rotation", "", new, 3)
    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token rotation", "enter")
        await to_log(pilot)
        brv(pilot).edits.hold()
        await settled(pilot)
        (entry,) = view(pilot).log.entries or ()
        assert mark_of(pilot, entry)[0].strip() == "✗"
        (garden.tree / "deploy/freeze_window.md").write_text("# Freeze window\n\nNo deploys on Sundays.\n")
        text = "# Refresh token rotation\n\n" + "refresh token rotation " * 5
        (garden.tree / new).write_text(text)
        await until(pilot, lambda: mark_of(pilot, entry)[0].strip() == "✓")
        await until(pilot, lambda: (compared := view(pilot).log.compared) and "(tried)" in "".join(compared.causes))
        assert [cause.partition(" ")[0] for cause in view(pilot).log.compared.causes] == [new]  # type: ignore[union-attr]


async def test_query_without_an_answer_is_marked_once_a_note_covers_it(garden: Tree, make_app: MakeApp) -> None:
    nothing = {"resultCount": 0, "topScore": 0, "totalFound": 0}
    logged(garden, 7, "zebra quagga", tier=2, matchedDocs=[], searchMetadata=nothing)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        (entry,) = view(pilot).log.entries or ()
        assert mark_of(pilot, entry) == ("⚠ ", "warn")
        garden.note("zoo/zebra.md", "Zebra and quagga", "zebra quagga " * 5, days=1)
        await until(pilot, lambda: mark_of(pilot, entry) == ("✓ ", "ok"))


@pytest.mark.parametrize("width", [60, 80, 120, 160])
async def test_query_keeps_a_readable_width(garden: Tree, make_app: MakeApp, width: int) -> None:
    """Beside the delivery column, times and names become short, and at last the outcomes."""
    query = "a query of thirty characters…!"
    logged(garden, 3, query)
    async with make_app(garden.root).run_test(size=(width, 30)) as pilot:
        await to_log(pilot)
        (entry,) = view(pilot).log.entries or ()
        recall = Recall("s", entry.at_ms, DeliveryChannel.HOOK, query, query)
        turn = Turn(recall, DeliveryOutcome.TIMED_OUT, "", entry)
        for turns in ({}, {entry: turn}):
            brv(pilot).store.update(view(pilot).log._replace(turns=turns))
            await settled(pilot)
            pane = frame(pilot).query_one(LogPane)
            (names, *rows) = pane.lines
            row = next(row for row in rows if "T3" in row.plain)
            assert row.plain[names.plain.index("query") :].startswith(query[:24])


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_selected_entry_stays_in_view(garden: Tree, make_app: MakeApp, size: tuple[int, int]) -> None:
    """Also if newer entries push it down, or the window becomes smaller."""
    for minute in range(1, 40):
        logged(garden, minute, f"query {minute}")
    async with make_app(garden.root).run_test(size=size) as pilot:
        await to_log(pilot)
        pane = frame(pilot).query_one(LogPane)

        def is_in_view() -> bool:
            line = pane.owner.index(pane.cursor)
            return pane.offset_row + pane.pinned <= line < pane.offset_row + pane.rows

        pane.move_to(pane.rows - pane.pinned - 1)
        name = pane.chosen
        logged(garden, 0, "another query")
        await until(pilot, lambda: len(pane.choices) == 40)
        await settled(pilot)
        assert (pane.chosen, is_in_view()) == (name, True)
        await pilot.resize_terminal(size[0], size[1] - 5)
        await settled(pilot)
        assert (pane.chosen, is_in_view()) == (name, True)


async def test_selected_row_stays_in_view_when_the_pane_shrinks(garden: Tree, pilot: AppPilot) -> None:
    for number in range(1, 41):
        logged(garden, number, f"query {number} of many")
    await to_log(pilot)
    log = frame(pilot).query_one(LogPane)
    await press(pilot, *["j"] * 25)
    chosen = log.choices[25]
    for height in (30, 24, 20):
        await pilot.resize_terminal(80, height)
        await settled(pilot)
        assert log.chosen == chosen
        assert log.offset_row + log.pinned <= log.owner.index(25) < log.offset_row + log.rows


async def test_taken_query_selects_its_first_result(with_log: Tree, pilot: AppPilot) -> None:
    await to_log(pilot)
    brv(pilot).selection.select("deploy/freeze_window.md")
    await on(pilot, QueryScreen, "G", "enter")
    await settled(pilot)
    trace = view(pilot).answered
    assert trace is not None
    assert view(pilot).hit is trace.hits[0]


async def test_queries_are_compared_filtered_and_run_again(with_log: Tree, pilot: AppPilot) -> None:
    await to_log(pilot)
    await pilot.press("G")
    await until(pilot, lambda: (log := view(pilot).log) and log.compared)
    await settled(pilot)
    assert "refresh token rotation" in text_of(pilot, "#entry")
    assert "everything that was logged would be the same" in flat(pilot, "#entry")
    await pilot.press("k", "k")
    await until(pilot, lambda: "tier 4 then, tier" in text_of(pilot, "#entry"))
    await settled(pilot)
    await pilot.press("c")
    await pilot.pause()
    assert frame(pilot).query_one(LogPane).choices == [f"{NOW_MS - 7 * 60_000:.0f} engine zebra quagga  {{}}"]
    await pilot.press("c")
    await pilot.pause()
    assert len(frame(pilot).query_one(LogPane).choices) == 5
    await on(pilot, QueryScreen, "G", "enter")
    await settled(pilot)
    assert screen(pilot).field.value == "refresh token rotation"
    assert view(pilot).answer.trace is not None
    await to_log(pilot)
    row = next(place for place, line in enumerate(shown(pilot).splitlines()) if "zebra quagga" in line)
    await pilot.click(offset=(40, row))
    await settled(pilot)
    pane = frame(pilot).query_one(LogPane)
    assert pane.entry is not None
    assert pane.entry.query == "zebra quagga"
    await pilot.click(offset=(40, row))
    await on(pilot, QueryScreen)
    await settled(pilot)
    assert screen(pilot).field.value == "zebra quagga"


async def test_log_entry_is_shown_from_its_top_with_the_agents_answer(garden: Tree, make_app: MakeApp) -> None:
    logged(garden, 3, "refresh token rotation", response="Tokens rotate\n\nevery \x1b[31mday.")
    for minute, query in ((2, "refunds"), (1, "rollback")):
        logged(garden, minute, query, response="\n".join(f"line {number}" for number in range(60)))
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        await until(pilot, lambda: "rollback" in text_of(pilot, "#entry"))
        entry = frame(pilot).query_one(LogEntryPane)
        await pilot.press("f3", "G")
        assert entry.offset_row > 0
        await pilot.press("f2", "j")
        await until(pilot, lambda: "refunds" in text_of(pilot, "#entry"))
        assert entry.offset_row == 0
        await pilot.press("j")
        await until(pilot, lambda: "every ␛[31mday." in text_of(pilot, "#entry"))
        assert "the logged answer" in text_of(pilot, "#entry")
        await until(pilot, lambda: "since then:" in text_of(pilot, "#entry") or "the same" in text_of(pilot, "#entry"))


async def test_log_comparison_uses_the_chosen_profile(garden: Tree, make_app: MakeApp) -> None:
    session = garden.session()
    trace = session.preview("rollback")
    session.logbook.add(replace(trace, hits=(replace(trace.hits[0], score=0.1), *trace.hits[1:])), NOW_MS, 1.0)
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        for _ in range(len(profiles_of(DEFAULT)) - 1):
            await press(pilot, "p")
            profile = view(pilot).engine.profile
            assert f"since then: • the profile was brv-3 then, and is {profile} now" in flat(pilot, "#entry")


async def test_keys_for_a_note_use_the_first_result_of_the_entry(garden: Tree, make_app: MakeApp) -> None:
    gone = {"path": "auth/gone.md", "score": 0.9}
    logged(garden, 1, "what fails", matchedDocs=[gone, {"path": "auth/jwt/refresh_rotation.md", "score": 0.8}])
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        assert frame(pilot).note_at_hand == "auth/jwt/refresh_rotation.md"
        assert "keys for a note apply to auth/jwt/refresh_rotation.md: the first of these results" in flat(
            pilot, "#entry"
        )
        await on(pilot, RemedyDialog, "w")
        await settled(pilot)
        assert "auth/jwt/refresh_rotation.md" in shown(pilot)
        await pilot.press("escape", "e")
        await until(pilot, lambda: (edit := view(pilot).editor.edit) and edit.path == "auth/jwt/refresh_rotation.md")


async def test_keys_use_the_current_result_if_the_old_one_was_removed(garden: Tree, make_app: MakeApp) -> None:
    old, other = "deploy/rollback.md", {"path": "auth/jwt/refresh_rotation.md", "score": 0.8}
    logged(garden, 1, "rollback", matchedDocs=[{"path": old, "score": 0.9}, other])
    (garden.tree / old).rename(garden.tree / "deploy/undo.md")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        await until(pilot, lambda: frame(pilot).note_at_hand == "deploy/undo.md")
        assert "keys for a note apply to deploy/undo.md: number 1 now" in flat(pilot, "#entry")


async def test_result_moved_by_the_app_is_recognized_as_the_same_note(garden: Tree, make_app: MakeApp) -> None:
    old, now = "deploy/rollback.md", "deploy/undo.md"
    logged(garden, 1, "rollback", matchedDocs=[{"path": old, "score": 0.9}])
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        session = brv(pilot).project.session
        assert session is not None
        session.notes.apply(session.notes.plan_move(old, now))
        await until(pilot, lambda: frame(pilot).note_at_hand == now)
        entry = flat(pilot, "#entry")
        assert f"{old} is {now} now" in entry
        assert "was first then" not in entry
        assert "no longer in the tree" not in entry
        assert "keys for a note apply to" not in entry


async def test_signals_set_here_are_tried_as_a_cause(garden: Tree, make_app: MakeApp) -> None:
    garden.age_by_today()
    garden.read_frontmatter()
    async with make_app(garden.root, now_ms=None).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token", "enter")
        await to_log(pilot)
        brv(pilot).edits.hold()
        await settled(pilot)
        session = brv(pilot).project.session
        assert session is not None
        own = replace(session.snapshot.signals[session.snapshot.by_path[ROTATION]], maturity="core")
        session.notes.apply(session.notes.plan_signals(ROTATION, own, SignalTarget.FRONTMATTER))
        await until(pilot, lambda: (compared := view(pilot).log.compared) and "(tried)" in "".join(compared.causes))
        assert ROTATION in "".join(view(pilot).log.compared.causes)  # type: ignore[union-attr]


async def test_moves_are_recognized_with_a_frozen_clock(garden: Tree, make_app: MakeApp) -> None:
    old, now = "deploy/rollback.md", "deploy/undo.md"
    tomorrow_ms = system_clock() + 86_400_000
    async with make_app(garden.root, now_ms=tomorrow_ms).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollback", "enter")
        await to_log(pilot)
        session = brv(pilot).project.session
        assert session is not None
        session.notes.apply(session.notes.plan_move(old, now))
        await until(pilot, lambda: f"{old} is {now} now" in flat(pilot, "#entry"))


async def test_result_moved_by_another_program_is_recognized(garden: Tree, make_app: MakeApp) -> None:
    old, now = "deploy/rollback.md", "deploy/undo.md"
    logged(garden, 1, "rollback", matchedDocs=[{"path": old, "score": 0.9}])
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        brv(pilot).edits.hold()
        await settled(pilot)
        (garden.tree / old).rename(garden.tree / now)
        await until(pilot, lambda: f"{old} is {now} now" in flat(pilot, "#entry"))
        await settled(pilot)
        entry = flat(pilot, "#entry")
        assert "was first then" not in entry
        assert "no longer in the tree" not in entry
        assert frame(pilot).note_at_hand == now


async def test_keys_for_a_note_do_nothing_if_all_results_were_removed(garden: Tree, make_app: MakeApp) -> None:
    gone = {"path": "auth/gone.md", "score": 0.9}
    logged(garden, 1, "zebra quagga", matchedDocs=[gone])
    async with make_app(garden.root).run_test(size=WIDE, notifications=True) as pilot:
        await ask(pilot, "rollback")
        assert view(pilot).selection.file
        await to_log(pilot)
        assert frame(pilot).note_at_hand == ""
        await press(pilot, "w", "e")
        assert not isinstance(pilot.app.screen, RemedyDialog)
        assert view(pilot).editor.edit is None
        assert "no note that answered this query exists any more" in toast_text(pilot)


@pytest.mark.parametrize("at_ms", [1e30, float("inf"), -1e30])
def test_impossible_times_are_shown_as_dashes(at_ms: float) -> None:
    assert moment(at_ms) == "–     –       "
    assert len(moment(at_ms)) == len(moment(NOW_MS))


async def test_uncovered_filter_hides_covered_queries(garden: Tree, make_app: MakeApp) -> None:
    logged(garden, 1, "what fails")
    async with make_app(garden.root).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        await until(pilot, lambda: "what fails" in text_of(pilot, "#entry"))
        await pilot.press("c")
        await until(pilot, lambda: "select a query" in text_of(pilot, "#entry"))
        assert "Log 0 of 1 · not covered" in shown(pilot)
        assert "every query was covered" in text_of(pilot, "#log")
        await pilot.press("c")
        await until(pilot, lambda: "what fails" in text_of(pilot, "#entry"))


async def test_log_at_80_columns_has_milliseconds_and_scores(with_log: Tree, make_app: MakeApp) -> None:
    async with make_app(with_log.root).run_test(size=NARROW) as pilot:
        await to_log(pilot)
        for width in (80, 60):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            names, *rows = text_of(pilot, "#log").splitlines()
            assert [name for name in names.split() if name in ("ms", "no.1")] == ["ms", "no.1"]
            row = next(row for row in rows if "refresh token rotation" in row)
            assert re.search(r"T3 +[0-9]+ +[01]\.[0-9]{2} +refresh", row), row


async def test_narrow_log_groups_rows_by_day(garden: Tree, make_app: MakeApp) -> None:
    days = (1, 2, 24 * 60 + 3, 24 * 60 + 4)
    for minutes in days:
        logged(garden, minutes, f"query {minutes}")
    async with make_app(garden.root).run_test(size=(60, 24)) as pilot:
        await to_log(pilot)
        rows = [line.strip("┄ ") for line in text_of(pilot, "#log").splitlines()]
        ends = [row.split()[-1] for row in rows if row]
        moments = [datetime.fromtimestamp(NOW_MS / 1000 - minutes * 60) for minutes in days]
        first, second = f"{moments[0]:%m-%d}", f"{moments[2]:%m-%d}"
        assert ends == ["query", first, "1", "2", second, str(days[2]), str(days[3])]


async def test_log_comparison_is_renewed_after_a_file_changes(with_log: Tree, make_app: MakeApp) -> None:
    async with make_app(with_log.root, now_ms=None).run_test(size=WIDE) as pilot:
        await to_log(pilot)
        pane = frame(pilot).query_one(LogPane)
        pane.move_to(next(place for place, one in enumerate(pane.choices) if "refresh token rotation" in one))
        await until(pilot, lambda: view(pilot).log.compared is not None)
        await settled(pilot)
        assert "auth/jwt/refresh_rotation.md" in view(pilot).log.compared.paths  # type: ignore[union-attr]
        (with_log.tree / "auth/jwt/refresh_rotation.md").unlink()
        await until(
            pilot,
            lambda: "auth/jwt/refresh_rotation.md" not in view(pilot).log.compared.paths,  # type: ignore[union-attr]
        )


async def test_log_shows_the_newest_entry_and_keeps_a_selection(with_log: Tree, pilot: AppPilot) -> None:
    await to_log(pilot)
    await until(pilot, lambda: "what fails" in text_of(pilot, "#entry"))
    await pilot.press("j")
    await until(pilot, lambda: "token store" in text_of(pilot, "#entry"))
    await pilot.press("1")
    logged(with_log, 0, "invoice numbering")
    await to_log(pilot)
    await until(pilot, lambda: "invoice numbering" in text_of(pilot, "#log"))
    await settled(pilot)
    pane = frame(pilot).query_one(LogPane)
    assert pane.entry is not None
    assert pane.entry.query == "token store"
    assert "token store" in text_of(pilot, "#entry")
    await pilot.press("c")
    await until(pilot, lambda: "zebra quagga" in text_of(pilot, "#entry"))
    await settled(pilot)


async def test_cached_uncovered_answer_still_counts_as_uncovered(pilot: AppPilot) -> None:
    await ask_from_cache(pilot, "zebra quagga")
    await to_log(pilot)
    await pilot.press("c")
    assert len(frame(pilot).query_one(LogPane).choices) == 2
    await press(pilot, "1", "a")
    assert "No note covers “zebra quagga”" in shown(pilot)


async def test_note_is_created_for_the_query_under_the_cursor(with_log: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await to_log(pilot)
    await press(pilot, "c")
    await press(pilot, "a")
    assert "No note covers “zebra quagga”" in shown(pilot)
    assert "zebra_quagga.md" in shown(pilot)


async def test_following_the_engine_shows_its_new_queries(with_log: Tree, pilot: AppPilot) -> None:
    await to_log(pilot)
    await until(pilot, lambda: brv(pilot).project.session is not None)
    await settled(pilot)
    await pilot.press("f")
    assert "following the engine" in shown(pilot)
    assert "f stop following" in text_of(pilot, "#keys")
    logged(with_log, 0, "invoice numbering")
    await until(pilot, lambda: (trace := view(pilot).answer.trace) and trace.query == "invoice numbering")
    await settled(pilot)
    assert "invoice numbering" in text_of(pilot, "#log")
    await press(pilot, "1")
    assert "RE-COMPUTED" in shown(pilot)
    await ask(pilot, "rollback")
    assert "RE-COMPUTED" not in shown(pilot)


async def test_empty_log_names_the_users_own_key(garden: Tree, make_app: MakeApp) -> None:
    own('[keys]\n"screens.query" = "f10"\n')
    async with make_app(garden.root).run_test(size=NARROW) as pilot:
        await to_log(pilot)
        assert "on the Query screen (F10)" in flat(pilot, "#log")


async def test_empty_log_explains_where_entries_will_appear(
    app: BrvTui, garden: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brvtui.app.log.logs.shown_path", str)
    async with app.run_test(size=NARROW) as pilot:
        await to_log(pilot)
        assert "No query is logged yet" in text_of(pilot, "#log")
        assert "run brv query in the project" in flat(pilot, "#log")
        assert "(does not exist)" in flat(pilot, "#log")
        folder = query_log_folder(project_data(garden.root))
        assert str(folder) in text_of(pilot, "#log").replace("\n ", "").replace(" ", "")
        await press(pilot, "j", "enter", "f", "u", "tab", "tab")
        assert not view(pilot).log.following
        assert f"nothing to follow: the engine has logged no query for this project in {folder}" in toast_text(pilot)


def test_path_in_the_home_folder_is_shown_with_a_tilde() -> None:
    assert shown_path(Path.home() / "brv" / "query-log") == "~/brv/query-log"
    assert shown_path(Path("/srv/query-log")) == "/srv/query-log"


async def test_w_explains_the_current_rank_of_a_logged_result(with_log: Tree, pilot: AppPilot) -> None:
    await ask(pilot, "refresh token rotation")
    await pilot.press("enter")  # from now on, the answer is in the simulated cache
    await to_log(pilot)
    await pilot.press("G")  # the oldest entry, “refresh token rotation”
    await settled(pilot)
    await on(pilot, RemedyDialog, "w")
    await settled(pilot)
    assert "Why it is first" in shown(pilot)
    assert "auth/jwt/refresh_rotation.md" in shown(pilot)
    assert "from the cache" not in shown(pilot)
    await pilot.press("escape", "k")  # the entry “zebra quagga”, which no note answered
    await settled(pilot)
    await press(pilot, "w")
    assert not isinstance(pilot.app.screen, RemedyDialog)
    assert "no note answered this query" in toast_text(pilot)


@pytest.mark.parametrize(
    ("score", "written"),
    [(0.416, ".4160"), (0.99996, "1.000"), (1.00852, "1.009"), (12.3456, "12.35"), (1234.56, "1235"), (0.0, ".0000")],
)
def test_top_score_is_rounded_to_its_cells_and_never_cut(score: float, written: str) -> None:
    assert score_of(LoggedQuery(0.0, "", "", "completed", top_score=score, engine="knowing")) == written


async def test_old_and_new_uncovered_answers_have_the_same_wording(pilot: AppPilot) -> None:
    await ask(pilot, "kubernetes ingress")
    await press(pilot, "enter")
    await to_log(pilot)
    await until(pilot, lambda: view(pilot).log.compared is not None)
    await settled(pilot)
    rows = [row.split() for row in text_of(pilot, "#entry").splitlines()]
    assert [row[1] for row in rows if row[:1] == ["tier"] and row[1] != "2,"] == ["none", "none"]


async def test_selection_made_before_a_screen_is_ready_is_kept(pilot: AppPilot) -> None:
    await settled(pilot)
    switched = brv(pilot).switch_mode("log")
    brv(pilot).select("auth/jwt.md")
    await switched
    await settled(pilot)
    assert brv(pilot).store.view.selection.file == "auth/jwt.md"
