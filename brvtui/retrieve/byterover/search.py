"""One whole search as ByteRover makes it, and everything it decided (``docs/engine.md``, "A search")."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from brvtui.profile import Profile
from brvtui.rank.maturity import LEVELS
from brvtui.retrieve.byterover import scope as scopes
from brvtui.retrieve.byterover.lifting import lift
from brvtui.retrieve.byterover.lint import lint, significant_words
from brvtui.retrieve.byterover.matching import TermTable, match_terms
from brvtui.retrieve.byterover.scoring import Ranking, path_hit, rank, text_hit
from brvtui.snapshot import Snapshot
from brvtui.text.analysis import from_utf16, terms, utf16
from brvtui.timing import Stopwatch
from brvtui.trace import (
    Attempt,
    Check,
    Found,
    Hit,
    Kind,
    NearMiss,
    Origin,
    Part,
    QueryLint,
    Scope,
    Search,
    Stage,
    State,
)
from brvtui.tree.hierarchy import Symbol
from brvtui.tree.whitespace import spaced_words

NEAR_MISSES = 20


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may set. Empty sets and strings do not restrict; a limit below 0 is 0."""

    limit: int
    scope: str = ""
    kinds: frozenset[Kind] = frozenset()
    not_kinds: frozenset[Kind] = frozenset()
    least_maturity: str = ""

    @property
    def most(self) -> int:
        """The results to keep, at least 0."""
        return max(0, self.limit)


def search(
    snapshot: Snapshot, profile: Profile, now_ms: float, query: str, options: Options, watch: Stopwatch | None = None
) -> Search:
    """The search for ``query`` over ``snapshot`` at the time ``now_ms``. Pure but for the times in ``watch``."""
    asked = _Asked(snapshot, profile, now_ms, query, options, watch or Stopwatch())
    if snapshot.engine_failure and profile.limits.failures:
        return _engine_fails(asked)
    with asked.watch.measure("search.path"):
        lookup = scopes.look_up_path(snapshot, query)
    if lookup.match and not (lookup.match.symbol.is_folder and lookup.text):
        named = lookup.match.symbol
        attempt = Attempt("path look-up", lookup.pattern, named.path, "", State.HIT, len(snapshot.notes), 1, lookup.why)
        return _path_answer(asked, named, lookup, attempt)
    if lookup.match:
        scope = scopes.inside_path(snapshot, lookup)
        attempt = Attempt(
            "path look-up", lookup.pattern, scope.path, "", State.PASSED, len(snapshot.notes), scope.notes,
            f"{lookup.why}: the folder becomes the scope",
        )  # fmt: skip
        return _text_search(asked, lookup.text, scope, (attempt,))
    state = State.MISSED if lookup.tried else State.SKIPPED
    attempts = (Attempt("path look-up", lookup.pattern, "", "", state, len(snapshot.notes), 0, lookup.why),)
    scope = scopes.parse_scope(snapshot, query, options.scope)
    first = _text_search(asked, scope.text, scope, attempts)
    if first.hits or not scope.path:
        return first
    everything = scopes.whole_tree(snapshot, query, f"nothing was found in {scope.path}: the whole query, everywhere")
    return _text_search(asked, query, everything, first.attempts)


@dataclass(frozen=True, slots=True)
class _Asked:
    snapshot: Snapshot
    profile: Profile
    now_ms: float
    query: str
    options: Options
    watch: Stopwatch


@dataclass(frozen=True, slots=True)
class _Matched:
    """The notes that a text matched, after AND or OR."""

    table: TermTable
    matching: NDArray[np.bool_]
    combine: str
    combine_why: str
    and_failed: bool
    stages: tuple[Stage, ...]
    attempts: tuple[Attempt, ...]


def _text_search(asked: _Asked, text: str, scope: Scope, attempts: tuple[Attempt, ...]) -> Search:
    snapshot, profile, watch = asked.snapshot, asked.profile, asked.watch
    with watch.measure("search.lint"):
        linted = lint(text, profile, snapshot.postings)
    with watch.measure("search.match"):
        matched = _match(asked, linted.filtered, scope)
    attempts = attempts + matched.attempts
    keep = asked.options.most + NEAR_MISSES
    with watch.measure("search.score"):
        ranking = rank(
            snapshot,
            profile,
            asked.now_ms,
            matched.table,
            matched.matching,
            max(keep, profile.out_of_domain.matched_results),
        )
    if not ranking.matched:
        outcome = Found.NO_MATCH if linted.tokens else Found.NO_TOKENS
        return _nothing(asked, outcome, scope, linted, attempts, matched, matched.stages)
    with watch.measure("search.gates"):
        checks, unmatched, outcome = _out_of_domain(asked, linted.filtered, matched, ranking)
    emptied = outcome is not Found.MATCHES
    stages = (
        *matched.stages,
        Stage(
            "out of domain", ranking.matched, ranking.matched if emptied else 0, 0 if emptied else ranking.matched,
            "out-of-domain",
        ),
    )  # fmt: skip
    if emptied:
        made = _nothing(asked, outcome, scope, linted, attempts, matched, stages)
        misses = _near_misses(asked, ranking, matched.table, 0, outcome)
        top = float(ranking.scores[0])
        return replace(
            made, matched=ranking.matched, top=top, out_of_domain=checks, unmatched_words=unmatched, near_misses=misses
        )
    with watch.measure("search.explain"):
        return _keep(asked, scope, linted, attempts, matched, ranking, stages, checks, unmatched)


