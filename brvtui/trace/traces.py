"""The whole decision about one query, and the reason why a certain document is or is not in its answer."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum, StrEnum
from typing import Any, ClassVar, Protocol, TypeVar

from brvtui.trace.answers import RETRIEVAL_ALONE, Answer
from brvtui.trace.checks import Check, Stage, State
from brvtui.trace.hits import BetterMatch, Detail, Hit, Leg, NearMiss
from brvtui.trace.scores import MissingWord

SCHEMA = 2


@dataclass(frozen=True)
class Step:
    """One step of a decision, in the engine's order."""

    name: str
    tier: int | None
    label: str
    state: State
    checks: tuple[Check, ...]
    summary: str
    expected: str = ""
    """The step's documented latency."""

    @property
    def took(self) -> bool:
        """True if the step answered the query, so that later steps do not run or are not used."""
        return self.state is State.TAKEN or (self.state is State.HIT and self.tier is not None)


@dataclass(frozen=True)
class SnapshotInfo:
    """The snapshot on which a trace is based."""

    project: str
    generation: int
    notes: int
    clock: str
    """The time of the snapshot, in ISO 8601 (UTC) with milliseconds."""
    is_code: bool = False
    """True if the documents are the symbols of a code repository."""


@dataclass(frozen=True)
class Scale:
    """The display format of scores: the number of decimals, and the score that fills a bar."""

    decimals: int = 2
    full: float = 1.0
    reach: float = 1.0
    """The share of a full bar that a score can reach. The rest of the bar is hatched."""


class Section(Protocol):
    """Data specific to one engine, as a frozen dataclass. ``SECTION`` is the section's name in JSON, which is unique
    within the engine.
    """

    SECTION: ClassVar[str]


@dataclass(frozen=True)
class UnreadSection:
    """A section of a saved trace, kept as plain data because its type is unknown here."""

    SECTION: str
    data: Any


S = TypeVar("S")


