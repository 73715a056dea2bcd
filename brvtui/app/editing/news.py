"""What workers tell whoever asked them: the editor's screen, or the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from brvtui.app.editing.state import Clash, FoundDraft, Looked, OnDisk
from brvtui.app.news import News

if TYPE_CHECKING:
    from brvtui.tree.editing.note_text import NoteText


@dataclass
class NoteOpened(News, bubble=False):
    """A note was read to be edited, here or in the user's own editor (``outside``)."""

    disk: OnDisk
    text: NoteText
    draft: FoundDraft | None
    outside: bool


@dataclass
class NotOpened(News, bubble=False):
    """A note cannot be edited; ``what`` says which and why."""

    what: str


@dataclass
class TextLooked(Message, bubble=False):
    """The text of request ``number`` was looked at."""

    number: int
    looked: Looked


@dataclass
class NoteSaved(News, bubble=False):
    """The note holds the text now; ``said`` is what the user should know of how that went, in lines."""

    disk: OnDisk
    said: tuple[str, ...] = ()


@dataclass
class NoteClashed(News, bubble=False):
    """``data`` was not saved over ``disk``, because that is not what is on disk now."""

    disk: OnDisk
    data: bytes
    clash: Clash


@dataclass
class NotSaved(News, bubble=False):
    """``data`` was not saved over ``disk``; ``what`` says why, with the note's path."""

    disk: OnDisk
    data: bytes
    what: str


@dataclass
class DiskSeen(Message, bubble=False):
    """What is on disk now, where ``before`` was; the same object when nothing changed."""

    before: OnDisk
    now: OnDisk


@dataclass
class DraftKept(Message, bubble=False):
    """A draft was written or dropped, or could not be: ``problem`` says why."""

    problem: str


@dataclass
class DraftsFound(News, bubble=False):
    """There are drafts of these notes, the newest first, that no other process is working on; ``asked`` for or not."""

    paths: tuple[str, ...]
    asked: bool
