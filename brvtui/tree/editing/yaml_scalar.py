"""Writes a string as a YAML scalar on one line, quoted as the engine's writer (npm ``js-yaml`` 4) does."""

from __future__ import annotations

from typing import Any

import yaml

_ESCAPES = {
    "\0": "\\0", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f", "\r": "\\r",
    "\x1b": "\\e", '"': '\\"', "\\": "\\\\", "\x85": "\\N", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_NEVER_FIRST = frozenset("-?:,[]{}#&*!|=>'\"%@` \t")
_NEVER_LAST = frozenset(": \t")
_NEVER_IN_FLOW = frozenset(",[]{}")
_STRING = "tag:yaml.org,2002:str"
_RESOLVER: Any = yaml.SafeLoader("")
_HEX = ((0xFF, "x", 2), (0xFFFF, "u", 4), (0x10FFFF, "U", 8))


def scalar(text: str, in_flow: bool = False) -> str:
    """``text`` as YAML: plain where it is read back as the same string, else in single, else in double quotes.

    ``in_flow`` is for entries of an inline list.
    """
    if not all(map(_is_printable, text)):
        return double_quoted(text)
    return text if _can_be_plain(text, in_flow) else f"'{text.replace(chr(39), chr(39) * 2)}'"


def double_quoted(text: str) -> str:
    """``text`` in double quotes, with escapes where they are needed."""
    return f'"{"".join(map(_escaped, text))}"'


def _can_be_plain(text: str, in_flow: bool) -> bool:
    if not text or text[0] in _NEVER_FIRST or text[-1] in _NEVER_LAST or ": " in text or ":\t" in text:
        return False
    if any(text[place] == "#" and text[place - 1] in " \t" for place in range(1, len(text))):
        return False
    if in_flow and any(character in _NEVER_IN_FLOW for character in text):
        return False
    return bool(_RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) == _STRING)


def _is_printable(character: str) -> bool:
    code = ord(character)
    return (
        0x20 <= code <= 0x7E
        or (0xA1 <= code <= 0xD7FF and code not in (0x2028, 0x2029))
        or (0xE000 <= code <= 0xFFFD and code != 0xFEFF)
        or code >= 0x10000
    )


def _escaped(character: str) -> str:
    known = _ESCAPES.get(character)
    if known or _is_printable(character):
        return known or character
    code = ord(character)
    letter, digits = next((letter, digits) for most, letter, digits in _HEX if code <= most)
    return f"\\{letter}{code:0{digits}X}"
