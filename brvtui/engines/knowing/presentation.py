"""The presentation of knowing's traces: the sentence, the channels, the seeds, the walk and its paths, and packing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from brvtui.engines.knowing.sections import (
    CHANNELS,
    VECTORS,
    GraphLink,
    GraphPlace,
    GraphResult,
    GraphRetrieval,
    ToldWalk,
    WalkPath,
)
from brvtui.engines.knowing.tracing_words import note_on_code, stand_ins_in_words, stops_of, told_way, way_in_words
from brvtui.engines.presentation import Groups, Presentation, deviation_blocks
from brvtui.engines.registry import kind_of
from brvtui.engines.sentence import first_of, lead_of, missing_words, nothing_for
from brvtui.paint.bars import eighths
from brvtui.paint.blocks import Block, Marked, Rule, Text, Titled
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.neighbourhood import Neighbour, Neighbourhood, PathLabel
from brvtui.paint.sentence import Clause, Sentence, clause, title
from brvtui.paint.steps import StepName
from brvtui.trace import Hit, NearMiss, Trace
from brvtui.wording import counted

FULL_TEXT = CHANNELS[1]
_WORDS = re.compile(r"[^\W_]+")


def sentence(trace: Trace) -> Sentence:
    """The sentence about the first note: its matching or related words or links, and its lead."""
    if not trace.hits:
        is_unsearched = trace.section(GraphRetrieval).ranking or not (trace.missing or trace.filtered_out)
        causes = missing_words(trace, "knowing", kind_of(trace.engine, trace.snapshot).noun)
        return (clause("Not found: "), *([clause(trace.verdict)] if is_unsearched else causes))
    first = trace.hits[0]
    placed = trace.section(GraphRetrieval).placed(first.file)
    came = ""
    unmet = _missing_keywords(trace) if placed is None or not stand_ins_in_words(placed) else ()
    if placed is not None and not first.words:
        way = way_in_words(placed)
        if any(place.leg == FULL_TEXT for place in first.places):  # it also finds other forms and related words
            stand_ins = stand_ins_in_words(placed) or "other forms of them or words with the same meaning"
            came = f": it contains none of your exact words, but {stand_ins}"
        elif any(place.leg == VECTORS for place in first.places):
            came = ": it contains none of your words, but an embedder finds its meaning similar"
        elif way:
            came = f": it contains none of your words; the walk reached it through links, {way}"
    words = (nothing_for(unmet, first), clause(came, weight=60))
    return (*first_of(trace, len(trace.hits)), *words, *_better_note_clause(trace), *lead_of(trace))


def _missing_keywords(trace: Trace) -> Iterator[str]:
    """Yields the keywords that do not occur in the first note. If a part of a hyphenated keyword occurs, yields only
    the missing parts.

    Only words of the query are yielded. Examples of others are ‘c’, from the keyword ‘c-158’ (of ‘INC-158’), and
    ‘QuietHours’, a keyword made of two words. A word such as ‘kept’ is left out if the note contains ‘KeptIndex’
    instead.
    """
    met = {one.query for one in trace.hits[0].words}
    query = trace.query.lower()
    query_words = set(_WORDS.findall(query))
    for keyword in trace.section(GraphRetrieval).components:
        if keyword.lower() not in query:
            continue
        parts = _WORDS.findall(keyword)
        if met.isdisjoint(parts):
            if keyword in query_words or not any(keyword in word for word in met):
                yield keyword
        else:
            yield from (part for part in parts if part in query_words and part not in met)


def _better_note_clause(trace: Trace) -> Iterator[Clause]:
    best = max(trace.near_misses, key=lambda miss: miss.score, default=None)
    if best is not None and best.score > trace.hits[0].score:
        budget = trace.section(GraphRetrieval).budget
        better = f" is better ({best.score:.{trace.scale.decimals}f}), but does not fit into {budget:,} tokens"
        yield clause("; ", title(best.title), better, weight=80)


# The neighbourhood of one place on the map of a trace, for drawing.


def neighbourhood(section: GraphRetrieval, place: str) -> Neighbourhood | None:
    """The links at ``place`` in the trace, heaviest first; None if the trace's map does not contain that place."""
    places = {one.id: one for one in section.map.places}
    centre = places.get(place)
    if centre is None:
        return None
    placed = section.placed(centre.file) if centre.file else None
    shares = _shares(placed.ways, place) if placed is not None else {}
    links: dict[str, GraphLink] = {}
    for link in section.map.links:
        if place in (link.source, link.target):
            other = link.target if link.source == place else link.source
            if other in places and (other not in links or link.weight > links[other].weight):
                links[other] = link
    ranks = {one.hit.file: rank for rank, one in enumerate(section.ranking, 1)}
    neighbours = [
        _neighbour(places[other], link, place, ranks.get(other, 0), shares.get(other, 0.0))
        for other, link in links.items()
    ]
    neighbours.sort(key=lambda one: (-one.weight, -one.share, -places[one.id].walk, one.title))
    ways = _ways(placed, centre, places) if placed is not None else ()
    return Neighbourhood(
        place, centre.title, centre.is_seed, _about(centre, ranks.get(place, 0)), tuple(neighbours), ways,
        "" if place in section.map.centres else "only its links to the first results are shown",
    )  # fmt: skip


