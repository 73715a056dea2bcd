"""The layers: imports point one way, and headless code imports no user interface."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.support.recorded import REPOSITORY

PACKAGE = REPOSITORY / "brvtui"
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = {contract["id"]: contract for contract in SETTINGS["tool"]["importlinter"]["contracts"]}
LAYERS: list[list[str]] = [re.split(r"\s*[|:]\s*", layer) for layer in CONTRACTS["layers"]["layers"]]


def module_of(file: Path) -> str:
    parts = file.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(file: Path) -> set[str]:
    """Every module that the file imports, at any place in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            module = node.module or ""
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


@cache
def files() -> dict[str, set[str]]:
    """The imports of each module of the package."""
    return {module_of(file): imported(file) for file in sorted(PACKAGE.rglob("*.py"))}


def layer_of(module: str) -> tuple[int, str] | None:
    """The number of a module's layer, from the top, and the layer's package; None for a module without a layer."""
    packages = ((place, package) for place, layer in enumerate(LAYERS) for package in layer)
    return next(((place, package) for place, package in packages if f"{module}.".startswith(f"{package}.")), None)


def allowed(module: str, other: str) -> bool:
    """True if ``module`` may import ``other``, which must be in the same or a lower layer."""
    own, its = layer_of(module), layer_of(other)
    return own is None or its is None or own == its or own[0] < its[0]


def test_import_contracts_list_the_packages() -> None:
    assert len(files()) > 50
    assert {"brvtui.session", "brvtui.engines", "brvtui.trace"} <= {package for layer in LAYERS for package in layer}
    assert allowed("brvtui.engines.byterover.route.router", "brvtui.text.postings")
    assert not allowed("brvtui.text.postings", "brvtui.engines.byterover.route.router")
    assert not allowed("brvtui.ranking.bm25", "brvtui.tree.reading.files")


def test_imports_respect_the_layers() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in files().items()
        for other in others
        if not allowed(module, other)
    ]
    assert wrong == []


def test_no_engine_may_import_another() -> None:
    folders = {f"brvtui.engines.{file.parent.name}" for file in PACKAGE.glob("engines/*/engine.py")}
    assert set(CONTRACTS["engines"]["modules"]) == folders


def test_every_package_except_app_and_cli_is_headless() -> None:
    packages = {package for layer in LAYERS for package in layer}
    assert packages - set(CONTRACTS["headless"]["source_modules"]) == {"brvtui.app", "brvtui.cli"}


def test_modules_have_no_import_cycles() -> None:
    """Imports that are only for type checking count, too, so that following imports always terminates. Those in
    ``__init__`` files do not count.
    """
    modules = {
        name: others for name, others in files().items() if not (PACKAGE.parent / name.replace(".", "/")).is_dir()
    }
    TopologicalSorter({name: others & modules.keys() - {name} for name, others in modules.items()}).prepare()


def test_every_module_is_in_a_layer() -> None:
    assert {module for module in files() if layer_of(module) is None} <= {"brvtui", "brvtui.__main__"}


def reached(module: str) -> set[str]:
    """Every module of the package that is loaded by importing ``module``, including itself and ``__init__`` files."""
    seen: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name in seen or name not in files():
            continue
        seen.add(name)
        left += files()[name]
        left += [name.rpartition(".")[0]]
    return seen


@pytest.mark.parametrize("module", CONTRACTS["headless"]["source_modules"])
def test_headless_packages_never_import_textual(module: str) -> None:
    inside = [name for name in files() if f"{name}.".startswith(f"{module}.")]
    assert inside
    everything = set().union(*(files()[other] for name in inside for other in reached(name)))
    forbidden = {name for name in everything if name.split(".")[0] in CONTRACTS["headless"]["forbidden_modules"]}
    assert forbidden == set()


def test_import_linter_passes() -> None:
    pytest.importorskip("importlinter.cli", reason="import-linter is one of the tools for development")
    code = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, cache_dir=None))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(CONTRACTS)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    "module",
    [
        "brvtui.session",
        "brvtui.trace",
        "brvtui.engines.byterover.route.router",
        "brvtui.engines.byterover.reasons.why_not",
    ],
)
def test_headless_imports_load_no_user_interface(module: str) -> None:
    code = f"import sys, {module}; print(sorted(n for n in ('textual', 'markdown_it', 'rich') if n in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_ranking_uses_no_files_and_no_clock() -> None:
    forbidden = {"os", "pathlib", "time", "datetime", "io", "tempfile", "threading", "random"}
    used = {module: files()[module] & forbidden for module in files() if module.startswith("brvtui.ranking")}
    assert used
    assert {module: names for module, names in used.items() if names} == {}


def test_code_never_unpickles_or_evaluates() -> None:
    calls = {"eval", "exec"}
    for module, others in files().items():
        assert not others & {"pickle", "marshal", "shelve"}, module
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in calls, file


KINDS = {"TREE", "SPACE", "CODE"}
SAY_IT = {
    "brvtui.trace.traces": "the field of a trace in JSON",
    "brvtui.engines.registry": "reads that field",
    "brvtui.tree.reading.conflicts": "lines of code in Markdown",
    "brvtui.tree.reading.links": "lines of code in Markdown",
}


def name_in(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return name
        case ast.keyword(arg=str() as name):
            return name
    return ""


def questions_of_kind(source: str) -> list[str]:
    """The places where ``source`` tests a project's kind instead of its capabilities."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if name_in(node) in ("is_space", "is_code"):
            found.append(name_in(node))
        operands = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
        operands += [each for one in operands if isinstance(one, ast.Tuple | ast.List | ast.Set) for each in one.elts]
        names = {name_in(operand) for operand in operands}
        if "kind" in names and names & KINDS:
            found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize(
    "source",
    [
        "if session.is_space: pass",
        "def f(is_code): pass",
        "f(is_code=True)",
        "is_code = True",
        "x = session.kind is CODE",
        "x = kinds.SPACE == snapshot.kind",
        "x = kind in (TREE, SPACE)",
    ],
)
def test_check_detects_tests_of_a_projects_kind(source: str) -> None:
    assert questions_of_kind(source)


def test_check_allows_tests_of_capabilities_and_engines() -> None:
    assert not questions_of_kind("x = session.kind.has_files and engine == SPACE and found.kind == PACKAGE")


def test_callers_check_capabilities_of_a_project_instead_of_its_kind() -> None:
    asking = {
        module_of(file): found
        for file in sorted(PACKAGE.rglob("*.py"))
        if (found := questions_of_kind(file.read_text(encoding="utf-8")))
    }
    assert asking.keys() == SAY_IT.keys(), asking
