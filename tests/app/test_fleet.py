"""The Fleet screen: one query for all members, results as they arrive, each opened in its own tree."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.app import BrvTui, FleetTui
from brvtui.app.fleet.headline import what_to_do
from brvtui.app.fleet.members_pane import FleetMembersPane
from brvtui.app.fleet.results import FleetResultsPane
from brvtui.app.fleet.screen import FleetScreen
from brvtui.app.project.open_fleet import OpenFleet
from brvtui.app.project.opening import Opening
from brvtui.app.states import FleetState, FleetWork, Phase
from brvtui.app.widgets.lines import LazyLines
from brvtui.config.schema import Layer
from brvtui.fleet.asking import MemberQuestion, MemberReply
from brvtui.fleet.finding import fleet_of
from brvtui.fleet.fleet_file import Absence, AbsenceKind, Fleet, Member
from brvtui.fleet.pool import MemberExecutor, Stopped, never_stopped
from brvtui.fleet.questions import MemberState
from tests.app.driving import WIDE, press, settled, until
from tests.app.looking import AppPilot, brv, flat, shown, text_of, toast_text, toasts, trace_of, view
from tests.support.fleets import HereAsks
from tests.support.trees import NOW_MS, Tree

_QUESTION = "refresh token rotation"
_TRACE_OF_GIT = "its trace: brv-tui fleet query … --member orders --trace --format json; the fleet's answer: brv-tui"


def _member(folder: Path, name: str, *notes: tuple[str, str, str], **given: Any) -> Member:
    tree = Tree(folder / name)
    for path, title, text in notes:
        tree.note(path, title, text)
    return Member(name, str(tree.root), **given)


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    """Two members that cover the query, one that does not, one with another engine, and one whose folder is missing."""
    auth = ("auth/jwt/rotation.md", "Refresh token rotation", "A refresh token is used once, then rotated.")
    pay = ("billing/sessions.md", "Sessions of the shop", "The refresh token of a card is kept for a day: rotation.")
    members = (
        _member(tmp_path, "payments", pay, owner="money"),
        _member(tmp_path, "auth-service", auth, ("auth/keys.md", "Keys", "Token keys are signed."), owner="platform"),
        _member(tmp_path, "catalog", ("goods/stock.md", "Stock", "Counted at night."), owner="shop"),
        _member(tmp_path, "legacy", ("old/notes.md", "Old notes", "Nothing of it."), engine="soleri"),
        Member("gone", str(tmp_path / "gone")),
    )
    wrong = Absence("", "fleet.toml: member 6: unknown key engin; did you mean engine?", AbsenceKind.ENTRY)
    return Fleet("shop", members, (wrong,))


class HeldAsks(HereAsks):
    """Works as :class:`HereAsks`, but waits before the member called ``at`` until it is released or stopped."""

    def __init__(self, at: str) -> None:
        self.at, self.may_go_on = at, threading.Event()

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """Returns one reply per query."""
        for one in questions:
            while one.member.name == self.at and not stopped() and not self.may_go_on.wait(0.01):
                pass
            if stopped():
                return
            yield from super().ask([one], timeout_s, stopped)


def fleet_app(
    fleet: Fleet, where: Callable[[], MemberExecutor] = HereAsks, read: Callable[[], Fleet] | None = None
) -> FleetTui:
    return FleetTui(Opening(now_ms=NOW_MS, fleet=OpenFleet(fleet, lambda _: where(), 60.0, NOW_MS, read)))


def state(pilot: AppPilot) -> FleetState:
    return view(pilot).fleet


async def asked(pilot: AppPilot, text: str = _QUESTION) -> None:
    """Puts ``text`` into the field, runs it, and waits for all replies."""
    await until(pilot, lambda: state(pilot).work is FleetWork.IDLE)
    fleet_screen(pilot).action_field()
    fleet_screen(pilot).field.value = text
    await pilot.press("enter")
    await until(pilot, lambda: state(pilot).text == text and not state(pilot).is_busy)


async def pressed(pilot: AppPilot, *keys: str) -> None:
    """Presses keys, and waits until no member is being opened or queried."""
    await pilot.press(*keys)
    await until(pilot, lambda: not state(pilot).is_busy)


async def left_for(pilot: AppPilot) -> Opening:
    """Waits until the app opens a member's own memory, and returns it."""
    await until(pilot, lambda: brv(pilot).leaving.reopening is not None)
    assert brv(pilot).leaving.reopening is not None
    return brv(pilot).leaving.reopening


