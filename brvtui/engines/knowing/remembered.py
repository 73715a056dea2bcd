"""Converts users' feedback on results to scores and learned words for later tasks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from brvtui.engines.knowing.equivalence import LEARNED_SOURCE, LearnedWords, worthy_words
from brvtui.engines.knowing.keywords import KeywordSet, cluster_hash, keyword_set, lower
from brvtui.engines.knowing.model import Graph, Node
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.seed_rules import UseRules
from brvtui.engines.knowing.words import identifiers
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.wording import counted

# The use of results, and their usefulness to users (``docs/reference/knowing.md``, "Use").


WINDOW_SECONDS = 600
"""The number of seconds for which the original program watches for the use of a returned node. brv-tui itself does
not watch agents.
"""
NAME_LEAST = 3
"""The minimum length of an identifier that can name a symbol."""
NO_CLUSTER = ""
"""The cluster of a record that belongs to no cluster of tasks."""


class PendingNode(NamedTuple):
    """A node returned in an answer."""

    id: str
    name: str
    """The identifier that is recognised as a use of the node."""
    returned: float
    """The time when the node was last returned, in seconds since 1970."""


class UseVerdict(NamedTuple):
    """The result for some pending nodes: those that were used, and those that were not."""

    used: tuple[PendingNode, ...]
    unused: tuple[PendingNode, ...]


@dataclass(frozen=True, slots=True)
class PendingUse:
    """The returned nodes that may still be used, keyed by id."""

    pending: Mapping[str, PendingNode] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    """The ids of the nodes used since the last flush. A node is counted once, no matter how often it is returned."""

    def returned(self, nodes: Iterable[PendingNode]) -> PendingUse:
        """A copy with ``nodes`` added to the pending ones."""
        return replace(self, pending={**self.pending, **{node.id: node for node in nodes}})

    def detected(self, content: str, now: float) -> tuple[PendingUse, tuple[str, ...]]:
        """A copy after ``content`` was read or written, and the ids of the nodes whose first use is in ``content``.

        A recently returned node is used if ``content`` contains an identifier that equals the node's name, ignoring
        case.
        """
        words = {word.lower() for word in identifiers(content, NAME_LEAST)}
        used = tuple(
            node.id
            for node in self.pending.values()
            if node.id not in self.used and now - node.returned <= WINDOW_SECONDS and lower(node.name) in words
        )
        return replace(self, used=self.used | {*used}), used

    def expired(self, now: float) -> tuple[PendingUse, UseVerdict]:
        """A copy without the nodes that were returned more than :data:`WINDOW_SECONDS` ago, and the result for these
        nodes.
        """
        old = {id_ for id_, node in self.pending.items() if now - node.returned > WINDOW_SECONDS}
        return self._ended(old)

    def flushed(self) -> tuple[PendingUse, UseVerdict]:
        """An empty copy, and the result for all pending nodes."""
        return PendingUse(), self._ended(self.pending.keys())[1]

    def _ended(self, ids: Collection[str]) -> tuple[PendingUse, UseVerdict]:
        ended = [node for id_, node in self.pending.items() if id_ in ids]
        left = {id_: node for id_, node in self.pending.items() if id_ not in ids}
        used = tuple(node for node in ended if node.id in self.used)
        return replace(self, pending=left), UseVerdict(used, tuple(node for node in ended if node.id not in self.used))


def pending_node(node: Node, now: float) -> PendingNode:
    """The pending node for a symbol that is returned at ``now``. Its name is the text after the last dot or, without a
    dot, after the last slash.
    """
    name = node.qualified_name
    return PendingNode(node.id, name.rpartition("." if "." in name else "/")[2], now)


class FeedbackRecord(NamedTuple):
    """A record that says whether a node was useful for a cluster of tasks."""

    id: str
    is_useful: bool
    cluster: str = NO_CLUSTER
    root: str = ""
    """The state of the node's package at the time of the record; empty if the state does not matter."""


