"""Shows results and near misses as lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len

from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs, glyph_of
from brvtui.paint.line import Line, line, rule
from brvtui.paint.text import cut_left, wrap
from brvtui.text.visible import visible
from brvtui.trace import Hit, MatchedWord, MatchKind, NearMiss, Origin, Scale

# Shows the words of a query that a result matches, each with a mark, after the names of their fields.


SIGNS = {MatchKind.EXACT: "=", MatchKind.PREFIX: "^", MatchKind.FUZZY: "~", MatchKind.STEM: "/", MatchKind.INSIDE: "*"}
"""The mark for each kind of match: the query's word itself, a longer or misspelt word, another ending, or a part."""
_ROLES = {**dict.fromkeys(MatchKind, "accent"), MatchKind.EXACT: "ok", MatchKind.FUZZY: "warn"}
_MEANT = dict(zip(MatchKind, ("same", "longer", "similar", "other form", "inside"), strict=True))
_TEXT, _BELOW = "text", "below"
"""The names of two fields. Words below a folder are shown without a field name, since the folder's remark mentions
them.
"""
_MORE = 4
"""The width, in cells, of the count of words that do not fit."""


def marks_explained(kinds: Iterable[MatchKind], places: str, width: int) -> str:
    """Returns a legend for the marks of ``kinds`` and, if they fit into ``width`` cells, for ``places``."""
    present = frozenset(kinds)
    each = [f"{SIGNS[kind]} {meant}" for kind, meant in _MEANT.items() if kind in present]
    texts = (gap.join(shown) for shown in ([*each, places] if places else each, each) for gap in ("  ", " "))
    return next((text for text in texts if len(text) <= width), "")


def chips(words: Sequence[MatchedWord], width: int) -> Line:
    """Returns the words, grouped by field, each with its mark: ``title =carrier text ~resend``.

    If they do not fit, a dot replaces the name of the text field. If they still do not fit, only the first words are
    shown, followed by the number of the others.
    """
    ordered = _by_field(words)
    first = range(min(len(ordered), max(0, width) + 1))  # each word needs at least one cell
    for text in ("text", "·"):
        result = Line().extend(span for place in first for span in _chip(ordered, place, text).spans)
        if result.width <= width:
            return result
    result = _chip(ordered, 0, "·") if ordered else Line()
    shown = 1
    while shown < len(ordered):
        piece = _chip(ordered, shown, "·")
        if result.width + piece.width + _MORE > width:
            break
        result.extend(piece.spans)
        shown += 1
    left = len(ordered) - shown
    result.cut(width - _MORE if left else width)
    if not left:
        return result
    more = f" +{left} more" if result.width + len(f" +{left} more") <= width else f" +{left}"
    return result.add(more, "muted")


def _chip(words: Sequence[MatchedWord], place: int, text: str) -> Line:
    """Returns the word at ``place``, after the name of its field (``text`` for the text) if it is the first there."""
    one, before = words[place], words[place - 1] if place else None
    piece, field = Line().gap(1 if place else 0), _field(one)
    if field != _BELOW and (before is None or _field(before) != field):
        piece.add(f"{text if field == _TEXT else field} " if place or field != _TEXT or text == _TEXT else "", "muted")
    return piece.add(f"{SIGNS[one.kind]}{one.word}", _ROLES[one.kind])


def _field(one: MatchedWord) -> str:
    return one.fields[0] if one.fields else _BELOW


def _by_field(words: Sequence[MatchedWord]) -> list[MatchedWord]:
    """Groups the words by field: title, path, text, and at the end words below a folder."""
    order = {name: place for place, name in enumerate(("title", "path", _TEXT, _BELOW))}
    return sorted(words, key=lambda one: order.get(_field(one), len(order)))


