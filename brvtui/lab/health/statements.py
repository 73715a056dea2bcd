"""Cuts notes into statements, and finds statements about the same thing that disagree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from brvtui.text.analysis import STOP_WORDS
from brvtui.tree.reading.links import lines_of

_MOST_STATEMENTS, _LONGEST_STATEMENT, _MOST_WORDS = 200, 400, 30
_ABOUT, _MOST_OTHER = 5, 4
_LEAST_COMMON = 3.0
"""The minimum sum of the idf of the words that two statements and both titles share."""
_AGREEING, _ALIKE, _ALIKE_REVISED, _NEGATED, _RENAMED = 0.75, 0.4, 0.25, 0.6, 0.6
"""The minimum similarity of two statements that agree; that have different values or states; one of which gives the
other's value as a former one; one of which is negated; and that name different things.
"""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[^a-z\s])")
_MARK = re.compile(r"^(?:[ \t]|>|[-*+][ \t]|\d{1,3}[.)][ \t])+")
_CATEGORY = re.compile(r"\s\[\w{3,20}\]$")
_METADATA = re.compile(
    r"(?:author|timestamp|date|created|updated|createdat|updatedat|tags|keywords|related|source|session|"
    r"files?)\b[^:]{0,12}:",
    re.IGNORECASE,
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_TOKEN = re.compile(
    rf"(?P<date>\d{{4}}-\d\d(?:-\d\d)?(?:T[\d:.]{{5,15}}Z?)?|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? \d{{4}})?(?!\w)|"
    rf"{_MONTH} \d{{1,4}}(?:, \d{{4}})?(?!\w)|Q[1-4](?: \d{{4}})?(?!\w))|(?P<time>\d{{1,2}}:\d\d(?!\w))"
    r"|(?P<number>[~<>≤≥v]?\d(?:[\d,._]{0,20}\d)?)[ -]?(?P<unit>%|[A-Za-zµ€$]{1,12}(?![\w-]))?"
    r"|(?P<word>[^\W\d_][\w’'/.-]{0,60}[\w]|[^\W\d_])"
)
_SPLIT = re.compile(r"[-/.’'`]|(?<=[a-z])(?=[A-Z])|_")
_IDENTIFIER = re.compile(r"\w*(?:[a-z][A-Z]|\d|_|[A-Z]{2})\w*|\w+[./-]\w[\w./-]*")
_CODED = re.compile(r"\w[/_]\w")
"""A path or an identifier: statements about other files or settings do not disagree."""
_NUMBERED = re.compile(
    r"\b(?:step|phase|stage|rule|section|part|chapter|case|option|example|level|line|figure) $", re.I
)
_REPLACED = re.compile(
    r"\bfrom (\w[\w.-]{0,40}) to\b|\b(?:instead of|rather than|replac(?:es|ed|ing)) (\w[\w.-]{0,40})", re.I
)
_FORMER_VALUE = (
    r"\b(?:from|instead of|rather than|not|no longer|was|were|used to be|previously|formerly|replac(?:es|ed|"
    r"ing))\s+(?:the\s+|a\s+|an\s+)?(?P<old>(?:(?! to )[^.;,]){1,40})"
)
_BEFORE_ARROW = r"(?P<before>[^\s→]{1,30}(?: [A-Za-z%]{1,10})?)\s*(?:→|->|=>)"
_FORMER = re.compile(f"{_FORMER_VALUE}|{_BEFORE_ARROW}", re.IGNORECASE)
_FORMER_WITHOUT_ARROW = re.compile(f"{_FORMER_VALUE}|(?P<before>(?!))", re.IGNORECASE)
"""Like :data:`_FORMER`, and five times as fast, for texts without an arrow."""
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = {"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "sixty": "60", "ninety": "90"}
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | _TENS
_PHRASES = {
    "no longer": "not", "any more": "anymore", "shut down": "disabled", "turned off": "disabled",
    "switched off": "disabled", "off by default": "disabled by default", "opt-in": "disabled", "turned on": "enabled",
    "switched on": "enabled", "on by default": "enabled by default", "opt-out": "enabled",
    "generally available": "released", "phased out": "removed", "by hand": "manual", "in use": "used",
    "taken down": "removed", "set up": "enabled",
}  # fmt: skip
_WORDED = re.compile(rf"\b(?:({'|'.join(_NUMBERS)})(?=[ -]\w)|({'|'.join(_PHRASES)})\b)", re.IGNORECASE)
_UNITS = """
    s 0.001 ms millisecond milliseconds; s 1 s sec secs second seconds; s 60 m min mins minute minutes;
    s 3600 h hr hrs hour hours; s 86400 d day days; s 604800 week weeks; byte 1e3 kb kib; byte 1e6 mb mib;
    byte 1e9 gb gib; byte 1e12 tb tib; % 1 percent %
