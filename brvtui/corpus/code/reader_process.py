"""Reads source files in a process of its own: a parser that takes all memory, or crashes, ends no other process.

Run as a program, it is that process: it answers requests on its input, each a line of JSON (the path and the length of
the file) and the bytes of the file, with a line of JSON.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from types import TracebackType

from brvtui import programs
from brvtui.corpus.code.languages import language_of
from brvtui.corpus.code.reading import NoGrammar, grammar, read_source
from brvtui.corpus.code.records import CodeFile, SkippedSource
from brvtui.corpus.code.rules import CodeLimits, CodeRules, code_rules

Source = tuple[str, bytes]
"""The path of a file, and its bytes."""
_MOST_PROCESSES = 4
_AT_ONCE = 64
"""Files of one batch: what is read of them is held until it is taken."""
_CHUNK = 1 << 16


class ReaderProcess:
    """A process that reads source files, one after another. It starts with the first file, and again after a crash."""

    def __init__(self, limits: CodeLimits) -> None:
        """``limits`` hold for each file."""
        self._limits = limits
        self._process: programs.Process | None = None

    def read(self, path: str, source: bytes) -> CodeFile | SkippedSource:
        """What is read of the file; why it is left out, when the process ended over it or took too long."""
        limits = self._limits
        try:
            process = self._started()
            assert process.stdin is not None
            process.stdin.write(json.dumps([path, len(source)]).encode() + b"\n" + source)
            process.stdin.flush()
            answer = self._answer(process, 3 * limits.file_seconds + 2)
        except OSError:  # it ended while it was written to
            answer = b""
        if answer is None:
            self.close()
            return SkippedSource(path, f"not read within {3 * limits.file_seconds + 2:g} s; leave it out, or split it")
        try:
            return CodeFile.from_plain(json.loads(answer))
        except (ValueError, TypeError):
            self.close()
            reason = f"the parser failed, or needs more than {limits.file_megabytes} MB; leave it out, or split it"
            return SkippedSource(path, reason)

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
        """A line of the process; what there is of it when the process ends, None when it takes too long."""
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
    """Some processes that read source files side by side."""

    def __init__(self, rules: CodeRules) -> None:
        """One process for each processor, and at most four."""
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        count = min(available, _MOST_PROCESSES)
        self._threads = ThreadPoolExecutor(count, "read-source")
        self._idle: SimpleQueue[ReaderProcess] = SimpleQueue()
        self._all = [ReaderProcess(rules.limits) for _ in range(count)]
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
        """What is read of each file, in their order. Takes only some files ahead."""
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
    """What is read of each file, in their order, by processes that end with it. Raises :class:`NoGrammar`."""
    with ReaderProcesses(rules) as processes:
        yield from processes.read(_with_grammars(sources))


def _with_grammars(sources: Iterable[Source]) -> Iterator[Source]:
    """The same files. Raises :class:`NoGrammar` at the first whose grammar is not installed."""
    for source in sources:
        language = language_of(source[0])
        if language is not None:
            grammar(language)
            yield source


def main() -> None:
    """Answers requests until its input ends."""
    limit_memory(int(sys.argv[1]))
    rules, requests, answers = code_rules(), sys.stdin.buffer, sys.stdout.buffer
    while request := requests.readline():
        path, length = json.loads(request)
        source, language = requests.read(length), language_of(path)
        if language is None:
            return
        answers.write(json.dumps(read_source(path, source, language, rules).plain()).encode() + b"\n")
        answers.flush()


def limit_memory(megabytes: int) -> None:
    """Lets this process have no more memory, where the system allows to limit it."""
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    with suppress(BrokenPipeError, KeyboardInterrupt, NoGrammar):
        main()
