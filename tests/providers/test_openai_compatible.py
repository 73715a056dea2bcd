"""The embeddings and chat protocols over a local server, and the pipeline's behaviour when a service fails."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines import text_vectors
from brvtui.engines.jeffs_brain.index import Chunk, ChunkIndex, embed_index
from brvtui.engines.jeffs_brain.pipeline import Request, Sources, retrieve
from brvtui.engines.jeffs_brain.sections import Hybrid, RetrievalMode
from brvtui.providers.http import excerpt
from brvtui.providers.openai_compatible import OpenAIEmbedder, OpenAIReranker
from brvtui.services.legs import LegError, RerankDocument, RerankRules
from brvtui.store.vectors import VectorStore
from brvtui.trace import State, Trace
from tests.providers.service import Answer, Service, serving
from tests.support.hybrid import JEFFS, error_stage, ids_of, index_chunks
from tests.support.trees import BRV3

RULES = replace(BRV3.service, timeout_seconds=5)
HASTY = replace(BRV3.service, timeout_seconds=0.05, tries=2)
BUSY = Answer(429, {"error": "slow down"}, {"Retry-After": "3"})
NOTES = [
    Chunk("tea", "a/tea.md", "Tea", "", "", "green leaves"),
    Chunk("car", "a/car.md", "Car", "", "", "red wheels"),
    Chunk("sea", "a/sea.md", "Sea", "", "", "blue water"),
]


def vectors(payload: Any) -> Answer:
    """An embeddings service's answer: a direction for each word."""
    result = []
    for index, text in enumerate(payload["input"]):
        low = text.lower()
        result.append({"index": index, "embedding": [float(word in low) + 0.01 for word in ("tea", "car", "sea")]})
    return Answer(body={"object": "list", "data": list(reversed(result))})


def data(*found: Any) -> Answer:
    return Answer(body={"data": [{"index": place, "embedding": vector} for place, vector in enumerate(found)]})


def embedder(
    service: Service,
    rules: Any = RULES,
    waits: list[float] | None = None,
    keys: Sequence[str] = ("secret-key",),
    batch: int = 2048,
) -> OpenAIEmbedder:
    slept: Callable[[float], None] = (lambda seconds: None) if waits is None else waits.append
    return OpenAIEmbedder(service.base, "mini", rules, keys, batch, sleep=slept)


def embedded(service: Service, tree: Path) -> ChunkIndex:
    asker = embedder(service)
    return embed_index(index_chunks(NOTES, JEFFS), asker, VectorStore(tree, asker.name))[0]


def search(
    index: ChunkIndex, service: Service, rules: Any = RULES, mode: RetrievalMode = RetrievalMode.HYBRID
) -> Trace:
    return retrieve(Request("tea", mode), Sources(index, embedder(service, rules)), JEFFS).trace


def test_vectors_are_returned_in_the_order_of_the_texts() -> None:
    with serving(vectors) as service:
        asker = embedder(service, batch=2)
        result = asker.embed(["tea", "car", "sea"])
    assert [max(range(3), key=vector.__getitem__) for vector in map(list, result)] == [0, 1, 2]
    path, payload, headers = service.asked[0]
    assert (path, payload["model"], payload["input"]) == ("/v1/embeddings", "mini", ["tea", "car"])
    assert headers["Authorization"] == "Bearer secret-key"
    assert len(service.asked) == 2


def test_next_key_is_used_after_a_rate_limit() -> None:
    waits: list[float] = []
    with serving(BUSY, BUSY, vectors) as service:
        embedder(service, waits=waits, keys=("first-key", "second-key")).embed(["tea"])
    assert [headers["Authorization"] for _, _, headers in service.asked] == [
        "Bearer first-key",
        "Bearer second-key",
        "Bearer first-key",
    ]
    assert waits == [3]  # it waits only after both keys were refused


def test_other_failures_do_not_change_the_key() -> None:
    with serving(Answer(503), vectors) as service:
        embedder(service, keys=("first-key", "second-key")).embed(["tea"])
    assert {headers["Authorization"] for _, _, headers in service.asked} == {"Bearer first-key"}


def test_hundred_texts_are_sent_in_one_request() -> None:
    with serving(vectors) as service:
        embedder(service).embed(["tea"] * 100)
    assert [len(payload["input"]) for _, payload, _ in service.asked] == [100]


def test_hybrid_search_uses_vectors_from_the_service(tmp_path: Path) -> None:
    with serving(vectors) as service:
        index = embedded(service, tmp_path)
        asked = len(service.asked)
        again = embedded(service, tmp_path)
        assert len(service.asked) == asked, "kept vectors are not asked for again"
        trace = search(again, service)
    assert trace.section(Hybrid).mode is RetrievalMode.HYBRID
    assert trace.section(Hybrid).embedder_used
    assert trace.leg("vector").hits[0].id == "tea"
    assert [hit.id for hit in trace.leg("bm25").hits] == ["tea"]
    assert index.table is not None