def fleet_screen(pilot: AppPilot) -> FleetScreen:
    """The Fleet screen, in front."""
    assert isinstance(pilot.app.screen, FleetScreen)
    return pilot.app.screen


async def half_asked(pilot: AppPilot) -> None:
    """Runs the query, and waits for the two members before the one that :class:`HeldAsks` delays."""
    await until(pilot, lambda: len(state(pilot).known) == 2)
    fleet_screen(pilot).field.value = _QUESTION
    await pilot.press("enter")
    await until(pilot, lambda: len(state(pilot).answers) == 2)


async def test_results_are_grouped_by_member_or_ranked_together(fleet: Fleet) -> None:
    async with fleet_app(fleet).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(state(pilot).known) == 4 and bool(state(pilot).missing))
        members = text_of(pilot, "#members")
        assert "auth-service" in members
        assert "✓ open" in members
        assert "⚠ no such folder" in members, "the reason, and not the place that may be longer than the row"
        await asked(pilot)
        await pressed(pilot, "i", "ctrl+u")
        assert state(pilot).text == ""
        assert "2 could not be read" in text_of(pilot, "#fleet-headline")
        await asked(pilot)
        headline = text_of(pilot, "#fleet-headline")
        assert "2 of 5 memories cover it; best: auth-service, tier 2 from “Refresh token rotation”" in headline
        assert "2 could not be read" in headline
        assert "not comparable" in headline
        results = text_of(pilot, "#results")
        assert results.index("auth-service") < results.index("payments"), "what needs no model is first"
        assert "Rephrase the query" not in results
        for part in ("title =refresh =token =rotation", "2 members do not cover it", "no such folder"):
            assert part in results
        assert "fix or remove its entry in the fleet" in results
        assert "unknown key engin" in results
        score = flat(pilot, "#score")
        for part in (
            "sum ✓",
            "Words are counted only in its own 2 notes",
            "this score is not comparable",
            "F5 ranks the notes of all members together",
        ):
            assert part in score
        assert "covers, tier 2" in text_of(pilot, "#members")
        each = state(pilot).answers
        await pressed(pilot, "f5")
        ranking = state(pilot).ranking
        assert ranking is not None
        assert "best of all: “Refresh token rotation” of auth-service" in text_of(pilot, "#fleet-headline")
        assert "3 are left out" in text_of(pilot, "#fleet-headline")
        left_out = "its engine is soleri: only byterover can be ranked together F5 asks each member's own engine"
        assert left_out in flat(pilot, "#results")
        assert "--merge" not in text_of(pilot, "#members")
        for part in ("sum ✓", "‘rotation’ is in", "Words are counted over 4 notes of 3 members,"):
            assert part in text_of(pilot, "#score"), "two are left out"
        await pilot.press("f5", "f5", "f5")
        assert (state(pilot).answers, state(pilot).ranking) == (each, ranking), "nothing is asked again"
        assert not state(pilot).is_busy
        await pilot.press("f2", "g", "j")
        assert view(pilot).fleet_selection.member == "payments"
        assert "Sessions of the shop" in text_of(pilot, "#score")
        await pilot.press("f4", "g", "j", "j", "j")
        await until(pilot, lambda: "legacy" in text_of(pilot, "#score"))
        assert "its scores are not comparable" in flat(pilot, "#score"), "it has none here"
        assert "F5" not in text_of(pilot, "#score"), "one ranking leaves it out"


