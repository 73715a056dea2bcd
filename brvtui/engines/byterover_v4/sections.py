"""The trace section that is specific to ByteRover V4 (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

DECIMALS = 3
"""The number of decimals in V4's scores."""


@dataclass(frozen=True)
class WordPlace:
    """A significant query word, and the place where a document contains it."""

    word: str
    field: str
    inside: str
    """The document's word that contains the query word, or the query word itself if it is a separate word."""


@dataclass(frozen=True)
class TopicHit:
    """A found topic: the element that determines its rank, its raw score, and the agent's instructions about it."""

    path: str
    file: str
    """The topic's path in the snapshot; empty if the path that V4 shows is not a file."""
    space: str
    element: str
    """The id of the element that determines the topic's rank; empty for a whole topic."""
    kind: str
    """The tag of the element that determines the topic's rank."""
    secondary: tuple[str, ...]
    """The ids of the elements that are listed with the topic."""
    raw: float
    best_raw: float
    """The best raw score in the topic's space. The topic's relevance is its own raw score divided by this one."""
    absolute: float
    """The relevance that ByteRover 3.14 computes from the same raw score: ``raw / (1 + raw)``."""
    raw_rank: int
    """The rank of the topic's element by its raw score, counted from 1."""
    contained: tuple[WordPlace, ...]
    confidence: str
    score: float | None
    """The topic's score; None if the signals do not result in a number."""
    recalled: int
    """The number of answers that contained the topic, including this one."""
    snippet: str


@dataclass(frozen=True)
class SpaceFailure:
    """The reason why V4 fails, and a remedy."""

    message: str
    """V4's own message."""
    what: str
    file: str
    remedy: str


@dataclass(frozen=True)
class SpaceAnswer:
    """Everything that V4 did and printed, except the data that all traces contain."""

    SECTION: ClassVar[str] = "space"
    spaces: tuple[str, ...]
    """The names of the searched spaces."""
    cleaned: str
    dropped: tuple[str, ...]
    """The stop words that were not searched."""
    significant: tuple[str, ...]
    scope: str
    element: str
    """The element filter in words; empty if there is none."""
    documents: int
    """The number of documents in the whole space. Text relevance depends only on the searched documents."""
    searched: int
    limit: float | None
    """The limit; None if it is not a number; V4 then returns nothing."""
    topics: tuple[TopicHit, ...]
    """The topics in the answer, and the first topics past the limit."""
    found: tuple[str, ...]
    """The files of all topics found, best first."""
    returned: int
    filtered: tuple[str, ...]
    """The topics whose documents match a term but contain no significant word."""
    should_cite: bool
    cited: tuple[str, ...]
    """The files of the topics named in the citation block."""
    citation_block: str
    printed: dict[str, Any]
    """The output of V4: an answer or an error."""
    failure: SpaceFailure | None = None
    not_covered: str = ""
    """Our reason (not V4's) why ByteRover 3.14 would consider the query not covered; empty if it would not."""

    def topic(self, file: str) -> TopicHit | None:
        """The topic in :attr:`topics` whose file is ``file``; None if there is none."""
        return next((topic for topic in self.topics if topic.file == file), None)
