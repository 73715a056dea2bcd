"""Generates many trees, one memory each, which are always the same for the same numbers."""

from __future__ import annotations

import os
import random
from itertools import accumulate
from pathlib import Path

from brvtui.fleet.fleet_file import Member

NOW_MS = 1_795_176_000_000
"""2026-11-20T12:00:00Z: the time of the queries."""
_DAY_S = 86_400
_VOWELS, _CONSONANTS = "aeiou", "bcdfglmnprst"
_RARE_CONSONANTS = "hjkqvwxz"
_GROUP = 40
"""The number of members that share their rare words."""
_DOMAINS = ("api", "auth", "billing", "deploy", "ingest", "mobile", "ops", "search")


def vocabulary(words: int = 20_000) -> list[str]:
    """Made-up words of six letters, the most frequent first."""
    pick = random.Random(3)
    return ["".join(pick.choice(letters) for letters in (_CONSONANTS, _VOWELS) * 3) for _ in range(words)]


def rare_words(member: int) -> list[str]:
    """Words that only this member and the others of its group contain, once in each hundred notes."""
    pick = random.Random(f"group {member // _GROUP}")
    return ["".join(pick.choice(letters) for letters in (_RARE_CONSONANTS, _VOWELS) * 4) for _ in range(100)]


def make_fleet(root: Path, members: int, notes: int, words: int = 120) -> list[Member]:
    """Creates ``members`` projects with ``notes`` notes of ``words`` words; existing ones are left unchanged."""
    known = vocabulary()
    weights = list(accumulate(1 / rank for rank in range(1, len(known) + 1)))
    return [_member(root / f"m{number:04d}", number, notes, words, known, weights) for number in range(members)]


def _member(root: Path, number: int, notes: int, words: int, known: list[str], weights: list[float]) -> Member:
    member = Member(root.name, str(root))
    if root.exists():
        return member
    pick = random.Random(f"member {number}")
    part = root.with_name(f"{root.name}.part")
    tree = part / ".brv" / "context-tree"
    tree.mkdir(parents=True)
    (part / ".brv" / "config.json").write_text("{}")
    rare = rare_words(number)
    for note in range(notes):
        place = tree / f"{pick.choice(_DOMAINS)}" / f"topic{note % 12}" / f"note_{number}_{note}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        title = " ".join(pick.choices(known, cum_weights=weights, k=3)).capitalize()
        text = " ".join(pick.choices(known, cum_weights=weights, k=words))
        place.write_text(f"# {title}\n\n{text} {rare[note % len(rare)]}\n")
        moment = NOW_MS / 1000 - pick.uniform(0, 300) * _DAY_S
        os.utime(place, (moment, moment))
    part.rename(root)
    return member


def some_queries(count: int) -> list[str]:
    """Queries of two to five words, frequent and rare ones."""
    pick, known = random.Random(7), vocabulary()
    return [
        " ".join(known[int(len(known) * pick.random() ** 3)] for _ in range(pick.randint(2, 5))) for _ in range(count)
    ]


def rare_queries(count: int, members: int) -> list[str]:
    """Queries of two words that occur in at most one group of members."""
    pick = random.Random(11)
    return [" ".join(pick.sample(rare_words(pick.randrange(members)), 2)) for _ in range(count)]


def common_queries(count: int) -> list[str]:
    """Queries of three of the most common words."""
    pick, known = random.Random(13), vocabulary()[:30]
    return [" ".join(pick.sample(known, 3)) for _ in range(count)]
