"""Engines are closed: an engine from another package is treated like ours, and code reads every constant."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import brvtui
from brvtui.app.log.log_pane import is_of_tiers, score_of, tier_of
from brvtui.app.maturity.board_on_day import BoardOptions, board_on_day
from brvtui.app.maturity.cards import label_of
from brvtui.app.states import EngineState, Phase, ProjectState
from brvtui.app.view import View
from brvtui.engines import registry
from brvtui.engines.contract import Ages, Caches, EngineError
from brvtui.paint.glyphs import UNICODE
from brvtui.session import Session
from brvtui.tree.engine_files.query_log import OURS, LoggedQuery
from tests.engines.tiered_toy import FADES, GATE
from tests.support.engine_packages import declared
from tests.support.trees import Tree

PACKAGE = Path(brvtui.__file__).parent
ENGINES = frozenset(registry.names())
FIELD_TOO = "baseline"
"""The name of an engine that is also a field in the JSON of evaluations."""


class _Values:
    """The values of names in a file, if imports and assignments of constants define them."""

    def __init__(self, tree: ast.Module) -> None:
        self._bound: dict[str, ast.expr | tuple[str, str]] = {}
        for node in ast.walk(tree):
            match node:
                case ast.ImportFrom(module=str() as module, names=names) if module.partition(".")[0] == "brvtui":
                    self._bound |= {each.asname or each.name: (module, each.name) for each in names}
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._bound[name] = value

    def of(self, node: ast.expr | None, depth: int = 9) -> Any:
        """The value of ``node``; None if it is unknown. A container is the tuple of its elements."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                return tuple(self.of(each, depth) for each in elements)
            case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple"), args=[argument]):
                return self.of(argument, depth)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if name.isupper():
                found = self._bound.get(owner)
                module = _imported(*found) if isinstance(found, tuple) else None
                return getattr(module, name, None) if isinstance(module, ModuleType) else None
            case ast.Name(id=name) if depth and (bound := self._bound.get(name)):
                if isinstance(bound, ast.expr):
                    return self.of(bound, depth - 1)
                return _imported(*bound) if name.isupper() or bound[1].isupper() else None
        return None


def _imported(module: str, name: str) -> Any:
    owner = import_module(module)
    if not hasattr(owner, name):
        import_module(f"{module}.{name}")
    return getattr(owner, name)


def _texts(value: Any) -> set[str]:
    """The strings in ``value``: itself, or its elements."""
    elements = value if isinstance(value, tuple | list | set | frozenset) else [value]
    return {each for each in elements if isinstance(each, str)}


def engines_named(source: str) -> list[str]:
    """The places in ``source`` that compare something with the name of an engine, or look it up by such names."""
    tree = ast.parse(source)
    values, found = _Values(tree), []
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                operands = [left, *others]
            case ast.MatchValue(value=value):
                operands = [value]
            case ast.Dict(keys=keys):
                named = [key for key in keys if key is not None]
                operands = [key for key in named if len(named) == 1 or values.of(key) != FIELD_TOO]
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith" | "__eq__"), args=arguments):
                operands = arguments
            case _:
                continue
        if any(ENGINES & _texts(values.of(operand)) for operand in operands):
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    "source",
    [
        'x = engine == "byterover"',
        'x = "knowing" != trace.engine',
        'x = engine in ("", "soleri")',
        'x = engine not in {"jeffs_brain"}',
        'ONES = frozenset(("soleri", "knowing"))\nx = engine in ONES',
        'SPACE = "byterover_v4"\nSAME = SPACE\nx = engine == SAME',
        "from brvtui.engines import registry\nx = engine == registry.DEFAULT",
        "from brvtui.engines.registry import DEFAULT as USUAL\nx = engine != USUAL",
        "def f():\n    from brvtui.engines.registry import DEFAULT\n    return engine is DEFAULT",
        'match engine:\n    case "soleri" | "knowing":\n        pass',
        "from brvtui.engines import registry\nmatch engine:\n    case registry.DEFAULT:\n        pass",
        'x = {"byterover": 1}.get(engine)',
        'x = engine.startswith("byterover")',
    ],
)
def test_check_detects_comparisons_with_an_engine_name(source: str) -> None:
    assert engines_named(source)


def test_check_allows_other_uses_of_engine_names() -> None:
    source = "from brvtui.engines.registry import DEFAULT\nname = given or DEFAULT\nx = view.engine.name == kind.native"
    assert engines_named(source) == []


def test_no_file_outside_an_engine_compares_its_name() -> None:
    own = [PACKAGE / "engines" / name for name in ENGINES]
    files = [file for file in sorted(PACKAGE.rglob("*.py")) if not any(map(file.is_relative_to, own))]
    assert len(files) > 300
    found = {file: engines_named(file.read_text(encoding="utf-8")) for file in files}
    assert {file: where for file, where in found.items() if where} == {}