def _match(asked: _Asked, filtered: str, scope: Scope) -> _Matched:
    snapshot, profile = asked.snapshot, asked.profile
    tokens = terms(filtered)
    table = match_terms(snapshot, tokens, profile.text)
    everything = len(snapshot.notes)
    stages: list[Stage] = []
    any_word = table.any_word()
    every_word = table.every_word()
    came_in = everything
    if scope.restricts:
        inside = scopes.members(snapshot, scope.path)
        any_word, every_word = any_word & inside, every_word & inside
        came_in = scope.notes
        stages.append(Stage("scope", everything, everything - came_in, came_in, "paths-and-scopes", scope.path))
    some, all_ = int(any_word.sum()), int(every_word.sum())
    words = [word for word in spaced_words(filtered.lower()) if len(utf16(word)) >= profile.query.and_word_length]
    wants_and = len(words) >= profile.query.and_min_words
    place = "scoped" if scope.restricts else "whole tree"
    stages.append(Stage("any term", came_in, came_in - some, some, "text-relevance"))
    count = f"{len(words)} words of {profile.query.and_word_length} letters or more"
    if not wants_and:
        why = f"OR: {count}, AND needs {profile.query.and_min_words}"
        tried = Attempt(f"{place} AND", filtered, scope.path, "AND", State.SKIPPED, came_in, 0, why)
        used = Attempt(f"{place} OR", filtered, scope.path, "OR", _found(some), came_in, some, why)
        return _Matched(table, any_word, "OR", why, False, tuple(stages), (tried, used))
    if all_:
        why = f"AND: {count}, and {all_} {_notes(all_)} every token"
        stages.append(Stage("every term (AND)", some, some - all_, all_, "the-query"))
        used = Attempt(f"{place} AND", filtered, scope.path, "AND", State.HIT, came_in, all_, why)
        skipped = Attempt(f"{place} OR", filtered, scope.path, "OR", State.NOT_REACHED, came_in, 0, "AND found notes")
        return _Matched(table, every_word, "AND", why, False, tuple(stages), (used, skipped))
    why = f"OR: no note matches every token ({count})"
    tried = Attempt(
        f"{place} AND", filtered, scope.path, "AND", State.MISSED, came_in, 0, "no note matches every token"
    )
    used = Attempt(f"{place} OR", filtered, scope.path, "OR", _found(some), came_in, some, why)
    return _Matched(table, any_word, "OR", why, True, tuple(stages), (tried, used))


def _found(count: int) -> State:
    return State.HIT if count else State.MISSED


def _notes(count: int) -> str:
    return "note matches" if count == 1 else "notes match"


def _out_of_domain(
    asked: _Asked, filtered: str, matched: _Matched, ranking: Ranking
) -> tuple[tuple[Check, ...], tuple[str, ...], Found]:
    limits = asked.profile.out_of_domain
    notes = len(asked.snapshot.notes)
    top = float(ranking.scores[0])
    rule = "out-of-domain"
    size = Check(
        "tree size", notes, "≥", limits.min_notes, notes >= limits.min_notes, notes - limits.min_notes,
        "out_of_domain.min_notes", rule, "smaller trees are never out of domain",
    )  # fmt: skip
    applies = notes >= limits.min_notes
    floor_ok = top >= limits.floor
    floor = Check(
        "relevance floor", top, "≥", limits.floor, floor_ok if applies else None, top - limits.floor,
        "out_of_domain.floor", rule,
    )  # fmt: skip
    if not applies:
        return (size,), (), Found.MATCHES
    if not floor_ok:
        return (size, floor), (), Found.BELOW_FLOOR
    unmatched = _unmatched_words(asked, filtered, matched, ranking)
    escaped = top >= limits.escape
    escape = Check(
        "unmatched-word escape", top, "≥", limits.escape, escaped if matched.and_failed else None, top - limits.escape,
        "out_of_domain.escape", rule, "" if matched.and_failed else "not asked: AND did not fail",
    )  # fmt: skip
    asked_words = matched.and_failed and not escaped
    words = Check(
        "unmatched words", len(unmatched), "=", 0, not unmatched if asked_words else None, -float(len(unmatched)),
        "", rule, ", ".join(unmatched),
    )  # fmt: skip
    emptied = asked_words and bool(unmatched)
    return (size, floor, escape, words), unmatched, Found.UNMATCHED_WORDS if emptied else Found.MATCHES


