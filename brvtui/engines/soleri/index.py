"""Builds a vault from the notes of a snapshot, and updates it with each snapshot (``docs/reference/soleri.md``, "Notes
as entries").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

import numpy as np

from brvtui.engines.soleri.entries import COLUMNS, VaultEntry
from brvtui.engines.soleri.profile import MappingRules, SoleriProfile
from brvtui.engines.soleri.vault import Tier, Vault, link_graph, tier_weight
from brvtui.engines.soleri.vectors import count_documents
from brvtui.snapshot import Note, Parsed, Snapshot
from brvtui.text.fts import IndexLayout, full_text
from brvtui.tree.reading.files import Role
from brvtui.tree.reading.frontmatter import parse, text_of, texts_of
from brvtui.tree.reading.signals import Source

# A note of a context tree as an entry (``docs/reference/soleri.md``, "Notes as entries").


_TYPES = ("pattern", "anti-pattern", "rule", "playbook")
_SEVERITIES = {"critical": "critical", "warning": "warning", "suggestion": "suggestion", "info": "suggestion"}
_BY_MATURITY = {"core": "critical", "validated": "warning", "draft": "suggestion"}
_HEADING = re.compile(r"^(#{1,6})\s++(.*+)(?:(?<=#)|\s*#*$)", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_BULLET = re.compile(r"^\s*[-*+]\s+")
_FACTS, _REASON, _RAW, _NARRATIVE, _RELATIONS = "facts", "reason", "raw concept", "narrative", "relations"
_LATEST = datetime.max.replace(tzinfo=UTC).timestamp()
"""The latest valid time, in seconds since 1970. Larger numbers, infinity and NaN are not treated as times."""
TOP_LEVEL = "general"
"""The domain of notes that are not in any folder."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The entry made from a note, and the ids in the note's ``related``, including unknown ids."""

    entry: VaultEntry
    related: tuple[str, ...]


def entry_id(file: str) -> str:
    """The id of the note at ``file``, a path within its tree."""
    return file.removesuffix(".md")


def map_note(note: Note, text: str, maturity: str, rules: MappingRules) -> Mapped:
    """The entry for ``note``, whose text is ``text``. ``maturity`` is empty if none is stored for the note."""
    front = parse(text)
    fields, body = front.fields, text[front.body_start :]
    sections = _sections(body)
    created, updated = _seconds(fields.get("createdAt")), _seconds(fields.get("updatedAt"))
    written = note.mtime_ms / 1000
    created = created if created is not None else updated if updated is not None else written
    facts = [_BULLET.sub("", line).strip() for line in sections.get(_FACTS, "").splitlines()]
    summary = text_of(fields.get("summary")) or _first_paragraph(sections, body)
    context = [
        sections.get(_RAW, ""),
        sections.get(_NARRATIVE, ""),
        *(part for name, part in sections.items() if name not in (_RAW, _NARRATIVE, _FACTS, _REASON, _RELATIONS)),
    ]
    tags = (*texts_of(fields.get("tags")), *texts_of(fields.get("keywords")))
    entry = VaultEntry(
        id=entry_id(note.file),
        type=kind if (kind := text_of(fields.get("type"))) in _TYPES else "rule",
        domain=(note.file.partition("/")[0] if "/" in note.file else TOP_LEVEL).lower(),
        title=text_of(fields.get("title")) or note.title,
        severity=_severity(fields, maturity, rules),
        description="\n".join(filter(None, [summary, *facts])),
        tags=tuple(dict.fromkeys(map(str.lower, tags))),
        context="\n\n".join(filter(None, map(str.strip, context))),
        why=sections.get(_REASON, ""),
        tier=text_of(fields.get("scope")) or text_of(fields.get("tier")),
        valid_from=_first_time(fields, "validFrom", "valid_from"),
        valid_until=_first_time(fields, "validUntil", "valid_until"),
        created_at=created,
        updated_at=updated if updated is not None else created,
        compared_chars=rules.compared_chars or None,
    )
    return Mapped(entry, tuple(_targets(fields.get("related"))))


