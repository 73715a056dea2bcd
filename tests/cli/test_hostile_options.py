"""Options, settings and queries of any length or shape are refused in one line."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

import click
import pytest
from rich.text import Text

from brvtui.cli.output import print_report
from brvtui.cli.program import cli
from brvtui.engines.byterover.counterfactuals import case
from brvtui.engines.byterover.route.decision import find_results
from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query
from brvtui.lab.pair import TRIAL_LENGTH, RankSwapSearch
from brvtui.session import Session
from brvtui.store.feedback import FeedbackFile
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.support.trees import Tree

HOSTILE = (
    "inf", "-inf", "nan", "1e308", "-1", "0", "1" + "0" * 30, "9" * 5_000, "0001-01-01", "9999-12-31", "+99999999d",
    "+999999y", "-999999y", "\udce9", "a\udcffb", "\x1b]0;x\a.json", "\x1b[31m=1", "", " ", "-", "=", "a=nan",
    "k=1e309", "direct.min_top=0:1e308:5", "direct.min_top=nan:inf:3", "days=-1e308:1e308:3", "days=0:1e9:2", "*",
    '"', "NEAR(", "x" * 11_000, "../../etc", "/mnt", "/dev/null", "FOLDER", "FIFO",
)  # fmt: skip
_RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_SERVES = {"serve", "open", "mcp"}
"""Commands that do not end, or that need a terminal. Only their arguments are checked."""
_PER_COMMAND = 12
"""The number of values tried with each command in the short lane."""
_PER_FLEET_COMMAND = 3
"""The number for fleet commands, which is lower because they start a process for each member."""


def _commands(group: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from _commands(command, (*path, name))
    else:
        yield path, group


COMMANDS = dict(_commands(cli))


def _parameters(command: click.Command) -> list[click.Parameter]:
    """The parameters of ``command`` that take a value."""
    return [one for one in command.params if not (isinstance(one, click.Option) and (one.is_flag or one.is_eager))]


def _words(path: tuple[str, ...], tried: click.Parameter, hostile: str, place: Path) -> list[str]:
    """The command line with a hostile value for ``tried``; all other required arguments are valid."""
    value = {"FOLDER": str(place), "FIFO": str(place / "pipe")}.get(hostile, hostile)
    arguments = [each for each in COMMANDS[path].params if isinstance(each, click.Argument)]
    words = [value if each is tried else _usual(each) for each in arguments if each is tried or each.required]
    option = [f"{tried.opts[0]}={value}"] if isinstance(tried, click.Option) else []
    return [*path, *option, "--", *words] if words else [*path, *option]


def _by_name() -> dict[str, list[tuple[tuple[str, ...], click.Parameter]]]:
    """Each kind of parameter, with the commands that have it. Many commands share options."""
    owners: dict[str, list[tuple[tuple[str, ...], click.Parameter]]] = {}
    for path, command in COMMANDS.items():
        for parameter in _parameters(command):
            names = parameter.opts[0], type(parameter.type).__name__, "fleet" * (path[0] == "fleet")
            owners.setdefault(" ".join(filter(None, names)), []).append((path, parameter))
    return owners


OWNERS = _by_name()


def _usual(argument: click.Argument) -> str:
    return argument.type.choices[0] if isinstance(argument.type, click.Choice) else "refresh token"


def _problem(words: list[str], run: Run) -> str:
    if words[0] in _SERVES:
        try:
            COMMANDS[(words[0],)].make_context(words[0], words[1:])
        except (click.ClickException, click.exceptions.Exit):
            return ""
        return ""
    code, out, err = run(*words, inside=False)
    if code not in range(5):
        return f"ended with {code}"
    if "Traceback" in err or "a report is in" in err:
        return err
    if found := _RAW.search(out.replace("\r\n", "\n") + err):
        return f"prints {found[0]!r}"
    return ""


@pytest.fixture
def place(project: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that contains a pipe, as the working folder."""
    folder = project.root / "place"
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(project.root)
    return folder


@pytest.mark.parametrize("path", COMMANDS, ids="-".join)
def test_hostile_values_do_not_break_a_command(path: tuple[str, ...], place: Path, run: Run) -> None:
    """Runs a sample of the calls, which depends on the values."""
    calls = [_words(path, one, hostile, place) for hostile in HOSTILE for one in _parameters(COMMANDS[path])]
    chosen = random.Random("-".join(path)).sample(
        calls, min(_PER_FLEET_COMMAND if path[0] == "fleet" else _PER_COMMAND, len(calls))
    )
    assert [found for words in chosen if (found := (words, _problem(words, run)))[1]] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("add", ""), 2), (("query", "refresh token", "--over="), 3), (("check", "--over=", "--over=."), 3)],
    ids=lambda value: value[0] if isinstance(value, tuple) else str(value),
)
def test_empty_path_in_a_fleet_is_refused(words: tuple[str, ...], expected: int, place: Path, run: Run) -> None:
    code, _, err = run("fleet", *words, inside=False)
    assert code == expected
    assert err == "brv-tui: a place is empty: give a folder, a pattern, a git repository or a data folder\n"
    assert not (place.parent / "fleet.toml").exists()


