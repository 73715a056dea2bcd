"""Why a named note is, or is not, in the answer to a query (``docs/engine.md``, "Why a note is not there")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.reasons.reasons import Reason
from brvtui.engines.byterover.reasons.remedies import Change, query_changes
from brvtui.engines.byterover.reasons.score_of import score_of
from brvtui.engines.byterover.route.finding import search_of
from brvtui.engines.byterover.search.detail import detail
from brvtui.engines.byterover.search.misses import PAST_LIMIT, TRIMMED
from brvtui.engines.byterover.search.scope import members
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import terms
from brvtui.trace import CacheEntry, Detail, Found, Hit, Search, Trace
from brvtui.tree.reading.files import ARCHIVE, SEARCHABLE, Role, role_of

Ask = Callable[[str], Trace]
_DIRECT = 2
"""The tier of direct answers."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One change that would bring the note in. ``verified`` remedies were re-run: ``rank`` and ``score`` came out."""

    text: str
    verified: bool
    query: str = ""
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """One note and one query: its rank and hit when it is in the results, else the earliest reason and a remedy."""

    query: str
    path: str
    title: str
    found: bool
    rank: int | None
    hit: Hit | None
    """The note's score; for a note that is not in the results, the one it would have had (None: no term matches)."""
    detail: Detail | None
    reason: Reason | None
    numbers: str
    remedy: Remedy | None
    router: str
    """What the router's tiers make of the note."""
    trace: Trace


def explain(snapshot: Snapshot, profile: Profile, now_ms: float, named: Named, trace: Trace, ask: Ask) -> Explanation:
    """Why the note ``named`` is or is not among the hits of ``trace``; ``ask`` re-runs the router on another query."""
    path = named.path
    position = named.position
    rank = next((number for number, hit in enumerate(trace.hits, start=1) if hit.file == path), None)
    own = None if position is None else score_of(snapshot, profile, now_ms, search_of(trace, path), position)
    terms_of_it = None if position is None or own is None else detail(snapshot, profile, search_of(trace, path), path)
    title = snapshot.notes[position].title if position is not None else path.rpartition("/")[2]
    if rank is not None and _stands(trace):
        hit = trace.hits[rank - 1]
        shown = terms_of_it if hit.text else None
        router = _router(profile, trace, hit, rank)
        return Explanation(trace.query, path, title, True, rank, hit, shown, None, "", None, router, trace)
    reason, numbers = _reason(snapshot, profile, named, trace, own)
    remedy = _remedy(snapshot, profile, path, title, reason, trace, ask)
    return Explanation(trace.query, path, title, False, None, own, terms_of_it, reason, numbers, remedy, "", trace)


def _stands(trace: Trace) -> bool:
    """Whether the answer stands on the results of the trace: on an exact look-up's too, while the tree is the same."""
    state = trace.fingerprint
    return trace.used or (trace.tier == 0 and state.value == state.current)


def _cached(trace: Trace) -> CacheEntry:
    return next(entry for entry in trace.cache.entries if entry.key == trace.cache.hit_key)


def _router(profile: Profile, trace: Trace, hit: Hit, rank: int) -> str:
    limits = profile.direct
    if hit.score < limits.prefetch:
        return f"{hit.score:.2f} is under {limits.prefetch:g}: not quoted in the prompt"
    reaching = [other for other in trace.hits if other.score >= limits.prefetch]
    place = reaching.index(hit) + 1
    if place > limits.max_notes:
        return f"number {place} of those that reach {limits.prefetch:g}: past the {limits.max_notes} that are used"
    direct = trace.outcome == "direct" if trace.used else _cached(trace).tier == _DIRECT
    what = "read into the direct answer" if direct else "quoted in the prompt"
    return what if trace.used else f"{what}; that answer came from the cache, {_cached(trace).age_s:.0f} s old"


def _reason(snapshot: Snapshot, profile: Profile, named: Named, trace: Trace, own: Hit | None) -> tuple[Reason, str]:
    return (
        _lost_on_disk(snapshot, named, trace.search, profile)
        or _lost_before_search(snapshot, named, trace)
        or _lost_in_search(snapshot, profile, named, trace, own)
    )


def _lost_on_disk(snapshot: Snapshot, named: Named, search: Search, profile: Profile) -> tuple[Reason, str] | None:
    path = named.path
    if named.position is not None:
        if _is_gone(snapshot, path):
            return Reason.NOT_IN_TREE, "the file is gone since it was read"
        note = snapshot.notes[named.position]
        if (note.cut_lines or note.cut_units) and _only_beyond(snapshot, path, search):
            cut = f"{note.cut_lines} lines past line {profile.limits.max_lines}" if note.cut_lines else ""
            long = f"{note.cut_units} lines past unit {profile.limits.max_line_units}" if note.cut_units else ""
            return Reason.CUT_OFF, " and ".join(part for part in (cut, long) if part) + " are not read"
        return None
    unseen = next((file.reason for file in snapshot.unseen if file.path == path), None)
    if unseen and unseen.startswith("past the"):
        return Reason.DERIVED, unseen
    role = role_of(path)
    if role is Role.ARCHIVED:
        return Reason.ARCHIVED, f"search finds {path.removesuffix('.full.md')}.stub.md in its place"
    if unseen:
        return Reason.UNREADABLE, unseen
    if role not in SEARCHABLE:
        return Reason.DERIVED, f"{role.value} files are made from notes and are not searched"
    stub = f"{ARCHIVE}/{path.removesuffix('.md')}.stub.md"
    if stub in snapshot.by_path:
        return Reason.ARCHIVED, f"search finds {stub} in its place"
    return Reason.NOT_IN_TREE, "no such file when the tree was read"