def _neighbour(other: GraphPlace, link: GraphLink, centre: str, rank: int, share: float) -> Neighbour:
    leads_away = link.source == centre
    words = link.forwards if leads_away else link.backwards
    kind = "" if other.file else other.kind
    return Neighbour(
        other.id, other.title, kind, other.file, words, leads_away, link.weight, other.is_seed, rank, share
    )


def _ways(placed: GraphResult, centre: GraphPlace, places: Mapping[str, GraphPlace]) -> tuple[PathLabel, ...]:
    """Labels for the walk's paths to the centre, from place to place. Paths that start at the centre and return to it
    are added to the other paths.
    """
    if not placed.ways:
        return ()
    by_text: dict[str, PathLabel] = {}
    others = placed.other_ways
    for way in placed.ways:
        if not way.steps:
            by_text[""] = PathLabel(way.share, told_way(way, centre.title), "", "")
        elif way.seed_place == centre.id:
            others += way.share
        else:
            text = " → ".join([*stops_of(way), "here"])
            share = way.share + (by_text[text].share if text in by_text else 0.0)
            start = places.get(way.seed_place)
            by_text[text] = PathLabel(share, text, start.id if start else "", start.file if start else "")
    ways = sorted(by_text.values(), key=lambda way: -way.share)
    return (*ways, PathLabel(others, "all other paths", "", ""))


def _shares(ways: tuple[WalkPath, ...], centre: str) -> dict[str, float]:
    """The share of the centre's probability that arrives from each neighbour, which is the last place on a path that is
    not the centre.
    """
    shares: dict[str, float] = defaultdict(float)
    for way in ways:
        before = [place for place in (way.seed_place, *(step.place for step in way.steps)) if place != centre]
        if before:
            shares[before[-1]] += way.share
    return shares


def _about(centre: GraphPlace, rank: int) -> str:
    kind = f"result {rank}" if rank else "not a result" if centre.file else centre.kind
    walk = f"walk {centre.walk:.0%} of the best" if centre.walk else ""
    return " · ".join(filter(None, (kind, "seed" if centre.is_seed else "", walk)))


_BAR = 6
_NAME = 14
_LISTED = 8
_LEAST_SHARE = 0.005
_LETTERS = {"tiered": "n", "bm25": "w", "equivalence": "k", "path": "f", "vectors": "v"}
"""The letter for each channel: names, words, keywords, folders or vectors."""


