"""The one way in which a member is asked, whichever process or machine it is asked in.

A *question* is a frozen dataclass with a method ``of``; it travels to where the member is, and its answer travels back.
Members stay open in the process that asked them once, as long as there is room: the next question finds them ready.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from brvtui import faults
from brvtui.config import ConfigError
from brvtui.engines.contract import EngineError, UnknownEngine
from brvtui.fleet.fleet_file import FleetError
from brvtui.fleet.kept_open import OpenMembers
from brvtui.fleet.members import Absence, AbsenceKind, Member
from brvtui.fleet.opening import FRESH_S, OpenMember
from brvtui.lab.judgments.model import JudgmentsError
from brvtui.tree.history.git import RevisionError
from brvtui.tree.reading.project import OR_A_TREE, ProjectError
from brvtui.tree.reading.signals import SignalsError
from brvtui.typed_tables import ProfileError

_LINES = (
    FleetError, ProjectError, ConfigError, ProfileError, EngineError, RevisionError, SignalsError, JudgmentsError,
)  # fmt: skip
"""Errors whose message is a line for the user."""
_OR_A_REPOSITORY = ", or a git repository with the folder of its notes: brv-tui fleet add REPOSITORY --folder PATH"


class FleetQuestion(Protocol):
    """What can be put to a member."""

    def of(self, opened: OpenMember) -> Any:
        """The answer of the open member. Raises what its engine raises."""


@dataclass(frozen=True, slots=True)
class MemberQuestion:
    """A question to one member, at a moment."""

    member: Member
    question: FleetQuestion
    now_ms: float
    fresh_s: float = FRESH_S


@dataclass(frozen=True, slots=True)
class MemberReply:
    """What came back: an answer, or why there is none."""

    member: str
    value: Any = None
    failure: str = ""
    """One line; empty for an answer."""
    kind: AbsenceKind = AbsenceKind.OTHER
    """That of the failure."""
    ms: float = 0.0
    """How long it took where it was asked."""

    @property
    def absence(self) -> Absence:
        """The failure as an absence of the member."""
        return Absence(self.member, self.failure, self.kind)


def ask(asked: MemberQuestion) -> MemberReply:
    """The reply to one question, made in this process. Raises nothing."""
    begun = time.perf_counter()
    value, failure, kind = None, "", AbsenceKind.OTHER
    try:
        opened = _open(asked)
        with opened.lock:
            opened.look(asked.now_ms, asked.fresh_s)
            value = asked.question.of(opened)
    except _LINES as error:
        failure, kind = " ".join(str(error).replace(OR_A_TREE, _OR_A_REPOSITORY).split()), _kind(error)
    except OSError as error:
        failure = faults.error_line(error)
    except Exception as error:  # one broken member must not end the answers of the others
        said = " ".join(f"{type(error).__name__}: {error}".split())
        failure = f"failed unexpectedly ({said}); ask it alone with brv-tui query"
    return MemberReply(asked.member.name, value, failure, kind, (time.perf_counter() - begun) * 1000)


def _kind(error: Exception) -> AbsenceKind:
    if isinstance(error, FleetError):
        return error.kind
    return AbsenceKind.ONLY_ALONE if isinstance(error, UnknownEngine) else AbsenceKind.OTHER


def ask_each(asked: Sequence[MemberQuestion]) -> list[MemberReply]:
    """The replies to several questions, one after the other."""
    return [ask(one) for one in asked]


def close_members() -> None:
    """Forgets the members that are open in this process."""
    _open_members.clear()


_open_members = OpenMembers()
_member_locks: dict[Member, threading.Lock] = {}
_opening = threading.Lock()


def _open(asked: MemberQuestion) -> OpenMember:
    if (known := _open_members.get(asked.member)) is not None:
        return known
    with _opening:
        lock = _member_locks.setdefault(asked.member, threading.Lock())
    with lock:
        known = _open_members.get(asked.member)
        if known is None:
            known = OpenMember(asked.member, asked.now_ms)
            _open_members.keep(known)
        return known
