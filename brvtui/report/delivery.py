"""The answers that reached the agents, as lines and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.console import RenderableType

from brvtui.lab.delivery.turns import ARRIVED, Delivery, DeliveryOutcome, Turn, median_and_p95
from brvtui.paint.bars import eighths
from brvtui.paint.glyphs import Glyphs, for_terminal
from brvtui.paint.line import Line, hanging, line
from brvtui.report.lines import rich_lines
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.wording import counted, shortened

NAMES = {
    DeliveryOutcome.DELIVERED: "delivered",
    DeliveryOutcome.DELIVERED_AGAIN: "delivered again, although the agent already had the text",
    DeliveryOutcome.SPILLED: "spilled: saved to a file that the agent did not read",
    DeliveryOutcome.SPILLED_READ: "spilled, and read: saved to a file that the agent then read",
    DeliveryOutcome.NOT_COVERED: "not covered: no note answers the query",
    DeliveryOutcome.EMPTY: "empty",
    DeliveryOutcome.SKIPPED: "skipped: the prompt is too short for the hook",
    DeliveryOutcome.TIMED_OUT: "timed out: the answer came too late, so nothing arrived",
    DeliveryOutcome.FAILED: "failed",
    DeliveryOutcome.IGNORED_BY_HOST: "ignored by host: the hook printed an answer, but the host did not pass it on",
    DeliveryOutcome.UNKNOWN: "unknown: there is not enough evidence",
}
"""The name of each outcome on screen."""
_NOTHING = "the transcripts contain no prompt or memory call from this project"
ROLES = {
    DeliveryOutcome.DELIVERED: "ok",
    DeliveryOutcome.SPILLED_READ: "ok",
    DeliveryOutcome.DELIVERED_AGAIN: "warn",
    DeliveryOutcome.SPILLED: "bad",
    DeliveryOutcome.TIMED_OUT: "bad",
    DeliveryOutcome.FAILED: "bad",
    DeliveryOutcome.IGNORED_BY_HOST: "bad",
}
"""The role of the name of each outcome; "text" for others."""
SHORT = {
    DeliveryOutcome.DELIVERED_AGAIN: "again",
    DeliveryOutcome.SPILLED_READ: "spilled",
    DeliveryOutcome.IGNORED_BY_HOST: "ignored",
}
"""Short names for outcomes whose names have more than 11 characters."""
_NEXT = {
    DeliveryOutcome.TIMED_OUT: "see why it took so long: {}",
    DeliveryOutcome.NOT_COVERED: "see which words no note contains: {}",
    DeliveryOutcome.SPILLED: "shorten or split the notes in this answer, so that the host does not save it to a file",
    DeliveryOutcome.IGNORED_BY_HOST: "have the hook print the context as hookSpecificOutput.additionalContext",
    DeliveryOutcome.EMPTY: "see what the engine should answer: {}",
    DeliveryOutcome.FAILED: "run brv query in the project to see the error",
}
_USED = (
    "A note counts as used if the agent's reply names or quotes it, or the agent opened it. This is an estimate. To "
    "see why the memory chose a note, run brv-tui query with the prompt."
)
_UNUSED = "if the note with the answer is not listed here, see why: {}"
_COUNT, _INDENT = 6, 4
_MOST_DAYS = 14
_BAR = 20


def next_step(turn: Turn, asking: str) -> str:
    """Returns what the user can do about the outcome of ``turn``; empty if an answer arrived and was used.

    ``asking`` says how to ask the query again.
    """
    is_unused = turn.outcome in ARRIVED and turn.documents and not turn.used
    return (_UNUSED if is_unused else _NEXT.get(turn.outcome, "")).format(asking)


def delivery_report(found: Delivery, width: int, limit: int, selection: str = "") -> RenderableType:
    """Returns the lines of :func:`delivery_lines`, wrapped to ``width`` columns."""
    lines = delivery_lines(found, limit, selection)
    return rich_lines(part for one in lines for part in hanging(one, width, len(one.plain) - len(one.plain.lstrip())))


def delivery_lines(found: Delivery, limit: int, selection: str = "") -> Iterator[Line]:
    """Yields the number of turns by outcome, the durations, and the newest ``limit`` turns.

    ``selection`` names the options that selected the turns; empty if all turns are selected.
    """
    turns = found.turns
    if not turns:
        nothing = f"no turn in this project matches {selection}" if selection else _NOTHING
        yield line(f" {nothing}", "bold strong")
    else:
        arrived = sum(turn.outcome in ARRIVED for turn in turns)
        yield line(f" in {arrived} of {counted(len(turns), 'turn', 'turns')}, notes reached the agent", "bold strong")
        for outcome, count in found.counts.items():
            yield Line().add(f"{count:>{_COUNT}} ", "strong").add(NAMES[outcome], ROLES.get(outcome, "text"))
        yield from _costs(found)
        yield Line()
        for turn in reversed(turns[-limit:]):
            yield from _turn_lines(turn)
        if any(len(turn.used) < len(turn.documents) for turn in turns if turn.outcome in ARRIVED):
            yield line(f" {_USED}", "muted")
        if len(turns) > limit:
            yield line(f" {len(turns) - limit} earlier turns; --format json lists all", "muted")
    if found.unmatched_log:
        entries = counted(len(found.unmatched_log), "query is", "queries are")
        yield line(f" {entries} in the engine's log, but in no transcript; --format json lists them", "muted")
    for notice in found.notices:
        yield line(f" {notice}", "warn")


def _costs(found: Delivery) -> Iterator[Line]:
    if (both := median_and_p95(found.durations_ms)) is not None:
        slowest = max(found.durations_ms)
        yield line(
            f" half of the answers took at most {_seconds(both[0])}, and the slowest took {_seconds(slowest)}", "muted"
        )
    if found.tokens:
        yield line(f" the answers cost about {_tokens(found)}".rstrip(","), "muted")
    if len(found.by_day()) > 1:
        yield from day_lines(found, for_terminal())


def day_lines(found: Delivery, glyphs: Glyphs) -> Iterator[Line]:
    """Yields a bar for each of the newest 14 days with turns: the tokens that the answers cost."""
    days = list(found.by_day().items())[-_MOST_DAYS:]
    highest = max([1, *(each.tokens for _, each in days)])
    for day, each in days:
        sessions = counted(len({turn.recall.session for turn in each.turns}), "session", "sessions")
        bar = eighths(each.tokens / highest, _BAR, glyphs)
        yield line(f" {day} ", "muted").add(bar, "accent").add(f" {_tokens(each)} in {sessions}", "muted")


def _tokens(found: Delivery) -> str:
    repeats = f", {found.repeated_tokens:,} of them for repeated texts," if found.repeated_tokens else ""
    return f"{found.tokens:,} tokens{repeats}"


def _turn_lines(turn: Turn) -> Iterator[Line]:
    recall = turn.recall
    tier = f", tier {turn.entry.tier}" if turn.entry is not None and turn.entry.tier is not None else ""
    took = f", {_seconds(turn.duration_ms)}" if turn.duration_ms is not None else ""
    head = Line().gap().add(f"{_local(recall.at_ms)}  ", "muted")
    yield head.add(f"“{shortened(recall.query)}”", "strong").add(f"  {recall.channel}{tier}{took}", "muted")
    outcome = turn.outcome.replace("_", " ")
    yield Line().gap(_INDENT).add(outcome, ROLES.get(turn.outcome, "text")).add(f": {turn.evidence}", "text")
    text = shortened(recall.query)
    step = next_step(turn, f"brv-tui query {'-- ' if text.startswith('-') else ''}{shlex.quote(text)}")
    if step and turn.outcome not in ARRIVED:
        yield Line().gap(_INDENT).add(f"next: {step}", "muted")
    for path in turn.documents[:3]:
        used = "delivered, and used" if path in turn.used else "delivered, not used" if turn.outcome in ARRIVED else ""
        yield Line().gap(_INDENT).add(path, "text").add(f"  {used}" if used else "", "muted")


def delivery_as_plain(found: Delivery, with_texts: bool = False) -> dict[str, Any]:
    """Returns ``found`` as JSON-compatible data. Durations are in ms, and times in ms since 1970.

    ``with_texts`` adds the texts that reached the agents.
    """
    middle, high = median_and_p95(found.durations_ms) or (None, None)
    return {
        "turns": [
            {**_turn_as_plain(turn), **({"received": turn.recall.received} if with_texts else {})}
            for turn in found.turns
        ],
        "unmatched_log": [_entry_as_plain(entry) for entry in found.unmatched_log],
        "unknown_rows": found.unknown_rows,
        "summary": {
            "turns": len(found.turns),
            "delivered": sum(turn.outcome in ARRIVED for turn in found.turns),
            "outcomes": {outcome.value: found.counts.get(outcome, 0) for outcome in DeliveryOutcome},
            "tokens": found.tokens,
            "repeated_tokens": found.repeated_tokens,
            "median_ms": middle,
            "p95_ms": high,
            "days": [_day_as_plain(day, each) for day, each in found.by_day().items()],
        },
        "notices": list(found.notices),
    }


def _day_as_plain(day: str, found: Delivery) -> dict[str, Any]:
    sessions = len({turn.recall.session for turn in found.turns})
    return {"day": day, "sessions": sessions, "tokens": found.tokens, "repeated_tokens": found.repeated_tokens}


def _turn_as_plain(turn: Turn) -> dict[str, Any]:
    recall = turn.recall
    return {
        "session": recall.session,
        "time": recall.at_ms,
        "channel": recall.channel.value,
        "prompt": recall.prompt,
        "query": recall.query,
        "outcome": turn.outcome.value,
        "evidence": turn.evidence,
        "documents": list(turn.documents),
        "used": list(turn.used),
        "tokens": turn.tokens,
        "duration_ms": turn.duration_ms,
        "tier": turn.entry.tier if turn.entry is not None else None,
    }


def _entry_as_plain(entry: LoggedQuery) -> dict[str, Any]:
    return {
        "time": entry.at_ms,
        "query": entry.query,
        "outcome": DeliveryOutcome.UNKNOWN.value,
        "documents": list(entry.paths),
        "duration_ms": entry.waited_ms,
        "tier": entry.tier,
    }


def _local(at_ms: float) -> str:
    return datetime.fromtimestamp(at_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S") if at_ms else "no time"


def _seconds(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"
