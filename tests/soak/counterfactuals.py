"""Counterfactuals over many random trees: makes every listed change on disk, and tests every proof.

``python -m tests.soak.counterfactuals --cases 200`` runs in its own folder and prints what was tried. It stops with a
message if a change does not lead to tier 2, if a smaller one does, or if a change is wrongly called impossible.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from brvtui.engines.byterover import profile as profiles
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.counterfactuals import Lever, LeverStatus
from brvtui.trace.routing import Outcome, Route
from tests.support.counterfactuals import Taken, answered, smaller, taken

CASES_A_TREE = 4


@dataclass
class Tried:
    """The results of a run."""

    cases: int = 0
    listing: int = 0
    """Cases that list a change other than querying by path."""
    impossible: int = 0
    """Cases without such a change, in which every other kind of change is proven impossible."""
    unproven: list[str] = field(default_factory=list)
    """Cases without such a change, in which some kind of change was not found but not proven impossible."""
    made: int = 0
    """Changes that were made on disk."""
    smaller: int = 0
    """Smaller changes, and changes called impossible, that were tested with the router."""
    outcomes: Counter[str] = field(default_factory=Counter)
    levers: Counter[str] = field(default_factory=Counter)


def check(case: Taken, tried: Tried, copy: Path, most: int | None) -> None:
    """Tests all claims about ``case``. For each lever, tests at most ``most`` smaller changes, or all if it is None."""
    tried.cases += 1
    tried.outcomes[case.trace.section(Route).outcome.value] += 1
    others = [way for way in case.takes.ways if way.lever is not Lever.PATH]
    if any(way.is_verified for way in others):
        tried.listing += 1
    elif all(way.standing is LeverStatus.IMPOSSIBLE for way in others):
        tried.impossible += 1
    else:
        tried.unproven.append(f"{case.tree.root.name}: {case.trace.query} ({case.takes.path})")
    assert [way.lever for way in case.takes.ways] == list(Lever)
    for way in case.takes.ways:
        tried.levers[f"{way.lever.value}: {way.standing.value}"] += 1
        what = (case.tree.root.name, case.trace.query, case.takes.path, way)
        if way.change is not None:
            after = answered(case, way.change, copy)
            tried.made += 1
            assert (after.tier, after.section(Route).outcome) == (2, Outcome.DIRECT), (what, after.verdict)
            first = next(hit for hit in after.hits if hit.score >= case.profile.direct.prefetch)
            assert first.file == case.takes.path, what
        for change in islice(smaller(case, way), most) if way.standing is not LeverStatus.OPEN else ():
            tried.smaller += 1
            assert not case.case.try_change(change).answers, (what, change)


def run(
    cases: int, folder: Path, profile: Profile, per_tree: int = CASES_A_TREE, most_smaller: int | None = None
) -> Tried:
    """Tests ``cases`` cases, a few in each tree."""
    tried = Tried()
    seed = 0
    while tried.cases < cases:
        for case in taken(folder / f"tree{seed}", seed, min(per_tree, cases - tried.cases), profile):
            check(case, tried, folder / "copy", most_smaller)
        seed += 1
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--profile", default="brv-3")
    given = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tried = run(given.cases, Path(folder), profiles.load(given.profile))
    print(tried, f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
