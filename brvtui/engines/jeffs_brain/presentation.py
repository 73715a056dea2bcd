"""The presentation of Jeffs Brain's traces: the sentence, the legs, the fused list and the reranker."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from brvtui.engines.jeffs_brain.sections import OPERATORS, Hybrid, RankedNote, RetrievalMode
from brvtui.engines.jeffs_brain.steps import NO_WORD
from brvtui.engines.presentation import Groups, Presentation
from brvtui.engines.sentence import LEAST_LEAD, lead_of, missing_words, nothing_for, place_of_first
from brvtui.ladder import TRIGRAMS
from brvtui.paint.attempts import Attempted, rung_row
from brvtui.paint.blocks import Block, Rule, Text, Titled
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line
from brvtui.paint.sentence import ALWAYS, Clause, Sentence, answered_words, clause, title, word
from brvtui.paint.steps import StepName
from brvtui.paint.text import plural
from brvtui.trace import Hit, Ladder, NearMiss, Rung, State, Trace, Whereabouts

_LEAST_SHOWN = 0.001
"""The smallest lead that is shown with fixed decimals. Leads can be smaller, because BM25 is nearly 0 if nearly all
notes contain the words.
"""
_LEGS = {"bm25": "by words", "vector": "by vectors"}


def sentence(trace: Trace) -> Sentence:
    """The sentence about the first note: its rank in each list, the matching words, later moves and lead."""
    if not trace.hits:
        return (clause("Not found: "), *_nothing(trace))
    first = trace.hits[0]
    return (
        clause(title(first.title), f" {place_of_first(trace.total_found)}"),
        *_retried(trace),
        clause(f"{';' if _rung(trace) else ':'} {_places(trace, first)}", weight=25 if _rung(trace) else ALWAYS),
        *_words(trace, first),
        *_moved(trace, first),
        *_lead(trace),
        *_mode(trace),
    )


def _nothing(trace: Trace) -> Iterator[Clause]:
    """Yields clauses about query words that no note contains, or another reason for the lack of results."""
    hybrid = trace.section(Hybrid)
    limit = next((name for name in ("candidate_k", "top_k") if getattr(hybrid, name) < 1), "")
    if limit:
        yield clause(f"{limit} = {getattr(hybrid, limit)} allows no note in the answer")
        return
    missed = next((leg for leg in trace.legs if leg.counts and leg.name == "bm25" and leg.state is State.MISSED), None)
    if missed is None or not hybrid.compiled:
        yield clause(trace.verdict.removeprefix("nothing was found: "))
        return
    operators = " AND " in hybrid.compiled
    yield clause("no note matches all of ", word(hybrid.compiled), "; ") if operators else clause()
    among = [one.word for one in trace.missing if not operators or one.where is not Whereabouts.WHOLE]
    yield from missing_words(trace, "Jeffs Brain", among=among or (hybrid.compiled,))
    climbed = any(rung.ran for rung in trace.section(Ladder).rungs[1:])
    yield clause("; no rung of the retry ladder finds a note" if climbed else "")


def _lead(trace: Trace) -> Iterator[Clause]:
    """Yields a clause about the lead of the first note. If there is only one list, the lead is a difference of the
    leg's own values, because ranks always differ by one.
    """
    counting = [leg for leg in trace.legs if leg.counts and leg.hits]
    own = [
        next((place.value for place in hit.places if place.leg == leg.name), None)
        for leg in counting
        for hit in trace.hits[:2]
    ]
    moved = trace.section(Hybrid).reranked or any(part.name == "intent" for hit in trace.hits[:2] for part in hit.parts)
    if (
        trace.better_match is not None
        or len(counting) != 1
        or moved
        or len(own) < 2
        or own[0] is None
        or own[1] is None
    ):
        yield from lead_of(trace)
        return
    lead = own[0] - own[1]
    amount = f"{lead:.3f}" if lead >= _LEAST_SHOWN else f"less than {_LEAST_SHOWN}"
    how = f"{amount} ahead of " if lead > LEAST_LEAD else "level with "
    yield clause(f"; {counting[0].unit} {own[0]:.3f}, {how}", title(trace.hits[1].title), weight=30)


def _places(trace: Trace, first: Hit) -> str:
    own = {place.leg: place.rank + 1 for place in first.places}
    legs = [leg for leg in trace.legs if leg.counts and leg.hits]
    named = [f"#{own[leg.name]} {_LEGS.get(leg.name, leg.name)}" for leg in legs if leg.name in own]
    missing = [f"not found {_LEGS.get(leg.name, leg.name)}" for leg in legs if leg.name not in own]
    return " and ".join([*named, *missing])


def _words(trace: Trace, first: Hit) -> Iterator[Clause]:
    words = answered_words(first.words, trace.query)
    yield clause(", " if words else "", words, weight=60)
    compiled = trace.section(Hybrid).compiled
    if _rung(trace) is None and " NOT " not in compiled:
        yield nothing_for((term for term in OPERATORS.split(compiled) if term.isalnum()), first)


def _retried(trace: Trace) -> Iterator[Clause]:
    """Yields a clause about the step of the retry ladder that found the note, if the query as typed found nothing."""
    rung = _rung(trace)
    if rung is None:
        return
    by = word(rung.query) if rung.query and rung.strategy != TRIGRAMS else "the similarity of its name"
    yield clause(": as typed, the query finds nothing; the retry ladder found this note by ", by)


def _rung(trace: Trace) -> Rung | None:
    """The step of the retry ladder that found results; None if the ladder was not needed or found nothing."""
    ladder = trace.find(Ladder)
    if ladder is None or ladder.state is not State.HIT:
        return None
    return next((rung for rung in ladder.rungs if rung.number and rung.state is State.HIT), None)


def _moved(trace: Trace, first: Hit) -> Iterator[Clause]:
    """Yields clauses about the effects of intent rules and of a reranker on the first note."""
    hybrid = trace.section(Hybrid)
    factors = [part.factor for part in first.parts if part.name == "intent" and part.factor is not None]
    if factors:
        product = 1.0
        for factor in factors:
            product *= factor
        yield clause(f"; the intent {hybrid.intent} multiplies it by {product:.3g}", weight=55)
    placed = next((one for one in hybrid.ranking if one.hit.file == first.file), None)
    if hybrid.reranked and placed is not None:
        yield clause(_reranked(placed, hybrid), weight=65)


def _reranked(placed: RankedNote, hybrid: Hybrid) -> str:
    before = placed.reweighted_rank + 1
    how = "left it there" if before == 1 else f"moved it up from #{before}"
    return f"; {hybrid.reranker} {how}"


def _mode(trace: Trace) -> Iterator[Clause]:
    hybrid = trace.section(Hybrid)
    if hybrid.fell_back:
        requested = hybrid.requested_mode.value
        yield clause(f"; without an embedder, mode {requested} searches {_BY.get(hybrid.mode, '')}", weight=66)


_BY = {RetrievalMode.BM25: "only by words", RetrievalMode.SEMANTIC: "only by vectors"}


_WORD = re.compile(r"\w+")
_JOINERS = frozenset({"and", "or", "not"})
_LEG_LETTERS = {"bm25": "w", "vector": "v"}
_NAME = 12
_NO_STAGE = (
    "This engine only retrieves: it has no tiers, calls no model and writes no answer. A reader would get the listed "
    "notes, in this order."
)


class JeffsBrainPresentation(Presentation):
    """Presents two ranked lists and their fusion."""

    title = "Jeffs Brain"
    tried_constants: ClassVar[Mapping[str, float]] = {
        "columns.path": 1.0, "columns.title": 2.0, "columns.summary": 1.0, "columns.tags": 1.0,
        "columns.content": 0.5, "fusion.k": 20.0, "trigrams.least": 0.1, "intent.preference_note": 0.5,
        "intent.generic_note": 0.1, "intent.rollup_note": 0.1, "intent.fact_note": 0.5, "options.candidate_k": 20,
    }  # fmt: skip
    sections = (Hybrid, Ladder)
    outlook = (
        StepName("words", "words", timed_by="ladder.initial"),
        StepName("retry_ladder", "ladder", timed_by="retry ladder"),
        StepName("vectors", "vectors", timed_by="vector"),
        StepName("fusion", "fusion", timed_by="fusion"),
        StepName("intent", "intent", timed_by="intent"),
        StepName("rerank", "rerank", timed_by="rerank"),
    )
    question = "which notes rank high in two lists"
    places_explained = "w4: 4th by words, v4: by vectors"
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "Jeffs Brain merges two ranked lists (legs): each row shows the note's rank by words (w) and by "
        "vectors (v).",
        "Score": "In Jeffs Brain, the parts are each leg's share, 1 / (60 + rank), and the effect of each intent "
        "factor; the note's ranks are below.",
        "Route": "In Jeffs Brain, the steps are its legs (by words and by vectors), the result of their fusion, and "
        "the intent rules.",
        "Retry": "Jeffs Brain tries shorter and simpler forms of the query, one after the other, until one finds "
        "something.",
        "Answer": "Jeffs Brain only retrieves notes. The second tab shows the first results as a reranker receives "
        "them.",
    }
    sentence = staticmethod(sentence)

    def warning(self, trace: Trace) -> str:
        """The stages of the search that failed."""
        hybrid = trace.section(Hybrid)
        return f"{' and '.join(error.stage for error in hybrid.errors)} failed" if hybrid.errors else ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The compiled query and the intent. If a scope is ignored, a notice in the trace says so."""
        hybrid = trace.section(Hybrid)
        compiled: list[Span] = [("searched ", "muted"), (hybrid.compiled, "text")]
        groups: Groups = [(9, compiled if hybrid.compiled else [(NO_WORD, "warn")])]
        groups.append((7, [("intent ", "muted"), (hybrid.intent or "none", "accent" if hybrid.intent else "text")]))
        return groups

    def counts(self, trace: Trace) -> str:
        """The heading of the results: their number, and the number of fused notes."""
        hybrid = trace.section(Hybrid)
        return f"Results {len(trace.hits)} of {hybrid.fused} · top {hybrid.top_k}" if hybrid.fused else "Results none"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """The ranks of the hit in the legs, such as ``w1 v4``."""
        return " ".join(f"{_LEG_LETTERS.get(place.leg, place.leg)}{place.rank + 1}" for place in hit.places)

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of ranks between the note and the limit."""
        return plural(round(miss.short), "rank"), f"rank {miss.rank}"

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "legs") -> Iterator[Block]:
        """Yields the legs and counts, the stages that failed, and the intent rules that no note can match.

        The heading shows both the requested mode and the one that was used.
        """
        hybrid = trace.section(Hybrid)
        used = "" if hybrid.mode is hybrid.requested_mode else f" is {hybrid.mode.value}"
        yield from super().flow(trace, glyphs, f"{legs} · mode {hybrid.requested_mode.value}{used}")
        yield from (Text(f"{error.stage} failed: {error.detail}", "bad") for error in hybrid.errors)
        if hybrid.idle_rules:
            yield Rule("intent rules that cannot apply here")
            bullet = line(f" {glyphs.bullet} ", "muted")
            yield from (Text(text, "muted", bullet) for text in hybrid.idle_rules)

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the note's ranks in the legs, and in the list before and after each stage."""
        placed = trace.section(Hybrid).placed(file)
        if placed is not None:
            yield Rule("ranks in the legs")
            yield from _legs(placed.hit, trace)
            yield Rule("ranks in the list")
            yield from _order(placed, trace)

    def not_scored(self, trace: Trace) -> str:
        """The message for a note that is in neither leg."""
        return "in neither of this search's legs"

    def attempts(self, trace: Trace) -> tuple[Attempted, ...]:
        """The steps of the retry ladder. The first one is the query's own search."""
        return tuple(rung_row(rung, trace.timings) for rung in trace.section(Ladder).rungs)

    def answer(self, trace: Trace) -> Iterator[Block]:
        """Yields a remark that the engine writes no answer, then the notes that a reader would get."""
        yield Text(_NO_STAGE)
        if trace.hits:
            titles = ", ".join(hit.title for hit in trace.hits)
            yield Line()
            yield Text(f"{plural(len(trace.hits), 'note')} of {trace.section(Hybrid).fused}: {titles}", "muted")

    def prompt(self, trace: Trace | None) -> Titled:
        """The documents for a reranker in order, and a remark about its call."""
        return super().prompt(None) if trace is None else Titled("reranker", _sent(trace))

    def words(self, trace: Trace) -> Sequence[str]:
        """The words that were searched last: from the query, or from the ladder step that found results."""
        rungs = trace.section(Ladder).rungs
        ran = [rung for rung in rungs if rung.state is State.HIT] or [rung for rung in rungs if rung.ran]
        text = ran[-1].query if ran else trace.section(Hybrid).compiled
        return [word for word in _WORD.findall(text) if word.lower() not in _JOINERS]


