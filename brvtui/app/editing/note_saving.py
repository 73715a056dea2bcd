"""Saves notes and reports the results. Every function blocks, so call it in a worker thread."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from brvtui.app.editing.note_on_disk import OnDisk, on_disk, text_to_edit, where_moved
from brvtui.app.editing.problems import first_errors
from brvtui.wording import counted, shortened

if TYPE_CHECKING:
    from brvtui.session import Session
    from brvtui.tree.editing.merging import Hunk


@dataclass(frozen=True, slots=True)
class NoteSaved:
    """The text was saved; ``notices`` are lines for the user."""

    disk: OnDisk
    notices: tuple[str, ...] = ()
    keeps_time: bool = False
    """True if the file kept its modification time."""


@dataclass(frozen=True, slots=True)
class SaveConflict:
    """``data`` was not saved because the note changed on disk from ``disk`` to ``theirs``."""

    disk: OnDisk
    data: bytes = field(repr=False)
    theirs: OnDisk
    hunks: tuple[Hunk, ...] = field(default=(), repr=False)
    """The differences between ``data`` and ``theirs``."""
    merged: bytes | None = field(default=None, repr=False)
    """Both texts merged; None if ``theirs`` cannot be edited here."""
    undecided: int = 0
    """The number of places in ``merged`` with conflicting changes."""
    notice: str = ""
    """A line that says where the text was kept because another program was writing the file; otherwise empty."""
    moved: OnDisk | None = None
    """The file that now contains the text of ``disk``, if the note was removed; otherwise None."""
    problem: str = ""
    """The reason why ``theirs`` cannot be edited here; empty if it can."""


@dataclass(frozen=True, slots=True)
class SaveFailed:
    """``data`` was not saved; ``problem`` is a line that names the note and the reason."""

    disk: OnDisk
    data: bytes = field(repr=False)
    problem: str


@dataclass(frozen=True, slots=True)
class SaveDoubt:
    """``data`` was not saved because it would damage the note; ``problem`` is a line that describes the damage."""

    disk: OnDisk
    data: bytes = field(repr=False)
    problem: str


SaveResult = SaveDoubt | NoteSaved | SaveConflict | SaveFailed


def changed_meanwhile(path: str) -> str:
    """Returns the message for a note that another program changed while the user edited it."""
    return f"{path} has been changed on disk"


KEPT_TIME = (
    "its time is kept, so cached answers stay valid; {cache.clear} on the Query screen ({screens.query}) removes them"
)
"""The message after a change that kept the file's time; the cache's fingerprint depends only on paths and times."""


def save(session: Session, disk: OnDisk, data: bytes, keep_mtime: bool, is_agreed: bool = False) -> SaveResult:
    """Saves ``data`` over the note that was read as ``disk``, unless the note has changed since then.

    A text that would damage the note, remove its frontmatter or delete most of a judged note is saved only if
    ``is_agreed``.
    """
    from brvtui.tree.saving.note_files import Conflict, SaveError, Unconfirmed

    if not is_agreed and (harm := _damage(session, disk, data)):
        return SaveDoubt(disk, data, f"saving {disk.path} would damage it: {harm}")
    try:
        done = session.notes.save(disk.path, data, disk.version, keep_mtime)
    except Unconfirmed as error:
        return _unconfirmed(session, disk, data, str(error))
    except SaveError as error:
        return SaveFailed(disk, data, str(error))
    if isinstance(done, Conflict):
        conflict = _conflict(disk, data, OnDisk(disk.path, done.theirs, done.version))
        if done.theirs is None and disk.version is not None:
            was = disk.version
            conflict = replace(conflict, moved=where_moved(session, disk.path, was.sha256, was.inode, disk.read_ms))
        return replace(conflict, notice=_kept_notice(disk.path, done.kept)) if done.kept else conflict
    notices = [f"{disk.path}: its {lost} could not be preserved" for lost in done.lost]
    if done.kept:
        notices.append(_kept_notice(disk.path, done.kept))
    broken, lost = first_errors(session, disk.path, data, disk.data or b""), _lost_signals(session, disk, data)
    problems = "; ".join(filter(None, (broken, lost, _lost_title(session, disk, data))))
    if problems:
        notices.append(f"{disk.path} is saved, but {problems}")
    keeps_time = keep_mtime and disk.data is not None
    return NoteSaved(OnDisk(disk.path, data, done.version), tuple(notices), keeps_time)


def _damage(session: Session, disk: OnDisk, data: bytes) -> str:
    """Describes the new damage that saving ``data`` over ``disk`` would cause; empty if there is none."""
    from brvtui.notes.topic_problems import topic_damage
    from brvtui.tree.reading.conflicts import conflict_marks
    from brvtui.tree.reading.frontmatter import block_of, parse

    was, now = (each.decode("utf-8", "replace").replace("\r\n", "\n") for each in (disk.data or b"", data))
    damage = []
    if _is_utf8(disk.data or b"") and not _is_utf8(data):
        damage.append("it would no longer be UTF-8 text")
    if sum(1 for _ in conflict_marks(now)) > sum(1 for _ in conflict_marks(was)):
        damage.append("the conflict markers would become part of its text")
    damage.append(_judged_loss(session, disk.path, was, now))
    if session.kind.is_html:
        damage.append(topic_damage(was, now))
    elif not parse(was).problem:
        is_lost = ":" in block_of(was) and not block_of(now)
        if is_lost or parse(now).problem:
            damage += ["its frontmatter would become unreadable", _lost_signals(session, disk, data)]
    return "; ".join(filter(None, damage))


def _judged_loss(session: Session, path: str, was: str, now: str) -> str:
    """Describes the loss if ``now`` lacks more than half the characters of a judged note; otherwise empty."""
    from brvtui.lab.judgments.file import JudgmentsFile
    from brvtui.lab.judgments.following import DocumentFinder
    from brvtui.lab.judgments.model import JudgmentsError

    finder, count = DocumentFinder(session.snapshot), 0
    if 2 * len(now) < len(was):
        with suppress(JudgmentsError):  # the Lab reports it
            judged = (finder.followed(each)[0].documents for each in JudgmentsFile.of(session.project).read())
            count = sum(any(each.path == path and each.grade for each in documents) for documents in judged)
    share = f"{1 - len(now) / len(was):.0%}" if count else ""
    expects = counted(count, "judged query expects", "judged queries expect")
    return f"it would lose {share} of its characters, and {expects} it" if count else ""


def _is_utf8(data: bytes) -> bool:
    return data.decode("utf-8", "ignore").encode() == data


def _lost_signals(session: Session, disk: OnDisk, data: bytes) -> str:
    """Returns a message if saving ``data`` would lose the signals in the frontmatter; otherwise empty."""
    from brvtui.tree.reading.signals import from_frontmatter

    snapshot = session.snapshot
    base, entry = snapshot.frontmatter_defaults, snapshot.parsed.get(disk.path)
    if base is None or (entry is not None and snapshot.stored.get(entry.file) is not None):
        return ""  # frontmatter is not read, or other signals have precedence
    was, now = (from_frontmatter(each.decode("utf-8", "replace"), base) for each in (disk.data or b"", data))
    if was is None or now is not None:
        return ""
    maturity = f"maturity {was.maturity} → {base.maturity}" if was.maturity != base.maturity else ""
    importance = f"importance {was.importance:g} → {base.importance:g}" if was.importance != base.importance else ""
    lost = ", ".join(filter(None, (maturity, importance)))
    return f"the note's signals are lost: {lost}" if lost else ""


def _lost_title(session: Session, disk: OnDisk, data: bytes) -> str:
    """Returns a message if saving ``data`` replaces the note's title by its file name; otherwise empty."""
    from brvtui.tree.reading.contents import title_of

    if session.kind.is_html:
        return ""
    was, now = (title_of(each.decode("utf-8", "replace"), "") for each in (disk.data or b"", data))
    return f"its title “{shortened(was)}” is lost: no line begins with “# ”" if was and not now else ""