def _unmatched_words(asked: _Asked, filtered: str, matched: _Matched, ranking: Ranking) -> tuple[str, ...]:
    first = ranking.positions[: asked.profile.out_of_domain.matched_results]
    seen = {from_utf16(term.term) for term in matched.table.terms if (term.scores[first] > 0).any()}
    return tuple(word for word in significant_words(filtered, asked.profile) if word not in seen)


def _keep(
    asked: _Asked,
    scope: Scope,
    linted: QueryLint,
    attempts: tuple[Attempt, ...],
    matched: _Matched,
    ranking: Ranking,
    stages: tuple[Stage, ...],
    checks: tuple[Check, ...],
    unmatched: tuple[str, ...],
) -> Search:
    snapshot, profile, options = asked.snapshot, asked.profile, asked.options
    top = float(ranking.scores[0])
    floor = profile.search.gap_ratio * top
    above = ranking.at_least
    within = min(above, options.most)
    direct = [
        text_hit(snapshot, profile, asked.now_ms, position, matched.table.text_score(position))
        for position in ranking.positions[:within].tolist()
    ]
    wanted = [hit for hit in direct if _wanted(snapshot, hit, options)]
    lifts, summaries = lift(snapshot, profile, asked.now_ms, wanted, floor)
    summaries = tuple(hit for hit in summaries if _wanted(snapshot, hit, options))
    merged = sorted([*wanted, *summaries], key=lambda hit: -hit.score)
    hits = tuple(merged[: options.most])
    total = ranking.matched
    lifted = len(summaries)
    ratio = profile.search.gap_ratio
    stages = (
        *stages,
        Stage("score gap", total, total - above, above, "what-is-kept", f"≥ {ratio:g} × top {top:.4f}"),
        Stage("limit", above, above - within, within, "what-is-kept", f"{options.most}"),
        Stage("kind and maturity", within, within - len(wanted), len(wanted), "what-is-kept"),
        Stage("parent propagation", len(lifts), len(lifts) - lifted, lifted, "parent-propagation", "folders reached"),
        Stage(
            "merge", len(merged), len(merged) - len(hits), len(hits), "parent-propagation",
            f"{len(wanted)} notes and {lifted} summaries",
        ),
    )  # fmt: skip
    trimmed = [hit for hit in merged[options.most :] if hit.origin is Origin.TEXT]
    misses = tuple(_trimmed(hit, number, options.most) for number, hit in enumerate(trimmed, start=1))
    misses += _near_misses(asked, ranking, matched.table, within, Found.MATCHES, floor)
    return Search(
        query=asked.query,
        limit=options.most,
        outcome=Found.MATCHES,
        scope=scope,
        lint=linted,
        attempts=attempts,
        combine=matched.combine,
        combine_why=matched.combine_why,
        and_failed=matched.and_failed,
        searchable=len(snapshot.notes),
        matched=total,
        total_found=total,
        top=top,
        floor=floor,
        stages=stages,
        out_of_domain=checks,
        unmatched_words=unmatched,
        hits=hits,
        near_misses=misses[:NEAR_MISSES],
        lifts=lifts,
    )


def _wanted(snapshot: Snapshot, hit: Hit, options: Options) -> bool:
    if (options.kinds and hit.kind not in options.kinds) or hit.kind in options.not_kinds:
        return False
    if not options.least_maturity:
        return True
    return LEVELS.index(_maturity(snapshot, hit)) >= LEVELS.index(options.least_maturity)


def _maturity(snapshot: Snapshot, hit: Hit) -> str:
    """Stored maturity; of a ``context.md``, that of the file which summarises its folder."""
    if hit.kind is Kind.SUMMARY:
        summary = snapshot.summaries.get(hit.path)
        stored = snapshot.summary_signals.get(summary.file) if summary else None
        return stored.maturity if stored else LEVELS[0]
    return hit.signals.maturity if hit.signals else LEVELS[0]


def _trimmed(hit: Hit, number: int, limit: int) -> NearMiss:
    maturity = hit.signals.maturity if hit.signals else ""
    return NearMiss(
        hit.path,
        hit.file,
        hit.title,
        hit.kind,
        maturity,
        limit + number,
        hit.score,
        "trimmed after propagation",
        number,
    )


