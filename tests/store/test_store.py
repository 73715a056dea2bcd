"""The tool's own folders: atomic writes, cleaning, and stored data."""

from __future__ import annotations

import json
import os
import resource
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui import logbook
from brvtui.disk import writing
from brvtui.loading import EditedFile
from brvtui.loading.revised import UNCHANGED, Difference
from brvtui.logbook import SessionLog
from brvtui.store import crash_report
from brvtui.store.app_state import History, LayoutStore
from brvtui.store.crash_report import Circumstances, report, write_crash_report
from brvtui.store.drafts import DraftStore
from brvtui.store.edit_record import read_record, record_file, write_record
from brvtui.store.feedback import FeedbackFile
from brvtui.store.folders import config_folder, data_folder, tree_cache, tree_folder
from brvtui.store.kept_index import KeptIndex
from brvtui.store.overlay import Overlay
from brvtui.store.state_file import read_state, set_aside, set_aside_if_damaged, write_state
from brvtui.store.tidying import tidy
from brvtui.store.vectors import VectorStore
from brvtui.timing import system_clock
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from tests.support.examples import examples
from tests.support.trees import BRV3, NOW_MS, Tree, stored

BASE = defaults(BRV3.signals)


def test_data_folder_can_be_set_by_a_variable(own_data_folders: Path) -> None:
    assert data_folder() == own_data_folders / "tool"


def test_each_tree_has_its_own_folder(tmp_path: Path) -> None:
    one, two = tmp_path / "a" / ".brv" / "context-tree", tmp_path / "b" / "a" / ".brv" / "context-tree"
    for folder in (one, two):
        folder.mkdir(parents=True)
    assert tree_folder(one) != tree_folder(two)
    assert tree_folder(one).name.startswith("a-")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert tree_folder(tmp_path / "link" / ".brv" / "context-tree") == tree_folder(one)
    assert not tree_folder(one).exists()


def test_history_contains_each_query_once_in_order_of_use(tree: Tree) -> None:
    history = History(tree.tree, 500)
    assert history.read() == []
    assert not history.path.exists()
    for query in ("one", "two é\n", "one", "\udcff"):
        history.add(query)
    assert history.read() == ["two é\n", "one", "\udcff"]
    assert History(tree.tree, 500).read() == history.read()


def test_history_keeps_the_newest_500(tree: Tree) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_text(json.dumps([f"q{number}" for number in range(600)]))
    assert history.add("new")[-2:] == ["q599", "new"]
    assert len(history.read()) == 500


@pytest.mark.parametrize("text", ["", "junk", "{}", "3", "[" * 100, pytest.param("[" * 200_000, id="deep"), "\xff"])
def test_broken_history_counts_as_empty(tree: Tree, text: str) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_bytes(text.encode("latin-1"))
    assert history.read() == []
    assert history.add("new") == ["new"]


def test_history_skips_entries_that_are_not_strings(tree: Tree) -> None:
    history = History(tree.tree, 500)
    history.path.parent.mkdir(parents=True)
    history.path.write_text('["a", 3, null, ["b"], "c"]')
    assert history.read() == ["a", "c"]


def test_overlay_is_read_back(tree: Tree) -> None:
    overlay = Overlay(tree.tree)
    assert overlay.read(BASE) == {}
    overlay.write({"a/n.md": stored(importance=77.5, maturity="core", access_count=3), "caf\udce9.md": stored()})
    found = overlay.read(BASE)
    assert found["a/n.md"] == stored(importance=77.5, maturity="core", access_count=3, source=Source.OVERLAY)
    assert set(found) == {"a/n.md", "caf\udce9.md"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "junk",
        "[]",
        "3",
        '{"a": 3, "b": {"importance": 900}, "c": {"importance": 9}}',
        pytest.param("[" * 200_000, id="deep"),
    ],
)
def test_broken_overlay_counts_as_empty(tree: Tree, text: str) -> None:
    overlay = Overlay(tree.tree)
    overlay.path.parent.mkdir(parents=True)
    overlay.path.write_text(text)
    assert overlay.read(BASE) == {}


