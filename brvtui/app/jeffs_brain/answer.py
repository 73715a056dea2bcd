"""What becomes of the list of a hybrid search: no answer, but what a reranker is sent."""

from __future__ import annotations

import re

from brvtui.app.jeffs_brain.route import idle_rules
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import plural, wrap
from brvtui.trace import State

_WORD = re.compile(r"\w+")
_JOINERS = frozenset({"and", "or", "not"})
_NO_STAGE = (
    "This pipeline retrieves and stops there: it has no tiers, asks no model and writes no answer. What a reader "
    "would be given are the notes of the list, in its order."
)


def answer(trace: HybridTrace, width: int, glyphs: Glyphs) -> list[Line]:
    """That there is none, and what in the pipeline does not fit a context tree."""
    made = [line(f" {part}", "text") for part in wrap(_NO_STAGE, width - 2)]
    given = f"{plural(len(trace.hits), 'note')} of {trace.fused}: {', '.join(hit.title for hit in trace.hits)}"
    made += [Line(), *(line(f" {part}", "muted") for part in wrap(given, width - 2) if trace.hits), Line()]
    return made + idle_rules(trace, width, glyphs)


def sent(trace: HybridTrace, width: int, glyphs: Glyphs) -> list[Line]:
    """The documents for a reranker, in the order in which it gets them, and whether it was asked."""
    head = sorted((hit for hit in trace.ranking if hit.sent), key=lambda hit: hit.reweighted_rank)
    step = next((step for step in trace.steps if step.name == "rerank"), None)
    asked = trace.reranked or (step is not None and step.state is State.FAILED)
    what = f"sent to {trace.reranker}" if asked else "what a reranker would be sent"
    why = f": {step.summary}" if step is not None and step.summary else ""
    made = [line(f" {part}", "text") for part in wrap(f"{what}{why}", width - 2)]
    for hit in head:
        score = f" · {hit.rerank_score:.2f}" if hit.rerank_score is not None else ""
        made.append(rule(width, f"{hit.reweighted_rank + 1} · {hit.path}{score}", dash=glyphs.dash))
        for paragraph in hit.sent.split("\n"):
            made += [line(f" {part}", "text") for part in wrap(paragraph, width - 2)]
    return made


def searched_words(trace: HybridTrace) -> list[str]:
    """The words of the text that was searched for last: the query's, or those of the step that found something."""
    ran = [rung for rung in trace.rungs if rung.state is State.HIT] or list(trace.attempts)
    text = ran[-1].query if ran else trace.compiled
    return [word for word in _WORD.findall(text) if word.lower() not in _JOINERS]
