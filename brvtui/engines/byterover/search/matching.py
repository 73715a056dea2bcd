"""Which notes match a query and how well their text does: all of them, as arrays."""

from __future__ import annotations

from collections import Counter
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
    """The terms of a query over all notes. A token that is repeated adds its scores again, and counts once."""
    count = len(snapshot.notes)
    term_sum = np.zeros(count)
    matched = np.zeros(count, dtype=np.int64)
    matches = []
    for token, times in Counter(tokens).items():
        found = _term(snapshot, token, text)
        matches.append(found)
        term_sum += found.scores * times if times > 1 else found.scores
        matched += found.scores > 0
    return TermTable(tuple(matches), term_sum, matched)


def _term(snapshot: Snapshot, token: str, text: TextRules) -> TermMatches:
    if text.relevance == "tantivy":
        return TermMatches(token, snapshot.postings.exact(token), snapshot.index.term_scores(token, text.boost))
    return snapshot.postings.match(token, text)