def _kept_notice(path: str, copy: str) -> str:
    return (
        f"{path}: another program was writing the file; your text is kept in {copy} and becomes a draft at "
        "the next start"
    )


def _unconfirmed(session: Session, disk: OnDisk, data: bytes, notice: str) -> SaveResult:
    """Reads the note again after a save that the disk did not confirm, and returns the result with ``notice``."""
    from brvtui.tree.saving.note_files import SaveError

    try:
        now = on_disk(session, disk.path)
    except SaveError as error:
        return SaveFailed(disk, data, f"{notice}; it cannot be read again: {error}")
    if now.data == data:
        return NoteSaved(now, (notice,))
    return _conflict(disk, data, now)


def _conflict(disk: OnDisk, mine: bytes, theirs: OnDisk) -> SaveConflict:
    """Compares and merges ``mine`` and ``theirs``, two versions that are based on ``disk``."""
    from brvtui.tree.editing.merging import difference, merged
    from brvtui.tree.editing.note_text import NotText, note_text

    try:
        notes = [note_text(disk.data or b""), note_text(mine), text_to_edit(theirs.data or b"")]
    except NotText as error:
        return SaveConflict(disk, mine, theirs, problem=str(error))
    own = notes[1]
    texts = [note.plain(note.text) for note in notes]
    if any("\r" in text for text in texts):
        # at least one text has mixed line ends, so each line keeps its own
        texts = [text.replace("\n", note.newline) for text, note in zip(texts, notes, strict=True)]
        own = replace(own, newline="\n")
    both = merged(*texts)
    hunks = difference(texts[1], texts[2])
    return SaveConflict(disk, mine, theirs, hunks, own.encode_plain(both.text), both.conflicts)