@pytest.mark.long
@pytest.mark.parametrize("name", OWNERS)
def test_hostile_values_do_not_break_a_parameter(name: str, place: Path, run: Run) -> None:
    """Tries every value with three of the commands that have this parameter."""
    owners = cycle(OWNERS[name])
    count = min(3, len(OWNERS[name]))
    calls = [_words(*owner, hostile, place) for hostile in HOSTILE for owner in islice(owners, count)]
    assert [found for words in calls if (found := (words, _problem(words, run)))[1]] == []


LONG = "x" * 100_000
_MOST = 4_100


@pytest.mark.parametrize("name", [LONG, "x" * 300, "y/" * 2_000 + ".toml", "é" * 5_000, "a b " * 20_000, "nope"])
def test_long_name_of_an_unknown_profile_is_shortened(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("BRV_TUI_PROFILE", name)
    code, _, err = run("query", "rollback")
    assert code == 2
    assert err.startswith("brv-tui: no profile ")
    assert "use brv-3" in err
    assert len(err) < 400


@pytest.mark.parametrize(
    "words",
    [
        ("query", "rollback", "--engine", LONG),
        ("query", "rollback", "--profile", LONG),
        ("explain", "rollback", LONG),
        ("explain", "rollback", "a b " * 20_000),
        ("query", "rollback", f"--{LONG}"),
        ("query", "rollback", "--format", LONG),
        ("show", LONG),
        (LONG, "--x"),
    ],
    ids=lambda words: "-".join(word[:10] for word in words),
)
def test_quoted_values_are_shortened(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run(*words, inside=words[0] not in ("show", LONG), now=False)
    assert code in (2, 3, 4)
    assert err.count("\n") == 1
    assert len(err) < _MOST


@pytest.mark.parametrize("columns", ["999999999", "100000", "1001", "1000"])
def test_width_of_output_is_bounded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    widths = []

    def report(width: int) -> Text:
        widths.append(width)
        return Text("wide " * 1_000)

    print_report(report)
    assert widths == [1_000]
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 1_000


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "no data folder"])
@pytest.mark.parametrize("engine", ["soleri", "knowing"])
def test_unwritable_feedback_file_is_reported(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch, engine: str, kind: str
) -> None:
    file = FeedbackFile(find_project(project.root).tree, engine).path
    if kind == "no data folder":
        monkeypatch.setenv("BRV_TUI_DATA_DIR", os.devnull)
    else:
        file.parent.mkdir(parents=True)
        {"fifo": os.mkfifo, "folder": Path.mkdir, "link": lambda path: path.symlink_to("/etc/passwd")}[kind](file)
    code, _, err = run("feedback", "rollback", "deploy/rollback.md", "accepted", "--engine", engine)
    assert code == 4
    assert "the feedback cannot be stored: " in err.splitlines()[-1]


