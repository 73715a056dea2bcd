"""Finds git attributes with which a repository stores other bytes than a checkout of its notes contains."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase

ATTRIBUTES = ".gitattributes"
LARGEST_ATTRIBUTES = 1_048_576
_LONGEST_LINE = 2048
"""The maximum number of bytes of a line that git reads."""
_CHANGING = ("filter", "working-tree-encoding")
_MACRO = "[attr]"


def changing_line(files: Collection[bytes], notes: Collection[str]) -> str:
    """The first line in the attributes ``files`` that can give one of ``notes`` a filter or an encoding; else empty.

    The files are in the order of their folders, from the root of the repository. Patterns are compared only with the
    names of notes, and no line cancels another, so the returned line may affect none of the notes.
    """
    macros = set(_CHANGING)
    names = {path.rpartition("/")[2].casefold() for path in notes}
    for line, pattern, attributes in _rules(files):
        if not any(attribute.partition("=")[0] in macros for attribute in attributes):
            continue
        if pattern.startswith(_MACRO):
            macros.add(pattern.removeprefix(_MACRO))
        elif _can_match(pattern, names):
            return line
    return ""


def _can_match(pattern: str, names: Collection[str]) -> bool:
    if any(sign in pattern for sign in '"\\['):  # quotes, escapes and sets are taken to match every name
        return True
    last = pattern.rpartition("/")[2].casefold()
    return any(fnmatchcase(name, last) for name in names)


def _rules(files: Collection[bytes]) -> Iterator[tuple[str, str, list[str]]]:
    """Yields the line, the pattern and the attributes of each rule."""
    for data in files:
        for row in data.split(b"\n"):
            line = row.decode("utf-8", "replace").strip()
            if len(row) > _LONGEST_LINE or not line or line.startswith("#"):
                continue
            pattern, *attributes = line.split()
            yield line, pattern, attributes