def test_busy_service_is_retried_after_the_requested_wait() -> None:
    waits: list[float] = []
    with serving(BUSY, Answer(503), vectors) as service:
        assert len(embedder(service, RULES, waits).embed(["tea"])) == 1
    assert waits == [3.0, RULES.wait_seconds * 2]


@pytest.mark.parametrize("seconds", ["9", "0000086400", "9" * 400, "9" * 5000])
def test_service_that_demands_a_long_wait_is_not_retried(seconds: str) -> None:
    waits: list[float] = []
    with serving(Answer(429, {}, {"Retry-After": seconds}), vectors) as service:
        with pytest.raises(LegError, match=r"; the service asks for a \S+ s wait, which is too long"):
            embedder(service, RULES, waits).embed(["tea"])
        assert (waits, len(service.asked)) == ([], 1)


def test_another_key_replaces_a_long_wait() -> None:
    waits: list[float] = []
    with serving(Answer(429, {}, {"Retry-After": "86400"}), vectors) as service:
        assert embedder(service, waits=waits, keys=("first-key", "second-key")).embed(["tea"])
    assert waits == []


def test_shortest_wait_of_all_keys_is_used() -> None:
    waits: list[float] = []
    long = Answer(429, {}, {"Retry-After": "60"})
    with serving(long, Answer(429, {}, {"Retry-After": "1"}), vectors) as service:
        assert embedder(service, RULES, waits, keys=("first-key", "second-key")).embed(["tea"])
        keys = [headers["Authorization"] for _, _, headers in service.asked]
        assert keys == [f"Bearer {name}-key" for name in ("first", "second", "second")]
    assert waits == [1.0]


@pytest.mark.parametrize("seconds", ["8", "-5", "nan", "1e308", "inf", "²", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_waits_never_exceed_the_maximum(seconds: str) -> None:
    waits: list[float] = []
    with serving(Answer(429, {}, {"Retry-After": seconds}), vectors) as service:
        embedder(service, RULES, waits).embed(["tea"])
    assert waits == [8.0 if seconds == "8" else RULES.wait_seconds]


def test_vectors_have_at_most_8192_numbers() -> None:
    with serving(data([0.5] * 8192), data([0.5] * 8193)) as service:
        assert len(embedder(service).embed(["tea"])[0]) == 8192
        with pytest.raises(LegError, match=r"^mini at \S+ returned a vector of more than 8,192 numbers: choose"):
            embedder(service).embed(["tea"])


def test_tree_vectors_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_vectors, "MOST_NUMBERS", 2 * 3)
    profile = replace(JEFFS, vectors=replace(JEFFS.vectors, batch=1))
    with serving(vectors) as service:
        asker = embedder(service)
        store = VectorStore(tmp_path, asker.name)
        for made_now, requests in ((2, 2), (0, 2)):
            _, result = embed_index(index_chunks(NOTES, profile), asker, store)
            assert (result.made, result.missing, len(service.asked)) == (made_now, 1, requests)
            assert result.error == "the vectors would need more than 6 numbers: choose a model with shorter vectors"
    assert len(store.read()) == 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (BUSY, "429 Too Many Requests: slow down, 3 times"),
        (Answer(500, "broken"), "500 Internal Server Error"),
        (
            Answer(401, {"error": "bad key secret-key"}),
            "401 Unauthorized: bad key …; check the key: services.embedder.",
        ),
        (Answer(401, raw=b" " * 793 + b"secret-key"), "401 Unauthorized: …"),
        (Answer(302, "", {"Location": "http://example.org/v1/embeddings"}), "302 Found; redirects are not followed"),
        (Answer(raw=b"<html>"), "the answer is not JSON"),
        (Answer(raw=b"[" * 100_000), "the answer is not JSON"),
        (Answer(body=[1]), "no list of vectors"),
        (Answer(body={"data": []}), "0 vectors for 1 texts"),
        (data([]), "an empty vector"),
        (data(["a"]), "not all numbers"),
        (Answer(raw=b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}'), "not all numbers"),
        (Answer(body={"data": [{"index": 7, "embedding": [1]}]}), "not numbered"),
        (Answer(body={"data": [{"index": "x", "embedding": [1]}]}), "not numbered"),
        (Answer(raw=b""), "the answer is not JSON"),
    ],
)
def test_failed_service_disables_the_vector_leg(answer: Answer, why: str, tmp_path: Path) -> None:
    with serving(vectors) as service:
        index = embedded(service, tmp_path)
    with serving(answer) as service:
        trace = search(index, service)
        with pytest.raises(LegError):
            embedder(service).embed(["tea"])
    leg = trace.leg("vector")
    assert leg.state is State.FAILED
    assert why in leg.why
    assert "secret" not in leg.why
    assert (error_stage(trace), trace.section(Hybrid).embedder_used) == ("vector", False)
    assert ids_of(trace) == ["tea"]


