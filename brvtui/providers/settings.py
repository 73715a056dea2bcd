"""Settings of models: names, addresses and keys."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """A model, local or at an address. Without ``model``, there is no service."""

    model: str = ""
    url: str = ""
    """Empty for a local model; for a language model, empty for the default service of the protocol."""
    key: str = field(default="", repr=False)
    key_env: str = ""
    """The environment variable of the key."""
    key_env_is_listed: bool = True
    """True if the user listed that variable as one with a key."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings(ServiceSettings):
    """An embedding model. The provider ``compatible`` is any service with OpenAI's protocol."""

    provider: str = "compatible"
    batch_size: int = 0
    """The maximum number of texts per request; 0 for the provider's limit."""
    input_type: str = "none"


@dataclass(frozen=True, slots=True)
class ModelSettings(ServiceSettings):
    """A language model at an address."""

    protocol: str = "openai"
    timeout_seconds: float = 120
    allowed: bool = False
    """True if it may be used in every session."""
