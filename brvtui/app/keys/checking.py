"""Checks the keys that the user gives to actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from brvtui.app.actions.action import Action, Place
from brvtui.app.actions.registry import ACTIONS, PLACES
from brvtui.app.keys.naming import KNOWN, canonical, is_key, is_text, keys_of, split
from brvtui.wording import nearest

_MOST_NAMED = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """The keys that can be used, and the problems, by the action's name; a key that clashes is in both."""

    usable: dict[str, str]
    problems: dict[str, str] = field(default_factory=dict)


def check_keys(keys: Mapping[str, str]) -> Checked:
    """Checks ``keys``, by the action's name as in the settings. If two actions share a key, both keep it."""
    usable: dict[str, str] = {}
    problems: dict[str, str] = {}
    for name, given in keys.items():
        wrong = _wrong(ACTIONS[name], given) if name in ACTIONS else f"there is no such binding{nearest(name, ACTIONS)}"
        if wrong:
            problems[name] = f'keys."{name}": {wrong}'
        else:
            usable[name] = given
    for name, shared, wins in _clashes(usable):
        problems.setdefault(name, f'keys."{name}": {shared}; {wins}')
    return Checked(usable, problems)


def why_not_keys(name: str, given: str, keys: Mapping[str, str]) -> str:
    """Returns why the action ``name`` may not have the keys ``given`` beside the user's ``keys``; empty if it may."""
    wrong = _wrong(ACTIONS[name], given)
    clashes = () if wrong else _clashes({**keys, name: given})
    shared = next((shared for clashing, shared, _ in clashes if clashing == name), "")
    return wrong or (f"{shared}: choose another key, or give that one another key first" if shared else "")


def _wrong(action: Action, given: str) -> str:
    """Returns why ``action`` cannot have the keys ``given``; empty if it can."""
    keys = split(given)
    for key in keys:
        if not is_key(key):
            return f"there is no key {key!r}{nearest(key, KNOWN) if len(key) > 1 else ''}"
    if action.first and len({is_text(key) for key in keys}) > 1:
        text = next(key for key in keys if is_text(key))
        return f"{text!r} is text in a field, the other keys are not; give this binding keys of one kind"
    return ""


def _clashes(keys: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yields the name of each action in ``keys`` with a new key that others have at the same time, which others, and
    which of them would act."""
    placed = [(place, action) for place in PLACES for action in place.actions]
    for place, action in placed:
        new = {canonical(key) for key in split(keys.get(action.name, ""))} - {
            canonical(key) for key in split(action.keys)
        }
        for key in sorted(new - {""}):
            others = [
                (other_place, other)
                for other_place, other in placed
                if other is not action
                and place.meets(other_place)
                and key in map(canonical, keys_of(other.name, other.keys, keys))
            ]
            if others:
                named = [f"{other.name} ({where.heading}: {other.label})" for where, other in others[:_MOST_NAMED]]
                more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
                wins = _wins(key, (place, action), others, keys)
                yield action.name, f"{key!r} is also {', '.join(named)}{more}", wins


def _wins(key: str, mine: tuple[Place, Action], others: list[tuple[Place, Action]], keys: Mapping[str, str]) -> str:
    """Returns which of the actions that share ``key`` would act."""
    if all(place is mine[0] and action.name not in keys for place, action in others):
        return f"{mine[1].name} acts, and the key of the other is lost"  # Textual takes it from what has it by default
    first = [action.name for _, action in (mine, *others) if action.first and not is_text(key)]
    if len(first) == 1:
        return f"{first[0]} would act"
    if first or any(place is mine[0] for place, _ in others):
        return "only one of them would act"
    return "the one nearer to the focus would act"
