"""Random changes of every kind during queries, and a check of the index whenever changes pause.

``python -m tests.soak.random_changes`` runs for ten minutes (``--seconds``) over a real session that watches, in ten
parts. Another process makes the changes (:mod:`tests.soak.changes`). After each part, the live index must contain the
last change within two seconds, and then equal a fresh index, with the same notes and scores. In the last part, the
program may use at most 10 % more memory than in the second part. Prints what was done and measured; stops with a
message at a fault.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from brvtui.lab.backlinks import LinkReader
from brvtui.loading import load
from brvtui.publishing.publisher import StoredSignals
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import UnknownNote
from brvtui.store.overlay import Overlay
from brvtui.trace import adds_up
from brvtui.tree.engine_files.sidecar import project_data, signals_folder
from brvtui.tree.reading.files import list_files
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import SignalLayers
from tests.docs.pages import ROOT
from tests.support.comparing import same, same_answers, same_around
from tests.support.generated import query

MEMORY_IS_KNOWN = sys.platform == "linux"
_BETWEEN_QUESTIONS_S = 0.02
_LOOK_EVERY_S = 0.1
_PATIENCE_S = 30
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Wrong(AssertionError):
    """A wrong state."""


@dataclass
class Measured:
    """The results of a run."""

    seconds: float = 0.0
    changes: dict[str, int] = field(default_factory=dict)
    """The number of changes of each kind."""
    changing_s: float = 0.0
    questions: Counter[str] = field(default_factory=Counter)
    snapshots: int = 0
    settled_s: list[float] = field(default_factory=list)
    """The time in seconds between the end of the changes in each part and the live index that contains them all."""
    notes: list[int] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    """The resident memory in each part, in MB: the median over its seconds."""

    @property
    def rate(self) -> float:
        """The number of changes per second."""
        return round(sum(self.changes.values()) / max(self.changing_s, 1e-9), 1)

    @property
    def growth(self) -> float:
        """The memory in the last part divided by that in the second."""
        return round(self.memory_mb[-1] / self.memory_mb[1], 3) if len(self.memory_mb) > 1 else 0.0


class Stopping:
    """A thread that runs until the end of a ``with`` block, where its exception is raised."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.problem: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self.stopped.is_set():
                self.step()
        except BaseException as error:
            self.problem = error

    def check(self) -> None:
        """Raises :class:`Wrong` if the thread failed."""
        if self.problem is not None:
            where = "".join(traceback.format_exception(self.problem))
            raise Wrong(f"{type(self).__name__} broke down: {where}")

    def step(self) -> None:
        """Performs the step that the thread repeats."""
        raise NotImplementedError


