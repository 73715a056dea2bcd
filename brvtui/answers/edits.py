"""Checks an edit before it is saved or committed: finds problems in the text, and queries whose answers change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from brvtui.engines.changes import FilesSet, NoChange, changed
from brvtui.engines.contract import EngineError, Query
from brvtui.engines.registry import without_state
from brvtui.lab.evaluation.comparing import QueryChange
from brvtui.lab.health.finding import Finding
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import FAILED, NOT_COVERED, is_id
from brvtui.lab.judgments.reading import LARGEST, parse_judgments
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference, content_on_disk, revised
from brvtui.notes.note_problems import problems_of, refused_name
from brvtui.ranking.decay import just_before_ms
from brvtui.session.evaluating import changed_files
from brvtui.session.held_notes import at_revision
from brvtui.session.remedies import other_queries, results_in, time_limit
from brvtui.snapshot.naming import UnknownNote, find_note, path_inside
from brvtui.trace import SideEffect
from brvtui.tree.editing.note_text import NotText, note_text
from brvtui.tree.editing.problems import Problem, Severity
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.revision import Revision
from brvtui.tree.reading.inside import PathError, parts_of
from brvtui.tree.reading.signals import defaults
from brvtui.wording import shortened

if TYPE_CHECKING:
    from brvtui.engines.contract import Context
    from brvtui.lab.judgments.model import Judgment
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot

MOST_QUERIES = 200
"""The maximum number of queries that run again, judged ones first."""
_SECONDS = 8.0
"""The limit on computing time in seconds, which applies to the queries before the edit and again to those after it."""
_DIRECT = ("tier 0", "tier 1", "tier 2")
"""The outcomes that need no model."""


@dataclass(frozen=True)
class ChangedQuery(SideEffect):
    """A query whose answer an edit changes."""

    is_broken: bool
    """True if the answer got worse. For a judged query, a judged note fell or the expected outcome was lost. For any
    other query, the answer was lost, now needs a model, or no longer begins with the edited note.
    """
    is_by_age: bool
    """True if the answer got worse only because saving makes the note new; the new text alone would not change it."""


@dataclass(frozen=True, slots=True)
class EditReport:
    """The effects of editing the notes at ``paths``."""

    paths: tuple[str, ...]
    problems: tuple[str, ...]
    """The problems in the texts, each as ``path:line: severity: message``. Lines count from 1."""
    has_errors: bool
    """True if a problem changes how the engine reads a note."""
    compared: int
    """The number of judged and logged queries that ran before and after the edit."""
    queries: tuple[ChangedQuery, ...]
    """The queries whose answer changes, broken ones first."""
    broken: int
    """The number of queries whose answer got worse."""
    unchecked: int
    """The number of judged queries that did not run, because there are too many or they took too long."""
    doubts: tuple[str, ...] = ()
    """The reasons not to trust the comparison: files with settings that differ at the revision."""
    findings: tuple[Finding, ...] = ()
    """Near-duplicates of the edited note, and notes that disagree with it."""


def path_in_tree(session: Session, name: str) -> str:
    """The path, relative to the tree, of the note ``name``: a path in the tree or in the project, which may be new, or
    another name of an existing note without an extension.

    Raises :class:`brvtui.snapshot.naming.UnknownNote` for a path outside the tree, or one with the wrong extension.
    """
    tree, typed = session.project.tree.as_posix(), name.strip()
    path = path_inside(session.snapshot, typed)
    is_name = not path.endswith(".md") or bool(session.kind.not_added)
    is_outside = typed.startswith("/") and not typed.startswith(f"{tree}/")
    if path not in session.snapshot.parsed and (is_name or is_outside):
        try:
            return find_note(session.snapshot, name).path
        except UnknownNote as error:
            if is_outside or session.kind.not_added or typed.endswith(".md") or error.meant or ".." in typed:
                raise
            raise UnknownNote(f"{error}; a new note's path must end in .md", error.near) from error
    try:
        return "/".join(parts_of(path))
    except PathError as error:
        raise UnknownNote(shortened(str(error), 300)) from error


def check_edit(session: Session, path: str, data: bytes) -> EditReport:
    """The effects of saving ``data`` now as the note at ``path`` in the tree. Writes nothing.

    Raises :class:`brvtui.engines.contract.EngineError`, including for code, which cannot be edited, and
    :class:`brvtui.lab.judgments.model.JudgmentsError`.
    """
    if not session.kind.has_files:
        raise EngineError(f"an edit cannot be checked: {session.kind.not_added}")
    judged = JudgmentsFile.of(session.project).read()
    was = content_on_disk(session.snapshot, path)
    problems = _problems(session.snapshot, path, data, was)
    if was is None:
        problems += (Problem(0, 0, "no note has this path yet, so this is a new note", Severity.WARNING),)
    context = session.engines.context(session.engine)
    change = FilesSet(((path, data),), just_before_ms(context.now_ms))
    try:
        after = replace(context, snapshot=changed(replace(context, constants=session.profile), change))
    except NoChange:  # the engine cannot read the text; the problems say why
        return _report(session, context, context, judged, {path: problems}, {})
    report = _report(session, context, after, judged, {path: problems}, {path: data})
    is_readable = path in after.snapshot.by_path and not session.kind.is_html
    return replace(report, findings=session.health.of_edit(after.snapshot, path) if is_readable else ())


def check_since(session: Session, paths: tuple[str, ...], revision: str) -> EditReport:
    """The effects of all changes to the notes at ``paths`` since the git ``revision``. Writes nothing.

    The queries judged at the revision are checked too, so that a broken query cannot be hidden by removing its
    judgment. Raises :class:`brvtui.tree.history.git.RevisionError`, :class:`brvtui.engines.contract.EngineError`,
    :class:`brvtui.lab.judgments.model.JudgmentsError` and, for a path that exists neither there nor now,
    :class:`brvtui.snapshot.naming.UnknownNote`.
    """
    if not session.kind.can_vary:
        raise EngineError(session.kind.not_varied)
    snapshot = session.snapshot
    _, difference = at_revision(snapshot, revision, defaults(session.profile.signals))
    context = session.engines.context(session.engine)
    gone = {path for path in difference.edits if path not in snapshot.parsed}  # one of them may have been renamed
    is_added = not difference.removed.isdisjoint(paths)
    earlier = difference.only({*paths, *(gone if is_added else ())})
    before = revised(snapshot, session.profile, context.now_ms, earlier)
    texts = {path: content_on_disk(snapshot, path) for path in paths}
    for path, data in texts.items():
        if data is None and path not in before.parsed:
            raise UnknownNote(f"there is no note {path}, now or at {revision}: check the path")
    olds = {path: edit.data for path, edit in earlier.edits.items()}
    contents = {path: data for path, data in texts.items() if data is not None}
    problems: dict[str, tuple[Problem, ...]] = dict.fromkeys(paths, ())
    problems |= {path: _problems(snapshot, path, data, olds.get(path, data)) for path, data in contents.items()}
    judged = _judged_since(session, revision)
    report = _report(session, replace(context, snapshot=before), context, judged, problems, contents)
    return replace(report, doubts=_doubts(session, revision))


def _doubts(session: Session, name: str) -> tuple[str, ...]:
    try:
        revision = Revision(session.project.root.resolve(), name)
    except RevisionError:  # the tree has its own repository
        return ()
    try:
        changed = changed_files(session, revision)
    except RevisionError as error:
        return (f"settings and shared sources cannot be compared with those at {name} ({error})",)
    return tuple(f"{path} differs at {name}, but the current file was used for both texts" for path in changed)


def _judged_since(session: Session, revision: str) -> tuple[Judgment, ...]:
    """The judgments at the git ``revision``, if their file was committed there, followed by the current ones."""
    file, root = JudgmentsFile.of(session.project), session.project.root.resolve()
    current = file.read()
    path = file.path.relative_to(session.project.root).as_posix()
    try:
        data = Revision(root, revision).content(path, LARGEST)
    except RevisionError:
        return current
    return (*parse_judgments(data, f"{path} at {revision}"), *current)


def _problems(snapshot: Snapshot, path: str, data: bytes | None, before: bytes | None) -> tuple[Problem, ...]:
    try:
        note = was = note_text(data or b"")
    except NotText as error:
        return (Problem(0, 0, str(error), Severity.ERROR),)
    with suppress(NotText):
        was = note_text(before or b"")
    return refused_name(snapshot, path) or problems_of(snapshot, path, replace(note, text=was.text), note.text)


def _report(
    session: Session,
    before: Context[Any],
    after: Context[Any],
    judged: Sequence[Judgment],
    problems: Mapping[str, tuple[Problem, ...]],
    contents: Mapping[str, bytes],
) -> EditReport:
    engine, like = without_state(session.engines.named(session.engine)), Query("")
    finder = DocumentFinder(session.snapshot)
    wanted: dict[tuple[str, str], Judgment] = {}
    for one in (*judged, *other_queries(session, like, MOST_QUERIES)):
        wanted.setdefault((one.text.strip(), one.scope), one)
    queries = [*map(finder.followed_surely, list(wanted.values())[:MOST_QUERIES])]
    limit = time_limit(_SECONDS)
    now = results_in(engine, after, queries, like, limit)
    was = results_in(engine, before, queries[: len(now)], like, time_limit(_SECONDS))
    same_age: Context[Any] | None = None
    changes: list[ChangedQuery] = []
    for one, then, later in zip(queries, was, now, strict=False):
        change = QueryChange(later, then)
        if change.is_otherwise:
            is_broken, is_by_age = _breaks(change, [*problems]), False
            if is_broken and not limit():
                same_age = same_age or _at_old_age(session, before, after, contents)
                (alone,) = results_in(engine, same_age, [one], like, lambda: False)
                is_by_age = not QueryChange(alone, then).is_otherwise
            named = one.text, one.scope, is_id(one.id), change.summary
            changes.append(ChangedQuery(*named, change.is_loss, is_broken, is_by_age))
    changes.sort(key=lambda one: not one.is_broken)
    each = [(path, one) for path, ones in problems.items() for one in ones]
    lines = tuple(f"{path}:{one.line + 1}: {one.severity.value}: {one.message}" for path, one in each)
    broken = sum(one.is_broken for one in changes)
    has_errors = any(one.severity is Severity.ERROR for _, one in each)
    unchecked = max(0, len({(one.text.strip(), one.scope) for one in judged}) - len(was))
    return EditReport(tuple(problems), lines, has_errors, len(was), tuple(changes), broken, unchecked)


def _at_old_age(
    session: Session, before: Context[Any], after: Context[Any], contents: Mapping[str, bytes]
) -> Context[Any]:
    """``after`` as if saving ``contents`` had not changed the file times of existing notes."""
    if session.kind.is_html:
        return after
    parsed = {**after.snapshot.parsed, **before.snapshot.parsed}
    edits = {path: EditedFile(path, data, parsed[path].mtime_ns) for path, data in contents.items() if path in parsed}
    return replace(
        after, snapshot=revised(after.snapshot, session.profile, after.now_ms, Difference(edits, frozenset()))
    )


def _breaks(change: QueryChange, edited: list[str]) -> bool:
    """True if the answer got worse; see :attr:`ChangedQuery.is_broken`."""
    was, now = change.before, change.now
    if was.expected or was.relevant:
        return change.is_loss
    lost = now.outcome in (NOT_COVERED, FAILED) and was.outcome not in (NOT_COVERED, FAILED)
    needs_model = was.outcome in _DIRECT and now.outcome not in _DIRECT
    return lost or needs_model or (was.ranking[:1] != now.ranking[:1] and was.ranking[:1] in [(one,) for one in edited])
