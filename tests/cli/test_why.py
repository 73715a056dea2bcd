"""Why one note is above another or an answer is another, what matured, and what was judged of an answer."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import NOW, Run
from tests.cli.test_eval_baselines import ROTATION, Git, repository
from tests.corpus.code.making import write
from tests.support.trees import Tree

QUERY = "session refresh"


def test_the_parts_in_two_columns(run: Run, project: Tree) -> None:
    code, out, err = run("why", QUERY, "expiry", "rotation")
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert "A Session expiry auth/jwt/expiry.md rank 1," in text
    assert "part A B A − B" in text
    code, out, _ = run("why", QUERY, "expiry", "rotation", "--format", "json")
    value = json.loads(out)
    assert (value["above"]["path"], value["below"]["path"]) == ("auth/jwt/expiry.md", "auth/jwt/rotation.md")
    assert sum(part["difference"] for part in value["parts"]) == pytest.approx(value["gap"], abs=1e-9)
    assert value["gap"] == pytest.approx(value["above"]["score"] - value["below"]["score"])


@pytest.mark.parametrize("engine", ["soleri", "jeffs_brain", "knowing"])
def test_every_engine(run: Run, project: Tree, engine: str) -> None:
    code, out, _ = run("why", QUERY, "expiry", "rotation", "--engine", engine, "--format", "json")
    value = json.loads(out)
    assert code == 0
    assert sum(part["difference"] for part in value["parts"]) == pytest.approx(value["gap"], abs=1e-9)


def test_a_folder_is_called_as_in_the_answer_and_moves_with_its_notes(run: Run, project: Tree) -> None:
    project.note("ops/one.md", "Quokka gates", "quokka gates", importance=90, maturity="core")
    project.note("ops/two.md", "Quokka", "quokka", importance=90, maturity="core")
    project.summary("ops")
    code, out, _ = run("why", "quokka gates", "ops/one.md", "ops/_index.md")
    assert code == 0
    assert " B  ops  ops/_index.md" in out
    assert "B stands for its folder: what lifts the notes in it lifts it" in out


def test_what_cannot_be_compared_is_a_line(run: Run, project: Tree) -> None:
    code, _, err = run("why", QUERY, "rotation", "nosuch")
    assert (code, "no note nosuch" in err) == (3, True)
    code, _, err = run("why", QUERY, "rotation", "rollback")
    assert (code, "deploy/rollback.md has no score for this query" in err) == (1, True)
    code, _, err = run("why", QUERY, "rotation", "rotation")
    assert (code, "is named twice" in err) == (2, True)
    assert run("why", QUERY, "rotation")[0] == 2


def test_it_lists_what_comes_and_how_often(run: Run) -> None:
    code, out, err = run("maturity", "--days", "30")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith(" 4 notes of ")
    assert "from today to 2026-12-20, if nobody touches them" in lines[0]
    assert "4 out of tier 2 by then, 2 of them in these 30 days  (leaves-tier-2)" in out
    assert "2026-11-23   3.4 d  ○ auth/jwt/rotation.md  leaves tier 2\n" in out


def test_one_event(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "60", "--event", "pruning")
    assert code == 0
    assert "offered for pruning by then" in out
    assert "out of tier 2" not in out
    assert "deploy/rollback.md" not in out, "it has come before"
    _, out, _ = run("maturity", "--days", "60", "--event", "pruning", "--all")
    assert "before today        ○ deploy/rollback.md" in out


def test_json(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "30", "--event", "leaves-tier-2", "--format", "json")
    assert code == 0
    made = json.loads(out)
    assert (made["engine"], made["days"], made["event"], made["ranked"]) == ("byterover", 30, "leaves-tier-2", 4)
    assert [document["path"] for document in made["documents"]] == [
        "billing/invoices/rounding.md",
        "auth/jwt/rotation.md",
    ]
    assert {event["kind"] for document in made["documents"] for event in document["events"]} == {"leaves-tier-2"}
    assert made["counts"][0]["in_span"] == 2


def test_nothing_comes(run: Run) -> None:
    code, out, _ = run("maturity", "--days", "0")
    assert code == 1
    assert "no note; --all lists those to which it has come already" in out
    assert run("maturity", "--event", "archive", "--days", "1", "--format", "json")[0] == 1


def test_what_cannot_be_asked(run: Run) -> None:
    code, out, err = run("maturity", "--event", "archived")
    assert (code, out) == (2, "")
    assert err == "brv-tui: ByteRover has no event archived; did you mean archive?\n"
    code, _, err = run("maturity", "--engine", "knowing")
    assert code == 2
    assert err.startswith(
        "brv-tui: knowing has no forecasts: time alone changes none of its scores; engines here that have"
    )
    assert run("maturity", "--days", "-1")[0] == 2
    assert run("maturity", "--project", "/nowhere", inside=False)[0] == 3


def test_another_engine(run: Run) -> None:
    code, out, _ = run("maturity", "--engine", "soleri", "--days", "400", "--event", "age-halves")
    assert code == 0
    assert "with an age factor that has halved by then, 4 of them in these 400 days  (age-halves)" in out


def test_notes_that_the_engine_does_not_rank_are_told_apart(run: Run, project: Tree) -> None:
    project.file("_archived/old/note.stub.md", "stub text")
    out = run("maturity", "--engine", "soleri")[1]
    assert out.startswith(" 4 of 5 notes of ")
    assert run("maturity")[1].startswith(" 5 notes of ")


SAID = ("feedback", "rollback", "deploy/rollback.md", "accepted")


def test_feedback_is_kept_and_forgotten(run: Run) -> None:
    code, out, _ = run(*SAID, "--engine", "soleri")
    assert code == 0
    assert "1 of 30 rows of feedback" in out
    _, out, _ = run("forget", now=False)
    assert "dropped 1 row of feedback" in out


def test_feedback_on_code_is_kept_and_forgotten(run: Run, tmp_path: Path) -> None:
    repository = write(tmp_path / "shop", {"jobs.py": "def process(job): pass\n"})
    where = ("--repo", str(repository))
    for _ in range(2):
        assert (
            run("feedback", "process job", "process", "accepted", "--engine", "knowing", *where, inside=False)[0] == 0
        )
    code, out, _ = run("query", "process job", "--engine", "knowing", *where, inside=False)
    assert (code, "process" in out) == (0, True)
    (repository / "jobs.py").rename(repository / "tasks.py")
    code, _, err = run("code", "process job", *where, inside=False)
    assert code == 0
    assert err.startswith("brv-tui: feedback on 1 symbol that cannot be found here does not count: jobs.py/process;")
    (repository / "tasks.py").unlink()
    repository.rmdir()
    assert "dropped 2 rows of feedback" in run("forget", *where, inside=False, now=False)[1], "also of one that is gone"
    code, _, err = run("forget", *where, inside=False, now=False)
    assert (code, "there is no such folder" in err) == (3, True)
    assert run("forget", *where, "--project", ".", inside=False, now=False)[0] == 2


def test_an_engine_that_does_not_learn_says_so(run: Run) -> None:
    code, _, err = run(*SAID)
    assert code == 2
    assert "ByteRover does not learn from feedback" in err


def test_a_note_that_is_none_is_named(run: Run) -> None:
    code, _, err = run("feedback", "rollback", "nowhere", "accepted", "--engine", "soleri")
    assert code == 3
    assert "no note nowhere" in err


def test_a_note_that_is_no_result_is_refused(run: Run) -> None:
    code, _, err = run("feedback", "rolling", "billing/invoices/rounding.md", "accepted", "--engine", "soleri")
    assert code == 2
    assert "is not a result of this query" in err


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


def test_a_revision_names_the_text_that_did_it(run: Run, project: Tree, repository: Git) -> None:
    assert diffed(run, "--rev", "main")[1]["notes"] == []
    project.note(ROTATION, "Keys", "Nothing of this is about sessions any more.", 0.1)
    code, value = diffed(run, "--rev", "main")
    assert (code, value["then_name"], value["now_name"]) == (1, "main", "as it is")
    assert [cause["kind"] for cause in value["notes"][-1]["causes"]] == ["its own text", "other notes' texts"]
    out = " ".join(run("diff", COMPARED, "--rev", "main")[1].split())
    assert "tier 2 → tier 4: texts of notes" in out
    assert "git keeps no times" in out
    assert f"Refresh rotation {ROTATION} rank 1 → –" in out
    assert "no result now: " in out
    assert repository("status", "--porcelain").strip() == f"M .brv/context-tree/{ROTATION}"


def test_another_moment_profile_and_signals(run: Run, project: Tree, tmp_path: Path) -> None:
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


def test_an_edit_before_it_is_saved(run: Run, project: Tree, tmp_path: Path) -> None:
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


def test_an_edit_without_a_change_changes_no_score(run: Run, project: Tree) -> None:
    """A stored recency counts at exactly 0 days, which a save is past before anybody asks."""
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
def test_another_time_is_said_to_be_one(run: Run, at: str, named: str) -> None:
    out = run("diff", COMPARED, "--at", at)[1].splitlines()
    assert out[1] == f" before  as it is: 4 notes, as of {NOW.removesuffix('Z')}.000Z"
    assert out[2].startswith(f" after   {named}: 4 notes, as of ")
    assert diffed(run, "--at", at, "--to-profile", "docs")[1]["now_name"].startswith("profile docs")


def test_only_causes_that_changed_something_are_listed(run: Run) -> None:
    _, value = diffed(run, "--without", "rotation", query="refresh")
    assert {cause["kind"] for note in value["notes"] for cause in note["causes"]} == {
        "its own text", "other notes' texts", "age",
    }  # fmt: skip
    out = run("diff", "refresh", "--without", "rotation")[1]
    assert "other notes' texts" in out
    assert "   age " not in out, "the clock stood still"
    assert "   age  " in run("diff", "refresh", "--at", "+90d")[1]


@pytest.mark.parametrize("engine", ["byterover", "soleri", "jeffs_brain", "knowing"])
def test_an_answer_that_was_saved_long_ago(run: Run, project: Tree, tmp_path: Path, engine: str) -> None:
    """The causes are the scores of three answers: the saved one, today's notes at that moment, and today's."""
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
def test_a_scope_that_names_nothing_is_told(run: Run, project: Tree, words: tuple[str, ...]) -> None:
    told = "names no folder or note of the tree; look at --scope"
    assert f"note: nowhere {told}" in run(*words, "--scope", "nowhere")[2]
    assert told not in run(*words, "--scope", ROTATION.partition("/")[0])[2]


def test_what_a_save_gives_a_note_is_not_laid_to_its_age(run: Run, project: Tree, tmp_path: Path) -> None:
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


def test_constants_are_a_cause_of_their_own_where_they_can_be_read(run: Run, project: Tree, tmp_path: Path) -> None:
    file = tmp_path / "then.json"
    run("query", COMPARED, "--profile", "docs", "--save", str(file))
    value = json.loads(run("diff", "--saved", str(file), "--format", "json")[1])
    assert value["notes"]
    for note in value["notes"]:
        kinds = {cause["kind"]: cause["change"] for cause in note["causes"]}
        assert kinds["notes and signals"] == kinds["age"] == 0
        assert kinds["constants"] == pytest.approx(note["change"], abs=1e-9)


@pytest.mark.parametrize("engine", ["soleri", "jeffs_brain", "knowing"])
def test_every_engine_compares(run: Run, project: Tree, tmp_path: Path, engine: str) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("# Keys\n\nNothing of it.\n")
    _, value = diffed(run, "--edit", f"{ROTATION}={draft}", "--engine", engine, query="refresh")
    assert value["engine"] == engine
    assert any(note["causes"] for note in value["notes"])


def test_what_no_two_answers_are_is_a_line(run: Run, project: Tree, repository: Git, tmp_path: Path) -> None:
    for options, code, said in (
        ((), 2, "what is different"),
        (("--saved", str(tmp_path / "none.json")), 2, "leave out TEXT"),
        (("--rev", "nosuch"), 2, "no revision nosuch"),
        (("--to-profile", "nosuch"), 2, "nosuch"),
        (("--to-signals", str(tmp_path / "none.json")), 2, "none.json"),
        (("--at", "soon"), 2, "nor an ISO 8601 time"),
        (("--edit", "rotation"), 2, "must be NOTE=FILE"),
        (("--edit", f"rotation={tmp_path / 'none.md'}"), 2, "cannot be read"),
        (("--edit", "../../x.md=x"), 3, "leads out of the tree"),
        (("--without", "nosuch"), 3, "no note nosuch"),
    ):
        found, out, err = run("diff", COMPARED, *options)
        assert (found, said in err, out, err.count("\n")) == (code, True, "", 1), (options, err)
    found, _, err = run("diff", "--saved", str(tmp_path / "none.json"))
    assert (found, "cannot be read" in err) == (2, True)
