"""Renders markdown as lines and locates its links. Long notes take a while, so call it in a worker thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len

from brvtui.paint.flow import NO_LINK, Piece, Row, Spot, chop, flow, line_of, spots_in, table, width_of
from brvtui.paint.line import Line
from brvtui.paint.text import fit
from brvtui.text.visible import visible
from brvtui.tree.reading.links import RELATION, LinkKind

MOST_CHARS = 1_000_000
"""The maximum number of characters to render or show; a longer text would take seconds."""
MOST_MARKS = 20_000
"""The maximum number of markup characters and lines to render; a text with that many of them takes a second to parse.

Prose contains far fewer: the limit allows ten for each of the 2,000 lines that the engine reads.
"""
MOST_PIECES = 100_000
"""The maximum number of pieces in a document; every line counts as at least two."""
MARKED = re.compile(r"[\n\[\]!*_~`<&\\|]")
_CODE = "summary"
LINK = "underline accent"
_BROKEN = "strike bad"
_HEADINGS = {1: "bold accent", 2: "bold accent"}
_OTHER_HEADING = "bold strong"
_LEAST_WIDTH = 8
_LOOKED_UP_AT_ONCE = 64
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link: a ``path`` in the tree, a heading (``fragment``), a place ``outside``, or ``broken``."""

    path: str = ""
    fragment: str = ""
    outside: str = ""
    broken: str = ""
    """The reason why the link is broken, or an empty string."""


Resolve = Callable[[LinkKind, str], LinkTarget]
"""Returns the target of a link, given its kind and its text."""


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link and its positions in the lines."""

    target: LinkTarget
    spots: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A rendered text: its lines, its links in order, and the line number of each heading by slug."""

    lines: tuple[Line, ...] = ()
    lowered: tuple[str, ...] = ()
    """The lines in lower case, for searching."""
    links: tuple[PlacedLink, ...] = ()
    headings: Mapping[str, int] = field(default_factory=dict)


class Full(Exception):
    """Raised if the document has reached its maximum number of pieces."""


class Abandoned(Exception):
    """Raised if the document is no longer needed."""


class Typesetter:
    """Collects the lines of a document and the positions of its links."""

    def __init__(self, width: int, resolve: Resolve, is_abandoned: Callable[[], bool] = lambda: False) -> None:
        """Creates an empty document, ``width`` cells wide with a margin of one; ``is_abandoned`` ends it early."""
        self.width = width
        self.resolve = resolve
        self._is_abandoned = is_abandoned
        self._left = MOST_PIECES
        self.lines: list[Line] = []
        self.targets: list[LinkTarget] = []
        self.headings: dict[str, int] = {}
        self._spots: dict[int, list[Spot]] = {}

    def link(self, target: LinkTarget) -> int:
        """Adds a link to ``target`` and returns its number."""
        self.targets.append(target)
        return len(self.targets) - 1

    def linked(self, text: str, kind: LinkKind, written: str) -> Row:
        """Returns ``text`` as a link to ``written``, followed by the reason if the link is broken."""
        target = self.resolve(kind, written)
        number = self.link(target)
        if not target.broken:
            return [Piece(text, LINK, number)]
        return [Piece(text, _BROKEN, number), Piece(f" ({target.broken})", "bad")]

    def put(self, row: Sequence[Piece]) -> None:
        """Adds ``row`` as a line. Raises :class:`Full` or, if the document is no longer needed, :class:`Abandoned`."""
        whole = [Piece(" "), *row]
        self._left -= max(len(whole), 2)
        if self._left < 0:
            raise Full
        if not len(self.lines) % _LOOKED_UP_AT_ONCE and self._is_abandoned():
            raise Abandoned
        for number, spot in spots_in(whole, len(self.lines)):
            self._spots.setdefault(number, []).append(spot)
        self.lines.append(line_of(whole))

    def end_early(self, why: str) -> None:
        """Ends the document, with the reason ``why`` the rest is missing."""
        self._left = MOST_PIECES
        self.warn(why)

    def warn(self, sentence: str) -> None:
        """Adds ``sentence``, wrapped, as a warning. Raises the same errors as :meth:`put`."""
        for row in flow([Piece(sentence, "warn")], self.width - 1):
            self.put(row)

    def document(self) -> Document:
        """Returns the finished document."""
        links = [PlacedLink(target, tuple(self._spots.get(place, ()))) for place, target in enumerate(self.targets)]
        lowered = tuple(line.low for line in self.lines)
        return Document(tuple(self.lines), lowered, tuple(links), self.headings)


def typeset(text: str, typesetter: Typesetter) -> None:
    """Adds markdown ``text`` with its links and relations; images and HTML remain text. Raises like ``put``."""
    if len(text) > MOST_CHARS or sum(1 for _ in islice(MARKED.finditer(text), MOST_MARKS + 1)) > MOST_MARKS:
        typesetter.warn("too long to be rendered: this is the raw text")
        plain(text, typesetter)
        return
    before = len(typesetter.lines)
    reader = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    _Blocks(typesetter).set(reader.parse(text))
    if len(typesetter.lines) == before:  # the text renders as nothing, for example a lone link definition
        plain(text, typesetter)


