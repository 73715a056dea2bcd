"""The notes of an open project as they were at a git revision, for an evaluation to be compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from brvtui.engines.contract import Context
from brvtui.lab.evaluation.causes import Reverting
from brvtui.loading.revised import Difference, difference_to, revised
from brvtui.snapshot import Snapshot
from brvtui.tree.history.revision import Revision

if TYPE_CHECKING:
    from brvtui.session.session import Session


@dataclass(frozen=True)
class RevisionBaseline:
    """A project at a revision: the context in which its engine answers there, and the way back to it."""

    context: Context[Any]
    reverting: Reverting
    notices: tuple[str, ...]


def baseline_at(session: Session, context: Context[Any], name: str) -> RevisionBaseline:
    """``context`` with the notes of the revision ``name``. Nothing is checked out or written.

    Signals, shared sources and settings are those of now, and so are the ages of notes that both have. Raises
    :class:`brvtui.tree.history.git.RevisionError`.
    """
    revision = Revision(session.project.tree, name)
    snapshot, constants, now_ms = context.snapshot, session.profile, context.now_ms

    def at(difference: Difference) -> Snapshot:
        return revised(snapshot, constants, now_ms, difference)

    difference = difference_to(snapshot, revision)
    before = Context(at(difference), context.constants, now_ms, context.services)
    shared = f"shared sources are compared as they are now, not as of {name}"
    notices = (shared,) if session.project.sources else ()
    return RevisionBaseline(before, Reverting(name, difference, at), notices)