def _legs(hit: Hit, trace: Trace) -> Iterator[Line]:
    places = {place.leg: place for place in hit.places}
    for leg in trace.legs:
        entry = Line().gap().fit(leg.name, _NAME)
        own = places.get(leg.name)
        if own is None:
            yield entry.add("not in it" if leg.hits else leg.why, "muted")
            continue
        entry.add(f"#{own.rank + 1}", "bold strong").add(f" of {len(leg.hits)}  ", "muted")
        yield entry.add(f"{leg.unit} {own.value:.3f}").add("" if leg.counts else "  not fused", "warn")


def _order(placed: RankedNote, trace: Trace) -> Iterator[Block]:
    hybrid = trace.section(Hybrid)
    row = Line().gap().add("fused ", "muted").add(f"#{placed.fused_rank + 1}")
    row.add(" → weighed ", "muted").add(f"#{placed.reweighted_rank + 1}")
    if hybrid.reranked:
        row.add(" → reranked ", "muted").add(f"#{hybrid.ranking.index(placed) + 1}")
    yield row
    if placed.rerank_score is not None:
        yield line(f" {hybrid.reranker}: {placed.rerank_score:.3f}; the score stays", "muted")
    why = next((step.summary for step in trace.steps if step.name == "rerank"), "")
    if not hybrid.reranked and why:
        yield Text(why, "muted", " not reranked: ", limit=1)


def _sent(trace: Trace) -> Iterator[Block]:
    hybrid = trace.section(Hybrid)
    head = sorted((placed for placed in hybrid.ranking if placed.sent), key=lambda one: one.reweighted_rank)
    step = next((step for step in trace.steps if step.name == "rerank"), None)
    was_called = hybrid.reranked or (step is not None and step.state is State.FAILED)
    what = f"sent to {hybrid.reranker}" if was_called else "to be sent to a reranker"
    why = f": {step.summary}" if step is not None and step.summary else ""
    yield Text(f"{what}{why}")
    for placed in head:
        score = f" · {placed.rerank_score:.2f}" if placed.rerank_score is not None else ""
        yield Rule(f"{placed.reweighted_rank + 1} · {placed.hit.path}{score}")
        yield from map(Text, placed.sent.split("\n"))
