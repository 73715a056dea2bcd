"""``brv-tui judge``: the queries that a tree should answer, and the notes that each should find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypeVar

import click

from brvtui import faults
from brvtui.cli import completing
from brvtui.cli.failure import BAD_USAGE, NEGATIVE, NOT_THERE, OK, Failure, is_there
from brvtui.cli.options import SCOPE_HELP, NamedPath, WholeSummaries, answer_format, project_option, text_argument
from brvtui.cli.output import say, say_note, write_json
from brvtui.cli.sessions import find_session
from brvtui.text.visible import visible
from brvtui.wording import counted, first_of

if TYPE_CHECKING:
    from brvtui.lab.judgments.file import JudgmentsFile
    from brvtui.lab.judgments.following import DocumentFinder
    from brvtui.lab.judgments.model import Judgment
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot

_F = TypeVar("_F", bound=Callable[..., Any])
_NO_GRADE = "none"
_EXPECTED = ("not covered", "covered", "tier 2", "tier 3", "tier 4", _NO_GRADE)
_NOTHING_EXPECTED = (
    "the query is not judged yet: name a note that it should find, such as refresh_token_rotation=3, or say how it"
    ' should be answered, such as --expect "not covered"'
)
_FORMATS = click.Choice(["beir", "trec", "qmd"])


@click.group(
    cls=WholeSummaries,
    epilog="""
\b
Examples:
  brv-tui judge set "how are refresh tokens rotated" refresh_token_rotation=3 token_theft=1
  brv-tui judge set "kubernetes ingress" --expect "not covered"
  brv-tui judge list
  brv-tui judge import beir datasets/notes
""",
)
def judge() -> None:
    """Record which notes a query should find, for brv-tui eval to measure.

    Judgments are in .brv/brv-tui/judgments.toml. Commit that file; you can also edit it by hand.
    """


def judgments_option(command: _F) -> _F:
    """Adds ``--judgments``."""
    where = NamedPath()
    text = "The judgments file (default: .brv/brv-tui/judgments.toml in the project)."
    return click.option("--judgments", "named", type=where, metavar="FILE", help=text)(command)


def judgments_file(session: Session, named: Path | None) -> JudgmentsFile:
    """The judgments file at ``named``, or the project's own."""
    from brvtui.lab.judgments.file import JudgmentsFile

    return JudgmentsFile.of(session.project) if named is None else JudgmentsFile(named, True)


def _check_exists(file: JudgmentsFile) -> None:
    """Raises :class:`Failure` if the file was named by the user and does not exist."""
    if file.trusted and not is_there(file.path):
        raise Failure(f"{file.path}: {faults.NO_FILE}", BAD_USAGE)


def read_judgments(file: JudgmentsFile, may_be_new: bool = False) -> tuple[Judgment, ...]:
    """The judgments in the file. A file that the user named must exist unless ``may_be_new``.

    Raises :class:`Failure` and :class:`brvtui.lab.judgments.model.JudgmentsError`.
    """
    if not may_be_new:
        _check_exists(file)
    return file.read()


def judgments_to_run(
    file: JudgmentsFile, runs: int, way_out: str = "", needs_all: bool = False
) -> tuple[Judgment, ...]:
    """The judgments for a command that runs each of them ``runs`` times.

    Returns all judgments if the user named the file; otherwise, only as many as can run in about a minute. If some are
    left out, prints a note, or raises :class:`Failure` if the command ``needs_all``. Also raises the exceptions of
    :func:`read_judgments`.
    """
    from brvtui.lab.judgments.reading import affordable

    judgments = read_judgments(file)
    used = judgments if file.trusted else affordable(judgments, runs)
    if len(used) < len(judgments):
        part = f"only the first {len(used)} of {len(judgments)} judged queries"
        way_out = way_out or f"--judgments {quote(str(file.path))} runs all of them"
        if needs_all:
            why = "a regression in the others would go undetected"
            raise Failure(f"{part} would be run, so {why}; {way_out}", BAD_USAGE)
        say_note(f"{part} are run; {way_out}")
    return used


