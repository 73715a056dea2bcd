"""Adds checksums to the tool's own files and lines, in order to detect flipped bits."""

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
    """Returns ``data`` followed by a line with its SHA-256."""
    return b"%b%b%b\n" % (data, _MARK, _checksum(data))


def is_sealed(data: bytes) -> bool:
    """True if the data ends in a checksum, whether or not it is correct. Files from earlier versions have none."""
    return _MARK in data[-_SEAL_BYTES:]


def unsealed(data: bytes) -> bytes:
    """Returns the data without its checksum. Raises :class:`Unsealed` if the checksum is missing or wrong."""
    content, mark, checksum = data.rpartition(_MARK)
    if not mark:
        raise Unsealed("it has no checksum")
    if checksum != _checksum(content) + b"\n":
        raise Unsealed("its checksum is wrong")
    return content


def read_sealed(path: Path, most: int) -> bytes:
    """Returns the data of the file at ``path``, which must end in a checksum. A file without one is not read
    completely.

    Raises the same OSError as :func:`brvtui.regular_files.read_regular`, and :class:`Unsealed`.
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
    """Returns a line with ``text`` (ASCII without tabs) and the CRC-32 of ``text``."""
    return f"{text}\t{zlib.crc32(text.encode('ascii')):08x}"


def unsealed_line(line: bytes) -> bytes:
    """Returns the text of a sealed line, or the whole line if it has no checksum. Raises :class:`Unsealed`."""
    text, tab, checksum = line.rpartition(b"\t")
    if not tab:
        return line  # the line is from an earlier version
    if checksum != b"%08x" % zlib.crc32(text):
        raise Unsealed("its checksum is wrong")
    return text


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode("ascii")
