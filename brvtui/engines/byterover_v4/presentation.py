"""The presentation of V4's traces: the sentence that explains an answer, relevance, the filter, and the instructions to
the agent.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from brvtui.engines.byterover_v4.reasons import use_of
from brvtui.engines.byterover_v4.sections import DECIMALS, SpaceAnswer, TopicHit, WordPlace
from brvtui.engines.presentation import Groups, Presentation
from brvtui.engines.sentence import missing_words, nothing_for, outmatched, place_of_first
from brvtui.paint.blocks import Block, Rule, Text, Titled, lines_of
from brvtui.paint.glyphs import UNICODE, Glyphs
from brvtui.paint.line import Line, Span
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.paint.steps import StepName
from brvtui.text.visible import visible
from brvtui.trace import Hit, NearMiss, Trace
from brvtui.wording import counted


def sentence(trace: Trace) -> Sentence:
    """The sentence that explains an answer. It names the first topic, its element and words, and both relevances, and
    says whether V4 tells the agent to cite it.
    """
    section = trace.section(SpaceAnswer)
    if section.failure is not None:
        return (clause(f"V4 cannot answer: {section.failure.what}"), clause(f"; {section.failure.remedy}", weight=80))
    if not trace.hits or not section.topics:
        return (clause("Nothing found: "), *_nothing(trace, section), clause(f"; {way_out(trace)}", weight=80))
    first, topic = trace.hits[0], section.topics[0]
    words = answered_words(first.words, trace.query)
    return (
        clause(title(first.title), f" {place_of_first(trace.total_found)}"),
        clause(f" by its {topic.kind.removeprefix('bv-')} {topic.element}" if topic.kind else "", weight=40),
        clause(": " if words else "", words, weight=60),
        nothing_for(section.significant, first),
        *_contained(topic),
        *_relevance(topic),
        *(outmatched(trace, trace.better_match) if trace.better_match is not None else ()),
        *_advice(section),
        *_cited(section, topic),
    )


def relative(topic: TopicHit) -> float:
    """The relevance of ``topic`` (0..1): the topic's raw score divided by the best raw score."""
    return topic.raw / topic.best_raw if topic.best_raw else 0.0


def _contained(topic: TopicHit) -> Iterator[Clause]:
    """Yields a clause about the significant words that occur only inside other words."""
    inside = [place for place in topic.contained if place.inside != place.word]
    if inside and len(inside) == len(topic.contained):
        yield clause("; it passed the filter because of ", listed([_inside(place) for place in inside]), weight=70)


def _inside(place: WordPlace) -> list[Span]:
    spans = word(place.word)
    return [*spans, (" inside ", "text"), *word(place.inside)] if place.inside else spans


def _relevance(topic: TopicHit) -> Iterator[Clause]:
    yield clause(f"; relevance {relative(topic):.2f} relative to the best, {topic.absolute:.2f} absolute", weight=80)


def _advice(section: SpaceAnswer) -> Iterator[Clause]:
    """Yields a clause saying that the answer covers little of the query. This judgment is ours, not V4's."""
    if section.not_covered:
        yield clause(f": {section.not_covered}, so ByteRover 3.14 would say “not covered”", weight=85)


def _cited(section: SpaceAnswer, topic: TopicHit) -> Iterator[Clause]:
    instruction = "tells" if topic.file in section.cited else "does not tell"
    score = f" ({topic.score:.3f})" if topic.score is not None else " (no score)"
    yield clause(f"; {topic.confidence} confidence{score}: V4 {instruction} the agent to cite it", weight=90)


def _nothing(trace: Trace, section: SpaceAnswer) -> Iterator[Clause]:
    if section.topics:
        yield clause(f"because of the limit, V4 returns none of {counted(len(section.found), 'topic', 'topics')}")
    elif section.filtered and not trace.filtered_out:
        words = listed([word(one) for one in section.significant], "or")
        yield clause("similar words match, but V4 keeps only documents that contain ", words, " as written")
    elif not trace.snapshot.notes:
        yield clause("none of this space's topics can be read" if trace.notices else "the space has no topics yet")
    elif trace.query.startswith("--"):
        yield clause("V4 reads a query that begins with -- as an option")
    elif not section.searched and not trace.filtered_out:
        yield clause("the scope or the element filter leaves no topic")
    else:
        yield from missing_words(trace, "V4", "topic")


def way_out(trace: Trace) -> str:
    """Advice for a query that found nothing."""
    section = trace.section(SpaceAnswer)
    if section.topics:
        return "ask for more results"
    if not trace.snapshot.notes:
        return "see which files are not read" if trace.notices else "let ByteRover curate a first topic"
    if trace.query.startswith("--"):
        return "begin with another word"
    if trace.filtered_out or not (section.filtered or section.searched):
        return "widen the scope or the element filter"
    if not any(sign.isalnum() for sign in section.cleaned):
        return "type at least one word"
    if section.filtered:
        return "check the spelling, or rephrase the query"
    return "rephrase the query, or let ByteRover curate a topic about it"


