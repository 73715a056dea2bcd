"""Makes the text of notes safe to show, so that a terminal never interprets escapes in it.

See ``docs/explanation/architecture.md``, rule 8.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from operator import is_
from typing import Any, TypeVar
from urllib.parse import urlsplit

_NEVER_RAW = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that a terminal or an editor may interpret, or that cannot be encoded."""
_NOT_IN_XML = (0xFFFE, 0xFFFF)
"""Characters that SVG and JUnit files must not contain, in addition to those in ``_NEVER_RAW``."""
_PICTURES = 0x2400
_DELETE = 0x7F
_TAB_CELLS = 4
_HIDDEN = "·"
_JOINERS = "\u200c\u200d"
_SELECTORS = ("\ufe0e", "\ufe0f")


def visible(text: str, keep: str = "") -> str:
    """``text`` with a visible placeholder for every control character, bidirectional control and lone surrogate.

    Emoji sequences are split (joiners and variation selectors are removed), because terminals disagree on their width.
    Joiners inside words of scripts that need them are kept, as are the characters in ``keep`` (for example, a line
    feed).
    """
    if text.isprintable() and not any(mark in text for mark in _SELECTORS):
        return text
    if any(mark in text for mark in _JOINERS):
        return "".join(char if char in keep else _placeholder(text, place) for place, char in enumerate(text))
    return text.translate(_table(keep))


def visible_each(text: str) -> str:
    """Makes ``text`` visible like :func:`visible`, but with exactly one character for each original character."""
    shown = visible(text)
    if len(shown) == len(text):
        return shown
    return "".join(one if len(one := visible(char)) == 1 else _HIDDEN for char in text)


class _Placeholders(dict[int, str]):
    """The placeholder of each character, computed on first use."""

    def __init__(self, keep: str) -> None:
        super().__init__({ord(char): char for char in keep})

    def __missing__(self, code: int) -> str:
        self[code] = _placeholder(chr(code), 0)
        return self[code]


@lru_cache(maxsize=8)
def _table(keep: str) -> _Placeholders:
    return _Placeholders(keep)


def _placeholder(text: str, place: int) -> str:
    char = text[place]
    code = ord(char)
    if char in _SELECTORS:
        return ""
    if char == "\t":
        return " " * _TAB_CELLS
    if code < 0x20:
        return chr(_PICTURES + code)
    if code == _DELETE:
        return "␡"
    if char in _JOINERS:
        before = text[place - 1 : place]
        return char if before.isalpha() or unicodedata.combining(before or " ") else ""
    category = unicodedata.category(char)
    if category in _NEVER_RAW or code in _NOT_IN_XML:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return " " if category == "Zs" else char


LONGEST_SHOWN = 10_000
"""The maximum number of characters in a title, path, word or other string of a trace, which is also the maximum for a
query.
"""
LONGEST_WHOLE = 500_000
"""The maximum number of characters in a field that may contain whole notes."""
_WHOLE = ("answer", "context")
_PATHS = ("file", "path")
"""The fields used to look up notes. Their limit never changes, so that the same long path is always cut in the same
way.
"""
_MARK = 40
"""The maximum length of the mark that ends a cut string. The limits leave room for the mark, so that no string is cut
twice.
"""
_LONGEST_IN_ALL = 2_000_000
_SHORT, _FEW = 200, 500
"""The maximum length of each string, and of each list of strings, if all strings together exceed ``_LONGEST_IN_ALL``.
"""
_T = TypeVar("_T")
_NOTHING: Mapping[int, Any] = {}


def bounded(value: _T, known: Mapping[int, Any] = _NOTHING) -> _T:
    """Returns a trace, or a part of one, for display, with very long strings cut and marked.

    Measuring and wrapping megabytes of text would take minutes. Returns ``value`` itself if no string is too long.
    ``known`` maps the ids of parts of ``value`` to results of earlier cuts; these parts are not measured again.
    """
    if _is_short(value, known, LONGEST_SHOWN):
        return value
    lengths: list[int] = []
    cut: _T = _cut(value, known, LONGEST_SHOWN, lengths)
    return cut if sum(lengths) <= _LONGEST_IN_ALL else _cut(value, known, _SHORT, [])


