"""``brv-tui delivery`` after prompts that ByteRover's real hook sent to the real engine.

The engine asks a local model service that answers slowly. Only the host is imitated: the test runs the hook as Claude
Code does, and writes the rows that Claude Code writes. To run it:

1. ``npm install byterover-cli@3.14.0 --ignore-scripts`` in an empty folder.
2. ``npm install`` and ``npx tsc`` in a copy of the plugin's repository (``campfirein/brv-claude-plugin``, 1.1.1).
3. Set ``BRV_TUI_BYTEROVER_PACKAGE`` to ``node_modules/byterover-cli``, and ``BRV_TUI_HOOK`` to the plugin's
   ``dist/cli.js``, both as absolute paths.
4. ``.venv/bin/python -m pytest -m long tests/cli/test_delivery_hook.py``
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from brvtui.tree.engine_files.query_log import query_log_folder, read_entry
from brvtui.tree.engine_files.sidecar import project_data
from tests.cli.conftest import Run
from tests.support.chat_server import written
from tests.support.trees import Tree

PACKAGE, HOOK = os.environ.get("BRV_TUI_BYTEROVER_PACKAGE", ""), os.environ.get("BRV_TUI_HOOK", "")
WARM_UP, DIRECT, UNCOVERED, SHORT = "blorptang", "Refresh rotation", "flumoxed zyzzyva", "abcd"
SLOW, SLOW_WITH_MEMORIES = "rollback zyxwvq quokkabeam", "rounding zyxwvq blorptang"
_SERVICES = ("IAM", "COGIT", "BILLING", "GIT_REMOTE", "LLM")


class _Handler(BaseHTTPRequestHandler):
    """An OpenAI-compatible service, which also describes the login service that the engine looks up when it starts."""

    delays: ClassVar[list[float]]
    """The seconds before each of the next answers; later answers come at once."""

    def do_GET(self) -> None:
        login = dict.fromkeys(("issuer", "authorization_endpoint", "token_endpoint"), "http://127.0.0.1/")
        self._send("application/json", json.dumps({**login, "data": [{"id": "slow", "object": "model"}]}))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.delays.pop(0) if self.delays else 0.0)
        events = (event if isinstance(event, str) else json.dumps(event) for event in written("A slow answer.").events)
        self._send("text/event-stream", "".join(f"data: {event}\n\n" for event in events))

    def _send(self, kind: str, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def model_service(delays: list[float]) -> Iterator[str]:
    """The address of a running service."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"delays": delays}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Host:
    """Runs the hook for each prompt and writes a transcript, as Claude Code does."""

    def __init__(self, project: Path, home: Path, service: str) -> None:
        self.project, self.transcripts = project, home / "transcripts"
        for folder in (self.transcripts, home / "bin", home / "tmp"):
            folder.mkdir(parents=True)
        brv = home / "bin" / "brv"
        brv.write_text(f'#!/bin/sh\nexec node "{PACKAGE}/bin/run.js" "$@"\n')
        brv.chmod(0o755)
        own = {f"XDG_{name}_HOME": str(home / name) for name in ("DATA", "CONFIG", "STATE", "CACHE")}
        own |= {f"BRV_{name}_BASE_URL": service for name in _SERVICES}
        own |= {"BRV_WEB_APP_URL": service, "HOME": str(home), "TMPDIR": str(home / "tmp")}
        own |= {"BRV_DISABLE_AUTOUPDATE": "1", "NO_UPDATE_NOTIFIER": "1"}
        self.environment = {**os.environ, **own, "PATH": f"{brv.parent}{os.pathsep}{os.environ['PATH']}"}

    def run(self, *command: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Runs a command in the project."""
        return subprocess.run(
            command, cwd=self.project, env=self.environment, input=given, capture_output=True, text=True, timeout=60
        )

    def prompt(self, text: str) -> None:
        """Runs the hook for a prompt, then writes its rows."""
        file = self.transcripts / "s1.jsonl"
        call = {"session_id": "s1", "transcript_path": str(file), "cwd": str(self.project)}
        given = json.dumps({**call, "hook_event_name": "UserPromptSubmit", "prompt": text})
        asked = datetime.now(UTC)
        done = self.run("node", HOOK, "recall", given=given)
        took = round((datetime.now(UTC) - asked).total_seconds() * 1000)
        self._row(file, asked, "user", message={"role": "user", "content": text})
        hook: dict[str, Any] = {"hookName": "UserPromptSubmit", "hookEvent": "UserPromptSubmit"}
        ended = {"stdout": done.stdout, "stderr": done.stderr, "exitCode": done.returncode, "durationMs": took}
        command = f"node {HOOK} recall #brv-claude-plugin"
        self._row(file, asked, "attachment", attachment={**hook, "type": "hook_success", "command": command, **ended})
        if done.stdout:
            context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
            added = {**hook, "type": "hook_additional_context", "content": [context]}
            self._row(file, asked, "attachment", attachment=added)

    def _row(self, file: Path, at: datetime, kind: str, **values: Any) -> None:
        row = {"type": kind, "sessionId": "s1", "timestamp": at.isoformat(), "cwd": str(self.project), **values}
        with file.open("a") as out:
            out.write(json.dumps(row) + "\n")


@contextmanager
def engine(host: Host, service: str, data: Path) -> Iterator[None]:
    """The engine's processes, which ``brv`` starts by itself and which would outlive the test."""
    try:
        connect = ("brv", "providers", "connect", "openai-compatible", "--base-url", f"{service}/v1", "--model", "slow")
        done = host.run(*connect, "--api-key", "none", "--format", "json")
        assert json.loads(done.stdout)["success"], done.stdout + done.stderr
        host.run("brv", "query", "--format", "json", "--", WARM_UP)
        yield
    finally:
        if (running := data / "daemon.json").exists():
            stop(json.loads(running.read_text())["pid"])


def stop(process: int) -> None:
    """Stops a process that this one did not start, and waits for its end."""
    deadline = time.monotonic() + 15
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGTERM)
        while True:
            os.kill(process, 0 if time.monotonic() < deadline else signal.SIGKILL)
            time.sleep(0.1)


