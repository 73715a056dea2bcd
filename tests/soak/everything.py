"""Everything at once on one tree: changes, killed savers, a foreign writer, two apps, a full disk, a clock set back.

``python -m tests.soak.everything`` runs for an hour (``--seconds``). It needs Linux, tmux and libfaketime; the disk is
a small one in memory, in a separate mount namespace. Another process makes 20 changes a second. After each part, the
live index must equal a fresh one, and both apps must show the scores of a fresh process. At the end, every acknowledged
text must be in its note, and every foreign line must be there too, or in a listed file or draft. There must be no
crash reports. Prints a line for each part, and what was done; on a fault, prints a message and returns exit code 1.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from brvtui.lab.backlinks import LinkReader
from brvtui.session import Session
from brvtui.store.drafts import DraftStore
from tests.docs.pages import ROOT
from tests.soak.disturbing import Appender, AppUser, ClockMover, SaverKeeper, Turns
from tests.soak.random_changes import Asker, Follower, Soak, Wrong, resident_mb
from tests.soak.terminals import HAS_TERMINALS, Late, end_all
from tests.support.namespaces import CANNOT, Refused, fill, mount_small

_CLOCKS = (
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
)
_WITH_CLOCK = "SOAK_CLOCK"
_DISK = "160m"
_FULL_S = 8.0
_SHORTEST_S = 20.0
_BETWEEN_QUESTIONS_S = 0.3
_SHARED = [f"saved/shared_{number}.md" for number in range(4)]
_QUERIES = ("refresh token", "zyxone zyxtwo", "harbor lantern meadow")
_CATCHES_UP_S = 120.0
_CLOSE = 0.011
"""The tolerance for scores, which are shown with two decimals and change slightly between two readings."""


class Everything(Soak):
    """One run in a separate folder."""

    def __init__(self, root: Path, options: argparse.Namespace, clock: Path | None) -> None:
        super().__init__(root, options, "--keeps-tree")
        self.tree = root / ".brv" / "context-tree"
        for path in _SHARED:
            self._note(path, f"# {path}\n")
        for name in ("one", "two"):
            self._note(f"desk/{name}.md", f"# Desk {name}\n\nzyx{name} stands here\n")
        env = {name: value for name, value in os.environ.items() if name != "TMUX"}
        self.socket = f"soak-{os.getpid()}"
        self.savers = SaverKeeper(root, _SHARED, 2, env, options.seed)
        self.appender = Appender(self.tree, _SHARED, options.seed)
        self.clock = ClockMover(clock) if clock else None
        self._env = env
        self.users: list[AppUser] = []
        self.full = 0

    def _note(self, path: str, text: str) -> None:
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run(self) -> None:
        """Runs all parts. Raises :class:`Wrong`."""
        began = time.monotonic()
        self._change(0)  # returns as soon as the tree is filled
        session = Session.open(self.root)
        session.load()
        reader = LinkReader()
        follower, asker = Follower(session), Asker(session, self._options.seed, _BETWEEN_QUESTIONS_S)
        names = (("one", False), ("two", True))
        try:
            session.watch(follower.noticed.set)
            follower.noticed.set()
            self.users = [
                AppUser(self.socket, name, self.root, self._env, killed, self._options.seed) for name, killed in names
            ]
            turns: list[Turns] = [self.savers, self.appender, *self.users]
            turns += [self.clock] if self.clock else []
            with ExitStack() as running:
                for thread in (follower, asker, *turns):
                    running.enter_context(thread)
                for part in itertools.count():
                    left = self._options.seconds - (time.monotonic() - began)
                    if part and left < _SHORTEST_S:
                        break
                    memory = self._change(max(min(self._options.part, left) - _FULL_S, _FULL_S))
                    self._fill_the_disk()
                    self.measured.memory_mb.append(round(sorted(memory)[len(memory) // 2], 1))
                    for thread in (follower, asker, *turns):
                        thread.check()
                    with _resting(turns):
                        for thread in turns:
                            thread.check()
                        self.savers.rest()
                        self._look(session, follower, reader, part)
                        self._compare_apps()
                    self._print(part, time.monotonic() - began, asker)
                with _resting(turns):
                    self.savers.rest()
        finally:
            self.savers.rest()
            end_all(self.socket)
            session.close()
            self._changing.stdin.close()  # type: ignore[union-attr]  # it is a pipe
            self._changing.wait()
        self.measured.seconds = round(time.monotonic() - began, 1)
        self.measured.questions = asker.asked
        self.measured.snapshots = session.snapshot.generation
        if self.measured.growth > self._options.growth:
            raise Wrong(f"memory grows: {self.measured.memory_mb} MB")

    def _fill_the_disk(self) -> None:
        """Fills the disk temporarily, so that only overwriting is possible."""
        for user in self.users:
            user.disk_is_full.set()
        filling = fill(self.root.parent)
        time.sleep(_FULL_S)
        filling.unlink()
        self.full += 1
        for user in self.users:
            user.disk_is_full.clear()

    def _compare_apps(self) -> None:
        """Checks that both apps, once they have caught up, show the answers of a fresh process."""
        for words in _QUERIES:
            fresh = self._fresh_scores(words)
            for user in self.users:
                began = time.monotonic()
                while not _are_same(shown := user.shown_scores(words), fresh):
                    if time.monotonic() - began > _CATCHES_UP_S:
                        screen = user.terminal.screen()
                        raise Wrong(f"{user.name} shows {shown} for {words!r}, a fresh process {fresh}:\n{screen}")
                    fresh = self._fresh_scores(words)
                user.caught_up_s = max(user.caught_up_s, round(time.monotonic() - began, 1))

    def _fresh_scores(self, words: str) -> list[float]:
        command = [sys.executable, "-m", "brvtui", "query", words, "--format", "json", "--project", str(self.root)]
        done = subprocess.run(command, cwd=ROOT, env=self._env, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise Wrong(f"a fresh process ended with {done.returncode}: {done.stderr}")
        return [hit["score"] for hit in json.loads(done.stdout)["trace"]["hits"]]

    def _print(self, part: int, seconds: float, asker: Asker) -> None:
        apps = ", ".join(f"{user.name} {user.terminal.resident_mb:.0f} MB {dict(user.counts)}" for user in self.users)
        changes = sum(self.measured.changes.values())
        print(
            f"part {part + 1}, {seconds:.0f} s: {changes} changes, {asker.asked.total()} questions,"
            f" {dict(self.savers.counts)}, {len(self.appender.written)} foreign lines, live index {resident_mb():.0f}"
            f" MB; {apps}; clock moved {self.clock.moves if self.clock else 0} times, disk full {self.full} times",
            flush=True,
        )

    def nothing_is_lost(self) -> None:
        """Raises :class:`Wrong` for a text that is in no note, draft or listed file."""
        session = Session.open(self.root)
        session.load()
        drafts = {draft.path: draft.data.decode("utf-8", "replace") for draft in DraftStore(self.tree).all()}
        listed = [path for path in self.savers.kept if (self.tree / path).exists()]
        kept = "".join((self.tree / path).read_text(errors="replace") for path in listed) + "".join(drafts.values())
        texts = {path: (self.tree / path).read_text() for path in _SHARED}
        held = {token for text in texts.values() for token in text.split()}
        elsewhere = set(kept.split())
        lost = [token for token in self.savers.saved if token not in held]
        lost += [token for token in self.appender.written if token not in held | elsewhere]
        for user in self.users:
            text = (self.tree / user.path).read_text()
            lost += [token for token in user.tokens if token not in text]
        if lost:
            raise Wrong(f"{len(lost)} texts are lost: {lost[:20]}; drafts {sorted(drafts)}, kept {listed}")
        if self.savers.broken:
            raise Wrong(f"a saver broke down: {self.savers.broken[0]}")
        crashes = sorted((Path(os.environ["BRV_TUI_DATA_DIR"]) / "crashes").glob("*"))
        if crashes:
            raise Wrong(f"{len(crashes)} reports of crashes: {crashes[0].read_text()}")
        session.close()


def _are_same(shown: list[float], fresh: list[float]) -> bool:
    """Returns whether the app shows these scores, or the first of them if there is no room for all."""
    pairs = list(zip(shown, fresh, strict=False))
    return bool(pairs) == bool(fresh) and all(abs(one - other) <= _CLOSE for one, other in pairs)


@contextmanager
def _resting(turns: list[Turns]) -> Iterator[None]:
    """Pauses ``turns`` in the block."""
    with ExitStack() as held:
        for one in turns:
            held.enter_context(one.turn)
        yield


def _again_with_clock(arguments: list[str], clock: Path, library: str) -> int:
    """Runs this program again, in a separate mount namespace and with a clock that can be set back."""
    env = {
        **os.environ, "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", _WITH_CLOCK: str(clock),
        "PYTHONPATH": str(Path(__file__).parent / "clock"),
    }  # fmt: skip
    clock.write_text("+0\n")
    command = [sys.executable, "-m", "tests.support.namespaces", "tests.soak.everything", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, check=False).returncode


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--part", type=float, default=300, help="seconds between two looks")
    parser.add_argument("--within", type=float, default=30.0, help="seconds, to see the last changes")
    parser.add_argument("--growth", type=float, default=1.25, help="memory in the last part over that in the second")
    parser.add_argument("--notes", type=int, default=600)
    parser.add_argument("--rate", type=float, default=20, help="changes a second")
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args(arguments)
    library = next((path for path in _CLOCKS if Path(path).exists()), "")
    if not HAS_TERMINALS or not library:
        print("needs tmux and libfaketime")
        return CANNOT
    if _WITH_CLOCK not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            return _again_with_clock(arguments, Path(folder) / "clock", library)
    place = Path(tempfile.mkdtemp()).resolve()
    mount_small(place, _DISK)
    os.environ.update(BRV_DATA_DIR=str(place / "engine"), BRV_TUI_DATA_DIR=str(place / "tool"))
    soak = Everything(place / "project", options, Path(os.environ[_WITH_CLOCK]))
    wrong = ""
    try:
        for check in (soak.run, soak.nothing_is_lost):
            try:
                check()
            except (Wrong, Late, OSError) as error:
                wrong += f"{error}\n"
    finally:
        end_all(soak.socket)
        shutil.rmtree(place, ignore_errors=True)
    messages = {**vars(soak.measured), "rate": soak.measured.rate, "growth": soak.measured.growth}
    messages |= {
        "savers": dict(soak.savers.counts),
        "acknowledged": len(soak.savers.saved),
        "kept": len(soak.savers.kept),
    }
    messages |= {
        "foreign": len(soak.appender.written),
        "full": soak.full,
        "clock": soak.clock.moves if soak.clock else 0,
    }
    messages |= {
        user.name: {**user.counts, "slowest s": user.slowest_s, "caught up s": user.caught_up_s} for user in soak.users
    }
    print(json.dumps(messages))
    if wrong:
        print(f"WRONG: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refused:
        print(refused)
        sys.exit(CANNOT)
