"""Builds Textual's bindings from the registry of actions."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.keys import REPLACED_KEYS, Keys, _character_to_key, key_to_character

from brvtui.app.actions.action import Action, Place

# The names of keys: existing keys, keys that are text, and names for display.


_MODIFIERS = frozenset({"ctrl", "shift", "alt", "super", "hyper", "meta"})
_LAST_TYPED = 0xFFFF
"""The last character for which any keyboard has a key; Textual also names later characters, such as emoji."""
_NAMES = {"escape": "Esc", "pagedown": "PgDn", "pageup": "PgUp"}
KNOWN = frozenset(key.value for key in Keys if not key.value.startswith("<"))
"""The names of keys that are not characters."""


def character_of(key: str) -> str | None:
    """Returns the character that ``key`` types into a field; None if it does not type a character."""
    character = key if key == "+" else key_to_character(REPLACED_KEYS.get(key, key))
    return character if character is not None and character.isprintable() else None


def is_key(key: str) -> bool:
    """True if ``key`` is the name of a key: ``ctrl+r``, ``f5``, ``?``, ``question_mark``."""
    *modifiers, last = [key] if key == "+" else key.split("+")
    character = character_of(last)
    is_typed = character is not None and ord(character) <= _LAST_TYPED
    return _MODIFIERS.issuperset(modifiers) and (last in KNOWN or is_typed)


def is_text(key: str) -> bool:
    """True if ``key`` types a character into a field."""
    return character_of(key) is not None


def canonical(key: str) -> str:
    """Returns the canonical name of ``key``: its character, ``space``, or the name itself."""
    character = character_of(key)
    return "space" if character == " " else character or key


def split(keys: str) -> list[str]:
    """Splits a list of keys such as ``j,down``."""
    return [key.strip() for key in keys.split(",")]


def key_name(key: str) -> str:
    """Returns the name of ``key`` for display: ``^r``, ``F1``, ``Esc``, ``?``."""
    first = split(key)[0]
    if first.startswith("ctrl+"):
        return f"^{first.removeprefix('ctrl+')}"
    if first.startswith("f") and first[1:].isdigit():
        return first.upper()
    character = character_of(first)
    if character and character != " ":
        return character
    return "+".join(_NAMES.get(part, part[:1].upper() + part[1:]) for part in first.split("+"))


def keys_of(name: str | None, default: str, keymap: Mapping[str, str]) -> list[str]:
    """Returns the keys of the action ``name``: the user's own, or else ``default``."""
    return split(keymap.get(name or "", default))


# Esc and a key pressed right after it, which tmux and slow connections merge into Alt with that key.


_LONGER = frozenset("[]OP_^\\")
"""The characters that, after Esc, begin a longer sequence: a key or a terminal's reply."""
_WORDS = frozenset("bf")
"""The characters after Esc that a Mac sends for Option with an arrow key, which moves the cursor by words."""
_ALT = "alt+"
_SHIFT = "shift+"


class _AltKey(NamedTuple):
    """A key, spelled as in Textual's key table."""

    value: str


def read_alt() -> None:
    """Makes Textual read Esc and a character as Alt with that key, for the whole process.

    By default, Textual reads some of these sequences as Mac symbols (Esc 4 as ¢), and ignores the Esc in others.
    """
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for character in string.digits + string.ascii_letters + string.punctuation:
        if character not in _LONGER | _WORDS:
            shift = _SHIFT if character.isupper() else ""
            name = character.lower() if character.isalnum() else _character_to_key(character)
            table[f"\x1b{character}"] = (_AltKey(f"{_ALT}{shift}{name}"),)


def apart(event: Key, given: Iterable[str]) -> tuple[Key, ...]:
    """Splits Alt with a character into two keys, Esc and the character, unless ``given`` contains that key.

    Other keys are returned unchanged. None of the app's own keys needs Alt.
    """
    name = event.key.removeprefix(_ALT)
    if name == event.key or any(event.key in split(keys) for keys in given):
        return (event,)
    if name.startswith(_SHIFT):
        name = name.removeprefix(_SHIFT).upper()
    character = character_of(name)
    return (Key("escape", "\x1b"), Key(name, character)) if character else (event,)


Call = tuple[str, tuple[Any, ...]]
"""The name and the parameters of an action, as parsed by Textual."""


def bindings(place: Place) -> list[BindingType]:
    """Returns the bindings for the class with ``place``."""
    return [_binding(action) for action in place.actions]


def _binding(action: Action) -> Binding:
    return Binding(
        action.keys,
        action.call,
        action.label,
        show=action.bar,
        key_display=action.span or None,
        priority=action.first,
        tooltip=action.description,
        id=action.name,
    )


def own_bindings(kind: type) -> tuple[Binding, ...]:
    """Returns the bindings that ``kind`` itself declares."""
    return tuple(item for item in kind.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))


def declared(kind: type) -> list[Binding]:
    """Returns the bindings of ``kind`` and its base classes, the most general first, in Textual's order."""
    return [binding for above in reversed(kind.__mro__) for binding in own_bindings(above)]


def letter_actions(kind: type, keymap: Mapping[str, str]) -> frozenset[Call]:
    """Returns the actions of ``kind`` and its base classes that do not work in a field, since their keys type text.

    An action that also has another key, such as ctrl+q besides q, works while a field has the focus.
    """
    letters: set[Call] = set()
    others: set[Call] = set()
    for binding in declared(kind):
        keys = keys_of(binding.id, binding.key, keymap)
        (letters if all(is_text(key) for key in keys) else others).add(parse(binding.action)[1:])
    return frozenset(letters - others)
