"""Saved traces with names, lists, values and numbers changed: shown in every form, or refused in one line."""

from __future__ import annotations

import copy
import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.app.overview import remembered
from brvtui.engines.contract import EngineError
from brvtui.engines.registry import presentation
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import ASCII, UNICODE
from brvtui.ranking.compound import round_half_up
from brvtui.report.answer_diff import diff_as_plain, diff_blocks
from brvtui.report.query import trace_lines
from brvtui.report.saved import Form, markdown_report, rendered, text_report
from brvtui.saved.traces import SavedError, SavedTrace, as_json, as_plain, read
from brvtui.session import Session
from brvtui.session.diffing import diff_with_saved_answer
from brvtui.text.visible import bounded
from tests.support.spaces import small_space
from tests.support.trees import NOW_MS, Tree

Place = tuple[Any, Any]
"""A container, and one of its keys or indexes."""
_NAMES = ["", "x", "total", "local bonus", "cap", "words", "maturity", "token ‘x’", "../../etc", "\x1b[31m", "9" * 400]
_MOST_LINE = 1_000
_CHANGES = int(os.environ.get("BRV_TUI_CHANGED_TRACES", "4"))


def asked(tree: Tree) -> list[SavedTrace]:
    """Answers of the engines that read a tree: results of every tier, from the cache, and none."""
    tree.note("x/good.md", "Quokka", "all about the quokka and its anchor", 45, importance=70, maturity="core")
    tree.note("x/other.md", "Anchor", "an anchor holds; see @x/good.md and [good](good.md)", 300)
    tree.note("yard/gate.md", "Gate", "the gate opens north; no quokka", 90)
    tree.note("yard/draft.md", "Anchorage", "quokkas anchor near the gate", 9, maturity="draft")
    tree.summary("x", "quokka and anchor")
    tree.notes(8)
    session = tree.session()
    queries = ["quokka anchor", "quokka", "zebra quagga", "x/good.md", "quokka in yard", "the", "anchr gates zzz"]
    traces = [session.preview(query) for query in queries]
    traces += [session.run("quokka anchor"), session.run("quokka anchor"), session.preview("anchor quokka")]
    traces.append(session.with_plain_search(session.preview("quokka"), 3))
    for engine in ("jeffs_brain", "soleri", "knowing"):
        traces += [session.preview(query, engine=engine) for query in queries]
    return [session.explainer.saved(trace) for trace in traces]


def asked_of_space(folder: Path) -> list[SavedTrace]:
    session = Session.open(small_space(folder, NOW_MS), now_ms=NOW_MS)
    session.load()
    words = next(iter(session.snapshot.notes)).title.split()[0]
    return [session.explainer.saved(session.preview(query)) for query in (words, f"{words} zzz", "zebra", "--x", "")]