@pytest.fixture
def session(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """Notes of several ages, in a project whose native engine is the toy."""
    tree.note("a/b/new.md", "New quokka", "a quokka", days=1)
    tree.note("a/b/old.md", "Old quokka", "a quokka", days=5)
    tree.note("a/b/faded.md", "Faded quokka", "a quokka", days=50)
    with declared(tmp_path, monkeypatch, "tiered", "tests.engines.tiered_toy:TieredToy"):
        made = tree.session()
        made.kind = made.kind._replace(native="tiered")
        yield made


def test_board_uses_the_engines_rules(session: Session) -> None:
    board = session.ageing.board()
    assert board.events == (FADES,)
    days = board.days_until[FADES]
    places = [board.snapshot.by_path[f"a/b/{name}.md"] for name in ("faded", "old", "new")]
    assert days[places[0]] == 0
    assert 0 < days[places[1]] < days[places[2]]
    assert days[places[2]] - days[places[1]] == pytest.approx(4, abs=0.01)
    for place in places[1:]:
        before, after = (board.after(float(days[place]) + step).ceiling[place] for step in (-0.01, 0.01))
        assert before >= GATE > after


def test_maturity_screen_uses_the_engines_events_and_words(session: Session) -> None:
    shown = board_on_day(session, BoardOptions(day=7, only=FADES), None)
    assert shown.events == (FADES,)
    marks = {
        path: label_of(shown.mark(place), UNICODE)[0]
        for path in ("a/b/faded.md", "a/b/new.md")
        if (place := shown.position(path)) is not None
    }
    assert marks == {"a/b/faded.md": "fading", "a/b/new.md": "fades in 6 d"}
    assert np.asarray(shown.calendar[FADES]).sum() == 2


def test_note_page_shows_the_engines_ceiling(session: Session) -> None:
    page = session.about("a/b/old.md")
    assert page.ceiling.score == pytest.approx(5, abs=0.01)
    assert session.around("a/b/old.md").place is None, "it has no manifest"


def test_access_hits_use_the_engines_rules(session: Session) -> None:
    session.recording = True
    trace = session.run("quokka", engine="tiered")
    assert (trace.tier, len(trace.hits)) == (2, 3)
    held = zip(session.snapshot.notes, session.snapshot.signals, strict=True)
    counts = {note.path: stored.access_count for note, stored in held}
    assert counts == {hit.file: int(hit is trace.hits[0]) for hit in trace.hits}


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two engines from other packages: ``tiered`` has tiers, ``toy`` has none."""
    with (
        declared(tmp_path / "1", monkeypatch, "tiered", "tests.engines.tiered_toy:TieredToy"),
        declared(tmp_path / "2", monkeypatch, "toy", "tests.engines.toy:Toy"),
    ):
        yield


def logged(engine: str, **values: Any) -> LoggedQuery:
    """An entry of the log by ``engine``."""
    return LoggedQuery(0, "quokka", OURS, "completed", engine=engine, **values)


@pytest.mark.usefixtures("toys")
def test_log_shows_tiers_for_any_engine_that_declares_them() -> None:
    tiered, plain = logged("tiered", top_score=0.5), logged("toy", top_score=0.5)
    assert (is_of_tiers(tiered), is_of_tiers(plain), is_of_tiers(logged("gone"))) == (True, False, False)
    assert (tier_of(tiered)[0], tier_of(plain)[0]) == ("?", "–"), (
        "an answer without a tier is odd only where there are some"
    )
    assert (score_of(tiered), score_of(plain)) == ("0.50", ".5000")


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("engine", "offered"),
    [("byterover", {"route.takes", "cache.clear"}), ("tiered", {"route.takes"}), ("toy", set()), ("gone", set())],
)
def test_actions_are_offered_for_declared_capabilities(engine: str, offered: set[str]) -> None:
    shown = View(engine=EngineState(engine), project=ProjectState(Phase.READY))
    assert {"route.takes", "cache.clear"} - shown.idle == offered


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("engine", "usual"), [("byterover", "brv-3"), ("knowing", "knowing"), ("tiered", "plain"), ("gone", "gone")]
)
def test_first_declared_profile_is_the_default(engine: str, usual: str) -> None:
    assert EngineState(engine, profile=f"{usual}*").has_usual_profile
    assert not EngineState(engine, profile="another").has_usual_profile


@pytest.mark.usefixtures("toys")
def test_engine_that_cannot_be_loaded_has_no_capabilities() -> None:
    assert registry.has("tiered", Ages)
    assert not registry.has("toy", Ages)
    assert not registry.has("gone", Ages)


def test_unknown_engine_names_are_cheap_and_cached_up_to_a_limit() -> None:
    began = time.process_time()
    for number in range(2_000):
        name = f"{number}{'x' * 100_000}"
        assert not registry.has(name, Ages)
        assert not registry.presentation(name).has_tiers
    assert time.process_time() - began < 2
    assert registry.declaration.cache_info().currsize <= 100


def test_unsupported_request_is_refused_in_one_line(session: Session) -> None:
    trace = session.preview("quokka", engine="tiered")
    with pytest.raises(EngineError, match="leave it out with tiered"):
        session.explainer.counterfactuals(trace)
    with pytest.raises(EngineError, match="leave it out with tiered"):
        session.with_plain_search(trace, 3)


@pytest.fixture
def no_entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cached = (registry._places, registry.names, registry.declaration)
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("no_entry_points")
@pytest.mark.parametrize("name", registry._FIRST[1:])
def test_engine_without_an_entry_point_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(EngineError, match=f"the engine {name} is not registered: reinstall brv-tui"):
        registry.load(name)
    assert registry.declaration(name) is None
    assert not registry.has(name, Caches)
    assert registry.presentation(name).title == name


@cache
def read_names() -> frozenset[str]:
    """The names of attributes that the package's code reads, and all its string constants, which may be such names."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return frozenset(found)


def constants(held: Any, path: str = "") -> Iterator[str]:
    """The names of all constants in a profile, and of the tables that contain them."""
    for field in fields(held):
        value = getattr(held, field.name)
        if is_dataclass(value):
            yield from constants(value, f"{path}{field.name}.")
        yield f"{path}{field.name}"


@pytest.mark.parametrize("engine", registry.names())
def test_every_declared_constant_is_read_by_code(engine: str) -> None:
    held = registry.load(engine)
    for profile in held.profiles:
        unread = [name for name in constants(held.constants(profile)) if name.rpartition(".")[2] not in read_names()]
        assert unread == [], profile
