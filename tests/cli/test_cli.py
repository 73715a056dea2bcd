"""The headless commands: their output and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from brvtui import __version__
from brvtui.app.project.opening import Opening
from brvtui.cli.program import cli
from brvtui.engines import registry
from brvtui.publishing import publisher
from brvtui.store.kept_index import KeptIndex
from tests.cli.conftest import Run
from tests.support.settings import own
from tests.support.trees import Tree


def lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_query_json_is_the_complete_trace(run: Run) -> None:
    code, out, _ = run("query", "refresh rotation", "--format", "json", "--detail")
    (answer,) = lines(out)
    assert code == 0
    assert answer["schema"] == 2
    assert answer["trace"]["hits"][0]["file"] == "auth/jwt/rotation.md"
    detail = answer["detail"]["auth/jwt/rotation.md"]
    total = sum(item["value"] for item in detail["contributions"])
    assert total == pytest.approx(detail["score"]["term_sum"], abs=1e-9)


def test_limit_option_adds_a_plain_search(run: Run) -> None:
    _, out, _ = run("query", "refresh", "--limit", "1", "--format", "json")
    (answer,) = lines(out)
    plain = answer["trace"]["sections"]["plain_search"]["search"]
    assert len(plain["hits"]) == 1
    assert plain["limit"] == 1
    assert "the search on its own, with limit 1" in run("query", "refresh", "--limit", "1")[1]


def test_query_with_takes_lists_ways_to_a_direct_answer(run: Run) -> None:
    _, out, _ = run("query", "deploy broken", "--takes", "--format", "json")
    (answer,) = lines(out)
    takes = answer["takes"]
    assert answer["trace"]["sections"]["route"]["outcome"] == takes["outcome"] == "agentic_loop"
    assert [way["lever"] for way in takes["ways"]][:2] == ["more hits", "a recent edit"]
    (path,) = [way for way in takes["ways"] if way["lever"] == "its path as the query"]
    assert (path["standing"], path["change"]) == ("verified", {"query": takes["path"]})
    _, out, _ = run("query", "deploy broken", "--takes")
    assert "changes so that no model is needed" in out
    assert f"“{takes['path']}”" in out
    _, out, _ = run("query", takes["path"], "--takes")
    assert "no change is needed: the query is answered without a model" in out


def test_takes_option_reports_that_no_note_matches(run: Run) -> None:
    code, out, _ = run("query", "zzzzzz", "--takes")
    assert code == 1
    assert "no change helps: no note matches any word of the query" in " ".join(out.split())
    code, out, _ = run("explain", "zzzzzz", "auth/jwt/rotation.md", "--takes")
    assert code == 1
    assert "✓ its path as the query" in out


def test_takes_option_of_the_explain_command_lists_ways_for_one_note(run: Run) -> None:
    _, out, _ = run("explain", "deploy broken", "auth/jwt/rotation.md", "--takes", "--format", "json")
    (answer,) = lines(out)
    assert answer["takes"]["path"] == "auth/jwt/rotation.md"
    _, out, _ = run("explain", "deploy broken", "auth/jwt/rotation.md", "--takes")
    assert "its path as the query" in out


def test_scope_option_is_in_the_trace(run: Run) -> None:
    _, out, _ = run("query", "refresh", "--scope", "billing", "--format", "json")
    assert lines(out)[0]["trace"]["scope_option"] == "billing"


def test_explain_command_gives_the_reason_and_a_remedy_for_a_missing_note(run: Run) -> None:
    code, out, _ = run("explain", "refresh rotation", "billing/invoices/rounding.md", "--format", "json")
    (answer,) = lines(out)
    assert code == 1
    assert answer["found"] is False
    assert answer["reason"]
    assert answer["reason"]["number"] > 0
    assert answer["remedy"]["verified"] is True
    again = lines(run("explain", answer["remedy"]["query"], "billing/invoices/rounding.md", "--format", "json")[1])[0]
    assert (again["found"], again["rank"]) == (True, answer["remedy"]["rank"])


def test_explain_command_lists_changes_that_lower_a_note(run: Run) -> None:
    code, out, _ = run("explain", "refresh rotation", "rotation", "--lower", "--format", "json")
    (answer,) = lines(out)
    assert code == 0
    assert answer["lower"]["is_complete"]
    assert "archiving" in answer["lower"]["kinds"]
    assert answer["lower"]["remedies"]
    _, out, _ = run("explain", "refresh rotation", "rotation", "--lower")
    assert out.count(" lowers ") == len(answer["lower"]["remedies"])
    assert "lower" not in lines(run("explain", "refresh rotation", "rotation", "--format", "json")[1])[0]
    _, out, _ = run("explain", "refresh rotation", "billing/invoices/rounding.md", "--lower")
    assert "it is not a result, so nothing can lower it" in out


def test_explain_command_accepts_several_notes(run: Run) -> None:
    code, out, _ = run("explain", "refresh rotation", "rotation", "deploy/rollback", "--format", "json")
    assert code == 1
    assert [answer["found"] for answer in lines(out)] == [True, False]
    _, out, _ = run("explain", "refresh rotation", "rotation", "auth/jwt/rotation.md", "--format", "json")
    assert [answer["path"] for answer in lines(out)] == ["auth/jwt/rotation.md"]


@pytest.mark.parametrize("name", ["expiry", "expiry.md", "EXPIRY", "\\expiry.md", "./expiry"])
def test_explain_command_lists_the_candidates_for_an_ambiguous_name(run: Run, project: Tree, name: str) -> None:
    project.note("ops/expiry.md", "Old certificates", "a year")
    code, out, err = run("explain", "refresh", name)
    assert (code, out) == (3, "")
    assert "could be " in err
    assert {"auth/jwt/expiry.md", "ops/expiry.md"} <= set(re.findall(r"[\w/]+\.md", err.partition("could be")[2]))
    assert err.endswith(": give the whole path\n")
    assert err.count("\n") == 1


def test_replay_command_runs_each_query_in_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "queries.json"
    file.write_text(json.dumps(["refresh rotation", {"id": "b", "query": "zyzzyva"}]))
    code, out, _ = run("replay", "--queries", str(file), "--limit", "2")
    first, second = lines(out)
    assert code == 0
    assert (first["id"], second["id"]) == (0, "b")
    assert first["repeat_tier"] == 0
    assert set(first) == {"id", "query", "tier", "repeat_tier", "search", "verdict_sentence", "trace"}
    assert second["verdict_sentence"].startswith("Not covered: no note contains ‘zyzzyva’")
    assert len(first["search"]["results"]) <= 2
    assert set(first["search"]["results"][0]) == {"path", "score", "kind", "title"}
    assert second["search"] == {"total_found": 0, "results": []}


def test_replay_file_cannot_name_a_memories_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "queries.json"
    file.write_text('[{"query": "refresh", "options": {"memories": "secret.json"}}]')
    code, _, err = run("replay", "--queries", str(file), "--engine", "soleri")
    assert (code, "memories: a file cannot name another file" in err) == (2, True), err


def test_no_trace_option_of_the_replay_command_omits_traces(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "queries.json"
    file.write_text('["refresh rotation"]')
    assert "trace" not in lines(run("replay", "--queries", str(file), "--no-trace")[1])[0]


def test_replay_sequence_advances_clock_and_fingerprint(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "sequence.json"
    steps = [
        {"query": "refresh rotation", "wait": 0, "touch": None},
        {"query": "REFRESH  rotation", "wait": 1, "touch": None},
        {"query": "refresh rotation", "wait": 61, "touch": None},
        {"query": "refresh rotation", "wait": 31, "touch": "deploy/rollback.md"},
    ]
    file.write_text(json.dumps(steps))
    code, out, _ = run("replay", "--sequence", str(file))
    answers = lines(out)
    assert code == 0
    assert [answer["step"] for answer in answers] == [0, 1, 2, 3]
    tier = answers[0]["tier"]
    assert [answer["tier"] for answer in answers] == [tier, 0, tier, tier]
    assert [answer["cached"] for answer in answers] == [1, 1, 1, 1]


STEPS = [
    ("refresh rotation", 0, None, "exact no entry has this key", "no valid entry to compare with", None),
    (
        "REFRESH  rotation",
        1,
        None,
        "exact same words, same fingerprint, not expired",
        "the exact look-up answered",
        1.0,
    ),
    ("rotation refresh now", 1, None, "exact no entry has this key", "best similarity 1.00", 1.0),
    ("rotation rounding", 1, None, "exact no entry has this key", "best similarity 0.33, 0.6 needed", 1 / 3),
    ("rounding", 1, None, "exact no entry has this key", "1 word, 2 needed", None),
    (
        "refresh rotation",
        61,
        None,
        "exact older than 60 s; a run deletes the entry",
        "no valid entry to compare with: older than 60 s",
        None,
    ),
    (
        "rotation refresh",
        31,
        "deploy/rollback.md",
        "exact no entry",
        "compare with: older than 60 s, the tree has changed since",
        None,
    ),
    ("refresh rotation", 0, None, "exact the tree has changed since; a run", "best similarity 1.00", 1.0),
]
"""The steps of a sequence on one cache: both cache look-ups, and the nearest live entry's similarity."""


