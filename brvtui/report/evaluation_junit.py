"""An evaluation as JUnit XML, which systems for CI show as tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from brvtui.lab.evaluation.assessment import Assessment
from brvtui.lab.evaluation.results import QueryResult
from brvtui.report.evaluation import change_text, main_cause
from brvtui.text.visible import visible

_MS = 1000


def junit_of(report: Assessment) -> bytes:
    """A test case for each gate and each query, in UTF-8.

    A query fails when a failed gate names it, or when its outcome is not the expected one.
    """
    evaluation = report.evaluation
    failures = _failures(report)
    lost = sum(not gate.passed for gate in report.gates) + len(failures)
    seconds = f"{sum(query.ms for query in evaluation.queries) / _MS:.3f}"
    totals = {"tests": str(len(report.gates) + len(evaluation.queries)), "failures": str(lost), "errors": "0"}
    root = ElementTree.Element("testsuites", {"name": "brv-tui eval", **totals, "time": seconds})
    suite = ElementTree.SubElement(root, "testsuite", {"name": visible(evaluation.project), **totals, "time": seconds})
    for gate in report.gates:
        named = (f"{name}: {main_cause(gate, report.causes.get(name, ()))}".removesuffix(": ") for name in gate.queries)
        lines = () if gate.passed else (gate.text, *named)
        _add(suite, {"classname": "gates", "name": gate.name, "time": "0"}, lines)
    for query in evaluation.queries:
        name, time = visible(f"{query.id}: {query.text}"), f"{query.ms / _MS:.4f}"
        _add(suite, {"classname": "queries", "name": name, "time": time}, _lines(report, query, failures))
    ElementTree.indent(root)
    made: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _failures(report: Assessment) -> dict[str, list[str]]:
    """Why each failing query fails, by its id."""
    made: dict[str, list[str]] = {}
    for gate in report.gates:
        for name in gate.queries:
            made.setdefault(name, []).append(f"{gate.name}: {gate.text}")
    for query in report.evaluation.queries:
        if query.as_expected is False:
            made.setdefault(query.id, []).append(f"expected {query.expected}, got {query.outcome}")
    return made


def _lines(report: Assessment, query: QueryResult, failures: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if query.id not in failures:
        return ()
    changed = [change_text(each, report.metrics[0]) for each in report.changed if each.now.id == query.id]
    return (*failures[query.id], *changed, *report.causes.get(query.id, ()), query.sentence)


def _add(suite: ElementTree.Element, attributes: Mapping[str, str], failure: Sequence[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", dict(attributes))
    if failure:
        made = ElementTree.SubElement(case, "failure", {"message": visible(failure[0])})
        made.text = "\n".join(visible(text) for text in dict.fromkeys(failure) if text)
