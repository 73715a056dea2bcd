"""The sentence that says why V4 put a topic first, and how little its relevance says: a function of the trace."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.engines.byterover_v4.sections import SpaceAnswer, TopicHit, WordPlace
from brvtui.engines.sentence import missing_words, nothing_for, place_of_first
from brvtui.paint.line import Span
from brvtui.paint.sentence import Clause, Sentence, answered_words, clause, listed, title, word
from brvtui.trace import Trace


def sentence(trace: Trace) -> Sentence:
    """Which topic is first, by which element and words, its relevance beside the absolute one, whether it is cited."""
    section = trace.section(SpaceAnswer)
    if section.failure is not None:
        return (
            clause(f"V4 answers no query: {section.failure.what}"),
            clause(f"; {section.failure.remedy}", weight=80),
        )
    if not trace.hits or not section.topics:
        return (
            clause("Nothing found: "),
            *_nothing(trace, section),
            clause(f"; {way_out(trace)}", weight=80),
        )
    first, topic = trace.hits[0], section.topics[0]
    held = answered_words(first.words, trace.query)
    return (
        clause(title(first.title), f" {place_of_first(trace.total_found)}"),
        clause(f" by its {topic.kind.removeprefix('bv-')} {topic.element}" if topic.kind else "", weight=40),
        clause(": " if held else "", held, weight=60),
        nothing_for(section.significant, first),
        *_contained(topic),
        *_relevance(topic),
        *_advice(section),
        *_cited(section, topic),
    )


def relative(topic: TopicHit) -> float:
    """The relevance of ``topic``: its raw score ÷ the best."""
    return topic.raw / topic.best_raw if topic.best_raw else 0.0


def _contained(topic: TopicHit) -> Iterator[Clause]:
    """Significant words that stand only inside other words."""
    inside = [place for place in topic.contained if place.inside != place.word]
    if inside and len(inside) == len(topic.contained):
        yield clause("; the filter let it pass for ", listed([_inside(place) for place in inside]), weight=70)


def _inside(place: WordPlace) -> list[Span]:
    made = word(place.word)
    return [*made, (" inside ", "text"), *word(place.inside)] if place.inside else made


def _relevance(topic: TopicHit) -> Iterator[Clause]:
    yield clause(f"; relevance {relative(topic):.2f} of the best, {topic.absolute:.2f} absolute", weight=80)


def _advice(section: SpaceAnswer) -> Iterator[Clause]:
    """Our own reading of how little the answer has of the query."""
    if section.not_covered:
        yield clause(f": {section.not_covered}, so 3.14 would not call this covered", weight=85)


def _cited(section: SpaceAnswer, topic: TopicHit) -> Iterator[Clause]:
    told = "the agent is told to cite it" if topic.file in section.cited else "the agent is not told to cite it"
    score = f" ({topic.score:.3f})" if topic.score is not None else " (no score)"
    yield clause(f"; {topic.confidence} confidence{score}: {told}", weight=90)


def _nothing(trace: Trace, section: SpaceAnswer) -> Iterator[Clause]:
    if section.topics:
        yield clause(f"a limit that returns none of {len(section.found)} topics")
    elif section.filtered and not trace.filtered_out:
        words = listed([word(one) for one in section.significant], "or")
        yield clause("similar words match, but V4 keeps only documents that contain ", words, " as written")
    elif not trace.snapshot.notes:
        yield clause("there are no topics to search")
    elif trace.query.startswith("--"):
        yield clause("V4 takes a query that begins with -- as an option")
    elif not section.searched and not trace.filtered_out:
        yield clause("the scope or the element filter leaves no topic")
    else:
        yield from missing_words(trace, "V4", "topic")


def way_out(trace: Trace) -> str:
    """What can be done where nothing was found."""
    section = trace.section(SpaceAnswer)
    if section.topics:
        return "ask for more results"
    if not trace.snapshot.notes:
        return "have ByteRover curate a first topic"
    if trace.query.startswith("--"):
        return "begin with another word"
    if trace.filtered_out or not (section.filtered or section.searched):
        return "widen the scope or the element filter"
    if not any(sign.isalnum() for sign in section.cleaned):
        return "ask in words"
    if section.filtered:
        return "check the spelling, or ask in other words"
    return "ask in other words, or have ByteRover curate a topic about it"
