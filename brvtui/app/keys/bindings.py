"""Textual's bindings, made from the registry of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.actions import parse
from textual.binding import Binding, BindingType

from brvtui.app.actions.action import Action, Place
from brvtui.app.keys.naming import is_text, keys_of

Call = tuple[str, tuple[Any, ...]]
"""The name and the parameters of an action, as Textual parses them."""


def bindings(place: Place) -> list[BindingType]:
    """Returns the bindings for the class that has ``place``."""
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
    """Returns the bindings of ``kind`` and its base classes, the most general first, as Textual orders them."""
    return [binding for above in reversed(kind.__mro__) for binding in own_bindings(above)]


def letter_actions(kind: type, keymap: Mapping[str, str]) -> frozenset[Call]:
    """Returns the actions of ``kind`` and its base classes that have text keys only, and so do nothing in a field.

    An action that has another key too, as ctrl+q beside q, works while a field has the focus.
    """
    letters: set[Call] = set()
    others: set[Call] = set()
    for binding in declared(kind):
        keys = keys_of(binding.id, binding.key, keymap)
        (letters if all(is_text(key) for key in keys) else others).add(parse(binding.action)[1:])
    return frozenset(letters - others)
