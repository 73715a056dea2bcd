"""Replays a sequence of queries with the signals that V4 would store after each query, and describes V4's failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from brvtui.engines.byterover_v4.command_line import CommandLine
from brvtui.engines.byterover_v4.corpus import FilterError
from brvtui.engines.byterover_v4.index import DuplicateIds
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.scripts import LegacyMarkdown, RankedSpace, query_space, state_after
from brvtui.engines.byterover_v4.search import UNCHANGED, SignalsUnreadable
from brvtui.engines.byterover_v4.sections import SpaceFailure
from brvtui.engines.contract import ReplayStep
from brvtui.wording import first_of

FAILURES = (LegacyMarkdown, FilterError, DuplicateIds, SignalsUnreadable)
"""The exceptions that V4's queries raise."""


def failure_of(error: Exception) -> SpaceFailure:
    """The failure that corresponds to ``error``, one of :data:`FAILURES`."""
    message = str(error)
    match error:
        case LegacyMarkdown(files=files):
            remedy = f"migrate {first_of(files)}, or move it out of the tree"
            return SpaceFailure(message, "Markdown in the tree", files[0], remedy)
        case DuplicateIds(id=identity):
            path, _, element = identity.partition("#")
            remedy = f"give one of the two elements {element} in {path} a different id"
            return SpaceFailure(message, "two elements of one topic have the same id", path, remedy)
        case SignalsUnreadable(path=path, file=file):
            remedy = f"fix or remove {file}: without it the topic has default signals"
            return SpaceFailure(message, f"the signals of {path} are not JSON", path, remedy)
        case _:
            return SpaceFailure(
                message, "the element filter names an element that V4 does not have", "", "use one of V4's elements"
            )


SEQUENCE_LIMIT = 5
"""The limit for a step that does not set one: the number of topics that an agent usually receives."""
_MS = 1000.0


def answers_in_sequence(
    space: RankedSpace, steps: Sequence[ReplayStep], lines: Sequence[CommandLine], now_ms: float, profile: V4Profile
) -> Iterator[dict[str, Any]]:
    """Yields the answer to each of ``steps``, and the signals of its hits after that step. ``lines`` contains the
    command line of each step. Writes nothing.
    """
    state, clock = UNCHANGED, now_ms
    for step, line in zip(steps, lines, strict=True):
        clock += step.wait_seconds * _MS
        if step.touch:
            state = replace(state, mtimes_ms={**state.mtimes_ms, step.touch: clock})
        limited = replace(line, flags={"limit": str(SEQUENCE_LIMIT), **line.flags})
        try:
            answer = query_space(space, limited, clock, profile, state)
        except FAILURES as error:
            yield {"error": str(error)}
            continue
        state = state_after(answer, state, profile)
        signals = {hit.printed.path: state.signals[hit.printed.path].to_mapping() for hit in answer.hits}
        yield {"answer": answer.plain(), "signals": signals}
