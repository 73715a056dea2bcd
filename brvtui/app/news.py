"""What the app hears: the base of all messages that are for its parts."""

from __future__ import annotations

from textual.message import Message


class News(Message):
    """Something that one of the app's parts has to hear."""
