"""What a verification found, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.lab.verification.results import Verification
from brvtui.paint.line import Line, line
from brvtui.wording import counted

_MOST = 20
_LABEL = 10


def verification_lines(made: Verification, most: int = _MOST) -> Iterator[Line]:
    """The sentence, what was asked and how, then the first ``most`` questions that are answered otherwise."""
    role = "ok" if not made.differences else "bad"
    yield Line().gap().add(made.sentence, f"bold {role}")
    documents = counted(made.documents, "document", "documents")
    yield line(f" over a copy of {made.over}, {documents}, profile {made.profile}; {made.isolation}", "muted")
    for notice in made.notices:
        yield line(f" {notice}", "warn")
    for difference in made.differences[:most]:
        yield Line()
        yield (
            Line().gap().add(difference.query or "every query", "strong").add(f"  first differs in: {difference.step}")
        )
        for label, text in (("installed", difference.engine), ("brv-tui", difference.ours)):
            yield Line().gap(3).fit(label, _LABEL, "muted").add(text, "text")
    if len(made.differences) > most:
        yield line(f" {len(made.differences) - most} more; --format json holds all", "muted")
