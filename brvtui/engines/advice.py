"""Advice that several engines give for a document that is not in an answer, and the reasons that they share."""

from __future__ import annotations

NOTHING_HELPS = "none of the wordings that were tried brings it in"
"""Said when no other wording of the query, of those that an engine tries, has the document in its answer."""
CHECK_PATH = "check the path, or add the note"
ASK_FOR_TITLE = "ask for its title"
NO_WORDS = "the query has no word that can be searched"


def add_title(title: str) -> str:
    """Advises to add the words of the document's ``title`` to the query."""
    return f"add the words of its title ({title})"
