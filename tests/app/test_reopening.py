"""A saved trace in the app: panes look the same, no query can run, and damaged files do no harm."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.contents import Branch
from brvtui.app.overview import remembered
from brvtui.app.project.opening import Opening
from brvtui.app.query.answer import AnswerPane
from brvtui.app.query.query_box import ScopeTree
from brvtui.app.states import Phase
from brvtui.app.widgets.lines import Lines
from brvtui.app.widgets.pane import Pane
from brvtui.app.widgets.tree import sign_of
from brvtui.engines.byterover.sections import Search
from brvtui.paint.glyphs import UNICODE
from brvtui.saved.traces import SavedError, as_json, as_plain, read
from brvtui.tree.reading.kinds import TREE
from tests.app.driving import HUGE, NARROW, WIDE, ask, until
from tests.app.looking import AppPilot, brv, panes, screen, shown, text_of, toast_text, toasts, view, without_offers
from tests.saved.test_traces import places, written
from tests.support.trees import Tree

pytestmark = pytest.mark.long

QUERIES = ("refresh token rotation", "token store", "zebra quagga", "refund credit note", "invoice", "auth/jwt")


def save(garden: Tree, tmp_path: Path, query: str) -> Path:
    """A file with the trace of ``query``."""
    session = garden.session(signals_file=garden.root / "signals.json")
    file = tmp_path / "saved.json"
    file.write_bytes(as_json(session.explainer.saved(session.preview(query))))
    return file


async def opened(pilot: AppPilot) -> None:
    await until(pilot, lambda: view(pilot).project.phase is not Phase.LOADING)
    await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))
    await pilot.pause()


@pytest.mark.parametrize("query", QUERIES)
async def test_reopened_trace_shows_the_same_panes(app: BrvTui, garden: Tree, tmp_path: Path, query: str) -> None:
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, query)
        before = without_offers(panes(pilot))
    file = save(garden, tmp_path, query)
    shutil.rmtree(garden.root)
    again = BrvTui(Opening(file))
    async with again.run_test(size=HUGE) as pilot:
        await opened(pilot)
        assert view(pilot).project.phase is Phase.READY
        assert again.project.session is None
        shown_again = panes(pilot)
        assert "as it was when the trace was saved" in shown_again["cache"].pop(0)
        assert shown_again == before
        assert screen(pilot).field.value == query
        badge = screen(pilot).query_one("#mode", Lines).lines[0].plain
        assert badge.split() == ["2026-11-20", "SAVED"]
        status = screen(pilot).query_one("#status", Lines).lines[0].plain
        assert "by brv-tui" in status
        assert "2026-11-20T12:00:00Z" in status


async def test_reopened_trace_explains_near_misses(garden: Tree, tmp_path: Path) -> None:
    app = BrvTui(Opening(save(garden, tmp_path, "invoice")))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        missed = view(pilot).answer.trace.section(Search).near_misses
        assert missed
        for _ in range(20):
            await pilot.press("j")
            if view(pilot).near_miss is not None:
                break
        assert view(pilot).selection.detail is not None
        assert view(pilot).selection.detail.hit is not None
        assert view(pilot).selection.detail.hit.file == view(pilot).selection.file == view(pilot).selection.detail.path
        assert "sum" in "\n".join(panes(pilot)["score"])


async def test_tab_skips_the_query_field_of_a_saved_trace(garden: Tree, tmp_path: Path) -> None:
    app = BrvTui(Opening(save(garden, tmp_path, "token store")))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot)
        seen = []
        for _ in range(8):
            await pilot.press("tab")
            seen.append(pilot.app.focused.id)
        assert set(seen) == set(screen(pilot).PLAN.panes)


async def test_reopened_trace_refuses_project_actions_but_can_be_saved(
    garden: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = save(garden, tmp_path, "token store")
    app = BrvTui(Opening(file))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("x", "enter")
        await until(pilot, lambda: (tmp_path / "token-store.json").exists())
        app.clear_notifications()
        await pilot.press("escape", "f8", "home")
        tree = screen(pilot).query_one(ScopeTree)
        assert "the trace" in tree.lines[0].plain
        await pilot.press("down")
        before = len(tree.choices)
        await pilot.press("enter")
        assert len(tree.choices) != before
        await pilot.press("enter")
        assert len(tree.choices) == before
        assert not toasts(pilot)
        before = view(pilot).answer.trace
        await pilot.press("w", "p", "c", "R", "ctrl+r", "i")
        await opened(pilot)
        assert "saved trace" in toast_text(pilot)
        await pilot.press("f7")
        screen(pilot).query_one(AnswerPane).show_tab("note")
        await opened(pilot)
        assert view(pilot).answer.trace is before
        assert "only the quoted part of this note" in " ".join(" ".join(panes(pilot)["answer"]).split())
        await pilot.press("escape")
        await pilot.press("2")
        await opened(pilot)
        assert "only the quoted part of this note" in "\n".join(
            line.plain for line in pilot.app.screen.query_one("#note").lines
        )
        for key in "34":
            await pilot.press(key)
            await opened(pilot)
            assert "a saved trace: open its project" in shown(pilot)
        await pilot.press("1")
        assert brv(pilot).frame is screen(pilot)
        app.clear_notifications()
        await pilot.press("escape", "b")
        assert "brv-tui FOLDER opens it" in toast_text(pilot)
        for key, pane in (("2", "#about"), ("3", "#ageing"), ("4", "#entry")):
            await pilot.press(key)
            await opened(pilot)
            assert "a saved trace" in text_of(pilot, pane)
            assert "reading" not in text_of(pilot, pane)
    assert read(tmp_path / "token-store.json") == read(file)


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": 99, "trace": {}}'])
async def test_file_without_a_trace_is_reported(tmp_path: Path, content: str) -> None:
    file = tmp_path / "saved.json"
    file.write_text(content)
    app = BrvTui(Opening(file))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert str(file) in view(pilot).project.problem


async def test_trace_from_another_engine_can_be_opened(garden: Tree, tmp_path: Path) -> None:
    session = garden.session()
    trace = session.preview("token", engine="jeffs_brain", services=True)
    file = written(tmp_path / "hybrid.json", as_json(session.explainer.saved(trace)))
    app = BrvTui(Opening(file))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert view(pilot).answer.trace == trace
        assert "JEFFS BRAIN" in shown(pilot)
        assert "sum ✓" in text_of(pilot, "#score")
        await pilot.press("escape", "j")
        await opened(pilot)
        assert view(pilot).selection.file == trace.hits[1].path
        for key in ("m", "P"):
            await pilot.press(key)
            await opened(pilot)
        assert view(pilot).answer.trace == trace


def test_tree_of_a_trace_contains_its_notes(garden: Tree) -> None:
    overview = remembered(garden.session().preview("token"))
    files = {branch.path for branch in _leaves(overview.roots)}
    assert files <= set(overview.branches)
    assert "auth/jwt/token_store.md" in files
    assert overview.notes == 13


def test_unknown_maturity_in_a_trace_has_a_sign() -> None:
    branch = Branch("a.md", "A", False, "context", "gold")
    assert sign_of(branch, UNICODE, TREE) == (UNICODE.derived, "stub")


def _leaves(branches: tuple[Branch, ...]) -> list[Branch]:
    return [leaf for branch in branches for leaf in (_leaves(branch.children) if branch.is_folder else [branch])]


_DAMAGE = (
    None,
    True,
    0,
    -1,
    7,
    10**15,
    0.5,
    -2.5,
    1e300,
    -1e-300,
    "",
    "x",
    "a/" * 99,
    "\x1b[31m[b]",
    "ﷺ\u202e\udcff",
    [],
    {},
)


async def test_damaged_trace_breaks_no_pane(garden: Tree, tmp_path: Path) -> None:
    chance = random.Random(4)
    session = garden.session(signals_file=garden.root / "signals.json")
    session.run("token")
    traces = [
        as_plain(session.explainer.saved(session.preview(query)))
        for query in ("is a refresh token rotated?", "invoice")
    ]
    app = BrvTui(Opening(save(garden, tmp_path, "token store")))
    shown = 0
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot)
        for _ in range(120):
            value = json.loads(json.dumps(chance.choice(traces)))
            *way, last = chance.choice(places(value))
            holder = value
            for key in way:
                holder = holder[key]
            holder[last] = chance.choice(_DAMAGE)
            try:
                saved = read(written(tmp_path / "damaged.json", value))
            except SavedError:
                continue
            shown += 1
            app.project.saved = saved
            app.trace_reopened(saved, remembered(saved.trace))
            for pane in screen(pilot).query(Pane).results(Pane):
                pane.rebuild(force=True)
            app.selection.select(chance.choice([*app.view.project.overview.branches, ""]))
            await pilot.pause()
    assert shown > 20


async def test_trace_without_a_query_explains_the_missing_answer(garden: Tree, tmp_path: Path) -> None:
    app = BrvTui(Opening(save(garden, tmp_path, "")))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert "no searchable words" in text_of(pilot, "#route")
        await pilot.press("escape", "enter")
        assert toasts(pilot) == ["there is no result"]


async def test_long_texts_are_cut_only_on_screen(garden: Tree, tmp_path: Path) -> None:
    file, long = save(garden, tmp_path, "invoice"), "in[v]oice\n" * 200_000
    plain = json.loads(file.read_text())
    plain["trace"]["hits"][0]["title"] = plain["trace"]["profile"] = long
    file.write_text(json.dumps(plain))
    app = BrvTui(Opening(file))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot)
        seen, kept = app.store.shown, app.project.saved
        assert seen.hit is not None
        assert seen.project.saved is not None
        for text in (seen.hit.title, seen.engine.profile, seen.project.saved.trace.profile):
            assert text == long[:10_000] + "… (1,990,000 more characters)"
        assert kept is not None
        assert as_plain(kept)["trace"]["hits"][0]["title"] == long  # exports contain the whole text
        assert any("in[v]oice" in row for row in panes(pilot)["results"])


async def test_note_with_a_very_long_path_is_selected_by_its_shown_form(garden: Tree, tmp_path: Path) -> None:
    file, long = save(garden, tmp_path, "token store"), "token/" * 3_000
    plain = json.loads(file.read_text())
    hit = plain["trace"]["hits"][0]
    plain["detail"][long] = {**plain["detail"].pop(hit["file"]), "path": long}
    hit["file"] = hit["path"] = long
    file.write_text(json.dumps(plain))
    app = BrvTui(Opening(file))
    async with app.run_test(size=NARROW) as pilot:
        await opened(pilot)
        assert app.store.shown.answer.trace is not None
        first, second = app.store.shown.answer.trace.hits[:2]
        assert len(first.file) < 11_000
        for one in (second, first):
            app.selection.select(one.file)
            seen = app.store.shown
            assert seen.hit is one
            assert seen.selection.detail is not None
            assert seen.selection.detail.path == one.file