def _is_gone(snapshot: Snapshot, path: str) -> bool:
    return path not in snapshot.edited and not snapshot.location(path).exists()


def _only_beyond(snapshot: Snapshot, path: str, search: Search) -> bool:
    wanted = set(terms(search.lint.filtered))
    try:
        whole = snapshot.read(path).decode("utf-8", "replace")
        seen = set(terms(snapshot.text(path)))
    except OSError:
        return False
    return bool(wanted & set(terms(whole))) and not wanted & seen


def _lost_before_search(snapshot: Snapshot, named: Named, trace: Trace) -> tuple[Reason, str] | None:
    search = trace.search
    if search.outcome is Found.ENGINE_FAILS:
        return Reason.ENGINE_FAILS, snapshot.engine_failure
    if _file_changed(snapshot, named.path):
        return Reason.INDEX_OLDER, "the file has changed since it was read"
    if not _stands(trace):
        entry = _cached(trace)
        return Reason.CACHED, f"tier {trace.tier} answered with “{entry.key}”, {entry.age_s:.0f} s old"
    if search.outcome in (Found.PATH_NOTE, Found.PATH_FOLDER):
        named_path = search.scope.path
        inside = named.path.startswith(f"{named_path}/")
        if inside and search.outcome is Found.PATH_FOLDER:
            return Reason.LIMIT, f"the folder's listing ends after {search.limit}"
        return Reason.PATH, f"{search.scope.pattern} names {named_path}"
    outside = named.position is not None and not members(snapshot, search.scope.path)[named.position]
    if search.scope.restricts and outside:
        return Reason.SCOPE, f"{search.scope.why}; the note is not in {search.scope.path}"
    return None


def _file_changed(snapshot: Snapshot, path: str) -> bool:
    known = snapshot.parsed.get(path)
    if known is None or path in snapshot.edited:
        return False
    try:
        return snapshot.location(path).stat().st_mtime_ns != known.mtime_ns
    except OSError:
        return True


def _lost_in_search(
    snapshot: Snapshot, profile: Profile, named: Named, trace: Trace, own: Hit | None
) -> tuple[Reason, str]:
    search = trace.search
    words = search.lint.words
    if own is None and (not search.lint.tokens or search.lint.notes):
        shown = ", ".join(word.word for word in words) or "nothing"
        return Reason.NO_WORDS, f"the query holds {shown}"
    if own is None or own.text is None:
        return Reason.NO_TERM, f"tokens searched: {', '.join(search.lint.tokens)}"
    distinct = len(set(search.lint.tokens))
    if search.combine == "AND" and own.text.matched_terms < distinct:
        return Reason.AND, f"it matches {own.text.matched_terms} of {distinct} terms; {search.matched} notes match all"
    limits = profile.out_of_domain
    if search.outcome is Found.BELOW_FLOOR:
        return Reason.FLOOR, f"top {search.top:.4f} is below {limits.floor:g}; this note: {own.score:.2f}"
    if search.outcome is Found.UNMATCHED_WORDS:
        unmatched = ", ".join(f"“{word}”" for word in search.unmatched_words)
        return (
            Reason.UNMATCHED_WORD,
            f"nothing matches {unmatched}, and top {search.top:.4f} is under {limits.escape:g}",
        )
    miss = next((miss for miss in search.near_misses if miss.file == named.path), None)
    if miss and miss.reason == PAST_LIMIT:
        return Reason.LIMIT, f"rank {miss.rank}, the search keeps {search.limit}"
    if miss and miss.reason == TRIMMED:
        return Reason.TRIMMED, f"{miss.score:.2f}: folder summaries took its place among the {search.limit}"
    floor = search.floor if search.floor is not None else 0.0
    unrounded = own.score - next((part.value for part in own.parts if part.name == "rounding"), 0.0)
    if unrounded < floor:
        return Reason.GAP, f"{unrounded:.4f} is below {floor:.4f}, short {floor - unrounded:.4f}"
    return Reason.LIMIT, f"past the {search.limit} that the search keeps"


def _remedy(
    snapshot: Snapshot, profile: Profile, path: str, title: str, reason: Reason, trace: Trace, ask: Ask
) -> Remedy | None:
    given = _given(profile, path, reason, trace)
    if given:
        return Remedy(given, False)
    for change in query_changes(reason, trace, title):
        tried = _tried(change, path, ask)
        if tried:
            return tried
    return Remedy("no wording that was tried brings it in", False)


def _tried(change: Change, path: str, ask: Ask) -> Remedy | None:
    again = ask(change.query)
    for rank, hit in enumerate(again.hits, start=1):
        if hit.file == path:
            return Remedy(f"{change.text}: rank {rank}, {hit.score:.2f}", True, change.query, rank, hit.score)
    return None


def _given(profile: Profile, path: str, reason: Reason, trace: Trace) -> str:
    limits = profile.limits
    fixed = {
        Reason.NOT_IN_TREE: "check the path, or curate the note",
        Reason.DERIVED: "ask for the note that it was made from",
        Reason.ARCHIVED: "restore it with brv, or read the stub that search finds",
        Reason.UNREADABLE: "mend the file as its reason says: then it is read again",
        Reason.CUT_OFF: f"move the words before line {limits.max_lines}, into lines of {limits.max_line_units} units",
        Reason.ENGINE_FAILS: "mend the tree as the reason says",
        Reason.INDEX_OLDER: f"ask again: the engine looks at files again after {limits.index_seconds:g} s",
    }
    if reason is Reason.CACHED:
        rank = next((number for number, hit in enumerate(trace.hits, start=1) if hit.file == path), None)
        then = "does not find it either" if rank is None else f"has it at rank {rank}"
        return f"wait {_cached(trace).left_s:.0f} s until the entry expires, or change any note: a new search {then}"
    return fixed.get(reason, "")