"""
_SCALES = {name: (row.split()[0], float(row.split()[1])) for row in _UNITS.split(";") for name in row.split()[2:]}
_EXACT = {"date", "time", *(base for base, _ in _SCALES.values())}
_OPPOSED = """
    enabled enable active activated live running|disabled disable inactive deactivated stopped; allowed permitted
    |forbidden prohibited banned disallowed blocked denied; deprecated obsolete retired removed deleted discontinued
    decommissioned abandoned dropped disabled| current supported maintained active live recommended used; planned
    pending proposed upcoming draft unreleased experimental beta alpha unstable preview prototype|shipped released done
    launched completed live implemented deployed finished stable ga; required mandatory compulsory|optional voluntary;
    open unresolved ongoing|closed resolved; approved accepted|rejected declined refused; public|private internal;
    synchronous synchronously sync|asynchronous asynchronously async; manual manually|automatic automatically automated;
    true|false; yes|no; always|never; encrypted|unencrypted plaintext; read-only readonly|writable; hourly|daily|weekly|
    fortnightly biweekly|monthly|quarterly|yearly annually; monday mondays| tuesday tuesdays|wednesday wednesdays|
    thursday thursdays|friday fridays|saturday saturdays|sunday sundays
"""
_NEGATIONS = frozenset(["not", "never", "no", "nobody", "nothing", "cannot", "nor", "neither", "none"])
_NOT_ABOUT = """
    now currently today since changed raised lowered increased decreased reduced cut bumped extended shortened switched
    moved migrated replaced updated set latest new previously formerly instead longer anymore still already later
    recently may might can could should must will would shall most least up
"""
_SKIPPED = STOP_WORDS | _NEGATIONS | frozenset(_NOT_ABOUT.split())
"""The words that say nothing about the subject of a statement."""
_APART = """
    staging production prod dev development test sandbox qa local; read write reads writes; minimum maximum min max
    lower upper soft hard; inbound outbound incoming outgoing ingress egress; ios android web desktop mobile; primary
    secondary replica standby; internal external; free pro enterprise basic premium; first second third last; request
    response; refresh access; global regional; eu us apac europe america asia; median average; before after; weekday
    weekend weekdays weekends; input output; client server
"""
_ENDINGS = (("ies", "y", 5), ("ment", "", 8), ("ion", "", 7), ("ing", "", 6), ("al", "", 7), ("ed", "", 5))
_PLURALS = (("es", "", 6), ("s", "", 4))
Weight = Callable[[str], float]
"""A function that returns the idf of a stem."""
Value = tuple[str, str]
"""The unit (``date``, ``time``, or the stem of the next word) and the value; the unit may be empty."""


@lru_cache(200_000)
def stem(word: str) -> str:
    """``word`` without common English endings, so that forms of one word become equal."""
    for ending, short, least in (*_ENDINGS, *_PLURALS):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return (word[: -len(ending)] + short).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


_CONTRASTS = tuple(frozenset(map(stem, group.split())) for group in _APART.split(";"))
"""Groups of contrasting words.

