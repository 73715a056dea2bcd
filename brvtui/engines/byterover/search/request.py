"""A search request: query, options and context."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.engines.byterover.context import Context
from brvtui.timing import Stopwatch


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search. An empty scope does not restrict; a limit below 0 counts as 0."""

    limit: int
    scope: str = ""

    @property
    def most(self) -> int:
        """The results to keep, at least 0."""
        return max(0, self.limit)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query and its context."""

    context: Context
    query: str
    options: SearchOptions
    watch: Stopwatch
