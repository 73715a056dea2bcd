"""An open project: answers, runs, recording, signals and forecasts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.engines.ageing.events import OF_NOTES
from brvtui.engines.contract import EngineError
from brvtui.paint.glyphs import UNICODE
from brvtui.report.query import explain_lines
from brvtui.session import NotLoaded, Session
from brvtui.store.state_file import read_state
from brvtui.trace import Origin
from brvtui.trace.routing import CacheLook, Route
from brvtui.typed_tables import ProfileError
from tests.support.threads import failures_in_threads
from tests.support.trees import NOW_MS, Tree, paths
from tests.support.untouched import state_of

Make = Callable[[str], Tree]


def test_queries_before_loading_are_refused(quokkas: Tree) -> None:
    session = Session.open(quokkas.root)
    assert not session.is_loaded
    with pytest.raises(NotLoaded):
        session.preview("quokka")
    assert session.load()
    assert session.is_loaded


def test_loading_again_publishes_only_changes(quokkas: Tree) -> None:
    session = quokkas.session()
    before = session.snapshot
    assert not session.load()
    assert session.snapshot is before
    quokkas.note("x/new.md", "New")
    assert session.load()
    assert session.snapshot.generation == before.generation + 1
    assert "x/new.md" in session.snapshot.by_path
    assert "x/new.md" not in before.by_path


def test_changed_stored_signals_give_a_new_snapshot(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/n.md", {"importance": 90})
    assert session.load()
    assert session.preview("quokka").hits[0].signals is not None


def test_changed_summary_signals_give_a_new_snapshot(quokkas: Tree) -> None:
    session = quokkas.session()
    quokkas.sidecar_file("x/_index.md", {"importance": 90})
    assert session.load()
    assert session.snapshot.summary_signals["x/_index.md"].importance == 90


def test_another_profile_empties_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.use_profile("docs")
    session.load()
    trace = session.preview("quokka")
    assert (trace.profile, trace.section(Route).used) == ("docs", True)
    with pytest.raises(ProfileError):
        session.use_profile("nothing")
    assert session.profile.name == "docs"


def test_explicit_clock_is_frozen(quokkas: Tree) -> None:
    assert quokkas.session().frozen
    assert not Session.open(quokkas.root).frozen


def test_queries_change_no_files(quokkas: Tree, make_tree: Make, own_data_folders: Path) -> None:
    quokkas.file("_archived/x/o.stub.md", "# Old\nquokka")
    quokkas.file("x/context.md", "# X\nquokka")
    other = make_tree("other")
    other.note("pay/c.md", "Shared", "quokka")
    quokkas.source(("lib", other))
    before = state_of(quokkas.root, other.root, own_data_folders)
    assert len(before) > 30
    session = quokkas.session()
    for query in (
        "quokka",
        "wallaby jumping",
        "x",
        "x/n.md",
        "zebra",
        "",
        "the of",
        "x quokka",
        "[lib]:pay",
        "quokka?",
    ):
        session.preview(query)
        session.run(query)
        session.search(query, 10)
        found = session.preview(query)
        for hit in found.hits:
            if hit.file in session.snapshot.by_path:
                session.explainer.detail(found, hit.file)
        for note in ("x/n.md", "x/_index.md", "Wallaby"):
            session.explainer.explain(query, note)
        session.cache_now(query)
    session.load()
    session.use_profile("docs")
    session.load()
    session.run("quokka")
    assert not session.recording
    assert session.history.read() == []
    session.close()
    assert state_of(quokkas.root, other.root, own_data_folders) == before
    assert not (own_data_folders / "tool").exists()


def test_ages_use_the_frozen_clock(quokkas: Tree) -> None:
    later = quokkas.session(now_ms=NOW_MS + 86_400_000).preview("quokka")
    assert later.hits[0].signals.days == 1.0


def test_detail_has_the_text_score_of_its_hit(quokkas: Tree) -> None:
    session = quokkas.session()
    found = session.preview("quokka")
    result = session.explainer.detail(found, found.hits[0].file)
    assert result.score.raw == pytest.approx(found.hits[0].text.raw, rel=1e-12)
    with pytest.raises(KeyError):
        session.explainer.detail(found, "nowhere.md")


def test_detail_uses_the_snapshot_of_its_trace(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.preview("quokka")
    file = trace.hits[0].file
    before = session.explainer.detail(trace, file)
    quokkas.file(file, "# Something else entirely\n", days=1)
    session.load()
    assert session.explainer.detail(trace, file) == before
    assert before.hit is not None


def test_older_answer_is_explained_with_its_own_snapshot(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.preview("quokka")
    before = session.explainer.explain("quokka", "x/n.md", trace=trace)
    for change in range(2):
        quokkas.file("x/n.md", f"# Something else {change}\n", days=1)
        session.load()
    assert session.explainer.explain("quokka", "x/n.md", trace=trace) == before
    quokkas.file("x/n.md", "# Something else again\n", days=1)
    session.load()
    after = session.explainer.explain("quokka", "x/n.md", trace=trace)
    assert after.notice == "the tree of this answer is no longer available: this explanation is for the current tree"
    assert after.notice.split(":")[0] in "\n".join(line.plain for line in explain_lines(after, 120, UNICODE))
    assert not before.notice


def test_conflict_in_a_note_is_reported(tree: Tree) -> None:
    marked = "# Rotation\n\n<<<<<<< HEAD\nrefresh daily\n=======\nrefresh hourly\n>>>>>>> topic\n"
    tree.file("auth/rotation.md", marked)
    tree.file("auth/talk.md", "# About conflicts\n\nrefresh: git writes `<<<<<<< HEAD` first, later `>>>>>>> topic`.\n")
    result = "auth/rotation.md: an unresolved conflict (<<<<<<<); both sides are searched and quoted"
    session = tree.session()
    assert result in session.preview("refresh").notices
    assert result in tree.session().preview("refresh").notices, "from the kept index"
    tree.file("auth/rotation.md", marked.replace("<<<<<<< HEAD\n", "").replace(">>>>>>> topic\n", ""))
    session.refresh()
    assert not any("conflict" in notice for notice in session.preview("refresh").notices)


def test_older_answer_is_explained_at_its_own_clock_time(quokkas: Tree) -> None:
    session = quokkas.session()
    trace = session.preview("quokka")
    before = session.explainer.detail(trace, "x/m.md") or session.explainer.detail(trace, "x/n.md")
    later = session.clock() + 40 * 86_400_000
    session.clock = lambda: later
    after = session.explainer.detail(trace, "x/m.md") or session.explainer.detail(trace, "x/n.md")
    assert after == before


def test_signals_lost_in_broken_frontmatter_are_reported(tree: Tree) -> None:
    tree.read_frontmatter()
    tree.file("auth/rotation.md", "---\ntitle: [Refresh\nimportance: 90\n---\n# Refresh rotation\n\nrefresh refresh")
    tree.note("auth/other.md", "Other", "refresh things")
    session = tree.session()
    trace = session.preview("refresh rotation")
    result = "auth/rotation.md: the frontmatter cannot be used, so default signals apply, as for a new note"
    assert result in trace.notices
    assert "fix the frontmatter" in session.explainer.explain("refresh rotation", "auth/rotation.md", "", trace).notice
    assert session.explainer.explain("refresh rotation", "auth/other.md", "", trace).notice == ""
    again = tree.session()  # opens from the stored index
    assert result in again.preview("refresh rotation").notices
    tree.settings("")  # turns off reading signals from frontmatter
    assert "signals.frontmatter" in tree.session().explainer.explain("refresh", "auth/rotation.md").notice


def test_only_runs_fill_the_cache(quokkas: Tree) -> None:
    session = quokkas.session()
    for _ in range(3):
        trace = session.preview("quokka facts")
        assert (trace.mode, trace.section(Route).used, trace.section(CacheLook).entries) == ("preview", True, ())
    run = session.run("quokka facts")
    assert (run.mode, run.section(Route).used) == ("run", True)
    assert session.preview("QUOKKA facts").tier == 0
    assert session.preview("facts quokka").tier == 1
    session.engines.clear_caches()
    assert session.preview("quokka facts").section(Route).used


def test_simulated_cache_is_compared_with_the_typed_query(quokkas: Tree) -> None:
    session = quokkas.session()
    session.run("quokka jumping facts")
    now = session.cache_now("quokka jumping")
    assert [entry.key for entry in now.look.entries] == ["quokka jumping facts"]
    assert now.look.entries[0].similarity == pytest.approx(2 / 3)
    assert now.look.simulated
    assert now.fingerprint.held


def test_queries_from_many_threads_stay_consistent(quokkas: Tree) -> None:
    session = quokkas.session()

    def work(number: int) -> None:
        for turn in range(15):
            session.run(f"turn{number}x{turn} place{number}y{turn}")
            session.preview("wallaby")
            if turn % 5 == 0:
                quokkas.note(f"x/t{number}.md", f"Turn {turn}")
                session.load()

    assert failures_in_threads(work) == []
    assert len(session.cache_now("x").look.entries) == 50


def test_recording_writes_only_to_the_tools_overlay(quokkas: Tree, own_data_folders: Path) -> None:
    before = state_of(quokkas.root, own_data_folders / "engine")
    session = quokkas.session()
    session.recording = True
    session.preview("quokka")
    assert not (own_data_folders / "tool").exists()
    trace = session.run("quokka")
    assert "x/n.md" in paths(trace)
    written = [path for path in (own_data_folders / "tool").rglob("*") if path.is_file()]
    assert [path.name for path in written] == ["overlay.json"]
    recorded = read_state(written[0])
    assert recorded["x/n.md"] == {
        "accessCount": 5,
        "importance": 64,
        "maturity": "draft",
        "recency": 1,
        "updateCount": 0,
    }
    assert state_of(quokkas.root, own_data_folders / "engine") == before
    position = session.snapshot.by_path["x/n.md"]
    assert (session.snapshot.signals[position].importance, session.snapshot.signals[position].source) == (64, "overlay")
    session.engines.clear_caches()
    session.run("quokka")
    assert read_state(written[0])["x/n.md"]["maturity"] == "validated"


def test_cached_answer_records_nothing(quokkas: Tree, own_data_folders: Path) -> None:
    session = quokkas.session()
    session.run("quokka")
    session.recording = True
    assert not session.run("quokka").section(Route).used
    assert not (own_data_folders / "tool").exists()


def test_shared_and_propagated_hits_are_not_recorded(tree: Tree, make_tree: Make, own_data_folders: Path) -> None:
    other = make_tree("other")
    other.note("pay/c.md", "Quokka", "quokka")
    other.file("pay/context.md", "# Pay")
    tree.note("x/n.md", "Quokka", "quokka")
    tree.file("x/context.md", "# Quokka\nquokka")
    tree.source(("lib", other))
    tree.notes(30)
    session = tree.session()
    session.recording = True
    trace = session.run("quokka")
    assert any(hit.shared_source for hit in trace.hits)
    assert {hit.path for hit in trace.hits if hit.origin is Origin.PROPAGATED} >= {"x"}
    overlay = next((own_data_folders / "tool").rglob("overlay.json"))
    recorded = read_state(overlay)
    assert set(recorded) == {"x/n.md", "x/context.md"}
    assert {entry["importance"] for entry in recorded.values()} == {53}


def test_failed_recording_keeps_the_answer(quokkas: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the data folder should be")
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(blocked))
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    assert trace.hits
    assert "cannot be recorded" in trace.notices[-1]


def test_recorded_hit_affects_the_next_ranking(quokkas: Tree) -> None:
    session = quokkas.session()
    session.recording = True
    trace = session.run("quokka")
    file = trace.hits[0].file
    position = session.snapshot.by_path[file]
    assert session.snapshot.signals[position].source == "overlay"


def test_session_provides_board_and_forecast(quokkas: Tree) -> None:
    session = quokkas.session()
    board = session.ageing.board()
    row = board.row(board.snapshot.by_path["x/n.md"])
    assert (row.importance_stored, row.access_count, row.source) == (61, 4, "sidecar")
    assert session.ageing.forecast(70, board).board is board
    assert session.ageing.forecast(70).any_change.all()
    assert session.ageing.curve("x/m.md", 30).importance[0] == pytest.approx(50 * 0.995**5)
    used, updated = session.ageing.after_hits("x/n.md", 2), session.ageing.after_updates("x/m.md", 1)
    assert (used.signals.importance, used.signals.maturity) == (67, "validated")
    assert (updated.signals.importance, updated.days) == (55, 0)
    for ask in (session.ageing.curve, lambda path: session.ageing.after_hits(path, 1)):
        with pytest.raises(KeyError):
            ask("x/gone.md")
    assert board.snapshot is session.snapshot


def test_removed_note_is_still_found_on_an_older_board(tree: Tree) -> None:
    path = tree.note("a/gone.md", "Gone", days=3)
    session = tree.session()
    board = session.ageing.board()
    (tree.tree / path).unlink()
    session.load()
    assert session.ageing.after_hits(path, 1, board).signals.access_count == 1
    assert session.ageing.after_updates(path, 1, board).signals.update_count == 1
    with pytest.raises(KeyError):
        session.ageing.after_hits(path, 1)


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
def test_outlook_counts_equal_the_board(session: Session, days: int) -> None:
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


def test_outlook_sorts_notes_by_their_first_event(session: Session) -> None:
    found = session.ageing.outlook("byterover", 365)
    assert found.until == "2027-11-20"
    firsts = [document.events[0].days for document in found.documents]
    assert firsts == sorted(firsts)
    plain = next(document for document in found.documents if document.path == "a/plain.md")
    assert (plain.events[0].kind, plain.events[0].date) == ("leaves-tier-2", "2026-11-22")
    assert plain.events[0].days == pytest.approx(2.46, abs=0.01)
    assert plain.ceiling > plain.ceiling_then
    assert (plain.title, plain.maturity) == ("Plain", "draft")


def test_another_engine_has_its_own_events(session: Session) -> None:
    found = session.ageing.outlook("soleri", 30, "window-closes")
    assert [document.path for document in found.documents] == ["a/season.md"]
    assert [event.date for event in found.documents[0].events] == ["2026-12-01"]
    assert [(count.by_then, count.in_span) for count in found.counts] == [(1, 1)]


def test_byterover_ceiling_equals_the_ceiling_on_the_board(session: Session) -> None:
    result = session.ageing.in_engine("byterover", "a/plain.md", 30)
    board = session.ageing.board()
    position = board.snapshot.by_path["a/plain.md"]
    assert result.ceiling == pytest.approx(board.today.ceiling[position])
    assert result.ceiling == pytest.approx(result.reach + sum(part.value for part in result.lacks))
    assert result.ceiling_then == board.after(30).ceiling[position]
    assert session.ageing.in_engine("byterover", "nowhere.md") is None


def test_invalid_outlook_is_refused_in_one_line(session: Session) -> None:
    with pytest.raises(EngineError, match=r"has no forecasts, .* engines with forecasts: byterover, soleri"):
        session.ageing.outlook("jeffs_brain", 30)
    with pytest.raises(EngineError, match="ByteRover has no event leaves-tier; did you mean leaves-tier-2"):
        session.ageing.outlook("byterover", 30, "leaves-tier")
