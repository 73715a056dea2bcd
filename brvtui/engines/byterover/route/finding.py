"""Which of a route's searches found a note."""

from __future__ import annotations

from brvtui.engines.byterover.sections import EntityStep, Search
from brvtui.trace import Trace


def search_of(trace: Trace, file: str) -> Search:
    """The search that the hit ``file`` of ``trace`` came from: an entity's, or else the search itself."""
    entity = next((hit.found_by for hit in trace.hits if hit.file == file), "")
    for made in trace.section(EntityStep).searches:
        if entity and made.entity == entity:
            return made.search
    return trace.section(Search)
