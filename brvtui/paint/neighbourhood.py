"""Draws the links around one node of a graph as text. Heavier links have thicker lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import cell_len

from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line, painted, rule
from brvtui.paint.text import wrap
from brvtui.text.visible import visible

HEAVY, LIGHT = 0.7, 0.3
"""The minimum weights for a thick and for a thin line. Lighter links are dotted."""
LEAST_DRAWN, LEAST_BOXED = 48, 84
"""The minimum widths, in cells, for a drawing (instead of a list), and for a box around its centre."""
_BOX = 26
_STUB = 3
_RANK = 4
_MOST_WORDS = 16
_SHARE = 5
_LEGEND_ROWS = 3
LEAST_TOLD = 0.005
"""The minimum share of the walk that is shown."""

Drawn = list[tuple[Line, str]]
"""The lines of a drawing, each with the key of its target in :meth:`Neighbourhood.ends`.

The key is empty for a line without a target.
"""


class Neighbour(NamedTuple):
    """A place that is linked to the centre."""

    id: str
    title: str
    kind: str
    """The kind of place; empty if the place is a note."""
    file: str
    """The file of the place's note; empty if the place is not a note."""
    words: str
    """The link in words, seen from the centre, such as ``linked from``."""
    leads_away: bool
    """True if the link points from the centre to the neighbour."""
    weight: float
    """The weight of the link, from 0 to 1."""
    is_seed: bool
    rank: int
    """The place's rank among the results, from 1; 0 if it is not a result."""
    share: float
    """The share of the centre's probability that came from the walk over this link."""


class PathLabel(NamedTuple):
    """A description of a path to the centre, with its share of the centre's probability."""

    share: float
    text: str
    start: str
    """The id of the first place on the path; empty if this is the centre or unknown."""
    file: str
    """The note where the path starts; empty if it does not start at a note."""


class Neighbourhood(NamedTuple):
    """The centre with its neighbours, ordered by the weight of their links, heaviest first."""

    id: str
    title: str
    is_seed: bool
    about: str
    """The centre's place in the answer, in a few words."""
    neighbours: tuple[Neighbour, ...]
    ways: tuple[PathLabel, ...]
    lacks: str
    """A remark about missing information on the centre; empty if nothing is missing."""

    @property
    def ends(self) -> dict[str, tuple[str, str]]:
        """The places that can be opened from the centre: a key, the id, and the file of the note, if any."""
        neighbours = {one.id: (one.id, one.file) for one in self.neighbours}
        return neighbours | {
            _way_key(number): (way.start, way.file) for number, way in enumerate(self.ways) if way.start
        }


class _Signs(NamedTuple):
    heavy: str
    light: str
    dotted: str
    away: str
    here: str
    seed: str
    trunk: str
    joints: dict[str, str]
    """The joints of the trunk with a thick and with a thin line, keyed by the trunk's directions (``udl``: up, down,
    left).
    """
    box: str
    """The signs of the box: top left, across, top right, down, bottom left, bottom right, and the joint with a line."""


_UNICODE = _Signs(
    "━", "─", "┄", "▸", "◂", "◆", "│",
    {"d": "┍╭", "u": "┕╰", "ud": "┝├", "udl": "┾┼", "dl": "┮┬", "ul": "┶┴", "l": "━─"},
    "┏━┓┃┗┛┠",
)  # fmt: skip
_ASCII = _Signs("=", "-", ".", ">", "<", "*", "|", {}, "+-+|+++")


def _way_key(number: int) -> str:
    return f"way {number}"


def signs_of(glyphs: Glyphs) -> _Signs:
    """Returns the signs for drawing a neighbourhood."""
    return _UNICODE if glyphs.unicode else _ASCII


def drawn(shown: Neighbourhood, width: int, rows: int, glyphs: Glyphs) -> Drawn:
    """Draws ``shown``, in ``rows`` if possible; below :data:`LEAST_DRAWN` cells, lists paths instead."""
    if width < LEAST_DRAWN:
        drawing = _listed(shown, width, glyphs)
    elif width < LEAST_BOXED:
        drawing = _below_title(shown, width, rows, glyphs)
    else:
        drawing = _beside_box(shown, width, rows, glyphs)
    more = [*_lacking(shown, width), *([] if width < LEAST_DRAWN else _legend(shown, width, glyphs))]
    return [*drawing, *((one, "") for one in more)]


