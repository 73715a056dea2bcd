"""Resolves references. Each reference becomes an edge to a symbol or to an unresolved name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from brvtui.corpus.code.modules import ModuleMap
from brvtui.corpus.code.names import UNKNOWN
from brvtui.corpus.code.records import CodeBinding, CodeEdge, CodeFile, CodeNode, CodeReference
from brvtui.corpus.code.rules import CodeRules

SUPERTYPES = ("extends", "implements")
TYPES = frozenset({"type", "interface"})
OUTSIDE = {"reads_env": "env_var", "executes_process": "process"}
"""Maps each relation whose target is not a symbol in a file to the kind of that target."""
INFERRED, RESOLVED, REGISTERED = "ast_inferred", "ast_resolved", "callback_registration"
_MOST_LEVELS = 12
"""The maximum number of levels of supertypes to search."""
_MOST_LOOKUPS = 200
"""The maximum number of modules searched for one name, because imports can be circular."""
_LOOKUPS, _LOOKUPS_PER_ENTRY = 5_000_000, 5
"""The maximum number of module look-ups in a repository: a base, plus a number per reference and import. One look-up
for each of them is usually enough.
"""
_BY_PACKAGE = frozenset({"java", "csharp"})
"""Languages whose files see all names in their own package."""
_CALLABLE = frozenset({"function", "method"})
_PASSING_ON = frozenset({"python", "javascript", "typescript", "rust"})
"""Languages with modules that can re-export imported names."""
_Seen = set[tuple[str, str]]


class LinkedFile(NamedTuple):
    """The edges of one file, and the parts of other files on which they depend."""

    edges: list[CodeEdge]
    bases: frozenset[str]
    """The prefixes of ids that were searched. Each belongs to a file, to a folder that is a package, or to a declared
    package.
    """
    supertypes: dict[str, tuple[str, ...]]
    """The supertypes of each type whose members were searched."""


class Linker:
    """Resolves names in the files of one repository to symbols."""

    def __init__(self, files: Mapping[str, CodeFile], modules: ModuleMap, rules: CodeRules) -> None:
        """Indexes the symbols and supertypes in ``files``, which is keyed by path."""
        self._files, self._modules, self._rules = files, modules, rules
        self.nodes = _nodes(files)
        self._bindings = {path: _by_local(file.bindings) for path, file in files.items()}
        self._bases: set[str] = set()
        self._types: set[str] = set()
        self._supertypes: dict[str, list[str]] = {}
        entries = sum(len(file.references) + len(file.bindings) for file in files.values())
        self._lookups_left = _LOOKUPS + _LOOKUPS_PER_ENTRY * entries
        for file in files.values():
            self._read_supertypes(file)

    @property
    def is_cut(self) -> bool:
        """True if the repository has so many imports that names are no longer looked up in every module."""
        return self._lookups_left <= 0

    def link(self, file: CodeFile) -> LinkedFile:
        """The distinct edges for all references and imports in ``file``, in the file's order."""
        self._bases, self._types = {file.base}, set()
        edges = self._edges(file)
        supertypes = {type_id: self.supertypes(type_id) for type_id in self._types}
        return LinkedFile(edges, frozenset(self._bases | set(map(self._base_of, self._types))), supertypes)

    def _base_of(self, type_id: str) -> str:
        node = self.nodes.get(type_id)
        return self._files[node.path].base if node and node.path in self._files else ""

    def _edges(self, file: CodeFile) -> list[CodeEdge]:
        edges: dict[CodeEdge, None] = {}
        for reference in file.references:
            edge = self._edge(file, reference)
            if edge is not None:
                edges.setdefault(edge)
        for edge in self._imports(file):
            edges.setdefault(edge)
        return list(edges)

    def supertypes(self, type_id: str) -> tuple[str, ...]:
        """The types in the repository that a type extends or implements, in source order."""
        return tuple(self._supertypes.get(type_id, ()))

    def _edge(self, file: CodeFile, reference: CodeReference) -> CodeEdge | None:
        confidence, relation = self._rules.confidence, reference.relation
        source = self._source(file, reference)
        if relation in OUTSIDE:
            return CodeEdge(source, reference.target, relation, confidence[relation], INFERRED)
        if relation == "hands_over":
            return self._handed_over(file, reference, source)
        target, is_resolved = self._target(file, reference.target, reference.source)
        if relation == "decorates":
            return CodeEdge(target, source, relation, confidence[relation], INFERRED)
        if relation == "callback":
            via, _ = self._target(file, reference.via, reference.source)
            return CodeEdge(via, target, "calls", confidence["callback"], REGISTERED)
        if relation == "references":
            return CodeEdge(source, target, relation, confidence["calls"], INFERRED) if target in self.nodes else None
        if is_resolved and relation in ("calls", "extends"):
            return CodeEdge(source, target, relation, confidence["resolved"], RESOLVED)
        return CodeEdge(source, target, relation, confidence[relation], INFERRED)

    def _handed_over(self, file: CodeFile, reference: CodeReference, source: str) -> CodeEdge | None:
        """An edge for a call of the function that is passed as a value; None if the value is not a function."""
        is_member = reference.target.startswith(("self.", "super.")) or file.language == "csharp"
        around = self._type_around(file, reference.source) if is_member else ""
        node = self.nodes.get(self.find(file, around, reference.target))
        if node is None or node.kind not in _CALLABLE:
            return None
        return CodeEdge(source, node.id, "calls", self._rules.confidence["callback"], REGISTERED)

    def _type_around(self, file: CodeFile, source: str) -> str:
        """The symbol ``source`` if it is a type; otherwise, the type that contains it."""
        return source if self._is_type(file, source) else source.rpartition(".")[0]

    def _source(self, file: CodeFile, reference: CodeReference) -> str:
        """The id of the symbol that contains the reference, of the type for an ``impl`` outside the type's file, or of
        the file itself.
        """
        id_ = _joined(file.base, reference.source)
        if reference.source and id_ not in self.nodes and reference.relation in SUPERTYPES:
            return self.find(file, "", reference.source) or id_
        return id_

    def _target(self, file: CodeFile, written: str, source: str) -> tuple[str, bool]:
        """The id that the name ``written`` refers to, and True if it was resolved to a symbol or an import."""
        type_name = self._type_around(file, source)
        found = self.find(file, type_name, written)
        if found:
            return found, True
        head, _, rest = written.partition(".")
        for binding in self._bindings[file.path].get(head, ()):
            if binding.module:
                name = ".".join(part for part in (binding.module, binding.name, rest) if part)
                return f"external://{name.lstrip('./')}", True
        if head == "self" and type_name:
            return _joined(file.base, f"{type_name}.{rest}"), False
        return _joined(file.base, written), False

    def _is_type(self, file: CodeFile, name: str) -> bool:
        node = self.nodes.get(f"{file.base}.{name}")
        return node is not None and node.kind in TYPES

    def find(self, file: CodeFile, type_name: str, written: str) -> str:
        """The id of the symbol that ``written`` refers to inside the type ``type_name`` of ``file``; empty if there is
        none.
        """
        head, _, rest = written.partition(".")
        if head == UNKNOWN:
            return ""
        own = _joined(file.base, type_name) if type_name else ""
        if own and head == "self":
            return self._member(own, rest) if rest else own
        if own and head == "super":
            self._types.add(own)
            return next(filter(None, (self._member(base, rest) for base in self.supertypes(own))), "")
        return self._named(file, own, head, rest)

    def _named(self, file: CodeFile, own: str, head: str, rest: str) -> str:
        local = f"{file.base}.{head}"
        if local in self.nodes:
            return self._inside(local, rest)
        if own and f"{own}.{head}" in self.nodes:
            return self._inside(f"{own}.{head}", rest)
        found = self._imported(file, f"{head}.{rest}" if rest else head, set())
        if not found and own and file.language in _BY_PACKAGE:
            found = self._member(own, head) if not rest else ""
        return found

    def _inside(self, id_: str, rest: str) -> str:
        """The member ``rest`` of the symbol ``id_``, or the symbol itself if ``rest`` is empty."""
        for part in filter(None, rest.split(".")):
            id_ = self._member(id_, part)
            if not id_:
                return ""
        return id_

    def _member(self, type_id: str, name: str) -> str:
        """The member ``name`` of a type or of its nearest supertype; empty if there is none."""
        level, seen = [type_id], {type_id}
        for _ in range(_MOST_LEVELS):
            self._types.update(level)
            for one in level:
                if f"{one}.{name}" in self.nodes:
                    return f"{one}.{name}"
            level = [above for one in level for above in self.supertypes(one) if above not in seen]
            seen.update(level)
            if not level:
                break
        return ""

    def _imported(self, file: CodeFile, name: str, seen: _Seen) -> str:
        """The symbol that ``name`` refers to through the imports of ``file``, including re-exports."""
        if (file.path, name) in seen or len(seen) >= _MOST_LOOKUPS or self.is_cut:
            return ""
        seen.add((file.path, name))
        head, _, rest = name.partition(".")
        bindings = self._bindings[file.path]
        candidates = [*bindings.get(name, ()), *bindings.get(head, ())] if rest else bindings.get(head, ())
        for binding in candidates:
            left = rest if binding.local == head else ""
            found = self._bound(file, binding, left, seen)
            if found:
                return found
        for binding in bindings.get("*", ()):
            if self.is_cut:
                return ""
            found = self._in_module(file, binding.module, name, seen)
            if found:
                return found
        if file.language in _BY_PACKAGE:
            found, package = "", file.package
            while package and not found:
                found = self._in_module(file, package, name, seen)
                package = package.rpartition(".")[0] if file.language == "csharp" else ""
            return found
        if file.language == "rust" and rest:
            module, _, last = name.rpartition(".")
            return self._in_module(file, module, last, seen) or self._in_type_of_module(file, name, seen)
        return ""

    def _bound(self, file: CodeFile, binding: CodeBinding, rest: str, seen: _Seen) -> str:
        inner = f"{binding.module}.{binding.name}" if binding.name else binding.module
        if file.language in ("python", "rust") and binding.name and rest:
            as_module = "" if not binding.module else f"{binding.module.rstrip('.')}.{binding.name}"
            if not binding.module.strip("."):
                as_module = f"{binding.module}{binding.name}"
            found = self._in_module(file, as_module, rest, seen)
            if found:
                return found
        if file.language == "rust" and not binding.name and rest:
            return self._in_module(file, inner, rest, seen)
        name = ".".join(part for part in (binding.name, rest) if part)
        return self._in_module(file, binding.module, name, seen) if name else ""

    def _in_type_of_module(self, file: CodeFile, name: str, seen: _Seen) -> str:
        """The method ``name`` of a type in a module. The name includes the path of the module, as in
        ``store.Store.open``.
        """
        parts = name.split(".")
        if len(parts) < 3:
            return ""
        return self._in_module(file, ".".join(parts[:-2]), ".".join(parts[-2:]), seen)

    def _in_module(self, file: CodeFile, module: str, name: str, seen: _Seen) -> str:
        """The symbol ``name`` in a module, or the symbol that the module imports under this name; empty if there is
        none.
        """
        self._lookups_left -= 1
        head, _, rest = name.partition(".")
        if file.language in _BY_PACKAGE and module:
            self._bases.add(package_of(file.language, module))
            bases = self._modules.declaring(file.language, module, head)
        else:
            bases = self._modules.bases(file, module)
            self._bases.update(bases)
        for base in bases:
            if f"{base}.{head}" in self.nodes:
                found = self._inside(f"{base}.{head}", rest)
                if found:
                    return found
        for base in bases if file.language in _PASSING_ON else ():
            other = self._files.get(base)
            if other is not None and other is not file:
                found = self._imported(other, name, seen)
                if found:
                    return found
        if rest and file.language == "python":  # the next part of the name may be a module of the package
            return self._in_module(file, f"{module}.{head}", rest, seen)
        return ""

    def _read_supertypes(self, file: CodeFile) -> None:
        for reference in file.references:
            if reference.relation in SUPERTYPES:
                of = reference.source.rpartition(".")[0]
                target = self.find(file, of, reference.target)
                source = self._source(file, reference)
                if target and target != source:
                    self._supertypes.setdefault(source, []).append(target)

    def _imports(self, file: CodeFile) -> Iterable[CodeEdge]:
        confidence = self._rules.confidence["imports"]
        for binding in file.bindings:
            if not binding.module:
                continue
            target = self._in_module(file, binding.module, binding.name, set()) if binding.name else ""
            if not target:
                inner = binding.module if not binding.name else f"{binding.module.rstrip('.')}.{binding.name}"
                if binding.name and not binding.module.strip("."):
                    inner = f"{binding.module}{binding.name}"
                bases = self._modules.bases(file, inner) or self._modules.bases(file, binding.module)
                target = bases[0] if bases else f"external://{binding.module.lstrip('./')}"
            if target != file.base:
                yield CodeEdge(file.path, target, "imports", confidence, RESOLVED)


