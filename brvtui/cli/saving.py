"""Traces in files: ``--save`` of a query, and the command that shows one again."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.failure import BAD_USAGE, FAILED, OK, Failure
from brvtui.cli.options import format_option
from brvtui.cli.output import print_report, say
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.saved.traces import SavedTrace
    from brvtui.session import Session


def check_files(files: Iterable[Path]) -> None:
    """Refuses, before anything is asked, a file whose ending names no form. Raises :class:`Failure`."""
    if not files:
        return
    from brvtui.report.saved import ExportError, form_of

    try:
        for file in files:
            form_of(file)
    except ExportError as error:
        raise Failure(str(error), BAD_USAGE) from error


def save(session: Session, saved: SavedTrace, files: Iterable[Path]) -> None:
    """Writes ``saved`` to each of ``files``, and says so on the standard error. Raises :class:`Failure`."""
    from brvtui.report.saved import ExportError, export

    trees = [session.project.tree, *(source.tree for source in session.project.sources)]
    for file in files:
        try:
            export(saved, file, trees)
        except ExportError as error:
            raise Failure(str(error), FAILED) from error
        say(f"saved {visible(str(file))}", err=True)


@click.command(
    epilog="""
\b
Examples:
  brv-tui query "carrier resends" --save resends.json
  brv-tui show resends.json
  brv-tui show resends.json --format md > resends.md
"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--detail", is_flag=True, help="text: add the term × field detail of every hit.")
@format_option("text", "json", "md", "svg", text="How to show it.")
def show(file: Path, detail: bool, form: str) -> int:
    """Show the trace in FILE again, as query saved it; its tree need not be here."""
    from brvtui.report.saved import Form, rendered, text_report
    from brvtui.saved.traces import SavedError, read

    try:
        saved = read(file)
    except SavedError as error:
        raise Failure(str(error), BAD_USAGE) from error
    if form == "text":
        print_report(lambda width: text_report(saved, width, detail))
        return OK
    sys.stdout.buffer.write(rendered(saved, Form(form)))
    sys.stdout.buffer.flush()
    return OK