def test_key_is_masked_before_a_message_is_cut() -> None:
    assert excerpt("x" * 190 + "sk-very-secret", "sk-very-secret", 200) == "x" * 190 + "…"


@pytest.mark.parametrize("size", [1, 5, 13])
def test_partial_key_at_a_cut_is_masked(size: int) -> None:
    key = "sk-very-secret"
    assert excerpt("  said: " + key[:size], key, 200, is_cut=True) == "said: …"
    assert excerpt("  said: " + key[:size], key, 200) == f"said: {key[:size]}", "a whole text ends where it ends"


def test_silent_service_disables_the_vector_leg(tmp_path: Path) -> None:
    with serving(vectors) as service:
        index = embedded(service, tmp_path)
    hold = threading.Event()
    with serving(Answer(body={}, hold=hold)) as service:
        trace = search(index, service, HASTY)
        hold.set()
    assert trace.leg("vector").why.endswith("no answer within 0.05 s")
    assert ids_of(trace) == ["tea"]


def test_unreachable_service_disables_the_vector_leg(tmp_path: Path) -> None:
    with serving(vectors) as service:
        index = embedded(service, tmp_path)
    trace = search(index, service)
    assert trace.leg("vector").state is State.FAILED
    assert "refused" in trace.leg("vector").why
    assert search(index, service, mode=RetrievalMode.SEMANTIC).hits == ()


def test_vector_of_another_length_is_rejected(tmp_path: Path) -> None:
    with serving(vectors) as service:
        index = embedded(service, tmp_path)
    with serving(data([1.0, 2.0])) as service:
        trace = search(index, service)
    assert trace.leg("vector").why == "the query's vector has 2 dimensions, but the notes' vectors have 3"
    with serving(data([1.0, 2.0], [1.0], [1.0])) as service, pytest.raises(LegError, match="different lengths"):
        embedder(service).embed(["a", "b", "c"])


def test_notes_without_vectors_disable_the_vector_leg() -> None:
    with serving(vectors) as service:
        trace = search(index_chunks(NOTES, JEFFS), service)
    assert trace.leg("vector").why == "the notes have no vectors yet"


def test_vectors_computed_before_a_failure_are_kept(tmp_path: Path) -> None:
    profile = replace(JEFFS, vectors=replace(JEFFS.vectors, batch=1))
    with serving(vectors, vectors, Answer(500)) as service:
        asker = embedder(service, replace(RULES, tries=1))
        store = VectorStore(tmp_path, asker.name)
        index, result = embed_index(index_chunks(NOTES, profile), asker, store)
        assert (result.made, result.missing) == (2, 1)
        assert "500" in result.error
        assert len(store.read()) == 2
    assert index.table.positions.tolist() == [0, 1]


def test_changed_text_gets_a_new_vector_and_a_removed_one_is_dropped(tmp_path: Path) -> None:
    with serving(vectors) as service:
        asker = embedder(service)
        store = VectorStore(tmp_path, asker.name)
        embed_index(index_chunks(NOTES, JEFFS), asker, store)
        before = set(store.read())
        changed = [replace(NOTES[0], content="black leaves"), replace(NOTES[1], id="moved", path="b/car.md")]
        _, result = embed_index(index_chunks(changed, JEFFS), asker, store)
        assert (result.made, result.missing, result.error) == (1, 0, "")
        assert service.asked[-1][1]["input"] == ["Tea\nblack leaves"]
        after = set(store.read())
    assert len(before & after) == 1
    assert len(after) == 2


def test_damaged_stored_vectors_are_rebuilt(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "model")
    assert store.read() == {}
    store.path.parent.mkdir(parents=True)
    for broken in (b"", b"PK\x03\x04nonsense", b"nonsense"):
        store.path.write_bytes(broken)
        assert store.read() == {}


def dripped(listening: socket.socket, head: bytes) -> None:
    """Answers with ``head`` and then single bytes, each within the timeout, until the other side disconnects."""
    connection, _ = listening.accept()
    with connection, suppress(OSError):
        connection.recv(1 << 16)
        connection.sendall(head)
        for _ in range(1000):
            connection.sendall(b" ")
            time.sleep(0.01)


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", b"HTTP/1.1 500 No\r\n\r\n"],
    ids=["headers", "body", "refusal"],
)
def test_slowly_dripping_answer_times_out(head: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=dripped, args=(listening, head))
        thread.start()
        rules = replace(RULES, timeout_seconds=0.2, tries=1)
        begun = time.monotonic()
        with pytest.raises(LegError, match=r"no answer within 0\.2 s$"):
            OpenAIEmbedder(f"http://127.0.0.1:{listening.getsockname()[1]}/v1", "mini", rules).embed(["tea"])
        assert time.monotonic() - begun < 5
        thread.join()


