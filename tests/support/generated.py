"""Random trees and queries over them, which depend only on the seed."""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.trees import Tree, stored

_TEXT = """
anchor banner cinder dapple ember fathom gimlet harbor inlet jigsaw kettle lantern meadow nectar orchid pebble
quarry ripple saddle thicket umber velvet willow yonder zephyr anchors banners embers harbors token tokens tokenise
straße café naïve 日本 日本語 😀 🎉🎉 x86 utf-8 refresh-token a_b the of and
"""
WORDS = tuple(_TEXT.split())
DOMAINS = ("auth", "billing", "ingest", "_archived", "Caps", "ops")


def generated(root: Path, seed: int, notes: int = 24, source: Tree | None = None) -> Tree:
    """A tree of about ``notes`` notes of every kind, age and maturity."""
    pick = random.Random(seed)
    tree = Tree(root)
    for number in range(notes):
        folder = pick.choice(DOMAINS)
        depth = pick.randrange(3)
        place = "/".join([folder, *(pick.choice(("jwt", "core", "deep")) for _ in range(depth))])
        end = "stub.md" if folder == "_archived" and pick.random() < 0.7 else "md"
        path = f"{place}/{pick.choice(WORDS).replace('/', '')}_{number}.{end}"
        title = " ".join(pick.choices(WORDS, k=pick.randint(1, 3)))
        body = prose(pick)
        tree.file(path, f"# {title}\n\n{body}\n" if pick.random() < 0.8 else body, age(pick))
        if pick.random() < 0.6:
            tree.signals[path] = signals(pick)
        if pick.random() < 0.3:
            tree.summary(place, prose(pick), order=pick.randrange(4), days=age(pick))
        if pick.random() < 0.2:
            tree.file(f"{place}/context.md", f"# {title}\n{prose(pick)}", age(pick))
        if pick.random() < 0.3:
            tree.signals[f"{place}/{pick.choice(('_index.md', 'context.md'))}"] = signals(pick)
    tree.file("root.md", prose(pick), age(pick))
    tree.file("ops/binary.md", b"\0")
    if source:
        tree.source(("lib", source))
    return tree


def age(pick: random.Random) -> float:
    """An age in days: often 0, often recent, sometimes far in the past, sometimes in the future."""
    return pick.choice((0.0, -1.0, pick.random(), pick.uniform(1, 30), pick.uniform(30, 400)))


def signals(pick: random.Random) -> object:
    """Stored signals over their whole ranges."""
    return stored(
        importance=pick.choice((0, 100, pick.uniform(0, 100))),
        recency=pick.choice((0.0, 1.0, pick.random())),
        maturity=pick.choice(("draft", "validated", "core")),
    )


def prose(pick: random.Random) -> str:
    """Some sentences."""
    return ".\n".join(" ".join(pick.choices(WORDS, k=pick.randint(1, 12))) for _ in range(pick.randint(0, 5)))


def query(pick: random.Random) -> str:
    """Words of the trees, some misspelt, cut short or with punctuation, sometimes after a path or a domain."""
    words = []
    for word in pick.choices(WORDS, k=pick.randint(1, 5)):
        change = pick.randrange(8)
        if change == 0:
            word = word[:-1] or word
        elif change == 1:
            word = word + pick.choice("?!x")
        elif change == 2:
            word = word.upper()
        elif change == 3:
            word = word[: len(word) // 2] + "q" + word[len(word) // 2 + 1 :]
        words.append(word)
    before = pick.choice(("", "", "", "", "auth ", "CAPS ", "auth/jwt ", "[lib]:ops "))
    return before + " ".join(words)