def feedback_scores(
    records: Iterable[FeedbackRecord],
    ids: Collection[str],
    cluster: str,
    rules: UseRules,
    roots: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """The share of useful records, from 0 to 1, for each of ``ids`` that has records.

    For a task with a cluster, only the records of this cluster are used and, if the rules say so, records without a
    cluster. For a task without a cluster, all records are used. ``roots`` contains the current state of each node's
    package; if it is given, records from a different state are ignored.
    """
    useful: dict[str, int] = {}
    total: dict[str, int] = {}
    for record in records:
        is_seen = not cluster or record.cluster == cluster or (rules.any_cluster and not record.cluster)
        is_now = not roots or not record.root or record.root == roots.get(record.id)
        if record.id in ids and is_seen and is_now:
            useful[record.id] = useful.get(record.id, 0) + record.is_useful
            total[record.id] = total.get(record.id, 0) + 1
    return {id_: useful[id_] / count for id_, count in total.items()}


_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class UseMemory:
    """All feedback, converted with one profile to records and learned words. Documents are identified by path."""

    profile: KnowingProfile
    said: tuple[Feedback, ...] = ()
    records: tuple[FeedbackRecord, ...] = ()
    learned: LearnedWords = LearnedWords()

    def scores(self, task: str) -> dict[str, float]:
        """The share of useful votes for each document that was judged for tasks like ``task``, keyed by path."""
        cluster = task_cluster(keyword_set(task, self.profile.keywords))
        paths = {record.id for record in self.records}
        return feedback_scores(self.records, paths, cluster, self.profile.use)

    def after(self, feedback: Sequence[Feedback]) -> UseMemory:
        """The memory of all ``feedback``. Entries that are already in the current memory are not processed again."""
        count = len(self.said)
        if tuple(feedback[:count]) != self.said:
            return UseMemory(self.profile).after(feedback)
        return self._with(feedback[count:])

    def _with(self, more: Sequence[Feedback]) -> UseMemory:
        records, lessons = list(self.records), []
        steps, stop_words = self.profile.learning, self.profile.keywords.stop_words
        for one in more:
            if one.usefulness is Usefulness.FAILED:
                continue
            keywords = keyword_set(one.query, self.profile.keywords)
            is_useful = one.usefulness in (Usefulness.ACCEPTED, Usefulness.MODIFIED)
            records.append(FeedbackRecord(one.document, is_useful, task_cluster(keywords)))
            if is_useful:
                lessons.append((worthy_words(keywords.all, steps, stop_words), [one.document]))
        return UseMemory(self.profile, (*self.said, *more), tuple(records), self.learned.taught(lessons))


def unknown_judged(memory: UseMemory, result: TaskContext, graph: Graph, noun: str, nouns: str) -> str:
    """A message about judged documents that would affect the task of ``result`` but are not in ``graph``.

    The message is empty if there are none. ``noun`` and ``nouns`` are the words for one document and for several.
    """
    learned = (match.matched for match in result.search.matches if match.matched.source == LEARNED_SOURCE)
    counted_for = [*memory.scores(result.search.task), *(one.document for one in learned)]
    unknown = sorted({path for path in counted_for if path not in graph.by_document})
    if not unknown or not result.search.keywords:
        return ""
    which = ", ".join(unknown[:_MOST_NAMED]) + (", …" if len(unknown) > _MOST_NAMED else "")
    named = counted(len(unknown), noun, nouns)
    drop = "brv-tui forget (--repo for code) drops all feedback"
    return f"feedback on {named} that cannot be found here does not count: {which}; {drop}"


def task_cluster(keywords: KeywordSet) -> str:
    """The cluster of a task with these ``keywords``; ``NO_CLUSTER`` if there are no primary keywords."""
    return cluster_hash(keywords.primary) if keywords.primary else NO_CLUSTER