class Follower(Stopping):
    """Reads what watching noticed, as the app does."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.noticed = threading.Event()
        self._session = session

    def step(self) -> None:
        if self.noticed.wait(0.2):
            self.noticed.clear()
            self._session.refresh()


class Asker(Stopping):
    """Runs queries of every kind, one after another."""

    def __init__(self, session: Session, seed: int, between_s: float = _BETWEEN_QUESTIONS_S) -> None:
        super().__init__()
        self._between_s = between_s
        self.asked: Counter[str] = Counter()
        self._session = session
        self._pick = random.Random(seed)

    def step(self) -> None:
        (what,) = self._pick.choices(("preview", "run", "explain", "about", "board", "around"), (60, 15, 8, 8, 1, 1))
        self.asked[what] += 1
        session, text = self._session, query(self._pick)
        note = self._pick.choice(session.snapshot.notes).path if session.snapshot.notes else "none.md"
        if what == "preview":
            self._preview(text)
        elif what == "run":
            session.run(text)
        elif what == "explain":
            with suppress(UnknownNote):  # the note was removed in the meantime
                session.explainer.explain(text, note)
        elif what == "about":
            session.about(note)
        elif what == "board":
            session.ageing.forecast(30)
        else:
            session.around(note)
        session.cache_now(text)
        self.stopped.wait(self._between_s)

    def _preview(self, text: str) -> None:
        trace = self._session.preview(text)
        for hit in trace.hits:
            if not adds_up(hit):
                raise Wrong(f"{text!r}: the parts of {hit.path} do not add up to {hit.score}")
        with suppress(KeyError):  # its snapshot no longer exists
            self._session.explainer.details(trace, 1)


class Soak:
    """One run in a separate folder."""

    def __init__(self, root: Path, options: argparse.Namespace, *changing: str) -> None:
        """``changing`` are further options of the process that makes the changes."""
        (root / ".brv" / "context-tree").mkdir(parents=True)
        (root / ".brv" / "config.json").write_text("{}")
        (root / ".brv" / "brv-tui.toml").write_text("[signals]\nfrontmatter = true\n")
        self.root = root
        self.measured = Measured()
        self._options = options
        self._pick = random.Random(options.seed)
        given = [f"--{name}={getattr(options, name)}" for name in ("notes", "rate", "seed")]
        self._changing = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.changes", str(root), *given, *changing],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self) -> None:
        """Runs all parts. Raises :class:`Wrong`."""
        began = time.monotonic()
        self._change(0)  # returns as soon as the tree is filled
        session = Session.open(self.root)
        session.load()
        session.recording = True
        reader = LinkReader()
        follower, asker = Follower(session), Asker(session, self._options.seed)
        try:
            session.watch(follower.noticed.set)
            follower.noticed.set()
            with follower, asker:
                for part in range(self._options.parts):
                    memory = self._change(self._options.seconds / self._options.parts)
                    self.measured.memory_mb.append(round(statistics.median(memory), 1))
                    for thread in (follower, asker):
                        thread.check()
                    self._look(session, follower, reader, part)
        finally:
            session.close()
            self._changing.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            self._changing.wait()
        self.measured.seconds = round(time.monotonic() - began, 1)
        self.measured.questions = asker.asked
        self.measured.snapshots = session.snapshot.generation
        if max(self.measured.settled_s) > self._options.within:
            raise Wrong(f"the last changes were seen late: {self.measured.settled_s} s")
        if self.measured.growth > self._options.growth:
            raise Wrong(f"memory grows: {self.measured.memory_mb} MB")

    def _change(self, seconds: float) -> list[float]:
        """Lets changes be made for ``seconds``; returns the resident memory in MB for each second."""
        stdin, stdout = self._changing.stdin, self._changing.stdout
        assert stdout is not None
        began = time.monotonic()
        stdin.write(f"{seconds}\n")
        stdin.flush()
        memory = [resident_mb()]
        while not select.select([stdout], [], [], 1)[0]:
            memory.append(resident_mb())
        answer = stdout.readline()
        if not answer:
            raise Wrong("what makes the changes has ended")
        self.measured.changes = json.loads(answer)
        self.measured.changing_s += time.monotonic() - began if seconds else 0
        return memory

    def _look(self, session: Session, follower: Follower, reader: LinkReader, part: int) -> None:
        """Compares the live index with a fresh one after it has read the last change."""
        session.recording = False
        quiet_since = time.monotonic()
        while not self._has_seen_all(session):
            if time.monotonic() - quiet_since > _PATIENCE_S:
                raise Wrong(f"after part {part + 1} the live index never saw the last changes")
            follower.stopped.wait(_LOOK_EVERY_S)
        self.measured.settled_s.append(round(time.monotonic() - quiet_since, 2))
        live = session.snapshot
        fresh = self._fresh(session, live.loaded_ms)
        self.measured.notes.append(len(fresh.notes))
        try:
            same(live, fresh, self._pick, live.loaded_ms)
            same_around(live, fresh, reader)
            same_answers(live, fresh, session.profile, self._pick, live.loaded_ms)
        except AssertionError as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            raise Wrong(f"after part {part + 1} the live index is not as a fresh one: {where.line}") from error
        session.forget()  # otherwise, signals of removed notes would accumulate
        session.recording = True

    def _has_seen_all(self, session: Session) -> bool:
        """True if the live index equals the files and signals on disk."""
        live = session.snapshot
        layers = self._stored(session).layers
        return live.files == list_files(session.project.tree).files and live.stored.layers == layers

    def _stored(self, session: Session) -> SignalLayers:
        overlay, sidecar = Overlay(session.project.tree), signals_folder(project_data(self.root))
        return StoredSignals(None, overlay, sidecar).layers(session.profile.signals)

    def _fresh(self, session: Session, now_ms: float) -> Snapshot:
        result = load(find_project(self.root), session.profile, now_ms, self._stored(session))
        if result is None:
            raise Wrong("a fresh reading was cancelled")
        return result


def resident_mb() -> float:
    """The memory of this process that is resident, in MB (Linux)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE / 1e6


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of changes")
    parser.add_argument("--parts", type=int, default=10)
    parser.add_argument("--within", type=float, default=2.0, help="seconds, to see the last changes")
    parser.add_argument("--growth", type=float, default=1.1, help="memory in the last part over that in the second")
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=100, help="changes a second")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--in", dest="folder", type=Path)
    options = parser.parse_args(arguments)
    place = Path(tempfile.mkdtemp(dir=options.folder)).resolve()
    os.environ.update(BRV_DATA_DIR=str(place / "engine"), BRV_TUI_DATA_DIR=str(place / "tool"))
    soak = Soak(place / "project", options)
    wrong = ""
    try:
        soak.run()
    except Wrong as error:
        wrong = str(error)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    print(json.dumps({**vars(soak.measured), "rate": soak.measured.rate, "growth": soak.measured.growth}))
    if wrong:
        print(f"WRONG: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
