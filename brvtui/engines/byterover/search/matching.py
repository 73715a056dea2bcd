"""Which notes match a query and how well their text does: all of them, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui.ranking.bm25 import raw_score, saturate
from brvtui.snapshot import Snapshot
from brvtui.text.constants import TextRules
from brvtui.text.postings import TermMatches
from brvtui.trace import TextScore


@dataclass(frozen=True, slots=True)
class TermTable:
    """Every distinct query term over all notes: sums, and how many distinct terms each note matched."""

    terms: tuple[TermMatches, ...]
    term_sum: NDArray[np.float64]
    matched_terms: NDArray[np.int64]

    @property
    def raw(self) -> NDArray[np.float64]:
        """Raw text scores."""
        return raw_score(self.term_sum, self.matched_terms)

    def any_word(self) -> NDArray[np.bool_]:
        """Which notes match some term (OR)."""
        return self.matched_terms > 0

    def every_word(self) -> NDArray[np.bool_]:
        """Which notes match every term (AND); none without terms."""
        return self.matched_terms == len(self.terms) if self.terms else self.any_word()

    def text_scores(self, positions: Sequence[int]) -> list[TextScore]:
        """The text score of the note at each of ``positions``."""
        places = np.asarray(positions, dtype=np.int64)
        return text_scores(self.term_sum[places], self.matched_terms[places])


def text_scores(term_sum: NDArray[np.float64], matched_terms: NDArray[np.int64]) -> list[TextScore]:
    """The text scores of notes by their sums and how many distinct terms each matched."""
    raw = raw_score(term_sum, matched_terms)
    columns = (term_sum, matched_terms, raw, saturate(raw))
    return [TextScore(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def match_terms(snapshot: Snapshot, tokens: list[str], text: TextRules) -> TermTable:
    """The terms of a query over all notes. A token that is repeated adds its scores again, and counts once.

    Scores are added in the order of the query, as the engine does: in another order the last digit can differ.
    """
    count = len(snapshot.notes)
    term_sum = np.zeros(count)
    matched = np.zeros(count, dtype=np.int64)
    matches: dict[str, TermMatches] = {}
    for token in tokens:
        if token not in matches:
            matches[token] = _term(snapshot, token, text)
            matched += matches[token].scores > 0
        term_sum += matches[token].scores
    return TermTable(tuple(matches.values()), term_sum, matched)


def _term(snapshot: Snapshot, token: str, text: TextRules) -> TermMatches:
    if text.relevance == "tantivy":
        return TermMatches(token, snapshot.postings.exact(token), snapshot.index.term_scores(token, text.boost))
    return snapshot.postings.match(token, text)