async def test_result_opens_in_its_own_memory_and_6_returns_to_the_fleet(fleet: Fleet) -> None:
    async with fleet_app(fleet).run_test(size=WIDE) as pilot:
        await asked(pilot)
        await pilot.press("i", "x", "escape", "f2", "j", "enter")
        opening = await left_for(pilot)
    there = BrvTui(opening)
    async with there.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        await settled(pilot)
        assert trace_of(pilot).query == _QUESTION
        assert view(pilot).selection.file == "billing/sessions.md"
        assert "of the fleet shop" in text_of(pilot, "#status")
        await pilot.press("6")
        assert view(pilot).fleet.opened == "payments"
        assert "2 of 5 memories cover it" in text_of(pilot, "#fleet-headline")
        assert fleet_screen(pilot).field.value == _QUESTION
        await pilot.press("escape", "a")
        await until(pilot, lambda: there.has_modal)
        assert "It will be saved in payments, the open memory." in shown(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: not there.has_modal)
        await press(pilot, "f2", "j", "enter")
        assert there.current_mode == "query", "it is open already"
        await pilot.press("6", "f2", "k", "enter")
        assert (await left_for(pilot)).member == "auth-service"


async def test_unopenable_member_shows_a_reason_and_6_returns_to_the_fleet(fleet: Fleet, tmp_path: Path) -> None:
    broken = _member(tmp_path, "broken", ("a/b.md", "A note", "Some text."))
    shutil.rmtree(tmp_path / "broken" / ".brv")
    bare = Member("orders", repository="/srv/git/orders.git")
    app = fleet_app(replace(fleet, members=(*fleet.members, broken, bare)))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot)
        assert "Enter opens this memory" not in flat(pilot, "#results")
        await pilot.press("f4", "g")
        assert "Enter open" in text_of(pilot, "#keys")
        for keys, message in (
            (["G"], "orders is read from git"),
            (["k", "k"], "no such folder: restore the folder, or fix or remove its entry in the fleet"),
        ):
            await pilot.press(*keys)
            assert "Enter open" not in text_of(pilot, "#keys")
            await pilot.press("enter")
            assert app.leaving.reopening is None
            assert message in toast_text(pilot)
        await pilot.press("j")
        assert "brv-tui fleet add REPOSITORY --folder PATH" in flat(pilot, "#score")
        assert flat(pilot, "#score").endswith("fix this and press ^r")
        await pilot.press("enter")
        opening = await left_for(pilot)
    there = BrvTui(opening)
    async with there.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).project.phase is Phase.FAILED
        assert "Press Esc, then 6, to go back to the fleet." in flat(pilot, "#results")
        await pilot.press("escape", "6")
        assert "2 of 7 memories cover it" in text_of(pilot, "#fleet-headline")
        await pilot.press("escape", "ctrl+q")
    assert there.return_code == 0


def test_advice_for_a_missing_member_depends_on_the_reason() -> None:
    members = (Member("open", "/srv/open"), Member("git", repository="/srv/git"), Member("other", "/srv/other"))
    known = dict.fromkeys(("open", "git"), MemberState(1, "soleri", "soleri", "", (), ()))

    def words(kind: AbsenceKind, member: str = "other") -> str:
        absence = Absence(member, "its folder is gone; no answer within 3 s", kind)
        return what_to_do(FleetState(Fleet("shop", members), known=known), absence)

    again = {kind for kind in AbsenceKind if "{fleet.again}" in words(kind)}
    assert set(AbsenceKind) - again == {AbsenceKind.NOT_RANKED, AbsenceKind.OTHER_CONSTANTS}
    assert all("{fleet.merge}" in words(kind) for kind in set(AbsenceKind) - again)
    assert len({words(kind) for kind in AbsenceKind}) == len(AbsenceKind)
    opens_alone = {
        (kind, one.name) for kind in AbsenceKind for one in members if "Enter opens" in words(kind, one.name)
    }
    assert opens_alone == {
        (AbsenceKind.OTHER, "open"),
        (AbsenceKind.ONLY_ALONE, "open"),
        (AbsenceKind.ONLY_ALONE, "other"),
    }


