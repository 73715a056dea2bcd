"""The answer to a query before and after a topic is edited (*edit and see*). Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.contract import Context, Query
from brvtui.ranking.decay import just_before_ms
from brvtui.trace import AgedSignals, Ceiling, Hit, Trace

if TYPE_CHECKING:
    from brvtui.engines.byterover_v4.engine import ByteRoverV4


@dataclass(frozen=True, slots=True, eq=False)
class TopicState:
    """A topic in one of three states: as it is, saved with a new modification time, saved with the old one."""

    trace: Trace
    hit: Hit | None
    """None where it is not among the results."""
    signals: AgedSignals | None
    ceiling: Ceiling | None


@dataclass(frozen=True, slots=True, eq=False)
class TopicPreview:
    """The outcome of a query before and after an edit of the topic at ``path``."""

    path: str
    now: TopicState
    renewed: TopicState
    kept: TopicState
    keep_mtime: bool

    @property
    def after(self) -> TopicState:
        """The state that saving leads to."""
        return self.kept if self.keep_mtime else self.renewed


def topic_preview(
    engine: ByteRoverV4, context: Context[V4Profile], query: str, scope: str, path: str, html: str, keep_mtime: bool
) -> TopicPreview:
    """The preview of an edit of the topic at ``path``, which may be new, in the first space of ``context``.

    Raises :class:`brvtui.tree.spaces.topic_html.UnreadableTopic`.
    """
    asked = Query(query, scope)
    place = context.snapshot.by_path.get(path)
    mtime_ms = context.snapshot.notes[place].mtime_ms if place is not None else context.now_ms
    signals, ceiling = engine.standing(context, path) or (None, None)
    before = engine.answer(context, asked)

    def saved(moment_ms: float) -> TopicState:
        trace, (aged, best) = engine.after_edit(context, asked, path, html, moment_ms)
        return TopicState(trace, _own(trace, path), aged, best)

    now = TopicState(before, _own(before, path), signals, ceiling)
    return TopicPreview(path, now, saved(just_before_ms(context.now_ms)), saved(mtime_ms), keep_mtime)


def _own(trace: Trace, path: str) -> Hit | None:
    return next((hit for hit in trace.hits if hit.file == path), None)
