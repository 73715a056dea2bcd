"""``brv-tui judge``: judgments by command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from brvtui.engines.byterover.engine import ByteRover
from brvtui.lab.judgments import reading
from tests.cli.conftest import Run
from tests.support.spaces import small_space
from tests.support.trees import Tree

ROTATION = "auth/jwt/rotation.md"


def judge_three(project: Tree) -> Path:
    """Writes a judgments file of three queries with 9 characters each, and returns its path."""
    file = project.root / ".brv" / "brv-tui" / "judgments.toml"
    file.parent.mkdir()
    file.write_text("".join(f'[[query]]\nid = "q{number}"\ntext = "session {number}"\n' for number in range(3)))
    return file


def test_judge_command_sets_lists_changes_and_removes_a_query(run: Run, project: Tree) -> None:
    def judge(*args: str) -> tuple[int, str, str]:
        return run("judge", *args, "--project", str(project.root), inside=False)

    code, out, err = judge(
        "set", "refresh tokens", f"{ROTATION}=3", "expiry=1", "--expect", "tier 2", "--comment", "why"
    )
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "refresh tokens  (refresh-tokens, expects tier 2)",
        f"  3  {ROTATION}",
        "  1  auth/jwt/expiry.md",
        "     why",
    ]
    assert judge("set", "refresh-tokens", "expiry=none", "--expect", "none")[0] == 0
    (project.tree / ROTATION).rename(project.tree / "auth/tokens.md")
    code, out, _ = judge("list", "--format", "json")
    (held,) = json.loads(out)["judgments"]
    assert (code, held["expected"], [item["now"] for item in held["documents"]]) == (0, "", ["auth/tokens.md"])
    assert "moved to auth/tokens.md: it has the same text" in judge("list")[1]
    assert judge("follow") == (0, f"{ROTATION} → auth/tokens.md (it has the same text)\n", "")
    (project.tree / "auth/tokens.md").unlink()
    code, out, _ = judge("list")
    assert (code, out.splitlines()[1]) == (1, "  3  auth/tokens.md  gone")
    gone = "to remove a note's judgment: brv-tui judge set QUERY NOTE=none\n"
    assert judge("follow") == (1, "refresh-tokens: auth/tokens.md: gone\n", gone)
    assert judge("set", "refresh tokens", "tokens=none")[:2] == (0, "refresh tokens  (refresh-tokens)\n     why\n")
    assert judge("remove", "refresh tokens")[:2] == (0, "removed; 0 queries left\n")
    code, out, err = judge("follow")
    assert (code, out, "no judgments yet; add one with brv-tui judge set" in err) == (0, "", True)
    assert judge("remove", "refresh tokens")[0] == 3


def test_file_that_is_not_read_cannot_be_judged(run: Run, project: Tree) -> None:
    (project.tree / "auth" / "link.md").symlink_to("/etc/hostname")
    given = ("judge", "set", "refresh tokens", "auth/link.md=3", "--project", str(project.root))
    code, out, err = run(*given, inside=False)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "auth/link.md is never found, so it cannot be judged: " in err
    assert not (project.root / ".brv" / "brv-tui" / "judgments.toml").exists()


def test_invalid_judgments_are_reported(run: Run, project: Tree) -> None:
    def judge(*args: str) -> tuple[int, str, str]:
        return run("judge", *args, "--project", str(project.root), inside=False)

    assert judge("set", "x", "nowhere=3")[0] == 3
    assert judge("set", "x", f"{ROTATION}=4")[0] == 2
    assert judge("set", " ", f"{ROTATION}=3")[0] == 2
    for nothing in ((), ("--comment", "why"), ("--expect", "none"), (f"{ROTATION}=none",)):
        code, out, err = judge("set", "x", *nothing)
        assert (code, out) == (2, "")
        assert "name a note that it should find, such as refresh_token_rotation=3" in err
    assert judge("list")[:2] == (0, ""), "nothing was added"
    assert judge("set", "zebra", "--expect", "not covered")[0] == 0
    assert judge("remove", "zebra")[0] == 0
    said = 'put a QUERY of several words in quotes, as in brv-tui judge remove "how do we deploy"; see '
    assert said in judge("remove", "how", "do")[2]
    file = project.root / ".brv/brv-tui/judgments.toml"
    file.write_text("[[query]\n")
    code, _, err = judge("set", "x", f"{ROTATION}=3")
    assert code == 2
    assert "judgments.toml: not valid TOML" in err
    assert file.read_text() == "[[query]\n"


def test_judge_command_removes_the_judgment_that_has_the_given_content(run: Run, project: Tree) -> None:
    def judge(*args: str) -> tuple[int, str, str]:
        return run("judge", *args, "--project", str(project.root), inside=False)

    project.note("ops/expiry.md", "Old certificates", "a year")
    graded = (f"{ROTATION}=3", "auth/jwt/expiry.md=2", "ops/expiry.md=1")
    assert judge("set", "refresh tokens", *graded)[0] == 0
    none = "brv-tui: nowhere is not a judged note of refresh tokens; brv-tui judge list shows its judged notes\n"
    assert judge("set", "refresh tokens", "nowhere=none") == (3, "", none)
    (project.tree / "ops/expiry.md").unlink()
    several = "brv-tui: expiry could be auth/jwt/expiry.md, ops/expiry.md: use the whole path\n"
    assert judge("set", "refresh tokens", "expiry=none") == (3, "", several)
    assert "ops/expiry.md" not in judge("set", "refresh tokens", "ops/expiry=none")[1]
    (project.tree / ROTATION).rename(project.tree / "auth/turning.md")
    assert ROTATION not in judge("set", "refresh tokens", "turning=none")[1], "by where it is now"
    assert judge("list")[1].splitlines()[1:] == ["  2  auth/jwt/expiry.md"]


@pytest.mark.parametrize(
    "name", ["auth/jwt/expiry", "expiry", "./auth/jwt/expiry", "auth\\jwt\\expiry", "Session expiry"]
)
def test_judged_note_can_be_named_without_its_ending(run: Run, project: Tree, name: str) -> None:
    def judge(*args: str) -> tuple[int, str, str]:
        return run("judge", *args, "--project", str(project.root), inside=False)

    assert judge("set", "refresh tokens", f"{name}=2")[0] == 0
    assert judge("list")[1].splitlines()[1:] == ["  2  auth/jwt/expiry.md"]
    code, out, err = judge("set", "refresh tokens", f"{name}=none", f"{ROTATION}=3")
    assert (code, err) == (0, "")
    assert "expiry" not in out


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("eval", 1),
        ("eval --drift 7,30", 3),
        ("compare --engine byterover --engine soleri", 2),
        ("sweep direct.min_top=0.5:1:10", 110),
        ("sweep direct.min_top=0.5:1:3 score.relevance=0:1:4", 12),
        ("migrate --dry-run", 2),
    ],
)
def test_many_judged_queries_are_run_only_if_their_file_is_named(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, command: str, runs: int
) -> None:
    """A project may contain 20,000 of them."""
    file = judge_three(project)
    monkeypatch.setattr(reading, "_MOST_RUN", 2 * 210 * runs)
    cut = "note: only the first 2 of 3 judged queries are run; "
    assert cut in run(*command.split())[2]
    if not command.startswith("migrate"):
        assert f"{cut}--judgments {file} runs all of them\n" in run(*command.split())[2]
        assert cut not in run(*command.split(), "--judgments", str(file))[2]
    monkeypatch.setattr(reading, "_MOST_RUN", 3 * 210 * runs)
    assert cut not in run(*command.split())[2]


@pytest.mark.parametrize(
    "gate",
    ["--fail-under mrr=0.5", "--baseline before.json", "--baseline-rev main", "--drift 7 --fail-on-drop mrr=0",
     "--drift 7 --fail-on-tier-change"],
)  # fmt: skip
def test_gate_is_refused_before_any_query_runs_if_not_all_would_run(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, gate: str
) -> None:
    """A query that fails the gate could be among those that are not run."""
    file = judge_three(project)
    monkeypatch.setattr(reading, "_MOST_RUN", 2 * 210 * (1 if "--baseline " in gate or "under" in gate else 2))
    refusal = "only the first 2 of 3 judged queries would be run, so a regression in the others would go undetected"
    with monkeypatch.context() as without_queries:
        without_queries.setattr(ByteRover, "answer", None)
        refused = (2, "", f"brv-tui: {refusal}; --judgments {file} runs all of them\n")
        assert run("eval", *gate.split()) == refused
    assert refusal not in run("eval", *gate.split(), "--judgments", str(file))[2]
    assert run("eval", "--fail-under", "mrr=0.5", "--judgments", str(file))[0] == 1


def test_sweep_notes_unused_queries_before_it_runs_any(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_three(project)
    monkeypatch.setattr(reading, "_MOST_RUN", 2 * 210 * 110)
    monkeypatch.setattr(ByteRover, "answer", None)
    err = run("sweep", "direct.min_top=0.5:1:10")[2]
    assert err.startswith("note: only the first 2 of 3 judged queries are run; ")


@pytest.mark.parametrize("form", ["beir", "trec", "qmd"])
def test_failed_export_ends_like_any_other_failure(run: Run, project: Tree, tmp_path: Path, form: str) -> None:
    (tmp_path / "file").write_text("mine")
    place = tmp_path / "file" / "out"
    code, out, err = run("judge", "export", form, str(place), "--project", str(project.root), inside=False)
    assert (code, out) == (4, "")
    assert err.endswith("); choose another place\n")


def test_judge_command_imports_and_exports_foreign_formats(run: Run, project: Tree) -> None:
    def judge(*args: str) -> tuple[int, str, str]:
        return run("judge", *args, "--project", str(project.root), inside=False)

    given = project.root / "qrels.txt"
    given.write_text(f"q1 0 {ROTATION} 2\nq1 0 gone.md 1\n")
    topics = project.root / "topics.tsv"
    topics.write_text("q1\trefresh tokens\n")
    code, out, _ = judge("import", "trec", str(given), "--queries", str(topics))
    assert (code, out) == (0, "imported 1 query; not in the tree: gone.md\n")
    assert judge("export", "trec", str(project.root / "again.txt"))[0] == 0
    assert (project.root / "again.txt").read_text() == given.read_text()
    assert judge("export", "beir", str(project.root / "set"))[0] == 0
    assert (project.root / "set/qrels/test.tsv").exists()
    assert judge("import", "trec", str(given))[0] == 0  # the query is already in the judgments
    assert judge("import", "qmd", str(given))[0] == 2
    new = project.root / "new.toml"
    wanted = (2, "", f"brv-tui: {new}: there is no such file\n")
    for command in (("list",), ("follow",), ("remove", "refresh tokens"), ("export", "qmd", "out.json")):
        assert judge(*command, "--judgments", str(new)) == wanted
    assert judge("import", "trec", str(given), "--queries", str(topics), "--judgments", str(new))[0] == 0
    assert judge("list", "--judgments", str(new))[0] == 1  # there is no note gone.md


def test_space_topics_can_be_judged_and_evaluated(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    space = small_space(tmp_path, 1_763_640_000_000.0)

    def called(*args: str) -> tuple[int, str, str]:
        return run(*args, "--project", str(space), inside=False)

    assert called("judge", "set", "refresh token", "auth/jwt.html=3")[0] == 0
    code, out, _ = called("eval", "--format", "json")
    assert (code, json.loads(out)["evaluation"]["queries"][0]["grades"]) == (0, {"auth/jwt.html": 3})
    code, _, err = called("eval", "--baseline-rev", "main")
    assert (code, len(err.strip().splitlines())) == (2, 1)


def test_judging_in_a_worktree_names_the_project_that_is_changed(run: Run, project: Tree, tmp_path: Path) -> None:
    (tmp_path / "worktree").mkdir()
    (tmp_path / "worktree" / ".brv").write_text(str(project.root))
    where = ("--project", str(tmp_path / "worktree"))
    line = f"note: worktree of {project.root}\n"
    assert run("judge", "set", "refresh", "rotation=3", *where, inside=False)[2] == line
    (tmp_path / "qrels").write_text("refresh 0 deploy/rollback.md 1\n")
    assert line in run("judge", "import", "trec", str(tmp_path / "qrels"), *where, inside=False)[2]
    assert line in run("judge", "follow", *where, inside=False)[2]
    assert line in run("judge", "remove", "refresh", *where, inside=False)[2]
    own = ("--judgments", str(tmp_path / "own.toml"))
    assert run("judge", "set", "refresh", "rotation=3", *where, *own, inside=False)[2] == line
    assert run("judge", "set", "refresh", "rotation=3", "--project", str(project.root), inside=False)[2] == ""
