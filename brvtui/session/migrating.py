"""What a migration of an open project to ByteRover V4 would change. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brvtui.engines.contract import LONGEST_QUERY, EngineError, Query
from brvtui.engines.migration import MigratedNote, MigratedTree, Migrates
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.migration import (
    AnswerChange,
    MigratedAnswer,
    migrated_answer,
)
from brvtui.tree.reading.files import UnseenFile
from brvtui.tree.reading.kinds import SPACE

if TYPE_CHECKING:
    from brvtui.session.session import Session

_MOST_LOGGED = 200
JUDGED, LOGGED, GIVEN = "judged", "logged", "given"


@dataclass(frozen=True, slots=True)
class MigrationReport:
    """A context tree beside the space that a migration would make of it, and both of their answers."""

    project: str
    now: str
    notes: tuple[MigratedNote, ...]
    answers: tuple[MigratedAnswer, ...]
    left: tuple[UnseenFile, ...]
    """Files that cannot be read."""
    shared_sources: tuple[str, ...]
    """The names of shared sources, which V4 does not have."""

    @property
    def changes(self) -> dict[AnswerChange, int]:
        """How many answers change in which way, worst first."""
        counts = Counter(answer.change for answer in self.answers)
        return {change: counts[change] for change in AnswerChange if counts[change]}

    @property
    def is_worse(self) -> bool:
        """Whether a query loses the note that is first now."""
        return any(answer.change in _LOSSES for answer in self.answers)


ONLY_TREES = "only a context tree of ByteRover 3 can be migrated; open one, such as the folder with .brv"
"""Why what is open cannot be migrated."""
_LOSSES = (AnswerChange.NOTHING_FOUND, AnswerChange.FIRST_GONE)
Asked = tuple[Judgment, str]
"""A query, and where it comes from."""


def migrated(session: Session) -> MigratedTree:
    """The space that a migration would make of the tree of ``session`` now.

    Raises :class:`brvtui.engines.contract.EngineError` where no context tree is open.
    """
    if not session.kind.can_vary:
        raise EngineError(ONLY_TREES)
    engine = session.engines.named(SPACE.engine)
    assert isinstance(engine, Migrates)
    return engine.migrated(session.snapshot, session.clock(), session.project.name, engine.constants())


def asked_queries(session: Session, given: Sequence[str] = ()) -> list[Asked]:
    """The queries ``given``; without any, those that are judged, then those that are logged, each once.

    Logged queries that are too long to be asked are left out.

    Raises :class:`brvtui.lab.judgments.model.JudgmentsError`.
    """
    if given:
        return [(Judgment(str(number), text), GIVEN) for number, text in enumerate(given, 1)]
    made = [(judgment, JUDGED) for judgment in JudgmentsFile.of(session.project).read()]
    known = {(judgment.text.strip().lower(), judgment.scope) for judgment, _ in made}
    for number, entry in enumerate(session.logbook.read(_MOST_LOGGED), 1):
        key = (entry.query.strip().lower(), entry.scope)
        can_be_asked = entry.query.strip() and len(entry.query) <= LONGEST_QUERY
        if entry.engine == session.kind.native and key not in known and can_be_asked:
            known.add(key)
            made.append((Judgment(f"log-{number}", entry.query, entry.scope), LOGGED))
    return made


def answers_of(session: Session, tree: MigratedTree, asked: Sequence[Asked]) -> Iterator[MigratedAnswer]:
    """The answers of both engines to each query of ``asked``, with no effect.

    Raises :class:`brvtui.engines.contract.EngineError`.
    """
    engine, context = session.engines.named(session.kind.native), session.engines.context(session.kind.native)
    notes = {note.topic: note.note for note in tree.notes}
    for judgment, source in asked:
        before = engine.answer(context, Query(judgment.text, judgment.scope))
        yield migrated_answer(judgment, source, before, tree, notes, context.now_ms)


def migration_report(session: Session, asked: Sequence[Asked], tree: MigratedTree | None = None) -> MigrationReport:
    """What a migration would change: every note, and the answer to each query of ``asked``.

    ``tree`` is what :func:`migrated` returned, where that is known. Raises as that and :func:`answers_of`.
    """
    tree = tree or migrated(session)
    answers = list(answers_of(session, tree, asked))
    context = session.engines.context(session.kind.native)
    sources = tuple(source.alias for source in session.project.sources)
    clock = context.snapshot_info.clock
    return MigrationReport(session.project.name, clock, tree.notes, tuple(answers), tree.left, sources)
