"""Drafts: unsaved texts of notes, stored so that a crash loses none (``docs/explanation/safe-saving.md``, "Drafts")."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from brvtui.disk import writing
from brvtui.disk.locks import is_running, own_identity
from brvtui.store.folders import tree_folder
from brvtui.store.state_file import read_state, set_aside_if_damaged, write_state

_FOLDER = "drafts"
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsaved text of the note at ``path``. ``data`` contains the bytes that a save would write.

    ``base`` is the SHA-256 of the text that was edited (None for a new note). ``at_ms`` is the time when the draft was
    stored, in milliseconds since 1970. ``process`` is the id of the process that stored the draft. ``started``
    distinguishes this process from later ones with the same id; it is empty if the system cannot tell. ``inode`` is the
    inode of the edited file, or 0 if it is unknown.
    """

    path: str
    data: bytes
    base: str | None
    at_ms: float
    process: int
    started: str = ""
    inode: int = 0

    def is_on(self, sha256: str | None) -> bool:
        """True if the draft is an edit of the text with the digest ``sha256`` (None if there was no note)."""
        return self.base == sha256

    @property
    def is_own(self) -> bool:
        """True if this process stored the draft."""
        return self.process == os.getpid() and self.started in ("", own_identity())

    @property
    def is_being_edited(self) -> bool:
        """True if another running process is editing the draft."""
        return not self.is_own and is_running(self.process, self.started)


class DraftStore:
    """The drafts of one context tree, stored in the tool's data folder, with one JSON file per draft.

    A note has one draft for each process that edited it, and one for each text that could not be saved.
    """

    def __init__(self, tree: Path) -> None:
        """Manages the drafts of ``tree``. Their folder need not exist."""
        self.folder = tree_folder(tree) / _FOLDER

    def keep(self, path: str, data: bytes, base: str | None, now_ms: float, inode: int = 0) -> None:
        """Stores ``data`` as this process's draft of the note at ``path``, replacing its previous draft.

        Keeps other processes' drafts, except abandoned ones with the same text. Raises OSError if the data folder is
        not writable.
        """
        own = self._own_file(path)
        self._write(own, Draft(path, data, base, now_ms, os.getpid(), own_identity(), inode))
        for file, draft in self._of(path):
            if file != own and draft.data == data and not draft.is_being_edited:
                writing.remove(file)

    def add(self, draft: Draft) -> None:
        """Stores ``draft`` in addition to the note's other drafts. Replaces an added draft with the same text.

        Raises OSError.
        """
        self._write(self._added_file(draft), draft)

    def read(self, path: str) -> Draft | None:
        """Returns one draft of the note at ``path``; None if there is none, or if its file is broken.

        Prefers this process's own draft, then abandoned drafts, newest first, then drafts that other processes are
        editing.
        """
        return next((draft for _, draft in self._of(path)), None)

    def all(self) -> tuple[Draft, ...]:
        """Returns all drafts, newest first. Skips broken files."""
        found = filter(None, map(_draft, self.folder.glob("*.json")))
        return tuple(sorted(found, key=lambda draft: (-draft.at_ms, draft.path)))

    def drop(self, path: str) -> None:
        """Removes the draft that :meth:`read` returns, unless another process is editing it.

        Raises OSError if the draft cannot be removed.
        """
        for file, draft in self._of(path)[:1]:
            if not draft.is_being_edited:
                writing.remove(file)

    def recover(self) -> None:
        """Recovers drafts that a killed process had written but not yet renamed. Removes its incomplete files.

        Raises OSError.
        """
        for part in writing.abandoned_parts(self.folder):
            draft = _draft(part)
            if draft is not None:
                newest = self.read(draft.path)
                if newest is None or newest.at_ms < draft.at_ms:
                    self.add(draft)
            writing.remove(part)

    def set_damaged_aside(self) -> None:
        """Renames damaged files, but does not remove them, because they may contain a user's text. Raises OSError."""
        for file in self.folder.glob("*.json"):
            set_aside_if_damaged(file, dict)

    def _write(self, file: Path, draft: Draft) -> None:
        text = draft.data.decode("utf-8", "surrogateescape")
        value = {name: entry for name, entry in asdict(draft).items() if name != "data"}
        write_state(file, {**value, "text": text})

    def _of(self, path: str) -> list[tuple[Path, Draft]]:
        """Returns the drafts of the note at ``path`` with their files, in the order of preference of :meth:`read`."""
        own = self._own_file(path)
        files = (self.folder / f"{_name(path)}.json", *self.folder.glob(f"{_name(path)}-*.json"))
        found = [(file, draft) for file in files if (draft := _draft(file)) and draft.path == path]
        return sorted(
            found, key=lambda entry: (entry[0] != own or not entry[1].is_own, entry[1].is_being_edited, -entry[1].at_ms)
        )

    def _own_file(self, path: str) -> Path:
        process = hashlib.sha256(f"{os.getpid()} {own_identity()}".encode()).hexdigest()[:_DIGITS]
        return self.folder / f"{_name(path)}-{process}.json"

    def _added_file(self, draft: Draft) -> Path:
        return self.folder / f"{_name(draft.path)}-{hashlib.sha256(draft.data).hexdigest()[:_DIGITS]}.json"


def _name(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:_DIGITS]


def _draft(file: Path) -> Draft | None:
    try:
        value: Any = read_state(file)
        path, text, base = value["path"], value["text"], value["base"]
        at_ms, process, started = float(value["at_ms"]), int(value["process"]), value.get("started", "")
        inode = int(value.get("inode", 0))
        data = text.encode("utf-8", "surrogateescape")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return None
    if not isinstance(path, str) or not (base is None or isinstance(base, str)) or not isinstance(started, str):
        return None
    return Draft(path, data, base, at_ms, process, started, inode)
