"""JSON as the engine's runtime reads it, with that runtime's own words for what is wrong with it.

V4 prints these words where a file of its own is broken, so they are part of what it answers.
"""

from __future__ import annotations

import json
from typing import Any

_CONTEXT = 10
"""How many characters the message quotes on either side, in a text that is longer than both sides together."""
_WORDS = {
    "Expecting ':' delimiter": "Expected ':' after property name in JSON",
    "Extra data": "Unexpected non-whitespace character after JSON",
    "Invalid control character at": "Bad control character in string literal in JSON",
    "Invalid \\escape": "Bad escaped character in JSON",
    "Invalid \\uXXXX escape": "Bad Unicode escape in JSON",
}
_NAME, _DELIMITER, _UNTERMINATED = "Expecting property name", "Expecting ',' delimiter", "Unterminated string"


def parse_json(text: str) -> Any:
    """The value of the JSON ``text``. Raises ValueError with the runtime's message when it is none."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ValueError(_message(text, error)) from None
    except _Constant as error:
        raise ValueError(_unexpected(text, text.find(str(error)))) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


class _Constant(Exception):
    """A number that JSON does not have."""


def _no_constant(name: str) -> Any:
    raise _Constant(name)


def _message(text: str, error: json.JSONDecodeError) -> str:
    place = error.pos
    if error.msg.startswith(_UNTERMINATED):
        return f"Unterminated string in JSON at position {len(text)}"
    if text[place:].strip(" \t\n\r") == "" and not (
        error.msg.startswith(_NAME) and text[:place].rstrip().endswith("{")
    ):
        return "Unexpected end of JSON input"
    if error.msg.startswith(_NAME):
        after_comma = text[:place].rstrip(" \t\n\r").endswith(",")
        wanted = "double-quoted property name" if after_comma else "property name or '}'"
        return f"Expected {wanted} in JSON at position {place}"
    if error.msg == _DELIMITER:
        ends = "'}' after property value" if _in_object(text[:place]) else "']' after array element"
        return f"Expected ',' or {ends} in JSON at position {place}"
    words = _WORDS.get(error.msg)
    return f"{words} at position {place}" if words else _unexpected(text, place)


def _unexpected(text: str, place: int) -> str:
    start, end = max(0, place - _CONTEXT), min(len(text), place + _CONTEXT)
    if len(text) <= 2 * _CONTEXT:
        start, end = 0, len(text)
    quoted = f'{"..." if start else ""}"{text[start:end]}"{"... " if end < len(text) else " "}'
    return f"Unexpected token '{text[place : place + 1]}', {quoted}is not valid JSON"


def _in_object(before: str) -> bool:
    """Whether ``before``, the valid beginning of a JSON text, ends in an object, not in an array."""
    depth: list[str] = []
    is_text = is_escaped = False
    for letter in before:
        if is_text:
            is_text = is_escaped or letter != '"'
            is_escaped = letter == "\\" and not is_escaped
        elif letter == '"':
            is_text = True
        elif letter in "{[":
            depth.append(letter)
        elif letter in "}]" and depth:
            depth.pop()
    return bool(depth) and depth[-1] == "{"
