"""One hit's score: its parts, ceiling, signals, and the term x field detail."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from brvtui.report.words import days, glyph, plain, signed
from brvtui.trace import Aged, Ceiling, Contribution, Detail, Hit, Part, TextScore, adds_up, parts_gap

NUMBERS = ("tf", "df", "idf", "length", "weight", "boost", "value")
"""The columns of the term x field detail that hold numbers."""
_SHOWN_CONTRIBUTIONS = 12


def score_report(hit: Hit, detail: Detail | None) -> RenderableType:
    """The hit's score in full."""
    mark = glyph(hit.kind, hit.signals.maturity if hit.signals else "")
    title = Text.assemble((f"{mark} ", "bold"), plain(hit.title, "bold"), "  ", plain(hit.path, "dim"))
    title.append(f"  {hit.score:.4f}".rstrip("0").rstrip("."), style="bold cyan")
    rows: list[RenderableType] = [title, parts_table(hit)]
    if hit.signals:
        rows.append(signals_line(hit.signals))
    if hit.ceiling:
        rows.append(ceiling_line(hit.ceiling))
    if hit.text:
        rows.append(text_line(hit.text))
    if detail and detail.contributions:
        rows.append(_detail(detail))
    return Group(*rows)


def parts_table(hit: Hit) -> RenderableType:
    """The parts and their sum, or, should they not add up, that."""
    if not adds_up(hit):
        return Text(f"this explanation does not add up: off by {parts_gap(hit):.3g}", style="bold red")
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(style="dim")
    table.add_column(justify="right")
    for part in hit.parts:
        table.add_row(part.name, made_of(part), signed(part.value))
    table.add_row("sum", "", Text(f"= {hit.score:.4f}", style="bold"))
    return table


def made_of(part: Part) -> str:
    """What a part of a score was made of: ``0.9809 × 0.6``."""
    if part.amount is None:
        return part.note
    factor = "" if part.factor is None else f" × {part.factor:g}"
    amount = f"{part.amount:.4f}".rstrip("0").rstrip(".")
    if part.name == "cap":
        return f"{amount}, at most {part.factor:g}" if part.factor is not None else amount
    return f"{amount}{factor}{f'  {part.note}' if part.note else ''}"


def signals_line(signals: Aged) -> Text:
    """Signals before and after decay, and what an access hit would do, in one line."""
    return Text(
        f"signals: {signals.maturity}, importance {signals.importance_stored:g} → {signals.importance:.2f}, recency"
        f" {signals.recency_stored:g} → {signals.recency:.3f} after {signals.days:.1f} days"
        f" ({signals.source}; {signals.access_count} hits, {signals.update_count} updates); {signals.after_access}",
        style="dim",
    )


def text_line(text: TextScore) -> Text:
    """How the relevance came about, in one line."""
    return Text(
        f"text: {text.term_sum:.4f} × {text.matched_terms} terms matched = raw {text.raw:.4f},"
        f" relevance {text.raw:.4f} / (1 + {text.raw:.4f}) = {text.relevance:.4f}"
    )


def ceiling_line(ceiling: Ceiling) -> Text:
    """The ceiling and its horizons, in one line."""
    parts = [f"ceiling now {ceiling.score:.3f}"]
    for horizon in ceiling.horizons:
        if not horizon.reachable:
            parts.append(f"can no longer reach {horizon.threshold:g}")
        elif horizon.days_left is None:
            parts.append(f"always able to reach {horizon.threshold:g}")
        else:
            parts.append(f"can reach {horizon.threshold:g} for {days(horizon.days_left)} more")
    return Text("; ".join(parts))


def numbers_of(item: Contribution) -> tuple[str, ...]:
    """The numbers of a contribution, a text for each of :data:`NUMBERS`."""
    return (
        str(item.tf),
        str(item.df),
        f"{item.idf:.3f}",
        f"{item.length}/{item.average_length:.0f}",
        f"{item.weight:.3f}",
        f"{item.boost:g}",
        f"{item.value:.4f}",
    )


def _detail(detail: Detail) -> RenderableType:
    table = Table(box=None, padding=(0, 1), header_style="dim")
    for name in ("term", "matched", "field"):
        table.add_column(name)
    for name in NUMBERS:
        table.add_column(name, justify="right")
    for item in detail.contributions[:_SHOWN_CONTRIBUTIONS]:
        table.add_row(
            plain(item.query_term),
            Text.assemble(plain(item.term), (f" {item.kind.value}", "dim") if item.kind != "exact" else ""),
            item.field,
            *numbers_of(item),
        )
    left = len(detail.contributions) - _SHOWN_CONTRIBUTIONS
    return Group(table, Text(f"… {left} more, see --format json --detail", style="dim")) if left > 0 else table
