"""A context tree as the space that V4's migration would make of it. Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from brvtui import faults
from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.documents import documents_of, term, tokens
from brvtui.engines.byterover_v4.migration.converter import ConvertedNote, convert
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.scripts import MOST_SPACE_ENTRIES, RankedSpace, query_space, ranked_space
from brvtui.lab.judgments.model import NOT_COVERED, Judgment, outcome_of
from brvtui.regular_files import LARGEST, read_regular
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import counted, from_utf16
from brvtui.text.segment import FIELDS, MOST_WORDS, TOO_MANY_WORDS
from brvtui.trace import Trace
from brvtui.tree.reading.files import TreeFile, UnseenFile
from brvtui.tree.reading.signals import Source
from brvtui.tree.spaces.contents import LARGEST_TOPIC, SpaceContents, TopicFile, code_units, markdown_files, unseen_name
from brvtui.tree.spaces.locating import SpaceFolder
from brvtui.tree.spaces.topic_html import UnreadableTopic, parse_topic

# The answer to a query before a migration to ByteRover V4, and after it.


_SHOWN = 10


class AnswerChange(StrEnum):
    """How the answer to a query would change, the worst first."""

    NOTHING_FOUND = "nothing is found any more"
    FIRST_GONE = "the first note is no longer in the answer"
    OTHER_FIRST = "another note is first"
    COVERED_NOW = "not covered before, and to be cited after"
    SAME_FIRST = "the same note is first"
    STILL_NOTHING = "nothing is found, as before"
    RIGHTLY_NOTHING = "nothing is found any more, as it was judged"


@dataclass(frozen=True, slots=True)
class AnsweredNote:
    """A note of an answer, with its score."""

    note: str
    score: float


@dataclass(frozen=True, slots=True)
class MigratedAnswer:
    """The answers to one query before and after. Scores of the two engines cannot be compared."""

    query: str
    scope: str
    source: str
    """``judged``, ``logged`` or ``given``."""
    change: AnswerChange
    outcome: str
    """How ByteRover 3 answers: ``tier 2``, ``not covered``."""
    should_cite: bool
    """Whether V4's agent would be told to cite its answer."""
    before: tuple[AnsweredNote, ...]
    """At most ten, best first."""
    after: tuple[AnsweredNote, ...]
    """The same; the notes that V4's topics come from."""
    rank_before: int | None
    """Of the best judged note; None where there is none, or it is not in the answer."""
    rank_after: int | None


def migrated_answer(
    judgment: Judgment,
    source: str,
    before: Trace,
    space: RankedSpace,
    notes: Mapping[str, str],
    now_ms: float,
    constants: V4Profile,
) -> MigratedAnswer:
    """The answers to the query of ``judgment``: ``before``, and what ``space`` would answer at ``now_ms``.

    ``notes`` has the note of each topic.
    """
    flags: dict[str, str | bool] = {"scope": judgment.scope} if judgment.scope else {}
    answer = query_space(space, CommandLine((judgment.text,), flags), now_ms, constants)
    old = tuple(AnsweredNote(hit.path, hit.score) for hit in before.hits[:_SHOWN])
    new = tuple(AnsweredNote(notes[hit.printed.path], hit.printed.score) for hit in answer.hits[:_SHOWN])
    return MigratedAnswer(
        query=judgment.text,
        scope=judgment.scope,
        source=source,
        change=_change(judgment, before, old, new),
        outcome=outcome_of(before),
        should_cite=any(hit.printed.confidence != "low" for hit in answer.hits),
        before=old,
        after=new,
        rank_before=_rank(judgment, old),
        rank_after=_rank(judgment, new),
    )


def _change(
    judgment: Judgment, trace: Trace, before: tuple[AnsweredNote, ...], after: tuple[AnsweredNote, ...]
) -> AnswerChange:
    if not after and before and judgment.expected == NOT_COVERED:
        return AnswerChange.RIGHTLY_NOTHING
    if not after:
        return AnswerChange.NOTHING_FOUND if before else AnswerChange.STILL_NOTHING
    if not trace.covered or not before:
        return AnswerChange.COVERED_NOW
    if before[0].note == after[0].note:
        return AnswerChange.SAME_FIRST
    kept = any(hit.note == before[0].note for hit in after)
    return AnswerChange.OTHER_FIRST if kept else AnswerChange.FIRST_GONE


def _rank(judgment: Judgment, hits: tuple[AnsweredNote, ...]) -> int | None:
    best = max((document.grade for document in judgment.documents), default=0)
    wanted = {document.path for document in judgment.documents if document.grade == best and best}
    return next((rank for rank, hit in enumerate(hits, 1) if hit.note in wanted), None)


_NS_PER_MS, _MS_PER_DAY = 1_000_000, 86_400_000.0
_ENDING_WORD = "md"
"""A word of every note's path, which nobody asks for."""
_CATALOG = "index.html"


@dataclass(frozen=True, slots=True)
class LostSignals:
    """Stored signals that a topic would begin without."""

    importance: float
    maturity: str
    access_count: int


@dataclass(frozen=True, slots=True)
class MigratedNote:
    """A note, and what the migration would make of it."""

    note: str
    topic: str
    """The path of its topic; empty where it would become none."""
    unseen: str
    """Why V4 would not see it; empty where it would."""
    newly_searched: bool
    """Whether V4 would search it although ByteRover 3 does not."""
    frontmatter_problem: str
    """Why its frontmatter would become text; empty where it would not."""
    lost_words: tuple[str, ...]
    """Words of its title and text that would no longer find it, in alphabetical order."""
    lost_frontmatter_words: tuple[str, ...]
    """The same for words that stand in its frontmatter alone: names of fields, dates, signals."""
    lost_path_words: tuple[str, ...]
    """Words that stand in its path alone, which V4 does not search."""
    lost_age_days: float
    """How old it is; as a topic it would be new."""
    lost_signals: LostSignals | None
    """None where nothing is stored for it."""


