"""A note of a context tree as an entry (``docs/soleri.md``, "Notes as entries")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.profile import MappingRules
from brvtui.snapshot import Note
from brvtui.tree.reading.frontmatter import parse

_TYPES = ("pattern", "anti-pattern", "rule", "playbook")
_SEVERITIES = {"critical": "critical", "warning": "warning", "suggestion": "suggestion", "info": "suggestion"}
_BY_MATURITY = {"core": "critical", "validated": "warning", "draft": "suggestion"}
_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$", re.MULTILINE)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_BULLET = re.compile(r"^\s*[-*+]\s+")
_FACTS, _REASON, _RAW, _NARRATIVE, _RELATIONS = "facts", "reason", "raw concept", "narrative", "relations"
_LATEST = datetime.max.replace(tzinfo=UTC).timestamp()
"""Seconds beyond which a number, like infinity and what is no number, is no time."""
TOP_LEVEL = "general"
"""The domain of notes that lie in no folder."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """The entry of a note, and the ids that the note's ``related`` names, known or not."""

    entry: VaultEntry
    related: tuple[str, ...]


def entry_id(file: str) -> str:
    """The id of the note at ``file``, a path below its tree."""
    return file.removesuffix(".md")


def map_note(note: Note, text: str, maturity: str, rules: MappingRules) -> Mapped:
    """The entry of ``note``, whose text is ``text``; ``maturity`` is empty where none is stored for it."""
    front = parse(text)
    fields, body = front.fields, text[front.body_start :]
    sections = _sections(body)
    created, updated = _seconds(fields.get("createdAt")), _seconds(fields.get("updatedAt"))
    written = note.mtime_ms / 1000
    created = created if created is not None else updated if updated is not None else written
    facts = [_BULLET.sub("", line).strip() for line in sections.get(_FACTS, "").splitlines()]
    summary = _text(fields.get("summary")) or _first_paragraph(sections, body)
    context = [
        sections.get(_RAW, ""),
        sections.get(_NARRATIVE, ""),
        *(part for name, part in sections.items() if name not in (_RAW, _NARRATIVE, _FACTS, _REASON, _RELATIONS)),
    ]
    tags = (*_texts(fields.get("tags")), *_texts(fields.get("keywords")))
    entry = VaultEntry(
        id=entry_id(note.file),
        type=kind if (kind := _text(fields.get("type"))) in _TYPES else "rule",
        domain=(note.file.partition("/")[0] if "/" in note.file else TOP_LEVEL).lower(),
        title=_text(fields.get("title")) or note.title,
        severity=_severity(fields, maturity, rules),
        description="\n".join(filter(None, [summary, *facts])),
        tags=tuple(dict.fromkeys(map(str.lower, tags))),
        context="\n\n".join(filter(None, map(str.strip, context))),
        why=sections.get(_REASON, ""),
        tier=_text(fields.get("scope")) or _text(fields.get("tier")),
        valid_from=_first_time(fields, "validFrom", "valid_from"),
        valid_until=_first_time(fields, "validUntil", "valid_until"),
        created_at=created,
        updated_at=updated if updated is not None else created,
        compared_chars=rules.compared_chars or None,
    )
    return Mapped(entry, tuple(_targets(fields.get("related"))))


def links_of(mapped: Iterable[Mapped]) -> Iterator[tuple[str, str]]:
    """The links between entries that exist; a folder or an unknown target is none."""
    held = list(mapped)
    known = {one.entry.id for one in held}
    return ((one.entry.id, target) for one in held for target in one.related if target in known)


def _severity(fields: Mapping[str, Any], maturity: str, rules: MappingRules) -> str:
    explicit = _SEVERITIES.get(_text(fields.get("severity")).lower())
    by_maturity = _BY_MATURITY.get(maturity) if rules.severity_by_maturity else None
    return explicit or by_maturity or "suggestion"


def _sections(body: str) -> dict[str, str]:
    """The texts below the headings of level 2, by the heading in lower case; deeper headings' lines are dropped.

    What stands before the first of them is under an empty name.
    """
    made: dict[str, list[str]] = {"": []}
    name = ""
    for line in body.splitlines():
        heading = _HEADING.match(line) if line.startswith("#") else None
        if heading is None:
            made[name].append(line)
        elif len(heading[1]) == 2:
            name = heading[2].strip().lower()
            made.setdefault(name, [])
    return {name: "\n".join(lines).strip() for name, lines in made.items()}


def _first_paragraph(sections: Mapping[str, str], body: str) -> str:
    whole = _HEADING.sub("", body)
    for part in (sections.get(_RAW, ""), sections.get(_NARRATIVE, ""), whole):
        for paragraph in _PARAGRAPHS.split(part):
            if paragraph.strip():
                return paragraph.strip()
    return ""


def _targets(value: Any) -> Iterator[str]:
    for item in _texts(value):
        yield item.removeprefix("@").removeprefix("./").removesuffix(".md")


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Any) -> Sequence[str]:
    values = value if isinstance(value, list) else [value]
    return [str(item).strip() for item in values if isinstance(item, (str, int, float)) and str(item).strip()]


def _first_time(fields: Mapping[str, Any], *names: str) -> float | None:
    return next((time for name in names if (time := _seconds(fields.get(name))) is not None), None)


def _seconds(value: Any) -> float | None:
    """The time that a field says, in seconds since 1970; a date without a time means 00:00 UTC. None for no time."""
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
