"""Options of fleet commands: the fleet, its members, and the processes or the cluster that run the queries."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from brvtui.cli.failure import BAD_USAGE, FAILED, NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.options import NOW_HELP, NamedPath, Number, WholeNumber, moment
from brvtui.cli.output import say, say_note
from brvtui.fleet.fleet_file import Absence, AbsenceKind
from brvtui.text.visible import visible
from brvtui.timing import system_clock
from brvtui.wording import first_lines, first_of, nearest

if TYPE_CHECKING:
    from brvtui.fleet.answering import Asker
    from brvtui.fleet.asking import MemberReply
    from brvtui.fleet.fleet_file import Fleet
    from brvtui.fleet.pool import MemberExecutor

# The common output of fleet commands: rows in columns, notes, and absent members.


_REMEDIES = {
    AbsenceKind.NO_FOLDER: (
        ": restore the folder, or correct or remove the entry in the fleet or the --over that names it"
    ),
    AbsenceKind.NOT_RANKED: "; to use its own engine, run fleet query --merge each, or fleet eval without --judgments",
}
"""Remedies for the kinds of absence whose messages do not include one."""


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints ``rows`` below ``heads`` in columns."""
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row in (heads, *rows):
        cells = (visible(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def outcome(replies: Sized, is_good: bool) -> int:
    """The exit code: 4 if there are no ``replies`` from members, otherwise 0 if ``is_good`` and 1 if not."""
    if not replies:
        return FAILED
    return OK if is_good else NEGATIVE


def say_missing(missing: Sequence[Absence]) -> None:
    """Prints the absent members and the reasons to standard error, one line per reason."""
    reasons: dict[tuple[str, AbsenceKind], list[str]] = {}
    for one in missing:
        reasons.setdefault((one.why, one.kind), []).append(one.member)
    say_first_notes(
        [
            with_remedy(why if members[0] in why else f"{first_of(members)}: {why}", kind)
            for (why, kind), members in reasons.items()
        ]
    )


def say_first_notes(lines: Sequence[str]) -> None:
    """Prints the first of ``lines`` to standard error, then the number of remaining ones."""
    for line in first_lines(lines, "note"):
        say_note(line)


def with_remedy(why: str, kind: AbsenceKind) -> str:
    """``why``, the reason for a member's absence, followed by the remedy."""
    return why + _REMEDIES.get(kind, "")


_F = TypeVar("_F", bound=Callable[..., Any])
_FROM_START = "\r\033[K"
"""The control sequence that moves the cursor to the start of its line and clears the line."""
FILE_HELP = "The fleet file (default: fleet.toml in this folder)."


@dataclass(frozen=True, slots=True)
class FleetOptions:
    """The values of the options that :func:`fleet_command` adds."""

    file: Path | None
    over: tuple[str, ...]
    names: tuple[str, ...]
    now: float | None
    timeout: float
    workers: int
    scheduler: str
    trust_scheduler: bool

    def fleet(self) -> Fleet:
        """The fleet from :meth:`read`. Prints the members that cannot be used.

        Raises :class:`Failure` and :class:`brvtui.fleet.cluster.ClusterError`.
        """
        from brvtui.fleet.fleet_file import FleetError

        self._check_scheduler()
        if self.over and self.file is not None:
            raise Failure("use either --fleet or --over", BAD_USAGE)
        try:
            fleet = self.read()
        except FleetError as error:
            raise Failure(str(error), NOT_THERE) from error
        say_first_notes([one.why for one in fleet.absent])
        say_first_notes(fleet.notices)
        if fleet.absent and not fleet.members and not self.over:
            raise Failure("no member of the fleet can be queried; correct or remove its entries", FAILED)
        if not fleet.members:
            raise Failure("the fleet has no members that can be queried; add one with brv-tui fleet add", NOT_THERE)
        return fleet

    def _check_scheduler(self) -> None:
        if self.scheduler and not self.trust_scheduler:
            from brvtui.fleet.cluster import trusted_address

            trusted_address(self.scheduler, False)

    def read(self) -> Fleet:
        """The fleet, reduced to the members in ``names`` if there are any.

        Raises :class:`brvtui.fleet.fleet_file.FleetError`.
        """
        from brvtui.fleet.finding import fleet_of, fleet_over
        from brvtui.fleet.fleet_file import NAME, FleetError

        is_named = self.file is not None
        fleet = fleet_over(self.over, Path.cwd()) if self.over else fleet_of(self.file or Path(NAME), is_named)
        member_names = {member.name for member in fleet.members}
        for name in self.names:
            if name not in member_names:
                raise FleetError(f"no member {name}{nearest(name, member_names)}")
        return fleet.only(self.names) if self.names else fleet

    @contextmanager
    def asker(self, fleet: Fleet) -> Iterator[Asker]:
        """Yields an asker for the fleet's members. Processes started by the asker end with the block."""
        from brvtui.fleet.answering import Asker
        from brvtui.fleet.fleet_file import FleetError

        now_ms = system_clock() if self.now is None else self.now
        try:
            where, progress = self.where(fleet), _Progress(len(fleet.members))
            try:
                yield Asker(where, now_ms, self.timeout, replied=progress)
            finally:
                progress.end()
                where.close()
        except FleetError as error:
            message = with_remedy(str(error), error.kind)
            raise Failure(message, FAILED if self.scheduler else BAD_USAGE) from error

    def where(self, fleet: Fleet) -> MemberExecutor:
        """The executor of the members' queries. Raises :class:`brvtui.fleet.fleet_file.FleetError`."""
        if self.scheduler:
            from brvtui.fleet.cluster import Cluster

            return Cluster(self.scheduler, fleet.to_place, self.trust_scheduler)
        from brvtui.fleet.pool import ProcessPool

        return ProcessPool(fleet.members, self.workers)


def fleet_command(command: _F) -> _F:
    """Adds the options of every command over a fleet. The command receives them as ``options``."""

    @functools.wraps(command)
    def collected(**values: Any) -> Any:
        names = ("file", "over", "names", "now", "timeout", "workers", "scheduler", "trust_scheduler")
        return command(options=FleetOptions(**{name: values.pop(name) for name in names}), **values)

    decorated: Any = collected
    for option in (
        click.option(
            "--scheduler", default="", metavar="ADDRESS",
            help="Run queries on a Dask scheduler's workers (tcp://…, tls://…, file or auto); needs the fleet extra.",
        ),
        click.option(
            "--trust-scheduler", is_flag=True,
            help="Connect without TLS to a scheduler on another machine, which can then run code here.",
        ),
        click.option(
            "--workers", type=WholeNumber(0, 512), default=0, metavar="N",
            help="The number of processes that answer (default: one for each core).",
        ),
        click.option(
            "--timeout", type=Number(0.1, 86_400), default=60.0, show_default=True, metavar="SECONDS",
            help="How long to wait for each member.",
        ),
        click.option("--now", metavar="ISO", type=moment, help=NOW_HELP),
        click.option("--member", "names", multiple=True, metavar="NAME", help="Only this member; may be repeated."),
        click.option(
            "--over", multiple=True, metavar="PLACE",
            help="A folder, glob, bare git repository or V4 data folder, instead of a fleet file; may be repeated.",
        ),
        click.option("--fleet", "file", type=NamedPath(), metavar="FILE", help=FILE_HELP),
    ):  # fmt: skip
        decorated = option(decorated)
    result: _F = decorated
    return result


class _Progress:
    """Shows the number of members that have answered, on a line of the terminal that is cleared at the end.

    A command may query its members several times, and not all of them each time.
    """

    def __init__(self, members: int) -> None:
        self._members = members
        self._round = 1
        self._answered: set[str] = set()
        self._is_shown = sys.stderr.isatty()

    def __call__(self, reply: MemberReply) -> None:
        if reply.member in self._answered:
            self._round, self._answered = self._round + 1, set()
        self._answered.add(reply.member)
        again = f", round {self._round}" if self._round > 1 else ""
        self._write(f"{_FROM_START}members: {len(self._answered)} of {self._members}{again}")

    def end(self) -> None:
        """Clears the progress line."""
        if self._answered:
            self._write(_FROM_START)

    def _write(self, text: str) -> None:
        if self._is_shown:
            click.echo(text, nl=False, err=True)
