"""Keys are taken out of what services say, before anybody sees or keeps it."""

from __future__ import annotations

_MASK = "…"
_SHORTEST_KEY = 12
"""What is shorter is a placeholder for a service that wants no key (``ollama``): a word that answers use."""


def masked(text: str, key: str, is_cut: bool = False) -> str:
    """``text`` without ``key``; where it ``is_cut``, also without the key's beginning at its end."""
    if not key:
        return text
    made = text.replace(key, _MASK)
    begun = _begun(made, key) if is_cut else 0
    return made[: len(made) - begun] + _MASK if begun else made


class AnswerMask:
    """Takes a key out of a model's answer, whose text comes in pieces that may cut the key."""

    def __init__(self, key: str) -> None:
        """Nothing has come yet. A key of fewer than 12 characters stays where it is."""
        self._key = key if len(key) >= _SHORTEST_KEY else ""
        self._held = ""

    def add(self, piece: str) -> str:
        """The text that can be shown now; an end that may be the key's beginning is held until more has come."""
        if not self._key:
            return piece
        *before, rest = (self._held + piece).split(self._key)
        shown = len(rest) - _begun(rest, self._key)
        self._held = rest[shown:]
        return _MASK.join([*before, rest[:shown]])

    def rest(self, is_cut: bool) -> str:
        """What was still held, at the answer's end; a key may have begun there only when that ``is_cut``."""
        held, self._held = self._held, ""
        return self.whole(held, is_cut)

    def whole(self, text: str, is_cut: bool) -> str:
        """``text``, which came at once, without the key."""
        return masked(text, self._key, is_cut)


def _begun(text: str, key: str) -> int:
    """How many characters at the end of ``text`` are the beginning of ``key``."""
    return next((size for size in range(len(key) - 1, 0, -1) if text.endswith(key[:size])), 0)
