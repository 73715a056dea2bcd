"""``brv-tui fleet eval``: how well the members answer queries that are judged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.fleet.options import FleetOptions, fleet_command
from brvtui.cli.fleet.output import print_table, say_missing
from brvtui.cli.options import answer_format
from brvtui.cli.output import write_json
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.fleet.members import Absence, Fleet


@click.command("eval")
@click.option(
    "--judgments",
    "judgments",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="One set over all, by one ranking.",
)
@click.option(
    "--metric", "named_metrics", multiple=True, metavar="NAME", help="A metric, as eval has it; may be repeated."
)
@fleet_command
@answer_format
def evaluate(judgments: Path | None, named_metrics: tuple[str, ...], options: FleetOptions, form: str) -> int:
    """Ask every member its own judged queries, and measure how well they are answered.

    With --judgments, one set is asked over all members by one ranking: its documents are paths that any member may
    have, or [member]:path. Exit code 1 when nothing was judged.
    """
    from brvtui.fleet.questions import EvaluationOf
    from brvtui.lab.evaluation.metrics import DEFAULT_METRICS, UnknownMetric, parse_metric

    try:
        metrics = tuple(map(parse_metric, named_metrics)) or DEFAULT_METRICS
    except UnknownMetric as error:
        raise Failure(str(error), BAD_USAGE) from error
    made = options.fleet()
    if judgments is not None:
        found, missing = _judged_together(judgments, made, options)
    else:
        with options.asker(made) as asker:
            replies = asker.ask(made.members, EvaluationOf())
        found = {name: one for name, one in replies.values.items() if one is not None}
        missing = replies.missing
    rows = [(name, len(one.queries), [one.mean(metric) for metric in metrics]) for name, one in found.items()]
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        value = {
            "schema": SCHEMA,
            "fleet": made.name,
            "means": {
                name: {str(metric): mean for metric, mean in zip(metrics, means, strict=True)}
                for name, _, means in rows
            },
            "members": to_plain(found),
            "missing": to_plain((*made.absent, *missing)),
        }
        write_json([value])
    else:
        shown = [
            (name, str(count), *("–" if mean is None else f"{mean:.3f}" for mean in means))
            for name, count, means in rows
        ]
        print_table(("member", "queries", *map(str, metrics)), shown)
        if judgments is None:
            add = "" if found else ": brv-tui judge set adds some, in each project"
            click.echo(f"{counted(len(found), 'member has', 'members have')} judgments{add}")
    say_missing(missing)
    return OK if rows else NEGATIVE


def _judged_together(file: Path, made: Fleet, options: FleetOptions) -> tuple[dict[str, Any], Sequence[Absence]]:
    from brvtui.cli.judge import read_judgments
    from brvtui.fleet.judged import evaluate_together
    from brvtui.lab.judgments.file import JudgmentsFile

    listed = read_judgments(JudgmentsFile(file, True))
    if not listed:
        raise Failure(f"{file}: no judgments; add some with brv-tui judge set", BAD_USAGE)
    with options.asker(made) as asker:
        clock = datetime.fromtimestamp(asker.now_ms / 1000, UTC).isoformat(timespec="milliseconds")
        together, missing = evaluate_together(asker, made.members, listed, made.name, clock)
    return {"all members": together}, missing
