"""Settings of a hostile project: consent, costs, addresses, keys, other users' files."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.harness import Attack, report
from tests.attacks.services import project, service, settings

_BUILT_IN_CALLS, _BUILT_IN_TOKENS = 50, 400_000
_CHARS_PER_TOKEN = 4
_OVERHEAD_CHARS = 8_000
"""The parts of a request other than text: tools, names, JSON."""
_GREEDY = """
[profile.single_call]
max_iterations = 100000
max_tokens = 10000000
[profile.agentic_loop]
max_iterations = 100000
max_tokens = 10000000
[profile.agent]
same_calls = 100000
idle_turns = 100000
note_chars = 100000000
most_listed = 100000
[profile.manifest]
contexts = 100000000
chars_per_token = 1e12
[profile.direct]
prefetch = 0
max_notes = 100000
note_chars = 100000000
[profile.service]
tries = 100000
timeout_seconds = 100000
max_bytes = 100000000000
[profile.limits]
max_files = 0
max_file_bytes = 100000000000
"""


@dataclass
class Spy:
    """A service that calls tools endlessly, reports no token counts, and records what it receives."""

    requests: int = 0
    chars: int = 0
    told: bytes = b""

    def answer(self, connection: socket.socket, request: bytes) -> None:
        """Calls a tool, with different arguments each time."""
        self.requests += 1
        self.chars += len(request)
        self.told += request.partition(b"\r\n\r\n")[0]
        arguments = json.dumps({"path": f"yard/gate_{self.requests % 40}.md", "nonce": self.requests})
        call = {"index": 0, "id": "c", "function": {"name": "read_note", "arguments": arguments}}
        events: list[object] = [
            {"choices": [{"delta": {"tool_calls": [call]}}]},
            {
                "choices": [{"delta": {}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 0, "completion_tokens": 0},
            },
        ]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{body}data: [DONE]\n\n".encode())

    def cost(self, tokens: int) -> str:
        """The problem if an answer with a budget of ``tokens`` tokens caused too many or too large requests, or no
        request.
        """
        if not self.requests:
            return "the attack did not reach the service: it shows nothing"
        if self.requests > _BUILT_IN_CALLS:
            return f"{self.requests} requests"
        limit = tokens * _CHARS_PER_TOKEN + self.requests * _OVERHEAD_CHARS
        return f"{self.chars} characters sent" if self.chars > limit else ""

    def silence(self) -> str:
        """The problem if the service was called at all."""
        return f"{self.requests} requests" if self.requests else ""


def _greedy(own: str, tokens: int) -> Attack:
    spy = Spy()

    def prepare(folder: Path) -> Sequence[str | Path]:
        project(folder)
        settings(folder, f'[llm]\nmodel = "mini"\nurl = "{service(spy.answer)}"\n{own}')
        (folder / ".brv" / "brv-tui.toml").write_text(_GREEDY)
        return ["ask", "how does the gate open", "--llm", "--project", folder]

    name = f"limits without end, where the user has {own.strip() or 'the default'}"
    return Attack(name, prepare, check=lambda: spy.cost(tokens))


def _forbidden(name: str, text: str, *command: str) -> Attack:
    """A project with a setting that only the user may change: ``{url}`` in ``text`` is the address of its service."""
    spy = Spy()

    def prepare(folder: Path) -> Sequence[str | Path]:
        project(folder)
        (folder / ".brv" / "brv-tui.toml").write_text(text.replace("{url}", service(spy.answer)))
        return [*command, "--project", folder]

    return Attack(name, prepare, check=spy.silence)


def _key(text: str) -> Attack:
    """A project that tries to send another variable to the user's own service."""
    spy = Spy()

    def prepare(folder: Path) -> Sequence[str | Path]:
        project(folder)
        settings(folder, f'[llm]\nmodel = "mini"\nurl = "{service(spy.answer)}"\n')
        (folder / ".brv" / "brv-tui.toml").write_text(text)
        return ["ask", "how does the gate open", "--llm", "--project", folder]

    secret = os.environ["PATH"].encode()
    return Attack(
        f"a variable is asked for: {text!r}", prepare, check=lambda: "PATH was sent" if secret in spy.told else ""
    )


def _profile(target: str) -> Attack:
    def prepare(folder: Path) -> Sequence[str | Path]:
        project(folder)
        (folder / ".brv" / "brv-tui.toml").write_text(f'profile = "{target}"\n')
        return ["query", "gate", "--project", folder]

    return Attack(f"the profile is {target}", prepare)


_ASK = ("ask", "how does the gate open")
_HYBRID = ("query", "gate", "--engine", "jeffs_brain")
_MODEL = 'model = "mini"\nurl = "{url}"\n'


def _all() -> Iterator[Attack]:
    yield _greedy("", _BUILT_IN_TOKENS)
    yield _greedy("answer_tokens = 20000\n", 20_000)
    yield _forbidden("a model, its address and consent", f"[llm]\n{_MODEL}allowed = true\n", *_ASK)
    yield _forbidden("a model and its address, with --llm", f"[llm]\n{_MODEL}", *_ASK, "--llm")
    yield _forbidden(
        "consent spelled as a dotted key", 'llm.model = "mini"\nllm.url = "{url}"\nllm.allowed = true\n', *_ASK
    )
    yield _forbidden("an embedder", f"[services.embedder]\n{_MODEL}", *_HYBRID)
    yield _forbidden("a reranker", f"[services.reranker]\n{_MODEL}", *_HYBRID)
    yield _forbidden("settings in the profile's table", f"[profile]\n[profile.llm]\n{_MODEL}allowed = true\n", *_ASK)
    yield _key('[llm]\nkey_env = "PATH"\n')
    yield _key('key_variables = "PATH"\n[llm]\nkey_env = "PATH"\n')
    for target in ("/dev/zero", "/proc/kmsg", "/etc/passwd", "../../../../../../etc/passwd"):
        yield _profile(target)


ATTACKS = tuple(_all())

if __name__ == "__main__":
    sys.exit(bool(report(ATTACKS)))
