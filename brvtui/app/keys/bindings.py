"""Textual's bindings, made from the registry of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.actions import parse
from textual.binding import Binding, BindingType

from brvtui.app.actions.action import Action, Place
from brvtui.app.keys.naming import is_text, keys_of

Call = tuple[str, tuple[Any, ...]]
"""The name of an action's method and its parameters."""


def bindings(place: Place) -> list[BindingType]:
    """The bindings of the class that has ``place``."""
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
    """The bindings that ``kind`` itself declares."""
    return tuple(item for item in kind.__dict__.get("BINDINGS", ()) if isinstance(item, Binding))


def declared(kind: type) -> list[Binding]:
    """The bindings of ``kind`` and of what it inherits from, the most general first, as Textual orders them."""
    return [binding for above in reversed(kind.__mro__) for binding in own_bindings(above)]


def letter_actions(kind: type, keymap: Mapping[str, str]) -> frozenset[Call]:
    """The actions of ``kind``, and of what it inherits from, all of whose keys are text: in a field they do nothing.

    What another key does too, as ctrl+q does what q does, stays possible while a field has the focus.
    """
    letters: set[Call] = set()
    others: set[Call] = set()
    for binding in declared(kind):
        keys = keys_of(binding.id, binding.key, keymap)
        (letters if all(is_text(key) for key in keys) else others).add(parse(binding.action)[1:])
    return frozenset(letters - others)
