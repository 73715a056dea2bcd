"""Esc and a key pressed right after it, which tmux and slow lines hand on together, as they hand on Alt with a key."""

from __future__ import annotations

import string
from collections.abc import Iterable
from typing import NamedTuple, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.events import Key
from textual.keys import _character_to_key

from brvtui.app.keys.naming import character_of, split

_LONGER = frozenset("[]OP_^\\")
"""With these after it, Esc begins a longer sequence: of a key, or of a terminal's answer."""
_WORDS = frozenset("bf")
"""Option and an arrow, by words, on a Mac."""
_ALT = "alt+"
_SHIFT = "shift+"


class _AltKey(NamedTuple):
    """A key as Textual's table has it."""

    value: str


def read_alt() -> None:
    """Has Textual read Esc and a character as Alt and its key, for the whole process.

    By itself, it reads some as a Mac's signs (Esc 4 as ¢) and forgets the Esc before others.
    """
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for character in string.digits + string.ascii_letters + string.punctuation:
        if character not in _LONGER | _WORDS:
            shift = _SHIFT if character.isupper() else ""
            name = character.lower() if character.isalnum() else _character_to_key(character)
            table[f"\x1b{character}"] = (_AltKey(f"{_ALT}{shift}{name}"),)


def apart(event: Key, given: Iterable[str]) -> tuple[Key, ...]:
    """Returns Alt with a character as two keys, Esc and the character, unless Alt with it is among the keys ``given``.

    Any other key is returned as it is. None of the app's own keys needs Alt.
    """
    name = event.key.removeprefix(_ALT)
    if name == event.key or any(event.key in split(keys) for keys in given):
        return (event,)
    if name.startswith(_SHIFT):
        name = name.removeprefix(_SHIFT).upper()
    character = character_of(name)
    return (Key("escape", "\x1b"), Key(name, character)) if character else (event,)
