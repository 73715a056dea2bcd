"""Glyphs and numbers as reports show them."""

from __future__ import annotations

from rich.text import Text

from brvtui.text.visible import visible
from brvtui.trace import Kind, State

MATURITY = {"draft": "○", "validated": "◐", "core": "●"}
STATE = {
    State.HIT: ("✓", "hit", "green"),
    State.MISSED: ("–", "missed", "dim"),
    State.PASSED: ("✓", "passed", "green"),
    State.FAILED: ("✗", "failed", "red"),
    State.TAKEN: ("»", "taken", "bold green"),
    State.SKIPPED: ("·", "skipped", "dim"),
    State.NOT_REACHED: ("·", "not reached", "dim"),
    State.NOT_RUN: ("~", "not run", "dim"),
}
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FINE, _COARSE = 4, 2


def glyph(kind: Kind, maturity: str) -> str:
    """The mark of a result: a summary, a stub, or the note's maturity."""
    if kind is Kind.SUMMARY:
        return "▤"
    if kind is Kind.ARCHIVE_STUB:
        return "▱"
    return MATURITY.get(maturity, "○")


def ended(state: State) -> str:
    """How a step ended: ``✗ failed``."""
    mark, word, _ = STATE[state]
    return f"{mark} {word}"


def bar(value: float, width: int) -> str:
    """``value`` (0..1) as a bar of ``width`` cells, fine to an eighth of a cell."""
    eighths = round(max(0.0, min(1.0, value)) * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width)


def signed(value: float) -> str:
    """A part of a score with its sign, to 4 decimals."""
    return f"{'−' if round(value, _FINE) < 0 else '+'}{abs(value):.4f}"


def plain(text: str, style: str = "") -> Text:
    """``text`` of a note or a query as itself: no markup, no escapes."""
    return Text(visible(text), style=style)


def days(value: float | None) -> str:
    """Days for reading; ``never`` for None."""
    if value is None:
        return "never"
    return f"{value:.1f} days" if value < 10 else f"{value:.0f} days"
