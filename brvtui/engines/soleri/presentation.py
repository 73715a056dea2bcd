"""The presentation of Soleri's traces: the sentence, the signals, the pool, the links and the guard."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from brvtui.engines.presentation import Groups, Presentation, deviation_blocks
from brvtui.engines.sentence import missing_words, outmatched, place_of_first
from brvtui.engines.soleri.comparing import (
    LEAST_LEAD,
    OTHERS,
    NamedAmount,
    composition,
    differences,
    first_without_links,
    separating_terms,
    shared_links,
    short,
)
from brvtui.engines.soleri.sections import (
    SIGNALS,
    VECTOR,
    LearnedWeights,
    MemorySearch,
    RankedEntry,
    SharedTerm,
    VaultSearch,
)
from brvtui.engines.soleri.vectors import COUNTED, tokenize, uncounted
from brvtui.paint.blocks import Block, Rule, Text, Titled
from brvtui.paint.forecast import coming_blocks
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, searched_word, title
from brvtui.paint.steps import StepName
from brvtui.paint.text import plural, signed
from brvtui.text.visible import visible
from brvtui.trace import Hit, NearMiss, Trace
from brvtui.wording import counted


def sentence(trace: Trace) -> Sentence:
    """The sentence about the first entry: the effect of links, its lead, and the parts of its score."""
    section = trace.section(VaultSearch)
    if not trace.hits or not section.ranking:
        return (clause("Not found: "), *_nothing(section, trace))
    first = section.ranking[0]
    words = answered_words(first.hit.words, trace.query)
    parts = composition(first)
    return (
        clause(title(first.hit.title), f" {place_of_first(trace.total_found)}"),
        *_without_links(section),
        *_lead(trace, section),
        clause(f"; its {short(first.hit.score)}: ", _amounts(parts, signed=False), weight=30),
        clause(
            "; " if words else "", words if words else _wordless(first.hit, trace.query), weight=20 if words else 92
        ),
        clause(f"; {COUNTED}" if any(one.word not in trace.query.lower().split() for one in first.hit.words) else ""),
    )


def _wordless(first: Hit, query: str) -> str:
    """A text that explains why an entry is first although it contains none of the words that count. The pool also
    matches stop words, short words and other forms of words.
    """
    if all(place.leg == VECTOR for place in first.places):
        return "; it contains none of your words"
    if not tokenize(query):
        return f"; your words find it, but none of them counts: {COUNTED}"
    if uncounted(query):
        return "; it contains none of your words that count as a whole word"
    return "; it contains only other forms of your words, which add nothing"


def _without_links(section: VaultSearch) -> Iterator[Clause]:
    """Yields a clause about the entry that would be first without links."""
    other = first_without_links(section.ranking)
    if other is not None:
        rank, placed = other
        yield clause(
            " because of links: without them, ", title(placed.hit.title), f" would be (now number {rank})", weight=98
        )


def _lead(trace: Trace, section: VaultSearch) -> Iterator[Clause]:
    """Yields clauses about the lead of the first entry over the second, and about its causes."""
    if trace.better_match is not None:
        yield from outmatched(trace, trace.better_match)
        return
    if len(section.ranking) < 2:
        return
    first, second = section.ranking[:2]
    lead = first.hit.score - second.hit.score
    is_moved = first_without_links(section.ranking) is not None
    ahead = f"{short(lead)} ahead of " if lead >= LEAST_LEAD else "level with "
    joint = "; the first is " if is_moved else ", "
    yield clause(joint, ahead, title(second.hit.title), weight=95)
    parts = differences(first, second)
    yield clause(": " if parts else "", _amounts(parts, signed=True), weight=90)
    if shared_links(first, second) and not is_moved:
        yield clause("; both have a link", weight=85)
    yield _words_apart(*separating_terms(first, second), trace.query)


def _words_apart(more: Sequence[str], less: Sequence[str], query: str) -> Clause:
    """A clause about the words that contribute more to the first entry than to the second, and the ones that contribute
    less.
    """
    if not more and not less:
        return clause(weight=80)
    verb = "counts" if len(more or less) == 1 else "count"
    first = [("; ", "text"), *listed([searched_word(term, query) for term in more or less])]
    if not more:
        return clause(first, f" {verb} less in it", weight=80)
    then = [(", ", "text"), *listed([searched_word(term, query) for term in less]), (" less", "text")] if less else []
    return clause(first, f" {verb} more in it", then, weight=80)


def _amounts(amounts: Sequence[NamedAmount], signed: bool) -> list[Span]:
    """The amounts as text, such as ``words +.010, age +.004 and others −.001``."""
    spans: list[Span] = []
    for place, one in enumerate(amounts):
        joint = "" if not place else " and " if one.name == OTHERS else ", "
        spans.append((f"{joint}{one.name} {one.text(signed)}", "text"))
    return spans


def _nothing(section: VaultSearch, trace: Trace) -> Iterator[Clause]:
    """Yields clauses about words that no entry contains, or another reason for the lack of results."""
    if section.ranking:
        room = f"a limit of {section.limit}" if section.limit < 1 else f"a budget of {section.max_tokens} tokens"
        yield clause(f"{room} has no room for any of {counted(len(section.ranking), 'entry', 'entries')}")
    else:
        yield from missing_words(trace, "Soleri", "entry")


_LISTED_TERMS = 8
_TERM = 18


class SoleriPresentation(Presentation):
    """Presents a pool of full-text matches, ranked by seven signals."""

    title = "Soleri"
    tried_constants: ClassVar[Mapping[str, float]] = {
        "columns.title": 2.0, "columns.description": 1.0, "columns.context": 0.5, "columns.tags": 1.0,
        "weights.semantic": 0.05, "weights.severity": 0.05, "weights.temporal_decay": 0.05,
        "weights.tag_overlap": 0.05, "weights.domain_match": 0.05, "weights.graph_proximity": 0.05,
        "decay.half_life_days": 100.0, "severity.suggestion": 0.2,
    }  # fmt: skip
    sections = (VaultSearch,)
    outlook = (
        StepName("pool", "pool", timed_by="search"),
        StepName("vectors", "vectors", timed_by="query vector"),
        StepName("signals", "signals"),
        StepName("links", "links"),
        StepName("guard", "guard"),
        StepName("memories", "memories"),
    )
    learns = True
    question = "which entries rank first by seven signals"
    places_explained = "b4: 4th by words, v4: by vectors"
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "In Soleri, each row shows the entry's rank by words (b) and by vectors (v). “link” means that a "
        "link from or to one of the best five adds to its score, and “was 21” is its rank without links. "
        "The symbol before a title is ByteRover's maturity, which does not count here.",
        "Score": "In Soleri, you see how much each signal adds, the words shared with the query, and the entry's "
        "ranks.",
        "Route": "Soleri collects a pool of entries by keyword, compares vectors, weights the signals, and applies a "
        "guard, which returns all candidates if there are only a few.",
        "Answer": "Soleri only retrieves: an agent would get the listed entries.",
    }
    sentence = staticmethod(sentence)

    def warning(self, trace: Trace) -> str:
        """A warning if the query has no vector because of an error."""
        return "vectors failed" if trace.section(VaultSearch).embedder_error else ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The searched expression, the filters, the memories, and the deviations from the documentation."""
        section = trace.section(VaultSearch)
        groups: Groups = [(9, [("searched ", "muted"), (section.expression, "text")])]
        if section.filters:
            groups.append((8, [(" ".join(f"{name} {value}" for name, value in section.filters.items()), "accent")]))
        if section.memories is not None:
            groups.append((7, [(_recalled(section.memories), "text")]))
        if section.deviations:
            groups.append((6, [(f"{glyphs.warn} as the program runs, not as documented", "warn")]))
        return groups

    def counts(self, trace: Trace) -> str:
        """The heading of the results: their number, and the number of candidates."""
        section = trace.section(VaultSearch)
        guard = " · guard" if section.guard.acts else ""
        return f"Results {len(trace.hits)} of {len(section.ranking)}{guard}" if section.ranking else "Results none"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """The hit's ranks in the pool and among the vectors, and the effect of a link, such as ``b1 v4 link, was 3``.

        If the hit matches only other forms of the query words, or only words that do not count, a remark precedes the
        ranks.
        """
        places = [f"{'v' if place.leg == VECTOR else 'b'}{place.rank + 1}" for place in hit.places]
        placed = trace.section(VaultSearch).placed(hit.file)
        is_wordless = not hit.words and any(place.leg != VECTOR for place in hit.places)
        came = "no word counts" if uncounted(trace.query) else "other forms"
        return " ".join([*([came] if is_wordless else []), *places, *_link_remark(placed, trace.section(VaultSearch))])

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of ranks between the entry and the limit."""
        return plural(round(miss.short), "rank"), f"rank {miss.rank}"

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "legs") -> Iterator[Block]:
        """Yields the pool and the vectors, the counts, the weights, and the deviations from the documentation."""
        section = trace.section(VaultSearch)
        yield from super().flow(trace, glyphs, legs)
        yield from _tiers(section)
        yield from _link_start_blocks(section)
        yield from _memories(section, glyphs)
        yield from _weights(section)
        yield from deviation_blocks(section.deviations)

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the links to an entry, the shared terms, the ranks, and dropped copies in other tiers."""
        section = trace.section(VaultSearch)
        placed = section.placed(file)
        if placed is None:
            return
        yield from _linked(placed, section)
        yield from _terms(placed, trace.query)
        yield Rule("places")
        yield from map(Text, _places(placed, section))
        yield from _other_weights_line(placed, section)
        yield Rule("its best possible score, and how it ages")
        yield from coming_blocks(placed.forecast, glyphs)
        total = sum(section.weights.used.values())
        weights = f"the weights add up to {total:.2f}, and links contribute at most half of theirs"
        yield Text(f"{weights}, so no score exceeds {section.reach:.3f} (hatched in the bar)", "muted")

    def not_scored(self, trace: Trace) -> str:
        """The message for a note that no search found."""
        return "neither words, vectors nor links found it"

    def answer(self, trace: Trace) -> Iterator[Block]:
        """Yields a remark that Soleri writes no answer, and the entries that an agent would be given."""
        titles = ", ".join(_names(trace.section(VaultSearch))) or "nothing"
        yield Text(f"Soleri only retrieves and writes no answer. An agent would get: {titles}")

    def prompt(self, trace: Trace | None) -> Titled:
        """The records for an agent, as JSON."""
        if trace is None:
            return super().prompt(None)
        section = trace.section(VaultSearch)
        rows = json.dumps(section.given, ensure_ascii=False, indent=1).splitlines()
        nothing = (line(" an agent would get nothing", "muted"),)
        return Titled(f"given, {section.shape}", map(Text, map(visible, rows)) if section.given else nothing)

    def words(self, trace: Trace) -> Sequence[str]:
        """The terms that were searched for."""
        return trace.section(VaultSearch).expression.split(" OR ")


