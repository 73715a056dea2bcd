"""A second implementation of MiniSearch's text relevance, with only loops and dictionaries."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

FIELDS = ("title", "content", "path")
BOOST = {"title": 3.0, "content": 1.0, "path": 1.5}


def units(text: str) -> str:
    """``text`` with one character per UTF-16 unit."""
    data = text.encode("utf-16-be", "surrogatepass")
    return "".join(chr(data[i] * 256 + data[i + 1]) for i in range(0, len(data), 2))


def pieces(text: str) -> list[str]:
    """The text split as in the engine, including empty pieces."""
    marked = "".join("\n" if c in "\n\r" or unicodedata.category(c)[0] in "ZP" else c for c in text)
    return re.split(r"\n+", marked)


def edits(left: str, right: str) -> int:
    """The Levenshtein distance, computed with the textbook table."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        above, row = row, [i]
        for j, b in enumerate(right, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b)))
    return row[-1]


def weight(query: str, term: str) -> float:
    """The weight with which an index term matches a query term; 0 if it does not match."""
    if term == query:
        return 1.0
    if term.startswith(query):
        return 0.375 * len(term) / (len(term) + 0.3 * (len(term) - len(query)))
    farthest = min(6, math.floor(0.2 * len(query) + 0.5))
    if not farthest or abs(len(term) - len(query)) > farthest:
        return 0.0
    distance = edits(query, term)
    return 0.45 * len(term) / (len(term) + distance) if distance <= farthest else 0.0


def expansion(query: str, vocabulary: Sequence[str]) -> dict[str, float]:
    """Every matching term of the vocabulary, with its weight."""
    found = {term: weight(query, term) for term in vocabulary}
    return {term: value for term, value in found.items() if value > 0}


def radix_walk(terms: Sequence[str]) -> list[str]:
    """The terms in the order of a walk through a radix tree of nested dictionaries, into which they are inserted.

    The key "" marks a term that ends at a node.
    """
    root: dict[str, dict] = {}
    for term in terms:
        node, rest = root, term
        while rest:
            edge = next((key for key in node if key and key[0] == rest[0]), None)
            if edge is None:
                node[rest] = {}
                node, rest = node[rest], ""
                continue
            shared = next((i for i, (a, b) in enumerate(zip(edge, rest, strict=False)) if a != b), None)
            shared = min(len(edge), len(rest)) if shared is None else shared
            if shared < len(edge):
                node[edge[:shared]] = {edge[shared:]: node.pop(edge)}
            node, rest = node[edge[:shared]], rest[shared:]
        node.setdefault("", {})

    def walk(node: dict[str, dict], beginning: str) -> list[str]:
        return [
            term for key, child in node.items() for term in ([beginning] if key == "" else walk(child, beginning + key))
        ]

    return walk(root, "")


class Index:
    """Documents given as (title, content, path)."""

    def __init__(self, documents: Sequence[tuple[str, str, str]]) -> None:
        self.fields = [
            {field: [units(p.lower()) for p in pieces(text) if p] for field, text in zip(FIELDS, document, strict=True)}
            for document in documents
        ]
        self.lengths = [
            {field: len(set(pieces(text))) for field, text in zip(FIELDS, document, strict=True)}
            for document in documents
        ]
        self.vocabulary = sorted({term for held in self.fields for terms in held.values() for term in terms})

    def average(self, field: str) -> float:
        return sum(length[field] for length in self.lengths) / len(self.lengths)

    def df(self, term: str, field: str) -> int:
        return sum(term in held[field] for held in self.fields)

    def term_score(self, document: int, query: str) -> float:
        """The effect of one query term on one document."""
        count = len(self.fields)
        total = 0.0
        for term, how_well in expansion(query, self.vocabulary).items():
            for field in FIELDS:
                tf = self.fields[document][field].count(term)
                if not tf:
                    continue
                df = self.df(term, field)
                idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
                norm = 1.2 * (1 - 0.7 + 0.7 * self.lengths[document][field] / self.average(field))
                total += how_well * BOOST[field] * idf * (0.5 + tf * 2.2 / (tf + norm))
        return total

    def raw(self, document: int, tokens: Sequence[str]) -> float:
        """A document's raw score: the sum over query terms, multiplied by the number of distinct terms that matched."""
        each = {token: self.term_score(document, token) for token in set(tokens)}
        matched = sum(score > 0 for score in each.values())
        return sum(each[token] for token in tokens) * matched
