"""One ranking over several members, equal to a search in a single tree that contains the notes of all members.

First, the document frequencies of the matching terms and the field lengths are summed over the members. Each member
then scores its own notes with these sums, and the best matches are merged in ByteRover's order and by its rules. Notes
lift only folders of their own member.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.ranking_parts import (
    NamedPlace,
    NameRequest,
    PathAnswerOf,
    RankedRow,
    ResultDetailsRequest,
    TermCountRequest,
    TogetherQuery,
    TopMatchesRequest,
)
from brvtui.engines.byterover.search.lint import filtered_query
from brvtui.engines.byterover.search.matching import and_words
from brvtui.engines.byterover.search.near_misses import NEAR_MISSES, trimmed_misses, why_missed
from brvtui.engines.byterover.search.search import domain_checks
from brvtui.engines.together import (
    FinishedPart,
    MemberHit,
    MemberMiss,
    NotTogether,
    OneRanking,
    RankedMemories,
    TermCounts,
)
from brvtui.text.analysis import from_utf16, terms
from brvtui.text.postings import Collection
from brvtui.text.segment import FIELDS
from brvtui.trace import Hit, Kind, NearMiss, Origin
from brvtui.trace.routing import SearchOutcome
from brvtui.tree.reading.files import TreeFile, document_order, walk_key
from brvtui.tree.reading.javascript import first_word


@dataclass(frozen=True, slots=True)
class _Scope:
    """A text and the folder to which its search is limited."""

    text: str
    path: str = ""


class Ranker:
    """The ranking for one query over several memories."""

    def __init__(self, memories: RankedMemories, profile: Profile, query: str, limit: int) -> None:
        """Prepares the ranking. A ``limit`` of 0 means the limit in ``profile``."""
        self.memories, self.profile, self.query = memories, profile, query
        self.limit = limit or profile.search.limit

    def ranked(self, domains: frozenset[str]) -> OneRanking:
        """The answer to the query: the place that it names, or the results of a search for its text."""
        first = first_word(self.query).lower()
        if "/" not in self.query and first not in domains:
            return self._text(_Scope(self.query))
        own_domains = (first,) if first in domains else ()
        places = self.memories.ask(dict.fromkeys(self.memories.names, NameRequest(self.query, own_domains)))
        paths = {name: named[0] for name, named in places.items() if named[0] is not None}
        if paths:
            best = _best(paths)
            place = next(iter(best.values()))
            if place.is_folder and place.text:
                return self._text(_Scope(place.text, self._one_place(best)))
            return self._named(best, own_domains)
        scopes = {name: named[1] for name, named in places.items() if named[1] is not None}
        if not scopes:
            return self._text(_Scope(self.query))
        best = _best(scopes)
        place = next(iter(best.values()))
        answer = self._text(_Scope(place.text or self.query, self._one_place(best)))
        return answer if answer.hits or not place.text else self._text(_Scope(self.query))

    def _one_place(self, best: Mapping[str, NamedPlace]) -> str:
        """The path that all places in ``best`` have. Raises NotTogether if they have different paths."""
        paths = sorted({place.path for place in best.values()})
        if len(paths) > 1:
            line = f"{self.query!r} names {paths[0]} and {paths[1]}, but one ranking needs a single path"
            raise NotTogether(line)
        return paths[0]

    def _named(self, best: Mapping[str, NamedPlace], own_domains: tuple[str, ...]) -> OneRanking:
        name, *others = best
        if others:
            path = best[name].path
            line = f"{self.query!r} names {path} in {name} and in {others[0]}, but one ranking needs a single place"
            raise NotTogether(line)
        answers = self.memories.ask({name: PathAnswerOf(self.query, own_domains, self.limit)})
        hits: tuple[Hit, ...] = answers.get(name, ())
        is_folder = best[name].is_folder
        return OneRanking(
            self.query,
            self.memories.profiles[name],
            outcome=SearchOutcome.PATH_FOLDER if is_folder else SearchOutcome.PATH_NOTE,
            scope=best[name].path,
            matched=len(hits),
            total_found=len(hits),
            hits=tuple(MemberHit(name, hit) for hit in hits),
        )

    def _text(self, scope: _Scope) -> OneRanking:
        filtered = filtered_query(scope.text, self.profile)
        tokens = tuple(terms(filtered))
        asked_counts = TermCountRequest(tokens, scope.path)
        counts: dict[str, TermCounts] = self.memories.ask(dict.fromkeys(self.memories.names, asked_counts))
        if scope.path and not any(count.inside for count in counts.values()):
            return self._text(_Scope(scope.text))
        collection = _together(counts)
        ranking = OneRanking(
            self.query,
            " and ".join(sorted({self.memories.profiles[name] for name in counts})),
            members=len(counts),
            notes=collection.notes,
            averages=collection.averages,
            frequencies=tuple(
                (from_utf16(token), *_three(collection.frequencies.get(token, ()))) for token in dict.fromkeys(tokens)
            ),
            scope=scope.path,
            outcome=SearchOutcome.NO_MATCH if tokens else SearchOutcome.NO_TOKENS,
        )
        some, every = (sum(getattr(one, name) for one in counts.values()) for name in ("some", "every"))
        if not some:
            return ranking
        wants_all = len(and_words(filtered, self.profile)) >= self.profile.query.and_min_words
        query = TogetherQuery(tokens, scope.path, bool(wants_all and every), collection)
        ranking = replace(
            ranking, matched=every if query.needs_all else some, combine="AND" if query.needs_all else "OR"
        )
        return self._merged(ranking, query, filtered, counts, wants_all and not every)

    def _merged(
        self,
        ranking: OneRanking,
        query: TogetherQuery,
        filtered: str,
        counts: Mapping[str, TermCounts],
        and_failed: bool,
    ) -> OneRanking:
        keep = max(self.limit + NEAR_MISSES, self.profile.out_of_domain.matched_results)
        matching = [
            name for name in self.memories.names if (counts[name].every if query.needs_all else counts[name].some)
        ]
        rows_by_member = self.memories.ask(
            {name: TopMatchesRequest(_own(query, counts[name]), keep) for name in matching}
        )
        rows = _in_order(rows_by_member, self.memories.now_ms, self.profile)[:keep]
        if not rows:
            return replace(ranking, outcome=SearchOutcome.NO_MATCH, matched=0)
        top = rows[0][1].score
        first = rows[: self.profile.out_of_domain.matched_results]
        seen = {from_utf16(token) for _, row in first for token in row.tokens}
        checks, unmatched, outcome = domain_checks(self.profile, filtered, ranking.notes, top, and_failed, seen)
        passes = outcome is SearchOutcome.MATCHES
        floor = self.profile.search.gap_ratio * top if passes else None
        direct = [one for one in rows[: self.limit] if passes and one[1].score >= (floor or 0.0)]
        near = rows[len(direct) : len(direct) + NEAR_MISSES]
        parts = self._finished(query, filtered, counts, direct, near, floor or 0.0)
        hits, trimmed = self._results(direct, parts)
        misses = [*trimmed, *self._near(near, parts, len(direct), len(trimmed), outcome, floor or 0.0)]
        return replace(
            ranking,
            outcome=outcome,
            total_found=ranking.matched if passes else 0,
            top=top,
            floor=floor,
            checks=checks,
            unmatched_words=unmatched,
            hits=hits,
            near_misses=tuple(misses[:NEAR_MISSES]),
        )

    def _finished(
        self,
        query: TogetherQuery,
        filtered: str,
        counts: Mapping[str, TermCounts],
        direct: Sequence[tuple[str, RankedRow]],
        near: Sequence[tuple[str, RankedRow]],
        floor: float,
    ) -> dict[str, FinishedPart]:
        questions = {}
        for member in self.memories.names:
            paths = tuple(row.path for name, row in direct if name == member)
            misses = tuple(row.path for name, row in near if name == member)
            if paths or misses:
                questions[member] = ResultDetailsRequest(_own(query, counts[member]), filtered, paths, misses, floor)
        return self.memories.ask(questions)

    def _results(
        self, direct: Sequence[tuple[str, RankedRow]], parts: Mapping[str, FinishedPart]
    ) -> tuple[tuple[MemberHit, ...], list[MemberMiss]]:
        """The results up to the limit, including lifted folders, and the notes that these folders displace."""
        by_path = {(name, hit.file): hit for name, part in parts.items() for hit in part.hits}
        notes = [MemberHit(name, by_path[name, row.path]) for name, row in direct if (name, row.path) in by_path]
        order = {key: place for place, key in enumerate((one.member, one.hit.file) for one in notes)}
        lifted = [MemberHit(name, hit) for name, part in parts.items() for hit in part.summaries]
        lifted.sort(key=lambda one: _first_below(one, order))
        merged = sorted([*notes, *lifted], key=lambda one: -one.hit.score)
        lost = merged[self.limit :]
        trimmed = trimmed_misses([one.hit for one in merged], self.limit)
        names = [one.member for one in lost if one.hit.origin is Origin.TEXT]
        return tuple(merged[: self.limit]), list(map(MemberMiss, names, trimmed))

    def _near(
        self,
        near: Sequence[tuple[str, RankedRow]],
        parts: Mapping[str, FinishedPart],
        taken: int,
        after: int,
        outcome: SearchOutcome,
        floor: float,
    ) -> list[MemberMiss]:
        facts = {name: iter(part.misses) for name, part in parts.items()}
        misses = []
        for rank, (name, row) in enumerate(near, start=taken + 1):
            if name not in facts:
                continue
            title, kind, maturity = next(facts[name])
            reason, short = why_missed(self.profile, self.limit, rank, row.score, outcome, floor)
            miss = NearMiss(row.path, row.path, title, Kind(kind), maturity, rank + after, row.score, reason, short)
            misses.append(MemberMiss(name, miss))
        return misses


def _best(places: Mapping[str, NamedPlace]) -> dict[str, NamedPlace]:
    """The ``places`` with the best rank, keyed by member."""
    best_rank = min(place.rank for place in places.values())
    return {name: place for name, place in places.items() if place.rank == best_rank}


def _together(counts: Mapping[str, TermCounts]) -> Collection:
    """The collection statistics, summed over all members.

    The averages are computed from the sums. ByteRover updates averages note by note, so their last digits may differ
    and depend on the order of the notes.
    """
    notes = sum(one.notes for one in counts.values())
    sums = [sum(one.lengths[field] for one in counts.values()) for field in range(len(FIELDS))]
    frequencies: dict[str, tuple[int, ...]] = {}
    for one in counts.values():
        for term, counted in one.frequencies.items():
            sum_ = frequencies.get(term)
            frequencies[term] = counted if sum_ is None else tuple(a + b for a, b in zip(sum_, counted, strict=True))
    return Collection(notes, tuple(total / notes if notes else 0.0 for total in sums), frequencies)


def _own(query: TogetherQuery, counts: TermCounts) -> TogetherQuery:
    """``query`` with only the frequencies of terms that occur in the member's notes."""
    every = query.collection.frequencies
    own = {term: every[term] for term in counts.frequencies}
    return replace(query, collection=replace(query.collection, frequencies=own))


