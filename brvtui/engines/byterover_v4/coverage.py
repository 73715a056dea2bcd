"""Our advice: whether ByteRover 3.14 would have called a query covered, by gates that V4 lacks.

Nothing of it acts on an answer (``docs/byterover_v4.md``, "Our advice").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.trace import Check, Hit, State, Step

NAME = "coverage"
_RULE = "our-advice"


@dataclass(frozen=True, slots=True)
class Coverage:
    """The advice on one answer: its step, and, where the answer is not covered, why in a few words."""

    step: Step
    lacks: str


def coverage(hits: Sequence[Hit], absolutes: Sequence[float], words: Sequence[str], profile: V4Profile) -> Coverage:
    """The advice on the answer with these ``hits``, each with its raw score on an absolute scale in ``absolutes``.

    ``words`` are the terms of the query, each once.
    """
    if not hits:
        return Coverage(Step(NAME, None, "covered?", State.NOT_REACHED, (), ""), "")
    rules = profile.advice
    scores = sorted(
        (_score(hit, absolute, profile) for hit, absolute in zip(hits, absolutes, strict=True)), reverse=True
    )
    found = {word.query for hit in hits[: rules.results] for word in hit.words}
    missed = [word for word in words if len(word) >= rules.word_length and word not in found]
    lead = scores[0] - scores[1] if len(scores) > 1 else scores[0]
    escapes = scores[0] >= rules.escape
    checks = (
        _check("score with absolute relevance", scores[0], rules.floor, "advice.floor"),
        Check(
            "words of the query found", len(words) - len(missed), "≥", len(words), not missed or escapes,
            float(-len(missed)), "advice.word_length", _RULE,
            "not needed: the score escapes" if missed and escapes else "",
        ),
        _check("sure top", scores[0], rules.sure_top, "advice.sure_top"),
        _check("direct top", scores[0], rules.direct_top, "advice.direct_top"),
        _check("lead over the next", lead, rules.lead, "advice.lead"),
    )  # fmt: skip
    if scores[0] < rules.floor:
        lacks = "nothing here is about your words"
    elif missed and not escapes:
        quoted = ", ".join(f"‘{word}’" for word in missed)
        where = f"none of the first {rules.results} results" if len(hits) > rules.results else "no result"
        lacks = f"{quoted} in {where}"
    else:
        lacks = ""
    if lacks:
        said = f"ours, V4 has no such gate: ByteRover 3.14 would say not covered, {lacks}"
        return Coverage(Step(NAME, None, "covered?", State.FAILED, checks, said), lacks)
    if scores[0] >= rules.sure_top or (scores[0] >= rules.direct_top and lead >= rules.lead):
        how = "answer directly"
    else:
        small = "lead" if scores[0] >= rules.direct_top else "score"
        how = f"ask a model: the {small} is too small for a direct answer"
    said = f"ours, V4 has no such gate: ByteRover 3.14 would say covered, and {how}"
    return Coverage(Step(NAME, None, "covered?", State.PASSED, checks, said), "")


def _score(hit: Hit, absolute: float, profile: V4Profile) -> float:
    """The score of ``hit`` as 3.14 would have made it: with absolute relevance, a bonus and a cap."""
    rules, text = profile.advice, hit.text
    relative = text.relevance if text is not None else 0.0
    boost = next((part.factor for part in hit.parts if part.name == "maturity"), None) or 1.0
    more = profile.score.relevance * (absolute - relative) * boost
    return min(rules.cap, hit.score + more + rules.bonus)


def _check(name: str, value: float, threshold: float, constant: str) -> Check:
    return Check(name, value, "≥", threshold, value >= threshold, value - threshold, constant, _RULE)
