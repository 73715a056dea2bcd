"""Disturbances during a soak: killed savers, a foreign writer, a clock that jumps, apps."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.docs.pages import ROOT
from tests.soak.random_changes import Stopping, Wrong
from tests.soak.terminals import Late, Terminal

Env = Mapping[str, str]
Shown = Callable[[str], object]
_APPEND_S = 0.4
_LIVES_S = (4.0, 30.0)
_CLOCK_S = 20.0
_JUMPS = ("+0", "-3600s", "+0", "-1d", "+0", "+2d", "-400d", "-30s", "+0", "+3600s")
"""The steps of the clock, several of which go back."""
_SCORE = re.compile(r"[│┃▌ ] \d [○◐●▤▱] [^│┃]*?(\d\.\d+|\d) [█▉▊▋▌▍▎▏]")
"""The score in a row of the results."""
_DRAFTED_S = 4.0
_ANSWERS_S = 300.0
_AGAIN_S = 20.0
_SCREENS = {"2": " About ", "3": " TODAY ", "4": " Then and now ", "1": " Query · "}
"""A text that only one screen shows, keyed by the screen's key."""


class Turns(Stopping):
    """A thread that takes turns and can be paused between two turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = threading.Lock()

    def step(self) -> None:
        with self.turn:
            pause = self.take_turn()
        self.stopped.wait(pause)

    def take_turn(self) -> float:
        """Takes a turn; returns the number of seconds until the next one."""
        raise NotImplementedError


class SaverKeeper(Turns):
    """Processes that save the same notes, with their output. Each is killed after some seconds and restarted."""

    def __init__(self, root: Path, paths: Sequence[str], count: int, env: Env, seed: int) -> None:
        super().__init__()
        self.saved: dict[str, str] = {}
        """The path of the note of each acknowledged text."""
        self.kept: list[str] = []
        """Files with other writers' texts that were named in messages of a save."""
        self.counts: Counter[str] = Counter()
        self.broken: list[str] = []
        self._command = [sys.executable, "-m", "tests.soak.saver", str(root)]
        self._paths, self._env, self._pick = paths, env, random.Random(seed)
        self._numbers = itertools.count()
        self._running: list[tuple[subprocess.Popen[str], float]] = []
        self._count = count
        self._readers: list[threading.Thread] = []

    def take_turn(self) -> float:
        now = time.monotonic()
        for process, end in list(self._running):
            if now > end or process.poll() is not None:
                self._end(process)
        while len(self._running) < self._count:
            self._start(now + self._pick.uniform(*_LIVES_S))
        return 0.1

    def rest(self) -> None:
        """Stops every saver."""
        for process, _ in list(self._running):
            self._end(process)
        for reader in self._readers:
            reader.join()
        self._readers.clear()

    def _start(self, end: float) -> None:
        process = subprocess.Popen(
            [*self._command, f"{next(self._numbers)}", *self._paths],
            cwd=ROOT, env=self._env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._running.append((process, end))
        reader = threading.Thread(target=self._listen, args=(process,), daemon=True)
        reader.start()
        self._readers.append(reader)

    def _end(self, process: subprocess.Popen[str]) -> None:
        self._running = [(other, end) for other, end in self._running if other is not process]
        self.counts["kills" if process.poll() is None else "ended by itself"] += 1
        process.kill()
        process.wait()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                continue  # the process was killed while writing this line
            (kind,) = {"saved", "conflict", "failed"} & told.keys()
            self.counts[kind] += 1
            if told.get("kept"):
                self.kept.append(f"{Path(told['path']).parent}/{Path(told['kept']).name}")
            if kind == "saved":
                self.saved[told["saved"]] = told["path"]
        if "Traceback" in (message := process.stderr.read()):
            self.broken.append(message)


class Appender(Turns):
    """Another program, which appends lines to the notes that the savers edit."""

    def __init__(self, tree: Path, paths: Sequence[str], seed: int) -> None:
        super().__init__()
        self.written: dict[str, str] = {}
        self._tree, self._paths, self._pick = tree, paths, random.Random(seed)
        self._numbers = itertools.count()

    def take_turn(self) -> float:
        path, token = self._pick.choice(self._paths), f"foreign-{next(self._numbers)}"
        try:
            with (self._tree / path).open("ab", buffering=0) as file:
                whole = file.write(f"{token}\n".encode()) == len(token) + 1
        except OSError:
            whole = False  # the disk is full
        if whole:
            self.written[token] = path
        return self._pick.uniform(0, 2 * _APPEND_S)


class ClockMover(Turns):
    """Moves the clock of every process forward and back, through the file that libfaketime reads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.moves = 0
        self._file = file
        self._jumps = itertools.cycle(_JUMPS)

    def take_turn(self) -> float:
        self._file.write_text(f"{next(self._jumps)}\n")
        self.moves += 1
        return _CLOCK_S


class AppUser(Turns):
    """A user who edits a note of their own in an app and switches screens. The app is killed from time to time.

    Sometimes a foreign program adds a line to that note while the app has unsaved text.
    """

    def __init__(self, socket: str, name: str, root: Path, env: Env, is_killed: bool, seed: int) -> None:
        super().__init__()
        self.name, self.path, self.word = name, f"desk/{name}.md", f"zyx{name}"
        self.tokens: list[str] = []
        """Texts that the app saved, or that came from a draft after the app was killed."""
        self.counts: Counter[str] = Counter()
        self.slowest_s: dict[str, float] = {}
        self.caught_up_s = 0.0
        """The longest time in seconds until the app showed the answer of a fresh process, after the last change."""
        self._socket, self._root, self._env, self._is_killed = socket, root, env, is_killed
        self._note = root / ".brv" / "context-tree" / self.path
        self._pick = random.Random(f"{name} {seed}")
        self._numbers = itertools.count()
        self.disk_is_full = threading.Event()
        self.terminal = self._opened()

    def _opened(self) -> Terminal:
        command = [sys.executable, "-m", "brvtui", str(self._root)]
        terminal = Terminal(self._socket, self.name, command, self._env, ROOT)
        self._timed("open", terminal.until(lambda screen: " notes " in screen, "the first screen"))
        return terminal

    def _timed(self, what: str, seconds: float) -> None:
        self.slowest_s[what] = max(self.slowest_s.get(what, 0), round(seconds, 1))

    def take_turn(self) -> float:
        if not self.terminal.is_running:
            raise Wrong(f"the app {self.name} has ended:\n{self.terminal.screen()}")
        what = self._pick.random()
        if what < 0.25:
            self._screens()
        elif self.disk_is_full.is_set():
            return 0.5
        elif what < 0.45 and self._is_killed:
            self._edit(loses=True)
        else:
            self._edit(disturbed=what > 0.8)
        return self._pick.uniform(0, 3)

    def ask(self, words: str) -> None:
        """Types ``words`` into the query field."""
        self.terminal.keys("Escape", "Escape")
        self._pressed("1", "the Query screen", lambda screen: _SCREENS["1"] in screen)
        self._pressed("i", "the query's field", lambda screen: "Enter run" in screen.rstrip().split("\n")[-1])
        self.terminal.keys("C-e", "C-u")
        self.terminal.type(words)
        self._until("the query", lambda screen: f"› {words} " in screen)

    def _until(self, what: str, shown: Shown) -> None:
        self._timed(what, self.terminal.until(shown, what, _ANSWERS_S))

    def _pressed(self, key: str, what: str, shown: Shown) -> None:
        """Presses ``key`` until ``shown`` is true, because a terminal may combine it with an Escape before it."""
        began = time.monotonic()
        while True:
            self.terminal.keys(key)
            try:
                self.terminal.until(shown, what, _AGAIN_S)
                break
            except Late:
                self.counts["keys again"] += 1
                if time.monotonic() - began > _ANSWERS_S:
                    raise
        self._timed(what, time.monotonic() - began)

    def _leave_the_field(self) -> None:
        self._pressed("Escape", "the results", lambda screen: "i query" in screen.rstrip().split("\n")[-1])

    def _screens(self) -> None:
        """Checks that each screen appears when its key is pressed."""
        self.terminal.keys("Escape", "Escape")
        for key, shown in _SCREENS.items():
            self._pressed(key, f"screen {key}", lambda screen, shown=shown: shown in screen)
        self.counts["screens"] += 4

    def _edit(self, loses: bool = False, disturbed: bool = False) -> None:
        token = f"app-{self.name}-{next(self._numbers)}"
        self.ask(self.word)
        self._until("the result", lambda screen: self.path in screen)
        self._leave_the_field()
        self._pressed("e", "the editor", lambda screen: "switch to old time" in screen or "CHANGED" in screen)
        self.terminal.keys("C-Home")
        self.terminal.type(f"{token} ")
        self._until("the typed text", lambda screen: token in screen)
        if loses:
            time.sleep(_DRAFTED_S)
            self._lose(token)
            return
        if disturbed:
            with self._note.open("ab", buffering=0) as file:
                file.write(b"foreign-line\n")
            self._until("the warning", lambda screen: "CHANGED ON DISK" in screen)
        self.terminal.keys("C-s")
        if disturbed:
            self._until("the conflict", lambda screen: "keep mine" in screen)
            self.terminal.keys("e")
            self._until("the merged text", lambda screen: "keep mine" not in screen)
            self.terminal.keys("C-s")
            self.counts["conflicts"] += 1
        self._saved(token)
        self._pressed("Escape", "the screen before", lambda screen: "switch to old time" not in screen)

    def _saved(self, token: str) -> None:
        """Waits until ``token`` is in the note; saves again if the full disk refused a save."""
        began = asked = time.monotonic()
        while token.encode() not in self._note.read_bytes():
            if time.monotonic() - began > _ANSWERS_S:
                raise Wrong(f"{token} was not saved:\n{self.terminal.screen()}")
            if time.monotonic() - asked > _AGAIN_S:
                asked = time.monotonic()
                self.counts["saves again"] += 1
                self.terminal.keys("C-s")
            time.sleep(0.1)
        self._until("the saved text", lambda screen: " unsaved " not in screen)
        self.tokens.append(token)
        self.counts["saves"] += 1

    def _lose(self, token: str) -> None:
        """Kills the app while ``token`` is unsaved; the next app offers the text, and saves it."""
        self.terminal.kill()
        self.counts["kills"] += 1
        self.terminal = self._opened()
        self.ask(self.word)
        self._until("the result", lambda screen: self.path in screen)
        self._leave_the_field()
        self._pressed("e", "the draft", lambda screen: "draft" in screen and token in screen)
        self.terminal.keys("t")
        self._until("the text of the draft", lambda screen: "unsaved" in screen and token in screen)
        self.terminal.keys("C-s")
        self._saved(token)
        self._pressed("Escape", "the screen before", lambda screen: "switch to old time" not in screen)
        self.counts["drafts"] += 1

    def shown_scores(self, words: str) -> list[float]:
        """The scores that the app shows for the results of ``words``."""
        self.ask(words)
        time.sleep(2)
        self.terminal.keys("Escape")
        return [float(score) for score in _SCORE.findall(self.terminal.screen())]