def test_failed_overlay_edit_changes_nothing(tree: Tree) -> None:
    overlay = Overlay(tree.tree)
    signals = stored(importance=77, source=Source.OVERLAY)
    overlay.edit(BASE, lambda held: held.update({"a/n.md": signals}))
    assert overlay.read(BASE) == {"a/n.md": signals}

    def refused(held: dict[str, NoteSignals]) -> None:
        held.clear()
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        overlay.edit(BASE, refused)
    assert overlay.read(BASE) == {"a/n.md": signals}


def test_concurrent_overlay_edits_are_all_kept(tree: Tree) -> None:
    overlay = Overlay(tree.tree)

    def record(note: str, held: dict[str, NoteSignals]) -> None:
        held[note] = stored()

    def work(number: int) -> None:
        for turn in range(5):
            overlay.edit(BASE, partial(record, f"a/{number}x{turn}.md"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(overlay.read(BASE)) == 20


def test_layouts_are_read_back_and_empty_ones_leave_no_file(tmp_path: Path) -> None:
    layouts = LayoutStore(tmp_path)
    assert layouts.read() == {}
    layouts.write({"Query": {"hidden": ["tree"], "shares": {}}})
    assert LayoutStore(tmp_path).read() == {"Query": {"hidden": ["tree"], "shares": {}}}
    assert LayoutStore(tmp_path / "other").read() == {}
    layouts.path.write_text("[")
    assert layouts.read() == {}
    layouts.write({})
    layouts.write({})
    assert not layouts.path.exists()


def test_state_is_read_back_with_or_without_a_checksum(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    write_state(file, {"a\udce9": [1, "é"]})
    assert read_state(file) == {"a\udce9": [1, "é"]}
    file.write_text('{"of an earlier version": 1}')
    assert read_state(file) == {"of an earlier version": 1}


@pytest.mark.parametrize("text", ['{"a": 1', "[1]", '{"a": 1}\nsha256:00\n', "[" * 100_000])
def test_damaged_file_is_not_overwritten(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text)
    write_state(file, {"a": 2})
    assert read_state(file) == {"a": 2}
    assert [kept.read_text() for kept in set_aside(tmp_path)] == [text]
    write_state(file, {"a": 3})
    assert len(set_aside(tmp_path)) == 1


def test_state_file_whose_parent_is_a_file_counts_as_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    set_aside_if_damaged(tmp_path / "file" / "a.json")
    with pytest.raises(FileExistsError):
        write_state(tmp_path / "file" / "a.json", {})
    assert set_aside(tmp_path) == []


def test_feedback_below_a_file_counts_as_missing_and_not_as_unreadable(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BRV_TUI_DATA_DIR", str(tmp_path / "file" / "data"))
    feedback = FeedbackFile(tree.tree, "soleri")
    assert (feedback.counts().total(), feedback.said()) == (0, [])


def recorded(tree: Path) -> dict[str, EditedFile]:
    """The files in the record of edits; none if it cannot be read."""
    with suppress(ValueError):
        return dict(read_record(tree, BASE)[0].edits)
    return {}


EARLIER = Difference(
    {"a.md": EditedFile("a.md", "é\n".encode() + b"\xff", 7)}, frozenset(["b.md"]), signals={"a.md": BASE}
)
KINDS: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "overlay.json": (lambda t: Overlay(t).write({"a.md": stored()}), lambda t: Overlay(t).read(BASE)),
    "before-edits.json": (lambda t: write_record(t, EARLIER, system_clock()), recorded),
    "history.json": (lambda t: History(t, 9).add("where?"), lambda t: History(t, 9).read()),
    "layout.json": (lambda t: LayoutStore(t).write({"Query": {}}), lambda t: LayoutStore(t).read()),
    "drafts/*.json": (lambda t: DraftStore(t).keep("a.md", b"text", None, 1), lambda t: DraftStore(t).all()),
}


@pytest.mark.parametrize("name", KINDS)
def test_flipped_bit_is_reported_and_the_damaged_file_kept(tree: Tree, name: str) -> None:
    tree.note("a.md", "A")
    write, read = KINDS[name]
    write(tree.tree)
    (file,) = DraftStore(tree.tree).folder.parent.glob(name)
    whole, known = file.read_bytes(), read(tree.tree)
    empty = type(known)()
    for place in range(0, len(whole) * 8, 5):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        file.write_bytes(changed)
        assert read(tree.tree) == empty, f"bit {place}"
    session = tree.session()
    (kept,) = set_aside(file.parent)
    assert kept.read_bytes() == bytes(changed)
    assert not file.exists()
    result = f"{kept}: damaged, so it was not used; save what you need, then remove it"
    assert session.snapshot.notices == (result,)
    assert session.preview("a").notices[0] == result
    write(tree.tree)
    assert len(read(tree.tree)) == 1
    kept.unlink()
    assert tree.session().snapshot.notices == ()


def test_record_of_edits_is_bounded_and_forgotten_after_a_week(tree: Tree) -> None:
    now_ms, day_ms = system_clock(), 86_400_000
    for at_ms in (now_ms - 1000, now_ms - 6.9 * day_ms):
        write_record(tree.tree, EARLIER, at_ms)
        signals = {"a.md": replace(BASE, source=Source.OVERLAY)}
        assert read_record(tree.tree, BASE) == (replace(EARLIER, signals=signals), at_ms)
    for at_ms in (now_ms - 7.1 * day_ms, now_ms + day_ms):
        write_record(tree.tree, EARLIER, at_ms)
        assert read_record(tree.tree, BASE)[0] == UNCHANGED
    large = Difference({"a.md": EditedFile("a.md", bytes(9_000_000), 7)}, frozenset())
    for difference in (large, UNCHANGED):
        write_record(tree.tree, EARLIER, now_ms)
        write_record(tree.tree, difference, now_ms)
        assert not record_file(tree.tree).exists()
        assert read_record(tree.tree, BASE)[0] == UNCHANGED


@pytest.mark.parametrize("value", [[], {}, {"at_ms": "x", "files": [], "removed": [], "signals": {}},
                                   {"at_ms": 1, "files": [["a"]], "removed": [], "signals": {}},
                                   {"at_ms": 1, "files": [["a", 1, 2]], "removed": [], "signals": {}}])  # fmt: skip
def test_record_of_edits_in_another_format_is_refused(tree: Tree, value: Any) -> None:
    write_state(record_file(tree.tree), value)
    with pytest.raises(ValueError, match=r"."):
        read_record(tree.tree, BASE)


def test_flipped_bit_in_a_log_loses_only_its_line(tree: Tree) -> None:
    log, feedback = SessionLog(tree.tree), FeedbackFile(tree.tree, "byterover")
    for _ in range(2):
        log.add(LoggedQuery(float(NOW_MS), "where?", "brv-tui", "completed"))
        feedback.add(Feedback("where?", "a.md", next(iter(Usefulness)), float(NOW_MS)))
    for file, count in ((log.path, lambda: len(log.read(9))), (feedback.path, lambda: feedback.counts().total())):
        whole = file.read_bytes()
        assert count() == 2
        first = whole.index(b"\n")
        for place in range(0, first * 8, 3):
            changed = bytearray(whole)
            changed[place // 8] ^= 1 << place % 8
            file.write_bytes(changed)
            assert count() == 1, f"bit {place}"


def test_vectors_with_flipped_bits_are_ignored(tree: Tree) -> None:
    import numpy as np

    store = VectorStore(tree.tree, "model")
    store.write({"a": np.ones(3, dtype=np.float32)})
    whole = store.path.read_bytes()
    assert store.read().keys() == {"a"}
    for place in range(0, len(whole) * 8, 7):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        store.path.write_bytes(changed)
        assert store.read() == {}, f"bit {place}"


def test_damaged_files_stop_no_command(tree: Tree) -> None:
    """Damages each file in turn, and then all at once."""
    tree.note("a.md", "Quokka", "all about the quokka")
    for write, _ in KINDS.values():
        write(tree.tree)
    folder = DraftStore(tree.tree).folder.parent
    for file in [*folder.glob("*.json"), *folder.glob("drafts/*.json")]:
        file.write_bytes(b"\xff" + file.read_bytes())
    session = tree.session(now_ms=None)
    session.recording = True
    assert session.run("quokka").hits
    session.history.add("quokka")
    assert session.history.read() == ["quokka"]
    assert session.forget() == 1
    assert LayoutStore(tree.tree).read() == {}
    session.close()


ENTRY = LoggedQuery(
    1.5, "a “query” 😀\n", OURS, "completed", 2, 1.25, 0.9, 3, ("a/b.md",), False, "fp", "auth", "brv-3"
)


def test_log_entries_are_read_newest_first(tree: Tree) -> None:
    log = SessionLog(tree.tree)
    assert log.read(5) == []
    for moment in range(4):
        log.add(replace(ENTRY, at_ms=float(moment)))
    assert [entry.at_ms for entry in log.read(3)] == [3, 2, 1]
    assert log.read(9)[0] == replace(ENTRY, at_ms=3.0)


def test_query_options_are_read_back_from_the_log(tree: Tree) -> None:
    log = SessionLog(tree.tree)
    entry = replace(ENTRY, options={"aliases": {"tea": ["brew"]}, "top_k": 3})
    log.add(entry)
    assert log.read(1) == [entry]


def test_large_log_is_rotated_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    log = SessionLog(tree.tree)
    monkeypatch.setattr(logbook, "LARGEST_BYTES", 600)
    for moment in range(20):
        log.add(replace(ENTRY, at_ms=float(moment)))
    kept = [entry.at_ms for entry in log.read(100)]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == 19
    assert 3 <= len(kept) < 20
    assert len(list(log.path.parent.glob("queries*.jsonl"))) <= 2


@examples(100)
@given(st.binary(max_size=80))
def test_broken_log_lines_are_skipped(tree: Tree, junk: bytes) -> None:
    log = SessionLog(tree.tree)
    log.path.unlink(missing_ok=True)
    log.add(ENTRY)
    with log.path.open("ab") as file:
        file.write(junk + b"\n")
    log.add(replace(ENTRY, at_ms=9.0))
    found = [entry for entry in log.read(9) if entry == ENTRY or entry.at_ms == 9.0]
    assert len(found) == 2


@pytest.mark.parametrize(
    "line",
    ["[]", "{}", '{"query": 1}', '{"at_ms": "x", "query": "q", "who": "", "status": ""}', '{"paths": 3}', "null"],
)
def test_malformed_log_lines_are_skipped(tree: Tree, line: str) -> None:
    log = SessionLog(tree.tree)
    log.add(ENTRY)
    with log.path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert log.read(5) == [ENTRY]


def test_unwritable_log_folder_is_an_error(tree: Tree, own_data_folders: Path) -> None:
    own_data_folders.mkdir(parents=True, exist_ok=True)
    log = SessionLog(tree.tree)
    log.path.parent.parent.mkdir(parents=True, exist_ok=True)
    log.path.parent.write_text("a file where the folder belongs")
    with pytest.raises(OSError, match=r"File exists|Not a directory"):
        log.add(ENTRY)


SECRET = "the launch code is 4711"
HERE = Circumstances("the command query", "query", (120, 36))


def thrown() -> BaseException:
    """An error with a text in its message, its causes, its context, its group and its variables."""
    note = SECRET
    try:
        try:
            try:
                json.loads(note)
            except ValueError as error:
                raise KeyError(note) from error
        except KeyError:
            raise ExceptionGroup(note, [OSError(28, f"No space: {note}", f"/{note}"), RuntimeError(note)])  # noqa: B904
    except ExceptionGroup as error:
        return error


def test_crash_report_names_error_and_position_without_data(own_data_folders: Path) -> None:
    line = write_crash_report(thrown(), HERE)
    assert "\n" not in line
    (file,) = (own_data_folders / "tool/crashes").iterdir()
    assert line.endswith(f"; a report is in {file}")
    text = file.read_text()
    assert SECRET not in text
    assert "4711" not in text
    for part in (
        "brv-tui 0.", "doing the command query", "screen query", "size 120x36", "json.decoder.JSONDecodeError",
        "builtins.KeyError", "builtins.ExceptionGroup", "builtins.OSError, errno 28", "builtins.RuntimeError",
        'File "json/decoder.py"', 'File "tests/store/test_store.py"', "-- which led to:",
        "-- while that was being handled:", "-- one of them:",
    ):  # fmt: skip
        assert part in text, (part, text)
    assert str(Path(__file__).parent.parent.parent) not in text
    assert file.stat().st_mode & 0o077 == 0


def test_only_the_newest_crash_reports_are_kept(own_data_folders: Path) -> None:
    for _ in range(crash_report.KEPT + 3):
        write_crash_report(RuntimeError(), HERE)
    assert len(list((own_data_folders / "tool/crashes").iterdir())) <= crash_report.KEPT


def test_unwritable_crash_report_is_reported(own_data_folders: Path) -> None:
    (own_data_folders / "tool").write_text("a file where the folder should be")
    line = write_crash_report(RuntimeError("it broke"), HERE)
    assert line.startswith("failed: RuntimeError: it broke; no report could be written: ")
    assert "\n" not in line


def test_full_disk_leaves_no_partial_crash_report(own_data_folders: Path) -> None:
    """A file size limit in a child process simulates the full disk."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
        line = write_crash_report(RuntimeError("it broke"), HERE)
        os._exit(0 if "no report could be written" in line and "a file of this size" in line else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list((own_data_folders / "tool/crashes").iterdir()) == []


@pytest.mark.parametrize(
    "error", [RecursionError("deep"), MemoryError(), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x")]
)
def test_crash_report_describes_any_error(error: Exception) -> None:
    assert type(error).__name__ in "\n".join(report(error, Circumstances("x"), "now"))


DEAD = 2**22 + 1


def open_to_others(folder: Path) -> list[str]:
    """Files and folders below ``folder`` that others may read, write or enter."""
    places = [folder, *folder.rglob("*")]
    return [str(place) for place in places if stat.S_IMODE(place.lstat().st_mode) & 0o077]


def test_files_containing_note_text_are_private(tree: Tree, own_data_folders: Path) -> None:
    """This holds for files created under the usual umask and for open files of earlier versions."""
    before = os.umask(0o022)
    try:
        tree.notes(600)
        tree.note("x/n.md", "Quokka", "all about the quokka")
        session = tree.session(now_ms=None)
        session.recording = True
        trace = session.run("quokka")
        session.logbook.add(trace, NOW_MS, 1.0)
        session.history.add("quokka")
        LayoutStore(tree.tree).write({"Query": {}})
        assert session.keep()
        session.close()
        DraftStore(tree.tree).keep("x/n.md", b"text", None, NOW_MS)
        assert open_to_others(own_data_folders / "tool") == []
        own = [tree_folder(tree.tree), tree_cache(tree.tree)]
        assert all(len(list(folder.rglob("*"))) >= 3 for folder in own)
        for folder in own:
            for place in (folder.parent, folder, *folder.rglob("*")):
                place.chmod(0o777 if place.is_dir() else 0o666)
        tree.session().close()
        assert [open_to_others(folder.parent) for folder in own] == [[], []]
        assert KeptIndex(tree.tree).read(BRV3) is not None
    finally:
        os.umask(before)


def test_partial_files_of_killed_processes_are_removed(tree: Tree) -> None:
    folders = (
        tree_folder(tree.tree), tree_folder(tree.tree) / "feedback", tree_folder(tree.tree) / "drafts",
        tree_cache(tree.tree) / "vectors", data_folder(), config_folder(),
    )  # fmt: skip
    left = []
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for process, is_left in ((DEAD, False), (os.getpid(), True)):
            (folder / f".brv-tui-{process}-01234567.part").write_bytes(b"{")
            left += [folder / f".brv-tui-{process}-01234567.part"] if is_left else []
    assert tidy(tree.tree, 0) == ()
    assert sorted(file for folder in folders for file in folder.glob(".brv-tui-*")) == sorted(left)


def test_index_removes_partial_files_of_a_killed_process(tree: Tree) -> None:
    index = KeptIndex(tree.tree)
    index.folder.mkdir(parents=True)
    (index.folder / f".brv-tui-{DEAD}-01234567.part").write_bytes(b"x")
    tree.notes(3)
    assert index.write(tree.snapshot(), BRV3)
    index.close()
    assert sorted(file.name for file in index.folder.iterdir()) == ["kept", "lock"]


def test_complete_draft_in_a_partial_file_is_listed(tree: Tree) -> None:
    drafts = DraftStore(tree.tree)
    drafts.keep("a.md", b"typed", None, NOW_MS)
    (file,) = drafts.folder.iterdir()
    file.rename(drafts.folder / f".brv-tui-{DEAD}-01234567.part")
    writing.write(drafts.folder / "of another.txt", b"")
    tree.note("a.md", "A")
    tree.session()
    assert [draft.data for draft in drafts.all()] == [b"typed"]
