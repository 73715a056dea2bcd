"""``brv-tui delivery``: what reached the agent each time that it asked its memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from brvtui import faults
from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, OK, Failure
from brvtui.cli.options import LaterOrAt, NamedPath, WholeNumber, answer_format, earlier_or_moment, project_option
from brvtui.cli.output import print_report, say_note, write_json
from brvtui.cli.sessions import find_session
from brvtui.lab.delivery.turns import DeliveryOutcome

if TYPE_CHECKING:
    from brvtui.session import Session

_OUTCOMES = tuple(outcome.value for outcome in DeliveryOutcome)


def _outcomes(ctx: click.Context, param: click.Parameter, value: str) -> frozenset[str]:
    names = frozenset(name.strip() for name in value.split(",") if name.strip())
    if not names and ctx.get_parameter_source(param.name or "") is not ParameterSource.DEFAULT:
        raise click.BadParameter("is empty: name an outcome, or leave it out")
    if unknown := sorted(names.difference(_OUTCOMES)):
        raise click.BadParameter(f"no outcome {unknown[0]}; choose from {', '.join(_OUTCOMES)}")
    return names


@click.command(
    epilog="""
\b
Examples:
  brv-tui delivery --transcripts ~/.claude/projects
  brv-tui delivery --since 7d --outcome timed_out
  brv-tui delivery --fail-on timed_out,ignored_by_host --format json
"""
)
@click.option(
    "--transcripts",
    type=NamedPath(),
    metavar="DIR",
    help="The folder with your agents' transcripts; needed once per project, since later runs read the same folder.",
)
@click.option(
    "--since",
    type=earlier_or_moment,
    metavar="TIME",
    help="Only turns since an ISO 8601 time, or within a span, such as 7d.",
)
@click.option("--session", "session_id", default="", metavar="ID", help="Only turns of this session.")
@click.option(
    "--outcome", "outcomes", default="", metavar="NAMES", callback=_outcomes, help="Only turns with these outcomes."
)
@click.option(
    "--fail-on", "gated", default="", metavar="NAMES", callback=_outcomes,
    help="Exit with code 1 if a turn has one of these outcomes, and with 4 if not everything can be read.",
)  # fmt: skip
@click.option(
    "--limit-seconds",
    type=WholeNumber(1, 3600),
    help="The number of seconds after which the agent's hook gives up (default: the setting hook_seconds).",
)
@click.option("--texts", is_flag=True, help="Add the texts that reached the agent to the JSON.")
@click.option(
    "--most", type=WholeNumber(1, 10_000), default=20, show_default=True, help="The maximum number of turns to list."
)
@project_option
@answer_format
def delivery(
    transcripts: Path | None,
    since: LaterOrAt | None,
    session_id: str,
    outcomes: frozenset[str],
    gated: frozenset[str],
    limit_seconds: int | None,
    texts: bool,
    most: int,
    project: Path | None,
    form: str,
) -> int:
    """Show what reached your agent each time it asked its memory.

    Compares the transcripts of Claude Code with the engine's log. Transcripts are private: they are read only if you
    name their folder, and are never stored or sent. Outcomes: delivered, delivered_again, spilled, spilled_read,
    not_covered, empty, skipped, timed_out, failed, ignored_by_host, unknown.
    """
    if texts and form != "json":
        raise click.UsageError("--texts needs --format json")
    session = find_session(project)
    folder = _permitted(session, transcripts)
    from brvtui.report.delivery import delivery_as_plain, delivery_report
    from brvtui.session.delivery import DeliveryReader, is_pointed_to, selected

    since_ms = since.after(session.clock()) if since is not None else 0.0
    limit_ms = 1000.0 * (limit_seconds or session.settings.hook_seconds)
    reader = DeliveryReader(session, folder, since_ms, reads_all=bool(gated))
    found = selected(reader.read(limit_ms), session_id, frozenset())
    shown = selected(found, "", outcomes)
    if form == "json":
        for notice in shown.notices:
            say_note(notice)
        write_json([delivery_as_plain(shown, texts)])
    else:
        options = {"--since": since, "--session": session_id, "--outcome": outcomes}
        selection = " and ".join(name for name, value in options.items() if value)
        print_report(lambda width: delivery_report(shown, width, most, selection))
    if any(turn.outcome in gated for turn in found.turns):
        return NEGATIVE
    if gated and is_pointed_to(session):
        raise Failure(
            "--fail-on: .brv only points to another project, to which these turns belong; name that project", FAILED
        )
    if gated and not found.turns:
        raise Failure("--fail-on: no turn was found, so nothing was checked; see --transcripts and --session", FAILED)
    if gated and found.is_cut_off:
        raise Failure("--fail-on: a transcript ends in the middle of a row; try again when it is complete", FAILED)
    if gated and found.notices:
        raise Failure("--fail-on: not everything could be read, so lost answers may be missing; see the notes", FAILED)
    return OK


def _permitted(session: Session, transcripts: Path | None) -> Path:
    """The folder of transcripts that the user permitted for this project, now or earlier. Raises :class:`Failure`."""
    from brvtui.lab.delivery.finding import claude_folder
    from brvtui.session.delivery import permitted_folder, remember_folder
    from brvtui.store.folders import shown_path

    if transcripts is not None:
        folder = transcripts.expanduser().resolve()
        if not folder.is_dir():
            raise Failure(f"{folder}: there is no such folder; name the one with the transcripts", BAD_USAGE)
        try:
            remember_folder(session, folder)
        except OSError as error:
            say_note(f"the transcripts folder is not remembered: {faults.reason(error)}")
        return folder
    if known := permitted_folder(session):
        say_note(f"reading the transcripts in {shown_path(known)}")
        return known
    place = shown_path(claude_folder())
    raise Failure(
        f"transcripts are private and were not read; to permit reading them, add --transcripts {place}", BAD_USAGE
    )
