"""The vocabulary of explanation: what one query did, as plain frozen data.

Panes, JSON, ``explain`` and tests read a :class:`Trace` and compute nothing themselves. Two invariants hold for
every trace (``docs/engine.md``, "What always holds"):

* the parts of a :class:`Hit` sum to its score within :data:`SUM_TOLERANCE`;
* every :class:`Stage` conserves its counts: ``came_in - dropped == went_out``.

Timings sit in :attr:`Trace.timings` alone, so that everything else is a function of snapshot, query, profile and
clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from typing import Any, Protocol

SCHEMA = 1
SUM_TOLERANCE = 1e-9
INSTRUCTIONS = "instructions"
"""The name of a prompt's section that says what to do with the others."""
MOST_LISTED = 10
"""Results that an attempt or a step of the ladder carries; its counts count all."""


class State(StrEnum):
    """How a step of a decision ended."""

    HIT = "hit"
    MISSED = "missed"
    PASSED = "passed"
    FAILED = "failed"
    TAKEN = "taken"
    SKIPPED = "skipped"
    NOT_REACHED = "not_reached"
    NOT_RUN = "not_run"


class Outcome(StrEnum):
    """What a routed query ended as."""

    EXACT_CACHE = "exact_cache"
    FUZZY_CACHE = "fuzzy_cache"
    NOT_COVERED = "not_covered"
    DIRECT = "direct"
    SINGLE_CALL = "single_call"
    AGENTIC_LOOP = "agentic_loop"


class Found(StrEnum):
    """How one search ended."""

    MATCHES = "matches"
    NO_TOKENS = "no_tokens"
    NO_MATCH = "no_match"
    BELOW_FLOOR = "below_floor"
    UNMATCHED_WORDS = "unmatched_words"
    PATH_NOTE = "path_note"
    PATH_FOLDER = "path_folder"
    ENGINE_FAILS = "engine_fails"


class Kind(StrEnum):
    """What a result is: a note, a folder's summary, or the stub of an archived note."""

    CONTEXT = "context"
    SUMMARY = "summary"
    ARCHIVE_STUB = "archive_stub"


class Origin(StrEnum):
    """Where a hit's score came from."""

    TEXT = "text"
    PATH = "path"
    NAME = "name"
    PROPAGATED = "propagated"


class MatchKind(StrEnum):
    """How an index term answers a query term."""

    EXACT = "exact"
    PREFIX = "prefix"
    FUZZY = "fuzzy"


@dataclass(frozen=True)
class Check:
    """One comparison that decided something.

    ``passed`` is None when the check was not reached; ``margin`` is value minus threshold, in the value's own unit.
    ``constant`` is the profile's dotted name of the threshold (empty when it is none), ``rule`` a section of
    ``docs/engine.md``.
    """

    name: str
    value: float | None
    operator: str
    threshold: float | None
    passed: bool | None
    margin: float | None
    constant: str
    rule: str
    note: str = ""


@dataclass(frozen=True)
class Part:
    """One addend of a score. ``value`` is what is added; ``amount`` and ``factor`` say what it was made of."""

    name: str
    value: float
    amount: float | None = None
    factor: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Stage:
    """Counts of one stage: ``came_in - dropped == went_out``."""

    name: str
    came_in: int
    dropped: int
    went_out: int
    rule: str
    note: str = ""


@dataclass(frozen=True)
class TermMatch:
    """An index term that answers a query term. ``weight`` is in 0..1; ``df`` counts notes per field."""

    term: str
    kind: MatchKind
    weight: float
    distance: int
    df: dict[str, int]


@dataclass(frozen=True)
class TermExpansion:
    """Every index term that answers one query term; ``matches`` holds the heaviest, the counts count all."""

    term: str
    matches: tuple[TermMatch, ...]
    exact: int
    prefix: int
    fuzzy: int
    notes: int
    """Notes that hold any of the matched terms, in any field."""


@dataclass(frozen=True)
class QueryWord:
    """A word of the query as splitting on spaces leaves it, beside the tokens that are searched."""

    word: str
    tokens: tuple[str, ...]
    stop_word: bool
    significant: bool
    """Long enough to count for the unmatched-word rule."""
    mismatch: bool
    """True when the word's own punctuation keeps it from ever equalling a token (``rotated?``)."""