def plain(text: str, typesetter: Typesetter, links: Iterable[tuple[int, int, LinkKind, str]] = ()) -> None:
    """Adds ``text`` unrendered and wrapped; ``links`` are tuples (start, end, kind, target) in order of position."""
    pending = iter(links)
    current = next(pending, None)
    start = 0
    for source in text[:MOST_CHARS].split("\n"):
        row: Row = []
        done = 0
        role = "bold strong" if source.startswith("#") else "muted" if source.startswith(("---", "```")) else "text"
        while current is not None and current[0] < start + len(source):
            first, last = max(current[0] - start, done), min(current[1] - start, len(source))
            row.append(Piece(visible(source[done:first]), role))
            row += typesetter.linked(visible(source[first:last]), current[2], current[3])
            done = last
            current = next(pending, None)
        row.append(Piece(visible(source[done:].rstrip("\r")), role))
        for part in flow(row, typesetter.width - 1):
            typesetter.put(part)
        start += len(source) + 1
    if len(text) > MOST_CHARS:
        raise Full


@dataclass(slots=True)
class _Indent:
    """The markers before the first line and before the following lines of a list item or quotation."""

    first: str
    rest: str
    role: str = "muted"


@dataclass(slots=True)
class _Table:
    rows: list[list[Row]] = field(default_factory=list)
    aligned: list[str] = field(default_factory=list)


class _Blocks:
    """Renders the block tokens of a text, with one method per token type."""

    def __init__(self, typesetter: Typesetter) -> None:
        self._out = typesetter
        self._indents: list[_Indent] = []
        self._counters: list[int | None] = []
        self._heading = 0
        self._gap = False
        self._tight = False
        self._table: _Table | None = None

    def set(self, tokens: Iterable[Token]) -> None:
        """Renders all ``tokens``."""
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
            self._out.headings.setdefault(slug(plain_text), len(self._out.lines) + self._gap)
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
            self._block([[]])  # an empty item
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
    """Renders the inline tokens of one paragraph."""

    def __init__(self, typesetter: Typesetter, role: str) -> None:
        self._out = typesetter
        self._colour = role.rpartition(" ")[2]
        self._attributes = role.split(" ")[:-1]
        self._link = NO_LINK
        self._broken = ""

    def pieces(self, tokens: Iterable[Token]) -> Row:
        """Returns the pieces of text for ``tokens``."""
        row: Row = []
        for token in tokens:
            row += self._one(token)
        return row

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
            self._link, self._broken = self._out.link(target), target.broken
            return []
        if kind == "link_close":
            self._link, broken = NO_LINK, self._broken
            return [Piece(f" ({broken})", "bad")] if broken else []
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
            return " ".join(dict.fromkeys([*self._attributes, *(_BROKEN if self._broken else LINK).split()]))
        return " ".join(dict.fromkeys([*self._attributes, colour or self._colour]))

    def _text(self, content: str) -> Row:
        if self._link != NO_LINK or "@" not in content:
            return [Piece(visible(content), self._role(), self._link)]
        row: Row = []
        done = 0
        for relation in RELATION.finditer(content):
            row.append(Piece(visible(content[done : relation.start()]), self._role()))
            row += self._out.linked(visible(relation.group()), LinkKind.RELATION, relation[1])
            done = relation.end()
        return [*row, Piece(visible(content[done:]), self._role())]

    def _image(self, token: Token) -> Row:
        name = visible(token.content) or "image"
        return [Piece(f"{name} (image: {visible(str(token.attrGet('src') or ''))})", self._role("muted"), self._link)]


def _bold(role: str) -> str:
    return role if "bold" in role.split() else f"bold {role}"


def slug(heading: str) -> str:
    """Returns the fragment that links use for ``heading``."""
    return _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def fields(rows: Iterable[tuple[str, Row]], typesetter: Typesetter) -> None:
    """Adds a table of names and values, each value wrapped beside its name."""
    pairs = [(visible(name), value) for name, value in rows]
    room = min(max((cell_len(name) for name, _ in pairs), default=0), max(typesetter.width // 3, _LEAST_WIDTH))
    for name, value in pairs:
        for place, row in enumerate(flow(value, typesetter.width - room - 3)):
            typesetter.put([Piece(f"{fit(name if place == 0 else '', room)}  ", "muted"), *row])


def labelled_rule(typesetter: Typesetter, label: str, dash: str) -> None:
    """Adds a rule that contains ``label``."""
    row = [Piece(dash * 2, "faint"), Piece(f" {label} ", "muted")]
    typesetter.put([*row, Piece(dash * max(typesetter.width - 1 - width_of(row), 0), "faint")])
