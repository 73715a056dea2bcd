"""Joins the texts of two notes. Only the title and the frontmatter of the second are lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

from brvtui.tree.editing.fields import fields_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.links import lines_of

_HEADING = re.compile(r"#{1,6}[ \t]")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]|@")
_FENCE = re.compile(r"`{3,}|~{3,}")
_RELATIONS = "## relations"
_WORD = re.compile(r"\w+")
_SHARED = 0.6
"""The minimum share of common words that makes one of two texts enough."""


@dataclass(slots=True)
class _Section:
    """A heading, or an empty string for the text above the first one, with the blocks of lines below it.

    ``end`` is the offset in the text where the last block ends.
    """

    heading: str
    blocks: list[list[str]]
    end: int


def share_words(one: str, other: str) -> bool:
    """True if the texts share at least 60 % of their distinct words, not counting their frontmatter."""
    words, others = (set(_WORD.findall(text[parse(text).body_start :].casefold())) for text in (one, other))
    return 2 * len(words & others) >= _SHARED * (len(words) + len(others))


def joined(kept: str, other: str) -> str:
    """Returns ``kept`` with all the text that only ``other`` contains, without the title and frontmatter of ``other``.

    Adds text to the section with the same heading. Raises :class:`brvtui.tree.editing.fields.BrokenFrontmatter`.
    """
    other = other.removeprefix("\ufeff").replace("\r\n", "\n")
    for text in (kept, other):
        fields_of(text)  # raises if it is broken
    own, added = _sections(kept), _sections(other)
    known = {unit for section in own for block in section.blocks for unit in _units(block)}
    by_heading = {_key(section.heading): section for section in reversed(own)}
    head = next((section for section in own if section.heading.startswith("# ")), own[0])
    title = next((section.heading for section in added if section.heading.startswith("# ")), "")
    insertions: dict[int, list[str]] = {}
    place = head
    for section in added:
        is_head = section.heading in ("", title)
        found = head if is_head else by_heading.get(_key(section.heading))
        place = found or place
        blocks = [left for block in section.blocks if (left := _unknown_part(block, known))]
        insertions.setdefault(place.end, []).extend(blocks if found else [section.heading, *blocks])
    return _inserted(kept, insertions) if any(insertions.values()) else kept


def with_relation(text: str, relation: str) -> str:
    """Returns ``text`` with the line ``relation`` in its section Relations, or at its end."""
    sections = _sections(text)
    place = next((section for section in sections if _key(section.heading) == _RELATIONS), sections[-1])
    return _inserted(text, {place.end: [relation]})


def _inserted(text: str, insertions: dict[int, list[str]]) -> str:
    """Returns ``text`` with the blocks in ``insertions`` at their offsets, which are ends of sections."""
    start, line_end = parse(text).body_start, "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"
    for end in sorted(insertions, reverse=True):
        blocks = "\n\n".join(insertions[end]).replace("\n", line_end)
        gap = line_end * 2 if blocks else ""
        text = text[:end] + (f"{blocks}{gap}" if end == start else f"{gap}{blocks}") + text[end:]
    return f"{text.rstrip()}{line_end}"


def _sections(text: str) -> list[_Section]:
    """Returns the sections of the body of ``text``; the first one is the text above the first heading."""
    at = parse(text).body_start
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
