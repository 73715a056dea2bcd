"""Measures the hybrid pipeline's word leg and every step of the retry ladder, over both searches, on one tree.

    python -m benchmarks.ladder TREE

TREE is a project that contains ``queries.json``, ``now.txt`` and ``signals.json``. Every step is measured for every
query, even if the ladder would not have reached it; steps without text are left out. Times are in milliseconds,
measured in this process.
"""

from __future__ import annotations

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.many_terms import time_of
from benchmarks.timings import peak_mb, percentile, setting
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.search.search import SearchOptions, named_like, search
from brvtui.engines.jeffs_brain import profile as profile_jeffs_brain
from brvtui.engines.jeffs_brain.index import ChunkIndex, index_snapshot
from brvtui.ladder import REFRESHED_STRONGEST, SANITISED, STRONGEST, TRIGRAMS, query_tokens, sanitised, strongest_term
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.text.query_language import parse

RULES = profile_jeffs_brain.load()
_PASSES = 3
_LIMIT = 5

Step = tuple[str, Callable[[], object]]


def steps(query: str, text: Callable[[str], object], fuzzy: Callable[[list[str]], object]) -> Iterator[Step]:
    """The query itself, followed by each step of the ladder that has a text."""
    words = RULES.ladder.stopped, RULES.ladder.word_length
    clean = sanitised(query)
    rewritten = {
        "the query": query,
        STRONGEST: strongest_term(query, *words),
        SANITISED: clean,
        REFRESHED_STRONGEST: strongest_term(clean, *words),
    }
    for name, rewriting in rewritten.items():
        if rewriting:
            yield name, lambda rewriting=rewriting: text(rewriting)
    tokens = query_tokens(query, *words)
    if tokens:
        yield TRIGRAMS, lambda: fuzzy(tokens)


def hybrid(index: ChunkIndex, query: str) -> Iterator[Step]:
    """The steps over the pipeline's own words."""
    limit = RULES.options.candidate_k

    def text(rewriting: str) -> object:
        parsed = parse(rewriting, RULES.query.stopped, RULES.query.word_length)
        return index.bm25(parsed, limit) if parsed.tokens else ()

    return steps(query, text, lambda tokens: index.like_names(tokens, limit))


def byterover(snapshot: Snapshot, profile: Profile, now_ms: float, query: str) -> Iterator[Step]:
    """The steps over ByteRover's search."""
    options = SearchOptions(_LIMIT)
    return steps(
        query,
        lambda rewriting: search(Context(snapshot, profile, now_ms), rewriting, options),
        lambda tokens: named_like(Context(snapshot, profile, now_ms), tokens, _LIMIT),
    )


def measure(queries: list[str], made: Callable[[str], Iterator[Step]], forget: Callable[[], None]) -> None:
    """Prints the percentiles of each step."""
    spent: dict[str, list[float]] = defaultdict(list)
    for _ in range(_PASSES):
        forget()
        for query in queries:
            for name, step in made(query):
                began = time.perf_counter()
                step()
                spent[name].append((time.perf_counter() - began) * 1000)
    for name, times in spent.items():
        shares = "  ".join(f"p{share} {percentile(times, share / 100):7.2f}" for share in (50, 95))
        print(f"  {name:20} {len(times):6} times  {shares}  longest {max(times):7.2f} ms")


def main(tree: Path) -> None:
    now_ms = time_of(tree)
    session = Session.open(tree, now_ms=now_ms, signals_file=tree / "signals.json")
    session.load()
    snapshot, profile = session.snapshot, session.profile
    queries = [item["query"] for item in json.loads((tree / "queries.json").read_text(encoding="utf-8"))]
    began = time.perf_counter()
    index = index_snapshot(snapshot, RULES)
    indexed = time.perf_counter()
    index_snapshot(snapshot, RULES, index)
    followed = time.perf_counter()
    print(f"{setting()}; {len(snapshot.notes)} notes, {len(queries)} queries, {peak_mb():.0f} MB at most")
    print(f"index {indexed - began:.2f} s, again when nothing changed {followed - indexed:.2f} s")
    print("over the pipeline's own words")
    measure(queries, lambda query: hybrid(index, query), lambda: None)
    print("over ByteRover's search")
    measure(queries, lambda query: byterover(snapshot, profile, now_ms, query), snapshot.postings.forget)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
