"""A lock that lets only one process write to one of the tool's own folders. Other processes only read."""

from __future__ import annotations

import os
from pathlib import Path

from brvtui.disk import writing
from brvtui.disk.locks import lock_at_once

_NAME = "lock"


class WriterLock:
    """The lock of a folder, held from the first :meth:`take` until :meth:`close`, or until the process ends."""

    def __init__(self, folder: Path) -> None:
        """Creates neither the lock nor the folder, which need not exist."""
        self._path = folder / _NAME
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Acquires the lock, and creates the folder. Returns True if this process may write. Raises OSError."""
        if self._descriptor is not None and not self._is_in_place(self._descriptor):
            self.close()  # if the folder was removed, the lock file of a new folder is a different file
        if self._descriptor is None:
            descriptor = writing.open_lock_file(self._path)
            if not lock_at_once(descriptor):
                os.close(descriptor)
                return False
            self._descriptor = descriptor
        return True

    def close(self) -> None:
        """Releases the lock, so that another process can write."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _is_in_place(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), self._path.stat())
        except OSError:
            return False
