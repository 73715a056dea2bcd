"""docs/engine.md against the code: anchors, constants, tables, and the worked example."""

from __future__ import annotations

import ast
import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from brvtui.inquire.reasons import Reason
from brvtui.profile import Profile, load
from brvtui.rank.ceiling import ceiling_at, days_until_below, seen_by_gates
from brvtui.session import Session
from brvtui.trace import Check, Stage, Trace

Headings = Callable[[str], dict[str, str]]
MakeProject = Callable[[Mapping[str, tuple[str, float]]], Path]
_QUOTED = re.compile(r"docs/engine\.md``,\s+\"([^\"]+)\"")
_LINKED = re.compile(r"docs/engine\.md#([a-z0-9-]+)")
_RULE_NAMES = {"rule", "_RULE", "RULE"}
_RULE_PLACES = {kind.__name__: [f.name for f in dataclasses.fields(kind)].index("rule") for kind in (Check, Stage)}
_SPAN = re.compile(r"`([a-z_]+(?:\.[a-z_0-9]+){0,2} = [^`]+)`")
_LISTED = ("query.stop_words", "entities.stop_words")


def test_every_rule_that_the_code_names_is_a_heading(root: Path, engine: str, headings: Headings) -> None:
    known = headings(engine)
    named = dict(_named_in_code(root / "brvtui"))
    assert len(named) >= 9
    assert {rule: where for rule, where in named.items() if rule not in known} == {}


def test_every_section_that_the_code_quotes_is_a_heading(root: Path, engine: str, headings: Headings) -> None:
    titles = set(headings(engine).values())
    anchors = set(headings(engine))
    files = [*(root / "brvtui").rglob("*.py"), *(root / "brvtui").rglob("*.toml")]
    texts = {file.relative_to(root).as_posix(): file.read_text(encoding="utf-8") for file in files}
    quoted = [(name, title) for name, text in texts.items() for title in _QUOTED.findall(text)]
    linked = [(name, anchor) for name, text in texts.items() for anchor in _LINKED.findall(text)]
    assert len(quoted) > 20
    assert len(linked) > 10
    assert [found for found in quoted if found[1] not in titles] == []
    assert [found for found in linked if found[1] not in anchors] == []


QUERIES = ("refresh tokens", "auth tokens", "auth/tokens", "the of", "kubernetes", "refresh tokens rotated?", "")


@pytest.mark.parametrize("query", QUERIES)
def test_every_rule_in_a_trace_is_a_heading(
    query: str, engine: str, headings: Headings, make_project: MakeProject, now_ms: float
) -> None:
    notes = {f"filler/n{number}.md": (f"# Filler {number}\n", 40.0) for number in range(60)}
    session = _session(make_project({**_notes(engine), **notes}), now_ms)
    known = headings(engine)
    for _ in range(2):
        trace = session.run(query)
        assert [rule for rule in _rules(trace) if rule and rule not in known] == []


def test_every_constant_is_explained_with_its_value(engine: str) -> None:
    spans = _spans(engine)
    profile = load("brv-3")
    missing = [name for name, value in _constants(profile) if name not in _LISTED and value not in spans.get(name, [])]
    assert missing == []


def test_the_stop_words_are_listed(engine: str) -> None:
    lists = engine.split("## The stop words")[1]
    for name, profile_words in (("query", load().query.stop_words), ("entities", load().entities.stop_words)):
        words = lists.split(f"`{name}.stop_words`, the {len(profile_words)}:")[1].split(".\n")[0]
        assert tuple(word.strip() for word in words.split(",")) == profile_words


def test_the_table_of_differences_is_complete(engine: str) -> None:
    section = engine.split("## Where brv-3 and docs differ")[1].split("\n## ")[0]
    spans = _spans(section)
    base, other = dict(_constants(load("brv-3"))), dict(_constants(load("docs")))
    differing = {name: [base[name], other[name]] for name in base if base[name] != other[name]}
    shown = {name: values for name, values in spans.items() if not name.startswith("engine.")}
    assert shown == differing


def test_no_page_names_a_constant_wrongly(page_name: str, read: Callable[[str], str], prose: Callable) -> None:
    known = [dict(_constants(load(name))) for name in ("brv-3", "docs")]
    wrong = [
        (name, value)
        for name, values in _spans(prose(read(page_name))).items()
        for value in values
        if "." in name and not any(constants.get(name) == value for constants in known)
    ]
    assert wrong == []


def test_the_ceilings_are_computed(engine: str) -> None:
    section = engine.split("## The ceiling")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\w+), importance (\d+)[^|]*\| (.+) \|$", section, re.MULTILINE)
    days = (0, 7, 14, 30, 45, 60, 90, 180)
    assert [tuple(row[:2]) for row in rows] == [
        ("draft", "50"),
        ("draft", "100"),
        ("validated", "50"),
        ("core", "50"),
    ]
    profile = load()
    for maturity, importance, cells in rows:
        computed = [f"{ceiling_at(day, float(importance), 1.0, maturity, True, profile):.3f}" for day in days]
        assert cells.split(" | ") == computed


