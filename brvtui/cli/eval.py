"""``brv-tui eval``: how well an engine answers the judged queries, and whether a change made that worse."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.common import (
    BAD_USAGE,
    FAILED,
    NEGATIVE,
    OK,
    Asked,
    Failure,
    engine_command,
    engine_errors_reported,
    moment,
    print_report,
)
from brvtui.cli.judge import judgments_file, judgments_option, read_judgments
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.engines.contract import Context
    from brvtui.lab.evaluation.metrics import Metric
    from brvtui.lab.evaluation.results import Evaluation
    from brvtui.lab.judgments.model import Judgment
    from brvtui.report.evaluation import EvaluationReport
    from brvtui.session.evaluating import RevisionBaseline

_PATH = click.Path(path_type=Path)
_FORMS = {"json": "json", "md": "md", "junit": "xml", "trec": "run"}
"""The ending of a file of each format."""

_HOURS = {"h": 1, "d": 24, "w": 168, "y": 8_766}
_MS_PER_HOUR = 3_600_000
_LATER = re.compile(r"([+-])([0-9]{1,6})([hdwy])")
_SHOWN_NOTICES = 10
_MOST_EXPLAINED = 50
"""How many changed queries are explained: each note that changed is tried for each of them."""


@click.command(
    "eval",
    epilog="""
\b
Examples:
  brv-tui eval
  brv-tui eval --engine jeffs_brain --mode bm25 --metric ndcg@5
  brv-tui eval --at +30d --fail-under recall@5=0.9
  brv-tui eval --baseline-rev main --fail-on-drop ndcg@10=0.02 --fail-on-tier-change
  brv-tui eval --save before.json && brv-tui eval --baseline before.json
  brv-tui eval --save report.xml --save comment.md
""",
)
@engine_command
@judgments_option
@click.option("--at", metavar="+30d|ISO", help="The moment: so long from now (h, d, w, y), or an ISO 8601 time.")
@click.option("--metric", "named_metrics", multiple=True, metavar="NAME", help="Such as ndcg@10, recall@5 or mrr.")
@click.option("--services", is_flag=True, help="Let queries ask services that cost: embedders and rerankers.")
@click.option("--baseline", type=_PATH, metavar="FILE", help="Compare with an evaluation that --format json wrote.")
@click.option("--baseline-rev", metavar="REV", help="Compare with the notes at a git revision; nothing is checked out.")
@click.option("--fail-under", multiple=True, metavar="METRIC=N", help="Fail when a mean is under N.")
@click.option("--fail-on-drop", multiple=True, metavar="METRIC=N", help="Fail when a mean falls by more than N.")
@click.option("--fail-on-tier-change", is_flag=True, help="Fail when a query is answered by another tier.")
@click.option(
    "--save",
    "files",
    multiple=True,
    type=_PATH,
    metavar="FILE",
    help="Also write FILE (.json, .md, .xml for JUnit, .run for TREC); may be given more than once.",
)
@click.option(
    "--format", "form", type=click.Choice(["table", *_FORMS]), default="table", show_default=True, help="How to answer."
)
def evaluate_command(asked: Asked, named: Path | None, form: str, **given: Any) -> int:
    """Ask every judged query, and measure how well the notes that it should find were found.

    Judgments are written with brv-tui judge. Nothing is changed, and no service that costs is asked without --services.
    Exit code 1 when a --fail-… condition is not met; it names the queries.
    """
    from brvtui.lab.evaluation.metrics import DEFAULT_METRICS

    wanted = Wanted(
        metrics=tuple(_metric(name) for name in given["named_metrics"]) or DEFAULT_METRICS,
        services=given["services"],
        baseline=given["baseline"],
        revision=given["baseline_rev"],
        least=tuple(map(_limit, given["fail_under"])),
        drops=tuple(map(_limit, given["fail_on_drop"])),
        same_tiers=given["fail_on_tier_change"],
    )
    _check(wanted)
    _check_files(given["files"])
    session = replace(asked, now=_moment(given["at"], asked.now)).open()
    judgments = read_judgments(file := judgments_file(session, named))
    if not judgments:
        raise Failure(f"{file.path}: no judgments yet; add some with brv-tui judge set", BAD_USAGE)
    with engine_errors_reported():
        report = _report(session, asked, judgments, wanted)
    notices = [*report.evaluation.notices, *(report.comparison.notices if report.comparison else ())]
    _print_notices(notices)
    _save(report, given["files"], session)
    if form == "table":
        from brvtui.report.evaluation import evaluation_lines
        from brvtui.report.lines import rich_lines

        print_report(lambda width: rich_lines(evaluation_lines(report, width)))
    else:
        from brvtui.report.evaluation_files import EvaluationForm, rendered_evaluation

        sys.stdout.buffer.write(rendered_evaluation(report, EvaluationForm(_FORMS[form])))
        sys.stdout.buffer.flush()
    return OK if report.passed else NEGATIVE


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of ``eval`` ask for."""

    metrics: tuple[Metric, ...]
    services: bool
    baseline: Path | None
    revision: str | None
    least: tuple[tuple[Metric, float], ...]
    drops: tuple[tuple[Metric, float], ...]
    same_tiers: bool

    @property
    def name(self) -> str:
        """The name of the baseline; empty without one."""
        return str(self.revision or self.baseline or "")


