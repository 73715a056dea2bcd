"""The links in a note: items of ``related``, relations, and Markdown links.

See ``docs/explanation/safe-saving.md``, "Links".
"""

from __future__ import annotations

import posixpath
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from urllib.parse import unquote

from brvtui.tree.reading.frontmatter import scalars_under

RELATION = re.compile(r"@([\w-]+(?:/[\w-]+){2,3}(?:\.\w+)?)(?![\w/-])", re.ASCII)
"""A pattern for a relation in a text. Its first group is the relation's path."""
MOST_LINKS = 50_000
"""The maximum number of links read from a note. The largest notes could contain over a million."""
_LONGEST_LINE = 1_000_000
"""The number of characters of a line that are searched for Markdown links, because a search blocks all threads."""
_SPACE = re.compile(r"\s+")

# Code fences can also be inside quotes and lists, at any depth. An opening fence has no backtick after it on its line.
_FENCE = re.compile(r"(?:[ \t]|>|(?:[-*+]|\d{1,9}[.)])[ \t])*(`{3,}(?=[^`]*$)|~{3,})")
_BACKTICKS = re.compile(r"`+")
# These quantifiers are possessive, because a shorter match could never succeed. Backtracking would only use memory.
_DESTINATION = r"(<[^<>]*>|[^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)*+)"
_INLINE = re.compile(rf"(?<!\\)\]\([ \t]*{_DESTINATION}(?=[ \t]*\)|[ \t]+[\"'(])")
_DEFINITION = re.compile(rf" {{0,3}}\[[^\]^][^\]]*\]:[ \t]*{_DESTINATION}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_PATH_END = re.compile(r"[#?]")


def normalised(relation: str) -> str:
    """Normalises ``relation``: no ``@``, lower case, white space replaced by ``_``, and the extension ``.md``."""
    bare = relation.lstrip("@")
    return _SPACE.sub("_", (bare if bare.endswith(".md") else f"{bare}.md").lower())


class LinkKind(StrEnum):
    """The forms that a link from one note to another can have."""

    RELATED = "related"
    RELATION = "relation"
    MARKDOWN = "link"


class LinkState(StrEnum):
    """The possible outcomes of resolving a link."""

    NOTE = "note"
    FOLDER = "folder"
    BROKEN = "broken"
    REFUSED = "refused"
    """The target is outside the tree."""
    FOREIGN = "foreign"
    """The target is an image or another file of the project."""


class Written(StrEnum):
    """The possible spellings of a link's path."""

    PATH = "path"
    """A path from the root of the tree."""
    NORMALISED = "normalised"
    """A path from the root of the tree, normalised by the engine's rules."""
    RELATIVE = "relative"
    """A path from the note's folder."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is written. ``target`` is its path, without ``@``, quotes, escapes and fragment.

    ``start`` and ``end`` are the offsets of its text in the note, in characters. ``line`` counts from 1, ``column``
    from 0.
    """

    kind: LinkKind
    target: str
    start: int
    end: int
    line: int
    column: int
    quote: str = ""
    """The quote around the link: ``'`` or ``"`` in frontmatter, ``<`` in Markdown, otherwise empty."""
    in_flow: bool = False
    """True if the link is an item of an inline list in frontmatter."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A link and its target. ``path`` is the note, folder or file; it is empty if the link is broken or refused."""

    link: Link
    state: LinkState
    path: str = ""
    written: Written = Written.PATH
    ending: bool = True
    """False if the link omits ``.md``."""


class Names:
    """The Markdown files of one tree, among which links are resolved."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Takes the ``paths`` of all Markdown files, relative to the tree."""
        self.files = frozenset(paths)
        folders: set[str] = set()
        for path in self.files:
            while (path := path.rpartition("/")[0]) and path not in folders:
                folders.add(path)
        self.folders = frozenset(folders)
        self._normalised: dict[str, str] = {}
        for path in self.files:
            name = normalised(path)
            # If two files have the same normalised name, a link with that name refers to neither.
            self._normalised[name] = "" if name in self._normalised else path

    def resolve(self, link: Link, source: str) -> Resolved:
        """Resolves ``link``, which is in the note at ``source``."""
        if link.kind is LinkKind.MARKDOWN:
            return self._relative(link, source)
        found = self._exact(link, link.target)
        if found:
            return found
        if _leads_out(link.target):
            return Resolved(link, LinkState.REFUSED)
        path = self._normalised.get(normalised(link.target), "")
        if path:
            return Resolved(link, LinkState.NOTE, path, Written.NORMALISED, link.target.lower().endswith(".md"))
        return Resolved(link, LinkState.BROKEN)

    def _exact(self, link: Link, path: str, written: Written = Written.PATH) -> Resolved | None:
        if path in self.files:
            return Resolved(link, LinkState.NOTE, path, written)
        if f"{path}.md" in self.files:
            return Resolved(link, LinkState.NOTE, f"{path}.md", written, False)
        return Resolved(link, LinkState.FOLDER, path, written) if path in self.folders else None

    def _relative(self, link: Link, source: str) -> Resolved:
        if link.target.startswith("/") or "\\" in link.target:
            return Resolved(link, LinkState.REFUSED)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link.target))
        outside = _leads_out(path)
        found = None if outside else self._exact(link, path, Written.RELATIVE)
        found = found or self._exact(link, posixpath.normpath(link.target))
        if found:
            return found
        if outside:
            return Resolved(link, LinkState.REFUSED)
        if path.endswith(".md"):
            return Resolved(link, LinkState.BROKEN)
        return Resolved(link, LinkState.FOREIGN, path, Written.RELATIVE)


