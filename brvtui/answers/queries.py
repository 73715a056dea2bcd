"""Answers to queries, and reasons why a note is or is not in one: the JSON of commands, and short forms for agents.

A field of a short form has the same name and value as in the command's JSON. Only ``in_words``, ``lead``, ``note``,
``advice``, ``changes``, ``tried_all`` and ``omitted`` do not exist there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from brvtui.engines.advice import with_remedies
from brvtui.engines.registry import verdict_sentence
from brvtui.paint.hits import lead_text
from brvtui.paint.text import signed
from brvtui.ranking.packing import estimated_tokens
from brvtui.text.visible import visible
from brvtui.trace import SCHEMA, Explanation, Hit, RemedySearch, Trace, to_plain
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.session import Session

SHORT, DETAILED = 800, 4_000
"""The maximum numbers of tokens of an answer: by default, and if details are requested."""
_CHARS_PER_TOKEN = 4.0
_LENGTHS = (1_000, 300, 100, 30)
"""The limits on the length of a text, in characters, which are tried in turn until the answer is short enough."""
_DECISIVE = ("hit", "taken", "failed")
"""The states of steps that a short answer contains."""


def explain_note(
    session: Session, trace: Trace, note: str, cancelled: Callable[[], bool] = lambda: False
) -> tuple[Explanation, RemedySearch]:
    """The reason why ``note`` is or is not in the answer ``trace``, and the search for changes that would raise it.

    Every listed change was tried. The search ends when ``cancelled`` returns True. Raises
    :class:`brvtui.snapshot.naming.UnknownNote` and :class:`brvtui.engines.contract.EngineError`.
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
    return _tokens(_units(value))


def _tokens(units: int) -> int:
    return int(estimated_tokens(units, _CHARS_PER_TOKEN))


def _units(value: Any) -> int:
    """The length of ``value`` as JSON in UTF-16 units."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def fitted(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """``answer``, cut to at most ``most`` tokens, with text that is safe to show.

    Long texts are cut, and the last items of the longest lists are dropped and counted in ``omitted``.
    """
    for length in _LENGTHS:
        result: dict[str, Any] = _cut(answer, length)
        size, omitted = _units(result), 0
        sizes = {
            name: [_units(item) + 1 for item in value] for name, value in result.items() if isinstance(value, list)
        }
        totals = {name: sum(each) for name, each in sizes.items() if len(each) > 1}
        while _tokens(size) > most and totals:
            longest = max(totals, key=lambda name: totals[name])
            dropped, result["omitted"] = sizes[longest].pop(), omitted + 1
            size += len(f',"omitted":{omitted + 1}') - (len(f',"omitted":{omitted}') if omitted else 0) - dropped
            totals[longest], omitted = totals[longest] - dropped, omitted + 1
            if len(sizes[longest]) == 1:
                del totals[longest]
        for name, kept in sizes.items():
            del result[name][len(kept) :]
        if tokens_of(result) <= most:
            return result
    return {name: value for name, value in result.items() if not isinstance(value, list | dict)}


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return shortened(visible(value, keep="\n"), length)
    if isinstance(value, dict):
        return {name: _cut(item, length) for name, item in value.items()}
    return [_cut(item, length) for item in value] if isinstance(value, list) else value


def chosen(value: Any, names: str) -> dict[str, Any]:
    """The attributes of ``value`` in ``names``, which are separated by spaces, as plain data without empty texts."""
    fields = ((name, getattr(value, name)) for name in names.split())
    return {name: to_plain(field) for name, field in fields if field != ""}


def short_answer(trace: Trace, explanation: Explanation | None, is_detailed: bool) -> dict[str, Any]:
    """A short form of the answer ``trace``, including the place of the explained note."""
    most, first = 10 if is_detailed else 5, trace.hits[:1]
    steps = (step for step in trace.steps if is_detailed or step.state in _DECISIVE)
    return {
        "engine": trace.engine,
        "verdict_sentence": verdict_sentence(trace),
        **chosen(trace, "tier covered filters"),
        "note": short_explanation(explanation) if explanation is not None else None,
        "steps": [chosen(step, "name state summary") for step in steps],
        "hits": [
            {**chosen(hit, "path title score found_by"), "in_words": _in_words(hit, trace.scale.decimals)}
            for hit in trace.hits[:most]
        ],
        "lead": lead_text(trace.hits, first[0], trace.scale.decimals) if first else "",
        "better_match": to_plain(trace.better_match),
        "near_misses": [chosen(miss, "file title rank score reason") for miss in trace.near_misses[: most // 2]],
        "missing": [chosen(word, "word notes file") for word in trace.missing],
        "notices": list(trace.notices),
    }


def _in_words(hit: Hit, decimals: int) -> str:
    """The parts of the score of ``hit``, and the query words that it matches."""
    parts = ", ".join(f"{one.name} {signed(one.value, decimals)}" for one in hit.parts if round(one.value, decimals))
    words = ", ".join(dict.fromkeys(word.query for word in hit.words))
    return f"{parts}; matches {words}" if words else parts


def short_explanation(explanation: Explanation) -> dict[str, Any]:
    """The place of a note in an answer, or the earliest reason why it has none."""
    score = {"hit": chosen(explanation.hit, "score")} if explanation.hit is not None else {}
    return {**chosen(explanation, "path found rank use reason numbers notice"), **score}


def short_reasons(explanation: Explanation, search: RemedySearch, tried_all: bool, is_detailed: bool) -> dict[str, Any]:
    """The reasons in ``explanation``, and the changes in ``search`` that raise the note; in a detailed form, with
    their side effects.
    """
    trace, advised = explanation.trace, explanation.remedy
    names = "text kind rank tier score how is_used gain"
    names += " side_effects" if is_detailed else ""
    return {
        **chosen(trace, "engine tier"),
        "verdict_sentence": verdict_sentence(trace),
        **short_explanation(explanation),
        "advice": advised.text if advised is not None and not search.remedies else "",
        "changes": [chosen(one, names) for one in search.remedies],
        "tried_all": tried_all,
    }