@pytest.mark.parametrize("address", ["unix:///tmp/x", "ftp://127.0.0.1/", "javascript:1", "http://", "http://[::1"])
def test_invalid_service_address_is_a_usage_error(run: Run, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    for service in ("LLM", "EMBEDDER"):
        monkeypatch.setenv(f"BRV_TUI_{service}_MODEL", "m")
        monkeypatch.setenv(f"BRV_TUI_{service}_URL", address)
    code, _, err = run("ask", "zebra rotation", "--llm")
    assert (code, "llm.url" in err) == (2, True)
    code, _, err = run("query", "rotation", "--engine", "jeffs_brain", "--mode", "hybrid")
    assert (code, "services.embedder.url" in err) == (2, True)


SAMPLE = str(Path(__file__).parents[2] / "sample-tree")
ENGINES = ("byterover", "jeffs_brain", "soleri", "knowing", "baseline")
LENGTHY = "refresh token " * 1_000
assert len(LENGTHY) > LONGEST_QUERY


@pytest.mark.parametrize(
    "words",
    [
        ("query", LENGTHY),
        ("ask", LENGTHY),
        ("explain", LENGTHY, "rotation.md"),
        ("why", LENGTHY, "rotation.md", "expiry.md"),
        ("diff", LENGTHY, "--at", "+1d"),
        ("compare", LENGTHY),
        ("feedback", LENGTHY, "rotation.md", "accepted"),
        ("judge", "set", LENGTHY, "rotation.md=3"),
        ("sweep", "direct.min_top", "--query", LENGTHY),
        ("migrate", "--dry-run", LENGTHY),
        ("fleet", "query", LENGTHY),
        ("fleet", "explain", LENGTHY, "rotation.md"),
        ("code", LENGTHY),
    ],
    ids=lambda words: " ".join(words[:2])[:12],
)
def test_every_command_refuses_an_overlong_query_in_one_line(words: tuple[str, ...], run: Run) -> None:
    asked = LENGTHY.strip() if words[0] == "code" else LENGTHY
    code, out, err = run(*words, inside=False)
    assert (code, out) == (2, "")
    assert err == f"brv-tui: the query has {len(asked):,} characters, but at most 10,000 are allowed\n"


@pytest.mark.parametrize("kind", ["--queries", "--sequence"])
def test_replay_command_names_the_entry_that_has_an_overlong_query(kind: str, run: Run, project: Tree) -> None:
    file = project.root / "queries.json"
    file.write_text(json.dumps([{"query": "refresh"}, {"query": LENGTHY}]))
    code, out, err = run("replay", kind, str(file))
    assert (code, out) == (2, "")
    assert (
        err == f"brv-tui: {file}: entry 2: the query has {len(LENGTHY):,} characters, but at most 10,000 are allowed\n"
    )


def test_judgment_with_an_overlong_query_is_refused_with_its_line(run: Run, project: Tree) -> None:
    file = project.root / "judgments.toml"
    file.write_text(f'[[query]]\nid = "a"\ntext = "{LENGTHY}"\nexpected = "covered"\n')
    for command in (("eval",), ("sweep", "direct.min_top"), ("compare",)):
        code, _, err = run(*command, "--judgments", str(file))
        assert code == 2
        assert str(file) in err


def test_every_api_refuses_an_overlong_query(project: Tree) -> None:
    """The app, logs and saved traces also create a ``Query``."""
    session = project.session(now_ms=None)
    trace = session.preview("refresh token")
    for ask in (session.preview, session.run, lambda text: list(session.complete(text)), Query):
        with pytest.raises(EngineError, match="at most 10,000"):
            ask(LENGTHY)
    assert Query.repeating(trace, LENGTHY).text == LENGTHY  # rewordings are our own, so they have no limit


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
    "stars": lambda length: "*a" * (length // 2),
    "dots": lambda length: "a." * (length // 2),
    "hyphens": lambda length: "a-" * (length // 2),
    "slashes": lambda length: "a/" * (length // 2),
    "colons": lambda length: "a:" * (length // 2),
    "brackets": lambda length: "[a" * (length // 2),
    "quoted letters": lambda length: '"a' * (length // 2),
    "spelled letters": lambda length: "*".join(map(chr, range(0xC0, 0xC0 + length // 2))),
    "one prefix": lambda length: "e* " * (length // 3),
    "one phrase": lambda length: '"e" ' * (length // 4),
    "joined by OR": lambda length: "a OR " * (length // 5 - 1) + "a",
    "letters and digits": lambda length: "a1" * (length // 2),
    "identifiers": lambda length: ("camelCase_and_snake." * length)[:length],
}


@pytest.fixture(scope="module")
def sample() -> Session:
    """The sample tree, with every engine warm."""
    session = Session.open(Path(SAMPLE))
    session.load()
    for engine in ENGINES:
        session.preview("warm up", engine=engine)
    return session


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("engine", ENGINES)
def test_longest_valid_query_is_fast(sample: Session, shape: str, engine: str) -> None:
    started = time.process_time()
    sample.preview(SHAPES[shape](LONGEST_QUERY), engine=engine)
    assert time.process_time() - started < 4


@pytest.mark.parametrize("shape", ["stars", "dots", "quoted letters", "one prefix"])
@pytest.mark.parametrize("engine", ENGINES)
def test_report_of_the_longest_valid_query_is_fast(shape: str, engine: str, run: Run) -> None:
    """A report also looks up missing words and names matches."""
    started = time.process_time()
    code, _, err = run("query", SHAPES[shape](LONGEST_QUERY), "--engine", engine, "--project", SAMPLE, inside=False)
    assert time.process_time() - started < 5
    assert code in (0, 1), err


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
def test_commands_with_several_queries_are_fast(
    command: str, options: tuple[str, ...], notes: tuple[str, ...], shape: str, run: Run
) -> None:
    query = SHAPES[shape](LONGEST_QUERY)
    started = time.process_time()
    code, _, err = run(command, *options, "--project", SAMPLE, "--", query, *notes, inside=False)
    assert time.process_time() - started < 8
    assert code in (0, 1), err


def test_why_command_tries_no_changes_for_a_long_query(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each change would run the engine again."""
    monkeypatch.setattr(RankSwapSearch, "_try_change", None)
    query = "restore refresh token " + SHAPES["one word"](TRIAL_LENGTH)
    _, out, _ = run("why", query, *NOTES, "--project", SAMPLE, inside=False)
    assert "the query is too long to try changes: use at most 1,000 characters" in " ".join(out.split())


@pytest.mark.parametrize(("length", "fewest", "limit"), [(200, 20, 300), (LONGEST_QUERY, 1, 15)])
def test_explain_command_tries_few_changes_for_a_long_query(
    length: int, fewest: int, limit: int, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(case, "find_results", lambda *given: calls.append(given) or find_results(*given))
    run("explain", SHAPES["distinct words"](length), "expiry")
    assert fewest <= len(calls) <= limit
