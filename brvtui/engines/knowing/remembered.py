"""What users said of results, as the feedback of later tasks and the words that these are found by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brvtui.engines.knowing.keywords import KeywordSet, cluster_hash, keyword_set
from brvtui.engines.knowing.learning import LEARNED_SOURCE, LearnedWords, worthy_words
from brvtui.engines.knowing.model import Graph
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.profile import KnowingProfile
from brvtui.engines.knowing.use import NO_CLUSTER, FeedbackRecord, feedback_scores
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.wording import counted

_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class UseMemory:
    """What was said so far, as records and learned words, under one profile. Documents are known by their paths."""

    profile: KnowingProfile
    said: tuple[Feedback, ...] = ()
    records: tuple[FeedbackRecord, ...] = ()
    learned: LearnedWords = LearnedWords()

    def scores(self, task: str) -> dict[str, float]:
        """For each path that was judged for tasks like ``task``, the share of judgments that call it useful."""
        cluster = task_cluster(keyword_set(task, self.profile.keywords))
        paths = {record.id for record in self.records}
        return feedback_scores(self.records, paths, cluster, self.profile.use)

    def after(self, said: Sequence[Feedback]) -> UseMemory:
        """The memory of everything that was ``said``; what this one begins with is not read again."""
        count = len(self.said)
        if tuple(said[:count]) != self.said:
            return UseMemory(self.profile).after(said)
        return self._with(said[count:])

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


def unknown_judged(memory: UseMemory, made: TaskContext, graph: Graph, noun: str, nouns: str) -> str:
    """A line about the judged documents that would count for the task of ``made`` but are not in ``graph``.

    Empty where there is none. A document is called a ``noun``, several ``nouns``.
    """
    learned = (match.matched for match in made.search.matches if match.matched.source == LEARNED_SOURCE)
    counted_for = [*memory.scores(made.search.task), *(one.document for one in learned)]
    unknown = sorted({path for path in counted_for if path not in graph.by_document})
    if not unknown or not made.search.keywords:
        return ""
    which = ", ".join(unknown[:_MOST_NAMED]) + (", …" if len(unknown) > _MOST_NAMED else "")
    named = counted(len(unknown), noun, nouns)
    drop = "brv-tui forget (--repo for code) drops all feedback"
    return f"feedback on {named} that cannot be found here does not count: {which}; {drop}"


def task_cluster(keywords: KeywordSet) -> str:
    """The group of tasks that a task belongs to; none without primary keywords."""
    return cluster_hash(keywords.primary) if keywords.primary else NO_CLUSTER
