"""The answer to a query that names a note or a folder (``docs/engine.md``, "Paths and scopes")."""

from __future__ import annotations

from brvtui.engines.byterover.search.request import SearchRequest
from brvtui.engines.byterover.search.scope import PathLookup
from brvtui.engines.byterover.search.scoring import path_hits
from brvtui.engines.byterover.sections import Attempt, QueryLint, Scope, Search, SearchOutcome
from brvtui.trace import MOST_LISTED, Hit, Kind, Origin, Part, Stage, State, listed
from brvtui.tree.reading.hierarchy import Symbol

_AS_PATH = "read as a path: its words are not searched together"

PATH_TIME = "search.path"
"""The key of the path look-up's milliseconds."""


def path_answer(request: SearchRequest, named: Symbol, lookup: PathLookup) -> Search:
    """The note, or the folder's summary and the notes below it, with the scores that the rules give."""
    snapshot, profile, limit = request.context.snapshot, request.context.constants, max(1, request.options.limit)
    results: list[Hit] = []
    if named.is_folder:
        outcome = SearchOutcome.PATH_FOLDER
        summary = snapshot.summaries.get(named.path)
        if summary:
            results.append(
                Hit(
                    named.path, summary.file, named.name, Kind.SUMMARY, Origin.PATH, profile.paths.summary_score,
                    (Part("named folder", profile.paths.summary_score),), None, None, None,
                )
            )  # fmt: skip
        below = [symbol for symbol in snapshot.hierarchy.walk(named) if not symbol.is_folder]
        listed_notes = [snapshot.notes[snapshot.by_path[symbol.path]] for symbol in below[: limit - len(results)]]
        results += path_hits(request.context, listed_notes, profile.paths.child_score, "below the named folder")
        came_in = len(below) + bool(summary)
    else:
        outcome = SearchOutcome.PATH_NOTE
        note = snapshot.notes[snapshot.by_path[named.path]]
        results = path_hits(request.context, [note], profile.paths.note_score, "named note")
        came_in = 1
    hits = tuple(results[:limit])
    how = lookup.match.how if lookup.match else ""
    scope = Scope(named.path, lookup.pattern, "path", how, "", True, len(hits), f"{lookup.why}: {named.path}")
    everything = len(snapshot.notes)
    named_notes = came_in - bool(named.is_folder and snapshot.summaries.get(named.path))
    attempt = Attempt(
        "path look-up", lookup.pattern, named.path, "", State.HIT, everything, named_notes, lookup.why,
        tuple(map(listed, hits[:MOST_LISTED])), PATH_TIME,
    )  # fmt: skip
    return Search(
        query=request.query,
        limit=limit,
        outcome=outcome,
        scope=scope,
        lint=QueryLint(request.query, "", (), (), (), (_AS_PATH,)),
        attempts=(attempt,),
        combine_why=_AS_PATH,
        searchable=everything,
        matched=len(hits),
        total_found=len(hits),
        top=max((hit.score for hit in hits), default=None),
        stages=(
            Stage("named by the path", everything, everything - named_notes, named_notes, "paths-and-scopes"),
            Stage("limit", came_in, came_in - len(hits), len(hits), "paths-and-scopes", "with the folder's summary"),
        ),
        hits=hits,
    )
