"""Evaluations as JUnit XML, Markdown and TREC runs, with escaped text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from brvtui.lab.evaluation.comparing import (
    Assessment,
    ChangeLine,
    compare_evaluations,
    gate_drop,
    gate_outcomes,
    gate_under,
)
from brvtui.lab.evaluation.results import Evaluation, Metric, QueryResult, RankedDocument
from brvtui.paint.blocks import lines_of
from brvtui.paint.glyphs import UNICODE
from brvtui.report.evaluation import EvaluationForm, evaluation_blocks, rendered_evaluation, save_evaluation
from brvtui.report.saved import ExportError
from brvtui.saved.evaluations import read_evaluation

RECALL = Metric("recall", 5)


HOSTILE = "]](http://x.y) <script>alert(1)</script> | \x1b[31m@all `x` \u202e & \ufffe\uffff\0\ud800 </failure>"


def result(name: str, *ranking: str, text: str = "words", expected: str = "", outcome: str = "tier 2") -> QueryResult:
    results = tuple(RankedDocument(path, 1.0) for path in ranking)
    return QueryResult(name, text, "", expected, {"n one.md": 3, "m.md": 0}, outcome, results, 7, 2.5, f"why {text}")


@pytest.fixture
def report() -> Assessment:
    now = Evaluation(
        "byterover", "ByteRover 3.14.0", "brv-3", f"p{HOSTILE}", "", 3, "2026-11-20T12:00:00Z",
        (
            result("a", "n one.md", "m.md"),
            result("lost", "m.md", text=HOSTILE, outcome="tier 4"),
            result("odd", "n one.md", expected="not covered"),
        ),
    )  # fmt: skip
    before = replace(now, queries=(now.queries[0], result("lost", "n one.md", text=HOSTILE), now.queries[2]))
    compared = compare_evaluations(now, before)
    gates = (gate_under(now, RECALL, 0.5), gate_drop(compared, RECALL, 0.1), gate_outcomes(compared))
    fallen = ChangeLine.of_rank("n one.md", f"1 → not found {HOSTILE}")
    return Assessment(now, (RECALL,), compared, "main", gates, {"lost": (fallen,)})


def test_junit_has_a_case_for_each_gate_and_query(report: Assessment) -> None:
    data = rendered_evaluation(report, EvaluationForm.JUNIT)
    root = ElementTree.fromstring(data)
    (suite,) = root
    cases = {(case.get("classname"), (case.get("name") or "").split(":")[0]): case for case in suite}
    failed = {key for key, case in cases.items() if case.find("failure") is not None}
    assert failed == {
        ("gates", "recall@5 falls by at most 0.1"),
        ("gates", "no tier change"),
        ("queries", "lost"),
        ("queries", "odd"),
    }
    assert (suite.get("tests"), suite.get("failures")) == ("6", "4")
    text = cases["queries", "lost"].find("failure").text
    assert "n one.md: rank 1 → not found" in text
    assert "<script>" in text  # shown as plain text
    assert b"<script>" not in data
    assert b"\x1b" not in data


def test_tier_gate_names_the_new_tier_of_a_query_not_the_note_that_fell(report: Assessment) -> None:
    fallen = ChangeLine.of_rank("n one.md", "1 → not found")
    causes = (ChangeLine("why it is tier 4"), fallen, ChangeLine.of_cause("an edit"))
    result = replace(report, causes={"lost": causes})
    text = "\n".join(line.plain for line in lines_of(evaluation_blocks(result, 120), 120, UNICODE)).partition(
        " FAILED "
    )[2]
    _, of_the_drop, of_the_tier = text.split("lost: ", 2)
    assert of_the_drop.startswith("n one.md: rank 1 → not found; cause: an edit")
    assert "lost: why it is tier 4; cause: an edit" in of_the_tier
    assert "lost: why it is tier 4; cause: an edit" in rendered_evaluation(result, EvaluationForm.JUNIT).decode()


def test_markdown_escapes_text_from_notes_and_queries(report: Assessment) -> None:
    result = rendered_evaluation(report, EvaluationForm.MARKDOWN).decode()
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(result)
    assert html.startswith("<h2>Memory check failed</h2>")
    assert "<script>" not in html
    assert "<a " not in html
    assert "\x1b" not in result
    assert "\u202e" not in result
    assert html.count("<table>") == 4
    assert "recall@5 1.0000 → 0.0000, tier 2 → tier 4" in html
    assert "<code>n one.md</code>" in html
    assert "Look at: lost." in html


def test_run_file_keeps_the_order_of_equal_scores(report: Assessment) -> None:
    lines = rendered_evaluation(report, EvaluationForm.TREC_RUN).decode().splitlines()
    assert lines[:2] == [
        "a Q0 n%20one.md 1 1.000000000 brv-tui-byterover",
        "a Q0 m.md 2 0.500000000 brv-tui-byterover",
    ]
    assert all(len(line.split()) == 6 for line in lines)


def test_json_can_be_read_back(report: Assessment, tmp_path: Path) -> None:
    file = tmp_path / "e.json"
    save_evaluation(report, file, [])
    assert read_evaluation(file) == report.evaluation
    value = json.loads(file.read_text())
    assert [gate["passed"] for gate in value["gates"]] == [True, False, False]
    assert value["comparison"]["changes"][0]["causes"][0].startswith("n one.md: rank 1")


def test_evaluation_is_not_saved_to_an_invalid_place(report: Assessment, tmp_path: Path) -> None:
    for file, trees in (("x.txt", []), ("none/x.md", []), ("x.md", [tmp_path])):
        with pytest.raises(ExportError):
            save_evaluation(report, tmp_path / file, trees)


def test_only_the_worst_of_many_queries_are_listed(report: Assessment) -> None:
    many = tuple(result(f"q{number}", "n one.md") for number in range(60))
    outcome = replace(
        report, evaluation=replace(report.evaluation, queries=(*many, result("worst", "m.md"))), comparison=None
    )
    text = [line.plain for line in lines_of(evaluation_blocks(replace(outcome, gates=()), 80), 80, UNICODE)]
    assert text[-1].startswith(" … 11 more")
    assert sum(line.startswith(" q") and "tier 2" in line for line in text) == 49
    assert any(line.startswith(" worst") for line in text)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_evaluation_lines_fit_the_width(report: Assessment, width: int) -> None:
    lines = lines_of(evaluation_blocks(report, width), width, UNICODE)
    assert all(line.width <= width for line in lines)
    text = "\n".join(line.plain for line in lines)
    assert "lost" in text
    assert "\x1b" not in text
