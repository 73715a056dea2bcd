"""No engine is asked a query that is too long, whichever way it comes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.engines.byterover.counterfactuals import case
from brvtui.engines.byterover.route.decision import find_results
from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query
from brvtui.lab.pair import TRIAL_LENGTH, Turner
from brvtui.session import Session
from tests.cli.conftest import Run
from tests.support.trees import Tree

SAMPLE = str(Path(__file__).parents[2] / "sample-tree")
ENGINES = ("byterover", "jeffs_brain", "soleri", "knowing")
LONG = "refresh token " * 1_000
assert len(LONG) > LONGEST_QUERY


@pytest.mark.parametrize(
    "words",
    [
        ("query", LONG),
        ("ask", LONG),
        ("explain", LONG, "rotation.md"),
        ("why", LONG, "rotation.md", "expiry.md"),
        ("diff", LONG, "--at", "+1d"),
        ("compare", LONG),
        ("feedback", LONG, "rotation.md", "accepted"),
        ("judge", "set", LONG, "rotation.md=3"),
        ("sweep", "direct.min_top", "--query", LONG),
        ("migrate", "--dry-run", LONG),
        ("fleet", "query", LONG),
        ("fleet", "explain", LONG, "rotation.md"),
        ("code", LONG),
    ],
    ids=lambda words: " ".join(words[:2])[:12],
)
def test_a_command_refuses_it_in_a_line(words: tuple[str, ...], run: Run) -> None:
    asked = LONG.strip() if words[0] == "code" else LONG
    code, out, err = run(*words, inside=False)
    assert (code, out) == (2, "")
    assert err == f"brv-tui: the query has {len(asked):,} characters: ask with at most 10,000\n"


@pytest.mark.parametrize("kind", ["--queries", "--sequence"])
def test_a_file_is_refused_by_its_entry(kind: str, run: Run, project: Tree) -> None:
    file = project.root / "queries.json"
    file.write_text(json.dumps([{"query": "refresh"}, {"query": LONG}]))
    code, out, err = run("replay", kind, str(file))
    assert (code, out) == (2, "")
    assert err == f"brv-tui: {file}: entry 2: the query has {len(LONG):,} characters: ask with at most 10,000\n"


def test_judgments_are_refused_by_their_line(run: Run, project: Tree) -> None:
    file = project.root / "judgments.toml"
    file.write_text(f'[[query]]\nid = "a"\ntext = "{LONG}"\nexpected = "covered"\n')
    for command in (("eval",), ("sweep", "direct.min_top"), ("compare",)):
        code, _, err = run(*command, "--judgments", str(file))
        assert code == 2
        assert str(file) in err


def test_every_way_to_ask_refuses_it(project: Tree) -> None:
    """The app, logs and saved traces make a Query, too."""
    session = Session.open(project.root)
    session.load()
    trace = session.probe("refresh token")
    for ask in (session.probe, session.run, lambda text: list(session.complete(text)), Query):
        with pytest.raises(EngineError, match="at most 10,000"):
            ask(LONG)
    assert Query.repeating(trace, LONG).text == LONG  # a rewording is ours


SHAPES: dict[str, Callable[[int], str]] = {
    "distinct words": lambda length: " ".join(f"w{number:x}" for number in range(length))[:length],
    "two letters": lambda length: " ".join(chr(97 + n // 26 % 26) + chr(97 + n % 26) for n in range(length // 3)),
    "one word": lambda length: "refresh" * (length // 7),
    "CJK": lambda length: "".join(chr(0x4E00 + number) for number in range(length)),
    "punctuation": lambda length: (".,;:!?()\"*^-'" * length)[:length],
    "combining marks": lambda length: "\u0301" * length,
    "nested operators": lambda length: '(("a" OR NOT b) NEAR(c d, 2) AND ' * (length // 33),
    "quotes": lambda length: '"' * length,
    "parentheses": lambda length: "(" * length,
    "entities": lambda length: " ".join(f"Entity{number}Name" for number in range(length))[:length],
    "one entity": lambda length: ("Refresh" + "x" * length)[:length],
    "paths": lambda length: ("auth/jwt/" * length)[:length],
    "joiners": lambda length: "a\u200d" * (length // 2),
    "identifiers": lambda length: ("camelCase_and_snake." * length)[:length],
}


@pytest.fixture(scope="module")
def sample() -> Session:
    """The sample tree, with every engine warm."""
    session = Session.open(Path(SAMPLE))
    session.load()
    for engine in ENGINES:
        session.probe("warm up", engine=engine)
    return session


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_the_longest_query_takes_little_time(sample: Session, shape: str, engine: str) -> None:
    started = time.process_time()
    sample.probe(SHAPES[shape](LONGEST_QUERY), engine=engine)
    assert time.process_time() - started < 4


NOTES = ("restore_drill", "refresh_token_rotation")


@pytest.mark.parametrize(
    "shape",
    [
        "one word",
        "CJK",
        "punctuation",
        pytest.param("distinct words", marks=pytest.mark.long),
        pytest.param("nested operators", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize(
    ("command", "options", "notes"),
    [
        ("compare", (), ()),
        ("diff", ("--at", "+30d"), ()),
        ("explain", (), NOTES[:1]),
        ("why", (), NOTES),
    ],
    ids=["compare", "diff", "explain", "why"],
)
def test_commands_that_ask_several_times_take_little_time(
    command: str, options: tuple[str, ...], notes: tuple[str, ...], shape: str, run: Run
) -> None:
    query = SHAPES[shape](LONGEST_QUERY)
    started = time.process_time()
    code, _, err = run(command, *options, "--project", SAMPLE, "--", query, *notes, inside=False)
    assert time.process_time() - started < 8
    assert code in (0, 1), err


def test_why_tries_no_changes_for_a_long_query(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change asks the engine again."""
    monkeypatch.setattr(Turner, "_tried", None)
    query = "restore refresh token " + SHAPES["one word"](TRIAL_LENGTH)
    _, out, _ = run("why", query, *NOTES, "--project", SAMPLE, inside=False)
    assert "the query is too long to try changes: ask with at most 1,000 characters" in " ".join(out.split())


@pytest.mark.parametrize(("length", "fewest", "limit"), [(200, 20, 300), (LONGEST_QUERY, 1, 15)])
def test_explain_tries_few_changes_for_a_long_query(
    length: int, fewest: int, limit: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(case, "find_results", lambda *given: calls.append(given) or find_results(*given))
    run("explain", SHAPES["distinct words"](length), "expiry")
    assert fewest <= len(calls) <= limit
