"""Generates a tree with many notes and many distinct terms, always the same for one seed.

    python -m benchmarks.many_terms OUT [--notes 10000] [--terms 200000] [--seed 1]

Words are made of syllables. Each note gets random common words (by Zipf's law) and its share of the rare ones, so that
every term occurs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

_ONSETS = [
    "b", "br", "c", "cr", "d", "dr", "f", "fl", "g", "gl", "h", "j", "k",
    "l", "m", "n", "p", "pl", "r", "s", "st", "t", "tr", "v", "w", "z",
]  # fmt: skip
_VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "ou"]
_CODAS = ["", "l", "m", "n", "r", "s", "t", "x"]
_COMMON = 2_000
_WORDS_A_NOTE = 120


def make(out: Path, notes: int, terms: int, seed: int) -> None:
    """Writes the project ``out`` with ``queries.json``, ``signals.json`` and ``now.txt``."""
    rng = random.Random(seed)
    syllables = ["".join(parts) for parts in product(_ONSETS, _VOWELS, _CODAS)]
    words: dict[str, None] = {}
    while len(words) < terms:
        words["".join(rng.choice(syllables) for _ in range(rng.choice((2, 2, 3))))] = None
    vocabulary = list(words)
    common, rare = vocabulary[:_COMMON], vocabulary[_COMMON:]
    weights = [1 / (place + 1) for place in range(len(common))]
    share = -(-len(rare) // notes)
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    tree = out / ".brv" / "context-tree"
    queries = []
    for number in range(notes):
        own = rare[number * share : (number + 1) * share] or rng.sample(rare, min(3, len(rare)))
        text = [*rng.choices(common, weights, k=_WORDS_A_NOTE), *own]
        rng.shuffle(text)
        title = " ".join(rng.sample(text, 3))
        file = tree / f"domain{number % 40:02}" / f"topic{number % 400:03}" / f"{own[0]}_{number}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(text[at : at + 12]) for at in range(0, len(text), 12)]
        file.write_text(f"# {title}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        stamp = (now - timedelta(days=rng.uniform(0, 90))).timestamp()
        os.utime(file, (stamp, stamp))
        if number % (notes // 200 or 1) == 0:
            queries.append(" ".join([rng.choice(own), *rng.choices(common, weights, k=2)]))
    (out / ".brv" / "config.json").write_text('{"version": "0.0.1"}', encoding="utf-8")
    (out / "signals.json").write_text("{}", encoding="utf-8")
    (out / "now.txt").write_text(now.isoformat(), encoding="utf-8")
    listed = [{"id": place, "query": query} for place, query in enumerate(queries)]
    (out / "queries.json").write_text(json.dumps(listed), encoding="utf-8")


def time_of(tree: Path) -> float:
    """The time for which a generated tree was made, in ms."""
    return datetime.fromisoformat((tree / "now.txt").read_text().replace("Z", "+00:00")).timestamp() * 1000


def main() -> None:
    """Reads the arguments and makes the tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--terms", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    make(args.out, args.notes, args.terms, args.seed)


if __name__ == "__main__":
    main()
