"""Reads source files in separate processes, so that a parser that crashes or runs out of memory ends only its own
process.

Each process runs this module as a program. A request is a line of JSON (path, length and time limit in seconds),
followed by the bytes of the file. The response is a line of JSON.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock
from types import TracebackType

from brvtui import programs
from brvtui.corpus.code.languages import language_of
from brvtui.corpus.code.reading import SPLIT_IT, NoGrammar, grammar, read_source
from brvtui.corpus.code.records import CodeFile, SkippedSource
from brvtui.corpus.code.rules import CodeLimits, CodeRules, code_rules

Source = tuple[str, bytes]
"""The path of a file, and its bytes."""
_MOST_PROCESSES = 4
_AT_ONCE = 64
"""The number of files per batch. The results of a batch are kept in memory."""
_CHUNK = 1 << 16
_WAIT_SECONDS = 10.0
"""The time in seconds to wait for a response, in addition to three times the file's processor time, because other work
shares the cores.
"""
_OVER_SECONDS = 0.1
"""The seconds of CPU time for which a file can exceed its limit before the process is ended. A single parser step can
take seconds.
"""
_MOST_FAILURES = 20
PARSER_FAILS = f"left out: the parser failed for {_MOST_FAILURES} other files of its language"


class ReadingBudget:
    """The processor time for reading one repository: a time for each file that depends on its size, and spare time that
    all files share.
    """

    def __init__(self, limits: CodeLimits) -> None:
        """Creates the budget of a repository with these ``limits``."""
        self._limits = limits
        self._spare = limits.spare_seconds
        self._failures: Counter[str] = Counter()
        self._lock = Lock()

    def seconds(self, size: int) -> float:
        """The current time limit in seconds for a file of ``size`` bytes, including the file's share of the
        spare time.
        """
        with self._lock:
            return self._usual(size) + self._spare / _MOST_PROCESSES

    def take(self, size: int, seconds: float) -> None:
        """Records the processor time in seconds that was used for a file of ``size`` bytes."""
        with self._lock:
            self._spare = max(0.0, self._spare - max(0.0, seconds - self._usual(size)))

    def fail(self, path: str) -> None:
        """Records a failure of the parser on a file."""
        with self._lock:
            self._failures[_language(path)] += 1

    def has_failed(self, path: str) -> bool:
        """True if the parser failed for so many files in the language of ``path`` that no more of them are read."""
        with self._lock:
            return self._failures[_language(path)] >= _MOST_FAILURES

    def _usual(self, size: int) -> float:
        return self._limits.file_seconds + self._limits.megabyte_seconds * size / 1e6


def _language(path: str) -> str:
    language = language_of(path)
    return language.name if language else ""


class ReaderProcess:
    """A process that reads source files one at a time. It is started for the first file, and again after a crash."""

    def __init__(self, limits: CodeLimits, budget: ReadingBudget | None = None) -> None:
        """Creates a process with ``limits`` for each file. Processes for the same repository share a ``budget``."""
        self._limits = limits
        self._budget = budget or ReadingBudget(limits)
        self._process: programs.Process | None = None

    def read(self, path: str, source: bytes) -> CodeFile | SkippedSource:
        """The contents of the file, or the reason for skipping it if the process ended or exceeded the time limit."""
        if self._budget.has_failed(path):
            return SkippedSource(path, PARSER_FAILS)
        seconds, started = self._budget.seconds(len(source)), time.monotonic()
        longest = 3 * seconds + _WAIT_SECONDS
        try:
            process = self._started()
            assert process.stdin is not None
            process.stdin.write(json.dumps([path, len(source), seconds]).encode() + b"\n" + source)
            process.stdin.flush()
            answer = self._answer(process, longest)
        except OSError:  # the process ended during the request
            answer = b""
        try:
            taken, plain = json.loads(answer or b"")
            file = CodeFile.from_plain(plain)
        except (ValueError, TypeError):
            self.close()
            self._budget.take(len(source), min(time.monotonic() - started, seconds))
            self._budget.fail(path)
            failed = f"the parser failed, or needs more than {self._limits.file_megabytes} MB or {seconds:.2g} s"
            reason = f"not read within {longest:.0f} s" if answer is None else failed
            return SkippedSource(path, f"{reason}; {SPLIT_IT}")
        self._budget.take(len(source), taken)
        return file

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        process.wait()

    def _started(self) -> programs.Process:
        if self._process is None:
            self._process = programs.start(
                programs.python(__name__, str(self._limits.file_megabytes)), programs.environment(),
                stdin=programs.PIPE, stdout=programs.PIPE, stderr=programs.DEVNULL,
            )  # fmt: skip
        return self._process

    @staticmethod
    def _answer(process: programs.Process, seconds: float) -> bytes | None:
        """A line from the process; a partial line if the process ended, or None if it exceeded the time limit."""
        assert process.stdout is not None
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            if not ready:
                return None
            piece = os.read(process.stdout.fileno(), _CHUNK)
            if not piece:
                break
            pieces.append(piece)
        return b"".join(pieces)


class ReaderProcesses:
    """Several processes that read source files in parallel."""

    def __init__(self, rules: CodeRules) -> None:
        """Creates one process per processor, at most four."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = min(available, _MOST_PROCESSES)
        self._threads = ThreadPoolExecutor(count, "read-source")
        self._idle: SimpleQueue[ReaderProcess] = SimpleQueue()
        budget = ReadingBudget(rules.limits)
        self._all = [ReaderProcess(rules.limits, budget) for _ in range(count)]
        for process in self._all:
            self._idle.put(process)

    def __enter__(self) -> ReaderProcesses:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._threads.shutdown(cancel_futures=True)
        for process in self._all:
            process.close()

    def read(self, sources: Iterable[Source]) -> Iterator[CodeFile | SkippedSource]:
        """Yields the result for each file, in order. Reads only one batch ahead."""
        batch: list[Source] = []
        for source in sources:
            batch.append(source)
            if len(batch) == _AT_ONCE:
                yield from self._threads.map(self._read_one, batch)
                batch = []
        yield from self._threads.map(self._read_one, batch)

    def _read_one(self, source: Source) -> CodeFile | SkippedSource:
        process = self._idle.get()
        try:
            return process.read(*source)
        finally:
            self._idle.put(process)


