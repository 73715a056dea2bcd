"""Fleets of small trees, queried in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from brvtui.fleet.asking import FleetQuestion, MemberQuestion, MemberReply, ask, close_members
from brvtui.fleet.fleet_file import Member
from tests.support.trees import NOW_MS

Asking = Callable[[Member, FleetQuestion], MemberReply]


@pytest.fixture
def asking() -> Iterator[Asking]:
    """Queries a member in this process, and always checks its files again."""
    yield lambda member, question: ask(MemberQuestion(member, question, NOW_MS, 0.0))
    close_members()
