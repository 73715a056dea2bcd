"""The smallest changes, each verified, after which a query is answered at tier 2 (``docs/reference/byterover.md``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from brvtui.paint.blocks import Block, Ends, Text
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, line
from brvtui.trace.routing import Outcome

if TYPE_CHECKING:
    from brvtui.engines.changes import (
        Change,  # it imports modules that the app must not load before its first paint
    )
    from brvtui.engines.contract import Context
    from brvtui.trace import Trace


class Lever(StrEnum):
    """The kinds of changes, in display order."""

    HITS = "more hits"
    AGE = "a recent edit"
    MATURITY = "a higher maturity"
    IMPORTANCE = "a higher importance"
    RUNNER_UP = "a lower next result"
    TITLE = "words in its title"
    WORDING = "another wording"
    PATH = "its path as the query"


class LeverStatus(StrEnum):
    """The possible results of trying a lever."""

    VERIFIED = "verified"
    """After the change, the router was run again, and it answered at tier 2 with the note first."""
    IMPOSSIBLE = "impossible"
    """It is proven that no change of this kind succeeds."""
    OPEN = "not found"
    """None of the changes that were tried succeeds, but others may."""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """The result for one lever: the smallest change that succeeds, or why no change does."""

    lever: Lever
    standing: LeverStatus
    text: str
    """One line of text: a description of the change if it succeeds; otherwise, the reason."""
    change: Change | None = None
    amount: float | None = None
    """The size of a numeric change: hits, days, words, or an importance (of the note or the next result)."""
    score: float | None = None
    """The note's score after the change; for an impossible lever, the highest score that it can give, if known."""
    verdict: str = ""
    """The router's verdict after the change."""

    @property
    def is_verified(self) -> bool:
        """True if the change was tried and succeeded."""
        return self.standing is LeverStatus.VERIFIED


@dataclass(frozen=True, slots=True)
class Counterfactuals:
    """The smallest changes after which ``query`` is answered at tier 2 with one note first."""

    query: str
    outcome: Outcome
    """The outcome of the query without a change."""
    path: str
    """The path of the note; empty if no note came close."""
    title: str
    score: float | None
    """The note's score today; None if no query word matches the note."""
    ceiling: float | None
    """The highest score that any wording can give the note today."""
    needed: float
    """The score that a direct answer needs."""
    ways: tuple[Counterfactual, ...]
    """The result for each lever, in order."""

    @property
    def reaches(self) -> bool:
        """True if the note's score is high enough, but its lead over the next result is too small."""
        return self.score is not None and self.score >= self.needed

    @property
    def verified(self) -> tuple[Counterfactual, ...]:
        """The changes that succeed."""
        return tuple(way for way in self.ways if way.is_verified)


@runtime_checkable
class AvoidsModels(Protocol):
    """An engine that finds changes after which a query needs no model."""

    def counterfactuals(
        self, context: Context[Any], trace: Trace, path: str, cancelled: Callable[[], bool]
    ) -> Counterfactuals | None:
        """The smallest changes that make a model unnecessary and, if ``path`` is given, put the document at that path
        first.

        The result is None if no change is needed, or if ``cancelled`` becomes true.
        """


# The changes as blocks.


def counterfactual_blocks(takes: Counterfactuals, glyphs: Glyphs) -> Iterator[Block]:
    """Yields the note that should lead the answer, then every kind of change, verified ones first; or, if no note
    matches, the reason. Kinds that fail for the same reason share an entry.
    """
    if not takes.path:
        yield Text(f"no change helps: {takes.ways[0].text}", "muted", " ", 0)
        return
    score = "no word matches" if takes.score is None else f"{takes.score:.2f}"
    short = f" ≥ {takes.needed:g}, but its lead is too small" if takes.reaches else f" needs {takes.needed:g}"
    yield Ends(line(" ").add(takes.title, "bold strong"), line(score, "strong").add(short, "muted"))
    levers: dict[tuple[LeverStatus, str], list[Counterfactual]] = {}
    for way in sorted(takes.ways, key=lambda way: not way.is_verified):
        levers.setdefault((way.standing, way.text), []).append(way)
    for ways in levers.values():
        yield from _way(ways[0], ", ".join(way.lever.value for way in ways), glyphs)


def _way(way: Counterfactual, levers: str, glyphs: Glyphs) -> Iterator[Block]:
    signs = {
        LeverStatus.VERIFIED: (glyphs.state["passed"], "ok"),
        LeverStatus.IMPOSSIBLE: (glyphs.state["failed"], "faint"),
        LeverStatus.OPEN: (glyphs.state["missed"], "faint"),
    }
    sign, role = signs[way.standing]
    head = Line().gap().add(f"{sign} ", role).add(levers, "strong" if way.is_verified else "muted")
    head.add("" if way.is_verified else f"  {way.standing.value}", "faint")
    yield Ends(head, line(f"{way.score:.2f}", "ok")) if way.is_verified and way.score is not None else head
    yield Text(way.text, "text" if way.is_verified else "faint", "   ", 0)
