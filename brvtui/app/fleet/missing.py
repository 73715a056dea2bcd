"""What can be done about a member that gave no answer."""

from __future__ import annotations

from brvtui.app.states import FleetState
from brvtui.wording import counted

USE_EACH = "use --merge each"
"""How reasons name what to do on the command line."""
EACH = "{fleet.merge} asks each by its own engine"
"""What to do where one ranking cannot be made; the key is named by its action."""
_ABSENT = (
    "fix or take out its entry in the fleet, or bring the folder back, and press {fleet.again}; or open the fleet "
    "without the --over that names it"
)
_WHAT_TO_DO = (
    ("no answer within", "{fleet.again} asks again; brv-tui fleet open --timeout SECONDS waits longer"),
    ("was ended", "{fleet.again} asks again, in a new process"),
    ("its folder is gone", _ABSENT),
    ("no such folder", _ABSENT),
    ("one ranking is made by", EACH),
    ("counts words by", EACH),
    ("not those of most members", EACH + "; a profile in its entry makes it comparable"),
)
_FIX, _ALONE = "fix that and press {fleet.again}", "; Enter opens it alone"
_OPENS_ALONE = ("add that one", "no engine ")
"""What keeps a member out of a fleet, but not from being opened alone."""
ENTRY = "fix or take out that entry and press {fleet.again}"
"""What to do about an entry of the fleet's file that names no member."""


def what_to_do(state: FleetState, name: str, why: str) -> str:
    """What to do about the member ``name`` that is missing because of ``why``; keys are named by their actions."""
    return next((do for part, do in _WHAT_TO_DO if part in why), _FIX + (_ALONE if _opens(state, name, why) else ""))


def _opens(state: FleetState, name: str, why: str) -> bool:
    """Whether it can be opened alone, as far as that is known: what is read from git has no folder."""
    members = state.fleet.members if state.fleet is not None else ()
    if any(one.name == name and one.repository for one in members):
        return False
    return name in state.known or any(part in why for part in _OPENS_ALONE)


def without_option(why: str) -> str:
    """``why`` a member is left out, without the option of the command line: :func:`what_to_do` names the key."""
    return why.removesuffix(USE_EACH).rstrip("; :")


def is_gone(why: str) -> bool:
    """Whether ``why`` a member is missing is that its folder is gone."""
    return "its folder is gone" in why or "no such folder" in why


def missing_words(state: FleetState, count: int) -> str:
    """What became of ``count`` members without an answer: one ranking also leaves out those of other engines."""
    if state.together and state.ranking is not None:
        return counted(count, "is left out", "are left out")
    return f"{count} could not be read"
