"""Which models the user set, and where they are."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """A model, local or behind an address. Without ``model`` there is no service."""

    model: str = ""
    url: str = ""
    """Empty for a local model; for a language model, empty for the protocol's own service."""
    key: str = field(default="", repr=False)
    key_env: str = ""
    """The environment variable that held the key."""
    key_env_is_listed: bool = True
    """Whether the user listed that variable as one that holds keys."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings(ServiceSettings):
    """An embedding model; the provider ``compatible`` is any service with OpenAI's protocol."""

    provider: str = "compatible"
    batch_size: int = 0
    """The most texts in one request; 0 for the provider's own limit."""
    input_type: str = "none"


@dataclass(frozen=True, slots=True)
class ModelSettings(ServiceSettings):
    """A language model behind an address."""

    protocol: str = "openai"
    timeout_seconds: float = 120
    allowed: bool = False
    """Whether it may be asked in every session."""
