"""The steps of the retry ladder as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable

from brvtui.report.markdown_text import Markdown, path, table
from brvtui.report.words import ended
from brvtui.trace import Listed, Rung

_MOST_SHOWN = 3


def rungs(steps: Iterable[Rung]) -> Markdown:
    """Every step, what it searched for, what it found; empty without steps."""
    rows = [
        (one.strategy, ended(one.state), one.query, str(one.hits) if one.ran else "", best(one.listed), one.why)
        for one in steps
    ]
    return table(("rung", "ended", "query", "found", "best", "why"), rows, ("found",))


def best(found: Iterable[Listed]) -> Markdown:
    """The first of what an attempt or a step found, with their scores."""
    shown = [f"{path(one.path)} {one.score:.2f}" for one in list(found)[:_MOST_SHOWN]]
    return Markdown(", ".join(shown))
