"""Finds notes by their text, independently of the engine (``docs/how-to/find-notes.md``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from brvtui.derived import Key
from brvtui.engines.contract import check_length
from brvtui.snapshot import Snapshot
from brvtui.snapshot.texts import text_document
from brvtui.store.text_index import KeptTextIndex, is_worth_keeping
from brvtui.text.find_query import MOST_WORDS, is_cut
from brvtui.text.full_text import LONGEST_TEXT, TextDocument, content_words

_MOST_WORDS = 6
_MOST_SEARCHED, _ALWAYS_SEARCHED = 5_000_000, 20_000
"""The maximum number of characters that are searched for the places of matches in all notes, and the minimum in each.
"""

_CUT_QUERY = f"only the first {MOST_WORDS} words, and as many alternatives, count"
_CUT_NOTES: Key[str] = Key("notice about notes that are searched in part")


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A matching note: the matching fields, the first matching line (0: none), and an excerpt of the text.

    ``highlights`` contains the start and end of each match in ``snippet``.
    """

    path: str
    title: str
    fields: tuple[str, ...]
    line: int
    snippet: str
    highlights: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class SimilarNote:
    """A note that is similar to another.

    ``share`` is its score divided by the best score, from 0 to 1. ``words`` are the rarest words in both notes.
    """

    path: str
    title: str
    share: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundNotes:
    """The first notes that match ``query``, best first, and the numbers of all matches and of all notes."""

    query: str
    count: int
    of: int
    notes: tuple[TextMatch, ...]
    notices: tuple[str, ...]


class IndexState(NamedTuple):
    """The location of the text index (:attr:`brvtui.store.text_index.KeptTextIndex.place`).

    ``problem`` is the reason why the index was rebuilt or cannot be written; empty if there is no problem.
    """

    place: str
    problem: str


class NoteFinder:
    """Finds an open project's notes in its text index, which follows the newest snapshot."""

    def __init__(self, index: KeptTextIndex, newest: Callable[[], Snapshot]) -> None:
        """A finder over the ``newest`` snapshot. Reads nothing before the first search."""
        self._index = index
        self._newest = newest

    def find(self, query: str, limit: int, is_typing: bool = False) -> FoundNotes:
        """The first ``limit`` notes that match ``query``. With ``is_typing``, the last word may be incomplete.

        The first call may build the index, which reads every note. Raises :class:`brvtui.engines.contract.EngineError`
        if the query is too long.
        """
        check_length(query)
        snapshot = self._newest()
        full_text = self._index.full_text(snapshot)
        found, count = full_text.find(query, limit, is_typing)
        notes, left = list[TextMatch](), _MOST_SEARCHED
        for match in found:
            title, document = snapshot.notes[snapshot.by_path[match.path]].title, _document(snapshot, match.path)
            text = document.text[: max(left, _ALWAYS_SEARCHED)]
            left -= len(text)
            excerpt = full_text.excerpt(query, replace(document, text=text), is_typing)
            notes.append(
                TextMatch(match.path, title, excerpt.fields, excerpt.line, excerpt.snippet, excerpt.highlights)
            )
        cut = (_CUT_QUERY if is_cut(query) else "", snapshot.derived.of(_CUT_NOTES, lambda: _cut_notes(snapshot)))
        notices = filter(None, (self._index.problem, *cut, *snapshot.search_notices(count > 0)))
        return FoundNotes(query, count, len(snapshot.notes), tuple(notes), tuple(notices))

    def paths(self, query: str, is_typing: bool = False) -> tuple[str, ...]:
        """The paths of all notes that match ``query``, best first. Raises the same exceptions as :meth:`find`."""
        check_length(query)
        snapshot = self._newest()
        found, _ = self._index.full_text(snapshot).find(query, len(snapshot.notes), is_typing)
        return tuple(match.path for match in found)

    def similar(self, path: str, limit: int) -> tuple[SimilarNote, ...]:
        """The ``limit`` notes most similar to the note at ``path``, best first.

        The first call may build the index. Raises KeyError if there is no such note, and OSError if it cannot be read.
        """
        snapshot = self._newest()
        document, full_text = text_document(snapshot, path), self._index.full_text(snapshot)
        found, words, notes = full_text.similar(document, limit), content_words(document), list[SimilarNote]()
        for match in found:
            title = snapshot.notes[snapshot.by_path[match.path]].title
            shared = words & content_words(_document(snapshot, match.path))
            rarest = full_text.rarest(shared, _MOST_WORDS)
            notes.append(SimilarNote(match.path, title, match.score / found[0].score, rarest))
        return tuple(notes)

    def follow(self) -> IndexState:
        """Updates the index on disk to the newest snapshot.

        A small tree's index is built only when a search needs it.
        """
        snapshot = self._newest()
        if is_worth_keeping(snapshot):
            self._index.full_text(snapshot)
            self._index.keep(snapshot)
        return IndexState(self._index.place, self._index.problem)

    def close(self) -> None:
        """Permits other processes to write the index."""
        self._index.close()


def _document(snapshot: Snapshot, path: str) -> TextDocument:
    """The searchable text of the note at ``path``; only its title if the file has just been removed."""
    try:
        return text_document(snapshot, path)
    except OSError:
        return TextDocument(path, snapshot.notes[snapshot.by_path[path]].title, "", "", "")


def _cut_notes(snapshot: Snapshot) -> str:
    """A notice about notes that are searched only in part; empty if there are none."""
    cut = [
        note.path
        for note in snapshot.notes
        if note.cut_lines
        or note.cut_units
        or (note.size > LONGEST_TEXT and len(_document(snapshot, note.path).text) > LONGEST_TEXT)
    ]
    more = f" and {len(cut) - 1} more" if len(cut) > 1 else ""
    return f"searched only in part, since it is long: {cut[0]}{more}" if cut else ""
