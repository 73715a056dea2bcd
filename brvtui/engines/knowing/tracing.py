"""Converts an answer to a trace, with steps and their checks, stage counts, parts that add up to the score, and paths
of the walk.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from brvtui.engines.better_match import better_match
from brvtui.engines.contract import Context, Query
from brvtui.engines.knowing.candidates import Channel
from brvtui.engines.knowing.equivalence import GRAPH_SOURCE, LEARNED_SOURCE
from brvtui.engines.knowing.full_text import stand_ins
from brvtui.engines.knowing.gaps import GapFill
from brvtui.engines.knowing.model import Node
from brvtui.engines.knowing.neighbourhood import MapMaker
from brvtui.engines.knowing.note_index import NOTE_SOURCE, NoteIndex
from brvtui.engines.knowing.packing import PackedItem, pack_root
from brvtui.engines.knowing.pipeline import INJECTED, TaskContext, TaskRequest
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import (
    ENGINE,
    GAPS,
    VECTORS,
    FoundBy,
    GraphResult,
    GraphRetrieval,
    NoiseNode,
    ToldSeed,
    ToldWalk,
    WalkPath,
    WayStep,
)
from brvtui.engines.knowing.seeding import NameTier
from brvtui.engines.knowing.tracing_words import (
    WITHOUT_KEYWORD,
    QuestionWords,
    deviations,
    edge_words,
    edge_words_back,
    verdict,
)
from brvtui.engines.knowing.walk import StrongestWays, Walk, heaviest_edge
from brvtui.trace import (
    SCHEMA,
    Check,
    Hit,
    Leg,
    LegHit,
    LegRank,
    NearMiss,
    Origin,
    Part,
    Scale,
    Stage,
    State,
    Step,
    Trace,
)
from brvtui.wording import counted

VERSION = "knowing 2026-07"
_DECIMALS = 3
_MOST_LISTED = 6
_NAMES = {"blast_radius": "reach", "distance": "nearness", "authority": "links"}
"""The display names of components, where they differ from the original program's names."""
_ALWAYS = ("blast_radius", "confidence", "recency", "distance")
_LEAST_SHARE = 0.0005
_STANDS_FOR = {
    NOTE_SOURCE: "its keyword “{}”",
    GRAPH_SOURCE: "“{}” is in the title of a {} that it is linked to",
    LEARNED_SOURCE: "“{}” led to it before, and it was useful",
}
"""The text that explains the match of a phrase, keyed by the source of the phrase's class."""


