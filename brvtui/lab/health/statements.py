"""Cuts notes into statements, and finds statements about the same thing that disagree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from brvtui.text.analysis import STOP_WORDS
from brvtui.tree.reading.links import lines_of

_MOST_STATEMENTS, _LONGEST_STATEMENT = 400, 400
_MOST_HOLDERS, _MOST_NEAR = 60, 12
_ABOUT = 5
_AGREEING = 0.75
_SUBJECT_SHARE = 0.5
"""The weight of a common word that is also in both titles, because all statements of both notes are about it."""
_LEAST_COMMON = 3.0
"""The minimum sum of the idf of the words that two statements and both titles share."""
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=[^a-z\s])")
_MARK = re.compile(r"^(?:[ \t]|>|[-*+][ \t]|\d{1,3}[.)][ \t])+")
_CELL = re.compile(r"\s*\|\s*")
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
_SPLIT = re.compile(r"[-/.’']|(?<=[a-z])(?=[A-Z])|_")
_IDENTIFIER = re.compile(r"\w*(?:[a-z][A-Z]|\d|_|[A-Z]{2})\w*|\w+[./-]\w[\w./-]*")
_CODE = re.compile(r"`([^`\n]{1,80})`")
_FORMER = re.compile(
    r"\b(?:from|instead of|rather than|not|no longer|was|were|used to be|previously|formerly|replac(?:es|ed|"
    r"ing))\s+(?:the\s+|a\s+|an\s+)?(?P<old>(?:(?! to )[^.;,]){1,40})|(?P<before>[^\s→]{1,30}(?: "
    r"[A-Za-z%]{1,10})?)\s*(?:→|->|=>)",
    re.IGNORECASE,
)
_COUNTED = "zero one two three four five six seven eight nine ten eleven twelve"
_TENS = {"fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "sixty": "60", "ninety": "90"}
_NUMBERS = {word: str(number) for number, word in enumerate(_COUNTED.split())} | _TENS
_WORDED = re.compile(rf"\b({'|'.join(_NUMBERS)})(?=[ -]\w)", re.IGNORECASE)
_UNITS = """
    s 0.001 ms millisecond milliseconds; s 1 s sec secs second seconds; s 60 m min mins minute minutes;
    s 3600 h hr hrs hour hours; s 86400 d day days; s 604800 week weeks; byte 1e3 kb kib; byte 1e6 mb mib;
    byte 1e9 gb gib; byte 1e12 tb tib; % 1 percent %
"""
_SCALES = {name: (row.split()[0], float(row.split()[1])) for row in _UNITS.split(";") for name in row.split()[2:]}
_OPPOSED = """
    enabled enable active activated|disabled disable inactive deactivated; allowed permitted|forbidden prohibited banned
    disallowed blocked denied; deprecated obsolete retired removed deleted discontinued decommissioned abandoned
    dropped| current supported maintained active live recommended used; planned pending proposed upcoming draft
    unreleased|shipped released done launched completed live implemented deployed finished; required mandatory
    compulsory|optional voluntary; open unresolved ongoing|closed resolved; approved accepted|rejected declined refused;
    public|private internal; synchronous synchronously sync|asynchronous asynchronously async; manual manually|automatic
    automatically automated; true|false; yes|no; always|never; encrypted|unencrypted plaintext; stable|experimental beta
    alpha unstable; read-only readonly|writable; hourly|daily|weekly|fortnightly biweekly|monthly|quarterly|yearly
    annually; monday mondays| tuesday tuesdays|wednesday wednesdays|thursday thursdays|friday fridays|saturday
    saturdays|sunday sundays
"""
_STATES: dict[str, set[tuple[int, int]]] = {}
"""For each word of a state, the groups of opposed states and the sides to which it belongs."""
for _number, _group in enumerate(_OPPOSED.split(";")):
    for _side, _words in enumerate(_group.split("|")):
        for _word in _words.split():
            _STATES.setdefault(_word, set()).add((_number, _side))
_NEGATIVE = "not never no without cannot nor neither none don't doesn't isn't aren't won't can't mustn't didn't"
_NEGATIONS = frozenset(_NEGATIVE.split())
_CHANGES = """
    now currently today since changed raised lowered increased decreased reduced cut bumped extended shortened switched
    moved migrated replaced updated set latest new previously formerly instead longer anymore still already later
    recently