def _is_short(value: Any, known: Mapping[int, Any], longest: int) -> bool:
    """True if ``value`` contains no string that :func:`_cut` would cut. Takes a tenth of the time of :func:`_cut`."""
    total, left = 0, [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            total += len(one)
            if len(one) > longest + _MARK:
                return False
        elif isinstance(one, tuple | list):
            left += one
        elif isinstance(one, dict):
            left += (*one, *one.values())
        elif id(one) in known:
            if known[id(one)] is not one:
                return False
        else:
            for name in _field_names(one.__class__):
                if name not in _WHOLE:
                    left.append(getattr(one, name))
                elif not _is_short(getattr(one, name), known, LONGEST_WHOLE):
                    return False
    return total <= _LONGEST_IN_ALL


def _cut(value: Any, known: Mapping[int, Any], longest: int, lengths: list[int]) -> Any:
    """Returns ``value`` with each string cut to at most ``longest`` characters, and appends the lengths of the strings
    to ``lengths``.
    """
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, str):
        lengths.append(min(len(value), longest))
        left_out = len(value) - longest
        return value if left_out <= _MARK else f"{value[:longest]}… ({left_out:,} more characters)"
    if isinstance(value, dict):
        _cut([*value], known, longest, lengths)  # keys are measured but never cut, because they are looked up
        items = [_cut(item, known, longest, lengths) for item in value.values()]
        return value if all(map(is_, items, value.values())) else dict(zip(value, items, strict=True))
    if isinstance(value, tuple | list):
        kept = value[:_FEW] if longest == _SHORT and all(isinstance(item, str) for item in value) else value
        items = [_cut(item, known, longest, lengths) for item in kept]
        items += [f"… ({len(value) - len(kept)} more)"] if len(kept) < len(value) else []
        return value if all(map(is_, items, value)) else getattr(value, "_make", type(value))(items)
    changes: dict[str, Any] = {}
    for name in _field_names(value.__class__):
        old = getattr(value, name)
        limit = LONGEST_SHOWN if name in _PATHS and isinstance(old, str) else longest
        new = _cut(old, known, LONGEST_WHOLE, []) if name in _WHOLE else _cut(old, known, limit, lengths)
        changes |= {} if new is old else {name: new}
    if not changes:
        return value
    from dataclasses import replace

    return replace(value, **changes)


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    from dataclasses import fields, is_dataclass

    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def json_line(value: Any) -> bytes:
    """``value`` as one line of JSON in UTF-8. Control characters, bidirectional controls and lone surrogates are
    written as ``\\u`` escapes.
    """
    import json

    text = json.dumps(value, ensure_ascii=False)
    if not text.isascii() or "\x7f" in text:
        unsafe = (char for char in set(text) if unicodedata.category(char) in _NEVER_RAW)
        text = text.translate({ord(char): _escape(char) for char in unsafe})
    return text.encode() + b"\n"


def _escape(char: str) -> str:
    import json

    return r"\u007f" if char == "\x7f" else json.dumps(char)[1:-1]


# Checks of the addresses of services.


_SCHEME = re.compile("^([A-Za-z][A-Za-z0-9+.-]*://)")


def masked_address(address: str) -> str:
    """``address`` for display. Its user, password, query and fragment, which may contain a secret, are replaced by
    ``…``.
    """
    scheme, rest = _SCHEME.split(address)[-2:] if _SCHEME.match(address) else ("", address)
    base, *query = re.split("[?#]", rest, maxsplit=1)
    if "@" in rest:  # a password may contain ? or #, and a query may contain @
        return f"{scheme}…" if query else f"{scheme}…@{rest.rpartition('@')[2]}"
    return f"{scheme}{base}?…" if query else address


def why_no_address(base: str, setting: str) -> str:
    """The reason why no service can be called at ``base``, the value of ``setting`` (``llm.url``); empty if a service
    can be called.

    The message never contains text that may be a password or a key.
    """
    if "@" in base:
        key = f"{setting.rpartition('.')[0]}.key_env"
        return (
            f"{setting} contains a user name or a password: remove it, and put the key in the variable that {key} names"
        )
    if "?" in base or "#" in base:
        return f"{setting} has a query or a fragment (? or #): remove it, because a path is added to the address"
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        usable = usable and base.isascii() and base.isprintable() and " " not in base
    except ValueError:
        usable = False
    return "" if usable else f"{setting}: {visible(base)} is not an address: it must begin with http:// or https://"
