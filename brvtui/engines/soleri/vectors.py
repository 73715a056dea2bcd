"""Dense vectors of entries, and TF-IDF vectors of text (``docs/reference/soleri.md``, "Vectors")."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.text_vectors import ZERO_VECTOR, check_room, digest
from brvtui.services.legs import LegError, Vector, VectorCache
from brvtui.text.analysis import STOP_WORDS

# TF-IDF vectors of texts and their cosine (``docs/reference/soleri.md``, "The semantic signal").


SparseVector = Mapping[str, float]
"""A sparse vector: weights, keyed by term."""

_TOKEN = re.compile(r"[a-z0-9-]{3,}")
_MOST_KEPT = 16_384
"""The maximum number of cached TF-IDF vectors, each about 3 kB."""
COUNTED = "TF-IDF compares only words of at least three characters (a–z, 0–9, hyphen), and ignores stop words"


def tokenize(text: str) -> list[str]:
    """The tokens of ``text`` with repetitions: runs of at least three ASCII letters, digits and hyphens, except stop
    words.
    """
    return [token for token in _TOKEN.findall(text.lower()) if token not in STOP_WORDS]


def uncounted(query: str) -> tuple[str, ...]:
    """The distinct words of ``query`` that TF-IDF ignores, such as stop words and words shorter than three letters."""
    words = (word.strip(".,;:!?\"'()[]") for word in query.lower().split())
    return tuple(dict.fromkeys(word for word in words if word and not tokenize(word)))


def term_frequencies(tokens: Iterable[str]) -> dict[str, float]:
    """The share of each term among the tokens; empty if there are no tokens."""
    counts = Counter(tokens)
    total = counts.total()
    return {term: count / total for term, count in counts.items()}


def dot(first: SparseVector, second: SparseVector, lengths: float) -> float:
    """The dot product of two sparse vectors, divided by the product of their ``lengths``; 0 if that is 0."""
    if lengths == 0:
        return 0.0
    fewer, more = (first, second) if len(first) <= len(second) else (second, first)
    return sum(weight * more[term] for term, weight in fewer.items() if term in more) / lengths


def norm(vector: SparseVector) -> float:
    """The length of a vector."""
    return math.sqrt(sum([weight * weight for weight in vector.values()]))


@dataclass(frozen=True)
class DocumentFrequencies:
    """The number of texts that contain each term, and the number of all ``documents``."""

    documents: int
    frequencies: Mapping[str, int]
    _vectors: dict[str, tuple[SparseVector, float]] = field(default_factory=dict, compare=False, repr=False)
    """Cached vectors, keyed by text, because candidates of one query are often candidates of the next."""

    @cached_property
    def idfs(self) -> Mapping[str, float]:
        """The inverse document frequency of each term, ``ln((N + 1) / (df + 1)) + 1``; 0 for an unknown term."""
        return _Idfs(self)

    def measured(self, text: str) -> tuple[SparseVector, float]:
        """The TF-IDF vector of ``text``, and the length of that vector."""
        cached = self._vectors.get(text)
        if cached is None:
            shares, idfs = term_frequencies(tokenize(text)), self.idfs
            vector = {term: weight for term, share in shares.items() if (weight := share * idfs[term])}
            cached = vector, norm(vector)
            if len(self._vectors) >= _MOST_KEPT:
                self._vectors.clear()
            self._vectors[text] = cached
        return cached


class _Idfs(dict[str, float]):
    """The idf values, cached by term."""

    def __init__(self, frequencies: DocumentFrequencies) -> None:
        super().__init__()
        self._known = frequencies

    def __missing__(self, term: str) -> float:
        count = self._known.frequencies.get(term, 0)
        self[term] = math.log((self._known.documents + 1) / (count + 1)) + 1 if count else 0.0
        return self[term]


def count_documents(texts: Iterable[str]) -> Counter[str]:
    """The number of ``texts`` that contain each term."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(tokenize(text)))
    return counts


@dataclass(frozen=True, eq=False)
class StoredVector:
    """A stored vector of 32-bit numbers, with its model and the digest of its text."""

    numbers: NDArray[np.float32]
    model: str
    digest: str = ""
    """The digest of the text behind the vector; empty if unknown."""


def read_vectors(cache: VectorCache, model: str) -> dict[str, StoredVector]:
    """The stored vectors of ``model``, keyed by the ids of their entries."""
    vectors = {}
    for name, numbers in cache.read().items():
        made_of, _, id_ = name.partition(" ")
        vectors[id_] = StoredVector(numbers, model, made_of)
    return vectors


def write_vectors(cache: VectorCache, vectors: Mapping[str, StoredVector], ids: Collection[str], length: int) -> None:
    """Stores the vectors of the entries ``ids`` under their ids and the digests of their texts.

    Only vectors with ``length`` dimensions are stored, because a model may change the number of dimensions. Raises
    OSError.
    """
    kept = {id_: vector for id_, vector in vectors.items() if id_ in ids and len(vector.numbers) == length}
    cache.write({f"{vector.digest} {id_}": vector.numbers for id_, vector in kept.items()})


