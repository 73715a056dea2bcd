"""The Terms pane: the words of the notes, with their frequencies, spellings and neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, get_args

from textual.binding import BindingType
from textual.message import Message

from brvtui.app.actions.panes import TERMS
from brvtui.app.health.checks import SessionRequest
from brvtui.app.keys.bindings import bindings
from brvtui.app.states import ProjectState
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import NOTHING, ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.lab.terms import Order, Term, TermDetails, terms_of
from brvtui.paint.line import Line, line
from brvtui.report.terms import TERM_COLUMNS, detail_lines, term_line
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session import Session

_WHY = " A query finds a note by the words that both contain. Rare words count most."
_NOTE = "note "
"""The beginning of the choices that are notes; terms contain no spaces."""
_MOST_TERMS, _MOST_ROWS = 500, 200


_Query = tuple[int, str, Order, str]
"""The inputs of a search for terms: the snapshot's generation, the filter, the order, and the opened term."""


class _FoundTerms(NamedTuple):
    """The first terms for ``query``, the number of all that match, the number of notes, and the details of one."""

    query: _Query
    terms: Sequence[Term]
    total: int
    notes: int
    details: TermDetails | None


class TermsPane(ChoicePane):
    """A row for each term. The opened term also shows its other spellings, its neighbours and its notes."""

    TITLE = "Terms"
    READS = (ProjectState,)
    HELP_TEXT = (
        "This pane lists the words of all notes as ByteRover's index contains them. df is the number of notes with a "
        "word, cf the number of its occurrences, and idf its weight in a search. {terms.take} opens a word: its other "
        "spellings, which split a topic, the words that a query for it also finds, and its notes. {pane.filter} "
        "followed by part of a word filters the list; brv-tui terms --only split lists the words that notes also write "
        "as two."
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(TERMS)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._order: Order = "df"
        self._opened = ""
        self._found: _FoundTerms | None = None

    def also_reads(self) -> tuple[object, ...]:
        """Returns the found terms and the settings of the list, which are not in the view."""
        return (self._found, self._order, self._opened, *super().also_reads())

    def lacks(self, view: View) -> Iterator[Message]:
        """Yields a request for the terms."""
        generation, words = view.project.generation, "".join(self.word_filter.words)
        query = generation, words, self._order, self._opened
        if generation and (self._found is None or self._found.query != query):
            yield SessionRequest("terms", partial(_find_terms, query), self._show)

    def _show(self, found: _FoundTerms) -> None:
        self._found = found
        self.rebuild()

    def heading(self, view: View) -> str:
        """Returns the title with the number of terms and the order."""
        if self._found is None:
            return self.TITLE
        return f"{self.TITLE} · {counted(self._found.total, 'term', 'terms')} by {self._order}"

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line about the use of the list, the column names, the terms, and the details of the opened term."""
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
                self._add_details(lines, self._found, width)
        if not self._found.terms:
            self.add_rows(lines, wrapped(NOTHING, width))
        if more := self._found.total - len(self._found.terms):
            self.add_rows(lines, wrapped(f"{more} more: filter the list to see them", width))
        self.cursor = self.choices.index(before) if before in self.choices else 0
        return lines

    def _add_details(self, lines: list[Line], found: _FoundTerms, width: int) -> None:
        if found.details is None or found.query[-1] != self._opened:
            self.add_rows(lines, [line("   reading…", "muted")])
        else:
            self.add_rows(lines, [*detail_lines(found.details._replace(paths=()), width)])
            self.add_rows(lines, [line(" Notes with it", "bold muted")])
            for path in found.details.paths:
                self.add_rows(lines, [line(f"   {path}", "accent").cut(width)], f"{_NOTE}{path}")

    def filtered(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Returns ``lines`` unchanged, since :meth:`lacks` requested only matching terms."""
        self.all = len(self.choices)
        return lines

    def tally(self) -> str:
        """Returns an empty string, since the title already contains the number of terms."""
        return ""

    def action_take(self) -> None:
        """Opens or closes the selected term, or goes to the selected note."""
        if self.chosen.startswith(_NOTE):
            self.post_message(self.NoteWanted(self.chosen.removeprefix(_NOTE)))
            return
        self._opened = "" if self._opened == self.chosen else self.chosen
        self.rebuild()

    def action_order(self) -> None:
        """Sorts by the next key."""
        orders: tuple[Order, ...] = get_args(Order)
        self._order = orders[(orders.index(self._order) + 1) % len(orders)]
        self.rebuild()


def _find_terms(query: _Query, session: Session) -> _FoundTerms:
    (_, text, order, opened), table = query, terms_of(session.snapshot)
    found, rules = table.find(text, order), session.engines.expansion_rules()
    details = table.details(opened, rules, _MOST_ROWS) if opened in table.by_name else None
    return _FoundTerms(query, found[:_MOST_TERMS], len(found), table.notes, details)
