"""``brv-tui code``: the code in a repository that is relevant to a task or a change, and the notes about it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK, Failure, no_folder
from brvtui.cli.options import NamedPath, WholeNumber, format_option, query_text
from brvtui.cli.output import say
from brvtui.cli.sessions import find_session, note_ambiguous
from brvtui.regular_files import MISSING
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.corpus.code.index import Progress
    from brvtui.corpus.code.records import SkippedSource
    from brvtui.corpus.code.snapshot import RepositorySnapshot
    from brvtui.engines.contract import CodeAnswer
    from brvtui.session import Session
    from brvtui.snapshot import Snapshot

_BUDGET = 5000
_PROFILES = ("knowing", "knowing-code")
_LARGEST_PATCH = 64 * 1_048_576
_EACH = 50
"""The number of files between two updates of the progress line."""
_MOST_UNKNOWN, _MOST_UNREAD = 5, 8


@click.command(
    epilog="""\b
Examples:
  brv-tui code "rotate refresh tokens"
  brv-tui code "cache templates" --repo ../django --budget 2000 --format markdown
  brv-tui code --files src/tokens.py src/web.py
  brv-tui code --diff main..HEAD --notes
  brv-tui code "rotate refresh tokens" --why TokenStore.rotate
  git diff | brv-tui code --diff -
  brv-tui code --without-note --repo . --project sample-tree
"""
)
@click.argument("task", nargs=-1)
@click.option("--repo", type=NamedPath(), default=Path(), help="The repository (default: here).")
@click.option(
    "--files", is_flag=True, help="Read TASK as file names: show the symbols in the files, and their callers."
)
@click.option(
    "--diff", metavar="REVISIONS|-", help="Show what a change touches: main..HEAD, or - for a patch on stdin."
)
@click.option(
    "--budget",
    type=WholeNumber(1, 10_000_000),
    help="The maximum number of tokens in the answer (default: 5000, 8000 with --diff).",
)
@format_option(
    "text",
    "xml",
    "markdown",
    "json",
    text="Output format; text explains the answer, and the other formats are what an agent receives.",
)
@click.option(
    "--profile", type=click.Choice(_PROFILES), default=_PROFILES[0], show_default=True, help="The engine's constants."
)
@click.option(
    "--project",
    type=NamedPath(),
    help="The project with notes about the code (default: the repository's own, if it has one).",
)
@click.option("--why", metavar="SYMBOL", help="Explain SYMBOL's rank in the answer.")
@click.option("--notes", is_flag=True, help="List the notes that mention code in the answer.")
@click.option(
    "--without-note", is_flag=True, help="List the files that no note mentions: all files, or those in the answer."
)
def code(
    task: tuple[str, ...],
    repo: Path,
    files: bool,
    diff: str | None,
    budget: int | None,
    form: str,
    profile: str,
    project: Path | None,
    why: str | None,
    notes: bool,
    without_note: bool,
) -> int:
    """Show which code in a repository is relevant to TASK and why, and which notes mention it. The engine "knowing"
    ranks the repository's symbols; the parsed code is stored for next time. The exit code is 1 if the answer is empty,
    if SYMBOL is not in it, or if there is no note or file to list.
    """
    words = _words(task, files)
    if bool(words) + (diff is not None) != 1 and not (without_note and not words and diff is None and not files):
        raise Failure(
            "pass a task, --files with file names, or --diff with revisions; only --without-note needs none of these",
            BAD_USAGE,
        )
    if files and not words:
        raise Failure("list the files after --files", BAD_USAGE)
    if notes + without_note + (why is not None) > 1:
        raise Failure("use only one of --why, --notes and --without-note", BAD_USAGE)
    if (notes or without_note or why is not None) and form != "text":
        raise Failure("--why, --notes and --without-note print plain text: leave out --format", BAD_USAGE)
    changed = None if diff is None else _changed(repo, diff)
    session, snapshot = _opened(repo, profile, project)
    _report_unread(session, snapshot)
    entry = "changes" if diff is not None else "files" if files else "task"
    named = _source_files(snapshot, task if files else changed or ())
    if files and not named:
        raise Failure("none of these files is a source file that brv-tui reads in this repository", NOT_THERE)
    answer = None
    if words or changed is not None:
        answer = _answer(session, entry, "" if files else words, named, budget)
    if without_note or answer is None:
        return _show_files_without_note(snapshot, answer)
    for line in answer.notices:
        say(f"brv-tui: {visible(line)}", err=True)
    if form != "text":
        click.echo(answer.as_text(form))
        return NEGATIVE if answer.is_empty else OK
    lines, is_positive = _lines(answer, why, notes)
    for line in lines:
        say(visible(line))
    return OK if is_positive else NEGATIVE


def _answer(session: Session, entry: str, words: str, files: list[str], budget: int | None) -> CodeAnswer:
    """The code engine's answer to the task ``words``, or about ``files``."""
    from brvtui.engines.contract import Query, ReadsCode

    engine = session.engines.named(session.engine)
    assert isinstance(engine, ReadsCode)
    if budget is None and entry != "changes":
        budget = _BUDGET
    options = {"entry": entry} if budget is None else {"entry": entry, "budget": budget}
    query = Query(words, services=True, options=options)
    return engine.answer_code(session.engines.context(session.engine), query, files)


def _lines(answer: CodeAnswer, why: str | None, notes: bool) -> tuple[list[str], bool]:
    """The lines to print for ``answer``, and True if it contains what the user asked for. Raises :class:`Failure`."""
    if why is not None:
        explained = answer.why_lines(why)
        if explained is None:
            raise Failure(f"no symbol in this code has {visible(why)} in its name", NOT_THERE)
        return explained
    return answer.note_lines() if notes else (answer.lines(), not answer.is_empty)


