"""The line at the top: screens, project, notes, profile, clock, watching, model, fingerprint."""

from __future__ import annotations

from textual import events

from brvtui.app.arrangement import WIDE_WIDTH
from brvtui.app.keys.naming import key_name
from brvtui.app.live import Live
from brvtui.app.modes import EDITOR, SCREENS
from brvtui.app.view import BYTEROVER, Phase, View
from brvtui.app.widgets.lines import Lines
from brvtui.paint.glyphs import MATURITIES, Glyphs
from brvtui.paint.line import Line, Span, spread
from brvtui.paint.text import cut, plural, seconds

_EDITED_CELLS = 28
"""For the name of the note in the editor."""


class StatusLine(Lines):
    """The screens, the note in the editor, then what is known of the project. A click brings a screen to the front."""

    def __init__(self, *, id: str) -> None:
        """A line without edges yet."""
        super().__init__(id=id)
        self._edges: list[tuple[int, str]] = []

    def build(self, view: View, width: int) -> list[Line]:
        """Screens, project, counts, profile, watching and more, the least weighty left out first."""
        made = Line()
        self._edges = []
        for mode in SCREENS:
            front = mode.title == self.screen.TITLE
            if not (front or mode.listed):
                continue
            key = key_name(self.services.keymap.get(f"screens.{mode.name}", mode.key))
            made.add(f" {key} {mode.title} ", "bold badge-text on accent" if front else "muted")
            self._edges.append((made.width, mode.name))
        if view.edit is not None:
            front = EDITOR.title == self.screen.TITLE
            name = f" {EDITOR.title} {view.edit.path.rpartition('/')[2]}{' •' if view.edit.dirty else ''} "
            made.add(
                cut(name, min(_EDITED_CELLS, max(width - made.width, 1))),
                "bold badge-text on accent" if front else "bold warn" if view.edit.dirty else "muted",
            )
            self._edges.append((made.width, EDITOR.name))
        made.gap()
        groups = _groups(view, self.glyphs, self.screen.TITLE, width >= WIDE_WIDTH)
        return [made.extend(spread(width - made.width - 1, groups, 2).spans)]

    async def on_click(self, event: events.Click) -> None:
        """Brings the screen whose name was clicked to the front."""
        name = next((name for edge, name in self._edges if event.x < edge), "")
        if name:
            await self.app.switch_mode(name)


def counts(numbers: tuple[int, int, int], glyphs: Glyphs, zeros: bool = False) -> list[Span]:
    """Notes by maturity as glyph and number; levels without notes are left out unless ``zeros``."""
    spans: list[Span] = []
    for name, amount in zip(MATURITIES, numbers, strict=True):
        if amount or zeros:
            spans += [(" ", "text")] if spans else []
            spans.append((f"{glyphs.maturity[name]}{amount}", name))
    return spans


def _groups(view: View, glyphs: Glyphs, screen: str | None, wide: bool) -> list[tuple[int, list[Span]]]:
    overview = view.overview
    if overview is None:
        return [(9, [("brv-tui", "bold strong")]), (8, [(_opening(view), "muted")])]
    groups: list[tuple[int, list[Span]]] = [(9, [(overview.project, "bold strong")])]
    if view.saved:
        groups.append((8, [(view.saved, "warn")]))
        groups.append((7, [(f"of {plural(overview.notes, 'note')}", "muted")]))
        groups.append((6, [("profile ", "muted"), (view.profile, "text")]))
        return groups
    groups.append((8, [(f"{plural(overview.notes, 'note')} ", "text"), *counts(overview.counts, glyphs)]))
    if view.pipeline == BYTEROVER:
        groups.append((6, [("profile ", "muted"), (view.profile, "text")]))
        if overview.reads_frontmatter:
            groups.append((6, [("signals ", "muted"), ("frontmatter", "warn")]))
    else:
        groups.append((8, [("pipeline ", "muted"), (view.pipeline, "bold accent")]))
    if view.busy:
        groups.append((8, [(view.busy, "warn")]))
    clock = [("clock ", "muted"), ("frozen", "warn") if view.frozen else ("live", "text")]
    groups.append((4, clock))
    follows = view.watching and not (view.catching_up or view.poll_s)
    groups.append((7 if follows else 9, _watching(view, glyphs, wide)))
    if view.poll_s:
        groups.append((1, [(view.watch_why, "muted")]))
    asking = view.live is not None
    groups.append((9 if asking else 3, [("LLM ", "muted"), (view.model or "none", "text"), *_work(view.live)]))
    if view.recording:
        groups.append((8, [(f"{glyphs.bullet} recording access hits", "bold warn")]))
    groups.append((2, _fingerprint(view)))
    if view.answered is not None and view.answered.notices and screen == "Query":
        groups.append((8, [(f"{glyphs.warn} {plural(len(view.answered.notices), 'notice')}: F4", "warn")]))
    return groups


def _watching(view: View, glyphs: Glyphs, wide: bool) -> list[Span]:
    if not view.watching:
        why = f": {view.watch_why}" if view.watch_why and wide else ""
        return [(f"{glyphs.cross} ", "warn"), (f"not watching{why}", "warn")]
    if view.catching_up:
        return [(f"{glyphs.watching} ", "warn"), ("catching up", "warn")]
    if view.poll_s:
        return [(f"{glyphs.watching} ", "warn"), (f"polling every {seconds(view.poll_s)}", "warn")]
    return [(f"{glyphs.watching} ", "ok"), ("watching", "text")]


def _work(live: Live | None) -> list[Span]:
    """What the model is at, in words."""
    if live is None:
        return []
    return [(" stopping…" if live.cancelling else " answers, esc stops it", "warn")]


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
    if view.phase is Phase.FAILED:
        return "nothing is open"
    if not view.total:
        return "opening the project…"
    return f"reading {view.done / view.total:.0%}" if view.done < view.total else "indexing…"
