"""``brv-tui sweep``: the results of the judged queries over a range of one or two constants."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import BAD_USAGE, OK, Failure
from brvtui.cli.judge import judgments_file, judgments_option, judgments_to_run, read_judgments
from brvtui.cli.options import NamedPath, format_option, query_text
from brvtui.cli.output import check_targets, print_blocks, say, show_progress, write_json
from brvtui.cli.sessions import ProjectRequest
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.lab.whatif.sweep import Sweep
    from brvtui.session import Session

_FORMS = {".json": "json", ".svg": "svg"}


@click.command(
    epilog="""
\b
Examples:
  brv-tui sweep direct.min_top
  brv-tui sweep direct.min_top=0.5:1:26 --query "how are refresh tokens rotated"
  brv-tui sweep score.relevance=0.3:0.9:13 score.recency=0:0.6:13 --metric recall@5
  brv-tui sweep days=0:365:13 --save ageing.svg
  brv-tui sweep auth/tokens.md:importance --format json
"""
)
@click.argument("axes", nargs=-1, metavar="CONSTANT[=FROM:TO[:N]]…")
@engine_command
@judgments_option
@click.option("--metric", "named_metric", default="ndcg@10", show_default=True, help="The metric to plot.")
@click.option(
    "--query",
    "queries",
    multiple=True,
    type=query_text,
    metavar="TEXT",
    help="Run this query instead of the judged ones; if it is judged, its judgment still counts.",
)
@click.option(
    "--save", "files", multiple=True, type=NamedPath(), metavar="FILE",
    help="Also write FILE (.svg, .json); may be repeated.",
)  # fmt: skip
@click.option("--list", "lists", is_flag=True, help="List the constants with their ranges instead.")
@format_option("table", "json", "svg")
def sweep(
    request: ProjectRequest,
    axes: tuple[str, ...],
    named: Path | None,
    named_metric: str,
    queries: tuple[str, ...],
    files: tuple[Path, ...],
    lists: bool,
    form: str,
) -> int:
    """Run the judged queries over a range of one or two constants: a curve or a heat map.

    CONSTANT is the name of a constant in the engine's profile (direct.min_top), days (the clock, from now), or a signal
    of a note (auth/tokens.md:importance), given by its path, the end of it, or its title. N is the number of values.
    For one constant, the values at which a different tier starts to answer a query are listed. Nothing is changed.
    """
    from brvtui.lab.evaluation.results import parse_metric
    from brvtui.lab.judgments.model import Judgment
    from brvtui.lab.whatif.variant import Variant
    from brvtui.session.evaluating import parse_axes, runs_of_sweep, swept_over

    if not axes and not lists:
        raise click.UsageError("name a constant; --list lists them")
    if lists and (axes or files or form == "svg"):
        raise click.UsageError("--list only lists the constants: leave out constants, --save and --format svg")
    session = request.open_noting_scope()
    if lists:
        return _list(session, form)
    check_targets(files, _form_of, session.project.trees)
    metric, progress = parse_metric(named_metric), partial(show_progress, "points")
    grid, file = parse_axes(session, axes), judgments_file(session, named)
    if queries:
        judged = {(each.text, each.scope): each for each in read_judgments(file)}
        judgments = tuple(
            judged.get((text, request.scope)) or Judgment(f"query-{number}", text, request.scope)
            for number, text in enumerate(queries, 1)
        )
    else:
        judgments = judgments_to_run(file, runs_of_sweep(grid))
    if not judgments:
        raise Failure("no judgments yet: add some with brv-tui judge set, or pass a query with --query", BAD_USAGE)
    result = swept_over(session, grid, judgments, metric, Variant(), session.engine, request.options, progress)
    for each in files:
        _save(each, _rendered(result, _form_of(each)), session)
    if form == "table":
        from brvtui.paint.glyphs import for_terminal
        from brvtui.report.sweep import sweep_blocks

        print_blocks(lambda width: sweep_blocks(result, width, for_terminal()))
    else:
        sys.stdout.buffer.write(_rendered(result, form))
        sys.stdout.buffer.flush()
    return OK


def _form_of(file: Path) -> str:
    if form := _FORMS.get(file.suffix.lower()):
        return form
    raise Failure(f"{file}: a sweep is saved as .svg or .json; give the file one of these extensions", BAD_USAGE)


def _list(session: Session, form: str) -> int:
    """Prints the constants that can be swept, each with its value and range."""
    controls = session.variants.controls(session.engine)
    if form == "json":
        from brvtui.trace import to_plain

        write_json([{"constants": [to_plain(each) for each in controls]}])
        return OK
    from brvtui.report.sweep import control_lines

    print_blocks(lambda _: control_lines(controls))
    return OK


def _rendered(result: Sweep, form: str) -> bytes:
    from brvtui.report.sweep import sweep_as_plain, sweep_svg
    from brvtui.text.visible import json_line

    return json_line(sweep_as_plain(result)) if form == "json" else sweep_svg(result).encode("utf-8")


def _save(file: Path, data: bytes, session: Session) -> None:
    from brvtui.report.saved import write_report

    write_report(file, data, session.project.trees)
    say(f"saved {visible(str(file))}", err=True)
