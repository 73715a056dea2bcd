"""Fleets of random trees, which depend only on the seed, and a tree with all their notes."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from brvtui.fleet.answering import Asker
from brvtui.fleet.asking import MemberQuestion, MemberReply, ask
from brvtui.fleet.fleet_file import Member
from brvtui.fleet.pool import Stopped, never_stopped
from tests.support.generated import WORDS, age, prose
from tests.support.trees import NOW_MS, Tree

SHARED = "auth"
"""A domain that every member has."""


class HereAsks:
    """Queries members in this process, one after the other."""

    def ask(
        self, questions: Sequence[MemberQuestion], timeout_s: float, stopped: Stopped = never_stopped
    ) -> Iterator[MemberReply]:
        """One reply for each question."""
        return (ask(one) for one in takewhile(lambda _: not stopped(), questions))

    def close(self) -> None:
        """Does nothing, because no process was started."""


@dataclass(frozen=True)
class MadeFleet:
    """The members, and a project with the notes of all."""

    members: tuple[Member, ...]
    merged: Tree

    @property
    def here(self) -> Asker:
        """Queries them in this process, at the frozen time."""
        return Asker(HereAsks(), NOW_MS)


def made_fleet(folder: Path, members: int, notes: int, seed: int = 1, with_merged: bool = True) -> MadeFleet:
    """Members, each with its own domains and a shared one. Each note is at a path that no other member has."""
    merged = Tree(folder / "merged")
    result = []
    for number in range(members):
        pick = random.Random(f"{seed} {number}")
        tree = Tree(folder / f"m{number:04d}")
        for count in range(notes):
            domain = pick.choice((SHARED, f"{pick.choice(('billing', 'ingest', 'ops'))}{number}"))
            path = f"{domain}/{pick.choice(('jwt', 'core', 'deep'))}{number}/{pick.choice(WORDS)}_{number}_{count}.md"
            title = " ".join(pick.choices(WORDS, k=pick.randint(1, 3)))
            tree.file(path, f"# {title}\n\n{prose(pick)}\n", _days(pick))
            if pick.random() < 0.1:
                level = pick.choice(("draft", "validated", "core"))
                stored = {"importance": pick.randint(0, 100), "recency": pick.random(), "maturity": level}
                tree.sidecar_file(path, stored)
                if with_merged:
                    merged.sidecar_file(path, stored)
            own = path.rpartition("/")[0] if pick.random() < 0.5 else domain
            if own != SHARED and pick.random() < 0.3:
                tree.summary(own, prose(pick), order=pick.randrange(4), days=age(pick))
        result.append(Member(f"m{number:04d}", str(tree.root)))
        if with_merged:
            shutil.copytree(tree.tree, merged.tree, dirs_exist_ok=True)
    return MadeFleet(tuple(result), merged)


def _days(pick: random.Random) -> float:
    """An age in days, often equal to another note's, and usually so high that some searches end out of domain."""
    return age(pick) if pick.random() < 0.2 else pick.choice((90.0, 200.0, 400.0))


def queries(count: int, seed: int = 1) -> list[str]:
    """Random queries: one or more words, misspelt words, words after a member's domain or path, and questions."""
    pick = random.Random(seed)
    result = []
    for _ in range(count):
        words = pick.choices(WORDS, k=pick.randint(1, 5))
        kind = pick.random()
        if kind < 0.2:
            words[0] = words[0][: pick.randint(1, len(words[0]))]
        elif kind < 0.3:
            words[0] = words[0][1:] + "x"
        elif kind < 0.4:
            words.insert(0, pick.choice((SHARED, "billing1", "ops2/core2", "auth jwt3", "Ingest0")))
        elif kind < 0.5:
            words.append(pick.choice(("zzzunknown", "rotated?", "ember?")))
        elif kind < 0.55:
            words = ["zzzunknown"]
        result.append(" ".join(words))
    return result
