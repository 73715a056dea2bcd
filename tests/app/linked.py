"""A note with links of every kind, and its panes on the Notes screen."""

from __future__ import annotations

from brvtui.app.app import BrvTui
from brvtui.app.notes.about import AboutPane
from brvtui.app.notes.note import NotePane
from tests.app.driving import open_notes, settled
from tests.app.looking import AppPilot, brv

STORE = "auth/jwt/token_store.md"
HUB = "hub/links.md"
HUB_TEXT = """---
related: [auth/jwt/token_store.md, deploy/nowhere.md]
---
# Hub

Go to [the store](../auth/jwt/token_store.md) or @auth/jwt/refresh_rotation.md, to [the end](#the-end),
to [the web](https://example.org), to [a folder](../auth/oauth) or to [nowhere](lost.md).

{filler}

## The end

Last words about tokens.
"""


async def open_linked(pilot: AppPilot, path: str = HUB) -> None:
    """Opens the note on the Notes screen."""
    await open_notes(pilot)
    brv(pilot).selection.select(path)
    await settled(pilot)


def note_of(app: BrvTui) -> NotePane:
    """The pane with the note's text."""
    return app.screen.query_one(NotePane)


def about_of(app: BrvTui) -> AboutPane:
    """The pane with facts about the note."""
    return app.screen.query_one(AboutPane)
