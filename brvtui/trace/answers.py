"""The answer that the user reads, the prompt for a model, and the work of a model that wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_WHOLE = re.compile(r"(?:turn|step) \d+")
"""The parts that count for the total; a turn's wait for its first text lies within the turn."""


class EndReason(StrEnum):
    """How a model's work on an answer ended."""

    ANSWERED = "answered"
    CUT = "cut"
    """The answer reached its limit of tokens."""
    REPEATED = "repeated"
    """The same tool was called with the same arguments too often."""
    IDLE = "idle"
    """Too many turns in a row read no new note."""
    ITERATIONS = "iterations"
    BUDGET = "budget"
    """Another turn could have used more than one answer may."""
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Usage:
    """Tokens of a turn, or of all of them."""

    sent: int
    received: int
    estimated: bool
    """Whether the service did not count them: characters / 4 then."""


@dataclass(frozen=True)
class ModelTurn:
    """One call of the model. Its milliseconds are in the completion's ``timings``."""

    number: int
    text: str
    calls: int
    """How many tools it called."""
    usage: Usage


@dataclass(frozen=True)
class ToolStep:
    """One tool that a model called. Its milliseconds are in the completion's ``timings``."""

    number: int
    turn: int
    tool: str
    arguments: str
    """As the model wrote them: JSON, or what should have been."""
    result: str
    """The tool's answer, as JSON."""
    result_tokens: int
    """Estimated."""
    refused: str
    """Why it was not carried out; empty when it was."""
    read: tuple[str, ...]
    """The notes whose text it gave."""


@dataclass(frozen=True)
class Cited:
    """A source that an answer names."""

    path: str
    in_tree: bool
    """False for one that the tree does not hold: the answer is not grounded there."""
    seen: bool
    """Whether the model was shown its text."""


@dataclass(frozen=True)
class Completion:
    """A model's work on one answer."""

    model: str
    """Model and host."""
    ended: EndReason
    why: str
    """Why it ended so; empty when it simply answered."""
    turns: tuple[ModelTurn, ...]
    steps: tuple[ToolStep, ...]
    usage: Usage
    cost_cents: float | None
    """By the prices that the user set; None without any."""
    cited: tuple[Cited, ...]
    missing: tuple[str, ...]
    """Parts that the answer lacks: of Summary, Details, Sources, Gaps."""
    notices: tuple[str, ...] = ()
    partial: str = ""
    """The text that it had written when it failed or was cancelled; not part of the answer."""
    turn_cents: tuple[float, ...] = ()
    """The cost of each turn, by the same prices; empty without any."""
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds: ``turn 1``, ``step 1`` and so on; ``turn 1 first text`` until its first piece."""

    @property
    def ungrounded(self) -> tuple[str, ...]:
        """The sources that the answer names and the tree does not hold."""
        return tuple(cited.path for cited in self.cited if not cited.in_tree)

    @property
    def took_ms(self) -> float:
        """Milliseconds of its turns and its tools, also of those that did not come to their end."""
        return sum(ms for part, ms in self.timings.items() if _WHOLE.fullmatch(part))


INSTRUCTIONS = "instructions"
"""The name of a prompt's section that says what to do with the others."""


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
    """A file's place in the manifest: ``position`` in its lane counts from 1, None when it is ``left_out``."""

    path: str
    lane: str
    """``summaries``, ``contexts`` or ``stubs``; empty for a file that no lane takes."""
    position: int | None
    entries: int
    """How many entries the lane holds."""
    tokens: int | None
    """The file's own estimated tokens; None when they are not known."""
    before: int
    """Tokens of the lane that are taken before it."""
    budget: int
    text_path: str
    """The file whose text is injected for it: its abstract, or itself."""
    left_out: str
    """Why it is not in the manifest, in a line; empty when it is."""
    source: str
    """Where the manifest was taken from."""


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
    """Whether the manifest on disk was fresh, or why it was computed in memory."""
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
        """Everything but the instructions: the question and the material that was found."""
        return "\n\n".join(section.text for section in self.sections if section.name != INSTRUCTIONS)


@dataclass(frozen=True)
class Answer:
    """The answer that the user reads."""

    kind: str
    """``cached``, ``direct``, ``not_covered``, ``model``; ``extractive`` where a model should have written it;
    ``retrieval`` of an engine that writes none."""
    text: str
    prompt: ModelPrompt | None
    notice: str
    sources: tuple[str, ...]
    """The paths of the results that ``text`` names as its sources."""
    completion: Completion | None = None
    """The model's work on it, even when it failed."""

    @property
    def awaits_model(self) -> bool:
        """Whether a model should write it and was not asked yet: ``prompt`` is what it would be sent."""
        return self.prompt is not None and self.completion is None


RETRIEVAL_ALONE = Answer("retrieval", "", None, "", ())
"""The answer of an engine that only retrieves."""