def test_replay_sequence_gives_the_reason_for_a_cache_miss(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "sequence.json"
    file.write_text(json.dumps([{"query": one[0], "wait": one[1], "touch": one[2]} for one in STEPS]))
    answers = lines(run("replay", "--sequence", str(file))[1])
    assert [set(answer) for answer in answers] == [
        {"step", "query", "tier", "cached", "exact", "fuzzy", "similarity"} for _ in STEPS
    ]
    assert [answer["similarity"] for answer in answers] == [pytest.approx(one[5]) if one[5] else None for one in STEPS]
    for answer, (*_, exact, fuzzy, _similarity) in zip(answers, STEPS, strict=True):
        assert f"exact {answer['exact']}".startswith(exact)
        assert answer["fuzzy"].endswith(fuzzy)
    code, out, _ = run("replay", "--sequence", str(file), "--format", "text")
    heads, details = out.splitlines()[::2], out.splitlines()[1::2]
    assert code == 0
    assert heads == [f"{number}: {one[0]}" for number, one in enumerate(STEPS)]
    for answer, detail in zip(answers, details, strict=True):
        near = f", similarity {answer['similarity']:.2f}" if answer["similarity"] is not None else ""
        looks = f"exact {answer['exact']}, fuzzy {answer['fuzzy']}"
        assert detail == f"   tier {answer['tier']}, cached {answer['cached']}, {looks}{near}"


def test_replay_text_output_has_no_trace_or_escapes(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "queries.json"
    file.write_text(json.dumps(["refresh rotation", {"id": "b\x1b[31m", "query": "zyzzyva\x1b]0;x\x07"}]))
    out = run("replay", "--queries", str(file), "--format", "text")[1]
    assert "\x1b" not in out
    assert "\x07" not in out
    assert len(out.splitlines()) == 4
    assert out.splitlines()[1].startswith("   tier 2, repeat_tier 0, verdict_sentence Answered directly")


@pytest.mark.parametrize("command", [("query",), ("explain", "billing/invoices/rounding.md")])
@pytest.mark.parametrize("engine", ["byterover", "jeffs_brain"])
def test_text_output_shows_the_retry_ladder(run: Run, command: tuple[str, ...], engine: str) -> None:
    query = "zyzzyva qqqqqq?"
    rest = command[1:]
    ladder = lines(run("query", query, "--engine", engine, "--format", "json")[1])[0]["trace"]["sections"]["ladder"]
    rows = [rung for rung in ladder["rungs"] if rung["state"] in ("hit", "missed")]
    out = run(command[0], query, *rest, "--engine", engine, *(["--full"] if command[0] == "query" else []))[1]
    shown = [" ".join(line.split()) for line in out.split("retry ladder ─", 1)[-1].splitlines()]
    expected = [
        f"{one['strategy'].replace('_', ' ')} “{one['query']}” {one['hits']} hit{'' if one['hits'] == 1 else 's'}"
        for one in rows
    ]
    assert len(expected) > 1
    assert [line for line in shown if line in expected] == expected


def test_replay_command_refuses_to_touch_an_unknown_note(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "sequence.json"
    file.write_text('[{"query": "refresh", "wait": 0, "touch": "no/such.md"}]')
    code, _, err = run("replay", "--sequence", str(file))
    assert code == 2
    assert "step 1: no file no/such.md" in err


@pytest.mark.parametrize(("option", "wrong"), [("--queries", "1"), ("--sequence", '{"query": "x", "wait": -1}')])
def test_replay_messages_number_entries_from_1(run: Run, tmp_path: Path, option: str, wrong: str) -> None:
    file = tmp_path / "list.json"
    file.write_text(f'[{{"query": "x"}}, {wrong}]')
    code, _, err = run("replay", option, str(file))
    assert (code, f"{file}: entry 2 must be " in err) == (2, True)


@pytest.mark.parametrize("content", ["{", "{}", "[1]", '[{"id": 1}]'])
def test_replay_command_refuses_a_malformed_file(run: Run, tmp_path: Path, content: str) -> None:
    file = tmp_path / "queries.json"
    file.write_text(content)
    code, _, err = run("replay", "--queries", str(file))
    assert code == 2
    assert str(file) in err


@pytest.mark.parametrize("kind", ["--queries", "--sequence"])
@pytest.mark.parametrize("key", ["scope", "profile", "engine", "top-k", "top_k"])
def test_replay_command_refuses_an_engine_option_that_is_not_in_options(
    run: Run, tmp_path: Path, kind: str, key: str
) -> None:
    file = tmp_path / "queries.json"
    file.write_text(json.dumps([{"query": "refresh", "shows": "a comment"}, {"query": "refresh", key: "auth"}]))
    code, out, err = run("replay", kind, str(file))
    assert (code, out, err.count("\n")) == (2, "", 1)
    how = f'use --{key.replace("_", "-")} on the command line, or put an engine option in "options"'
    assert f"{file}: entry 2: {key} has no effect here; {how}" in err


NO_TIERS = "--takes needs ByteRover's tiers: leave it out with jeffs_brain"
BAD_USAGE: list[tuple[tuple[str, ...], int, str]] = [
    (("query", "x", "--profile", "brv-9"), 2, "no profile brv-9"),
    (("query", "x", "--signals", "/no/such/file.json"), 2, "signals"),
    (("query",), 2, "Missing argument"),
    (("query", "how", "do", "we"), 2, 'put a TEXT of several words in quotes, as in brv-tui query "how do we deploy"'),
    (("why", "how", "do", "we", "go"), 2, 'as in brv-tui why "how do we deploy" NOTE NOTE; see'),
    (("why", "how do we", "go"), 2, "for one note, use brv-tui explain TEXT NOTE"),
    (("query", "-refresh"), 2, "put -- before a text"),
    (("compare", "how", "do"), 2, 'in quotes, as in brv-tui compare "how do we deploy"; see'),
    (("explain", "how", "do", "we"), 3, 'several words in quotes, as in brv-tui explain "how do we deploy" PATH…\n'),
    (("explain", "how", "gone.md"), 3, "no note gone.md in "),
    (("explain", "refresh", "auth/jwt/rotatoin.md"), 3, "auth/jwt/rotation.md"),
    (("explain", "refresh", "rotatoin"), 3, "near: auth/jwt/rotation.md"),
    (("explain", "refresh", "jwt rot"), 3, "near: auth/jwt/rotation.md"),
    (("eval", "--judgments", "/no/such.toml"), 2, "/no/such.toml: there is no such file"),
    (("replay",), 2, "replay"),
    (("query", "x", "--mode", "bm25"), 2,
     "mode is not an option of ByteRover; leave it out, or choose --engine jeffs_brain\n"),
    (("query", "x", "--mode", "no-such"), 2, "mode is not an option of ByteRover; leave it out\n"),
    (("query", "x", "--no-rerank"), 2,
     "rerank is not an option of ByteRover; leave it out, or choose --engine jeffs_brain\n"),
    (("query", "x", "--top-k", "3"), 2,
     "top_k is not an option of ByteRover; leave it out, or choose --engine jeffs_brain or --engine soleri"
     " or --engine baseline\n"),
    (("query", "x", "--engine", "soleri", "--rerank"), 2, "; rerank is an option of --engine jeffs_brain\n"),
    (("query", "x", "--engine", "soleri", "-o", "half=1"), 2, "mode, memories\n"),
    (("query", "x", "--engine", "jeffs_brain", "--mode", "full"), 2,
     "mode full: use auto, bm25, semantic, hybrid; full is a mode of --engine soleri\n"),
    (("query", "x", "--profile", "soleri"), 2,
     "no profile soleri: that is an engine; choose it with --engine soleri"),
    (("query", "x", "--engine", "knowing", "--profile", "soleri"), 2, "that is an engine"),
    (("query", "x", "--engine", "jeffs_brain", "--profile", "soleri"), 2, "that is an engine"),
    *(
        (("query", "x", "--engine", engine, "--profile", profile), 2, f"; {profile} is a profile of {owner}: use it")
        for engine, profile, owner in (
            ("byterover", "soleri-code", "soleri"),
            ("soleri", "docs", "byterover"),
            ("knowing", "docs", "byterover"),
            ("jeffs_brain", "docs", "byterover"),
        )
    ),
    (("query", "x", "--format", "yaml"), 2, "yaml"),
    (("query", "refresh", "--takes", "--engine", "jeffs_brain"), 2, NO_TIERS),
    (("explain", "refresh", "auth/jwt/rotation.md", "--takes", "--engine", "jeffs_brain"), 2, NO_TIERS),
    (("query", "x", "--nope"), 2, "see brv-tui query --help\n"),
    (("open", "--json"), 2, "No such option"),
    (("query", "a", "--json"), 2, "brv-tui: for JSON, use --format json; see brv-tui query --help\n"),
    *(
        ((screen,), 2, f"brv-tui: {screen} is a screen of the app, not a command: "
         f"open the app with brv-tui, press Esc, then {key}\n")
        for screen, key in (("notes", "2"), ("log", "4"), ("lab", "5"), ("settings", "comma"))
    ),
    (("completion",), 2, "Choose from: bash, zsh, fish"),
    (("query", "x", "--now", "yesterday"), 2, "ISO 8601"),
]  # fmt: skip
OUTSIDE = {"completion", "open", "notes", "log", "lab", "settings"}
"""Commands that do not need a project."""


@pytest.mark.parametrize(("args", "code", "says"), BAD_USAGE)
def test_usage_errors_fit_on_one_line(run: Run, args: tuple[str, ...], code: int, says: str) -> None:
    ended, out, err = run(*args, inside=args[0] not in OUTSIDE and "--now" not in args)
    assert (ended, out) == (code, "")
    assert says in err
    assert err.startswith("brv-tui: ")
    assert err.count("\n") == 1
    assert not says.endswith("\n") or err.endswith(says)
    assert not says.startswith("brv-tui: ") or err == says


@pytest.mark.parametrize("name", ["o", "in o", "zzzz"])
def test_name_without_similar_notes_gets_no_suggestion(run: Run, name: str) -> None:
    code, _, err = run("explain", "refresh", name)
    assert (code, "near" in err, err.startswith(f"brv-tui: no note {name} in ")) == (3, False, True)


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("--version",), 0, [f"brv-tui, version {__version__}"]),
        *(
            ((*command.split(), "--help"), 0, ["Example", *says])
            for command, *says in (
                ("",), ("explain",), ("replay",), ("maturity",), ("open",), ("completion",), ("config",),
                ("query", "the number of candidates from each leg, BM25 and vectors"),
                ("themes", "NAME.toml in the folder themes beside your settings file"),
                ("compare", "such as 3×, says how many of the engines found that note"),
                ("eval", "judged@5 is the share of the first 5 that have a grade"),
            )
        ),
        (("completion", "bash"), 0, ["_BRV_TUI_COMPLETE"]),
        (("query", "refresh rotation"), 0,
         ["TIER ", "auth/jwt/rotation.md", "sum", "- strongest term", "- without its path"]),
        (("query", "zyzzyva"), 1, ["not covered"]),
        (("explain", "refresh rotation", "rotation"), 0, ["IN THE RESULTS rank ", "rank 1"]),
        (("query", "auth/jwt/rotation.md"), 0, ["without its path"]),
        (("query", "refresh session end"), 0,
         ["__query_results_{taskId} (the results), __query_meta_{taskId} (resultCount ", "hasPreFetched true)"]),
        (("query", "deploy rolling"), 0,
         ["__query_results_{taskId} (the results), __query_meta_{taskId} (resultCount ", "hasPreFetched false)"]),
        (("query", "refresh token", "--engine", "jeffs_brain", "--top-k", "1"), 0,
         ["auth/jwt/rotation.md", "there is no embedder"]),
        (("query", "refresh rotation", "--engine", "jeffs_brain"), 0, ["- strongest term"]),
        (("query", "zyzzyvaquux", "--engine", "jeffs_brain", "--skip-retry-ladder"), 1, []),
    ],
)  # fmt: skip
def test_text_output_contains_the_explanation(run: Run, args: tuple[str, ...], code: int, says: list[str]) -> None:
    """Ignores the text after ``- ``."""
    inside = args[-1] not in ("--help", "--version", "bash")
    ended, out, _ = run(*args, *(["--full"] if args[0] == "query" and inside else []), inside=inside)
    text = " ".join(out.split())
    assert ended == code
    assert [(one, one.removeprefix("- ") in text) for one in says] == [(one, one[:2] != "- ") for one in says]