Statements with different words of one group are about different things, even if all their other words are equal.
"""
_STATES: dict[str, set[tuple[int, int]]] = defaultdict(set)
"""For each word that names a state, its groups of opposed states, and its side in each group."""
for _number, _group in enumerate(_OPPOSED.split(";")):
    for _side, _words in enumerate(_group.split("|")):
        for _word in _words.split():
            _STATES[_word].add((_number, _side))
_STATE_STEMS = frozenset(map(stem, _STATES))


def stems(text: str) -> frozenset[str]:
    """The stems of the words in ``text``, without stop words and numbers."""
    words = (part for found in _TOKEN.finditer(text) if found["word"] for part in _SPLIT.split(found["word"]))
    return frozenset(stem(word.lower()) for word in words if word and word.lower() not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, list item or table row of a note."""

    text: str
    words: frozenset[str]
    """The stems, without stop words, values and negations."""
    names: frozenset[str]
    """The stems among :attr:`words` that are from proper names and identifiers."""
    heads: frozenset[str]
    """The stems of the first word, which is usually the subject of the sentence."""
    values: Mapping[Value, str]
    """The values, as they are written."""
    former: frozenset[Value]
    """The values that no longer hold, such as the first one in “from 30 s to 45 s”."""
    states: frozenset[tuple[int, int]]
    is_negated: bool
    replaced: frozenset[str]
    """The stems of the words that no longer hold."""


class Disagreement(NamedTuple):
    """Two statements about the same thing that cannot both be true: their different parts, and how certain the conflict
    is.
    """

    first: str
    second: str
    about: str
    """The words that both statements share."""
    strength: float
    """From 0 to 1."""
    newer: int = -1
    """The statement, 0 or 1, that mentions the value of the other one as a former value; -1 if neither does."""
    is_name: bool = False
    """True if only names differ, which is a disagreement only if both notes are about the same thing."""


def statements(body: str) -> tuple[Statement, ...]:
    """The statements of a note without frontmatter, in order, up to a maximum. Headings, code and lists of words are
    left out.
    """
    found: list[Statement] = []
    for text in _pieces(body):
        for sentence in _SENTENCE_END.split(text):
            if len(found) >= _MOST_STATEMENTS:
                return tuple(found)
            one = _statement(sentence[:_LONGEST_STATEMENT])
            found += [one] if 0 < len(one.words) <= _MOST_WORDS else []
    return tuple(found)


def claims(body: str) -> tuple[tuple[str, str], ...]:
    """For each statement of a note that contains a value or a state, the subject and the value, as text for
    comparisons.
    """
    return tuple(
        (" ".join(sorted(one.words - _STATE_STEMS)), repr((sorted(one.values), sorted(one.states), one.is_negated)))
        for one in statements(body)
        if one.values or one.states
    )


def _pieces(body: str) -> Iterator[str]:
    """Yields paragraphs, list items and table rows, each as one line."""
    paragraph: list[str] = []
    for line, in_code in lines_of(body):
        text = line.strip()
        starts = not text or in_code or text[0] in "#|>@" or _MARK.match(line) is not None
        if starts and paragraph:
            yield " ".join(paragraph)
            paragraph = []
        if text and not in_code and text[0] not in "#@":
            plain = _CATEGORY.sub("", _MARK.sub("", text)).replace("**", "")
            paragraph += [] if _METADATA.match(plain) else [plain]
    if paragraph:
        yield " ".join(paragraph)


def _statement(text: str) -> Statement:
    plain = _WORDED.sub(lambda one: (_NUMBERS if one[1] else _PHRASES)[one[0].lower()], text)
    words, names, states, values = set[str](), set[str](), set[tuple[int, int]](), dict[Value, str]()
    heads: frozenset[str] = frozenset()
    is_negated = False
    for found in _TOKEN.finditer(plain):
        is_word = found.lastgroup == "word"
        word = found[0] if is_word else found["unit"] or ""
        lower, parts, own_states, denies, is_identifier = _facts_of(word)
        if not is_word:
            shown = found["number"] if found["number"] and lower in _SKIPPED else found[0]
            if _NUMBERED.search(plain, max(0, found.start() - 12), found.start()):
                names.add(found[0])
                words.add(found[0])
                continue
            values.setdefault(_value(found), shown.strip())
            if lower in _SCALES:
                continue
        is_negated |= denies
        states |= own_states
        if not parts:
            continue
        words |= parts
        heads = heads or parts
        before = plain[max(0, found.start() - 2) : found.start()]
        is_name = word[0].isupper() and before not in ("", ". ")
        if is_name or is_identifier or before.endswith(("`", "#", "@")):
            names |= parts
    former_values = _FORMER if any(arrow in plain for arrow in ("→", "->", "=>")) else _FORMER_WITHOUT_ARROW
    former = {
        _value(value)
        for old in (former_values.finditer(plain) if values else ())
        for value in _TOKEN.finditer(old["old"] or old["before"])
        if value["word"] is None
    }
    current = {value: shown for value, shown in values.items() if value not in former}
    is_negated = is_negated and not former
    replaced = frozenset(stem((old[1] or old[2]).lower()) for old in _REPLACED.finditer(plain))
    groups = (frozenset(words), frozenset(names), frozenset(heads))
    return Statement(text, *groups, current, frozenset(former), frozenset(states), is_negated, replaced)