"""
_SKIPPED = STOP_WORDS | _NEGATIONS | _STATES.keys() | frozenset(_CHANGES.split())
"""The words that do not say what a statement is about."""
_APART = """
    staging production prod dev development test sandbox qa local; read write reads writes; minimum maximum min max
    lower upper soft hard; inbound outbound incoming outgoing ingress egress; ios android web desktop mobile; primary
    secondary replica standby; internal external; free pro enterprise basic premium; first second third last; request
    response; refresh access; global regional; eu us apac europe america asia; median average; before after; weekday
    weekend weekdays weekends; input output; client server
"""
Weight = Callable[[str], float]
"""A function that returns the idf of a stem."""


@lru_cache(200_000)
def stem(word: str) -> str:
    """``word`` without common English endings, so that forms of one word become equal."""
    for ending, short, least in (("ies", "y", 5), ("ing", "", 6), ("ed", "", 5), ("es", "", 6), ("s", "", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return (word[: -len(ending)] + short).rstrip("e")
    return word.rstrip("e") if len(word) > 4 else word


_CONTRASTS = tuple(frozenset(map(stem, group.split())) for group in _APART.split(";"))
"""Groups of words that make statements about different things, even if all other words are equal."""


def stems(text: str) -> frozenset[str]:
    """The stems of the words in ``text``, without stop words and numbers."""
    words = (part for found in _TOKEN.finditer(text) if found["word"] for part in _SPLIT.split(found["word"]))
    return frozenset(stem(word.lower()) for word in words if word and word.lower() not in STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, list item or table row of a note."""

    text: str
    words: frozenset[str]
    """The stems, without stop words, values, states and negations."""
    names: frozenset[str]
    """The stems among :attr:`words` that are from proper names and identifiers."""
    values: frozenset[tuple[str, str]]
    """The units (or ``date``, ``time``) and values; a number without a unit has an empty unit."""
    former: frozenset[tuple[str, str]]
    """The values that no longer hold, such as the first one in “from 30 s to 45 s”."""
    states: frozenset[tuple[int, int]]
    is_negated: bool
    shown: tuple[tuple[tuple[str, str], str], ...]
    """The values as they are written."""
    heads: frozenset[str]
    """The stems of the first word, which is usually the subject of the sentence."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements about the same thing that cannot both hold: the different parts, and how sure that is."""

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
    """The statements of a note without frontmatter, in order, up to a maximum. Headings and code are left out."""
    found: list[Statement] = []
    for text in _pieces(body):
        for sentence in _SENTENCE_END.split(text):
            if len(found) >= _MOST_STATEMENTS:
                return tuple(found)
            if (one := _statement(sentence[:_LONGEST_STATEMENT])) is not None:
                found.append(one)
    return tuple(found)


def claims(body: str) -> tuple[tuple[str, str], ...]:
    """The subject and the value of each statement of a note with values or states, as text for comparisons."""
    return tuple(
        (" ".join(sorted(one.words)), repr((sorted(one.values), sorted(one.states), one.is_negated)))
        for one in statements(body)
        if one.values or one.states
    )


def _pieces(body: str) -> Iterator[str]:
    """Yields paragraphs, list items and table rows, each as one line."""
    paragraph: list[str] = []
    for line, is_code in lines_of(body):
        text = line.strip()
        starts = not text or is_code or text[0] in "#|>@" or _MARK.match(line) is not None
        if starts and paragraph:
            yield " ".join(paragraph)
            paragraph = []
        if not text or is_code or text[0] in "#@":
            continue
        if text.startswith("|"):
            yield _CELL.sub(" | ", text).strip("| ")
        else:
            plain = _CATEGORY.sub("", _MARK.sub("", text)).replace("**", "")
            paragraph += [] if _METADATA.match(plain) else [plain]
    if paragraph:
        yield " ".join(paragraph)


