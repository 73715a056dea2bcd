"""The results of an evaluation: plain frozen data, from which every metric can be computed later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from brvtui.lab.evaluation.metrics import Metric
from brvtui.lab.judgments.model import NOT_COVERED, meets

_JUDGED = "judged"


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One addend of a score."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One result: its path, its score, and the parts that sum to it."""

    path: str
    score: float
    parts: tuple[ScorePart, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryResult:
    """How one judged query was answered."""

    id: str
    text: str
    scope: str
    expected: str
    """The outcome that was expected; empty for none."""
    grades: dict[str, int]
    """The grade of each judged document, by the path at which it is now."""
    outcome: str
    results: tuple[RankedDocument, ...]
    """Each document once, best first."""
    prompt_tokens: int
    """Estimated tokens of the prompt for a model; 0 where none is needed."""
    ms: float
    sentence: str = ""
    """Why it was answered so."""
    version: str = ""
    """The system that answered: ``ByteRover 3.14``."""
    quoted: tuple[str, ...] = ()
    """The documents whose text is in the answer, or in the prompt for a model; empty of engines that only retrieve."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The paths of the results, best first."""
        return tuple(item.path for item in self.results)

    @property
    def relevant(self) -> tuple[str, ...]:
        """The documents that it should find, the most important first."""
        return tuple(path for path in sorted(self.grades, key=lambda path: -self.grades[path]) if self.grades[path] > 0)

    @property
    def as_expected(self) -> bool | None:
        """Whether the outcome is the expected one; None when none is expected."""
        return meets(self.expected, self.outcome)

    @property
    def first_miss(self) -> str:
        """The most important document that it should find and did not; empty when it found all."""
        return next((path for path in self.relevant if path not in self.ranking), "")

    @property
    def first_rank(self) -> int | None:
        """The rank of the first relevant document, from 1."""
        return next((rank for rank, path in enumerate(self.ranking, start=1) if self.grades.get(path, 0) > 0), None)

    def value(self, metric: Metric) -> float | None:
        """The value of ``metric``; None where it means nothing: no document should be found, or none was."""
        if metric.name == _JUDGED:
            return metric.of(self.ranking, self.grades) if self.grades and self.results else None
        return metric.of(self.ranking, self.grades) if self.relevant else None

    def rank_of(self, path: str) -> int | None:
        """The rank of the document at ``path``, from 1; None when it was not found."""
        return next((rank for rank, item in enumerate(self.results, start=1) if item.path == path), None)


@dataclass(frozen=True)
class Evaluation:
    """How an engine answered judged queries over one state of a tree."""

    engine: str
    version: str
    profile: str
    project: str
    revision: str
    """The git revision of the notes; empty for the files as they are."""
    notes: int
    clock: str
    """The moment, ISO 8601 in UTC."""
    queries: tuple[QueryResult, ...]
    notices: tuple[str, ...] = ()
    """What should be known before the numbers are trusted: notes that are gone, say."""
    options: dict[str, str] = field(default_factory=dict)
    """Options of the engine."""
    kept: int = 0
    """How many queries were not asked again: their answers were kept."""

    def mean(self, metric: Metric) -> float | None:
        """The mean of ``metric`` over the queries for which it means something; None when there is none."""
        return mean_of(query.value(metric) for query in self.queries)

    def count(self, metric: Metric) -> int:
        """How many queries the mean of ``metric`` is made of."""
        return sum(query.value(metric) is not None for query in self.queries)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many queries had each outcome, the most frequent first."""
        return dict(Counter(query.outcome for query in self.queries).most_common())

    @property
    def not_covered(self) -> float:
        """The share of queries that were not covered, from 0 to 1."""
        return self.outcomes.get(NOT_COVERED, 0) / len(self.queries) if self.queries else 0.0

    @property
    def expectations(self) -> tuple[int, int]:
        """How many queries had the expected outcome, and how many had an expectation."""
        met = [query.as_expected for query in self.queries if query.as_expected is not None]
        return sum(met), len(met)

    @property
    def prompt_tokens(self) -> float:
        """Mean tokens of the prompts, over all queries."""
        return mean_of(query.prompt_tokens for query in self.queries) or 0.0

    @property
    def ms(self) -> float:
        """Mean milliseconds of a query."""
        return mean_of(query.ms for query in self.queries) or 0.0


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of those of ``values`` that are there; None when none is."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
