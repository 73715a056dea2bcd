"""Resolves imports to files or folders according to the rules of each language."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from brvtui.corpus.code.records import CodeFile

_MOST_FOLDERS = 12
"""The maximum number of parent folders that are tried as the root of a file's modules."""
_SCRIPT_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", "/index.ts", "/index.tsx", "/index.js")


class ModuleMap:
    """Resolves the imports of a repository's files. Results are cached."""

    def __init__(self, files: Mapping[str, CodeFile], go_modules: Iterable[tuple[str, str]]) -> None:
        """Stores ``files``, keyed by path, and ``go_modules``, which are pairs of a module path and its folder."""
        self.files = files
        self._go_modules = sorted(go_modules, key=lambda one: -len(one[0]))
        self._found: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._finders: dict[str, Callable[[str, str], Iterator[str]]] = {
            "python": self._python,
            "go": self._go,
            "javascript": self._script,
            "typescript": self._script,
            "rust": self._rust,
            "java": lambda _, module: iter(self._packages.get(("java", module), ())),
            "csharp": lambda _, module: iter(self._packages.get(("csharp", module), ())),
        }

    def bases(self, file: CodeFile, module: str) -> tuple[str, ...]:
        """The prefixes of the ids of symbols in ``module``, as imported by ``file``; empty if the repository does not
        contain the module.
        """
        if not module:
            return (file.base,)
        folder = file.path.rpartition("/")[0]
        key = (file.language, folder if file.language != "rust" else file.path, module)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = tuple(dict.fromkeys(self._finders[file.language](file.path, module)))
        return found

    def declaring(self, language: str, package: str, name: str) -> Sequence[str]:
        """The files of ``package`` that declare ``name``, sorted by path."""
        return self._declared.get((language, package, name), ())

    @cached_property
    def _declared(self) -> dict[tuple[str, str, str], list[str]]:
        declared: dict[tuple[str, str, str], dict[str, None]] = {}
        for (language, package), paths in self._packages.items():
            for path in paths:
                for symbol in self.files[path].symbols:
                    name = symbol.name.partition(".")[0]
                    declared.setdefault((language, package, name), {})[path] = None
        return {key: list(paths) for key, paths in declared.items()}

    @cached_property
    def go_folders(self) -> frozenset[str]:
        """The folders that are Go packages."""
        return frozenset(file.base for file in self.files.values() if file.language == "go")

    @cached_property
    def _packages(self) -> dict[tuple[str, str], list[str]]:
        """The files of each declared package, by language and name."""
        packages: dict[tuple[str, str], list[str]] = {}
        for file in sorted(self.files.values(), key=lambda file: file.path):
            packages.setdefault((file.language, file.package), []).append(file.path)
        return packages

    def _python(self, path: str, module: str) -> Iterator[str]:
        folder = path.rpartition("/")[0]
        if module.startswith("."):
            inner = module.lstrip(".")
            for _ in range(len(module) - len(inner) - 1):
                folder = folder.rpartition("/")[0]
            yield from self._python_in(folder, inner)
            return
        for root in _folders_above(folder):
            found = tuple(self._python_in(root, module)) or tuple(self._python_in(_joined(root, "src"), module))
            if found:
                yield found[0]
                return

    def _python_in(self, folder: str, module: str) -> Iterator[str]:
        stem = _joined(folder, module.replace(".", "/"))
        for candidate in (f"{stem}.py", _joined(stem, "__init__.py"), f"{stem}.pyi"):
            if candidate in self.files and (module or not candidate.startswith("/.")):
                yield candidate

    def _script(self, path: str, module: str) -> Iterator[str]:
        if not module.startswith("."):
            return
        stem = posixpath.normpath(_joined(path.rpartition("/")[0], module))
        stems = (stem, stem.rpartition(".")[0]) if stem.endswith((".js", ".mjs", ".jsx")) else (stem,)
        for candidate in (f"{one}{ending}" for one in stems for ending in _SCRIPT_ENDINGS):
            if candidate in self.files:
                yield candidate
                return

    def _go(self, path: str, module: str) -> Iterator[str]:
        for name, folder in self._go_modules:
            if module == name or module.startswith(f"{name}/"):
                candidate = _joined(folder, module[len(name) + 1 :])
                if candidate in self.go_folders:
                    yield candidate
                return

    def _rust(self, path: str, module: str) -> Iterator[str]:
        root, inside = _crate(path)
        parts = module.split(".")
        if parts[0] == "crate":
            parts = parts[1:]
        elif parts[0] in ("self", "super"):
            here = inside
            while parts and parts[0] in ("self", "super"):
                here = here[:-1] if parts[0] == "super" else here
                parts = parts[1:]
            parts = here + parts
        else:  # a module next to this one, or another crate of the workspace
            for candidate in self._rust_in(root, inside + parts):
                yield candidate
                return
            crate = next((found for found in self._crates if found[0] == parts[0]), None)
            if crate is None:
                return
            root, parts = crate[1], parts[1:]
        yield from self._rust_in(root, parts)

    def _rust_in(self, root: str, parts: list[str]) -> Iterator[str]:
        """Yields the file of a module."""
        stem = _joined(root, "/".join(parts))
        candidates = (f"{stem}.rs", f"{stem}/mod.rs") if parts else (f"{stem}/lib.rs", f"{stem}/main.rs")
        yield from (candidate for candidate in candidates if candidate in self.files)

    @cached_property
    def _crates(self) -> tuple[tuple[str, str], ...]:
        roots = (path[: -len("/lib.rs")] for path in self.files if path.endswith("src/lib.rs"))
        named = ((posixpath.dirname(root).rpartition("/")[2].replace("-", "_"), root) for root in roots)
        return tuple(sorted(named))


def _crate(path: str) -> tuple[str, list[str]]:
    """The source folder of a Rust file's crate, and the parts of the file's module path."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs")
    parts = folder.split("/") if folder else []
    at = len(parts) - parts[::-1].index("src") if "src" in parts else 0
    root = "/".join(parts[:at]) if at else folder
    inside = parts[at:] if at else []
    return root, inside if stem in ("mod", "lib", "main") else [*inside, stem]


def _folders_above(folder: str) -> Iterator[str]:
    for _ in range(_MOST_FOLDERS):
        yield folder
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder and name else folder or name
