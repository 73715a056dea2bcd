"""The names of keys: which exist, which are text, and how people write them."""

from __future__ import annotations

from collections.abc import Mapping

from textual.keys import REPLACED_KEYS, Keys, key_to_character

_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})
_LAST_TYPED = 0xFFFF
"""No keyboard has a key for the characters after this one, such as emoji, by whose names Textual knows them too."""
_NAMES = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup"}
KNOWN = frozenset(key.value for key in Keys if not key.value.startswith("<"))
"""The names of keys that are not characters."""


def character_of(key: str) -> str | None:
    """Returns the character that ``key`` puts into a field; None if it puts none."""
    character = key if key == "+" else key_to_character(REPLACED_KEYS.get(key, key))
    return character if character is not None and character.isprintable() else None


def is_key(key: str) -> bool:
    """Whether there is a key called ``key``: ``ctrl+r``, ``f5``, ``?``, ``question_mark``."""
    *modifiers, last = [key] if key == "+" else key.split("+")
    character = character_of(last)
    is_typed = character is not None and ord(character) <= _LAST_TYPED
    return _MODIFIERS.issuperset(modifiers) and (last in KNOWN or is_typed)


def is_text(key: str) -> bool:
    """Whether ``key`` puts a character into a field."""
    return character_of(key) is not None


def canonical(key: str) -> str:
    """Returns one name for ``key``, whichever of its names is given."""
    character = character_of(key)
    return "space" if character == " " else character or key


def split(keys: str) -> list[str]:
    """Splits a list of keys such as ``j,down``."""
    return [key.strip() for key in keys.split(",")]


def key_name(key: str) -> str:
    """Returns a key as people write it: ``^r``, ``F1``, ``esc``, ``?``."""
    first = split(key)[0]
    if first.startswith("ctrl+"):
        return f"^{first.removeprefix('ctrl+')}"
    if first.startswith("f") and first[1:].isdigit():
        return first.upper()
    character = character_of(first)
    return character if character and character != " " else _NAMES.get(first, first)


def keys_of(name: str | None, default: str, keymap: Mapping[str, str]) -> list[str]:
    """Returns the keys of the action ``name``: the user's, else ``default``."""
    return split(keymap.get(name or "", default))