def places(value: Any) -> Iterator[Place]:
    """Yields every container in ``value`` with each of its keys."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


def change(plain: Any, chance: random.Random) -> str:
    """Changes one place in ``plain`` at random, and returns a description of the change."""
    found = list(places(plain["trace"]))
    texts = [one for one in found if isinstance(one[0][one[1]], str)]
    names = [one for one in texts if one[1] in ("name", "id", "file", "leg", "reason", "constant", "term", "query")]
    lists = [one for one in found if isinstance(one[0][one[1]], list) and one[0][one[1]]]
    tables = [one for one in found if isinstance(one[0][one[1]], dict) and one[0][one[1]]]
    way = chance.choice(
        [
            "rename",
            "text",
            "all",
            "swap",
            "empty",
            "remove",
            "double",
            "reverse",
            "key",
            "drop",
            "number",
            "null",
            "cut",
        ]
    )
    held, key = chance.choice(
        {"rename": names, "all": names, "swap": names, "text": texts, "key": tables, "drop": tables}.get(way, lists)
    )
    old = held[key]
    if way in ("rename", "text"):
        held[key] = chance.choice(_NAMES)
    elif way == "all":
        for other, name in texts:
            if other[name] == old and name == key:
                other[name] = f"no {old}"
    elif way == "swap":
        held[key] = chance.choice([other[name] for other, name in names])
    elif way in ("number", "null"):
        numbers = [one for one in found if type(one[0][one[1]]) in (int, float, bool, type(None))]
        held, key = chance.choice(numbers)
        held[key] = None if way == "null" else chance.choice([0, 0.0, 1, -1, -3.5, 10**9, True, 1e50, -1e50])
    else:
        held[key] = _changed(copy.copy(old), way, chance)
    return f"{way} {key}"


def _changed(held: Any, way: str, chance: random.Random) -> Any:
    """The list or table ``held``, changed in one way."""
    if way == "key":
        held[chance.choice(_NAMES)] = held.pop(chance.choice(list(held)))
    elif way == "drop":
        del held[chance.choice(list(held))]
    elif way == "empty":
        return []
    elif way == "cut":
        return held[: chance.randrange(len(held))]
    elif way == "remove":
        del held[chance.randrange(len(held))]
    elif way == "double":
        held.insert(chance.randrange(len(held)), copy.deepcopy(chance.choice(held)))
    else:
        chance.shuffle(held)
    return held


def show(saved: SavedTrace) -> None:
    """Shows ``saved`` in every form, and in every pane."""
    for width, glyphs in ((36, ASCII), (100, UNICODE)):
        trace_lines(saved.trace, saved.detail, width, glyphs)
    markdown_report(saved)
    assert as_json(saved)
    trace, shown = saved.trace, presentation(saved.trace.engine)
    shown.headline(trace)
    panes = [shown.cache(trace, None, 60, UNICODE)[1], shown.prompt(trace)[1], shown.answer(trace)]
    panes += [shown.decision(trace, UNICODE), shown.flow(trace, UNICODE)]
    for hit in trace.hits:
        shown.remark(trace, hit)
        shown.neighbourhood(trace, hit.file)
        panes.append(shown.place(trace, hit.file, UNICODE))
    for blocks in panes:
        lines_of(blocks, 60, UNICODE)
    for text in (shown.warning, shown.failure, shown.named_folder, shown.in_words_of_notes, shown.counts):
        assert isinstance(text(trace), str)
    for more in (shown.not_scored, shown.attempts, shown.words):
        more(trace)
    for miss in trace.near_misses:
        shown.behind(trace, miss.reason)
        shown.lack(miss, UNICODE)
    list(shown.nothing(trace, 60))
    remembered(trace)


def problem(plain: Any, file: Path, session: Session | None = None) -> str:
    """The fault in how ``plain`` is refused; empty if it is shown, or refused in one line with the file's name."""
    file.write_text(json.dumps(plain), encoding="utf-8")
    try:
        saved = read(file)
    except SavedError as error:
        line = str(error)
        return (
            "" if line.isprintable() and file.name in line and len(line) < _MOST_LINE else f"refused by {line!r:.300}"
        )
    show(saved)
    if session is not None:
        try:
            found = diff_with_saved_answer(session, saved.trace, str(file))
        except EngineError as error:
            return "" if len(str(error)) < _MOST_LINE else f"compared: {error!r:.300}"
        lines_of(diff_blocks(found, 80), 80, UNICODE)
        diff_as_plain(found)
    return ""


def run_changes(saved: list[SavedTrace], file: Path, session: Session | None, amount: int, seed: int = 0) -> None:
    for number, one in enumerate(saved):
        original = json.loads(json.dumps(as_plain(one)))
        assert problem(original, file, session) == ""
        for each in range(amount):
            chance = random.Random(f"{seed} {number} {each}")
            plain = copy.deepcopy(original)
            ways = [change(plain, chance) for _ in range(chance.choice([1, 1, 1, 2, 4]))]
            where = f"{one.trace.engine}, {one.trace.query!r}, seed {seed} {number} {each}: {ways}"
            try:
                wrong = problem(plain, file, session if each % 4 == 0 else None)
            except Exception as error:
                error.add_note(where)
                raise
            assert wrong == "", where


@pytest.mark.parametrize("name", ["local bonus", "importance", "maturity", "recency", "cap", "relevance"])
@pytest.mark.parametrize("other", ["other", "", "\x1b[31m"])
def test_renamed_score_part_is_still_shown(tree: Tree, tmp_path: Path, name: str, other: str) -> None:
    tree.note("x/good.md", "Quokka", "all about the quokka", 45, maturity="draft")
    session = tree.session()
    text = json.dumps(as_plain(session.explainer.saved(session.preview("quokka"))))
    changed = text.replace(f'"name": "{name}"', f'"name": {json.dumps(other)}')
    assert changed != text or name == "cap"
    assert problem(json.loads(changed), tmp_path / "changed.json", session) == ""


