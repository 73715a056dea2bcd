"""Checksums of files and lines."""

from __future__ import annotations

import json

import pytest

from brvtui.disk.sealing import Unsealed, is_sealed, sealed, sealed_line, unsealed, unsealed_line


@pytest.mark.parametrize("data", [b"", b"{}", b"a\nsha256:b\n", bytes(range(256)) * 9])
def test_sealed_data_is_restored(data: bytes) -> None:
    assert is_sealed(sealed(data))
    assert unsealed(sealed(data)) == data


def test_every_flipped_bit_is_detected() -> None:
    """If the flip changes the checksum mark, the remaining text is not JSON."""
    whole = sealed(json.dumps({"path": "a.md", "n": 31}).encode())
    for place in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises(ValueError):  # noqa: PT011
            json.loads(unsealed(bytes(changed)) if is_sealed(bytes(changed)) else changed)
    for length in range(len(whole)):
        with pytest.raises(Unsealed):
            unsealed(whole[:length])


def test_every_flipped_bit_in_a_line_is_detected() -> None:
    line = sealed_line(json.dumps({"query": "where?", "at_ms": 31})).encode()
    assert json.loads(unsealed_line(line))["query"] == "where?"
    for place in range(len(line) * 8):
        changed = bytearray(line)
        changed[place // 8] ^= 1 << place % 8
        with pytest.raises(ValueError):  # noqa: PT011
            json.loads(unsealed_line(bytes(changed)))
    assert unsealed_line(b'{"query": 1}') == b'{"query": 1}', "lines of earlier versions have no checksum"
