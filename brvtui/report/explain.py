"""Why a document is, or is not, in an answer, and what would need no model, as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import RenderableType

from brvtui.engines.advice import remarks
from brvtui.engines.registry import presentation
from brvtui.paint.glyphs import Glyphs, for_terminal
from brvtui.paint.line import Line, badge, line, rule
from brvtui.paint.score import score_lines, ticks_of, title_line
from brvtui.paint.text import wrap
from brvtui.report.query import headline_of, ladder_lines, rich_lines
from brvtui.trace import Explanation

if TYPE_CHECKING:
    from brvtui.engines.byterover.counterfactuals import Counterfactuals

NEEDS_NOTHING = "no change is needed: the query is answered without a model"
_LABEL = 9


def explain_report(explanation: Explanation, width: int) -> RenderableType:
    """The explanation for reading in ``width`` columns: why the query got its answer, then this note."""
    return rich_lines(explain_lines(explanation, width, for_terminal()))


def explain_lines(explanation: Explanation, width: int, glyphs: Glyphs) -> list[Line]:
    """The lines of :func:`explain_report`."""
    made = headline_of(explanation.trace, width)
    if explanation.found:
        made += [
            badge("IN THE RESULTS", "ok")
            .add(f" rank {explanation.rank}: ", "text")
            .add(explanation.path, "bold strong")
        ]
        made += _labelled("use", explanation.use, "text", width)
    else:
        lost = "NOT IN A NEW SEARCH" if explanation.use else "NOT IN THE ANSWER"
        made += [badge(lost, "bad").add(" ").add(explanation.path, "bold strong")]
        made += _labelled("use", explanation.use, "text", width)
        if explanation.reason is not None:
            made += _labelled("why", explanation.reason.text, "bold strong", width)
        made += _labelled("numbers", explanation.numbers, "text", width)
        remedy = explanation.remedy
        if remedy is not None and not explanation.remedies:
            checked = " (tried)" if remedy.verified else ""
            made += _labelled("remedy", f"{remedy.text}{checked}", "ok" if remedy.verified else "text", width)
            made += _labelled("ask", f"“{remedy.query}”" if remedy.query else "", "text", width)
    made += _labelled("note", explanation.notice, "warn", width)
    for remedy in explanation.remedies:
        tier = f"tier {remedy.tier}, " if remedy.tier is not None else ""
        then = f"rank {remedy.rank}, {tier}{remedy.score:.{explanation.trace.scale.decimals}f}"
        how = ": ".join(filter(None, (remedy.kind, remedy.how)))
        told = f" ({how})" if how else ""
        but = "".join(f"; {each}" for each in remarks(explanation, remedy))
        made += _labelled("helps", f"{remedy.text} → {then}{but}{told}", "ok", width)
    hit, trace = explanation.hit, explanation.trace
    made += ladder_lines(trace, width, glyphs)
    if hit is not None:
        if not explanation.found:
            made.append(line(" the score that it would have as a result:", "muted"))
        maturity = hit.signals.maturity if hit.signals else ""
        made.append(title_line(trace, hit, maturity, "", width, glyphs))
        made += score_lines(trace, hit, explanation.detail, ticks_of(trace), width, glyphs)
        made += presentation(trace.engine).place(trace, hit.file, width, glyphs)
    return made


def _labelled(label: str, text: str, role: str, width: int) -> list[Line]:
    """``text`` wrapped behind its label; no lines for an empty text."""
    parts = wrap(text, width - _LABEL - 1) if text else []
    return [
        Line().gap().fit(label if place == 0 else "", _LABEL, "muted").add(part, role)
        for place, part in enumerate(parts)
    ]


def counterfactuals_report(found: Counterfactuals | None, of_note: bool, width: int) -> RenderableType:
    """Each kind of change with the smallest that avoids the model, or why there is none; None: no change is needed.

    ``of_note`` where the changes are of one named note, which is to lead the answer.
    """
    if found is None:
        return rich_lines([line(NEEDS_NOTHING, "muted")])
    from brvtui.engines.byterover.counterfactuals import counterfactual_lines

    glyphs = for_terminal()
    aim = "this note answers without a model" if of_note else "no model is needed"
    head = rule(width, f"changes after which {aim}", dash=glyphs.dash)
    return rich_lines([head, *counterfactual_lines(found, width, glyphs)])
