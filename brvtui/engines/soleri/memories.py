"""Memories of sessions, read from a file given by the user (``docs/reference/soleri.md``, "Memories").

A context tree has no memories, so they come from an export of Soleri's table ``memories``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from brvtui import faults
from brvtui.engines.contract import EngineError
from brvtui.engines.soleri.entries import MEMORY_COLUMNS, Memory, memory
from brvtui.engines.soleri.matching import alternatives, expression
from brvtui.engines.soleri.profile import SoleriProfile, Weights
from brvtui.text.fts import FullTextError, IndexLayout, full_text
from brvtui.text.visible import visible
from brvtui.trace.feedback import Usefulness
from brvtui.tree.reading.json_file import read_json

# Weights that feedback changes (``docs/reference/soleri.md``, "Adaptive weights").


@dataclass(frozen=True, slots=True)
class FeedbackCounts:
    """The numbers of results that were accepted, modified or dismissed, or that failed."""

    accepted: int = 0
    modified: int = 0
    dismissed: int = 0
    failed: int = 0

    @property
    def rows(self) -> int:
        """The number of feedback rows that are used, which are all except failures."""
        return self.accepted + self.modified + self.dismissed


def feedback_counts(counts: Mapping[Usefulness, int]) -> FeedbackCounts:
    """The counts in a feedback log, one per kind of usefulness, as :class:`FeedbackCounts`."""
    return FeedbackCounts(
        counts.get(Usefulness.ACCEPTED, 0),
        counts.get(Usefulness.MODIFIED, 0),
        counts.get(Usefulness.DISMISSED, 0),
        counts.get(Usefulness.FAILED, 0),
    )


def expected_weights(counts: FeedbackCounts, hybrid: bool, profile: SoleriProfile) -> Weights:
    """The weights that the proportions in ``counts`` would lead to after enough feedback; the fixed weights if there is
    no feedback.
    """
    enough = profile.learning.rows
    if not counts.rows or counts.rows >= enough:
        return adapted_weights(counts, hybrid, profile)
    return adapted_weights(
        FeedbackCounts(counts.accepted * enough, counts.modified * enough, counts.dismissed * enough), hybrid, profile
    )


def accept_rate(counts: FeedbackCounts, profile: SoleriProfile) -> float | None:
    """The share of useful results, from 0 to 1; None if there is no feedback."""
    used = counts.accepted + profile.learning.modified * counts.modified
    return used / counts.rows if counts.rows else None


def adapted_weights(counts: FeedbackCounts, hybrid: bool, profile: SoleriProfile) -> Weights:
    """The weights after feedback, which add up to 1. Until there are enough rows of feedback, these are the fixed
    weights.

    ``hybrid`` is True if there is an embedding provider.
    """
    fixed = profile.hybrid_weights if hybrid else profile.weights
    rules, rate = profile.learning, accept_rate(counts, profile)
    if rate is None or counts.rows < rules.rows:
        return fixed

    def bounded(value: float) -> float:
        return min(max(value, rules.lowest), rules.highest)

    base = profile.weights
    vector = fixed.vector
    semantic = bounded(base.semantic + (rate - 0.5) * rules.span)
    if hybrid:
        semantic = bounded(semantic - vector)
    others = (base.severity, base.temporal_decay, base.tag_overlap, base.domain_match, base.graph_proximity)
    share = (1 - semantic - vector) / sum(others)
    severity, decay, tags, domain, graph = (share * weight for weight in others)
    return Weights(semantic, vector, severity, decay, tags, domain, graph)


_EQUAL = (1.0,) * len(MEMORY_COLUMNS)
_TEXTS = ("id", "context", "summary")


@dataclass(frozen=True, slots=True)
class RecalledMemories:
    """The memories that match a query, best first."""

    held: int
    """The total number of memories, including archived ones."""
    expression: str
    """The FTS5 expression for searching memories."""
    found: tuple[Memory, ...]


def memories_of(option: Any) -> tuple[Memory, ...]:
    """The memories in the option ``memories``: the path of a JSON file with a list of records, or the records
    themselves.

    Raises :class:`EngineError` for any other value.
    """
    name = "memories"
    if isinstance(option, (str, Path)):
        name = visible(str(option))
        try:
            option = read_json(Path(option), follow_links=True)
        except OSError as error:
            raise EngineError(f"memories: {faults.error_line(error, name)}") from error
        except ValueError as error:
            raise EngineError(f"{name}: not JSON ({visible(str(error))})") from error
    if not isinstance(option, (list, tuple)):
        raise EngineError(f"{name}: must be a list of memories, each with id, context and summary")
    return tuple(memory(_checked(record, number, name)) for number, record in enumerate(option, 1))


def search_memories(memories: Sequence[Memory], query: str, profile: SoleriProfile, limit: int) -> list[Memory]:
    """The memories that match ``query``, best first by BM25 with equal weights. Archived ones are left out.

    Archived memories still affect the statistics of BM25. A query that FTS5 cannot parse matches nothing.
    """
    expressions = (query,) if profile.as_run.memories_untransformed else alternatives(query, profile.as_run)
    index = full_text(IndexLayout(MEMORY_COLUMNS), [memory.columns for memory in memories])
    try:
        ranked = index.search(expressions, _EQUAL, len(memories))
    except FullTextError:
        return []
    return [memories[position] for position, _ in ranked if not memories[position].archived][: max(0, limit)]


def recalled(memories: Sequence[Memory], query: str, profile: SoleriProfile, limit: int) -> RecalledMemories:
    """The best ``limit`` of ``memories`` that match ``query``, with the search that found them."""
    used_query = query if profile.as_run.memories_untransformed else expression(query, profile.as_run)
    return RecalledMemories(len(memories), used_query, tuple(search_memories(memories, query, profile, limit)))


def _checked(record: Any, number: int, name: str) -> Mapping[str, Any]:
    """``record`` if it is a valid memory. Raises :class:`EngineError` if it is not."""
    if not isinstance(record, dict):
        raise EngineError(f"{name}: memory {number} is not an object with id, context and summary")
    wrong = next((field for field in _TEXTS if not isinstance(record.get(field), str)), "")
    if wrong:
        raise EngineError(f"{name}: memory {number}: {wrong} must be a string")
    topics = record.get("topics", [])
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise EngineError(f"{name}: memory {number}: topics must be a list of strings")
    return record