@dataclass(frozen=True)
class Trace:
    """An engine's whole decision about one query."""

    schema: int
    engine: str
    """The engine's name in the registry."""
    version: str
    """The name and version of the system whose behaviour is shown, such as ``ByteRover 3.14``."""
    profile: str
    mode: str
    """The kind of query: ``preview`` or ``run``."""
    query: str
    scope_option: str
    snapshot: SnapshotInfo
    verdict: str
    """The outcome in a few words."""
    covered: bool
    """True if the engine considers the query covered by the corpus."""
    tier: int | None
    """The tier that answered; None for an engine without tiers."""
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]
    """For each stage, the numbers of documents that entered it, were dropped in it, and left it."""
    hits: tuple[Hit, ...]
    """The results, in their final order."""
    legs: tuple[Leg, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()
    total_found: int = 0
    """The number of documents that the engine counts as found."""
    matched: int = 0
    """The number of documents that matched before any were dropped."""
    answer: Answer = RETRIEVAL_ALONE
    """The answer that the user reads."""
    sections: tuple[Any, ...] = ()
    """The engine's own data; each item is a :class:`Section` of a different type."""
    scale: Scale = Scale()
    missing: tuple[MissingWord, ...] = ()
    """The query words that no document matches, and the documents that contain those words in another form."""
    filters: str = ""
    """If nothing was found, a description of the scope and options that exclude documents; otherwise empty."""
    filtered_out: int = 0
    """If nothing was found, the number of documents that would be found without :attr:`filters`."""
    notices: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    """The query's options as plain data, keyed by name, from which it can be run again. An alias file is recorded by
    its content.
    """
    better_match: BetterMatch | None = None
    timings: dict[str, float] = field(default_factory=dict)
    """The duration of every stage in milliseconds."""

    @property
    def ran(self) -> bool:
        """True if the query was run; False if it was only previewed."""
        return self.mode == "run"

    @property
    def taken(self) -> Step | None:
        """The first step that answered the query, which is the verdict; None if no step answered."""
        return next((step for step in self.steps if step.took), None)

    def find(self, kind: type[S]) -> S | None:
        """The section of type ``kind``; None if the trace has none."""
        return next((section for section in self.sections if isinstance(section, kind)), None)

    def section(self, kind: type[S]) -> S:
        """The section of type ``kind``. Raises KeyError if the trace has none."""
        found = self.find(kind)
        if found is None:
            raise KeyError(f"a trace of {self.engine} has no section {kind.__name__}")
        return found

    def place_of(self, file: str) -> tuple[int, Hit] | tuple[None, None]:
        """The rank (from 1) and the first hit of the document ``file``; None for both if the document is not a hit."""
        return next(((rank, hit) for rank, hit in enumerate(self.hits, start=1) if hit.file == file), (None, None))

    def leg(self, name: str) -> Leg:
        """The leg called ``name``. Raises KeyError if there is none."""
        found = next((leg for leg in self.legs if leg.name == name), None)
        if found is None:
            raise KeyError(name)
        return found


@dataclass(frozen=True)
class Reason:
    """The first reason that applies in an engine's fixed list, and its ``number`` there, from 1."""

    number: int
    text: str


class LossStage(Enum):
    """The stages at which an engine can drop a document, earliest first. Each engine defines its own subclass."""

    @property
    def reason(self) -> Reason:
        """The stage as a reason, with its number in the list."""
        return Reason(list(type(self)).index(self) + 1, self.value)


class RemedyKind(StrEnum):
    """The kinds of changes that a remedy can make."""

    WORDING = "another wording"
    EDIT = "an edit"
    UPDATE = "an update"
    MATURITY = "a higher maturity"
    TITLE = "words in its title"
    COMBINATION = "two changes"
    OTHER_TITLE = "another title"
    WORDS_REMOVED = "words removed from it"
    LOWER_IMPORTANCE = "a lower importance"
    LOWER_MATURITY = "a lower maturity"
    SHORTER_QUERY = "fewer words in the query"
    SETTING = "a setting"
    NEW_NOTE = "a new note"
    ARCHIVE = "archiving"


@dataclass(frozen=True)
class SideEffect:
    """The effect of a remedy on another query."""

    query: str
    scope: str
    is_judged: bool
    """True for a judged query, False for a query in the log."""
    text: str
    """The changes in the outcome, the first result, the ranks of relevant documents and the quoted documents."""
    is_worse: bool
    """True if the query is judged and got worse in nDCG@10, or lost its expected outcome."""


@dataclass(frozen=True)
class Remedy:
    """One change that raises or lowers a document. If ``verified``, it was tried, and the numbers are the results."""

    text: str
    verified: bool
    query: str = ""
    """The query in its new wording."""
    rank: int | None = None
    """The document's rank, from 1."""
    score: float | None = None
    kind: RemedyKind | None = None
    """The kind of change; None if it is not a listed kind."""
    tier: int | None = None
    """The tier that answers after the change."""
    how: str = ""
    """The way to make the change, in a few words."""
    maturity: str = ""
    """The maturity to set."""
    title: str = ""
    """The title to give the document."""
    is_used: bool | None = None
    """True if the answer after the change uses the document, False if it only lists it; None if this was not checked.
    """
    gain: str = ""
    """The result in a few words, if the rank does not show it, and the day on which it ends; otherwise empty."""
    setting: str = ""
    """The constant to set, as a dotted name."""
    value: Any = None
    """The value to give the constant :attr:`setting`."""
    compared: int | None = None
    """The number of other queries that ran again to find side effects; None if side effects were not searched for."""
    side_effects: tuple[SideEffect, ...] = ()
    """The changes in the answers to other queries."""


@dataclass(frozen=True)
class RemedySearch:
    """The remedies that a search found, with its extent."""

    remedies: tuple[Remedy, ...]
    """The changes that work, smallest first. Each of them was tried."""
    kinds: tuple[RemedyKind, ...]
    """The kinds of changes for which every candidate was tried or at least one worked."""
    is_complete: bool = True
    """False if the search ended early because of its time limit."""
    notice: str = ""
    """The reason why the numbers may differ from those of the answer; empty if they do not."""


@dataclass(frozen=True)
class Explanation:
    """The reason why one document is, or is not, in the answer to one query: its rank and hit if it is; otherwise, the
    earliest reason and a remedy.
    """

    query: str
    path: str
    title: str
    found: bool
    rank: int | None
    hit: Hit | None
    """The document with its score or, if it is not in the answer, with the score that it would have; None if nothing in
    the document matches.
    """
    detail: Detail | None
    reason: Reason | None
    numbers: str
    remedy: Remedy | None
    use: str
    """The document's role in the answer: quoted, passed to a model, or listed. For a document that is not ``found``,
    this is its role in a cached answer, or empty if it has none.
    """
    trace: Trace
    notice: str = ""
    """The reason why the explanation may not match the answer; empty if both are based on the same snapshot."""
    remedies: tuple[Remedy, ...] = ()
    """The changes that would raise the document, best first; empty unless remedies were requested."""


# Conversion of traces to plain data for JSON.


def to_plain(value: Any) -> Any:
    """``value`` as dicts, lists and scalars, ready for JSON; enum members become their strings."""
    if isinstance(value, Trace):
        sections = {section.SECTION: section for section in value.sections}
        return {f.name: to_plain(sections if f.name == "sections" else getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, UnreadSection):
        return value.data
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, StrEnum):
        return value.value
    return value
