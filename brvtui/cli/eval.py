"""``brv-tui eval``: measures an engine's answers to the judged queries, and finds regressions."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, OK, Failure
from brvtui.cli.judge import judgments_file, judgments_option, judgments_to_run
from brvtui.cli.options import LaterOrAt, NamedPath, filled, format_option, span_or_moment
from brvtui.cli.output import check_targets, print_blocks, say, say_note, show_progress, write_json
from brvtui.cli.sessions import ProjectRequest, no_scope, note_ambiguous
from brvtui.text.visible import visible

if TYPE_CHECKING:
    from brvtui.lab.evaluation.comparing import Assessment, GateResult
    from brvtui.lab.evaluation.results import Metric
    from brvtui.lab.judgments.model import Judgment
    from brvtui.session import Session
    from brvtui.session.evaluating import EvaluationPlan

_PATH = NamedPath()
_FORMS = {"json": "json", "md": "md", "junit": "xml", "trec": "run"}
"""The file extension for each output format."""

_METRIC_HELP = (
    "A metric, such as ndcg@10, recall@5 or mrr: over the first 10 results, the first 5, or all. "
    "judged@5 is the share of the first 5 that have a grade."
)
_SHOWN_NOTICES = 10
_MOST_DAYS = 36_600


class _Options(TypedDict):
    """The options that only ``brv-tui eval`` has."""

    at: LaterOrAt | None
    drift: str | None
    named_metrics: tuple[str, ...]
    services: bool
    fresh: bool
    baseline: Path | None
    baseline_rev: str | None
    fail_under: tuple[str, ...]
    fail_on_drop: tuple[str, ...]
    fail_on_tier_change: bool
    fail_on_silent: bool
    files: tuple[Path, ...]


@click.command(
    "eval",
    epilog="""
\b
Examples:
  brv-tui eval
  brv-tui eval --engine jeffs_brain --mode bm25 --metric ndcg@5
  brv-tui eval --at +30d --fail-under recall@5=0.9
  brv-tui eval --drift
  brv-tui eval --baseline-rev main --fail-on-drop ndcg@10=0.02 --fail-on-tier-change
  brv-tui eval --save before.json && brv-tui eval --baseline before.json
  brv-tui eval --save report.xml --save comment.md
