"""The model of the settings: what they must be, whether it may be asked, and that its key is never shown."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from brvtui.config.schema import assemble
from brvtui.providers.models import address_of, model_of
from brvtui.providers.session_model import SessionModel
from brvtui.providers.settings import ModelSettings
from brvtui.services.legs import ServiceError
from brvtui.session import session_model
from tests.providers.chat import KEY
from tests.support.chat_server import ChatServer, Refused, called, chatting, written
from tests.support.trees import BRV3


def test_settings_that_are_wrong_say_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_of(ModelSettings(), BRV3.service) is None
    for url in ("ftp://x", "example.org/v1", "http://", "http://h:99999", "http://h h/", "http://[::1"):
        with pytest.raises(ServiceError, match=r"llm\.url: .* is not an address"):
            model_of(ModelSettings("mini", url), BRV3.service)
    with pytest.raises(ServiceError, match="holds a user or a password") as told:
        model_of(ModelSettings("mini", "https://me:hunter2@h/v1"), BRV3.service)
    assert "hunter2" not in str(told.value)
    for url in ("me:hunter2@h/v1", "https://me:hunter2@h:99999/v1", "https://me:hunter2@[h"):
        with pytest.raises(ServiceError, match="holds a user or a password") as told:
            model_of(ModelSettings("mini", url), BRV3.service)
        assert "hunter2" not in str(told.value)
    for url in ("https://h/v1?key=hunter2", "https://h/v1#hunter2"):
        with pytest.raises(ServiceError, match="holds a query or a fragment") as told:
            model_of(ModelSettings("mini", url), BRV3.service)
        assert "hunter2" not in str(told.value)
    with pytest.raises(ServiceError, match=r"set llm\.model"):
        model_of(ModelSettings("", "http://h"), BRV3.service)
    for key in ("a b", "schlüssel", "a\nb"):
        with pytest.raises(ServiceError, match="the key in SOME_KEY holds characters") as raised:
            model_of(ModelSettings("mini", "", key, "SOME_KEY"), BRV3.service)
        assert key not in str(raised.value)
    monkeypatch.setattr("brvtui.providers.http.find_spec", lambda name: None)
    with pytest.raises(ServiceError, match=r"pip install 'brv-tui\[llm\]'"):
        model_of(ModelSettings("mini"), BRV3.service)


def test_the_protocols_own_addresses() -> None:
    assert address_of(ModelSettings()) == "https://api.openai.com/v1"
    assert address_of(ModelSettings(protocol="anthropic")) == "https://api.anthropic.com/v1"
    assert address_of(ModelSettings(url="http://localhost:11434/v1/")) == "http://localhost:11434/v1"
    made = model_of(ModelSettings("mini", "http://localhost:11434/v1"), BRV3.service)
    assert made.name == "mini at localhost:11434"


def test_what_is_set_for_an_address_is_shown_also_when_it_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_key_is_never_shown() -> None:
    settings = ModelSettings("mini", "http://localhost:1/v1", KEY, "SOME_KEY")
    made = model_of(settings, BRV3.service)
    held = SessionModel(lambda: settings, lambda: BRV3.service)
    assert KEY not in repr(settings) + repr(made._endpoint) + repr(held.state) + held.key_source
    assert held.key_source == "from SOME_KEY"


def test_a_model_is_made_anew_when_settings_change() -> None:
    wanted = [ModelSettings("mini", "http://h/v1")]
    held = SessionModel(lambda: wanted[0], lambda: BRV3.service)
    held.allow()
    first = held.allowed_model()
    assert held.allowed_model() is first
    wanted[0] = replace(wanted[0], model="maxi")
    assert held.allowed_model() is None  # that one was allowed, not this one
    held.allow()
    other = held.allowed_model()
    assert (other is first, other.name) == (False, "maxi at h")


def test_it_is_asked_only_when_that_is_allowed() -> None:
    wanted = [ModelSettings("mini", "http://h/v1")]
    held = SessionModel(lambda: wanted[0], lambda: BRV3.service)
    assert held.allowed_model() is None
    assert not held.state.allowed
    assert "may not be asked in this session" in held.why_not_asked(True)
    held.allow()
    assert held.allowed_model() is not None
    assert held.state.allowed
    assert not held.state.problem
    assert "before a run" in held.why_not_asked(False)
    always = SessionModel(lambda: replace(wanted[0], allowed=True), lambda: BRV3.service)
    assert always.allowed_model() is not None


def check_of(server: ChatServer) -> Any:
    return SessionModel(lambda: ModelSettings("mini", server.base, KEY), lambda: BRV3.service).check()


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
    assert SessionModel(ModelSettings, lambda: BRV3.service).check() is None


def test_the_library_is_imported_by_the_first_turn_alone() -> None:
    code = (
        "import sys; from brvtui.session import Session; from brvtui.providers.session_model import *;"
        "from brvtui.engines.byterover.profile import load;"
        "held = SessionModel(lambda: ModelSettings('mini', 'http://127.0.0.1:9/v1', allowed=True),"
        " lambda: load().service);"
        "assert held.allowed_model() and held.state.allowed;"
        "assert not {'httpx', 'pydantic', 'openai', 'anthropic'} & set(sys.modules)"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


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
