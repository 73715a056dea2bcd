"""Checksums at the end of the tool's own files and lines, for detecting flipped bits."""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path

from brvtui.regular_files import open_regular, read_open

_MARK = b"\nsha256:"
_SEAL_BYTES = len(_MARK) + 65


class Unsealed(ValueError):
    """Raised if the data has no checksum, or a wrong one."""


def sealed(data: bytes) -> bytes:
    """``data`` followed by a line with its SHA-256."""
    return b"%b%b%b\n" % (data, _MARK, _checksum(data))


def is_sealed(data: bytes) -> bool:
    """True if the data ends in a checksum, right or wrong. Files from earlier versions have none."""
    return _MARK in data[-_SEAL_BYTES:]


def unsealed(data: bytes) -> bytes:
    """The data without its checksum. Raises :class:`Unsealed` if the checksum is missing or wrong."""
    content, mark, checksum = data.rpartition(_MARK)
    if not mark:
        raise Unsealed("it has no checksum")
    if checksum != _checksum(content) + b"\n":
        raise Unsealed("its checksum is wrong")
    return content


def read_sealed(path: Path, most: int) -> bytes:
    """The data of the sealed file at ``path``. Checks its end first, so that an unsealed file is not read completely.

    Raises OSError as :func:`brvtui.regular_files.read_regular` does, and :class:`Unsealed`.
    """
    descriptor = open_regular(path)
    try:
        found = os.fstat(descriptor)
        if not is_sealed(os.pread(descriptor, _SEAL_BYTES, max(found.st_size - _SEAL_BYTES, 0))):
            raise Unsealed("it has no checksum")
        return unsealed(read_open(descriptor, found, str(path), most))
    finally:
        os.close(descriptor)


def sealed_line(text: str) -> str:
    """A line that contains ``text`` (ASCII without tabs) and the CRC-32 of ``text``."""
    return f"{text}\t{zlib.crc32(text.encode('ascii')):08x}"


def unsealed_line(line: bytes) -> bytes:
    """The text of a sealed line, or the whole line if it has no checksum. Raises :class:`Unsealed`."""
    text, tab, checksum = line.rpartition(b"\t")
    if not tab:
        return line  # from an earlier version
    if checksum != b"%08x" % zlib.crc32(text):
        raise Unsealed("its checksum is wrong")
    return text


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode("ascii")
