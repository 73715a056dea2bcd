"""A query's path from Enter to the painted panes matches the list in docs/explanation/architecture.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import brvtui
from brvtui.app.app import BrvTui
from brvtui.app.query.runner import RequestQueue
from brvtui.app.query.score import ScorePane
from brvtui.engines.byterover.engine import ByteRover
from tests.app.driving import WIDE, ask, press, settled
from tests.docs.pages import ROOT

_PACKAGE = f"{Path(brvtui.__file__).parent}/"
_HOP_LIMIT = 13
Call = tuple[str, str]


def listed() -> list[list[Call]]:
    """The functions listed for each hop on the page, with their files."""
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    part = page.split("### From a key to the painted panes")[1].split("\n### ")[0]
    hops = re.findall(r"^\d+\. (.*(?:\n   .*)*)", part, re.MULTILINE)
    quoted = [re.findall(r"`([\w./]+)`", hop) for hop in hops]
    return [[(file, name) for name in names if not name.isupper()] for file, *names in quoted]


def calls() -> list[Call]:
    """The calls of our own functions in progress in this thread, the outermost first."""
    found: list[Call] = []
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_PACKAGE):
            found.insert(0, (code.co_filename.removeprefix(_PACKAGE), code.co_qualname.split(".<locals>")[0]))
        frame = frame.f_back
    return found


def same_hop(call: Call, others: list[Call]) -> bool:
    """True if ``call`` is one of ``others``, or a method that extends one of them."""
    return any(call == other or call[1].split(".")[-1] == other[1].split(".")[-1] for other in others)


async def test_query_path_from_enter_to_the_panes_is_documented(app: BrvTui, monkeypatch: pytest.MonkeyPatch) -> None:
    stacks: dict[str, list[Call]] = {}

    def noted(owner: type, name: str) -> None:
        method: Callable[..., Any] = getattr(owner, name)
        file = f"{owner.__module__.removeprefix('brvtui.').replace('.', '/')}.py"

        def call(*args: Any, **options: Any) -> Any:
            # after each answer, the queue calls `go` again to check for waiting requests
            if name != "go" or name not in stacks:
                stacks[name] = [*calls(), (file, f"{owner.__name__}.{name}")]
            return method(*args, **options)

        monkeypatch.setattr(owner, name, call)

    for owner, name in ((RequestQueue, "go"), (ByteRover, "answer"), (ScorePane, "build")):
        noted(owner, name)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await ask(pilot, "refresh token")
        stacks.clear()
        await press(pilot, "enter")

    hops = listed()
    assert 3 < len(hops) <= _HOP_LIMIT
    known = [call for hop in hops for call in hop]
    followed = [*stacks["go"], *stacks["answer"], *stacks["build"]]
    unknown = [call for call in followed if not same_hop(call, known) and call[0] != "app/configured.py"]
    assert unknown == []
    assert [call for call in known if call not in followed] == [("session/session.py", "Session.preview")]
