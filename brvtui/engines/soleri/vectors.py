"""One dense vector for each entry, and how they are made (``docs/soleri.md``, "Vectors")."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.services.legs import LegError, Vector, VectorCache


@dataclass(frozen=True, eq=False)
class StoredVector:
    """A vector as it is kept: numbers of 32 bits, and the model that made it."""

    numbers: NDArray[np.float32]
    model: str
    digest: str = ""
    """Of the text that it was made of; empty where that is not known."""


class EntryVectors:
    """The vectors of one vault: one for each entry, in the order in which entries got their first."""

    def __init__(self, held: Mapping[str, StoredVector] | None = None) -> None:
        """A store that holds ``held``."""
        self._held = dict(held or {})
        self.newest: StoredVector | None = next(reversed(self._held.values()), None)

    def put(self, vectors: dict[str, StoredVector]) -> None:
        """Keeps ``vectors`` by the ids of their entries, in place of those before."""
        self._held.update(vectors)
        self.newest = next(reversed(vectors.values()), self.newest)

    def all(self) -> dict[str, StoredVector]:
        """Every vector by the id of its entry."""
        return dict(self._held)


def read_vectors(cache: VectorCache, model: str) -> EntryVectors:
    """The vectors that ``model`` made, as they are kept on disk."""
    made = {}
    for name, numbers in cache.read().items():
        made_of, _, id_ = name.partition(" ")
        made[id_] = StoredVector(numbers, model, made_of)
    return EntryVectors(made)


def write_vectors(cache: VectorCache, vectors: EntryVectors, ids: Collection[str]) -> None:
    """Keeps the vectors of the entries ``ids`` on disk, under their ids and the digests of their texts.

    All have the length of the newest: where a model changed its own, the others are made again. Raises OSError.
    """
    held = vectors.all()
    length = len(vectors.newest.numbers) if vectors.newest is not None else 0
    kept = {id_: vector for id_, vector in held.items() if id_ in ids and len(vector.numbers) == length}
    cache.write({f"{vector.digest} {id_}": vector.numbers for id_, vector in kept.items()})


@dataclass(frozen=True, eq=False)
class VectorIndex:
    """Vectors that are searched: cosines are of 64-bit numbers, against every one of equal length."""

    vectors: Mapping[str, StoredVector]
    _by_length: dict[int, tuple[list[str], NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)

    def cosines(self, query: Vector) -> dict[str, float]:
        """The cosine of ``query`` with each vector that has its length and a direction, in the vectors' order.

        A vector of another length cannot be compared, and is left out.
        """
        asked = np.asarray(query, dtype=np.float64)
        length = float(np.linalg.norm(asked))
        ids, matrix, norms = self._of_length(len(asked))
        if not ids or not np.isfinite(length) or length == 0:
            return {}
        values = matrix @ asked / np.where(norms > 0, norms * length, 1.0)
        return {id_: float(value) for id_, value, norm in zip(ids, values, norms, strict=True) if norm > 0}

    def _of_length(self, length: int) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """Ids, numbers and norms of the vectors of one length; made once."""
        if length not in self._by_length:
            alike = {id_: kept.numbers for id_, kept in self.vectors.items() if len(kept.numbers) == length}
            matrix = np.stack(list(alike.values())).astype(np.float64) if alike else np.zeros((0, length))
            self._by_length[length] = list(alike), matrix, np.linalg.norm(matrix, axis=1)
        return self._by_length[length]


def nearest_of(cosines: Mapping[str, float], limit: int) -> list[tuple[str, float]]:
    """The ``limit`` highest of ``cosines``, highest first; equal ones in their order."""
    return sorted(cosines.items(), key=lambda found: -found[1])[: max(0, limit)]


@dataclass(frozen=True, slots=True)
class EmbeddedBatch:
    """What a provider made of one batch of texts."""

    vectors: Sequence[Vector]
    tokens: int = 0
    """How many tokens it read; 0 where it does not say."""


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """What a run of the pipeline did."""

    embedded: int
    failed: int
    tokens: int
    batch_sizes: tuple[int, ...]
    left: int
    """Entries that were not tried, because the run was cancelled."""
    errors: tuple[str, ...] = ()


def embed_entries(
    entries: Iterable[VaultEntry],
    store: EntryVectors,
    model: str,
    embed: Callable[[Sequence[str]], EmbeddedBatch],
    batch: int,
    re_embed: bool = False,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int], None] = lambda done, all_: None,
) -> EmbeddingReport:
    """Makes the vectors that entries lack of ``model``, batch by batch.

    A batch that fails is counted and left out, the next is tried. With ``re_embed`` an entry whose text changed since
    its vector was made gets a new one; without, it keeps the old one, as the document says.
    """
    kept = store.all()
    todo = [entry for entry in entries if _lacks(kept.get(entry.id), entry, model, re_embed)]
    embedded = failed = tokens = 0
    sizes, errors = [], []
    for start in range(0, len(todo), batch):
        if cancelled():
            break
        part = todo[start : start + batch]
        sizes.append(len(part))
        try:
            made = embed([entry.embedded for entry in part])
            store.put(_stored(part, made, model))
        except LegError as error:
            failed += len(part)
            errors.append(str(error))
        else:
            embedded += len(part)
            tokens += made.tokens
        progress(embedded + failed, len(todo))
    return EmbeddingReport(embedded, failed, tokens, tuple(sizes), len(todo) - embedded - failed, tuple(errors))


def _lacks(kept: StoredVector | None, entry: VaultEntry, model: str, re_embed: bool) -> bool:
    if kept is None or kept.model != model:
        return True
    return re_embed and kept.digest not in ("", digest(entry.embedded))


def _stored(entries: Sequence[VaultEntry], made: EmbeddedBatch, model: str) -> dict[str, StoredVector]:
    """The vectors by id. Raises LegError when they are not as many as the entries, or hold no numbers."""
    if len(made.vectors) != len(entries):
        raise LegError(f"{model} gave {len(made.vectors)} vectors for {len(entries)} texts")
    rows = [np.asarray(vector, dtype=np.float32) for vector in made.vectors]
    if any(row.ndim != 1 or not row.size or not np.isfinite(row).all() for row in rows):
        raise LegError(f"{model} gave a vector that is not made of numbers")
    return {
        entry.id: StoredVector(row, model, digest(entry.embedded)) for entry, row in zip(entries, rows, strict=True)
    }


def digest(text: str) -> str:
    """The SHA-256 of ``text``, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
