"""``brv-tui code``: what a task needs of a repository's code, and which notes speak of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.common import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK, Failure, find_session
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.corpus.code.records import SkippedSource
    from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeResult
    from brvtui.session.code import CodeSession
    from brvtui.snapshot import Snapshot

_SHOWN = 10
_MOST_SKIPPED = 8
_PROFILES = ("knowing", "knowing-code")


@click.command(
    epilog="""\b
Examples:
  brv-tui code "rotate refresh tokens"
  brv-tui code "cache templates" --repo ../django --budget 2000 --format markdown
  brv-tui code --without-note --repo . --project sample-tree
"""
)
@click.argument("task", default="")
@click.option("--repo", type=click.Path(path_type=Path), default=Path(), help="The repository (default: here).")
@click.option("--budget", type=click.IntRange(1), default=5000, show_default=True, help="Tokens of the answer.")
@click.option(
    "--format", "form", type=click.Choice(["text", "xml", "markdown", "json"]), default="text", show_default=True,
    help="text says why; the others are what an agent is given.",
)  # fmt: skip
@click.option("--profile", type=click.Choice(_PROFILES), default=_PROFILES[0], show_default=True, help="The constants.")
@click.option(
    "--project", type=click.Path(path_type=Path), help="Notes about it (default: those of the repository, if any)."
)
@click.option("--without-note", is_flag=True, help="List the files of which no note speaks.")
def code(task: str, repo: Path, budget: int, form: str, profile: str, project: Path | None, without_note: bool) -> int:
    """Show what TASK needs of the code in a repository, why, and which notes speak of it.

    The engine knowing ranks the symbols of the repository; what was read of it is kept for the next time.
    """
    if bool(task.strip()) == without_note:
        raise Failure("give either a task or --without-note", BAD_USAGE)
    session = _opened(repo, profile, project)
    _report_skipped(session)
    if without_note:
        return _show_files_without_note(session)
    answer = session.answer(task, budget)
    if form == "text":
        _show(session, answer, budget)
    else:
        click.echo(answer.as_text(form))
    return OK if answer.packed else NEGATIVE


def _opened(repo: Path, profile: str, project: Path | None) -> CodeSession:
    from brvtui.corpus.code.reading import NoGrammar
    from brvtui.session.code import CodeSession

    try:
        return CodeSession(repo, profile, _notes(repo, project))
    except NoGrammar as error:
        raise Failure(str(error), FAILED) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Failure(f"{repo}: there is no such folder; name one with --repo", NOT_THERE) from error


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


def _report_skipped(session: CodeSession) -> None:
    """Prints what was not read: a line for each reason that several share."""
    by_reason: dict[str, list[SkippedSource]] = {}
    for one in session.graph.skipped:
        by_reason.setdefault(one.reason, []).append(one)
    lines = [
        same[0].line if len(same) == 1 else f"{same[0].path} and {len(same) - 1} more: {reason}"
        for reason, same in by_reason.items()
    ]
    for line in (*lines[:_MOST_SKIPPED], session.problem):
        if line:
            click.echo(f"brv-tui: {visible(line)}", err=True)
    if len(lines) > _MOST_SKIPPED:
        click.echo(f"brv-tui: and {len(lines) - _MOST_SKIPPED} reasons more for which files are left out", err=True)


def _show_files_without_note(session: CodeSession) -> int:
    files = session.documentation.files_without_note()
    for path in files:
        click.echo(visible(path))
    return OK if files else NEGATIVE


def _show(session: CodeSession, answer: CodeAnswer, budget: int) -> None:
    packed = answer.packed
    if not packed:
        click.echo("nothing in the code has to do with this task: name a symbol, a file or a word of them")
        return
    found = counted(len(packed), "symbol", "symbols")
    click.echo(f"{found} in {answer.made.packed.used} of {budget} tokens; the first {min(len(packed), _SHOWN)}:\n")
    places = {node.id: f"{node.path}:{node.line}" if node.line else node.path for node in session.graph.nodes}
    for rank, scored in enumerate(packed[:_SHOWN], start=1):
        node = scored.node
        click.echo(visible(f"{rank:2}  {scored.score:.3f}  {node.name}  ({node.kind}, {places[node.id]})"))
        click.echo(visible(f"    {_reason(answer.explained(scored))}"))
        for mention in session.notes_about(node.id)[:3]:
            click.echo(visible(f"    note {mention.note} says {mention.written}"))


def _reason(result: CodeResult) -> str:
    """Why a symbol is there: what found it, or the way to it."""
    found = ", ".join(f"{channel} (place {place})" for channel, place in result.found_by)
    way = " ".join(part if place % 2 else part.rpartition("/")[2] for place, part in enumerate(result.way))
    if len(result.way) > 1:
        return f"found by {found}; most of its weight came over {way}" if found else f"reached over {way}"
    return f"found by {found}" if found else "stands for a concept that the task names, or implements what was found"
