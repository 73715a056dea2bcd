"""Computes the space that V4's migration would create from a context tree. Nothing is written."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from brvtui import faults
from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.documents import documents_of, term, tokens
from brvtui.engines.byterover_v4.migration.converter import convert
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.scripts import MOST_SPACE_ENTRIES, RankedSpace, query_space, ranked_space
from brvtui.engines.migration import ConvertedNote, LostSignals, MigratedNote, MigratedTree, SpaceHits
from brvtui.ranking.decay import MS_PER_DAY
from brvtui.regular_files import LARGEST, read_regular
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import counted, from_utf16
from brvtui.text.segment import FIELDS, MOST_BYTES, MOST_WORDS
from brvtui.tree.reading.files import NS_PER_MS, TreeFile, UnseenFile
from brvtui.tree.reading.signals import Source
from brvtui.tree.spaces.contents import LARGEST_TOPIC, SpaceContents, TopicFile, code_units, markdown_files, unseen_name
from brvtui.tree.spaces.locating import SpaceFolder
from brvtui.tree.spaces.topic_html import UnreadableTopic, parse_topic

_ENDING_WORD = "md"
"""A word in the path of every note, which therefore no query needs."""
_CATALOG = "index.html"


class _LostWords(NamedTuple):
    text: tuple[str, ...] = ()
    frontmatter: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


_NO_WORDS = _LostWords()
_TOO_MANY_WORDS = (
    f"the notes up to this one contain more than {MOST_WORDS:,} distinct words, {MOST_SPACE_ENTRIES:,} words in all, "
    f"or {MOST_BYTES // 1_000_000} MB"
)


def migrate_tree(snapshot: Snapshot, now_ms: float, name: str, constants: V4Profile) -> MigratedTree:
    """The space called ``name`` that a migration at ``now_ms`` would create from the tree of ``snapshot``.

    Shared sources are left out, as in V4's migration, and so are notes that exceed the limits of a space. Once the
    notes read exceed these limits in total, no more are read. ``constants`` are used to rank the topics. Raises no
    errors.
    """
    tree = snapshot.project.tree
    topics: list[TopicFile] = []
    notes: list[MigratedNote] = []
    converted: dict[str, ConvertedNote] = {}
    left: list[UnseenFile] = []
    words, entries, size, is_full = set[str](), 0, 0, False
    for path in sorted(markdown_files(tree), key=code_units):
        if is_full:  # the remaining notes are not even read
            left.append(UnseenFile(path, _TOO_MANY_WORDS))
            continue
        try:
            data = read_regular(tree / path, LARGEST)
            size += len(data)
            if is_full := size > MOST_BYTES:
                raise UnreadableTopic(_TOO_MANY_WORDS)
            note = convert(path, data.decode("utf-8", "replace"), now_ms)
            if len(note.html) > LARGEST_TOPIC:
                raise UnreadableTopic("its topic would be larger than 2 MB")
            topic = parse_topic(note.html)
            fields = [terms for document in documents_of(note.topic, topic) for terms in document.terms]
            own_words = frozenset(word for terms in fields for word in terms)
            more = sum(map(len, fields))
            entries += more
            is_full = entries > MOST_SPACE_ENTRIES
            if is_full or len(words) + len(own_words - words) > MOST_WORDS:
                raise UnreadableTopic(_TOO_MANY_WORDS)
        except OSError as error:
            left.append(UnseenFile(path, f"cannot be read: {faults.reason(error)}"))
            continue
        except UnreadableTopic as error:
            left.append(UnseenFile(path, str(error)))
            continue
        words |= own_words
        converted[path] = note
        unseen = _unseen(note)
        lost = _NO_WORDS if unseen else _lost_words(snapshot, note, own_words)
        notes.append(_migrated(snapshot, now_ms, note, unseen, lost))
        if not unseen:
            length = len(note.html.encode("utf-8", "surrogatepass"))
            file = TreeFile(note.topic, length, round(now_ms) * NS_PER_MS, 0, 0)
            topics.append(TopicFile(file, note.html, topic))
    topics.sort(key=lambda topic: code_units(topic.path))
    folder = SpaceFolder(tree, tree, "root", name=name)
    contents = SpaceContents(folder, tuple(topics), (), (), {}, 0)
    answer = partial(_hits, ranked_space(contents), constants)
    return MigratedTree(tuple(notes), converted, answer, tuple(left))


def _hits(space: RankedSpace, constants: V4Profile, query: str, scope: str, now_ms: float) -> SpaceHits:
    flags: dict[str, str | bool] = {"scope": scope} if scope else {}
    hits = query_space(space, CommandLine((query,), flags), now_ms, constants).hits
    should_cite = any(hit.printed.confidence != "low" for hit in hits)
    return SpaceHits(tuple((hit.topic.best.document.file, hit.printed.score) for hit in hits), should_cite)


def _unseen(converted: ConvertedNote) -> str:
    if converted.topic == _CATALOG:
        return "the migration leaves out index.md at the root"
    if not converted.has_title:
        return "the migration leaves it out: the heading that would become its title is blank"
    return unseen_name(converted.topic)


def _migrated(
    snapshot: Snapshot, now_ms: float, converted: ConvertedNote, unseen: str, lost: _LostWords
) -> MigratedNote:
    position = snapshot.by_path.get(converted.note)
    signals = snapshot.signals[position] if position is not None else None
    is_stored = signals is not None and signals.source is not Source.DEFAULT
    return MigratedNote(
        note=converted.note,
        topic=converted.topic if converted.has_title and converted.topic != _CATALOG else "",
        unseen=unseen,
        newly_searched=position is None and not unseen,
        frontmatter_problem=converted.problem,
        lost_words=lost.text,
        lost_frontmatter_words=lost.frontmatter,
        lost_path_words=lost.path,
        lost_age_days=_age_days(snapshot, converted.note, now_ms),
        lost_signals=LostSignals(signals.importance, signals.maturity, signals.access_count)
        if signals is not None and is_stored
        else None,
    )


def _age_days(snapshot: Snapshot, note: str, now_ms: float) -> float:
    parsed = snapshot.parsed.get(note)
    return max(0.0, (now_ms - parsed.mtime_ms) / MS_PER_DAY) if parsed is not None else 0.0


def _lost_words(snapshot: Snapshot, converted: ConvertedNote, words_in_v4: frozenset[str]) -> _LostWords:
    """The words that find a note in ByteRover 3 but not in V4. ``words_in_v4`` are the words that V4 searches in the
    note.

    Each word is listed under the place where it first occurs.
    """
    position = snapshot.by_path.get(converted.note)
    if position is None:
        return _NO_WORDS
    title, body, path = snapshot.notes[position].title, converted.body, converted.note
    in_text, in_path = ({from_utf16(word) for word in counted(text)[1]} for text in (f"{title}\n{body}", path))
    names, lost = snapshot.postings.ids.terms, set[str]()
    for row in snapshot.postings.note(position).rows.tolist():
        word = from_utf16(names[row // len(FIELDS)])
        if any(term(token) not in words_in_v4 for token in tokens(word)):
            lost.add(word)
    elsewhere = lost - in_text
    only_path = elsewhere & in_path - {_ENDING_WORD}
    return _LostWords(*(tuple(sorted(group)) for group in (lost & in_text, elsewhere - in_path, only_path)))
