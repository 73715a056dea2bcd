"""The section that only a trace of ByteRover V4 contains (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

DECIMALS = 3
"""The number of decimals of V4's scores."""


@dataclass(frozen=True)
class WordPlace:
    """A significant word of the query, and the place where a document contains it."""

    word: str
    field: str
    inside: str
    """The word of the document that contains it, or the word itself if it occurs separately."""


@dataclass(frozen=True)
class TopicHit:
    """A found topic: the element by which it is ranked, its raw score, and the agent's instructions about it."""

    path: str
    file: str
    """The topic's path in the snapshot; empty if the path that V4 shows is not a file."""
    space: str
    element: str
    """The id of the element by which the topic is ranked; empty for a whole topic."""
    kind: str
    """That element's tag."""
    secondary: tuple[str, ...]
    """The ids of the elements that are listed with it."""
    raw: float
    best_raw: float
    """The best raw score of its space, to which relevance is relative."""
    absolute: float
    """``raw / (1 + raw)``: the relevance that ByteRover 3.14 computes from the same raw score."""
    raw_rank: int
    """The rank of its element by text only, from 1."""
    contained: tuple[WordPlace, ...]
    confidence: str
    score: float | None
    """The score; None if the signals do not result in a number."""
    recalled: int
    """The number of answers that contained it, including this one."""
    snippet: str


@dataclass(frozen=True)
class SpaceFailure:
    """The reason why V4 fails, and the remedy."""

    message: str
    """V4's own message."""
    what: str
    file: str
    remedy: str


@dataclass(frozen=True)
class SpaceAnswer:
    """Everything that V4 did and printed, except for the parts that all traces have."""

    SECTION: ClassVar[str] = "space"
    spaces: tuple[str, ...]
    """The names of the searched spaces."""
    cleaned: str
    dropped: tuple[str, ...]
    """Stop words that are not searched."""
    significant: tuple[str, ...]
    scope: str
    element: str
    """The element filter in words; empty if there is none."""
    documents: int
    """The number of documents in the whole space. Text relevance counts only the searched ones."""
    searched: int
    limit: float | None
    """The limit; None if it is not a number, so that nothing is returned."""
    topics: tuple[TopicHit, ...]
    """The topics of the answer, and the first ones past the limit."""
    found: tuple[str, ...]
    """The files of all topics found, best first."""
    returned: int
    filtered: tuple[str, ...]
    """The topics of documents that match a term, but contain no significant word."""
    should_cite: bool
    cited: tuple[str, ...]
    """The files of the topics that the citation block names."""
    citation_block: str
    printed: dict[str, Any]
    """The output of V4: its answer, or its error."""
    failure: SpaceFailure | None = None
    not_covered: str = ""
    """Our advice, not V4's: the reason why ByteRover 3.14 would call the query not covered; empty if it would not."""

    def topic(self, file: str) -> TopicHit | None:
        """The topic in :attr:`topics` whose file is ``file``; None if there is none."""
        return next((topic for topic in self.topics if topic.file == file), None)
