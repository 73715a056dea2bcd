"""Changes to a tree or a query: the data of each kind of change, its effect on a snapshot, and the changes to try.

Engines and the lab propose changes and try them by running the query again. Nothing is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from brvtui.engines.contract import Context
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference, edited, revised, with_signals
from brvtui.ranking.constants import SignalRules
from brvtui.ranking.maturity import LEVELS, after_access, after_update, levels_of
from brvtui.regular_files import read_regular
from brvtui.snapshot import Note, Snapshot
from brvtui.trace import Remedy, RemedyKind
from brvtui.tree.constants import ReadingLimits
from brvtui.tree.reading.contents import Unseen, read_bytes, redated, title_of, title_span
from brvtui.tree.reading.files import NS_PER_MS
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.signals import NoteSignals

MOST_TITLES = 63
"""If there are at most this many titles, all are tried. This allows every combination of six words."""
_MOST_IMPORTANCE = 100
Found = TypeVar("Found")


class NoChange(Exception):
    """A change is not possible. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class SignalsSet:
    """New stored signals for the note at ``path``."""

    path: str
    signals: NoteSignals


@dataclass(frozen=True, slots=True)
class TimeSet:
    """A new modification time for the file at ``path``, in ms since 1970."""

    path: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class TitleSet:
    """A new heading for the note at ``path``, and a new modification time for its file."""

    path: str
    title: str
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class DateSet:
    """A new ``updatedAt`` for the note at ``path``, in ms since 1970; the file keeps its modification time."""

    path: str
    updated_ms: float
    mtime_ms: int


@dataclass(frozen=True, slots=True)
class Reworded:
    """A new wording of the query; the tree stays the same."""

    query: str


@dataclass(frozen=True, slots=True)
class FilesSet:
    """New contents for files, saved at ``mtime_ms`` (in ms since 1970), and paths of files to remove."""

    contents: tuple[tuple[str, bytes], ...]
    mtime_ms: int
    removed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ConstantSet:
    """A new value for the engine's constant with the dotted name ``name``; the tree stays the same."""

    name: str
    value: bool | int | float | str


@dataclass(frozen=True, slots=True)
class Combined:
    """New stored signals for a note, combined with ``other``, a different change to the same note."""

    signals: SignalsSet
    other: Change


