"""Metrics of a ranked list against graded documents, as ``trec_eval`` defines them. Pure functions.

A document is relevant with a grade of 1 or more; one without a grade is not. ``ranking`` holds each document once, best
first. Every metric lies between 0 and 1, and is 0 where no document is relevant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from brvtui.wording import nearest, shortened

Grades = Mapping[str, int]
"""The grade of each judged document."""
_WRITTEN = re.compile(r"([a-z]+)(?:@([1-9][0-9]{0,3}))?")


def ndcg(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """Normalised discounted cumulative gain of the first ``cut`` documents.

    The gain of a document is its grade, divided by ``log2(1 + rank)`` (Järvelin and Kekäläinen, 2002, as in
    ``trec_eval``); the sum is divided by that of the best possible list.
    """
    best = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    ideal = _gain(best[:cut])
    return _gain([max(grades.get(document, 0), 0) for document in ranking[:cut]]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of the relevant documents that are among the first ``cut``."""
    relevant = _relevant(grades)
    return _found(ranking, grades, cut) / relevant if relevant else 0.0


def precision(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of relevant documents among the first ``cut``; always of ``cut``, even of a shorter list."""
    return _found(ranking, grades, cut) / cut


def success(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """1 if a relevant document is among the first ``cut``, else 0."""
    return 1.0 if _found(ranking, grades, cut) else 0.0


def judged(ranking: Sequence[str], grades: Grades, cut: int) -> float:
    """The share of the first ``cut`` documents that have a grade, of as many as there are; 0 for an empty list."""
    first = ranking[:cut]
    return sum(document in grades for document in first) / len(first) if first else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, cut: int = 0) -> float:
    """1 divided by the rank of the first relevant document."""
    return next((1 / rank for rank, each in enumerate(ranking, start=1) if grades.get(each, 0) > 0), 0.0)


def average_precision(ranking: Sequence[str], grades: Grades, cut: int = 0) -> float:
    """The mean, over all relevant documents, of the precision at the rank of each; 0 for those not found."""
    found, total = 0, 0.0
    for rank, document in enumerate(ranking, start=1):
        if grades.get(document, 0) > 0:
            found += 1
            total += found / rank
    relevant = _relevant(grades)
    return total / relevant if relevant else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def _relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


def _found(ranking: Sequence[str], grades: Grades, cut: int) -> int:
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
    """A metric that does not exist; the message names those that do."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric by its name, such as ``ndcg`` at a cut of 10 documents; 0 for one that looks at the whole list."""

    name: str
    cut: int = 0

    def __str__(self) -> str:
        return f"{self.name}@{self.cut}" if self.cut else self.name

    def of(self, ranking: Sequence[str], grades: Grades) -> float:
        """Its value for one ranked list, from 0 to 1."""
        return (_WITH_CUT.get(self.name) or _WHOLE[self.name])(ranking, grades, self.cut)


def parse_metric(text: str) -> Metric:
    """The metric that is written ``ndcg@10`` or ``mrr``. Raises :class:`UnknownMetric`."""
    found = _WRITTEN.fullmatch(text)
    if found and found[1] in _WITH_CUT and found[2]:
        return Metric(found[1], int(found[2]))
    if found and found[1] in _WHOLE and not found[2]:
        return Metric(found[1])
    cut = text.partition("@")[2]
    known = (*(f"{name}@{cut if cut.isdecimal() else 'N'}" for name in _WITH_CUT), *_WHOLE)
    raise UnknownMetric(f"no metric {shortened(text, 40)}{nearest(text, known)}")


_SHOWN = ("ndcg@10", "recall@5", "precision@5", "mrr", "map", "success@1", "judged@5")
DEFAULT_METRICS = tuple(parse_metric(name) for name in _SHOWN)
"""Those that are shown unless others are asked for; the first decides the order of queries."""
