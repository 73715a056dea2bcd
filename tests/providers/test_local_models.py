"""Local models through a stand-in for the library (CI has neither it nor a model)."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from brvtui.providers.services import CrossEncoderReranker, LocalEmbedder
from brvtui.services.legs import LegError, RerankDocument

DOCUMENTS = [RerankDocument("a", "one"), RerankDocument("b", "two"), RerankDocument("c", "three")]


def library(monkeypatch: pytest.MonkeyPatch, **kinds: Any) -> None:
    module = ModuleType("sentence_transformers")
    module.__dict__.update(kinds)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(LegError, match=r"brv-tui\[vectors\]"):
        LocalEmbedder("mini").embed(["tea"])
    with pytest.raises(LegError, match=r"brv-tui\[vectors\]"):
        CrossEncoderReranker("mini").rerank("tea", DOCUMENTS)


def test_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_model_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(model: str) -> Any:
        raise OSError("no such\nmodel")

    library(monkeypatch, SentenceTransformer=kind)
    with pytest.raises(LegError, match="mini: no such model"):
        LocalEmbedder("mini").embed(["tea"])


def test_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(model: str) -> Any:
        return SimpleNamespace(predict=lambda pairs, **_: np.asarray([0.5, float("nan"), 0.9], dtype=np.float32))

    library(monkeypatch, CrossEncoder=kind)
    made = CrossEncoderReranker("mini").rerank("tea", DOCUMENTS)
    assert [judged.index for judged in made] == [2, 0, 1]
