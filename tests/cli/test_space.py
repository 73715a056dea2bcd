"""A ByteRover V4 space on the command line: query, explain, replay."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from brvtui.cli import serving
from brvtui.config import user_file
from brvtui.ranking.decay import just_before_ms
from brvtui.tree.reading.kinds import SPACE, TREE
from brvtui.tree.spaces.project import find_any_project
from tests.cli.conftest import Run
from tests.support.settings import own
from tests.support.spaces import SPACE_ID, arguments, recorded_space, same, small_space, unpack_space

NOW = 1_763_640_000_000.0
AT = ("--now", "2025-11-20T12:00:00Z")
RECORDED = Path(__file__).parents[1] / "data" / "byterover_v4" / "space-21.json.gz"


@pytest.fixture
def space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return small_space(tmp_path, NOW)


def test_query_command_shows_the_reason_and_the_citations(run: Run, space: Path) -> None:
    code, out, _ = run("query", "refresh token", "--full", "--project", str(space), *AT, inside=False)
    assert code == 0
    assert "BYTEROVER V4" in out
    assert "V4 tells the agent to cite it" in " ".join(out.split())
    assert "From ByteRover:" in out
    assert "3 topics in" in out


def test_query_without_results_has_the_exit_code_of_a_negative_answer(run: Run, space: Path) -> None:
    code, out, _ = run("query", "zebra", "--project", str(space), *AT, inside=False)
    assert code == 1
    assert "Nothing found" in out


def test_word_with_only_similar_matches_is_reported(run: Run, space: Path) -> None:
    code, out, _ = run("query", "refrsh", "--project", str(space), *AT, inside=False)
    assert code == 1
    kept = "similar words match, but V4 keeps only documents that contain ‘refrsh’ as written"
    assert kept in " ".join(out.split())


def test_explain_command_gives_the_reason_for_a_topic(run: Run, space: Path) -> None:
    code, out, _ = run("explain", "incident", "auth/jwt.html", "--project", str(space), *AT, inside=False)
    assert code == 1
    assert "your words occur only in parts that V4 does not search" in out


def test_explain_command_lists_remedies_for_a_lower_result(run: Run, space: Path) -> None:
    code, out, _ = run("explain", "refresh", "ops/deploy.html", "--project", str(space), *AT, inside=False)
    said = " ".join(out.split())
    assert code == 0
    assert (
        "helps “refresh” added to its title, and the topic saved today → rank 1, 0.765 "
        "(words in its title: edit the title of its bv-topic element) "
        "helps “refresh deploys”: add “deploys” → rank 1, 0.753 (another wording: use this wording) the whole answer:"
    ) in said
    _, out, _ = run("explain", "refresh", "auth/jwt.html", "--project", str(space), *AT, inside=False)
    assert "helps" not in out


def test_explain_command_names_the_remedy_for_a_topic_past_the_limit(run: Run, space: Path) -> None:
    limited = ("-o", "limit=1", "--project", str(space))
    code, out, _ = run("explain", "refresh", "ops/deploy.html", *limited, *AT, inside=False)
    assert code == 1
    helps = [" ".join(line.split()) for line in out.splitlines() if line.startswith(" helps")]
    assert helps[1] == "helps ask for 2 results (brv-tui query -o limit=2) → rank 2, 0.437"


def test_why_command_can_be_rerun_with_another_time_and_other_words(run: Run, space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    for name, days in (("New", 1), ("Old", 40)):
        (tree / f"{name}.html").write_text(f'<bv-topic title="{name} quokkas"><p>A quokka.</p></bv-topic>')
        os.utime(tree / f"{name}.html", (NOW / 1000 - days * 86_400,) * 2)
    asked = ("why", "quokka", "New.html", "Old.html", "--project", str(space), "--format", "json", *AT)
    code, out, _ = run(*asked, inside=False)
    turning = json.loads(out)["turning"]
    assert (code, [one["text"] for one in turning]) == (
        0,
        ["B: edited today, not 40 days ago", "add “old” to the query"],
    )
    _, out, _ = run("query", "quokka old", "--project", str(space), "--format", "json", *AT, inside=False)
    assert [hit["score"] for hit in json.loads(out)["trace"]["hits"][:2]] == [
        turning[1]["score"],
        turning[1]["other_score"],
    ]
    saved = just_before_ms(NOW)
    os.utime(tree / "Old.html", ns=(saved * 10**6,) * 2)
    _, out, _ = run("query", "quokka", "--project", str(space), "--format", "json", *AT, inside=False)
    hits = [(hit["file"], hit["score"]) for hit in json.loads(out)["trace"]["hits"]]
    assert hits == [("Old.html", turning[0]["score"]), ("New.html", turning[0]["other_score"])]


def test_why_command_refers_to_the_explain_command_if_no_change_helps(run: Run, space: Path) -> None:
    tree = space.parent / "data" / "projects" / SPACE_ID / "context-tree"
    for name, summary in (("above", "quokka"), ("below", "")):
        topic = f'<bv-topic title="Quokka" summary="{summary}"><p>A quokka.</p></bv-topic>'
        (tree / f"{name}.html").write_text(topic)
        os.utime(tree / f"{name}.html", ns=(just_before_ms(NOW) * 10**6,) * 2)
    code, out, _ = run("why", "quokka", "above.html", "below.html", "--project", str(space), *AT, inside=False)
    said = "none of the changes tried puts B above A; brv-tui explain shows what helps B on its own"
    assert (code, said in " ".join(out.split())) == (0, True)


def test_topic_can_be_named_without_its_ending(run: Run, space: Path) -> None:
    for name in ("auth/jwt", "jwt"):
        code, out, _ = run("explain", "refresh token", name, "--project", str(space), *AT, inside=False)
        assert code == 0
        assert "rank 1: auth/jwt.html" in out
    code, _, error = run("explain", "refresh token", "jwtt", "--project", str(space), *AT, inside=False)
    assert code == 3
    assert error.startswith("brv-tui: no topic jwtt in ")
    assert error.endswith("; near: auth/jwt.html\n")


def test_config_command_names_the_space_as_the_source_of_the_engine(run: Run, space: Path) -> None:
    code, out, _ = run("config", "--project", str(space), now=False, inside=False)
    line = next(line for line in out.splitlines() if line.startswith("engine "))
    assert (code, line.split()) == (0, ["engine", "byterover_v4", "the", "space"])


def test_note_engine_profile_is_refused_over_a_space(run: Run, space: Path) -> None:
    for profile, whose in (
        ("brv-3", "; brv-3 is a profile of byterover"),
        ("soleri", "; soleri is a profile of soleri"),
    ):
        told = run("query", "token", "--profile", profile, "--project", str(space), *AT, inside=False)
        assert told == (2, "", f"brv-tui: no profile {profile}: use byterover_v4 or the path of a TOML file{whose}\n")


def test_compare_and_eval_commands_use_topics(run: Run, space: Path) -> None:
    _, out, _ = run("diff", "refresh token", "--at", "+30d", "--project", str(space), *AT, inside=False)
    assert "3 topics, as of" in out
    document = '{ path = "auth/jwt.html", grade = 3 }'
    query = f'[[query]]\nid = "a"\ntext = "refresh token"\ndocuments = [{document}]\n'
    (space / "judged.toml").write_text(f"version = 1\n\n{query}")
    judged = ("--judgments", str(space / "judged.toml"))
    _, out, _ = run("eval", *judged, "--project", str(space), *AT, inside=False)
    assert "3 topics in" in out


def test_folder_without_a_space_is_not_a_project(run: Run, space: Path) -> None:
    shutil.rmtree(space.parent / "data")
    code, _, error = run("query", "x", "--project", str(space), *AT, inside=False)
    assert code == 3
    assert "No context tree found" in error


def test_missing_space_is_reported_with_a_list_of_spaces(run: Run, space: Path, tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    where = ("--project", str(tmp_path / "bare"), "--engine", "byterover_v4")
    code, _, error = run("query", "x", *where, *AT, inside=False)
    assert code == 3
    assert error.endswith("; brv-tui --space NAME opens one of Small\n")
    shutil.rmtree(tmp_path / "data")
    assert run("query", "x", *where, *AT, inside=False)[2].endswith("; brv-tui --root TREE opens a space\n")
    said = 'no space named "Small" in ' + str(tmp_path / "data")
    error = run("query", "x", *where, "--space", "Small", *AT, inside=False)[2]
    assert f"{said}; there is none yet: the ByteRover desktop app creates one" in error


def test_replayed_queries_and_sequences_match_the_recording(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = recorded_space(RECORDED)
    unpack_space(recorded, tmp_path)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    cases = recorded["cases"][::6] + [case for case in recorded["cases"] if case.get("argv")]
    asked = [{name: case[name] for name in ("id", "query", "options", "argv") if name in case} for case in cases]
    steps = [{name: step[name] for name in ("query", "wait", "touch")} for step in recorded["sequence"]]
    (tmp_path / "queries.json").write_text(json.dumps(asked))
    (tmp_path / "sequence.json").write_text(json.dumps(steps))
    given = ("replay", "--engine", "byterover_v4", "--project", str(tmp_path / "project"), "--now", recorded["now"])
    code, out, _ = run(*given, "--queries", str(tmp_path / "queries.json"), "--no-trace", inside=False)
    assert code == 0
    for line, case in zip(map(json.loads, out.splitlines()), cases, strict=True):
        assert line["id"] == case["id"]
        if "error" in case["answer"]:
            assert line["error"] == case["answer"]["error"]
        else:
            wanted = {name: case["answer"][name] for name in ("hits", "should_cite", "citation_block")}
            assert same(line["answer"], wanted), arguments(case, recorded["limit"])
    code, out, _ = run(*given, "--sequence", str(tmp_path / "sequence.json"), inside=False)
    assert code == 0
    for line, step in zip(map(json.loads, out.splitlines()), recorded["sequence"], strict=True):
        assert same(line["signals"], step["signals"])
        assert line["answer"]["citation_block"] == step["citation_block"]


def test_space_can_be_named_like_a_project(space: Path) -> None:
    assert find_any_project(space).kind == SPACE
    assert serving._name_of(space, None) == space.name
    (space / "notes.md").write_text("# a folder of Markdown that has a space")
    assert find_any_project(space).kind == SPACE
    (space / ".brv" / "context-tree").mkdir(parents=True)
    assert find_any_project(space).kind == TREE


def test_space_list_refuses_invalid_options(run: Run, space: Path, tmp_path: Path) -> None:
    (tmp_path / "queries.json").write_text('[{"query": "x", "options": 3}]')
    code, _, error = run(
        "replay", "--project", str(space), "--queries", str(tmp_path / "queries.json"), *AT, inside=False
    )
    assert code == 2
    assert "options of entry 1 must be an object" in error


def test_space_names_match_v4s_names(run: Run, space: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    code, out, _ = run("query", "refresh token", "--project", str(empty), "--space", "Small", *AT, inside=False)
    assert code == 0
    assert "JWT rotation" in out
    tree = next((tmp_path / "data" / "projects").iterdir()) / "context-tree"
    code, out, _ = run("query", "refresh token", "--root", str(tree), "--space", "no such", *AT, inside=False)
    assert code == 0
    code, _, error = run("query", "x", "--project", str(empty), "--space", "Large", *AT, inside=False)
    assert code == 3
    data = tmp_path / "data"
    assert error == f'brv-tui: no space named "Large" in {data}; known: Small\n'
    error = run("query", "x", "--project", str(empty), "--space", "Smal", *AT, inside=False)[2]
    assert error == f'brv-tui: no space named "Smal" in {data}; did you mean Small?\n'
    code, _, error = run("query", "x", "--root", str(tmp_path / "nowhere"), *AT, inside=False)
    assert code == 3
    assert error.startswith(f"brv-tui: {tmp_path}/nowhere: no such folder; --root needs a space's folder context-tree")
    code, _, error = run("query", "x", "--root", str(empty), *AT, inside=False)
    assert code == 3
    assert error.startswith(f"brv-tui: {empty}: there is no topic in it; --root needs a space's folder context-tree")
    code, _, error = run("query", "x", "--space", "Small", "--engine", "soleri", *AT, inside=False)
    assert code == 3
    assert "which soleri cannot rank" in error


def test_engine_setting_that_requires_a_missing_space_is_refused(run: Run) -> None:
    own('engine = "byterover_v4"\n')
    code, out, error = run("query", "refresh token")
    assert (code, out) == (2, "")
    said = "engine = byterover_v4 needs a space, but there is none; --engine byterover opens the notes instead ("
    assert error.startswith(f"brv-tui: {user_file()}: {said}")


def test_only_a_context_tree_can_be_migrated(run: Run, space: Path) -> None:
    said = "brv-tui: only a ByteRover 3 context tree can be migrated; open the folder that contains its .brv\n"
    assert run("migrate", "--dry-run", "--project", str(space), inside=False) == (3, "", said)


def test_space_supports_eval_but_not_a_git_baseline(run: Run, space: Path) -> None:
    where = ("--project", str(space), *AT)
    assert run("judge", "set", "refresh token", "auth/jwt.html=3", *where[:2], inside=False)[0] == 0
    code, out, err = run("eval", "--format", "json", *where, inside=False)
    assert (code, err) == (0, "")
    assert json.loads(out)["summary"]["metrics"]["mrr"] == 1.0
    code, _, err = run("eval", "--baseline-rev", "main", *where, inside=False)
    assert code == 2
    assert err.startswith("brv-tui: --baseline-rev reads the notes of a context tree from git, and this is not one:")
    assert err.rstrip().endswith("brv-tui eval --baseline before.json")
    file = space.parent / "before.json"
    assert run("eval", "--save", str(file), *where, inside=False)[0] == 0
    assert run("eval", "--baseline", str(file), "--fail-on-tier-change", *where, inside=False)[0] == 0
    assert run("eval", "--drift", *where, inside=False)[0] == 0


def test_gates_fail_if_v4_cannot_answer(run: Run, space: Path) -> None:
    where = ("--project", str(space), *AT)
    assert run("judge", "set", "kubernetes ingress", "--expect", "not covered", *where[:2], inside=False)[0] == 0
    before = space / "before.json"
    assert run("eval", "--save", str(before), *where, inside=False)[0] == 0
    (tree_of(space) / "x.md").write_text("x")
    code, out, _ = run("eval", "--baseline", str(before), "--fail-on-tier-change", *where, inside=False)
    assert code == 1
    assert "every query" in out
    assert "as expected 0 of 1" in " ".join(out.split())
    failing = space / "failing.json"
    assert run("eval", "--save", str(failing), *where, inside=False)[0] == 0
    assert run("eval", "--baseline", str(failing), "--fail-on-tier-change", *where, inside=False)[0] == 1
    (tree_of(space) / "x.md").unlink()
    code, out, _ = run("eval", "--baseline", str(failing), "--fail-on-tier-change", *where, inside=False)
    assert (code, "in the baseline, " in out) == (1, True)


def test_topic_beyond_our_limits_is_not_reported_as_gone(run: Run, space: Path) -> None:
    where = ("--project", str(space), *AT)
    assert run("judge", "set", "refresh token", "auth/jwt.html=3", *where[:2], inside=False)[0] == 0
    file = tree_of(space) / "auth" / "jwt.html"
    text = file.read_text()
    file.write_text(text + "<b>" * 30_000)
    file.with_name("other.html").write_text(text)
    _, out, _ = run("explain", "refresh token", "auth/jwt.html", *where, inside=False)
    assert "V4 reads it" in out
    assert "does not see" not in out
    for command in ("list", "follow"):
        code, out, _ = run("judge", command, *where[:2], inside=False)
        assert code == 1
        assert "not read: its markup is too costly" in " ".join(out.split())
        assert "other.html" not in out


def test_signals_behind_a_link_are_not_read(run: Run, space: Path, tmp_path: Path) -> None:
    signals = {"importance": 99, "recency": 1, "maturity": "core", "accessCount": 7, "updateCount": 7}
    outside = tmp_path / "outside" / "auth" / "jwt.html.json"
    outside.parent.mkdir(parents=True)
    outside.write_text(json.dumps(signals))
    where = ("query", "refresh token", "--project", str(space), "--format", "json", *AT)
    plain = run(*where, inside=False)[1]
    state = tree_of(space).parent / "state"
    state.mkdir()
    (state / "signals").symlink_to(outside.parents[1])
    assert without_times(run(*where, inside=False)[1]) == without_times(plain)
    (state / "signals").unlink()
    (state / "signals" / "auth").mkdir(parents=True)
    (state / "signals" / "auth" / "jwt.html.json").symlink_to(outside)
    assert without_times(run(*where, inside=False)[1]) == without_times(plain)


def tree_of(space: Path) -> Path:
    return space.parent / "data" / "projects" / SPACE_ID / "context-tree"


def without_times(out: str) -> dict[str, object]:
    trace: dict[str, object] = json.loads(out)["trace"]
    return {name: value for name, value in trace.items() if name != "timings"}