def read_in_processes(sources: Iterable[Source], rules: CodeRules) -> Iterator[CodeFile | SkippedSource]:
    """Yields the result for each file, in order, from temporary processes. Raises :class:`NoGrammar`."""
    with ReaderProcesses(rules) as processes:
        yield from processes.read(_with_grammars(sources))


def _with_grammars(sources: Iterable[Source]) -> Iterator[Source]:
    """Yields the sources. Raises :class:`NoGrammar` at the first source whose grammar is not installed."""
    for source in sources:
        language = language_of(source[0])
        if language is not None:
            grammar(language)
            yield source


def main() -> None:
    """Answers requests until the input ends. Each response includes the processor time that the file took,
    in seconds.
    """
    limit_memory(int(sys.argv[1]))
    rules, requests, answers = code_rules(), sys.stdin.buffer, sys.stdout.buffer
    while request := requests.readline():
        path, length, seconds = json.loads(request)
        source, language = requests.read(length), language_of(path)
        if language is None:
            return
        grammar(language)  # loaded before the file's time is measured
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds + _OVER_SECONDS)  # the timer's signal ends the process
        file = read_source(path, source, language, rules, seconds)
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(json.dumps([time.process_time() - started, file.plain()]).encode() + b"\n")
        answers.flush()


def limit_memory(megabytes: int) -> None:
    """Limits the memory of this process if the operating system supports such limits."""
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt, NoGrammar):
        main()
