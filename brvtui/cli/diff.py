"""``brv-tui diff``: two answers to one query, and the reasons for their differences."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from brvtui.cli import completing
from brvtui.cli.engine_command import engine_command
from brvtui.cli.failure import BAD_USAGE, NEGATIVE, OK, Failure
from brvtui.cli.options import LaterOrAt, NamedPath, answer_format, filled, span_or_moment, text_argument
from brvtui.cli.output import print_blocks, write_json
from brvtui.cli.sessions import ProjectRequest, note_ambiguous

if TYPE_CHECKING:
    from brvtui.lab.answer_diff import AnswerDiff
    from brvtui.session import Session

_PATH = NamedPath()
_LARGEST = 10_000_000


class _Differences(TypedDict):
    """The options that define the second answer. ``saved`` cannot be combined with the others."""

    rev: str | None
    at: LaterOrAt | None
    to_profile: str
    to_signals: Path | None
    edits: tuple[str, ...]
    without: tuple[str, ...]
    saved: Path | None


@click.command(
    epilog="""
\b
Examples:
  brv-tui diff "how are refresh tokens rotated" --rev main
  brv-tui diff "webhook retries" --at +30d
  brv-tui diff "webhook retries" --to-profile docs --format json
  brv-tui diff "webhook retries" --edit api/webhooks.md=draft.md
  brv-tui query "webhook retries" --save then.json && brv-tui diff --saved then.json
"""
)
@text_argument(required=False)
@engine_command
@click.option(
    "--rev", type=filled, metavar="REV", help="Before: the notes at this git revision; nothing is checked out."
)
@click.option(
    "--at",
    type=span_or_moment,
    metavar="+30d|ISO",
    help="After: this long from now (h, d, w, y), or at an ISO 8601 time.",
)
@click.option("--to-profile", default="", metavar="NAME", help="After: another engine profile.")
@click.option("--to-signals", type=_PATH, metavar="FILE", help="After: the signals in this JSON file.")
@click.option("--edit", "edits", multiple=True, metavar="NOTE=FILE", help="After: with the text of FILE in NOTE.")
@click.option(
    "--without", multiple=True, metavar="NOTE", shell_complete=completing.notes, help="After: without this note."
)
@click.option("--saved", type=_PATH, metavar="FILE.json", help="Before: this saved answer; it has its own TEXT.")
@answer_format
def diff(text: str | None, request: ProjectRequest, form: str, **differences: Unpack[_Differences]) -> int:
    """Compare the answers to TEXT before and after an edit, some time or a new setting, and say why each note moved.

    The causes add up to the change in a note's score. "Before" is the project as it is, or at --rev; "after" is the
    project with the changes from the other options. Nothing is written. The exit code is 1 if a different tier answers
    or the rank of a note changed.
    """
    from brvtui.engines.contract import Query
    from brvtui.session.diffing import DiffPlan, diff_answers
    from brvtui.snapshot.naming import find_note

    if differences["saved"] is not None:
        if text or any(value for name, value in differences.items() if name != "saved"):
            raise click.UsageError(
                "--saved is compared with the current answer: leave out TEXT and the options for other differences"
            )
        return _print(_with_saved(request, differences["saved"]), form)
    if not text:
        raise click.UsageError("give the TEXT of a query, or --saved FILE.json")
    if not any(differences.values()):
        options = "--edit NOTE=FILE, --without NOTE, --at +30d, --rev REV, --to-profile NAME or --to-signals FILE"
        raise click.UsageError(f"give at least one difference: {options}")
    session = request.open_noting_scope()
    then_ms = session.clock()
    plan = DiffPlan(
        query=Query(text, request.scope, options=request.options),
        then_ms=then_ms,
        revision=differences["rev"] or "",
        at_ms=differences["at"].after(then_ms) if differences["at"] else None,
        profile=differences["to_profile"],
        signals=differences["to_signals"],
        edits=dict(_edit(session, one) for one in differences["edits"]),
        without=tuple(find_note(session.snapshot, name).path for name in differences["without"]),
    )
    difference = diff_answers(session, plan)
    if plan.revision:
        note_ambiguous(session.project.tree, plan.revision)
    return _print(difference, form, of_edit=bool(plan.edits))


def _with_saved(request: ProjectRequest, file: Path) -> AnswerDiff:
    """The difference between the saved answer in ``file`` and the current one.

    Raises :class:`brvtui.saved.traces.SavedError`.
    """
    from brvtui.saved.traces import read
    from brvtui.session.diffing import diff_with_saved_answer

    saved = read(file).trace
    own = request.find()
    session = request._replace(engine=saved.engine).open()
    # the trace may come from anyone, so its engine may send notes only if the user chose it too
    session.services_permitted = own.engine == saved.engine and own.may_call_services(saved.engine)
    return diff_with_saved_answer(session, saved, str(file))


def _print(difference: AnswerDiff, form: str, of_edit: bool = False) -> int:
    if form == "json":
        from brvtui.report.answer_diff import diff_as_plain

        write_json([diff_as_plain(difference)])
    else:
        from brvtui.report.answer_diff import diff_blocks

        print_blocks(lambda width: diff_blocks(difference, width, of_edit))
    return NEGATIVE if difference.differs else OK


def _edit(session: Session, written: str) -> tuple[str, bytes]:
    """The path and the new content in the option value ``NOTE=FILE``. Raises :class:`Failure`."""
    from brvtui import faults
    from brvtui.regular_files import read_regular
    from brvtui.snapshot.naming import UnknownNote, find_note

    name, _, file = written.partition("=")
    if not name or not file:
        raise Failure(f"--edit {written}: must be NOTE=FILE", BAD_USAGE)
    try:
        path = find_note(session.snapshot, name).path
    except UnknownNote:
        if not name.endswith(".md") or name.startswith("/") or ".." in name.split("/"):
            raise
        path = name  # a new note
    try:
        return path, read_regular(Path(file), _LARGEST, follow_links=True)
    except OSError as error:
        raise Failure(f"{file}: cannot be read ({faults.reading_reason(error)})", BAD_USAGE) from error
