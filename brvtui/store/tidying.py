"""Prepares the tool's own files about a tree before they are read: permissions, leftovers and damaged files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from brvtui.disk import writing
from brvtui.store import kept_answers
from brvtui.store.drafts import Draft, DraftStore
from brvtui.store.folders import config_folder, data_folder, tree_cache, tree_folder
from brvtui.store.state_file import set_aside, set_aside_if_damaged
from brvtui.text.visible import visible
from brvtui.tree.saving.leftovers import UnsavedText, clear_leftovers

_GONE = "gone"
"""The identity of a process that has ended."""


def tidy(tree: Path, now_s: float) -> tuple[str, ...]:
    """Cleans up after killed processes and damaged disks. Returns a line for each file that the user should check.

    Makes the tool's own folders for ``tree`` private, removes temporary files of processes that have ended, stores the
    texts that they were saving as drafts, and renames damaged files. ``now_s`` is the time of the system's clock in
    seconds. Raises no errors.
    """
    own, cache = tree_folder(tree), tree_cache(tree)
    for folder in (own, cache, data_folder() / "crashes"):
        writing.close_to_others(folder)
    for folder in (own.parent, cache.parent):
        writing.close_folder(folder)
    caches = (cache / "vectors", cache / kept_answers.FOLDER)
    for folder in (own, *caches, own / "feedback", data_folder(), config_folder()):
        for part in writing.abandoned_parts(folder):
            with suppress(OSError):
                writing.remove(part)
    drafts = DraftStore(tree)
    with suppress(OSError):
        drafts.set_damaged_aside()
        drafts.recover()
    for file in _state_files(own):
        with suppress(OSError):
            set_aside_if_damaged(file)
    left = clear_leftovers(tree, now_s, _Keeper(drafts).keep).kept
    damaged = [visible(str(file)) for folder in (own, drafts.folder) for file in set_aside(folder)]
    return (
        *(f"{path}: this text is left over from an interrupted save; read it, then remove it" for path in left),
        *(f"{file}: damaged, so it was not used; save what you need, then remove it" for file in damaged),
    )


def _state_files(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(folder.glob("*.json"))


class _Keeper:
    """Stores each unsaved text as a draft, unless the note already has a draft with that text."""

    def __init__(self, drafts: DraftStore) -> None:
        self._drafts = drafts
        self._held: dict[str, list[bytes]] | None = None

    def keep(self, text: UnsavedText) -> bool:
        """Stores ``text`` as a draft. Returns False if no draft can be written."""
        if self._held is None:
            self._held = {}
            for draft in self._drafts.all():
                self._held.setdefault(draft.path, []).append(draft.data)
        texts = self._held.setdefault(text.path, [])
        if text.data in texts or (not text.is_whole and any(data.startswith(text.data) for data in texts)):
            return True
        try:
            self._drafts.add(Draft(text.path, text.data, text.base, text.at_ms, text.process, _GONE))
        except OSError:
            return False
        texts.append(text.data)
        return True
