"""The retry ladder over ByteRover's own search (``docs/jeffs_brain.md``, "In ByteRover's route")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.search.scope import members
from brvtui.engines.byterover.search.scoring import text_hits
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import Search
from brvtui.ladder import TRIGRAMS, Climbed, Searches, climb
from brvtui.snapshot import Key, Snapshot
from brvtui.text.trigrams import TrigramIndex
from brvtui.timing import Stopwatch
from brvtui.trace import Hit, Ladder, Origin, State, TextScore, listed
from brvtui.wording import counted

SEARCH_FOUND = "the search itself found notes"
SEARCH_TIME = "search"
"""The key of the milliseconds of the search that the ladder begins with."""

_NAMES: Key[TrigramIndex] = Key("trigrams of names")


def names_of(snapshot: Snapshot) -> TrigramIndex:
    """The notes' file names by their trigrams; remembered while the snapshot lives."""
    return snapshot.derived.of(_NAMES, lambda: TrigramIndex((note.path, note.path) for note in snapshot.notes))


def retry(
    context: Context,
    found: Search,
    options: SearchOptions,
    watch: Stopwatch | None = None,
) -> Ladder:
    """The ladder for a search that ``found`` nothing; when it found something, no step is taken.

    Each step is a whole search with ``options``; the last one compares names of notes (:func:`named_like`).
    """
    profile = context.constants

    def again(text: str) -> Sequence[Hit]:
        return search(context, text, options).hits

    def like(tokens: Sequence[str]) -> Sequence[Hit]:
        scope = "" if profile.paths.leave_scope else options.scope
        return named_like(context, tokens, options.most, scope)

    made = climb(found.query, (found.query, found.hits), Searches(again, like), profile.ladder, watch)
    return _ladder(made)


def named_like(context: Context, tokens: Sequence[str], most: int, scope: str = "") -> list[Hit]:
    """The notes whose file name is like one of ``tokens``, best first, at most ``most``; of ``scope``, if it has any.

    In their scores the likeness of the name, 0..1, stands in for text relevance.
    """
    snapshot, profile = context.snapshot, context.constants
    likenesses = names_of(snapshot).search(tokens, profile.names.limit, profile.names.least)
    if scope and (inside := members(snapshot, scope)).any():
        likenesses = [likeness for likeness in likenesses if inside[likeness.position]]
    positions = [likeness.position for likeness in likenesses]
    texts = [TextScore(0.0, 0, 0.0, likeness.similarity) for likeness in likenesses]
    hits = [_by_name(hit) for hit in text_hits(context, positions, texts)]
    return sorted(hits, key=lambda hit: -hit.score)[:most]


def _ladder(made: Climbed[Hit]) -> Ladder:
    first, *others = made.with_listed(listed, "score")
    rungs = (replace(first, timed_by=SEARCH_TIME), *others)
    if made.error:
        return Ladder(State.FAILED, made.error, rungs)
    paths = tuple(hit.path for hit in made.found)
    if not made.found:
        return Ladder(State.MISSED, "no step of the ladder found a note", rungs)
    if rungs[0].state is State.HIT:
        return Ladder(State.NOT_REACHED, SEARCH_FOUND, rungs, paths)
    notes = counted(len(paths), "note", "notes")
    how = "by their names, " if made.strategy == TRIGRAMS else ""
    return Ladder(State.HIT, f"{notes} {how}at {made.strategy}", rungs, paths, made.found)


def _by_name(hit: Hit) -> Hit:
    """The hit of a note whose name is like a word: its relevance is that likeness."""
    first = replace(hit.parts[0], note="the likeness of its name")
    return replace(hit, parts=(first, *hit.parts[1:]), origin=Origin.NAME, text=None)
