"""Changes of a tree or of a query, as data, and what they make of a snapshot. Nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from brvtui.engines.byterover.context import Context
from brvtui.loading import EditedFile
from brvtui.loading.edited import edited, with_signals
from brvtui.regular_files import read_regular
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.contents import Unseen, read_bytes, title_of, title_span
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.signals import NoteSignals
from brvtui.tree.reading.updated_at import redated

_NS_PER_MS = 1_000_000


class NoChange(Exception):
    """A change that cannot be made; the message says why in a few words."""


@dataclass(frozen=True, slots=True)
class SignalsSet:
    """Other stored signals of the note at ``path``."""

    path: str
    signals: NoteSignals


@dataclass(frozen=True, slots=True)
class TimeSet:
    """Another modification time of the file at ``path``, in ms since 1970."""

    path: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class TitleSet:
    """Another heading of the note at ``path``, and the modification time that its file has then."""

    path: str
    title: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class DateSet:
    """Another ``updatedAt`` of the note at ``path``, in ms since 1970; its file keeps its modification time."""

    path: str
    updated_ms: float
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class Updated:
    """A curate update of the note at ``path``: other stored signals, and a new modification time."""

    path: str
    signals: NoteSignals
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class Reworded:
    """The query put in other words; the tree stays as it is."""

    query: str


Change = SignalsSet | TimeSet | TitleSet | DateSet | Updated | Reworded


def changed(context: Context, change: Change) -> Snapshot:
    """The snapshot of ``context`` as it would be after ``change``.

    Raises :class:`NoChange` when the file cannot be read, or cannot have that title.
    """
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    match change:
        case Reworded():
            return snapshot
        case SignalsSet(path, signals):
            return with_signals(snapshot, profile, now_ms, {path: signals})
        case TimeSet(path, mtime_ms):
            data = _read(snapshot, path)
        case Updated(path, signals, mtime_ms):
            snapshot = with_signals(snapshot, profile, now_ms, {path: signals})
            data = _read(snapshot, path)
        case DateSet(path, updated_ms, mtime_ms):
            text = _read(snapshot, path).decode("utf-8", "surrogateescape")
            data = redated(text, updated_ms).encode("utf-8", "surrogateescape")
        case TitleSet(path, title, mtime_ms):
            data = retitled(_read(snapshot, path), path.rpartition("/")[2], title, profile.limits)
    return edited(snapshot, profile, now_ms, EditedFile(path, data, mtime_ms * _NS_PER_MS))


def retitled(data: bytes, file_name: str, title: str, limits: ReadingLimits) -> bytes:
    """The note ``data`` with another title: in its heading, or in one that is put before its body.

    Every other byte stays. Raises :class:`NoChange` when the engine would not read that title from it.
    """
    for made in _retitled(data.decode("utf-8", "surrogateescape"), title):
        encoded = made.encode("utf-8", "surrogateescape")
        try:
            if title_of(read_bytes(encoded, limits).text, file_name) == title:
                return encoded
        except Unseen:
            continue
    raise NoChange("its title cannot be changed")


def _retitled(text: str, title: str) -> Iterator[str]:
    span = title_span(text)
    if span:
        yield text[: span[0]] + title + text[span[1] :]
    body = parse(text).body_start
    yield f"{text[:body]}# {title}\n\n{text[body:]}"


def _read(snapshot: Snapshot, path: str) -> bytes:
    try:
        return read_regular(snapshot.location(path), snapshot.limits.max_file_bytes)
    except OSError as error:
        raise NoChange("its file cannot be read") from error
