"""Note: the selected note, rendered or as it is, with links that can be followed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.timer import Timer

from brvtui.app.actions.panes import NOTE
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import NoteState, Phase, ProjectState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.lines import empty_lines
from brvtui.app.widgets.pane import Pane
from brvtui.paint.answers import HIGHLIGHT, marker
from brvtui.paint.line import Line, Span, lit, painted

if TYPE_CHECKING:
    from brvtui.app.notes.markdown import Document, LinkTarget, Placed
    from brvtui.lab.about import About, Around
    from brvtui.paint.flow import Spot

_LATE_S = 0.15
"""A note that is not there by then is said to be on its way; until then the one before stays."""
_NOT_SAVED = "the text of the note is not saved with the trace: open its project to read it"
_LINK_HERE = "bold reverse accent"


@dataclass(frozen=True)
class RenderRequest:
    """A note to render in ``width`` cells, or to show as the ``raw`` text that it is."""

    page: About
    width: int
    raw: bool


class NotePane(Pane):
    """The selected note: frontmatter as a table, markdown rendered; set in a thread, painted row by row."""

    TITLE = "Note"
    READS = (NoteState, SelectionState, ProjectState)
    HELP_TEXT = (
        "The selected note: frontmatter as a table, then its text. Terms of the current query are underlined. ] and [ "
        "go from link to link, Enter follows one: relations, entries of related, links to other notes and within this "
        "one. b goes back to the note before, B forward again. r shows the text as it is in the file. / finds words."
    )
    BINDINGS = bindings(NOTE)

    @dataclass
    class PageWanted(Message):
        """What is known of a note by itself is to be read."""

        file: str

    def __init__(self, *, id: str) -> None:
        """A pane without a note."""
        super().__init__(id=id)
        self.raw = False
        self.link = -1
        """The link that Enter follows, among those of the note; -1 for none."""
        self.document: Document | None = None
        self.rendered: RenderRequest | None = None
        """What the lines are made from."""
        self._requested: RenderRequest | None = None
        self._late = False
        self._timer: Timer | None = None
        self._part = ""
        self._left_at = 0
        self._terms: re.Pattern[str] | None = None
        self._terms_of: object = None

    def also_reads(self) -> tuple[object, ...]:
        """How the note is shown."""
        return (self.document, self.raw, self._late, *super().also_reads())

    def heading(self, view: View) -> str:
        """The note's path, and that its text is shown as it is."""
        if self.rendered is None or not view.selection.file:
            return "Note"
        return f"Note · {self.rendered.page.path}{' · raw' if self.rendered.raw else ''}"

    @property
    def note(self) -> str:
        """The note that is shown."""
        return self.view.selection.file

    # setting

    def update(self, view: View) -> None:
        """Takes over the terms of another query."""
        if view.answered is not self._terms_of:
            self._terms_of = view.answered
            self._terms = marker(view.presentation.words(view.answered)) if view.answered is not None else None
            self.repaint()
        super().update(view)

    def build(self, view: View, width: int) -> Sequence[Line]:
        """The lines of the selected note, or what is missing."""
        if not view.selection.file:
            return self._without(view, width)
        if view.project.saved:
            return empty_lines(_NOT_SAVED, width)
        page = view.note.page
        if page is None or page.path != view.selection.file:
            return self._meanwhile(width)
        request = RenderRequest(page, width, self.raw)
        if request == self.rendered and self.document is not None:
            self._arrived()
            return self.document.lines
        if request != self._requested:
            self._requested = request
            self._set(request)
        return self._meanwhile(width)

    def lacks(self, view: View) -> Iterable[Message]:
        """What is known of the selected note, unless it is known of the newest tree."""
        if view.selection.file and not view.project.saved and not is_of_now(view.note.page, view):
            yield self.PageWanted(view.selection.file)

    def _without(self, view: View, width: int) -> list[Line]:
        self.document = self.rendered = self._requested = None
        self._arrived()
        texts = {Phase.FAILED: view.project.problem, Phase.LOADING: "reading the tree…"}
        return empty_lines(texts.get(view.project.phase, "no note is selected"), width)

    def _meanwhile(self, width: int) -> Sequence[Line]:
        # A note that is only read again stays, or else its place would be lost with it.
        reads_again = self.rendered is not None and self.rendered.page.path == self.view.selection.file
        if self._late and not reads_again:
            return empty_lines("reading the note…", width)
        if self._timer is None:
            self._timer = self.set_timer(_LATE_S, self._be_late)
        return self.lines

    def _be_late(self) -> None:
        self._timer = None
        self._late = True
        self.rebuild()

    def _arrived(self) -> None:
        self._late = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _set(self, request: RenderRequest) -> None:
        """Renders a note in a worker."""

        def render() -> Document:
            from brvtui.app.notes.reading import page_document

            return page_document(request.page, request.width, request.raw)

        run = self.services.background.run
        run(render, partial(self._was_set, request), group="set", exclusive=True, owner=self)

    def _was_set(self, request: RenderRequest, document: Document) -> None:
        if request != self._requested:
            return
        before, self.rendered, self.document = self.rendered, request, document
        if before is None or before.page.path != self.rendered.page.path:
            self.link = -1
            self.offset_row = 0
        elif before.page.problem != self.rendered.page.problem:
            # A text that is not to be had has no place to be at: it is kept until the text is back.
            self.offset_row, self._left_at = self._left_at, self.offset_row
        self.repaint()
        self.rebuild()
        if self._part:
            self._show_part()

    # painting

    def spans(self, number: int) -> Sequence[Span]:
        """The line with the query's terms, what the filter matches, and the link at hand lit."""
        spans = super().spans(number)
        if self._terms is not None and not self.word_filter:
            spans = lit(spans, self._terms, HIGHLIGHT)
        here = [(spot.start, spot.end, _LINK_HERE) for spot in self._spots(self.link) if spot.line == number]
        return painted(spans, here) if here else spans

    def lowered(self, lines: Sequence[Line]) -> Sequence[str]:
        """The texts of the lines in lower case, made where the note was set."""
        known = self.document is not None and lines is self.document.lines
        return self.document.low if self.document is not None and known else super().lowered(lines)

    def _spots(self, link: int) -> Sequence[Spot]:
        return self.links[link].spots if 0 <= link < len(self.links) else ()

    # links

    @property
    def links(self) -> Sequence[Placed]:
        """The links of the note, in their order."""
        return self.document.links if self.document is not None else ()

    def action_link(self, step: int) -> None:
        """The next link, or the one before, beginning with what is seen; after the last comes the first."""
        count = len(self.links)
        if not count:
            self.notify("this note links to nothing", timeout=2)
            return
        if not any(self._is_seen(spot.line) for spot in self._spots(self.link)):
            seen = [place for place, link in enumerate(self.links) if any(self._is_seen(s.line) for s in link.spots)]
            self.link = (seen[0] if step > 0 else seen[-1]) if seen else self._nearest(step)
        else:
            self.link = (self.link + step) % count
        self._reveal_link()
        self.repaint()

    def _nearest(self, step: int) -> int:
        below = (place for place, link in enumerate(self.links) if link.spots and link.spots[0].line > self.offset_row)
        first = next(below, 0)
        return first if step > 0 else (first - 1) % len(self.links)

    def _is_seen(self, line: int) -> bool:
        return self.offset_row <= line < self.offset_row + self.rows

    def _reveal_link(self) -> None:
        spots = self.links[self.link].spots
        if spots and not self._is_seen(spots[0].line):
            self.scroll_to_row(spots[0].line - self.rows // 3)

    def action_follow(self) -> None:
        """Goes where the link at hand leads."""
        if 0 <= self.link < len(self.links):
            self.follow(self.links[self.link].target)
        elif self.links:
            self.action_link(1)

    def follow(self, target: LinkTarget) -> None:
        """Goes to ``target``, or says why that cannot be."""
        if target.why_not:
            self.notify(f"this link leads nowhere: {target.why_not}", severity="warning", timeout=4)
        elif target.outside:
            self.notify(f"not a note of this tree: {target.outside}", timeout=6)
        elif not target.path or target.path == self.view.selection.file:
            self._part = target.part
            self._show_part()
        else:
            self._part = target.part
            self.post_message(self.LinkFollowed(target.path))

    def _show_part(self) -> None:
        part, self._part = self._part, ""
        if self.document is not None and part in self.document.parts:
            self.scroll_to_row(self.document.parts[part])

    async def on_click(self, event: events.Click) -> None:
        """A click on a link follows it."""
        content = event.get_content_offset(self)
        number = self.line_at(content.y) if content is not None else -1
        if content is None or not 0 <= number < len(self.lines):
            return
        place = character_at(self.lines[number].plain, content.x)
        for count, link in enumerate(self.links):
            if any(spot.line == number and spot.start <= place < spot.end for spot in link.spots):
                self.link = count
                self.repaint()
                self.follow(link.target)
                return

    def action_raw(self) -> None:
        """Shows the text as it is in the file, or rendered."""
        self.raw = not self.raw
        self.link = -1
        self.rebuild()


def is_of_now(known: About | Around | None, view: View) -> bool:
    """Whether ``known`` is of the selected note as the newest tree has it."""
    generation = view.project.overview.generation if view.project.overview is not None else 0
    return known is not None and known.path == view.selection.file and known.generation >= generation


def character_at(text: str, cell: int) -> int:
    """Which character of ``text`` is drawn in ``cell``; its length when that is beyond the end."""
    used = 0
    for place, char in enumerate(text):
        used += cell_len(char)
        if cell < used:
            return place
    return len(text)
