"""``brv-tui eval``: how well an engine answers the judged queries, and whether a change made that worse."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.common import (
    BAD_USAGE,
    OK,
    Asked,
    Failure,
    console_here,
    engine_command,
    engine_errors_reported,
    moment,
    write_json,
)
from brvtui.cli.judge import judgments_file, judgments_option, read_judgments
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.lab.evaluation.metrics import Metric

_HOURS = {"h": 1, "d": 24, "w": 168, "y": 8_766}
_MS_PER_HOUR = 3_600_000
_LATER = re.compile(r"([+-])([0-9]{1,6})([hdwy])")
_SHOWN_NOTICES = 10


@click.command(
    "eval",
    epilog="""
\b
Examples:
  brv-tui eval
  brv-tui eval --engine jeffs_brain --mode bm25 --metric ndcg@5
  brv-tui eval --at +30d
  brv-tui eval --format json > before.json
""",
)
@engine_command
@judgments_option
@click.option("--at", metavar="+30d|ISO", help="The moment: so long from now (h, d, w, y), or an ISO 8601 time.")
@click.option("--metric", "named_metrics", multiple=True, metavar="NAME", help="Such as ndcg@10, recall@5 or mrr.")
@click.option("--services", is_flag=True, help="Let queries ask services that cost: embedders and rerankers.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def evaluate_command(
    asked: Asked, named: Path | None, at: str | None, named_metrics: tuple[str, ...], services: bool, form: str
) -> int:
    """Ask every judged query, and measure how well the notes that it should find were found.

    Judgments are written with brv-tui judge. Nothing is changed, and no service that costs is asked without --services.
    """
    from brvtui.engines.contract import Query
    from brvtui.lab.evaluation.evaluate import evaluate
    from brvtui.lab.evaluation.metrics import DEFAULT_METRICS

    metrics = [_metric(name) for name in named_metrics] or [*DEFAULT_METRICS]
    session = replace(asked, now=_moment(at, asked.now)).open()
    judgments = read_judgments(file := judgments_file(session, named))
    if not judgments:
        raise Failure(f"{file.path}: no judgments yet; add some with brv-tui judge set", BAD_USAGE)
    like = Query("", asked.scope, services=services, options=asked.options)
    with engine_errors_reported():
        engine, context = session.engines.named(session.engine), session.engines.context(session.engine)
        made = evaluate(engine, context, judgments, like, progress=_show_progress)
    _print_notices(made.notices)
    if form == "json":
        from brvtui.saved.evaluations import evaluation_as_plain

        write_json([evaluation_as_plain(made, metrics)])
    else:
        from brvtui.report.evaluation import evaluation_lines
        from brvtui.report.lines import rich_lines

        console = console_here()
        console.print(rich_lines(evaluation_lines(made, metrics, console.width)))
    return OK


def _metric(name: str) -> Metric:
    from brvtui.lab.evaluation.metrics import UnknownMetric, parse_metric

    try:
        return parse_metric(name)
    except UnknownMetric as error:
        raise Failure(str(error), BAD_USAGE) from error


def _moment(at: str | None, now: float | None) -> float | None:
    """The moment that ``at`` names, in milliseconds since 1970; ``now`` where it names none."""
    if at is None:
        return now
    found = _LATER.fullmatch(at)
    if found is None:
        context: Any = click.get_current_context()
        return moment(context, context.command.params[0], at)
    hours = int(found[2]) * _HOURS[found[3]] * (-1 if found[1] == "-" else 1)
    return (time.time() * 1000 if now is None else now) + hours * _MS_PER_HOUR


def _print_notices(notices: Sequence[str]) -> None:
    for notice in notices[:_SHOWN_NOTICES]:
        click.echo(f"note: {visible(notice)}", err=True)
    if len(notices) > _SHOWN_NOTICES:
        click.echo(f"note: {len(notices) - _SHOWN_NOTICES} more; --format json holds all", err=True)


def _show_progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\rqueries: {done} of {of}", nl=done >= of, err=True)
