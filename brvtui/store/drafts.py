"""Drafts: unsaved texts of the editor, kept so that a crash loses none (``docs/editing.md``, "Drafts")."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui.regular_files import LARGEST
from brvtui.store import atomic
from brvtui.store.folders import tree_folder
from brvtui.tree.reading.json_file import read_json
from brvtui.tree.saving.leftovers import is_running

_FOLDER = "drafts"
_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Draft:
    """An unsaved text of the note at ``path``, as the bytes that a save would write.

    ``base`` is the SHA-256 of the text that was edited (None for a new note), ``at_ms`` the time of keeping in
    milliseconds since 1970, ``process`` the id of the process that kept it.
    """

    path: str
    data: bytes
    base: str | None
    at_ms: float
    process: int

    def is_on(self, sha256: str | None) -> bool:
        """Whether the draft is an edit of the text with this digest; None for a note that does not exist."""
        return self.base == sha256

    @property
    def is_being_edited(self) -> bool:
        """Whether another running process is editing it."""
        return self.process != os.getpid() and is_running(self.process)


class DraftStore:
    """The drafts of one context tree, a JSON file each, in the tool's data folder.

    A note has one, or one for each process that is editing it.
    """

    def __init__(self, tree: Path) -> None:
        """The folder of the drafts need not exist."""
        self.folder = tree_folder(tree) / _FOLDER

    def keep(self, path: str, data: bytes, base: str | None, now_ms: float) -> None:
        """Writes ``data`` as the draft of the note at ``path``, in place of the one before.

        Leaves a draft that another process is editing. Raises OSError when the data folder cannot be written.
        """
        text = data.decode("utf-8", "surrogateescape")
        value = {"path": path, "base": base, "at_ms": now_ms, "process": os.getpid(), "text": text}
        found = _draft(self._file(path))
        file = self._own_file(path) if found and found.is_being_edited else self._file(path)
        atomic.write(file, json.dumps(value, indent=1))

    def read(self, path: str) -> Draft | None:
        """The draft of the note at ``path``; None when there is none, or its file is broken.

        This process's own draft comes first, then abandoned ones, newest first, then those that others are editing.
        """
        return next((draft for _, draft in self._of(path)), None)

    def all(self) -> tuple[Draft, ...]:
        """Every draft, newest first, without broken files."""
        found = filter(None, map(_draft, self.folder.glob("*.json")))
        return tuple(sorted(found, key=lambda draft: (-draft.at_ms, draft.path)))

    def drop(self, path: str) -> None:
        """Removes the draft that :meth:`read` returns, unless another process is editing it.

        Raises OSError when it cannot be removed.
        """
        file, draft = next(iter(self._of(path)), (self._file(path), None))
        if draft is None or not draft.is_being_edited:
            file.unlink(missing_ok=True)

    def _of(self, path: str) -> list[tuple[Path, Draft]]:
        """The drafts of the note at ``path`` with their files, in the order of :meth:`read`."""
        files = (self._file(path), *self.folder.glob(f"{_name(path)}-*.json"))
        found = [(file, draft) for file in files if (draft := _draft(file)) and draft.path == path]
        own = os.getpid()
        return sorted(found, key=lambda entry: (entry[1].process != own, entry[1].is_being_edited, -entry[1].at_ms))

    def _file(self, path: str) -> Path:
        return self.folder / f"{_name(path)}.json"

    def _own_file(self, path: str) -> Path:
        return self.folder / f"{_name(path)}-{os.getpid()}.json"


def _name(path: str) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:_DIGITS]


def _draft(file: Path) -> Draft | None:
    try:
        value: Any = read_json(file, LARGEST)
        path, text, base = value["path"], value["text"], value["base"]
        at_ms, process = float(value["at_ms"]), int(value["process"])
        data = text.encode("utf-8", "surrogateescape")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        return None
    if not isinstance(path, str) or not (base is None or isinstance(base, str)):
        return None
    return Draft(path, data, base, at_ms, process)
