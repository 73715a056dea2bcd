"""Removes keys from texts of services, before they are displayed or kept."""

from __future__ import annotations

import re

_MASK = "…"
_SHORTEST_KEY = 12
"""A shorter key is a placeholder for a service without keys (``ollama``), and a word that answers may contain."""
_SHORTEST_REMOVED = 4


def masked(text: str, key: str, is_cut: bool = False) -> str:
    """``text`` without ``key``; if it ``is_cut``, also without a beginning of the key at its end.

    A key of fewer than 12 characters is removed only where it stands as a word, and one of fewer than 4 stays: neither
    is a secret of a service, and each of them is part of many a word.
    """
    if len(key) < _SHORTEST_REMOVED:
        return text
    if len(key) >= _SHORTEST_KEY:
        made = text.replace(key, _MASK)
    else:
        made = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", _MASK, text)
    begun = _begun(made, key) if is_cut else 0
    if len(key) < _SHORTEST_KEY and made[: len(made) - begun][-1:].isalnum():
        begun = 0
    return made[: len(made) - begun] + _MASK if begun else made


class AnswerMask:
    """Removes a key from an answer that comes in pieces, which may split the key."""

    def __init__(self, key: str) -> None:
        """Leaves a ``key`` of fewer than 12 characters in the text."""
        self._key = key if len(key) >= _SHORTEST_KEY else ""
        self._held = ""

    def add(self, piece: str) -> str:
        """The text that is safe so far. Holds back an end that may begin the key until the next piece."""
        if not self._key:
            return piece
        *before, rest = (self._held + piece).split(self._key)
        safe = len(rest) - _begun(rest, self._key)
        self._held = rest[safe:]
        return _MASK.join([*before, rest[:safe]])

    def rest(self, is_cut: bool) -> str:
        """The text held back, at the end of the answer; masked if the answer ``is_cut``."""
        held, self._held = self._held, ""
        return self.whole(held, is_cut)

    def whole(self, text: str, is_cut: bool) -> str:
        """``text``, which came as a whole, without the key."""
        return masked(text, self._key, is_cut)


def _begun(text: str, key: str) -> int:
    """Length of the longest end of ``text`` that is a proper beginning of ``key``."""
    return next((size for size in range(len(key) - 1, 0, -1) if text.endswith(key[:size])), 0)
