"""Markdown as lines: what a note looks like when it is read. For a thread: a long note takes a while."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len

from brvtui.paint.flow import NO_LINK, Piece, Row, Spot, chop, flow, line_of, spots_in, table, width_of
from brvtui.paint.line import Line
from brvtui.paint.text import fit
from brvtui.text.visible import visible
from brvtui.tree.reading.links import RELATION, LinkKind

MOST_CHARS = 1_000_000
"""A longer text is not rendered: its markdown alone would take seconds to read."""
_CODE = "summary"
_LINK = "underline accent"
_BROKEN = "strike bad"
_HEADINGS = {1: "bold accent", 2: "bold accent"}
_OTHER_HEADING = "bold strong"
_LEAST_WIDTH = 8
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Where a link leads: to ``path`` in the tree, to a ``part`` of a note, ``outside``, or nowhere, and why not."""

    path: str = ""
    part: str = ""
    outside: str = ""
    why_not: str = ""


Resolve = Callable[[LinkKind, str], LinkTarget]
"""From how a link is written to where it leads."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A link and where it stands."""

    target: LinkTarget
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A text as lines, its links in their order, and the line of each heading by its slug."""

    lines: tuple[Line, ...] = ()
    low: tuple[str, ...] = ()
    """What a search looks at: the lines in lower case."""
    links: tuple[Placed, ...] = ()
    parts: Mapping[str, int] = field(default_factory=dict)


class Setting:
    """Lines that are being set, one below the other, with the places of the links in them."""

    def __init__(self, width: int, resolve: Resolve) -> None:
        """Nothing is set yet; a column is left free at the left."""
        self.width = width
        self.resolve = resolve
        self.lines: list[Line] = []
        self.targets: list[LinkTarget] = []
        self.parts: dict[str, int] = {}
        self._spots: dict[int, list[Spot]] = {}

    def link(self, target: LinkTarget) -> int:
        """The number of a new link to ``target``."""
        self.targets.append(target)
        return len(self.targets) - 1

    def linked(self, text: str, kind: LinkKind, written: str, role: str = _LINK) -> Row:
        """``text`` as a link to what is ``written``; a link that leads nowhere says so."""
        target = self.resolve(kind, written)
        number = self.link(target)
        if not target.why_not:
            return [Piece(text, role, number)]
        return [Piece(text, _BROKEN, number), Piece(f" ({target.why_not})", "bad")]

    def put(self, row: Sequence[Piece]) -> None:
        """Sets ``row`` below what is set already."""
        whole = [Piece(" "), *row]
        for number, spot in spots_in(whole, len(self.lines)):
            self._spots.setdefault(number, []).append(spot)
        self.lines.append(line_of(whole))

    def document(self) -> Document:
        """What was set."""
        links = [Placed(target, tuple(self._spots.get(place, ()))) for place, target in enumerate(self.targets)]
        low = tuple(line.low for line in self.lines)
        return Document(tuple(self.lines), low, tuple(links), self.parts)


def typeset(text: str, setting: Setting) -> None:
    """Sets markdown ``text``: images and HTML are text, links and relations are links."""
    if len(text) > MOST_CHARS:
        setting.put([Piece("too long to be rendered: this is the text as it is", "warn")])
        plain(text, setting)
        return
    before = len(setting.lines)
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    _Blocks(setting).set(reader.parse(text))
    if len(setting.lines) == before:  # nothing but what markdown leaves out
        plain(text, setting)


def plain(text: str, setting: Setting, links: Iterable[tuple[int, int, LinkKind, str]] = ()) -> None:
    """Sets ``text`` as it is, wrapped; ``links`` are (start, end, kind, target) by characters, in their order."""
    pending = iter(links)
    current = next(pending, None)
    start = 0
    for source in text.split("\n"):
        row: Row = []
        done = 0
        role = "bold strong" if source.startswith("#") else "muted" if source.startswith(("---", "```")) else "text"
        while current is not None and current[0] < start + len(source):
            first, last = max(current[0] - start, done), min(current[1] - start, len(source))
            row.append(Piece(visible(source[done:first]), role))
            row += setting.linked(visible(source[first:last]), current[2], current[3])
            done = last
            current = next(pending, None)
        row.append(Piece(visible(source[done:].rstrip("\r")), role))
        for part in flow(row, setting.width - 1):
            setting.put(part)
        start += len(source) + 1


@dataclass(slots=True)
class _Indent:
    """What stands before the lines of a list item or quotation."""

    first: str
    rest: str
    role: str = "muted"


@dataclass(slots=True)
class _Table:
    rows: list[list[Row]] = field(default_factory=list)
    aligned: list[str] = field(default_factory=list)


class _Blocks:
    """Goes through the tokens of a text and sets them."""

    def __init__(self, setting: Setting) -> None:
        self._out = setting
        self._indents: list[_Indent] = []
        self._counters: list[int | None] = []
        self._heading = 0
        self._gap = False
        self._tight = False
        self._table: _Table | None = None

    def set(self, tokens: Iterable[Token]) -> None:
        """Sets every block."""
        for token in tokens:
            handle = getattr(self, f"_{token.type}", None)
            if handle is not None:
                handle(token)

    # blocks

    def _heading_open(self, token: Token) -> None:
        self._heading = int(token.tag[1:])

    def _heading_close(self, token: Token) -> None:
        self._heading = 0

    def _paragraph_open(self, token: Token) -> None:
        self._tight = token.hidden

    def _inline(self, token: Token) -> None:
        level = self._heading
        role = _HEADINGS.get(level, _OTHER_HEADING) if level else "text"
        pieces = _Inline(self._out, role).pieces(token.children or ())
        if self._table is not None:
            head = len(self._table.rows) == 1
            self._table.rows[-1].append(
                [replace(piece, role=_bold(piece.role)) for piece in pieces] if head else pieces
            )
            return
        if level:
            plain_text = "".join(piece.text for piece in pieces)
            self._out.parts.setdefault(slug(plain_text), len(self._out.lines) + self._gap)
        self._block(flow(pieces, self._room))
        if level == 1:
            self._row([Piece("─" * self._room, "faint")])
        self._gap = not self._tight and not level

    def _bullet_list_open(self, token: Token) -> None:
        self._counters.append(None)

    def _ordered_list_open(self, token: Token) -> None:
        self._counters.append(int(token.attrGet("start") or 1))

    def _bullet_list_close(self, token: Token) -> None:
        self._counters.pop()
        self._gap = not self._counters

    _ordered_list_close = _bullet_list_close

    def _list_item_open(self, token: Token) -> None:
        number = self._counters[-1]
        mark = "• " if number is None else f"{number}. "
        if number is not None:
            self._counters[-1] = number + 1
        self._indents.append(_Indent(mark, " " * len(mark), "accent"))

    def _list_item_close(self, token: Token) -> None:
        if self._indents[-1].first:
            self._block([[]])  # an item without anything in it
        self._indents.pop()

    def _blockquote_open(self, token: Token) -> None:
        self._indents.append(_Indent("│ ", "│ "))

    def _blockquote_close(self, token: Token) -> None:
        self._indents.pop()
        self._gap = True

    def _fence(self, token: Token) -> None:
        rows: list[Row] = []
        for source in token.content.removesuffix("\n").split("\n"):
            rows += chop([Piece(visible(source), _CODE)], self._room - 2)
        self._block([[Piece("│ ", "faint"), *row] for row in rows])
        self._gap = True

    _code_block = _fence

    def _hr(self, token: Token) -> None:
        self._block([[Piece("─" * self._room, "faint")]])
        self._gap = True

    def _table_open(self, token: Token) -> None:
        self._table = _Table()

    def _tr_open(self, token: Token) -> None:
        if self._table is not None:
            self._table.rows.append([])

    def _th_open(self, token: Token) -> None:
        if self._table is not None:
            style = str(token.attrGet("style") or "")
            self._table.aligned.append(style.rpartition(":")[2] or "left")

    def _table_close(self, token: Token) -> None:
        if self._table is not None:
            self._block(table(self._table.rows, self._table.aligned, self._room, "─"))
        self._table = None
        self._gap = True

    # rows

    @property
    def _room(self) -> int:
        taken = sum(len(indent.rest) for indent in self._indents)
        return max(self._out.width - 1 - taken, _LEAST_WIDTH)

    def _block(self, rows: Iterable[Row]) -> None:
        if self._gap and self._out.lines:
            quoted = "".join(indent.rest for indent in self._indents if not indent.first).rstrip()
            self._out.put([Piece(quoted, "muted")])
        self._gap = False
        for row in rows:
            self._row(row)

    def _row(self, row: Row) -> None:
        before = [Piece(indent.first or indent.rest, indent.role) for indent in self._indents]
        for indent in self._indents:
            indent.first = ""
        self._out.put([*before, *row])


class _Inline:
    """Goes through what stands in one paragraph."""

    def __init__(self, setting: Setting, role: str) -> None:
        self._out = setting
        self._colour = role.rpartition(" ")[2]
        self._attributes = role.split(" ")[:-1]
        self._link = NO_LINK
        self._after = ""

    def pieces(self, tokens: Iterable[Token]) -> Row:
        """Their text, each piece in its role."""
        made: Row = []
        for token in tokens:
            made += self._one(token)
        return made

    def _one(self, token: Token) -> Row:
        kind = token.type
        if kind == "text":
            return self._text(token.content)
        if kind == "code_inline":
            return [Piece(visible(token.content), self._role(_CODE), self._link)]
        if kind == "softbreak":
            return [Piece(" ", "text", self._link)]
        if kind == "hardbreak":
            return [Piece("\n")]
        if kind == "image":
            return self._image(token)
        if kind == "link_open":
            target = self._out.resolve(LinkKind.MARKDOWN, str(token.attrGet("href") or ""))
            self._link, self._after = self._out.link(target), target.why_not
            return []
        if kind == "link_close":
            self._link, after = NO_LINK, self._after
            return [Piece(f" ({after})", "bad")] if after else []
        self._attribute(kind)
        return []

    def _attribute(self, kind: str) -> None:
        name, _, way = kind.rpartition("_")
        attribute = {"strong": "bold", "em": "italic", "s": "strike"}.get(name)
        if attribute and way == "open":
            self._attributes.append(attribute)
        elif attribute and attribute in self._attributes:
            self._attributes.remove(attribute)

    def _role(self, colour: str = "") -> str:
        if self._link != NO_LINK:
            return " ".join(dict.fromkeys([*self._attributes, *(_BROKEN if self._after else _LINK).split()]))
        return " ".join(dict.fromkeys([*self._attributes, colour or self._colour]))

    def _text(self, content: str) -> Row:
        if self._link != NO_LINK or "@" not in content:
            return [Piece(visible(content), self._role(), self._link)]
        made: Row = []
        done = 0
        for found in RELATION.finditer(content):
            made.append(Piece(visible(content[done : found.start()]), self._role()))
            made += self._out.linked(visible(found.group()), LinkKind.RELATION, found[1])
            done = found.end()
        return [*made, Piece(visible(content[done:]), self._role())]

    def _image(self, token: Token) -> Row:
        name = visible(token.content) or "image"
        return [Piece(f"{name} (image: {visible(str(token.attrGet('src') or ''))})", self._role("muted"), self._link)]


def _bold(role: str) -> str:
    return role if "bold" in role.split() else f"bold {role}"


def slug(heading: str) -> str:
    """How a link names the part of a note that begins with ``heading``."""
    return _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def fields(rows: Iterable[tuple[str, Row]], setting: Setting) -> None:
    """Sets a table of names and values, values wrapped beside their names."""
    pairs = [(visible(name), value) for name, value in rows]
    room = min(max((cell_len(name) for name, _ in pairs), default=0), max(setting.width // 3, _LEAST_WIDTH))
    for name, value in pairs:
        for place, row in enumerate(flow(value, setting.width - room - 3)):
            setting.put([Piece(f"{fit(name if place == 0 else '', room)}  ", "muted"), *row])


def ruled(setting: Setting, label: str, dash: str) -> None:
    """Sets a line with ``label`` in it."""
    row = [Piece(dash * 2, "faint"), Piece(f" {label} ", "muted")]
    setting.put([*row, Piece(dash * max(setting.width - 1 - width_of(row), 0), "faint")])
