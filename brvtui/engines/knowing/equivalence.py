"""The equivalence channel, which maps phrases in a task to names of nodes.

See ``docs/reference/knowing.md``, "Equivalence classes".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from brvtui.engines.knowing.keywords import lower, size
from brvtui.engines.knowing.model import Graph, Node, name_order
from brvtui.engines.knowing.name_lookup import NameLookup
from brvtui.engines.knowing.seed_rules import EquivalenceRules, LearningSteps
from brvtui.engines.knowing.words import meaningful_words

GRAPH_SOURCE = "graph"
"""The source of classes built from the neighbours of a result."""


class EquivalenceClass(NamedTuple):
    """Phrases, and the names or nodes that they stand for."""

    concept: str
    phrases: tuple[str, ...]
    targets: tuple[str, ...]
    weight: float
    source: str
    language: str = ""
    """The language that the class applies to; empty for all languages."""
    nodes: tuple[str, ...] = ()
    """The ids of the target nodes, if known."""
    document: str = ""
    """The path of the target document; empty if there is none. The document may no longer be in the graph."""


class ClassMatch(NamedTuple):
    """A class, and the phrases of the class that occur in the task."""

    matched: EquivalenceClass
    phrases: tuple[str, ...]

    def is_strong(self, rules: EquivalenceRules) -> bool:
        """True if several phrases match, or if the first matching phrase has several words."""
        return len(self.phrases) >= rules.strong_phrases or " " in self.phrases[0]

    def is_injected(self, rules: EquivalenceRules) -> bool:
        """True if the nodes of the class are moved to the top of the answer, regardless of their scores."""
        heavy = self.matched.weight >= rules.injected_weight and self.matched.source == rules.injected_source
        return heavy and self.is_strong(rules)


class EquivalenceHit(NamedTuple):
    """A node, the name that found it, and the first match with this name."""

    id: str
    target: str
    match: ClassMatch


class PhraseTable:
    """Classes indexed by phrase, so that the time for matching a task does not depend on the number of classes."""

    def __init__(self, classes: Sequence[EquivalenceClass], whole_words: bool = False) -> None:
        """Indexes ``classes``. Matches are returned in this order.

        With ``whole_words``, phrases match only whole words, and classes with more matching phrases come first.
        """
        self.classes = tuple(classes)
        self._whole_words = whole_words
        self._holders: dict[str, list[tuple[int, int]]] = {}
        for number, class_ in enumerate(self.classes):
            for place, text in enumerate(class_.phrases):
                self._holders.setdefault(lower(text), []).append((number, place))
        self._lengths = sorted({len(text) for text in self._holders})

    def matches(self, task: str, language: str = "") -> list[ClassMatch]:
        """The classes with a phrase that occurs in ``task``, in order.

        Classes of a language other than ``language`` are left out, unless ``language`` is empty. An empty phrase
        matches every task.
        """
        text = lower(task)
        matched: dict[int, set[int]] = {}
        for start in range(len(text) + 1):
            for length in self._lengths:
                holders = self._holders.get(text[start : start + length], ())
                if holders and self._whole_words and not _is_word(text, start, start + length):
                    continue
                for number, place in holders:
                    matched.setdefault(number, set()).add(place)
        matches = []
        order = sorted(matched, key=lambda number: (-len(matched[number]) * self._whole_words, number))
        for number in order:
            class_ = self.classes[number]
            if not class_.language or not language or class_.language == language:
                matches.append(ClassMatch(class_, tuple(class_.phrases[place] for place in sorted(matched[number]))))
        return matches


def _is_word(text: str, start: int, end: int) -> bool:
    """True if ``text[start:end]`` neither begins nor ends inside a word."""
    return not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum()


def expanded(phrases: Sequence[str], verbs: Sequence[str]) -> list[str]:
    """The ``phrases``, then each of them after each of ``verbs``, unless it already starts with a verb."""
    plain = [text for text in phrases if text in verbs or not text.startswith(tuple(verbs))]
    return [*phrases, *(f"{verb} {text}" for text in plain for verb in verbs)]


@cache
def built_in_classes(verbs: tuple[str, ...]) -> PhraseTable:
    """The built-in classes for code: general ones, whose phrases are also combined with ``verbs``, and
    language-specific ones.
    """
    text = resources.files("brvtui.engines.knowing").joinpath("classes.json").read_text(encoding="utf-8")
    tables = json.loads(text)["classes"]
    return PhraseTable(
        [
            EquivalenceClass(
                row["concept"],
                tuple(expanded(row["phrases"], verbs) if row["expanded"] else row["phrases"]),
                tuple(row["targets"]),
                row["weight"],
                row["source"],
                row["lang"],
            )
            for row in tables
        ]
    )


def alias_class(node: Node, graph: Graph, rules: EquivalenceRules) -> EquivalenceClass | None:
    """An equivalence class for ``node``, made of words from the names of its neighbours, starting with neighbours that
    point to it.

    The result is None if these names contain no word that is not in the name of ``node``.
    """
    generic = frozenset(rules.alias_generic_words)
    own = lower(node.name)
    before = (edge.source for edge in graph.edges_to(node.id, *rules.alias_types))
    after = (edge.target for edge in graph.edges_from(node.id, *rules.alias_types))
    words: dict[str, None] = {}
    for id_ in (*before, *after):
        neighbour = graph.find(id_)
        if neighbour is not None:
            name_words = meaningful_words(neighbour.qualified_name, generic, rules.alias_least)
            words.update(dict.fromkeys(word for word in map(lower, name_words) if word not in own))
    if not words:
        return None
    phrases = (*words, *(" ".join(pair) for pair in pairwise(words)))
    # A note is its own target. The target of a symbol is its name, because the original program resolves only names.
    targets, nodes = ((), (node.id,)) if node.columns is not None else ((node.name,), ())
    return EquivalenceClass(f"GRAPH_{node.name}", phrases, targets, rules.alias_weight, GRAPH_SOURCE, nodes=nodes)


def graph_aliases(ids: Sequence[str], graph: Graph, rules: EquivalenceRules) -> list[EquivalenceClass]:
    """The alias classes of the first ``rules.alias_nodes`` nodes in ``ids``."""
    nodes = (graph.find(id_) for id_ in ids[: rules.alias_nodes])
    classes = (alias_class(node, graph, rules) for node in nodes if node is not None)
    return [class_ for class_ in classes if class_ is not None]


def language_of(graph: Graph, rules: EquivalenceRules) -> str:
    """The most frequent language in a sample of the names in ``graph``; empty if none is recognized."""
    counts: Counter[str] = Counter()
    names = sorted((node.qualified_name for node in graph.nodes), key=name_order)
    for name in names[:: max(1, len(names) // rules.language_sample)]:
        for marker, language in rules.languages.items():
            if language and marker in name:
                counts[language] += 1
                break
    return max(counts, key=lambda language: counts[language], default="")


def resolved(matches: Iterable[ClassMatch], lookup: NameLookup, rules: EquivalenceRules) -> list[EquivalenceHit]:
    """The distinct nodes that ``matches`` lead to. Names that are too generic are ignored."""
    hits: dict[str, EquivalenceHit] = {}
    for match in matches:
        learned = lookup.graph.by_document.get(match.matched.document, ())
        for id_ in (*match.matched.nodes, *(node.id for node in learned[:1])):
            hits.setdefault(id_, EquivalenceHit(id_, id_, match))
        for target in match.matched.targets:
            if size(target) >= rules.target_least and lower(target) not in rules.generic_targets:
                for row in lookup.named(target).tolist():
                    id_ = lookup.node(row).id
                    hits.setdefault(id_, EquivalenceHit(id_, target, match))
    return list(hits.values())


def channel_cap(results: int, rules: EquivalenceRules) -> int:
    """The most nodes in the equivalence channel, if names and full text found this number of ``results``."""
    return max(rules.cap_least, int(rules.per_result * results))


# Learned words: words of earlier tasks, which find the nodes that were used for these tasks
# (``docs/reference/knowing.md``, "Learned words").


LEARNED_SOURCE = "learned"
"""The source of classes learned from use."""


@dataclass(frozen=True, slots=True)
class LearnedWords:
    """The number of tasks that contained a word and used a node, keyed by word and node id."""

    counts: Mapping[str, dict[str, int]] = field(default_factory=dict)

    def taught(self, lessons: Iterable[tuple[Collection[str], Collection[str]]]) -> LearnedWords:
        """A copy with the tasks in ``lessons`` added. A lesson contains the words to learn, in lower case, and the ids
        of the used nodes.
        """
        counts = dict(self.counts)
        fresh: set[str] = set()
        for words, ids in lessons:
            for word in dict.fromkeys(words):
                of_word = counts[word] = dict(counts.get(word, {})) if word not in fresh else counts[word]
                fresh.add(word)
                of_word.update({id_: of_word.get(id_, 0) + 1 for id_ in ids})
        return LearnedWords(counts)

    def classes(self, keywords: Iterable[str], rules: LearningSteps) -> list[EquivalenceClass]:
        """A class for each of ``keywords`` and each node that was used often enough with it, most used nodes first."""
        classes = []
        for word in dict.fromkeys(keyword.lower() for keyword in keywords):
            of_word = self.counts.get(word, {})
            for id_, count in sorted(of_word.items(), key=lambda pair: (-pair[1], pair[0])):
                if count >= rules.uses:
                    weight = learned_weight(count, rules)
                    classes.append(EquivalenceClass(word, (word,), (), weight, LEARNED_SOURCE, document=id_))
        return classes


def worthy_words(keywords: Iterable[str], rules: LearningSteps, stop_words: Collection[str]) -> list[str]:
    """The distinct ``keywords``, in lower case, that are specific enough to be learned."""
    words = dict.fromkeys(keyword.lower() for keyword in keywords)
    return [word for word in words if is_worthy(word, rules, stop_words)]


def is_worthy(keyword: str, rules: LearningSteps, stop_words: Collection[str]) -> bool:
    """True if ``keyword``, in lower case, is specific enough to be learned."""
    return size(keyword) >= rules.keyword_least and keyword not in rules.noise_words and keyword not in stop_words


def learned_weight(count: int, rules: LearningSteps) -> float:
    """The weight of a word for a node that was used in ``count`` tasks with this word."""
    more = min(max(count - rules.uses, 0) / rules.uses_more, 1)
    return rules.weight_least + rules.weight_more * more