def test_the_forecasts_are_computed(engine: str) -> None:
    section = engine.split("## The ceiling")[1].split("\n## ")[0]
    profile = load()

    def days(threshold: float, maturity: str = "draft") -> float | None:
        return days_until_below(threshold, lambda day: ceiling_at(day, 50, 1.0, maturity, True, profile), 0)

    top, prompt = profile.direct.min_top, profile.direct.prefetch
    rounded = [days(seen_by_gates(threshold, profile.score.decimals)) for threshold in (top, prompt)]
    bare = [days(top), days(prompt)]
    assert f"for {rounded[0]:.1f} days" in section
    assert f"for {rounded[1]:.0f}," in section
    assert f"{bare[0]:.1f} and {bare[1]:.0f} days" in section
    assert days(prompt, "validated") is None


def test_the_reasons_are_listed_in_order(engine: str) -> None:
    section = engine.split("## Why a note is not there")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", section, re.MULTILINE)
    assert [(int(number), text) for number, text in rows] == [(reason.number, reason.value) for reason in Reason]


def test_the_worked_example_is_what_comes_out(engine: str, make_project: MakeProject, now_ms: float) -> None:
    example = _example(engine)
    session = _session(make_project(_notes(engine)), now_ms)
    trace = session.probe("refresh tokens")
    first, second, summary = trace.hits
    detail = session.detail(trace.search, first.file)
    for item in detail.contributions:
        row = (
            f"| {item.query_term} | {item.term} | {item.field} | {item.tf} | {item.df} | {item.idf:.6f} "
            f"| {item.length} | {item.weight:g} | {item.boost:g} | {item.value:.6f} |"
        )
        assert row in example
    values = [float(f"{item.value:.6f}") for item in detail.contributions]
    assert f"**{detail.score.term_sum:.6f}**" in example
    assert sum(values) == pytest.approx(float(f"{detail.score.term_sum:.6f}"), abs=1e-9)
    assert first.text is not None
    assert second.text is not None
    assert f"raw = 6.844299 · 2 = {first.text.raw:.6f}" in example
    assert f"= {first.text.relevance:.6f}" in example
    shown = dict(re.findall(r"^\| ([a-z ]+) \| [^|]*\| ([+−]?[\d.]+) \|$", example, re.MULTILINE))
    for part in first.parts:
        assert _number(shown[part.name]) == pytest.approx(part.value, abs=5e-7)
    assert sum(_number(value) for value in shown.values()) == pytest.approx(first.score, abs=1e-9)
    assert f"raw {second.text.raw:.6f}, relevance {second.text.relevance:.6f}" in example
    assert f"**{second.score:.2f}**" in example
    assert trace.search.floor is not None
    assert f"= {trace.search.floor:.6f}; both pass" in example
    assert f"+ 0.10 = {summary.score:.6f}" in example
    assert f"{trace.search.lifts[1].value:.6f} and has no summary" in example
    assert first.ceiling is not None
    assert f"7 days old, is {first.ceiling.score:.3f}" in example
    assert (trace.tier, trace.verdict) == (3, "top score 0.79 needs 0.85: short 0.06")


def _example(engine: str) -> str:
    return engine.split("## A worked example")[1].split("\n## ")[0]


def _notes(engine: str) -> dict[str, tuple[str, float]]:
    blocks = re.findall(r"^`([^`]+)`, (\d+) days old:\n\n```markdown\n(.*?)```$", _example(engine), re.DOTALL | re.M)
    assert len(blocks) == 4
    return {path: (text, float(days)) for path, days, text in blocks}


def _session(project: Path, now_ms: float) -> Session:
    session = Session.open(project, now_ms=now_ms)
    session.load()
    return session


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _rules(trace: Trace) -> Iterator[str]:
    for search in (trace.search, *(extra.search for extra in trace.entities.searches)):
        yield from (stage.rule for stage in search.stages)
        yield from (check.rule for check in search.out_of_domain)
    for step in trace.steps:
        yield from (check.rule for check in step.checks)


def _named_in_code(package: Path) -> Iterator[tuple[str, str]]:
    """Every rule that a Check or a Stage is made with, as written or by a name that holds it."""
    for file in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for rule in _rules_of(node):
                yield rule, f"{file.name}:{getattr(node, 'lineno', 0)}"


def _rules_of(node: ast.AST) -> Iterator[str]:
    candidates: list[ast.expr | None] = []
    if isinstance(node, ast.Assign):
        if any(isinstance(target, ast.Name) and target.id in _RULE_NAMES for target in node.targets):
            candidates.append(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _RULE_PLACES:
        place = _RULE_PLACES[node.func.id]
        candidates.append(node.args[place] if len(node.args) > place else None)
        candidates += [keyword.value for keyword in node.keywords if keyword.arg == "rule"]
    for value in candidates:
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            yield value.value


def _constants(profile: Profile) -> Iterator[tuple[str, Any]]:
    def leaves(value: Any, where: str) -> Iterator[tuple[str, Any]]:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            value = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        if isinstance(value, dict):
            for key, inner in value.items():
                yield from leaves(inner, f"{where}.{key}" if where else key)
        else:
            yield where, list(value) if isinstance(value, tuple) else value

    return leaves(profile, "")


def _spans(text: str) -> dict[str, list[Any]]:
    """Every `name = value` in code spans, parsed as TOML, each value once."""
    found: dict[str, list[Any]] = {}
    for span in _SPAN.findall(text):
        try:
            value: Any = tomllib.loads(span)
        except tomllib.TOMLDecodeError:
            continue
        name = span.split(" = ", 1)[0]
        for key in name.split("."):
            value = value[key]
        values = found.setdefault(name, [])
        if value not in values:
            values.append(value)
    return found
