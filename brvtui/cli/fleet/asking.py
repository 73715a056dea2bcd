"""``brv-tui fleet query``, ``explain`` and ``eval``: commands that query every member."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from brvtui.cli.failure import BAD_USAGE, NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.fleet.options import FleetOptions, fleet_command, outcome, print_table, say_missing, with_remedy
from brvtui.cli.options import NamedPath, WholeNumber, answer_format, format_option, text_argument
from brvtui.cli.output import print_report, say, write_json
from brvtui.fleet.fleet_file import Absence
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.fleet.answering import Asker
    from brvtui.fleet.asking import MemberReply
    from brvtui.fleet.fleet_file import Fleet, Member
    from brvtui.fleet.questions import MemberAnswer

# ``brv-tui fleet eval``: measures the members' answers to judged queries.


@click.command("eval")
@click.option(
    "--judgments",
    "judgments",
    type=NamedPath(),
    metavar="FILE",
    help="One set of judgments for all members, measured in one ranking of all their notes.",
)
@click.option("--metric", "named_metrics", multiple=True, metavar="NAME", help="A metric, as in eval; may be repeated.")
@fleet_command
@answer_format
def evaluate(judgments: Path | None, named_metrics: tuple[str, ...], options: FleetOptions, form: str) -> int:
    """Run every member's own judged queries, and measure how well they are answered.

    With --judgments, one set of queries is run over all members in one ranking: its documents are paths that any member
    may have, or [member]:path. The exit code is 1 if nothing is judged.
    """
    from brvtui.fleet.questions import EvaluationOf
    from brvtui.lab.evaluation.results import DEFAULT_METRICS, parse_metric

    metrics = tuple(map(parse_metric, named_metrics)) or DEFAULT_METRICS
    fleet = options.fleet()
    if judgments is not None:
        evaluations, missing = _judged_together(judgments, fleet, options)
    else:
        with options.asker(fleet) as asker:
            replies = asker.ask(fleet.members, EvaluationOf())
        evaluations = {name: one for name, one in replies.values.items() if one is not None}
        missing = replies.missing
    rows = [(name, len(one.queries), [one.mean(metric) for metric in metrics]) for name, one in evaluations.items()]
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        value = {
            "schema": SCHEMA,
            "fleet": fleet.name,
            "means": {
                name: {str(metric): mean for metric, mean in zip(metrics, means, strict=True)}
                for name, _, means in rows
            },
            "members": to_plain(evaluations),
            "missing": to_plain((*fleet.absent, *missing)),
        }
        write_json([value])
    else:
        shown = [
            (name, str(count), *("–" if mean is None else f"{mean:.3f}" for mean in means))
            for name, count, means in rows
        ]
        print_table(("member", "queries", *map(str, metrics)), shown)
        if judgments is None:
            add = "" if evaluations else "; add some in each project with brv-tui judge set"
            click.echo(f"{counted(len(evaluations), 'member has', 'members have')} judgments{add}")
    say_missing(missing)
    return OK if rows else NEGATIVE


def _judged_together(file: Path, fleet: Fleet, options: FleetOptions) -> tuple[dict[str, Any], Sequence[Absence]]:
    from brvtui.cli.judge import read_judgments
    from brvtui.fleet.one_ranking import evaluate_together
    from brvtui.lab.judgments.file import JudgmentsFile

    listed = read_judgments(JudgmentsFile(file, True))
    if not listed:
        raise Failure(f"{file}: no judgments; add some with brv-tui judge set", BAD_USAGE)
    with options.asker(fleet) as asker:
        clock = datetime.fromtimestamp(asker.now_ms / 1000, UTC).isoformat(timespec="milliseconds")
        together, missing = evaluate_together(asker, fleet.members, listed, fleet.name, clock)
    return {"all members": together}, missing


_SHOWN = 3
"""The default number of results per member; if no member answers, the number of members whose reason is printed."""


@click.command("query")
@text_argument()
@click.option("--scope", default="", metavar="PATH", help="Search only below this folder of each tree.")
@click.option(
    "--trace", "with_trace", is_flag=True, help="With --format json or jsonl: include each member's whole trace."
)
@click.option(
    "--merge",
    type=click.Choice(["each", "one"]),
    default="each",
    show_default=True,
    help="each: every member answers with its own engine; one: ByteRover ranks the notes of all members as one tree.",
)
@click.option(
    "--limit",
    type=WholeNumber(1, 1_000),
    help=f"The number of results: for each member (default: {_SHOWN}, or all with JSON), or in total with --merge one "
    "(default: 10).",
)
@fleet_command
@format_option(
    "text",
    "json",
    "jsonl",
    text="Output format; jsonl writes a line for each member as soon as it answers (with --merge each).",
)
def query(
    text: str, scope: str, with_trace: bool, merge: str, limit: int | None, options: FleetOptions, form: str
) -> int:
    """Run TEXT as a query in every member.

    With --merge each, scores of different members are not comparable, because each depends on the statistics of its own
    tree. With --merge one, they are. The exit code is 1 if no member covers TEXT, and 4 if no member can answer.
    """
    from brvtui.fleet.questions import Answering

    if merge == "one":
        if scope or with_trace or form == "jsonl":
            raise Failure("--scope, --trace and --format jsonl need --merge each", BAD_USAGE)
        return _one_ranking(text, limit or 0, options, form)
    if with_trace and form == "text":
        raise Failure("--trace needs --format json or jsonl", BAD_USAGE)
    fleet = options.fleet()
    with options.asker(fleet) as asker:
        if form == "jsonl":
            asker = _writing(asker, fleet, text, limit)
        replies = asker.ask(fleet.members, Answering(text, scope, with_trace))
    answers: dict[str, MemberAnswer] = replies.values
    covered = [name for name, answer in answers.items() if answer.covered]
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        value = {
            "schema": SCHEMA,
            "fleet": fleet.name,
            "query": text,
            "merge": "each",
            "comparable": False,
            "covered": covered,
            "members": to_plain({name: _best(answer, limit) for name, answer in answers.items()}),
            "missing": to_plain((*fleet.absent, *replies.missing)),
        }
        write_json([value])
    elif form == "text":
        _print_answers(text, fleet.members, answers, len(replies.missing), limit or _SHOWN)
    say_missing(replies.missing)
    return outcome(answers, bool(covered))


def _best(answer: MemberAnswer, limit: int | None) -> MemberAnswer:
    """``answer`` cut to its first ``limit`` results; unchanged if ``limit`` is None."""
    return replace(answer, hits=answer.hits[:limit])


def _writing(asker: Asker, fleet: Fleet, text: str, limit: int | None) -> Asker:
    """``asker``, changed so that it writes each answer as a line of JSON.

    Writes the lines for absent members immediately.
    """
    from brvtui.trace import SCHEMA, to_plain

    head = {"schema": SCHEMA, "fleet": fleet.name, "query": text}
    write_json({**head, **to_plain(one)} for one in fleet.absent)

    def replied(reply: MemberReply) -> None:
        asker.replied(reply)
        if reply.failure:
            value = to_plain(reply.absence)
        else:
            value = {"member": reply.member, "ms": reply.ms, "answer": to_plain(_best(reply.value, limit))}
        write_json([{**head, **value}])

    return replace(asker, replied=replied)


def _one_ranking(text: str, limit: int, options: FleetOptions, form: str) -> int:
    from brvtui.fleet.one_ranking import one_ranking

    fleet = options.fleet()
    with options.asker(fleet) as asker:
        answer = one_ranking(asker, fleet.members, text, limit)
    answer = replace(answer, missing=(*fleet.absent, *answer.missing))
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json([{"schema": SCHEMA, "fleet": fleet.name, "merge": "one", "comparable": True, **to_plain(answer)}])
    else:
        from brvtui.report.fleet import ranking_lines

        for line in ranking_lines(answer):
            say(visible(line))
    say_missing(answer.missing[len(fleet.absent) :])
    return OK if answer.hits else NEGATIVE


def _print_answers(text: str, members: Sequence[Member], answers: dict[str, Any], missing: int, limit: int) -> None:
    """Prints the answers with at most ``limit`` results each."""
    from brvtui.paint.hits import added_by

    places = {member.name: member for member in members}
    order = sorted(answers, key=lambda name: not answers[name].covered)
    silent = [name for name in order if not answers[name].covered]
    if not answers:
        return
    for name in order if len(silent) < len(order) else order[:_SHOWN]:
        answer = answers[name]
        if not answer.covered and len(silent) < len(order):
            continue
        owner = f", {places[name].owner}" if places[name].owner else ""
        say(visible(f"{name}  ({answer.engine}, {answer.profile}{owner})"))
        say(visible(f"  {answer.sentence}"))
        for rank, hit in enumerate(answer.hits[:limit], start=1):
            added = f", {added_by(hit)}" if hit.found_by else ""
            say(visible(f"  {rank}. {hit.score:6.2f}  {hit.path}  {hit.title}{added}"))
        if len(answer.hits) > limit:
            say(f"     and {len(answer.hits) - limit} more")
        if places[name].path:
            say(visible(f"  open it: brv-tui {quote(str(places[name].path))}"))
    answering = counted(len(answers) - len(silent), "member has", "members have")
    unread = f", {missing} could not be queried" if missing else ""
    verb = "does" if len(silent) == 1 else "do"
    say(visible(f"{answering} notes for “{text}”, {len(silent)} {verb} not{unread}. Each used its own engine."))
    if len(silent) == len(answers):
        say("Rephrase the query, or add a note about it to a member.")
    if len(answers) > 1:
        say("Scores are not comparable between members: each member counts words only in its own notes.")


@click.command("explain")
@text_argument()
@click.argument("note", metavar="NOTE")
@fleet_command
@answer_format
def explain(text: str, note: str, options: FleetOptions, form: str) -> int:
    """Show, for each member that has NOTE, why its answer to TEXT does or does not contain the note.

    NOTE is a note's path, the end of its path, or its title. The exit code is 1 if no answer contains the note, and 3
    if no member has it or if NOTE is ambiguous in every member that might.
    """
    from brvtui.fleet.questions import Explaining, NoSuchNote

    fleet = options.fleet()
    with options.asker(fleet) as asker:
        replies = asker.ask(fleet.members, Explaining(text, note))
    unknown = {name: one for name, one in replies.values.items() if isinstance(one, NoSuchNote)}
    explanations = {name: one for name, one in replies.values.items() if name not in unknown}
    reasons = [*(with_remedy(one.why, one.kind) for one in replies.missing), *(one.why for one in unknown.values())]
    if not explanations and len(reasons) == 1:
        raise Failure(reasons[0], NOT_THERE)
    say_missing(replies.missing)
    ambiguous = [Absence(name, one.why) for name, one in unknown.items() if one.meant]
    if not explanations and ambiguous:
        raise Failure("; ".join(f"{one.member}: {one.why}" for one in ambiguous), NOT_THERE)
    say_missing(ambiguous)
    if not explanations:
        near = "; ".join(f"{name}: {', '.join(one.near)}" for name, one in unknown.items() if one.near)
        nobody = "no readable member" if replies.missing else "no member"
        raise Failure(f"{nobody} has {note}{f'; near: {near}' if near else ''}", NOT_THERE)
    if form == "json":
        from brvtui.trace import SCHEMA, to_plain

        write_json({"schema": SCHEMA, "member": name, **to_plain(one)} for name, one in explanations.items())
    else:
        from brvtui.report.query import explain_report

        for name, one in explanations.items():
            click.echo(visible(name))
            print_report(functools.partial(explain_report, one))
    return OK if any(one.found for one in explanations.values()) else NEGATIVE