async def test_ctrl_r_reads_the_fleet_file_again(fleet: Fleet, tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    entry = '[[member]]\npath = "{}"\n'.format
    faulty = f'{entry("catalog")}engine = "sol"\n[[member]]\npaht = "auth-service"\n'
    file.write_text(entry("payments") + faulty)
    read = partial(fleet_of, file)
    opened_fleets: list[Fleet] = []
    opened = OpenFleet(read(), lambda one: (opened_fleets.append(one), HereAsks())[1], 60.0, NOW_MS, read)
    async with FleetTui(Opening(now_ms=NOW_MS, fleet=opened)).run_test(size=WIDE) as pilot:
        await asked(pilot)
        results = flat(pilot, "#results")
        assert "no engine sol; did you mean soleri? fix this and press ^r; Enter opens this memory" in results
        assert results.endswith("fix or remove that entry and press ^r")
        await pressed(pilot, "ctrl+r")
        assert len(opened_fleets) == 1, "the members are the same: nothing is started anew"
        known = state(pilot).known["payments"]
        file.write_text(entry("payments") + entry("catalog") + entry("auth-service"))
        await pressed(pilot, "ctrl+r")
        assert "2 of 3 memories cover it" in text_of(pilot, "#fleet-headline")
        assert "sol" not in text_of(pilot, "#results")
        assert "auth-service" in text_of(pilot, "#members")
        assert state(pilot).known["payments"] is known
        assert len(opened_fleets) == 2, "other members are asked elsewhere"
        file.write_text("[[member")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: bool(state(pilot).problem) and not state(pilot).is_busy)
        assert "cannot be read as a fleet" in flat(pilot, "#fleet-headline")
        file.write_text("")
        for key in ("ctrl+r", "f5"):
            await pressed(pilot, key)
        assert "no member is available" in text_of(pilot, "#members")


async def test_changed_member_reopens_with_the_engine_of_its_entry(fleet: Fleet) -> None:
    changed = replace(fleet.members[0], engine="soleri", profile="soleri-code")
    other = replace(fleet, members=(changed, *fleet.members[1:]))
    opened = OpenFleet(fleet, lambda _: HereAsks(), 60.0, NOW_MS, lambda: other)
    app = BrvTui(Opening(Path(fleet.members[0].path), now_ms=NOW_MS, fleet=opened, member="payments"))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "6")
        await until(pilot, lambda: len(state(pilot).known) == 4 and not state(pilot).is_busy)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: state(pilot).fleet is other and not state(pilot).is_busy)
        await pilot.press("f4", "g", "enter")
        opening = await left_for(pilot)
    there = BrvTui(opening)
    async with there.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert view(pilot).engine.name == "soleri"
        for name in ("engine", "profile"):
            assert there.configuration.source(name) == (Layer.OPENED, "the fleet's entry for payments")