class KnowingPresentation(Presentation):
    """Presents the channels that find seeds, and the walk along links from these seeds."""

    title = "knowing"
    tried_constants: ClassVar[Mapping[str, float]] = {
        "full_text.columns.symbol_name": 2.0, "full_text.columns.concepts": 1.0,
        "full_text.columns.qualified_name": 1.0, "full_text.columns.file_path": 1.0, "full_text.columns.doc": 1.0,
        "fusion.tiered": 0.5, "fusion.full_text": 0.5, "fusion.equivalence": 0.5, "fusion.path": 0.5,
        "seeds.rank_step": 0.05, "walk.restart": 0.05, "scoring.plain.blast_radius": 0.1,
        "scoring.plain.confidence": 0.05, "scoring.plain.recency": 0.05, "scoring.plain.distance": 0.05,
        "scoring.linked.blast_radius": 0.1,
    }  # fmt: skip
    sections = (GraphRetrieval,)
    outlook = (
        StepName("keywords", "keywords", timed_by="retrieval"),
        StepName("tiered", "tiered"),
        StepName("bm25", "bm25"),
        StepName("equivalence", "equivalence"),
        StepName("path", "path"),
        StepName("seeds", "seeds"),
        StepName("walk", "walk", checks=(("change per 1000", "per 1000"),)),
        StepName("hubs", "hubs", checks=(("nodes kept", "nodes"),)),
        StepName("packing", "packing"),
    )
    question = "which notes a walk along links reaches from your words"
    typing = "typing changes nothing; a run raises the scores of its results for some minutes"
    learns = True
    draws_graph = True
    places_explained = "n names w words k keywords f folders"
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "In knowing, each row shows the note's rank by names (n), words (w), keywords (k) and folders (f), "
        "or by meaning if an embedder filled a gap (v). If the note lacks one of your words, a word with "
        "the same meaning comes before these. If none of these found the note, you see the walk path that "
        "led to it.",
        "Score": "In knowing, you see how much each component adds, and the walk paths that lead to the note.",
        "Route": "In knowing, the steps are the channels (ranked lists), the seeds of the walk, its rounds, and the "
        "results that fit into the token budget. The walk goes through nodes: notes and their sections, or symbols, "
        "and the folders, tags, keywords and files that connect them.",
        "Answer": "The engine knowing only retrieves: an agent would get the notes that fit into the token budget.",
    }
    sentence = staticmethod(sentence)

    def warning(self, trace: Trace) -> str:
        """A warning if full-text search failed because FTS5 could not parse the terms."""
        return "full text failed" if trace.section(GraphRetrieval).text_error else ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The keywords, the folder moved to the front, recent use, feedback, and deviations of the profile."""
        section = trace.section(GraphRetrieval)
        words = (*section.exact, *section.components, *section.compounds)
        groups: Groups = [(9, [("keywords ", "muted"), (", ".join(words[:_LISTED]) or "none", "text")])]
        if section.focus:
            groups.append((8, [(f"{section.focus} first", "accent")]))
        if section.session:
            groups.append((7, [(f"{section.session} packed recently", "text")]))
        if section.judged:
            groups.append((7, [(f"{section.judged} judged before", "text")]))
        if section.deviations:
            groups.append((6, [(f"{glyphs.warn} as the program runs, not as documented", "warn")]))
        return groups

    def counts(self, trace: Trace) -> str:
        """The heading of the results: the number of packed notes, the number of ranked notes, and the tokens used."""
        section = trace.section(GraphRetrieval)
        if not section.ranking:
            return "Results none"
        return f"Results {len(trace.hits)} of {len(section.ranking)} · {section.used:,} of {section.budget:,} tokens"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """The related words that the note contains instead of query words, and its rank in each channel, such as ``n1
        w4``. If it has neither, the path of the walk to the note.
        """
        places = " ".join(f"{_LETTERS.get(place.leg, place.leg)}{place.rank + 1}" for place in hit.places)
        placed = trace.section(GraphRetrieval).placed(hit.file)
        if placed is None:
            return places or "linked"
        stand_ins = stand_ins_in_words(placed) if not hit.words else ""
        return " ".join(filter(None, (stand_ins, places))) or way_in_words(placed) or "linked"

    def neighbourhood(self, trace: Trace, place: str) -> Neighbourhood | None:
        """The links at ``place``: the path of a note, or the id of a folder, keyword or file."""
        return neighbourhood(trace.section(GraphRetrieval), place)

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of tokens that the note needs beyond the rest of the budget."""
        over = f"{miss.short:,.0f} tokens" if miss.short > 0 else "nothing, but others came first"
        return over, f"+{miss.short:.0f} t"

    def behind(self, trace: Trace, reason: str) -> str:
        """The label above notes that do not fit into the budget."""
        section = trace.section(GraphRetrieval)
        return f"beyond the budget of {section.budget:,} tokens"

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "channels") -> Iterator[Block]:
        """Yields the channels, the walk's seeds and rounds, the noise, and deviations of the profile."""
        section = trace.section(GraphRetrieval)
        yield from super().flow(trace, glyphs, legs)
        if section.walk is not None:
            yield from _walk_blocks(section.walk, glyphs)
        if section.noise:
            yield Rule("left out as noise")
            yield from (line(f" {one.title}: {one.why}", "muted") for one in section.noise[:_LISTED])
        if section.broken_links:
            yield line(f" {counted(section.broken_links, 'link leads', 'links lead')} to no note", "warn")
        yield from deviation_blocks(section.deviations)

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the reasons for a note: the channels that found it, the paths of the walk, and packing."""
        placed = trace.section(GraphRetrieval).placed(file)
        if placed is not None:
            yield from _found_blocks(placed)
            yield from _way_blocks(placed, glyphs)
            yield from _packing_blocks(placed)

    def answer(self, trace: Trace) -> Iterator[Block]:
        """Yields a remark that no answer is written, the packed results and, for code, the notes about it."""
        section = trace.section(GraphRetrieval)
        titles = ", ".join(hit.title for hit in trace.hits) or "nothing"
        text = "knowing only retrieves and writes no answer. An agent would get"
        yield Text(f"{text} {section.used:,} tokens: {titles}")
        yield from _note_blocks(section)

    def prompt(self, trace: Trace | None) -> Titled:
        """The packed context as an agent would receive it."""
        if trace is None:
            return Titled("context", ())
        section = trace.section(GraphRetrieval)
        nothing = line(" an agent would get nothing", "muted")
        block = Marked(section.context, self.words(trace)) if section.context else nothing
        return Titled(f"context {section.used:,} t", (block,), section.context)

    def words(self, trace: Trace) -> Sequence[str]:
        """The searched keywords."""
        section = trace.section(GraphRetrieval)
        return (*section.exact, *section.compounds, *section.components)


def _note_blocks(section: GraphRetrieval) -> Iterator[Block]:
    notes = [note_on_code(note) for note in section.notes_on_code]
    for heading, lines in (
        ("notes that mention this code", notes),
        ("files without a note", section.files_without_note),
    ):
        if lines:
            yield Rule(heading)
        yield from map(Text, lines[:_LISTED])
        if len(lines) > _LISTED:
            yield line(f" and {len(lines) - _LISTED} more", "muted")


def _found_blocks(placed: GraphResult) -> Iterator[Block]:
    yield Rule("how it was found")
    for match in placed.found_by:
        row = Line().gap().fit(match.channel, _NAME).add(f"#{match.rank}  ", "strong").add(match.why)
        yield row.add("" if match.node == placed.hit.title else f" · {match.node}", "muted")
        if match.stand_ins:
            yield Text(stand_ins_in_words(placed), "muted", "   ")
    if not placed.found_by:
        yield Text("none of your words led to it; the walk reached it through links", "accent")
    if placed.fused_rank is not None:
        yield line(f" candidate {placed.fused_rank}, {placed.fused_score:.4f} points", "muted")
    if placed.seed_weight is not None:
        yield line(f" a seed of the walk, weight {placed.seed_weight:.2f}", "muted")
    if placed.beside:
        yield Text(f"also ranked: {', '.join(placed.beside)}", "muted")


def _way_blocks(placed: GraphResult, glyphs: Glyphs) -> Iterator[Block]:
    """Yields the walk's paths to a note, each with a bar for its share of the probability."""
    yield Rule(f"walk paths · {placed.walk:.0%} of the best")
    if not placed.ways:
        yield Text("shown only for the first results" if placed.probability else "none", "muted")
        return
    for way in placed.ways:
        yield Text(told_way(way, placed.hit.title), before=_share(way.share, glyphs))
    if placed.other_ways > _LEAST_SHARE:
        yield Text("all other paths", "muted", _share(placed.other_ways, glyphs))
    if placed.authority or placed.hub:
        yield line(f" authority {placed.authority:.3f}, hub {placed.hub:.3f}", "muted")


