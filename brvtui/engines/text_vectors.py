"""The vectors of texts, which are cached by text and model, and computed if they are missing
(``docs/reference/jeffs-brain.md``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from brvtui import faults
from brvtui.services.legs import Embedder, LegError, Vector, VectorCache

Floats = NDArray[np.float32]
ZERO_VECTOR = "returned a vector of all zeros, which is similar to nothing"
MOST_NUMBERS = 1 << 27  # the maximum for all vectors of one tree: 512 MB


@dataclass(frozen=True, eq=False)
class VectorTable:
    """Vectors of unit length, with the position of the text that each represents. Some texts may have no vector."""

    matrix: Floats
    positions: NDArray[np.int64]

    def nearest(self, vector: Vector, limit: int) -> list[tuple[int, float]]:
        """The positions of the texts whose vectors are nearest to ``vector``, with their cosines, nearest first. Equal
        cosines are ordered by position.

        Raises :class:`brvtui.services.legs.LegError` if ``vector`` has a different number of dimensions, or is zero or
        not finite.
        """
        query = np.asarray(vector, dtype=np.float64)
        if not len(self.positions):
            return []
        if query.ndim != 1 or query.shape[0] != self.matrix.shape[1]:
            raise LegError(
                f"the query's vector has {query.size} dimensions, but the notes' vectors have {self.matrix.shape[1]}"
            )
        length = float(np.linalg.norm(query))
        if not np.isfinite(length) or length == 0:
            raise LegError("the query's vector is zero or not finite")
        cosines = self.matrix @ (query / length).astype(np.float32)
        order = np.lexsort((self.positions, -cosines))[: max(0, limit)]
        return [(int(self.positions[place]), float(cosines[place])) for place in order]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The resulting vector table, the numbers of new and of missing vectors, and the reason why vectors are missing."""

    table: VectorTable
    made: int
    missing: int
    error: str = ""


def digest(text: str) -> str:
    """The key under which the vector of a text is cached."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def embed_texts(
    texts: Sequence[str],
    embedder: Embedder,
    kept: VectorCache,
    batch: int,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int], None],
) -> Embedded:
    """A vector for each of ``texts``, from the cache or newly computed and then cached. Raises no errors.

    Vectors that were computed before a failure or a cancellation are cached and used. Cached vectors of texts that no
    longer exist are dropped.
    """
    names = [digest(text) for text in texts]
    stored = dict(kept.read())
    vectors = {name: stored[name] for name in names if name in stored}
    wanted = {name: text for name, text in zip(names, texts, strict=True) if name not in vectors and text.strip()}
    todo = list(wanted)
    error = ""
    made = 0
    for start in range(0, len(todo), batch):
        if cancelled():
            error = "cancelled"
            break
        part = todo[start : start + batch]
        try:
            check_room((len(vectors) + len(part)) * len(next(iter(vectors.values()), ())))
            new = unit_vectors(embedder, [wanted[name] for name in part])
            if not new.any(axis=1).all():
                raise LegError(f"{embedder.name} {ZERO_VECTOR}")
        except LegError as failure:
            error = str(failure)
            break
        if vectors and new.shape[1] != len(next(iter(vectors.values()))):
            vectors = {}
            error = (
                f"{embedder.name} now returns vectors of a different length, so the stored ones were dropped; try again"
            )
        vectors.update(zip(part, new, strict=True))
        made += len(part)
        progress(made, len(todo))
        if error:
            break
    if made or vectors.keys() != stored.keys():
        try:
            kept.write(vectors)
        except OSError as failure:
            error = error or f"the vectors cannot be stored: {faults.reason(failure)}"
    return Embedded(_table(names, vectors), made, sum(name not in vectors for name in names), error)


def check_room(numbers: int) -> None:
    """Raises LegError if the vectors of one tree contain more than :data:`MOST_NUMBERS` numbers."""
    if numbers > MOST_NUMBERS:
        raise LegError(
            f"the vectors would need more than {MOST_NUMBERS:,} numbers: choose a model with shorter vectors"
        )


def unit_vectors(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """The vectors of ``texts``, scaled to unit length. Raises LegError if the embedder returns a wrong number of
    vectors, or vectors of unequal or zero length.
    """
    vectors = embedder.embed(texts)
    if len(vectors) != len(texts):
        raise LegError(f"{embedder.name} returned {len(vectors)} vectors for {len(texts)} texts")
    lengths = {len(vector) for vector in vectors}
    if len(lengths) > 1 or 0 in lengths:
        raise LegError(f"{embedder.name} returned vectors of unusable lengths: {', '.join(map(str, sorted(lengths)))}")
    matrix = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise LegError(f"{embedder.name} returned a vector whose values are not all numbers")
    return (matrix / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def _table(names: Sequence[str], vectors: Mapping[str, Floats]) -> VectorTable:
    positions = [position for position, name in enumerate(names) if name in vectors]
    if not positions:
        return VectorTable(np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.int64))
    return VectorTable(np.stack([vectors[names[position]] for position in positions]), np.asarray(positions))