Change = SignalsSet | TimeSet | TitleSet | DateSet | Reworded | FilesSet | ConstantSet | Combined


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change to try, with its description and instructions for making it."""

    change: Change
    text: str
    how: str = ""

    def remedy(self, kind: RemedyKind, rank: int | None, score: float | None, tier: int | None) -> Remedy:
        """The change as a remedy, after a trial with this result."""
        remedy = Remedy(self.text, True, rank=rank, score=score, kind=kind, tier=tier, how=self.how)
        match self.change:
            case Reworded(query):
                return replace(remedy, query=query)
            case SignalsSet(_, signals) | Combined(SignalsSet(_, signals)) if kind is not RemedyKind.UPDATE:
                return replace(remedy, maturity=signals.maturity)
            case TitleSet(_, title):
                return replace(remedy, title=title)
            case ConstantSet(name, value):
                return replace(remedy, setting=name, value=value)
        return remedy


class Cancelled(Exception):
    """The caller cancelled the search for changes."""


def changed(context: Context[Any], change: Change) -> Snapshot:
    """The snapshot of ``context`` after ``change``, read with the context's constants.

    In spaces, only times and contents of topics in the first space can be changed. Raises :class:`NoChange` if the file
    cannot be read, or cannot have the new title or content.
    """
    snapshot, profile, now_ms = context.snapshot, context.constants, context.now_ms
    match change:
        case Reworded() | ConstantSet():
            return snapshot
        case SignalsSet(path, signals):
            return with_signals(snapshot, profile, now_ms, {path: signals})
        case Combined(first, other):
            return changed(replace(context, snapshot=changed(context, first)), other)
        case TimeSet(path, mtime_ms) if snapshot.spaces:
            return _with_topic(snapshot, path, mtime_ms)
        case FilesSet(((path, data),), mtime_ms) if snapshot.spaces:
            return _with_topic(snapshot, path, mtime_ms, data)
        case FilesSet(contents, mtime_ms, removed):
            edits = [EditedFile(path, data, mtime_ms * NS_PER_MS) for path, data in contents]
            if len(edits) == 1 and not removed:
                return edited(snapshot, profile, now_ms, edits[0])
            return revised(snapshot, profile, now_ms, Difference({edit.path: edit for edit in edits}, removed))
        case TimeSet(path, mtime_ms):
            data = _read(snapshot, path)
        case DateSet(path, updated_ms, mtime_ms):
            text = _read(snapshot, path).decode("utf-8", "surrogateescape")
            data = redated(text, updated_ms).encode("utf-8", "surrogateescape")
        case TitleSet(path, title, mtime_ms):
            data = retitled(_read(snapshot, path), path.rpartition("/")[2], title, profile.limits)
    return edited(snapshot, profile, now_ms, EditedFile(path, data, mtime_ms * NS_PER_MS))


def _with_topic(snapshot: Snapshot, path: str, mtime_ms: int, data: bytes | None = None) -> Snapshot:
    from brvtui.tree.spaces.topic_html import UnreadableTopic, parse_topic

    first, *others = snapshot.spaces
    topics = []
    for one in first.topics:
        if one.path == path:
            source = one.source if data is None else data.decode("utf-8", "replace")
            try:
                topic = one.topic if data is None else parse_topic(source)
            except UnreadableTopic as error:
                raise NoChange(str(error)) from error
            one = replace(one, file=replace(one.file, mtime_ns=mtime_ms * NS_PER_MS), source=source, topic=topic)
        topics.append(one)
    return replace(snapshot, spaces=(replace(first, topics=tuple(topics)), *others))


def retitled(data: bytes, file_name: str, title: str, limits: ReadingLimits) -> bytes:
    """The note ``data`` with a new title, which replaces the existing heading or is a new heading before the body.

    All other bytes are kept. Raises :class:`NoChange` if the engine would not read the new title from the result.
    """
    for text in _retitled(data.decode("utf-8", "surrogateescape"), title):
        encoded = text.encode("utf-8", "surrogateescape")
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


def bisected(low: int, high: int, found: Found, attempt: Callable[[int], Found | None]) -> tuple[int, Found]:
    """The first position where ``attempt`` returns a result, and that result. The caller knows that ``attempt``
    returns None at ``low`` and ``found`` at ``high``.

    This is correct only if ``attempt`` returns a result at every position after the first one with a result.
    """
    while high - low > 1:
        middle = (low + high) // 2
        result = attempt(middle)
        if result is None:
            low = middle
        else:
            high, found = middle, result
    return high, found


def accessed(signals: NoteSignals, rules: SignalRules) -> NoteSignals:
    """The stored signals of a note after one access hit."""
    importance, levels = after_access(np.asarray([signals.importance]), levels_of([signals.maturity]), rules)
    after = replace(signals, importance=float(importance[0]), maturity=LEVELS[levels[0]])
    return replace(after, access_count=signals.access_count + 1)


def updated(signals: NoteSignals, rules: SignalRules) -> NoteSignals:
    """The stored signals of a note after one curate update."""
    importance, levels = after_update(np.asarray([signals.importance]), levels_of([signals.maturity]), rules)
    after = replace(signals, importance=float(importance[0]), maturity=LEVELS[levels[0]])
    return replace(after, recency=1.0, update_count=signals.update_count + 1)


def after_hits(signals: NoteSignals, rules: SignalRules) -> Iterator[NoteSignals]:
    """Yields the stored signals after 1, 2, … access hits, until importance and maturity no longer change."""
    while True:
        then = accessed(signals, rules)
        if (then.importance, then.maturity) == (signals.importance, signals.maturity):
            return
        signals = then
        yield signals


def higher_importances(signals: NoteSignals, most: float = _MOST_IMPORTANCE) -> list[NoteSignals]:
    """Copies of ``signals`` with each higher whole number as importance, lowest first, up to the smaller of ``most``
    and 100.
    """
    values = range(math.floor(signals.importance) + 1, math.floor(min(most, _MOST_IMPORTANCE)) + 1)
    return [replace(signals, importance=float(value)) for value in values]


def lower_importances(signals: NoteSignals) -> list[NoteSignals]:
    """Copies of ``signals`` with each lower whole number as importance, highest first."""
    return [replace(signals, importance=float(value)) for value in range(math.ceil(signals.importance) - 1, -1, -1)]


def higher_maturities(signals: NoteSignals) -> list[NoteSignals]:
    """Copies of ``signals`` with each higher maturity, lowest first."""
    return [replace(signals, maturity=level) for level in LEVELS[LEVELS.index(signals.maturity) + 1 :]]


def lower_maturities(signals: NoteSignals) -> list[NoteSignals]:
    """Copies of ``signals`` with each lower maturity, highest first."""
    return [replace(signals, maturity=level) for level in reversed(LEVELS[: LEVELS.index(signals.maturity)])]


def signals_in_words(before: NoteSignals, after: NoteSignals, instead_of: str = " instead of ") -> str:
    """The changes of importance and maturity from ``before`` to ``after`` in words, each with the earlier value."""
    parts = []
    if after.importance != before.importance:
        parts.append(f"importance {after.importance:g}{instead_of}{before.importance:g}")
    if after.maturity != before.maturity:
        parts.append(f"{after.maturity}{instead_of}{before.maturity}")
    return ", ".join(parts)


def singles_and_starts(words: Sequence[str]) -> list[Sequence[str]]:
    """Each of ``words``, then the first two, the first three, and so on."""
    return [*([word] for word in words), *(words[:size] for size in range(2, len(words) + 1))]


def titles(note: Note, words: Sequence[str], mtime_ms: int) -> Iterator[tuple[str, TitleSet]]:
    """Yields combinations of ``words``, each as one string, with the change that adds it to the title of ``note`` and
    saves the note at ``mtime_ms``.

    Yields every combination, smallest first. If there are too many, yields each single word, then the first two words,
    the first three, and so on.
    """
    sizes = range(1, len(words) + 1)
    choices: Iterator[Sequence[str]] = (choice for size in sizes for choice in combinations(words, size))
    if 2 ** len(words) - 1 > MOST_TITLES:
        choices = iter(singles_and_starts(words))
    for choice in choices:
        added = " ".join(choice)
        yield added, TitleSet(note.path, f"{note.title} {added}".strip(), mtime_ms)