async def test_enter_is_offered_only_on_rows_that_open(fleet: Fleet) -> None:
    repository = fleet.members[1].path
    git = ["git", "-C", repository, "-c", "user.name=n", "-c", "user.email=e@x"]
    for words in (["init", "-q"], ["add", "-Af"], ["commit", "-qm", "notes"]):
        subprocess.run([*git, *words], check=True)
    members = (fleet.members[0], Member("orders", repository=repository))
    async with fleet_app(replace(fleet, members=members, absent=())).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: "Down results" in text_of(pilot, "#keys"))
        assert "Enter ask" not in text_of(pilot, "#keys"), "nothing is typed"
        await asked(pilot, "zzz")
        await pilot.press("i")
        assert "Enter ask" in text_of(pilot, "#keys")
        way_out = "Rephrase the query, or add a note about it to a member: F4 lists the members, and Enter opens one."
        for key in ("f5", "f5"):
            await pressed(pilot, key)
            assert way_out in flat(pilot, "#results")
        await pilot.press("f2")
        assert "Enter open" not in text_of(pilot, "#keys")
        await pilot.press("enter")
        assert toasts(pilot) == ["there is no result: i goes to the question"]
        await asked(pilot)
        for key in ("f2", "f5"):
            await pressed(pilot, key)
            await pilot.press("f2", "g")
            for name in fleet_screen(pilot).query_one(FleetResultsPane).choices[:2]:
                is_git = name.startswith("orders")
                assert ("Enter open" in text_of(pilot, "#keys")) is not is_git
                for key, of_git in (("w", "fleet explain QUERY NOTE --member orders"), ("x", _TRACE_OF_GIT)):
                    await pilot.press(key)
                    message = toasts(pilot)[-1]
                    assert (of_git in message) is is_git, message
                    assert ("Enter" in message) is not is_git, message
                await pilot.press("j")
        await pilot.press("slash", *"zzz", "enter", "enter")
        assert "Enter open" not in text_of(pilot, "#keys")
    beside = OpenFleet(replace(fleet, members=members), lambda _: HereAsks(), 60.0, NOW_MS)
    there = BrvTui(Opening(Path(fleet.members[0].path), now_ms=NOW_MS, fleet=beside, member="payments"))
    async with there.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "6")
        await asked(pilot)
        await pilot.press("f4", "G", "e")
        await until(pilot, lambda: "check it out" in toast_text(pilot))


@pytest.mark.parametrize(("keys", "text"), [(["escape"], _QUESTION), (["i", "end", "s"], f"{_QUESTION}s")])
async def test_run_stops_at_once_and_can_continue(fleet: Fleet, keys: list[str], text: str) -> None:
    held = HeldAsks("catalog")
    async with fleet_app(fleet, lambda: held).run_test(size=WIDE) as pilot:
        await half_asked(pilot)
        assert "2 of 2 memories asked so far cover it" in text_of(pilot, "#fleet-headline")
        await pilot.press(*keys)
        assert state(pilot).work is FleetWork.STOPPED
        held.may_go_on.set()
        if keys == ["escape"]:
            assert "3 were not asked" in flat(pilot, "#fleet-headline")
            await pilot.press("i", "enter")
        await until(pilot, lambda: state(pilot).text == text and state(pilot).work is FleetWork.IDLE)
        assert len(state(pilot).answers) == 4
        is_longer = text != _QUESTION
        assert ("~rotation" in text_of(pilot, "#results")) is is_longer, "these are answers to the longer question"


@pytest.mark.parametrize("keys", [("f5", "f5"), ("escape", "f5", "f5")])
async def test_partial_answers_are_marked_as_partial(fleet: Fleet, keys: tuple[str, ...]) -> None:
    held = HeldAsks("catalog")
    async with fleet_app(fleet, lambda: held).run_test(size=WIDE) as pilot:
        await half_asked(pilot)
        await pilot.press(*keys[:-1])
        held.may_go_on.set()
        if keys[0] == "escape":
            await until(pilot, lambda: state(pilot).ranking is not None)
        await pilot.press(keys[-1])
        await until(pilot, lambda: not state(pilot).is_busy and len(state(pilot).answers) == 4)
        assert "2 could not be read" in text_of(pilot, "#fleet-headline")


