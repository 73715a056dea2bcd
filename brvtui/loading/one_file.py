"""Reads one file of the tree, and returns its entry in the snapshot and its terms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from brvtui import faults
from brvtui.snapshot import Parsed
from brvtui.text.analysis import utf16
from brvtui.text.segment import NoteTerms, TermIds, note_terms
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.conflicts import has_conflict
from brvtui.tree.reading.contents import Unseen, read_bytes, read_note, title_of, updated_ms
from brvtui.tree.reading.files import SEARCHABLE, Role, TreeFile
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.signals import NoteSignals, from_frontmatter, names_signals

_SUMMARY_ORDERS = range(4)
_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file of the project's own tree with edited content. ``path`` is relative to the tree."""

    path: str
    data: bytes
    mtime_ns: int

    @property
    def file(self) -> TreeFile:
        """The file as a walk would list it. It never equals a file on disk."""
        return TreeFile(self.path, len(self.data), self.mtime_ns, _NOWHERE, _NOWHERE)


def counted_size(file: TreeFile, limits: ReadingLimits) -> int:
    """Returns the number of bytes that ``file`` adds to the size of a project; 0 if it is too large to be read."""
    return file.size if file.size <= limits.max_file_bytes else 0


def is_same(known: Parsed, file: TreeFile) -> bool:
    """True if ``file`` has not changed since its entry ``known`` was read.

    A save can preserve the mtime, the size and even the inode, but never the ctime.
    """
    was = (known.mtime_ns, known.size, known.inode, known.ctime_ns)
    return was == (file.mtime_ns, file.size, file.inode, file.ctime_ns)


def read_file(
    tree: Path,
    alias: str,
    file: TreeFile,
    limits: ReadingLimits,
    ids: TermIds,
    completed_by: NoteSignals | None,
    edit: EditedFile | None,
) -> tuple[Parsed, NoteTerms | None]:
    """Returns the entry of ``file`` below ``tree``, and its terms if it is a note. Raises no errors.

    If ``edit`` is given, its content is read instead of the file. Signals in frontmatter are read only if
    ``completed_by`` is given, which provides missing values.
    """
    role = file.role
    identity = (alias, file.path, file.mtime_ns, file.size, file.inode, file.ctime_ns)
    if role not in SEARCHABLE and role not in (Role.SUMMARY, Role.ABSTRACT):
        return Parsed(*identity), None
    try:
        read = read_bytes(edit.data, limits) if edit else read_note(tree / file.path, file.size, limits)
    except Unseen as reason:
        return Parsed(*identity, unseen=str(reason)), None
    except OSError as error:
        return Parsed(*identity, unseen=f"cannot be read: {faults.reason(error)}"), None
    chars = len(read.text) if read.text.isascii() else len(utf16(read.text))
    if role is Role.ABSTRACT:
        return Parsed(*identity, chars=chars), None
    own = from_frontmatter(read.text, completed_by) if completed_by and not alias else None
    if role is Role.SUMMARY:
        order, tokens = _summary(read.text)
        return Parsed(*identity, summary_order=order, summary_tokens=tokens, frontmatter_signals=own, chars=chars), None
    title = title_of(read.text, file.path.rsplit("/", 1)[-1])
    terms = note_terms(title, read.text, file.path, ids)
    parsed = Parsed(
        *identity,
        title,
        True,
        read.cut_lines,
        read.cut_units,
        own,
        chars=chars,
        updated_ms=updated_ms(read.text),
        has_unusable_signals=own is None and completed_by is not None and not alias and names_signals(read.text),
        has_conflict=has_conflict(read.text),
    )
    return parsed, terms


def _summary(text: str) -> tuple[int | None, int | None]:
    fields = parse(text).fields
    if fields.get("type") != "summary" or "condensation_order" not in fields:
        return None, None
    order = _as_number(fields["condensation_order"])
    tokens = _as_number(fields.get("token_count"))
    return (
        int(order) if order is not None and order in _SUMMARY_ORDERS else None,
        None if tokens is None else int(tokens),
    )


def _as_number(value: object) -> float | None:
    """Converts ``value`` to a number as JavaScript does. Returns None if the result is not a finite number."""
    if isinstance(value, list) and len(value) <= 1:
        return _as_number(value[0] if value else None)
    if value is None or value == "":
        return 0
    try:
        number = float(value) if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
