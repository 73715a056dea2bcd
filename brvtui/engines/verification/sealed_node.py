"""Runs a script in Node with a fixed clock, and without access to the network or to other processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from brvtui import faults, programs
from brvtui.disk.scratch import write_scratch
from brvtui.regular_files import open_regular
from brvtui.tree.reading.json_file import LARGEST_JSON

DRIVERS = Path(__file__).parent / "drivers"
_UNSHARE = "unshare"
_NO_PROXY_ANSWERS = "http://127.0.0.1:9"
"""The address of the *discard* port, where no program listens."""
_SECONDS = 10.0
_PIECE = 65_536
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class EngineRunError(Exception):
    """The installed engine cannot be run. The message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class SealedNode:
    """The path of Node, and the means to keep its processes off the network."""

    node: Path
    prefix: tuple[str, ...]
    """The command before ``node`` that creates an empty network namespace; empty if that is not possible."""

    @property
    def isolation(self) -> str:
        """The method of cutting off the network, in words."""
        how = "in an empty network namespace" if self.prefix else "behind a proxy that refuses all connections"
        return f"{how}, with sockets, requests and other processes blocked"

    @contextmanager
    def lines(
        self,
        script: Sequence[str],
        folder: Path,
        home: Path,
        now_ms: float,
        request: str = "",
        more: dict[str, str] | None = None,
        seconds: float = _SECONDS,
        limit: int = LARGEST_JSON,
    ) -> Iterator[Iterator[str]]:
        """Runs ``script`` (a file and its arguments) in ``folder``, and yields the lines that it prints.

        ``request`` is the script's standard input, ``home`` its home folder, and ``now_ms`` its fixed time. The
        script's environment contains the variables in ``more`` but none of this process. The script is killed when the
        iterator is closed, or after ``seconds``. Raises :class:`EngineRunError` if the script cannot be started, or
        prints more than ``limit`` bytes, or a line of more than 8 MB.
        """
        request_file = home / "request.json"
        write_scratch(request_file, request)
        seal = str(DRIVERS / "seal.mjs")
        command = [*self.prefix, str(self.node), "--import", Path(seal).as_uri(), *script]
        try:
            stdin = open_regular(request_file)
            try:
                process = programs.start(
                    command, self._environment(home, now_ms, more or {}), cwd=folder,
                    stdin=stdin, stdout=programs.PIPE, stderr=programs.DEVNULL, start_new_session=True,
                )  # fmt: skip
            finally:
                os.close(stdin)
        except OSError as error:
            raise EngineRunError(f"{self.node}: cannot be run ({faults.reason(error)})") from error
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            yield _lines(process.stdout, limit)
        finally:
            timer.cancel()
            process.kill()
            process.wait()
            with suppress(OSError):
                process.stdout and process.stdout.close()

    def _environment(self, home: Path, now_ms: float, more: dict[str, str]) -> programs.Environment:
        proxies = {name: _NO_PROXY_ANSWERS for each in _PROXIES for name in (each, each.upper())}
        own = {"BRVTUI_NOW": repr(now_ms), "HOME": str(home), "TZ": "UTC", "LC_ALL": "C", "NO_COLOR": "1"}
        return programs.environment(keep=(), more={"PATH": os.defpath, **proxies, **own, **more})


def _lines(output: IO[bytes], limit: int) -> Iterator[str]:
    """Yields the lines of ``output``. Reads it in pieces, so that a signal can end the program between two of them."""
    line, left = bytearray(), limit
    while piece := output.readline(_PIECE):
        line += piece
        left -= len(piece)
        if left < 0 or len(line) > LARGEST_JSON:
            raise EngineRunError("the installed engine printed too much to be an answer; install it again")
        if piece.endswith(b"\n"):
            yield line.decode("utf-8", "replace")
            line.clear()
    if line:
        yield line.decode("utf-8", "replace")


def sealed_node(node: Path, environ: programs.Environment | None = None) -> SealedNode:
    """Node at ``node``. It runs in an empty network namespace if a command for that is on the path in ``environ``."""
    variables = environ or programs.environment()
    unshare = programs.find_program(_UNSHARE, variables)
    prefix = (unshare, "-rn") if unshare else ()
    works = prefix and programs.output([*prefix, "echo"], variables, None, _SECONDS)
    return SealedNode(node, prefix if works else ())
