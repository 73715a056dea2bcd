"""Measures how well knowing finds known notes, and the contributions of its channels and its walk.

    python -m benchmarks.knowing_notes [PROJECT] [--beir FOLDER ...]

Prints the mean reciprocal rank among the first ten notes for each variant. Every note of a project is searched for with
three queries: its title, the last words of its summary, and the first words of its last long paragraph. A BEIR folder
(``corpus.jsonl``, ``queries.jsonl``, ``qrels.tsv``) contains its own queries and notes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from statistics import mean
from typing import Any

from benchmarks.soleri_mapping import Judged, beir_queries, known_items
from brvtui.engines.contract import Context, Query
from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.profile import KnowingProfile, load_profile
from brvtui.session import Session
from brvtui.snapshot import Snapshot

_FIRST = 10
_NEVER = 10**6
"""A number that is larger than any number of candidates."""
Change = Callable[[KnowingProfile], KnowingProfile]


@dataclass(frozen=True, slots=True)
class KnownItems:
    """Notes, the time, and queries with the notes that answer them, all keyed by id."""

    name: str
    snapshot: Snapshot
    now_ms: float
    queries: tuple[Judged, ...]
    identify: Callable[[str], str]
    """The id for a path."""


def tables(**changes: dict[str, Any]) -> Change:
    """The change that replaces values, table by table."""
    return lambda profile: replace(
        profile, **{name: replace(getattr(profile, name), **values) for name, values in changes.items()}
    )


CHOICES: tuple[tuple[str, Change], ...] = (
    ("as it is", lambda profile: profile),
    ("as the program runs", lambda _: load_profile("knowing-code")),
    ("without names", tables(fusion={"tiered": 0.0})),
    ("without full text", tables(fusion={"full_text": 0.0})),
    ("without classes", tables(fusion={"equivalence": 0.0})),
    ("without paths", tables(paths={"terms": 0})),
    ("paths compete", tables(fusion={"path_competes": True})),
    ("without focus", tables(seeds={"focus_above": _NEVER})),
    ("steeper seeds: 1 / (1 + i)", tables(seeds={"rank_step": 1.0})),
    (
        "full text alone, hardly a walk",
        tables(
            fusion={"tiered": 0.0, "equivalence": 0.0},
            paths={"terms": 0},
            seeds={"focus_above": _NEVER, "rank_step": 1.0},
            walk={"restart": 0.9},
        ),
    ),
)


def main() -> None:
    """Prints a line for each variant, with a column for each set of queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", nargs="?", type=Path, default=Path("sample-tree"))
    parser.add_argument("--beir", nargs="*", type=Path, default=[])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = [
            *of_project(given.project),
            *(of_beir(one, Path(folder) / str(at)) for at, one in enumerate(given.beir)),
        ]
        print(" " * 32, *(f"{one.name:>20}" for one in sets))
        engines = [Knowing() for _ in sets]
        for choice, change in CHOICES:
            profile = change(load_profile())
            values = [reciprocal_rank(engine, one, profile) for engine, one in zip(engines, sets, strict=True)]
            print(f"{choice:32}", *(f"{value:>20.3f}" for value in values), flush=True)


def of_project(project: Path) -> Iterable[KnownItems]:
    """One set of queries for each kind."""
    session = Session.open(project)
    session.load()
    for kind, queries in known_items(session.snapshot):
        yield KnownItems(kind, session.snapshot, session.clock(), tuple(queries), lambda path: path.removesuffix(".md"))


def of_beir(folder: Path, root: Path) -> KnownItems:
    """The corpus in ``folder`` as a project in ``root``, with a note for each document."""
    notes = root / ".brv" / "context-tree" / "0" / "0"  # names that occur in no query
    notes.mkdir(parents=True)
    (root / ".brv" / "config.json").write_text("{}", encoding="utf-8")
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        title = json.dumps(row.get("title") or row["_id"])
        (notes / f"{stem(row['_id'])}.md").write_text(f"---\ntitle: {title}\n---\n{row['text']}\n", encoding="utf-8")
    session = Session.open(root)
    session.load()
    queries = tuple((text, frozenset(map(stem, right))) for text, right in beir_queries(folder))
    return KnownItems(folder.parent.name, session.snapshot, session.clock(), queries, lambda path: PurePath(path).stem)


def stem(identity: str) -> str:
    """The file name for a document, without the extension."""
    return identity.replace("/", "_")


def reciprocal_rank(engine: Knowing, asked: KnownItems, profile: KnowingProfile) -> float:
    """The mean of 1 / rank of the first right note, or 0 if no right note is among the first ten."""
    context = Context(asked.snapshot, profile, asked.now_ms)
    made = []
    for text, right in asked.queries:
        found = [asked.identify(hit.file) for hit in engine.answer(context, Query(text)).hits[:_FIRST]]
        made.append(next((1 / rank for rank, one in enumerate(found, start=1) if one in right), 0.0))
    return mean(made)


if __name__ == "__main__":
    main()