@pytest.mark.parametrize("blank", ["", " \n"])
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("ask", ()),
        ("compare", ()),
        ("find", ()),
        ("explain", ("auth/jwt/leap.md",)),
        ("why", ("a", "b")),
        ("diff", ("--at", "+30d")),
        ("fleet query", ()),
        ("feedback", ("auth/jwt/leap.md", "accepted")),
        ("judge set", ("--expect", "not covered")),
        ("judge remove", ()),
    ],
)
def test_query_without_words_is_a_usage_error(run: Run, command: str, more: tuple[str, ...], blank: str) -> None:
    """Only ``query`` accepts an empty text, to show how an engine treats it."""
    name = "QUERY" if command.startswith("judge") else "TEXT"
    meaning = "the text to look for" if command == "find" else "what you want to know"
    wanted = f"brv-tui: {name} is empty: write {meaning}; see brv-tui {command} --help\n"
    assert run(*command.split(), blank, *more, inside=False) == (2, "", wanted)


def test_missing_or_broken_signals_file_is_reported(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "signals.json"
    wanted = 'use a JSON file such as {"auth/tokens.md": {"importance": 60, "maturity": "core"}}'
    told = (2, "", f"brv-tui: {file}: cannot be read as signals (there is no such file); {wanted}\n")
    assert run("query", "x", "--signals", str(file)) == told
    file.write_bytes(b"\xff")
    told = (2, "", f"brv-tui: {file}: cannot be read as signals (it is not UTF-8 text); {wanted}\n")
    assert run("query", "x", "--signals", str(file)) == told


def test_missing_profile_file_is_reported(run: Run, tmp_path: Path) -> None:
    wanted = "use brv-3, docs, combined or the path of a TOML file\n"
    file = tmp_path / "mine.toml"
    told = (2, "", f"brv-tui: no profile {file}; there is no such file: {wanted}")
    assert run("query", "x", "--profile", str(file)) == told
    told = (2, "", f"brv-tui: no profile {tmp_path}; it is not a regular file: {wanted}")
    assert run("query", "x", "--profile", str(tmp_path)) == told
    assert run("query", "x", "--profile", "doc") == (2, "", f"brv-tui: no profile doc: {wanted}")


def test_profile_beside_the_settings_is_reported_by_file_name(run: Run) -> None:
    named = own('theme = "nord"').with_name("mine.toml")
    named.write_text('extends = "brv-3"\nname = "easier-tier-2"\n[search]\nlimit = 3\n')
    code, out, err = run("query", "refresh", "--profile", "mine", "--format", "json")
    assert (code, err, json.loads(out)["trace"]["profile"]) == (0, "", "mine")
    wanted = "use brv-3, docs, combined, mine or the path of a TOML file\n"
    told = (2, "", f"brv-tui: no profile easier-tier-2: {wanted}")
    assert run("query", "refresh", "--profile", "easier-tier-2") == told
    code, out, _ = run("query", "refresh", "--profile", str(named), "--format", "json")
    assert json.loads(out)["trace"]["profile"] == "easier-tier-2", "by its path it is called as it says"
    own('profile = "mine"')
    assert json.loads(run("query", "refresh", "--format", "json")[1])["trace"]["profile"] == "mine"
    own('profile = "mime"')
    assert "use brv-3, docs, combined, mine or the path of a file; did you mean mine?" in run("query", "refresh")[2]


def test_missing_project_is_reported_as_an_error(run: Run, tmp_path: Path) -> None:
    code, _, err = run("query", "x", "--project", str(tmp_path / "nowhere"), inside=False)
    assert code == 3
    assert "no such folder" in err


def test_app_without_a_terminal_lists_the_headless_commands(run: Run, project: Tree) -> None:
    code, _, err = run(str(project.root), inside=False)
    assert code == 2
    assert all(command in err for command in ("query", "explain", "replay"))


def test_file_name_outside_utf8_gives_valid_json(run: Run, project: Tree) -> None:
    with open(os.fsencode(project.tree) + b"/auth/bad\xff.md", "wb") as file:
        file.write(b"# Odd name\n\nquokka\n")
    code, out, _ = run("query", "quokka odd name", "--format", "json")
    assert code == 0
    assert "Odd name" in out
    assert lines(out)[0]["trace"]["hits"]


def test_broken_index_is_reported(run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "WORTH_KEEPING", 0)
    monkeypatch.setattr(publisher, "_FEW", 0)
    explained = ("explain", "refresh", "auth/jwt/rotation.md")
    assert run(*explained)[2] == ""
    state = KeptIndex(project.tree).folder / "kept"

    def broken(*command: str) -> tuple[str, str]:
        state.write_text("{")
        return run(*command)[1:]

    said = "note: the saved index is rebuilt: it is damaged"
    assert said[6:] in " ".join(broken("query", "refresh")[0].split())
    assert json.loads(broken("query", "refresh", "--format", "json")[0])["trace"]["notices"] == [said[6:]]
    assert broken(*explained)[1].strip() == said
    assert run(*explained)[2] == ""


def test_signals_from_frontmatter_are_shown_without_a_warning(run: Run, project: Tree) -> None:
    project.file("auth/jwt/leap.md", "---\nimportance: 90\nmaturity: core\n---\n# Leap second of tokens")
    assert "from frontmatter" not in run("explain", "leap", "auth/jwt/leap.md")[1]
    project.read_frontmatter()
    _, out, err = run("explain", "leap", "auth/jwt/leap.md")
    assert ("signals from frontmatter" in out, err) == (True, "")
    assert "profile brv-3* (changed by settings)" in run("query", "leap")[1]
    trace = json.loads(run("query", "leap", "--format", "json")[1])["trace"]
    assert (trace["notices"], trace["hits"][0]["signals"]["source"]) == ([], "frontmatter")


def test_escapes_in_a_title_are_made_visible(run: Run, project: Tree) -> None:
    project.note("auth/red.md", "quokka [red]bold\x1b[31m title", "text")
    _, out, _ = run("query", "quokka bold title")
    assert "\x1b[31m title" not in out
    assert "[red]bold" in out


def test_cold_query_imports_only_required_modules(project: Tree) -> None:
    code = """
import sys
from brvtui.cli import main
try:
    main()
except SystemExit:
    others = {"textual", "watchdog", "tantivy", "brvtui.notes", "brvtui.lab", "brvtui.engines.jeffs_brain.profile"}
    others |= {"httpx", "asyncio", "brvtui.engines.byterover.completion.model_answer", "brvtui.providers.models"}
    others |= {"dask", "distributed", "multiprocessing", "brvtui.fleet", "brvtui.cli.fleet"}
    others |= {"scipy", "importlib.metadata"}
    assert not others & set(sys.modules), others & set(sys.modules)
"""
    args = [sys.executable, "-c", code, "query", "refresh", "--project", str(project.root)]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["completion", "bash"]])
