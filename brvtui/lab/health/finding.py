"""Findings about the health of a memory, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """The kind of a finding: its name in JSON, and the heading of its group. The worst kinds come first."""

    heading: str

    def __new__(cls, name: str, heading: str = "") -> FindingKind:
        """Makes a kind with a ``heading``. Without a heading, returns the known kind ``name``."""
        kind = str.__new__(cls, name)
        kind._value_, kind.heading = name, heading
        return kind

    SUPERSEDED = "superseded", "Superseded facts"
    TRANSCRIPT_LEFTOVER = "transcript_leftover", "Leftovers from transcripts"
    TOOL_OUTPUT = "tool_output", "Tool output"
    BAD_ENCODING = "bad_encoding", "Bad encodings"
    BROKEN_FRONTMATTER = "broken_frontmatter", "Broken frontmatter"
    NEAR_DUPLICATE = "near_duplicate", "Near-duplicates"
    GAP = "gap", "Gaps"
    TEMPLATE_ONLY = "template_only", "Empty templates"
    TITLE_ONLY = "title_only", "Only titles"
    NOT_FOUND_BY_TITLE = "not_found_by_title", "Not found by title"
    SHADOWED = "shadowed", "Shadowed by another note"
    LINKS_ONLY = "links_only", "Only links"
    TOO_BROAD = "too_broad", "Too broad"
    UNREAD_FILE = "unread_file", "Unread files"
    QUOTE_CUT_OFF = "quote_cut_off", "Too long to be quoted in full"
    GENERATED_EDITED = "generated_edited", "Generated files edited by hand"
    BROKEN_LINK = "broken_link", "Broken links"
    NEVER_FOUND = "never_found", "Never found"
    ARCHIVE_CANDIDATE = "archive_candidate", "Archive candidates"
    ORPHAN = "orphan", "Orphans"


class Confidence(StrEnum):
    """The confidence in a finding.

    If it is high, a few percent of such findings are wrong; if it is low, about half.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of one note, of a pair of notes, or of the whole memory (a gap)."""

    kind: FindingKind
    notes: tuple[str, ...]
    """The paths of the notes, starting with the one to act on (for superseded facts, the older note); empty for a gap.
    """
    confidence: Confidence
    sentence: str
    """The reason, in one sentence."""
    cost: str = ""
    """The effect on answers, such as “wins 3 of your 40 judged and logged queries”; empty if it is not known."""
    queries: tuple[str, ...] = ()
    """The queries that show the defect, such as the logged queries of a gap."""
    weight: float = 0.0
    """The weight that orders the findings; the worst one has the highest."""


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The findings about one state of a memory."""

    findings: tuple[Finding, ...]
    """The findings, worst first."""
    ignored: tuple[Finding, ...]
    """The findings that the user ignores, worst first."""
    notes: int
    """The number of checked notes."""
    queries: int
    """The number of distinct judged and logged queries that were run to find the costs."""
    days: int
    """The number of past days whose log was read, and of coming days for which ageing was forecast."""
    uncompared: int = 0
    """The number of pairs of similar notes that were not compared, because there are too many."""
    unsearched: frozenset[FindingKind] = frozenset()
    """The kinds that were not checked for all notes, because there are too many."""
