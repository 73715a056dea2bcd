"""The Terms pane: the words of the notes, with their frequencies, spellings and neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, get_args

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import TERMS
from brvtui.app.health.words import FoundTerms, TermDetails, TermQuery, WordsWanted, find_details, find_terms
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.lab.terms import Order
from brvtui.paint.line import Line, line
from brvtui.report.terms import TERM_COLUMNS, detail_lines, term_line
from brvtui.wording import counted

_WHY = " A query finds a note by the words that both contain, and rare words weigh most."
_KINDS = ("", "common", "rare", "split")
_NOTE = "note "
"""The beginning of the choices that are notes; terms contain no spaces."""


class TermsPane(ChoicePane):
    """A row for each term. The opened term also shows its other spellings, its neighbours and its notes."""

    TITLE = "Terms"
    READS = (ProjectState,)
    HELP_TEXT = (
        "This pane lists the words of all notes as ByteRover's index contains them. df is the number of notes with a "
        "word, cf the number of its occurrences, and idf its weight in a search. {terms.take} opens a word: its other "
        "spellings, which split a topic, the words that a query for it also finds, and its notes. {pane.filter} and a "
        "part of a word filters the list. {terms.only} shows only words in more than half of the notes, in one note, "
        "or also written as two words (webhook, web hook)."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(TERMS)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._order: Order = "df"
        self._only, self._opened = "", ""
        self._found: FoundTerms | None = None
        self._details: TermDetails | None = None

    def also_reads(self) -> tuple[object, ...]:
        """Returns the found terms and the settings of the list, which are not in the view."""
        return (self._found, self._details, self._order, self._only, self._opened, *super().also_reads())

    def lacks(self, view: View) -> Iterator[Message]:
        """Yields requests for the terms, and for the details of the opened one."""
        generation, details = view.project.generation, self._details
        query = TermQuery(generation, "".join(self.word_filter.words), self._order, self._only)
        if generation and (self._found is None or self._found.query != query):
            yield WordsWanted("terms", partial(find_terms, query), self._show)
        if self._opened and (details is None or details[:2] != (generation, self._opened)):
            yield WordsWanted("term", partial(find_details, generation, self._opened), self._show_details)

    def _show(self, found: FoundTerms) -> None:
        self._found = found
        self.rebuild()

    def _show_details(self, details: TermDetails) -> None:
        self._details = details
        self.rebuild()

    def heading(self, view: View) -> str:
        """Returns the title with the number of terms and the order."""
        if self._found is None:
            return self.TITLE
        kind = f"{self._only} " if self._only else ""
        return f"{self.TITLE} · {counted(self._found.total, f'{kind}term', f'{kind}terms')} by {self._order}"

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the reason to look, the column names, the terms, and the details of the opened term."""
        before = self.chosen
        self.choices, self.owner, self.pinned, lines = [], [], 0, list[Line]()
        if self._found is None:
            return wrapped("a saved trace: open its project" if view.project.saved else "counting the words…", width)
        self.pinned = 2
        self.add_rows(lines, [line(_WHY, "muted").cut(width)])
        self.add_rows(lines, [line(TERM_COLUMNS, "faint").cut(width)])
        for term in self._found.terms:
            self.add_rows(lines, [term_line(term, self._found.notes).cut(width)], term.term)
            if term.term == self._opened:
                self._add_details(lines, width)
        if not self._found.terms:
            self.add_rows(lines, wrapped("no such term: clear the filter, or show all terms", width))
        if self._found.total > len(self._found.terms):
            more = self._found.total - len(self._found.terms)
            self.add_rows(lines, wrapped(f"{more} more: filter the list to see them", width))
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines

    def _add_details(self, lines: list[Line], width: int) -> None:
        details = self._details
        if details is None or details.term != self._opened:
            self.add_rows(lines, [line("   reading…", "muted")])
            return
        self.add_rows(lines, [*detail_lines(details.neighbours, details.variants, (), width)])
        self.add_rows(lines, [line(" Notes with it", "bold muted")])
        for path in details.paths:
            self.add_rows(lines, [line(f"   {path}", "accent").cut(width)], f"{_NOTE}{path}")

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns ``lines``, which :meth:`lacks` has already had filtered."""
        self.all = len(self.choices)
        return lines

    def tally(self) -> str:
        """Returns the number of matching terms; empty without a filter."""
        return counted(self._found.total, "term", "terms") if self.word_filter and self._found is not None else ""

    def action_take(self) -> None:
        """Opens or closes the selected term, or goes to the selected note."""
        if self.chosen.startswith(_NOTE):
            self.post_message(self.NoteWanted(self.chosen.removeprefix(_NOTE)))
            return
        self._opened = "" if self._opened == self.chosen else self.chosen
        self.rebuild()
        self.reveal()

    def action_order(self) -> None:
        """Sorts by the next key."""
        orders: tuple[Order, ...] = get_args(Order)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self.rebuild()

    def action_only(self) -> None:
        """Shows all terms, or only common, rare or split ones."""
        self._only = _KINDS[(_KINDS.index(self._only) + 1) % len(_KINDS)]
        self.rebuild()