@lru_cache(100_000)
def _facts_of(word: str) -> tuple[str, frozenset[str], frozenset[tuple[int, int]], bool, bool]:
    """The lower-case form of ``word``, its stems (empty for skipped words) and its states, and whether it is a negation
    or an identifier.
    """
    lower = word.lower().replace("’", "'").removesuffix("'s")
    pieces = [lower] if word.isalpha() and word[1:].islower() else _SPLIT.split(word)
    parts = frozenset(stem(part.lower()) for part in pieces if part and lower and lower not in _SKIPPED) - STOP_WORDS
    denies = lower in _NEGATIONS or lower.endswith("n't")
    return lower, parts, frozenset(_STATES.get(lower, ())), denies, bool(_IDENTIFIER.fullmatch(word))


def _value(found: re.Match[str]) -> Value:
    text = found[0].strip()
    if not found["number"]:
        return ("date" if found["date"] else "time", text.lower())
    number, unit = found["number"].lstrip("~<>≤≥v").replace("_", ""), (found["unit"] or "").lower()
    number = number.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number) else number
    if unit in _SCALES and re.fullmatch(r"\d+(?:\.\d+)?", number):
        base, factor = _SCALES[unit]
        return (base, f"{float(number) * factor:g}")
    return ("" if unit in _SKIPPED else stem(unit), number.rstrip(".,"))


def disagreements(
    first: Sequence[Statement], second: Sequence[Statement], subject: frozenset[str], weight: Weight
) -> tuple[tuple[Disagreement, ...], int]:
    """The disagreements between the statements of two notes, strongest first, and the number of statements of the
    ``first`` note that the ``second`` one repeats.

    ``subject`` contains the stems that both titles share: a statement need not repeat them.
    """
    alike = _similarities(first, second, subject, weight)
    agreed = np.zeros(alike.shape, dtype=bool)
    for place, other in np.argwhere(alike >= _AGREEING).tolist():
        agreed[place, other] = _agree(first[place], second[other], subject)
    alike[agreed.any(axis=1)] = 0
    alike[:, agreed.any(axis=0)] = 0
    found = [
        disagreement
        for place, other in np.argwhere(alike >= _ALIKE_REVISED).tolist()
        if (disagreement := _compared(first[place], second[other], subject, weight, float(alike[place, other])))
    ]
    found.sort(key=lambda one: (-one.strength, one.first, one.second))
    return tuple(found), int(agreed.any(axis=1).sum())


def _agree(one: Statement, two: Statement, subject: frozenset[str]) -> bool:
    same = one.values.keys() == two.values.keys() and one.is_negated == two.is_negated
    return same and not _are_opposed(one, two) and (one.names ^ two.names) <= subject | (one.words & two.words)


