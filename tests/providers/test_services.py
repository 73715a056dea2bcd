"""From settings to services."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from brvtui.config.schema import Services, Settings
from brvtui.providers.openai_compatible import OpenAIEmbedder, OpenAIReranker
from brvtui.providers.services import (
    EMBEDDER,
    PROVIDERS,
    RERANKER,
    CrossEncoderReranker,
    LocalEmbedder,
    embedder_of,
    reranker_of,
)
from brvtui.providers.settings import EmbedderSettings, ServiceSettings
from brvtui.services.legs import RerankRules, ServiceError
from brvtui.session.services import embedder_settings
from tests.providers.service import Answer, serving
from tests.support.trees import BRV3

URL = "http://localhost:11434/v1"


def test_nothing_is_used_unless_a_model_is_named() -> None:
    assert embedder_of(EmbedderSettings(), BRV3.service) is None
    assert reranker_of(ServiceSettings(key="k"), BRV3.service, RerankRules()) is None


def test_a_model_with_an_address_is_a_service_and_without_one_a_local_model() -> None:
    assert isinstance(embedder_of(EmbedderSettings("mini"), BRV3.service), LocalEmbedder)
    assert isinstance(reranker_of(ServiceSettings("mini"), BRV3.service, RerankRules()), CrossEncoderReranker)
    remote = embedder_of(EmbedderSettings("mini", URL), BRV3.service)
    assert isinstance(remote, OpenAIEmbedder)
    assert (remote.name, remote.is_remote) == ("mini at localhost:11434", True)
    assert isinstance(reranker_of(ServiceSettings("mini", URL), BRV3.service, RerankRules()), OpenAIReranker)


@pytest.mark.parametrize(
    ("make", "which"),
    [
        (partial(embedder_of, requests=BRV3.service), EMBEDDER),
        (partial(reranker_of, requests=BRV3.service, rules=RerankRules()), RERANKER),
    ],
)
def test_what_is_named_wrongly_is_refused_in_one_line(
    make: object, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(make)
    settings = EmbedderSettings if which == EMBEDDER else ServiceSettings
    with pytest.raises(
        ServiceError,
        match=f"the {which} has a url but no model: set services.{which}.model, or BRV_TUI_{which.upper()}_MODEL",
    ):
        make(settings(url=URL))
    for url in ("localhost", "localhost:11434", "file:///etc/passwd", "ftp://host/v1", "http://"):
        with pytest.raises(
            ServiceError, match=rf"services\.{which}\.url: .* is not an address: it must begin with http"
        ):
            make(settings("mini", url))
    for key in ("a b", "schlüssel", "a\nb"):
        with pytest.raises(ServiceError, match="the key in SOME_KEY holds characters") as raised:
            make(settings("mini", URL, key, "SOME_KEY"))
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"^mini is set but the extra llm is missing: pip install 'brv-tui\[llm\]'$"):
        make(settings("mini", URL))
    assert make(settings("mini")) is not None, "a local model needs no HTTP"


@pytest.mark.parametrize(
    ("provider", "name", "batches", "extra"),
    [
        ("openai", "text-embedding-3-small", [200], {"encoding_format": "float"}),
        ("voyage", "voyage-3.5", [128, 72], {"input_type": "query"}),
    ],
)
def test_a_provider_brings_its_model_its_batch_size_and_its_fields(
    provider: str, name: str, batches: list[int], extra: dict[str, str]
) -> None:
    def answer(payload: Any) -> Answer:
        return Answer(body={"data": [{"index": at, "embedding": [1.0]} for at in range(len(payload["input"]))]})

    with serving(answer) as service:
        embedder = embedder_of(
            EmbedderSettings(url=service.base, key="one, two", provider=provider, input_type="query"), BRV3.service
        )
        embedder.embed(["tea"] * 200)
    assert [len(payload.pop("input")) for _, payload, _ in service.asked] == batches
    assert all(payload == {"model": name, **extra} for _, payload, _ in service.asked)
    assert service.asked[0][2]["Authorization"] == "Bearer one"


def test_a_batch_size_of_ones_own_wins() -> None:
    def answer(payload: Any) -> Answer:
        return Answer(body={"data": [{"index": at, "embedding": [1.0]} for at in range(len(payload["input"]))]})

    with serving(answer) as service:
        embedder = embedder_of(EmbedderSettings("mini", service.base, batch_size=3), BRV3.service)
        embedder.embed(["tea"] * 7)
    assert [len(payload["input"]) for _, payload, _ in service.asked] == [3, 3, 1]


def test_providers_have_addresses_of_their_own() -> None:
    hosts = {name: embedder_of(EmbedderSettings(provider=name), BRV3.service) for name in PROVIDERS}
    assert {name: made.name for name, made in hosts.items() if made is not None} == {
        "openai": "text-embedding-3-small at api.openai.com",
        "voyage": "voyage-3.5 at api.voyageai.com",
    }


def test_a_providers_own_key_goes_to_its_own_address_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "voyage-key")
    monkeypatch.delenv("BRV_TUI_EMBEDDER_KEY", raising=False)

    def key(**service: str) -> tuple[str, str]:
        wanted = replace(Settings().services.embedder, **service)
        found = embedder_settings(replace(Settings(), services=Services(embedder=wanted)))
        return found.key, found.key_env

    assert key(provider="voyage") == ("voyage-key", "VOYAGE_API_KEY")
    assert key(provider="voyage", url="http://elsewhere.example/v1") == ("", "BRV_TUI_EMBEDDER_KEY")
    assert key(provider="compatible", url=URL) == ("", "BRV_TUI_EMBEDDER_KEY")
    monkeypatch.setenv("BRV_TUI_EMBEDDER_KEY", "mine")
    assert key(provider="voyage") == ("mine", "BRV_TUI_EMBEDDER_KEY")


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(ServiceSettings("mini", URL, "secret"))
