"""TF-IDF vectors of texts and their cosine (``docs/soleri.md``, "The semantic signal")."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

SparseVector = Mapping[str, float]
"""Weights by term."""

_TOKEN = re.compile(r"[a-z0-9-]{3,}")
_MOST_KEPT = 16_384
"""Vectors of texts; each takes about 3 kB."""
_STOPPED = """
    a an the and or but in on at to for of with by from as is was are were been be have has had do does did will would
    could should may might shall can need must it its this that these those i you he she we they me him her us them my
    your his our their what which who whom when where why how all each every both few more most other some such no not
    only same so than too very just because if then else about up out into
"""
COUNTED = "TF-IDF compares runs of three or more of a–z, 0–9 and hyphens that are not stop words"
STOP_WORDS = frozenset(_STOPPED.split())


def tokenize(text: str) -> list[str]:
    """The tokens of ``text``, repeats kept: runs of ASCII letters, digits and hyphens, of three characters or more."""
    return [token for token in _TOKEN.findall(text.lower()) if token not in STOP_WORDS]


def uncounted(query: str) -> tuple[str, ...]:
    """The words of ``query`` that TF-IDF leaves out, each once: stop words, and what is under three letters."""
    words = (found.strip(".,;:!?\"'()[]") for found in query.lower().split())
    return tuple(dict.fromkeys(found for found in words if found and not tokenize(found)))


def term_frequencies(tokens: Iterable[str]) -> dict[str, float]:
    """The share of the tokens that each term is; empty for none."""
    counts = Counter(tokens)
    total = counts.total()
    return {term: count / total for term, count in counts.items()}


def dot(first: SparseVector, second: SparseVector, lengths: float) -> float:
    """The dot product of two sparse vectors by the product of their ``lengths``; 0 when that is 0."""
    if lengths == 0:
        return 0.0
    fewer, more = (first, second) if len(first) <= len(second) else (second, first)
    return sum(weight * more[term] for term, weight in fewer.items() if term in more) / lengths


def norm(vector: SparseVector) -> float:
    """The length of a vector."""
    return math.sqrt(sum([weight * weight for weight in vector.values()]))


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many of ``documents`` texts each term stands."""

    documents: int
    frequencies: Mapping[str, int]
    _vectors: dict[str, tuple[SparseVector, float]] = field(default_factory=dict, compare=False, repr=False)
    """Of texts that were asked for: candidates of one query are candidates of the next."""

    @cached_property
    def idfs(self) -> Mapping[str, float]:
        """``ln((N + 1) / (df + 1)) + 1`` by term; 0 for one that stands in none of the texts."""
        return _Idfs(self)

    def measured(self, text: str) -> tuple[SparseVector, float]:
        """The TF-IDF vector of ``text`` and its length."""
        known = self._vectors.get(text)
        if known is None:
            shares, idfs = term_frequencies(tokenize(text)), self.idfs
            vector = {term: weight for term, share in shares.items() if (weight := share * idfs[term])}
            known = vector, norm(vector)
            if len(self._vectors) >= _MOST_KEPT:
                self._vectors.clear()
            self._vectors[text] = known
        return known


class _Idfs(dict[str, float]):
    """The idf of each term that was asked for."""

    def __init__(self, known: DocumentFrequencies) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, term: str) -> float:
        count = self._known.frequencies.get(term, 0)
        self[term] = math.log((self._known.documents + 1) / (count + 1)) + 1 if count else 0.0
        return self[term]


def count_documents(texts: Iterable[str]) -> Counter[str]:
    """In how many of ``texts`` each term stands."""
    made: Counter[str] = Counter()
    for text in texts:
        made.update(set(tokenize(text)))
    return made
