"""The effects of migrating an open project to ByteRover V4. Writes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query
from brvtui.engines.migration import MigratedNote, MigratedTree, Migrates
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.migration import AnswerChange, MigratedAnswer, migrated_answer
from brvtui.tree.reading.files import UnseenFile
from brvtui.tree.reading.kinds import SPACE

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_LOGGED = 200
JUDGED, LOGGED, GIVEN = "judged", "logged", "given"


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """A context tree and the space that a migration would create from it, with both engines' answers."""

    project: str
    now: str
    notes: tuple[MigratedNote, ...]
    answers: tuple[MigratedAnswer, ...]
    left: tuple[UnseenFile, ...]
    """Files that cannot be read."""
    shared_sources: tuple[str, ...]
    """The names of shared sources, which V4 does not support."""

    @property
    def changes(self) -> dict[AnswerChange, int]:
        """The number of answers with each kind of change, worst first."""
        counts = Counter(answer.change for answer in self.answers)
        return {change: counts[change] for change in AnswerChange if counts[change]}

    @property
    def is_worse(self) -> bool:
        """True if a query would lose the note that is now first."""
        return any(answer.change in _LOSSES for answer in self.answers)


ONLY_TREES = "only a ByteRover 3 context tree can be migrated; open the folder that contains its .brv"
"""The reason why a project cannot be migrated."""
_LOSSES = (AnswerChange.NOTHING_FOUND, AnswerChange.FIRST_GONE)
EngineRequest = tuple[Judgment, str]
"""A query in the form of a judgment, and the source of the query."""


def migrated(session: Session) -> MigratedTree:
    """The space that a migration would now create from the tree of ``session``.

    Raises :class:`brvtui.engines.contract.EngineError` if the project is not a context tree, or its tree is a link that
    is not read.
    """
    if not session.kind.can_vary:
        raise EngineError(ONLY_TREES)
    if session.project.link and not session.profile.limits.linked_trees:
        raise EngineError(session.project.link)
    engine = session.engines.named(SPACE.engine)
    assert isinstance(engine, Migrates)
    return engine.migrated(session.snapshot, session.clock(), session.project.name, engine.constants())


def asked_queries(session: Session, given: Sequence[str] = (), judged: Sequence[Judgment] = ()) -> list[EngineRequest]:
    """The queries ``given``; if there are none, the queries ``judged`` and then the logged ones, each once.

    Logged queries that are too long to run are left out.
    """
    if given:
        return [(Judgment(str(number), text), GIVEN) for number, text in enumerate(given, 1)]
    queries = [(judgment, JUDGED) for judgment in judged]
    known = {(judgment.text.strip().lower(), judgment.scope) for judgment, _ in queries}
    for number, entry in enumerate(session.logbook.read(_MOST_LOGGED), 1):
        key = (entry.query.strip().lower(), entry.scope)
        can_be_asked = entry.query.strip() and len(entry.query) <= LONGEST_QUERY
        if entry.engine == session.kind.native and key not in known and can_be_asked:
            known.add(key)
            queries.append((Judgment(f"log-{number}", entry.query, entry.scope), LOGGED))
    return queries


def answers_of(session: Session, tree: MigratedTree, asked: Sequence[EngineRequest]) -> Iterator[MigratedAnswer]:
    """Yields both engines' answers to each of the queries ``asked``, without side effects.

    Raises :class:`brvtui.engines.contract.EngineError`.
    """
    engine, context = session.engines.named(session.kind.native), session.engines.context(session.kind.native)
    notes = {note.topic: note.note for note in tree.notes}
    for judgment, source in asked:
        before = engine.answer(context, Query(judgment.text, judgment.scope))
        yield migrated_answer(judgment, source, before, tree, notes, context.now_ms)


def migration_report(
    session: Session, asked: Sequence[EngineRequest], tree: MigratedTree | None = None
) -> MigrationReport:
    """The effects of a migration on every note and on the answers to the queries ``asked``.

    ``tree`` may be an earlier result of :func:`migrated`. Raises the exceptions of :func:`migrated` and
    :func:`answers_of`.
    """
    tree = tree or migrated(session)
    answers = list(answers_of(session, tree, asked))
    context = session.engines.context(session.kind.native)
    sources = tuple(source.alias for source in session.project.sources)
    clock = context.snapshot_info.clock
    return MigrationReport(session.project.name, clock, tree.notes, tuple(answers), tree.left, sources)
