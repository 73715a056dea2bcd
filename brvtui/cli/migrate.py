"""``brv-tui migrate``: the changes that a migration to ByteRover V4 would cause."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.judge import judgments_file, judgments_to_run
from brvtui.cli.options import answer_format, project_option, query_text, shared
from brvtui.cli.output import print_report, write_json
from brvtui.cli.sessions import ProjectRequest, project_request

_SHOWN, _ALL = 20, 1_000_000


@click.command(
    epilog="""
\b
Examples:
  brv-tui migrate --dry-run
  brv-tui migrate --dry-run "how are refresh tokens rotated" "quiet hours"
  brv-tui migrate --dry-run --format json | jq -r '.answers[] | select(.change != "the same note is first") | .query'
"""
)
@click.argument("queries", nargs=-1, type=query_text)
@click.option("--dry-run", is_flag=True, help="Required: this command only shows what a migration would change.")
@click.option(
    "--all", "everything", is_flag=True, help=f"List all answers and notes, not just the first {_SHOWN} of each."
)
@project_option
@shared
@project_request
@answer_format
def migrate(queries: tuple[str, ...], dry_run: bool, everything: bool, request: ProjectRequest, form: str) -> int:
    """Show what a migration of a ByteRover 3 tree to V4 would change: the answers to queries, and the notes.

    Runs QUERIES, or else every judged and logged query, on the tree and on the space that V4's own migration would
    create from it. Nothing is written. The exit code is 1 if an answer would lose the note that is now first (unless
    the query is judged not covered).
    """
    if not dry_run:
        raise Failure("migrate only shows what would change: add --dry-run (only ByteRover itself migrates)", BAD_USAGE)
    if not all(query.strip() for query in queries):
        raise click.UsageError("a query is empty: type a question")
    from brvtui.session.migrating import ONLY_TREES, asked_queries, migration_report
    from brvtui.tree.reading.kinds import TREE
    from brvtui.tree.reading.project import ProjectError
    from brvtui.tree.spaces.project import find_any_project

    with suppress(ProjectError):  # opening the project reports the reason
        if not find_any_project(request.project).kind.can_vary:
            raise Failure(ONLY_TREES, NOT_THERE)
    session = request._replace(engine=TREE.native).open()
    judged = (
        () if queries else judgments_to_run(judgments_file(session, None), 2, "to run others, give them as arguments")
    )
    report = migration_report(session, asked_queries(session, queries, judged))
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, **to_plain(report)}])
    else:
        from brvtui.report import migration

        limit = _ALL if everything else _SHOWN
        print_report(partial(migration.migration_report, report, most=limit))
    return NEGATIVE if report.is_worse else OK
