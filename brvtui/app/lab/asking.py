"""The blocking work of the Lab: reads and changes judgments and runs their queries. Call it in worker threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from brvtui.app.states import LabCell
from brvtui.app.workers import Refusal, is_cancelled
from brvtui.config.layers import USER_FILE
from brvtui.engines import registry
from brvtui.engines.contract import EngineError
from brvtui.engines.profile_files import engine_of_profile
from brvtui.engines.registry import presentation, verdict_sentence
from brvtui.lab.evaluation.comparing import ChangeLine, QueryChange
from brvtui.lab.evaluation.results import DEFAULT_METRICS
from brvtui.lab.judgments.file import Judgments, JudgmentsFile, judgment_of, with_grade, with_query
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import FAILED, Judgment, JudgmentsError
from brvtui.lab.whatif.variant import Control, Variant, VariantError
from brvtui.session.edit_effect import asked_last, causes_of_change
from brvtui.tree.history.git import RevisionError
from brvtui.tree.history.revision import named_revisions
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.lab.evaluation.results import QueryResult
    from brvtui.lab.whatif.variant import EarlierNotes
    from brvtui.session import Session
    from brvtui.session.variants import VariantState

_QUICK_S, _PAUSE_S, _LONG_S = 0.04, 0.15, 0.4
"""The seconds between batches of answers, which keep the event loop free. Only sliders wait for the first batch."""
_FEW_ROWS = 100
"""The maximum number of rows of a table that is quick to draw."""
_KEPT = "judgment taken from the engine's answer: check the grades"
_EXPECTED = "brv-tui judge set QUERY --expect changes the expected answer"
_BY_HAND = f"if an answer is wrong, grade its results on the Query screen; {_EXPECTED}"
_MOST_ADDED = 200
_TOP = 3
"""The grade of a note that should come first."""


class JudgmentsRead(NamedTuple):
    """The judgments of a project, or the problem with reading them."""

    judgments: tuple[Judgment, ...]
    file: str
    problem: str = ""
    revisions: Mapping[str, str] = MappingProxyType({})
    """The git revisions of a context tree, each with a description."""
    controls: tuple[Control, ...] = ()
    """The constants of the engine that can be changed."""
    unjudged: tuple[Judgment, ...] = ()
    """The most recently logged queries; empty if there are judgments."""


class Judged(NamedTuple):
    """A change to the judgments: a message about it, and the judgments before and after."""

    said: str
    before: Judgments
    after: Judgments
    left_out: tuple[tuple[str, str], ...] = ()
    """The queries, as text and scope, that are not judged because edits have changed their answers."""


class LabRequest(NamedTuple):
    """Queries to run in one or more variants."""

    number: int
    variants: tuple[Variant, ...]
    rows: tuple[Judgment, ...]
    engine: str
    mode: str
    slid: Variant | None = None
    """The variant of the sliders, in which answers are not explained if that saves time."""


class LabBatch(NamedTuple):
    """The answers of one column to some queries, and the problem that ended the column, if any."""

    number: int
    """The number of the request."""
    variant: Variant
    cells: dict[str, LabCell]
    problem: str = ""


def read_judgments(session: Session, engine: str) -> JudgmentsRead:
    """Returns the project's judgments, the path of their file, and the controls of ``engine``."""
    file = JudgmentsFile.of(session.project)
    is_read = session.profile.limits.linked_trees or not session.project.link
    revisions = named_revisions(session.project.tree) if session.kind.can_vary and is_read else {}
    root = session.project.root
    place = str(file.path.relative_to(root)) if file.path.is_relative_to(root) else file.path.name
    controls: tuple[Control, ...] = ()
    with suppress(EngineError):  # running a query reports the error
        controls = session.variants.controls(engine)
    try:
        judgments = file.read()
        return JudgmentsRead(judgments, place, "", revisions, controls, () if judgments else asked_last(session))
    except JudgmentsError as error:
        return JudgmentsRead((), place, str(error), revisions, controls)


def ask_all(session: Session, request: LabRequest, report: Callable[[LabBatch], None]) -> None:
    """Runs every query of ``request`` in every variant; calls ``report`` with batches of answers. Ends if cancelled."""
    for variant in request.variants:
        if is_cancelled():
            return
        report(_ask_column(session, request, variant, report))


