"""One dense vector for each entry, and how they are made (``docs/soleri.md``, "Vectors")."""

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
from brvtui.engines.text_vectors import check_room, digest
from brvtui.services.legs import LegError, Vector, VectorCache

# TF-IDF vectors of texts and their cosine (``docs/soleri.md``, "The semantic signal").


SparseVector = Mapping[str, float]
"""Weights by term."""

_TOKEN = re.compile(r"[a-z0-9-]{3,}")
_MOST_KEPT = 16_384
"""Vectors of texts; each takes about 3 kB."""
_STOPPED = """
    a an the and or but in on at to for of with by from as is was are were been be have has had do does did will would
    could should may might shall can need must it its this that these those i you he she we they me him her us them my
    your his our their what which who whom when where why how all each every both few more most other some such no not
    only same so than too very just because if then else about up out into
"""
COUNTED = "TF-IDF compares runs of three or more of a–z, 0–9 and hyphens that are not stop words"
STOP_WORDS = frozenset(_STOPPED.split())


def tokenize(text: str) -> list[str]:
    """The tokens of ``text``, repeats kept: runs of ASCII letters, digits and hyphens, of three characters or more."""
    return [token for token in _TOKEN.findall(text.lower()) if token not in STOP_WORDS]


def uncounted(query: str) -> tuple[str, ...]:
    """The words of ``query`` that TF-IDF leaves out, each once: stop words, and what is under three letters."""
    words = (found.strip(".,;:!?\"'()[]") for found in query.lower().split())
    return tuple(dict.fromkeys(found for found in words if found and not tokenize(found)))


def term_frequencies(tokens: Iterable[str]) -> dict[str, float]:
    """The share of the tokens that each term is; empty for none."""
    counts = Counter(tokens)
    total = counts.total()
    return {term: count / total for term, count in counts.items()}


def dot(first: SparseVector, second: SparseVector, lengths: float) -> float:
    """The dot product of two sparse vectors by the product of their ``lengths``; 0 when that is 0."""
    if lengths == 0:
        return 0.0
    fewer, more = (first, second) if len(first) <= len(second) else (second, first)
    return sum(weight * more[term] for term, weight in fewer.items() if term in more) / lengths


def norm(vector: SparseVector) -> float:
    """The length of a vector."""
    return math.sqrt(sum([weight * weight for weight in vector.values()]))


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many of ``documents`` texts each term stands."""

    documents: int
    frequencies: Mapping[str, int]
    _vectors: dict[str, tuple[SparseVector, float]] = field(default_factory=dict, compare=False, repr=False)
    """Of texts that were asked for: candidates of one query are candidates of the next."""

    @cached_property
    def idfs(self) -> Mapping[str, float]:
        """``ln((N + 1) / (df + 1)) + 1`` by term; 0 for one that stands in none of the texts."""
        return _Idfs(self)

    def measured(self, text: str) -> tuple[SparseVector, float]:
        """The TF-IDF vector of ``text`` and its length."""
        known = self._vectors.get(text)
        if known is None:
            shares, idfs = term_frequencies(tokenize(text)), self.idfs
            vector = {term: weight for term, share in shares.items() if (weight := share * idfs[term])}
            known = vector, norm(vector)
            if len(self._vectors) >= _MOST_KEPT:
                self._vectors.clear()
            self._vectors[text] = known
        return known


class _Idfs(dict[str, float]):
    """The idf of each term that was asked for."""

    def __init__(self, known: DocumentFrequencies) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, term: str) -> float:
        count = self._known.frequencies.get(term, 0)
        self[term] = math.log((self._known.documents + 1) / (count + 1)) + 1 if count else 0.0
        return self[term]


def count_documents(texts: Iterable[str]) -> Counter[str]:
    """In how many of ``texts`` each term stands."""
    made: Counter[str] = Counter()
    for text in texts:
        made.update(set(tokenize(text)))
    return made


@dataclass(frozen=True, eq=False)
class StoredVector:
    """A vector as it is kept: numbers of 32 bits, and the model that made it."""

    numbers: NDArray[np.float32]
    model: str
    digest: str = ""
    """Of the text that it was made of; empty where that is not known."""


def read_vectors(cache: VectorCache, model: str) -> dict[str, StoredVector]:
    """The vectors that ``model`` made, as they are kept on disk, by the ids of their entries."""
    made = {}
    for name, numbers in cache.read().items():
        made_of, _, id_ = name.partition(" ")
        made[id_] = StoredVector(numbers, model, made_of)
    return made


def write_vectors(cache: VectorCache, vectors: Mapping[str, StoredVector], ids: Collection[str], length: int) -> None:
    """Keeps the vectors of the entries ``ids`` on disk, under their ids and the digests of their texts.

    Only those of ``length`` numbers: where a model changed its own, the others are made again. Raises OSError.
    """
    kept = {id_: vector for id_, vector in vectors.items() if id_ in ids and len(vector.numbers) == length}
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


class EmbeddingReport(NamedTuple):
    """What a run of the pipeline did."""

    embedded: int
    failed: int
    left: int
    """Entries that were not tried, because the run was cancelled."""
    error: str
    """The first failure; empty for none."""
    length: int
    """The length of the newest vector; 0 if there is none."""


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
    """Makes the missing vectors of ``entries`` by ``model``, batch by batch, and puts them into ``kept``.

    A batch that fails is counted and left out, the next is tried. With ``re_embed`` an entry whose text changed since
    its vector was made gets a new one; without, it keeps the old one, as the document says.
    """
    todo = [entry for entry in entries if _lacks(kept.get(entry.id), entry, model, re_embed)]
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
            made = _stored(part, embed([entry.embedded for entry in part]), model)
        except LegError as failure:
            failed += len(part)
            error = error or str(failure)
        else:
            kept.update(made)
            embedded += len(part)
            length = len(made[part[-1].id].numbers)
        numbers += sum(len(kept[entry.id].numbers) for entry in part if entry.id in kept)
        progress(embedded + failed, len(todo))
    return EmbeddingReport(embedded, failed, len(todo) - embedded - failed, error, length)


def _lacks(kept: StoredVector | None, entry: VaultEntry, model: str, re_embed: bool) -> bool:
    if kept is None or kept.model != model:
        return True
    return re_embed and kept.digest not in ("", digest(entry.embedded))


def _stored(entries: Sequence[VaultEntry], vectors: Sequence[Vector], model: str) -> dict[str, StoredVector]:
    """The ``vectors`` by id. Raises LegError when they are not as many as the entries, or hold no numbers."""
    if len(vectors) != len(entries):
        raise LegError(f"{model} gave {len(vectors)} vectors for {len(entries)} texts")
    rows = [np.asarray(vector, dtype=np.float32) for vector in vectors]
    if any(row.ndim != 1 or not row.size or not np.isfinite(row).all() for row in rows):
        raise LegError(f"{model} gave a vector that is not made of numbers")
    return {
        entry.id: StoredVector(row, model, digest(entry.embedded)) for entry, row in zip(entries, rows, strict=True)
    }