def _near_misses(
    asked: _Asked, ranking: Ranking, table: TermTable, taken: int, outcome: Found, floor: float = 0.0
) -> tuple[NearMiss, ...]:
    limits = asked.profile.out_of_domain
    misses = []
    positions = ranking.positions[taken : taken + NEAR_MISSES].tolist()
    for rank_, position in enumerate(positions, start=taken + 1):
        note = asked.snapshot.notes[position]
        score = float(ranking.scores[rank_ - 1])
        if outcome is Found.BELOW_FLOOR:
            reason, short = "below the out-of-domain floor", limits.floor - score
        elif outcome is Found.UNMATCHED_WORDS:
            reason, short = "the unmatched-word rule emptied the answer", limits.escape - score
        elif score < floor:
            reason, short = f"below {asked.profile.search.gap_ratio:g} × top", floor - score
        else:
            reason, short = "past the limit", float(rank_ - asked.options.most)
        maturity = asked.snapshot.signals[position].maturity
        misses.append(NearMiss(note.shown, note.path, note.title, note.kind, maturity, rank_, score, reason, short))
    return tuple(misses)


def _nothing(
    asked: _Asked,
    outcome: Found,
    scope: Scope,
    linted: QueryLint,
    attempts: tuple[Attempt, ...],
    matched: _Matched | None,
    stages: tuple[Stage, ...],
) -> Search:
    return Search(
        query=asked.query,
        limit=asked.options.most,
        outcome=outcome,
        scope=scope,
        lint=linted,
        attempts=attempts,
        combine=matched.combine if matched else "",
        combine_why=matched.combine_why if matched else "",
        and_failed=matched.and_failed if matched else False,
        searchable=len(asked.snapshot.notes),
        matched=0,
        total_found=0,
        top=None,
        floor=None,
        stages=stages,
        out_of_domain=(),
        unmatched_words=(),
        hits=(),
        near_misses=(),
        lifts=(),
    )


def _engine_fails(asked: _Asked) -> Search:
    why = asked.snapshot.engine_failure
    scope = scopes.whole_tree(asked.snapshot, asked.query, why)
    linted = lint(asked.query, asked.profile, asked.snapshot.postings)
    attempt = Attempt("path look-up", "", "", "", State.FAILED, len(asked.snapshot.notes), 0, why)
    return _nothing(asked, Found.ENGINE_FAILS, scope, linted, (attempt,), None, ())


def _path_answer(asked: _Asked, named: Symbol, lookup: scopes.PathLookup, attempt: Attempt) -> Search:
    snapshot, profile, limit = asked.snapshot, asked.profile, max(1, asked.options.limit)
    listed: list[Hit] = []
    if named.is_folder:
        outcome = Found.PATH_FOLDER
        summary = snapshot.summaries.get(named.path)
        if summary:
            listed.append(
                Hit(
                    named.path, summary.file, named.name, Kind.SUMMARY, Origin.PATH, profile.paths.summary_score,
                    (Part("named folder", profile.paths.summary_score),), None, None, None,
                )
            )  # fmt: skip
        below = [symbol for symbol in snapshot.hierarchy.walk(named) if not symbol.is_folder]
        for symbol in below[: max(0, limit - len(listed))]:
            note = snapshot.notes[snapshot.by_path[symbol.path]]
            score = profile.paths.child_score
            listed.append(path_hit(snapshot, profile, asked.now_ms, note, score, "below the named folder"))
        came_in = len(below) + bool(summary)
    else:
        outcome = Found.PATH_NOTE
        note = snapshot.notes[snapshot.by_path[named.path]]
        listed = [path_hit(snapshot, profile, asked.now_ms, note, profile.paths.note_score, "named note")]
        came_in = 1
    hits = tuple(listed[:limit])
    how = lookup.match.how if lookup.match else ""
    scope = Scope(named.path, lookup.pattern, "path", how, "", True, len(hits), f"{lookup.why}: {named.path}")
    everything = len(snapshot.notes)
    named_notes = came_in - bool(named.is_folder and snapshot.summaries.get(named.path))
    return Search(
        query=asked.query,
        limit=limit,
        outcome=outcome,
        scope=scope,
        lint=QueryLint(asked.query, "", (), (), (), ("taken as a path: no text is searched",)),
        attempts=(attempt,),
        combine="",
        combine_why="taken as a path: no text is searched",
        and_failed=False,
        searchable=everything,
        matched=len(hits),
        total_found=len(hits),
        top=max((hit.score for hit in hits), default=None),
        floor=None,
        stages=(
            Stage("named by the path", everything, everything - named_notes, named_notes, "paths-and-scopes"),
            Stage("limit", came_in, came_in - len(hits), len(hits), "paths-and-scopes", "with the folder's summary"),
        ),
        out_of_domain=(),
        unmatched_words=(),
        hits=hits,
        near_misses=(),
        lifts=(),
    )
