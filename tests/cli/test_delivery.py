"""``brv-tui delivery``: permission, selection, gates, and what each kind of row means."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.lab.delivery.finding import Transcripts
from brvtui.tree.engine_files.query_log import query_log_folder
from brvtui.tree.engine_files.sidecar import project_data
from tests.cli.conftest import Run
from tests.support.agent_session import ANSWER, PROMPT, Row, Session, context
from tests.support.trees import NOW_MS, Tree

NO_LOG = "note: the engine has no log for this project, so it is unknown which answers came too late\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "transcripts"


@pytest.fixture
def session(project: Tree, folder: Path) -> Session:
    return Session(project, folder)


@pytest.fixture
def turns(run: Run, folder: Path) -> Callable[..., list[Row]]:
    def found(*options: str) -> list[Row]:
        code, out, err = run("delivery", "--transcripts", str(folder), "--format", "json", *options, now=False)
        assert (code, err.replace(NO_LOG, "")) == (0, "")
        turns: list[Row] = json.loads(out)["turns"]
        return turns

    return found


def hook_rows(session: Session, case: str) -> None:
    session.prompt("ok" if case == "skipped" else PROMPT)
    match case:
        case "skipped":
            session.hook("hook_success", stdout="", exitCode=0)
        case "delivered":
            session.attached()
        case "not_covered":
            session.attached("This topic is not covered in the knowledge base.")
        case "empty":
            session.attached("")
        case "spilled" | "spilled_read":
            path = "/home/me/.claude/x/hook-1-additionalContext.txt"
            session.hook("hook_additional_context", content=[f"<persisted-output>\nsaved to: {path}\n"])
            if case == "spilled_read":
                session.call("Read", file_path=path)
        case "failed":
            session.hook("hook_non_blocking_error", stderr="boom", exitCode=1)
        case "ignored_by_host":
            session.hook("hook_success", stdout=json.dumps({"additionalContext": context()}), exitCode=0)
            session.reply("I do not know.")
        case "timed_out":
            session.hook("hook_success", stdout="", exitCode=0, durationMs=6002)
            session.log(seconds=11, tier=4)


CASES = (
    "delivered", "not_covered", "empty", "spilled", "spilled_read", "failed", "ignored_by_host", "timed_out", "skipped",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_hook_outcome_follows_from_its_rows(case: str, session: Session, turns: Callable[..., list[Row]]) -> None:
    hook_rows(session, case)
    (turn,) = turns()
    assert (turn["channel"], turn["outcome"]) == ("hook", case)
    assert turn["evidence"]


def test_text_received_twice_in_a_session_is_delivered_again(
    session: Session, turns: Callable[..., list[Row]], project: Tree, folder: Path
) -> None:
    session.prompt()
    session.attached()
    call = session.call("mcp__brv__brv-query", 60, query=PROMPT)
    session.result(call, ANSWER, 61)
    other = Session(project, folder, "s2")
    other.prompt(after_s=120)
    other.attached(after_s=121)
    found = [(turn["session"], turn["channel"], turn["outcome"]) for turn in turns()]
    assert found == [("s1", "hook", "delivered"), ("s1", "mcp", "delivered_again"), ("s2", "hook", "delivered")]


def test_shell_calls_are_read_with_their_results(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.prompt("please look")
    session.result(session.call("Bash", command=f'cd x && brv query "{PROMPT}" | head'), ANSWER)
    session.result(session.call("Bash", 3, command="node skill/query.mjs 'second one'"), "no luck", is_error=True)
    session.call("Bash", 5, command="brv query 'third one'")
    found = [(turn["query"], turn["outcome"]) for turn in turns()]
    assert found == [(PROMPT, "delivered"), ("second one", "failed"), ("third one", "unknown")]


def test_late_answer_is_timed_out_only_if_the_hook_is_known(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.prompt()
    session.log(seconds=11, tier=4)
    (turn,) = turns()
    assert turn["outcome"] == "unknown"
    assert "lost if the hook asked" in turn["evidence"]
    session.prompt("another question", 60)
    session.attached(after_s=61)
    assert [turn["outcome"] for turn in turns()] == ["timed_out", "delivered"]


def test_answer_is_late_if_the_model_then_writes_memories(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.prompt()
    session.hook("hook_success", stdout="", exitCode=0)
    session.log(seconds=3.6, tier=3, completedAt=NOW_MS - 3_600_000 + 7_300)
    (turn,) = turns()
    assert (turn["outcome"], turn["duration_ms"]) == ("timed_out", 7_200)
    assert "answered after 7.2 s" in turn["evidence"]


@pytest.mark.parametrize(
    ("status", "outcome"), [("completed", "timed_out"), ("processing", "unknown"), ("", "unknown")]
)
def test_hook_that_ran_too_long_has_timed_out_if_the_engine_answered(
    status: str, outcome: str, session: Session, turns: Callable[..., list[Row]]
) -> None:
    session.prompt()
    session.hook("hook_success", 7, stdout="", exitCode=0, durationMs=6_340)
    if status:
        session.log(seconds=1.4, tier=4, status=status)
    (turn,) = turns()
    assert turn["outcome"] == outcome
    assert ("printed nothing for 6.3 s" in turn["evidence"]) is (status != "processing")


def test_listed_sources_have_the_same_paths_as_in_the_log(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.prompt()
    session.attached(f"{ANSWER}\n\n**Sources**:\n- `.brv/context-tree/auth/jwt/rotation.md`")
    session.log(tier=0, matchedDocs=[])
    (turn,) = turns()
    assert turn["documents"] == ["auth/jwt/rotation.md"]


def test_engine_entry_without_a_turn_is_listed_as_unmatched(run: Run, session: Session, folder: Path) -> None:
    session.log("asked in a terminal")
    session.prompt()
    code, out, _ = run("delivery", "--transcripts", str(folder), "--format", "json", now=False)
    assert code == 0
    assert [entry["query"] for entry in json.loads(out)["unmatched_log"]] == ["asked in a terminal"]


def test_clocks_may_differ_by_two_minutes(session: Session, turns: Callable[..., list[Row]]) -> None:
    for number in range(5):
        session.prompt(f"question number {number}", 30 * number)
        session.attached(f"answer {number}", 30 * number + 1)
        session.log(f"question number {number}", after_s=30 * number + 120, tier=3)
    for again in range(8):
        session.prompt("the same again", 200 + 40 * again)
        session.attached(f"an answer {again}", 201 + 40 * again)
        if again != 3:
            session.log("the same again", after_s=320 + 40 * again, tier=4, seconds=1 + again)
    found = turns()
    assert [turn["tier"] for turn in found[:5]] == [3] * 5
    assert [turn["duration_ms"] for turn in found[5:]] == [1000, 2000, 3000, None, 5000, 6000, 7000, 8000]


def test_unknown_and_broken_rows_are_counted_and_the_rest_is_read(run: Run, session: Session, folder: Path) -> None:
    session.row("renamed-row")
    session.prompt()
    session.hook("hook_renamed")
    session.attached()
    with session.file.open("a") as out:
        out.write('[1, 2]\nno json\n{"type": "assistant", "uu')
    code, out_text, _ = run("delivery", "--transcripts", str(folder), "--format", "json", now=False)
    found = json.loads(out_text)
    assert code == 0
    assert [turn["outcome"] for turn in found["turns"]] == ["delivered"]
    assert found["unknown_rows"] == 4


def test_rows_from_other_projects_and_repeated_rows_do_not_count(
    session: Session, turns: Callable[..., list[Row]], project: Tree
) -> None:
    session.prompt("a secret of another project", cwd="/somewhere/else")
    session.prompt("a secret next to it", cwd=f"{project.root}/../other")
    session.prompt(cwd=str(project.root / "src"))
    session.attached()
    lines = session.file.read_text()
    session.file.write_text(lines + lines)
    assert [turn["query"] for turn in turns()] == [PROMPT]


def test_notes_that_the_reply_mentions_count_as_used(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.prompt()
    session.attached()
    session.log()
    session.reply("As auth/jwt/rotation.md says, each use gives a new one.")
    (turn,) = turns()
    assert turn["documents"] == turn["used"] == ["auth/jwt/rotation.md"]


def test_plain_log_from_another_host_is_read(folder: Path, session: Session, turns: Callable[..., list[Row]]) -> None:
    session.file.unlink()
    rows = [
        {"time": NOW_MS, "prompt": PROMPT, "delivered": ANSWER},
        {"time": NOW_MS, "prompt": "x y z", "delivered": None},
    ]
    (folder / "host.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [turn["outcome"] for turn in turns()] == ["delivered", "unknown"]


def test_transcripts_are_read_only_after_permission(
    run: Run, session: Session, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    session.prompt()
    session.attached()
    code, out, err = run("delivery", now=False)
    assert (code, out) == (2, "")
    assert "transcripts are private and were not read" in err
    assert run("delivery", "--transcripts", str(folder), now=False)[0] == 0
    code, out, _ = run("delivery", now=False)
    assert code == 0
    assert PROMPT in out


def test_gates_and_selection(run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    session.prompt("another question", 60)
    session.hook("hook_success", 61, stdout="", exitCode=0)
    session.log("another question", 11, 60.5, 4)
    named = ("delivery", "--transcripts", str(folder))
    assert run(*named, "--fail-on", "timed_out", now=False)[0] == 1
    assert run(*named, "--fail-on", "failed,spilled", now=False)[0] == 0
    assert run(*named, "--fail-on", "timed_out", "--limit-seconds", "20", now=False)[0] == 0
    assert run(*named, "--fail-on", "nonsense", now=False)[0] == 2
    assert run(*named, "--fail-on", " ", now=False)[0] == 2
    assert run(*named, "--fail-on", "timed_out", "--outcome", "delivered", now=False)[0] == 1
    _, out, _ = run(*named, "--outcome", "timed_out", "--format", "json", now=False)
    assert [turn["query"] for turn in json.loads(out)["turns"]] == ["another question"]
    _, out, _ = run(*named, "--session", "nobody", "--format", "json", now=False)
    assert json.loads(out)["turns"] == []
    _, out, _ = run(*named, "--since", "2026-11-20T11:00:30Z", "--format", "json", now=False)
    assert [turn["query"] for turn in json.loads(out)["turns"]] == ["another question"]
    _, out, _ = run(*named, "--session", "nobody", "--outcome", "failed", now=False)
    assert "--session and --outcome" in out


def test_gate_fails_if_something_cannot_be_read(run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    assert run(*named, "--session", "nobody", now=False)[0] == 4
    os.mkfifo(folder / "pipe.jsonl")
    assert run(*named, now=False)[0] == 4
    session.prompt("another question", 60)
    session.hook("hook_success", 61, stdout="", exitCode=0)
    session.log("another question", 11, 60.5, 4)
    assert run(*named, now=False)[0] == 1


def hide_in(session: Session, row: bytes) -> None:
    """Appends a row that may have contained a turn."""
    with session.file.open("ab") as out:
        out.write(row + b"\n")


@pytest.mark.parametrize(
    "row",
    [
        b"x" * 9_000_000, b"no json", b"\0" * 100, b"[" * 100_000 + b"hook_", b"[1]",
        b'{"type": "attachment", "attachment": {"type": "hook_timeout_v2"}}',
    ],
    ids=("long", "no json", "nul", "nested", "list", "unknown hook"),
)  # fmt: skip
def test_gate_fails_on_rows_that_cannot_be_read(row: bytes, run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    assert run(*named, now=False)[0] == 0
    hide_in(session, row)
    code, out, _ = run(*named, now=False)
    assert (code, "not read" in out) == (4, True)


def test_gate_fails_without_a_turn(run: Run, session: Session, folder: Path) -> None:
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    assert run(*named, now=False)[0] == 4
    hide_in(session, b"\x93\x8f\x01")
    assert run(*named, now=False)[0] == 4


@pytest.mark.parametrize("row", [b'{"type": "user", "mess', b"\0" * 100, b"x" * 9_000_000], ids=("cut", "nul", "long"))
def test_gate_fails_on_an_unfinished_row(row: bytes, run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    with session.file.open("ab") as out:
        out.write(row)
    assert run("delivery", "--transcripts", str(folder), "--fail-on", "timed_out", now=False)[0] == 4
    assert run("delivery", "--transcripts", str(folder), now=False)[0] == 0


@pytest.mark.parametrize("case", ["unreadable", "pipe", "link", "missing", "empty"])
def test_gate_fails_if_the_log_that_decides_is_not_there(
    case: str, run: Run, session: Session, folder: Path, tmp_path: Path
) -> None:
    session.prompt()
    session.attached()
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    log = query_log_folder(project_data(session.project.root))
    log.parent.mkdir(parents=True, exist_ok=True)
    match case:
        case "pipe" | "unreadable":
            os.mkfifo(log)
        case "link":
            log.symlink_to(tmp_path / "nowhere")
        case "empty":
            log.mkdir()
    is_needed = case in ("missing", "empty")
    assert run(*named, now=False)[0] == (0 if is_needed else 4)
    session.prompt("another question", 60)
    session.hook("hook_success", 66, stdout="", exitCode=0)
    assert run(*named, now=False)[0] == 4


def test_row_with_the_id_of_another_one_fails_a_gate(run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    first = folder / "0.jsonl"
    first.write_bytes(session.file.read_bytes())
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    assert run(*named, now=False)[0] == 0
    first.write_bytes(session.file.read_bytes().replace(b"refresh", b"other"))
    assert run(*named, now=False)[0] == 4


def test_other_rows_before_and_between_hide_no_turn(run: Run, session: Session, folder: Path) -> None:
    plain = json.dumps({"time": NOW_MS, "prompt": "a plain one", "delivered": ANSWER}).encode()
    (folder / "host.jsonl").write_bytes(b'{"type": "meta", "version": 1}\n' + plain + b"\n")
    session.prompt()
    session.attached()
    named = ("delivery", "--transcripts", str(folder))
    _, out, _ = run(*named, "--format", "json", now=False)
    assert {turn["query"] for turn in json.loads(out)["turns"]} == {PROMPT, "a plain one"}
    assert run(*named, "--fail-on", "timed_out", now=False)[0] == 0
    hide_in(session, plain)
    assert run(*named, "--fail-on", "timed_out", now=False)[0] == 4


def test_sessions_that_began_elsewhere_are_read_from_claudes_folder(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    projects = tmp_path / "claude" / "projects"
    above = str(project.root.parent).replace("/", "-")
    for name in (above, "-elsewhere"):
        session = Session(project, projects / name, name)
        session.prompt(f"asked from {name}")
        session.hook("hook_cancelled")
    named = ("delivery", "--transcripts", str(projects))
    _, out, _ = run(*named, "--format", "json", now=False)
    assert len(json.loads(out)["turns"]) == 1
    (
        projects / str(project.root.parent).replace("/", "-") / f"{str(project.root.parent).replace('/', '-')}.jsonl"
    ).unlink()
    assert run(*named, "--fail-on", "failed", now=False)[0] == 1


def test_first_row_that_cannot_be_read_hides_no_other(run: Run, session: Session, folder: Path) -> None:
    session.file.unlink()
    hide_in(session, b"\xff\xff")
    hide_in(session, json.dumps({"type": "x", "time": NOW_MS, "prompt": PROMPT, "delivered": ANSWER}).encode())
    _, out, _ = run("delivery", "--transcripts", str(folder), "--format", "json", now=False)
    assert [turn["outcome"] for turn in json.loads(out)["turns"]] == ["delivered"]


def test_log_copy_in_the_project_hides_no_late_answer(run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.hook("hook_success", stdout="", exitCode=0)
    session.log(seconds=11, tier=4, after_s=2)
    named = ("delivery", "--transcripts", str(folder), "--fail-on", "timed_out")
    own, copy = query_log_folder(project_data(session.project.root)), session.project.root / ".brv" / "query-log"
    copy.mkdir()
    entry = json.loads(next(own.iterdir()).read_text())
    forged = {**entry, "startedAt": entry["startedAt"] - 1900, "timing": {"durationMs": 100}}
    (copy / f"qry-{forged['startedAt']}.json").write_text(json.dumps(forged))
    assert run(*named, now=False)[0] == 1
    next(own.iterdir()).write_text("{")
    assert run(*named, now=False)[0] == 4
    shutil.rmtree(own)
    code, out, _ = run(*named, now=False)
    assert (code, "copy in the project" in out) == (4, True)


def test_gate_counts_turns_without_a_time_and_in_files_that_look_old(run: Run, session: Session, folder: Path) -> None:
    session.prompt(timestamp="soon")
    session.hook("hook_cancelled")
    os.utime(session.file, (0, 0))
    named = ("delivery", "--transcripts", str(folder), "--since", "2026-11-20T11:00:30Z")
    assert run(*named, "--fail-on", "failed", now=False)[0] == 1


def test_links_to_folders_fail_a_gate(run: Run, session: Session, folder: Path, tmp_path: Path) -> None:
    session.prompt()
    session.attached()
    (tmp_path / "more").mkdir()
    (folder / "more").symlink_to(tmp_path / "more")
    code, out, _ = run("delivery", "--transcripts", str(folder), "--fail-on", "failed", now=False)
    assert (code, "not followed" in out) == (4, True)


def test_permitted_folder_that_became_a_link_is_not_read(
    run: Run, session: Session, folder: Path, tmp_path: Path
) -> None:
    session.prompt()
    assert run("delivery", "--transcripts", str(folder), now=False)[0] == 0
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    code, out, err = run("delivery", now=False)
    assert (code, out) == (2, "")
    assert "were not read" in err


def test_pointer_to_another_project_is_named(run: Run, session: Session, folder: Path, tmp_path: Path) -> None:
    session.prompt()
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / ".brv").write_text(str(session.project.root))
    where = ("--project", str(tmp_path / "hostile"), "--transcripts", str(folder))
    assert f"worktree of {session.project.root}" in run("delivery", *where, inside=False)[2]
    assert run("delivery", *where, "--fail-on", "timed_out", inside=False)[0] == 4
    assert run("delivery", now=False)[0] == 2, "nothing was permitted for the project to which the pointer leads"


def test_lone_surrogate_in_a_call_causes_no_error(session: Session, turns: Callable[..., list[Row]]) -> None:
    block = {"type": "tool_use", "id": "\ud800", "name": "Bash", "input": {"command": "brv query 'x y z'"}}
    session.row("assistant", message={"role": "assistant", "content": [block]})
    session.result("other", "a" * 40_000)
    assert [turn["query"] for turn in turns()] == ["x y z"]


def test_lost_turn_is_listed_with_a_next_step(run: Run, session: Session, folder: Path) -> None:
    session.prompt()
    session.attached()
    _, out, _ = run("delivery", "--transcripts", str(folder), now=False)
    assert "next:" not in out
    session.prompt("what's another question", 60)
    session.hook("hook_success", 61, stdout="", exitCode=0)
    session.log("what's another question", 11, 60.5, 4)
    _, out, _ = run("delivery", "--transcripts", str(folder), now=False)
    assert shlex.quote("what's another question") in out


def test_entries_in_both_copies_of_the_log_count_once(
    session: Session, turns: Callable[..., list[Row]], run: Run, folder: Path
) -> None:
    session.prompt()
    session.attached()
    session.log()
    session.log("asked in a terminal", after_s=5)
    shutil.copytree(query_log_folder(project_data(session.project.root)), session.project.root / ".brv" / "query-log")
    _, out, _ = run("delivery", "--transcripts", str(folder), "--format", "json", now=False)
    assert len(json.loads(out)["unmatched_log"]) == 1


def test_texts_are_in_the_json_only_on_request(
    session: Session, turns: Callable[..., list[Row]], run: Run, folder: Path
) -> None:
    session.prompt()
    session.attached("a private answer")
    assert "a private answer" not in json.dumps(turns())
    assert "a private answer" in turns("--texts")[0]["received"]
    assert run("delivery", "--transcripts", str(folder), "--texts", now=False)[0] == 2


def test_tokens_are_counted_for_each_day(run: Run, session: Session, folder: Path) -> None:
    for day in (0, 1, 1):
        session.prompt(after_s=86_400 * day)
        session.attached("a" * 400, 86_400 * day + 1)
    _, out, _ = run("delivery", "--transcripts", str(folder), "--format", "json", now=False)
    first, second = json.loads(out)["summary"]["days"]
    assert (first["tokens"] * 2, first["repeated_tokens"]) == (second["tokens"], 0)
    assert second["repeated_tokens"] == second["tokens"]
    _, out, _ = run("delivery", "--transcripts", str(folder), now=False)
    assert all(day["day"] in out for day in (first, second))


def test_times_at_the_end_of_the_calendar_are_invalid(session: Session, turns: Callable[..., list[Row]]) -> None:
    session.row("user", message={"role": "user", "content": PROMPT}, timestamp="9999-12-31T23:59:59Z")
    session.attached()
    (turn,) = turns()
    assert (turn["time"], turn["outcome"]) == (0, "delivered")


def test_growing_transcripts_are_read_further(project: Tree, session: Session, folder: Path) -> None:
    transcripts = Transcripts(project.root, folder)
    session.prompt()
    before = session.file.read_bytes()
    session.attached()
    whole = session.file.read_bytes()
    for end in range(len(before), len(whole) - 1, 7):
        session.file.write_bytes(whole[:end])
        found = transcripts.read()
        assert ([recall.received for recall in found.recalls], found.unknown_rows) == ([None], 0)
    session.file.write_bytes(whole)
    assert [recall.received for recall in transcripts.read().recalls] == [context()]
    session.prompt("another question", 60)
    assert len(transcripts.read().recalls) == 2
    session.file.write_bytes(before)
    assert [recall.received for recall in transcripts.read().recalls] == [None]
    (other := folder / "other").write_bytes(whole)
    other.replace(session.file)
    assert [recall.received for recall in transcripts.read().recalls] == [context()]
    session.file.unlink()
    assert not transcripts.read().recalls


def spill_of_another_hook(session: Session) -> None:
    session.attached()
    session.hook(
        "hook_additional_context", command="", content=["<persisted-output> saved to: /x/1-additionalContext.txt"]
    )


def gaps_of_an_answer(session: Session) -> None:
    gaps = "Revocation is not covered in the knowledge base."
    session.attached(f"{ANSWER}\n\n**Sources**:\n- `.brv/context-tree/a.md`\n\n**Gaps**: {gaps}")


def other_hook_cancelled(session: Session) -> None:
    session.hook("hook_cancelled", command="")
    session.attached()


def other_recall(session: Session) -> None:
    session.hook("hook_success", command="my-recall.sh", stdout="Branch: main", exitCode=0)
    session.reply("Fine.")


@pytest.mark.parametrize(
    ("rows", "outcome"),
    [
        (spill_of_another_hook, "delivered"), (gaps_of_an_answer, "delivered"), (other_hook_cancelled, "delivered"),
        (other_recall, "unknown"),
    ],
)  # fmt: skip
def test_other_hooks_and_gaps_do_not_change_the_outcome(
    rows: Callable[[Session], None], outcome: str, session: Session, turns: Callable[..., list[Row]]
) -> None:
    session.prompt()
    rows(session)
    assert [turn["outcome"] for turn in turns()] == [outcome]


def test_error_from_an_unnamed_hook_does_not_show_the_recall_hook(
    session: Session, turns: Callable[..., list[Row]]
) -> None:
    session.prompt("first question")
    session.hook("hook_cancelled", command="")
    session.prompt(after_s=60)
    session.log(seconds=11, after_s=60.1, tier=4)
    assert turns()[1]["outcome"] == "unknown"


def test_shell_calls_that_only_mention_the_script_are_not_recalls(
    session: Session, turns: Callable[..., list[Row]]
) -> None:
    session.prompt("please look")
    for command in ("cp skill/query.mjs /tmp/q", "diff a/query.mjs b/query.mjs", "timeout 20 brv query 'the real one'"):
        session.result(session.call("Bash", command=command))
    assert [turn["query"] for turn in turns()] == ["the real one"]


def test_row_without_a_folder_belongs_to_the_folder_of_the_previous_row(
    run: Run, session: Session, folder: Path
) -> None:
    session.prompt("work", cwd="/other")
    session.prompt("a secret of the other project", cwd="")
    assert "secret" not in run("delivery", "--transcripts", str(folder), now=False)[1]


def test_replaced_file_is_read_from_its_beginning(project: Tree, session: Session, folder: Path) -> None:
    transcripts = Transcripts(project.root, folder)
    session.prompt("an old question")
    transcripts.read()
    session.file.write_text("")
    for number in range(3):
        session.prompt(f"new question {number}")
    assert [recall.query for recall in transcripts.read().recalls] == [f"new question {number}" for number in range(3)]
