"""From settings to services: valid values, permission to send requests, and models on this machine."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from brvtui.config.schema import Services, Settings, assemble
from brvtui.providers.models import address_of, model_of
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
from brvtui.providers.session_model import SessionModel
from brvtui.providers.settings import EmbedderSettings, ModelSettings, ServiceSettings
from brvtui.services.legs import LegError, RerankDocument, RerankRules, ServiceError
from brvtui.session import session_model
from brvtui.session.services import embedder_settings
from tests.providers.chat import KEY
from tests.providers.service import Answer, serving
from tests.support.chat_server import ChatServer, Refused, called, chatting, written
from tests.support.trees import BRV3

URL = "http://localhost:11434/v1"


def test_no_service_is_used_without_a_model_name() -> None:
    assert embedder_of(EmbedderSettings(), BRV3.service) is None
    assert reranker_of(ServiceSettings(key="k"), BRV3.service, RerankRules()) is None


def test_model_is_remote_only_with_an_address() -> None:
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
def test_invalid_service_settings_are_refused_in_one_line(
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
        with pytest.raises(ServiceError, match="the key in SOME_KEY has characters") as raised:
            make(settings("mini", URL, key, "SOME_KEY"))
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"^mini is set but the llm extra is missing: .*install .*\[llm\]'$"):
        make(settings("mini", URL))
    assert make(settings("mini")) is not None, "a local model needs no HTTP"


@pytest.mark.parametrize(
    ("provider", "name", "batches", "extra"),
    [
        ("openai", "text-embedding-3-small", [200], {"encoding_format": "float"}),
        ("voyage", "voyage-3.5", [128, 72], {"input_type": "query"}),
    ],
)
def test_provider_sets_its_model_batch_size_and_fields(
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


def test_configured_batch_size_overrides_the_provider_default() -> None:
    def answer(payload: Any) -> Answer:
        return Answer(body={"data": [{"index": at, "embedding": [1.0]} for at in range(len(payload["input"]))]})

    with serving(answer) as service:
        embedder = embedder_of(EmbedderSettings("mini", service.base, batch_size=3), BRV3.service)
        embedder.embed(["tea"] * 7)
    assert [len(payload["input"]) for _, payload, _ in service.asked] == [3, 3, 1]


def test_providers_have_default_models_and_addresses() -> None:
    hosts = {name: embedder_of(EmbedderSettings(provider=name), BRV3.service) for name in PROVIDERS}
    assert {name: made.name for name, made in hosts.items() if made is not None} == {
        "openai": "text-embedding-3-small at api.openai.com",
        "voyage": "voyage-3.5 at api.voyageai.com",
    }


def test_provider_key_is_sent_only_to_the_providers_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "voyage-key")
    monkeypatch.delenv("BRV_TUI_EMBEDDER_KEY", raising=False)

    def key(**service: str) -> tuple[str, str]:
        wanted = Settings().services.embedder._replace(**service)
        found = embedder_settings(Settings(services=Services(embedder=wanted)))
        return found.key, found.key_env

    assert key(provider="voyage") == ("voyage-key", "VOYAGE_API_KEY")
    assert key(provider="voyage", url="http://elsewhere.example/v1") == ("", "BRV_TUI_EMBEDDER_KEY")
    assert key(provider="compatible", url=URL) == ("", "BRV_TUI_EMBEDDER_KEY")
    monkeypatch.setenv("BRV_TUI_EMBEDDER_KEY", "mine")
    assert key(provider="voyage") == ("mine", "BRV_TUI_EMBEDDER_KEY")


def test_settings_repr_hides_the_key() -> None:
    assert "secret" not in repr(ServiceSettings("mini", URL, "secret"))


def test_invalid_model_settings_name_the_setting_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_of(ModelSettings(), BRV3.service) is None
    for url in ("ftp://x", "example.org/v1", "http://", "http://h:99999", "http://h h/", "http://[::1"):
        with pytest.raises(ServiceError, match=r"llm\.url: .* is not an address"):
            model_of(ModelSettings("mini", url), BRV3.service)
    with pytest.raises(ServiceError, match="contains a user name or a password") as result:
        model_of(ModelSettings("mini", "https://me:hunter2@h/v1"), BRV3.service)
    assert "hunter2" not in str(result.value)
    for url in ("me:hunter2@h/v1", "https://me:hunter2@h:99999/v1", "https://me:hunter2@[h"):
        with pytest.raises(ServiceError, match="contains a user name or a password") as result:
            model_of(ModelSettings("mini", url), BRV3.service)
        assert "hunter2" not in str(result.value)
    for url in ("https://h/v1?key=hunter2", "https://h/v1#hunter2"):
        with pytest.raises(ServiceError, match="has a query or a fragment") as result:
            model_of(ModelSettings("mini", url), BRV3.service)
        assert "hunter2" not in str(result.value)
    with pytest.raises(ServiceError, match=r"set llm\.model"):
        model_of(ModelSettings("", "http://h"), BRV3.service)
    for key in ("a b", "schlüssel", "a\nb"):
        with pytest.raises(ServiceError, match="the key in SOME_KEY has characters") as raised:
            model_of(ModelSettings("mini", "", key, "SOME_KEY"), BRV3.service)
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"install .*\[llm\]'$"):
        model_of(ModelSettings("mini"), BRV3.service)


def test_each_protocol_has_a_default_address() -> None:
    assert address_of(ModelSettings()) == "https://api.openai.com/v1"
    assert address_of(ModelSettings(protocol="anthropic")) == "https://api.anthropic.com/v1"
    assert address_of(ModelSettings(url="http://localhost:11434/v1/")) == "http://localhost:11434/v1"
    result = model_of(ModelSettings("mini", "http://localhost:11434/v1"), BRV3.service)
    assert result.name == "mini at localhost:11434"


def test_unusable_address_is_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(model: str = "", url: str = "") -> str:
        return SessionModel(lambda: ModelSettings(model, url), lambda: BRV3.service).address

    assert shown() == ""
    assert shown(model="mini", url="ftp://x") == "ftp://x"
    assert shown(url="http://h/v1") == "http://h/v1"
    for url in ("https://me:hunter2@h/v1", "me:hunter2@h", "https://h/v1?key=hunter2", "https://h#hunter2"):
        assert shown(model="mini", url=url) == ""
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    assert shown(model="mini", url="http://h/v1") == "http://h/v1"
    assert shown(model="mini", url="https://me:hunter2@h/v1") == ""


def test_session_model_repr_hides_the_key() -> None:
    settings = ModelSettings("mini", "http://localhost:1/v1", KEY, "SOME_KEY")
    result = model_of(settings, BRV3.service)
    held = SessionModel(lambda: settings, lambda: BRV3.service)
    assert KEY not in repr(settings) + repr(result._endpoint) + repr(held.state) + held.key_source
    assert held.key_source == "from SOME_KEY"


def test_model_is_rebuilt_when_settings_change() -> None:
    wanted = [ModelSettings("mini", "http://h/v1")]
    held = SessionModel(lambda: wanted[0], lambda: BRV3.service)
    held.allow()
    first = held.allowed_model()
    assert held.allowed_model() is first
    wanted[0] = replace(wanted[0], model="maxi")
    assert held.allowed_model() is None  # the permission was for the previous model
    held.allow()
    other = held.allowed_model()
    assert (other is first, other.name) == (False, "maxi at h")


def test_model_is_called_only_with_permission() -> None:
    wanted = [ModelSettings("mini", "http://h/v1")]
    held = SessionModel(lambda: wanted[0], lambda: BRV3.service)
    assert held.allowed_model() is None
    assert not held.state.allowed
    assert "is not allowed in this session" in held.why_not_asked(True)
    held.allow()
    assert held.allowed_model() is not None
    assert held.state.allowed
    assert not held.state.problem
    assert "in a preview" in held.why_not_asked(False)
    always = SessionModel(lambda: replace(wanted[0], allowed=True), lambda: BRV3.service)
    assert always.allowed_model() is not None


def check_of(server: ChatServer) -> Any:
    return SessionModel(lambda: ModelSettings("mini", server.base, KEY), lambda: BRV3.service).check()


def test_model_check_reports_answer_and_tool_calls() -> None:
    with chatting(called(("answer", {"word": "ready"}))) as server:
        found = check_of(server)
    assert (found.answered, found.calls_tools, found.sent, found.received) == (True, True, 100, 10)
    with chatting(written("ready")) as server:
        assert not check_of(server).calls_tools
    with chatting(Refused(401, "no")) as server:
        found = check_of(server)
    assert not found.answered
    assert "401" in found.why
    assert SessionModel(ModelSettings, lambda: BRV3.service).check() is None


def test_library_is_imported_only_by_the_first_turn() -> None:
    code = (
        "import sys; from brvtui.session import Session; from brvtui.providers.session_model import *;"
        "from brvtui.engines.byterover.profile import load;"
        "held = SessionModel(lambda: ModelSettings('mini', 'http://127.0.0.1:9/v1', allowed=True),"
        " lambda: load().service);"
        "assert held.allowed_model() and held.state.allowed;"
        "assert not {'httpx', 'pydantic', 'openai', 'anthropic'} & set(sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_only_listed_variables_are_sent_as_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", KEY)
    wanted = {"llm.model": "mini", "llm.url": "http://h/v1", "llm.key_env": "SOME_SECRET"}
    held = session_model(lambda: assemble(wanted), lambda: BRV3.service)
    held.allow()
    assert "llm.key_env names SOME_SECRET, which key_variables does not list" in held.state.problem
    assert held.allowed_model() is None
    assert held.key_source == "none: SOME_SECRET is set, but key_variables does not list it: add it there by hand"
    listed = {**wanted, "key_variables": "OTHER,SOME_SECRET"}
    held = session_model(lambda: assemble(listed), lambda: BRV3.service)
    held.allow()
    assert (held.state.problem, held.key_source) == ("", "from SOME_SECRET")
    assert held.allowed_model() is not None


DOCUMENTS = [RerankDocument("a", "one"), RerankDocument("b", "two"), RerankDocument("c", "three")]


def library(monkeypatch: pytest.MonkeyPatch, **kinds: Any) -> None:
    module = ModuleType("sentence_transformers")
    module.__dict__.update(kinds)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_missing_vector_library_is_reported_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(LegError, match=r"install .*\[vectors\]'$"):
        LocalEmbedder("mini").embed(["tea"])
    with pytest.raises(LegError, match=r"install .*\[vectors\]'$"):
        CrossEncoderReranker("mini").rerank("tea", DOCUMENTS)


def test_local_embedder_loads_its_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def kind(model: str) -> Any:
        loaded.append(model)
        return SimpleNamespace(encode=lambda texts, **_: np.ones((len(texts), 3), dtype=np.float32))

    library(monkeypatch, SentenceTransformer=kind)
    embedder = LocalEmbedder("mini")
    assert embedder.embed([]) == []
    assert loaded == []
    assert embedder.embed(["tea", "car"]) == [[1.0] * 3] * 2
    embedder.embed(["sea"])
    assert loaded == ["mini"]


def test_failing_local_model_is_reported_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(model: str) -> Any:
        raise OSError("no such\nmodel")

    library(monkeypatch, SentenceTransformer=kind)
    with pytest.raises(LegError, match="mini: no such model"):
        LocalEmbedder("mini").embed(["tea"])


def test_local_reranker_orders_by_score_with_nan_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(model: str) -> Any:
        return SimpleNamespace(predict=lambda pairs, **_: np.asarray([0.5, float("nan"), 0.9], dtype=np.float32))

    library(monkeypatch, CrossEncoder=kind)
    result = CrossEncoderReranker("mini").rerank("tea", DOCUMENTS)
    assert [judged.index for judged in result] == [2, 0, 1]
