"""Shows the health of a memory, as lines and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from brvtui.lab.health.finding import Finding, FindingKind, HealthReport
from brvtui.paint.line import Line, flowed, line
from brvtui.report.markdown_text import Markdown, heading, joined, paragraph, path, table
from brvtui.wording import counted


def by_kind(report: HealthReport) -> dict[FindingKind, list[Finding]]:
    """The findings of each kind, worst first. The kind with the worst finding comes first."""
    groups: dict[FindingKind, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(finding.kind, []).append(finding)
    return groups


def summary(report: HealthReport, noun: str) -> str:
    """The numbers of findings, checked notes and queries, as one phrase. Notes are called ``noun``."""
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    queries = counted(report.queries, "judged or logged query", "judged and logged queries")
    found = counted(len(report.findings), "finding", "findings")
    cut = f"; {counted(report.uncompared, 'similar pair', 'similar pairs')} not compared" if report.uncompared else ""
    cut += f"; not all {noun}s searched for" if report.unsearched else ""
    return f"{found} in {counted(report.notes, noun, f'{noun}s')}{ignored}; {queries} run{cut}"


def health_lines(report: HealthReport, noun: str, width: int) -> Iterator[Line]:
    """Yields the lines of the report for a terminal with ``width`` columns."""
    return chain.from_iterable(flowed(one, width, width) for one in _lines(report, noun))


def _lines(report: HealthReport, noun: str) -> Iterator[Line]:
    yield line(f" {summary(report, noun)}", "bold strong")
    for kind, findings in by_kind(report).items():
        yield Line()
        yield line(f" {kind.heading}", "bold strong").add(f"  {len(findings)}", "muted")
        for one in findings:
            name = one.notes[0] if one.notes else "no note"
            yield line(f" {one.confidence:<6} ", "muted").add(name, "strong").add(f"  {one.sentence}", "text")
            if one.cost:
                yield line(f"        {one.cost}", "muted")


def health_markdown(report: HealthReport, name: str, noun: str) -> str:
    """The report as Markdown, with a table for each kind."""
    blocks = [heading(1, f"Health of {name}"), paragraph(f"{summary(report, noun)}.")]
    for kind, findings in by_kind(report).items():
        rows = [
            (Markdown(", ".join(path(note) for note in one.notes)), one.sentence, one.confidence, one.cost)
            for one in findings
        ]
        blocks += [heading(2, kind.heading), table((noun, "finding", "confidence", "cost"), rows)]
    return joined(blocks)