def links_of(mapped: Iterable[Mapped]) -> Iterator[tuple[str, str]]:
    """The links between existing entries, as pairs of ids. Links to folders and to unknown targets are left out."""
    all_mapped = list(mapped)
    ids = {one.entry.id for one in all_mapped}
    return ((one.entry.id, target) for one in all_mapped for target in one.related if target in ids)


def _severity(fields: Mapping[str, Any], maturity: str, rules: MappingRules) -> str:
    explicit = _SEVERITIES.get(text_of(fields.get("severity")).lower())
    by_maturity = _BY_MATURITY.get(maturity) if rules.severity_by_maturity else None
    return explicit or by_maturity or "suggestion"


def _sections(body: str) -> dict[str, str]:
    """The text below each level-2 heading, keyed by the heading in lower case. Other heading lines are dropped.

    The text before the first such heading has the empty string as its key.
    """
    sections: dict[str, list[str]] = {"": []}
    name = ""
    for line in body.splitlines():
        heading = _HEADING.match(line) if line.startswith("#") else None
        if heading is None:
            sections[name].append(line)
        elif len(heading[1]) == 2:
            name = heading[2].rstrip("#").strip().lower()
            sections.setdefault(name, [])
    return {name: "\n".join(lines).strip() for name, lines in sections.items()}


def _first_paragraph(sections: Mapping[str, str], body: str) -> str:
    whole = _HEADING.sub("", body)
    for part in (sections.get(_RAW, ""), sections.get(_NARRATIVE, ""), whole):
        for paragraph in _PARAGRAPHS.split(part):
            if paragraph.strip():
                return paragraph.strip()
    return ""


def _targets(value: Any) -> Iterator[str]:
    for item in texts_of(value):
        yield item.removeprefix("@").removeprefix("./").removesuffix(".md")


def _first_time(fields: Mapping[str, Any], *names: str) -> float | None:
    return next((time for name in names if (time := _seconds(fields.get(name))) is not None), None)


def _seconds(value: Any) -> float | None:
    """The time in ``value``, in seconds since 1970; None if it is not a time. A date without a time means 00:00 UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= _LATEST:
        return float(value)
    return None


HOME = "project"
"""The tier of the project's own tree. Only this tier has links and vectors."""


@dataclass(frozen=True, slots=True)
class VaultRow:
    """A note with its entry, and the entry's source file."""

    note: Note
    mapped: Mapped
    file: Parsed | None
    """The parsed file; None if the note must be read again because it is being edited or could not be read."""
    maturity: str
    is_read: bool = True


@dataclass(frozen=True, eq=False)
class NoteVault:
    """The vault of one snapshot, and the notes behind its entries."""

    vault: Vault
    rows: Mapping[str, tuple[VaultRow, ...]]
    """The rows of each tier, in entry order."""
    notes: Mapping[tuple[str, str], Note]
    """The notes, keyed by tier and id."""
    shadowed: Mapping[str, str]
    """The notes that are not entries because another note in the same tier has the same id. Maps their paths to that
    note's path.
    """

    @cached_property
    def unread(self) -> int:
        """The number of notes that could not be read. Only their names are searchable."""
        return sum(not row.is_read for rows in self.rows.values() for row in rows)

    def note(self, tier: str, id_: str) -> Note:
        """The note behind the entry ``id_`` in ``tier``. Raises KeyError if there is no such entry."""
        return self.notes[tier, id_]

    def found(self, path: str) -> tuple[str, VaultEntry] | None:
        """The tier and entry of the note at ``path``; None if the file is not an entry."""
        return self._by_path.get(path)

    @cached_property
    def _by_path(self) -> Mapping[str, tuple[str, VaultEntry]]:
        return {row.note.path: (tier, row.mapped.entry) for tier, rows in self.rows.items() for row in rows}

    def entry_of(self, path: str) -> str:
        """The id of the entry for the note at ``path``; empty if the file is not an entry."""
        found = self.found(path)
        return found[1].id if found is not None else ""


