"""``brv-tui code``: what a task or a change needs of a repository's code, and which notes speak of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.checks import no_folder
from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.options import NamedPath, WholeNumber, format_option, query_text
from brvtui.cli.output import say
from brvtui.cli.sessions import find_session
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.corpus.code.index import Progress
    from brvtui.engines.code import CodeRepository
    from brvtui.snapshot import Snapshot

_BUDGET = 5000
_PROFILES = ("knowing", "knowing-code")
_LARGEST_PATCH = 64 * 1_048_576
_EACH = 50
"""How many files are read between two looks of the progress."""
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
    code = _opened(repo, profile, project)
    _report_unread(code)
    answer = None
    if changed is not None:
        answer = code.ask("changes", _known(code, changed), budget or code.review_budget)
    elif words:
        answer = _answer(code, [words], _known(code, task) if files else None, budget or _BUDGET)
    if without_note:
        return _show_files_without_note(code, answer)
    for line in code.notices(answer):
        click.echo(f"brv-tui: {visible(line)}", err=True)
    if form != "text":
        click.echo(code.as_text(answer, form))
        return NEGATIVE if code.is_empty(answer) else OK
    lines, is_positive = _lines(code, answer, why, notes)
    for line in lines:
        say(visible(line))
    return OK if is_positive else NEGATIVE


def _answer(code: CodeRepository, words: list[str], files: list[str] | None, budget: int) -> Any:
    """The answer to the task ``words``, or about ``files``, if given. Raises :class:`Failure` if these are none."""
    if files is None:
        return code.ask("task", words, budget)
    if not files:
        raise Failure("none of these files is source that is read of the repository", NOT_THERE)
    return code.ask("files", files, budget)


def _lines(code: CodeRepository, answer: Any, why: str | None, notes: bool) -> tuple[list[str], bool]:
    """The printed lines of ``answer``, and True if it has what was asked for. Raises :class:`Failure`."""
    if why is not None:
        explained = code.why_lines(answer, why)
        if explained is None:
            raise Failure(f"no symbol of this code has {visible(why)} in its name", NOT_THERE)
        return explained
    if notes:
        found = code.note_lines(answer)
        return found or [code.no_note_line(answer)], bool(found)
    return code.lines(answer), not code.is_empty(answer)


def _report_unread(code: CodeRepository) -> None:
    lines = code.unread()
    for line in (*lines[:_MOST_UNREAD], code.problem):
        if line:
            say(f"brv-tui: {visible(line)}", err=True)
    if len(lines) > _MOST_UNREAD:
        say(f"brv-tui: and {len(lines) - _MOST_UNREAD} reasons more for which files are left out", err=True)


def _show_files_without_note(code: CodeRepository, answer: Any) -> int:
    """Prints the files of which no note speaks, all or those of ``answer``; returns the exit code."""
    files = code.files_without_note(answer)
    for path in files:
        click.echo(visible(path))
    if not code.has_code:
        say("no source file was read, so there is none that a note could speak of", err=True)
    elif not files:
        say("a note speaks of every file" + (" of the answer" if answer is not None else ""), err=True)
    return OK if files else NEGATIVE


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


def _known(code: CodeRepository, written: tuple[str, ...] | list[str]) -> list[str]:
    """The files of the code that are meant by ``written``; says which of these are none."""
    known, unknown = code.files(written)
    if unknown:
        more = f" and {len(unknown) - _MOST_UNKNOWN} more" if len(unknown) > _MOST_UNKNOWN else ""
        named = visible(", ".join(unknown[:_MOST_UNKNOWN]))
        click.echo(f"brv-tui: not one source file that is read of the repository: {named}{more}", err=True)
    return known


def _opened(repo: Path, profile: str, project: Path | None) -> CodeRepository:
    from brvtui.corpus.code.reading import NoGrammar
    from brvtui.engines.code import ReadsCode
    from brvtui.garbage import garbage_collector_paused

    try:
        with _progress_line() as progress, garbage_collector_paused():
            session = find_session(None, repository=repo)
            engine = session.engines.named(session.engine)
            assert isinstance(engine, ReadsCode)
            return engine.read_code(repo, profile, _notes(repo, project), progress, session.services)
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