@pytest.mark.parametrize("section", [kind.SECTION for kind in presentation("byterover").sections])
def test_missing_section_is_reported_by_name(tree: Tree, tmp_path: Path, section: str) -> None:
    tree.note("x/good.md", "Quokka", "all about the quokka")
    session = tree.session()
    plain = json.loads(json.dumps(as_plain(session.explainer.saved(session.preview("quokka")))))
    del plain["trace"]["sections"][section]
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(plain))
    with pytest.raises(SavedError, match=r"changed\.json: .* is missing; run the query and save it again"):
        read(file)


@pytest.mark.parametrize("clock", ["", "x", "2026-13-45", "99999-01-01", "now", "0001-01-01T00:00:00+23:59"])
def test_invalid_clock_is_refused_or_shown(tree: Tree, tmp_path: Path, clock: str) -> None:
    tree.note("x/good.md", "Quokka", "all about the quokka")
    session = tree.session()
    plain = json.loads(json.dumps(as_plain(session.explainer.saved(session.preview("quokka")))))
    plain["trace"]["snapshot"]["clock"] = clock
    assert problem(plain, tmp_path / "changed.json", session) == ""


def test_excess_results_are_counted(tree: Tree, tmp_path: Path) -> None:
    tree.note("x/good.md", "Quokka", "all about the quokka", 45)
    session = tree.session()
    plain = json.loads(json.dumps(as_plain(session.explainer.saved(session.preview("quokka")))))
    plain["trace"]["hits"] *= 3_000
    file = tmp_path / "many.json"
    file.write_text(json.dumps(plain))
    saved = read(file)
    began = time.process_time()
    text = "\n".join(one.plain for one in trace_lines(saved.trace, saved.detail, 100, UNICODE))
    report = markdown_report(saved)
    assert time.process_time() - began < 20
    assert "2500 more results; --format json shows all" in text
    assert "2500 more results; --format json shows all" in report
    assert len(as_json(saved)) > len(report)


def _text_places(value: Any, name: str = "") -> Iterator[tuple[str, Place]]:
    """Yields every text in ``value`` with the name of its place, without list indexes."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        inside = f"{name}.{key}" if isinstance(value, dict) else f"{name}[]"
        if isinstance(inner, str):
            yield inside, (value, key)
        elif isinstance(inner, dict | list):
            yield from _text_places(inner, inside)


@pytest.mark.long
def test_long_text_is_cut_except_in_json(tree: Tree, tmp_path: Path) -> None:
    saved = asked(tree)[0]
    assert bounded(saved) is saved
    plain = json.loads(as_json(saved))
    usual = len(rendered(saved, Form.SVG))
    found = dict(_text_places(plain["trace"], "trace")) | dict(_text_places(plain["detail"], "detail"))
    long, shown, file = "qu[o]kka\n" * 40_000, 0, tmp_path / "long.json"
    for name, (held, key) in found.items():
        old, held[key] = held[key], long
        file.write_text(json.dumps(plain))
        held[key] = old
        with suppress(SavedError):  # for names with only a few valid values
            again = read(file)
            shown += 1
            assert json.dumps(long) in json.dumps(as_plain(again)), name
            if "answer" not in name:
                assert max(len(rendered(again, form)) for form in (Form.MARKDOWN, Form.SVG)) < usual + 300_000, name
    assert shown > 40


def test_cut_text_shows_how_much_is_missing(tree: Tree) -> None:
    saved = asked(tree)[0]
    long = replace(saved, trace=replace(saved.trace, notices=("y" * 300_000,)))
    assert "y… (290,000 more characters)" in markdown_report(long)
    assert json.loads(as_json(long))["trace"]["notices"] == ["y" * 300_000]


def test_excess_texts_are_counted(tree: Tree) -> None:
    saved = asked(tree)[0]
    many = replace(saved, trace=replace(saved.trace, notices=tuple(f"notice {number}" for number in range(300_000))))
    assert "… (299500 more)" in markdown_report(many)
    assert len(markdown_report(many)) < len(markdown_report(saved)) + 20_000


def test_cut_texts_used_as_keys_stay_distinct(tree: Tree) -> None:
    trace = asked(tree)[0].trace
    long = "y" * 9_000
    timings = {f"{long}{number}": 1.0 for number in range(300)}
    hits = tuple(replace(trace.hits[0], file=name, path=name, title=name) for name in timings)
    shown = bounded(replace(trace, timings=timings, hits=hits))
    assert shown.timings == timings
    assert [hit.file for hit in shown.hits] == [*timings]
    assert len(shown.hits[0].title) < 300
    keys = {f"{long}{long}{number}": "y" * 30_000 for number in range(3)}
    assert list(bounded(keys)) == list(keys)
    path = "z" * 30_000
    cut = bounded(replace(trace, hits=(replace(trace.hits[0], file=path),))).hits[0].file
    assert bounded(path) == bounded(cut) == cut != path


def test_randomly_changed_traces_of_trees_are_handled(tree: Tree, tmp_path: Path) -> None:
    saved = asked(tree)
    run_changes(saved, tmp_path / "changed.json", tree.session(), _CHANGES)


def test_randomly_changed_traces_of_a_space_are_handled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    run_changes(asked_of_space(tmp_path), tmp_path / "changed.json", None, _CHANGES)


@pytest.mark.parametrize("clock", ["1000-01-02T00:00:00Z", "1960-01-01T00:00:00Z", "8999-12-30T00:00:00Z"])
def test_traces_of_every_valid_time_are_shown(tree: Tree, tmp_path: Path, clock: str) -> None:
    tree.note("x/good.md", "Quokka", "all about the quokka")
    session = tree.session()
    plain = json.loads(json.dumps(as_plain(session.explainer.saved(session.preview("quokka")))))
    plain["trace"]["snapshot"]["clock"] = clock
    file = tmp_path / "changed.json"
    assert problem(plain, file, session) == ""
    assert read(file).trace.snapshot.clock == clock


EXTREMES = [1e308, -1e308, 1e-308, 1e59, -1e59, 5e-324, 0, -0.0, -1, 10**59, 10**400, 1e16, 2**63, 1.5e15]
_FIELDS_EACH = 30


def numbers(value: Any) -> Iterator[tuple[Any, Any]]:
    """The containers and keys of all numbers in ``value``."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from numbers(inner)
        elif type(inner) in (int, float):
            yield value, key


