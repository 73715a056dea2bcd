"""From settings to services."""

from __future__ import annotations

from functools import partial

import pytest

from brvtui.providers.local_models import CrossEncoderReranker, LocalEmbedder
from brvtui.providers.openai_compatible import OpenAIEmbedder, OpenAIReranker
from brvtui.providers.services import EMBEDDER, RERANKER, embedder_of, reranker_of
from brvtui.providers.settings import ServiceSettings
from brvtui.services.requests import ServiceError
from brvtui.services.reranking import RerankRules
from tests.support.trees import BRV3

URL = "http://localhost:11434/v1"


def test_nothing_is_used_unless_a_model_is_named() -> None:
    assert embedder_of(ServiceSettings(), BRV3.service) is None
    assert reranker_of(ServiceSettings(key="k"), BRV3.service, RerankRules()) is None


def test_a_model_with_an_address_is_a_service_and_without_one_a_local_model() -> None:
    assert isinstance(embedder_of(ServiceSettings("mini"), BRV3.service), LocalEmbedder)
    assert isinstance(reranker_of(ServiceSettings("mini"), BRV3.service, RerankRules()), CrossEncoderReranker)
    remote = embedder_of(ServiceSettings("mini", URL), BRV3.service)
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
    with pytest.raises(
        ServiceError,
        match=f"the {which} has a url but no model: set services.{which}.model, or BRV_TUI_{which.upper()}_MODEL",
    ):
        make(ServiceSettings(url=URL))
    for url in ("localhost", "localhost:11434", "file:///etc/passwd", "ftp://host/v1", "http://"):
        with pytest.raises(
            ServiceError, match=rf"services\.{which}\.url: .* is not an address: it must begin with http"
        ):
            make(ServiceSettings("mini", url))
    for key in ("a b", "schlüssel", "a\nb"):
        with pytest.raises(ServiceError, match="the key in SOME_KEY holds characters") as raised:
            make(ServiceSettings("mini", URL, key, "SOME_KEY"))
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"^mini is set but the extra llm is missing: pip install 'brv-tui\[llm\]'$"):
        make(ServiceSettings("mini", URL))
    assert make(ServiceSettings("mini")) is not None, "a local model needs no HTTP"


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(ServiceSettings("mini", URL, "secret"))