def _check(wanted: Wanted) -> None:
    if wanted.baseline is not None and wanted.revision is not None:
        raise click.UsageError("give either --baseline FILE or --baseline-rev REV")
    if (wanted.drops or wanted.same_tiers) and not wanted.name:
        raise click.UsageError("--fail-on-drop and --fail-on-tier-change need --baseline FILE or --baseline-rev REV")


def _check_files(files: Sequence[Path]) -> None:
    """Refuses, before anything is asked, a file whose ending names no form. Raises :class:`Failure`."""
    from brvtui.report.evaluation_files import evaluation_form_of
    from brvtui.report.saved import ExportError

    try:
        for file in files:
            evaluation_form_of(file)
    except ExportError as error:
        raise Failure(str(error), BAD_USAGE) from error


def _save(report: EvaluationReport, files: Sequence[Path], session: Any) -> None:
    from brvtui.report.evaluation_files import save_evaluation
    from brvtui.report.saved import ExportError

    trees = [session.project.tree, *(source.tree for source in session.project.sources)]
    try:
        for file in files:
            save_evaluation(report, file, trees)
            click.echo(f"saved {visible(str(file))}", err=True)
    except ExportError as error:
        raise Failure(str(error), FAILED) from error


def _report(session: Any, asked: Asked, judgments: Sequence[Judgment], wanted: Wanted) -> EvaluationReport:
    """Evaluates, compares, and looks for causes. Raises :class:`Failure`."""
    from brvtui.engines.contract import Query
    from brvtui.lab.evaluation.causes import CauseFinder
    from brvtui.lab.evaluation.comparing import compare_evaluations
    from brvtui.lab.evaluation.evaluate import evaluate
    from brvtui.lab.evaluation.gates import gate_drop, gate_outcomes, gate_under
    from brvtui.report.evaluation import EvaluationReport, changed_queries
    from brvtui.session.evaluating import RevisionBaseline

    like = Query("", asked.scope, services=wanted.services, options=asked.options)
    engine, context = session.engines.named(session.engine), session.engines.context(session.engine)
    earlier = _earlier(session, context, wanted)
    made = evaluate(engine, context, judgments, like, progress=_show_progress)
    gates = [gate_under(made, metric, least) for metric, least in wanted.least]
    if earlier is None:
        return EvaluationReport(made, wanted.metrics, gates=tuple(gates))
    if isinstance(earlier, RevisionBaseline):
        before = replace(made, revision=wanted.name)
        if earlier.reverting.difference.paths:
            before = evaluate(engine, earlier.context, judgments, like, wanted.name, _show_progress)
        before, reverting = replace(before, notices=(*before.notices, *earlier.notices)), earlier.reverting
    else:
        before, reverting = earlier, None
    comparison = compare_evaluations(made, before)
    gates += [gate_drop(comparison, metric, most) for metric, most in wanted.drops]
    gates += [gate_outcomes(comparison)] if wanted.same_tiers else []
    report = EvaluationReport(made, wanted.metrics, comparison, wanted.name, tuple(gates))
    by_id = {judgment.id: judgment for judgment in judgments}
    failed = {name for gate in gates for name in gate.queries}
    changes = [each for each in comparison.changes if each in changed_queries(report) or each.now.id in failed]
    decisive = next(iter(metric for metric, _ in wanted.drops), wanted.metrics[0])
    finder = CauseFinder(engine, context, like, by_id, decisive)
    return replace(report, causes=finder.explain(changes[:_MOST_EXPLAINED], reverting))


def _earlier(session: Any, context: Context[Any], wanted: Wanted) -> RevisionBaseline | Evaluation | None:
    """What to compare with: read before anything is asked, so that a mistake is said at once."""
    from brvtui.saved.evaluations import read_evaluation
    from brvtui.saved.traces import SavedError
    from brvtui.session.evaluating import baseline_at
    from brvtui.tree.history.git import RevisionError

    try:
        if wanted.revision is not None:
            return baseline_at(session, context, wanted.revision)
        return read_evaluation(wanted.baseline) if wanted.baseline is not None else None
    except (RevisionError, SavedError) as error:
        raise Failure(str(error), BAD_USAGE) from error


def _limit(text: str) -> tuple[Metric, float]:
    """The metric and the limit that are written ``ndcg@10=0.8``. Raises :class:`Failure`."""
    name, _, number = text.partition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = -1.0
    if not 0 <= limit <= 1:
        raise Failure(f"{text} must be METRIC=N with N from 0 to 1, such as ndcg@10=0.8", BAD_USAGE)
    return _metric(name), limit


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
