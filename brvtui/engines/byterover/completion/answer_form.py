"""The form of an answer: the four parts, and the sources that an answer names.

See ``docs/reference/byterover.md``, "The calls".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from brvtui.engines.byterover.completion.note_tools import bare, found
from brvtui.snapshot import Snapshot
from brvtui.trace import Cited

PARTS = ("Summary", "Details", "Sources", "Gaps")
_LONGEST_HEADING = 80
_HEADING = re.compile(r"^(?:#{1,6}\s+|\*\*)(?:\d+\.\s*)?(\w+)[\s:*]*$")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")
# A service may send thousands of characters without a space. To stay fast, no pattern may scan a long text from many
# start positions.
_LINKED = re.compile(r"\[[^\[\]]*\]\(([^)\s]{1,400})\)")
_QUOTED = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[^\s`\"'<>()|,;*]+")
_ENDING = re.compile(r"\.md\b")


def missing_parts(text: str) -> tuple[str, ...]:
    """The :data:`PARTS` that have no heading in ``text``."""
    parts = {name for name, _ in _lines_by_part(text)}
    return tuple(part for part in PARTS if part not in parts)


def cited(snapshot: Snapshot, text: str, seen: Collection[str]) -> tuple[Cited, ...]:
    """The distinct sources that the answer ``text`` names: the entries under Sources, and paths of notes in other
    parts.

    ``seen`` contains the files whose text the model was shown.
    """
    sources: dict[str, Cited] = {}
    for name in _named(text, snapshot.parsed):
        path = found(snapshot, name)
        sources.setdefault(bare(name), Cited(bare(name), path is not None, path in seen))
    return tuple(sources.values())


def _named(text: str, paths: Collection[str]) -> Iterator[str]:
    for part, line in _lines_by_part(text):
        if part == "Sources" and _ITEM.match(line):
            entry = _ITEM.sub("", line).strip().strip("`*")
            yield from (entry,) if bare(entry) in paths else _entry(entry)
        else:
            yield from _markdown_files(line)


def _entry(entry: str) -> Iterator[str]:
    """Yields the sources named in one list entry: its note paths or, if there are none, its first words."""
    entry = _LINKED.sub(r"\1", entry)
    files = tuple(_markdown_files(entry))
    quoted = _QUOTED.search(entry)
    whole = quoted.group(1) if quoted else re.split(r"\s[-–—(]|:\s", entry.strip("*_ "), maxsplit=1)[0].strip("*_ .")
    if files:
        yield from files
    elif whole and whole.lower() not in ("none", "n/a", "-"):
        yield whole


def _markdown_files(text: str) -> Iterator[str]:
    """Yields the paths of Markdown files in ``text``. In each word, the path ends with the last ``.md``."""
    for word in _WORD.findall(text):
        ends = [match.end() for match in _ENDING.finditer(word) if match.start()]
        if ends:
            yield word[: ends[-1]]


def _lines_by_part(text: str) -> Iterator[tuple[str, str]]:
    """Yields the part and the text of each line. The part is empty before the first heading. A heading is in the part
    that it begins.
    """
    part = ""
    for line in text.splitlines():
        bare_line = line.strip()
        heading = _HEADING.match(bare_line) if len(bare_line) <= _LONGEST_HEADING else None
        if heading and heading.group(1).capitalize() in PARTS:
            part = heading.group(1).capitalize()
        yield part, line
