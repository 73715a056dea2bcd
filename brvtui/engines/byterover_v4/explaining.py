"""The makeup of one topic's score: its parts, and every term × field of the document that carries it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from brvtui.engines.byterover_v4.ageing import aged_signals
from brvtui.engines.byterover_v4.hits import SpacePaths, score_parts
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.scripts import ScriptAnswer
from brvtui.engines.byterover_v4.search import FoundTopic
from brvtui.text.analysis import from_utf16
from brvtui.trace import Detail, Hit, NearMiss, Origin, TextScore, Trace

FORMULA = "weight × boost × idf × (d + tf (k + 1) ÷ (tf + k (1 − b + b length ÷ average))); raw = sum × words matched"


def detail_of(
    profile: V4Profile, trace: Trace, answer: ScriptAnswer, spaces: Sequence[SpacePaths], file: str
) -> Detail | None:
    """The detail of the topic at ``file`` (a path of the snapshot) under ``answer``, whose trace is ``trace``."""
    for search, paths in zip(answer.searches, spaces, strict=True):
        own = next((path for path, known in paths.paths.items() if known == file), file)
        topic = search.topics.named(own)
        if topic is None:
            continue
        best = topic.best
        made = search.index.contributions(best.place, search.raw.tokens, profile.text)
        contributions = tuple(
            replace(one, query_term=from_utf16(one.query_term), term=from_utf16(one.term)) for one in made
        )
        score = TextScore(best.term_sum, best.matched, best.raw, best.relevance)
        _, found = trace.place_of(file)
        return Detail(file, contributions, score, FORMULA, found or _behind(trace, file, topic, score, profile))
    return None


def _behind(trace: Trace, file: str, topic: FoundTopic, text: TextScore, profile: V4Profile) -> Hit | None:
    """The hit that ``topic``, which stands behind the limit, would be; None where the trace has no near miss of it."""
    miss: NearMiss | None = next((miss for miss in trace.near_misses if miss.file == file), None)
    if miss is None:
        return None
    signals = aged_signals(topic.signals, profile)
    return Hit(
        miss.path,
        miss.file,
        miss.title,
        miss.kind,
        Origin.TEXT,
        miss.score,
        score_parts(topic, profile),
        text=text,
        signals=signals,
        words=miss.words,
    )