def _similarities(
    first: Sequence[Statement], second: Sequence[Statement], subject: frozenset[str], weight: Weight
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The similarity (Dice, by idf, from 0 to 1) of all pairs of statements, without subject, values and states."""
    places = {word: place for place, word in enumerate(sorted({word for one in first for word in one.words}))}
    weights = np.array([0.0 if word in subject else weight(word) for word in places])
    is_said = np.array([word not in _STATE_STEMS for word in places], dtype=bool)
    held = []
    for group in (first, second):
        matrix = np.zeros((len(group), len(places)))
        for row, one in zip(matrix, group, strict=True):
            row[[places[word] for word in one.words if word in places]] = 1.0
        held.append(matrix)
    free = subject | _STATE_STEMS
    whole = [np.array([sum(map(weight, one.words - free)) for one in group]) for group in (first, second)]
    common = 2 * (held[0] * weights) @ held[1].T
    apart = whole[0][:, None] + whole[1][None, :] - 2 * (held[0] * weights * is_said) @ held[1].T
    return np.where(common + apart > 1e-6, common / np.maximum(common + apart, 1e-6), held[0] @ held[1].T > 0)


def _compared(
    one: Statement, two: Statement, subject: frozenset[str], weight: Weight, share: float
) -> Disagreement | None:
    """The disagreement of two similar statements; None if both can hold."""
    both = one.words & two.words
    left, right = (each.words - both - subject - _STATE_STEMS for each in (one, two))
    if not both or any(group & one.words - both and group & two.words - both for group in _CONTRASTS):
        return None
    if sum(map(weight, both | subject)) < _LEAST_COMMON:
        return None
    about = _shown_words(one.text, sorted(both, key=lambda word: (-weight(word), word))[:_ABOUT])
    newer = 1 if two.former & one.values.keys() else 0 if one.former & two.values.keys() else -1
    old = (one.replaced ^ two.replaced) & both
    if old and share >= _ALIKE and both - subject - old:
        return Disagreement(one.text, two.text, about, min(1.0, share + 0.25), int(old <= two.replaced))
    same_values = one.values.keys() == two.values.keys()
    same_numbers = all(unit == "date" for unit, _ in one.values.keys() ^ two.values.keys())
    is_loose = share < _NEGATED and both - subject <= one.names | two.names
    if not is_loose and not (left & (one.names | one.heads) and right & (two.names | two.heads)):
        if share >= (_ALIKE if newer < 0 else _ALIKE_REVISED) and (pair := _values(one, two)):
            return Disagreement(*pair, about, min(1.0, share + 0.25 * (newer >= 0)), newer)
        is_negated = share >= _NEGATED and one.is_negated != two.is_negated
        if (same_values and is_negated) or (same_numbers and share >= _ALIKE and _are_opposed(one, two)):
            return Disagreement(one.text, two.text, about, share)
    is_coded = _CODED.search(one.text) or _CODED.search(two.text)
    is_named = all(any(map(str.isalpha, group)) for group in (left & one.names, right & two.names))
    if same_values and is_named and not is_coded and both - subject and max(len(left), len(right)) <= _MOST_OTHER:
        rest = sum(map(weight, left - one.names)) + sum(map(weight, right - two.names))
        common = sum(map(weight, both))
        if (alike := 2 * common / (2 * common + rest)) >= _RENAMED:
            return Disagreement(one.text, two.text, about, 0.8 * alike, is_name=True)
    return None


def _are_opposed(one: Statement, two: Statement) -> bool:
    """True if the statements have opposite states, and neither has both."""
    pairs = product(one.states - two.states, two.states - one.states)
    return any(group == other and side != against for (group, side), (other, against) in pairs)


def _values(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Different values of the same unit, as they are written; None if there are none, or if one statement has both."""
    ours, theirs = one.values.keys() - two.values.keys(), two.values.keys() - one.values.keys()
    for unit in sorted({unit for unit, _ in ours | theirs}):
        units = {unit} if unit in _EXACT else {unit, ""}
        mine, yours = (sorted(value for value in values if value[0] in units) for values in (ours, theirs))
        if mine and len(mine) == len(yours):
            return ", ".join(map(one.values.__getitem__, mine[:3])), ", ".join(map(two.values.__getitem__, yours[:3]))
    return None


def _shown_words(text: str, chosen: Sequence[str]) -> str:
    """The words of ``text`` with one of the ``chosen`` stems, in their order and spelling."""
    words = (part for found in _TOKEN.finditer(text) if found["word"] for part in _SPLIT.split(found["word"]))
    return " ".join(dict.fromkeys(word.lower() for word in words if stem(word.lower()) in chosen))
