"""A ByteRover V4 space in the app: queried, explained, shown on every screen, changed only in the editor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.editing.questions import DamageDialog
from brvtui.app.editing.screen import EditorScreen
from brvtui.app.lab.variant_dialog import VariantDialog
from brvtui.app.log.log_pane import LogPane
from brvtui.app.project.opening import Opening
from brvtui.app.query.remedy_dialog import RemedyDialog, RemedyPane
from brvtui.app.versions.migration_dialog import VersionsDialog
from brvtui.config.schema import Layer
from brvtui.engines.byterover_v4.pending_rows import ROWS
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.report.saved import markdown_report
from brvtui.saved.traces import SavedTrace
from brvtui.session import Session
from brvtui.tree.spaces.project import find_space_project
from tests.app.driving import HUGE, WIDE, ask, on, press, settled, until
from tests.app.editing import area
from tests.app.judging import asked, to_lab
from tests.app.looking import AppPilot, flat, frame, screen, shown, text_of, toasts, trace_of, view
from tests.app.test_settings_screen import opened
from tests.engines.byterover_v4.test_pending_rows import asked as asked_row
from tests.engines.byterover_v4.test_pending_rows import printed
from tests.support.spaces import SPACE_ID, small_space
from tests.support.untouched import state_of

pytestmark = pytest.mark.long

NOW = 1_763_640_000_000.0


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return small_space(tmp_path, NOW)


async def test_settings_show_that_the_space_sets_the_engine(space: Path) -> None:
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=HUGE) as pilot:
        await opened(pilot, "engine")
        line = next(line for line in text_of(pilot, "#settings").splitlines() if "byterover_v4" in line)
        assert line.split() == ["Retrieval:", "engine", "byterover_v4", "opened"]
        beside = flat(pilot, "#setting")
        assert "from the space" in beside
        assert "the space overrides your own settings file" in beside
        await pilot.press("delete")
        await until(pilot, lambda: "engine comes from the space" in toasts(pilot))
        await pilot.press("l")
        await until(pilot, lambda: any(message.endswith("but the space overrides it") for message in toasts(pilot)))
        await settled(pilot)


def test_engine_option_is_recorded_as_the_source(space: Path) -> None:
    session = Session.open(space, engine="byterover_v4")
    assert session.configuration.source("engine") == (Layer.OPTION, "--engine")


async def test_space_can_be_queried_and_is_not_changed(space: Path) -> None:
    before = state_of(space.parent / "data", space)
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=HUGE) as pilot:
        await ask(pilot, "refresh token")
        trace = trace_of(pilot)
        assert trace.engine == "byterover_v4"
        assert [hit.path for hit in trace.hits] == ["auth/jwt.html", "ops/deploy.html"]
        assert "BYTEROVER V4" in shown(pilot)
        assert "3 topics" in shown(pilot)
        assert "3 notes" not in shown(pilot)
        assert "3 topics" in markdown_report(SavedTrace(trace, {}, "", ""))
        assert "V4 tells the agent to cite it" in text_of(pilot, "#score")
        assert "full width: 1.15, the highest possible" in text_of(pilot, "#score")
        await press(pilot, "escape", "P")
        assert any("only ByteRover V4" in message for message in toasts(pilot))
        await on(pilot, VersionsDialog, "W")
        assert "m 3 to 4" not in shown(pilot)
        await press(pilot, "escape", "2")
        assert "all files" not in text_of(pilot, "#keys"), "a space has neither stubs nor derived files"
        await press(pilot, "1", "i")
        assert "Enter runs ━" in shown(pilot), "V4 asks no service"
        await press(pilot, "f1")
        assert "cached" not in shown(pilot)
        await press(pilot, "escape", "escape")
        await pilot.press("m", "escape")
        bar = text_of(pilot, "#keys")
        assert "e edit" in bar
        assert "new note" not in bar
        await pilot.press("question_mark")
        await pilot.resize_terminal(120, 160)  # tall enough to show all keys at once
        await settled(pilot)
        assert "Undo the latest save" in shown(pilot)
        assert "Rename or move" not in shown(pilot)
        await pilot.resize_terminal(*WIDE)
        await pilot.press("escape")
        for key in ("M", "X", "I"):
            await press(pilot, key)
        assert any("topics of a space can be edited here" in message for message in toasts(pilot))
        await ask(pilot, "kubernetes quokka")
        assert "nothing was found" in text_of(pilot, "#results")
        await press(pilot, "escape", "c")
        assert "ByteRover V4 has no cache: there is nothing to clear" in toasts(pilot)
        assert "the simulated cache is empty" not in toasts(pilot)
        assert "begins a note" not in text_of(pilot, "#results")
        assert "let ByteRover curate a topic" in flat(pilot, "#results")
        for key in ("2", "3", "4", "5", "1"):
            await press(pilot, key)
    assert state_of(space.parent / "data", space) == before


async def test_messages_in_a_space_offer_no_other_engines(space: Path) -> None:
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token", "escape", "b", "f", "m")
        await until(
            pilot, lambda: any("does not learn from feedback: J grades a result" in one for one in toasts(pilot))
        )
        await press(pilot, "b", "b")
        text = " ".join(toasts(pilot))
        assert "pinned: change wording, then press B to compare" in text
        assert "engines that do" not in text
        assert "P asks" not in text
        assert "P switches" not in text


async def test_lab_runs_v4_with_another_clock_and_constants(space: Path) -> None:
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "refresh token")
        await to_lab(pilot)
        await pilot.press("J")
        await until(pilot, lambda: view(pilot).lab.judgments)
        await asked(pilot)
        await pilot.press("f4", "right_curly_bracket")
        await until(pilot, lambda: len(view(pilot).lab.columns) == 2)
        await asked(pilot)
        present, what_if = view(pilot).lab.columns
        assert what_if.variant.days == 10
        (row,) = view(pilot).lab.judgments or ()
        assert [column.cells[row.id].values[0] for column in (present, what_if)] == [1.0, 1.0]
        assert not what_if.problem
        assert [each.path for each in row.documents] == ["auth/jwt.html"]
        assert "jwt.html" not in text_of(pilot, "#sliders")  # there are no sliders for topics
        app.edits.hold()
        await settled(pilot)
        file = space.parent / "data" / "projects" / SPACE_ID / "context-tree" / "auth" / "jwt.html"
        html = file.read_text(encoding="utf-8")
        file.write_text(html.replace("oken", "icket").replace("efresh", "enewal"), encoding="utf-8")
        message = "the judged query has a different answer after the edit to jwt.html, 1 worse (“refresh token”)"
        await until(pilot, lambda: message in toasts(pilot))
        await pilot.press("f2", "h")
        await until(pilot, lambda: "auth/jwt.html: rank 1 → not found" in flat(pilot, "#cell"))


async def test_unsaved_topic_text_adds_no_lab_column(space: Path) -> None:
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "copies", "escape", "e")
        await until(pilot, lambda: view(pilot).editor.edit is not None)
        await pilot.press("x")
        await until(pilot, lambda: (edit := view(pilot).editor.edit) and edit.dirty)
        await pilot.press("escape", "k")
        await to_lab(pilot)
        assert view(pilot).editor.edit is not None
        assert [column.title for column in view(pilot).lab.columns] == ["byterover_v4"]


async def test_lab_column_dialog_offers_only_space_options(space: Path) -> None:
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await to_lab(pilot)
        await on(pilot, VariantDialog, "v")
        offered = flat(pilot)
        assert "with the words in any order: +30d, a constant (" in offered
        assert all(name not in offered for name in ("jeffs_brain", "docs", "an engine", "rev:", "mode=", "NOTE.md"))
        await pilot.press(*"soleri")
        await until(pilot, lambda: "known: byterover_v4 " in shown(pilot))


async def test_chosen_remedy_opens_the_editor_or_explains_itself(space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    (tree / "old.abstract.html").write_text("<p>rollout</p>")
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollout")
        for path in ("old.abstract.html", "ops/deploy.html"):
            pilot.app.select(path)  # type: ignore[attr-defined]
            await pilot.press("escape", "w")
            await until(pilot, lambda: isinstance(pilot.app.screen, RemedyDialog) and "rank 1" in shown(pilot))
            await press(pilot, "enter")
        assert any("to make it: rename it to old_abstract.html" in one for one in toasts(pilot))
        assert any("to make it: save it now (add rollout to" in one for one in toasts(pilot))
        await until(pilot, lambda: (edit := view(pilot).editor.edit) and edit.path == "ops/deploy.html")


def remedy_lines(pilot: AppPilot) -> str:
    """The lines in the dialog of remedies."""
    result = [line.plain for pane in pilot.app.screen.query(RemedyPane) for line in pane.lines]
    return " ".join(" ".join(result).split())


async def test_remedies_for_a_topic_in_the_results_are_listed_and_opened(space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    topic = '<bv-topic title="{} quokkas"><p>A quokka is a small animal.</p></bv-topic>'
    for name, days in (("New", 1), ("Old", 2)):
        (tree / f"{name}.html").write_text(topic.format(name))
        os.utime(tree / f"{name}.html", (NOW / 1000 - days * 86_400,) * 2)
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "quokka", "escape", "w")
        await until(pilot, lambda: "[lower]" in remedy_lines(pilot))
        await pilot.press("l")
        await until(pilot, lambda: "it is already first. If another note should be first" in remedy_lines(pilot))
        await pilot.press("escape", "j", "w")
        await until(pilot, lambda: "rank 1" in remedy_lines(pilot))
        assert remedy_lines(pilot).removeprefix("[raise] lower ") == (
            "rank 1 0.753 “quokka old”: add “old” another wording · use this wording "
            "rank 1 0.765 edited today, not 2 days ago an edit · change and save it"
        )
        await pilot.press("enter")
        await until(pilot, lambda: screen(pilot).field.value == "quokka old")
        await settled(pilot)
        assert view(pilot).selection.file == "Old.html"
        await ask(pilot, "quokka")
        pilot.app.select("Old.html")  # type: ignore[attr-defined]
        await pilot.press("escape", "w")
        await until(pilot, lambda: "rank 1" in remedy_lines(pilot))
        await pilot.press("j", "enter")
        await until(pilot, lambda: (edit := view(pilot).editor.edit) and edit.path == "Old.html")
        assert "to make it: change and save it (edited today, not 2 days ago)" in toasts(pilot)


async def test_w_offers_no_remedy_for_a_file_that_is_not_a_topic(space: Path) -> None:
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
        (tree / "index.html").write_text("<p>quokka</p>")
        await ask(pilot, "zebra")
        await until(pilot, lambda: view(pilot).knows("index.html"))
        pilot.app.select("index.html")  # type: ignore[attr-defined]
        await settled(pilot)  # the query runs again because a file has changed
        await pilot.press("escape", "w")
        await until(pilot, lambda: "no other change that was tried helps" in remedy_lines(pilot))


async def test_file_ignored_by_v4_has_its_own_reason(space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    for name in ("x.full.html", "UPPER.HTML"):
        (tree / name).write_text("<bv-topic title='Zebra'><p>zebra</p></bv-topic>")
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "zebra")
        pilot.app.select("UPPER.HTML")  # type: ignore[attr-defined]
        await pilot.press("escape", "e")
        await until(pilot, lambda: any("must be .html, in lower case" in message for message in toasts(pilot)))
        pilot.app.select("x.full.html")  # type: ignore[attr-defined]
        await pilot.press("e")
        await until(pilot, lambda: bool(frame(pilot).query("#problems")))
        await until(pilot, lambda: "whatever its text" in flat(pilot, "#problems"))
        await until(pilot, lambda: "saving would not change any answer" in flat(pilot, "#ranking"))
        assert "score" not in text_of(pilot, "#saving")


async def test_notes_screen_shows_the_searched_parts_of_a_topic(space: Path) -> None:
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        app.select("auth/jwt.html")
        await pilot.press("escape", "2")
        await until(pilot, lambda: "decision bve-aaaa0001" in text_of(pilot, "#note"))
        shown_text = text_of(pilot, "#note")
        assert "decision bve-aaaa0001 · searched" in shown_text
        assert "reason · not searched" in shown_text
        assert "this kind is searched only inside" in shown_text
        assert "reaches .60 for" in flat(pilot, "#about")


async def test_topic_can_be_edited_and_the_save_undone(space: Path) -> None:
    file = space.parent / "data" / "projects" / SPACE_ID / "context-tree" / "ops" / "backup.html"
    before = file.read_bytes()
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await ask(pilot, "copies", "escape", "e")
        await until(pilot, lambda: view(pilot).editor.edit is not None)
        await pilot.press(*"<bv-rule/>")
        await until(pilot, lambda: "closes nothing" in flat(pilot, "#problems"))
        await until(pilot, lambda: "Backups" in text_of(pilot, "#ranking"))
        assert file.read_bytes() == before
        await on(pilot, DamageDialog, "ctrl+s")
        pilot.app.screen.listen()  # type: ignore[attr-defined]
        await pilot.press("s")
        await until(pilot, lambda: view(pilot).editor.edit is not None and not view(pilot).editor.edit.dirty)
        assert file.read_bytes() == b"<bv-rule/>" + before
        await pilot.press("escape")
        await until(pilot, lambda: view(pilot).editor.edit is None)
        await pilot.press("u")
        await until(pilot, lambda: file.read_bytes() == before)


async def test_space_offers_no_other_engine_and_no_mode(space: Path) -> None:
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=HUGE) as pilot:
        await settled(pilot)
        assert view(pilot).idle >= {"engine.next", "engine.mode"}
        await pilot.press("escape", "p")
        await until(
            pilot, lambda: any("; K in the Lab (What if) saves another" in message for message in toasts(pilot))
        )


async def test_maturity_screen_uses_v4_thresholds(space: Path) -> None:
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=HUGE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "3")
        await until(pilot, lambda: "leaves high in" in text_of(pilot, "#draft"))
        forecast = text_of(pilot, "#forecast")
        assert "below medium confidence" in forecast
        assert "archive" not in forecast
        await pilot.press("right_curly_bracket")
        await until(pilot, lambda: "0 topics change in the next 30 days" in text_of(pilot, "#forecast"))
        await press(pilot, "0")
        ageing = flat(pilot, "#ageing")
        assert "leaves high confidence in 54 d" in ageing
        assert "promoted at 65: 15 more, 5 hits" in ageing
        await pilot.press("f")
        await until(pilot, lambda: "0 below high confidence by today" in text_of(pilot, "#forecast"))
        message = "no draft topic is below high confidence"
        await until(pilot, lambda: message in flat(pilot, "#draft"))


def test_five_hits_make_a_default_topic_validated_and_twelve_core(space: Path) -> None:
    session = Session.open(space, now_ms=NOW)
    session.load()
    found = [session.ageing.after_hits("ops/backup.html", hits).signals.maturity for hits in (4, 5, 11, 12)]
    assert found == ["draft", "validated", "validated", "core"]


async def test_log_gives_advice_if_no_topic_answered(space: Path) -> None:
    row = printed("zzzqqq", "--scope", "auth", data={"hits": []})
    (space.parent / "data" / ROWS).write_text(asked_row("zzzqqq") + "\n" + row + "\n")
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: view(pilot).log.compared is not None)
        text = flat(pilot, "#entry")
        assert "now, with an empty cache" not in text
        assert "tier" not in text + text_of(pilot, "#log")
        assert "status not covered" in text
        await pilot.press("w")
        await until(pilot, lambda: any("no topic answered this query, then or now" in one for one in toasts(pilot)))
        text = " ".join(toasts(pilot))
        assert "have ByteRover curate a topic about it" in text
        assert "begins a note" not in text
        await pilot.press("3", "w")
        await until(pilot, lambda: any("shows how it ages, e edits it" in one for one in toasts(pilot)))


async def test_log_reports_that_v4_refuses_queries_and_judges_nothing(space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    twice = '<bv-fact id="bve-dddd0001">quokka</bv-fact>'
    (tree / "twice.html").write_text(twice * 2)
    rows = [asked_row("zzzqqq"), printed("zzzqqq", data={"hits": []}), asked_row("refresh"), printed("refresh")]
    (space.parent / "data" / ROWS).write_text("\n".join(rows) + "\n")
    fails = "now V4 cannot answer: two elements of one topic have the same id"
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=HUGE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        for query in ("refresh", "zzzqqq"):
            await until(pilot, lambda: (result := view(pilot).log.compared) and result.entry.query == query)  # noqa: B023
            text = flat(pilot, "#entry")
            assert text.index(fails) < text.index("then")
            assert "the answer would be the same" not in text
            assert "not covered now" not in text
            await pilot.press("j")
        await pilot.press("w")
        await until(pilot, lambda: any("give one of the two elements" in one for one in toasts(pilot)))
        await pilot.press("J")
        await until(pilot, lambda: any("“zzzqqq” is not judged: V4 cannot answer" in one for one in toasts(pilot)))
        assert not JudgmentsFile.of(find_space_project(space)).read()


async def test_agent_queries_are_followed_and_run_again_in_their_scope(space: Path) -> None:
    """Following starts even if there is no row yet. Two rows from the same millisecond are two queries."""
    app = BrvTui(Opening(space, None, NOW, None))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("escape", "4")
        await until(pilot, lambda: view(pilot).log.engine_log is not None)
        await pilot.press("f")
        assert view(pilot).log.following
        asks = [asked_row("refresh token")] * 2
        rows = [*asks, printed("refresh", "token", "--scope", "ops"), printed("refresh", "token")]
        (space.parent / "data" / ROWS).write_text("\n".join(rows) + "\n")
        await until(pilot, lambda: len(view(pilot).log.entries or ()) == 2)
        assert len(frame(pilot).query_one(LogPane).choices) == 2
        await pilot.press("f", "g")
        scoped = frame(pilot).query_one(LogPane)
        scoped.move_to(next(place for place, one in enumerate(scoped.choices) if " ops " in one))
        await pilot.press("enter")
        await until(pilot, lambda: view(pilot).answer.trace is not None and view(pilot).query.scope == "ops")
        await settled(pilot)
        trace = trace_of(pilot)
        assert {hit.path for hit in trace.hits} == {"ops/deploy.html"}


async def test_topic_that_loses_content_for_v4_needs_confirmation(space: Path) -> None:
    file = space.parent / "data" / "projects" / SPACE_ID / "context-tree" / "ops" / "deploy.html"
    before = file.read_text(encoding="utf-8")
    async with BrvTui(Opening(space, None, NOW, None)).run_test(size=WIDE) as pilot:
        await ask(pilot, "rollout")
        pilot.app.select("ops/deploy.html")  # type: ignore[attr-defined]
        await pilot.press("escape", "e")
        await until(pilot, lambda: view(pilot).editor.edit is not None and isinstance(frame(pilot), EditorScreen))
        area(pilot).insert("x", (0, len("<bv-topic")))
        await on(pilot, DamageDialog, "ctrl+s")
        assert "the topic would have no title" in shown(pilot)
        assert file.read_text(encoding="utf-8") == before
        pilot.app.screen.listen()  # type: ignore[attr-defined]
        await pilot.press("s")
        await until(pilot, lambda: file.read_text(encoding="utf-8").startswith("<bv-topicx"))