_BEFORE_TITLE = 5
_BAR = 6
_LEAST_WORDS = 14
"""The minimum number of cells for a result's words. A remark that does not fit beside them is cut."""
_LEAST_PATH = 16
"""The minimum number of cells for a path."""
_SCORE = 5
_RULED = 5
"""The number of cells of a rule, without its label."""
_LACK = 8
_COARSE = 2
"""The number of decimals above which a bar needs a larger width, because scores are small and differ little."""
_BARRED, _FINELY_BARRED = 32, 40
"""The minimum widths for bars, in cells. The second is for scores with many decimals."""


def title_room(scale: Scale, width: int) -> int:
    """Returns the number of cells for the title of a result."""
    return width - _BEFORE_TITLE - _score_cells(scale) - 1 - _bar_cells(scale, width)


def miss_title_room(scale: Scale, width: int) -> int:
    """Returns the number of cells for the title of a near miss."""
    return width - _BEFORE_TITLE - _score_cells(scale) - 1 - _LACK


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result or near miss in a list."""

    title: str
    """The title, cut to :func:`title_room` or :func:`miss_title_room`."""
    maturity: str
    remark: str
    """A remark on how the result was found or how far a near miss fell short; empty if there is none."""
    warning: str
    """A warning that the note's file has changed. It replaces the mark and the remark. Empty if there is none."""
    selected: bool = False