def package_of(language: str, package: str) -> str:
    """The name under which a dependency on all files of ``package`` is recorded."""
    return f"package://{language}/{package}"


def _nodes(files: Mapping[str, CodeFile]) -> dict[str, CodeNode]:
    """The symbols of all files, keyed by id, and the nodes outside files. If two symbols share an id, the first is
    used.
    """
    nodes: dict[str, CodeNode] = {}
    for path in sorted(files):
        file = files[path]
        for symbol in file.symbols:
            id_ = f"{file.base}.{symbol.name}"
            if id_ not in nodes:
                name = symbol.name.rpartition(".")[2] if symbol.kind != "route_handler" else symbol.name
                nodes[id_] = CodeNode(id_, symbol.kind, name, path, symbol.line, symbol.doc, symbol.signature)
        for reference in file.references:
            if reference.relation in OUTSIDE and reference.target not in nodes:
                name = reference.target.partition("://")[2]
                kind = OUTSIDE[reference.relation]
                nodes[reference.target] = CodeNode(reference.target, kind, name, path, 0)
    return nodes


def _by_local(bindings: Iterable[CodeBinding]) -> dict[str, tuple[CodeBinding, ...]]:
    grouped: dict[str, list[CodeBinding]] = {}
    for binding in bindings:
        grouped.setdefault(binding.local, []).append(binding)
    return {local: tuple(of) for local, of in grouped.items()}


def _joined(base: str, name: str) -> str:
    return f"{base}.{name}" if name else base
