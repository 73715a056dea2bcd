"""Commands for agents and hooks: check-edit, skill install, and mcp without its extra."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import NOW, Run
from tests.support.recorded import REPOSITORY
from tests.support.trees import Tree
from tests.support.untouched import state_of

NOTE = "auth/jwt/rotation.md"


@pytest.fixture
def judged(project: Tree, run: Run) -> Tree:
    """The project, with a judged query that one of its notes answers, all committed."""
    assert run("judge", "set", "refresh token", f"{NOTE}=3", now=False)[0] == 0
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "notes")):
        user = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        subprocess.run(("git", *user, *command), cwd=project.root, check=True)
    return project


def piped(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    (folder / "draft").write_text(text)
    monkeypatch.setattr(sys, "stdin", (folder / "draft").open())


def test_piped_text_that_breaks_a_query_is_reported(
    judged: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = state_of(judged.root)
    piped(monkeypatch, tmp_path, "---\ntitle: [x\n---\n# Other\n\nNothing.")
    code, out, _ = run("check-edit", NOTE, "--stdin")
    problem, broken = out.splitlines()
    assert code == 1
    place, _, message = problem.partition(":2: error: ")
    assert (Path(place).resolve(), bool(message)) == (judged.tree / NOTE, True)
    assert "refresh token" in broken
    piped(monkeypatch, tmp_path, (judged.tree / NOTE).read_text())
    assert run("check-edit", NOTE, "--stdin")[:2] == (0, "")
    assert state_of(judged.root) == before


def test_files_are_compared_with_the_commit(judged: Tree, run: Run, tmp_path: Path) -> None:
    place = judged.tree / NOTE
    assert run("check-edit", str(place))[:2] == (0, "")
    place.write_text("# Other\n\nNothing.\n")
    code, out, _ = run("check-edit", str(place), str(judged.tree / "deploy/rollback.md"), "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert found["paths"] == [NOTE, "deploy/rollback.md"]
    assert [(one["query"], one["is_judged"], one["is_broken"]) for one in found["queries"]] == [
        ("refresh token", True, True)
    ]
    outside = tmp_path / "outside.md"
    outside.write_text("x")
    assert run("check-edit", str(outside))[:2] == (0, "")


def test_note_that_does_not_exist_is_new_or_refused(
    judged: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run("check-edit", "auth/jwt/rotatoin.md")[0] == 3
    piped(monkeypatch, tmp_path, "# Other")
    code, out, _ = run("check-edit", "auth/jwt/rotatoin.md", "--stdin")
    assert code == 0
    assert "auth/jwt/rotatoin.md:1: warning:" in out
    (judged.tree / NOTE).unlink()
    assert run("check-edit", NOTE)[0] == 1


def test_query_that_only_the_new_age_breaks_is_marked(
    project: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project.note("a/fresh.md", "Harbour pilots", "A pilot boards each ship.", 5)
    project.note("a/old.md", "Pilots of the harbour", "A pilot boards each ship; pilots know the harbour.", 300)
    assert run("judge", "set", "harbour pilots", "a/fresh.md=3", now=False)[0] == 0
    text = (project.tree / "a/old.md").read_text()
    for path, edited, is_by_age in (("a/old.md", f"{text}\nOne more line.\n", True), ("a/fresh.md", "# Other", False)):
        piped(monkeypatch, tmp_path, edited)
        code, out, _ = run("check-edit", path, "--stdin", "--format", "json")
        (changed,) = json.loads(out)["queries"]
        assert (code, changed["is_broken"], changed["is_by_age"]) == (1, True, is_by_age)


def test_new_note_that_takes_over_a_query_is_not_by_age(
    judged: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copy = (judged.tree / NOTE).read_text()
    piped(monkeypatch, tmp_path, copy)
    _, out, _ = run("check-edit", "a/copy.md", "--stdin", "--format", "json")
    report = json.loads(out)
    assert [one["kind"] for one in report["findings"]] == ["near_duplicate"]
    assert [(one["is_broken"], one["is_by_age"]) for one in report["queries"]] == [(True, False)]
    piped(monkeypatch, tmp_path, copy)
    assert "says almost the same as" in run("check-edit", "a/copy.md", "--stdin")[1]
    piped(monkeypatch, tmp_path, copy)
    assert "a new note's path must end in .md" in run("check-edit", "a/copy", "--stdin")[2]


def test_file_names_its_project(judged: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (judged.tree / NOTE).write_text("# Other\n\nNothing.\n")
    assert run("check-edit", str(judged.tree / NOTE), "--now", NOW, inside=False)[0] == 1
    assert run("check-edit", str(tmp_path / "draft.md"), inside=False)[0] == 3


def test_renamed_and_gutted_note_breaks_its_query(judged: Tree, run: Run) -> None:
    renamed = judged.tree / "auth/jwt/other_name.md"
    (judged.tree / NOTE).rename(renamed)
    renamed.write_text("# Other\n\nNothing.\n")
    assert run("check-edit", str(renamed))[0] == 1


def test_files_of_two_memories_are_refused(judged: Tree, run: Run, tmp_path: Path) -> None:
    other = Tree(tmp_path / "second")
    other.note("a/one.md", "Anchor", "The anchor.")
    code, _, err = run("check-edit", str(judged.tree / NOTE), str(other.tree / "a/one.md"), inside=False)
    assert (code, "several memories" in err) == (2, True)


def test_note_that_became_a_link_counts_as_removed(judged: Tree, run: Run, tmp_path: Path) -> None:
    place, folder = judged.tree / NOTE, (judged.tree / NOTE).parent
    for target in (judged.tree / "deploy/rollback.md", Path("/etc/hostname")):
        place.unlink()
        place.symlink_to(target)
        assert run("check-edit", str(place))[0] == 1
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    assert run("check-edit", str(place))[0] == 1


def test_deleted_note_is_found_from_its_own_folder(judged: Tree, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    place = judged.tree / NOTE
    place.unlink()
    monkeypatch.chdir(place.parent)
    assert run("check-edit", place.name)[0] == 1


def test_note_with_the_title_of_a_judged_one_does_not_stand_for_it(judged: Tree, run: Run) -> None:
    place = judged.tree / NOTE
    place.rename(place.with_name("other.md"))
    place.with_name("other.md").write_text("# Refresh rotation\n\nA refresh token.\n")
    assert run("check-edit", str(place), str(place.with_name("other.md")))[0] == 1


def test_changed_settings_and_ambiguous_revisions_fail_the_check(judged: Tree, run: Run) -> None:
    assert run("check-edit", NOTE)[0] == 0
    (judged.root / ".brv/brv-tui.toml").write_text("[profile.limits]\nmax_line_units = 1\n")
    code, out, _ = run("check-edit", NOTE)
    assert (code, "brv-tui.toml differs" in out) == (1, True)
    subprocess.run(("git", "tag", "main"), cwd=judged.root, check=True)
    subprocess.run(("git", "branch", "-f", "-m", "main"), cwd=judged.root, check=True)
    assert run("check-edit", NOTE, "--rev", "main")[0] == 2


def test_hidden_judgments_do_not_hide_a_broken_query(judged: Tree, run: Run) -> None:
    place, file = judged.tree / NOTE, judged.root / ".brv/brv-tui/judgments.toml"
    place.write_text("# Other\n\nNothing.\n")
    committed = file.read_text()
    junk = "".join(f'\n[[query]]\nid = "j{number}"\ntext = "junk {number}"\n' for number in range(300))
    for text in ("version = 1\n", f"version = 1\n{junk}", committed.replace("refresh token", "another query")):
        file.write_text(text)
        code, out, _ = run("check-edit", str(place))
        assert (code, "breaks “refresh token”" in out) == (1, True), text[:60]
    file.write_text("version = [\n")
    code, _, err = run("check-edit", str(place))
    assert (code, "judgments.toml" in err) == (2, True)


def test_paths_outside_and_missing_revisions_are_refused(judged: Tree, run: Run) -> None:
    assert run("check-edit", "../../secret.md")[0] == 3
    assert run("check-edit", NOTE, "--rev", "nowhere")[0] == 2
    assert run("check-edit", NOTE, "other.md", "--stdin")[0] == 2


@pytest.mark.parametrize(("agent", "variable"), [("claude", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME")])
def test_skill_is_shown_and_written(
    run: Run, agent: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "home"))
    target = tmp_path / "home" / "skills" / "brv-tui" / "SKILL.md"
    text = (REPOSITORY / "skills" / "brv-tui" / "SKILL.md").read_text(encoding="utf-8")
    code, shown, _ = run("skill", "install", "--for", agent, "--dry-run", inside=False)
    assert code == 0
    assert str(target) in shown
    assert text in shown
    assert not target.exists()
    assert run("skill", "install", "--for", agent, inside=False)[:2] == (0, shown)
    assert target.read_text(encoding="utf-8") == text
    assert "already installed" in run("skill", "install", "--for", agent, inside=False)[2]
    target.write_text("mine")
    assert run("skill", "install", "--for", agent, inside=False)[0] == 0
    assert target.read_text(encoding="utf-8") == text
    assert target.with_name("SKILL.md.bak").read_text() == "mine"


def test_skill_is_short_and_its_commands_exist() -> None:
    from brvtui.cli.program import _COMMANDS

    text = (REPOSITORY / "skills" / "brv-tui" / "SKILL.md").read_text(encoding="utf-8")
    named = {part.split()[0] for part in text.split("`brv-tui ")[1:]}
    assert len(text.splitlines()) <= 60
    assert len(named) == 4
    assert named <= _COMMANDS.keys()


def test_mcp_command_without_its_extra_names_the_remedy(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brvtui.mcp.server", None)
    code, _, err = run("mcp", inside=False)
    assert code == 4
    assert "[mcp]" in err
