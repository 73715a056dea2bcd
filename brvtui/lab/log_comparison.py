"""Counts of logged queries, and comparisons of logged queries with their current answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from brvtui.engines.registry import kind_of, presentation, verdict_sentence
from brvtui.trace import Trace
from brvtui.tree.editing.archive import archived_as
from brvtui.tree.engine_files.query_log import OURS, UNLOGGED, LoggedQuery
from brvtui.wording import counted, first_of

_SLOWEST = 5


@dataclass(frozen=True, slots=True)
class UntieredAnswers:
    """The number of queries that an engine without tiers answered, and the number of those without results."""

    engine: str
    answered: int
    not_covered: int


@dataclass(frozen=True, slots=True)
class LogSummary:
    """Counts of the finished entries in a log."""

    queries: int
    tiers: tuple[int, int, int, int, int]
    """The number of covered queries per tier, from 0 to 4."""
    uncovered: int
    """The number of queries that no note covered, for engines with tiers. ByteRover logs such queries as tier 2."""
    untiered: tuple[UntieredAnswers, ...]
    """Counts for each engine without tiers, sorted by the engine's name."""
    cached: float | None
    """The share of tiered answers that came from the cache, from 0 to 1; None if there are no tiered answers."""
    not_covered: tuple[LoggedQuery, ...]
    """The distinct queries that were not covered, newest first."""
    failed: int
    slowest: tuple[LoggedQuery, ...]


def summarise(entries: Sequence[LoggedQuery]) -> LogSummary:
    """The summary of ``entries``, which must be newest first."""
    ended = [entry for entry in entries if entry.status == "completed"]
    tiered = [entry for entry in ended if entry.tier is not None]
    tiers = Counter(entry.tier for entry in tiered if not entry.not_covered)
    others = Counter((entry.engine, entry.not_covered) for entry in ended if entry.tier is None)
    engines = sorted({engine for engine, _ in others})
    uncovered = {entry.query.strip().lower(): entry for entry in reversed(entries) if entry.not_covered}
    timed = [entry for entry in ended if entry.took_ms is not None]
    return LogSummary(
        len(entries),
        (tiers[0], tiers[1], tiers[2], tiers[3], tiers[4]),
        sum(entry.not_covered for entry in tiered),
        tuple(UntieredAnswers(engine, others[engine, False], others[engine, True]) for engine in engines),
        sum(entry.from_cache for entry in tiered) / len(tiered) if tiered else None,
        tuple(sorted(uncovered.values(), key=lambda entry: -entry.at_ms)),
        sum(entry.status == "error" for entry in entries),
        tuple(sorted(timed, key=lambda entry: -(entry.took_ms or 0.0))[:_SLOWEST]),
    )


@dataclass(frozen=True, slots=True)
class LogComparison:
    """A logged query compared with its current answer on an empty cache."""

    entry: LoggedQuery
    tier: int | None
    top_score: float | None
    paths: tuple[str, ...]
    differences: tuple[str, ...]
    """The differences, one line each; empty if there are none."""
    is_other: bool = False
    """True if the tier, the coverage or the first note differs."""
    decimals: int = 2
    """The number of decimals in scores."""
    causes: tuple[str, ...] = ()
    """Possible causes of the differences, one line each; empty if none were found."""
    verdict_sentence: str = ""
    """The reason for the current answer in one sentence; empty if it cannot be computed."""
    is_covered: bool = True
    """True if a note now covers the query."""
    cached: str = ""
    """If the logged answer came from the cache, a message that includes the outcome with an empty cache; otherwise
    empty.
    """
    failure: str = ""
    """The error message if the engine fails now."""
    paths_now: Mapping[str, str] = field(default_factory=dict)
    """The current paths of moved results, keyed by their logged paths."""