def links_in(text: str) -> tuple[Link, ...]:
    """Returns the links in a note's ``text``, in order. Leaves out links to web pages and links within the note.

    Returns at most the first :data:`MOST_LINKS`, in linear time. Markdown links beyond the first million characters of
    a line are left out.
    """
    lines = _Lines(text)
    found = [
        lines.link(LinkKind.RELATED, entry.value.lstrip("@"), entry.start, entry.end, entry.quote, entry.in_flow)
        for entry in scalars_under(text, "related")
        if entry.value.strip("@")
    ]
    if "@" in text:
        related = sorted((link.start, link.end) for link in found)
        relations = (
            lines.link(LinkKind.RELATION, match[1], match.start(), match.end())
            for match in RELATION.finditer(text)
            if not is_within(match.start(), related)
        )
        found += islice(relations, MOST_LINKS)
    if "](" in text or "]:" in text:
        found += islice(_markdown(text, lines), MOST_LINKS)
    return tuple(sorted(found, key=lambda link: link.start)[:MOST_LINKS])


def is_within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    """True if ``place`` is in one of ``spans``, which must be sorted and disjoint. Uses binary search."""
    before = bisect_right(spans, (place, sys.maxsize)) - 1
    return before >= 0 and place < spans[before][1]


class _Lines:
    """The offsets at which the lines of a text start, computed when the first one is needed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []

    def link(self, kind: LinkKind, target: str, start: int, end: int, quote: str = "", in_flow: bool = False) -> Link:
        if not self._starts:
            self._starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        line = bisect_right(self._starts, start)
        return Link(kind, target, start, end, line, start - self._starts[line - 1], quote, in_flow)


def _markdown(text: str, lines: _Lines) -> Iterator[Link]:
    start = 0
    for line, is_code in lines_of(text):
        if not is_code and ("](" in line or "]:" in line):
            yield from _in_line(line[:_LONGEST_LINE], start, lines)
        start += len(line)


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yields each line of the Markdown ``text`` with its line end, and True if it is in a code block or is a fence."""
    if "```" not in text and "~~~" not in text:
        yield from ((line, False) for line in text.splitlines(keepends=True))
        return
    fence = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if opening and (not fence or _closes(fence, opening[1], line)):
            fence = "" if fence else opening[1]
            yield line, True
        else:
            yield line, bool(fence)


def _closes(fence: str, run: str, line: str) -> bool:
    return run[0] == fence[0] and len(run) >= len(fence) and line.strip("> \t\r\n") == run


def _in_line(line: str, offset: int, lines: _Lines) -> Iterator[Link]:
    bare = _without_code(line)
    definition = _DEFINITION.match(bare)
    opened = bare.find("[")
    for found in [definition] if definition else _INLINE.finditer(bare):
        if not definition and not 0 <= opened < found.start():
            continue
        start, end = found.span(1)
        quote = "<" if bare[start] == "<" else ""
        if quote:
            start, end = start + 1, end - 1
        written = bare[start:end]
        path_end = _PATH_END.search(written)
        path = written[: path_end.start()] if path_end else written
        if path and not _SCHEME.match(path):
            yield lines.link(LinkKind.MARKDOWN, unquote(path), offset + start, offset + start + len(path), quote)


def _without_code(line: str) -> str:
    """Replaces the code spans in ``line`` with spaces."""
    if "`" not in line:
        return line
    runs = [found.span() for found in _BACKTICKS.finditer(line)]
    later: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        later.setdefault(end - start, []).append(number)
    pieces: list[str] = []
    done = number = 0
    while number < len(runs):
        start, end = runs[number]
        same = later[end - start]
        closing = bisect_right(same, number)
        if closing == len(same):
            number += 1
            continue
        stop = runs[same[closing]][1]
        pieces += [line[done:start], " " * (stop - start)]
        done, number = stop, same[closing] + 1
    return "".join([*pieces, line[done:]])


def _leads_out(path: str) -> bool:
    return path.startswith("/") or "\\" in path or ".." in path.split("/")
