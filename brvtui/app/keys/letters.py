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
    """The actions of ``kind``, and of what it inherits from, whose keys are all text."""
    return frozenset(
        parse(binding.action)[1:]
        for binding in declared(kind)
        if all(is_text(key) for key in split(keys_of(binding, keymap)))
    )