def compare(entry: LoggedQuery, trace: Trace) -> LogComparison:
    """Compares ``entry`` with ``trace``, the answer to the same query on an empty cache."""
    shown = trace.hits[0].score if trace.hits else None
    paths = tuple(hit.path for hit in trace.hits)
    places, sentence, covered = trace.scale.decimals, verdict_sentence(trace), trace.covered
    unanswered = (_UNANSWERED[entry.status],) if entry.status in _UNANSWERED else ()
    comparison = LogComparison(entry, trace.tier, shown, paths, unanswered, False, places, (), sentence, covered)
    if failure := presentation(trace.engine).failure(trace):
        return replace(comparison, differences=(f"now {failure}", *unanswered), failure=failure)
    if unanswered:
        return comparison
    differences: list[str] = []
    cached = ""
    if entry.from_cache:
        now = f"is tier {trace.tier}" if covered else "is not covered"
        cached = f"it came from the cache; with an empty cache it {now}"
    elif entry.tier is not None and entry.tier != trace.tier and covered and not entry.not_covered:
        differences.append(f"tier {entry.tier} then, tier {trace.tier} now")
    if entry.not_covered is trace.covered and not entry.from_cache:
        differences.append("not covered then, covered now" if entry.not_covered else "covered then, not covered now")
    has_other_first = bool(entry.paths and paths) and entry.paths[0] != paths[0]
    is_other = bool(differences) or has_other_first
    if entry.top_score is not None and shown is not None and abs(entry.top_score - shown) >= 0.5 * 10**-places:
        differences.append(f"number 1 scored {entry.top_score:.{places}f} then, {shown:.{places}f} now")
    if has_other_first:
        differences.append(f"{entry.paths[0]} was first then, {paths[0]} is first now")
    elif not entry.from_cache:
        differences += _other_results(entry, paths)
    return replace(comparison, differences=tuple(differences), is_other=is_other, cached=cached)


def _other_results(entry: LoggedQuery, paths: tuple[str, ...]) -> Iterator[str]:
    """Yields further differences between the logged results and the current ``paths``. ByteRover logs only part of the
    results.
    """
    missing = [path for path in entry.paths if path not in paths]
    new = [path for path in paths if path not in entry.paths] if entry.who == OURS else []
    for results, when in ((missing, "then"), (new, "now")):
        if results:
            yield f"found only {when}: {first_of(results)}"
    if entry.who == OURS and not missing and not new:
        moved = (place for place, (one, two) in enumerate(zip(entry.paths, paths, strict=False), 1) if one != two)
        if (first := next(moved, None)) is not None:
            yield f"from number {first} on, the results are in a different order"


_UNANSWERED = {
    "error": "that run failed, so there is no answer to compare",
    "cancelled": "that run was stopped, so there is no answer to compare",
    UNLOGGED: "the engine's log does not contain it, so there is no answer to compare",
}


_OTHER_CAUSES = (
    "the signals, the settings, earlier runs, the engine's version, or a {noun} whose file time is unchanged or older "
    "now"
)