class _LostWords(NamedTuple):
    text: tuple[str, ...] = ()
    frontmatter: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


_NO_WORDS = _LostWords()


@dataclass(frozen=True, slots=True, eq=False)
class MigratedTree:
    """A tree's notes beside the space that they would become."""

    notes: tuple[MigratedNote, ...]
    """In the order of their topics."""
    converted: Mapping[str, ConvertedNote]
    """The topic of each note, by the note's path."""
    space: RankedSpace
    left: tuple[UnseenFile, ...]
    """Files that cannot be read, each with why."""


def migrate_tree(snapshot: Snapshot, now_ms: float, name: str) -> MigratedTree:
    """The space called ``name`` that a migration at ``now_ms`` would make of the tree of ``snapshot``.

    Shared sources are left out, as the migration leaves them out. Raises nothing.
    """
    tree = snapshot.project.tree
    topics: list[TopicFile] = []
    notes: list[MigratedNote] = []
    converted: dict[str, ConvertedNote] = {}
    left: list[UnseenFile] = []
    words, entries = set[str](), 0
    for path in sorted(markdown_files(tree), key=code_units):
        try:
            data = read_regular(tree / path, LARGEST)
            made = convert(path, data.decode("utf-8", "replace"), now_ms)
            if len(made.html) > LARGEST_TOPIC:
                raise UnreadableTopic("its topic would be larger than 2 MB")
            topic = parse_topic(made.html)
            fields = [terms for document in documents_of(made.topic, topic) for terms in document.terms]
            held = frozenset(word for terms in fields for word in terms)
            entries += sum(map(len, fields))
            if entries > MOST_SPACE_ENTRIES or len(words) + len(held - words) > MOST_WORDS:
                raise UnreadableTopic(TOO_MANY_WORDS)
        except OSError as error:
            left.append(UnseenFile(path, f"cannot be read: {faults.reason(error)}"))
            continue
        except UnreadableTopic as error:
            left.append(UnseenFile(path, str(error)))
            continue
        words |= held
        converted[path] = made
        unseen = _unseen(made)
        lost = _NO_WORDS if unseen else _lost_words(snapshot, made, held)
        notes.append(_migrated(snapshot, now_ms, made, unseen, lost))
        if not unseen:
            size = len(made.html.encode("utf-8", "surrogatepass"))
            file = TreeFile(made.topic, size, round(now_ms) * _NS_PER_MS, 0, 0)
            topics.append(TopicFile(file, made.html, topic))
    topics.sort(key=lambda topic: code_units(topic.path))
    folder = SpaceFolder(tree, tree, "root", name=name)
    contents = SpaceContents(folder, tuple(topics), (), (), {}, 0)
    return MigratedTree(tuple(notes), converted, ranked_space(contents), tuple(left))


def _unseen(made: ConvertedNote) -> str:
    if made.topic == _CATALOG:
        return "the migration leaves out index.md at the root"
    if not made.has_title:
        return "the migration leaves it out: the heading that its title would be is blank"
    return unseen_name(made.topic)


def _migrated(snapshot: Snapshot, now_ms: float, made: ConvertedNote, unseen: str, lost: _LostWords) -> MigratedNote:
    position = snapshot.by_path.get(made.note)
    signals = snapshot.signals[position] if position is not None else None
    kept = signals is not None and signals.source is not Source.DEFAULT
    return MigratedNote(
        note=made.note,
        topic=made.topic if made.has_title and made.topic != _CATALOG else "",
        unseen=unseen,
        newly_searched=position is None and not unseen,
        frontmatter_problem=made.problem,
        lost_words=lost.text,
        lost_frontmatter_words=lost.frontmatter,
        lost_path_words=lost.path,
        lost_age_days=_age_days(snapshot, made.note, now_ms),
        lost_signals=LostSignals(signals.importance, signals.maturity, signals.access_count)
        if signals is not None and kept
        else None,
    )


def _age_days(snapshot: Snapshot, note: str, now_ms: float) -> float:
    known = snapshot.parsed.get(note)
    return max(0.0, (now_ms - known.mtime_ms) / _MS_PER_DAY) if known is not None else 0.0


def _lost_words(snapshot: Snapshot, made: ConvertedNote, held: frozenset[str]) -> _LostWords:
    """The words under which ByteRover 3 finds the note of ``made`` and V4, which finds it by those of ``held``, would
    not: each where it stands first."""
    position = snapshot.by_path.get(made.note)
    if position is None:
        return _NO_WORDS
    title, body, path = snapshot.notes[position].title, made.body, made.note
    in_text, in_path = ({from_utf16(word) for word in counted(text)[1]} for text in (f"{title}\n{body}", path))
    names, lost = snapshot.postings.ids.terms, set[str]()
    for row in snapshot.postings.note(position).rows.tolist():
        word = from_utf16(names[row // len(FIELDS)])
        if any(term(token) not in held for token in tokens(word)):
            lost.add(word)
    elsewhere = lost - in_text
    only_path = elsewhere & in_path - {_ENDING_WORD}
    return _LostWords(*(tuple(sorted(found)) for found in (lost & in_text, elsewhere - in_path, only_path)))