def number_problem(plain: Any, file: Path) -> str:
    """The problem with showing ``plain`` in every form; empty if it was shown, or refused in one line."""
    file.write_text(json.dumps(plain))
    try:
        saved = read(file)
    except SavedError as error:
        return "" if "\n" not in str(error) and len(str(error)) < 500 else str(error)
    for form in Form:
        rendered(saved, form)
    text_report(saved, 100, True)
    return ""


@pytest.fixture
def plain(tree: Tree) -> Any:
    tree.note("x/n.md", "Quokka", "all about the quokka", 45)
    tree.note("x/old.md", "Old quokka", "a quokka of long ago", 300)
    tree.notes(5)
    session = tree.session()
    return json.loads(json.dumps(as_plain(session.explainer.saved(session.run("quokka")))))


@pytest.mark.parametrize("extreme", EXTREMES)
def test_trace_with_one_extreme_number_is_handled(plain: Any, tmp_path: Path, extreme: float) -> None:
    places = len(list(numbers(plain)))
    assert places > 100
    for place in random.Random(repr(extreme)).sample(range(places), _FIELDS_EACH):
        changed = copy.deepcopy(plain)
        holder, key = list(numbers(changed))[place]
        holder[key] = extreme
        assert number_problem(changed, tmp_path / "t.json") == ""


@pytest.mark.parametrize("extreme", EXTREMES)
def test_trace_with_only_extreme_fractions_is_handled(plain: Any, tmp_path: Path, extreme: float) -> None:
    for holder, key in numbers(plain):
        if isinstance(holder[key], float):
            holder[key] = extreme
    assert number_problem(plain, tmp_path / "t.json") == ""


@pytest.mark.parametrize("extreme", [1e308, -1e308, 10**400])
def test_extreme_score_is_refused_with_its_position(plain: Any, tmp_path: Path, extreme: float) -> None:
    plain["trace"]["hits"][0]["score"] = extreme
    file = tmp_path / "t.json"
    file.write_text(json.dumps(plain))
    with pytest.raises(SavedError, match=r"trace\.hits\[0\]\.score must be a number"):
        read(file)


@pytest.mark.parametrize("value", [1e308, -1e308, float("inf"), 1e-308, 1e300])
def test_rounding_never_overflows(value: float) -> None:
    assert round_half_up(value, 2) == (value if abs(value) > 1 else 0)
