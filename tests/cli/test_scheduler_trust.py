"""A Dask scheduler can run code in the process that asks it, so the user has to trust one on another machine."""

from __future__ import annotations

import json
from pathlib import Path

import dask
import pytest

from brvtui.fleet.cluster import AUTO, ClusterError, UntrustedScheduler, trusted_address
from tests.cli.conftest import Run

TRUSTED = ("tcp://127.0.0.1:8786", "127.0.0.1:8786", "tcp://127.9.9.9:1", "tcp://[::1]:8786", "localhost:8786",
           "tcp://localhost:8786", "tls://scheduler.example:8786", "tls://10.0.0.1:8786")  # fmt: skip
UNTRUSTED = (
    "tcp://10.0.0.1:8786", "10.0.0.1:8786", "scheduler.example:8786", "tcp://0.0.0.0:8786", "ws://10.0.0.1:8786",
    "tcp://localhost.evil.example:8786", "tcp://127.0.0.1.evil.example:8786", "tcp://127.0.0.1@evil.example:8786",
    "tcp://127.0.0.1:1@evil.example:8786", "tcp://evil.example:8786#127.0.0.1", "tcp://evil.example/tls://x:1",
    "tcp://[::ffff:10.0.0.1]:8786", "tcp://2130706433:8786", " tls://evil.example:8786", "tcptls://evil.example:1",
    "tcp://tls:8786", "tcp://evil.example:8786\ntls://x:1", "wss://evil.example:8786", "ucx://evil.example:1",
)  # fmt: skip


@pytest.mark.parametrize("address", TRUSTED)
def test_this_machine_and_tls_are_accepted(address: str) -> None:
    assert trusted_address(address, False) == address


@pytest.mark.parametrize("address", UNTRUSTED)
def test_other_schedulers_need_the_users_word(address: str) -> None:
    with pytest.raises(UntrustedScheduler, match="--trust-scheduler"):
        trusted_address(address, False)
    assert trusted_address(address, True) == address


@pytest.mark.parametrize("address", [UNTRUSTED[0], UNTRUSTED[5], 5, None, ["tls://x:1"]])
def test_a_scheduler_file_and_dasks_settings_grant_nothing(address: object, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address, "trusted": True, "trust_scheduler": True}), encoding="utf-8")
    with pytest.raises(UntrustedScheduler):
        trusted_address(str(file), False)
    with dask.config.set({"scheduler-address": address}), pytest.raises(ClusterError):
        trusted_address(AUTO, False)


def test_a_command_refuses_it_before_it_connects(run: Run, tmp_path: Path) -> None:
    code, _, err = run("fleet", "query", "x", "--over", str(tmp_path), "--scheduler", UNTRUSTED[0], inside=False)
    assert (code, "add --trust-scheduler" in err) == (2, True)