def _report_unread(session: Session, snapshot: RepositorySnapshot) -> None:
    """Prints why files were not read, why feedback is ignored, and why the index could not be stored."""
    graph = snapshot.pages.graph
    by_reason: dict[str, list[SkippedSource]] = {}
    for one in graph.skipped:
        by_reason.setdefault(one.reason, []).append(one)
    lines = [graph.cut] if graph.cut else []
    for reason, same in by_reason.items():
        lines.append(same[0].line if len(same) == 1 else f"{same[0].path} and {len(same) - 1} more: {reason}")
    for line in (*lines[:_MOST_UNREAD], _problem(session)):
        if line:
            say(f"brv-tui: {visible(line)}", err=True)
    if len(lines) > _MOST_UNREAD:
        say(f"brv-tui: and {len(lines) - _MOST_UNREAD} more reasons why files are left out", err=True)


def _problem(session: Session) -> str:
    """The reason why feedback is ignored or the index could not be stored; empty if there is no such problem."""
    from brvtui.faults import error_line
    from brvtui.services.provided import feedback_problem
    from brvtui.store.kept_code import KeptCode

    problem = ""
    try:
        session.keep()
    except OSError as error:
        problem = f"the index of the code could not be stored: {error_line(error, KeptCode(session.project.tree).path)}"
    try:
        session.services.feedback(session.engine).said()
    except OSError as error:
        problem = feedback_problem(error)
    return problem


def _show_files_without_note(code: RepositorySnapshot, answer: CodeAnswer | None) -> int:
    """Prints the files that no note mentions, in the whole repository or only in ``answer``; returns the exit code."""
    files = code.documentation.files_without_note if answer is None else answer.files_without_note()
    for path in files:
        click.echo(visible(path))
    if not code.documentation.has_code:
        say("no source file was read, so no note can mention one", err=True)
    elif not files:
        say(f"every file{' in the answer' if answer is not None else ''} is mentioned in a note", err=True)
    return OK if files else NEGATIVE


def _words(task: tuple[str, ...], files: bool) -> str:
    """``task`` joined by spaces. Raises :class:`Failure` if it is too long and not a list of names of ``files``."""
    words = " ".join(task).strip()
    return words if files else query_text(words)


def _changed(repo: Path, diff: str) -> list[str]:
    """The files in the patch on standard input, or changed between the revisions ``diff``. Raises :class:`Failure`."""
    from brvtui.corpus.code.commits import DiffError, files_between, files_of_patch

    if diff == "-":
        patch = sys.stdin.buffer.read(_LARGEST_PATCH + 1)
        if len(patch) > _LARGEST_PATCH:
            raise Failure(f"the patch is larger than {_LARGEST_PATCH >> 20} MB: list the files with --files", BAD_USAGE)
        files = files_of_patch(patch.decode("utf-8", "surrogateescape"))
        if not files:
            raise Failure("there is no patch on standard input: pipe the output of git diff into brv-tui", BAD_USAGE)
        return files
    if not repo.is_dir():
        raise no_folder(repo)
    try:
        changed = files_between(repo, diff)
    except DiffError as error:
        raise Failure(str(error), BAD_USAGE) from error
    note_ambiguous(repo, *re.split(r"\.\.+", diff))
    return changed


def _source_files(code: RepositorySnapshot, written: Sequence[str]) -> list[str]:
    """The source files named in ``written`` by whole or partial paths. Prints names that match no single file."""
    meant = {one: code.documentation.names.file(one) for one in written}
    unknown = [one for one, path in meant.items() if not path]
    if unknown:
        more = f" and {len(unknown) - _MOST_UNKNOWN} more" if len(unknown) > _MOST_UNKNOWN else ""
        named = visible(", ".join(unknown[:_MOST_UNKNOWN]))
        say(f"brv-tui: no single source file in the repository matches: {named}{more}", err=True)
    return list(dict.fromkeys(filter(None, meant.values())))


def _opened(repo: Path, profile: str, project: Path | None) -> tuple[Session, RepositorySnapshot]:
    """A session for the code of ``repo`` with the notes about it, and its snapshot. Raises :class:`Failure`."""
    from brvtui.corpus.code.snapshot import RepositorySnapshot
    from brvtui.garbage import garbage_collector_paused
    from brvtui.tree.reading.project import ProjectError

    try:
        with _progress_line() as progress, garbage_collector_paused():
            session = find_session(None, repository=repo)
            session.use_profile(profile, session.engine)
            session.join_notes(_notes(repo, project))
            session.load(progress)
            snapshot = session.snapshot
            assert isinstance(snapshot, RepositorySnapshot)
            return session, snapshot
    except ProjectError as error:
        raise Failure(str(error), FAILED) from error
    except MISSING as error:
        raise no_folder(repo) from error


@contextmanager
def _progress_line() -> Iterator[Progress | None]:
    """Yields a function that shows reading progress in a line of the terminal, and clears the line at the end."""
    if not _is_watched():
        yield None
        return
    shown = False

    def show(read: int, files: int) -> None:
        nonlocal shown
        if read % _EACH == 0:
            shown = True
            click.echo(f"\rreading the code: {read} of {files} files", nl=False, err=True)

    try:
        yield show
    finally:
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def _is_watched() -> bool:
    return sys.stderr.isatty()


def _notes(repo: Path, project: Path | None) -> Snapshot | None:
    """The notes of ``project``, by default those of the repository; None if there are none."""
    if project is None and not (repo / ".brv").is_dir():
        return None
    try:
        session = find_session(project or repo)
    except Failure as error:
        if project is not None:
            raise
        say(f"brv-tui: answering without notes: {visible(error.message)}", err=True)
        return None
    session.load()
    notes: Snapshot = session.snapshot
    session.close()
    return notes
