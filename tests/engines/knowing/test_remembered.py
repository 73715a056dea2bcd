"""What users said: feedback for tasks like the one it was said of, and words that stand for what was useful."""

from __future__ import annotations

import pytest

from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.remembered import UseMemory
from brvtui.store.feedback import FeedbackFile
from brvtui.trace.feedback import Feedback, Usefulness
from tests.support.trees import NOW_MS, Tree

SEED, CODE = load_profile(), load_profile("knowing-code")
ASKED, NOTE = "why does `rotate_key` fail", "auth/rotation.md"


def said(query: str, usefulness: Usefulness = Usefulness.ACCEPTED, note: str = NOTE) -> Feedback:
    return Feedback(query, note, usefulness, NOW_MS)


def test_feedback_is_for_tasks_with_the_same_keywords() -> None:
    memory = UseMemory(CODE).after([said(ASKED), said(ASKED, Usefulness.DISMISSED), said(ASKED, note="other.md")])
    assert memory.scores(ASKED) == {NOTE: 0.5, "other.md": 1.0}
    assert memory.scores("why does `other_thing` fail") == {}


@pytest.mark.parametrize(("profile", "scores"), [(SEED, {NOTE: 1.0}), (CODE, {})], ids=["document", "program"])
def test_feedback_on_a_task_of_one_word_counts_for_all(profile: object, scores: dict[str, float]) -> None:
    assert isinstance(profile, type(SEED))
    memory = UseMemory(profile).after([said("rotation")])
    assert memory.scores(ASKED) == scores


def test_failed_actions_say_nothing_of_a_note() -> None:
    memory = UseMemory(CODE).after([said(ASKED), *[said(ASKED, Usefulness.FAILED)] * 3])
    assert memory.scores(ASKED) == {NOTE: 1.0}


def test_a_word_is_learned_from_what_was_useful_twice() -> None:
    once = UseMemory(SEED).after([said("turnover of keys")])
    twice = once.after([*once.said, said("turnover again"), said("turnover", Usefulness.DISMISSED, "bad.md")])
    assert not once.learned.classes(["turnover"], SEED.learning)
    assert [one.document for one in twice.learned.classes(["Turnover"], SEED.learning)] == [NOTE]
    assert not twice.learned.classes(["again"], SEED.learning)


def test_following_what_is_said_equals_reading_all_of_it() -> None:
    rows = [said(f"keys {number % 3} of `rotate_key`", note=f"n{number % 2}.md") for number in range(9)]
    followed = UseMemory(SEED)
    for count in range(len(rows) + 1):
        followed = followed.after(rows[:count])
    fresh = UseMemory(SEED).after(rows)
    assert (followed.records, followed.learned, followed.said) == (fresh.records, fresh.learned, fresh.said)
    assert followed.after(rows[:2]).records == fresh.records[:2], "what was forgotten is forgotten"


def test_the_file_gives_back_what_was_said(tree: Tree) -> None:
    log = FeedbackFile(tree.tree, "knowing")
    rows = [said(ASKED), said("é ☃", Usefulness.MODIFIED)]
    for one in rows:
        log.add(one)
    with log.path.open("ab") as file:
        file.write(
            b'{"usefulness": "accepted"}\n{"query": 1, "document": "a", "usefulness": "accepted", "at_ms": 1}\n[]\nno\n'
        )
    assert log.said() == rows
