"""One text from the texts of two notes. No line of either is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brvtui.tree.editing.fields import fields_of, set_fields
from brvtui.tree.reading.frontmatter import block_span, parse
from brvtui.tree.reading.links import lines_of

_HEADING = re.compile(r"#{1,6}[ \t]")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]|@")
_FENCE = re.compile(r"`{3,}|~{3,}")
_RELATIONS = "## relations"
_TIMES = {"createdAt": min, "updatedAt": max}
_SIGNALS = ("importance", "recency", "maturity", "accessCount", "updateCount")


@dataclass(slots=True)
class _Section:
    """A heading, or an empty string for the text above the first one, with the blocks of lines below it.

    ``end`` is the offset in the text where the last block ends.
    """

    heading: str
    blocks: list[list[str]]
    end: int


def joined(kept: str, other: str, origin: str) -> str:
    """Returns ``kept`` with all the text that only ``other``, the note at ``origin``, contains.

    Adds text to the section with the same heading, and unites lists in the frontmatter. If a field or the title
    differs, the value in ``other`` becomes a line of text; the earlier creation time and the later update time remain,
    and the signals of ``kept``. Line ends are those of ``kept``. Raises
    :class:`brvtui.tree.editing.fields.BrokenFrontmatter` and :class:`brvtui.tree.editing.fields.FieldsError`.
    """
    line_end = _line_end(kept)
    other = other.removeprefix("\ufeff").replace("\r\n", "\n")
    result, differing = _with_fields(kept, other, line_end)
    own, added = _sections(result), _sections(other)
    known = {unit for section in own for block in section.blocks for unit in _units(block)}
    by_heading = {_key(section.heading): section for section in reversed(own)}
    head = next((section for section in own if section.heading.startswith("# ")), own[0])
    title = next((section.heading for section in added if section.heading.startswith("# ")), "")
    if title and _key(title) not in by_heading:
        differing = [*dict.fromkeys((f"title: {title[2:].strip()}", *differing))]
    notice = "\n".join([f"Merged from {origin}{':' if differing else '.'}", *(f"- {each}" for each in differing)])
    insertions: dict[int, list[str]] = {head.end: [notice]}
    place = head
    for section in added:
        is_head = section.heading in ("", title)
        found = head if is_head else by_heading.get(_key(section.heading))
        place = found or place
        blocks = [left for block in section.blocks if (left := _unknown_part(block, known))]
        insertions.setdefault(place.end, []).extend(blocks if found else [section.heading, *blocks])
    return _inserted(result, insertions, line_end)


def with_relation(text: str, relation: str) -> str:
    """Returns ``text`` with the line ``relation`` in its section Relations, or at its end."""
    sections = _sections(text)
    place = next((section for section in sections if _key(section.heading) == _RELATIONS), sections[-1])
    return _inserted(text, {place.end: [relation]}, _line_end(text))


def _line_end(text: str) -> str:
    return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


def _inserted(text: str, insertions: dict[int, list[str]], line_end: str) -> str:
    """Returns ``text`` with the blocks in ``insertions`` at their offsets, which are ends of sections."""
    start = body_start(text)
    for end in sorted(insertions, reverse=True):
        blocks = "\n\n".join(insertions[end]).replace("\n", line_end)
        gap = line_end * 2 if blocks else ""
        text = text[:end] + (f"{blocks}{gap}" if end == start else f"{gap}{blocks}") + text[end:]
    return f"{text.rstrip()}{line_end}"


def body_start(text: str) -> int:
    """Returns the offset in ``text`` where the body starts: after the frontmatter, even if that is empty."""
    span = block_span(text)
    return text.index("\n", span[1]) + 1 if span else 0


def _with_fields(kept: str, other: str, line_end: str) -> tuple[str, list[str]]:
    """Returns ``kept`` with the fields of ``other``, and a line for each field that has another value there."""
    own = {field.key: field.value for field in fields_of(kept)}
    differing: list[str] = []
    for field in fields_of(other):
        before, value = own.get(field.key), field.value
        if field.key not in own:
            longer = _with_field_text(kept, other[field.key_start : field.end].replace("\n", line_end), line_end)
            if parse(longer).fields == {**parse(kept).fields, field.key: value}:
                kept = longer
                continue
        elif before == value or field.key in _SIGNALS:
            continue
        elif field.key in _TIMES and isinstance(before, str) and isinstance(value, str):
            kept = set_fields(kept, {field.key: _TIMES[field.key](before, value)})
            continue
        elif (
            isinstance(before, list)
            and isinstance(value, list)
            and all(isinstance(each, str) for each in before + value)
        ):
            kept = set_fields(kept, {field.key: [*dict.fromkeys(before + value)]})
            continue
        text = value if isinstance(value, str) else other[field.start : field.end]
        if text.strip():
            differing.append(f"{field.key}: {' '.join(text.split())}")
    return kept, differing


def _with_field_text(text: str, field: str, line_end: str) -> str:
    span = block_span(text)
    if span is None:
        return f"---{line_end}{field}{line_end}---{line_end}{text}"
    return f"{text[: span[1]]}{field}{line_end}{text[span[1] :]}"


def _sections(text: str) -> list[_Section]:
    """Returns the sections of the body of ``text``; the first one is the text above the first heading."""
    at = body_start(text)
    sections = [_Section("", [], at)]
    is_open = False
    for line, in_code in lines_of(text[at:]):
        section, bare = sections[-1], line.rstrip()
        if not in_code and _HEADING.match(line):
            sections.append(_Section(bare, [], at + len(bare)))
            is_open = False
        elif bare or (is_open and in_code):
            if not is_open:
                section.blocks.append([])
            section.blocks[-1].append(bare)
            section.end = at + len(bare) if bare else section.end
            is_open = True
        else:
            is_open = False
        at += len(line)
    return sections


def _key(heading: str) -> str:
    return " ".join(heading.split()).casefold()


def _units(block: list[str]) -> list[str]:
    """Returns the parts of ``block`` that are compared: the items of a list, or the whole block."""
    return block if all(map(_ITEM.match, block)) else ["\n".join(block)]


def _unknown_part(block: list[str], known: set[str]) -> str:
    """Returns the items of ``block``, or the whole block, that are not ``known``. Closes an open code block."""
    text = "\n".join(unit for unit in _units(block) if unit not in known)
    fence = _FENCE.search(text)
    is_open = fence and [*lines_of(f"{text}\n.")][-1][1]
    return f"{text.rstrip()}\n{fence[0]}" if fence and is_open else text
