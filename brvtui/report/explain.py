"""Why a note is, or is not, in an answer, as text."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from brvtui.engines.byterover.reasons.why_not import Explanation
from brvtui.report.score import score_report
from brvtui.report.words import plain
from brvtui.text.visible import visible


def explain_report(explanation: Explanation) -> RenderableType:
    """The explanation for reading: the verdict first, the remedy next, then the score."""
    rows: list[RenderableType] = []
    if explanation.found:
        rows.append(
            Text.assemble(
                (" FOUND ", "bold reverse green"), f" rank {explanation.rank}: ", plain(explanation.path, "bold")
            )
        )
        rows.append(plain(f"router: {explanation.router}"))
    else:
        reason = explanation.reason
        number = f"{reason.number}. {reason.value}" if reason else ""
        rows.append(Text.assemble((" NOT FOUND ", "bold reverse red"), " ", plain(explanation.path, "bold")))
        rows.append(Text.assemble(("why     ", "dim"), plain(number, "bold")))
        rows.append(Text.assemble(("numbers ", "dim"), plain(explanation.numbers)))
        if explanation.remedy:
            checked = " (re-run and seen)" if explanation.remedy.verified else ""
            rows.append(Text.assemble(("remedy  ", "dim"), plain(explanation.remedy.text), (checked, "green")))
            if explanation.remedy.query:
                rows.append(Text.assemble(("ask     ", "dim"), Text(f"“{visible(explanation.remedy.query)}”")))
    if explanation.hit:
        heading = "" if explanation.found else "the score that it would have had:"
        rows += [Text(heading, style="dim"), score_report(explanation.hit, explanation.detail)]
    return Group(*rows)
