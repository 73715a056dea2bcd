"""``brv-tui demo``: opens a copy of the sample tree in the app, or runs a query over it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shlex import quote
from shutil import copyfile
from tempfile import TemporaryDirectory

import click

import brvtui
from brvtui import faults
from brvtui.cli.failure import BAD_USAGE, FAILED, Failure, check_terminal
from brvtui.cli.options import NamedPath, query_text
from brvtui.cli.output import say_note
from brvtui.config.schema import PREFIX
from brvtui.store.folders import data_folder
from brvtui.timing import system_clock
from brvtui.tree.saving.ages import AGES, stamp, write_log

_SAMPLE = "sample-tree"
_NOT_COPIED = ("restamp.py", ".restamped")


@click.command(
    epilog="""
\b
Examples:
  brv-tui demo
  brv-tui demo --query "carrier resends"
  brv-tui demo my-copy
"""
)
@click.argument("folder", required=False, type=NamedPath())
@click.option(
    "--query", "text", type=query_text, metavar="TEXT", help="Answer TEXT as brv-tui query does, without the app."
)
@click.option("--full", is_flag=True, help="With --query: also show every check, the score and the answer.")
@click.pass_context
def demo(ctx: click.Context, folder: Path | None, text: str | None, full: bool) -> int:
    """Open a sample tree in the app: 75 notes of an invented company, with ages relative to now, and the log of an
    agent that queried them. The app offers a guided tour.

    FOLDER is where to put the notes: a new or an empty folder. Without it, the notes and everything that brv-tui stores
    about them go to a temporary folder that is removed at the end, and your own settings are ignored.
    """
    if full and text is None:
        raise click.UsageError("--full needs --query")
    if text is None:
        check_terminal(instead=f"brv-tui demo {quote(str(folder)) + ' ' if folder is not None else ''}--query TEXT")
    tour = data_folder() / "tour.json"  # the user's own folder, which outlives the sample
    with ExitStack() as stack:
        try:
            project = folder.absolute() if folder is not None else stack.enter_context(_temporary_project())
            _copy_sample(project)
        except OSError as error:
            where = f" to {folder}" if folder is not None else ""
            why = f"the sample tree cannot be copied{where} ({faults.reason(error)}); choose another folder"
            raise Failure(why, FAILED) from error
        if text is not None:
            from brvtui.cli.query import query

            if folder is not None:
                say_note(f"the notes are in {folder}: add --project {quote(str(folder))} to other commands")
            arguments = ["--project", str(project), *(["--full"] if full else []), "--", text]
            code: int = query.invoke(query.make_context("query", arguments, parent=ctx.parent))
            return code
        from brvtui.app import run
        from brvtui.app.project.opening import Opening

        return run(Opening(project, tour=None if tour.exists() else tour), at_end=stack.close)


def _copy_sample(folder: Path) -> None:
    """Copies the sample tree to ``folder``. Raises OSError, and :class:`Failure` if the folder is not new or empty."""
    if os.path.lexists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        command = f"brv-tui {quote(str(folder))}"
        why = f"not an empty folder; choose a new one (a copy of the sample opens with {command})"
        raise Failure(f"{folder}: {why}", BAD_USAGE)
    source = _sample()
    for file in source.rglob("*"):
        if file.is_file() and file.name not in _NOT_COPIED:
            copy = folder / file.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copyfile(file, copy)
    now_ms = system_clock()
    stamp(folder, now_ms)
    write_log(folder, now_ms)


def _sample() -> Path:
    """The folder of the sample tree: inside the package in a wheel, next to the package in a checkout."""
    package = Path(brvtui.__file__).parent
    for place in (package / _SAMPLE, package.parent / _SAMPLE):
        if (place / AGES).is_file():
            return place
    raise Failure("the sample tree is missing from this installation: install brv-tui again", FAILED)


@contextmanager
def _temporary_project() -> Iterator[Path]:
    """A temporary folder for the sample tree, with this process's data, cache and settings beside it.

    The user's own settings are removed from the environment inside the block.
    """
    before = dict(os.environ)
    with TemporaryDirectory(prefix="brv-tui-demo-", ignore_cleanup_errors=True) as place:
        for name in before:
            if name.startswith(PREFIX):
                del os.environ[name]
        os.environ["BRV_TUI_DATA_DIR"] = str(Path(place, "data"))
        try:
            yield Path(place, "harborline")
        finally:
            os.environ.clear()
            os.environ.update(before)
