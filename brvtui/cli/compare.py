"""``brv-tui compare``: all engines side by side, for one query or for the judged queries."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from brvtui.cli import completing
from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.judge import judgments_file, judgments_option, judgments_to_run
from brvtui.cli.options import SCOPE_HELP, answer_format, project_option, shared, text_argument
from brvtui.cli.output import print_blocks, write_json
from brvtui.cli.sessions import ProjectRequest, project_request


@click.command(
    epilog="""
\b
Examples:
  brv-tui compare "how are refresh tokens rotated"
  brv-tui compare "webhook retries" --engine byterover --engine soleri --format json
  brv-tui compare
  brv-tui compare --metric recall@5
"""
)
@text_argument(required=False)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="NAME",
    shell_complete=completing.engines,
    help="Only this engine; may be repeated.",
)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this metric; may be repeated.")
@judgments_option
@click.option("--scope", default="", metavar="PATH", shell_complete=completing.scopes, help=SCOPE_HELP)
@project_option
@shared
@project_request
@answer_format
def compare(
    text: str | None,
    engines: tuple[str, ...],
    metrics: tuple[str, ...],
    named: Path | None,
    request: ProjectRequest,
    form: str,
) -> int:
    """Run TEXT with every engine, and show the results side by side; without TEXT, measure engines on judged queries.

    A number before a title, such as 3×, says how many of the engines found that note.

    Nothing is changed, and no paid service is called. The exit code is 1 if no engine finds anything.
    """
    from brvtui.engines.contract import Query
    from brvtui.lab.evaluation.results import DEFAULT_METRICS, parse_metric
    from brvtui.report.engine_comparison import answers_as_plain, answers_blocks, judged_as_plain, judged_blocks
    from brvtui.session.diffing import ask_all, judge_all

    if text and (metrics or named):
        measures = "--metric" if metrics else "--judgments"
        raise Failure(f"{measures} applies only to judged queries: leave out {measures} or TEXT", BAD_USAGE)
    wanted = tuple(map(parse_metric, metrics)) or DEFAULT_METRICS
    alone = engines[0] if request.profile and len(engines) == 1 else ""  # the profile belongs to this engine
    session = request._replace(engine=alone).open_noting_scope()
    like = Query(text or "", request.scope)
    if text:
        answers = ask_all(session, like, engines)
        if form == "json":
            write_json([answers_as_plain(answers)])
        else:
            print_blocks(partial(answers_blocks, answers))
        return OK if any(answer.results for answer in answers.answers) else NEGATIVE
    runs = len(engines or session.engines.names)
    listed = judgments_to_run(file := judgments_file(session, named), runs)
    if not listed:
        raise Failure(f"{file.path}: no judgments yet; pass a query, or add some with brv-tui judge set", BAD_USAGE)
    judged = judge_all(session, listed, wanted, like, engines)
    if form == "json":
        write_json([judged_as_plain(judged)])
    else:
        print_blocks(lambda _: judged_blocks(judged))
    return OK if any(query.results for each in judged.evaluations for query in each.queries) else NEGATIVE
