"""The vocabulary of delivery: the host's record of a recall, and its outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from statistics import quantiles

from brvtui.tree.engine_files.query_log import AGENT, UNLOGGED, LoggedQuery
from brvtui.tree.reading.kinds import TREE

LONGEST_MS = 1e9
"""The limit for plausible recorded durations in ms, about twelve days."""
CHARS_PER_TOKEN = 4
"""The number of characters that are estimated to be one token, as in ByteRover."""


class DeliveryChannel(StrEnum):
    """The channel through which an agent asked its memory."""

    HOOK = "hook"
    MCP = "mcp"
    SHELL = "shell"


class DeliveryOutcome(StrEnum):
    """The fate of an answer on its way to the agent."""

    DELIVERED = "delivered"
    DELIVERED_AGAIN = "delivered_again"
    """The agent had already received the same text in this session."""
    SPILLED = "spilled"
    """The text was saved to a file, and the agent received only the file's path."""
    SPILLED_READ = "spilled_read"
    NOT_COVERED = "not_covered"
    EMPTY = "empty"
    SKIPPED = "skipped"
    """The hook does not recall anything for very short prompts."""
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    IGNORED_BY_HOST = "ignored_by_host"
    """The hook printed a context that the host did not attach to the prompt."""
    UNKNOWN = "unknown"


LOST = (
    DeliveryOutcome.TIMED_OUT, DeliveryOutcome.SPILLED, DeliveryOutcome.IGNORED_BY_HOST, DeliveryOutcome.FAILED,
    DeliveryOutcome.EMPTY,
)  # fmt: skip
"""The outcomes of answers that did not reach the agent."""
ARRIVED = (DeliveryOutcome.DELIVERED, DeliveryOutcome.DELIVERED_AGAIN, DeliveryOutcome.SPILLED_READ)
"""The outcomes of answers that the agent has read."""


@dataclass(frozen=True, slots=True)
class Recall:
    """One recall as the host recorded it, before it is compared with the engine's log."""

    session: str
    at_ms: float
    """The time of the prompt or of the tool call, in ms since 1970."""
    channel: DeliveryChannel
    prompt: str
    """The user's prompt; empty if the transcript does not contain it."""
    query: str
    received: str | None = None
    """The text that the agent received; None if no row contains one."""
    printed: str = ""
    """The text that the hook printed."""
    ran: bool = False
    """True if a row shows that the hook ran, or that the tool was called."""
    failure: str = ""
    """The reason why the recall failed; empty if no row says so."""
    took_ms: float | None = None
    """The duration that the host recorded."""
    spilled_to: str = ""
    """The path of the file that received the text instead of the agent; empty if there is none."""
    is_cut_off: bool = False
    """True if the transcript ends in the middle of a row, directly after this recall."""
    hook_is_known: bool = False
    """True if a row of this session shows that the recall hook is installed."""
    reply: str = ""
    """The agent's next messages."""
    opened: tuple[str, ...] = ()
    """The paths of the files that the agent read afterwards."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A recall and its outcome."""

    recall: Recall
    outcome: DeliveryOutcome
    evidence: str
    """The reason for the outcome, in one sentence."""
    entry: LoggedQuery | None = None
    """The entry of the engine's log for this recall; None if there is none."""
    documents: tuple[str, ...] = ()
    """The paths of the notes in the answer, best first."""
    used: tuple[str, ...] = ()
    """The delivered notes that the agent mentioned in its reply, or whose files it read later. A guess."""
    engine: str = TREE.native
    """The name of the engine that the agent asked."""

    @property
    def logged(self) -> LoggedQuery:
        """The entry in the engine's log or, if there is none, an entry made from the transcript."""
        recall = self.recall
        return self.entry or LoggedQuery(
            recall.at_ms, recall.query, AGENT, UNLOGGED, paths=self.documents, engine=self.engine
        )

    @property
    def tokens(self) -> int:
        """The estimated number of tokens that the agent received."""
        received = self.recall.received or ""
        return 0 if self.outcome is DeliveryOutcome.SPILLED else -(-len(received) // CHARS_PER_TOKEN)

    @property
    def duration_ms(self) -> float | None:
        """The wait for the answer, from the engine's log or else the host's record; None if neither contains it."""
        logged = self.entry.waited_ms if self.entry is not None else None
        return logged if logged is not None and logged < LONGEST_MS else self.recall.took_ms


@dataclass(frozen=True, slots=True)
class Delivery:
    """All recalls of a project's agents, oldest first."""

    turns: tuple[Turn, ...]
    unmatched_log: tuple[LoggedQuery, ...]
    """The entries of the engine's log that belong to no recall, oldest first."""
    unknown_rows: int
    """The number of rows in transcripts that could not be read, or have an unknown type."""
    notices: tuple[str, ...] = ()
    is_cut_off: bool = False
    """True if a transcript ends in the middle of a row."""

    @property
    def counts(self) -> Mapping[DeliveryOutcome, int]:
        """The number of turns for each outcome, largest first."""
        return dict(Counter(turn.outcome for turn in self.turns).most_common())

    @property
    def tokens(self) -> int:
        """The estimated number of tokens that the agents received."""
        return sum(turn.tokens for turn in self.turns)

    @property
    def repeated_tokens(self) -> int:
        """The estimated number of tokens spent on texts that the agent already had."""
        return sum(turn.tokens for turn in self.turns if turn.outcome is DeliveryOutcome.DELIVERED_AGAIN)

    @property
    def durations_ms(self) -> list[float]:
        """The known durations, without prompts that the hook skipped."""
        turns = (turn for turn in self.turns if turn.outcome is not DeliveryOutcome.SKIPPED)
        return [turn.duration_ms for turn in turns if turn.duration_ms is not None]

    def by_day(self) -> dict[str, Delivery]:
        """The turns of each day in local time, keyed by ISO date, oldest first. Turns without a time are left out."""
        days: dict[str, list[Turn]] = {}
        for turn in self.turns:
            if turn.recall.at_ms > 0:
                day = datetime.fromtimestamp(turn.recall.at_ms / 1000).astimezone().date().isoformat()
                days.setdefault(day, []).append(turn)
        return {day: replace(self, turns=tuple(turns)) for day, turns in days.items()}


def median_and_p95(durations: Sequence[float]) -> tuple[float, float] | None:
    """The median and the 95th percentile of ``durations``; None if there are none."""
    if not durations:
        return None
    cuts = quantiles(durations, n=20, method="inclusive") if len(durations) > 1 else [durations[0]] * 19
    return cuts[9], cuts[18]