def test_oversized_answer_is_refused_without_a_retry() -> None:
    with serving(Answer(raw=b"[" * 2000)) as service:
        with pytest.raises(LegError, match=r"the answer is larger than 1000 bytes$"):
            embedder(service, replace(RULES, max_bytes=1000)).embed(["tea"])
        assert len(service.asked) == 1


def test_repeatedly_closed_connection_is_reported() -> None:
    def closes(listening: socket.socket) -> None:
        for _ in range(RULES.tries):
            connection, _ = listening.accept()
            connection.recv(1 << 16)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=closes, args=(listening,))
        thread.start()
        base = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        with pytest.raises(LegError, match=r"the service closed the connection, 3 times$"):
            OpenAIEmbedder(base, "mini", RULES, sleep=lambda seconds: None).embed(["tea"])
        thread.join()


def test_lone_surrogate_in_a_text_is_sent() -> None:
    with serving(vectors) as service:
        embedder(service).embed(["half \ud800 tea"])
    assert service.asked[0][1]["input"] == ["half \ud800 tea"]


def message(text: str) -> Answer:
    return Answer(body={"choices": [{"message": {"content": text}}]})


def rerank(service: Service, count: int) -> list[tuple[int, float]]:
    asker = OpenAIReranker(service.base, "judge", RULES, replace(RerankRules(), parallel=1), "", lambda seconds: None)
    documents = [RerankDocument(f"n{place}", f"text {place}") for place in range(count)]
    return [(judged.index, judged.score) for judged in asker.rerank("tea", documents)]


def test_language_model_ranks_documents_by_clamped_scores() -> None:
    with serving(message('Sure: [{"id": 2, "score": 9}, {"id": 0, "score": 99}, {"id": 7, "score": 1}]')) as service:
        assert rerank(service, 3) == [(0, 10.0), (2, 9.0), (1, 0.0)]
    assert service.asked[0][0] == "/v1/chat/completions"


def test_bare_scores_and_batches_are_read() -> None:
    with serving(message("[1, 2, 3, 4, 5]"), message("[6]")) as service:
        assert rerank(service, 6) == [(5, 6.0), (4, 5.0), (3, 4.0), (2, 3.0), (1, 2.0), (0, 1.0)]


def test_rerank_request_is_repeated_if_scores_are_missing() -> None:
    with serving(message("I think the second"), message("[0, 5]")) as service:
        assert rerank(service, 2) == [(1, 5.0), (0, 0.0)]
    assert "not one character more" in service.asked[1][1]["messages"][0]["content"]
    with serving(message("[")) as service:
        assert rerank(service, 2) == [(0, 0.0), (1, 0.0)]
        assert len(service.asked) == 2


def test_failing_reranker_keeps_the_order() -> None:
    index = index_chunks(NOTES, JEFFS)
    with serving(Answer(500)) as service:
        asker = OpenAIReranker(service.base, "judge", RULES, RerankRules(), "", lambda seconds: None)
        trace = retrieve(Request("tea OR car"), Sources(index, None, asker), JEFFS).trace
    assert (
        trace.section(Hybrid).reranked,
        trace.section(Hybrid).rerank_skipped,
        error_stage(trace),
    ) == (False, None, "rerank")
    assert ids_of(trace) == ["tea", "car"]


@pytest.mark.parametrize(
    "text",
    [
        "[NaN, Infinity, -Infinity]",
        "[1e999, -1e999, 1e308]",
        f"[{'9' * 400}, true, null]",
        f'[{{"id": {"9" * 400}, "score": 9}}, {{"id": -1, "score": 9}}, {{"id": 3, "score": 9}}]',
        f"[{'9' * 5000}]",
        "[" * 10_000 + "]" * 10_000,
        "[" + "[]," * 200_000 + "[]]",
    ],
    ids=["no numbers", "large", "integers", "ids", "digits", "nested", "many"],
)
def test_scores_out_of_range_count_as_0(text: str) -> None:
    with serving(message(text)) as service:
        assert rerank(service, 3) == [(0, 0.0), (1, 0.0), (2, 0.0)]


def test_reranker_answer_size_is_limited_by_its_tokens() -> None:
    with serving(message("x" * 512 * RerankRules().max_tokens)) as service:
        with pytest.raises(LegError, match=r"the answer is larger than 1048576 bytes$"):
            rerank(service, 3)
        assert len(service.asked) == 1
