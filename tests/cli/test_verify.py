"""``brv-tui verify``: missing installations, and the status of existing ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brvtui.store.app_state import VerifiedVersion, remember_verified
from tests.cli.conftest import Run
from tests.support.spaces import small_space

PACKAGE = {"name": "byterover-cli", "version": "3.16.1"}


def test_missing_installation_is_reported_in_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, out, err = run("verify")
    assert (code, out) == (4, "")
    assert err == (
        "brv-tui: byterover-cli is not installed: run npm install -g byterover-cli, or pass its folder with brv-tui "
        "verify --package or BRV_TUI_BYTEROVER_PACKAGE\n"
    )
    (tmp_path / "package.json").write_text(json.dumps(PACKAGE))
    code, _, err = run("verify", "--package", str(tmp_path))
    assert (code, "install Node.js 20 or later" in err) == (4, True)


def test_verify_command_shows_the_installation_status(run: Run, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(json.dumps(PACKAGE))
    status = ("verify", "--status", "--package", str(tmp_path))
    assert run(*status)[:2] == (
        1,
        "byterover-cli 3.16.1 is installed, but profile brv-3 describes 3.14: "
        "brv-tui verify checks whether its answers are the same\n",
    )
    remember_verified(VerifiedVersion("byterover-cli 3.16.1", 1_795_176_000_000.0, 226, 226, "sample-tree"))
    line = "226 of 226 answers match byterover-cli 3.16.1, over sample-tree, 2026-11-20"
    assert run(*status)[:2] == (0, f"{line}\n")
    made = json.loads(run(*status, "--format", "json")[1])
    assert (made["installed"], made["sentence"], made["last"]["same"]) == ("byterover-cli 3.16.1", line, 226)


def test_space_names_match_v4_scripts(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    small_space(tmp_path, 1_795_176_000_000.0)
    bundle = tmp_path / "bundle"
    (bundle / "scripts").mkdir(parents=True)
    (bundle / "scripts/query.mjs").write_text("")
    (bundle / "SKILL.md").write_text("metadata:\n  version: 4.2.0\n")
    code, out, err = run("verify", "--status", "--space", "Small", "--package", str(bundle), inside=False)
    assert (code, err) == (1, "")
    assert out.startswith("byterover skill 4.2.0 is installed, but has not been verified on this machine")


def test_unreadable_queries_file_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "queries.json").write_text('{"not": "a list"}')
    code, _, err = run("verify", "--queries", str(tmp_path / "queries.json"))
    assert (code, "queries.json" in err) == (2, True)