def seed_mark(is_seed: bool, glyphs: Glyphs) -> str:
    """Returns the mark of a seed, or spaces of the same width."""
    return f"{signs_of(glyphs).seed if is_seed else ' '} "


def line_sign(weight: float, glyphs: Glyphs) -> str:
    """Returns the sign for the line of a link with the given weight."""
    signs = signs_of(glyphs)
    return signs.heavy if weight >= HEAVY else signs.light if weight >= LIGHT else signs.dotted


def _below_title(shown: Neighbourhood, width: int, rows: int, glyphs: Glyphs) -> Drawn:
    head = [line(seed_mark(shown.is_seed, glyphs), "accent").add(shown.title, "bold strong").cut(width)]
    head += [Line().gap(2).add(part, "muted") for part in wrap(shown.about, width - 2)]
    drawing: Drawn = [(one, "") for one in head]
    space = _is_spaced(shown, rows - len(head))
    for place, one in enumerate(shown.neighbours):
        if space:
            drawing.append((Line().add(signs_of(glyphs).trunk, "muted"), ""))
        ends = "u" if place + 1 == len(shown.neighbours) else "ud"
        drawing.append((_link_line(one, shown, Line(), ends, width, glyphs), one.id))
    return drawing


def _beside_box(shown: Neighbourhood, width: int, rows: int, glyphs: Glyphs) -> Drawn:
    """Draws the centre in a box on the left. A short line joins the box to the trunk, where all links start."""
    box = _box(shown, glyphs)
    slots: list[Neighbour | None] = []
    for one in shown.neighbours:
        slots += [None, one] if slots and _is_spaced(shown, rows) else [one]
    height = max(len(box), len(slots))
    box_at, links_at = (height - len(box)) // 2, (height - len(slots)) // 2
    stub_at = max(links_at, min(box_at + len(box) // 2, links_at + len(slots) - 1))
    signs = signs_of(glyphs)
    drawing: Drawn = []
    for row in range(height):
        beside = Line().extend(box[row - box_at].spans) if 0 <= row - box_at < len(box) else Line().gap(_BOX)
        place = row - links_at
        is_stub = row == stub_at and bool(slots)
        if is_stub:
            beside = Line().extend(painted(beside.spans, [(_BOX - 1, _BOX, "accent")])[:-1]).add(signs.box[6], "accent")
        beside.add((signs.light if is_stub else " ") * _STUB, "muted")
        if not 0 <= place < len(slots):
            drawing.append((beside, ""))
            continue
        ends = ("u" if place else "") + ("d" if place + 1 < len(slots) else "") + ("l" if is_stub else "")
        link = slots[place]
        if link is None:
            drawing.append((beside.add("┤" if is_stub and glyphs.unicode else signs.trunk, "muted"), ""))
        else:
            drawing.append((_link_line(link, shown, beside, ends, width, glyphs), link.id))
    return drawing


def _is_spaced(shown: Neighbourhood, rows: int) -> bool:
    """True if there is space for an empty row before each link, and for all lines below the links."""
    return 2 * len(shown.neighbours) + _LEGEND_ROWS <= rows


def _box(shown: Neighbourhood, glyphs: Glyphs) -> list[Line]:
    inner = _BOX - 4
    top_left, across, top_right, down, bottom_left, bottom_right, _ = tuple(signs_of(glyphs).box)
    lines = [line(top_left + across * (_BOX - 2) + top_right, "accent")]
    texts = [(part, "bold strong") for part in wrap(seed_mark(shown.is_seed, glyphs).lstrip() + shown.title, inner)]
    texts += [(part, "muted") for part in wrap(shown.about, inner)]
    for text, role in texts:
        lines.append(line(f"{down} ", "accent").fit(visible(text), inner, role).add(f" {down}", "accent"))
    return [*lines, line(bottom_left + across * (_BOX - 2) + bottom_right, "accent")]


def _link_line(one: Neighbour, shown: Neighbourhood, start: Line, ends: str, width: int, glyphs: Glyphs) -> Line:
    """The line for one link: ``start``, the joint, the link with its words and arrow, and the place at its end."""
    signs, sign = signs_of(glyphs), line_sign(one.weight, glyphs)
    words = _words_room(shown)
    pair = signs.joints.get(ends, "++")
    start.add(pair[0 if one.weight >= HEAVY else 1], "muted")
    start.add(sign if one.leads_away else signs.here, "accent").add(f"{sign} ", "accent")
    name = visible(one.words)[:words]
    start.add(f"{name} ", "text").add(sign * (words - len(name) + 1), "accent")
    start.add(signs.away if one.leads_away else sign, "accent").gap()
    return _titled(start, one, shown, width, glyphs)


def _words_room(shown: Neighbourhood) -> int:
    """Returns the number of cells for the words of the links."""
    return min(_MOST_WORDS, max((len(one.words) for one in shown.neighbours), default=0))


def _titled(start: Line, one: Neighbour, shown: Neighbourhood, width: int, glyphs: Glyphs) -> Line:
    """Adds to ``start`` the seed's mark, the title, the rank, and the share of the walk."""
    start.add(seed_mark(one.is_seed, glyphs), "accent")
    room = width - start.width - _RANK - (_SHARE if _has_shares(shown) else 0)
    longest = max(cell_len(visible(_named(other))) for other in shown.neighbours)
    start.fit(_named(one), min(room, longest), "muted" if one.kind else "text")
    start.add(f"{f'#{one.rank}' if one.rank else '':>{_RANK}}", "muted")
    return start.add(f" {one.share:>{_SHARE - 1}.0%}" if one.share >= LEAST_TOLD else "", "strong").cut(width)


def _named(one: Neighbour) -> str:
    return f"{one.title} ({one.kind})" if one.kind else one.title


def _has_shares(shown: Neighbourhood) -> bool:
    return any(one.share >= LEAST_TOLD for one in shown.neighbours)


def _listed(shown: Neighbourhood, width: int, glyphs: Glyphs) -> Drawn:
    """Returns one row for the centre, each path that leads to it, and each of its links."""
    signs = signs_of(glyphs)
    head = [line(seed_mark(shown.is_seed, glyphs), "accent").add(shown.title, "bold strong").cut(width)]
    head += [Line().gap(2).add(part, "muted") for part in wrap(shown.about, width - 2)]
    drawing: Drawn = [(one, "") for one in head]
    if shown.ways:
        drawing.append((rule(width, "paths to it", dash=glyphs.dash), ""))
        drawing += _ways(shown, width)
    if shown.neighbours:
        drawing.append((rule(width, "its links", dash=glyphs.dash), ""))
    words = _words_room(shown)
    for one in shown.neighbours:
        sign = line_sign(one.weight, glyphs)
        row = Line().add(f"{sign}{signs.away}" if one.leads_away else f"{signs.here}{sign}", "accent")
        row.gap().fit(one.words, words, "muted").gap()
        drawing.append((_titled(row, one, shown, width, glyphs), one.id))
    return drawing


def _ways(shown: Neighbourhood, width: int) -> Iterator[tuple[Line, str]]:
    for number, way in enumerate(shown.ways):
        if way.share < LEAST_TOLD:
            continue
        for row, part in enumerate(wrap(visible(way.text), width - _SHARE - 2)):
            start = Line().add(f"{way.share:>{_SHARE - 1}.0%} " if not row else " " * _SHARE, "strong")
            yield start.gap().add(part, "text"), _way_key(number) if way.start else ""


def _lacking(shown: Neighbourhood, width: int) -> list[Line]:
    text = shown.lacks or ("" if shown.neighbours else "it has no links")
    return [line(f" {part}", "muted") for part in wrap(text, width - 2)] if text else []


def _legend(shown: Neighbourhood, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns a legend for the signs that occur."""
    if not shown.neighbours:
        return []
    signs = signs_of(glyphs)
    parts = [f"{signs.heavy * 2} weight from {HEAVY}, {signs.light * 2} from {LIGHT}, {signs.dotted * 2} less"]
    if shown.is_seed or any(one.is_seed for one in shown.neighbours):
        parts.append(f"{signs.seed} seed")
    if any(one.rank for one in shown.neighbours):
        parts.append("#: rank")
    if _has_shares(shown):
        parts.append("%: share of the walk on this link")
    return [Line(), *(line(f" {part}", "faint") for part in wrap(" · ".join(parts), width - 2))]
