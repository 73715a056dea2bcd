"""The line at the top: the screens, project, notes, profile, clock, watch state, model and fingerprint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from brvtui.app.arrangement import WIDE_WIDTH
from brvtui.app.keys.bindings import key_name
from brvtui.app.modes import EDITOR, FLEET, LAB, QUERY, SCREENS
from brvtui.app.states import (
    AnswerState,
    CacheState,
    EditorState,
    EditsState,
    EngineState,
    FleetState,
    ModelState,
    Phase,
    ProjectState,
    QueryState,
    WatchState,
)
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.engines.registry import reads_trees
from brvtui.paint.glyphs import MATURITIES, Glyphs
from brvtui.paint.line import Line, Span, spread
from brvtui.paint.text import cut, plural, seconds

if TYPE_CHECKING:
    from brvtui.app.contents import Overview
    from brvtui.fleet.fleet_file import Fleet

LEFT_DRAFTS = "drafts.left"
"""The name of the action that opens unsaved drafts."""
_EDITED_CELLS = 28
"""The maximum width of the edited note's name."""
_ALWAYS = 8
"""The minimum weight of groups that are shown even without an answer. Warnings are always shown.
"""


class StatusLine(Lines):
    """The screen tabs, the note being edited, and the state of the project. Clicking a tab switches to its screen."""

    READS = (
        ProjectState,
        EngineState,
        ModelState,
        WatchState,
        QueryState,
        AnswerState,
        CacheState,
        EditorState,
        EditsState,
        FleetState,
    )

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._edges: list[tuple[int, str]] = []

    def build(self, view: View, width: int) -> list[Line]:
        """Returns one line with screens, project, counts and more; the least important parts are left out first."""
        bar = Line()
        self._edges = []
        for mode in SCREENS:
            front = mode.title == self.screen.TITLE
            if not (front or mode.listed) or not view.has_screen(mode):
                continue
            if (mode == FLEET and not front and view.fleet.fleet is None) or (view.fleet.alone and mode != FLEET):
                continue
            key = key_name(self.services.keymap.get(f"screens.{mode.name}", mode.key))
            unseen = view.edits.unseen if mode == LAB else 0
            mark = f" +{unseen}" if unseen else ""
            role = "bold badge-text on accent" if front else "bold accent" if mark else "muted"
            bar.add(f" {key} {view.worded(mode.title)}{mark}{' ' if front else ''}", role)
            self._edges.append((bar.width, mode.name))
        if view.editor.edit is not None:
            front = EDITOR.title == self.screen.TITLE
            name = (
                f" {EDITOR.title} {view.editor.edit.path.rpartition('/')[2]}{' •' if view.editor.edit.dirty else ''} "
            )
            bar.add(
                cut(name, min(_EDITED_CELLS, max(width - bar.width, 1))),
                "bold badge-text on accent" if front else "bold warn" if view.editor.edit.dirty else "muted",
            )
            self._edges.append((bar.width, EDITOR.name))
        left = len(view.editor.left)
        if left:
            key = key_name(self.services.keymap.get(LEFT_DRAFTS, "ctrl+l"))
            bar.gap().add(f"{self.glyphs.warn} {plural(left, 'draft')}: {key}", "bold warn")
            self._edges.append((bar.width, LEFT_DRAFTS))
        bar.gap(2)
        room = width - bar.width - 1
        for detail in (2, 1, 0):  # the most detailed form that leaves room for everything else
            groups = _groups(view, self.glyphs, self.screen.TITLE, width >= WIDE_WIDTH, detail)
            if sum(Line(spans).width + 2 for _, spans in groups) <= room:
                break
        unread = set(view.answered.notices) - view.query.read_notices if view.answered is not None else set()
        if unread and QUERY.title == self.screen.TITLE:
            warnings, key = plural(len(unread), "warning"), self.services.shown_key("panes.route")
            groups.append((8, [(f"{self.glyphs.warn} {warnings}: {key}", "warn")]))
        return [bar.extend(spread(room, groups, 2).spans)]

    async def on_click(self, event: events.Click) -> None:
        """Switches to the clicked screen, or opens the unsaved drafts."""
        name = next((name for edge, name in self._edges if event.x < edge), "")
        if name == LEFT_DRAFTS:
            await self.app.run_action("app.left_drafts")
        elif name:
            await self.app.switch_mode(name)


def counts(numbers: tuple[int, int, int], glyphs: Glyphs, named: bool = False) -> list[Span]:
    """Returns the number of notes of each maturity after its symbol, without zeros; adds the names if ``named``."""
    spans: list[Span] = []
    for name, amount in zip(MATURITIES, numbers, strict=True):
        if amount:
            spans += [(" ", "text")] if spans else []
            spans.append((f"{glyphs.maturity[name]}{amount}", name))
            spans += [(f" {name}", "muted")] if named else []
    return spans


def _groups(view: View, glyphs: Glyphs, screen: str | None, wide: bool, detail: int) -> list[tuple[int, list[Span]]]:
    overview, fleet = view.project.overview, view.fleet.fleet
    if fleet is not None and (overview is None or screen == FLEET.title):
        return _fleet_groups(view, fleet)
    if overview is None:
        return [(9, [("brv-tui", "bold strong")]), (8, [(_opening(view), "muted")])]
    groups: list[tuple[int, list[Span]]] = [(9, [(overview.project, "bold strong")])]
    if fleet is not None:
        groups.append((7, [("of the fleet ", "muted"), (fleet.name, "text")]))
    of_project = _project_groups(view, overview, glyphs, wide, detail)
    if view.answered is None:
        of_project = [one for one in of_project if one[0] >= _ALWAYS or any(role == "warn" for _, role in one[1])]
    return groups + of_project


