"""``brv-tui verify``: compares brv-tui's answers with those of the engine installed on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.failure import NEGATIVE, OK
from brvtui.cli.options import NamedPath, WholeNumber, answer_format, project_option, shared, space_options
from brvtui.cli.output import print_report, say, show_progress, write_json
from brvtui.cli.sessions import ProjectRequest, project_request
from brvtui.engines.verification.results import Verification
from brvtui.paint.line import Line, line
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.session import Session

# The result of a verification, as lines.


_MOST = 20
_LABEL = 10


def verification_lines(verification: Verification) -> Iterator[Line]:
    """Yields the verdict, the conditions of the comparison, and the first queries with different answers."""
    role = "ok" if not verification.differences else "bad"
    yield Line().gap().add(verification.sentence, f"bold {role}")
    documents = counted(verification.documents, "document", "documents")
    yield line(
        f" over a copy of {verification.over}, {documents}, profile {verification.profile}; {verification.isolation}",
        "muted",
    )
    for notice in verification.notices:
        yield line(f" {notice}", "warn")
    for difference in verification.differences[:_MOST]:
        yield Line()
        yield (
            Line().gap().add(difference.query or "every query", "strong").add(f"  first difference: {difference.step}")
        )
        for label, text in (("installed", difference.engine), ("brv-tui", difference.ours)):
            yield Line().gap(3).fit(label, _LABEL, "muted").add(text, "text")
    if len(verification.differences) > _MOST:
        yield line(f" {len(verification.differences) - _MOST} more; --format json shows all", "muted")


_PATH = NamedPath()


@click.command(
    epilog="""
\b
Examples:
  brv-tui verify
  brv-tui verify --queries queries.json --project sample-tree
  brv-tui verify --package ~/node_modules/byterover-cli
  brv-tui verify --status
"""
)
@click.option("--queries", type=_PATH, metavar="FILE", help="A JSON list of queries to run, in replay's format.")
@click.option(
    "--most",
    type=WholeNumber(1, 10_000),
    help="The maximum number of queries to run (default: 226, or 30 for a space).",
)
@click.option(
    "--package",
    type=_PATH,
    metavar="DIR",
    help="The engine's folder: the package byterover-cli or V4's skill bundle (default: the one on this machine).",
)
@click.option("--status", is_flag=True, help="Only show which engine is installed, and whether it was verified here.")
@space_options
@project_option
@shared
@project_request
@answer_format
def verify(
    queries: Path | None, most: int | None, package: Path | None, status: bool, request: ProjectRequest, form: str
) -> int:
    """Send the same queries to brv-tui and to the engine on this machine, and compare the answers.

    The queries are the judged and logged ones, and some generated from the notes. They run on a copy of the project,
    without network access. The project and the engine's data are not touched. The exit code is 1 if an answer differs
    or, with --status, if nothing has been verified yet.
    """
    session = request.open()
    if status:
        return _show_status(session, package, form)
    from brvtui.session import verifying

    if queries is not None:
        from brvtui.replay import read_queries

        texts = [listed.query for listed in read_queries(queries)]
    else:
        texts = verifying.questions(session, most)
    verification = verifying.verify(session, texts[:most], package, partial(show_progress, "queries"))
    assert verification is not None  # it is never cancelled here
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json(
            [{"schema": SCHEMA, **to_plain(verification), "same": verification.same, "sentence": verification.sentence}]
        )
    else:
        from brvtui.paint.line import flowed
        from brvtui.report.lines import rich_lines

        lines = list(verification_lines(verification))
        print_report(lambda width: rich_lines(part for one in lines for part in flowed(one, width, width)))
    return NEGATIVE if verification.differences else OK


def _show_status(session: Session, package: Path | None, form: str) -> int:
    from brvtui.session.verifying import verification_status

    found = verification_status(session, package)
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        installed = found.installed
        write_json(
            [
                {
                    "schema": SCHEMA,
                    "installed": installed.name if installed else None,
                    "last": to_plain(found.last),
                    "profile": found.profile,
                    "versions": found.versions,
                    "is_known": found.is_known,
                    "sentence": found.sentence,
                }
            ]
        )
    else:
        say(visible(found.sentence))
    return OK if found.last is not None else NEGATIVE
