"""Why one note stands above another in an answer over an open project, and what would turn that round."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from brvtui.engines.contract import Query
from brvtui.lab.pair.differences import PairComparison, compare_pair
from brvtui.lab.pair.turning import Turner
from brvtui.snapshot.naming import find_note

if TYPE_CHECKING:
    from brvtui.session.session import Session


def why_above(session: Session, query: Query, one: str, other: str) -> PairComparison:
    """The notes called ``one`` and ``other`` under ``query``, the one that stands higher first. Writes nothing.

    Raises :class:`brvtui.engines.contract.EngineError`, :class:`brvtui.snapshot.naming.UnknownNote` and
    :class:`brvtui.lab.pair.differences.NotScored`.
    """
    engine, context = session.engines.named(session.engine), session.engines.context(session.engine)
    notes = [find_note(context.snapshot, name) for name in (one, other)]
    made = compare_pair(engine, context, engine.answer(context, query), notes[0], notes[1])
    turner = Turner(engine, context, session.profile, query, made.above.path, made.below.path)
    return replace(made, turning=turner.smallest())