def _share(share: float, glyphs: Glyphs) -> Line:
    return Line().gap().fit(eighths(share, _BAR, glyphs), _BAR, "accent").add(f" {share:>4.0%} ", "strong")


def _packing_blocks(placed: GraphResult) -> Iterator[Block]:
    yield Rule("packing")
    fits = "packed" if placed.is_packed else "skipped"
    text = f"{fits}: {placed.tokens:,} tokens, with {placed.left:,} left at turn {placed.turn}"
    yield line(f" {text}; {placed.density * 1000:.3f} points per 1,000 tokens")


def _walk_blocks(walk: ToldWalk, glyphs: Glyphs) -> Iterator[Block]:
    yield Rule(f"the walk · {counted(len(walk.rounds), 'round', 'rounds')}: {walk.ended}")
    for seed in walk.seeds[:_LISTED]:
        yield _share(seed.share, glyphs).add(seed.title).add(" by its folder" if seed.by_path else "", "muted")
    if len(walk.seeds) > _LISTED:
        yield line(f" and {len(walk.seeds) - _LISTED} more seeds", "muted")
    yield Text(f"change per round: {' '.join(f'{one.change:.3f}' for one in walk.rounds)}", "muted")
    if walk.rounds:
        last = walk.rounds[-1]
        lost = f"{last.lost_to_modules:.1%} to other domains, {last.lost_as_negligible:.1%} as negligible"
        yield line(f" {last.mass:.1%} stayed in the graph; lost {lost}", "muted")
    yield line(f" {walk.reached:,} nodes reached, {walk.kept:,} above {walk.cutoff:.0%} of the best", "muted")
