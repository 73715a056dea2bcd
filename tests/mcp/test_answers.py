"""Answers of the tools: their sizes, their agreement with the commands, and hostile calls."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError

from brvtui.answers.queries import (
    DETAILED,
    SHORT,
    answer_as_plain,
    explain_note,
    explanation_as_plain,
    fitted,
    tokens_of,
)
from brvtui.engines.contract import EngineError
from brvtui.session import Session
from brvtui.text.visible import visible
from tests.mcp.serving import answer, client
from tests.support.generated import WORDS, generated
from tests.support.generated import query as random_query
from tests.support.spaces import small_space
from tests.support.trees import NOW_MS
from tests.support.untouched import state_of

ENGINES = ("byterover", "jeffs_brain", "soleri", "knowing", "baseline")
_OWN = {"in_words", "lead", "advice", "changes", "tried_all", "note", "omitted"}


def differences(short: Any, whole: Any, where: str = "") -> Iterator[str]:
    """The places at which ``short`` has another value than the field of the same name in ``whole``."""
    if isinstance(short, dict) and isinstance(whole, dict):
        for name, value in short.items():
            if name in whole and name not in _OWN:
                yield from differences(value, whole[name], f"{where}.{name}")
    elif isinstance(short, list) and isinstance(whole, list):
        for item in short:
            if all(list(differences(item, one)) for one in whole):
                yield f"{where}: {item}"
    elif isinstance(short, str) and isinstance(whole, str):
        same = visible(whole, keep="\n")
        if short != same and not (short.endswith("…") and same.startswith(short[:-1])):
            yield f"{where}: {short} {whole}"
    elif short != whole:
        yield f"{where}: {short} {whole}"


async def check(place: Path, named: tuple[Path, ...], engine: str, queries: list[str], pick: random.Random) -> None:
    session = Session.open(named[0] if named else place, now_ms=NOW_MS)
    session.load()
    paths = [note.path for note in session.snapshot.notes]
    async with client(place, *named) as agent:
        for text in queries:
            note = pick.choice(paths)
            trace = session.preview(text, engine=engine)
            whole = answer_as_plain(trace)
            explanation, search = explain_note(session, trace, note)
            reasons = explanation_as_plain(explanation)
            found = await answer(agent, "explain", query=text, engine=engine, note=note)
            assert not list(differences(found, {**whole["trace"], **whole}))
            assert not list(differences(found["note"], reasons))
            assert tokens_of(found) <= SHORT
            missing = await answer(agent, "why_not", query=text, engine=engine, note=note)
            assert not list(differences(missing, reasons))
            assert tokens_of(missing) <= SHORT
            detailed = await answer(agent, "why_not", query=text, engine=engine, note=note, detail=True)
            assert tokens_of(detailed) <= DETAILED
            assert not list(differences({"remedies": detailed["changes"]}, reasons))
            assert detailed["tried_all"] == search.is_complete
    session.close()


@pytest.mark.parametrize("engine", ENGINES)
async def test_fields_equal_the_commands_fields(tmp_path: Path, engine: str) -> None:
    pick = random.Random(5)
    tree = generated(tmp_path / "project", 5)
    await check(tree.root, (), engine, [random_query(pick) for _ in range(2)], pick)


async def test_fields_equal_the_commands_fields_in_a_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marked = small_space(tmp_path, NOW_MS)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    await check(marked, (marked,), "byterover_v4", ["refresh token", "rollout", "copies"], random.Random(1))


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("engine", ENGINES)
async def test_fields_equal_the_commands_fields_for_many_queries(tmp_path: Path, engine: str) -> None:
    pick = random.Random(7)
    for seed in range(10):
        tree = generated(tmp_path / f"project{seed}", seed)
        await check(tree.root, (), engine, [random_query(pick) for _ in range(20)], pick)


def test_answers_are_cut_to_their_limit() -> None:
    answer = {"texts": ["long " * 900] * 30, "few": ["x"], "sentence": "y" * 9_000, "rank": 3}
    found = fitted(answer, SHORT)
    assert tokens_of(found) <= SHORT
    assert found["rank"] == 3
    assert found["omitted"] > 0
    assert len(found["texts"]) + found["omitted"] == 30


def test_cutting_an_answer_serialises_each_item_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    dumps = json.dumps
    monkeypatch.setattr(json, "dumps", lambda *args, **options: sizes.append(1) or dumps(*args, **options))
    found = fitted({"problems": ["a broken link"] * 3_000, "queries": [{"query": "a"}] * 2_000}, SHORT)
    assert tokens_of(found) <= SHORT
    assert tokens_of({**found, "omitted": 0, "queries": [*found["queries"], {"query": "a"}]}) > SHORT - 8
    assert len(sizes) < 5_100


_TEXTS = (
    *("", " ", "\0", "\x1b[31m", "\ud800", "\u202e", "a" * 20_000, "../" * 50, "/etc/passwd", "~/.ssh/id_rsa", "C:\\x"),
    *("file:///etc", "auth/../../..", "%2e%2e%2f", ".git/config", "x.md/../../y.md", "[red]", "{0}", "$(id)", "`id`"),
    *(
        "---\nx: [",
        "<<<<<<< a\n",
        "[a](../../../b.md)",
        "[[" * 5_000,
        "(" * 3_000,
        "* " * 5_000,
        "日本語",
        "e\u0301" * 99,
    ),
)
_NAMES = ("query", "note", "engine", "path", "text", "project", "detail", "days", "other", "__class__")


def fuzzed(pick: random.Random) -> tuple[str, dict[str, Any]]:
    """A call whose arguments are valid, of a wrong type, huge, or lead out of the project."""

    def value() -> Any:
        return pick.choice(
            (
                lambda: pick.choice(_TEXTS),
                lambda: " ".join(pick.choices(WORDS, k=pick.randint(1, 9))),
                lambda: pick.choice((None, True, 0, -1, 1e308, float("inf"), 10**30, [], {}, [["x"]], {"a": {}})),
                lambda: pick.choice(_TEXTS) * pick.choice((1, 100)),
                lambda: pick.choice(ENGINES),
                lambda: pick.choice(("root.md", "auth", "new/note.md")),
            )
        )()

    tool = pick.choice(("explain", "why_not", "check_edit", "health", "nothing", "\ud800", ""))
    wanted = {"explain": ("query",), "why_not": ("query", "note"), "check_edit": ("path", "text")}.get(tool, ())
    given = {name: value() for name in pick.sample(_NAMES, pick.choice((0, 0, 0, 1, 2)))}
    plain = pick.choice((value, lambda: pick.choice(("root.md", *WORDS)), lambda: pick.choice(("root.md", *_TEXTS))))
    return tool, {**given, **{name: plain() for name in wanted if pick.random() < 0.9}}


async def hammer(place: Path, calls: int, seed: int) -> tuple[int, int]:
    """Makes fuzzed calls. Returns the number of answers and of errors."""
    pick, answers, errors = random.Random(seed), 0, 0
    async with client(place) as agent:
        for _ in range(calls):
            tool, given = fuzzed(pick)
            try:
                result = await agent.call_tool(tool, given)
            # the server refused it, or it cannot be sent as JSON
            except (MCPError, ValueError, TypeError, UnicodeError):
                errors += 1
                continue
            text = getattr(result.content[0], "text", "")
            assert text
            assert "report it" not in text, (tool, given)
            if result.is_error:
                assert text.isprintable()
                assert len(text) <= 600
            errors += bool(result.is_error)
            answers += not result.is_error
    return answers, errors


async def test_hostile_calls_get_clear_errors(tmp_path: Path) -> None:
    tree = generated(tmp_path / "project", 3)
    before = state_of(tmp_path)
    answers, errors = await hammer(tree.root, 50, 3)
    assert min(answers, errors) > 5
    assert state_of(tmp_path) == before


@pytest.mark.long
@pytest.mark.timeout(1200)
async def test_a_thousand_hostile_calls_get_clear_errors(tmp_path: Path) -> None:
    tree = generated(tmp_path / "project", 3)
    before = state_of(tmp_path)
    for seed in range(4):
        await hammer(tree.root, 250, seed)
    assert state_of(tmp_path) == before


def test_engine_errors_are_for_users() -> None:
    from brvtui import faults

    assert faults.exit_code_of(EngineError("x")) == 2
    assert faults.exit_code_of(KeyError("x")) is None
