"""Keys that the user gives to bindings, checked against all there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from textual.binding import Binding
from textual.screen import ModalScreen, Screen

from brvtui.app.keys.naming import KNOWN, is_key, is_text, keys_of, same, split
from brvtui.app.keys.owners import Owner, all_bindings, holds, owners
from brvtui.typed_tables import nearest


@dataclass(frozen=True, slots=True)
class Checked:
    """The keys that can be used, and what is wrong, or to be known, by the binding's name."""

    usable: dict[str, str]
    problems: dict[str, str] = field(default_factory=dict)


def check_keys(keys: Mapping[str, str]) -> Checked:
    """``keys`` by the binding's name, as the setting holds them. A clash is told of; both bindings keep the key."""
    known = all_bindings()
    usable: dict[str, str] = {}
    problems: dict[str, str] = {}
    for name, given in keys.items():
        wrong = f"there is no such binding{nearest(name, known)}" if name not in known else _wrong(known[name], given)
        if wrong:
            problems[name] = f'keys."{name}": {wrong}'
        else:
            usable[name] = given
    for name, clash in _clashes(usable):
        problems.setdefault(name, f'keys."{name}": {clash}')
    return Checked(usable, problems)


def _wrong(binding: Binding, given: str) -> str:
    keys = split(given)
    for key in keys:
        if not is_key(key):
            return f"there is no key {key!r}{nearest(key, KNOWN) if len(key) > 1 else ''}"
    if binding.priority and len({is_text(key) for key in keys}) > 1:
        text = next(key for key in keys if is_text(key))
        return f"{text!r} is text in a field, the other keys are not; give this binding keys of one kind"
    return ""


def _clashes(keys: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Bindings of ``keys`` whose new key has another meaning at the same time."""
    placed = [(owner, binding) for owner in owners() for binding in owner.bindings]
    for owner, binding in placed:
        new = {same(key) for key in split(keys.get(binding.id or "", ""))} - {same(key) for key in split(binding.key)}
        for other_owner, other in placed if new - {""} else ():
            if other.id == binding.id or not _together(owner, other_owner):
                continue
            shared = new & {same(key) for key in split(keys_of(other, keys))}
            if shared:
                key = sorted(shared)[0]
                yield binding.id or "", f"{key!r} is also {other.id} ({other_owner.title}: {other.description})"


def _together(one: Owner, other: Owner) -> bool:
    """Whether bindings of both can be active at once."""
    kinds = (one.kind, other.kind)
    if issubclass(*kinds) or issubclass(*reversed(kinds)):
        return True
    if any(issubclass(kind, ModalScreen) for kind in kinds):
        return False
    screens = [kind for kind in kinds if issubclass(kind, Screen)]
    others = [kind for kind in kinds if not issubclass(kind, Screen)]
    if len(screens) == 1 and len(others) == 1 and not _is_app(others[0]):
        return holds(screens[0], others[0])
    return any(_is_app(kind) for kind in kinds)


def _is_app(kind: type) -> bool:
    from textual.app import App

    return issubclass(kind, App)
