"""Counts terms and cuts texts in workers, for the Terms and Tokens panes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.message import Message

from brvtui.app.project.project import Project
from brvtui.app.services import AppServices
from brvtui.app.workers import Newest

if TYPE_CHECKING:
    from brvtui.lab.terms import Order, Term, TermNeighbour, TermVariant
    from brvtui.session import Session

MOST_TERMS, _MOST_NEIGHBOURS, _MOST_PATHS = 500, 30, 200


class TermQuery(NamedTuple):
    """The terms to list: a part of them, their order, the only kind, and the generation of the snapshot."""

    generation: int
    text: str
    order: Order
    only: str


class FoundTerms(NamedTuple):
    """The first terms for ``query``, the number of all that match, and the number of notes."""

    query: TermQuery
    terms: tuple[Term, ...]
    total: int
    notes: int


class TermDetails(NamedTuple):
    """The neighbours, other spellings and notes of one term in the snapshot with this ``generation``."""

    generation: int
    term: str
    neighbours: tuple[TermNeighbour, ...] = ()
    variants: tuple[TermVariant, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass
class WordsWanted(Message):
    """Posted to run ``find`` in a worker and to pass its result to ``show``. Only the newest of a ``group`` is run."""

    group: str
    find: Callable[[Session], Any]
    show: Callable[[Any], None]


class Words:
    """Runs the requests of the panes, one of each group at a time."""

    def __init__(self, services: AppServices, project: Project) -> None:
        self._services, self._project = services, project
        self._newest: dict[str, Newest[WordsWanted]] = {}

    def want(self, request: WordsWanted) -> None:
        """Runs ``request`` as soon as the earlier request of its group has ended."""
        self._newest.setdefault(request.group, Newest(self._begin)).want(request)

    def _begin(self, request: WordsWanted) -> None:
        session, finished = self._project.session, self._newest[request.group].finished
        if session is None:
            finished()
            return
        task = partial(request.find, session)
        self._services.background.run(task, request.show, group=request.group, on_end=finished)


def find_terms(query: TermQuery, session: Session) -> FoundTerms:
    """The first terms of the current snapshot for ``query``. Reads all notes if only split terms are wanted."""
    from brvtui.lab.terms import terms_of

    table = terms_of(session.snapshot)
    found = table.find(query.text, query.order, query.only)
    return FoundTerms(query, tuple(found[:MOST_TERMS]), len(found), table.notes)


def find_details(generation: int, term: str, session: Session) -> TermDetails:
    """The details of ``term`` in the current snapshot; empty if it no longer contains the term."""
    from brvtui.lab.terms import terms_of

    table = terms_of(session.snapshot)
    if term not in table.by_name:
        return TermDetails(generation, term)
    neighbours = table.neighbours(term, session.engines.expansion_rules())[:_MOST_NEIGHBOURS]
    paths = table.notes_with(term)[:_MOST_PATHS]
    return TermDetails(generation, term, tuple(neighbours), tuple(table.variants(term)), paths)
