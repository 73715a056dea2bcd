"""Python's symbols, references and imports, and relations derived from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.corpus.code.records import CodeGraph
from tests.corpus.code.making import ends, graph_of, kinds

STORE = '''
"""Keeps things."""
import os
import subprocess
from abc import ABC


class Store(ABC):
    """Holds values by key."""

    size: int = 0
    _hidden = 1

    def __init__(self, path):
        self.path = path
        if path:
            self.values = {}

    def read(self, key):
        """Reads one value."""
        self._check(key)
        return self.values[key]

    def _check(self, key):
        if not key:
            raise MissingKey(key)

    @property
    def count(self):
        return self.size


class MissingKey(KeyError):
    class Detail:
        pass


def open_store(path: str) -> Store:
    home = os.environ.get("STORE_HOME") or os.environ["HOME"] or os.getenv("FALLBACK")
    subprocess.run(["git", "status"])
    os.system(path)

    def fallback():
        return home

    fallback()
    return Store(path)
'''
WEB = """
from . import store
from .store import Store as Base, open_store
from flask import Flask
import threading as th

app = Flask(__name__)


class DiskStore(Base):
    def read(self, key):
        return super().read(key)

    def reset(self):
        self._check("x")
        self.path = None
        self.count


@app.get("/items/<id>")
def item(id):
    return open_store(id).read(id)


def hook():
    pass


def start(store_: Base, other: "Base") -> None:
    app.before_request(hook)
    store.open_store("x")
    DiskStore("y").reset()
    th.Thread(target=start)
"""
TESTS = """
from app.store import Store, open_store
from app import web


def test_all():
    Store("a")
    open_store("b")
    web.item("c")
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> CodeGraph:
    files = {"src/app/__init__.py": "from .store import Store\n", "src/app/store.py": STORE, "src/app/web.py": WEB}
    return graph_of(tmp_path_factory.mktemp("shop"), {**files, "tests/test_app.py": TESTS})


def test_symbols_have_their_kinds(graph: CodeGraph) -> None:
    found = {id_.removeprefix("src/app/"): kind for id_, kind in kinds(graph).items()}
    assert found == {
        "store.py.Store": "type",
        "store.py.Store.size": "field",
        "store.py.Store.path": "field",
        "store.py.Store.values": "field",
        "store.py.Store.__init__": "method",
        "store.py.Store.read": "method",
        "store.py.Store._check": "method",
        "store.py.Store.count": "method",
        "store.py.MissingKey": "type",
        "store.py.MissingKey.Detail": "type",
        "store.py.open_store": "function",
        "store.py.fallback": "function",
        "env://STORE_HOME": "env_var",
        "env://HOME": "env_var",
        "env://FALLBACK": "env_var",
        "process://git": "process",
        "process://dynamic": "process",
        "web.py.DiskStore": "type",
        "web.py.DiskStore.read": "method",
        "web.py.DiskStore.reset": "method",
        "web.py.item": "function",
        "web.py.GET /items/<id>": "route_handler",
        "web.py.hook": "function",
        "web.py.start": "function",
        "tests/test_app.py.test_all": "function",
    }


def test_symbols_have_their_location_and_documentation(graph: CodeGraph) -> None:
    read = next(node for node in graph.nodes if node.id.endswith("store.py.Store.read"))
    assert (read.name, read.path, read.doc) == ("read", "src/app/store.py", "Reads one value.")
    assert STORE.splitlines()[read.line - 1] == "    def read(self, key):"
    assert graph.qualified_name(read.id).endswith("src/app/store.py.Store.read")
    assert graph.qualified_name("env://HOME") == "env://HOME"


def test_calls_resolve_own_and_inherited_methods(graph: CodeGraph) -> None:
    calls = ends(graph, "calls")
    assert ("src/app/store.py.Store.read", "calls", "src/app/store.py.Store._check") in calls
    assert ("src/app/web.py.DiskStore.read", "calls", "src/app/store.py.Store.read") in calls
    assert ("src/app/web.py.DiskStore.reset", "calls", "src/app/store.py.Store._check") in calls
    assert ("src/app/store.py.open_store", "calls", "src/app/store.py.fallback") in calls


def test_calls_resolve_imported_names(graph: CodeGraph) -> None:
    calls = ends(graph, "calls")
    assert ("src/app/web.py.item", "calls", "src/app/store.py.open_store") in calls
    assert ("src/app/web.py.start", "calls", "src/app/store.py.open_store") in calls
    assert ("src/app/web.py.start", "calls", "external://threading.Thread") in calls
    assert ("tests/test_app.py.test_all", "calls", "src/app/web.py.item") in calls


def test_unresolved_name_is_kept_as_written(graph: CodeGraph) -> None:
    dangling = {edge.target for edge in graph.edges if edge.source == "src/app/web.py.item" and edge.type == "calls"}
    assert dangling == {"src/app/store.py.open_store", "src/app/web.py.().read"}


def test_confidence_is_higher_for_resolved_names(graph: CodeGraph) -> None:
    calls = {(edge.source, edge.target): edge for edge in graph.edges if edge.type == "calls"}
    found = calls["src/app/web.py.item", "src/app/store.py.open_store"]
    lost = calls["src/app/web.py.item", "src/app/web.py.().read"]
    assert (found.confidence, found.provenance) == (0.85, "ast_resolved")
    assert (lost.confidence, lost.provenance) == (0.7, "ast_inferred")


