"""The installed engine in the app: its status, a verification in the background, and the migration from 3 to 4."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.project.opening import Opening
from brvtui.app.versions.migration_dialog import MigrationDialog, MigrationList, MigrationText, VersionsDialog
from brvtui.engines.verification.installed import PACKAGE_VARIABLE, NotInstalled, find_node, find_package
from brvtui.lab.judgments import reading
from brvtui.store.app_state import VerifiedVersion, remember_verified
from tests.app.driving import NARROW, WIDE, on, settled, until
from tests.app.looking import AppPilot, brv, flat, shown, toast_text, toasts
from tests.support.trees import NOW_MS, Tree
from tests.support.untouched import state_of

ENVIRONMENT = dict(os.environ)
JUDGED = '[[query]]\nid = "{0}"\ntext = "{0}"\ndocuments = [{{ path = "deploy/rollback.md", grade = 3 }}]\n'


async def opened(pilot: AppPilot) -> VersionsDialog:
    """Opens the dialog about the installed engine."""
    await settled(pilot)
    await on(pilot, VersionsDialog, "escape", "W")
    found = pilot.app.screen
    assert isinstance(found, VersionsDialog)
    return found


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, version: str = "3.16.1") -> None:
    (folder / "package.json").write_text(json.dumps({"name": "byterover-cli", "version": version}))
    monkeypatch.setenv(PACKAGE_VARIABLE, str(folder))


async def test_dialog_shows_the_installed_version_and_its_status(
    app: BrvTui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch)
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert "byterover-cli 3.16.1 is installed, but profile brv-3 describes 3.14" in shown(pilot)
        await pilot.press("escape")
        remember_verified(VerifiedVersion("byterover-cli 3.16.1", NOW_MS, 226, 226, "garden"))
        await opened(pilot)
        assert "226 of 226 answers match byterover-cli 3.16.1, over garden, 2026-11-20" in shown(pilot)


async def test_unknown_version_is_reported_once_the_notes_are_shown(
    garden: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch, "3.99.0")
    message = "byterover-cli 3.99.0 is installed, but profile brv-3 describes 3.14: W checks whether"
    async with BrvTui(Opening(garden.root, now_ms=NOW_MS)).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: any(one.startswith(message) for one in toasts(pilot)))
    remember_verified(VerifiedVersion("byterover-cli 3.99.0", NOW_MS, 226, 226, "garden"))
    async with BrvTui(Opening(garden.root, now_ms=NOW_MS)).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "3.99.0" not in toast_text(pilot)


async def test_verification_without_the_package_is_reported(
    app: BrvTui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        assert "is not installed" in shown(pilot)
        assert "v verify" not in shown(pilot)
        assert "m 3 to 4" in shown(pilot)
        await pilot.press("v")
        assert not brv(pilot).versions.is_asking
        brv(pilot).versions.verify()  # simulates an engine that was removed while the dialog was open
        await until(pilot, lambda: "is not installed" in toast_text(pilot))
        await until(pilot, lambda: not brv(pilot).versions.is_asking)


@pytest.mark.long
async def test_verification_runs_in_the_background(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        find_node()
        installed = find_package(None, ENVIRONMENT)
    except NotInstalled as error:
        pytest.skip(str(error))
    monkeypatch.setenv(PACKAGE_VARIABLE, str(installed.folder))
    before = state_of(garden.root)
    app = BrvTui(Opening(garden.root, now_ms=NOW_MS))
    async with app.run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("v")
        await until(pilot, lambda: brv(pilot).versions.result is not None, seconds=90)
        result = brv(pilot).versions.result
        assert result is not None
        assert (result.differences, result.engine) == ((), installed.name)
        await opened(pilot)
        assert f"In this session: {result.sentence}" in flat(pilot)
    assert state_of(garden.root) == before


async def test_migration_dialog_counts_judged_queries_that_would_take_too_long(
    garden: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgments = garden.root / ".brv/brv-tui/judgments.toml"
    judgments.parent.mkdir(exist_ok=True)
    judgments.write_text("".join(map(JUDGED.format, ("one", "two", "six"))))
    monkeypatch.setattr(reading, "_MOST_RUN", 2 * 203 * 2)
    async with BrvTui(Opening(garden.root, now_ms=NOW_MS)).run_test(size=WIDE) as pilot:
        await opened(pilot)
        await on(pilot, MigrationDialog, "m")
        choices = pilot.app.screen.query_one(MigrationList).choices
        assert sum(choice.startswith("query ") for choice in choices) == 2
        assert "1 judged query is not run," in flat(pilot)


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_migration_dialog_previews_changes_without_writing(garden: Tree, size: tuple[int, int]) -> None:
    judgments = garden.root / ".brv/brv-tui/judgments.toml"
    judgments.parent.mkdir(exist_ok=True)
    judgments.write_text(JUDGED.format("rollback"))
    before = state_of(garden.root)
    app = BrvTui(Opening(garden.root, now_ms=NOW_MS))
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await on(pilot, MigrationDialog, "m")
        await until(pilot, lambda: bool(pilot.app.screen.query_one(MigrationText).lines))
        changes, change = pilot.app.screen.query_one(MigrationList), pilot.app.screen.query_one(MigrationText)
        assert changes.choices[0] == "query 0"
        text = "\n".join(one.plain for one in change.lines)
        assert "before" in text
        assert "after" in text
        place = next(number for number, choice in enumerate(changes.choices) if choice == "note deploy/rollback.md")
        await pilot.press(*["j"] * place)
        await until(pilot, lambda: "bv-topic" in "\n".join(one.plain for one in change.lines))
        text = "\n".join(one.plain for one in change.lines)
        assert 'path="deploy/rollback"' in text
        assert "its path is not searched: deploy" in text
        await pilot.press("enter")
        assert change.has_focus
        await pilot.press("left")
        assert changes.has_focus
    assert state_of(garden.root) == before