@dataclass(frozen=True)
class QueryLint:
    """What is left of a query before it is searched."""

    text: str
    filtered: str
    words: tuple[QueryWord, ...]
    tokens: tuple[str, ...]
    expansions: tuple[TermExpansion, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scope:
    """The part of the tree that a search was kept to, and why. An empty ``path`` is the whole tree."""

    path: str
    pattern: str
    source: str
    """``none``, ``option``, ``path``, ``slash`` or ``first_word``."""
    match: str
    """``exact``, ``absolute``, ``relative``, ``simple``, ``substring`` or empty."""
    text: str
    """What is left to search."""
    restricts: bool
    notes: int
    """Searchable notes inside the scope."""
    why: str


@dataclass(frozen=True)
class Listed:
    """A result in short: what an attempt, or a step of the ladder, found."""

    path: str
    file: str
    title: str
    kind: Kind | None
    """None when the pipeline does not tell notes apart."""
    maturity: str
    """As stored; empty when the result has none."""
    score: float


@dataclass(frozen=True)
class Attempt:
    """One of the engine's own relaxations: path look-up, scoped AND, scoped OR, whole tree AND, OR."""

    name: str
    query: str
    scope: str
    combine: str
    """``AND``, ``OR`` or empty."""
    state: State
    came_in: int
    found: int
    why: str
    listed: tuple[Listed, ...] = ()
    """The best of what it found, before out-of-domain rules, gap and limit; at most :data:`MOST_LISTED`."""
    timed_by: str = ""
    """The key of its milliseconds in :attr:`Trace.timings`; empty when none were its own: AND and OR are one pass."""


@dataclass(frozen=True)
class TextScore:
    """Text relevance of one note: ``raw = term_sum * matched_terms``, ``relevance = raw / (1 + raw)``."""

    term_sum: float
    matched_terms: int
    raw: float
    relevance: float


@dataclass(frozen=True)
class Aged:
    """Signals of a note before and after decay. Importance 0..100, recency 0..1, ``days`` since the file's mtime."""

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
    """What an access hit would make of it, in words."""


@dataclass(frozen=True)
class Horizon:
    """Whether a note can reach a threshold at all, and for how many days more."""

    threshold: float
    constant: str
    reachable: bool
    days_left: float | None
    """Days until the ceiling falls below the threshold; None when it never does; 0 when it already has."""


@dataclass(frozen=True)
class Ceiling:
    """The score that a note would have now if its text match were perfect, and until when that is enough."""

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


@dataclass(frozen=True)
class Detail:
    """The term x field detail of one note: contributions sum to ``term_sum`` within the tolerance."""

    path: str
    contributions: tuple[Contribution, ...]
    score: TextScore
    formula: str


@dataclass(frozen=True)
class Hit:
    """A ranked result. ``path`` is what the engine shows; ``file`` is the note below the tree that stands behind it."""

    path: str
    file: str
    title: str
    kind: Kind
    origin: Origin
    score: float
    parts: tuple[Part, ...]
    text: TextScore | None
    signals: Aged | None
    ceiling: Ceiling | None
    shared_source: str = ""
    found_by: str = ""
    """The entity whose search added this hit; empty for the search itself."""


@dataclass(frozen=True)
class NearMiss:
    """A note that matched and is not in the results; ``short`` is what it lacked (in score, or in ranks)."""

    path: str
    file: str
    title: str
    kind: Kind
    maturity: str
    rank: int
    score: float
    reason: str
    short: float


@dataclass(frozen=True)
class Lift:
    """One step of parent propagation: a hit's relevance carried to an ancestor folder."""

    folder: str
    child: str
    relevance: float
    levels: int
    factor: float
    value: float
    score: float
    summary_file: str
    kept: bool
    why: str


@dataclass(frozen=True)
class Search:
    """One whole search: how the query was read, what every stage did, what came out."""

    query: str
    limit: int
    outcome: Found
    scope: Scope
    lint: QueryLint
    attempts: tuple[Attempt, ...]
    combine: str
    combine_why: str
    and_failed: bool
    searchable: int
    matched: int
    total_found: int
    top: float | None
    floor: float | None
    stages: tuple[Stage, ...]
    out_of_domain: tuple[Check, ...]
    unmatched_words: tuple[str, ...]
    hits: tuple[Hit, ...]
    near_misses: tuple[NearMiss, ...]
    lifts: tuple[Lift, ...]


@dataclass(frozen=True)
class EntitySearch:
    """One supplementary search for a word of the query, and the paths it added."""

    entity: str
    search: Search
    added: tuple[str, ...]
    timed_by: str = ""
    """The key of its milliseconds in :attr:`Trace.timings`."""


@dataclass(frozen=True)
class EntityStep:
    """The supplementary searches as a whole."""

    state: State
    check: Check
    why: str
    words: tuple[str, ...]
    searches: tuple[EntitySearch, ...]


@dataclass(frozen=True)
class Rung:
    """One step of the retry ladder: what it searched for, how it ended, and how many notes it found."""

    number: int
    strategy: str
    query: str
    """The rewritten text; empty for a step that has none."""
    state: State
    hits: int
    why: str
    listed: tuple[Listed, ...] = ()
    """The best of what it found, at most :data:`MOST_LISTED`."""
    unit: str = ""
    """What the scores of :attr:`listed` are: ``score``, ``BM25``, ``likeness of names``; empty without results."""
    timed_by: str = ""
    """The key of its milliseconds in ``timings``; empty when it did not search."""

    @property
    def ran(self) -> bool:
        """Whether the step searched and was answered."""
        return self.state in (State.HIT, State.MISSED)


@dataclass(frozen=True)
class Ladder:
    """The retry ladder's place in a trace."""

    state: State
    why: str
    rungs: tuple[Rung, ...] = ()
    """Every step in its order, those that did not run too; empty when the ladder was not looked at."""
    found: tuple[str, ...] = ()
    """The paths that the ladder found, best first."""
    hits: tuple[Hit, ...] = ()
    """What it found, with scores, best first."""
    in_route: bool = False
    """Whether the route uses what it finds; advice beside the route otherwise."""

    @property
    def strategy(self) -> str:
        """The step that found something; empty when none did."""
        return next((rung.strategy for rung in self.rungs if rung.state is State.HIT and rung.number), "")


@dataclass(frozen=True)
class FingerprintState:
    """The tree's fingerprint as the cache sees it."""

    value: str
    held: bool
    """True when an earlier value was still held, so the files were not looked at again."""
    age_s: float
    left_s: float
    current: str
    """What it would be if it were computed now."""
    files: int


@dataclass(frozen=True)
class CacheEntry:
    """A simulated cache entry as this query saw it."""

    key: str
    tier: int
    age_s: float
    left_s: float
    fingerprint_match: bool
    shared_tokens: int
    union_tokens: int
    similarity: float
    state: State
    why: str


@dataclass(frozen=True)
class CacheLook:
    """Both cache look-ups over every entry, oldest inserted first."""

    key: str
    tokens: tuple[str, ...]
    capacity: int
    exact: State
    exact_why: str
    fuzzy: State
    fuzzy_why: str
    fuzzy_check: Check | None
    hit_key: str
    entries: tuple[CacheEntry, ...]
    simulated: bool = True


@dataclass(frozen=True)
class Step:
    """One step of the route, in the order in which the router takes them."""

    name: str
    tier: int | None
    label: str
    state: State
    checks: tuple[Check, ...]
    summary: str
    expected: str = ""
    """The documented latency of the tier."""


@dataclass(frozen=True)
class Section:
    """A named part of a prompt with its estimated tokens (characters / 4)."""

    name: str
    tokens: int
    text: str


@dataclass(frozen=True)
class Lane:
    """One lane of the manifest: its token budget and the entries that fit."""

    name: str
    budget: int
    tokens: int
    entries: tuple[str, ...]
    left_out: int


@dataclass(frozen=True)
class Prompt:
    """What would be sent to a model."""

    sections: tuple[Section, ...]
    tokens: int
    max_tokens: int
    temperature: float
    max_iterations: int
    variables: dict[str, Any]
    lanes: tuple[Lane, ...]
    manifest: str
    """Whether the manifest on disk was fresh, or why it was computed in memory."""
    prefetched: tuple[str, ...]

    @property
    def text(self) -> str:
        """The prompt as one string."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def instructions(self) -> str:
        """What a model is told to do."""
        return "\n\n".join(section.text for section in self.sections if section.name == INSTRUCTIONS)

    @property
    def material(self) -> str:
        """What a model is given to do it with: the question and what was found."""
        return "\n\n".join(section.text for section in self.sections if section.name != INSTRUCTIONS)


class Ended(StrEnum):
    """How a model's work on an answer ended."""

    ANSWERED = "answered"
    CUT = "cut"
    """The answer reached its limit of tokens."""
    REPEATED = "repeated"
    """The same tool was called with the same arguments too often."""
    IDLE = "idle"
    """Too many turns in a row read no new note."""
    ITERATIONS = "iterations"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Usage:
    """Tokens of a turn, or of all of them."""

    sent: int
    received: int
    estimated: bool
    """Whether the service did not count them: characters / 4 then."""


@dataclass(frozen=True)
class ModelTurn:
    """One call of the model. Its milliseconds are in the completion's ``timings``."""

    number: int
    text: str
    calls: int
    """How many tools it called."""
    usage: Usage


@dataclass(frozen=True)
class ToolStep:
    """One tool that a model called. Its milliseconds are in the completion's ``timings``."""

    number: int
    turn: int
    tool: str
    arguments: str
    """As the model wrote them: JSON, or what should have been."""
    result: str
    """What it was answered, as JSON."""
    result_tokens: int
    """Estimated."""
    refused: str
    """Why it was not carried out; empty when it was."""
    read: tuple[str, ...]
    """The notes whose text it gave."""


@dataclass(frozen=True)
class Cited:
    """A source that an answer names."""

    path: str
    in_tree: bool
    """False for one that the tree does not hold: the answer is not grounded there."""
    seen: bool
    """Whether the model was shown its text."""


@dataclass(frozen=True)
class Completion:
    """A model's work on one answer."""

    model: str
    """Model and host."""
    ended: Ended
    why: str
    """Why it ended so; empty when it simply answered."""
    turns: tuple[ModelTurn, ...]
    steps: tuple[ToolStep, ...]
    usage: Usage
    cost_cents: float | None
    """By the prices that the user set; None without any."""
    cited: tuple[Cited, ...]
    missing: tuple[str, ...]
    """Parts that the answer lacks: of Summary, Details, Sources, Gaps."""
    notices: tuple[str, ...] = ()
    partial: str = ""
    """What it had written when it failed or was cancelled; no part of the answer."""
    turn_cents: tuple[float, ...] = ()
    """What each turn cost, by the same prices; empty without any."""
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds: ``turn 1``, ``step 1`` and so on; ``turn 1 first text`` until its first piece."""

    @property
    def ungrounded(self) -> tuple[str, ...]:
        """The sources that the answer names and the tree does not hold."""
        return tuple(cited.path for cited in self.cited if not cited.in_tree)


@dataclass(frozen=True)
class Answer:
    """What the user would read."""

    kind: str
    """``cached``, ``direct``, ``not_covered``, ``model``, or ``extractive``: a model should have written it."""
    text: str
    prompt: Prompt | None
    notice: str
    sources: tuple[str, ...]
    completion: Completion | None = None
    """What a model did for it, also when it failed."""


@dataclass(frozen=True)
class Snapshotted:
    """The snapshot that a trace was made on."""

    project: str
    generation: int
    notes: int
    clock: str
    """ISO 8601, UTC, milliseconds."""


@dataclass(frozen=True)
class Trace:
    """One query's whole decision."""

    schema: int
    pipeline: str
    mode: str
    """``probe`` or ``run``."""
    query: str
    scope_option: str
    profile: str
    engine: str
    snapshot: Snapshotted
    fingerprint: FingerprintState
    cache: CacheLook
    search: Search
    entities: EntityStep
    ladder: Ladder
    steps: tuple[Step, ...]
    tier: int
    outcome: Outcome
    verdict: str
    used: bool
    """False when a cache hit answered: the search was computed to be shown, and not used."""
    hits: tuple[Hit, ...]
    """What the gates saw: the search's hits, then what entity searches added."""
    answer: Answer
    notices: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds of every stage."""

    @property
    def uncovered(self) -> bool:
        """Whether nothing in the tree covers the query: found so now, or given again by the cache."""
        return self.outcome is Outcome.NOT_COVERED or not (self.used or self.hits)


def listed(hit: Hit) -> Listed:
    """``hit`` in short."""
    maturity = hit.signals.maturity if hit.signals else ""
    return Listed(hit.path, hit.file, hit.title, hit.kind, maturity, hit.score)


class Scored(Protocol):
    """Anything with a score and the parts that make it."""

    @property
    def score(self) -> float:
        """The score."""
        ...

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its addends."""
        ...


def parts_gap(hit: Scored) -> float:
    """How far the parts of a hit are from adding up to its score (absolute, 0 when exact)."""
    return abs(sum(part.value for part in hit.parts) - hit.score)


def adds_up(hit: Scored) -> bool:
    """Whether the parts of a hit sum to its score within :data:`SUM_TOLERANCE`."""
    return parts_gap(hit) <= SUM_TOLERANCE


def to_plain(value: Any) -> Any:
    """``value`` as dicts, lists and scalars, ready for JSON; enum members become their strings."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return value