def _in_order(rows: Mapping[str, Sequence[RankedRow]], now_ms: float, profile: Profile) -> list[tuple[str, RankedRow]]:
    """All rows, sorted like those of a single tree: by score, raw text score and document order."""
    together = [(name, row) for name, own_rows in rows.items() for row in own_rows]
    together.sort(key=lambda one: (-one[1].score, -one[1].raw))
    ordered: list[tuple[str, RankedRow]] = []
    start = 0
    for end in range(1, len(together) + 1):
        key = (together[start][1].score, together[start][1].raw)
        if end < len(together) and (together[end][1].score, together[end][1].raw) == key:
            continue
        tied = together[start:end]
        ordered += tied if len(tied) == 1 else _by_document(tied, now_ms, profile)
        start = end
    return ordered


def _by_document(tied: list[tuple[str, RankedRow]], now_ms: float, profile: Profile) -> list[tuple[str, RankedRow]]:
    walked = sorted(range(len(tied)), key=lambda place: walk_key(tied[place][1].path))
    files = [TreeFile(tied[place][1].path, place, tied[place][1].mtime_ns, 0, 0) for place in walked]
    return [tied[file.size] for file in document_order(files, now_ms, profile.limits.recent_hours)]


def _first_below(lifted: MemberHit, order: Mapping[tuple[str, str], int]) -> tuple[int, int]:
    """The engine's sort key for lifted folders: the position of the first result inside the folder, and the folder's
    negative depth.
    """
    prefix = f"{lifted.hit.path}/"
    below = [place for (name, file), place in order.items() if name == lifted.member and file.startswith(prefix)]
    return min(below, default=len(order)), -lifted.hit.path.count("/")


def _three(counts: tuple[int, ...]) -> tuple[int, int, int]:
    title, content, path = counts or (0, 0, 0)
    return title, content, path
