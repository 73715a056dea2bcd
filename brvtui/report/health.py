"""Shows the health of a memory, as lines and as Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain

from brvtui.lab.health.finding import Finding, HealthReport, Kind
from brvtui.paint.line import Line, flowed, line
from brvtui.report.markdown_text import Markdown, heading, joined, paragraph, path, table
from brvtui.wording import counted

NAMES = {
    Kind.NEAR_DUPLICATE: "Near-duplicates",
    Kind.SUPERSEDED: "Superseded facts",
    Kind.TEMPLATE_ONLY: "Empty templates",
    Kind.TRANSCRIPT_LEFTOVER: "Leftovers of a transcript",
    Kind.TOOL_OUTPUT: "Output of tools",
    Kind.LINKS_ONLY: "Only links",
    Kind.TITLE_ONLY: "Only a title",
    Kind.TOO_BROAD: "Too broad",
    Kind.QUOTE_CUT_OFF: "Longer than what is quoted",
    Kind.NOT_FOUND_BY_TITLE: "Not found by their title",
    Kind.SHADOWED: "Shadowed by another note",
    Kind.NEVER_FOUND: "Never found",
    Kind.BROKEN_FRONTMATTER: "Broken frontmatter",
    Kind.BROKEN_LINK: "Broken links",
    Kind.BAD_ENCODING: "Bad encodings",
    Kind.UNREAD_FILE: "Files that are not read",
    Kind.ORPHAN: "Orphans",
    Kind.ARCHIVE_CANDIDATE: "Archive candidates",
    Kind.GENERATED_EDITED: "Generated files edited by hand",
    Kind.GAP: "Gaps",
}
"""The heading of each kind."""


def shown_kinds(report: HealthReport, kinds: Collection[str]) -> HealthReport:
    """``report`` with only the findings of ``kinds``; all findings if ``kinds`` is empty."""
    if not kinds:
        return report
    shown, hidden = (tuple(one for one in some if one.kind in kinds) for some in (report.findings, report.ignored))
    return replace(report, findings=shown, ignored=hidden)


def by_kind(report: HealthReport) -> dict[Kind, list[Finding]]:
    """The findings of each kind, worst first. The kind with the worst finding comes first."""
    groups: dict[Kind, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(finding.kind, []).append(finding)
    return groups


def summary(report: HealthReport, noun: str) -> str:
    """The numbers of findings, checked notes and queries in a sentence. Notes are called ``noun``."""
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    queries = counted(report.queries, "judged or logged query", "judged and logged queries")
    found = counted(len(report.findings), "finding", "findings")
    return f"{found} in {counted(report.notes, noun, f'{noun}s')}{ignored}; {queries} asked"


def health_lines(report: HealthReport, noun: str, width: int) -> Iterator[Line]:
    """Yields the lines of the report for a terminal with ``width`` columns."""
    return chain.from_iterable(flowed(one, width, width) for one in _lines(report, noun))


def _lines(report: HealthReport, noun: str) -> Iterator[Line]:
    yield line(f" {summary(report, noun)}", "bold strong")
    for kind, findings in by_kind(report).items():
        yield Line()
        yield line(f" {NAMES[kind]}", "bold strong").add(f"  {len(findings)}", "muted")
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
        blocks += [heading(2, NAMES[kind]), table((noun, "finding", "confidence", "cost"), rows)]
    return joined(blocks)