def test_other_relations_between_symbols_are_found(graph: CodeGraph) -> None:
    store, web = "src/app/store.py", "src/app/web.py"
    assert ends(graph, "extends", "throws", "handles_route", "reads_env", "executes_process", "accesses_field") == {
        (f"{web}.DiskStore", "extends", f"{store}.Store"),
        (f"{store}.Store._check", "throws", f"{store}.MissingKey"),
        (f"{web}.GET /items/<id>", "handles_route", f"{web}.item"),
        (f"{store}.open_store", "reads_env", "env://STORE_HOME"),
        (f"{store}.open_store", "reads_env", "env://HOME"),
        (f"{store}.open_store", "reads_env", "env://FALLBACK"),
        (f"{store}.open_store", "executes_process", "process://git"),
        (f"{store}.open_store", "executes_process", "process://dynamic"),
        (f"{store}.Store.__init__", "accesses_field", f"{store}.Store.path"),
        (f"{store}.Store.__init__", "accesses_field", f"{store}.Store.values"),
        (f"{store}.Store.read", "accesses_field", f"{store}.Store.values"),
        (f"{store}.Store.count", "accesses_field", f"{store}.Store.size"),
        (f"{web}.DiskStore.reset", "accesses_field", f"{store}.Store.path"),
        (f"{web}.DiskStore.reset", "accesses_field", f"{store}.Store.count"),
    }


def test_decorators_callbacks_and_type_hints_create_edges(graph: CodeGraph) -> None:
    store, web = "src/app/store.py", "src/app/web.py"
    assert (f"{web}.app.get", "decorates", f"{web}.item") in ends(graph)
    assert (f"{web}.app.before_request", "calls", f"{web}.hook") in ends(graph)
    assert ends(graph, "type_hint_of") == {
        (f"{store}.open_store", "type_hint_of", f"{store}.Store"),
        (f"{web}.start", "type_hint_of", f"{store}.Store"),
    }


def test_inherited_methods_and_members_create_edges(graph: CodeGraph) -> None:
    store, web = "src/app/store.py", "src/app/web.py"
    assert {target for _, _, target in ends(graph, "inherits")} == {
        f"{store}.Store.{name}" for name in ("__init__", "read", "_check", "count")
    }
    members = ends(graph, "contains", "member_of")
    assert (f"{web}.DiskStore", "contains", f"{web}.DiskStore.reset") in members
    assert (f"{web}.DiskStore.reset", "member_of", f"{web}.DiskStore") in members
    assert (f"{store}.MissingKey", "contains", f"{store}.MissingKey.Detail") in members


def test_symbols_used_by_one_test_are_linked(graph: CodeGraph) -> None:
    store, web = "src/app/store.py", "src/app/web.py"
    together = ends(graph, "co_tested_with")
    assert (f"{store}.Store", "co_tested_with", f"{store}.open_store") in together
    assert (f"{store}.open_store", "co_tested_with", f"{web}.item") in together


def test_imports_refer_to_symbols_and_modules(graph: CodeGraph) -> None:
    assert ends(graph, "imports") >= {
        ("src/app/web.py", "imports", "src/app/store.py"),
        ("src/app/web.py", "imports", "src/app/store.py.Store"),
        ("src/app/web.py", "imports", "external://flask"),
        ("tests/test_app.py", "imports", "src/app/web.py"),
    }


def test_name_is_followed_through_a_reexporting_package(tmp_path: Path) -> None:
    files = {
        "lib/__init__.py": "from .inner import *\n",
        "lib/inner/__init__.py": "from ._deep import Deep as Deep\n",
        "lib/inner/_deep.py": "class Deep:\n    def go(self): pass\n",
        "use.py": "import lib\ndef f():\n    lib.Deep.go()\n    lib.inner._deep.Deep()\n",
    }
    calls = ends(graph_of(tmp_path, files), "calls")
    assert calls == {
        ("use.py.f", "calls", "lib/inner/_deep.py.Deep.go"),
        ("use.py.f", "calls", "lib/inner/_deep.py.Deep"),
    }


def test_circular_imports_are_resolved(tmp_path: Path) -> None:
    files = {
        f"m{n}.py": "".join(f"from m{k} import *\n" for k in range(30)) + f"def f{n}(): gone()\n" for n in range(30)
    }
    graph = graph_of(tmp_path, files)
    assert ("m3.py.f3", "calls", "m3.py.gone") in ends(graph, "calls")


def test_property_replaces_the_field_of_the_same_name(tmp_path: Path) -> None:
    text = "class A:\n    def __init__(self):\n        self.x = 1\n    @property\n    def x(self):\n        'Doc.'\n"
    graph = graph_of(tmp_path, {"a.py": text})
    assert {(node.id, node.kind, node.doc) for node in graph.nodes if node.name == "x"} == {
        ("a.py.A.x", "method", "Doc.")
    }


def test_route_is_found_among_other_decorators(tmp_path: Path) -> None:
    text = (
        "@app.get('/a')\n@app.route('/b')\n@login_required\ndef show(): pass\n@app.get\n@get('/c')\ndef other(): pass\n"
    )
    found = graph_of(tmp_path, {"web.py": text})
    assert ends(found, "handles_route") == {
        ("web.py.GET /a", "handles_route", "web.py.show"),
        ("web.py.ANY /b", "handles_route", "web.py.show"),
    }
