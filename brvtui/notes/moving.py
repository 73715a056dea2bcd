"""Plans moves of notes and folders, with changes to the links to and inside the moved notes.

See ``docs/explanation/safe-saving.md``, "Moving".
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from brvtui.lab.backlinks import LinkIndex
from brvtui.notes.applying import is_taken, read_content
from brvtui.notes.plan import FileContent, Move, MoveFolder, NoteError, Plan, Record, Recorded, Step, Write
from brvtui.notes.signals import SignalSources
from brvtui.snapshot import Snapshot
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.editing.fields import double_quoted, scalar
from brvtui.tree.reading.files import ARCHIVE, CONTEXT_FILE, Role, role_of
from brvtui.tree.reading.inside import PathError, folder_parts_of, parts_of
from brvtui.tree.reading.links import (
    MOST_LINKS,
    Link,
    LinkKind,
    LinkState,
    Names,
    Resolved,
    Written,
    links_in,
    normalised,
)
from brvtui.tree.saving.file_version import digest
from brvtui.tree.saving.folders import is_empty_folder
from brvtui.tree.saving.note_files import SaveError

# Rewrites links to a moved note, each in its original form, with its quotes and extension.


_ESCAPED = re.compile(r"[\s\x00-\x1f()<>%#?\\\"'`\[\]]")
_ESCAPED_IN_ANGLES = re.compile(r"[\x00-\x1f\x7f<>%#?\\`\u2028\u2029\x85]")


def relinked(text: str, found: Resolved, source: str, target: str, names: Names) -> str | None:
    """Returns the text to write in place of the link, so that it leads to ``target``.

    ``source`` is the path of the note that contains the link, and ``names`` are the names in the tree, both after the
    move. Returns None if a link of this kind cannot lead to ``target``.
    """
    link = found.link
    written = text[link.start : link.end]
    path = _relinked_path(found, written, source, target)
    text_of_link = _written_as(link, written, path)
    candidates = (text_of_link, text_of_link.removesuffix(".md"))  # a relation to a stub cannot end in .stub.md
    return next((each for each in candidates if _target_of(link, each, source, names) == target), None)


def _relinked_path(found: Resolved, written: str, source: str, target: str) -> str:
    path = normalised(target) if found.written is Written.NORMALISED and found.state is LinkState.NOTE else target
    if found.written is Written.RELATIVE:
        path = posixpath.relpath(target, posixpath.dirname(source) or ".")
        if written.startswith("./") and not path.startswith("."):
            path = f"./{path}"
    if found.state is LinkState.NOTE and not found.ending:
        path = path.removesuffix(".md")
    return f"{path}/" if written.endswith("/") else path


def _written_as(link: Link, written: str, path: str) -> str:
    if link.kind is LinkKind.RELATION:
        return f"@{path}"
    if link.kind is LinkKind.MARKDOWN:
        escaped = _ESCAPED_IN_ANGLES if link.quote else _ESCAPED
        return escaped.sub(lambda character: quote(character[0], safe=""), path)
    value = f"@{path}" if written.lstrip("'\"").startswith("@") else path
    if link.quote == '"':
        return double_quoted(value)
    plain = scalar(value, link.in_flow)
    if link.quote == "'" and plain == value:
        return f"'{value.replace(chr(39), chr(39) * 2)}'"
    return plain


def _target_of(link: Link, replacement: str, source: str, names: Names) -> str:
    """Returns the path that ``replacement`` would lead to in place of ``link``; empty if it would not be a link."""
    if link.kind is LinkKind.MARKDOWN:
        around = f"[text](<{replacement}>)" if link.quote else f"[text]({replacement})"
    elif link.kind is LinkKind.RELATION:
        around = replacement
    else:
        around = f"---\nrelated: [{replacement}]\n---\n" if link.in_flow else f"---\nrelated:\n  - {replacement}\n---\n"
    read = links_in(around)
    if len(read) != 1 or around[read[0].start : read[0].end] != replacement:
        return ""
    return names.resolve(read[0], source).path


_BESIDE = (".abstract.md", ".overview.md")
_NAMED_EACH = 3


@dataclass(frozen=True, eq=False)
class Relocation:
    """A move of a note or folder. ``files`` maps the old path of each moved Markdown file to its new path."""

    snapshot: Snapshot
    index: LinkIndex
    path: str
    target: str
    files: dict[str, str]
    is_folder: bool

    def to(self, path: str) -> str:
        """Returns the path of the file or folder at ``path`` after the move."""
        if self.is_folder and f"{path}/".startswith(f"{self.path}/"):
            return f"{self.target}{path[len(self.path) :]}"
        return self.files.get(path, path)

    @cached_property
    def names(self) -> Names:
        """The names in the tree after the move."""
        return Names(self.to(path) for path in self.index.names[""].files)

    @cached_property
    def sources(self) -> list[str]:
        """The paths of the notes whose links may change: moved notes, and notes with links to moved files."""
        moving = [*self.files, *(folder for folder in self.index.names[""].folders if self.to(folder) != folder)]
        linking = (link.source for path in moving for link in self.index.backlinks(path))
        searched = (path for path in {*self.files, *linking} if path in self.snapshot.by_path)
        return sorted(path for path in searched if role_of(path) in (Role.NOTE, Role.CONTEXT))


def plan_move(
    snapshot: Snapshot,
    index: LinkIndex,
    path: str,
    target: str,
    stored: Callable[[str], SignalSources],
    keep_mtimes: bool = True,
) -> Plan:
    """Returns a plan that moves the note or folder at ``path``, and rewrites links to and inside the moved notes.

    ``stored`` returns a note's stored signals. With ``keep_mtimes``, notes that change only in their links keep their
    modification times, and so their recency. Raises :class:`NoteError`.
    """
    tree = snapshot.project.tree
    moved = _moved(snapshot, index, path, target)
    steps: list[Step] = []
    notices: list[str] = []
    try:
        if moved.is_folder:
            steps.append(MoveFolder(path, target))
        else:
            steps += [Move(old, new, digest(read_content(tree, old).data)) for old, new in moved.files.items()]
        for source in moved.sources:
            before = read_content(tree, source)
            after, left = relinked_text(tree, moved, source, before.data)
            notices += left
            if after != before.data:
                content = FileContent(after, before.mtime_ns if keep_mtimes else None, before.mode)
                steps.append(Write(moved.to(source), before, content))
    except SaveError as error:
        raise NoteError(str(error)) from error
    signals = {old: stored(old) for old in moved.files}
    records = tuple(_records(moved, signals, stored))
    if records:
        steps.append(Record(records))
    notices += [*_signal_notices(signals), *_archive_notices(moved), *_name_notices(target)]
    return Plan(f"move {path} to {target}", tuple(steps), tuple(notices))


def _moved(snapshot: Snapshot, index: LinkIndex, path: str, target: str) -> Relocation:
    tree = snapshot.project.tree
    own = index.names[""].files
    is_folder = path not in own and path in index.names[""].folders
    try:
        (folder_parts_of if is_folder else parts_of)(target)
    except PathError as error:
        raise NoteError(str(error)) from error
    is_file = path in own
    if not is_folder and not is_file and is_taken(tree, path):
        raise NoteError(
            f"{path}: the engine does not see it, and links to it would not be updated: rename it in a shell"
        )
    _check_names(path, target, is_folder, is_file)
    if is_folder:
        files = {old: f"{target}{old[len(path) :]}" for old in sorted(own) if old.startswith(f"{path}/")}
    else:
        stem, new_stem = path.removesuffix(".md"), target.removesuffix(".md")
        files = {path: target}
        files |= {f"{stem}{end}": f"{new_stem}{end}" for end in _BESIDE if f"{stem}{end}" in own}
    taken = next((new for new in ([target] if is_folder else files.values()) if is_taken(tree, new)), "")
    if taken and not (is_folder and is_empty_folder(tree, taken)):
        raise NoteError(f"{taken}: already exists; choose another name")
    return Relocation(snapshot, index, path, target, files, is_folder)


def _check_names(path: str, target: str, is_folder: bool, is_file: bool) -> None:
    if not is_folder and not is_file:
        raise NoteError(f"{path}: no such note or folder; check the tree")
    for name in (path, target):
        if f"{name}/".startswith(f"{ARCHIVE}/"):
            raise NoteError(
                f"{name}: files in {ARCHIVE} must keep the names that the engine gave them; restore the note first"
            )
        if not is_folder and role_of(name) not in (Role.NOTE, Role.CONTEXT):
            raise NoteError(f"{name}: this is the name of a file that is generated from notes; choose another")
    if target == CONTEXT_FILE:
        raise NoteError(
            f"{target}: at the root of the tree, this file makes all of the engine's searches fail; choose a folder"
        )
    if "\\" in target:
        raise NoteError(f"{target}: the engine reads \\ as a folder separator; choose another name")
    if is_folder and f"{target}/".startswith(f"{path}/"):
        raise NoteError(f"{target}: this is the folder {path} or a place inside it; choose another place")


def relinked_text(tree: Path, moved: Relocation, source: str, data: bytes) -> tuple[bytes, list[str]]:
    """Returns the text of ``source`` with rewritten links, and notices about unchanged links."""
    text = data.decode("utf-8", "surrogateescape")
    pieces: list[str] = []
    left: list[str] = []
    done = 0
    links = links_in(text)
    for link in links:
        found = moved.index.names[""].resolve(link, source)
        if not _must_relink(tree, moved, found, source):
            continue
        target = moved.to(found.path)
        replacement = relinked(text, found, moved.to(source), target, moved.names)
        if replacement is None:
            written = text[link.start : link.end]
            left.append(
                f"{source}, line {link.line}: {written} is not updated, because such a link cannot point to {target}"
            )
            continue
        pieces += [text[done : link.start], replacement]
        done = link.end
    if len(links) == MOST_LINKS:
        left.append(f"{source}: links after its first {MOST_LINKS:,} are not updated")
    return "".join([*pieces, text[done:]]).encode("utf-8", "surrogateescape"), left


def _must_relink(tree: Path, moved: Relocation, found: Resolved, source: str) -> bool:
    """True if the link must be rewritten because it would otherwise lead to another place after the move."""
    if found.state in (LinkState.BROKEN, LinkState.REFUSED):
        return False
    target = moved.to(found.path)
    if target == found.path and (found.written is not Written.RELATIVE or moved.to(source) == source):
        return False
    if found.state is LinkState.FOREIGN:
        return is_taken(tree, found.path) and moved.names.resolve(found.link, moved.to(source)).path != target
    return moved.names.resolve(found.link, moved.to(source)).path != target


def _records(
    moved: Relocation, signals: dict[str, SignalSources], stored: Callable[[str], SignalSources]
) -> Iterator[Recorded]:
    """Yields changes to the overlay: recorded signals move with their notes."""
    for old, own in signals.items():
        if own.overlay:
            yield Recorded(old, own.overlay, None)
            yield Recorded(moved.to(old), stored(moved.to(old)).overlay, own.overlay)


def _signal_notices(signals: dict[str, SignalSources]) -> Iterator[str]:
    """Yields notices about signals under old paths in places where the tool does not write."""
    in_sidecar = {old: entry.sidecar for old, entry in signals.items() if entry.sidecar}
    if len(in_sidecar) == 1:
        old, entry = next(iter(in_sidecar.items()))
        was = f"importance {entry.importance:g}, {entry.maturity}"
        yield f"{old}: becomes a new note for ByteRover, whose own store has its signals under the old name ({was})"
    elif in_sidecar:
        yield f"{len(in_sidecar)} notes become new for ByteRover, whose own store has their signals under the old names"
    in_file = [old for old, entry in signals.items() if entry.given]
    if in_file:
        whose = in_file[0] if len(in_file) == 1 else f"{len(in_file)} notes"
        yield f"{whose}: the signals file still has the old path; change it there, or its signals are lost"


def _archive_notices(moved: Relocation) -> Iterator[str]:
    """Yields notices about archived notes that would be restored to their old paths."""
    there = [archived_as(old).stub for old in moved.files]
    if moved.is_folder:
        there = [path for path in moved.index.names[""].files if path.startswith(f"{ARCHIVE}/{moved.path}/")]
    stubs = sorted(path for path in there if path in moved.snapshot.by_path and role_of(path) is Role.STUB)
    if len(stubs) > _NAMED_EACH:
        yield f"{len(stubs)} archived notes below {ARCHIVE}/{moved.path} will return to their old paths when restored"
    else:
        for stub in stubs:
            yield f"{stub}: will return to its old path when restored"


def _name_notices(target: str) -> Iterator[str]:
    if ":" in target:
        yield f"{target}: because of the : in this name, ByteRover 3.14 ignores the stored signals of all notes"
