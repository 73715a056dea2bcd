"""Panes read only the sub-states of the view that they declare."""

from __future__ import annotations

from typing import Any

import pytest

from brvtui.app.app import BrvTui
from brvtui.app.modes import EDITOR, SCREENS
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from tests.app.driving import HUGE, NARROW, settled
from tests.app.editing import open_note

_STATES = {name: type(state) for name, state in View._field_defaults.items()}


class Guarded(View):
    """A view that records which sub-states are read."""

    read: set[type]

    def __getattribute__(self, name: str) -> Any:
        if name in _STATES:
            self.read.add(_STATES[name])
        return super().__getattribute__(name)


def guarded(view: View) -> Guarded:
    """A guarded copy of ``view``, with no reads recorded."""
    result = Guarded(**{name: getattr(view, name) for name in _STATES})
    object.__setattr__(result, "read", set())
    return result


@pytest.mark.parametrize("size", [NARROW, HUGE], ids=["narrow", "huge"])
async def test_panes_read_only_declared_states(app: BrvTui, size: tuple[int, int]) -> None:
    seen: set[type] = set()
    async with app.run_test(size=size) as pilot:
        await open_note(pilot)
        for mode in (*SCREENS, EDITOR):
            await app.switch_mode(mode.name)
            await settled(pilot)
            for pane in app.screen.query(Lines).results(Lines):
                view = pane.view = guarded(pane.view)
                pane.build(view, max(pane.room, 20))
                list(pane.lacks(view))
                assert view.read <= set(pane.READS), pane
                seen.add(type(pane))
    assert len(seen) > 20
