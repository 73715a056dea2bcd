"""Measures Soleri's vectors from a local model: the time to compute them, and their effect on the ranking.

    python -m benchmarks.soleri_vectors MODEL [PROJECT]

MODEL is the name or the folder of a sentence-transformers model (extra ``[vectors]``). Prints the time for the vectors
of all notes, the difference between cosines and a direct comparison, and the mean reciprocal rank of queries for every
note (``benchmarks.soleri_mapping``) with words only, with vectors, and with a failing embedder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.soleri_mapping import Judged, known_items
from benchmarks.timings import percentile, setting
from brvtui.engines.soleri.index import index_notes
from brvtui.engines.soleri.profile import load_profile
from brvtui.engines.soleri.search import Dense, VaultRequest, search
from brvtui.engines.soleri.vault import Vault
from brvtui.engines.soleri.vectors import StoredVector, VectorIndex, embed_entries
from brvtui.providers.services import LocalEmbedder
from brvtui.session import Session

FAILED = Dense(None, "it fails")


def main() -> None:
    """Prints the setting, then a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("project", nargs="?", type=Path, default=Path("sample-tree"))
    given = parser.parse_args()
    session = Session.open(given.project)
    session.load()
    profile, now, embedder = load_profile(""), session.clock() / 1000, LocalEmbedder(given.model)
    embedder.embed(["the model is loaded"])
    vault = index_notes(session.snapshot, profile).vault
    kept: dict[str, StoredVector] = {}
    wall, processor = time.perf_counter(), time.process_time()
    report = embed_entries(
        vault.home_entries,
        kept,
        embedder.name,
        embedder.embed,
        profile.vectors.batch,
        re_embed=False,
        cancelled=lambda: False,
        progress=lambda done, of: None,
    )
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    vault = replace(vault, vectors=VectorIndex(kept))
    print(setting())
    print(f"{report.embedded} entries embedded, {report.failed} failed: {wall:.2f} s, processor {processor:.2f} s")
    print(f"cosines differ from a direct comparison by at most {difference(vault, embedder):.1e}")
    vectors, times = {}, []
    kinds = known_items(session.snapshot)
    for text, _ in (query for _, queries in kinds for query in queries):
        began = time.process_time()
        vectors[text] = Dense(embedder.embed([text])[0])
        times.append((time.process_time() - began) * 1000)
    print(f"a query's vector: processor p50 {percentile(times, 0.5):.0f} ms, p95 {percentile(times, 0.95):.0f} ms")
    ways: dict[str, Callable[[str], Dense | None]] = {
        "words alone": lambda _: None,
        "with vectors": vectors.__getitem__,
        "with an embedder that fails": lambda _: FAILED,
    }
    for way, dense_of in ways.items():
        found = ", ".join(f"{kind} {reciprocal_rank(vault, queries, dense_of, now):.3f}" for kind, queries in kinds)
        print(f"{way}: {found}")


def difference(vault: Vault, embedder: LocalEmbedder) -> float:
    """The largest difference between a cosine from the index and one computed from the model's own numbers."""
    entries, asked = vault.home_entries, np.asarray(embedder.embed(["how are tokens refreshed"])[0])
    own = np.asarray(embedder.embed([entry.embedded for entry in entries]))
    direct = own @ asked / np.linalg.norm(own, axis=1) / np.linalg.norm(asked)
    ours = vault.vectors.cosines(asked.tolist())
    return float(max(abs(ours[entry.id] - value) for entry, value in zip(entries, direct, strict=True)))


def reciprocal_rank(vault: Vault, queries: list[Judged], dense_of: Callable[[str], Dense | None], now: float) -> float:
    """The mean of 1 / rank of the right answer, or 0 if there is none."""
    profile, made = load_profile(""), []
    for text, right in queries:
        dense = dense_of(text)
        weights = profile.weights if dense is None else profile.hybrid_weights
        ranked = search(vault, VaultRequest(text, profile.limits.search), profile, weights, now, dense).ranked
        made.append(next((1 / rank for rank, found in enumerate(ranked, 1) if found.entry.id in right), 0.0))
    return mean(made)


if __name__ == "__main__":
    main()
