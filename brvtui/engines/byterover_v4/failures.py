"""V4's failures: what each means, in which file its cause is, and what helps."""

from __future__ import annotations

from brvtui.engines.byterover_v4.corpus import FilterError
from brvtui.engines.byterover_v4.index import DuplicateIds
from brvtui.engines.byterover_v4.scripts import LegacyMarkdown
from brvtui.engines.byterover_v4.search import SignalsUnreadable
from brvtui.engines.byterover_v4.sections import SpaceFailure
from brvtui.wording import first_of

FAILURES = (LegacyMarkdown, FilterError, DuplicateIds, SignalsUnreadable)
"""The exceptions of V4's queries."""


def failure_of(error: Exception) -> SpaceFailure:
    """The failure behind ``error``, one of :data:`FAILURES`."""
    message = str(error)
    match error:
        case LegacyMarkdown(files=files):
            remedy = f"migrate {first_of(files)}, or move it out of the tree"
            return SpaceFailure(message, "Markdown in the tree", files[0], remedy)
        case DuplicateIds(id=identity):
            path, _, element = identity.partition("#")
            remedy = f"give one of the two elements {element} in {path} another id"
            return SpaceFailure(message, "an element id stands twice in one topic", path, remedy)
        case SignalsUnreadable(path=path, file=file):
            remedy = f"fix or remove {file}: without it the topic has default signals"
            return SpaceFailure(message, f"the signals of {path} are no JSON", path, remedy)
        case _:
            return SpaceFailure(message, "the element filter names no element of V4", "", "ask for one of its elements")