async def test_refusal_of_the_joint_ranking_is_not_shown_per_member(fleet: Fleet, tmp_path: Path) -> None:
    members = tuple(_member(tmp_path, name, ("auth/x.md", "X", "token")) for name in ("one", "other"))
    async with fleet_app(replace(fleet, members=members, absent=())).run_test(size=WIDE) as pilot:
        await asked(pilot, "auth/x.md")
        await pilot.press("f5")
        await until(pilot, lambda: bool(state(pilot).problem))
        for part in ("CANNOT ASK", "one ranking needs a single place; F5 asks each member's own engine instead"):
            assert part in flat(pilot, "#fleet-headline")
        await pilot.press("f5")
        assert "2 of 2 memories cover it" in text_of(pilot, "#fleet-headline")


async def test_score_pane_shows_the_selected_near_miss_or_member(fleet: Fleet, tmp_path: Path) -> None:
    notes = [(f"auth/n{place}.md", f"Token {place}", "token " + "filler " * 9 * place) for place in range(14)]
    members = (_member(tmp_path, "many", *notes), fleet.members[2], fleet.members[4])
    async with fleet_app(replace(fleet, members=members, absent=())).run_test(size=WIDE) as pilot:
        await asked(pilot, "token")
        await pressed(pilot, "f5")
        assert "1 is left out" in text_of(pilot, "#fleet-headline")
        await pilot.press("f2", "G")
        ranking = state(pilot).ranking
        assert ranking is not None
        near = ranking.near_misses[-1].miss
        assert view(pilot).fleet_selection.file == near.file
        assert near.path in text_of(pilot, "#score")
        assert f"not in the results: {near.reason}" in text_of(pilot, "#score")
        await pilot.press("f2", "slash", *near.path, "enter")
        assert fleet_screen(pilot).query_one(FleetResultsPane).choices == [f"many\n{near.file}"]
        await pilot.press("escape", "f4", "g", "j")
        assert view(pilot).fleet_selection == ("catalog", "")
        assert "none of its notes is a result" in text_of(pilot, "#score")


async def test_focused_results_select_the_row_under_the_cursor(fleet: Fleet) -> None:
    app = fleet_app(replace(fleet, absent=()))
    async with app.run_test(size=WIDE) as pilot:
        await asked(pilot)
        catalog = [member.name for member in fleet.members].index("catalog")
        for key in ("", "f5"):
            if key:
                await pressed(pilot, key)
                app.copy_to_clipboard("")
            await pilot.press("f4", "g", *["j"] * catalog)
            await until(pilot, lambda: view(pilot).fleet_selection.member == "catalog")
            await pilot.press("f2")
            await until(pilot, lambda: view(pilot).fleet_selection.member == "auth-service")
            await until(pilot, lambda: "Refresh token rotation" in text_of(pilot, "#score"))
            await pilot.press("y")
            await until(pilot, lambda: app.clipboard == "[auth-service]:auth/jwt/rotation.md")
        await pilot.press("f4", "g")
        await until(pilot, lambda: view(pilot).fleet_selection.member == "payments")
        await pilot.press("f2")
        await pilot.pause()
        assert fleet_screen(pilot).query_one(FleetResultsPane).member == "payments", "its best is under the cursor"
        assert view(pilot).fleet_selection.member == "payments"


@pytest.mark.parametrize("keys", [("f5",), ("x", "backspace"), ("f4", "j", "enter")])
async def test_interrupted_opening_of_members_continues(fleet: Fleet, keys: tuple[str, ...]) -> None:
    held = HeldAsks("payments")
    async with fleet_app(fleet, lambda: held).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: state(pilot).work is FleetWork.OPENING)
        await pilot.press(*keys)
        reopening = await left_for(pilot) if "enter" in keys else None
        held.may_go_on.set()
        if reopening is None:
            await until(pilot, lambda: len(state(pilot).known) == 4 and not state(pilot).is_busy)
            assert list(state(pilot).missing) == ["gone"]
            return
    async with BrvTui(reopening).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "6")
        await until(pilot, lambda: len(state(pilot).known) == 4 and not state(pilot).is_busy)


