"""``brv-tui code``: what a task or a change needs of a repository's code, and which notes speak of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.checks import no_folder
from brvtui.cli.failure import BAD_USAGE, FAILED, NOT_THERE, Failure
from brvtui.cli.options import NamedPath, WholeNumber, format_option, query_text
from brvtui.cli.sessions import find_session
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.corpus.code.index import Progress
    from brvtui.session.code import CodeSession
    from brvtui.snapshot import Snapshot

_BUDGET = 5000
_PROFILES = ("knowing", "knowing-code")
_LARGEST_PATCH = 64 * 1_048_576
_EACH = 50
"""How many files are read between two looks of the progress."""
_MOST_UNKNOWN = 5


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
@click.option("--files", is_flag=True, help="TASK names files: show what they hold, and who calls that.")
@click.option(
    "--diff", metavar="REVISIONS|-", help="Show what a change touches: main..HEAD, or - for a patch on stdin."
)
@click.option(
    "--budget", type=WholeNumber(1, 10_000_000), help="Tokens of the answer (default: 5000, 8000 with --diff)."
)
@format_option("text", "xml", "markdown", "json", text="text says why; the others are what an agent is given.")
@click.option("--profile", type=click.Choice(_PROFILES), default=_PROFILES[0], show_default=True, help="The constants.")
@click.option("--project", type=NamedPath(), help="Notes about it (default: those of the repository, if any).")
@click.option("--why", metavar="SYMBOL", help="Say where SYMBOL stands in the answer, and what put it there.")
@click.option("--notes", is_flag=True, help="List the notes that speak of the code of the answer.")
@click.option("--without-note", is_flag=True, help="List the files of which no note speaks: all, or the answer's.")
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
    """Show what TASK needs of the code in a repository, why, and which notes speak of it.

    The engine knowing ranks the symbols of the repository; what was read of it is kept for the next time. Exit code 1
    when the answer is empty, SYMBOL is not in it, or no note or file is listed.
    """
    from brvtui.cli import code_output

    words = _words(task, files)
    if bool(words) + (diff is not None) != 1 and not (without_note and not words and diff is None and not files):
        raise Failure("give one of: a task, --files with files, --diff with revisions; or --without-note", BAD_USAGE)
    if files and not words:
        raise Failure("name the files behind --files", BAD_USAGE)
    if notes + without_note + (why is not None) > 1:
        raise Failure("give one of --why, --notes and --without-note", BAD_USAGE)
    if (notes or without_note or why is not None) and form != "text":
        raise Failure("--why, --notes and --without-note print lines of text: leave out --format", BAD_USAGE)
    changed = None if diff is None else _changed(repo, diff)
    session = _opened(repo, profile, project)
    code_output.report_skipped(session)
    answer = None
    if changed is not None:
        answer = session.tasks.answer_changes(_known(session, changed), budget or session.tasks.review_budget)
    elif files:
        known = _known(session, task)
        if not known:
            raise Failure("none of these files is source that is read of the repository", NOT_THERE)
        answer = session.tasks.answer_files(known, budget or _BUDGET)
    elif words:
        answer = session.tasks.answer(words, budget or _BUDGET)
    if without_note:
        return code_output.show_files_without_note(session, answer)
    assert answer is not None
    for line in session.tasks.notices(answer):
        click.echo(f"brv-tui: {visible(line)}", err=True)
    if why is not None:
        return code_output.show_why(answer, why)
    return code_output.show_notes(session, answer) if notes else code_output.show(session, answer, form)


def _words(task: tuple[str, ...], files: bool) -> str:
    """The words of the task, or the names of files. Raises :class:`Failure` for a task that is too long."""
    words = " ".join(task).strip()
    return words if files else query_text(words)


def _changed(repo: Path, diff: str) -> list[str]:
    """The files of the patch on the standard input, or between the revisions ``diff``. Raises :class:`Failure`."""
    from brvtui.corpus.code.commits import DiffError, files_between, files_of_patch

    if diff == "-":
        patch = sys.stdin.buffer.read(_LARGEST_PATCH + 1)
        if len(patch) > _LARGEST_PATCH:
            raise Failure(f"the patch has more than {_LARGEST_PATCH >> 20} MB: name the files with --files", BAD_USAGE)
        found = files_of_patch(patch.decode("utf-8", "surrogateescape"))
        if not found:
            raise Failure("the standard input holds no patch: pipe the output of git diff into it", BAD_USAGE)
        return found
    if not repo.is_dir():
        raise no_folder(repo)
    try:
        return files_between(repo, diff)
    except DiffError as error:
        raise Failure(str(error), BAD_USAGE) from error


def _known(session: CodeSession, written: tuple[str, ...] | list[str]) -> list[str]:
    """The files of the code that are meant by ``written``; says which of these are none."""
    known, unknown = session.files(written)
    if unknown:
        more = f" and {len(unknown) - _MOST_UNKNOWN} more" if len(unknown) > _MOST_UNKNOWN else ""
        named = visible(", ".join(unknown[:_MOST_UNKNOWN]))
        click.echo(f"brv-tui: not one source file that is read of the repository: {named}{more}", err=True)
    return known


def _opened(repo: Path, profile: str, project: Path | None) -> CodeSession:
    from brvtui.corpus.code.reading import NoGrammar
    from brvtui.garbage import garbage_collector_paused
    from brvtui.session.code import CodeSession

    try:
        with _progress_line() as progress, garbage_collector_paused():
            services = find_session(None, repository=repo).services
            return CodeSession(repo, profile, _notes(repo, project), progress, services=services)
    except NoGrammar as error:
        raise Failure(str(error), FAILED) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise no_folder(repo) from error


@contextmanager
def _progress_line() -> Iterator[Progress | None]:
    """What shows on a terminal how much of the code is read: a line on the standard error, gone in the end."""
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
    """The notes of ``project``, by default those of the repository; without them, code is answered all the same."""
    if project is None and not (repo / ".brv").is_dir():
        return None
    try:
        held = find_session(project or repo)
    except Failure as error:
        if project is not None:
            raise
        click.echo(f"brv-tui: no notes are joined: {visible(error.message)}", err=True)
        return None
    held.load()
    notes: Snapshot = held.snapshot
    held.close()
    return notes
