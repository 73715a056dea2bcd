"""Esc and a key pressed right after it, which tmux and slow lines hand on together, as they hand on Alt with a key."""

from __future__ import annotations

import string
from collections.abc import Collection
from typing import NamedTuple, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys, _character_to_key

_LONGER = frozenset("[]OP_^\\")
"""With these after it, Esc begins a longer sequence: of a key, or of a terminal's answer."""
_WORDS = frozenset("bf")
"""Option and an arrow, by words, on a Mac."""


class _Key(NamedTuple):
    """A key as Textual's table has it: by its name."""

    value: str


def read_escape_alone(keys: Collection[str]) -> None:
    """Has Esc and a character read as two keys, for the whole process, but for Alt and a character that is in ``keys``.

    Textual reads some as a Mac's signs (Esc 4 as ¢) and puts the others into the field which Esc was to leave. None of
    the app's own keys needs Alt.
    """
    table = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for character in string.digits + string.ascii_letters + string.punctuation:
        named = character if character.isalnum() else _character_to_key(character)
        if character not in _LONGER | _WORDS:
            is_own = not {f"alt+{character}", f"alt+{named}"}.isdisjoint(keys)
            table.pop(f"\x1b{character}", None)
            if not is_own:
                table[f"\x1b{character}"] = (Keys.Escape, _Key(named))
