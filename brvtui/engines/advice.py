"""Advice that several engines give for a document that is not in an answer, and the reasons that they share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.wording import counted

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


def edited_now(days: float, stored_recency: str) -> str:
    """An edit now of a document edited ``days`` ago, in words; ``stored_recency`` says what counts at 0 days."""
    if days <= 0:
        return f"edited before this moment, not after it: {stored_recency}"
    if days < 1:
        return f"edited now, not {counted(max(1, round(days * 24)), 'hour', 'hours')} ago"
    return f"edited today, not {counted(round(days), 'day', 'days')} ago"


def with_remedies(explanation: Explanation, remedies: tuple[Remedy, ...]) -> Explanation:
    """``explanation`` with all ``remedies``; that no wording helps is not said beside one that does."""
    advised = explanation.remedy
    if remedies and advised is not None and advised.text == NOTHING_HELPS:
        advised = remedies[0]
    return replace(explanation, remedies=remedies, remedy=advised)