async def test_keys_act_on_the_fleet_result_and_not_on_other_screens(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    tell = BrvTui.notify
    monkeypatch.setattr(BrvTui, "notify", lambda app, text, **how: (messages.append(text), tell(app, text, **how)))
    app = fleet_app(fleet)
    async with app.run_test(size=WIDE) as pilot:
        # until the fleet is open, Esc would stop the opening
        await until(pilot, lambda: state(pilot).work is FleetWork.IDLE)
        await pilot.press("escape", "y")
        assert "no result is selected: select one" in messages[-1]
        await asked(pilot)
        await pilot.press("y")
        await until(
            pilot, lambda: any("copied the path [auth-service]:auth/jwt/rotation.md" in one for one in messages)
        )
        assert app.clipboard == "[auth-service]:auth/jwt/rotation.md"
        await pilot.press("w")
        assert "Enter opens the result in its own memory; there, w explains why" in messages[-1]
        await pilot.press("j", "enter")
        opening = await left_for(pilot)
    there = BrvTui(opening)
    async with there.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: view(pilot).answer.trace is not None)
        await settled(pilot)
        await pilot.press("6", "f2", "k")
        assert there.note_at_hand == "", "it is in another memory"
        await pilot.press("e")
        assert "in a memory that is not open" in messages[-1]
        for key in ("x", "Y"):
            await pilot.press(key)
            assert "the fleet's answer: brv-tui fleet query … --format json" in messages[-1]
            assert not there.has_modal
        await pressed(pilot, "f5")
        await pilot.press("y")
        await until(pilot, lambda: there.clipboard.startswith("["))
        first = view(pilot).fleet.ranking.hits[0]  # type: ignore[union-attr]
        assert there.clipboard == f"[{first.member}]:{first.hit.file}"
        await pilot.press("x")
        assert "--format json --merge one" in messages[-1]


async def test_project_keys_do_nothing_in_a_fleet_and_fleet_screen_gives_help(fleet: Fleet, app: BrvTui) -> None:
    async with fleet_app(fleet).run_test(size=WIDE) as pilot:
        await pilot.press("escape", "1")
        assert pilot.app.current_mode == "fleet"
        for key in ("p", "P", "m", "R", "e", "a", "y", "x", "w", "question_mark", "escape", "f1", "escape"):
            await pilot.press(key)
        assert pilot.app.is_running
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "Fleet" not in text_of(pilot, "#status")
        await pilot.press("escape", "6")
        assert "brv-tui fleet open opens the fleet in fleet.toml" in flat(pilot, "#results")


async def test_only_visible_rows_of_three_thousand_members_are_drawn(fleet: Fleet) -> None:
    many = tuple(Member(f"m{number:04d}", f"/nowhere/{number}", owner="ops") for number in range(3_000))
    async with fleet_app(replace(fleet, members=many), lambda: HeldAsks("m0000")).run_test(size=WIDE) as pilot:
        drawn: list[Member] = []
        pane = pilot.app.screen.query_one(FleetMembersPane)
        draw = pane._row
        pane._row = lambda *args: (drawn.append(args[1]), draw(*args))[1]  # type: ignore[method-assign, func-returns-value]
        pilot.app.screen.query_one(FleetMembersPane).focus()
        await pilot.press("G", "g", "pagedown")
        assert 0 < len(set(drawn)) < 100
        assert isinstance(pane.lines, LazyLines)
        await pilot.press("slash", *"m299", "enter")
        assert pane.choices == [f"m{number}" for number in range(2_990, 3_000)]


async def test_palette_runs_general_actions_in_a_fleet(fleet: Fleet) -> None:
    app = fleet_app(fleet)
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: state(pilot).work is FleetWork.IDLE)
        theme = app.theme
        await pilot.press("ctrl+g")
        await until(pilot, lambda: app.has_modal)
        await pilot.press(*"next", "space", *"colour", "enter")
        await until(pilot, lambda: not app.has_modal)
        await until(pilot, lambda: toasts(pilot))
        assert app.theme != theme, toasts(pilot)
