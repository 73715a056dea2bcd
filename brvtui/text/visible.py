"""Text of notes made safe to show: it is never interpreted as terminal escapes (``docs/architecture.md``, rule 8)."""

from __future__ import annotations

import unicodedata

_CONTROL_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = "\x7f", "␡"
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str, keep: str = "") -> str:
    """``text`` with control characters as their pictures (``␛``), other unprintable ones as ``�``.

    Characters in ``keep`` (``"\\n"``, say) stay. Letters of any script, emoji and joiners stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(character if character in keep else _shown(character) for character in text)


def _shown(character: str) -> str:
    if character < " ":
        return chr(_CONTROL_PICTURES + ord(character))
    if character == _DELETE:
        return _DELETE_PICTURE
    if character in _BIDI_CONTROLS or unicodedata.category(character) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp"):
        return "\ufffd"
    return character