def wait_for_log(project: Path, count: int) -> None:
    """Waits until the engine has logged the ends of ``count`` queries."""
    folder, deadline = query_log_folder(project_data(project)), time.monotonic() + 60
    while True:
        ended = [entry for file in folder.iterdir() if (entry := read_entry(file)) and entry.status == "completed"]
        if len(ended) >= count:
            return
        assert time.monotonic() < deadline, ended
        time.sleep(0.1)


@pytest.mark.long
@pytest.mark.skipif(not (PACKAGE and HOOK), reason="set BRV_TUI_BYTEROVER_PACKAGE and BRV_TUI_HOOK to run it")
@pytest.mark.timeout(240)
def test_real_hook_and_engine_have_the_expected_outcomes(
    project: Tree, run: Run, tmp_path: Path, own_data_folders: Path
) -> None:
    project.notes(40)
    project.age_by_today()
    with model_service([8.5, 0.0, 3.5, 3.5]) as service:
        host = Host(project.root, tmp_path / "home", service)
        with engine(host, service, own_data_folders / "engine"):
            for text in (DIRECT, DIRECT, SHORT, UNCOVERED, SLOW):
                host.prompt(text)
            wait_for_log(project.root, 5)
            host.prompt(SLOW_WITH_MEMORIES)
            wait_for_log(project.root, 6)
    code, out, err = run("delivery", "--transcripts", str(host.transcripts), "--format", "json", now=False)
    assert (code, err) == (0, "")
    found = json.loads(out)
    turns = found["turns"]
    assert [(turn["prompt"], turn["outcome"], turn["tier"]) for turn in turns] == [
        (DIRECT, "delivered", 2),
        (DIRECT, "delivered_again", 0),
        (SHORT, "skipped", None),
        (UNCOVERED, "not_covered", 2),
        (SLOW, "timed_out", 4),
        (SLOW_WITH_MEMORIES, "timed_out", 3),
    ]
    assert turns[0]["documents"][0] == turns[1]["documents"][0] == "auth/jwt/rotation.md"
    assert 8_500 <= turns[4]["duration_ms"] < 12_000
    assert 7_000 <= turns[5]["duration_ms"] < 11_000, "the model answers in 3.5 s, and then writes memories for 3.5 s"
    assert [entry["query"] for entry in found["unmatched_log"]] == [WARM_UP]
    assert found["unknown_rows"] == 0