def _ask_column(
    session: Session, request: LabRequest, variant: Variant, report: Callable[[LabBatch], None]
) -> LabBatch:
    cells: dict[str, LabCell] = {}
    begun = time.monotonic()
    runner, is_slid = session.variants, variant == request.slid
    due, ask = (begun + _QUICK_S, runner.brief) if is_slid else (0.0, runner.result)
    try:
        state = session.variants.state(variant, request.engine, request.mode)
        for judgment in request.rows:
            if is_cancelled():
                break
            cells[judgment.id] = _cell(ask(state, judgment))
            if time.monotonic() >= due:
                report(LabBatch(request.number, variant, cells))
                now = time.monotonic()
                cells, due = {}, now + _pause(now - begun, len(request.rows))
        session.variants.keep(state)
    except (EngineError, VariantError, RevisionError) as error:
        return LabBatch(request.number, variant, cells, str(error))
    return LabBatch(request.number, variant, cells)


def _pause(since_s: float, rows: int) -> float:
    """Returns the seconds until the next batch, given the seconds since the first and the number of rows."""
    if since_s < _PAUSE_S and rows <= _FEW_ROWS:
        return _QUICK_S
    return _PAUSE_S if since_s < 1.0 else _LONG_S


def causes(session: Session, variant: Variant, judgment: Judgment, engine: str, mode: str) -> tuple[ChangeLine, ...]:
    """Explains why the answer to ``judgment`` differs between ``variant`` and now. Raises :class:`Refusal`."""
    try:
        return causes_of_change(session, variant, judgment, engine, mode)
    except (EngineError, RevisionError) as error:
        raise Refusal(str(error)) from error


def _cell(result: QueryResult) -> LabCell:
    return LabCell(result, tuple(result.value(metric) for metric in DEFAULT_METRICS))


def keep_profile(session: Session, variant: Variant, engine: str, name: str) -> str:
    """Writes the constants of ``variant`` as the profile ``name`` next to the user's settings.

    Returns a message. Raises :class:`Refusal` if the name is in use or the file cannot be written.
    """
    from brvtui import faults
    from brvtui.disk import writing
    from brvtui.store.folders import config_folder

    file = config_folder() / f"{name}.toml"
    try:
        text = session.variants.profile_text(variant, engine, name)
        if file.exists():
            raise Refusal(f"{file} exists already: choose another name, or remove the file")
        if file.name == USER_FILE or name in registry.names() or engine_of_profile(name):
            raise Refusal(f"{name} is the name of a built-in profile: choose another one")
        writing.make_folder(file.parent)
        writing.write(file, text.encode("utf-8"))
    except EngineError as error:
        raise Refusal(str(error)) from error
    except OSError as error:
        raise Refusal(f"cannot be saved: {faults.error_line(error, file)}") from error
    return f"saved as {file}: use it with --profile {name}, the setting profile, or the key for the next profile"


def grade_of(session: Session, text: str, scope: str, path: str) -> int | None:
    """Returns the grade of the note at ``path`` for a query, even if the note moved; None if there is no grade.

    Raises :class:`Refusal` if the judgments cannot be read.
    """
    try:
        judgment = judgment_of(JudgmentsFile.of(session.project).read(), text, scope)
    except JudgmentsError as error:
        raise Refusal(str(error)) from error
    if judgment is None:
        return None
    followed, _ = DocumentFinder(session.snapshot).followed(judgment)
    return next((each.grade for each in followed.documents if each.path == path), None)


def grade(session: Session, text: str, scope: str, path: str, value: int | None) -> Judged:
    """Sets the grade of the note at ``path`` for a query, or removes it if ``value`` is None.

    Raises :class:`Refusal` if the judgments cannot be changed.
    """
    finder = DocumentFinder(session.snapshot)
    document = finder.judged(path, value or 0)

    def graded(now: Judgments) -> Judgments:
        judgment = judgment_of(now, text, scope)
        if judgment is not None:  # a moved note keeps its grade
            followed, _ = finder.followed(judgment)
            now = tuple(followed if each is judgment else each for each in now)
        return with_grade(now, text, scope, document, value is not None)

    grading = f"graded {value}" if value is not None else "no grade"
    done = _changed(session, f"{grading}: {path} for “{text}”", graded)
    judgment = judgment_of(done.after, text, scope) if value == _TOP else None
    others = [each.path for each in judgment.documents if each.grade == _TOP and each.path != path] if judgment else []
    return done._replace(said=f"{done.said}; {others[0]} has grade {_TOP} too") if others else done


def unjudge(session: Session, text: str, scope: str) -> Judged:
    """Removes a query from the judgments. Raises :class:`Refusal` if they cannot be changed."""

    def without(now: Judgments) -> Judgments:
        return tuple(each for each in now if (each.text, each.scope) != (text, scope))

    return _changed(session, f"“{text}” is no longer judged", without)


