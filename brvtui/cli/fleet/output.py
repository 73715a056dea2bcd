"""What every command of a fleet prints: rows in columns, notes, and who is missing."""

from __future__ import annotations

from collections.abc import Sequence, Sized

from brvtui.cli.failure import FAILED, NEGATIVE, OK
from brvtui.cli.output import say
from brvtui.fleet.members import Absence, AbsenceKind
from brvtui.text.visible import visible
from brvtui.wording import first_of

_REMEDIES = {
    AbsenceKind.NO_FOLDER: (
        ": fix or take out its entry in the fleet, or the --over that names it, or bring the folder back"
    ),
    AbsenceKind.NOT_RANKED: "; fleet query --merge each and fleet eval without --judgments ask each by its own engine",
}
"""What to do about an absence whose line does not say it."""


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints ``rows`` below ``heads`` in columns."""
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row in (heads, *rows):
        cells = (visible(cell).ljust(width) for cell, width in zip(row, widths, strict=True))
        say("  ".join(cells).rstrip())


def say_note(line: str) -> None:
    """Writes a note to the standard error."""
    say(f"note: {visible(line)}", err=True)


def outcome(replies: Sized, is_good: bool) -> int:
    """The exit code of what members replied: 4 where none of them could."""
    if not replies:
        return FAILED
    return OK if is_good else NEGATIVE


def say_missing(missing: Sequence[Absence]) -> None:
    """Says on the standard error who is missing and why; of several with one reason, only how many and the first."""
    reasons: dict[tuple[str, AbsenceKind], list[str]] = {}
    for one in missing:
        reasons.setdefault((one.why, one.kind), []).append(one.member)
    for (why, kind), members in reasons.items():
        say_note(with_remedy(why if members[0] in why else f"{first_of(members)}: {why}", kind))


def with_remedy(why: str, kind: AbsenceKind) -> str:
    """Returns ``why`` a member is missing, and what to do about it."""
    return why + _REMEDIES.get(kind, "")