class V4Presentation(Presentation):
    """The presentation of V4's traces, where the best match always has relevance 1."""

    title = "ByteRover V4"
    tried_constants: ClassVar[Mapping[str, float]] = {
        "text.fuzzy_ratio": 0.1, "text.fuzzy_weight": 0.15, "text.prefix_weight": 0.125, "text.boost.title": 1.0,
        "text.boost.summary": 1.0, "text.boost.keywords": 1.0, "text.k": 0.3, "text.b": 0.2, "score.relevance": 0.1,
        "score.importance": 0.05, "score.recency": 0.05, "score.boost.draft": 0.05, "score.boost.validated": 0.05,
        "score.boost.core": 0.05,
    }  # fmt: skip
    sections = (SpaceAnswer,)
    outlook = (
        StepName("query", "query"),
        StepName("scope", "scope"),
        StepName("words", "words", timed_by="search"),
        StepName("filter", "filter"),
        StepName("cite", "cite"),
        StepName("coverage", "covered?", "cov?"),
    )
    question = "which topics answer it"
    typing = "each key searches; nothing is written, and no access hit is counted"
    asks_services = False
    decimals: ClassVar[int] = DECIMALS
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "In ByteRover V4, each row is a topic, ranked by its best element.",
        "Score": "In ByteRover V4, relevance is relative to the best match, so it does not say how well a topic "
        "matches your words. Below it are the raw score, the score on an absolute scale, and V4's "
        "instruction to the agent.",
        "Route": "In ByteRover V4, the steps are stop words, scope, words, the filter, and whether V4 tells the agent "
        "to cite. brv-tui adds the step “covered?”: V4 has no such gate; the step shows what ByteRover 3.14 would "
        "have decided.",
        "Answer": "In ByteRover V4, the first tab shows the block that the agent should repeat, and the second tab "
        "shows the whole printed answer.",
    }
    sentence = staticmethod(sentence)

    def warning(self, trace: Trace) -> str:
        """A warning that V4 fails on the searched space."""
        return "V4 fails" if trace.section(SpaceAnswer).failure is not None else ""

    def failure(self, trace: Trace) -> str:
        """The reason why V4 fails on the searched space."""
        failure = trace.section(SpaceAnswer).failure
        return f"V4 cannot answer: {failure.what}" if failure is not None else ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The query as searched, the stop words that were dropped, and the limits."""
        section = trace.section(SpaceAnswer)
        groups: Groups = [(9, [("searched ", "muted"), (visible(section.cleaned), "text")])]
        limits = " ".join(part for part in (section.scope, section.element) if part)
        if limits:
            groups.append((8, [(visible(limits), "accent")]))
        if section.dropped:
            groups.append((5, [("left out ", "muted"), (visible(" ".join(section.dropped)), "text")]))
        if len(section.spaces) > 1:
            groups.append((6, [(visible(", ".join(section.spaces)), "text")]))
        return groups

    def remark(self, trace: Trace, hit: Hit) -> str:
        """The hit's relevance compared with the best match."""
        return f"rel {hit.text.relevance:.2f}" if hit.text is not None else ""

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of ranks between the topic and the limit."""
        if not miss.short:
            return "0", glyphs.cross
        return counted(round(miss.short), "place", "places"), f"+{miss.short:.0f} rank"

    def nothing(self, trace: Trace, width: int) -> list[Line]:
        """Lines with advice and, if V4 fails, V4's own message."""
        failure = trace.section(SpaceAnswer).failure
        if failure is None:
            return lines_of([_text(way_out(trace))], width, UNICODE)
        return lines_of([_text(f"V4 prints: {failure.message}", "warn"), _text(failure.remedy)], width, UNICODE)

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the raw score, the relative score, the element, the filter, and the agent's instructions."""
        section = trace.section(SpaceAnswer)
        topic = section.topic(file)
        if topic is None:
            return
        yield Rule("relative and absolute")
        yield from map(_text, (_raw(topic), _carried(topic), _filter(topic, section)))
        yield Rule("what V4 tells the agent")
        if section.topics.index(topic) >= section.returned:
            yield Text("nothing: the topic is past the limit")
        else:
            yield from map(_text, (use_of(topic, section), f"“{topic.snippet}”"))

    def not_scored(self, trace: Trace) -> str:
        """The reason why a topic has no score: no term matches, the filter dropped it, or V4 fails."""
        return self.failure(trace) or "none of its terms matches, or the filter dropped it"

    def answer(self, trace: Trace) -> Iterator[Block]:
        """Yields the citation block that V4 asks the agent to repeat."""
        cited = trace.section(SpaceAnswer).citation_block.splitlines()
        instruction = ". It tells the agent to repeat this block:" if cited else ", and does not ask for a citation"
        yield Text(f"V4 only retrieves and writes no answer{instruction}", "muted")
        yield from map(_text, cited)

    def prompt(self, trace: Trace | None) -> Titled:
        """The answer as V4 prints it for the agent."""
        printed = trace.section(SpaceAnswer).printed if trace is not None else ""
        text = json.dumps(printed, ensure_ascii=False, indent=1)
        return Titled("printed", map(_text, text.splitlines()), text)

    def words(self, trace: Trace) -> Sequence[str]:
        """The query words that were searched."""
        return trace.section(SpaceAnswer).cleaned.split()


def _raw(topic: TopicHit) -> str:
    best = topic.best_raw
    return (
        f"raw {topic.raw:.3f} ÷ best raw {best:.3f} = relevance {relative(topic):.3f}. On the absolute scale of "
        f"ByteRover 3.14, it is raw ÷ (1 + raw) = {topic.absolute:.3f}. Number {topic.raw_rank} by text alone, before "
        "the filter"
    )


def _carried(topic: TopicHit) -> str:
    if not topic.kind:
        return "searched as a whole, because none of its elements has an id"
    others = f"; also listed: {', '.join(topic.secondary)}" if topic.secondary else ""
    return f"found by its {topic.kind.removeprefix('bv-')} {topic.element}{others}"


def _filter(topic: TopicHit, section: SpaceAnswer) -> str:
    if not section.significant:
        return "the filter kept everything, because the query has no run of three ASCII letters or digits"
    shown = [
        f"‘{place.word}’ in its {place.field}"
        + (f", inside “{place.inside}”" if place.inside not in ("", place.word) else "")
        for place in topic.contained
    ]
    return f"the filter found {'; '.join(shown)}"


def _text(text: str, role: str = "text") -> Text:
    return Text(visible(text), role)
