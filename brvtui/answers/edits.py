"""Checks an edit before it is saved or committed: problems of the text, and the queries whose answers it changes."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from brvtui.engines.changes import FilesSet, NoChange, changed
from brvtui.engines.contract import EngineError, Query
from brvtui.engines.registry import without_state
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.evaluation.results import DEFAULT_METRICS, QueryResult
from brvtui.lab.judgments.model import FAILED, NOT_COVERED, is_id
from brvtui.loading.revised import content_on_disk, revised
from brvtui.notes.note_problems import problems_of, refused_name
from brvtui.ranking.decay import just_before_ms
from brvtui.session.held_notes import at_revision
from brvtui.session.remedies import effect_on, other_queries, results_in, time_limit
from brvtui.snapshot.naming import UnknownNote, find_note
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import Problem, Severity
from brvtui.tree.reading.inside import TOPIC_ENDING, PathError, folder_parts_of, parts_of
from brvtui.tree.reading.signals import defaults
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.engines.contract import Context
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot

MOST_QUERIES = 200
"""The maximum number of queries that run again, judged ones first."""
_SECONDS = 8.0
"""The time limit for running them, in seconds of computing, once before and once after the edit."""
_DIRECT = ("tier 0", "tier 1", "tier 2")
"""The outcomes that need no model."""


@dataclass(frozen=True, slots=True)
class ChangedQuery:
    """A query whose answer an edit changes."""

    query: str
    scope: str
    is_judged: bool
    """True for a judged query, False for a query in the log."""
    is_broken: bool
    """True if the answer got worse: a judged note fell, the answer was lost or needs a model now, or, if no note is
    judged, an edited note no longer leads.
    """
    text: str
    """The change in the outcome, the first result or the ranks of relevant notes."""


@dataclass(frozen=True, slots=True)
class EditReport:
    """The effects of edits of notes."""

    paths: tuple[str, ...]
    problems: Mapping[str, tuple[Problem, ...]]
    """The problems of each edited text, by path."""
    compared: int
    """The number of judged and logged queries that ran before and after the edit."""
    left_out: int
    """The number of queries that did not run because of the limits."""
    queries: tuple[ChangedQuery, ...]
    """The queries whose answer changes, broken ones first."""
    notice: str = ""
    """The reason why no query ran; empty if there is none."""

    @property
    def broken(self) -> tuple[ChangedQuery, ...]:
        """The queries whose answer got worse."""
        return tuple(one for one in self.queries if one.is_broken)

    @property
    def has_errors(self) -> bool:
        """True if a text has a problem that changes how the engine reads it."""
        return any(one.severity is Severity.ERROR for each in self.problems.values() for one in each)


def path_in_tree(session: Session, name: str) -> str:
    """The path below the tree of the note ``name``, which may be new.

    ``name`` is a path in the tree, in the project or on disk, or another name of an existing note. Raises
    :class:`brvtui.snapshot.naming.UnknownNote` for a path outside the tree, or with another ending.
    """
    snapshot, is_html = session.snapshot, session.kind.is_html
    tree = session.project.tree
    path = name.replace("\\", "/").strip()
    for folder in (tree, session.project.root):
        if path.startswith(f"{folder.as_posix()}/"):
            path = path.removeprefix(f"{folder.as_posix()}/")
    path = path.removeprefix("./").removeprefix(f"{tree.relative_to(session.project.root).as_posix()}/")
    with suppress(UnknownNote):
        return find_note(snapshot, path).path
    try:
        folder_parts_of(path) if is_html else parts_of(path)
    except PathError as error:
        raise UnknownNote(shortened(str(error), 300)) from error
    if is_html and not path.endswith(TOPIC_ENDING):
        raise UnknownNote(f"{shortened(path)}: a topic's name must end in {TOPIC_ENDING}")
    return path


def check_edit(session: Session, path: str, data: bytes, engine: str = "") -> EditReport:
    """The effects of saving ``data`` now as the note at ``path`` in the tree. Writes nothing.

    Raises :class:`brvtui.engines.contract.EngineError`, including for code, which cannot be edited.
    """
    if not session.kind.has_files:
        raise EngineError(f"an edit cannot be checked: {session.kind.not_added}")
    problems = {path: _problems(session.snapshot, path, data, content_on_disk(session.snapshot, path))}
    context = session.engines.context(engine or session.engine)
    change = FilesSet(((path, data),), just_before_ms(context.now_ms))
    try:
        after = replace(context, snapshot=changed(replace(context, constants=session.profile), change))
    except NoChange as error:
        return EditReport((path,), problems, 0, 0, (), f"no query ran: {error}")
    return replace(_compared(session, context, after, (path,), engine), problems=problems)


def check_since(session: Session, paths: tuple[str, ...], revision: str) -> EditReport:
    """The effects of the changes of the notes at ``paths`` since the git ``revision``. Writes nothing.

    Raises :class:`brvtui.tree.history.git.RevisionError` and :class:`brvtui.engines.contract.EngineError`.
    """
    if not session.kind.can_vary:
        raise EngineError(session.kind.not_varied)
    snapshot = session.snapshot
    _, difference = at_revision(snapshot, revision, defaults(session.profile.signals))
    context = session.engines.context(session.engine)
    before = revised(snapshot, session.profile, context.now_ms, difference.only(paths))
    texts = {path: content_on_disk(snapshot, path) for path in paths}
    problems = {path: _problems(snapshot, path, data, data) for path, data in texts.items() if data is not None}
    return replace(_compared(session, replace(context, snapshot=before), context, paths), problems=problems)


def _problems(snapshot: Snapshot, path: str, data: bytes, before: bytes | None) -> tuple[Problem, ...]:
    try:
        note = was = note_text(data)
    except NotText as error:
        return (Problem(0, 0, str(error), Severity.ERROR),)
    with suppress(NotText):
        was = note_text(before or b"")
    return refused_name(snapshot, path) or problems_of(snapshot, path, replace(note, text=was.text), note.text)


def _compared(
    session: Session,
    before: Context[Any],
    after: Context[Any],
    paths: tuple[str, ...],
    engine: str = "",
) -> EditReport:
    chosen = without_state(session.engines.named(engine or session.engine))
    queries = other_queries(session, Query(""), MOST_QUERIES)
    now = results_in(chosen, after, queries, Query(""), time_limit(_SECONDS), session.snapshot)
    was = results_in(chosen, before, queries[: len(now)], Query(""), time_limit(_SECONDS), session.snapshot)
    changes = (
        ChangedQuery(one.text, one.scope, is_id(one.id), _breaks(pair, paths), text)
        for one, *pair in zip(queries, was, now, strict=False)
        if (text := effect_on(*pair))
    )
    found = sorted(changes, key=lambda one: not one.is_broken)
    return EditReport(paths, {}, len(was), len(queries) - len(was), tuple(found))


def _breaks(pair: list[QueryResult], edited: tuple[str, ...]) -> bool:
    """True if the second result of ``pair`` is worse than the first; see :attr:`ChangedQuery.is_broken`."""
    was, now = pair
    change = QueryChange(now, was)
    if change.is_worse(DEFAULT_METRICS[0]) or (was.as_expected is True and now.as_expected is False):
        return True
    lost = (NOT_COVERED, FAILED)
    if now.outcome in lost and was.outcome not in lost:
        return not was.expected
    if was.outcome in _DIRECT and now.outcome not in _DIRECT and not was.expected:
        return True
    return not was.relevant and was.ranking[:1] != now.ranking[:1] and was.ranking[:1] in [(path,) for path in edited]