def test_cold_help_imports_only_the_commands_of_click(args: list[str]) -> None:
    code = """
import sys
from brvtui.cli import main
try:
    main()
except SystemExit:
    others = {"dataclasses", "json", "socket", "rich", "brvtui.engines", "brvtui.text", "brvtui.cli.serving"}
    assert not others & set(sys.modules), others & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_completing_a_command_imports_none() -> None:
    code = "import sys; from brvtui.cli import main\ntry: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    names = {"_BRV_TUI_COMPLETE": "bash_complete", "COMP_WORDS": "brv-tui ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env={**os.environ, **names}
    )
    assert "plain,query" in done.stdout.split()
    assert "plain,skill" in done.stdout.split()
    assert "plain,themes" not in done.stdout.split()
    assert "brvtui.cli.options" not in done.stderr


def test_ask_with_an_engine_without_tiers_lists_the_sources(run: Run) -> None:
    code, out, err = run("ask", "refresh token", "--engine", "jeffs_brain")
    assert (code, err.split()[:2]) == (0, ["JEFFS", "BRAIN"])
    assert "Refresh rotation" in out


def test_json_output_describes_the_hybrid_pipeline(run: Run) -> None:
    code, out, _ = run("query", "refresh token", "--engine", "jeffs_brain", "--mode", "hybrid", "--format", "json")
    (answer,) = lines(out)
    assert code == 0
    assert answer["engine"] == "jeffs_brain"
    trace = answer["trace"]
    hybrid = trace["sections"]["hybrid"]
    assert (hybrid["requested_mode"], hybrid["mode"], hybrid["fell_back"]) == ("hybrid", "bm25", True)
    assert trace["hits"][0]["path"] == "auth/jwt/rotation.md"
    for placed in hybrid["ranking"]:
        hit = placed["hit"]
        assert sum(part["value"] for part in hit["parts"]) == pytest.approx(hit["score"], abs=1e-9)


def test_explain_command_accepts_the_query_commands_engine_options(run: Run, tmp_path: Path) -> None:
    aliases = tmp_path / "aliases.json"
    aliases.write_text('{"zzz": ["refresh"]}')
    given = ("zzz", "auth/jwt/rotation.md", "--engine", "jeffs_brain", "--aliases", str(aliases))
    code, out, _ = run("explain", *given, "--format", "json")
    (explained,) = lines(out)
    assert (code, explained["found"]) == (0, True)
    assert explained["trace"]["options"] == {"aliases": {"zzz": ["refresh"]}}


def test_replay_command_accepts_the_query_commands_engine_options(run: Run, tmp_path: Path) -> None:
    listed = tmp_path / "listed.json"
    listed.write_text('["refresh token"]')
    given = ("replay", "--queries", str(listed), "--engine", "jeffs_brain", "--top-k", "1")
    (answer,) = lines(run(*given)[1])
    assert (len(answer["results"]), answer["trace"]["options"]) == (1, {"top_k": 1})
    code, _, err = run("replay", "--queries", str(listed), "--top-k", "1")
    assert (code, "top_k is not an option of ByteRover" in err) == (2, True)


def test_service_with_a_url_but_no_model_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    code, _, err = run("query", "refresh", "--engine", "jeffs_brain")
    assert code == 2
    assert "BRV_TUI_EMBEDDER_MODEL" in err


def test_unreachable_service_disables_its_leg(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = tmp_path / "at-once.toml"
    profile.write_text('extends = "brv-3"\n[service] # docs/reference/byterover.md#the-calls\nwait_seconds = 0.0\n')
    own(f'profile = "{profile}"')
    monkeypatch.setenv("BRV_TUI_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "none")
    code, out, _ = run("query", "refresh", "--engine", "jeffs_brain", "--format", "json")
    (answer,) = lines(out)
    assert code == 0
    assert answer["trace"]["sections"]["hybrid"]["errors"]
    assert answer["trace"]["hits"]


def test_forget_command_removes_recorded_signals(run: Run, project: Tree) -> None:
    session = project.session()
    session.recording = True
    session.run("refresh rotation")
    _, out, _ = run("query", "refresh rotation", "--format", "json")
    assert any("brv-tui forget" in notice for notice in lines(out)[0]["trace"]["notices"])
    code, out, _ = run("forget", "--project", str(project.root), inside=False)
    assert code == 0
    assert "removed" in out
    _, out, _ = run("query", "refresh rotation", "--format", "json")
    assert not any("brv-tui forget" in notice for notice in lines(out)[0]["trace"]["notices"])


@pytest.mark.parametrize("engine", ["byterover", "soleri", "knowing", "jeffs_brain"])
def test_every_engine_reports_an_unknown_scope(run: Run, engine: str) -> None:
    _, out, _ = run("query", "refresh", "--engine", engine, "--scope", "nowhere")
    if engine != "jeffs_brain":  # it does not support scopes at all, and says so
        assert any("nowhere" in row and "⚠" in row for row in out.splitlines())
    assert "nowhere" in out
    _, out, _ = run("query", "refresh", "--engine", engine, "--scope", "auth")
    assert "choose another scope" not in out
    assert "not in the tree" not in out


def test_profile_option_help_lists_every_engines_profiles(run: Run) -> None:
    _, out, _ = run("query", "--help", inside=False)
    text = " ".join(out.split())
    for name in registry.names():
        assert f"{name}: {', '.join(registry.load(name).profiles)}" in text


def test_shell_completion_lists_commands(project: Tree) -> None:
    env = {**os.environ, "_BRV_TUI_COMPLETE": "bash_complete", "COMP_WORDS": "brv-tui qu", "COMP_CWORD": "1"}
    code = "from brvtui.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert "plain,query" in done.stdout


def test_terminal_shows_the_progress_of_vectors(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[1.0, float(len(text))] for text in texts]

    model = SimpleNamespace(name="model", is_remote=False, embed=embed)
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "model")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, requests: model)
    assert run("query", "refresh", "--engine", "jeffs_brain", "--mode", "semantic")[2] == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", os.environ["BRV_TUI_DATA_DIR"] + "/another")
    _, out, err = run("query", "refresh", "--engine", "jeffs_brain", "--mode", "semantic")
    assert err.startswith("\rvectors of notes: ")
    assert err.endswith("\n")
    assert "by vectors" in out


def watched_embedder(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Configures a remote embedder; returns the list that will contain the texts sent to it."""
    sent: list[str] = []

    def embed(texts: list[str]) -> list[list[float]]:
        sent.extend(texts)
        return [[1.0, float(len(text))] for text in texts]

    model = SimpleNamespace(name="model", is_remote=True, embed=embed)
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "model")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, requests: model)
    return sent


