"""Commands for stored data."""

from __future__ import annotations

from pathlib import Path

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import OK, no_folder
from brvtui.cli.options import NamedPath, project_option, text_argument
from brvtui.cli.output import say
from brvtui.cli.sessions import ProjectRequest, find_session
from brvtui.disk import writing
from brvtui.store.feedback import clear_feedback
from brvtui.text.visible import visible
from brvtui.trace.feedback import Usefulness
from brvtui.wording import counted

# ``brv-tui feedback``: records the usefulness of a result.


@click.command(epilog='\b\nExample:\n  brv-tui feedback "carrier resends" event_dedup accepted --engine soleri')
@text_argument()
@click.argument("note", metavar="PATH", shell_complete=completing.notes)
@click.argument("usefulness", type=click.Choice([one.value for one in Usefulness]))
@engine_command
def feedback(text: str, note: str, usefulness: str, request: ProjectRequest) -> int:
    """Record whether the result PATH for TEXT was useful, useful after changes, or not useful, for engines that learn.

    ``failed`` means a system fault. It is stored, but engines do not count it.

    Feedback is stored among the tool's own files, never in the tree; brv-tui forget deletes it.
    """
    from brvtui.snapshot.naming import find_note

    session = request.open()
    trace = session.preview(text, request.scope, options=request.options)
    found = find_note(session.snapshot, note)
    say(session.engines.learn(trace, found.path, Usefulness(usefulness)))
    return OK


_FEW_BYTES = 100_000


@click.command(epilog="\b\nExamples:\n  brv-tui forget --project sample-tree\n  brv-tui forget --repo ../shop")
@project_option
@click.option("--repo", type=NamedPath(), help="Remove the feedback on the code of this repository instead.")
def forget(project: Path | None, repo: Path | None) -> int:
    """Delete this tool's own data about a project's notes: access hits, signals set here, feedback on results.

    With --repo, delete the feedback on the symbols of a repository.
    """
    if repo is not None and project is not None:
        raise click.UsageError("use --project or --repo, not both")
    if repo is not None:
        rows = clear_feedback(repo)
        if not rows and not repo.is_dir():  # feedback on a deleted repository can still be dropped
            raise no_folder(repo)
        click.echo(f"removed {counted(rows, 'feedback record', 'feedback records')}")
        return OK
    session = find_session(project)
    signals, rows = session.forget(), session.forget_feedback()
    amount = counted(signals, "note", "notes")
    say(f"removed brv-tui's own signals for {amount}: recorded access hits, and maturity and importance set here")
    click.echo(f"removed {counted(rows, 'feedback record', 'feedback records')}")
    return OK


_CACHE_EXAMPLES = (
    "\b\nExamples:\n  brv-tui cache info --project sample-tree\n  brv-tui cache clear\n"
    "  brv-tui cache clear --repo ../shop"
)


@click.command(epilog=_CACHE_EXAMPLES)
@click.argument("what", type=click.Choice(["info", "clear"]))
@project_option
@click.option("--repo", type=NamedPath(), help="Act on the index of this repository's code instead.")
def cache(what: str, project: Path | None, repo: Path | None) -> int:
    """Show or remove data that is stored about a project to save time: indexes, vectors, answers to judged queries.

    With --repo, the parsed source files of a repository: clear them to have all files read again.
    """
    if repo is not None and project is not None:
        raise click.UsageError("use either --project or --repo; each has its own cache")
    if repo is not None:
        return _cache_of_code(what, repo)
    from brvtui.publishing.publisher import WORTH_KEEPING
    from brvtui.store.kept_answers import KeptAnswers
    from brvtui.store.kept_index import KeptIndex
    from brvtui.store.text_index import text_index
    from brvtui.store.vectors import vector_files

    tree = find_session(project).project.tree
    index, answers, text = KeptIndex(tree), KeptAnswers(tree), text_index(tree)
    folder, vectors = visible(str(index.folder)), vector_files(tree)
    size_of_vectors = sum(file.lstat().st_size for file in vectors)
    if what == "clear":
        for file in vectors:
            writing.remove(file)
        removed = index.clear() + answers.clear() + text.clear() + size_of_vectors
        say(f"removed {_size(removed)}" if removed else f"{folder}: nothing was stored")
        return OK
    kept = index.info()
    if kept.problem:
        say(f"{folder}: {visible(kept.problem)}; the index is rebuilt when the project is opened")
    elif not kept.files:
        say(f"{folder}: no index is saved; one is saved only for projects of {WORTH_KEEPING} files or more")
    else:
        say(f"{folder}: {kept.notes} notes, {kept.terms} terms, {_size(kept.bytes)}")
    if size := text.bytes():
        say(f"{visible(str(text.folder))}: the text index, {_size(size)}")
    if size := answers.bytes():
        say(f"{visible(str(answers.folder))}: answers to judged queries, {_size(size)}")
    if vectors:
        say(f"{visible(str(vectors[0].parent))}: vectors of notes, {_size(size_of_vectors)}")
    return OK


def _cache_of_code(what: str, repo: Path) -> int:
    from brvtui.store.kept_code import KeptCode
    from brvtui.store.text_index import text_index

    kept, text = KeptCode(repo), text_index(repo, has_files=False)
    place = visible(str(kept.path))
    if not repo.exists() and not kept.bytes():  # the stored data of a deleted repository can still be removed
        raise no_folder(repo)
    size = kept.clear() + text.clear() if what == "clear" else kept.bytes()
    if what == "clear":
        say(f"removed {_size(size)}" if size else f"{place}: nothing was stored")
    else:
        say(
            f"{place}: {_size(size)}"
            if size
            else f"{place}: nothing is saved yet; brv-tui code saves an index of the code that it reads"
        )
    if what == "info" and (size := text.bytes()):
        say(f"{visible(str(text.folder))}: the text index, {_size(size)}")
    return OK


def _size(count: int) -> str:
    """The size of ``count`` bytes, in MB or, if it is small, in kB."""
    return f"{count / 1e6:.1f} MB" if count >= _FEW_BYTES else f"{count / 1e3:.1f} kB"
