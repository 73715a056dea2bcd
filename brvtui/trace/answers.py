"""What the user would read, and the prompt for the model that should write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from brvtui.trace.completions import Completion

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


@dataclass(frozen=True)
class ModelPrompt:
    """What would be sent to a model."""

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
        """What a model is told to do."""
        return "\n\n".join(section.text for section in self.sections if section.name == INSTRUCTIONS)

    @property
    def material(self) -> str:
        """What a model is given to do it with: the question and what was found."""
        return "\n\n".join(section.text for section in self.sections if section.name != INSTRUCTIONS)


@dataclass(frozen=True)
class Answer:
    """What the user would read."""

    kind: str
    """``cached``, ``direct``, ``not_covered``, ``model``; ``extractive`` where a model should have written it;
    ``retrieval`` of an engine that writes none."""
    text: str
    prompt: ModelPrompt | None
    notice: str
    sources: tuple[str, ...]
    completion: Completion | None = None
    """What a model did for it, also when it failed."""


RETRIEVAL_ALONE = Answer("retrieval", "", None, "", ())
"""The answer of an engine that only retrieves."""
