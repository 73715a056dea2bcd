"""A language model's work on an answer while it goes on."""

from __future__ import annotations

from brvtui.app.live_answer import LiveAnswer
from brvtui.paint.completion import step_lines, tokens
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.paint.text import wrap


def live_lines(live: LiveAnswer, width: int, glyphs: Glyphs) -> list[Line]:
    """Who is asked, its tools so far, and what it waits for; the text that it writes stands below."""
    state = "stopping…" if live.cancelling else "esc stops it"
    head = f"{live.model} · turn {live.turn}" if live.turn else live.model
    made = [
        line(f" {part}", "accent") for part in wrap(f"{head} · {tokens(live.sent, live.received)} · {state}", width - 2)
    ]
    for step in live.steps:
        made += step_lines(step, width, glyphs)
    if live.waiting:
        made += [line(f" {part}", "warn") for part in wrap(live.waiting, width - 2)]
    elif not live.text:
        made.append(line(" waiting for its first words…", "muted"))
    return made
