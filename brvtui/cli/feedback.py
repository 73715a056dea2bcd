"""``brv-tui feedback``: say what became of a result."""

from __future__ import annotations

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import Asked, engine_command
from brvtui.cli.failure import NOT_THERE, OK, Failure, engine_errors_reported
from brvtui.cli.options import text_argument
from brvtui.trace.feedback import Usefulness


@click.command(epilog='\b\nExample:\n  brv-tui feedback "carrier resends" event_dedup accepted --engine soleri')
@text_argument()
@click.argument("note", metavar="PATH", shell_complete=completing.notes)
@click.argument("usefulness", type=click.Choice([one.value for one in Usefulness]))
@engine_command
def feedback(
    text: str,
    note: str,
    usefulness: str,
    asked: Asked,
) -> int:
    """Say that the result PATH of TEXT was of use, of use with changes, or not: engines that learn follow it.

    ``failed`` stands for a fault of the system. It is kept, and engines do not count it.

    It is kept among the tool's own files, never in the tree; brv-tui forget drops it.
    """
    from brvtui.snapshot.naming import UnknownNote, find_note

    session = asked.open()
    try:
        with engine_errors_reported():
            trace = session.probe(text, asked.scope, options=asked.options)
            found = find_note(session.snapshot, note)
            click.echo(session.engines.learn(trace, found.path, Usefulness(usefulness)))
    except UnknownNote as error:
        raise Failure(str(error), NOT_THERE) from error
    return OK