def _statement(text: str) -> Statement | None:
    plain = _WORDED.sub(lambda found: _NUMBERS[found[1].lower()], text)
    coded = {stem(part.lower()) for code in _CODE.findall(plain) for part in _SPLIT.split(code) if part}
    words: set[str] = set()
    heads: set[str] = set()
    names: set[str] = set()
    states: set[tuple[int, int]] = set()
    shown: dict[tuple[str, str], str] = {}
    is_negated = False
    for found in _TOKEN.finditer(plain):
        word = found["word"]
        if word is None:
            shown.setdefault(*_value(found))
            if found["unit"] and found["unit"].lower() not in _SCALES:
                words.add(stem(found["unit"].lower()))
            continue
        lower = word.lower().replace("’", "'")
        if lower in _NEGATIONS or lower.endswith("n't"):
            is_negated = True
        states |= _STATES.get(lower, set())
        if lower in _SKIPPED:
            continue
        parts = {stem(part.lower()) for part in _SPLIT.split(word) if part} - STOP_WORDS
        heads = heads or parts
        words |= parts
        is_name = word[0].isupper() and found.start() > 0 and plain[found.start() - 2 : found.start()] != ". "
        if is_name or _IDENTIFIER.fullmatch(word):
            names |= parts
    if not words:
        return None
    former = {
        _value(value)[0]
        for old in _FORMER.finditer(plain)
        for value in _TOKEN.finditer(old["old"] or old["before"])
        if value["word"] is None
    }
    values = frozenset(shown) - former
    named, is_negated = frozenset((names | coded) & words), is_negated and not former
    states_of, old = frozenset(states), frozenset(former)
    return Statement(
        text, frozenset(words), named, values, old, states_of, is_negated, tuple(shown.items()), frozenset(heads)
    )


def _value(found: re.Match[str]) -> tuple[tuple[str, str], str]:
    """The unit and value of a number, date or time, and its text."""
    text = found[0].strip()
    if found["date"]:
        return ("date", text.lower()), text
    if found["time"]:
        return ("time", text), text
    number, unit = found["number"].lstrip("~<>≤≥v").replace("_", ""), (found["unit"] or "").lower()
    number = number.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number) else number
    if unit in _SCALES and re.fullmatch(r"\d+(?:\.\d+)?", number):
        base, factor = _SCALES[unit]
        return (base, f"{float(number) * factor:g}"), text
    return ("", number.rstrip(".,")), text


def disagreements(
    first: Sequence[Statement], second: Sequence[Statement], subject: frozenset[str], weight: Weight
) -> tuple[tuple[Disagreement, ...], int]:
    """The disagreements between the statements of two notes, the strongest first, and the number of agreements.

    ``subject`` contains the stems that both titles share: a statement need not repeat them. Each statement is compared
    with the statement of the other note that is most like it.
    """
    closest, back = _closest(first, second, subject, weight), _closest(second, first, subject, weight)
    found: list[Disagreement] = []
    agreements = 0
    for place, (other, share) in closest.items():
        if back.get(other, (-1, 0.0))[0] == place:
            disagreement = _compared(first[place], second[other], subject, weight, share)
            found += [disagreement] if disagreement else []
            agreements += not disagreement and share >= _AGREEING and _agree(first[place], second[other], subject)
    return tuple(sorted(found, key=lambda one: (-one.strength, one.first, one.second))), agreements


def _agree(one: Statement, two: Statement, subject: frozenset[str]) -> bool:
    return one.values == two.values and (one.names ^ two.names) <= subject | (one.words & two.words)


