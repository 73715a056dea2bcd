"""Loads a ByteRover V4 space. Its topics are the notes of the snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from brvtui.derived import Key
from brvtui.loading.full import Progress
from brvtui.ranking.maturity import LEVELS
from brvtui.snapshot import Note, Parsed, Snapshot
from brvtui.snapshot.records import columns_of
from brvtui.text.analysis import utf16
from brvtui.text.postings import build
from brvtui.text.segment import NoteTerms, TermIds, note_terms, passed_limit
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.files import Role, UnseenFile
from brvtui.tree.reading.project import FoundProject
from brvtui.tree.reading.signals import NoteSignals, Source, defaults
from brvtui.tree.spaces.contents import SpaceContents, TopicFile, TopicSignals, read_space
from brvtui.tree.spaces.project import SpaceProject

_MOST_IMPORTANCE = 100.0
_READ: Key[tuple[SpaceContents, ...]] = Key("spaces as they were read, with topics beyond the limits")


def load_space(
    project: FoundProject,
    constants: TreeConstants,
    now_ms: float,
    previous: Snapshot | None = None,
    progress: Progress | None = None,
) -> Snapshot:
    """Returns a snapshot of the space ``project`` as it is on disk; ``previous`` itself if nothing changed.

    Topics that have not changed since ``previous`` are not read again. Raises no errors.
    """
    assert isinstance(project, SpaceProject)
    read_before = previous.derived.of(_READ, lambda: previous.spaces) if previous is not None else ()
    known = {space.folder.tree: space for space in read_before}
    spaces = []
    for folder in project.spaces:
        before = known.get(folder.tree)
        topics = {topic.path: topic for topic in before.topics} if before is not None else {}
        read = read_space(folder, topics, progress)
        spaces.append(before if before is not None and _same(before, read) else read)
    if previous is not None and all(one is other for one, other in zip(spaces, read_before, strict=True)):
        return previous
    return _snapshot(project, constants, now_ms, tuple(spaces), previous.generation + 1 if previous else 1)


def _same(before: SpaceContents, now: SpaceContents) -> bool:
    return (
        len(before.topics) == len(now.topics)
        and all(one is other for one, other in zip(before.topics, now.topics, strict=True))
        and (before.unseen, before.markdown, before.signals, before.port)
        == (now.unseen, now.markdown, now.signals, now.port)
    )


def _snapshot(
    project: SpaceProject, constants: TreeConstants, now_ms: float, spaces: tuple[SpaceContents, ...], generation: int
) -> Snapshot:
    base, read = defaults(constants.signals), spaces
    spaces, terms, ids = _with_terms(project, spaces)
    topics = list(_topics(project, spaces))
    notes, parsed = [], {}
    for alias, path, topic in topics:
        chars = len(utf16(topic.source))
        title, file = _title(topic), topic.file
        notes.append(Note(path, file.path, alias, title, Role.NOTE, file.size, file.mtime_ms, 0, 0, chars))
        identity = (alias, file.path, file.mtime_ns, file.size, file.inode, file.ctime_ns)
        parsed[path] = Parsed(*identity, title, True, chars=chars)
    by_alias = dict(zip(_aliases(project), spaces, strict=True))
    signals = tuple(_signals(by_alias[alias], topic.path, base) for alias, _, topic in topics)
    snapshot = Snapshot(
        project=project,
        generation=generation,
        loaded_ms=now_ms,
        limits=constants.limits,
        notes=tuple(notes),
        by_path={note.path: place for place, note in enumerate(notes)},
        signals=signals,
        columns=columns_of(notes, signals, parsed),
        postings=build(terms, ids),
        files=tuple(topic.file for topic in spaces[0].topics),
        unseen=spaces[0].unseen,
        notices=project.notices,
        parsed=parsed,
        spaces=spaces,
    )
    snapshot.derived.put(_READ, read)
    return replace(snapshot, notices=(*project.notices, *snapshot.limit_notices))


def _with_terms(
    project: SpaceProject, spaces: Sequence[SpaceContents]
) -> tuple[tuple[SpaceContents, ...], list[NoteTerms], TermIds]:
    """``spaces`` without topics beyond the word limits, the terms of all other topics in order, and the term ids."""
    ids, terms, entries, within = TermIds(), list[NoteTerms](), 0, list[SpaceContents]()
    for alias, space in zip(_aliases(project), spaces, strict=True):
        topics, unseen = list[TopicFile](), list(space.unseen)
        for topic in space.topics:
            if reason := passed_limit(len(ids), entries):
                unseen.append(UnseenFile(_path(alias, topic), reason, True))
                continue
            topics.append(topic)
            terms.append(note_terms(_title(topic), topic.topic.body, _path(alias, topic), ids))
            entries += len(terms[-1].rows)
        is_cut = len(topics) < len(space.topics)
        within.append(replace(space, topics=tuple(topics), unseen=tuple(unseen)) if is_cut else space)
    return tuple(within), terms, ids


def _title(topic: TopicFile) -> str:
    return topic.topic.attribute("title") or topic.path


def _path(alias: str, topic: TopicFile) -> str:
    """Returns the path of ``topic`` in the snapshot."""
    return f"[{alias}]:{topic.path}" if alias else topic.path


def _aliases(project: SpaceProject) -> list[str]:
    """Returns the alias of each space, which is empty for the first space."""
    return ["", *(source.alias for source in project.sources)]


def _topics(project: SpaceProject, spaces: tuple[SpaceContents, ...]) -> Iterator[tuple[str, str, TopicFile]]:
    """Yields each topic with the alias of its space and its path in the snapshot."""
    for alias, space in zip(_aliases(project), spaces, strict=True):
        for topic in space.topics:
            yield alias, _path(alias, topic), topic


def _signals(space: SpaceContents, path: str, base: NoteSignals) -> NoteSignals:
    """Converts a topic's signals to a note's signals. Uses defaults for values that V4 cannot read as numbers."""
    stored = space.signals.get(path)
    if not isinstance(stored, TopicSignals):
        return base
    importance, recency = np.nan_to_num([stored.importance, stored.recency], nan=-1.0)
    accesses, updates = (max(0, int(np.nan_to_num(count))) for count in (stored.access_count, stored.update_count))
    return NoteSignals(
        min(_MOST_IMPORTANCE, float(importance)) if importance >= 0 else base.importance,
        min(1.0, float(recency)) if recency >= 0 else base.recency,
        stored.maturity if stored.maturity in LEVELS else base.maturity,
        accesses,
        updates,
        Source.SIDECAR,
    )
