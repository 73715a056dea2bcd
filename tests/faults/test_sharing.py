"""Two processes at once, the tool's folders removed while it runs, files removed during reading, clocks set back."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brvtui.session import Session
from brvtui.store.kept_index import KeptIndex
from brvtui.store.overlay import Overlay
from brvtui.tree.reading.signals import defaults
from tests.docs.pages import ROOT
from tests.faults.test_storms import IN_FULL
from tests.support.following import following
from tests.support.trees import BRV3, DAY_MS, NOW_MS, Tree, paths
from tests.test_loading import same

pytestmark = pytest.mark.long
_RECORD = """
import sys
from pathlib import Path
from brvtui.session import Session
session = Session.open(Path(sys.argv[1]))
session.recording = True
session.load()
for turn in range(int(sys.argv[2])):
    session.engines.clear_caches()
    session.run("quokka")
    if turn < 8:
        session.history.add(f"{sys.argv[3]} {turn}")
"""
_TURNS = 200 if IN_FULL else 8


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=100)
    assert (process.returncode, err) == (0, "")
    return out


def test_concurrent_processes_store_all_hits_and_queries(tree: Tree) -> None:
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.notes(5)
    both = [started("-c", _RECORD, str(tree.root), str(_TURNS), name) for name in ("one", "other")]
    for process in both:
        ended(process)
    recorded = Overlay(tree.tree).read(defaults(BRV3.signals))
    assert recorded["x/n.md"].access_count == 2 * _TURNS
    asked = Session.open(tree.root).history.read()
    assert sorted(asked) == sorted(f"{name} {turn}" for name in ("one", "other") for turn in range(8))


def test_concurrent_processes_open_a_large_tree(tree: Tree) -> None:
    """One of two processes stores the index. Both give the same answer, as does a third, which reads the index."""
    tree.notes(700)
    tree.note("x/n.md", "Quokka", "all about the quokka")
    query = ("-m", "brvtui", "query", "quokka", "--format", "json", "--project", str(tree.root), "--now")
    both = [started(*query, "2026-11-20T12:00:00Z") for _ in range(2)]
    answers = [json.loads(ended(process))["trace"] for process in both]
    assert KeptIndex(tree.tree).read(BRV3) is not None
    answers.append(json.loads(ended(started(*query, "2026-11-20T12:00:00Z")))["trace"])
    for answer in answers:
        del answer["timings"]
    assert answers[0] == answers[1] == answers[2]


def test_writer_does_not_disturb_readers_of_the_index(tree: Tree) -> None:
    """A writer replaces the index while another process reads it; the reader never finds it damaged."""
    tree.notes(30)
    snapshot = tree.snapshot()
    stop = threading.Event()
    index = KeptIndex(tree.tree)
    assert index.write(snapshot, BRV3)

    def write() -> None:
        while not stop.is_set():
            index.write(snapshot, BRV3)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(500 if IN_FULL else 25):
            known = KeptIndex(tree.tree).read(BRV3)
            assert known.parsed.keys() == snapshot.parsed.keys()
            KeptIndex(tree.tree).info()
    finally:
        stop.set()
        writer.join()
        index.close()


def test_open_sessions_survive_removal_of_the_cache_folder(tree: Tree, own_data_folders: Path) -> None:
    tree.notes(600)
    tree.note("x/n.md", "Quokka", "all about the quokka")
    session = tree.session(now_ms=None)
    assert session.keep()
    reopened = tree.session(now_ms=None)  # reads the stored index
    shutil.rmtree(own_data_folders / "tool")
    assert paths(reopened.run("quokka")) == ["x/n.md", *paths(reopened.run("quokka"))[1:]]
    tree.note("x/m.md", "Wallaby", "all about the wallaby")
    assert session.refresh()
    assert session.keep(everything=True)
    assert not reopened.keep(everything=True), "the first writes, the other follows"
    session.close()
    reopened.close()
    again = tree.session(now_ms=None)
    assert KeptIndex(tree.tree).read(BRV3) is not None
    same(again.snapshot, tree.session(now_ms=again.snapshot.loaded_ms).snapshot, random.Random(3), NOW_MS)
    assert paths(again.preview("wallaby"))[0] == "x/m.md"
    again.history.add("quokka")
    again.close()


def test_loading_survives_files_removed_meanwhile(tree: Tree) -> None:
    """Tests a full load and an update while another thread removes and creates notes."""
    count = 4_000 if IN_FULL else 300
    tree.notes(count)
    tree.note("x/n.md", "Quokka", "all about the quokka")
    stop = threading.Event()

    def remove() -> None:
        for number in range(count):
            (tree.tree / f"pad/p{number:03d}.md").unlink()
            if number % 3 == 0:
                tree.note(f"new/{number}/n.md", "New", "made meanwhile")
        shutil.rmtree(tree.tree / "pad")
        stop.set()

    remover = threading.Thread(target=remove)
    session = Session.open(tree.root, now_ms=NOW_MS)
    remover.start()
    loads = 0
    while not stop.is_set():
        session.load()
        loads += 1
        assert session.preview("quokka").hits
    remover.join()
    session.load()
    assert loads
    same(session.snapshot, tree.session().snapshot, random.Random(4))


@pytest.mark.parametrize("back", [1.0, DAY_MS * 400.0, NOW_MS + 1.0])
def test_queries_survive_a_clock_set_back(tree: Tree, back: float) -> None:
    """The clock goes back by a millisecond, by a year, and to before 1970, so notes have future dates."""
    tree.note("x/n.md", "Quokka", "all about the quokka")
    tree.note("x/m.md", "Wallaby", "all about the wallaby", days=3)
    tree.notes(12)
    now = [float(NOW_MS)]
    session = Session.open(tree.root)
    session.clock = lambda: now[0]
    session.load()
    before = session.run("quokka")
    assert before.hits
    with following(session) as followed:
        now[0] -= back
        trace = session.run("quokka")
        assert trace.hits
        assert all(0 <= part.value <= 1 or part.value < 0 for hit in trace.hits for part in hit.parts)
        assert all(entry.age_s <= 0 for entry in session.cache_now("quokka").look.entries)
        tree.note("x/late.md", "Late")
        assert followed.until(lambda: followed.has("x/late.md"))
        os.utime(tree.tree / "x/m.md")
        assert session.ageing.board().row(session.snapshot.by_path["x/n.md"]).importance >= 0
        fresh = tree.session(now_ms=now[0])
        assert paths(session.preview("wallaby")) == paths(fresh.preview("wallaby"))
