"""Both chat protocols over a local server: what is sent, what is read, and every way in which a service fails."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from brvtui.providers.chat import ChatService
from brvtui.providers.held_model import HeldModel, ModelSettings
from brvtui.providers.models import address_of, model_of
from brvtui.retrieve.failures import ServiceError
from brvtui.route.model import (
    Cancellation,
    FromModel,
    FromTool,
    FromUser,
    ModelCancelled,
    ModelError,
    Reply,
    Request,
    Text,
    Tool,
    ToolCall,
    Wait,
)
from tests.support.chat_server import ChatServer, Refused, Streamed, called, chatting, messages, written
from tests.support.hybrid import JEFFS

TOOL = Tool("read_note", "Reads.", {"type": "object", "properties": {}})
ASKED = Request("Be right.", (FromUser("Why?"),), (TOOL,), True, 64, 0.3)
KEY = "sk-very-secret"


def service(base: str, protocol: str = "openai", key: str = KEY, timeout: float = 5) -> ChatService:
    """The model there, which waits no longer than its waits are told."""
    made = model_of(ModelSettings(protocol, "mini", base, key, "SOME_KEY", timeout), JEFFS.service)
    assert made is not None

    async def no_sleep(seconds: float) -> None:
        return None

    made._sleep = no_sleep
    return made


def turn(made: ChatService, request: Request = ASKED) -> tuple[str, list[Wait], Reply]:
    pieces = list(made.turn(request, Cancellation()))
    assert isinstance(pieces[-1], Reply)
    text = "".join(piece.text for piece in pieces if isinstance(piece, Text))
    return text, [piece for piece in pieces if isinstance(piece, Wait)], pieces[-1]


def test_chat_completions_stream() -> None:
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


def test_messages_stream() -> None:
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


def test_tool_calls_come_in_pieces() -> None:
    with chatting(called(("search", {"query": "a"}), ("read_note", {"path": "b"}), text="Let me see.")) as server:
        text, _, reply = turn(service(server.base))
    assert text == "Let me see."
    assert reply.calls == (
        ToolCall("call-0", "search", '{"query": "a"}'), ToolCall("call-1", "read_note", '{"path": "b"}'),
    )  # fmt: skip


def test_tool_calls_that_come_whole_and_unnumbered() -> None:
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


def test_a_conversation_in_chat_completions() -> None:
    with chatting(written("So.")) as server:
        turn(service(server.base), TOLD)
    payload = server.asked[0][1]
    assert [message["role"] for message in payload["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "user",
    ]  # fmt: skip
    assert payload["messages"][2]["tool_calls"][1]["function"] == {"name": "list_folder", "arguments": "{}"}
    assert payload["messages"][3] == {"role": "tool", "tool_call_id": "1", "content": "{}"}
    assert payload["tool_choice"] == "none"


def test_a_conversation_in_messages_takes_turns() -> None:
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
def test_an_answer_at_its_limit(protocol: str, answer: Streamed) -> None:
    with chatting(answer) as server:
        text, _, reply = turn(service(server.base, protocol))
    assert (text, reply.is_cut) == ("Too lo", True)


def test_a_busy_service_is_asked_again_as_it_says() -> None:
    busy = Refused(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"})
    with chatting(busy, Refused(503), written("Yes.")) as server:
        text, waits, _ = turn(service(server.base))
    assert text == "Yes."
    assert waits == [
        Wait(3.0, "429 Too Many Requests: slow down"),
        Wait(JEFFS.service.wait_seconds * 2, "503 Service Unavailable"),
    ]


FAILS: list[tuple[Any, str, int]] = [
    (Refused(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "401 Unauthorized: Incorrect", 1),
    (Refused(401, {"error": {"message": "x" * 295 + KEY}}), f"{'x' * 295}…", 1),
    (Refused(403, "y" * 295 + KEY), f"{'y' * 295}…", 1),
    (Refused(403, "no"), "403 Forbidden: no", 1),
    (Refused(404, {"error": "model not found"}), "404 Not Found: model not found", 1),
    (Refused(429, {}, {"Retry-After": "0"}), "429 Too Many Requests: {}, 3 times", 3),
    (Refused(429, {}, {"Retry-After": "3600"}), "it asks to wait 3600 s, which is too long", 1),
    (Refused(500, "broken\x1b[31m"), "500 Internal Server Error: broken␛[31m, 3 times", 3),
    (Refused(302, "", {"Location": "http://example.org"}), "302 Found", 1),
    (Refused(400, {"error": {"message": "bad temperature of the room"}}), "400 Bad Request", 2),
    (Streamed([{"choices": []}], kind="text/html"), "the answer is no stream of events", 1),
    (Streamed(["<html>"]), "an event holds no JSON", 1),
    (Streamed(["[1]"]), "an event holds no JSON object", 1),
    (Streamed(["[" * 100_000]), "an event holds no JSON", 1),
    (Streamed([{"choices": [3]}]), "not of this protocol", 1),
    (Streamed([{"choices": []}, {"error": {"message": f"overloaded {KEY}"}}]), "the answer broke off: overloaded …", 1),
    (Streamed([{"choices": [{"delta": {"content": "half"}}]}], cut=True), "the answer broke off", 1),
    (Streamed([{"choices": [{"delta": {"content": "half"}}]}]), "the answer broke off before its end", 1),
    (Streamed([]), "the answer broke off before its end", 1),
]


@pytest.mark.parametrize(("answer", "why", "times"), FAILS, ids=[why for _, why, _ in FAILS])
def test_a_service_that_fails_says_why_in_one_line(answer: Any, why: str, times: int) -> None:
    with chatting(answer) as server:
        made = service(server.base)
        with pytest.raises(ModelError) as raised:
            list(made.turn(ASKED, Cancellation()))
    said = str(raised.value)
    assert why in said
    assert said.startswith("127.0.0.1:")
    assert KEY[:4] not in said
    assert "\n" not in said
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
def test_an_event_of_another_shape_is_a_failure(protocol: str, event: dict[str, Any]) -> None:
    with chatting(Streamed([event])) as server, pytest.raises(ModelError, match="an event is not of this protocol"):
        list(service(server.base, protocol).turn(ASKED, Cancellation()))


def test_half_a_surrogate_pair_is_replaced() -> None:
    with chatting(written("half \ud800 of")) as server:
        assert turn(service(server.base))[0] == "half \ufffd of"


@pytest.mark.parametrize("host", ["a..b", "xn--a", "h\u007f"])
def test_a_host_that_cannot_be_asked_is_a_failure(host: str) -> None:
    made = service("http://localhost")
    made._endpoint = replace(made._endpoint, base=f"http://{host}/v1")
    with pytest.raises(ModelError, match=r"cannot be (asked|reached)"):
        list(made.turn(ASKED, Cancellation()))


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_an_answer_that_is_whole_when_the_connection_breaks_is_taken(protocol: str) -> None:
    whole = written("all") if protocol == "openai" else messages("all")
    events = [event for event in whole.events if event != "[DONE]"]
    with chatting(Streamed(events, cut=True)) as server:
        assert turn(service(server.base, protocol))[0] == "all"


def test_a_service_that_is_not_there() -> None:
    with chatting(written("x")) as server:
        base = server.base
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+: cannot be reached"):
        list(service(base).turn(ASKED, Cancellation()))


def test_a_service_that_says_nothing_is_given_up() -> None:
    never = threading.Event()
    with chatting(replace(written("x", "y"), hold=never)) as server:
        made = service(server.base, timeout=0.05)
        with pytest.raises(ModelError, match=r"broke off: nothing came for 0\.05 s"):
            list(made.turn(ASKED, Cancellation()))
        never.set()


def test_a_service_that_only_keeps_the_connection_alive_is_given_up() -> None:
    """Comments come sooner than the time that is waited, again and again; they are no piece of an answer."""
    given_up = threading.Event()

    def comments() -> Iterator[Any]:
        yield delta(content="half")
        for _ in range(500):
            yield ": keep alive"
            if given_up.wait(0.005):
                break

    with chatting(Streamed(comments())) as server:
        made = service(server.base, timeout=0.05)
        with pytest.raises(ModelError, match=r"broke off: nothing came for 0\.05 s"):
            list(made.turn(ASKED, Cancellation()))
        given_up.set()


@pytest.mark.parametrize(
    ("said", "changes", "notice"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            lambda payload: "max_tokens" not in payload and payload["max_completion_tokens"] == 64, "",
        ),
        (
            "Unsupported value: 'temperature' does not support 0.3 with this model.",
            lambda payload: "temperature" not in payload, "takes no temperature",
        ),
        ("mini does not support tools", lambda payload: "tools" not in payload, "calls no tools"),
        ("unknown field stream_options", lambda payload: "stream_options" not in payload, ""),
    ],
)  # fmt: skip
def test_what_a_model_does_not_take_is_left_out_and_said(
    said: str, changes: Callable[[dict[str, Any]], bool], notice: str
) -> None:
    with chatting(Refused(400, {"error": {"message": said}}), written("Yes.")) as server:
        made = service(server.base)
        text, waits, reply = turn(made)
        turn(made)
    assert (text, waits) == ("Yes.", [])
    assert changes(server.asked[1][1])
    assert changes(server.asked[2][1]), "what was learned is kept"
    assert len(server.asked) == 3
    assert notice in "".join(reply.notices)


def test_cancelling_in_the_middle_of_an_answer_ends_the_connection() -> None:
    never = threading.Event()
    with chatting(replace(written("one", "two"), hold=never)) as server:
        cancellation = Cancellation()
        pieces = service(server.base).turn(ASKED, cancellation)
        canceller = threading.Thread(target=lambda: server.begun.wait(5) and cancellation.cancel())
        canceller.start()
        with pytest.raises(ModelCancelled):
            list(pieces)
        canceller.join()
        assert server.gone.wait(5)
        never.set()


def test_cancelling_while_it_waits_to_ask_again() -> None:
    with chatting(Refused(503, "", {"Retry-After": "8"})) as server:
        made = model_of(ModelSettings("openai", "mini", server.base), JEFFS.service)
        assert made is not None
        cancellation = Cancellation()
        pieces = made.turn(ASKED, cancellation)
        assert next(pieces) == Wait(8.0, "503 Service Unavailable")
        threading.Timer(0.02, cancellation.cancel).start()
        with pytest.raises(ModelCancelled):
            next(pieces)


def test_cancelling_while_a_name_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    looking, answered = threading.Event(), threading.Event()

    def hangs(*_: object) -> list[object]:
        looking.set()
        answered.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    cancellation = Cancellation()
    canceller = threading.Thread(target=lambda: looking.wait(5) and cancellation.cancel())
    canceller.start()
    with pytest.raises(ModelCancelled):
        list(service("http://a-name:9/v1").turn(ASKED, cancellation))
    canceller.join()
    answered.set()


def test_a_name_that_is_looked_up_for_ever_holds_up_no_exit() -> None:
    code = (
        "import socket, threading; from brvtui.providers.held_model import *\n"
        "def hangs(*_): print('looking', flush=True); threading.Event().wait()\n"
        "socket.getaddrinfo = hangs\n"
        "HeldModel(lambda: ModelSettings('openai', 'mini', 'http://a-name:9/v1')).check()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"looking\n"
        asking.send_signal(signal.SIGINT)
        try:
            assert asking.wait(10) != 0
        finally:
            asking.kill()


@pytest.mark.parametrize("pending", [True, False], ids=["while it waits", "in the middle of a step"])
def test_ctrl_c_goes_through_and_nothing_is_left_behind(pending: bool) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def interrupted(seconds: float) -> None:
        if not pending:
            interrupt()
        asyncio.get_running_loop().call_soon(interrupt)
        await asyncio.Event().wait()

    with chatting(Refused(503)) as server:
        made = service(server.base)
        made._sleep = interrupted
        with pytest.raises(KeyboardInterrupt):
            list(made.turn(ASKED, Cancellation()))


def test_closing_the_iterator_ends_the_connection() -> None:
    never = threading.Event()
    with chatting(Streamed([{"choices": [{"delta": {"content": "one"}}]}, "[DONE]"], hold=never)) as server:
        pieces = service(server.base).turn(ASKED, Cancellation())
        assert next(pieces) == Text("one")
        pieces.close()
        assert server.gone.wait(5)
        never.set()


def test_a_cancellation_before_anything_was_asked() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with chatting(written("x")) as server:
        with pytest.raises(ModelCancelled):
            list(service(server.base).turn(ASKED, cancellation))
        assert server.asked == []


def test_settings_that_are_wrong_say_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_of(ModelSettings(), JEFFS.service) is None
    for url in ("ftp://x", "example.org/v1", "http://", "http://h:99999", "http://h h/", "http://[::1"):
        with pytest.raises(ServiceError, match=r"llm\.url: .* is no address"):
            model_of(ModelSettings("openai", "mini", url), JEFFS.service)
    with pytest.raises(ServiceError, match="holds a user or a password") as told:
        model_of(ModelSettings("openai", "mini", "https://me:hunter2@h/v1"), JEFFS.service)
    assert "hunter2" not in str(told.value)
    for url in ("me:hunter2@h/v1", "https://me:hunter2@h:99999/v1", "https://me:hunter2@[h"):
        with pytest.raises(ServiceError, match="holds a user or a password") as told:
            model_of(ModelSettings("openai", "mini", url), JEFFS.service)
        assert "hunter2" not in str(told.value)
    for url in ("https://h/v1?key=hunter2", "https://h/v1#hunter2"):
        with pytest.raises(ServiceError, match="holds a query or a fragment") as told:
            model_of(ModelSettings("openai", "mini", url), JEFFS.service)
        assert "hunter2" not in str(told.value)
    with pytest.raises(ServiceError, match=r"set llm\.model"):
        model_of(ModelSettings("openai", "", "http://h"), JEFFS.service)
    for key in ("a b", "schlüssel", "a\nb"):
        with pytest.raises(ServiceError, match="the key in SOME_KEY holds characters") as raised:
            model_of(ModelSettings("openai", "mini", "", key, "SOME_KEY"), JEFFS.service)
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.models.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"pip install 'brv-tui\[llm\]'"):
        model_of(ModelSettings("openai", "mini"), JEFFS.service)


def test_the_protocols_own_addresses() -> None:
    assert address_of(ModelSettings("openai")) == "https://api.openai.com/v1"
    assert address_of(ModelSettings("anthropic")) == "https://api.anthropic.com/v1"
    assert address_of(ModelSettings("openai", url="http://localhost:11434/v1/")) == "http://localhost:11434/v1"
    made = model_of(ModelSettings("openai", "mini", "http://localhost:11434/v1"), JEFFS.service)
    assert made is not None
    assert made.name == "mini at localhost:11434"


def test_a_key_is_never_shown() -> None:
    settings = ModelSettings("openai", "mini", "http://localhost:1/v1", KEY, "SOME_KEY")
    made = model_of(settings, JEFFS.service)
    assert made is not None
    held = HeldModel(lambda: settings)
    assert KEY not in repr(settings) + repr(made._endpoint) + repr(held.state) + held.key_words
    assert held.key_words == "from SOME_KEY"


def test_a_model_is_made_anew_when_settings_change() -> None:
    wanted = [ModelSettings("openai", "mini", "http://h/v1")]
    held = HeldModel(lambda: wanted[0])
    held.allow()
    first = held.to_ask()
    assert held.to_ask() is first
    wanted[0] = replace(wanted[0], model="maxi")
    assert held.to_ask() is None  # that one was allowed, not this one
    held.allow()
    other = held.to_ask()
    assert other is not None
    assert (other is first, other.name) == (False, "maxi at h")


def test_it_is_asked_only_when_that_is_allowed() -> None:
    wanted = [ModelSettings("openai", "mini", "http://h/v1")]
    held = HeldModel(lambda: wanted[0])
    assert held.to_ask() is None
    assert not held.state.is_asked
    assert "may not be asked in this session" in held.why_no_call(True)
    held.allow()
    assert held.to_ask() is not None
    assert held.state.is_asked
    assert "before a run" in held.why_no_call(False)
    always = HeldModel(lambda: replace(wanted[0], allowed=True))
    assert always.to_ask() is not None


def check_of(server: ChatServer) -> Any:
    return HeldModel(lambda: ModelSettings("openai", "mini", server.base, KEY)).check()


def test_checking_a_model() -> None:
    with chatting(called(("answer", {"word": "ready"}))) as server:
        found = check_of(server)
    assert (found.answered, found.calls_tools, found.sent, found.received) == (True, True, 100, 10)
    with chatting(written("ready")) as server:
        assert not check_of(server).calls_tools
    with chatting(Refused(401, "no")) as server:
        found = check_of(server)
    assert not found.answered
    assert "401" in found.why
    assert HeldModel(ModelSettings).check() is None


def test_the_library_is_imported_by_the_first_turn_alone() -> None:
    code = (
        "import sys; from brvtui.session import Session; from brvtui.providers.held_model import *;"
        "held = HeldModel(lambda: ModelSettings('openai', 'mini', 'http://127.0.0.1:9/v1', allowed=True));"
        "assert held.to_ask() and held.state.is_asked;"
        "assert not {'httpx', 'pydantic', 'openai', 'anthropic'} & set(sys.modules)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def test_events_are_read_however_they_are_cut_up() -> None:
    """The server writes each event as a chunk; a byte of a character may stand in the next one all the same."""
    with chatting(Streamed([json.dumps({"choices": [{"delta": {"content": "ü" * 40_000}}]}, ensure_ascii=False),
                            {"choices": [{"delta": {}, "finish_reason": "stop"}]}])) as server:  # fmt: skip
        assert turn(service(server.base))[0] == "ü" * 40_000
