"""Snapshots and constants with what a variant replaces. Nothing is written."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from typing import Any, TypeVar

from brvtui.lab.whatif.variant import SignalChange, Value, Variant, VariantError
from brvtui.loading import load, update
from brvtui.loading.edited import UNPUBLISHED, edit_after_save, edited, with_signals
from brvtui.loading.revised import Difference, difference_to, revised
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.revision import Revision
from brvtui.tree.reading.signals import Source
from brvtui.typed_tables import overlay
from brvtui.wording import shortened

# A profile file: the constants that differ from a built-in profile, as TOML.


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_OF_PROFILE = ("name", "summary", "engine")


def profile_file(name: str, extends: str, base: Mapping[str, Any], made: Mapping[str, Any]) -> str:
    """The text of a profile called ``name``: ``made``, by what differs from ``base``, the profile ``extends``."""
    lines = [f"extends = {json.dumps(extends)}", f"name = {json.dumps(name, ensure_ascii=False)}"]
    lines.append(f"summary = {json.dumps(f'{extends} with constants changed in the Lab')}")
    top = {key: value for key, value in made.items() if key not in _OF_PROFILE}
    return "\n".join([*lines, *_tables("", base, top), ""])


def _tables(where: str, base: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
    plain = [
        f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in made.items()
        if not isinstance(value, dict) and base.get(key) != value
    ]
    lines = ([f"\n[{where}]"] if where else []) + plain if plain else []
    for key, value in made.items():
        if isinstance(value, dict):
            inner = f"{where}.{_key(key)}" if where else _key(key)
            lines += _tables(inner, base.get(key, {}), value)
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


MS_PER_DAY = 86_400_000
Constants = TypeVar("Constants")


def later(now_ms: float, variant: Variant) -> float:
    """The moment of ``variant``, in milliseconds since 1970."""
    return now_ms + variant.days * MS_PER_DAY if variant.days else now_ms


def with_constants(constants: Constants, changes: tuple[tuple[str, Value], ...], origin: str) -> Constants:
    """``constants``, a dataclass, with ``changes`` by dotted names.

    Raises :class:`brvtui.typed_tables.ProfileError` for a name or a value that cannot be.
    """
    if not changes:
        return constants
    tables: dict[str, Any] = {}
    for name, value in changes:
        *above, last = name.split(".")
        table = tables
        for part in above:
            table = table.setdefault(part, {})
        table[last] = value
    made: Constants = overlay(constants, tables, origin) if is_dataclass(constants) else constants
    return made


def replaced(
    snapshot: Snapshot, read_with: TreeConstants, constants: TreeConstants, now_ms: float, variant: Variant
) -> Snapshot:
    """``snapshot`` at ``now_ms``, the moment of ``variant``, with the notes and signals that it names.

    ``read_with`` are the constants that the tree was read with, ``constants`` those that it would be. Earlier notes
    are taken as they were, and nothing else of the variant. Returns
    ``snapshot`` itself where the variant changes nothing that a snapshot holds. Raises :class:`VariantError` for a note
    that is not there, and :class:`brvtui.tree.history.git.RevisionError`.
    """
    if variant.earlier is not None:
        if variant.earlier.difference is None:
            return variant.earlier.snapshot or snapshot
        signals = tuple(change for change in variant.earlier.signals if change.path in snapshot.by_path)
        # The signals first: what is revised is not on disk, and would be read from there again.
        before = _with_signals(snapshot, constants, now_ms, signals) if signals else snapshot
        return revised(before, constants, now_ms, variant.earlier.difference)
    made = snapshot
    is_read_alike = (constants.limits, constants.signals) == (read_with.limits, read_with.signals)
    if variant.days or not is_read_alike:
        made = _read_again(snapshot, constants, now_ms, is_read_alike)
    if variant.signals:
        made = _with_signals(made, constants, now_ms, variant.signals)
    if variant.revision or variant.without:
        made = _with_notes(made, constants, now_ms, variant)
    elif variant.edit is not None:
        edit = variant.edit
        saved = edit_after_save(made, now_ms, edit.path, edit.data, edit.keep_mtime)
        made = edited(made, constants, now_ms, saved)
    return made


def _read_again(snapshot: Snapshot, constants: TreeConstants, now_ms: float, is_read_alike: bool) -> Snapshot:
    before = replace(snapshot, postings=snapshot.postings.detached())
    made = update(before, (), constants, now_ms, snapshot.stored) if is_read_alike else None
    if made is None:
        made = load(snapshot.project, constants, now_ms, snapshot.stored, before)
    assert made is not None  # nobody cancels
    return replace(made, generation=UNPUBLISHED)


def _with_signals(
    snapshot: Snapshot, constants: TreeConstants, now_ms: float, changes: tuple[SignalChange, ...]
) -> Snapshot:
    by_note: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for change in changes:
        by_note[_known(snapshot, change.path)][change.name] = change.value
    stored = {
        path: replace(snapshot.signals[snapshot.by_path[path]], source=Source.OVERLAY, **values)
        for path, values in by_note.items()
    }
    return with_signals(snapshot, constants, now_ms, stored)


def _with_notes(snapshot: Snapshot, constants: TreeConstants, now_ms: float, variant: Variant) -> Snapshot:
    difference = Difference({}, frozenset())
    if variant.revision:
        difference = difference_to(snapshot, Revision(snapshot.project.tree, variant.revision))
    edits = dict(difference.edits)
    if variant.edit is not None:
        edit = variant.edit
        edits[edit.path] = edit_after_save(snapshot, now_ms, edit.path, edit.data, edit.keep_mtime)
    left_out = frozenset(_known(snapshot, path) for path in variant.without)
    return revised(snapshot, constants, now_ms, Difference(edits, difference.removed | left_out))


def _known(snapshot: Snapshot, path: str) -> str:
    if path not in snapshot.by_path:
        raise VariantError(f"{shortened(path, 80)}: no such note; write its path below the tree")
    return path