def hit_lines(hit: Hit, rank: int, row: ResultRow, scale: Scale, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns a line with rank, mark, title, score and bar, then a line with the matching words, remark and path.

    If the path does not fit, it is on a third line for the selected result, and left out for other results.
    """
    sign, role = (glyphs.warn, "warn") if row.warning else glyph_of(hit.kind, row.maturity, glyphs)
    first = Line().add(f"{rank:>2} ", "muted").add(f"{sign} ", role)
    first.fit(row.title, title_room(scale, width), "bold strong" if rank == 1 else "text")
    full = hit.score / scale.full if scale.full else 0.0
    bar = eighths(full, _bar_cells(scale, width), glyphs)
    first.add(f"{_written(hit.score, scale)} ", "strong").add(bar, "bar")
    return [first, *_below(hit, row, width)]


def added_by(hit: Hit) -> str:
    """Describes the search that added ``hit`` to the results; empty for a result of the query itself."""
    return f"added by the search for “{visible(hit.found_by)}”" if hit.found_by else ""


def added_rule(hit: Hit, before: str, width: int, glyphs: Glyphs) -> list[Line]:
    """Returns a rule to draw above ``hit`` if it came from another search than the hit above it, which came from
    ``before``.
    """
    if not hit.found_by or hit.found_by == before:
        return []
    label, short = f"then, {added_by(hit)}", f"then, added for “{visible(hit.found_by)}”"
    return [rule(width, label if cell_len(label) + _RULED <= width else short, dash=glyphs.dash)]


def near_miss_lines(miss: NearMiss, row: ResultRow, scale: Scale, width: int, glyphs: Glyphs) -> list[Line]:
    """A line with the mark, title, score and shortfall of ``miss``. If it is selected, adds its words and path."""
    sign, role = (glyphs.warn, "warn") if row.warning else glyph_of(miss.kind, miss.maturity or row.maturity, glyphs)
    first = line(" – ", "faint").add(f"{sign} ", role).fit(row.title, miss_title_room(scale, width), "muted")
    first.add(f"{_written(miss.score, scale)} ", "muted").add(f"{row.remark:>{_LACK}}", "warn")
    return [first, *(_below(miss, replace(row, remark=""), width) if row.selected else [])]


def _below(found: Hit | NearMiss, row: ResultRow, width: int) -> list[Line]:
    """Returns the words that a result matches, its remark, in full if it is selected, and its path if it fits."""
    room = width - _BEFORE_TITLE
    remark = row.warning or row.remark
    role = "warn" if row.warning else "accent"
    if row.selected and remark and cell_len(remark) > room - _LEAST_WORDS:
        below = [Line().gap(_BEFORE_TITLE).add(part, role) for part in wrap(visible(remark), room)]
        rest = _below(found, replace(row, remark="", warning=""), width)
        return [*rest[:1], *below, *rest[1:]] if found.words else [*below, *rest]
    beside = room - (cell_len(remark) + 2 if remark else 0)
    words = chips(found.words, max(beside, min(room, _LEAST_WORDS)))
    first = Line().gap(_BEFORE_TITLE).extend(words.spans)
    first.gap(2 if words.spans and remark else 0).add(remark, role)
    path = visible(found.path)
    left = width - first.width - (2 if first.width > _BEFORE_TITLE else 0)
    fits = cell_len(path) <= left
    if fits or (left >= _LEAST_PATH and not row.selected):
        return [first.gap(2 if first.width > _BEFORE_TITLE else 0).add(cut_left(path, left), "muted").cut(width)]
    below = [Line().gap(_BEFORE_TITLE).add(cut_left(path, room), "muted")] if row.selected else []
    return [first.cut(width), *below] if first.width > _BEFORE_TITLE else below or [first]


def _bar_cells(scale: Scale, width: int) -> int:
    return _BAR if width >= (_BARRED if scale.decimals <= _COARSE else _FINELY_BARRED) else 0


def _score_cells(scale: Scale) -> int:
    return len(_written(0.0, scale))


def _written(score: float, scale: Scale) -> str:
    """Formats the score in at least :data:`_SCORE` cells. A small score has no 0 before its decimal point."""
    text = f"{score:.{scale.decimals}f}"
    return f"{text:>{_SCORE}}" if scale.decimals <= _COARSE else f" {text.removeprefix('0')}"


# The differences between the parts of two scores, which explain the order of the two results.


REST = "the rest"
"""The name for the part of a lead that the named parts do not explain."""
_MOST_NAMED = 5
_LEAST_LEAD = 1e-9


def differences(hit: Hit, other: Hit, decimals: int) -> list[tuple[str, float]]:
    """Returns the differences of the parts of two scores, largest first, without rounding and zeros."""
    own, others = ({part.name: part.value for part in one.parts} for one in (hit, other))
    names = [name for name in dict.fromkeys([*own, *others]) if name != "rounding"]
    pairs = [(name, round(own.get(name, 0.0) - others.get(name, 0.0), decimals)) for name in names]
    return sorted((one for one in pairs if one[1]), key=lambda one: -abs(one[1]))


def shares_of_lead(hit: Hit, other: Hit, decimals: int, limit: int) -> list[tuple[str, float]]:
    """Returns the parts that put ``hit`` ahead of ``other``, with their amounts, and the rest of the lead.

    Names the ``limit`` largest parts, or all parts if that is only one more. The amounts add up to the difference
    between the two scores, rounded to ``decimals``.
    """
    return with_rest(differences(hit, other, decimals), hit.score - other.score, decimals, limit)


def with_rest(
    parts: Sequence[tuple[str, float]], lead: float, decimals: int, limit: int = _MOST_NAMED
) -> list[tuple[str, float]]:
    """Returns the first ``limit`` of ``parts``, or all if that is only one more, and the rest of ``lead``."""
    shown = list(parts if len(parts) <= limit + 1 else parts[:limit])  # one more part needs no more cells than REST
    left = round(round(lead, decimals) - sum(value for _, value in shown), decimals)
    return [*shown, (REST, left)] if left else shown


def because(shares: Sequence[tuple[str, float]], decimals: int, is_ahead: bool = True, other: str = "the next") -> str:
    """Describes ``shares``: the parts that put a result ahead, or behind, and those that work against that.

    ``other`` is the result that it is compared with. Example: ``because of recency (0.20), despite relevance (0.10)``.
    """
    texts: dict[bool, list[str]] = {True: [], False: []}
    for name, value in shares:
        named = name if name != "cap" else f"the cap of {other}" if value > 0 else "its cap"
        texts[(value > 0) == is_ahead].append(f"{named} ({abs(value):.{decimals}f})")
    causes, against = (", ".join(texts[key]) for key in (True, False))
    return (f" because of {causes}" if causes else "") + (f", despite {against}" if against else "")


def is_level(hit: Hit, other: Hit) -> bool:
    """True if both results have the same score."""
    return abs(hit.score - other.score) < _LEAST_LEAD


def lead_lines(hits: Sequence[Hit], hit: Hit, decimals: int, width: int) -> list[Line]:
    """Returns :func:`lead_text` in lines of at most ``width`` cells."""
    text = lead_text(hits, hit, decimals)
    return [line(f" {part}", "accent") for part in wrap(text, width - 1)] if text else []


def lead_text(hits: Sequence[Hit], hit: Hit, decimals: int) -> str:
    """Describes the lead of ``hit`` over the second result, or its distance to the first, with the responsible parts.

    Scores have ``decimals`` decimals. Empty if there is no other result, or if the score did not decide the order.
    """
    if hit.found_by:
        place = "added results come last, whatever their scores"
        if all(one.found_by for one in hits):
            place = "no results for the whole query remain"
        return f"{added_by(hit)}: {place}"
    rank = next((place for place, one in enumerate(hits, 1) if one.file == hit.file), 0)
    own = [one for one in hits if not one.found_by]
    if not rank or len(own) < 2:
        return ""
    first, other = (hit, own[1]) if rank == 1 else (own[0], hit)
    if other.score > first.score + _LEAST_LEAD:
        return ""
    beside = own[1] if rank == 1 else own[0]
    number = f"number {2 if rank == 1 else 1}"
    if is_level(hit, beside):
        return f"level with {number}{_tie(hit, beside)}"
    lead = f"{abs(hit.score - beside.score):.{decimals}f}"
    causes = _lead_causes(hit, beside, decimals, number)
    added = _added_above(hits, beside, decimals) if rank == 1 else ""
    return f"{lead} {'ahead of' if rank == 1 else 'behind'} {number}{causes}{added}"


def _added_above(hits: Sequence[Hit], second: Hit, decimals: int) -> str:
    """Describes the distance between the first result and the best added one, if that is ahead of ``second``."""
    best = max((one for one in hits if one.found_by), key=lambda one: one.score, default=None)
    if best is None or best.score <= second.score:
        return ""
    lead = f"{hits[0].score - best.score:.{decimals}f}"
    level = not float(lead)
    apart = "level with" if level else f"{lead.removeprefix('-')} {'behind' if lead.startswith('-') else 'ahead of'}"
    return f"; {apart} number {hits.index(best) + 1}, which the search for “{best.found_by}” added"


def _lead_causes(hit: Hit, beside: Hit, decimals: int, number: str) -> str:
    """Describes the causes of the distance between two results: the parts of their scores, or their values in one list.

    Values are used if each result is in only one ranked list. Empty for a folder compared with a note, because their
    scores have different parts.
    """
    if Origin.PROPAGATED in (hit.origin, beside.origin) and hit.origin != beside.origin:
        return ""
    if len(hit.parts) == len(beside.parts) == len(hit.places) == len(beside.places) == 1:
        own, other = hit.places[0], beside.places[0]
        return f": {own.leg} {own.value:.3f} against {other.value:.3f}" if own.leg == other.leg else ""
    return because(shares_of_lead(hit, beside, decimals, _MOST_NAMED), decimals, hit.score > beside.score, number)


def _tie(hit: Hit, beside: Hit) -> str:
    """Describes why two results with equal scores are in this order; empty if their text scores did not decide it."""
    if hit.text is None or beside.text is None or abs(hit.text.raw - beside.text.raw) < _LEAST_LEAD:
        return ""
    return f", whose words match {'less well' if hit.text.raw > beside.text.raw else 'better'}"
