"""What it would take that a query is answered directly, as text."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from brvtui.engines.byterover.counterfactuals.levers import Standing, Takes
from brvtui.report.words import plain
from brvtui.text.visible import visible

NEEDS_NOTHING = "what it would take: nothing, no model is called for it"
_SIGNS = {Standing.VERIFIED: ("✓", "green"), Standing.IMPOSSIBLE: ("✗", "dim"), Standing.OPEN: ("·", "dim")}


def takes_report(takes: Takes | None) -> RenderableType:
    """Every kind of change with the smallest that does it, or why there is none; None: no change is needed."""
    if takes is None:
        return Text(NEEDS_NOTHING, style="dim")
    table = Table.grid(padding=(0, 1))
    for way in takes.ways:
        sign, style = _SIGNS[way.standing]
        score = "" if way.score is None or not way.is_verified else f"{way.score:.2f}"
        said = visible(way.text) if way.is_verified else f"{way.standing.value}: {visible(way.text)}"
        table.add_row("", Text(sign, style), Text(way.lever.value, "" if way.is_verified else "dim"), score, said)
    return Group(Rule("what it would take for tier 2", style="dim", align="left"), heading(takes), table)


def heading(takes: Takes) -> Text:
    """The note that is to lead the answer, its score, and what it can reach today."""
    if not takes.path:
        return plain("no note came near", "dim")
    scored = "no word matches it" if takes.score is None else f"{takes.score:.2f}"
    short = f"reaches {takes.needed:g}, too near the next" if takes.reaches else f"needs {takes.needed:g}"
    ceiling = "" if takes.ceiling is None else f", at most {takes.ceiling:.2f} today"
    return Text.assemble(
        plain(takes.title, "bold"), plain(f"  {takes.path}  ", "dim"), f"{scored}{ceiling}, {short}"
    )  # fmt: skip
