"""The words of the query that each note of an answer holds, as the full-text index finds them."""

from __future__ import annotations

from dataclasses import replace

from brvtui.engines.jeffs_brain.index import ChunkIndex
from brvtui.engines.jeffs_brain.sections import Hybrid, RankedNote, RetrievalMode
from brvtui.ladder import INITIAL, TRIGRAMS
from brvtui.services.legs import LegError
from brvtui.text.query_language import Aliases, ParsedQuery, expand, parse
from brvtui.trace import Ladder, State, Trace


def with_words(index: ChunkIndex, trace: Trace, aliases: Aliases) -> Trace:
    """``trace``, whose hits have the words that they hold; none where no words count, or where only names were like."""
    hybrid = trace.section(Hybrid)
    searched = _searched(index, trace, aliases)
    if hybrid.mode is RetrievalMode.SEMANTIC or searched is None or not trace.hits:
        return trace
    answered = hybrid.ranking[: len(trace.hits)]
    try:
        words = index.answered(searched, [placed.id for placed in answered])
    except LegError:  # the leg of words has said why
        return trace

    def own(placed: RankedNote) -> RankedNote:
        return replace(placed, hit=replace(placed.hit, words=words.get(placed.id, ())))

    ranking = (*map(own, answered), *hybrid.ranking[len(answered) :])
    sections = tuple(replace(hybrid, ranking=ranking) if one is hybrid else one for one in trace.sections)
    return replace(trace, hits=tuple(placed.hit for placed in ranking[: len(answered)]), sections=sections)


def _searched(index: ChunkIndex, trace: Trace, aliases: Aliases) -> ParsedQuery | None:
    """The query of the step of the ladder that found notes; None when none did, or it compared names."""
    found = next((rung for rung in trace.section(Ladder).rungs if rung.state is State.HIT), None)
    if found is None or found.strategy == TRIGRAMS:
        return None
    language = index.profile.query
    parsed = parse(found.query, language.stopped, language.word_length)
    return parsed if found.strategy == INITIAL else expand(parsed, aliases)
