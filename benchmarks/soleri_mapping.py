"""Compares mappings of notes to Soleri's entries, by the amount of context and the source of severity.

    python -m benchmarks.soleri_mapping [PROJECT] [--beir FOLDER ...]

Prints the mean reciprocal rank for each variant. Every note of a project is searched for with three queries: its title,
the last words of its summary, and the first words of its last long paragraph. A BEIR folder (``corpus.jsonl``,
``queries.jsonl``, ``qrels.tsv``) contains its own queries.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import mean

from brvtui.engines.soleri.index import index_notes, map_note
from brvtui.engines.soleri.profile import SoleriProfile, load_profile
from brvtui.engines.soleri.search import VaultRequest, search
from brvtui.engines.soleri.vault import Vault
from brvtui.session import Session
from brvtui.snapshot import Note, Snapshot
from brvtui.tree.reading.files import Role
from tests.engines.soleri.recorded import tier_of

_CHARS = (0, 250, 500, 1_000, 2_000, 4_000)
_SUMMARY = re.compile(r"^summary: (.*)$", re.MULTILINE)
_LONG = 12
"""The minimum number of words in a long paragraph."""
Judged = tuple[str, frozenset[str]]
"""A query and the ids that answer it."""


def main() -> None:
    """Prints a line for each mapping and set of queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", nargs="?", type=Path, default=Path("sample-tree"))
    parser.add_argument("--beir", nargs="*", type=Path, default=[])
    given = parser.parse_args()
    session = Session.open(given.project)
    session.load()
    snapshot, now = session.snapshot, session.clock() / 1000
    kinds = known_items(snapshot)
    for by_maturity in (False, True):
        for chars in _CHARS:
            profile = mapped_with(chars, by_maturity)
            vault = index_notes(snapshot, profile).vault
            found = ", ".join(f"{kind} {reciprocal_rank(vault, queries, profile, now):.3f}" for kind, queries in kinds)
            print(f"severity by maturity {by_maturity!s:5}  context {chars or 'all':>5}  {given.project.name}: {found}")
    for folder in given.beir:
        for chars in _CHARS:
            profile = mapped_with(chars, False)
            value = reciprocal_rank(beir_vault(folder, profile), list(beir_queries(folder)), profile, now)
            print(f"context {chars or 'all':>5}  {folder.parent.name}: {value:.3f}")


def mapped_with(chars: int, by_maturity: bool) -> SoleriProfile:
    """The profile with this mapping."""
    profile = load_profile("")
    return replace(profile, mapping=replace(profile.mapping, compared_chars=chars, severity_by_maturity=by_maturity))


def reciprocal_rank(vault: Vault, queries: Iterable[Judged], profile: SoleriProfile, now: float) -> float:
    """The mean of 1 / rank of the first right answer, or 0 if there is none."""
    made = []
    for text, right in queries:
        ranked = search(vault, VaultRequest(text, profile.limits.search), profile, profile.weights, now).ranked
        ranks = [rank for rank, found in enumerate(ranked, 1) if found.entry.id in right]
        made.append(1 / ranks[0] if ranks else 0.0)
    return mean(made)


def known_items(snapshot: Snapshot) -> list[tuple[str, list[Judged]]]:
    """Queries for the notes of a tree, keyed by kind."""
    kinds: dict[str, list[Judged]] = {"title": [], "end of the summary": [], "last paragraph": []}
    for note in snapshot.notes:
        if note.role is not Role.NOTE:
            continue
        text, right = snapshot.text(note.path), frozenset({note.file.removesuffix(".md")})
        kinds["title"].append((note.title, right))
        if summary := _SUMMARY.search(text):
            kinds["end of the summary"].append((" ".join(summary[1].split()[-6:]), right))
        long = [part for part in text.split("## Facts")[0].split("\n\n") if len(part.split()) > _LONG]
        if long:
            kinds["last paragraph"].append((" ".join(long[-1].split()[:7]), right))
    return [(kind, queries) for kind, queries in kinds.items() if queries]


def beir_vault(folder: Path, profile: SoleriProfile) -> Vault:
    """The documents in a BEIR folder, each as a note."""
    entries = []
    for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        file = f"{document['_id']}.md"
        note = Note(file, file, "", document.get("title") or document["_id"], Role.NOTE, 0, 0, 0, 0, 0)
        entries.append(map_note(note, document["text"], "", profile.mapping).entry)
    return Vault((tier_of("project", 1.0, entries),))


def beir_queries(folder: Path) -> Iterator[Judged]:
    """The judged queries of a BEIR folder."""
    right: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade):
            right.setdefault(query, set()).add(document)
    for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines():
        query = json.loads(line)
        if query["_id"] in right:
            yield query["text"], frozenset(right[query["_id"]])


if __name__ == "__main__":
    main()
