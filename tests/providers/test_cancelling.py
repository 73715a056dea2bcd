"""Whoever waits for a model can end it at any moment, and nothing is left behind."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from brvtui.providers.models import model_of
from brvtui.providers.openai_compatible import OpenAIEmbedder
from brvtui.providers.settings import ModelSettings
from brvtui.services.legs import LegError
from brvtui.services.model import (
    Cancellation,
    ModelCancelled,
    TextPiece,
    Wait,
)
from tests.providers.chat import ASKED, service
from tests.support.chat_server import Refused, Streamed, chatting, written
from tests.support.trees import BRV3


def test_cancelling_in_the_middle_of_an_answer_ends_the_connection() -> None:
    never = threading.Event()
    with chatting(replace(written("one", "two"), hold=never)) as server:
        cancellation = Cancellation()
        pieces = service(server.base).turn(ASKED, cancellation)
        canceller = threading.Thread(target=lambda: server.begun.wait(30) and cancellation.cancel())
        canceller.start()
        with pytest.raises(ModelCancelled):
            list(pieces)
        canceller.join()
        assert server.gone.wait(30)
        never.set()


def test_cancelling_while_it_waits_to_ask_again() -> None:
    with chatting(Refused(503, "", {"Retry-After": "8"})) as server:
        made = model_of(ModelSettings("mini", server.base), BRV3.service)
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
    canceller = threading.Thread(target=lambda: looking.wait(30) and cancellation.cancel())
    canceller.start()
    with pytest.raises(ModelCancelled):
        list(service("http://a-name:9/v1").turn(ASKED, cancellation))
    canceller.join()
    answered.set()


@pytest.mark.parametrize(
    "ask",
    [
        "SessionModel(lambda: ModelSettings('mini', 'http://a-name:9/v1'), lambda: load().service).check()",
        "OpenAIEmbedder('http://a-name:9/v1', 'mini', load().service).embed(['tea'])",
    ],
    ids=["model", "embedder"],
)
def test_a_name_that_is_looked_up_for_ever_holds_up_no_exit(ask: str) -> None:
    code = (
        "import signal, socket, threading; from brvtui.providers.session_model import *\n"
        "from brvtui.engines.byterover.profile import load\n"
        "from brvtui.providers.openai_compatible import OpenAIEmbedder\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # what a shell starts behind it ignores it
        "def hangs(*_): print('looking', flush=True); threading.Event().wait()\n"
        f"socket.getaddrinfo = hangs\n{ask}"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stderr is not None
        assert asking.stdout.readline() == b"looking\n"
        asking.send_signal(signal.SIGINT)
        try:
            assert asking.wait(30) != 0
            assert asking.stderr.read().strip().endswith(b"KeyboardInterrupt")
        finally:
            asking.kill()


def test_a_name_that_is_looked_up_for_ever_ends_with_the_time_of_a_try(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: answered.wait() and [])
    asker = OpenAIEmbedder("http://a-name:9/v1", "mini", replace(BRV3.service, timeout_seconds=0.05, tries=1))
    with pytest.raises(LegError, match=r"^a-name:9: no answer within 0\.05 s$"):
        asker.embed(["tea"])
    answered.set()


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


def test_ctrl_c_does_not_wait_for_a_step_that_never_ends() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    async def never(seconds: float) -> None:
        asyncio.get_running_loop().call_soon(interrupt)
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    with chatting(Refused(503)) as server:
        made = service(server.base)
        made._sleep = never
        with pytest.raises(KeyboardInterrupt):
            list(made.turn(ASKED, Cancellation()))


def test_closing_the_iterator_ends_the_connection() -> None:
    never = threading.Event()
    with chatting(Streamed([{"choices": [{"delta": {"content": "one"}}]}, "[DONE]"], hold=never)) as server:
        pieces = service(server.base).turn(ASKED, Cancellation())
        assert next(pieces) == TextPiece("one")
        pieces.close()
        assert server.gone.wait(30)
        never.set()


def test_a_cancellation_before_anything_was_asked() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with chatting(written("x")) as server:
        with pytest.raises(ModelCancelled):
            list(service(server.base).turn(ASKED, cancellation))
        assert server.asked == []