@dataclass(frozen=True, eq=False)
class VectorIndex:
    """A searchable set of vectors. Cosines are computed with 64-bit numbers, and only between vectors with the same
    number of dimensions.
    """

    vectors: Mapping[str, StoredVector]
    _by_length: dict[int, tuple[list[str], NDArray[np.float64], NDArray[np.float64]]] = field(default_factory=dict)

    def cosines(self, query: Vector) -> dict[str, float]:
        """The cosine between ``query`` and each vector that is not zero and has the same number of dimensions, keyed by
        id, in the order of the vectors.
        """
        vector = np.asarray(query, dtype=np.float64)
        length = float(np.linalg.norm(vector))
        ids, matrix, norms = self._of_length(len(vector))
        if not ids or not np.isfinite(length) or length == 0:
            return {}
        values = matrix @ vector / np.where(norms > 0, norms * length, 1.0)
        return {id_: float(value) for id_, value, norm in zip(ids, values, norms, strict=True) if norm > 0}

    def problem(self, query: Vector) -> str:
        """The reason why ``query`` cannot be compared with any vector; empty if it can, or if there are no vectors."""
        length = float(np.linalg.norm(np.asarray(query, dtype=np.float64)))
        if not np.isfinite(length) or length == 0:
            return "the query's vector is zero or not finite"
        if self.vectors and not self._of_length(len(query))[0]:
            return f"the query's vector has {len(query)} dimensions, and no note's vector has that many"
        return ""

    def _of_length(self, length: int) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """The ids, numbers and norms of the vectors with ``length`` dimensions. Cached."""
        if length not in self._by_length:
            alike = {id_: stored.numbers for id_, stored in self.vectors.items() if len(stored.numbers) == length}
            matrix = np.stack(list(alike.values())).astype(np.float64) if alike else np.zeros((0, length))
            self._by_length[length] = list(alike), matrix, np.linalg.norm(matrix, axis=1)
        return self._by_length[length]


def nearest_of(cosines: Mapping[str, float], limit: int) -> list[tuple[str, float]]:
    """The ``limit`` highest of ``cosines``, highest first. Equal cosines keep their order."""
    return sorted(cosines.items(), key=lambda pair: -pair[1])[: max(0, limit)]


class EmbeddingReport(NamedTuple):
    """The outcome of computing the vectors of entries."""

    embedded: int
    failed: int
    left: int
    """The number of entries that were not tried because the work was cancelled."""
    error: str
    """The first error; empty if there was none."""
    length: int
    """The number of dimensions of the newest vector; 0 if there are no vectors."""


def embed_entries(
    entries: Iterable[VaultEntry],
    kept: dict[str, StoredVector],
    model: str,
    embed: Callable[[Sequence[str]], Sequence[Vector]],
    batch: int,
    re_embed: bool,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int], None],
) -> EmbeddingReport:
    """Computes the missing vectors of ``entries`` with ``model``, batch by batch, and adds them to ``kept``.

    A batch that fails is counted and skipped. With ``re_embed``, an entry whose text has changed gets a new vector.
    Without it, the entry keeps its old vector, as documented.
    """
    todo = [entry for entry in entries if _needs_vector(kept.get(entry.id), entry, model, re_embed)]
    embedded = failed = length = 0
    numbers = sum(len(vector.numbers) for vector in kept.values())
    error = ""
    for start in range(0, len(todo), batch):
        if cancelled():
            break
        part = todo[start : start + batch]
        numbers -= sum(len(kept[entry.id].numbers) for entry in part if entry.id in kept)
        try:
            check_room(numbers + len(part) * length)
            new = _stored(part, embed([entry.embedded for entry in part]), model)
        except LegError as failure:
            failed += len(part)
            error = error or str(failure)
        else:
            kept.update(new)
            embedded += len(part)
            length = len(new[part[-1].id].numbers)
        numbers += sum(len(kept[entry.id].numbers) for entry in part if entry.id in kept)
        progress(embedded + failed, len(todo))
    return EmbeddingReport(embedded, failed, len(todo) - embedded - failed, error, length)


def _needs_vector(stored: StoredVector | None, entry: VaultEntry, model: str, re_embed: bool) -> bool:
    if stored is None or stored.model != model:
        return True
    return re_embed and stored.digest not in ("", digest(entry.embedded))


def _stored(entries: Sequence[VaultEntry], vectors: Sequence[Vector], model: str) -> dict[str, StoredVector]:
    """The ``vectors``, keyed by entry id. Raises LegError for a wrong count, or infinite numbers."""
    if len(vectors) != len(entries):
        raise LegError(f"{model} returned {len(vectors)} vectors for {len(entries)} texts")
    rows = [np.asarray(vector, dtype=np.float32) for vector in vectors]
    if any(row.ndim != 1 or not row.size or not np.isfinite(row).all() for row in rows):
        raise LegError(f"{model} returned a vector whose values are not all numbers")
    if not all(row.any() for row in rows):
        raise LegError(f"{model} {ZERO_VECTOR}")
    return {
        entry.id: StoredVector(row, model, digest(entry.embedded)) for entry, row in zip(entries, rows, strict=True)
    }
