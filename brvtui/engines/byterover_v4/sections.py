"""What only a trace of ByteRover V4 holds (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

DECIMALS = 3
"""With how many its scores are written."""


@dataclass(frozen=True)
class WordPlace:
    """A significant word of the query, and where a document contains it."""

    word: str
    field: str
    inside: str
    """The word of the document that contains it; the word itself where it stands alone."""


@dataclass(frozen=True)
class TopicHit:
    """A found topic: what carries it, its raw score, and what the agent is told of it."""

    path: str
    file: str
    """Its path in the snapshot; empty where V4 shows a path that is no file."""
    space: str
    element: str
    """The id of the element that carries it; empty for a whole topic."""
    kind: str
    """That element's tag."""
    secondary: tuple[str, ...]
    """The ids that are listed with it."""
    raw: float
    best_raw: float
    """What its relevance is relative to: the best raw score of its space."""
    absolute: float
    """``raw / (1 + raw)``: what the same raw score would have been as ByteRover 3.14's relevance."""
    raw_rank: int
    """Of its element, by text alone; from 1."""
    contained: tuple[WordPlace, ...]
    confidence: str
    score: float | None
    """None where signals make it no number."""
    recalled: int
    """How often it was in an answer, this one included."""
    snippet: str


@dataclass(frozen=True)
class SpaceFailure:
    """Why V4 answers no query, and what helps."""

    message: str
    """V4's own."""
    what: str
    file: str
    remedy: str


@dataclass(frozen=True)
class SpaceAnswer:
    """Everything that V4 did and said, beside what all traces hold."""

    SECTION: ClassVar[str] = "space"
    spaces: tuple[str, ...]
    """The names of the spaces that were asked."""
    cleaned: str
    dropped: tuple[str, ...]
    """Stop words that are not searched."""
    significant: tuple[str, ...]
    scope: str
    element: str
    """The element filter in words; empty without one."""
    documents: int
    """Of the whole space; the text relevance counts those that are searched."""
    searched: int
    limit: float | None
    """None for one that is no number: nothing is returned then."""
    topics: tuple[TopicHit, ...]
    """The topics of the answer, and the first ones behind the limit."""
    found: tuple[str, ...]
    """The files of all topics that were found, best first."""
    returned: int
    filtered: tuple[str, ...]
    """The topics of documents that some term matched, and that hold no significant word."""
    should_cite: bool
    cited: tuple[str, ...]
    """The files of the topics that the citation block names."""
    citation_block: str
    printed: dict[str, Any]
    """What V4 prints: its answer, or its error."""
    failure: SpaceFailure | None = None
    not_covered: str = ""
    """Our advice, not V4's: why ByteRover 3.14 would have called this not covered; empty where it would not."""

    def topic(self, file: str) -> TopicHit | None:
        """The described topic whose file is ``file``; None when it is none of :attr:`topics`."""
        return next((topic for topic in self.topics if topic.file == file), None)