def test_engine_chosen_by_project_settings_calls_no_service(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent = watched_embedder(monkeypatch)
    queries = tmp_path / "queries.json"
    queries.write_text('["refresh"]')
    for engine in ("jeffs_brain", "soleri"):
        project.settings(f'engine = "{engine}"')
        for command in (
            ("query", "refresh"), ("explain", "refresh", "rotation"), ("ask", "refresh"), ("replay", str(queries)),
        ):  # fmt: skip
            _, out, err = run(*command)
            assert sent == [], command
            assert "Traceback" not in out + err
        assert "only the project's settings chose this engine" in " ".join(run("query", "refresh")[1].split())
    run("query", "refresh", "--engine", "jeffs_brain")
    assert sent != []


def test_engine_chosen_by_a_saved_trace_calls_no_service(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    saved = str(tmp_path / "hybrid.json")
    assert run("query", "refresh", "--engine", "jeffs_brain", "--save", saved)[0] == 0
    sent = watched_embedder(monkeypatch)
    trace = json.loads(Path(saved).read_text())
    trace["trace"]["options"]["mode"] = "hybrid"
    Path(saved).write_text(json.dumps(trace))
    assert run("diff", "--saved", saved)[0] in (0, 1)
    assert sent == []
    run("diff", "--saved", saved, "--engine", "jeffs_brain")
    assert sent != []


def test_mistyped_command_is_not_opened_as_a_project(run: Run, tmp_path: Path) -> None:
    code, _, err = run("qurey", "a", inside=False)
    assert (code, err.count("\n"), "did you mean query?" in err) == (2, 1, True)
    (tmp_path / "qurey").mkdir()
    assert "no .brv project there" in run("query", "a", "--project", str(tmp_path / "qurey"), inside=False)[2]


def test_unknown_first_word_is_reported_as_neither_a_command_nor_a_folder(run: Run, tmp_path: Path) -> None:
    for words in (("frobnicate",), ("frobnicate", "x"), ("frobnicate", "--help")):
        told = "no command frobnicate, and no file or folder with that name: brv-tui --help lists the commands; to open"
        assert run(*words, inside=False) == (2, "", f"brv-tui: {told} a project, pass its folder\n")
    for path in (str(tmp_path / "nowhere"), "../nowhere", "nowhere.json"):
        told = f"brv-tui: {path}: no such file or folder; choose a project's folder or a saved trace\n"
        assert run(path, inside=False) == (3, "", told)
        assert run("open", path, inside=False) == (3, "", told)
        assert run("--now", "2026-11-20T12:00:00Z", path, inside=False) == (3, "", told)
    for folder in ((str(tmp_path),), ("open", str(tmp_path)), ("--", str(tmp_path))):
        assert "the app needs a terminal" in run(*folder, inside=False)[2]


def test_app_accepts_the_options_of_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Opening] = []
    monkeypatch.setattr("brvtui.app.run", lambda opening: opened.append(opening) or 0)
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    for words in (("--project", str(tmp_path)), ("open", "--project", str(tmp_path)), (str(tmp_path),)):
        assert run(*words, "--engine", "soleri", inside=False)[0] == 0
    assert [(opening.start, opening.engine) for opening in opened] == [(tmp_path, "soleri")] * 3
    code, _, err = run("open", str(tmp_path), "--project", "elsewhere", inside=False)
    assert (code, "specified twice: use only one of PROJECT, --project and --tree" in err) == (2, True)
    code, _, err = run("--engine", "solery", str(tmp_path), inside=False)
    assert (code, err) == (2, "brv-tui: no engine solery; did you mean soleri?\n")


def test_help_lists_each_command_once_and_on_one_line(run: Run) -> None:
    _, out, _ = run("--help", inside=False)
    listed, examples, _ = re.split(r"\n  (?:Examples|Exit codes):", out.partition("--help")[2])
    groups = re.findall(r"^(\w[\w ]*):$", listed, re.MULTILINE)
    assert groups == ["Ask", "Explain", "Measure", "Notes", "Many memories", "Setup"]
    commands = re.findall(r"^  ([\w-]+) +(\S.*)$", listed.partition("\nAsk:")[2], re.MULTILINE)
    with cli.make_context("brv-tui", [], resilient_parsing=True) as context:
        found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    visible = {name: command.short_help for name, command in found.items() if command and not command.hidden}
    assert sorted(commands) == sorted(visible.items())
    assert len(visible) <= 32
    assert [summary for _, summary in commands if len(summary.split()) > 8] == []
    assert [line for line in out.splitlines() if len(line) > 80] == []
    assert len(examples.strip().splitlines()) == 7


def test_explain_command_lists_remedies(run: Run) -> None:
    _, out, _ = run("explain", "kubernetes", "auth/jwt/rotation.md")
    assert "helps" in out
    _, out, _ = run("explain", "kubernetes", "auth/jwt/rotation.md", "--format", "json")
    (answer,) = lines(out)
    edit, wording = answer["remedies"][0], answer["remedies"][-1]
    assert edit["query"] == ""
    assert (wording["rank"], wording["verified"]) == (1, True)
    _, out, _ = run("query", wording["query"], "--format", "json")
    (again,) = lines(out)
    assert (again["trace"]["hits"][0]["file"], again["trace"]["tier"]) == ("auth/jwt/rotation.md", wording["tier"])


@pytest.mark.parametrize(("value", "shown"), [("5", "5"), ('""', "''")])
def test_keys_command_reports_unusable_bindings(run: Run, value: str, shown: str) -> None:
    own(f'[keys]\n"app.theme" = {value}\n')
    code, _, err = run("keys", inside=False)
    assert code == 2
    assert f'keys."app.theme" = {shown} must list keys' in err


def test_explain_command_says_that_changes_are_tried_without_services(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = SimpleNamespace(name="model", is_remote=True, embed=lambda texts: [[1.0, float(len(one))] for one in texts])
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "model")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda settings, requests: model)
    arguments = ("explain", "refresh", "billing/invoices/rounding.md", "--engine", "jeffs_brain", "--format", "json")
    explained = json.loads(run(*arguments)[1])
    assert explained["found"], "only vectors find it"
    notice = "changes are tried without a cache and without services; under these conditions, it is not a result"
    assert (bool(explained["remedies"]), explained["notice"]) == (True, notice)
