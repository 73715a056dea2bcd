"""``brv-tui migrate --dry-run``: answers before and after, what the notes lose, and no writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from brvtui.logbook import Logbook
from brvtui.tree.engine_files.query_log import ENGINE, LoggedQuery
from tests.cli.conftest import Run
from tests.support.trees import NOW_MS, Tree
from tests.support.untouched import state_of

JUDGED = """
[[query]]
id = "sessions"
text = "session expiry"
documents = [{ path = "auth/jwt/expiry.md", grade = 3 }]
"""


def judged(tree: Tree) -> None:
    file = tree.root / ".brv/brv-tui/judgments.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(JUDGED)


def made(run: Run, *args: str) -> dict[str, object]:
    _, out, err = run("migrate", "--dry-run", "--format", "json", *args)
    assert err == ""
    found: dict[str, object] = json.loads(out)
    return found


def test_judged_queries_run_before_and_after_the_migration(run: Run, project: Tree) -> None:
    judged(project)
    code, out, err = run("migrate", "--dry-run")
    assert (code, err) == (0, "")
    assert "5 Markdown files would become 5 topics" in out
    assert "1 query, run before and after" in out
    assert "1 the same note is first" in out
    [answer] = made(run)["answers"]  # type: ignore[misc]
    assert (answer["query"], answer["source"]) == ("session expiry", "judged")
    assert (answer["rank_before"], answer["rank_after"]) == (1, 1)
    assert answer["after"][0] == {"note": "auth/jwt/expiry.md", "score": pytest.approx(0.765)}


def test_note_with_a_number_sign_in_its_name_is_migrated(run: Run, project: Tree) -> None:
    for name in ("a#b", "a#c"):
        project.file(f"{name}.md", f"# zyzzyva {name[-1]}\n\nzyzzyva body\n", 1.0)
    [answer] = made(run, "zyzzyva")["answers"]  # type: ignore[misc]
    assert answer["after"][0]["note"] in ("a#b.md", "a#c.md")


def test_blank_query_is_a_usage_error(run: Run, project: Tree) -> None:
    assert run("migrate", "--dry-run", " ")[::2] == (
        2,
        "brv-tui: a query is empty: type a question; see brv-tui migrate --help\n",
    )


def test_query_that_loses_its_first_note_is_a_negative_answer(run: Run, project: Tree) -> None:
    code, out, _ = run("migrate", "--dry-run", "invoices")  # this word occurs only in a path, which V4 does not search
    assert code == 1
    assert "no longer covered" in out
    assert run("migrate", "--dry-run", "rounding")[0] == 0


def test_query_judged_as_not_covered_is_not_a_loss(run: Run, project: Tree) -> None:
    file = project.root / ".brv/brv-tui/judgments.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[[query]]\nid = "i"\ntext = "invoices"\nexpected = "not covered"\n')
    code, out, err = run("migrate", "--dry-run")
    assert (code, err) == (0, "")
    assert "not covered now, as the judgment expects" in out


def test_data_that_the_migration_loses_is_listed(run: Run, project: Tree) -> None:
    file = project.root / "signals.json"
    file.write_text('{"deploy/rollback.md": {"importance": 90, "maturity": "core", "accessCount": 7}}')
    project.file("ops/long.full.md", "# Long\n\ntext")
    project.file("ops/parts.md", "# Parts\n\n## Reason\nWhy\n\n## Relations\n@auth/jwt/expiry.md\n")
    found: Any = made(run, "--signals", str(file))["notes"]
    notes = {note["note"]: note for note in found}
    assert notes["deploy/rollback.md"]["lost_signals"] == {"importance": 90.0, "maturity": "core", "access_count": 7}
    assert notes["deploy/rollback.md"]["lost_age_days"] == pytest.approx(70, abs=0.1)
    assert notes["billing/invoices/rounding.md"]["lost_path_words"] == ["billing", "invoices"]
    assert notes["ops/long.full.md"]["unseen"] == "files whose names end with .full.html are not topics"
    assert set(notes["ops/parts.md"]["lost_words"]) == {"auth", "expiry", "jwt", "md", "reason", "relations"}
    assert notes["auth/_index.md"]["newly_searched"] is True


def test_dry_run_writes_no_file(run: Run, project: Tree, tmp_path: Path) -> None:
    judged(project)
    folders = (project.root, Path(os.environ["BRV_DATA_DIR"])) if "BRV_DATA_DIR" in os.environ else (project.root,)
    before = state_of(*(folder for folder in folders if folder.exists()))
    assert run("migrate", "--dry-run", "--all")[0] == 0
    assert made(run)
    assert state_of(*(folder for folder in folders if folder.exists())) == before


def test_migrate_command_requires_dry_run_and_reports_missing_queries(run: Run) -> None:
    code, _, err = run("migrate")
    assert (code, "add --dry-run" in err) == (2, True)
    code, out, _ = run("migrate", "--dry-run")
    assert code == 0
    assert "no query is judged or logged" in out


def test_overlong_logged_query_is_skipped(run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    logged = [LoggedQuery(NOW_MS, text, ENGINE, "completed") for text in ("session " * 2_000, "session expiry")]
    monkeypatch.setattr(Logbook, "read", lambda *_: logged)
    assert [answer["query"] for answer in made(run)["answers"]] == ["session expiry"]  # type: ignore[attr-defined]


def test_tree_behind_a_link_is_not_read(run: Run, project: Tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "plan.md").write_text("# Private plan\nmerger swordfish\n")
    project.tree.rename(project.tree.with_name("old"))
    project.tree.symlink_to(outside)
    code, out, err = run("migrate", "--dry-run", "swordfish")
    assert code > 1
    assert "plan" not in out
    assert "is a link that leads out of the project" in err
