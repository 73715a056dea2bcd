"""Which language model the user set, and where it is."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """A model behind an address, as the user set it. Without ``model`` there is none."""

    protocol: str = "openai"
    model: str = ""
    url: str = ""
    """Empty for the protocol's own service."""
    key: str = field(default="", repr=False)
    key_env: str = ""
    """The variable that the key came from."""
    timeout_seconds: float = 120
    allowed: bool = False
    """Whether it may be asked in every session."""
