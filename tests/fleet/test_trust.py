"""A scheduler can run code in the program that asks it, so not every one is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brvtui.fleet.cluster import AUTO, ClusterError, UntrustedScheduler, trusted_address
from tests.fleet.test_cli import run

HERE = (
    "127.0.0.1:8786", "tcp://127.0.0.1:8786", "tcp://127.9.9.9:1", "tcp://localhost:8786", "localhost:8786",
    "tcp://[::1]:8786", "[::1]:8786", "tls://server:8786", "tls://10.0.0.1:8786", "tls://[2001:db8::1]:1",
)  # fmt: skip
ELSEWHERE = (
    "tcp://10.0.0.1:8786", "10.0.0.1:8786", "server:8786", "tcp://server:8786", "tcp://[2001:db8::1]:8786",
    "tcp://127.0.0.1.example.org:1", "tcp://localhost.example.org:1", "tcp://localhost@example.org:1",
    "tcp://127.0.0.1:1@example.org:2", "tcp://example.org/127.0.0.1:1", "tcp://0.0.0.0:1", "ucx://127.0.0.1:1",
    "ws://localhost:1", "tls://x://example.org:1", "tls:example.org:1", "TLS//example.org:1", "tcp://:1", "tcp://",
    "tls://", "inproc://1/2/3", "unix:///tmp/s", "tcp://localhost:1\n@example.org", "tls://a b:1", "gateway://h:1",
    "tcp://tls://h:1", "tcp://2130706433:1", "tcp://0x7f.1:1", "tcp://ⅼocalhost:1",
    "scheduler.example:8786", "tcp://0.0.0.0:8786", "ws://10.0.0.1:8786", "tcp://localhost.example.org:8786",
    "tcp://127.0.0.1.example.org:8786", "tcp://127.0.0.1@example.org:8786", "tcp://127.0.0.1:1@example.org:8786",
    "tcp://example.org:8786#127.0.0.1", "tcp://example.org/tls://x:1", "tcp://[::ffff:10.0.0.1]:8786",
    "tcp://2130706433:8786", " tls://example.org:8786", "tcptls://example.org:1", "tcp://tls:8786",
    "tcp://example.org:8786\ntls://x:1", "wss://example.org:8786", "ucx://example.org:1",
)  # fmt: skip


@pytest.mark.parametrize("address", HERE)
def test_this_machine_and_tls_are_accepted(address: str) -> None:
    assert trusted_address(address, False) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_other_addresses_must_be_trusted(address: str) -> None:
    with pytest.raises(UntrustedScheduler, match=r"can run code in this process: .*--trust-scheduler"):
        trusted_address(address, False)
    assert trusted_address(address, True) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_a_scheduler_file_grants_nothing(tmp_path: Path, address: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address, "trust_scheduler": True, "type": "Scheduler"}))
    with pytest.raises(UntrustedScheduler):
        trusted_address(str(file), False)
    file.write_text(json.dumps({"address": "tcp://127.0.0.1:1"}))
    assert trusted_address(str(file), False) == "tcp://127.0.0.1:1"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"address": null}', '{"address": 5}', '{"address": ["tls://h:1"]}', "5"]
)
def test_a_file_without_an_address_is_a_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    with pytest.raises(ClusterError):
        trusted_address(str(file), False)


def test_a_file_that_looks_like_an_address_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tcp:").mkdir()
    for name in ("localhost:8786", "tcp:/127.0.0.1:8786", AUTO):
        (tmp_path / name).write_text(json.dumps({"address": "tcp://127.0.0.1:666"}))
    for address in ("localhost:8786", "tcp://127.0.0.1:8786"):
        assert trusted_address(address, False) == address
    monkeypatch.setattr("dask.config.config", {})
    with pytest.raises(ClusterError, match="names no scheduler"):
        trusted_address(AUTO, False)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:1", 5, None, ["tls://x:1"]])
def test_dasks_configuration_grants_nothing(address: object) -> None:
    config = pytest.importorskip("dask.config")
    with (
        config.set({"scheduler-address": address, "trust-scheduler": True}),
        pytest.raises(UntrustedScheduler if isinstance(address, str) else ClusterError),
    ):
        trusted_address(AUTO, False)
    with config.set({"scheduler-address": "tls://10.0.0.1:1"}):
        assert trusted_address(AUTO, False) == "tls://10.0.0.1:1"


@pytest.mark.long
@pytest.mark.parametrize("command", [["query", "x"], ["explain", "x", "a.md"], ["health"], ["eval"], ["maturity"]])
def test_every_command_refuses_in_one_line(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / ".brv" / "context-tree").mkdir(parents=True)
    code, out, err = run(tmp_path, *command, "--over", ".", "--scheduler", "tcp://10.0.0.1:8786")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "add --trust-scheduler if you trust it" in err


def test_no_fleet_and_no_variable_grants_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fleet.toml").write_text('trust_scheduler = true\n[[member]]\npath = "."\n')
    assert run(tmp_path, "query", "x")[::2] == (
        3, "brv-tui: fleet.toml: trust_scheduler cannot be used: a fleet has a name and tables [[member]]\n",
    )  # fmt: skip
    for name in ("BRV_TUI_TRUST_SCHEDULER", "TRUST_SCHEDULER", "BRV_TUI_FLEET_QUERY_TRUST_SCHEDULER"):
        monkeypatch.setenv(name, "1")
    assert run(tmp_path, "query", "x", "--over", ".", "--scheduler", "tcp://10.0.0.1:8786")[0] == 2
