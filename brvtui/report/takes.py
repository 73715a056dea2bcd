"""What it would take that a query is answered directly, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType

from brvtui.paint.glyphs import for_terminal
from brvtui.paint.line import line, rule
from brvtui.report.lines import rich_lines

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals import Counterfactuals

NEEDS_NOTHING = "what it would take: nothing, no model is called for it"


def takes_report(takes: Counterfactuals | None, width: int) -> RenderableType:
    """Every kind of change with the smallest that does it, or why there is none; None: no change is needed."""
    if takes is None:
        return rich_lines([line(NEEDS_NOTHING, "muted")])
    from brvtui.engines.byterover.counterfactuals.lines import counterfactual_lines

    glyphs = for_terminal()
    return rich_lines(
        [rule(width, "what it would take for tier 2", dash=glyphs.dash), *counterfactual_lines(takes, width, glyphs)]
    )