def causes(
    entry: LoggedQuery,
    now: Trace,
    as_of: Callable[[float], Trace] | None,
    changed_ms: Mapping[str, float],
    has_moved: bool,
    now_ms: float,
    own_signals: int = 0,
) -> tuple[str, ...]:
    """Returns possible causes of the difference between ``entry`` and the answer ``now``, one line each.

    If time is certainly the cause, returns only that cause and the results whose files were written. Changes to other
    notes, and signals that the original engine does not read, are named only if no other cause is known.

    ``as_of`` returns the answer from the current notes at a time in milliseconds since 1970; it is None if the time of
    ``entry`` is unknown. ``now_ms`` is the time of ``now``. ``changed_ms`` contains the last write time of each note's
    file, by result path. ``has_moved`` means that a logged result was moved; the comparison reports this, so no further
    causes are guessed. ``own_signals`` is the number of notes with signals that the original engine does not read.
    """
    noun = kind_of(now.engine).noun
    shown = dict.fromkeys((*entry.paths, *(hit.path for hit in now.hits)))
    as_of_then = as_of(entry.at_ms) if as_of is not None else None
    last_ms = max((changed_ms[path] for path in shown if path in changed_ms), default=0.0)
    gives_it = as_of_then is not None and not compare(entry, as_of_then).differences
    if gives_it and last_ms > entry.at_ms:
        # A file written since then has age 0 at the logged time, so the writes may explain an equal answer.
        assert as_of is not None
        gives_it = not compare(entry, as_of(min(math.ceil(last_ms) + 1, now_ms))).differences
    if gives_it:
        too = [f"{path} was also written" for path in shown if changed_ms.get(path, 0) > entry.at_ms]
        passed = f"{'' if too else 'only '}{_clock_text(entry.at_ms, now_ms)}"
        return (f"{passed}: as of that moment, today's {noun}s give the logged answer", *too)
    lines: list[str] = []
    if entry.profile and entry.profile != now.profile:
        lines.append(f"the profile was {entry.profile} then, and is {now.profile} now")
    missing = [path for path in entry.paths if not _is_in_tree(path, changed_ms)]
    stubs = {path: stub for path in missing if (stub := archived_as(path).stub) in changed_ms}
    for path in missing:
        archived = f"archived: restoring its stub {stubs[path]} brings it back" if path in stubs else ""
        lines.append(f"{path} is {archived or 'no longer in the tree'}")
    archived_now = set(stubs.values())
    since = [path for path, at_ms in changed_ms.items() if at_ms > entry.at_ms and path not in archived_now]
    lines += [f"{path} was written" for path in since if path in shown]
    is_known = bool(lines) or has_moved  # time is never the whole cause below; that case has returned above
    has_passed = False
    if as_of is not None and as_of_then is not None:
        # A note ages only after it is written, so the time before that did not affect its score.
        first = [(changed_ms.get(hit.path, 0), hit.path) for trace in (as_of_then, now) for hit in trace.hits[:1]]
        written_ms, path = max(first, default=(0, ""))
        from_ms = max(entry.at_ms, min(math.ceil(written_ms) + 1, now_ms))  # at 0 days the stored recency counts
        then = _outcome(as_of(from_ms) if from_ms > entry.at_ms else as_of_then)
        has_passed = then != _outcome(now)
        if has_passed:
            moment = f"the last change to {path}" if from_ms > entry.at_ms else "that moment"
            lines.append(f"{_clock_text(from_ms, now_ms)}: as of {moment}, today's {noun}s give {then}")
    if is_known:
        return tuple(lines)
    others = sum(path not in shown for path in since)
    lines += [counted(others, f"other {noun} was written", f"other {noun}s were written")] if others else []
    if own_signals:
        having = counted(own_signals, f"{noun} has", f"{noun}s have")
        lines.append(
            f"{having} signals that ByteRover does not read: to ignore them, set signals.frontmatter = false and run "
            "brv-tui forget"
        )
    else:
        when = "if that is not the cause," if others else f"no {noun}'s file is newer:"
        lines.append(f"{when} {'another' if has_passed else 'the'} cause may be {_OTHER_CAUSES.format(noun=noun)}")
    return tuple(lines)


def _clock_text(from_ms: float, now_ms: float) -> str:
    """The change of the clock from one time to another, in words. The clock may have been set back or be frozen."""
    return "time has passed" if from_ms <= now_ms else "the clock is earlier now"


def _outcome(trace: Trace) -> str:
    if not trace.hits:
        return "no result"
    tier = f", tier {trace.tier}" if trace.tier is not None else ""
    return f"{trace.hits[0].path} as number 1 with {trace.hits[0].score:.{trace.scale.decimals}f}{tier}"


def _is_in_tree(path: str, notes: Iterable[str]) -> bool:
    """True if ``path`` is one of ``notes``, or a folder that contains one: folder summaries can be results."""
    return any(note == path or note.startswith(f"{path}/") for note in notes)
