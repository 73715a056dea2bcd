"""The intents of a query, and the factors by which they change notes' scores (``docs/reference/jeffs-brain.md``,
"Intent"). Only English is supported.

The patterns are exactly those of the documented pipeline and match as in JavaScript: word boundaries depend only on
ASCII letters and digits, white space includes Unicode's, and case is ignored only for ASCII letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SPACE = r"[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"


def _javascript(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\s", _SPACE), re.IGNORECASE | re.ASCII)


PREFERENCE_QUERY = _javascript(
    r"\b(?:recommend|suggest|recommendation|suggestion|tips?|advice|ideas?|what should i|which should i)\b"
)
ENUMERATION_OR_TOTAL_QUERY = _javascript(r"\b(?:how many|count|total|in total|sum|add up|list|what are all)\b")
FIRST_PERSON_FACT_LOOKUP = _javascript(r"\b(?:did i|have i|was i|were i)\b")
FACT_LOOKUP_VERB = _javascript(
    r"\b(?:pick(?:ed)? up|bought|ordered|spent|earned|sold|drove|travelled|traveled|watched|visited|completed"
    r"|finished|submitted|booked)\b"
)
PREFERENCE_NOTE = _javascript(
    r"\b(?:prefer(?:s|red)?|like(?:s|d)?|love(?:s|d)?|want(?:s|ed)?|need(?:s|ed)?|avoid(?:s|ed)?|dislike(?:s|d)?"
    r"|hate(?:s|d)?|enjoy(?:s|ed)?|interested in|looking for)\b"
)
GENERIC_NOTE = _javascript(
    r"\b(?:tips?|advice|suggest(?:ion|ed)?s?|recommend(?:ation|ed)?s?|ideas?|options?|guide|tracking|tracker"
    r"|checklist)\b"
)
ROLLUP_NOTE = _javascript(
    r"\b(?:roll-?up|summary|recap|overview|aggregate|combined|overall|in total|totalled?|totalling)\b"
)
ATOMIC_EVENT_NOTE = _javascript(
    r"\b(?:i|we)\s+(?:picked up|bought|ordered|spent|earned|sold|drove|travelled|traveled|went|watched|visited"
    r"|completed|finished|started|booked|got|took|submitted)\b"
)
DATE_TAG = _javascript(r"\[(?:date|observed on):")


@dataclass(frozen=True, slots=True)
class IntentRules:
    """The paths and factors used by the intent rules."""

    global_path: str
    preference_path: str
    fact_paths: tuple[str, ...]
    own_preference: float
    preference_note: float
    generic_note: float
    rollup_note: float
    fact_note: float
    fact_rollup: float
    fact_generic: float


@dataclass(frozen=True, slots=True)
class Intent:
    """The intents of a query: none, one or both."""

    preference: bool
    fact: bool

    def __bool__(self) -> bool:
        return self.preference or self.fact

    @property
    def name(self) -> str:
        """The names of the intents; empty if there are none."""
        named = (("preference", self.preference), ("concrete fact", self.fact))
        return " and ".join(name for name, is_set in named if is_set)


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor in a note's score, and the reason for it. ``constant`` is the factor's dotted name in the profile."""

    value: float
    constant: str
    why: str


def detect(query: str) -> Intent:
    """The intents of ``query``, which is given as typed."""
    text = query.lower()
    looked_up = FIRST_PERSON_FACT_LOOKUP.search(text) and FACT_LOOKUP_VERB.search(text)
    return Intent(bool(PREFERENCE_QUERY.search(text)), bool(ENUMERATION_OR_TOTAL_QUERY.search(text)) or bool(looked_up))


def factors(
    intent: Intent, path: str, title: str, summary: str, content: str, rules: IntentRules
) -> tuple[Factor, ...]:
    """The factors for the score of one note; empty if no rule applies."""
    if not intent:
        return ()
    text = "\n".join((path, title, summary, content)).lower()
    result: list[Factor] = []
    if intent.preference:
        result += _for_preference(path.lower(), text, rules)
    if intent.fact:
        result += _for_fact(path.lower(), text, rules)
    return tuple(result)


def _for_preference(path: str, text: str, rules: IntentRules) -> list[Factor]:
    is_global = rules.global_path in path
    if is_global and rules.preference_path in path:
        return [Factor(rules.own_preference, "intent.own_preference", f"{rules.preference_path} in its path")]
    if is_global and PREFERENCE_NOTE.search(text):
        return [Factor(rules.preference_note, "intent.preference_note", "a preference in its text")]
    result = []
    if not is_global and GENERIC_NOTE.search(text):
        result.append(Factor(rules.generic_note, "intent.generic_note", "general advice"))
    if ROLLUP_NOTE.search(text):
        result.append(Factor(rules.rollup_note, "intent.rollup_note", "a roll-up"))
    return result


def _for_fact(path: str, text: str, rules: IntentRules) -> list[Factor]:
    is_rollup = bool(ROLLUP_NOTE.search(text))
    named = next((marker for marker in rules.fact_paths if marker in path), "")
    event = not is_rollup and bool(DATE_TAG.search(text) or ATOMIC_EVENT_NOTE.search(text))
    is_fact = bool(named) or event
    result = []
    if is_fact:
        why = f"{named} in its path" if named else "a dated or single event in its text"
        result.append(Factor(rules.fact_note, "intent.fact_note", why))
    if is_rollup:
        result.append(Factor(rules.fact_rollup, "intent.fact_rollup", "a roll-up"))
    if not is_fact and rules.global_path not in path and GENERIC_NOTE.search(text):
        result.append(Factor(rules.fact_generic, "intent.fact_generic", "general advice"))
    return result


def idle_rules(paths: Sequence[str], rules: IntentRules) -> tuple[str, ...]:
    """The rules that no note at any of ``paths`` can match, each with the pattern that it needs."""
    lower = [path.lower() for path in paths]
    own, words = f"× {rules.own_preference:g}", f"× {rules.preference_note:g}"
    texts = []
    in_global = [path for path in lower if rules.global_path in path]
    if not in_global:
        texts.append(f"preference {own} and {words}: no path contains {rules.global_path}")
    elif not any(rules.preference_path in path for path in in_global):
        texts.append(f"preference {own}: no path below {rules.global_path} contains {rules.preference_path}")
    if not any(marker in path for path in lower for marker in rules.fact_paths):
        markers = " or ".join(rules.fact_paths)
        texts.append(
            f"concrete fact × {rules.fact_note:g} by name: no path contains {markers}, but dates and events count"
        )
    return tuple(texts)


def multiplied(score: float, factors: Sequence[Factor]) -> float:
    """``score`` multiplied by each factor in order."""
    for factor in factors:
        score *= factor.value
    return score


def reordered(scores: Sequence[float]) -> list[int]:
    """The positions of ``scores``, highest score first; equal scores keep their order."""
    return sorted(range(len(scores)), key=lambda position: -scores[position])
