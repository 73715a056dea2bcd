"""Actions on keys that are text in a field: there they do nothing, even where their bindings have priority."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.actions import parse

from brvtui.app.keys.naming import is_text, keys_of, split
from brvtui.app.keys.owners import declared

Action = tuple[str, tuple[Any, ...]]
"""An action's name and its parameters."""


def letter_actions(kind: type, keymap: Mapping[str, str]) -> frozenset[Action]:
    """The actions of ``kind``, and of what it inherits from, all of whose keys are text.

    What another key does too, as ctrl+q does what q does, stays possible while a field has the focus.
    """
    letters: set[Action] = set()
    others: set[Action] = set()
    for binding in declared(kind):
        keys = split(keys_of(binding, keymap))
        (letters if all(is_text(key) for key in keys) else others).add(parse(binding.action)[1:])
    return frozenset(letters - others)
