"""A query text of - comes from standard input."""

from __future__ import annotations

import io
import json
import sys

import pytest

from tests.cli.conftest import Run

COMMANDS = [("query",), ("ask",), ("explain", "billing/invoices/rounding.md"), ("find",)]


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Lets the next command read ``data`` from standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def called(run: Run, command: tuple[str, ...], text: str) -> tuple[int, str, str]:
    """Runs ``command`` with ``text`` as its first argument."""
    name, *others = command
    return run(name, text, *others, "--format", "json")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_piped_text_gives_the_same_answer_as_an_argument(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def timeless(out: str) -> list[object]:
        """The JSON without measured times."""
        values = [json.loads(line) for line in out.splitlines()]
        for value in values:
            for trace in (value, value.get("trace", {})):
                trace.pop("timings", None)
        return values

    code, out, _ = called(run, command, "invoice rounding é")
    pipe(monkeypatch, "  invoice rounding é\r\n".encode())
    piped_code, piped, err = called(run, command, "-")
    assert (piped_code, timeless(piped)) == (code, timeless(out)), err
    assert "rounding" in out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize("data", [b"", b" \n\t\n"])
def test_empty_standard_input_is_wrong_usage(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], data: bytes
) -> None:
    pipe(monkeypatch, data)
    code, out, err = called(run, command, "-")
    assert (code, out) == (2, "")
    assert "standard input is empty" in err


def test_standard_input_is_read_only_up_to_the_longest_query(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = io.BytesIO(b"rotation " * 1_000_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(endless)))
    code, out, err = run("query", "-")
    assert (code, out) == (2, "")
    assert "standard input has more than 10,000 characters" in err
    assert endless.tell() < 1_000_000
    pipe(monkeypatch, b"a" * 10_001)
    assert run("query", "-")[0] == 2
    pipe(monkeypatch, b"rotation \xff\xfe\x00\x1b[31m")
    code, out, _ = run("query", "-")
    assert code in (0, 1)
    assert "\x1b" not in out