def take_back(session: Session, done: Judged) -> Judged:
    """Undoes the change ``done`` to the judgments. Raises :class:`Refusal` if they have changed since."""

    def restored(now: Judgments) -> Judgments:
        if now != done.after:
            why = "the judgments have changed since then"
            raise JudgmentsError(f"{why}: use brv-tui judge remove to remove them one by one")
        return done.before

    return _changed(session, "undone", restored)


def _changed(session: Session, message: str, edit: Callable[[Judgments], Judgments]) -> Judged:
    """Applies ``edit`` to the judgments; ``message`` describes the change. Raises :class:`Refusal` if that fails."""
    before: list[Judgments] = []

    def noted(now: Judgments) -> Judgments:
        before.append(now)
        return edit(now)

    try:
        after = JudgmentsFile.of(session.project).change(noted)
    except JudgmentsError as error:
        raise Refusal(str(error)) from error
    return Judged(f"{message}; {counted(len(after), 'judged query', 'judged queries')} in all", before[0], after)


def _failure(state: VariantState, judgment: Judgment) -> str:
    """Returns the reason why the engine of ``state`` cannot answer the query of ``judgment``; empty if it can."""
    trace = state.trace(judgment)
    return verdict_sentence(trace) if presentation(trace.engine).failure(trace) else ""


def keep_answers(
    session: Session,
    queries: Sequence[tuple[str, str]],
    variant: Variant,
    edits: EarlierNotes | None,
    engine: str,
    mode: str,
) -> Judged:
    """Judges ``queries``, pairs of text and scope, by the answers of ``engine`` in ``variant``.

    The answer's outcome becomes the expected one, and its first note gets grade 3. Queries whose answer has changed
    since ``edits`` are left out. Raises :class:`Refusal` if a query cannot be judged.
    """
    try:
        judgments = JudgmentsFile.of(session.project).read()
        new = [each for each in dict.fromkeys(queries) if judgment_of(judgments, *each) is None][:_MOST_ADDED]
        added, left_out = _as_answered(session, new, variant, edits, engine, mode)
    except (JudgmentsError, EngineError, VariantError, RevisionError) as error:
        raise Refusal(str(error)) from error
    if not added:
        said = "" if left_out else f"already judged, so nothing was added: {_BY_HAND}"
        return Judged(said, judgments, judgments, left_out)

    def edit(now: Judgments) -> Judgments:
        for each in added:
            now = with_query(now, each.text, each.scope, each.expected, each.documents, _KEPT)
        return now

    what, answers = (f"“{added[0].text}” is", "answer") if len(added) == 1 else (f"{len(added)} queries are", "answers")
    when = "" if variant == Variant() else " before the edits" if variant.earlier is not None else f" with {variant}"
    right = f": {added[0].documents[0].path} counts as right" if len(added) == 1 and added[0].documents else ""
    done = _changed(session, f"{what} judged, based on the {'' if when else 'current '}{answers}{when}{right}", edit)
    by_hand = _BY_HAND if any(each.documents for each in added) else _EXPECTED
    said = f"{done.said}; {by_hand}" if variant == Variant() else done.said
    return done._replace(said=said, left_out=left_out)


def _as_answered(
    session: Session,
    queries: Sequence[tuple[str, str]],
    variant: Variant,
    edits: EarlierNotes | None,
    engine: str,
    mode: str,
) -> tuple[list[Judgment], tuple[tuple[str, str], ...]]:
    """Returns judgments made from the answers to ``queries``, and the queries whose answers ``edits`` changed.

    Raises :class:`Refusal` if the engine fails on a query, and all errors that running a query raises.
    """
    runner = session.variants
    state = runner.state(variant, engine, mode)
    earlier = Variant(earlier=edits)
    before = runner.state(earlier, engine, mode) if edits is not None else None
    judgments: list[Judgment] = []
    left_out: list[tuple[str, str]] = []
    for text, scope in queries:
        judgment = Judgment("new", text, scope)
        result = runner.result(state, judgment)
        if result.outcome == FAILED and (failure := _failure(state, judgment)):
            raise Refusal(f"“{text}” is not judged: {failure}")
        if before is not None and QueryChange(result, runner.result(before, judgment), earlier.paths_now).is_otherwise:
            left_out.append((text, scope))
            continue
        documents = tuple(state.finder.judged(path, 3) for path in result.ranking[:1])
        judgments.append(replace(judgment, expected=result.outcome, documents=documents))
    return judgments, tuple(left_out)
