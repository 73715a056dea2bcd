"""The elements of a score: its parts, the text score with its terms, and the signals that change it over time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class MatchKind(StrEnum):
    """The ways of matching a query term with an index term."""

    EXACT = "exact"
    PREFIX = "prefix"
    FUZZY = "fuzzy"
    STEM = "stem"
    """The same word with a different ending."""
    INSIDE = "inside"
    """A longer term that contains the word, with letters before it and perhaps after it."""


@dataclass(frozen=True)
class TermMatch:
    """An index term that matches a query term. ``weight`` is in 0..1; ``df`` is the number of notes per field."""

    term: str
    kind: MatchKind
    weight: float
    distance: int
    df: dict[str, int]


@dataclass(frozen=True, slots=True)
class MatchedWord:
    """A query word, and the document word that matches it best."""

    query: str
    word: str
    """The word as it occurs in the document's index."""
    kind: MatchKind
    distance: int
    """The number of letters that the document's word has more, or that differ from a misspelt query word; 0 for equal
    words.
    """
    fields: tuple[str, ...]
    """The fields that contain the word, heaviest first: ``title``, ``path`` or ``text``. For a folder lifted by a note,
    the field is ``below``.
    """


class Whereabouts(StrEnum):
    """The forms of a word that notes may contain although the engine finds the word in no note."""

    NOWHERE = "nowhere"
    UNKNOWN = "too much to search"
    WHOLE = "as a word"
    SPELLING = "in another spelling"
    INSIDE = "inside a longer run of characters"
    UNREAD = "in a part that is not read"


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A query word that the engine does not find in any note, and the place at which the text of notes contains it."""

    word: str
    """The word as the engine searched for it."""
    typed: str
    """The query word from which ``word`` was derived; empty if there is none."""
    where: Whereabouts
    notes: int = 0
    """The number of notes whose text contains the word."""
    file: str = ""
    """The path of one note whose text contains the word."""
    run: str = ""
    """The run of characters that contains the word in the note at ``file``."""
    helps: bool = False
    """True if a search for ``run`` was tried and found a note that contains the word."""


@dataclass(frozen=True)
class TermExpansion:
    """The index terms that match one query term. ``matches`` lists the best; the counts include all."""

    term: str
    matches: tuple[TermMatch, ...]
    exact: int
    prefix: int
    fuzzy: int
    notes: int
    """The number of notes that contain any matching term in any field."""
    near: tuple[str, ...] = ()
    """Other forms of the word in the notes that do not match; empty if any note contains a match."""


@dataclass(frozen=True)
class Part:
    """One addend of a score. ``value`` is the addend itself; ``amount`` and ``factor`` explain how it was computed."""

    name: str
    value: float
    amount: float | None = None
    factor: float | None = None
    note: str = ""


@dataclass(frozen=True)
class TextScore:
    """The text relevance of one note: ``raw = term_sum * matched_terms``, ``relevance = raw / (1 + raw)``."""

    term_sum: float
    matched_terms: int
    raw: float
    relevance: float


@dataclass(frozen=True)
class AgedSignals:
    """A note's importance (0..100) and recency (0..1) before and after decay, and ``days`` since its mtime."""

    maturity: str
    importance_stored: float
    importance: float
    recency_stored: float
    recency: float
    days: float
    access_count: int
    update_count: int
    source: str
    """``signals file``, ``overlay``, ``sidecar``, ``frontmatter`` or ``default``."""
    after_access: str
    """The effect of an access hit, in words."""


@dataclass(frozen=True)
class Horizon:
    """A threshold, and the number of days for which a note's score can still reach it."""

    threshold: float
    constant: str
    reachable: bool
    days_left: float | None
    """The days until the ceiling falls below the threshold; None if it never does, 0 if it already has."""


@dataclass(frozen=True)
class Ceiling:
    """The score that a note would have now with a perfect text match, and the horizons of the thresholds."""

    score: float
    horizons: tuple[Horizon, ...]


@dataclass(frozen=True)
class Contribution:
    """One (query term, matched term, field) addend of ``term_sum``:
    ``value = weight * boost * idf * (d + tf (k + 1) / (tf + k (1 - b + b length / average)))``."""

    query_term: str
    term: str
    kind: MatchKind
    field: str
    tf: int
    df: int
    idf: float
    length: int
    average_length: float
    weight: float
    boost: float
    value: float
