"""Results in the two shapes that an agent asks for, with memories (``docs/soleri.md``, "Results")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from brvtui.engines.soleri.entries import MEMORY_COLUMNS, Memory, VaultEntry, units
from brvtui.engines.soleri.matching import alternatives
from brvtui.engines.soleri.profile import SoleriProfile
from brvtui.engines.soleri.search import ScoredEntry
from brvtui.text.fts import FullTextError, IndexLayout, full_text

Shape = Literal["full", "scan"]
_EQUAL = (1.0,) * len(MEMORY_COLUMNS)


@dataclass(frozen=True, slots=True)
class Shaped:
    """One result: its score, and the record that an agent gets."""

    score: float
    record: dict[str, Any]


def default_limit(shape: Shape, profile: SoleriProfile) -> int:
    """How many results a shape has that names no number."""
    return profile.limits.scan if shape == "scan" else profile.limits.full


def shaped(found: ScoredEntry, shape: Shape, profile: SoleriProfile) -> Shaped:
    """``found`` in ``shape``."""
    entry = found.entry
    if shape == "full":
        breakdown = {_camel(name): value for name, value in asdict(found.signals).items()}
        record = {
            "entry": entry.record(),
            "score": found.score,
            "breakdown": {**breakdown, "total": found.score},
            "source": "vault",
        }
    else:
        record = {
            "id": entry.id,
            "title": entry.title,
            "score": found.score,
            "type": entry.type,
            "domain": entry.domain,
            "severity": entry.severity,
            "tags": list(entry.tags),
            "snippet": snippet(entry.description, profile),
            "tokenEstimate": entry.tokens,
            "source": "vault",
        }
    return Shaped(found.score, record)


def shaped_memory(memory: Memory, shape: Shape, profile: SoleriProfile) -> Shaped:
    """``memory`` in ``shape``, with the fixed score of memories."""
    score = profile.results.memory_score
    if shape == "full":
        return Shaped(score, {**memory.record, "source": "memory", "score": score})
    return Shaped(
        score,
        {
            "id": memory.record["id"],
            "title": memory.record["context"],
            "snippet": snippet(memory.record["summary"], profile),
            "score": score,
            "source": "memory",
        },
    )


def search_memories(memories: Sequence[Memory], query: str, profile: SoleriProfile, limit: int) -> list[Memory]:
    """The memories that match ``query``, archived ones left out, best first by BM25 with equal weights.

    Archived ones count among the documents that BM25 compares with. A query that FTS5 cannot read finds none.
    """
    asked = (query,) if profile.as_run.memories_untransformed else alternatives(query, profile.as_run)
    index = full_text(IndexLayout(MEMORY_COLUMNS), [memory.columns for memory in memories])
    try:
        ranked = index.search(asked, _EQUAL, len(memories))
    except FullTextError:
        return []
    return [memories[position] for position, _ in ranked if not memories[position].archived][: max(0, limit)]


def merged(vault: Iterable[Shaped], memories: Iterable[Shaped], limit: int) -> list[Shaped]:
    """Both, best first, entries of the vault before memories of equal score, at most ``limit``."""
    return sorted([*vault, *memories], key=lambda result: -result.score)[: max(0, limit)]


def load_entries(entries: Iterable[VaultEntry], ids: Collection[str]) -> list[VaultEntry]:
    """The whole entries called ``ids``, in the vault's order; unknown ids are left out."""
    return [entry for entry in entries if entry.id in ids]


def snippet(text: str, profile: SoleriProfile) -> str:
    """The first UTF-16 units of ``text``, with three dots when it goes on."""
    most = profile.results.snippet_chars
    if units(text) <= most:
        return text
    cut = text.encode("utf-16-le", "surrogatepass")[: 2 * most].decode("utf-16-le", "replace")
    return f"{cut}..."


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