""",
)
@engine_command
@judgments_option
@click.option(
    "--at",
    type=span_or_moment,
    metavar="+30d|ISO",
    help="Run the queries at a different time: this long from now (h, d, w, y), or an ISO 8601 time.",
)
@click.option(
    "--drift", is_flag=False, flag_value="7,30,90", metavar="[DAYS]",
    help="Also run the queries this many days from now (7,30,90), to show the losses if nobody touches a note.",
)  # fmt: skip
@click.option("--metric", "named_metrics", multiple=True, metavar="NAME", help=_METRIC_HELP)
@click.option("--services", is_flag=True, help="Let queries call paid services: embedders and rerankers.")
@click.option("--fresh", is_flag=True, help="Run every query again, even if its answer is saved.")
@click.option("--baseline", type=_PATH, metavar="FILE", help="Compare with an evaluation that was saved as JSON.")
@click.option(
    "--baseline-rev",
    type=filled,
    metavar="REV",
    help="Compare with the notes at a git revision; nothing is checked out.",
)
@click.option("--fail-under", multiple=True, metavar="METRIC=N", help="Fail if a mean is below N.")
@click.option("--fail-on-drop", multiple=True, metavar="METRIC=N", help="Fail if a mean falls by more than N.")
@click.option("--fail-on-tier-change", is_flag=True, help="Fail if a different tier answers a query.")
@click.option(
    "--fail-on-silent",
    is_flag=True,
    help="With --drift: fail if a query is answered by a tier that usually takes longer than your agent's hook "
    "waits (hook_seconds).",
)
@click.option(
    "--save",
    "files",
    multiple=True,
    type=_PATH,
    metavar="FILE",
    help="Also write FILE (.json, .md, .xml for JUnit, .run for TREC); may be repeated.",
)
@format_option("table", *_FORMS)
def evaluate_command(request: ProjectRequest, named: Path | None, form: str, **options: Unpack[_Options]) -> int:
    """Run every judged query and measure its results, now or since a revision of the tree: what did an edit break?

    Write judgments with brv-tui judge. Nothing is changed, and no paid service is called without --services. The exit
    code is 1 if a --fail-… condition is not met; the output names the queries. It is 4 if such a condition cannot be
    checked because a service failed.
    """
    from brvtui.engines.contract import Query
    from brvtui.lab.evaluation.results import DEFAULT_METRICS, parse_metric
    from brvtui.report.evaluation import evaluation_form_of
    from brvtui.session.evaluating import EvaluationPlan, assess

    now, later = options["at"].freezing(request.now) if options["at"] else (request.now, 0.0)
    plan = EvaluationPlan(
        metrics=tuple(map(parse_metric, options["named_metrics"])) or DEFAULT_METRICS,
        like=Query("", request.scope, services=options["services"], options=request.options),
        baseline=options["baseline"],
        revision=options["baseline_rev"] or "",
        least=tuple(map(_limit, options["fail_under"])),
        drops=tuple(map(_limit, options["fail_on_drop"])),
        same_outcomes=options["fail_on_tier_change"],
        later_ms=later,
        use_kept=not options["fresh"],
    )
    days = _days(options["drift"])
    _check(plan, bool(days))
    if options["fail_on_silent"] and not days:
        raise click.UsageError("--fail-on-silent needs --drift")
    if days and (form not in ("table", "json") or options["files"]):
        raise click.UsageError("--drift works only with --format table or json, and without --save")
    session = request._replace(now=now).open()
    session.services_permitted = options["services"] or None
    if options["fail_on_silent"]:
        plan = _with_silence(plan, session)
    _check_scopes(session, {request.scope: "check --scope"}, plan.is_gated)
    check_targets(options["files"], evaluation_form_of, session.project.trees)
    runs = 1 + (len(days) or bool(plan.revision))
    judgments = judgments_to_run(file := judgments_file(session, named), runs, needs_all=plan.is_gated)
    if not judgments:
        raise Failure(f"{file.path}: no judgments yet; add some with brv-tui judge set", BAD_USAGE)
    _check_scopes(session, {each.scope: f"correct the scope of {each.id}" for each in judgments}, plan.is_gated)
    plan = replace(plan, judgments=file.path)
    if days:
        return _drift(session, judgments, plan, days, form)
    if plan.revision:
        note_ambiguous(session.project.tree, plan.revision, is_gated=plan.has_gates)
        _check_way(session, request.project, named, plan)
    report = assess(session, judgments, plan, partial(show_progress, "queries"))
    _print_notices(report.notices)
    _save(report, options["files"], session)
    if form == "table":
        from brvtui.report.evaluation import evaluation_blocks

        print_blocks(partial(evaluation_blocks, report))
    else:
        from brvtui.report.evaluation import EvaluationForm, rendered_evaluation

        sys.stdout.buffer.write(rendered_evaluation(report, EvaluationForm(_FORMS[form])))
        sys.stdout.buffer.flush()
    return _exit_code(report.gates)


def _check_way(session: Session, start: Path | None, judgments: Path | None, plan: EvaluationPlan) -> None:
    """Prints a note if the path to the project or to the judgments may lead elsewhere at the revision. Raises
    :class:`Failure` instead if ``plan`` has gates.
    """
    from brvtui.tree.history.way import changed_way, linked_file, named_folder

    why = changed_way(named_folder(start), session.project, plan.revision)
    if not why and judgments is not None and (link := linked_file(judgments, session.project.root)):
        why = f"{link} is a link, which could be redirected; name the file it points to"
    if why and plan.has_gates:
        raise Failure(why, BAD_USAGE)
    if why:
        say_note(why)


def _with_silence(plan: EvaluationPlan, session: Session) -> EvaluationPlan:
    """Returns ``plan`` with the gate on answers that come too late. Raises :class:`Failure` for other engines."""
    from brvtui.engines.registry import presentation
    from brvtui.session.silence import own_log, slow_tiers, tier_durations

    if not presentation(session.engine).has_tiers:
        raise Failure("--fail-on-silent works only with ByteRover 3, whose tiers take different times", BAD_USAGE)
    log = own_log(session)
    if log.problem and not log.is_missing:
        raise Failure(f"--fail-on-silent: {log.problem}", FAILED)
    limit_s = session.settings.hook_seconds
    slow = slow_tiers(tier_durations(log.entries), 1000.0 * limit_s)
    return replace(plan, slow=frozenset(f"tier {tier}" for tier in slow), limit_s=float(limit_s))


def _days(text: str | None) -> list[float]:
    """The days in a string such as ``7,30,90``; empty for None. Raises :class:`Failure`."""
    try:
        days = [float(day) for day in text.split(",")] if text is not None else []
    except ValueError:
        days = [0.0]
    if not all(0 < day <= _MOST_DAYS for day in days):
        raise Failure(f"--drift {text}: must be day counts above 0, at most {_MOST_DAYS}, such as 7,30", BAD_USAGE)
    return days


def _drift(
    session: Session, judgments: Sequence[Judgment], plan: EvaluationPlan, days: Sequence[float], form: str
) -> int:
    from brvtui.report.evaluation import drift_as_plain, drift_blocks
    from brvtui.session.evaluating import drift

    result = drift(session, judgments, plan, days, partial(show_progress, "queries"))
    _print_notices(result.now.notices)
    if form == "json":
        write_json([drift_as_plain(result)])
    else:
        print_blocks(partial(drift_blocks, result))
    return _exit_code(result.gates)


def _exit_code(gates: Sequence[GateResult]) -> int:
    from brvtui.lab.evaluation.comparing import SERVICES

    failed = {gate.name for gate in gates if not gate.passed}
    return FAILED if SERVICES in failed else NEGATIVE if failed else OK


def _check_scopes(session: Session, remedies: Mapping[str, str], is_gated: bool) -> None:
    """Prints a note for each scope in ``remedies`` that the tree does not contain; an engine may search the whole tree
    for such a scope. If ``is_gated``, raises :class:`Failure` instead.
    """
    for scope, remedy in remedies.items():
        if message := no_scope(session, scope, remedy):
            if is_gated:
                raise Failure(message, BAD_USAGE)
            say_note(message)


def _check(plan: EvaluationPlan, drifts: bool) -> None:
    if drifts and plan.baseline_name:
        raise click.UsageError("--drift compares with now: leave out --baseline and --baseline-rev")
    if plan.baseline is not None and plan.revision:
        raise click.UsageError("use either --baseline FILE or --baseline-rev REV")
    if (plan.drops or plan.same_outcomes) and not plan.baseline_name and not drifts:
        raise click.UsageError(
            "--fail-on-drop and --fail-on-tier-change need --baseline FILE, --baseline-rev REV or --drift"
        )


def _save(report: Assessment, files: Sequence[Path], session: Session) -> None:
    from brvtui.report.evaluation import save_evaluation

    for file in files:
        save_evaluation(report, file, session.project.trees)
        say(f"saved {visible(str(file))}", err=True)


def _limit(text: str) -> tuple[Metric, float]:
    """The metric and the limit in a string such as ``ndcg@10=0.8``.

    Raises :class:`Failure` and :class:`brvtui.lab.evaluation.results.UnknownMetric`.
    """
    from brvtui.lab.evaluation.results import parse_metric

    name, _, number = text.partition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = -1.0
    if not 0 <= limit <= 1:
        raise Failure(f"{text} must be METRIC=N with N from 0 to 1, such as ndcg@10=0.8", BAD_USAGE)
    return parse_metric(name), limit


def _print_notices(notices: Sequence[str]) -> None:
    for notice in notices[:_SHOWN_NOTICES]:
        say_note(notice)
    if len(notices) > _SHOWN_NOTICES:
        say(f"note: {len(notices) - _SHOWN_NOTICES} more; --format json shows all", err=True)
