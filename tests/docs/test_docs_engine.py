"""The pages of ByteRover against the code: anchors, constants, tables, and the worked example."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from brvtui.engines.byterover.profile import Profile, load
from brvtui.engines.byterover.reasons.why_not import Loss
from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.engines.counterfactuals import Lever
from brvtui.ranking.compound import unrounded_threshold
from brvtui.trace import Check, Stage, Trace
from tests.docs.pages import PAGES, headings, page, section, sources, without_code
from tests.support.ceilings import ceiling_of, days_left
from tests.support.trees import Tree

ENGINE = page("docs/reference/byterover.md") + page("docs/reference/byterover-profiles.md")
EXAMPLE = section(page("docs/explanation/invariants.md"), "A worked example")
_QUOTED = re.compile(r"`?`?(docs/[\w/-]+\.md|README\.md)`?`?,\s+\"([^\"]+)\"")
_LINKED = re.compile(r"(docs/[\w/-]+\.md)#([a-z0-9-]+)")
_LINE_BREAK = re.compile(r"\s*\n(?:\s*#)?\s*")
_ARCHITECTURE_RULE = re.compile(r"docs/architecture\.md``, rule (\d+)")
_RULE_NAMES = {"rule", "_RULE", "RULE"}
_RULE_PLACES = {kind.__name__: [f.name for f in dataclasses.fields(kind)].index("rule") for kind in (Check, Stage)}
_SPAN = re.compile(r"`([a-z_]+(?:\.[a-z_0-9]+){0,2} = [^`]+)`")
_LISTED = ("query.stop_words", "entities.stop_words", "ladder.stop_words")
_OTHER_ENGINES = {
    f"docs/reference/{name}.md" for name in ("byterover-v4", "jeffs-brain", "soleri", "knowing", "baseline")
}
"""Pages of other engines, whose constants have the same names as ByteRover's."""
_DAYS = (0, 7, 14, 30, 45, 60, 90, 180)


def test_every_rule_named_in_code_is_a_heading() -> None:
    known = {
        slug
        for name in ("byterover", "byterover-v4", "jeffs-brain", "soleri", "knowing")
        for slug in headings(page(f"docs/reference/{name}.md"))
    }
    named = dict(_named_in_code())
    assert len(named) >= 9
    assert {rule: where for rule, where in named.items() if rule not in known} == {}


def test_every_section_named_in_code_is_a_heading() -> None:
    texts = sources(".py", ".toml")
    unbroken = {name: _LINE_BREAK.sub(" ", text) for name, text in texts.items()}
    titles = [(name, *found) for name, text in unbroken.items() for found in _QUOTED.findall(text)]
    anchors = [(name, *found) for name, text in texts.items() for found in _LINKED.findall(text)]
    assert len(titles) > 20
    assert len(anchors) > 10
    assert [found for found in titles if found[2] not in headings(page(found[1])).values()] == []
    assert [found for found in anchors if found[2] not in headings(page(found[1]))] == []


def test_every_architecture_rule_named_in_code_exists() -> None:
    rules = re.findall(r"^(\d+)\. \*\*", section(page("docs/explanation/architecture.md"), "The rules"), re.MULTILINE)
    named = {number for text in sources(".py").values() for number in _ARCHITECTURE_RULE.findall(text)}
    assert named <= set(rules)
    assert [int(number) for number in rules] == list(range(1, len(rules) + 1))


@pytest.mark.parametrize(
    "query", ["refresh tokens", "auth tokens", "auth/tokens", "the of", "kubernetes", "refresh tokens rotated?", ""]
)
def test_every_rule_in_a_trace_is_a_heading(query: str, tree: Tree) -> None:
    _write_example(tree)
    tree.notes(60)
    session = tree.session()
    for _ in range(2):
        named = {rule for rule in _rules(session.run(query)) if rule}
        assert named <= set(headings(ENGINE))


def test_every_constant_is_explained_with_its_value() -> None:
    spans = _spans(ENGINE)
    constants = dict(_constants(load("brv-3")))
    assert [name for name, value in constants.items() if name not in _LISTED and value not in spans.get(name, [])] == []


def test_documented_stop_words_are_complete() -> None:
    lists = section(ENGINE, "The stop words")
    for name, words in (("query", load().query.stop_words), ("entities", load().entities.stop_words)):
        listed = lists.split(f"`{name}.stop_words`, the {len(words)}:")[1].split(".\n")[0]
        assert tuple(word.strip() for word in listed.rstrip(".\n").split(",")) == words


def test_documented_profile_differences_are_complete() -> None:
    base, other = dict(_constants(load("brv-3"))), dict(_constants(load("docs")))
    differing = {name: [base[name], other[name]] for name in base if base[name] != other[name]}
    shown = _spans(section(ENGINE, "Where brv-3 and docs differ"))
    assert {name: values for name, values in shown.items() if not name.startswith("engine.")} == differing


@pytest.mark.parametrize("name", [name for name in PAGES if name not in _OTHER_ENGINES])
def test_constants_have_the_same_value_on_every_page(name: str) -> None:
    known = [dict(_constants(load(profile))) for profile in ("brv-3", "docs")]
    shown = _spans(without_code(page(name)))
    wrong = [
        (constant, value)
        for constant, values in shown.items()
        for value in values
        if "." in constant and not any(constants.get(constant) == value for constants in known)
    ]
    assert wrong == []


