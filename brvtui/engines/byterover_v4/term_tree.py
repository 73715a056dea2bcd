"""The order of terms in a radix tree whose nodes keep their children in order of insertion.

MiniSearch visits the terms that answer a word in this order, which decides ties, and last digits of sums.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Node:
    """Children by the first letter of their edge, each with that edge, in order of insertion; "" is the end mark."""

    children: dict[str, tuple[str, _Node | None]] = field(default_factory=dict)


def visiting_order(terms: Iterable[str]) -> list[str]:
    """``terms``, each inserted once in this order, as a walk depth first meets them."""
    root = _Node()
    for term in terms:
        _insert(root, term)
    met: list[str] = []
    pending: list[tuple[str, _Node | None]] = [("", root)]
    while pending:
        prefix, node = pending.pop()
        if node is None:
            met.append(prefix)
        else:
            pending += [(prefix + edge, child) for edge, child in reversed(node.children.values())]
    return met


def _insert(node: _Node, term: str) -> None:
    """Adds ``term``. Splitting an edge moves it to the end of its node."""
    rest = term
    while rest:
        found = node.children.get(rest[0])
        if found is None:
            made = _Node()
            node.children[rest[0]] = (rest, made)
            node = made
            break
        edge, child = found
        assert child is not None  # only the end mark has none, and its key is no letter
        shared = _shared_length(edge, rest)
        if shared < len(edge):
            between = _Node({edge[shared]: (edge[shared:], child)})
            del node.children[rest[0]]
            node.children[rest[0]] = (edge[:shared], between)
            child = between
        node, rest = child, rest[shared:]
    node.children.setdefault("", ("", None))


def _shared_length(one: str, other: str) -> int:
    """How many letters ``one`` and ``other`` begin with alike."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))
