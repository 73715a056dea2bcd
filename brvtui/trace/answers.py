"""The answer that the user reads, the prompt for a model, and the work of the model that wrote the answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_WHOLE = re.compile(r"(?:turn|step) \d+")
"""The names of the timings that add up to the total. A turn includes the wait for its first text."""


class EndReason(StrEnum):
    """The reasons for which a model stops working on an answer."""

    ANSWERED = "answered"
    CUT = "cut"
    """The answer reached its token limit."""
    REPEATED = "repeated"
    """The model called one tool too often with the same arguments."""
    IDLE = "idle"
    """Too many consecutive turns read no new notes."""
    ITERATIONS = "iterations"
    BUDGET = "budget"
    """Another turn could have exceeded the budget for one answer."""
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Usage:
    """The tokens of one turn, or of all turns."""

    sent: int
    received: int
    estimated: bool
    """True if the service did not report token counts, so they are estimated as characters / 4."""


@dataclass(frozen=True)
class ModelTurn:
    """One call to the model. The call's duration is in the completion's ``timings``."""

    number: int
    text: str
    calls: int
    """The number of tool calls that the model made."""
    usage: Usage


@dataclass(frozen=True)
class ToolStep:
    """One tool call by a model. The call's duration is in the completion's ``timings``."""

    number: int
    turn: int
    tool: str
    arguments: str
    """The arguments as the model wrote them: JSON, or an attempt at it."""
    result: str
    """The tool's result, as JSON."""
    result_tokens: int
    """The estimated number of tokens in the result."""
    refused: str
    """The reason why the tool call was refused; empty if it was carried out."""
    read: tuple[str, ...]
    """The notes whose text the tool returned."""


@dataclass(frozen=True)
class Cited:
    """A source that an answer names."""

    path: str
    in_tree: bool
    """False if the source is not in the tree and therefore does not support the answer."""
    seen: bool
    """True if the model received the source's text."""


@dataclass(frozen=True)
class Completion:
    """A model's work on one answer."""

    model: str
    """The model's name and host."""
    ended: EndReason
    why: str
    """The reason why the model stopped; empty if it stopped after its answer."""
    turns: tuple[ModelTurn, ...]
    steps: tuple[ToolStep, ...]
    usage: Usage
    cost_cents: float | None
    """The cost at the user's prices; None if no prices are set."""
    cited: tuple[Cited, ...]
    missing: tuple[str, ...]
    """The sections that the answer lacks. Summary, Details, Sources and Gaps are required."""
    notices: tuple[str, ...] = ()
    partial: str = ""
    """The text received before a failure or cancellation; not part of the answer."""
    turn_cents: tuple[float, ...] = ()
    """The cost of each turn at the user's prices; empty if no prices are set."""
    timings: dict[str, float] = field(default_factory=dict)
    """Durations in milliseconds, keyed by name: ``turn 1``, ``step 1`` and so on; ``turn 1 first text`` is the time
    until the first text of the turn.
    """

    @property
    def ungrounded(self) -> tuple[str, ...]:
        """The sources named by the answer that are not in the tree."""
        return tuple(cited.path for cited in self.cited if not cited.in_tree)

    @property
    def took_ms(self) -> float:
        """The total duration of all turns and tools in milliseconds, including those that did not end normally."""
        return sum(ms for part, ms in self.timings.items() if _WHOLE.fullmatch(part))


INSTRUCTIONS = "instructions"
"""The name of the prompt section that tells the model how to use the other sections."""


@dataclass(frozen=True)
class PromptSection:
    """A named part of a prompt, with its estimated tokens (characters / 4)."""

    name: str
    tokens: int
    text: str


@dataclass(frozen=True)
class Lane:
    """One lane of the manifest, with its token budget and the entries that fit into it."""

    name: str
    budget: int
    tokens: int
    entries: tuple[str, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """A file in the manifest. ``position`` is its place in the lane, from 1; None if it is ``left_out``."""

    path: str
    lane: str
    """``summaries``, ``contexts`` or ``stubs``; empty for a file that belongs to no lane."""
    position: int | None
    entries: int
    """The number of entries in the lane."""
    tokens: int | None
    """The file's own estimated tokens; None if they are unknown."""
    before: int
    """The number of tokens of the lane that earlier entries use."""
    budget: int
    text_path: str
    """The file whose text is used for this file: its abstract, or the file itself."""
    left_out: str
    """The one-line reason why the file is not in the manifest; empty if it is."""


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
        """Everything except the instructions: the question and the retrieved material."""
        return "\n\n".join(section.text for section in self.sections if section.name != INSTRUCTIONS)


@dataclass(frozen=True)
class Answer:
    """The answer that the user reads."""

    kind: str
    """``cached``, ``direct``, ``not_covered``, ``model``, ``extractive`` (in place of an answer that a model should
    have written), or ``retrieval`` for an engine that writes no answers.
    """
    text: str
    prompt: ModelPrompt | None
    notice: str
    sources: tuple[str, ...]
    """The paths of the results that ``text`` names as sources."""
    completion: Completion | None = None
    """The model's work on the answer, including work that failed."""

    @property
    def awaits_model(self) -> bool:
        """True if a model should write the answer but was not called. ``prompt`` is the prompt for that model."""
        return self.prompt is not None and self.completion is None


RETRIEVAL_ALONE = Answer("retrieval", "", None, "", ())
"""The answer of an engine that only retrieves documents."""