@dataclass(frozen=True)
class TraceMaker:
    """Builds the trace of one answer."""

    context: Context[KnowingProfile]
    query: Query
    request: TaskRequest
    index: NoteIndex
    result: TaskContext
    notices: tuple[str, ...]

    def trace(self) -> Trace:
        """Builds the trace."""
        placed = self._placed()
        packed = tuple(one.hit for one in placed if one.is_packed)
        missed = [(rank, one) for rank, one in enumerate(placed, 1) if not one.is_packed]
        section = self._section(placed)
        return Trace(
            schema=SCHEMA,
            engine=ENGINE,
            version=VERSION,
            profile=self.context.constants.name,
            mode="run" if self.query.run else "preview",
            query=self.query.text,
            scope_option=self.query.scope,
            snapshot=self.context.snapshot_info,
            verdict=verdict(section, *self.index.nouns),
            tier=None,
            covered=bool(packed),
            steps=self._steps(section),
            stages=self._stages(section),
            hits=packed,
            legs=tuple(self._legs()),
            near_misses=tuple(self._near_miss(one, rank) for rank, one in missed),
            better_match=better_match(packed, enumerate((one.hit for one in placed), 1), Channel.FULL_TEXT),
            total_found=len(placed),
            matched=len({id_ for channel in self.result.search.channels for id_ in channel.ids}),
            sections=(section,),
            scale=Scale(_DECIMALS, max(1.0, *(one.hit.score for one in placed)) if placed else 1.0),
            notices=self.notices,
            options=dict(self.query.options),
        )

    def _node(self, id_: str) -> Node:
        graph = self.index.task.graph
        return graph.nodes[graph.positions[id_]]

    @cached_property
    def _maps(self) -> MapMaker:
        return MapMaker(self.index, self.result)

    def _title(self, id_: str) -> str:
        return self.index.title(self._node(id_))

    @cached_property
    def _finds(self) -> dict[str, list[FoundBy]]:
        """The channels that found each file, with its best rank in each, keyed by file."""
        by_file: dict[str, dict[str, FoundBy]] = {}
        near = [(id_, f"similar in meaning, {cosine:.2f}") for id_, cosine in self.result.search.near.items()]
        for channel, finds in (*self._channels().items(), (VECTORS, near)):
            for rank, (id_, why) in enumerate(finds, 1):
                file = self._node(id_).stands_in
                by_file.setdefault(file, {}).setdefault(channel, self._found(channel, rank, why, id_))
        return {file: list(channels.values()) for file, channels in by_file.items()}

    def _found(self, channel: str, rank: int, why: str, id_: str) -> FoundBy:
        if channel != Channel.FULL_TEXT:
            return FoundBy(channel, rank, why, self._title(id_))
        texts, search = self.index.task.seeds.texts, self.result.search
        stand = stand_ins(texts.texts[id_], search.texts, search.keywords, texts.rules)
        return FoundBy(channel, rank, why, self._title(id_), stand)

    def _channels(self) -> dict[str, list[tuple[str, str]]]:
        """The hits of each channel, best first, each with an explanation of the match."""
        search = self.result.search
        return {
            Channel.TIERED: [(hit.id, f"{hit.tier} {hit.keyword}") for hit in search.names],
            Channel.FULL_TEXT: [(hit.id, f"BM25 {hit.score:.2f}") for hit in search.texts.hits],
            Channel.EQUIVALENCE: [
                (
                    hit.id,
                    _STANDS_FOR.get(hit.match.matched.source, "“{}” stands for it").format(
                        hit.match.phrases[0], self.index.nouns[0]
                    ),
                )
                for hit in search.equivalents
            ],
            Channel.PATH: [(hit.id, f"in {hit.term}") for hit in search.paths],
        }

    @cached_property
    def _words(self) -> QuestionWords:
        words = self.query.text if self.request.entry == "task" else ""
        return QuestionWords(words, self.index.task.profile.keywords)

    @cached_property
    def _turns(self) -> dict[str, tuple[int, PackedItem]]:
        return {item.scored.node.id: (turn, item) for turn, item in enumerate(self.result.packed.items, 1)}

    @cached_property
    def _fused(self) -> dict[str, tuple[int, float]]:
        return {one.id: (rank, one.score) for rank, one in enumerate(self.result.search.fused, 1)}

    def _placed(self) -> tuple[GraphResult, ...]:
        rules, walk = self.index.task.profile.notes, self.result.walk
        ways = StrongestWays(walk, rules.way_edges) if walk is not None and self.result.ranked else None
        way_limits = dict.fromkeys(self._linked[: rules.linked], 1) | dict.fromkeys(
            self._drawn_notes[: rules.shown], rules.ways
        )
        return tuple(self._result(one, ways, way_limits.get(one.node.stands_in, 0)) for one in self._order)

    @cached_property
    def _order(self) -> list[ScoredCandidate]:
        return sorted(self.result.ranked, key=lambda one: (-one.score, not self._turns[one.node.id][1].is_packed))

    @cached_property
    def _drawn_notes(self) -> tuple[str, ...]:
        """The notes whose links are drawn: the first results, and the first ones that only links found."""
        limit = self.index.task.profile.notes.shown
        return tuple(dict.fromkeys((*self._best_first[:limit], *self._linked[:limit])))

    @cached_property
    def _best_first(self) -> list[str]:
        return [one.node.stands_in for one in self._order if self._turns[one.node.id][1].is_packed]

    @cached_property
    def _linked(self) -> list[str]:
        return [path for path in self._best_first if path not in self._finds]

    def _result(self, one: ScoredCandidate, ways: StrongestWays | None, limit: int) -> GraphResult:
        node, walk = one.node, self.result.walk
        place = self.index.task.graph.positions[node.id]
        turn, item = self._turns[node.id]
        fused_rank, fused_score = self._fused.get(node.id, (None, 0.0))
        walk_ways, others = self._ways(ways, place, limit) if ways is not None and limit else ((), 0.0)
        return GraphResult(
            self._hit(one),
            node.id,
            node.kind,
            self.result.seeds.get(place),
            tuple(self._finds.get(node.stands_in, ())),
            fused_rank,
            fused_score,
            one.candidate.walk,
            float(walk.probability[place]) if walk is not None else 0.0,
            int(walk.levels[place]) if walk is not None else one.candidate.distance,
            walk_ways,
            others,
            one.links.authority if one.links is not None else 0.0,
            one.links.hub if one.links is not None else 0.0,
            item.tokens,
            item.density,
            item.is_packed,
            item.left,
            turn,
            tuple(self.index.title(other.node) for other in self.result.beside.get(node.id, ())),
        )

    def _hit(self, one: ScoredCandidate) -> Hit:
        node = one.node
        note = self.index.notes.piece(node.stands_in).note
        finds = self._finds.get(node.stands_in, ())
        named = (hit for hit in self.result.search.names if hit.tier is NameTier.SUBSTRING)
        inside = " ".join(hit.keyword for hit in named if self._node(hit.id).stands_in == node.stands_in)
        return Hit(
            path=note.result_path,
            file=node.stands_in,
            title=self.index.title(node),
            kind=note.kind,
            origin=Origin.TEXT if finds else Origin.PROPAGATED,
            score=one.score,
            parts=tuple(self._parts(one)),
            words=self._words.matched(self.index.title(node), note.file, self.index.text(node), inside),
            places=tuple(LegRank(find.channel, find.rank - 1, 0.0) for find in finds),
            shared_source=note.alias,
        )

    def _parts(self, one: ScoredCandidate) -> Iterator[Part]:
        rules = self.index.task.profile.scoring
        weights = rules.linked if one.links is not None or self._is_linked else rules.plain
        for name, value in one.components.items():
            if not value and name not in _ALWAYS:
                continue
            factor = getattr(weights, name, None)
            amount = value / factor if factor else None
            yield Part(_NAMES.get(name, name), value, amount, factor, self._remark(name, one))

    @cached_property
    def _is_linked(self) -> bool:
        return any(one.links is not None for one in self.result.ranked)

    def _remark(self, name: str, one: ScoredCandidate) -> str:
        candidate = one.candidate
        if name == "blast_radius" and self.result.walk is None:
            return f"used by {candidate.callers}"
        if name == "blast_radius":
            return f"{candidate.walk:.0%} of the best probability"
        if name == "distance":
            if self.result.walk is None:
                return "one of the files" if candidate.distance == 0 else "it uses one of them"
            return "a seed" if candidate.distance == 0 else "reached by the walk"
        if name == "recency":
            age = candidate.observed_age
            return "unknown" if age is None else f"changed {max(0.0, age) / 86_400:.0f} d ago"
        if name == "change":
            return f"committed {max(0.0, candidate.changed_age or 0.0) / 86_400:.0f} d ago"
        if name == INJECTED:
            return "a framework's class puts it at the top"
        if name == "penalty":
            return self.index.why_penalised
        if name == "session" and candidate.session > 0:
            return "packed by a run some minutes ago"
        return ""

    def _ways(self, ways: StrongestWays, place: int, limit: int) -> tuple[tuple[WalkPath, ...], float]:
        walk = self.result.walk
        if walk is None or not (total := float(walk.probability[place])):
            return (), 0.0
        straight = ways.straight(place) if limit == 1 else None
        candidates = (straight,) if straight is not None else ways.to(place, limit)
        strong = [way for way in candidates if way.amount / total >= _LEAST_SHARE]
        result = tuple(
            WalkPath(
                self._maps.name(way.places[0]),
                self._maps.place_of(way.places[0]),
                tuple(self._steps_of(walk, way.places)),
                way.amount / total,
            )
            for way in strong
        )
        return result, 1 - sum(way.share for way in result)

    def _steps_of(self, walk: Walk, places: Sequence[int]) -> Iterator[WayStep]:
        for one, other in itertools.pairwise(places):
            edge, is_forward = heaviest_edge(walk, self.index.task.graph, one, other)
            words = edge_words(edge.type) if is_forward else edge_words_back(edge.type)
            yield WayStep(words, self._maps.name(other), is_forward, self._maps.place_of(other))

    def _near_miss(self, one: GraphResult, rank: int) -> NearMiss:
        hit = one.hit
        return NearMiss(
            hit.path, hit.file, hit.title, hit.kind, "", rank, hit.score, "budget", float(one.tokens - one.left)
        )

    def _legs(self) -> Iterator[Leg]:
        search, rules = self.result.search, self.index.task.profile.fusion
        weights = (rules.tiered, rules.full_text, rules.equivalence, rules.path)
        for (name, finds), weight in zip(self._channels().items(), weights, strict=True):
            counts = name != Channel.PATH or rules.path_competes
            seen: dict[str, LegHit] = {}
            for rank, (id_, _) in enumerate(finds):
                file = self._node(id_).stands_in
                seen.setdefault(file, LegHit(file, rank, weight / (rules.k + rank + 1)))
            failed = name == Channel.FULL_TEXT and search.texts.error
            state = State.FAILED if failed else State.HIT if finds else State.MISSED
            why = search.texts.error if failed else "" if counts else "adds seeds"
            yield Leg(name, state, "points" if finds else "", counts, why, tuple(seen.values()))

    def _stages(self, section: GraphRetrieval) -> tuple[Stage, ...]:
        search = self.result.search
        ids = {id_ for channel in search.channels if channel.weight for id_ in channel.ids}
        fused, widened = len(search.fused), len(search.fused) + len(search.near) + len(search.implementers)
        kept = len(search.candidates)
        ranked = len(section.ranking)
        nodes = ranked + sum(len(one.beside) for one in section.ranking)
        reached = section.walk.reached if section.walk is not None else 0
        above = section.walk.kept if section.walk is not None else 0
        packed = sum(one.is_packed for one in section.ranking)
        noun, nouns = self.index.nouns
        return (
            Stage("fusion", len(ids), len(ids) - fused, fused, "fusion", "nodes that channels found"),
            Stage("noise", widened, widened - kept, kept, "seeds", "candidates"),
            Stage("walk", reached, reached - above, above, "the-walk", "nodes that the walk reached"),
            Stage(nouns, nodes, nodes - ranked, ranked, "results", f"one result per {noun}"),
            Stage("budget", ranked, ranked - packed, packed, "packing", "results that fit"),
        )

    def _steps(self, section: GraphRetrieval) -> tuple[Step, ...]:
        search, rules, keywords = self.result.search, self.index.task.profile, self.result.search.keywords
        words = [word.text for word in (*keywords.exact, *keywords.components, *keywords.compounds)]
        state = State.HIT if words else State.MISSED
        more = f" and {len(words) - _MOST_LISTED} more" if len(words) > _MOST_LISTED else ""
        steps = [Step("keywords", None, "keywords", state, (), ", ".join(words[:_MOST_LISTED]) + more)]
        steps += [Step(leg.name, None, leg.name, leg.state, (), _listed(leg, self.index.nouns)) for leg in self._legs()]
        if self.request.near is not None:
            gap = search.gap or GapFill(0, State.NOT_RUN, WITHOUT_KEYWORD)
            below, count = rules.seeds.gap_below, gap.candidates
            few = replace(
                _check("candidates", count, "<", below, count < below, "seeds.gap_below"), rule="filling-gaps"
            )
            steps.append(Step(GAPS, None, GAPS, gap.state, (few,), gap.words))
        if section.entry != "task":
            steps = [replace(step, state=State.NOT_RUN, summary="the question names files") for step in steps]
        seeds = len(self.result.seeds)
        focus = ", types before members" * search.types_first + (f", {search.focus} first" if search.focus else "")
        state = State.PASSED if seeds else State.MISSED
        steps.append(Step("seeds", None, "seeds", state, (), counted(seeds, "seed", "seeds") + focus))
        steps.append(self._walk_step(section.walk))
        count = sum(1 + len(others) for others in self._grouped())
        threshold = rules.hits.more_than
        check = _check("nodes kept", count, ">", threshold, count > threshold, "hits.more_than")
        state = State.PASSED if check.passed else State.SKIPPED
        steps.append(Step("hubs", None, "hubs", state, (check,), "links count" if check.passed else "too few"))
        packed = sum(one.is_packed for one in section.ranking)
        fits = _check("tokens", section.used, "≤", section.budget, section.used <= section.budget, "packing.budget")
        state = State.PASSED if packed else State.SKIPPED
        raised = section.exponent > rules.packing.proximity_least
        near = (
            f"; because of results outside the corpus, nearness has the exponent {section.exponent:.2f}"
            if raised
            else ""
        )
        steps.append(Step("packing", None, "packing", state, (fits,), f"{packed} of {len(section.ranking)} fit{near}"))
        return tuple(steps)

    def _grouped(self) -> Iterable[Sequence[ScoredCandidate]]:
        return (self.result.beside.get(one.node.id, ()) for one in self.result.ranked)

    def _walk_step(self, walk: ToldWalk | None) -> Step:
        if walk is None or not walk.rounds:
            return Step("walk", None, "walk", State.NOT_REACHED, (), "no seed to start from")
        last = walk.rounds[-1]
        is_settled = last.change < walk.settled
        check = _check("change per 1000", 1000 * last.change, "<", 1000 * walk.settled, is_settled, "walk.settled")
        check = replace(check, note="" if is_settled else "the walk ended for another reason")
        return Step("walk", None, "walk", State.PASSED, (check,), f"{len(walk.rounds)} rounds: {walk.ended}")

    def _section(self, placed: tuple[GraphResult, ...]) -> GraphRetrieval:
        search, packed, graph = self.result.search, self.result.packed, self.index.task.graph
        best_first = [one for one in self._order if self._turns[one.node.id][1].is_packed]
        texts = [self.index.delivered(one.node) for one in packed.packed]
        return GraphRetrieval(
            entry=self.request.entry,
            exact=tuple(word.text for word in search.keywords.exact),
            compounds=tuple(word.text for word in search.keywords.compounds),
            components=search.keywords.parts,
            path_terms=search.path_terms,
            expression=search.texts.expression,
            text_error=search.texts.error,
            concepts=tuple(match.matched.concept for match in search.matches),
            candidates=tuple(dict.fromkeys(self._node(one.id).stands_in for one in search.fused)),
            noise=tuple(
                NoiseNode(self._title(one.id), self._node(one.id).stands_in, f"{one.kind}: {one.text}")
                for one in search.noise
            ),
            focus=search.focus,
            walk=self._walk(),
            ranking=placed,
            map=self._maps.map(self._drawn_notes),
            budget=packed.budget,
            used=packed.used,
            exponent=packed.exponent,
            strategy=self.request.strategy,
            context="\n\n".join(texts),
            pack_root=pack_root(
                self.request.task, [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
            ),
            nodes=len(graph.nodes),
            edges=len(graph.edges),
            broken_links=graph.outside,
            session=sum(one.candidate.session > 0 for one in self.result.ranked),
            judged=sum(one.candidate.feedback is not None for one in self.result.ranked),
            deviations=deviations(self.context.constants),
            notes_on_code=self.index.notes_on(best_first),
            files_without_note=self.index.files_without_note(best_first),
        )

    def _walk(self) -> ToldWalk | None:
        walk, rules = self.result.walk, self.index.task.profile.walk
        if walk is None:
            return None
        by_path = {seed.id for seed in self.result.search.seeds if seed.by_path}
        nodes = self.index.task.graph.nodes
        seeds = tuple(
            ToldSeed(
                self._maps.name(place), nodes[place].stands_in, float(walk.start[place]), nodes[place].id in by_path
            )
            for place in self.result.seeds
        )
        return ToldWalk(
            seeds,
            walk.rounds,
            _ENDED[walk.ended],
            walk.restart,
            rules.rounds,
            rules.settled,
            rules.cutoff,
            int((walk.levels >= 0).sum()),
            self.result.reached,
        )


_ENDED = {
    "settled": "it stopped changing",
    "order": "the first results kept their order",
    "rounds": "the limit on rounds was reached",
}


def _listed(leg: Leg, nouns: tuple[str, str]) -> str:
    """The number of documents that a channel found, with a remark; if the channel failed, the error."""
    if leg.state is State.FAILED:
        return leg.why
    return counted(len(leg.hits), *nouns) + (f", {leg.why}" if leg.why else "")


def _check(name: str, value: float, operator: str, threshold: float, passed: bool, constant: str) -> Check:
    return Check(name, value, operator, threshold, passed, value - threshold, constant, "the-walk")