def _link_remark(placed: RankedEntry | None, section: VaultSearch) -> list[str]:
    """The remark ``link`` if a link raised the score, with the rank without links if it differs."""
    if placed is None or not placed.path:
        return []
    if placed.first_rank == section.ranking.index(placed) + 1:
        return ["link"]
    return [f"link, was {placed.first_rank or 'out'}"]


def _linked(placed: RankedEntry, section: VaultSearch) -> Iterator[Text]:
    if not placed.path:
        return
    origin, *between = (_title(id_, section) for id_ in placed.path)
    steps = counted(len(placed.path) - 1, "step", "steps")
    over = f", over “{between[0]}”" if len(between) > 1 else ""
    adds = sum(part.value for part in placed.hit.parts if part.name == SIGNALS[-1])
    final = section.ranking.index(placed) + 1
    before = f"rank {placed.first_rank}" if placed.first_rank is not None else "not found"
    text = f"{steps} away from “{origin}”{over}: {signed(adds, 3)}; {before} → {final}"
    other = first_without_links(section.ranking)
    if other is not None and final == 1:
        text += f"; without links, “{other[1].hit.title}” would be first (now number {other[0]})"
    yield Text(text)


def _title(id_: str, section: VaultSearch) -> str:
    return next((one.hit.title for one in section.ranking if one.id == id_), id_)


