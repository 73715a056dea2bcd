"""The answer that the user reads, the prompt for a model, and the work of a model that wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_WHOLE = re.compile(r"(?:turn|step) \d+")
"""The parts that count for the total. A turn's wait for its first text is part of the turn."""


class EndReason(StrEnum):
    """The ways in which a model's work on an answer ended."""

    ANSWERED = "answered"
    CUT = "cut"
    """The answer reached its limit of tokens."""
    REPEATED = "repeated"
    """The same tool was called with the same arguments too often."""
    IDLE = "idle"
    """Too many consecutive turns read no new note."""
    ITERATIONS = "iterations"
    BUDGET = "budget"
    """Another turn could have exceeded the budget of one answer."""
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Usage:
    """The tokens of one turn, or of all turns."""

    sent: int
    received: int
    estimated: bool
    """True if the service did not count them, so that they are characters / 4."""


@dataclass(frozen=True)
class ModelTurn:
    """One call of the model. Its milliseconds are in the completion's ``timings``."""

    number: int
    text: str
    calls: int
    """The number of tools that it called."""
    usage: Usage


@dataclass(frozen=True)
class ToolStep:
    """One tool that a model called. Its milliseconds are in the completion's ``timings``."""

    number: int
    turn: int
    tool: str
    arguments: str
    """The arguments as the model wrote them: JSON, or an attempt at it."""
    result: str
    """The tool's answer, as JSON."""
    result_tokens: int
    """An estimate."""
    refused: str
    """The reason why it was not carried out; empty if it was."""
    read: tuple[str, ...]
    """The notes whose text it returned."""


@dataclass(frozen=True)
class Cited:
    """A source that an answer names."""

    path: str
    in_tree: bool
    """False if the tree does not contain it, so that the answer is not grounded there."""
    seen: bool
    """True if the model received its text."""


@dataclass(frozen=True)
class Completion:
    """A model's work on one answer."""

    model: str
    """The model and its host."""
    ended: EndReason
    why: str
    """The reason for this end; empty if it simply answered."""
    turns: tuple[ModelTurn, ...]
    steps: tuple[ToolStep, ...]
    usage: Usage
    cost_cents: float | None
    """The cost by the user's prices; None if there are none."""
    cited: tuple[Cited, ...]
    missing: tuple[str, ...]
    """Parts that the answer lacks, out of Summary, Details, Sources and Gaps."""
    notices: tuple[str, ...] = ()
    partial: str = ""
    """The text before a failure or cancellation; not part of the answer."""
    turn_cents: tuple[float, ...] = ()
    """The cost of each turn, by the same prices; empty if there are none."""
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds: ``turn 1``, ``step 1`` and so on; ``turn 1 first text`` is the time until its first piece."""

    @property
    def ungrounded(self) -> tuple[str, ...]:
        """The sources in the answer that are not in the tree."""
        return tuple(cited.path for cited in self.cited if not cited.in_tree)

    @property
    def took_ms(self) -> float:
        """The milliseconds of all turns and tools, including incomplete ones."""
        return sum(ms for part, ms in self.timings.items() if _WHOLE.fullmatch(part))


INSTRUCTIONS = "instructions"
"""The name of the prompt section that tells the model how to use the others."""


@dataclass(frozen=True)
class PromptSection:
    """A named part of a prompt with its estimated tokens (characters / 4)."""

    name: str
    tokens: int
    text: str


@dataclass(frozen=True)
class Lane:
    """One lane of the manifest: its token budget and the entries that fit."""

    name: str
    budget: int
    tokens: int
    entries: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A file's place in the manifest. ``position`` in its lane counts from 1, and is None if it is ``left_out``."""

    path: str
    lane: str
    """``summaries``, ``contexts`` or ``stubs``; empty for a file that belongs to no lane."""
    position: int | None
    entries: int
    """The number of entries in the lane."""
    tokens: int | None
    """The file's own estimated tokens; None if they are unknown."""
    before: int
    """The tokens of the lane that earlier entries use."""
    budget: int
    text_path: str
    """The file whose text is used for it: its abstract, or itself."""
    left_out: str
    """The reason why it is not in the manifest, in one line; empty if it is."""
    source: str
    """The origin of the manifest."""


@dataclass(frozen=True)
class ModelPrompt:
    """The prompt for a model, with its limits."""

    sections: tuple[PromptSection, ...]
    tokens: int
    max_tokens: int
    temperature: float
    max_iterations: int
    variables: dict[str, Any]
    lanes: tuple[Lane, ...]
    manifest: str
    """The state of the manifest on disk, or the reason why it was computed in memory."""
    prefetched: tuple[str, ...]

    @property
    def text(self) -> str:
        """The prompt as one string."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def instructions(self) -> str:
        """The instructions for the model."""
        return "\n\n".join(section.text for section in self.sections if section.name == INSTRUCTIONS)

    @property
    def material(self) -> str:
        """Everything except the instructions: the question and the material that was found."""
        return "\n\n".join(section.text for section in self.sections if section.name != INSTRUCTIONS)


@dataclass(frozen=True)
class Answer:
    """The answer that the user reads."""

    kind: str
    """``cached``, ``direct``, ``not_covered``, ``model``; ``extractive`` if a model should have written it;
    ``retrieval`` for an engine that writes none."""
    text: str
    prompt: ModelPrompt | None
    notice: str
    sources: tuple[str, ...]
    """The paths of the results that ``text`` names as its sources."""
    completion: Completion | None = None
    """The model's work on it, even if it failed."""

    @property
    def awaits_model(self) -> bool:
        """True if a model should write it but was not called yet. ``prompt`` is what it would receive."""
        return self.prompt is not None and self.completion is None


RETRIEVAL_ALONE = Answer("retrieval", "", None, "", ())
"""The answer of an engine that only retrieves."""
