"""The answer to a query before and after an edit (*edit and see*).

Nothing is written: the query is put to :func:`brvtui.loading.edited.edited`. Its scores are those that a search finds
after the text is saved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.route.decision import Decision, QueryResults, decide, find_results, results_with_words
from brvtui.engines.byterover.search.detail import score_of
from brvtui.loading.edited import edit_after_save, edited
from brvtui.timing import Stopwatch
from brvtui.trace import Hit, Origin


@dataclass(frozen=True, slots=True)
class Placement:
    """A rank, from 1, and the score there."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Moved:
    """A result of today's answer, of the one after the edit, or of both; None where it is not among them."""

    path: str
    file: str
    title: str
    before: Placement | None
    after: Placement | None


@dataclass(frozen=True, slots=True)
class PreviewedAnswer:
    """The results of a query, the tier that they lead to, and the score of the edited note."""

    ranked: QueryResults
    decision: Decision
    own: Hit | None
    """The edited note with the parts of its score, whether or not it is a result; None when no term matches it."""


@dataclass(frozen=True, slots=True)
class Preview:
    """The outcome of a query before and after an edit of the file at ``path``, both without a cache."""

    path: str
    keep_mtime: bool
    before: PreviewedAnswer
    after: PreviewedAnswer
    results: tuple[Moved, ...]
    """In the order after the edit; those that it loses come last."""
    unseen: str
    """Why the engine would not read the file any more; empty when it would."""


def preview(
    context: Context,
    query: str,
    scope: str,
    path: str,
    data: bytes,
    keep_mtime: bool,
) -> Preview:
    """The outcome of ``query`` before and after the file at ``path`` of the project's own tree holds ``data``.

    Saving gives the file the time of ``now_ms``, unless it keeps the one that it has (``keep_mtime``).
    """
    edit = edit_after_save(context.snapshot, context.now_ms, path, data, keep_mtime)
    then = edited(context.snapshot, context.constants, context.now_ms, edit)
    before, after = (
        _outcome(replace(context, snapshot=state), query, scope, path) for state in (context.snapshot, then)
    )
    unseen = next((file.reason for file in then.unseen if file.path == path), "")
    return Preview(path, keep_mtime, before, after, moved_results(before.ranked.hits, after.ranked.hits), unseen)


def _outcome(context: Context, query: str, scope: str, path: str) -> PreviewedAnswer:
    snapshot = context.snapshot
    made = results_with_words(context, find_results(context, query, scope, Stopwatch()))
    own = next((hit for hit in made.hits if hit.file == path and hit.origin is not Origin.PROPAGATED), None)
    position = snapshot.by_path.get(path)
    if own is None and position is not None:
        own = score_of(context, made.search, position)
    return PreviewedAnswer(made, decide(context, made), own)


def moved_results(before: tuple[Hit, ...], after: tuple[Hit, ...]) -> tuple[Moved, ...]:
    """Every result of either, in the order of ``after``; those that it loses come last.

    A folder's ``context.md`` may be one twice: as itself, and carried up from a note.
    """
    places: list[dict[tuple[str, str, Origin], Placement]] = []
    found: dict[tuple[str, str, Origin], Hit] = {}
    for hits in (after, before):
        places.append({})
        for rank, hit in enumerate(hits, start=1):
            key = hit.path, hit.file, hit.origin
            places[-1][key] = Placement(rank, hit.score)
            found.setdefault(key, hit)
    now, was = places
    return tuple(Moved(hit.path, hit.file, hit.title, was.get(key), now.get(key)) for key, hit in found.items())
