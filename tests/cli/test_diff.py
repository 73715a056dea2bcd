"""``brv-tui diff``: two answers to one query, with causes."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from brvtui.store.folders import config_folder
from tests.cli.conftest import NOW, Run
from tests.cli.test_eval_baselines import ROTATION, Git, repository
from tests.support.trees import Tree

__all__ = ["repository"]


COMPARED = "refresh token use"


def diffed(run: Run, *options: str, query: str = COMPARED) -> tuple[int, dict[str, Any]]:
    code, out, err = run("diff", query, *options, "--format", "json")
    assert code in (0, 1), err
    value: dict[str, Any] = json.loads(out)
    for note in value["notes"]:
        assert sum(cause["change"] for cause in note["causes"]) == pytest.approx(note["change"], abs=1e-9)
        scores = [note[name] or 0.0 for name in ("score_then", "score_now")]
        assert note["change"] == pytest.approx(scores[1] - scores[0], abs=1e-9)
    return code, value


def test_diff_command_with_a_revision_names_the_responsible_edit(run: Run, project: Tree, repository: Git) -> None:
    assert diffed(run, "--rev", "main")[1]["notes"] == []
    project.note(ROTATION, "Keys", "Nothing of this is about sessions any more.", 0.1)
    code, value = diffed(run, "--rev", "main")
    assert (code, value["then_name"], value["now_name"]) == (1, "main", "as it is")
    causes = [cause["kind"] for cause in value["notes"][-1]["causes"]]
    assert causes == ["its own text", "other notes' texts", "age"]
    assert value["notice"] == "file times of 1 note at main: 1 from the last commit"
    out = " ".join(run("diff", COMPARED, "--rev", "main")[1].split())
    assert "tier 2 → tier 4 because of texts of notes" in out
    assert value["notice"] in out
    assert f"Refresh rotation {ROTATION} rank 1 → –" in out
    assert "not a result now: " in out
    assert repository("status", "--porcelain").strip() == f"M .brv/context-tree/{ROTATION}"


def test_ambiguous_revision_is_reported(run: Run, project: Tree, repository: Git) -> None:
    for options in (("diff", COMPARED, "--rev", "main"), ("eval", "--baseline-rev", "main~0")):
        assert "ambiguous" not in run(*options)[2]
    repository("tag", "main")
    for name, options in (("main", ("diff", COMPARED, "--rev")), ("main~0", ("eval", "--baseline-rev"))):
        told = f"note: git warns about the revision {name} (refname 'main' is ambiguous); write its full name: "
        assert told in run(*options, name)[2]
    assert "ambiguous" not in run("diff", COMPARED, "--rev", "refs/heads/main")[2]
    where = ("code", "--diff", "main..HEAD", "--repo", str(project.root))
    assert run(*where, inside=False)[2].count("note: git warns about the revision main (") == 1


def test_new_link_to_a_note_is_a_change_since_a_revision(run: Run, project: Tree, repository: Git) -> None:
    (project.tree / "link.md").symlink_to(ROTATION)
    code, value = diffed(run, "--rev", "main")
    assert (code, [step["what"] for step in value["outcomes"]]) == (1, ["texts of notes"])
    assert "the engine cannot search this tree (link.md: a symlink to another" in value["notes"][0]["reason"]


def test_other_time_profile_or_signals_are_named_as_causes(run: Run, project: Tree, tmp_path: Path) -> None:
    signals = tmp_path / "signals.json"
    signals.write_text(json.dumps({ROTATION: {"importance": 100, "maturity": "core"}}))
    for options, kind in (
        (("--at", "+60d"), "age"), (("--to-profile", "docs"), "constants"), (("--to-signals", str(signals)), "signals"),
    ):  # fmt: skip
        _, value = diffed(run, *options)
        assert value["notes"], options
        assert {cause["kind"] for note in value["notes"] for cause in note["causes"]} == {kind}, options
    _, value = diffed(run, "--at", "+60d", "--to-profile", "docs", "--to-signals", str(signals))
    assert [step["what"] for step in value["outcomes"]] == ["age", "signals", "constants"]
    later = json.loads(run("query", COMPARED, "--format", "json", "--now", "2027-01-19T12:00:00Z", now=False)[1])
    first = next(note for note in diffed(run, "--at", "+60d")[1]["notes"] if note["path"] == ROTATION)
    assert first["score_now"] == next(hit["score"] for hit in later["trace"]["hits"] if hit["file"] == ROTATION)


def test_diff_command_shows_the_effect_of_an_unsaved_edit(run: Run, project: Tree, tmp_path: Path) -> None:
    before = (project.tree / ROTATION).read_bytes()
    draft = tmp_path / "draft.md"
    draft.write_text("# Keys\n\nNothing about it.\n")
    code, value = diffed(run, "--edit", f"{ROTATION}={draft}")
    assert (code, value["now_name"]) == (1, f"{ROTATION} edited")
    assert (project.tree / ROTATION).read_bytes() == before
    draft.write_text("# Refresh token use\n\nrefresh token use\n")
    _, value = diffed(run, "--edit", f"auth/new.md={draft}")
    made = next(note for note in value["notes"] if note["path"] == "auth/new.md")
    assert (made["rank_then"], made["rank_now"], made["score_then"]) == (None, 1, None)
    assert made["reason_then"] == "no such note"
    assert not (project.tree / "auth" / "new.md").exists()
    _, value = diffed(run, "--without", "rotation")
    gone = next(note for note in value["notes"] if note["path"] == ROTATION)
    assert gone["reason"] == "no such note"


def test_edit_without_text_changes_does_not_affect_scores(run: Run, project: Tree) -> None:
    """A stored recency counts only at an age of exactly 0 days, and a saved file is older than that."""
    signals = "---\nimportance: 50\nrecency: 0.3\nmaturity: draft\n---\n"
    project.file(ROTATION, f"{signals}# Refresh rotation\n\nA refresh token gives a new one.\n", days=1e-6)
    project.read_frontmatter()
    assert diffed(run, "--edit", f"{ROTATION}={project.tree / ROTATION}")[1]["notes"] == []


@pytest.mark.parametrize(
    ("at", "named"),
    [
        ("+30d", "30 days later"),
        ("-1d", "1 day earlier"),
        ("+36h", "36 hours later"),
        ("+60h", "60 hours later"),
        ("2026-11-23T01:30:00Z", "about 3 days later"),
        ("2026-11-20T12:05:00Z", "5 minutes later"),
        (NOW, "as it is"),
    ],
)
def test_compared_time_is_shown_in_the_heading(run: Run, at: str, named: str) -> None:
    out = run("diff", COMPARED, "--at", at)[1].splitlines()
    before = out.index(f" before  as it is: 4 notes, as of {NOW.removesuffix('Z')}.000Z")
    after = next(place for place, line in enumerate(out) if line.startswith(f" after   {named}: 4 notes, as of "))
    assert before < after
    assert [out[row + 1].split()[0] for row in (before, after)] == ["TIER", "TIER"]
    assert diffed(run, "--at", at, "--to-profile", "docs")[1]["now_name"].startswith("profile docs")


def test_causes_without_an_effect_are_omitted(run: Run) -> None:
    _, value = diffed(run, "--without", "rotation", query="refresh")
    assert {cause["kind"] for note in value["notes"] for cause in note["causes"]} == {
        "its own text", "other notes' texts", "age",
    }  # fmt: skip
    out = run("diff", "refresh", "--without", "rotation")[1]
    assert "other notes' texts" in out
    assert "   age " not in out, "the clock stood still"
    assert "   age  " in run("diff", "refresh", "--at", "+90d")[1]


@pytest.mark.parametrize("engine", ["byterover", "soleri", "jeffs_brain", "knowing"])
def test_score_changes_of_an_old_saved_answer_are_split_by_cause(
    run: Run, project: Tree, tmp_path: Path, engine: str
) -> None:
    """Compares three answers: the saved one, today's notes at the saved time, and today's notes today."""
    file, other = tmp_path / "then.json", ("--engine", engine, "--format", "json")
    assert run("query", "refresh", "--engine", engine, "--save", str(file))[0] == 0
    code, out, _ = run("diff", "--saved", str(file), "--format", "json")
    assert (code, json.loads(out)["notes"]) == (0, [])
    project.note(ROTATION, "Rotation of keys", "A refresh, now and then, of what is refreshed.", 0.1)
    project.note("auth/new.md", "Refresh", "Refresh it.", 1)
    at_then = json.loads(run("query", "refresh", *other)[1])["trace"]["hits"]
    later = ("--now", "2027-01-19T12:00:00Z")
    now = json.loads(run("query", "refresh", *other, *later, now=False)[1])["trace"]["hits"]
    _, out, err = run("diff", "--saved", str(file), "--format", "json", *later, now=False)
    value = json.loads(out)
    assert (err, value["engine"]) == ("", engine)
    saved = json.loads(file.read_text())["trace"]["hits"]
    assert value["notes"]
    for note in value["notes"]:
        scores = [next((hit["score"] for hit in hits if hit["file"] == note["path"]), None) for hits in (saved, now)]
        if None not in scores:
            assert [note["score_then"], note["score_now"]] == scores
        assert [cause["kind"] for cause in note["causes"]] == ["notes and signals", "age"]
        assert sum(cause["change"] for cause in note["causes"]) == pytest.approx(note["change"], abs=1e-9)
        between = next((hit["score"] for hit in at_then if hit["file"] == note["path"]), None)
        if between is not None:
            assert note["causes"][0]["score"] == pytest.approx(between, abs=1e-9)


@pytest.mark.parametrize(
    "words",
    [("diff", COMPARED, "--at", "+9d"), ("compare", COMPARED), ("why", COMPARED, ROTATION, "rollback"), ("eval",)],
)
def test_unknown_scope_is_reported(run: Run, project: Tree, words: tuple[str, ...]) -> None:
    told = "the tree has no folder or note nowhere; check --scope"
    assert f"note: {told}" in run(*words, "--scope", "nowhere")[2]
    assert told not in run(*words, "--scope", ROTATION.partition("/")[0])[2]


def test_effect_of_saving_is_not_attributed_to_age(run: Run, project: Tree, tmp_path: Path) -> None:
    project.note(ROTATION, "Refresh rotation", "A refresh token is used once.", 60)
    file = tmp_path / "then.json"
    run("query", COMPARED, "--save", str(file))
    minute = 1 / 1440
    project.note(ROTATION, "Refresh rotation", "A refresh token is used once, then.", -minute)
    later = ("--now", (datetime.fromisoformat(NOW) + timedelta(minutes=2)).isoformat())
    value = json.loads(run("diff", "--saved", str(file), "--format", "json", *later, now=False)[1])
    changes = {
        cause["kind"]: cause["change"]
        for note in value["notes"]
        if note["path"] == ROTATION
        for cause in note["causes"]
    }
    assert changes["notes and signals"] > 0.05
    assert abs(changes["age"]) < 0.001


def test_constants_are_a_separate_cause_if_readable(run: Run, project: Tree, tmp_path: Path) -> None:
    file = tmp_path / "then.json"
    run("query", COMPARED, "--profile", "docs", "--save", str(file))
    value = json.loads(run("diff", "--saved", str(file), "--format", "json")[1])
    assert value["notes"]
    for note in value["notes"]:
        kinds = {cause["kind"]: cause["change"] for cause in note["causes"]}
        assert kinds["notes and signals"] == kinds["age"] == 0
        assert kinds["constants"] == pytest.approx(note["change"], abs=1e-9)


@pytest.mark.parametrize("named", ["evil.toml", "./evil.toml", "mine", "docs"])
def test_saved_answer_opens_no_profile_file_and_no_linked_tree(
    run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    file, link = tmp_path / "then.json", project.root / ".brv" / "context-tree"
    run("query", COMPARED, "--save", str(file))
    link.rename(tmp_path / "private")
    link.symlink_to(tmp_path / "private")
    linked = 'extends = "brv-3"\n[limits]\nlinked_trees = true\n'
    for name in ("evil.toml", "mine", "docs"):
        (project.root / name).write_text(linked)
    config_folder().mkdir(parents=True)
    (config_folder() / "mine.toml").write_text(linked)
    monkeypatch.chdir(project.root)
    saved = json.loads(file.read_text())
    saved["trace"]["profile"] = named
    file.write_text(json.dumps(saved))
    value = json.loads(run("diff", "--saved", str(file), "--format", "json")[1])
    assert value["notes"]
    for note in value["notes"]:
        assert {cause["score"] for cause in note["causes"]} == {None}, "no note was read"


def test_saved_answer_names_the_users_own_profile(run: Run, tmp_path: Path) -> None:
    config_folder().mkdir(parents=True)
    (config_folder() / "mine.toml").write_text('extends = "brv-3"\n[score]\nrelevance = 0.5\n')
    file = tmp_path / "then.json"
    run("query", COMPARED, "--profile", "mine", "--save", str(file))
    value = json.loads(run("diff", "--saved", str(file), "--format", "json")[1])
    kinds = {cause["kind"] for note in value["notes"] for cause in note["causes"]}
    assert "constants" in kinds


def test_saved_answer_opens_no_file_named_in_its_options(run: Run, project: Tree, tmp_path: Path) -> None:
    file = tmp_path / "then.json"
    run("query", COMPARED, "--engine", "soleri", "--save", str(file))
    saved = json.loads(file.read_text())
    saved["trace"]["options"]["memories"] = str(tmp_path / "secret.json")
    file.write_text(json.dumps(saved))
    code, _, err = run("diff", "--saved", str(file))
    assert (code, "memories: a file cannot name another file" in err) == (2, True), err


@pytest.mark.parametrize("engine", ["soleri", "jeffs_brain", "knowing"])
def test_every_engine_names_the_causes_of_a_change(run: Run, project: Tree, tmp_path: Path, engine: str) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("# Keys\n\nNothing of it.\n")
    _, value = diffed(run, "--edit", f"{ROTATION}={draft}", "--engine", engine, query="refresh")
    assert value["engine"] == engine
    assert any(note["causes"] for note in value["notes"])


def test_invalid_comparison_is_refused_in_one_line(run: Run, project: Tree, repository: Git, tmp_path: Path) -> None:
    for options, code, said in (
        ((), 2, "give at least one difference"),
        (("--saved", str(tmp_path / "none.json")), 2, "leave out TEXT"),
        (("--rev", "nosuch"), 2, "no revision nosuch"),
        (("--to-profile", "nosuch"), 2, "nosuch"),
        (("--to-signals", str(tmp_path / "none.json")), 2, "none.json"),
        (("--at", "soon"), 2, "nor an ISO 8601 time"),
        (("--edit", "rotation"), 2, "must be NOTE=FILE"),
        (("--edit", f"rotation={tmp_path / 'none.md'}"), 2, "cannot be read"),
        (("--edit", "../../x.md=x"), 3, "points outside the tree"),
        (("--without", "nosuch"), 3, "no note nosuch"),
    ):
        found, out, err = run("diff", COMPARED, *options)
        assert (found, said in err, out, err.count("\n")) == (code, True, "", 1), (options, err)
    found, _, err = run("diff", "--saved", str(tmp_path / "none.json"))
    assert (found, "cannot be read" in err) == (2, True)
