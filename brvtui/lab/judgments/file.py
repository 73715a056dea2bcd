"""The judgments file of a project: changed by one process at a time, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from brvtui import faults
from brvtui.disk import writing
from brvtui.disk.locks import locked
from brvtui.lab.judgments.model import Judgment, JudgmentsError
from brvtui.lab.judgments.reading import LARGEST, parse_judgments
from brvtui.lab.judgments.writing import CannotEdit, edited_text, new_text
from brvtui.regular_files import read_regular
from brvtui.tree.reading.inside import read_inside
from brvtui.tree.reading.project import MARKER, FoundProject

FOLDER, NAME = "brv-tui", "judgments.toml"
_BARE_FOLDER = ".brv-tui"
Judgments = tuple[Judgment, ...]


class JudgmentsFile:
    """A judgments file. Methods block, and may be called from any thread."""

    def __init__(self, path: Path, trusted: bool) -> None:
        """The file at ``path``. A symlink is followed only in a ``trusted`` path, one that the user gave."""
        self.path = path
        self.trusted = trusted

    @classmethod
    def of(cls, project: FoundProject) -> JudgmentsFile:
        """The file of ``project``: ``.brv/brv-tui/judgments.toml``, or below ``.brv-tui`` if there is no ``.brv``."""
        marker = (project.root / MARKER).resolve()
        if not marker.is_dir():
            return cls(project.root / _BARE_FOLDER / NAME, False)
        return cls(marker / FOLDER / NAME, False)

    def read(self) -> Judgments:
        """Its judgments, in the order of the file; none when there is no file. Raises :class:`JudgmentsError`."""
        data = self._data()
        return () if data is None else parse_judgments(data, str(self.path))

    def change(self, edit: Callable[[Judgments], Judgments]) -> Judgments:
        """Replaces its judgments by what ``edit`` makes of them, and returns these.

        ``edit`` gets what the file holds when nobody else can change it any more. What it leaves alone keeps its
        comments and formatting. Raises :class:`JudgmentsError`, and then the file is as it was: a file that cannot be
        read is never overwritten.
        """
        folder = self.path.parent
        try:
            if not self.trusted and folder.is_symlink():
                raise JudgmentsError(
                    f"{folder}: a symlink, which may lead out of the project; put a folder in its place"
                )
            writing.make_ordinary_folder(folder)
            with locked(folder):
                self._clear_up(folder)
                data = self._data()
                before = () if data is None else parse_judgments(data, str(self.path))
                after = edit(before)
                if after != before:
                    self._write(data, before, after)
                return after
        except OSError as error:
            raise JudgmentsError(f"cannot be changed: {faults.error_line(error, self.path)}") from error

    def _write(self, data: bytes | None, before: Judgments, after: Judgments) -> None:
        """Writes ``after``, once reading it gives just that. Raises :class:`JudgmentsError` and OSError."""
        try:
            text = new_text(after) if data is None else edited_text(data.decode("utf-8"), before, after)
            made = text.encode("utf-8")
        except CannotEdit as error:
            raise JudgmentsError(f"{self.path}: {error}; edit the file by hand") from error
        except UnicodeEncodeError as error:
            raise JudgmentsError(f"{self.path}: a name that is no UTF-8 cannot be written; rename the note") from error
        if len(made) > LARGEST:
            raise JudgmentsError(
                f"{self.path}: would be larger than {LARGEST} bytes; keep some queries in another file"
            )
        if parse_judgments(made, str(self.path)) != after:
            raise JudgmentsError(f"{self.path}: cannot be changed without touching the rest; edit the file by hand")
        writing.write(self.path, made, private=False)

    def _data(self) -> bytes | None:
        """The bytes of the file; None when there is none. Raises :class:`JudgmentsError`."""
        try:
            if self.trusted:
                return read_regular(self.path, LARGEST, follow_links=True)
            folder = self.path.parent
            return read_inside(folder.parent, f"{folder.name}/{self.path.name}", LARGEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JudgmentsError(f"{self.path}: cannot be read ({faults.reason(error)}); fix that first") from error

    def _clear_up(self, folder: Path) -> None:
        """Removes what killed processes left."""
        for part in writing.abandoned_parts(folder):
            with suppress(OSError):
                writing.remove(part)
