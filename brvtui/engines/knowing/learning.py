"""Words of tasks that come to stand for the nodes that were used (``docs/knowing.md``, "Learned words")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from brvtui.engines.knowing.equivalence import EquivalenceClass
from brvtui.engines.knowing.keywords import size
from brvtui.engines.knowing.seed_rules import LearningSteps

LEARNED_SOURCE = "learned"
"""The source of the classes that use taught."""


@dataclass(frozen=True, slots=True)
class LearnedWords:
    """How often a node was used by a task with a word in it, by word and id."""

    counts: Mapping[str, dict[str, int]] = field(default_factory=dict)

    def taught(self, lessons: Iterable[tuple[Collection[str], Collection[str]]]) -> LearnedWords:
        """The same after more tasks: each with its worthy words, in lower case, and the ids of the nodes it used."""
        counts = dict(self.counts)
        fresh: set[str] = set()
        for words, ids in lessons:
            for word in dict.fromkeys(words):
                of_word = counts[word] = dict(counts.get(word, {})) if word not in fresh else counts[word]
                fresh.add(word)
                of_word.update({id_: of_word.get(id_, 0) + 1 for id_ in ids})
        return LearnedWords(counts)

    def classes(self, keywords: Iterable[str], rules: LearningSteps) -> list[EquivalenceClass]:
        """A class for each of ``keywords`` and each node that was used often enough with it, most used first."""
        made = []
        for word in dict.fromkeys(keyword.lower() for keyword in keywords):
            of_word = self.counts.get(word, {})
            for id_, count in sorted(of_word.items(), key=lambda pair: (-pair[1], pair[0])):
                if count >= rules.uses:
                    weight = learned_weight(count, rules)
                    made.append(EquivalenceClass(word, (word,), (), weight, LEARNED_SOURCE, document=id_))
        return made


def worthy_words(keywords: Iterable[str], rules: LearningSteps, stop_words: Collection[str]) -> list[str]:
    """The keywords that say enough to be learned, in lower case."""
    words = dict.fromkeys(keyword.lower() for keyword in keywords)
    return [word for word in words if is_worthy(word, rules, stop_words)]


def is_worthy(keyword: str, rules: LearningSteps, stop_words: Collection[str]) -> bool:
    """Whether ``keyword``, in lower case, says enough to be learned."""
    return size(keyword) >= rules.keyword_least and keyword not in rules.noise_words and keyword not in stop_words


def learned_weight(count: int, rules: LearningSteps) -> float:
    """The weight of a word that a node was used with ``count`` times."""
    more = min(max(count - rules.uses, 0) / rules.uses_more, 1)
    return rules.weight_least + rules.weight_more * more