def test_documented_ceilings_are_correct() -> None:
    rows = re.findall(
        r"^\| (\w+), importance (\d+)[^|]*\| (.+) \|$", section(ENGINE, "The best possible score"), re.MULTILINE
    )
    profile = load()
    assert [row[:2] for row in rows] == [("draft", "50"), ("draft", "100"), ("validated", "50"), ("core", "50")]
    for maturity, importance, cells in rows:
        computed = [f"{ceiling_of(day, float(importance), 1.0, maturity, True, profile):.3f}" for day in _DAYS]
        assert cells.split(" | ") == computed


def test_documented_forecasts_are_correct() -> None:
    text = " ".join(section(ENGINE, "The best possible score").split())
    profile = load()

    def days(threshold: float, maturity: str = "draft") -> float:
        return days_left(threshold, 0, (50, 1.0, maturity, True), profile)

    top, prompt = profile.direct.min_top, profile.direct.prefetch
    rounded = [days(unrounded_threshold(threshold, profile.score.decimals)) for threshold in (top, prompt)]
    assert f"for {rounded[0]:.1f} days" in text
    assert f"for {rounded[1]:.0f}," in text
    assert f"{days(top):.1f} and {days(prompt):.0f} days" in text
    assert days(prompt, "validated") == math.inf


def test_documented_reasons_are_in_order() -> None:
    rows = re.findall(r"^\| (\d+) \| ([^|]+) \|", section(ENGINE, "Why a note is not there"), re.MULTILINE)
    assert [(int(number), text) for number, text in rows] == [(loss.number, loss.value) for loss in Loss]


def test_documented_kinds_of_change_are_in_order() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section(ENGINE, "What it would take"), re.MULTILINE)
    assert rows[2:] == [lever.value for lever in Lever]


class TestTheWorkedExample:
    def test_example_text_score_is_correct(self, tree: Tree) -> None:
        _write_example(tree)
        session = tree.session()
        trace = session.preview("refresh tokens")
        detail = session.explainer.detail(trace, trace.hits[0].file)
        for item in detail.contributions:
            row = (
                f"| {item.query_term} | {item.term} | {item.field} | {item.tf} | {item.df} | {item.idf:.6f} "
                f"| {item.length} | {item.weight:g} | {item.boost:g} | {item.value:.6f} |"
            )
            assert row in EXAMPLE
        total = f"{detail.score.term_sum:.6f}"
        shown = [float(f"{item.value:.6f}") for item in detail.contributions]
        assert sum(shown) == pytest.approx(float(total), abs=1e-9)
        assert f"**{total}**" in EXAMPLE
        assert f"raw = {total} · 2 = {detail.score.raw:.6f}" in EXAMPLE
        assert f"= {detail.score.relevance:.6f}" in EXAMPLE

    def test_example_score_parts_are_correct(self, tree: Tree) -> None:
        _write_example(tree)
        first = tree.ask("refresh tokens").hits[0]
        shown = dict(re.findall(r"^\| ([a-z ]+) \| [^|]*\| ([+−]?[\d.]+) \|$", EXAMPLE, re.MULTILINE))
        assert list(shown) == [part.name for part in first.parts]
        for part in first.parts:
            assert _number(shown[part.name]) == pytest.approx(part.value, abs=5e-7)
        assert sum(map(_number, shown.values())) == pytest.approx(first.score, abs=1e-9)
        assert f"**{first.score:.6f}**" in EXAMPLE
        assert f"7 days old, is {first.ceiling.score:.3f}" in EXAMPLE

    def test_example_search_and_route_are_correct(self, tree: Tree) -> None:
        _write_example(tree)
        trace = tree.ask("refresh tokens")
        text = " ".join(EXAMPLE.split())
        _, second, summary = trace.hits
        assert f"raw {second.text.raw:.6f}, relevance {second.text.relevance:.6f}" in text
        assert f"**{second.score:.2f}**" in text
        assert f"= {trace.section(Search).floor:.6f}; both pass" in text
        assert f"+ 0.10 = {summary.score:.6f}" in text
        assert f"{trace.section(Search).lifts[1].value:.6f} and has no summary" in text
        assert (trace.tier, trace.verdict) == (3, "top score 0.79 is 0.06 short of 0.85")


def _write_example(tree: Tree) -> None:
    notes = re.findall(r"^`([^`]+)`, (\d+) days old:\n\n```markdown\n(.*?)```$", EXAMPLE, re.DOTALL | re.MULTILINE)
    assert len(notes) == 4
    for path, days, text in notes:
        tree.file(path, text, float(days))


def _number(text: str) -> float:
    return float(text.replace("−", "-"))


def _rules(trace: Trace) -> Iterator[str]:
    for search in (trace.section(Search), *(extra.search for extra in trace.section(EntityStep).searches)):
        yield from (stage.rule for stage in search.stages)
        yield from (check.rule for check in search.out_of_domain)
    for step in trace.steps:
        yield from (check.rule for check in step.checks)


def _named_in_code() -> Iterator[tuple[str, str]]:
    """Yields the rules of all Checks and Stages in the code, whether literals or names."""
    for name, text in sources(".py").items():
        for node in ast.walk(ast.parse(text)):
            for rule in _rules_of(node):
                yield rule, name


def _rules_of(node: ast.AST) -> Iterator[str]:
    candidates: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        if any(isinstance(target, ast.Name) and target.id in _RULE_NAMES for target in node.targets):
            candidates.append(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _RULE_PLACES:
        place = _RULE_PLACES[node.func.id]
        candidates += node.args[place : place + 1]
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
    """Every ``name = value`` in code spans, parsed as TOML, each value once."""
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