def _named_links(placed: RankedEntry, section: VaultSearch) -> Iterator[str]:
    """For each link on the path, yields a sentence that says which of the two entries names the other."""
    steps = zip(placed.path, placed.path[1:], placed.named_by, strict=False)
    for one, other, namer in steps:
        named = other if namer == one else one
        yield f"“{_title(namer, section)}” names “{_title(named, section)}” in related"


def _link_start_blocks(section: VaultSearch) -> Iterator[Block]:
    if section.seeds:
        yield Rule("links start from the entries that are best without them")
    ranks = {one.id: (one.first_rank, rank) for rank, one in enumerate(section.ranking, 1)}
    for id_ in section.seeds[:_LISTED_TERMS]:
        first, now = ranks.get(id_, (None, "?"))
        yield Text(f"{first or '?'} {_title(id_, section)}, now {now}")


def _terms(placed: RankedEntry, query: str) -> Iterator[Block]:
    """Yields the contribution of each term to the words signal, their sum, and the query words that do not count."""
    yield Rule("shared terms: query × entry ÷ both lengths")
    left_out = uncounted(query)
    if not placed.shared:
        why = "it contains no term of the query"
        if placed.pool_rank:
            why = "it contains only other forms of your words, and TF-IDF compares whole words"
            why = "it contains none of your words as whole words, and TF-IDF compares whole words" if left_out else why
        yield Text(why, "muted")
    for shared in placed.shared[:_LISTED_TERMS]:
        row = Line().gap().fit(shared.term, _TERM).add(f"{shared.adds:.3f}", "bold strong")
        yield row.add(f"  {_quotient(shared)}", "muted")
    if len(placed.shared) > _LISTED_TERMS:
        more = sum(shared.adds for shared in placed.shared[_LISTED_TERMS:])
        yield Line().gap().fit("others", _TERM).add(f"{more:.3f}", "bold strong")
    if placed.shared and placed.hit.parts:
        words = placed.hit.parts[0]
        row = Line().gap().fit("sum × weight", _TERM, "muted").add(f"{words.amount or 0:.3f}", "bold strong")
        yield row.add(f"  × {words.factor or 0:.3f} = {words.value:.3f}", "muted")
    if left_out:
        yield Text(visible(f"not counted: {', '.join(left_out)} ({COUNTED})"), "muted")


