"""Answers to queries, and reasons why a note is or is not in one: the JSON of commands, and short forms for agents.

A field of a short form has the name and the value that it has in the JSON of the command, except ``in_words``,
``lead``, ``note``, ``advice``, ``changes``, ``tried_all`` and ``omitted``, which no command has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brvtui.engines.advice import with_remedies
from brvtui.engines.registry import verdict_sentence
from brvtui.paint.hits import lead_text
from brvtui.paint.text import signed
from brvtui.ranking.packing import estimated_tokens
from brvtui.text.visible import visible
from brvtui.trace import SCHEMA, Explanation, RemedySearch, Trace, to_plain
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session import Session

SHORT, DETAILED = 800, 4_000
"""The maximum numbers of tokens of an answer: by default, and if details are requested."""
_CHARS_PER_TOKEN = 4.0
_LENGTHS = (1_000, 300, 100, 30)
"""The maximum numbers of characters of a text. The next one is used while an answer is too long."""
_DECISIVE = ("hit", "taken", "failed")
"""The states of steps that a short answer contains."""
_HIT = ("path", "title", "score", "found_by")
_MISS = ("file", "title", "rank", "score", "reason")
_NOTE = ("path", "found", "rank", "use", "reason", "numbers", "notice")
_CHANGE = ("text", "kind", "rank", "tier", "score", "how", "is_used", "gain")


def explain_note(
    session: Session, trace: Trace, note: str, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Explanation, RemedySearch]:
    """The reason why ``note`` is, or is not, in the answer ``trace``, with the changes that raise it; and their search.

    Each change was tried, until ``cancelled`` returned True. Raises :class:`brvtui.snapshot.naming.UnknownNote` and
    :class:`brvtui.engines.contract.EngineError`.
    """
    from brvtui.session.remedies import find_remedies

    explanation = session.explainer.explain(trace.query, note, trace=trace)
    search = find_remedies(session, explanation, lower=False, cancelled=cancelled)
    return with_remedies(explanation, search.remedies, search.notice), search


def answer_as_plain(trace: Trace) -> dict[str, Any]:
    """The JSON of ``brv-tui query``."""
    sentence = verdict_sentence(trace)
    return {"schema": trace.schema, "engine": trace.engine, "verdict_sentence": sentence, "trace": to_plain(trace)}


def explanation_as_plain(explanation: Explanation) -> dict[str, Any]:
    """The JSON of ``brv-tui explain`` for one note."""
    return {"schema": SCHEMA, "verdict_sentence": verdict_sentence(explanation.trace), **to_plain(explanation)}


def tokens_of(value: Any) -> int:
    """The estimated number of tokens of ``value`` as JSON, counted as in a prompt of ByteRover."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return int(estimated_tokens(len(text.encode("utf-16-le", "surrogatepass")) // 2, _CHARS_PER_TOKEN))


def fitted(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """``answer`` with at most ``most`` tokens, and with text that is safe to show.

    Long texts are cut, and the last items of the longest lists are dropped and counted in ``omitted``.
    """
    for length in _LENGTHS:
        result: dict[str, Any] = _cut(answer, length)
        while tokens_of(result) > most:
            lists = {name: value for name, value in result.items() if isinstance(value, list) and len(value) > 1}
            if not lists:
                break
            longest = max(lists, key=lambda name: tokens_of(lists[name]))
            lists[longest].pop()
            result["omitted"] = result.get("omitted", 0) + 1
        if tokens_of(result) <= most:
            return result
    return {name: value for name, value in result.items() if not isinstance(value, list | dict)}


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return shortened(visible(value, keep="\n"), length)
    if isinstance(value, dict):
        return {name: _cut(item, length) for name, item in value.items()}
    return [_cut(item, length) for item in value] if isinstance(value, list) else value


def chosen(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The fields ``names`` of ``values``, without empty texts."""
    return {name: values[name] for name in names if values[name] != ""}


def short_answer(trace: Trace, explanation: Explanation | None, is_detailed: bool) -> dict[str, Any]:
    """The answer ``trace`` in short, with the place in it of the note of ``explanation``."""
    whole = answer_as_plain(trace)
    plain, decimals = whole["trace"], trace.scale.decimals
    hits = []
    for hit, fields in zip(trace.hits[: 10 if is_detailed else 5], plain["hits"], strict=False):
        parts = (f"{part.name} {signed(part.value, decimals)}" for part in hit.parts if round(part.value, decimals))
        matched = ", ".join(dict.fromkeys(word.query for word in hit.words))
        words = f"; matches {matched}" if matched else ""
        own = {} if hit.file == hit.path else {"file": hit.file}
        hits.append({**chosen(fields, _HIT), **own, "in_words": ", ".join(parts) + words})
    steps = [chosen(one, ("name", "state", "summary")) for one in plain["steps"]]
    misses = [chosen(one, _MISS) for one in plain["near_misses"][: 10 if is_detailed else 3]]
    first = trace.hits[0] if trace.hits else None
    return {
        **chosen(whole, ("engine", "verdict_sentence")),
        **chosen(plain, ("tier", "covered", "filters")),
        "note": short_explanation(explanation) if explanation is not None else None,
        "steps": [one for one in steps if is_detailed or one["state"] in _DECISIVE],
        "hits": hits,
        "lead": lead_text(trace.hits, first, decimals) if first is not None else "",
        "better_match": plain["better_match"],
        "near_misses": misses,
        "missing": [chosen(one, ("word", "notes", "file")) for one in plain["missing"]],
        "notices": plain["notices"],
    }


def short_explanation(explanation: Explanation) -> dict[str, Any]:
    """The place of a note in an answer, or the earliest reason why it has none."""
    plain = explanation_as_plain(explanation)
    score = {"hit": {"score": explanation.hit.score}} if explanation.hit is not None else {}
    return {**chosen(plain, _NOTE), **score}


def short_reasons(explanation: Explanation, search: RemedySearch, tried_all: bool) -> dict[str, Any]:
    """The reasons of ``explanation``, with the changes in ``search`` that raise the note."""
    advised = explanation.remedy
    changes = [chosen(to_plain(one), _CHANGE) for one in search.remedies]
    return {
        "engine": explanation.trace.engine,
        "verdict_sentence": explanation_as_plain(explanation)["verdict_sentence"],
        "tier": explanation.trace.tier,
        **short_explanation(explanation),
        "advice": advised.text if advised is not None and not changes else "",
        "changes": changes,
        "tried_all": tried_all,
    }