def index_notes(snapshot: Snapshot, profile: SoleriProfile, before: NoteVault | None = None) -> NoteVault:
    """A vault with all searchable notes in ``snapshot``, with one tier per tree.

    ``before`` is an earlier vault with the same profile. Notes whose file and maturity have not changed since the
    earlier vault are not read again. Derived files and stubs of archived notes are left out, because their text would
    be counted twice.
    """
    known = {row.note.path: row for rows in before.rows.values() for row in rows} if before is not None else {}
    by_tier: dict[str, dict[str, VaultRow]] = {}
    shadowed: dict[str, str] = {}
    for position, note in enumerate(snapshot.notes):
        if note.role is Role.STUB:
            continue
        row = _row(snapshot, position, note, profile, known.get(note.path))
        standing = by_tier.setdefault(_tier_of(row, profile), {}).setdefault(row.mapped.entry.id, row)
        if standing is not row:
            shadowed[note.path] = standing.note.path
    rows = {name: tuple(by_id.values()) for name, by_id in by_tier.items()}
    order = sorted(rows, key=lambda name: -_weight(name, profile))
    tiers = tuple(_tier(name, rows[name], profile, before) for name in order)
    home = [row.mapped for row in rows.get(HOME, ())]
    vault = Vault(
        tiers,
        link_graph(links_of(home)),
        federated=len(tiers) > 1,
        home=HOME,
        document_counts=_document_counts(tiers, before.vault if before is not None else None),
    )
    notes = {(name, row.mapped.entry.id): row.note for name, tier_rows in rows.items() for row in tier_rows}
    return NoteVault(vault, rows, notes, shadowed)


def _row(snapshot: Snapshot, position: int, note: Note, profile: SoleriProfile, known: VaultRow | None) -> VaultRow:
    file = None if note.path in snapshot.edited else snapshot.parsed.get(note.path)
    signals = snapshot.signals[position]
    maturity = "" if signals.source is Source.DEFAULT else signals.maturity
    if known is not None and file is not None and known.file is file and known.maturity == maturity:
        return known
    try:
        text = snapshot.text(note.path)
    except OSError:
        return VaultRow(note, map_note(note, "", maturity, profile.mapping), None, maturity, is_read=False)
    return VaultRow(note, map_note(note, text, maturity, profile.mapping), file, maturity)


def _tier_of(row: VaultRow, profile: SoleriProfile) -> str:
    """The tier of a note: the one in its frontmatter or, if there is none, its tree's."""
    rules, alias = profile.mapping, row.note.alias
    if row.mapped.entry.tier in ("agent", "project", "team"):
        return row.mapped.entry.tier
    if not alias:
        return HOME
    return "agent" if alias == rules.personal else alias


def _weight(name: str, profile: SoleriProfile) -> float:
    is_tier = name in ("agent", "project", "team")
    return tier_weight(name if is_tier else profile.mapping.shared_tier, profile.tiers)


def _tier(name: str, rows: Sequence[VaultRow], profile: SoleriProfile, before: NoteVault | None) -> Tier:
    entries = tuple(replace(row.mapped.entry, tier=name) for row in rows)
    columns = [entry.columns for entry in entries]
    old = before.rows.get(name) if before is not None else None
    if before is None or old is None:
        return Tier(name, _weight(name, profile), entries, full_text(IndexLayout(COLUMNS), columns))
    places = {id(row): place for place, row in enumerate(old)}
    kept = np.asarray([places.get(id(row), -1) for row in rows], dtype=np.int64)
    text = next(tier.text for tier in before.vault.tiers if tier.name == name).after(kept, columns)
    return Tier(name, _weight(name, profile), entries, text)


def _document_counts(tiers: Sequence[Tier], before: Vault | None) -> tuple[int, Counter[str]]:
    """The number of entries, in total and for each term. Only changed entries are counted again."""
    entries: list[VaultEntry] = list(Vault(tuple(tiers)).entries())
    if before is None or before.document_counts is None:
        return len(entries), count_documents(entry.compared for entry in entries)
    now, then = {entry.id: entry for entry in entries}, {entry.id: entry for entry in before.entries()}
    changed = {id_ for id_ in now.keys() | then.keys() if now.get(id_) != then.get(id_)}
    counts = Counter(before.document_counts[1])
    counts.update(count_documents(now[id_].compared for id_ in changed if id_ in now))
    counts.subtract(count_documents(then[id_].compared for id_ in changed if id_ in then))
    return len(entries), counts
