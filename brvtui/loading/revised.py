"""Creates snapshots of a tree whose files differ from those on disk, for example at a git revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from brvtui.loading import EditedFile, load, update
from brvtui.ranking.decay import just_before_ms
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.repository import GIT
from brvtui.tree.history.revision import Revision, content_id
from brvtui.tree.reading.contents import Unseen, read_bytes, updated_ms
from brvtui.tree.reading.files import DUPLICATE, NS_PER_MS, Listing, TreeFile, in_walk_order, possible_documents
from brvtui.tree.reading.signals import NoteSignals, SignalLayers
from brvtui.wording import counted, shortened

# Creates snapshots for what-if questions: with an edited file, or with other stored signals. Writes nothing.


UNPUBLISHED = 0
"""The generation of an unpublished snapshot."""


def edit_after_save(snapshot: Snapshot, now_ms: float, path: str, data: bytes, keep_mtime: bool) -> EditedFile:
    """Returns the file at ``path`` as it would be after saving ``data`` at ``now_ms``.

    With ``keep_mtime``, its modification time stays the same.
    """
    known = snapshot.parsed.get(path)
    saved_ns = just_before_ms(now_ms) * NS_PER_MS
    return EditedFile(path, data, known.mtime_ns if known and keep_mtime else saved_ns)


def edited(snapshot: Snapshot, constants: TreeConstants, now_ms: float, edit: EditedFile) -> Snapshot:
    """Returns ``snapshot`` after ``edit``, as of ``now_ms``, with the generation :data:`UNPUBLISHED`.

    The file may be new. An edit at a path that the engine does not read (dot names, other extensions) changes nothing.
    Updates only the affected parts if possible; otherwise, checks every file of the tree.
    """
    if not edit.path.endswith(".md") or any(part.startswith(".") for part in edit.path.split("/")):
        return _unpublished(snapshot, snapshot.edited)
    _ = snapshot.orders  # computed here once, so that the next preview can use it too
    before = replace(snapshot, postings=snapshot.postings.detached())
    after = update(before, [edit.path], constants, now_ms, snapshot.stored, {edit.path: edit})
    if after is None:
        after = load(snapshot.project, constants, now_ms, snapshot.stored, before, edits=[edit])
    return _unpublished(after, _texts([edit], constants))


def with_signals(
    snapshot: Snapshot, constants: TreeConstants, now_ms: float, signals: Mapping[str, NoteSignals]
) -> Snapshot:
    """Returns ``snapshot`` with other stored signals for some files, as of ``now_ms``.

    Its generation is :data:`UNPUBLISHED`. The new signals have precedence over all other stored signals. An engine that
    ignores stored signals also ignores the new ones.
    """
    stored = snapshot.stored.with_first(signals)
    after = update(snapshot, (), constants, now_ms, stored)
    if after is None:
        after = load(snapshot.project, constants, now_ms, stored, snapshot)
    return _unpublished(after, {})


def _unpublished(snapshot: Snapshot, text: Mapping[str, str]) -> Snapshot:
    return replace(snapshot, generation=UNPUBLISHED, edited=dict(text))


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a tree and another state of it: files with another content or time, files missing there,
    and other stored signals.
    """

    edits: Mapping[str, EditedFile]
    removed: frozenset[str]
    unread: Listing | None = None
    """The files past the limit and the unseen files in the other state; None to use those on disk."""
    signals: Mapping[str, NoteSignals] = field(default_factory=dict)
    """The stored signals that differ, keyed by note path."""
    times: str = ""
    """A sentence about the sources of a revision's file times; empty if all times are those on disk."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that differ."""
        return tuple(sorted({*self.edits, *self.removed, *self.signals}))

    def only(self, paths: Collection[str]) -> Difference:
        """Returns the part of this difference at ``paths``."""
        edits = {path: edit for path, edit in self.edits.items() if path in paths}
        signals = {path: each for path, each in self.signals.items() if path in paths}
        return Difference(edits, self.removed.intersection(paths), signals=signals)


UNCHANGED = Difference({}, frozenset())


def revised(
    snapshot: Snapshot,
    constants: TreeConstants,
    now_ms: float,
    difference: Difference,
    stored: SignalLayers | None = None,
) -> Snapshot:
    """Returns ``snapshot`` with ``difference``, as of ``now_ms``, with the generation :data:`UNPUBLISHED`.

    ``stored`` replaces the stored signals; to change them in ``snapshot`` first would hide the change from the update.
    Updates only the affected parts if possible; otherwise, checks every file of the tree. Writes nothing.
    """
    before = replace(snapshot, postings=snapshot.postings.detached())
    stored = (snapshot.stored if stored is None else stored).with_first(difference.signals)
    edits, removed, unread = tuple(difference.edits.values()), difference.removed, difference.unread
    after = None
    if unread is None:
        files = {**dict.fromkeys(removed), **difference.edits}
        after = update(before, files, constants, now_ms, stored, files)
    if after is None:
        after = load(snapshot.project, constants, now_ms, stored, before, edits=edits, removed=removed, unread=unread)
    return _unpublished(after, _texts(edits, constants))


