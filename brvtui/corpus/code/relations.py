"""Relations derived from all symbols and edges: members, inherited methods, overrides and co-tested symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice

from brvtui.corpus.code.linking import TYPES
from brvtui.corpus.code.records import CodeEdge, CodeNode
from brvtui.corpus.code.rules import CodeRules

STRUCTURAL, PROPAGATED, CO_TESTED = "structural", "interface_propagation", "co_test_inference"
METHOD_NAMES = "method_names"
"""The provenance of ``implements`` edges that are inferred because a type has every method of an interface."""
_FEWEST_METHODS = 2
"""The minimum number of methods in an interface that is matched by method names."""
_USES = frozenset({"calls", "imports", "references"})
_TEST_PARTS = ("_test.go", "/tests/", "/test/", "_test.py", "_test.ts", "_test.rs", ".test.ts", ".test.js", ".spec.ts",
               ".spec.js", "test_")  # fmt: skip
_TEST_ENDINGS = ("tests.py", "test.java", "tests.java")


def is_test_file(path: str) -> bool:
    """True if ``path`` looks like the path of a test file."""
    lower = f"/{path.lower()}"
    return any(part in lower for part in _TEST_PARTS) or lower.endswith(_TEST_ENDINGS)


class Members:
    """The members of each type."""

    def __init__(self, nodes: Mapping[str, CodeNode]) -> None:
        """Collects the members from ``nodes``, which is keyed by id."""
        self.methods: dict[str, dict[str, str]] = {}
        """The ids of the methods of each type, by name."""
        self.pairs: list[tuple[str, str]] = []
        """Pairs of a type and one of its members."""
        for id_, node in nodes.items():
            if node.kind == "route_handler" or not node.path:
                continue
            above = nodes.get(id_.rpartition(".")[0])
            if above is not None and above.kind in TYPES:
                self.pairs.append((above.id, id_))
                if node.kind == "method":
                    self.methods.setdefault(above.id, {})[node.name] = id_


def membership(members: Members, rules: CodeRules) -> Iterator[CodeEdge]:
    """Yields ``contains`` and ``member_of`` edges between each type and its members."""
    sure = rules.confidence["contains"]
    for type_id, member in members.pairs:
        yield CodeEdge(type_id, member, "contains", sure, STRUCTURAL)
        yield CodeEdge(member, type_id, "member_of", sure, STRUCTURAL)


def go_candidates(members: Members, nodes: Mapping[str, CodeNode]) -> Iterator[tuple[str, str]]:
    """Yields each pair of a Go type and an interface whose rarest method the type has."""
    by_method: dict[str, list[str]] = {}
    interfaces: list[str] = []
    for type_id in sorted(members.methods):
        if not nodes[type_id].path.endswith(".go"):
            continue
        if nodes[type_id].kind == "interface":
            interfaces.append(type_id)
        else:
            for name in members.methods[type_id]:
                by_method.setdefault(name, []).append(type_id)
    for interface in interfaces:
        names = list(members.methods[interface])
        if len(names) < _FEWEST_METHODS:
            continue
        rarest = min(names, key=lambda name: len(by_method.get(name, ())))
        yield from ((type_id, interface) for type_id in by_method.get(rarest, ()))


def go_implementations(candidates: Iterable[tuple[str, str]], members: Members, rules: CodeRules) -> Iterator[CodeEdge]:
    """Yields an ``implements`` edge from each Go type to each interface if the type has all of its method names."""
    for type_id, interface in candidates:
        if members.methods[interface].keys() <= members.methods[type_id].keys():
            yield CodeEdge(type_id, interface, "implements", rules.confidence["implements"], METHOD_NAMES)


def inherited(edges: Iterable[CodeEdge], members: Members, rules: CodeRules) -> Iterator[CodeEdge]:
    """Yields an ``inherits`` edge from each type to each method of a type that it extends."""
    for edge in edges:
        if edge.type == "extends":
            for method in members.methods.get(edge.target, {}).values():
                yield CodeEdge(edge.source, method, "inherits", rules.confidence["inherits"], "ast_resolved")


def overriding(edges: Iterable[CodeEdge], members: Members, rules: CodeRules) -> Iterator[CodeEdge]:
    """Yields an ``overrides`` edge from each method to the method of the same name in an implemented interface."""
    places: dict[str, dict[str, int]] = {}
    for edge in edges:
        if edge.type == "implements":
            own, declared = members.methods.get(edge.source, {}), members.methods.get(edge.target, {})
            if edge.target not in places:
                places[edge.target] = {name: place for place, name in enumerate(declared)}
            for name in sorted(own.keys() & declared.keys(), key=places[edge.target].__getitem__):
                yield CodeEdge(own[name], declared[name], "overrides", rules.confidence["overrides"], PROPAGATED)


def hints_of_implementers(edges: Iterable[CodeEdge], rules: CodeRules) -> Iterator[CodeEdge]:
    """Yields a ``type_hint_of`` edge from each function with an interface in its signature to every type that
    implements it.
    """
    implementers: dict[str, list[str]] = {}
    hints: list[CodeEdge] = []
    for edge in edges:
        if edge.type == "implements":
            implementers.setdefault(edge.target, []).append(edge.source)
        elif edge.type == "type_hint_of":
            hints.append(edge)
    sure = rules.confidence["hint_of_implementor"]
    for hint in hints:
        for type_id in implementers.get(hint.target, ()):
            yield CodeEdge(hint.source, type_id, "type_hint_of", sure, "interface_type_hint_propagation")


def tested_together(
    path: str, edges: Iterable[CodeEdge], nodes: Mapping[str, CodeNode], rules: CodeRules
) -> Iterator[CodeEdge]:
    """Yields ``co_tested_with`` edges between the symbols that the test file ``path`` uses, according to ``edges``."""
    if not is_test_file(path):
        return
    limits = rules.co_tested
    targets = dict.fromkeys(
        edge.target
        for edge in edges
        if edge.type in _USES and (node := nodes.get(edge.target)) is not None and not is_test_file(node.path)
    )
    pairs = combinations(islice(targets, limits.targets_per_file), 2)
    for one, other in islice(pairs, limits.pairs_per_file):
        yield CodeEdge(
            min(one, other), max(one, other), "co_tested_with", rules.confidence["co_tested_with"], CO_TESTED
        )