def _fleet_groups(view: View, fleet: Fleet) -> list[tuple[int, list[Span]]]:
    memories = f"{len(fleet.members)} {'memory' if len(fleet.members) == 1 else 'memories'}"
    own = [("open: ", "muted"), (view.fleet.opened, "text")] if view.fleet.opened else []
    name = [("fleet ", "muted"), (fleet.name, "bold strong")] if fleet.name else [("fleet", "muted")]
    return [(9, name), (8, [(memories, "text")]), (7, own)]


def _project_groups(
    view: View, overview: Overview, glyphs: Glyphs, wide: bool, detail: int
) -> list[tuple[int, list[Span]]]:
    """Returns the groups about the project. ``detail`` 0 shows counts by maturity, 1 also the total, 2 also names."""
    groups: list[tuple[int, list[Span]]] = []
    saved = view.project.saved
    if saved is not None:
        groups.append((9, [(f"saved {saved.saved_at}".strip(), "warn")]))
        groups.append((8, [(f"by {saved.saved_by or 'brv-tui'}", "warn")]))
        groups.append((7, [(f"of {plural(overview.notes, view.kind.noun)}", "muted")]))
        groups.append((6, [("profile ", "muted"), (view.engine.profile, "text")]))
        return groups
    if overview.kind.has_maturity:
        notes = [(f"{plural(overview.notes, view.kind.noun)} ", "text")] if detail or not any(overview.counts) else []
        groups.append((8, [*notes, *counts(overview.counts, glyphs, detail == 2)]))
    else:
        groups.append((8, [(plural(overview.notes, view.kind.noun), "text")]))
    if reads_trees(view.engine.name):
        groups.append(_profile(view.engine))
        if overview.reads_frontmatter:
            groups.append((6, [("signals ", "muted"), ("frontmatter", "text")]))
    else:
        groups.append((8, [("engine ", "muted"), (view.engine.name, "bold accent")]))
        if view.engine.profile != view.engine.name:
            groups.append(_profile(view.engine))
    if view.answer.busy:
        groups.append((8, [(view.answer.busy, "warn")]))
    if view.engine.frozen:
        groups.append((4, [("clock ", "muted"), ("frozen", "warn")]))
    if view.watch.active or view.watch.why:  # otherwise watching has not started yet
        follows = view.watch.active and not (view.watch.catching_up or view.watch.poll_s)
        groups.append((7 if follows else 9, _watching(view, glyphs, wide)))
    if view.watch.poll_s:
        groups.append((2, [(view.watch.why, "muted")]))
    if view.watch.text_index:
        groups.append((1, [("index ", "muted"), (view.watch.text_index, "text")]))
    groups.append(_model(view))
    if view.engine.recording:
        groups.append((8, [(f"{glyphs.bullet} recording{' access hits' if wide else ''}", "bold warn")]))
    groups.append((2, _fingerprint(view)))
    return groups


def _profile(engine: EngineState) -> tuple[int, list[Span]]:
    """Returns the profile in use; a profile other than the default is highlighted, since it changes answers."""
    if engine.has_usual_profile:
        return 6, [("profile ", "muted"), (engine.profile, "text")]
    return 9, [("profile ", "muted"), (engine.profile, "bold accent")]


def _watching(view: View, glyphs: Glyphs, wide: bool) -> list[Span]:
    if not view.watch.active:
        why = f": {view.watch.why}" if wide else ""
        return [(f"{glyphs.cross} ", "warn"), (f"not watching{why}", "warn")]
    if view.watch.catching_up:
        return [(f"{glyphs.watching} ", "warn"), ("catching up", "warn")]
    if view.watch.poll_s:
        return [(f"{glyphs.watching} ", "warn"), (f"polling every {seconds(view.watch.poll_s)}", "warn")]
    return [(f"{glyphs.watching} ", "ok"), ("watching", "text")]


def _model(view: View) -> tuple[int, list[Span]]:
    if view.model.live is None:
        return 3, [("model ", "muted"), (view.model.name or "none", "text")]
    return 9, [(f"{'stopping' if view.model.live.cancelling else 'Esc stops'} {view.model.name}", "warn")]


def _fingerprint(view: View) -> list[Span]:
    from brvtui.trace.routing import FingerprintState

    traced = view.answer.trace.find(FingerprintState) if view.answer.trace is not None else None
    state = view.cache.seen.fingerprint if view.cache.seen is not None else traced
    if state is None:
        value = view.project.overview.fingerprint if view.project.overview else ""
        return [("tree ", "muted"), (value[:6], "text")]
    held = " held" if state.held else ""
    spans: list[Span] = [("tree ", "muted"), (state.value[:6], "text"), (held, "muted")]
    if state.value != state.current:
        spans.append((" (old)", "warn"))
    return spans


def _opening(view: View) -> str:
    if view.project.phase is Phase.FAILED:
        return "nothing is open"
    if not view.project.total:
        return "opening the project…"
    return (
        f"reading {view.project.done / view.project.total:.0%}"
        if view.project.done < view.project.total
        else "indexing…"
    )
