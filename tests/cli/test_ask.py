"""``ask`` and ``llm check``: terminal output, JSON, and exit codes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.conftest import NOW, Run
from tests.support.chat_server import ChatServer, Refused, called, chatting, written
from tests.support.trees import Tree

ANSWER = "## Summary\nBy a new one.\n## Details\nEach use.\n## Sources\n- auth/jwt/rotation.md\n## Gaps\nNone."
KEY = "sk-very-secret"
TIER_4, TIER_3, DIRECT = "sessions end", "rounded cents", "deploy/rollback.md"
Set = Callable[[ChatServer], None]


@pytest.fixture
def set_model(monkeypatch: pytest.MonkeyPatch) -> Set:
    def made(server: ChatServer) -> None:
        for name, value in {"MODEL": "mini", "URL": server.base, "KEY": KEY}.items():
            monkeypatch.setenv(f"BRV_TUI_LLM_{name}", value)

    return made


@pytest.fixture
def old(project: Tree) -> Tree:
    """``sessions end`` matches no note well enough to quote it."""
    project.note("auth/jwt/expiry.md", "Session expiry", "Sessions end; a refresh moves the end.", 300)
    project.notes(30)
    return project


def test_answer_goes_to_stdout_and_messages_go_to_stderr(run: Run, old: Tree, set_model: Set) -> None:
    with chatting(called(("read_note", {"path": "auth/jwt/expiry.md"})), written("\x1b[31m", ANSWER)) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
    assert (code, out) == (0, f"␛[31m{ANSWER}\n")
    assert "TIER 4" in err
    assert f"asking mini at {server.base[7:-3]}" in err
    assert '1. read_note {"path": "auth/jwt/expiry.md"}' in err
    assert "2 calls, 1 tool, 200 tokens sent, 20 received" in err
    assert KEY not in out + err


def test_text_before_tool_calls_is_not_part_of_the_answer(run: Run, old: Tree, set_model: Set) -> None:
    first = called(("read_note", {"path": "auth/jwt/expiry.md"}), text="Let me look for that first.")
    with chatting(first, written(ANSWER)) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
    assert (code, out) == (0, f"{ANSWER}\n")
    assert "Let me look for that first.\n" in err


def test_pipe_gets_final_answer_and_terminal_shows_drafts(
    run: Run, old: Tree, set_model: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = "## Summary\nLet me look for that first."
    first = called(("read_note", {"path": "auth/jwt/expiry.md"}), text=draft)
    with chatting(first, written(ANSWER), first, written(ANSWER), first, Refused(401, "no")) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
        assert (code, out) == (0, f"{ANSWER}\n")
        assert f"{draft}\n" in err
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        code, out, err = run("ask", TIER_4, "--llm")
        assert (code, out) == (0, f"{draft}\n{ANSWER}\n")
        assert "the text above is not the answer yet: the model continues\n" in err
        code, out, err = run("ask", TIER_4, "--llm")
        assert code == 4
        assert out.startswith(f"{draft}\n## Summary\nComposed without a model")
        assert err.splitlines()[-1].endswith(": 401 Unauthorized: no; check the key: llm.key_env names its variable")


def test_blank_last_turn_leaves_the_extractive_answer(run: Run, old: Tree, set_model: Set) -> None:
    again = called(("read_note", {"path": "auth/jwt/expiry.md"}))
    with chatting(again, again, again, written(" \n", "\n ")) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
    assert (code, len(server.asked)) == (0, 4)
    assert out.startswith("## Summary\nComposed without a model")
    assert "what stands above" not in err
    assert "wrote nothing" in err


def test_interrupted_answer_keeps_its_text(
    run: Run, old: Tree, set_model: Set, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(written("## Summary\nHalf", " an answer"), cut=True)
    broken.events = list(broken.events)[:3]
    with chatting(broken) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
        assert code == 4
        assert out.startswith("## Summary\nComposed without a model")
        assert "Half an answer\n" in err
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        code, out, err = run("ask", TIER_4, "--llm")
        assert out.startswith("## Summary\nHalf an answer\n## Summary\nComposed without a model")
        assert "the answer above is incomplete; the answer without the model:\n" in err


def test_extractive_answer_replaces_a_failed_later_turn(run: Run, old: Tree, set_model: Set) -> None:
    first = called(("read_note", {"path": "auth/jwt/expiry.md"}), text="Let me look for that first.")
    with chatting(first, Refused(401, "no")) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
    assert code == 4
    assert "Composed without a model" in out
    assert "Let me look" not in out
    assert "401" in err


def test_json_output_contains_the_trace(run: Run, old: Tree, set_model: Set) -> None:
    with chatting(called(("read_note", {"path": "auth/jwt/expiry.md"})), written(ANSWER)) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm", "--format", "json")
    trace = json.loads(out)["trace"]
    assert (code, err) == (0, "")
    assert (trace["tier"], trace["mode"], trace["answer"]["kind"], trace["answer"]["text"]) == (
        4,
        "run",
        "model",
        ANSWER,
    )
    completion = trace["answer"]["completion"]
    assert [step["tool"] for step in completion["steps"]] == ["read_note"]
    assert completion["ended"] == "answered"
    assert KEY not in out


@pytest.mark.parametrize("form", ["text", "json"])
def test_api_key_repeated_by_the_model_is_masked(run: Run, old: Tree, set_model: Set, form: str) -> None:
    first = called(("read_note", {"path": f"{KEY}.md"}), text=f"You sent Bearer {KEY}.")
    with chatting(first, written("## Summary\nBearer sk-ve", "ry-secret")) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm", "--format", form)
    assert code == 0
    assert KEY not in out + err
    assert "Bearer …" in (out if form == "text" else json.loads(out)["trace"]["answer"]["text"])


def test_no_model_is_called_without_permission(run: Run, old: Tree, set_model: Set) -> None:
    with chatting(written(ANSWER)) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4)
    assert (code, server.asked) == (0, [])
    assert "Composed without a model" in out
    assert "is not allowed in this session" in err
    assert err.endswith("to let the model answer, add --llm\n")
    assert out.endswith("No one has checked whether they answer the question.\n")


def test_missing_model_is_reported_with_the_extractive_answer(run: Run, old: Tree) -> None:
    code, out, err = run("ask", TIER_4, "--llm")
    assert code == 4
    assert "- Sessions end; a refresh moves the end. (.brv/context-tree/auth/jwt/expiry.md)" in out
    assert "No model is set" in err
    assert err.splitlines()[-1] == (
        "brv-tui: this answer needs a model, but none is set: set llm.model in your settings"
        " (brv-tui config shows the file), or the variable BRV_TUI_LLM_MODEL"
    )
    code, out, err = run("ask", TIER_4, "--llm", "--format", "json")
    assert (code, json.loads(out)["trace"]["answer"]["kind"], err.count("\n")) == (4, "extractive", 1)
    assert run("ask", TIER_4)[0] == 0, "nobody asked for a model"
    assert run("ask", DIRECT, "--llm")[0] == 0, "this answer needs none"


def test_misconfigured_model_is_reported_with_the_extractive_answer(
    run: Run, old: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRV_TUI_LLM_MODEL", "mini")
    monkeypatch.setenv("BRV_TUI_LLM_URL", "ftp://models.example/v1")
    code, out, err = run("ask", TIER_4, "--llm")
    assert (code, "Composed without a model" in out) == (2, True)
    assert "this answer needs a model, but the configured one cannot be used: " in err.splitlines()[-1]


def test_ask_command_answers_without_a_model(run: Run, old: Tree) -> None:
    code, out, err = run("ask", DIRECT)
    assert (code, "One command takes the last release back." in out) == (0, True)
    assert "TIER 2" in err
    code, out, _ = run("ask", "zebra")
    assert (code, "is not covered" in out) == (1, True)


@pytest.mark.parametrize("text", ["", " \n"])
def test_empty_question_is_a_usage_error(run: Run, old: Tree, text: str) -> None:
    code, out, err = run("ask", text)
    assert (code, out) == (2, "")
    assert err == "brv-tui: TEXT is empty: write what you want to know; see brv-tui ask --help\n"
    assert run("query", text)[0] == 1, "its route can be looked at"


def test_failed_model_call_is_reported_with_advice(run: Run, old: Tree, set_model: Set) -> None:
    with chatting(Refused(401, f"bad key {KEY}")) as server:
        set_model(server)
        code, out, err = run("ask", TIER_4, "--llm")
        assert code == 4
        assert "Composed without a model" in out
        advice = "check the key: llm.key_env names its variable"
        assert err.splitlines()[-2:] == [
            f"mini at {server.base[7:-3]}: no call was completed",
            f"brv-tui: {server.base[7:-3]}: 401 Unauthorized: bad key …; {advice}",
        ]
        assert err.count("401 Unauthorized") == 1
        code, out, err = run("ask", TIER_4, "--llm", "--format", "json")
        assert code == 4
        assert json.loads(out)["trace"]["answer"]["completion"]["ended"] == "failed"


def test_llm_check_reports_the_model_status(run: Run, set_model: Set) -> None:
    with chatting(called(("answer", {"word": "ready"}))) as server:
        set_model(server)
        code, out, _ = run("llm", "check", now=False)
        assert code == 0
        assert "and calls tools" in out
        assert "from BRV_TUI_LLM_KEY" in out
        assert server.base in out
        assert KEY not in out
        code, out, _ = run("llm", "check", "--format", "json", now=False)
    found = json.loads(out)
    assert (found["model"], found["check"]["calls_tools"], found["problem"]) == ("mini", True, "")


def test_llm_check_runs_without_a_project(
    run: Run, set_model: Set, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with chatting(called(("answer", {"word": "ready"}))) as server:
        set_model(server)
        code, out, err = run("llm", "check", inside=False)
        assert (code, err) == (0, "")
        assert "and calls tools" in out
    code, _, err = run("llm", "check", "--project", "nowhere", inside=False)
    assert code == 3
    assert "no such folder" in err


def test_llm_check_warns_if_model_lacks_tool_calls(run: Run, set_model: Set) -> None:
    with chatting(written("ready")) as server:
        set_model(server)
        assert "cannot call tools, which tier 4 needs" in run("llm", "check", now=False)[1]


def test_llm_check_reports_unusable_settings(run: Run, set_model: Set, monkeypatch: pytest.MonkeyPatch) -> None:
    code, _, err = run("llm", "check", now=False)
    assert code == 1
    assert "no model is set: set llm.model" in err
    with chatting(Refused(404, {"error": {"message": "no such model"}})) as server:
        set_model(server)
        code, _, err = run("llm", "check", now=False)
    assert code == 4
    assert "404 Not Found: no such model" in err
    monkeypatch.setenv("BRV_TUI_LLM_URL", "nowhere")
    code, out, err = run("llm", "check", now=False)
    assert code == 2
    assert "llm.url: nowhere is not an address" in err
    assert "url       nowhere" in out.splitlines()
    monkeypatch.setenv("BRV_TUI_LLM_URL", "https://me:hunter2@nowhere/v1")
    code, out, err = run("llm", "check", now=False)
    assert code == 2
    assert "hunter2" not in out + err
    assert "url       –" in out.splitlines()


def test_show_command_accepts_the_ask_commands_json_output(run: Run, old: Tree, set_model: Set, tmp_path: Path) -> None:
    with chatting(called(("read_note", {"path": "auth/jwt/expiry.md"})), written(ANSWER)) as server:
        set_model(server)
        (tmp_path / "asked.json").write_text(run("ask", TIER_4, "--llm", "--format", "json")[1])
    code, out, _ = run("show", str(tmp_path / "asked.json"), inside=False)
    assert code == 0
    assert "2 calls · 1 tool" in out
    assert "1. read_note" in out


def test_ctrl_c_closes_the_connection_to_the_model(old: Tree, set_model: Set) -> None:
    streamed = written("By ", "never")
    streamed.hold = threading.Event()
    with chatting(streamed) as server:
        set_model(server)
        command = [sys.executable, "-m", "brvtui", "ask", TIER_4, "--llm", "--project", str(old.root), "--now", NOW]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asking:
            assert server.begun.wait(30)
            asking.send_signal(signal.SIGINT)
            out, err = asking.communicate(timeout=30)
        assert server.gone.wait(30)
        streamed.hold.set()
    assert (asking.returncode, err.splitlines()[-1]) == (4, "brv-tui: interrupted")
    assert out == "", "nobody waits for an answer any more"
    assert "Traceback" not in err
