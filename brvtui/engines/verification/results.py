"""The result of a verification, and the queries used for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.engines.verification.installed import InstalledEngine
from brvtui.engines.verification.sealed_node import SealedNode
from brvtui.snapshot import Snapshot
from brvtui.tree.constants import TreeConstants
from brvtui.tree.reading.javascript import spaced_words

# Queries made from the notes of a tree: titles, words and paths, misspelt words, and words that no note contains.


_TITLE_WORDS, _TEXT_WORDS = 2, 6
_KINDS = 6
"""The number of queries that are made from one note."""
_LONG = 6
"""The minimum number of letters in a word that is misspelt on purpose."""
_ALWAYS = ("the", "what is the", "zqxwv", "how does zqxwv work", "a/b", "…", "100%")
"""Queries that are not made from notes: stop words, an unknown word, punctuation."""


def made_questions(snapshot: Snapshot, most: int) -> list[str]:
    """At most ``most`` distinct queries about the notes, which depend only on the notes of ``snapshot``."""
    questions = dict.fromkeys(_ALWAYS)
    step = max(1, len(snapshot.notes) * _KINDS // max(1, most))
    for first in range(step):
        for note in snapshot.notes[first::step]:
            questions.update(dict.fromkeys(_about(note.title, _words(snapshot, note.path), note.path)))
            if len(questions) > most:
                break
    return [question for question in questions if question.strip()][:most]


def _words(snapshot: Snapshot, path: str) -> list[str]:
    try:
        text = snapshot.text(path)
    except OSError:
        return []
    return spaced_words(text[len(text) // 2 :])


def _about(title: str, words: list[str], path: str) -> Iterator[str]:
    yield title
    yield " ".join(spaced_words(title)[-_TITLE_WORDS:])
    yield " ".join(words[1 : 1 + _TEXT_WORDS])
    longest = max((word for word in words if word.isalpha()), key=len, default="")
    yield longest
    if len(longest) >= _LONG:
        middle = len(longest) // 2
        yield f"{longest[:middle]}{longest[middle + 1]}{longest[middle]}{longest[middle + 2 :]}"
    yield path.removesuffix(".md")


def are_hits(value: Any) -> bool:
    """True if ``value``, from an engine's output, is a list of objects with a ``path``."""
    return isinstance(value, list) and all(isinstance(hit, dict) and isinstance(hit.get("path"), str) for hit in value)


@dataclass(frozen=True, slots=True)
class VerificationRun:
    """The queries to run in an installed engine and in our engine, on a copy of the project in ``snapshot``."""

    installed: InstalledEngine
    sealed: SealedNode
    snapshot: Snapshot
    reading: TreeConstants
    """The constants used to read the copy."""
    queries: Sequence[str]
    now_ms: float
    progress: Callable[[int, int], None]
    cancelled: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class AnswerDifference:
    """A query that both engines answer differently, with the first step that differs and both values."""

    query: str
    step: str
    """The first step that differs, such as ``documents``, ``text score``, ``results``, ``total`` or ``tier``."""
    engine: str
    ours: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The comparison of an installed engine's answers with our engine's."""

    engine: str
    """The engine's name and version, such as ``byterover-cli 3.14.0``."""
    profile: str
    """The profile of our engine in the comparison."""
    over: str
    """The name of the project."""
    documents: int
    queries: int
    differences: tuple[AnswerDifference, ...]
    isolation: str
    """The method that was used to cut off the network."""
    notices: tuple[str, ...]

    @property
    def same(self) -> int:
        """The number of queries with the same answer from both engines."""
        return self.queries - len({difference.query for difference in self.differences})

    @property
    def sentence(self) -> str:
        """The result of the verification in one sentence."""
        return f"{self.same} of {self.queries} answers match {self.engine}"