@judge.command("set")
@text_argument(metavar="QUERY")
@click.argument("grades", nargs=-1, metavar="[NOTE=GRADE]…", shell_complete=completing.notes)
@project_option
@judgments_option
@click.option("--expect", type=click.Choice(_EXPECTED), help="How the query should be answered.")
@click.option("--scope", metavar="PATH", help=SCOPE_HELP)
@click.option("--comment", metavar="TEXT", help="The reason for the judgment, for later readers.")
def set_judgment(
    text: str,
    grades: tuple[str, ...],
    project: Path | None,
    named: Path | None,
    expect: str | None,
    scope: str | None,
    comment: str | None,
) -> int:
    """Judge QUERY (its text, or the id of a judged query): add a judgment, or change parts of an existing one.

    NOTE is a note's path, the end of its path, or its title. GRADE is 3 (what the query is about), 2 (relevant), 1
    (related), 0 (irrelevant) or none, which removes the note even if its file is gone. A new QUERY needs a
    note, or --expect.
    """
    from brvtui.lab.judgments.following import DocumentFinder
    from brvtui.lab.judgments.model import Judgment, new_id

    session = _loaded(project)
    graded, taken_out = _graded(session.snapshot, grades)
    options = {"expected": "" if expect == _NO_GRADE else expect, "scope": scope, "comment": comment}
    changes = {key: value for key, value in options.items() if value is not None}
    finder = DocumentFinder(session.snapshot)

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        place = _place_of(before, text)
        old = before[place] if place is not None else Judgment(new_id(text, {each.id for each in before}), text)
        if place is None and not graded and not changes.get("expected"):
            raise Failure(_NOTHING_EXPECTED, BAD_USAGE)
        removed = {_judged_path(old, name, finder, session.snapshot) for name in taken_out}
        documents = {document.path: document for document in old.documents if document.path not in removed}
        documents.update({path: finder.judged(path, grade) for path, grade in graded.items()})
        by_grade = sorted(documents.values(), key=lambda document: -document.grade)
        judgment = replace(old, documents=tuple(by_grade), **changes)
        return (*before, judgment) if place is None else (*before[:place], judgment, *before[place + 1 :])

    after = judgments_file(session, named).change(edit)
    place = _place_of(after, text)
    assert place is not None
    say("\n".join(_lines(after[place], finder)))
    return OK


@judge.command("list")
@project_option
@judgments_option
@answer_format
def list_judgments(project: Path | None, named: Path | None, form: str) -> int:
    """List the judged queries with their notes, and show which notes were moved or are gone.

    The exit code is 1 if a note is gone.
    """
    from brvtui.lab.judgments.following import DocumentFinder
    from brvtui.trace import to_plain

    session = _loaded(project)
    file = judgments_file(session, named)
    judgments, finder = read_judgments(file), DocumentFinder(session.snapshot)
    missing, listed = 0, []
    for each in judgments:
        found = [finder.find(document) for document in each.documents]
        missing += sum(not item.path for item in found)
        if form == "json":
            now = [{"now": item.path, "how": item.how} for item in found]
            plain = to_plain(each)
            documents = [{**document, **more} for document, more in zip(plain["documents"], now, strict=True)]
            listed.append({**plain, "documents": documents})
        else:
            say("\n".join(_lines(each, finder)))
    if form == "json":
        write_json([{"judgments": listed}])
    if not judgments:
        _say_none(file)
    return NEGATIVE if missing else OK


@judge.command("remove")
@text_argument(metavar="QUERY")
@project_option
@judgments_option
def remove_judgment(text: str, project: Path | None, named: Path | None) -> int:
    """Remove a judged query, named by its text or id."""

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        place = _place_of(before, text)
        if place is None:
            raise Failure(f"{text} is not judged; brv-tui judge list shows the judged queries", NOT_THERE)
        return (*before[:place], *before[place + 1 :])

    _check_exists(file := judgments_file(find_session(project), named))
    left = file.change(edit)
    click.echo(f"removed; {counted(len(left), 'query', 'queries')} left")
    return OK


@judge.command("follow")
@project_option
@judgments_option
def follow_moves(project: Path | None, named: Path | None) -> int:
    """Update the paths of judged notes that were moved or renamed.

    The exit code is 1 if a note is gone: remove it with brv-tui judge set, or judge another note for its query.
    """
    from brvtui.lab.judgments.following import DocumentFinder

    session = _loaded(project)
    finder = DocumentFinder(session.snapshot)
    followed: list[str] = []
    missing: list[str] = []

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        followed_judgments = []
        for each in before:
            now, odd = finder.followed(each)
            followed_judgments.append(now)
            followed.extend(f"{item.document.path} → {item.path} ({item.how})" for item in odd if item.moved)
            missing.extend(f"{each.id}: {item.document.path}: {item.how}" for item in odd if not item.path)
        return tuple(followed_judgments)

    _check_exists(file := judgments_file(session, named))
    judgments = file.change(edit)
    for line in [*dict.fromkeys(followed), *missing]:
        say(visible(line))
    if missing:
        say("to remove a note's judgment: brv-tui judge set QUERY NOTE=none", err=True)
    elif not judgments:
        _say_none(file)
    elif not followed:
        click.echo("no judged note has moved")
    return NEGATIVE if missing else OK


