"""A separate process for one target, with hard limits on processor time and memory.

``python -m tests.fuzz.isolation TARGET FOLDER`` is that process: it sends the target's seeds, then reads inputs and
sends the outcome of each.
"""

from __future__ import annotations

import gc
import json
import os
import re
import resource
import select
import struct
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from tests.docs.pages import ROOT

CPU_SECONDS = 2.0
MEMORY_MB = 256.0
_HANGS_SECONDS = 60.0
"""The time in seconds after which a process is considered hung, however busy the machine is."""
_STARTING_SECONDS = 120.0
_CEILING_BYTES = 1 << 30
"""The memory that a process may add after its first input, to protect the machine."""
_COLLECT_EVERY = 64
_PACKAGE = f"{os.sep}brvtui{os.sep}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one input."""

    kind: str
    """The target's description of the outcome, such as the form of a message. Inputs with a new one are kept."""
    problem: str = ""
    """The fault without details that depend on the input; empty if there is none."""
    report: str = ""
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0


class Isolated:
    """A target in a separate process, which is restarted when it ends."""

    def __init__(self, target: str, folder: Path) -> None:
        """``folder`` is used only by the target. The process is started by :meth:`start`."""
        self.target = target
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    def start(self) -> list[bytes]:
        """Starts the process and returns the target's seeds. Raises RuntimeError when it does not start."""
        self.stop()
        self._starts += 1
        folder = self._folder / f"{self.target}-{self._starts}"
        folder.mkdir(parents=True)
        own = {name: str(folder / "own") for name in ("HOME", "BRV_TUI_DATA_DIR", "BRV_DATA_DIR")}
        clean = {name: value for name, value in os.environ.items() if not name.startswith("BRV_TUI_")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.isolation", self.target, str(folder)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**clean, **own},
        )  # fmt: skip
        count = self._read(time.monotonic() + _STARTING_SECONDS)
        if count is None:
            raise RuntimeError(f"the process of {self.target} did not start")
        return [self._read(time.monotonic() + _STARTING_SECONDS) or b"" for _ in range(int(count))]

    def run(self, data: bytes) -> Outcome:
        """Returns the result for ``data``. A process that breaks its limits or crashes is restarted."""
        if self._process is None:
            self.start()
        process = self._process
        assert process.stdin is not None
        before = _cpu_seconds(process.pid)
        end = time.monotonic() + _HANGS_SECONDS
        try:
            _send(process.stdin, data)
        except BrokenPipeError:
            return self._broken_down()
        while (answer := self._read(min(end, time.monotonic() + 0.25))) is None:
            if process.poll() is not None:
                return self._broken_down()
            if _cpu_seconds(process.pid) - before > 2 * CPU_SECONDS or time.monotonic() > end:
                stack = f"ended after {_cpu_seconds(process.pid) - before:.1f} s of processor time"
                self.stop()
                return Outcome("slow", "slow", stack, 2 * CPU_SECONDS)
        if not answer:
            return self._broken_down()
        return Outcome(**json.loads(answer))

    def _broken_down(self) -> Outcome:
        code = self._process.wait()
        self.stop()
        return Outcome("ended", f"the process ended with {code}")

    def stop(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _read(self, end: float) -> bytes | None:
        """The next message; None if it does not begin before ``end``; empty if no more messages will follow."""
        stream = self._process.stdout
        assert stream is not None
        if not select.select([stream], [], [], max(end - time.monotonic(), 0))[0]:
            return None
        return _receive(stream) or b""


def _send(stream: BinaryIO, data: bytes) -> None:
    stream.write(struct.pack(">I", len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> bytes | None:
    head = os.read(stream.fileno(), 4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    pieces: list[bytes] = []
    while size:
        piece = os.read(stream.fileno(), size)
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _cpu_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _status_mb(name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+)", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def _key(error: BaseException) -> str:
    """The type of ``error``, and the last place in the package in its traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _PACKAGE in frame.filename]
    place = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    said = f" {error}" if type(error).__name__ == "Wrong" else ""
    return f"{type(error).__name__} in {Path(place.filename).name}:{place.name}{said}"


def _measured(run: Callable[[bytes], str], data: bytes) -> Outcome:
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak memory
    held, began = _status_mb("VmRSS"), _used_seconds()
    kind, problem, report = "", "", ""
    try:
        kind = run(data)
    except Exception as error:
        problem, report = _key(error), "".join(traceback.format_exception(error))[-6_000:]
    cpu, memory = _used_seconds() - began, _status_mb("VmHWM") - held
    if not problem and cpu > CPU_SECONDS:
        problem, report = "slow", f"{cpu:.1f} s of processor time"
    if not problem and memory > MEMORY_MB:
        problem, report = "memory", f"{memory:.0f} MB"
    return Outcome(kind[:300], problem[:300], report, round(cpu, 3), round(memory, 1))


def _used_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _main(name: str, folder: Path) -> None:
    """Answers each input until there are no more."""
    asked, answers = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    target = import_module("tests.fuzz.targets").open_target(name, folder)
    seeds = target.seeds()
    for seed in seeds:
        target.run(seed)  # a first run, which imports modules and fills caches
    gc.collect()
    gc.freeze()
    ceiling = int(_status_mb("VmSize") * 1e6) + _CEILING_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))
    _send(answers, str(len(seeds)).encode())
    for seed in seeds:
        _send(answers, seed)
    number = 0
    while (data := _receive(asked)) is not None:
        number += 1
        if number % _COLLECT_EVERY == 0:
            gc.collect()
        outcome = _measured(target.run, data)
        _send(answers, json.dumps(asdict(outcome)).encode())


if __name__ == "__main__":
    _main(sys.argv[1], Path(sys.argv[2]))