def _quotient(shared: SharedTerm) -> str:
    """The formula of a term's contribution: its weight in the query × its weight in the entry ÷ the product of the
    lengths of both vectors.
    """
    product = shared.in_query * shared.in_entry
    lengths = product / shared.adds if shared.adds else 0.0
    return f"{shared.in_query:.3g} × {shared.in_entry:.3g} ÷ {lengths:.3g}"


def _places(placed: RankedEntry, section: VaultSearch) -> Iterator[str]:
    if placed.pool_rank is not None:
        yield f"pool #{placed.pool_rank}, BM25 {placed.bm25:.3f} of tier {placed.tier}"
    else:
        by = "a link" if placed.vector_rank is None else "its vector"
        yield f"it contains no term of the query; {by} added it"
    if placed.vector_rank is not None:
        yield f"vector #{placed.vector_rank}"
    final = section.ranking.index(placed) + 1
    if placed.first_rank is not None and placed.first_rank != final and not placed.path:
        yield f"#{placed.first_rank} before links counted, now #{final}"
    yield from _named_links(placed, section)
    yield from (f"listed instead of the copy in {copy}" for copy in placed.lost_copies)


def _other_weights_line(placed: RankedEntry, section: VaultSearch) -> Iterator[Text]:
    """Yields a line with the score that the entry has with the fixed weights or, if feedback has not changed these yet,
    with the weights that enough such feedback leads to.
    """
    learned = section.weights
    if learned.rate is not None:
        when = "with the fixed weights" if learned.moved else f"after {learned.needed} feedback entries of this kind"
        yield Text(f"{when}: {placed.other_score:.3f}, now {placed.hit.score:.3f}", "muted")


def _tiers(section: VaultSearch) -> Iterator[Block]:
    if len(section.tiers) > 1:
        yield Rule("tiers")
        for tier in section.tiers:
            row = Line().gap().fit(tier.name, _TERM).add(f"× {tier.weight:g}", "strong")
            yield row.add(f"  {tier.entries} entries", "muted")


def _names(section: VaultSearch) -> Iterator[str]:
    """Yields the title of each record for an agent. For a memory, yields its context instead."""
    for record in section.given:
        inner = record.get("entry")
        fields = inner if isinstance(inner, dict) else record
        yield str(fields.get("title") or fields.get("context") or fields.get("id"))


def _recalled(memories: MemorySearch) -> str:
    count = f"{len(memories.found)} of {counted(memories.held, 'memory', 'memories')}"
    return f"{count} found, each {memories.score:.3f}" if memories.found else f"{count} found"


def _memories(section: VaultSearch, glyphs: Glyphs) -> Iterator[Block]:
    memories = section.memories
    if memories is None:
        return
    yield Rule("memories")
    yield from (Text(f"searched {visible(memories.expression)}"), Text(_recalled(memories)))
    if memories.pushed_off:
        entries = counted(memories.pushed_off, "entry", "entries")
        yield Text(f"{memories.given} returned, in place of the last {entries}")
    yield from (line(f"  {glyphs.bullet} {context}", "muted") for context in memories.found[:_LISTED_TERMS])


def _weights(section: VaultSearch) -> Iterator[Block]:
    learned = section.weights
    differ = learned.rate is not None and learned.used != learned.other
    yield Rule(f"weights · sum {sum(learned.used.values()):.2f}")
    for (name, weight), shown in zip(learned.used.items(), SIGNALS, strict=False):
        row = Line().gap().fit(shown, _TERM).add(f"{weight:.3f}", "strong")
        yield row.add(
            f"  {'was' if learned.moved else 'then'} {learned.other.get(name, 0.0):.3f}" if differ else "", "muted"
        )
    yield Text(feedback_line(learned), "muted")


def feedback_line(learned: LearnedWeights) -> str:
    """A line that compares the number of feedback rows with the number that is needed."""
    if learned.rate is None:
        return f"no feedback yet: the weights change once there are {learned.needed} rows"
    if not learned.moved:
        used = f"{learned.rows} of {learned.needed} feedback rows, {learned.rate:.0%} useful"
        return f"{used}; the weights change once there are {learned.needed}"
    return f"{learned.rows} feedback rows, {learned.rate:.0%} useful"
