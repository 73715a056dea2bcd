"""Which notes match a query and how well their text does: all of them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        """Raw text scores: the sums times the number of distinct terms matched."""
        return self.term_sum * self.matched_terms

    def any_word(self) -> NDArray[np.bool_]:
        """Which notes match some term (OR)."""
        return self.matched_terms > 0

    def every_word(self) -> NDArray[np.bool_]:
        """Which notes match every term (AND); none without terms."""
        return self.matched_terms == len(self.terms) if self.terms else self.any_word()

    def text_score(self, position: int) -> TextScore:
        """The text score of one note."""
        term_sum, matched = float(self.term_sum[position]), int(self.matched_terms[position])
        raw = term_sum * matched
        return TextScore(term_sum, matched, raw, raw / (1 + raw))


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
