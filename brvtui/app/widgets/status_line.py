"""The line at the top: project, notes, profile, clock, watching, model, fingerprint."""

from __future__ import annotations

from brvtui.app.glyphs import MATURITIES, Glyphs
from brvtui.app.paint.line import Line, Span, spread
from brvtui.app.paint.text import plural
from brvtui.app.view import Phase, View
from brvtui.app.widgets.lines import Lines


class StatusLine(Lines):
    """One line about the open project."""

    def build(self, view: View, width: int) -> list[Line]:
        """Project, counts, profile, clock, watching, model and fingerprint, the least weighty left out first."""
        inner = spread(width - 2, _groups(view, self.glyphs))
        return [Line().gap().extend(inner.spans)]


def counts(numbers: tuple[int, int, int], glyphs: Glyphs, zeros: bool = False) -> list[Span]:
    """Notes by maturity as glyph and number; levels without notes are left out unless ``zeros``."""
    spans: list[Span] = []
    for name, amount in zip(MATURITIES, numbers, strict=True):
        if amount or zeros:
            spans += [(" ", "text")] if spans else []
            spans.append((f"{glyphs.maturity[name]}{amount}", name))
    return spans


def _groups(view: View, glyphs: Glyphs) -> list[tuple[int, list[Span]]]:
    overview = view.overview
    if overview is None:
        return [(9, [("brv-tui", "bold strong")]), (8, [(_opening(view), "muted")])]
    groups: list[tuple[int, list[Span]]] = [(9, [(overview.project, "bold strong")])]
    groups.append((8, [(f"{plural(overview.notes, 'note')} ", "text"), *counts(overview.counts, glyphs)]))
    groups.append((6, [("profile ", "muted"), (view.profile, "text")]))
    clock = [("clock ", "muted"), ("frozen", "warn") if view.frozen else ("live", "text")]
    groups.append((4, clock))
    if view.watching:
        groups.append((7, [(f"{glyphs.watching} ", "ok"), ("watching", "text")]))
    else:
        why = f": {view.watch_why}" if view.watch_why else ""
        groups.append((7, [(f"{glyphs.cross} ", "warn"), (f"not watching{why}", "warn")]))
    groups.append((3, [("LLM ", "muted"), ("none", "text")]))
    if view.recording:
        groups.append((8, [(f"{glyphs.bullet} recording access hits", "bold warn")]))
    groups.append((2, _fingerprint(view)))
    if view.trace is not None and view.trace.notices:
        groups.append((5, [(f"{glyphs.warn} {plural(len(view.trace.notices), 'notice')}: F4", "warn")]))
    return groups


def _fingerprint(view: View) -> list[Span]:
    state = view.cache.fingerprint if view.cache else view.trace.fingerprint if view.trace else None
    if state is None:
        value = view.overview.fingerprint if view.overview else ""
        return [("fp ", "muted"), (value[:6], "text")]
    held = " held" if state.held else " new"
    spans: list[Span] = [("fp ", "muted"), (state.value[:6], "text"), (held, "muted")]
    if state.value != state.current:
        spans.append((" (old)", "warn"))
    return spans


def _opening(view: View) -> str:
    return "nothing is open" if view.phase is Phase.FAILED else "opening the project…"
