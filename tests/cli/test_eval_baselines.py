"""``brv-tui eval`` with a baseline: a file, and a revision of a real git repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.tree.history import git as git_module
from brvtui.tree.history import revision
from brvtui.tree.history.git import RevisionError, git
from brvtui.tree.history.revision import Revision
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import NOW, Run
from tests.docs.pages import page
from tests.support.trees import Tree

ROTATION, ROLLBACK = "auth/jwt/rotation.md", "deploy/rollback.md"
GATES = ("--fail-on-drop", "recall@5=0.02", "--fail-on-tier-change")
Git = Callable[..., str]


@pytest.fixture
def repository(project: Tree) -> Git:
    """Commits the project with its judgments to the branch main, and switches to another branch."""

    def called(*arguments: str) -> str:
        command = ["git", "-C", str(project.root), "-c", "user.name=n", "-c", "user.email=n@localhost", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    project.notes(20)
    finder = DocumentFinder(project.snapshot())
    judged = (
        Judgment("refresh", "refresh token use", documents=(finder.judged(ROTATION, 3),)),
        Judgment("rollback", "rolling back release", documents=(finder.judged(ROLLBACK, 3),)),
    )
    JudgmentsFile.of(find_project(project.root)).change(lambda _: judged)
    called("init", "-q", "-b", "main")
    called("add", "-A")
    called("commit", "-qm", "Notes")
    called("checkout", "-qb", "edit")
    return called


def test_eval_command_fails_until_a_breaking_pull_request_is_reverted(run: Run, project: Tree, repository: Git) -> None:
    base = ("eval", "--baseline-rev", "main", *GATES)
    code, out, err = run(*base)
    assert (code, err) == (0, "")
    assert "none of 2 compared queries changed" in out
    project.note(ROTATION, "Keys", "Nothing of this is about sessions any more.", 0.1)
    repository("commit", "-qam", "Edit one note")
    code, out, _ = run(*base)
    text = " ".join(out.split())
    assert code == 1
    assert "FAILED recall@5 falls by at most 0.02: recall@5 fell by 0.5000, more than 0.02 refresh" in text
    assert "refresh: ndcg@10 1.0000 → 0.0000" in text
    named = text.rpartition("more than 0.02")[2]
    told = rf"{ROTATION}: rank 1 → not found, score 0\.\d+ → –: its own text −0\.\d+"
    assert re.match(rf" refresh: {told}; cause: {ROTATION} was edited", named)
    assert re.search(told, text)
    assert f"cause: {ROTATION} was edited: with its old text, the old ranking is back (tried)" in text
    assert "rollback:" not in text
    assert repository("status", "--porcelain") == ""
    value = json.loads(run(*base, "--format", "json")[1])
    (change,) = [change for change in value["comparison"]["changes"] if change["id"] == "refresh"]
    assert (value["passed"], change["differences"]["recall@5"]) == (False, -1.0)
    repository("revert", "--no-edit", "HEAD")
    assert run(*base)[0] == 0


def test_responsible_edit_is_found_among_many_edits(run: Run, project: Tree, repository: Git) -> None:
    project.note(ROLLBACK, "Rolling back", "One command takes the last release back, at once.", 70)
    for number in range(3):
        project.note(f"pad/p00{number}.md", "Filler", "other filler")
    project.note("deploy/new.md", "Canary", "A canary takes some of the load.")
    project.note(ROTATION, "Keys", "Nothing.", 0.1)
    out = " ".join(run("eval", "--baseline-rev", "main", *GATES)[1].split())
    assert f"cause: {ROTATION} was edited: with its old text, the old ranking is back (tried)" in out


def test_added_removed_and_renamed_notes_are_compared(run: Run, project: Tree, repository: Git) -> None:
    base = ("eval", "--baseline-rev", "main", *GATES)
    (project.tree / ROTATION).rename(project.tree / "auth/renamed.md")
    code, out, err = run(*base)
    assert code == 0, out
    assert f"refresh: {ROTATION}: moved to auth/renamed.md, it has the same text" in err
    (project.tree / "auth/renamed.md").unlink()
    code, out, err = run(*base)
    text = " ".join(out.split())
    assert code == 1
    assert f"{ROTATION}: the note no longer exists" in text
    assert f"cause: {ROTATION} was removed: with it, the old ranking is back (tried)" in text
    repository("checkout", "-q", "--", ".")
    for number in range(8):
        project.note(f"auth/jwt/copy{number}.md", "Refresh token use", "refresh token use " * 9, 0.1)
    code, out, _ = run("eval", "--baseline-rev", "main", "--fail-on-drop", "mrr=0.02")
    assert code == 1
    assert "none of the 8 changed files explains it on its own" in " ".join(out.split())
    (project.tree / ROTATION).unlink()
    assert f"cause: {ROTATION} is gone" in " ".join(run("eval", "--baseline-rev", "main", *GATES)[1].split())


def test_baseline_file_represents_an_earlier_state(run: Run, project: Tree, repository: Git, tmp_path: Path) -> None:
    file = tmp_path / "base.json"
    file.write_text(run("eval", "--format", "json")[1])
    assert run("eval", "--baseline", str(file), *GATES)[0] == 0
    project.note(ROTATION, "Keys", "Nothing.", 0.1)
    code, out, _ = run("eval", "--baseline", str(file), *GATES)
    assert (code, f"{ROTATION}: rank 1 → not found" in out) == (1, True)


def without_rollback(judged: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
    return judged[:1]


def with_grade_0(judged: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
    documents = (*judged[1].documents, JudgedDocument(ROTATION, 0))
    return (judged[0], replace(judged[1], documents=documents))


def with_another_note(judged: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
    return (judged[0], replace(judged[1], documents=(JudgedDocument(ROTATION, 3),)))


@pytest.mark.parametrize("edit", [without_rollback, with_grade_0, with_another_note])
@pytest.mark.parametrize("gate", [("--fail-on-drop", "mrr=1"), ("--fail-on-tier-change",), ("--fail-under", "mrr=0")])
def test_gates_fail_for_a_baseline_query_that_is_missing_or_judged_differently(
    run: Run, project: Tree, repository: Git, tmp_path: Path, edit: Any, gate: tuple[str, ...]
) -> None:
    base = tmp_path / "base.json"
    run("eval", "--save", str(base))
    JudgmentsFile.of(find_project(project.root)).change(edit)
    told = "1 of the baseline's queries is missing or judged differently now: rollback; a new baseline accepts that"
    saved = [tmp_path / name for name in ("e.json", "e.md", "e.xml")]
    for baseline in (("--baseline", str(base)), ("--baseline-rev", "main")):
        code, out, err = run("eval", *baseline, *gate, *(word for name in saved for word in ("--save", str(name))))
        assert (code, told in err) == (1, True), (baseline, err)
        for report in (out, *(name.read_text() for name in saved)):
            assert told in report
        code, _, err = run("eval", *baseline)
        assert (code, told in err) == (0, True)
    run("eval", "--save", str(base))
    repository("commit", "-qam", "Change a judgment")
    for baseline in (("--baseline", str(base)), ("--baseline-rev", "HEAD")):
        code, _, err = run("eval", *baseline, *gate)
        assert (code, told in err) == (0, False)


def test_moved_and_added_judgments_fail_no_gate(run: Run, project: Tree, repository: Git) -> None:
    (project.tree / ROTATION).rename(project.tree / "auth/renamed.md")
    assert run("judge", "follow", now=False)[0] == 0
    file = JudgmentsFile.of(find_project(project.root))
    file.change(lambda old: (*old, Judgment("new", "cents", documents=(JudgedDocument("auth/renamed.md", 1),))))
    code, _, err = run("eval", "--baseline-rev", "main", *GATES)
    assert (code, err) == (0, "")


def test_added_judgments_do_not_dilute_a_drop(run: Run, project: Tree, repository: Git) -> None:
    project.note(ROTATION, "Keys", "Nothing.", 0.1)
    note = JudgedDocument(ROLLBACK, 1)
    added = tuple(Judgment(f"new{number}", "rolling back release", documents=(note,)) for number in range(8))
    JudgmentsFile.of(find_project(project.root)).change(lambda old: (*old, *added))
    code, out, _ = run("eval", "--baseline-rev", "main", "--fail-on-drop", "recall@5=0.3")
    assert (code, "recall@5 fell by 0.5000, more than 0.3" in " ".join(out.split())) == (1, True)


@pytest.mark.parametrize(
    ("file", "before", "after", "options"),
    [
        (".brv/brv-tui.toml", "", 'engine = "baseline"', ()),
        (".brv/brv-tui.toml", "ascii = true", 'profile = "docs"', ()),
        (".brv/sources.json", "", '{"version": 1, "sources": []}', ()),
        (".brv/sources.json", '{"version": 1, "sources": []}', "", ()),
        (".brv/own.toml", "[limits]\nmax_file_bytes = 9999", "[limits]\nmax_file_bytes = 8888", ()),
        ("ci.toml", "", "[limits]\nmax_file_bytes = 8888", ("--profile", "./ci.toml")),
    ],
)
def test_gates_fail_if_settings_profile_or_sources_differ_at_the_revision(
    run: Run,
    project: Tree,
    repository: Git,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    before: str,
    after: str,
    options: tuple[str, ...],
) -> None:
    monkeypatch.chdir(project.root)

    def written(text: str) -> None:
        (project.root / file).write_text(text)
        if not text:
            (project.root / file).unlink()

    if file == ".brv/own.toml":
        (project.root / ".brv/brv-tui.toml").write_text('profile = "own.toml"')
    written(before)
    repository("add", "-A")
    repository("commit", "--allow-empty", "-qm", "Settings")
    repository("branch", "-f", "main")
    told = f"{file} differs at main: the baseline used the current file; save one there, then use --baseline FILE"
    base = ("eval", "--baseline-rev", "main", *options)
    if not options:
        assert run(*base, *GATES)[::2] == (0, "")
    written(after)
    code, out, err = run(*base, *GATES)
    assert (code, told in " ".join(out.split()), told in err) == (1, True, True), out
    code, out, err = run(*base, "--format", "json")
    assert (code, f"note: {told}" in err, told in json.loads(out)["comparison"]["notices"]) == (0, True, True)
    repository("add", "-A")
    repository("commit", "-qm", "Change")
    repository("branch", "-f", "main")
    assert run(*base, *GATES)[::2] == (0, "")


def test_note_says_that_settings_outside_the_repository_are_not_compared(
    run: Run, project: Tree, repository: Git
) -> None:
    (project.root / ".git").rename(project.tree / ".git")
    repository("-C", str(project.tree), "add", "-A")
    repository("-C", str(project.tree), "commit", "-qm", "Only the notes")
    (project.root / ".brv/brv-tui.toml").write_text('profile = "docs"')
    code, _, err = run("eval", "--baseline-rev", "HEAD", *GATES)
    assert (code, "changes to the project's settings and shared sources go undetected (" in err) == (0, True)


def test_settings_behind_a_link_come_from_its_target(run: Run, project: Tree, repository: Git) -> None:
    (project.root / "shared.toml").write_text('profile = "docs"')
    (project.root / ".brv/brv-tui.toml").symlink_to("../shared.toml")
    repository("add", "-A")
    repository("commit", "-qm", "Settings")
    base = ("eval", "--baseline-rev", "HEAD", *GATES)
    assert run(*base)[0] == 0
    (project.root / "shared.toml").write_text('profile = "combined"')
    assert run(*base)[0] == 1


def test_unreadable_earlier_judgments_are_reported(run: Run, project: Tree, repository: Git, tmp_path: Path) -> None:
    file = JudgmentsFile.of(find_project(project.root)).path
    other = tmp_path / "other.toml"
    other.write_bytes(file.read_bytes())
    told = "removed judgments go undetected, because the file cannot be read at main ("
    code, _, err = run("eval", "--baseline-rev", "main", *GATES, "--judgments", str(other))
    assert (code, told in err) == (0, True)
    repository("rm", "-q", "--cached", str(file))
    repository("commit", "-qm", "Remove the judgments")
    repository("branch", "-f", "main")
    code, _, err = run("eval", "--baseline-rev", "main", *GATES)
    assert (code, told in err) == (0, True)


def test_tier_gate_fails_if_no_query_is_compared(run: Run, project: Tree, repository: Git, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    value = json.loads(run("eval", "--format", "json")[1])
    value["evaluation"]["queries"] = []
    base.write_text(json.dumps(value))
    code, out, _ = run("eval", "--baseline", str(base), "--fail-on-tier-change")
    assert (code, "FAILED no tier change: no query is in both evaluations" in out) == (1, True)


def test_scores_at_a_revision_equal_those_in_its_checkout(
    run: Run, project: Tree, repository: Git, tmp_path: Path
) -> None:
    """Notes have the same ages in both."""
    before = json.loads(run("eval", "--format", "json")[1])["evaluation"]["queries"]
    project.note(ROTATION, "Keys", "Nothing.", 0.1)
    project.note(ROLLBACK, "Rolling back the release", "Two commands.", 70)
    (project.tree / "pad/p003.md").unlink()
    file = tmp_path / "now.json"
    file.write_text(run("eval", "--format", "json")[1])
    value = json.loads(run("eval", "--baseline-rev", "main", "--format", "json")[1])
    repository("stash", "-q")
    for path, days in ((ROTATION, 0.1), (ROLLBACK, 70), ("pad/p003.md", 0)):
        project.age(path, days)
    assert json.loads(run("eval", "--format", "json")[1])["evaluation"]["queries"][0]["results"] == before[0]["results"]
    again = json.loads(run("eval", "--baseline", str(file), "--format", "json")[1])
    for metric, held in value["comparison"]["metrics"].items():
        assert held["difference"] == pytest.approx(-again["comparison"]["metrics"][metric]["difference"]), metric


def test_ignored_notes_do_not_count_as_new(run: Run, project: Tree, repository: Git) -> None:
    (project.root / ".gitignore").write_text("made/\n")
    for number in range(8):
        project.note(f"made/m{number}.md", "Refresh rotation token", "refresh rotation token")
    out = run("eval", "--baseline-rev", "main", *GATES)[1]
    assert "none of 2 compared queries changed" in out


def test_documented_workflow_fails_with_the_reason(
    run: Run, project: Tree, repository: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shown,) = re.findall(r"^```yaml\n(.*?)^```$", page("docs/how-to/use-in-ci.md"), re.DOTALL | re.MULTILINE)
    steps = yaml.safe_load(shown)["jobs"]["eval"]["steps"]
    (command,) = [step["run"] for step in steps if "brv-tui eval" in step.get("run", "")]
    words = [word.replace("origin/$GITHUB_BASE_REF", "main") for word in shlex.split(command)]
    monkeypatch.chdir(tmp_path)
    assert run(*words[1:])[0] == 0
    project.note(ROTATION, "Keys", "Nothing.", 0.1)
    assert run(*words[1:])[0] == 1
    summary = (tmp_path / "memory.md").read_text()
    assert summary.startswith("## Memory check failed")
    assert f"cause: {ROTATION} was edited" in summary.replace("\\_", "_")
    suite = ElementTree.parse(tmp_path / "memory.xml").getroot()[0]
    gate = suite.findtext("testcase/failure") or ""
    assert f"refresh: {ROTATION}: rank 1 → not found" in gate
    assert f"cause: {ROTATION} was edited" in gate
    failed = suite.get("failures")
    assert failed == "3"  # the two gates and the query


def test_invalid_options_are_reported(
    run: Run, project: Tree, repository: Git, make_tree: Callable[[str], Tree]
) -> None:
    code, _, err = run("eval", "--baseline-rev", "nosuch")
    assert (code, "no revision nosuch in git; fetch it first" in err) == (2, True)
    for odd in ("--upload-pack=touch /tmp/x", "-h", "main:.brv", "a" * 5000):
        assert run("eval", f"--baseline-rev={odd}")[0] == 2
    assert run("eval", *GATES)[0] == 2  # without a baseline
    assert run("eval", "--fail-under", "ndcg@10=80")[0] == 2
    assert run("eval", "--fail-under", "speed=0.8")[0] == 2
    assert run("eval", "--baseline", str(project.root / "none.json"))[0] == 2
    code, out, _ = run("eval", "--fail-under", "mrr=1")
    assert (code, "passed mrr at least 1" in out) == (0, True)
    other = make_tree("alone")
    other.note("a.md", "A")
    with pytest.raises(RevisionError, match="only a tree in a git repository has revisions"):
        Revision(other.tree, "main")


def test_git_never_runs_programs_configured_by_a_repository(project: Tree, repository: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for name in (
        "core.fsmonitor", "core.pager", "pager.log", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "diff.evil.textconv", "diff.external", "gpg.program", "core.sshCommand", "core.askPass", "core.editor",
    ):  # fmt: skip
        repository("config", name, str(trap))
    repository("config", "log.showSignature", "true")
    (project.root / ".git" / "hooks" / "post-index-change").write_text(trap.read_text())
    (project.root / ".git" / "info" / "attributes").write_text("*.md filter=evil diff=evil\n")
    project.note(ROTATION, "Keys", "Nothing.")
    (project.tree / ROLLBACK).unlink()
    revision = Revision(project.tree, "main")
    assert revision.read([ROTATION], 10_000)[ROTATION].startswith(b"# Refresh rotation")
    assert revision.last_changes([ROLLBACK])[ROLLBACK][0] > 0
    assert revision.ignored == frozenset()
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("main", ("tag", "main")),
        ("origin/main", ("tag", "origin/main")),
        ("origin/main", ("branch", "origin/main")),
        ("main", ("update-ref", "refs/main", "HEAD")),
        ("SHORT~0", ("branch", "SHORT")),
        ("FILE", ("update-ref", "FILE", "HEAD")),  # a file inside .git
    ],
)
def test_gates_refuse_an_ambiguous_revision(
    run: Run, project: Tree, repository: Git, name: str, command: tuple[str, ...]
) -> None:
    short = repository("rev-parse", "--short", "main").strip()
    name, *words = (word.replace("SHORT", short) for word in (name, *command))
    repository("update-ref", "refs/remotes/origin/main", "main")
    repository("branch", "FILE")
    repository("config", "core.warnAmbiguousRefs", "false")
    base = ("eval", "--baseline-rev", name)
    assert run(*base, *GATES)[::2] == (0, "")
    repository(*words)
    told = (
        f"git warns about the revision {name} (refname '{name.removesuffix('~0')}' is ambiguous); write its full name"
    )
    code, out, err = run(*base, *GATES)
    assert (code, out, told in err) == (2, "", True)
    code, _, err = run(*base)
    assert (code, f"note: {told}" in err) == (0, True)
    for full in ("refs/heads/main", "refs/remotes/origin/main", repository("rev-parse", "main").strip()):
        assert run("eval", "--baseline-rev", full, *GATES)[::2] == (0, "")


def test_endless_git_output_is_cut(project: Tree, repository: Git) -> None:
    with pytest.raises(RevisionError, match="prints more than 10 bytes"):
        git(project.tree, "ls-tree", "-r", "main", most=10)


def test_git_that_hangs_is_killed(project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(git_module, "_PATIENCE_S", 0.3)
    began = time.monotonic()
    with pytest.raises(RevisionError):
        git(project.root, "rev-parse", "HEAD", most=100)
    assert time.monotonic() - began < 20


def test_revision_is_read_up_to_a_limit(project: Tree, repository: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = Revision(project.tree, "main")
    size = earlier.files[ROTATION].size
    monkeypatch.setattr(revision, "_MOST_CONTENT", size)
    assert len(earlier.read([ROTATION], 10_000)[ROTATION]) == size
    monkeypatch.setattr(revision, "_MOST_CONTENT", size - 1)
    with pytest.raises(RevisionError, match=f"more than {size - 1} bytes of notes differ; choose a closer revision"):
        earlier.read([ROTATION], 10_000)
    monkeypatch.setattr(revision, "_MOST_LISTING", 100)
    with pytest.raises(RevisionError):
        len(Revision(project.tree, "main").files)


def test_git_variables_from_a_hook_are_ignored(
    project: Tree, repository: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert ROTATION in Revision(project.tree, "main").files
    assert os.environ["GIT_DIR"]


def test_judgments_follow_a_moved_project_and_renamed_folders(run: Run, project: Tree, repository: Git) -> None:
    """Renames first the project and then every folder of the tree."""
    before = json.loads(run("eval", "--format", "json")[1])
    elsewhere = project.root.with_name("elsewhere")
    project.root.rename(elsewhere)
    where = ("--project", str(elsewhere), "--now", NOW)
    code, out, err = run("eval", "--format", "json", *where, inside=False)
    moved = json.loads(out)
    assert (code, err) == (0, "")
    assert moved["summary"]["metrics"] == before["summary"]["metrics"]
    assert [query["results"] for query in moved["evaluation"]["queries"]] == [
        query["results"] for query in before["evaluation"]["queries"]
    ]
    tree = elsewhere / ".brv" / "context-tree"
    (tree / "auth").rename(tree / "security")
    (tree / "deploy").rename(tree / "ops")
    _, out, err = run("eval", "--format", "json", *where, inside=False)
    renamed = json.loads(out)
    assert "refresh: auth/jwt/rotation.md: moved to security/jwt/rotation.md, it has the same text" in err
    assert renamed["summary"]["metrics"]["recall@5"] == 1.0
    assert run("judge", "follow", *where[:2], inside=False)[0] == 0
    code, _, err = run("eval", *where, inside=False)
    assert (code, err) == (0, "")
    code, out, _ = run("eval", "--baseline-rev", "main", *GATES, *where, inside=False)
    assert (code, "none of 2 compared queries changed" in out) == (0, True)


def test_gates_refuse_a_project_reached_by_a_changed_way(
    run: Run, project: Tree, repository: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Tree(project.root / "sub" / "other")
    other.note("coffee.md", "Coffee machine", "Descale it.", 1)
    file = JudgmentsFile.of(find_project(other.root))
    file.change(lambda _: (Judgment("c", "coffee machine", documents=(JudgedDocument("coffee.md", 3),)),))
    own = Tree(project.root / "sub" / "own")
    own.note("tea.md", "Tea", "Boil it.", 1)
    own_file = JudgmentsFile.of(find_project(own.root))
    own_file.change(lambda _: (Judgment("t", "tea", documents=(JudgedDocument("tea.md", 3),)),))
    repository("add", "-A")
    repository("commit", "-qm", "Two more projects")
    repository("branch", "-f", "main")
    gate = ("--baseline-rev", "main", *GATES)
    ask = ("eval", "--project", str(own.root), *gate)
    assert run(*ask, inside=False, now=False)[0] == 0
    shutil.move(own.root, project.root / "kept")
    own.root.symlink_to("other")
    code, _, err = run(*ask, inside=False, now=False)
    assert (code, "own is a link, which could be redirected" in err) == (2, True)
    own.root.unlink()
    own.root.mkdir()
    (own.root / ".brv").write_text("../other")
    code, _, err = run(*ask, inside=False, now=False)
    assert (code, "points to another project, but does not at main" in err) == (2, True)
    code, _, err = run(*ask[:5], inside=False, now=False)  # without a gate, only a note says so
    assert (code, "points to another project" in err) == (0, True)
    (own.root / ".brv").unlink()
    monkeypatch.chdir(own.root)
    monkeypatch.setenv("PWD", str(own.root))
    code, _, err = run("eval", *gate, inside=False, now=False)
    assert (code, "has its own .brv at main, but not now" in err) == (2, True)


def test_gates_accept_an_unchanged_pointer_to_the_project(run: Run, project: Tree, repository: Git) -> None:
    pointing = project.root / "work"
    pointing.mkdir()
    (pointing / ".brv").write_text(str(project.root))
    repository("add", "-A")
    repository("commit", "-qm", "A worktree pointer")
    repository("branch", "-f", "main")
    ask = ("eval", "--project", str(pointing), "--baseline-rev", "main", *GATES)
    assert run(*ask, inside=False, now=False)[0] == 0


def test_gates_refuse_named_judgments_behind_a_link(run: Run, project: Tree, repository: Git) -> None:
    source = JudgmentsFile.of(find_project(project.root)).path
    named, fewer = project.root / "ci" / "q.toml", project.root / "ci" / "q2.toml"
    named.parent.mkdir()
    named.write_text(source.read_text())
    fewer.write_text(source.read_text())
    repository("add", "-A")
    repository("commit", "-qm", "Judgments of CI")
    repository("branch", "-f", "main")
    ask = ("eval", "--judgments", str(named), "--baseline-rev", "main", *GATES)
    assert run(*ask)[0] == 0
    named.unlink()
    named.symlink_to(fewer.name)
    code, _, err = run(*ask)
    assert (code, "q.toml is a link, which could be redirected" in err) == (2, True)


def test_gates_refuse_a_tree_that_became_a_repository_of_its_own(run: Run, project: Tree, repository: Git) -> None:
    def own(*arguments: str) -> None:
        command = ["git", "-C", str(project.tree), "-c", "user.name=n", "-c", "user.email=n@localhost", *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    for arguments in (("init", "-qb", "main"), ("add", "-A"), ("commit", "-qm", "Own notes")):
        own(*arguments)
    code, _, err = run("eval", "--baseline-rev", "main", *GATES)
    assert (code, "is a repository of its own now, but at main its notes belong to" in err) == (2, True)


@pytest.mark.parametrize("changes_path", [False, True])
def test_gates_fail_if_the_digest_of_a_replaced_note_changes_too(
    run: Run, project: Tree, repository: Git, changes_path: bool
) -> None:
    title = project.snapshot().parsed[ROTATION].title
    (project.tree / ROTATION).unlink()
    project.note("deploy/hoax.md", title, "A refresh token use that is not what it was.", 0.1)
    hoax = DocumentFinder(project.snapshot()).judged("deploy/hoax.md", 3)
    document = hoax if changes_path else replace(hoax, path=ROTATION)
    file = JudgmentsFile.of(find_project(project.root))
    file.change(lambda old: (replace(old[0], documents=(document,)), *old[1:]))
    code, out, _ = run("eval", "--baseline-rev", "main", *GATES)
    assert code == 1
    assert "FAILED" in out


def test_gate_against_head_reports_no_difference(run: Run, repository: Git) -> None:
    note = "no note differs from HEAD"
    assert note in run("eval", "--baseline-rev", "HEAD", *GATES)[2]
    assert note not in run("eval", "--baseline-rev", "HEAD")[2]
