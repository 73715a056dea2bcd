"""Both chat protocols over a local server: requests, replies, and every way in which a service fails."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from brvtui.services.model import (
    Cancellation,
    FromModel,
    FromTool,
    FromUser,
    ModelError,
    ToolCall,
    Wait,
)
from tests.providers.chat import ASKED, KEY, service, turn
from tests.support.chat_server import Refused, Streamed, called, chatting, messages, written
from tests.support.trees import BRV3


def test_chat_completions_answer_is_streamed() -> None:
    with chatting(written("It ", "is", " só.")) as server:
        text, waits, reply = turn(service(server.base))
    assert (text, waits) == ("It is só.", [])
    assert (reply.calls, reply.is_cut, reply.sent, reply.received) == ((), False, 100, 10)
    path, payload, headers = server.asked[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert payload["messages"] == [
        {"role": "system", "content": "Be right."}, {"role": "user", "content": "Why?"},
    ]  # fmt: skip
    assert (payload["model"], payload["max_tokens"], payload["temperature"], payload["stream"]) == (
        "mini", 64, 0.3, True,
    )  # fmt: skip
    assert payload["tools"][0]["function"]["name"] == "read_note"
    assert "tool_choice" not in payload


def test_anthropic_messages_answer_is_streamed() -> None:
    with chatting(messages("It ", "is.", calls=[("read_note", {"path": "x.md"})])) as server:
        text, _, reply = turn(service(server.base, "anthropic"))
    assert text == "It is."
    assert reply.calls == (ToolCall("toolu-1", "read_note", '{"path": "x.md"}'),)
    assert (reply.sent, reply.received, reply.is_cut) == (100, 10, False)
    path, payload, headers = server.asked[0]
    assert (path, headers["x-api-key"], headers["anthropic-version"]) == ("/v1/messages", KEY, "2023-06-01")
    assert "authorization" not in headers
    assert payload["system"] == "Be right."
    assert payload["messages"] == [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]
    assert payload["tools"][0]["input_schema"] == {"type": "object", "properties": {}}


def test_tool_calls_sent_in_pieces_are_joined() -> None:
    with chatting(called(("search", {"query": "a"}), ("read_note", {"path": "b"}), text="Let me see.")) as server:
        text, _, reply = turn(service(server.base))
    assert text == "Let me see."
    assert reply.calls == (
        ToolCall("call-0", "search", '{"query": "a"}'), ToolCall("call-1", "read_note", '{"path": "b"}'),
    )  # fmt: skip


def test_complete_tool_calls_without_an_index_are_read() -> None:
    pieces = [{"function": {"name": name, "arguments": "{}"}} for name in ("search", "read_note")]
    event = {"choices": [{"delta": {"content": None, "tool_calls": pieces}, "finish_reason": "tool_calls"}]}
    with chatting(Streamed([event, "[DONE]"])) as server:
        reply = turn(service(server.base))[2]
    assert [(call.id, call.name) for call in reply.calls] == [("call_0", "search"), ("call_1", "read_note")]
    assert (reply.sent, reply.received) == (None, None)


TOLD = replace(
    ASKED,
    messages=(
        FromUser("Why?"),
        FromModel("Hm.", (ToolCall("1", "search", '{"query": "a"}'), ToolCall("2", "list_folder", ""))),
        FromTool("1", "{}"), FromTool("2", "[]"), FromUser("Answer."),
    ),
    may_call=False,
)  # fmt: skip


def test_conversation_is_sent_as_chat_completions() -> None:
    with chatting(written("So.")) as server:
        turn(service(server.base), TOLD)
    payload = server.asked[0][1]
    assert [message["role"] for message in payload["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "user",
    ]  # fmt: skip
    assert payload["messages"][2]["tool_calls"][1]["function"] == {"name": "list_folder", "arguments": "{}"}
    assert payload["messages"][3] == {"role": "tool", "tool_call_id": "1", "content": "{}"}
    assert payload["tool_choice"] == "none"


def test_conversation_is_sent_as_alternating_anthropic_messages() -> None:
    with chatting(messages("So.")) as server:
        turn(service(server.base, "anthropic"), TOLD)
    payload = server.asked[0][1]
    assert [message["role"] for message in payload["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in payload["messages"][1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["type"] for block in payload["messages"][2]["content"]] == ["tool_result", "tool_result", "text"]
    assert payload["messages"][1]["content"][1]["input"] == {"query": "a"}
    assert payload["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize(
    ("protocol", "answer"),
    [("openai", written("Too lo", ended="length")), ("anthropic", messages("Too lo", ended="max_tokens"))],
)
def test_answer_that_reaches_the_token_limit_is_marked_as_cut(protocol: str, answer: Streamed) -> None:
    with chatting(answer) as server:
        text, _, reply = turn(service(server.base, protocol))
    assert (text, reply.is_cut) == ("Too lo", True)


def test_busy_service_is_retried_after_the_requested_wait() -> None:
    busy = Refused(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"})
    with chatting(busy, Refused(503), written("Yes.")) as server:
        text, waits, _ = turn(service(server.base))
    assert text == "Yes."
    assert waits == [
        Wait(3.0, "429 Too Many Requests: slow down"),
        Wait(BRV3.service.wait_seconds * 2, "503 Service Unavailable"),
    ]


FAILS: list[tuple[Any, str, int]] = [
    (Refused(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "401 Unauthorized: Incorrect", 1),
    (Refused(401, {"error": {"message": "x" * 295 + KEY}}), f"{'x' * 295}…", 1),
    (Refused(403, "y" * 295 + KEY), f"{'y' * 295}…", 1),
    (Refused(403, "no"), "403 Forbidden: no", 1),
    (Refused(404, {"error": "model not found"}), "404 Not Found: model not found; check llm.url and llm.model", 1),
    (Refused(429, {}, {"Retry-After": "0"}), "429 Too Many Requests: {}, 3 times", 3),
    (Refused(429, {}, {"Retry-After": "3600"}), "a 3600 s wait, which is too long", 1),
    (Refused(500, "broken\x1b[31m"), "500 Internal Server Error: broken␛[31m, 3 times", 3),
    (Refused(302, "", {"Location": "http://example.org"}), "302 Found; redirects are not followed: set llm.url", 1),
    (Refused(400, {"error": {"message": "bad temperature of the room"}}), "400 Bad Request", 2),
    (Streamed([{"choices": []}], kind="text/html"), "the answer is not a stream of events", 1),
    (
        Refused(200, {"error": f"no such method {KEY}"}, {"Content-Type": "application/json"}),
        "(200 OK: no such method …)",
        1,
    ),
    (Streamed(["<html>"]), "an event is not JSON", 1),
    (Streamed(["[1]"]), "an event is not a JSON object", 1),
    (Streamed(["[" * 100_000]), "an event is not JSON", 1),
    (Streamed([{"choices": [3]}]), "does not follow this protocol", 1),
    (
        Streamed([{"choices": []}, {"error": {"message": f"overloaded {KEY}"}}]),
        "the answer was cut off: overloaded …",
        1,
    ),
    (
        Streamed([{"choices": [{"delta": {"content": "half"}}]}], cut=True),
        "cut off: the service closed the connection",
        1,
    ),
    (Streamed([{"choices": [{"delta": {"content": "half"}}]}]), "the answer was cut off before its end", 1),
    (Streamed([]), "the answer was cut off before its end", 1),
]


@pytest.mark.parametrize(("answer", "why", "times"), FAILS, ids=[why for _, why, _ in FAILS])
def test_failing_service_is_reported_in_one_line(answer: Any, why: str, times: int) -> None:
    with chatting(answer) as server:
        result = service(server.base)
        with pytest.raises(ModelError) as raised:
            list(result.turn(ASKED, Cancellation()))
    message = str(raised.value)
    assert why in message
    assert message.startswith("127.0.0.1:")
    assert KEY[:4] not in message
    assert "\n" not in message
    assert len(server.asked) == times


def delta(**parts: Any) -> dict[str, Any]:
    return {"choices": [{"delta": parts}]}


def block(**parts: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "1", **parts}}


def call(**parts: Any) -> dict[str, Any]:
    return {"id": "a", "function": {"name": "x", "arguments": "{}"}, **parts}


@pytest.mark.parametrize(
    ("protocol", "event"),
    [
        ("openai", {"choices": 5}),
        ("openai", delta(content=5)),
        ("openai", delta(tool_calls=[call(index=0), call(index="1")])),
        ("openai", delta(tool_calls=[call(id=5)])),
        ("openai", delta(tool_calls=[call(function={"name": ["x"]})])),
        ("openai", delta(tool_calls=[call(function={"name": "x", "arguments": {}})])),
        ("anthropic", {"type": "content_block_delta", "delta": {"type": "text_delta", "text": 5}}),
        ("anthropic", block(name={"a": 1})),
        ("anthropic", {**block(name="x"), "index": "0"}),
        ("anthropic", {"type": "message_start"}),
    ],
)
def test_malformed_event_is_a_failure(protocol: str, event: dict[str, Any]) -> None:
    with (
        chatting(Streamed([event])) as server,
        pytest.raises(ModelError, match="an event does not follow this protocol"),
    ):
        list(service(server.base, protocol).turn(ASKED, Cancellation()))


def test_calls_with_the_same_index_are_distinguished_by_their_ids() -> None:
    second = [call(id="b", index=0, function={"name": "y", "arguments": '{"a"'}),
              {"index": 0, "id": "c", "function": {"arguments": ": 1}"}}]  # fmt: skip
    events = [delta(tool_calls=[call(index=0)]), *(delta(tool_calls=[piece]) for piece in second)]
    with chatting(Streamed([*events, {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}, "[DONE]"])) as server:
        reply = turn(service(server.base))[2]
    assert reply.calls == (ToolCall("a", "x", "{}"), ToolCall("c", "y", '{"a": 1}')), "a piece without a name goes on"


def test_content_parts_and_refusals_are_read() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    with chatting(
        Streamed([delta(content=[thought, {"type": "text", "text": "Yes"}]), delta(content="."), end]),
        Streamed([delta(content=None, refusal="I may not."), end]),
    ) as server:
        result = service(server.base)
        assert turn(result)[0] == "Yes."
        text, _, reply = turn(result)
    assert (text, reply.notices) == ("I may not.", ("the model refused to answer",))


def test_blocks_that_begin_with_content_are_read() -> None:
    start = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "Let me"}}
    events = [{"type": "message_start", "message": {}}, block(name="read_note", input={"path": "a.md"}), start]
    end = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}
    with chatting(Streamed([*events, end, {"type": "message_stop"}])) as server:
        text, _, reply = turn(service(server.base, "anthropic"))
    assert (text, reply.sent, reply.received) == ("Let me", None, None)
    assert reply.calls == (ToolCall("1", "read_note", '{"path": "a.md"}'),)


def test_lone_surrogate_in_an_answer_is_replaced() -> None:
    with chatting(written("half \ud800 of")) as server:
        assert turn(service(server.base))[0] == "half \ufffd of"


@pytest.mark.parametrize("host", ["a..b", "xn--a", "h\u007f"])
def test_unreachable_host_is_a_failure(host: str) -> None:
    result = service("http://localhost")
    result._endpoint = replace(result._endpoint, base=f"http://{host}/v1")
    with pytest.raises(ModelError, match=r"cannot be (called|reached)"):
        list(result.turn(ASKED, Cancellation()))


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_complete_answer_is_accepted_if_the_connection_breaks(protocol: str) -> None:
    whole = written("all") if protocol == "openai" else messages("all")
    events = [event for event in whole.events if event != "[DONE]"]
    with chatting(Streamed(events, cut=True)) as server:
        assert turn(service(server.base, protocol))[0] == "all"


def test_refused_connection_is_reported() -> None:
    with chatting(written("x")) as server:
        base = server.base
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+: cannot be reached \(Connection refused\); check"):
        list(service(base).turn(ASKED, Cancellation()))


def test_failed_tls_handshake_is_reported() -> None:
    with (
        chatting(written("x")) as server,
        pytest.raises(ModelError, match=r"cannot be reached \(.*SSL.*\); check llm\.url: .* does not use https"),
    ):
        list(service(server.base.replace("http:", "https:")).turn(ASKED, Cancellation()))


def test_connection_reset_is_reported_as_closed_by_the_service() -> None:
    def reset(listening: socket.socket) -> None:
        for _ in range(3):
            connection, _ = listening.accept()
            connection.recv(1 << 16)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(5)
        thread = threading.Thread(target=reset, args=(listening,))
        thread.start()
        with pytest.raises(ModelError, match=r": the service closed the connection, 3 times$"):
            list(service(f"http://127.0.0.1:{listening.getsockname()[1]}/v1").turn(ASKED, Cancellation()))
        thread.join()


def test_silent_service_times_out() -> None:
    never = threading.Event()
    with chatting(replace(written("x", "y"), hold=never)) as server:
        result = service(server.base, timeout=1)
        with pytest.raises(ModelError, match=r"cut off: nothing arrived for 1 s"):
            list(result.turn(ASKED, Cancellation()))
        never.set()


def test_service_that_sends_only_keepalives_times_out() -> None:
    """Comments arrive within the timeout, but do not count as an answer."""
    given_up = threading.Event()

    def comments() -> Iterator[Any]:
        yield delta(content="half")
        for _ in range(5000):
            yield ": keep alive"
            if given_up.wait(0.005):
                break

    with chatting(Streamed(comments())) as server:
        result = service(server.base, timeout=1)
        with pytest.raises(ModelError, match=r"cut off: nothing arrived for 1 s"):
            list(result.turn(ASKED, Cancellation()))
        given_up.set()


@pytest.mark.parametrize(
    ("status", "why"), [(200, "is not a stream of events: check llm.url"), (401, "check the key: llm.key_env")]
)
def test_slow_reply_that_is_not_a_stream_times_out(status: int, why: str) -> None:
    """Each piece arrives in time, but the whole reply does not."""
    given_up = threading.Event()
    sent: list[str] = []

    def pieces() -> Iterator[Any]:
        while len(sent) < 200 and not given_up.wait(0.02):
            sent.append("on")
            yield "on"

    with chatting(Streamed(pieces(), status=status, kind="text/plain")) as server:
        result = service(server.base, timeout=1)
        with pytest.raises(ModelError, match=why) as raised:
            list(result.turn(ASKED, Cancellation()))
        given_up.set()
    assert f"{status} " in str(raised.value)
    assert ": data: on data: on" in str(raised.value), "what has come by then is shown"
    assert len(sent) < 200


@pytest.mark.parametrize(
    ("message", "changes", "notice"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            lambda payload: "max_tokens" not in payload and payload["max_completion_tokens"] == 64, "",
        ),
        (
            "Unsupported value: 'temperature' does not support 0.3 with this model.",
            lambda payload: "temperature" not in payload, "does not accept a temperature",
        ),
        ("mini does not support tools", lambda payload: "tools" not in payload, "cannot call tools"),
        ("unknown field stream_options", lambda payload: "stream_options" not in payload, ""),
    ],
)  # fmt: skip
def test_parameters_rejected_by_a_model_are_dropped_and_reported(
    message: str, changes: Callable[[dict[str, Any]], bool], notice: str
) -> None:
    with chatting(Refused(400, {"error": {"message": message}}), written("Yes.")) as server:
        result = service(server.base)
        text, waits, reply = turn(result)
        turn(result)
    assert (text, waits) == ("Yes.", [])
    assert changes(server.asked[1][1])
    assert changes(server.asked[2][1]), "what was learned is kept"
    assert len(server.asked) == 3
    assert notice in "".join(reply.notices)


def test_events_are_read_at_any_chunk_boundary() -> None:
    """The server writes each event as a chunk, and a character may be split between two chunks."""
    with chatting(Streamed([json.dumps({"choices": [{"delta": {"content": "ü" * 40_000}}]}, ensure_ascii=False),
                            {"choices": [{"delta": {}, "finish_reason": "stop"}]}])) as server:  # fmt: skip
        assert turn(service(server.base))[0] == "ü" * 40_000
