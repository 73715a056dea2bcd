"""Creates snapshots of a tree whose files differ from those on disk, for example at a git revision."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from brvtui.loading import EditedFile, load, update
from brvtui.ranking.decay import just_before_ms
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.repository import GIT
from brvtui.tree.history.revision import Revision, content_id
from brvtui.tree.reading.contents import Unseen, read_bytes
from brvtui.tree.reading.files import DUPLICATE, NS_PER_MS, Listing, in_walk_order, possible_documents
from brvtui.tree.reading.signals import NoteSignals, SignalLayers

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
    after = update(before, [edit.path], constants, now_ms, snapshot.stored, edit)
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
    first, *others = snapshot.stored.layers or ({},)
    stored = SignalLayers(({**first, **signals}, *others), snapshot.stored.broken)
    after = update(snapshot, (), constants, now_ms, stored)
    if after is None:
        after = load(snapshot.project, constants, now_ms, stored, snapshot)
    return _unpublished(after, {})


def _unpublished(snapshot: Snapshot, text: Mapping[str, str]) -> Snapshot:
    return replace(snapshot, generation=UNPUBLISHED, edited=dict(text))


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a tree and another state of it: files with other contents, and files that are missing."""

    edits: Mapping[str, EditedFile]
    removed: frozenset[str]
    unread: Listing | None = None
    """The files past the limit and the unseen files in the other state; None if they are the same as on disk."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files that differ."""
        return tuple(sorted({*self.edits, *self.removed}))

    def only(self, paths: Collection[str]) -> Difference:
        """Returns the part of this difference that concerns ``paths``."""
        edits = {path: edit for path, edit in self.edits.items() if path in paths}
        return Difference(edits, self.removed.intersection(paths))


UNCHANGED = Difference({}, frozenset())


def revised(snapshot: Snapshot, constants: TreeConstants, now_ms: float, difference: Difference) -> Snapshot:
    """Returns ``snapshot`` with ``difference``, as of ``now_ms``, with the generation :data:`UNPUBLISHED`.

    Checks every file of the tree. Writes nothing.
    """
    before = replace(snapshot, postings=snapshot.postings.detached())
    edits, removed, unread = tuple(difference.edits.values()), difference.removed, difference.unread
    after = load(
        snapshot.project, constants, now_ms, snapshot.stored, before, edits=edits, removed=removed, unread=unread
    )
    return _unpublished(after, _texts(edits, constants))


def revision_of(snapshot: Snapshot, name: str) -> Revision:
    """Returns the revision called ``name`` of the tree of ``snapshot``.

    Raises :class:`brvtui.tree.history.git.RevisionError`, including for a tree behind a link that is not followed,
    because the history of such a tree is not read.
    """
    if snapshot.project.link and not snapshot.limits.linked_trees:
        raise RevisionError(snapshot.project.link)
    return Revision(snapshot.project.tree, name)


def difference_to(snapshot: Snapshot, revision: Revision) -> Difference:
    """Returns the difference between ``snapshot`` and the tree at ``revision``. Reads every note.

    Compares only the texts. A note that exists in both, even under another name, has the age of its current file. A
    note that exists only in the revision is as old as its last commit. Notes beyond the maximum number that the engine
    reads are left out. Raises :class:`brvtui.tree.history.git.RevisionError`.
    """
    there, largest = revision.files, snapshot.limits.max_file_bytes
    own = {file.path: file for file in snapshot.files}
    contents = {
        entry.file: text
        for path, entry in snapshot.parsed.items()
        if not entry.alias and (text := _bytes(snapshot, path)) is not None
    }
    differing = [
        path
        for path, file in there.items()
        if not (path in contents and file.holds(contents[path]))
        and not (path in own and min(file.size, own[path].size) > largest)
    ]
    links = {file.path for file in snapshot.unseen if file.reason == DUPLICATE}
    removed = frozenset((own.keys() | links) - there.keys() - revision.ignored)
    digits = len(next(iter(there.values())).content)
    moved = {content_id(contents[path], digits): own[path] for path in sorted(removed & contents.keys())}
    like = {path: own.get(path) or moved.get(file.content) for path, file in there.items()}
    gone = [path for path, file in like.items() if file is None]
    dates = revision.changed_ms(gone) if gone else {}
    times = {path: file.mtime_ns if file else dates[path] * NS_PER_MS for path, file in like.items()}
    listed = [file.at(path, times[path]) for path, file in there.items()]
    possible = possible_documents(listed, snapshot.limits)
    past_limit = tuple(file for file in listed if file.path not in possible and file.path not in own)
    on_disk = tuple(file for file in snapshot.unseen if file.path not in own)
    kept = [file for file in on_disk if file.path in revision.ignored or file.path == GIT]
    unseen = in_walk_order({file.path: file for file in (*kept, *revision.unseen)}.values())
    unread = Listing(past_limit, unseen) if past_limit or unseen != on_disk else None
    data = revision.read([path for path in differing if path in possible], largest)
    edits = {path: EditedFile(path, content, times[path]) for path, content in data.items()}
    return Difference(edits, removed, unread)


def _bytes(snapshot: Snapshot, path: str) -> bytes | None:
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