def revision_of(snapshot: Snapshot, name: str) -> Revision:
    """Returns the revision called ``name`` of the tree of ``snapshot``.

    Raises :class:`brvtui.tree.history.git.RevisionError`, including for a tree behind a symlink that is not followed,
    because the history of such a tree is not read.
    """
    if snapshot.project.link and not snapshot.limits.linked_trees:
        raise RevisionError(snapshot.project.link)
    return Revision(snapshot.project.tree, name)


_CHECKOUT_NS = 3_600_000 * NS_PER_MS
"""The maximum time that a checkout takes to write all files."""


def _time_then(change: tuple[int, bool], text: bytes, file: TreeFile | None, oldest_ns: int) -> tuple[int, str]:
    """The file time of a changed note at a revision, in ns since 1970, and its source.

    ``change`` is the note's last commit, ``text`` its content there, ``file`` its file on disk, and ``oldest_ns`` the
    oldest file time on disk.
    """
    (at_ms, is_exact), source = change, "from the last commit"
    written = None if is_exact else updated_ms(text.decode("utf-8", "replace"))
    if written is not None and written < at_ms:
        at_ms, source = int(written), "from updatedAt"
    if at_ms * NS_PER_MS >= oldest_ns:
        return at_ms * NS_PER_MS, source
    is_fresh = file is not None and file.mtime_ns - oldest_ns < _CHECKOUT_NS
    return file.mtime_ns if file and is_fresh else oldest_ns, "renewed by a checkout"


def difference_to(snapshot: Snapshot, revision: Revision, recorded: Difference = UNCHANGED) -> Difference:
    """The changes from ``snapshot`` to the tree at ``revision``. Reads every note.

    An unchanged or renamed note has the time of its current file. Any other note has the time in ``recorded``, if that
    contains the same text, or the time of its last commit or of ``updatedAt``, but none before the oldest file on disk.
    Notes beyond the maximum number that the engine reads are left out. Raises
    :class:`brvtui.tree.history.git.RevisionError`.
    """
    there, largest = revision.files, snapshot.limits.max_file_bytes
    own = {file.path: file for file in snapshot.files}
    contents = {
        entry.file: text
        for path, entry in snapshot.parsed.items()
        if not entry.alias and (text := content_on_disk(snapshot, path)) is not None
    }
    differing = {
        path
        for path, file in there.items()
        if not (path in contents and file.holds(contents[path]))
        and not (path in own and min(file.size, own[path].size) > largest)
    }
    links = {file.path for file in snapshot.unseen if file.reason == DUPLICATE}
    removed = frozenset((own.keys() | links) - there.keys() - revision.ignored)
    digits = len(next(iter(there.values())).content)
    moved = {content_id(contents[path], digits): own[path] for path in sorted(removed & contents.keys())}
    then: dict[str, tuple[int, str]] = {}
    for path, each in there.items():
        file = own.get(path)
        is_unread = path not in contents and file is not None and file.size == each.size
        file = file if is_unread or path not in differing else moved.get(each.content)
        if file is not None:
            then[path] = (file.mtime_ns, "")
    known = {path for path, each in recorded.edits.items() if path in there and there[path].holds(each.data)}
    then |= {path: (recorded.edits[path].mtime_ns, "recorded before the edit") for path in known}
    oldest_ns = min((file.mtime_ns for file in snapshot.files), default=0)
    commits = revision.last_changes(there.keys() - then.keys(), oldest_ns // NS_PER_MS)
    then |= {path: _time_then(each, b"", own.get(path), oldest_ns) for path, each in commits.items()}
    listed = [file.at(path, then[path][0]) for path, file in there.items()]
    possible = possible_documents(listed, snapshot.limits)
    past_limit = tuple(
        file
        for file in listed
        if file.path not in possible and (file.path not in own or file.mtime_ns != own[file.path].mtime_ns)
    )
    on_disk = tuple(file for file in snapshot.unseen if file.path not in own)
    ignored = [file for file in on_disk if file.path in revision.ignored or file.path == GIT]
    unseen = in_walk_order({file.path: file for file in (*ignored, *revision.unseen)}.values())
    unread = Listing(past_limit, unseen) if past_limit or unseen != on_disk else None
    data = revision.read([path for path in there if path in differing and path in possible], largest)
    then |= {path: _time_then(commits[path], data[path], own.get(path), oldest_ns) for path in commits.keys() & data}
    unchanged = known & own.keys() - differing
    data |= {path: contents[path] for path in unchanged if path in contents and then[path][0] != own[path].mtime_ns}
    edits = {path: EditedFile(path, text, then[path][0]) for path, text in data.items()}
    sources = Counter(source for path in sorted(edits) if (source := then[path][1]))
    times = ", ".join(f"{number} {source}" for source, number in sources.items())
    head = f"file times of {counted(sources.total(), 'note', 'notes')} at {shortened(revision.name)}"
    return Difference(edits, removed, unread, times=f"{head}: {times}" if times else "")


def content_on_disk(snapshot: Snapshot, path: str) -> bytes | None:
    """The current content of the file at ``path``; None if it cannot be read."""
    try:
        return snapshot.read(path)
    except OSError:
        return None


def _texts(edits: Iterable[EditedFile], constants: TreeConstants) -> dict[str, str]:
    texts = {}
    for edit in edits:
        with suppress(Unseen):
            texts[edit.path] = read_bytes(edit.data, constants.limits).text
    return texts
