"""Follows the symlinks of a revision in the same way as a walk of its checkout would."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from brvtui import faults
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.files import IRREGULAR, LINKED_FOLDER, link_reason, unread_name

_MOST_FOLLOWED = 40
_MOST_PARTS = 4_000_000
"""The maximum number of path components that are resolved for all links together. That takes about 4 seconds."""


class CommittedLinks:
    """The symlinks of a checkout. Outside of the repository, the links on disk are followed."""

    def __init__(self, top: str, tree: str, modes: Mapping[str, int]) -> None:
        """``top`` is the repository's folder, ``tree`` the tree in it, and ``modes`` contains every path in ``top``."""
        self._top = f"{top.rstrip('/')}/"
        self._tree = f"{self._top}{tree}".rstrip("/")
        self._modes = modes
        self._left = _MOST_PARTS
        self.targets: dict[str, str] = {}
        """The text of each link that was read, by the link's path in the repository."""

    def reason(self, path: str) -> str:
        """The reason why the link at ``path`` is not read; empty if its name is not that of a note.

        Raises KeyError with the path of a link that :attr:`targets` lacks, and RevisionError if all links together
        lead through too many folders.
        """
        name, failure, target, mode = path.rpartition("/")[2], "", "", 0
        try:
            target, mode = self._followed(f"{self._top}{path}")
        except OSError as error:
            failure = f"cannot be read: {faults.reason(error)}"
        if stat.S_ISDIR(mode):
            return LINKED_FOLDER
        if unread_name(name) or not name.endswith(".md"):
            return unread_name(name)
        return failure or (link_reason(target, self._tree) if stat.S_ISREG(mode) else IRREGULAR)

    def _followed(self, path: str) -> tuple[str, int]:
        """The absolute path to which ``path`` leads, and the mode found there. Raises OSError, like ``os.stat``."""
        place, left, followed = "", path.split("/")[::-1], 0
        while left:
            part = left.pop()
            self._left -= 1
            if self._left < 0:
                raise RevisionError(f"{self._tree}: its links pass through too many others; choose another revision")
            if part == "..":
                place = place.rpartition("/")[0]
            elif part not in ("", "."):
                above, place = place, f"{place}/{part}"
                mode = self._mode(place)
                if stat.S_ISLNK(mode):
                    followed += 1
                    if followed > _MOST_FOLLOWED:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    target = self._target(place)
                    place = "" if target.startswith("/") else above
                    left += target.split("/")[::-1]
                elif left and not stat.S_ISDIR(mode):
                    raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return place, self._mode(place)

    def _mode(self, place: str) -> int:
        if not place.startswith(self._top):
            return os.lstat(place or "/").st_mode
        mode = self._modes.get(place.removeprefix(self._top))
        if mode is None:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return mode

    def _target(self, place: str) -> str:
        is_inside = place.startswith(self._top)
        return self.targets[place.removeprefix(self._top)] if is_inside else str(Path(place).readlink())
