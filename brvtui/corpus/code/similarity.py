"""Functions of one file whose names consist of much the same words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from brvtui.corpus.code.records import CodeEdge, CodeNode
from brvtui.corpus.code.rules import SimilarityRules

SIMILARITY = "similarity"
_FUNCTIONS = frozenset({"function", "method"})
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zß-ÿ])")


def words_of(text: str, shortest: int) -> frozenset[str]:
    """The words of identifiers in ``text``, in lower case: cut at punctuation, ``_`` and capitals."""
    humps = (hump.lower() for word in _WORD.findall(text) for hump in _HUMP.split(word))
    return frozenset(word for word in humps if len(word.encode()) >= shortest)


class SimilarFunctions:
    """The similar functions of each file, remembered until its functions change."""

    def __init__(self, repository: str, rules: SimilarityRules) -> None:
        """``repository`` is what the qualified names of all symbols begin with: its words count too."""
        self._repository, self._rules = repository, rules
        self._known: dict[str, tuple[tuple[CodeNode, ...], list[CodeEdge]]] = {}

    def edges(self, base: str, nodes: Iterable[CodeNode]) -> list[CodeEdge]:
        """An edge for each pair of similar functions among ``nodes``, which are those of ``base``."""
        functions = tuple(sorted(node for node in nodes if node.kind in _FUNCTIONS))
        known = self._known.get(base)
        if known is None or known[0] != functions:
            known = self._known[base] = (functions, similar_pairs(functions, self._repository, self._rules))
        return known[1]


def similar_pairs(functions: Sequence[CodeNode], repository: str, rules: SimilarityRules) -> list[CodeEdge]:
    """An edge for each pair of similar ``functions``, best pairs first.

    Similarity is the Jaccard index of the words of qualified names and signatures; each function is in a limited number
    of pairs. Of pairs that are equally similar, those that come first are taken.
    """
    common = words_of(repository, rules.shortest_word)
    words = [common | words_of(f"{node.id} {node.signature}", rules.shortest_word) for node in functions]
    known = [place for place, found in enumerate(words) if len(found) >= rules.fewest_words]
    if len(known) > rules.largest_group:
        return []
    pairs: list[tuple[float, int, int]] = []
    for at, one in enumerate(known):
        own = words[one]
        for other in known[at + 1 :]:
            shared = len(own & words[other])
            share = shared / (len(own) + len(words[other]) - shared)
            if share > rules.above:
                pairs.append((-share, one, other))
    pairs.sort()
    taken: Counter[int] = Counter()
    edges: list[CodeEdge] = []
    for share, one, other in pairs:
        if taken[one] < rules.edges_per_node and taken[other] < rules.edges_per_node:
            taken.update((one, other))
            edges.append(CodeEdge(functions[one].id, functions[other].id, "similar_to", -share, SIMILARITY))
    return edges
