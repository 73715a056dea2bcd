"""Reads, checks, saves and drafts notes for the editor. Every function blocks: call it in a worker thread."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from brvtui import faults
from brvtui.app.contents import Effect, TextCheck
from brvtui.app.states import NO_SUCH_NOTE
from brvtui.app.workers import Refusal

if TYPE_CHECKING:
    from brvtui.engines.byterover.preview import Preview
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot
    from brvtui.store.drafts import Draft
    from brvtui.tree.editing.merging import Hunk
    from brvtui.tree.editing.note_text import EditableText
    from brvtui.tree.editing.problems import KnownFiles
    from brvtui.tree.saving.file_version import FileVersion

MOST_CHARS = 200_000
"""The longest text that the editor opens: beyond it, checking on every key is noticeably slow."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A note as it was on disk: its bytes and version; both are None when there was no file."""

    path: str
    data: bytes | None
    version: FileVersion | None

    @property
    def sha256(self) -> str | None:
        """The hash of its bytes; None when there was no file."""
        return self.version.sha256 if self.version else None


@dataclass(frozen=True, slots=True)
class FoundDraft:
    """A draft of the note that is being opened, and how it differs from the text on disk."""

    text: EditableText = field(repr=False)
    age_s: float
    is_on_disk_text: bool
    """Whether the draft was begun from the text that is on disk now."""
    hunks: tuple[Hunk, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class NoteOpened:
    """A note that was read for editing, and its draft, if there is one."""

    disk: OnDisk
    text: EditableText = field(repr=False)
    draft: FoundDraft | None


@dataclass(frozen=True, slots=True)
class NewNoteRequest:
    """A note to begin: its path, title and template, as the user entered them."""

    path: str
    title: str
    template: str


@dataclass(frozen=True, slots=True)
class NoteSaved:
    """The note on disk has the saved text; ``notices`` are lines for the user about how saving went."""

    disk: OnDisk
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SaveConflict:
    """``data`` was not saved over ``disk``, because the note on disk is ``theirs`` by now."""

    disk: OnDisk
    data: bytes = field(repr=False)
    theirs: OnDisk
    hunks: tuple[Hunk, ...] = field(default=(), repr=False)
    """The differences between ``data`` and ``theirs``."""
    merged: bytes | None = field(default=None, repr=False)
    """Both texts merged; None when one of them is not text."""
    undecided: int = 0
    """How many places in ``merged`` both changed in different ways."""
    notice: str = ""
    """A line about a further text of another program; empty when there is none."""
    moved: OnDisk | None = None
    """The file that has the text of ``disk``, byte for byte, where the note is removed; None without one."""


@dataclass(frozen=True, slots=True)
class SaveFailed:
    """``data`` was not saved over ``disk``; ``problem`` is a line that says why and names the note."""

    disk: OnDisk
    data: bytes = field(repr=False)
    problem: str


SaveResult = NoteSaved | SaveConflict | SaveFailed


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """A text to check: ``edited``, which the editor made of ``note``, and the query to rank it under."""

    path: str
    note: EditableText = field(repr=False)
    edited: str = field(repr=False)
    keep_mtime: bool
    query: str
    scope: str


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """The draft to write for the note at ``path``; without ``data``, its draft is to be removed."""

    path: str
    data: bytes | None = field(repr=False)
    base: str | None = None
    """The SHA-256 of the text that the draft was begun from."""
    is_set_aside: bool = False
    """Whether it is a text that could not be saved, and is kept beside the draft of the text that is being edited."""


def open_note(session: Session, path: str, outside: bool, outside_key: str) -> NoteOpened:
    """Reads the note at ``path`` and its draft. For an editor ``outside`` the app, the text may be of any length.

    ``outside_key`` opens that editor.

    Raises :class:`Refusal` when the note cannot be edited.
    """
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.saving.note_files import SaveError

    try:
        disk = _on_disk(session, path)
        text = note_text(disk.data or b"")
    except SaveError as error:
        raise Refusal(str(error)) from error
    except NotText as error:
        raise Refusal(f"{path}: {error}") from error
    draft = _draft(session, disk, text)
    if disk.data is None and draft is None:
        raise Refusal(f"{path}: {NO_SUCH_NOTE}")
    if not outside and len(text.text) > MOST_CHARS:
        said = f"{len(text.text)} characters are too many to edit them here"
        raise Refusal(f"{path}: {said}; {outside_key} opens your own editor")
    return NoteOpened(disk, text, draft)


def begin_note(session: Session, request: NewNoteRequest, query: str) -> NoteOpened:
    """Returns the text that a new note begins with; ``query`` is the question that it answers."""
    from brvtui.tree.editing.new_notes import NewNote, Template, keywords_of, text_of
    from brvtui.tree.editing.note_text import note_text

    keywords = keywords_of(query, session.profile.query.stop_words)
    note = NewNote(request.title, session.clock(), query, keywords=keywords)
    disk = OnDisk(request.path, None, None)
    text = note_text(text_of(Template(request.template), note).encode())
    return NoteOpened(disk, text, _draft(session, disk, text))


def _on_disk(session: Session, path: str) -> OnDisk:
    """Reads the note at ``path``. Raises :class:`brvtui.tree.saving.note_files.SaveError`."""
    from brvtui.tree.saving.note_files import SaveError, read_note_file

    session.notes.check_kind(path)
    known = session.snapshot.parsed.get(path)
    if known is not None and known.alias:
        raise SaveError(f"{path}: belongs to the shared source {known.alias}; open that project to edit it")
    if not os.path.lexists(session.project.tree / path):
        return OnDisk(path, None, None)
    return OnDisk(path, *read_note_file(session.project.tree, path))


def _draft(session: Session, disk: OnDisk, text: EditableText) -> FoundDraft | None:
    """Returns the draft to offer: none that equals the text on disk, none that belongs to an editor still running."""
    from brvtui.store.drafts import DraftStore
    from brvtui.tree.editing.merging import difference
    from brvtui.tree.editing.note_text import NotText, note_text

    draft = DraftStore(session.project.tree).read(disk.path)
    if draft is None or draft.data == disk.data or draft.is_being_edited:
        return None
    try:
        drafted = note_text(draft.data)
    except NotText:
        return None
    hunks = difference(drafted.plain(drafted.text), text.plain(text.text))
    age_s = max(0.0, session.clock() - draft.at_ms) / 1000
    return FoundDraft(drafted, age_s, draft.is_on(disk.sha256), hunks)


def check(session: Session, request: CheckRequest) -> TextCheck:
    """Returns the problems of a text, and how saving it changes the note's scores and the answer to the query."""
    from brvtui.tree.editing.problems import problems

    if session.is_space:
        return _check_topic(session, request)
    snapshot = session.snapshot
    found = problems(request.path, request.note, request.edited, _known_files(snapshot), snapshot.limits)
    data = request.note.encode(request.edited)
    rows = session.standings(request.path, data)
    both = (rows.now, rows.renewed, rows.kept)
    effects = [
        Effect("recency", *(row.recency if row else None for row in both)),
        Effect("ceiling", *(row.ceiling if row else None for row in both)),
    ]
    preview: Preview | None = None
    if request.query.strip():
        query, path, scope = request.query, request.path, request.scope
        renewed, kept = (session.preview(query, path, data, keep, scope) for keep in (False, True))
        preview = kept if request.keep_mtime else renewed
        own = (preview.before.own, renewed.after.own, kept.after.own)
        listed = any(moved.file == path for moved in preview.results)
        name = "score" if listed or not preview.before.own else "no result, score"
        effects.insert(0, Effect(name, *(hit.score if hit else None for hit in own)))
    return TextCheck(found, tuple(effects), preview)


def _check_topic(session: Session, request: CheckRequest) -> TextCheck:
    from brvtui.notes.topic_problems import topic_problems
    from brvtui.tree.spaces.topic_html import UnreadableTopic

    html = request.note.plain(request.edited)
    found = topic_problems(html, session.snapshot.by_path)
    try:
        made = session.topic_preview(request.query, request.path, html, request.keep_mtime, request.scope)
    except UnreadableTopic:
        return TextCheck(found)
    states = (made.now, made.renewed, made.kept)
    effects = [
        Effect("recency", *(state.signals.recency if state.signals else None for state in states)),
        Effect("ceiling", *(state.ceiling.score if state.ceiling else None for state in states)),
    ]
    if request.query.strip():
        effects.insert(0, Effect("score", *(state.hit.score if state.hit else None for state in states)))
    return TextCheck(found, tuple(effects), topic_preview=made)


@lru_cache(maxsize=1)
def _known_files(snapshot: Snapshot) -> KnownFiles:
    from brvtui.tree.editing.problems import KnownFiles
    from brvtui.tree.reading.links import Names

    return KnownFiles(Names(file.path for file in snapshot.files), snapshot.reads_frontmatter)


def changed_meanwhile(path: str) -> str:
    """Says that the note was changed on disk while its text was edited."""
    return f"{path} was changed on disk meanwhile"


def save(session: Session, disk: OnDisk, data: bytes, keep_mtime: bool) -> SaveResult:
    """Saves ``data`` over the note that was read as ``disk``, unless it has changed since."""
    from brvtui.tree.saving.note_files import Conflict, SaveError, Unconfirmed

    try:
        done = session.notes.save(disk.path, data, disk.version, keep_mtime)
    except Unconfirmed as error:
        return _unconfirmed(session, disk, data, str(error))
    except SaveError as error:
        return SaveFailed(disk, data, str(error))
    if isinstance(done, Conflict):
        made = _conflict(disk, data, OnDisk(disk.path, done.theirs, done.version))
        made = replace(made, moved=_moved(session, disk)) if done.theirs is None else made
        return replace(made, notice=_kept(disk.path, done.kept)) if done.kept else made
    notices = [f"{disk.path}: its {lost} could not be carried over" for lost in done.lost]
    if done.kept:
        notices.append(_kept(disk.path, done.kept))
    broken, lost = _broken(session, disk.path, data), _lost_signals(session, disk, data)
    if broken or lost:
        notices.append(f"{disk.path} is saved, but {'; '.join(filter(None, (broken, lost)))}")
    return NoteSaved(replace(disk, data=data, version=done.version), tuple(notices))


def _moved(session: Session, disk: OnDisk) -> OnDisk | None:
    """The file that the note ``disk`` was moved to, if it has its bytes."""
    from brvtui.lab.judgments.following import DocumentFinder
    from brvtui.tree.saving.note_files import SaveError

    text = (disk.data or b"").decode("utf-8", "replace")
    path, _ = DocumentFinder(session.snapshot).moved(disk.path, text)
    try:
        now = _on_disk(session, path) if path else None
    except SaveError:
        return None
    return now if now is not None and now.data == disk.data else None


def _broken(session: Session, path: str, data: bytes) -> str:
    """Returns what the first error in the saved text is, and its line; nothing for a text without errors."""
    from brvtui.tree.editing.note_text import NotText, note_text
    from brvtui.tree.editing.problems import Severity, problems

    try:
        note = note_text(data)
    except NotText:
        return ""
    if session.is_space:
        from brvtui.notes.topic_problems import topic_problems

        found = topic_problems(note.plain(note.text), session.snapshot.by_path)
    else:
        found = problems(path, note, note.text, _known_files(session.snapshot), session.snapshot.limits)
    errors = [problem for problem in found if problem.severity is Severity.ERROR]
    return f"line {errors[0].line + 1}: {errors[0].message}" if errors else ""


def _lost_signals(session: Session, disk: OnDisk, data: bytes) -> str:
    """Returns what became of the signals in the frontmatter, where the saved text has none that are read."""
    from brvtui.tree.reading.signals import from_frontmatter

    snapshot = session.snapshot
    base, entry = snapshot.frontmatter_defaults, snapshot.parsed.get(disk.path)
    if base is None or (entry is not None and snapshot.stored.get(entry.file) is not None):
        return ""  # frontmatter is not read, or others have precedence
    was, now = (from_frontmatter(each.decode("utf-8", "replace"), base) for each in (disk.data or b"", data))
    if was is None or now is not None:
        return ""
    maturity = f"maturity {was.maturity} → {base.maturity}" if was.maturity != base.maturity else ""
    importance = f"importance {was.importance:g} → {base.importance:g}" if was.importance != base.importance else ""
    lost = ", ".join(filter(None, (maturity, importance)))
    return f"the note's signals are lost: {lost}" if lost else ""


def _kept(path: str, kept: str) -> str:
    return f"{path}: another program was writing it; its text is kept in {kept}, and the next start makes a draft of it"


def _unconfirmed(session: Session, disk: OnDisk, data: bytes, notice: str) -> SaveResult:
    """Reads back what was saved without a confirmation by the disk; ``notice`` is the line about that."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        now = _on_disk(session, disk.path)
    except SaveError as error:
        return SaveFailed(disk, data, f"{notice}; and it cannot be read again: {error}")
    if now.data == data:
        return NoteSaved(now, (notice,))
    return _conflict(disk, data, now)


def _conflict(disk: OnDisk, mine: bytes, theirs: OnDisk) -> SaveConflict:
    """Compares and merges ``mine`` and ``theirs``, which were both made from ``disk``."""
    from brvtui.tree.editing.merging import difference, merged
    from brvtui.tree.editing.note_text import NotText, note_text

    try:
        notes = [note_text(data) for data in (disk.data or b"", mine, theirs.data or b"")]
    except NotText:
        return SaveConflict(disk, mine, theirs)
    own = notes[1]
    texts = [note.plain(note.text) for note in notes]
    if any("\r" in text for text in texts):
        # One of them mixes line ends: each line keeps the one that it has.
        texts = [text.replace("\n", note.newline) for text, note in zip(texts, notes, strict=True)]
        own = replace(own, newline="\n")
    both = merged(*texts)
    hunks = difference(texts[1], texts[2])
    return SaveConflict(disk, mine, theirs, hunks, own.encode_plain(both.text), both.conflicts)


def read_again(session: Session, before: OnDisk) -> OnDisk:
    """Returns the note as it is on disk now; ``before`` itself when its text is the same."""
    from brvtui.tree.saving.note_files import SaveError, is_unchanged

    if before.version is not None and is_unchanged(session.project.tree, before.path, before.version):
        return before
    try:
        now = _on_disk(session, before.path)
    except SaveError:
        return before  # saving will say what is wrong
    return before if now.data == before.data else now


def write_draft(session: Session, request: DraftRequest) -> None:
    """Writes or removes a draft. Raises :class:`Refusal` when that fails."""
    from brvtui.disk.processes import own_identity
    from brvtui.store.drafts import Draft, DraftStore

    drafts = DraftStore(session.project.tree)
    try:
        if request.data is None:
            drafts.drop(request.path)
        elif request.is_set_aside:
            own = (session.clock(), os.getpid(), own_identity())
            drafts.add(Draft(request.path, request.data, request.base, *own))
        else:
            drafts.keep(request.path, request.data, request.base, session.clock())
    except OSError as error:
        raise Refusal(f"the draft of {request.path} cannot be kept: {faults.advice(error)}") from error


def notes_with_drafts(session: Session) -> tuple[str, ...]:
    """Returns the paths of notes with drafts that no running process works on, the newest draft first."""
    from brvtui.store.drafts import DraftStore

    left = (draft for draft in DraftStore(session.project.tree).all() if not draft.is_being_edited)
    return tuple(dict.fromkeys(draft.path for draft in left if _is_unsaved(session, draft)))


def _is_unsaved(session: Session, draft: Draft) -> bool:
    """Whether the note on disk is not the text of ``draft``; also when it cannot be read."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        return _on_disk(session, draft.path).data != draft.data
    except SaveError:
        return True
