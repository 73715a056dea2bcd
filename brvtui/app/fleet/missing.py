"""What can be done about a member that gave no answer."""

from __future__ import annotations

from brvtui.app.states import FleetState
from brvtui.fleet.members import Absence, AbsenceKind
from brvtui.wording import counted

EACH = "{fleet.merge} asks each by its own engine"
"""What to do where one ranking cannot be made; the key is named by its action."""
_FIX, _ALONE = "fix that and press {fleet.again}", "; Enter opens it alone"
_WHAT_TO_DO = {
    AbsenceKind.OTHER: _FIX,
    AbsenceKind.ENTRY: "fix or take out that entry and press {fleet.again}",
    AbsenceKind.NO_FOLDER: (
        "fix or take out its entry in the fleet, or bring the folder back, and press {fleet.again}; or open the fleet "
        "without the --over that names it"
    ),
    AbsenceKind.ONLY_ALONE: _FIX,
    AbsenceKind.TIMEOUT: "{fleet.again} asks again; brv-tui fleet open --timeout SECONDS waits longer",
    AbsenceKind.PROCESS_ENDED: "{fleet.again} asks again, in a new process",
    AbsenceKind.NOT_RANKED: EACH,
    AbsenceKind.OTHER_CONSTANTS: EACH + "; a profile in its entry makes it comparable",
}


def what_to_do(state: FleetState, absence: Absence) -> str:
    """What to do about a member that is missing; keys are named by their actions."""
    return _WHAT_TO_DO[absence.kind] + (_ALONE if _opens_alone(state, absence) else "")


def _opens_alone(state: FleetState, absence: Absence) -> bool:
    """Whether it can be opened alone, as far as that is known: what is read from git has no folder."""
    members = state.fleet.members if state.fleet is not None else ()
    if any(one.name == absence.member and one.repository for one in members):
        return False
    was_opened = absence.kind is AbsenceKind.OTHER and absence.member in state.known
    return was_opened or absence.kind is AbsenceKind.ONLY_ALONE


def missing_words(state: FleetState, count: int) -> str:
    """What became of ``count`` members without an answer: one ranking also leaves out those of other engines."""
    if state.together and state.ranking is not None:
        return counted(count, "is left out", "are left out")
    return f"{count} could not be read"
