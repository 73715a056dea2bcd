"""Model settings: names, addresses and keys."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Settings for a model, local or at an address. If ``model`` is empty, no service is used."""

    model: str = ""
    url: str = ""
    """The address; empty for a local model, or for the default service of the language model's protocol."""
    key: str = field(default="", repr=False)
    key_env: str = ""
    """The name of the environment variable that contains the key."""
    key_env_is_listed: bool = True
    """True if the user listed the variable ``key_env`` as one that may contain a key."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings(ServiceSettings):
    """Settings for an embedding model. The provider ``compatible`` means any service with OpenAI's protocol."""

    provider: str = "compatible"
    batch_size: int = 0
    """The maximum number of texts per request; 0 for the provider's limit."""
    input_type: str = "none"


@dataclass(frozen=True, slots=True)
class ModelSettings(ServiceSettings):
    """Settings for a language model at an address."""

    protocol: str = "openai"
    timeout_seconds: float = 120
    allowed: bool = False
    """True if every session may use the model."""
