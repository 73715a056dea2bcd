"""The results of an evaluation as frozen data, and the metrics computed from them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from brvtui.lab.judgments.model import NOT_COVERED, meets
from brvtui.wording import nearest, shortened

# Metrics of a ranked list against graded documents, as defined by ``trec_eval``. Pure functions.
#
# A document is relevant if its grade is 1 or more; one without a grade is not. ``ranking`` contains each document once,
# best first. Every metric is between 0 and 1, and 0 if no document is relevant.


Grades = Mapping[str, int]
"""The grade of each judged document."""
_WRITTEN = re.compile(r"([a-z]+)(?:@([1-9][0-9]{0,3}))?")


def ndcg(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The normalised discounted cumulative gain of the first ``cut`` documents.

    A document's gain is its grade divided by ``log2(1 + rank)`` (Järvelin and Kekäläinen, 2002, as in ``trec_eval``).
    The sum of the gains is divided by the sum for the best possible list.
    """
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    ideal = _gain(best[:cut])
    return _gain([max(grades.get(document, 0), 0) for document in ranking[:cut]]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of all relevant documents that are among the first ``cut``."""
    relevant = _relevant(grades)
    return _relevant_count(ranking, grades, cut) / relevant if relevant else 0.0


def precision(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of relevant documents among the first ``cut``. The divisor is ``cut`` even for a shorter list."""
    return _relevant_count(ranking, grades, cut) / cut


def success(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """1 if a relevant document is among the first ``cut``, else 0."""
    return 1.0 if _relevant_count(ranking, grades, cut) else 0.0


def judged(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of graded documents among the first ``cut``, or among all in a shorter list; 0 for an empty list."""
    first = ranking[:cut]
    return sum(document in grades for document in first) / len(first) if first else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, cut: int = 0) -> float:
    """1 divided by the rank of the first relevant document; 0 if there is none."""
    return next((1 / rank for rank, each in enumerate(ranking, start=1) if grades.get(each, 0) > 0), 0.0)


def average_precision(ranking: Sequence[str], grades: Grades, cut: int = 0) -> float:
    """The mean precision at the ranks of all relevant documents; a document that was not found contributes 0."""
    count, total = 0, 0.0
    for rank, document in enumerate(ranking, start=1):
        if grades.get(document, 0) > 0:
            count += 1
            total += count / rank
    relevant = _relevant(grades)
    return total / relevant if relevant else 0.0


def better_first(first: str, grades: Grades) -> str | None:
    """The document with the best grade if it should be first instead of ``first`` (empty if there are no results).

    Empty if ``first`` is irrelevant and no document is relevant; None if ``first`` is right, or nothing is graded.
    """
    best = max(grades, key=lambda path: grades[path], default="")
    if best and grades[best] > max(grades.get(first, 0), 0):
        return best
    return "" if grades.get(first) == 0 else None


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def _relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _relevant_count(ranking: Sequence[str], grades: Grades, cut: int) -> int:
    return sum(grades.get(document, 0) > 0 for document in ranking[:cut])


_WITH_CUT: dict[str, Callable[[Sequence[str], Grades, int], float]] = {
    "ndcg": ndcg,
    "recall": recall,
    "precision": precision,
    "success": success,
    "judged": judged,
}
_WHOLE: dict[str, Callable[[Sequence[str], Grades, int], float]] = {"mrr": reciprocal_rank, "map": average_precision}


class UnknownMetric(ValueError):
    """The error for an unknown metric. The message lists the known ones."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric and its cut, such as ``ndcg`` over the first 10 documents; a cut of 0 means the whole list."""

    name: str
    cut: int = 0

    def __str__(self) -> str:
        return f"{self.name}@{self.cut}" if self.cut else self.name

    def of(self, ranking: Sequence[str], grades: Grades) -> float:
        """The metric's value for one ranked list, from 0 to 1."""
        return (_WITH_CUT.get(self.name) or _WHOLE[self.name])(ranking, grades, self.cut)


def parse_metric(text: str) -> Metric:
    """The metric in a form such as ``ndcg@10`` or ``mrr``. Raises :class:`UnknownMetric`."""
    match = _WRITTEN.fullmatch(text)
    if match and match[1] in _WITH_CUT and match[2]:
        return Metric(match[1], int(match[2]))
    if match and match[1] in _WHOLE and not match[2]:
        return Metric(match[1])
    name, _, cut = text.partition("@")
    if name in _WITH_CUT and cut.isdecimal():
        raise UnknownMetric(f"no metric {shortened(text, 40)}: write 1 to 9999 after the @, such as {name}@10")
    known = (*(f"{name}@{cut if cut.isdecimal() else 'N'}" for name in _WITH_CUT), *_WHOLE)
    raise UnknownMetric(f"no metric {shortened(text, 40)}{nearest(text, known)}")


_SHOWN = ("ndcg@10", "recall@5", "precision@5", "mrr", "map", "success@1", "judged@5")
DEFAULT_METRICS = tuple(parse_metric(name) for name in _SHOWN)
"""The metrics shown by default. The first determines the order of queries."""


_JUDGED = "judged"


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One addend of a score."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One result: its path, its score, and the parts that add up to the score."""

    path: str
    score: float
    parts: tuple[ScorePart, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of one judged query."""

    id: str
    text: str
    scope: str
    expected: str
    """The expected outcome; empty if there is none."""
    grades: dict[str, int]
    """The grade of each judged document, by current path."""
    outcome: str
    results: tuple[RankedDocument, ...]
    """The distinct documents, best first."""
    prompt_tokens: int
    """The estimated number of tokens in the prompt for a model; 0 if there is no prompt."""
    ms: float
    sentence: str = ""
    """The reason for the answer, in one sentence; empty for a brief answer."""
    version: str = ""
    """The system that answered, such as ``ByteRover 3.14``."""
    quoted: tuple[str, ...] = ()
    """The documents quoted in the answer or in the prompt for a model; empty for engines that only retrieve."""

    @property
    def ranking(self) -> tuple[str, ...]:
        """The paths of the results, best first."""
        return tuple(item.path for item in self.results)

    @property
    def relevant(self) -> tuple[str, ...]:
        """The paths of the relevant documents, highest grade first."""
        return tuple(path for path in sorted(self.grades, key=lambda path: -self.grades[path]) if self.grades[path] > 0)

    @property
    def as_expected(self) -> bool | None:
        """True if the outcome is as expected; None if none is expected."""
        return meets(self.expected, self.outcome)

    @property
    def misleads(self) -> bool:
        """True if the first document is graded below another one, or is irrelevant."""
        return bool(self.results) and better_first(self.results[0].path, self.grades) is not None

    @property
    def first_miss(self) -> str:
        """The relevant document with the highest grade that was not found; empty if there is none."""
        return next((path for path in self.relevant if path not in self.ranking), "")

    @property
    def first_rank(self) -> int | None:
        """The rank of the first relevant document, from 1."""
        return next((rank for rank, path in enumerate(self.ranking, start=1) if self.grades.get(path, 0) > 0), None)

    def value(self, metric: Metric) -> float | None:
        """The value of ``metric``; None if it is undefined because there are no relevant documents or no results."""
        if metric.name == _JUDGED:
            return metric.of(self.ranking, self.grades) if self.grades and self.results else None
        return metric.of(self.ranking, self.grades) if self.relevant else None

    def rank_of(self, path: str) -> int | None:
        """The rank of the document at ``path``, from 1; None if it was not found."""
        return next((rank for rank, item in enumerate(self.results, start=1) if item.path == path), None)


@dataclass(frozen=True)
class Evaluation:
    """An engine's results for judged queries in one state of a tree."""

    engine: str
    version: str
    profile: str
    project: str
    revision: str
    """The git revision of the notes; empty for the current files."""
    notes: int
    clock: str
    """The time, ISO 8601 in UTC."""
    queries: tuple[QueryResult, ...]
    notices: tuple[str, ...] = ()
    """Caveats for the numbers, such as missing notes."""
    options: dict[str, str] = field(default_factory=dict)
    kept: int = 0
    """The number of queries answered from the cache."""
    failures: tuple[str, ...] = ()
    """A line for each service that failed, so that queries were ranked without it."""
    guesses: str = ""
    """A line about judged notes that may be different notes; empty if there are none."""

    def mean(self, metric: Metric) -> float | None:
        """The mean of ``metric`` over the queries for which it is defined; None if there are no such queries."""
        return mean_of(query.value(metric) for query in self.queries)

    def count(self, metric: Metric) -> int:
        """The number of queries for which ``metric`` is defined."""
        return sum(query.value(metric) is not None for query in self.queries)

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of queries per outcome, most frequent first."""
        return dict(Counter(query.outcome for query in self.queries).most_common())

    @property
    def not_covered(self) -> float:
        """The share of queries that were not covered, from 0 to 1."""
        return self.outcomes.get(NOT_COVERED, 0) / len(self.queries) if self.queries else 0.0

    @property
    def expectations(self) -> tuple[int, int]:
        """The number of queries with the expected outcome, and the number of queries with any expected outcome."""
        met = [query.as_expected for query in self.queries if query.as_expected is not None]
        return sum(met), len(met)

    @property
    def prompt_tokens(self) -> float:
        """The mean number of prompt tokens over all queries."""
        return mean_of(query.prompt_tokens for query in self.queries) or 0.0

    @property
    def ms(self) -> float:
        """The mean time of a query in milliseconds."""
        return mean_of(query.ms for query in self.queries) or 0.0


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of ``values``, ignoring None; None if there are no values."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
