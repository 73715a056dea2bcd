"""Checks the keys that the user assigns to actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from brvtui.app.actions.action import Action
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.keys.bindings import KNOWN, canonical, is_key, is_text, keys_of, split
from brvtui.wording import MOST_PROBLEMS, nearest, shortened, unlisted

_MOST_NAMED = 2
_SENT_AS = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "escape", "ctrl+left_square_bracket": "escape"}
_INSTEAD = "choose another key, or first give that action another key"


@dataclass(frozen=True, slots=True)
class Checked:
    """The usable keys and the problems with the rejected ones, both by action name."""

    usable: dict[str, str]
    problems: dict[str, str] = field(default_factory=dict)


def check_keys(keys: Mapping[str, str]) -> Checked:
    """Checks ``keys``, given by action name as in the settings; rejects keys that conflict with another action's.

    If many names are unknown, only the first are listed, and another problem states the number of the rest.
    """
    usable: dict[str, str] = {}
    problems: dict[str, str] = {}
    unknown = [name for name in keys if name not in ACTIONS]
    for name in unknown[:MOST_PROBLEMS]:
        problems[name] = f'keys."{shortened(name)}": there is no such binding{nearest(name, ACTIONS)}'
    if more := unknown[MOST_PROBLEMS:]:
        problems[more[0]] = f"keys: {unlisted(len(more), 'unknown binding')}"
    for name, assigned in ((name, assigned) for name, assigned in keys.items() if name in ACTIONS):
        if wrong := _problem_with(ACTIONS[name], assigned):
            problems[name] = f'keys."{name}": {wrong}'
        else:
            usable[name] = assigned
    while clashes := dict(
        _clashes(usable)
    ):  # a rejected action has its default keys again, which may clash with another's new key
        for name, shared in clashes.items():
            problems[name] = f'keys."{name}": {shared}: {_INSTEAD}'
            del usable[name]
    return Checked(usable, problems)


def why_not_keys(name: str, given: str, keys: Mapping[str, str]) -> str:
    """Returns why ``name`` cannot have the keys ``given`` in addition to the user's ``keys``; empty if it can."""
    wrong = _problem_with(ACTIONS[name], given)
    shared = "" if wrong else dict(_clashes({**keys, name: given})).get(name, "")
    return wrong or (f"{shared}: {_INSTEAD}" if shared else "")


def _problem_with(action: Action, assigned: str) -> str:
    """Returns the reason why ``action`` cannot have the keys ``assigned``; empty if it can."""
    keys = split(assigned)
    for key in keys:
        if not is_key(key):
            return f"there is no key {shortened(key)!r}{nearest(key, KNOWN) if len(key) > 1 else ''}"
        if key in _SENT_AS:
            return f"terminals send {key!r} as {_SENT_AS[key]}: choose another key"
    if action.first and len({is_text(key) for key in keys}) > 1:
        text = next(key for key in keys if is_text(key))
        return f"{text!r} types text in a field, and the other keys do not: use only one kind of key for this action"
    return ""


def _clashes(keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields the name of each action whose new key is already used by other actions, with a message that names those
    actions.
    """
    placed = [(place, action) for place in PLACES for action in place.actions]
    for place, action in placed:
        new = {canonical(key) for key in split(keys.get(action.name, ""))} - {
            canonical(key) for key in split(action.keys)
        }
        for key in sorted(new - {""}):
            others = [
                f"{other.name} ({other_place.heading}: {other.label})"
                for other_place, other in placed
                if other is not action
                and place.meets(other_place)
                and key in map(canonical, keys_of(other.name, other.keys, keys))
            ]
            if others:
                more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
                yield action.name, f"{key!r} is also {', '.join(others[:_MOST_NAMED])}{more}"
