"""Advice that several engines give for a document that is not in an answer, and the reasons that they share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brvtui.trace import Explanation, Remedy

NOTHING_HELPS = "none of the wordings that were tried brings it in"
"""Said when no other wording of the query, of those that an engine tries, has the document in its answer."""
CHECK_PATH = "check the path, or add the note"
ASK_FOR_TITLE = "ask for its title"
NO_WORDS = "the query has no word that can be searched"


def add_title(title: str) -> str:
    """Advises to add the words of the document's ``title`` to the query."""
    return f"add the words of its title ({title})"


def with_remedies(explanation: Explanation, remedies: tuple[Remedy, ...]) -> Explanation:
    """``explanation`` with all ``remedies``; that no wording helps is not said beside one that does."""
    advised = explanation.remedy
    if remedies and advised is not None and advised.text == NOTHING_HELPS:
        advised = remedies[0]
    return replace(explanation, remedies=remedies, remedy=advised)
