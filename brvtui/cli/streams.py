"""The standard streams: closed ones, readers that go away, and encodings without our signs."""

from __future__ import annotations

import codecs
import io
import os
import sys
from pathlib import Path

from brvtui.paint.glyphs import TO_LETTERS

_ERRORS = "brv-tui"


def prepare_streams() -> None:
    """Replaces closed standard streams by the null device, and makes every text writable in any encoding."""
    codecs.register_error(_ERRORS, _in_letters)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:  # the process was started without it; the lowest free descriptor is the closed one's
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w" and isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors=_ERRORS)


def _in_letters(error: UnicodeError) -> tuple[str, int]:
    """Letters for our own signs, escapes for all else that cannot be encoded."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    escaped = (TO_LETTERS.get(ord(char)) or char.encode("ascii", "backslashreplace").decode("ascii") for char in text)
    return "".join(escaped), error.end


def discard_output() -> None:
    """Sends what is still to be written to the null device: nobody reads it, and Python flushes when it exits."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(null, stream.fileno())
        except (OSError, ValueError):  # it has no descriptor of its own
            continue
