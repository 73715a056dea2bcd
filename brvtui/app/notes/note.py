"""The Note pane: the selected note, rendered or raw, with links to follow."""

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
from brvtui.app.project.selection import NOT_SAVED
from brvtui.app.states import NoteState, Phase, ProjectState, SelectionState
from brvtui.app.view import View
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.pane import Pane
from brvtui.app.workers import is_cancelled
from brvtui.paint.blocks import HIGHLIGHT, marker
from brvtui.paint.line import Line, Span, lit, painted

if TYPE_CHECKING:
    from brvtui.app.markdown import Document, LinkTarget, PlacedLink
    from brvtui.lab.about import About, FileSurroundings
    from brvtui.paint.flow import Spot

_WAIT_S = 0.15
"""The delay in seconds before the pane shows that it is waiting; until then it shows the previous note."""
_LINK_HERE = "bold reverse accent"
_FIELDS_HEADING = " ┄┄ frontmatter"
"""The beginning of the line above the frontmatter, whether it is folded or not."""


@dataclass(frozen=True)
class RenderRequest:
    """A note to render in ``width`` cells, or to show as ``raw`` text."""

    page: About
    width: int
    raw: bool
    folded: str
    """The hint that replaces the frontmatter; empty to show the frontmatter."""


class NotePane(Pane):
    """Shows the selected note, rendered in a worker and painted row by row."""

    TITLE = "Note"
    READS = (NoteState, SelectionState, ProjectState)
    HELP_TEXT = (
        "This pane shows the selected note. Press {note.fields}, or click its heading, to show its frontmatter as a "
        "table. The words of the current query are underlined. Press {note.next_link} or {note.link_before} to go to "
        "the next or previous link, and Enter to follow it. Links are relations, entries in the field “related”, and "
        "links to other notes or within this one. Press {notes.back} to go back to the previous note, and "
        "{notes.forward} to go forward again. Press {note.raw} to see the text as it is in the file, and "
        "{pane.filter} to find words."
    )
    BINDINGS = bindings(NOTE)

    @dataclass
    class PageWanted(Message):
        """Posted to request the page of a note: its text and the facts about it."""

        file: str

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.raw, self.is_folded = False, True
        self.link = -1
        """The index of the current link, which Enter follows; -1 for none."""
        self.document: Document | None = None
        self.rendered: RenderRequest | None = None
        """The request that the rendered lines belong to."""
        self._requested: RenderRequest | None = None
        self._waits = False
        """True if the pane shows that it is waiting."""
        self._wait_timer: Timer | None = None
        self._fragment = ""
        """The heading that the pane scrolls to when the note is rendered."""
        self._last_offset = 0
        """The scroll offset of the text, kept while a problem is shown instead."""
        self._terms: re.Pattern[str] | None = None
        self._terms_of: object = None
        """The answer whose query terms are highlighted."""

    def also_reads(self) -> tuple[object, ...]:
        """Returns the inputs of :meth:`build` that are not in the view, including the document and the mode."""
        return (self.document, self.raw, self.is_folded, self._waits, *super().also_reads())

    def heading(self, view: View) -> str:
        """Returns the note's path, and a mark if the raw text is shown."""
        if self.rendered is None or not view.selection.file:
            return "Note"
        return f"{view.worded('Note')}{', raw' if self.rendered.raw else ''} · {self.rendered.page.path}"

    @property
    def note(self) -> str:
        """The path of the displayed note, or its new path if another program has moved it."""
        page = self.view.note.page
        is_moved = page is not None and page.path == self.view.selection.file and page.moved_to
        return page.moved_to if page is not None and is_moved else self.view.selection.file

    # rendering

    def update(self, view: View) -> None:
        """Shows ``view`` and highlights the terms of its query."""
        if view.answered is not self._terms_of:
            self._terms_of = view.answered
            self._terms = marker(view.presentation.words(view.answered)) if view.answered is not None else None
            self.repaint()
        super().update(view)

    def build(self, view: View, width: int) -> Sequence[Line]:
        """Returns the lines of the selected note, or a message if it is missing."""
        if not view.selection.file:
            return self._no_note(view, width)
        if view.project.saved:
            return wrapped(NOT_SAVED, width)
        page = view.note.page
        if page is None or page.path != view.selection.file:
            return self._placeholder(width)
        is_folded = self.is_folded and not self.raw and not self.word_filter
        request = RenderRequest(
            page, width, self.raw, self.services.with_keys("{note.fields} in this pane shows it") if is_folded else ""
        )
        if request == self.rendered and self.document is not None:
            self._end_wait()
            return self.document.lines
        if request != self._requested:
            self._requested = request
            self._begin_rendering(request)
        return self._placeholder(width)

    def lacks(self, view: View) -> Iterable[Message]:
        """Requests the page of the selected note, unless it is up to date."""
        if view.selection.file and not view.project.saved and not is_current(view.note.page, view):
            yield self.PageWanted(view.selection.file)

    def _no_note(self, view: View, width: int) -> list[Line]:
        self.document = self.rendered = self._requested = None
        self._end_wait()
        texts = {Phase.FAILED: view.project.problem, Phase.LOADING: "reading the tree…"}
        overview, empty = view.project.overview, "no note is selected"
        listed = [root for root in overview.roots if not root.aside] if overview is not None else []
        if listed:
            has_folder = any(root.is_folder for root in listed)
            how = "{tree.open} opens a folder" if has_folder else "{notes_tree.take} shows a note"
            empty += self.services.with_keys(f": in the tree, {how}")
        return wrapped(texts.get(view.project.phase, view.worded(empty)), width)

    def _placeholder(self, width: int) -> Sequence[Line]:
        # a note that is read again stays visible, which keeps its scroll offset
        reads_again = self.rendered is not None and self.rendered.page.path == self.view.selection.file
        if self._waits and not reads_again:
            return wrapped(self.view.worded("reading the note…"), width)
        if self._wait_timer is None:
            self._wait_timer = self.set_timer(_WAIT_S, self._begin_wait)
        return self.lines

    def _begin_wait(self) -> None:
        self._wait_timer = None
        self._waits = True
        self.rebuild()

    def _end_wait(self) -> None:
        self._waits = False
        if self._wait_timer is not None:
            self._wait_timer.stop()
            self._wait_timer = None

    def _begin_rendering(self, request: RenderRequest) -> None:
        def task() -> Document:
            from brvtui.app.notes.reading import page_document

            return page_document(request.page, request.width, request.raw, is_cancelled, request.folded)

        on_result = partial(self._page_rendered, request)
        self.services.background.run(task, on_result, group="render", exclusive=True, owner=self)

    def _page_rendered(self, request: RenderRequest, document: Document) -> None:
        if request != self._requested:
            return
        before, self.rendered, self.document = self.rendered, request, document
        if before is None or before.page.path != self.rendered.page.path:
            self.link = -1
            self.offset_row = 0
        elif before.page.problem != self.rendered.page.problem:
            # a problem does not scroll: the offset is kept until the text is back
            self.offset_row, self._last_offset = self._last_offset, self.offset_row
        self.repaint()
        self.rebuild()
        self.show_keys()  # some keys act only on links
        if self._fragment:
            self._show_fragment()

    # painting

    def spans(self, number: int) -> Sequence[Span]:
        """Returns a line with query terms or filter matches highlighted, and with the current link marked."""
        spans = super().spans(number)
        if self._terms is not None and not self.word_filter:
            spans = lit(spans, self._terms, HIGHLIGHT)
        here = [(spot.start, spot.end, _LINK_HERE) for spot in self._spots(self.link) if spot.line == number]
        return painted(spans, here) if here else spans

    def lowered(self, lines: Sequence[Line]) -> Sequence[str]:
        """Returns the lines in lower case, from the document if possible."""
        is_document = self.document is not None and lines is self.document.lines
        return self.document.lowered if self.document is not None and is_document else super().lowered(lines)

    def _spots(self, link: int) -> Sequence[Spot]:
        return self.links[link].spots if 0 <= link < len(self.links) else ()

    # links

    @property
    def links(self) -> Sequence[PlacedLink]:
        """The links of the note, in order."""
        return self.document.links if self.document is not None else ()

    @property
    def idle(self) -> frozenset[str]:
        """The actions that do nothing now: following a link and moving between links if there are none."""
        return frozenset() if self.links else frozenset({"note.follow", "note.next_link"})

    def action_link(self, step: int) -> None:
        """Moves to the next or previous link, or to a visible one if the current link is not visible; wraps around."""
        count = len(self.links)
        if not count:
            why = "this note has no links" if self.view.selection.file else "select a note first"
            self.notify(self.view.worded(why), timeout=2)
            return
        if not any(self._in_view(spot.line) for spot in self._spots(self.link)):
            in_view = [place for place, link in enumerate(self.links) if any(self._in_view(s.line) for s in link.spots)]
            self.link = (in_view[0] if step > 0 else in_view[-1]) if in_view else self._nearest(step)
        else:
            self.link = (self.link + step) % count
        self._reveal_link()
        self.repaint()

    def _nearest(self, step: int) -> int:
        below = (place for place, link in enumerate(self.links) if link.spots and link.spots[0].line > self.offset_row)
        first = next(below, 0)
        return first if step > 0 else (first - 1) % len(self.links)

    def _in_view(self, line: int) -> bool:
        return self.offset_row <= line < self.offset_row + self.rows

    def _reveal_link(self) -> None:
        spots = self.links[self.link].spots
        if spots and not self._in_view(spots[0].line):
            self.scroll_to_row(spots[0].line - self.rows // 3)

    def action_follow(self) -> None:
        """Follows the current link; without a current link, moves to the next link."""
        if 0 <= self.link < len(self.links):
            self.follow(self.links[self.link].target)
        elif self.links:
            self.action_link(1)

    def follow(self, target: LinkTarget) -> None:
        """Opens ``target``, or shows why it cannot be opened."""
        if target.broken:
            self.notify(f"this link leads nowhere: {target.broken}", severity="warning", timeout=4)
        elif target.outside:
            self.notify(f"not a note in this tree: {target.outside}", timeout=6)
        elif not target.path or target.path == self.view.selection.file:
            self._fragment = target.fragment
            self._show_fragment()
        else:
            self._fragment = target.fragment
            self.post_message(self.LinkFollowed(target.path))

    def _show_fragment(self) -> None:
        fragment, self._fragment = self._fragment, ""
        if self.document is not None and fragment in self.document.headings:
            self.scroll_to_row(self.document.headings[fragment])

    async def on_click(self, event: events.Click) -> None:
        """Follows the clicked link; clicking the heading of the frontmatter expands or collapses it."""
        content = event.get_content_offset(self)
        number = self.line_at(content.y) if content is not None else -1
        if content is None or not 0 <= number < len(self.lines):
            return
        headings = (place for place, row in enumerate(self.lines) if row.plain.startswith(_FIELDS_HEADING))
        if self._can_fold and number == next(headings, -1):
            self.action_fields()
        place = character_at(self.lines[number].plain, content.x)
        for count, link in enumerate(self.links):
            if any(spot.line == number and spot.start <= place < spot.end for spot in link.spots):
                self.link = count
                self.repaint()
                self.follow(link.target)
                return

    @property
    def _can_fold(self) -> bool:
        """True if the note is rendered with frontmatter, which a filter of words would unfold."""
        if self.rendered is None or self.rendered.raw or self.word_filter:
            return False
        page = self.rendered.page
        is_table = page.path.endswith(".md") and not page.problem and not page.frontmatter.problem
        return is_table and bool(page.frontmatter.fields)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables folding the frontmatter if there is none, or if it cannot be folded."""
        return self._can_fold if action == "fields" else super().check_action(action, parameters)

    def action_fields(self) -> None:
        """Shows or folds the frontmatter."""
        self.is_folded = not self.is_folded
        self.link = -1
        self.rebuild()

    def action_raw(self) -> None:
        """Switches between the rendered and the raw text."""
        self.raw = not self.raw
        self.link = -1
        self.rebuild()


def is_current(facts: About | FileSurroundings | None, view: View) -> bool:
    """True if ``facts`` describe the selected note in the displayed state of the tree or in a newer one."""
    generation = view.project.overview.generation if view.project.overview is not None else 0
    return facts is not None and facts.path == view.selection.file and facts.generation >= generation


def character_at(text: str, cell: int) -> int:
    """Returns the index of the character of ``text`` in ``cell``, or the length of ``text`` beyond its end."""
    used = 0
    for place, char in enumerate(text):
        used += cell_len(char)
        if cell < used:
            return place
    return len(text)