def _closest(
    ours: Sequence[Statement], theirs: Sequence[Statement], subject: frozenset[str], weight: Weight
) -> dict[int, tuple[int, float]]:
    """For each of ``ours``, the place of the most similar of ``theirs``, and their similarity."""
    holders: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(theirs):
        for word in one.words:
            holders[word].append(place)
    closest = {}
    for place, one in enumerate(ours):
        shared = Counter(other for word in sorted(one.words) for other in holders[word][:_MOST_HOLDERS])
        near = [(other, theirs[other]) for other, _ in shared.most_common(_MOST_NEAR)]
        scored = [(_share(one, two, subject, weight), one.text == two.text, -other) for other, two in near]
        if scored and (best := max(scored))[0] > 0:
            closest[place] = (-best[2], best[0])
    return closest


def _share(one: Statement, two: Statement, subject: frozenset[str], weight: Weight) -> float:
    """The similarity of two statements without their values, by idf (Dice), from 0 to 1."""
    both = one.words & two.words
    left, right = one.words - both - subject, two.words - both - subject
    common = sum(map(weight, both - subject)) + _SUBJECT_SHARE * sum(map(weight, both & subject))
    apart = sum(map(weight, left)) + sum(map(weight, right))
    return 2 * common / (2 * common + apart) if common else 0.0


def _compared(
    one: Statement, two: Statement, subject: frozenset[str], weight: Weight, share: float
) -> Disagreement | None:
    """The disagreement of two similar statements; None if both can hold."""
    both = one.words & two.words
    left, right = one.words - both - subject, two.words - both - subject
    about = _shown_words(one.text, sorted(both, key=lambda word: (-weight(word), word))[:_ABOUT])
    if any(group & left and group & right for group in _CONTRASTS) or not both:
        return None
    if sum(map(weight, both | subject)) < _LEAST_COMMON:
        return None
    has_changed = bool(two.former & one.values or one.former & two.values)
    is_named = bool(left & one.names and right & two.names)
    is_apart = is_named or bool(left & one.heads and right & two.heads)
    least = 0.25 if has_changed else 0.5
    if share >= least and not is_apart and (pair := _values(one, two)):
        newer = 1 if two.former & one.values else 0 if one.former & two.values else -1
        return Disagreement(*pair, about, min(1.0, share + 0.25 * has_changed), newer)
    same_values = one.values == two.values
    if share >= 0.5 and not is_apart and same_values and _opposed(one, two):
        return Disagreement(one.text, two.text, about, share)
    if share >= 0.75 and len(both) > 1 and same_values and one.is_negated != two.is_negated and not left and not right:
        return Disagreement(one.text, two.text, about, share)
    if same_values and is_named and both - subject:
        rest = sum(map(weight, left - one.names)) + sum(map(weight, right - two.names))
        common = sum(map(weight, both))
        if 2 * common / (2 * common + rest) >= 0.8 and max(len(left), len(right)) <= 3:
            return Disagreement(one.text, two.text, about, 0.8 * 2 * common / (2 * common + rest), is_name=True)
    return None


def _values(one: Statement, two: Statement) -> tuple[str, str] | None:
    """Different values of the same unit, as they are written; None if there are none, or if one statement has both."""
    ours, theirs = one.values - two.values - two.former, two.values - one.values - one.former
    ours |= one.values & two.former
    theirs |= two.values & one.former
    shown = dict(two.shown) | dict(one.shown)
    for unit in sorted({unit for unit, _ in ours} & {unit for unit, _ in theirs}):
        mine = sorted(value for value in ours if value[0] == unit)
        yours = sorted(value for value in theirs if value[0] == unit)
        if len(mine) == len(yours):
            return ", ".join(shown[value] for value in mine[:3]), ", ".join(shown[value] for value in yours[:3])
    return None


def _opposed(one: Statement, two: Statement) -> bool:
    """True if the statements have opposite states, and neither has both."""
    ours, theirs = one.states - two.states, two.states - one.states
    return bool({group for group, _ in ours} & {group for group, _ in theirs})


def _shown_words(text: str, chosen: Sequence[str]) -> str:
    """The words of ``text`` with one of the ``chosen`` stems, in order and as they are written."""
    words = (part for found in _TOKEN.finditer(text) if found["word"] for part in _SPLIT.split(found["word"]))
    return " ".join(dict.fromkeys(word.lower() for word in words if stem(word.lower()) in chosen))