@judge.command("import")
@click.argument("form", metavar="beir|trec|qmd", type=_FORMATS)
@click.argument("path", metavar="PATH", type=NamedPath())
@project_option
@judgments_option
@click.option(
    "--queries",
    type=NamedPath(),
    help="trec: a file with the queries' texts (JSON lines, or lines of id, tab and text).",
)
def import_judgments(form: str, path: Path, project: Path | None, named: Path | None, queries: Path | None) -> int:
    """Import judgments from PATH. A query with the same id is replaced.

    beir is a folder with queries.jsonl and qrels/*.tsv, trec is a qrels file, and qmd is a JSON file for qmd bench.
    Grades above 3 become 3, and those below 0 become 0.
    """
    from brvtui.lab.judgments.exchange import FORMATS
    from brvtui.lab.judgments.following import DocumentFinder

    session = _loaded(project)
    file = judgments_file(session, named)
    finder = DocumentFinder(session.snapshot)
    read = FORMATS[form].read(path, queries, read_judgments(file, may_be_new=True))
    imported = {
        each.id: replace(
            each,
            documents=tuple(
                finder.judged(found.path, document.grade) if (found := finder.find(document)).path else document
                for document in each.documents
            ),
        )
        for each in read
    }

    def edit(before: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
        old = {each.id for each in before}
        new = [each for name, each in imported.items() if name not in old]
        return (*(imported.get(each.id, each) for each in before), *new)

    file.change(edit)
    lost = {one.path for each in imported.values() for one in each.documents if one.path not in session.snapshot.parsed}
    missing = f"; not in the tree: {first_of(sorted(lost))}" if lost else ""
    say(visible(f"imported {counted(len(imported), 'query', 'queries')}{missing}"))
    return OK


@judge.command("export")
@click.argument("form", metavar="beir|trec|qmd", type=_FORMATS)
@click.argument("path", metavar="PATH", type=NamedPath())
@project_option
@judgments_option
def export_judgments(form: str, path: Path, project: Path | None, named: Path | None) -> int:
    """Write the judgments to PATH in another format: a folder for beir, a file for trec and qmd."""
    from brvtui.lab.judgments.exchange import FORMATS

    judgments = read_judgments(judgments_file(find_session(project), named))
    for file in FORMATS[form].write(path, judgments):
        say(f"wrote {visible(str(file))}")
    return OK


def _loaded(project: Path | None) -> Session:
    session = find_session(project)
    session.load()
    return session


def _say_none(file: JudgmentsFile) -> None:
    say(f"{visible(str(file.path))}: no judgments yet; add one with brv-tui judge set", err=True)


def _place_of(judgments: Sequence[Judgment], named: str) -> int | None:
    """The index of the judgment whose query is ``named``, or else of the one whose id is ``named``."""
    texts = [place for place, each in enumerate(judgments) if each.text == named]
    ids = [place for place, each in enumerate(judgments) if each.id == named]
    return next(iter(texts or ids), None)


def _graded(snapshot: Snapshot, texts: Sequence[str]) -> tuple[dict[str, int], list[str]]:
    """The grade of each note, keyed by its path, and the names of the notes to remove.

    Raises :class:`Failure` and :class:`brvtui.snapshot.naming.UnknownNote`.
    """
    from brvtui.snapshot.naming import find_note

    graded: dict[str, int] = {}
    taken_out: list[str] = []
    for item in texts:
        name, _, grade = item.rpartition("=")
        if not name or grade not in ("0", "1", "2", "3", _NO_GRADE):
            what = "NOTE=GRADE, with a grade of 0, 1, 2, 3 or none (put a QUERY of several words in quotes)"
            raise Failure(f"{item} must be {what}", BAD_USAGE)
        if grade == _NO_GRADE:
            taken_out.append(name)
            continue
        path = find_note(snapshot, name).path
        if why := next((file.reason for file in snapshot.unseen if file.path == path), ""):
            raise Failure(f"{path} is never found, so it cannot be judged: {why}", BAD_USAGE)
        graded[path] = int(grade)
    return graded, taken_out


def _judged_path(judgment: Judgment, name: str, finder: DocumentFinder, snapshot: Snapshot) -> str:
    """The path of the note ``name`` in ``judgment``. The note itself may no longer exist. Raises :class:`Failure`."""
    from brvtui.snapshot.naming import UnknownNote, find_note

    paths = {document.path: (document.path, finder.find(document).path) for document in judgment.documents}
    ends = (f"/{name}", f"/{name}.md")
    meant = [path for path in paths if path in (name, f"{name}.md")]
    meant = meant or [path for path, both in paths.items() if any(f"/{one}".endswith(ends) for one in both)]
    if not meant:
        with suppress(UnknownNote):
            found = find_note(snapshot, name).path
            meant = [path for path, both in paths.items() if found in both]
    if not meant:
        raise Failure(
            f"{name} is not a judged note of {judgment.text}; brv-tui judge list shows its judged notes", NOT_THERE
        )
    if len(meant) > 1:
        raise Failure(f"{name} could be {', '.join(meant)}: use the whole path", NOT_THERE)
    return meant[0]


def _lines(judgment: Judgment, finder: DocumentFinder) -> list[str]:
    """The lines of a judgment: its query, then a line for each of its documents."""
    expected = f", expects {judgment.expected}" if judgment.expected else ""
    scope = f", in {judgment.scope}" if judgment.scope else ""
    lines = [f"{judgment.text}  ({judgment.id}{expected}{scope})"]
    for document in judgment.documents:
        found = finder.find(document)
        state = f"  moved to {found.path}: {found.how}" if found.moved else "" if found.path else f"  {found.how}"
        lines.append(f"  {document.grade}  {document.path}{state}")
    if judgment.comment:
        lines.append(f"     {judgment.comment}")
    return [visible(line) for line in lines]
