"""Symbols and references in Go, TypeScript, JavaScript, Rust, Java and C#."""

from __future__ import annotations

from pathlib import Path

import pytest

from brvtui.corpus.code.finding import NOT_READ, list_sources
from brvtui.corpus.code.rules import code_rules
from tests.corpus.code.making import ends, graph_of, kinds, write


def test_go_symbols_and_references_are_read(tmp_path: Path) -> None:
    store = """
package store

import (
	"os"
	"os/exec"
	m "example.com/shop/model"
)

// Store keeps items.
type Store struct {
	Base
	path string
}

type Base struct{}

func (b *Base) Close() {}

type Keeper interface {
	Read(key string) m.Item
	Close()
}

func (s *Store) Read(key string) m.Item {
	s.check(key)
	s.path = os.Getenv("HOME")
	return m.New(key)
}

func (s *Store) Close() { exec.Command("git") }
"""
    other = """
package store

func (s *Store) check(key string) { helper() }
func helper() {}
func Open(k Keeper) *Store { http.HandleFunc("/items", helper); return &Store{} }
"""
    model = "package model\n\ntype Item struct{}\n\nfunc New(key string) Item { return Item{} }\n"
    files = {"go.mod": "module example.com/shop\n", "store/store.go": store, "store/other.go": other}
    graph = graph_of(tmp_path, {**files, "model/model.go": model})
    found = kinds(graph)
    assert found["store.Store"] == "type"
    assert found["store.Keeper"] == "interface"
    assert found["store.Store.Read"] == found["store.Store.check"] == found["store.Keeper.Read"] == "method"
    assert found["store.Store.path"] == "field"
    assert found["store.ANY /items"] == "route_handler"
    assert next(node.doc for node in graph.nodes if node.id == "store.Store") == "Store keeps items."
    assert ends(graph) >= {
        ("store.Store", "extends", "store.Base"),
        ("store.Store.Read", "calls", "store.Store.check"),
        ("store.Store.check", "calls", "store.helper"),
        ("store.Store.Read", "calls", "model.New"),
        ("store.Store.Read", "reads_env", "env://HOME"),
        ("store.Store.Close", "executes_process", "process://git"),
        ("store.Store.Read", "accesses_field", "store.Store.path"),
        ("store.Store.Read", "type_hint_of", "model.Item"),
        ("store.Open", "type_hint_of", "store.Keeper"),
        ("store.Open", "references", "store.Store"),
        ("store.ANY /items", "handles_route", "store.helper"),
        ("store/store.go", "imports", "model"),
        ("store.Store", "implements", "store.Keeper"),
        ("store.Store.Read", "overrides", "store.Keeper.Read"),
        ("store.Open", "type_hint_of", "store.Store"),
        ("store.Store", "inherits", "store.Base.Close"),
        ("store.Store", "contains", "store.Store.check"),
    }


def test_typescript_symbols_and_references_are_read(tmp_path: Path) -> None:
    store = """
import { Item as Thing } from './model.js';
import express from 'express';

export interface Keeper extends Closer { read(key: string): Thing; }
interface Closer { close(): void }

/** Keeps items. */
@Injectable()
export default class Store extends Base implements Keeper {
  private size: number = 1;
  constructor(readonly path: string) { super(); }
  read(key: string): Thing { this.check(key); return new Thing(this.path, process.env.HOME); }
  private check = (key: string) => { if (!key) { throw new Missing(key); } };
  @Get('items') list() { return this.size; }
}
class Base {}
class Missing extends Error {}
export const open = async (k: Keeper) => spawn('git');
app.get('/open', open);
"""
    use = "import Store, { open as start } from './store';\nexport function run() { start(new Store('x')); }\n"
    files = {"src/store.ts": store, "src/model.ts": "export class Item {}\n", "src/use.tsx": use}
    graph = graph_of(tmp_path, files)
    found = {id_.removeprefix("src/store.ts."): kind for id_, kind in kinds(graph).items()}
    assert found["Keeper"] == "interface"
    assert found["Store"] == found["Missing"] == "type"
    assert found["Store.read"] == found["Store.check"] == found["Keeper.read"] == "method"
    assert found["Store.size"] == found["Store.path"] == "field"
    assert found["open"] == "function"
    assert found["GET /open"] == found["GET /items"] == "route_handler"
    store_ts = "src/store.ts"
    assert ends(graph) >= {
        (f"{store_ts}.Store", "extends", f"{store_ts}.Base"),
        (f"{store_ts}.Store", "implements", f"{store_ts}.Keeper"),
        (f"{store_ts}.Keeper", "extends", f"{store_ts}.Closer"),
        (f"{store_ts}.Injectable", "decorates", f"{store_ts}.Store"),
        (f"{store_ts}.Get", "decorates", f"{store_ts}.Store.list"),
        (f"{store_ts}.GET /items", "handles_route", f"{store_ts}.Store.list"),
        (f"{store_ts}.GET /open", "handles_route", f"{store_ts}.open"),
        (f"{store_ts}.Store.read", "calls", f"{store_ts}.Store.check"),
        (f"{store_ts}.Store.read", "calls", "src/model.ts.Item"),
        (f"{store_ts}.Store.read", "type_hint_of", "src/model.ts.Item"),
        (f"{store_ts}.Store.read", "accesses_field", f"{store_ts}.Store.path"),
        (f"{store_ts}.Store.read", "reads_env", "env://HOME"),
        (f"{store_ts}.Store.check", "throws", f"{store_ts}.Missing"),
        (f"{store_ts}.Store.read", "overrides", f"{store_ts}.Keeper.read"),
        (f"{store_ts}.open", "type_hint_of", f"{store_ts}.Keeper"),
        (f"{store_ts}.open", "type_hint_of", f"{store_ts}.Store"),
        (f"{store_ts}.open", "executes_process", "process://git"),
        (store_ts, "imports", "external://express"),
        ("src/use.tsx.run", "calls", f"{store_ts}.open"),
        ("src/use.tsx.run", "calls", f"{store_ts}.Store"),
    }


def test_javascript_symbols_and_references_are_read(tmp_path: Path) -> None:
    main = """
const store = require('./store'), { open } = require('./store');
class Disk extends Base { size = 1; #path; go() { return this.size + this.#path; } }
class Base { close() {} }
const Named = class extends Base { end() { this.close(); } };
function run() { store.open(); open(); }
"""
    graph = graph_of(tmp_path, {"main.js": main, "store.js": "function open() {}\nmodule.exports = { open };\n"})
    assert ends(graph) >= {
        ("main.js.Disk", "extends", "main.js.Base"),
        ("main.js.Disk.go", "accesses_field", "main.js.Disk.size"),
        ("main.js.Disk.go", "accesses_field", "main.js.Disk.path"),
        ("main.js.Named.end", "calls", "main.js.Base.close"),
        ("main.js.run", "calls", "store.js.open"),
    }


def test_rust_symbols_and_references_are_read(tmp_path: Path) -> None:
    store = """
use crate::model::{self, Item as Thing, inner::*};
use std::process::Command;

/// Keeps items.
#[derive(Debug)]
pub struct Store<T> { path: String, kept: T }

pub trait Keeper: Closer { fn read(&self, key: &str) -> Thing; }
pub trait Closer {}

impl<T> Keeper for Store<T> {
    fn read(&self, key: &str) -> Thing { self.check(key); self.path.len(); model::make(key); deep(); Thing::new() }
}

impl<T> Store<T> {
    pub fn open() -> Self { std::env::var("HOME"); Command::new("git"); Self::fresh() }
    fn fresh() -> Self { Store { path: 1 } }
    fn check(&self, key: &str) {}
}

#[get("/items")]
async fn items(k: &dyn Keeper) { helpers::help() }

mod helpers { pub fn help() {} }
"""
    model = "pub mod inner;\npub struct Item {}\nimpl Item { pub fn new() -> Self {} }\npub fn make(k: &str) {}\n"
    files = {"src/lib.rs": "mod store;\n", "src/store.rs": store, "src/model/mod.rs": model}
    graph = graph_of(tmp_path, {**files, "src/model/inner.rs": "pub fn deep() {}\n"})
    found, rs = kinds(graph), "src/store.rs"
    assert found[f"{rs}.Store"] == "type"
    assert found[f"{rs}.Keeper"] == "interface"
    assert found[f"{rs}.Store.read"] == found[f"{rs}.Keeper.read"] == "method"
    assert found[f"{rs}.Store.path"] == "field"
    assert found[f"{rs}.GET /items"] == "route_handler"
    assert next(node.doc for node in graph.nodes if node.id == f"{rs}.Store") == "Keeps items."
    assert ends(graph) >= {
        (f"{rs}.Store", "implements", f"{rs}.Keeper"),
        (f"{rs}.Keeper", "extends", f"{rs}.Closer"),
        (f"{rs}.Store.read", "calls", f"{rs}.Store.check"),
        (f"{rs}.Store.read", "calls", "src/model/mod.rs.make"),
        (f"{rs}.Store.read", "calls", "src/model/mod.rs.Item.new"),
        (f"{rs}.Store.read", "calls", "src/model/inner.rs.deep"),
        (f"{rs}.Store.read", "accesses_field", f"{rs}.Store.path"),
        (f"{rs}.Store.read", "type_hint_of", "src/model/mod.rs.Item"),
        (f"{rs}.Store.open", "calls", f"{rs}.Store.fresh"),
        (f"{rs}.Store.open", "reads_env", "env://HOME"),
        (f"{rs}.Store.open", "executes_process", "process://git"),
        (f"{rs}.Store.fresh", "references", f"{rs}.Store"),
        (f"{rs}.Store.read", "overrides", f"{rs}.Keeper.read"),
        (f"{rs}.GET /items", "handles_route", f"{rs}.items"),
        (f"{rs}.items", "type_hint_of", f"{rs}.Keeper"),
        (f"{rs}.items", "type_hint_of", f"{rs}.Store"),
    }


def test_java_symbols_and_references_are_read(tmp_path: Path) -> None:
    store = """
package com.shop.store;

import com.shop.model.Item;
import com.shop.util.*;

/** Keeps items. */
@RestController
public class Store extends Base implements Keeper {
    private int size, count;

    public Store(Item first) { super(first); }

    @GetMapping("/items")
    @Override
    public Item read(String key) throws MissingKey {
        check(key);
        this.size = Helper.parse(System.getenv("HOME"));
        if (key == null) { throw new MissingKey(key); }
        return new Item();
    }

    private void check(String key) { close(); }

    enum Mode { FAST }
}
"""
    base = "package com.shop.store;\n\nclass Base { void close() {} }\nclass MissingKey extends Exception {}\n"
    keeper = "package com.shop.store;\ninterface Keeper extends Closer { Item read(String k); }\ninterface Closer {}\n"
    helper = "package com.shop.util;\nclass Helper { static int parse(String s) { return 1; } }\n"
    files = {
        "src/com/shop/store/Store.java": store,
        "src/com/shop/store/Base.java": base,
        "src/com/shop/store/Keeper.java": keeper,
        "src/com/shop/model/Item.java": "package com.shop.model;\npublic record Item(int id) {}\n",
        "src/com/shop/util/Helper.java": helper,
    }
    graph = graph_of(tmp_path, files)
    found, java = kinds(graph), "src/com/shop/store/Store.java.Store"
    assert found[java] == found[f"{java}.Mode"] == "type"
    assert found["src/com/shop/store/Keeper.java.Keeper"] == "interface"
    assert found[f"{java}.read"] == found[f"{java}.Store"] == "method"
    assert found[f"{java}.size"] == found[f"{java}.count"] == "field"
    assert found["src/com/shop/model/Item.java.Item.id"] == "field"
    assert next(node.doc for node in graph.nodes if node.id == java) == "Keeps items."
    route = "src/com/shop/store/Store.java.GET /items"
    assert ends(graph) >= {
        (java, "extends", "src/com/shop/store/Base.java.Base"),
        (java, "implements", "src/com/shop/store/Keeper.java.Keeper"),
        ("src/com/shop/store/Keeper.java.Keeper", "extends", "src/com/shop/store/Keeper.java.Closer"),
        ("src/com/shop/store/Store.java.RestController", "decorates", java),
        (route, "handles_route", f"{java}.read"),
        (f"{java}.read", "calls", f"{java}.check"),
        (f"{java}.check", "calls", "src/com/shop/store/Base.java.Base.close"),
        (f"{java}.read", "calls", "src/com/shop/util/Helper.java.Helper.parse"),
        (f"{java}.read", "calls", "src/com/shop/model/Item.java.Item"),
        (f"{java}.read", "reads_env", "env://HOME"),
        (f"{java}.read", "throws", "src/com/shop/store/Base.java.MissingKey"),
        (f"{java}.read", "accesses_field", f"{java}.size"),
        (f"{java}.read", "type_hint_of", "src/com/shop/model/Item.java.Item"),
        (f"{java}.read", "overrides", "src/com/shop/store/Keeper.java.Keeper.read"),
    }


CSHARP = {
    "src/Model/Item.cs": """
namespace Shop.Model;
public class Item { public Item(string key) {} }
public interface IKeeper { Item Read(string key); string Name { get; } }
public abstract class Base { public void Close() {} public virtual Item Read(string key) => null; }
""",
    "src/Web/Store.cs": """
using System;
using Shop.Model;
using Kept = Shop.Model.Item;
using static Shop.Maths;
namespace Shop.Web
{
    /// <summary>Keeps items.</summary>
    [Serializable]
    public class Store<T> : Base, IKeeper
    {
        private readonly string _path = Home();
        public string Name { get; set; } = Home();
        public Store(IKeeper keeper) : base() { this._path = "x"; }
        [HttpGet("/items/{id}")]
        public override Item Read(string key)
        {
            Environment.GetEnvironmentVariable("HOME");
            System.Diagnostics.Process.Start("git");
            keys.Select(Convert).ForEach(this.Check);
            new Thread(start: Twice<int>);
            Convert?.Invoke(1);
            Close();
            if (key == null) throw new KeyMissing(key);
            var kept = new Kept(key);
            return base.Read(key) ?? throw new ArgumentException();
        }
        static string Home() => "/";
        void Check(string key) { Home(); }
        int Convert(string Check) { Run(Check); return 1; }
        void Twice<TValue>() {}
        enum Kind { A }
    }
    public record Point(int X, int Y);
    public struct Size { public int Width; }
    class KeyMissing : Exception { public KeyMissing(string key) {} }
}
""",
    "src/obj/Built.cs": "class Built {}",
}


def test_csharp_symbols_and_references_are_read(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, CSHARP)
    found, store, item = kinds(graph), "src/Web/Store.cs", "src/Model/Item.cs"
    assert found[f"{store}.Store"] == found[f"{store}.Point"] == found[f"{store}.Size"] == "type"
    assert found[f"{store}.Store.Kind"] == "type"
    assert found[f"{item}.IKeeper"] == "interface"
    assert found[f"{store}.Store.Read"] == found[f"{store}.Store.Store"] == found[f"{item}.IKeeper.Read"] == "method"
    for field in ("Store._path", "Store.Name", "Point.X", "Size.Width"):
        assert found[f"{store}.{field}"] == "field"
    assert found[f"{store}.GET /items/{{id}}"] == "route_handler"
    assert next(node.doc for node in graph.nodes if node.id == f"{store}.Store") == "Keeps items."
    assert ends(graph) >= {
        (f"{store}.Store", "extends", f"{item}.Base"),
        (f"{store}.Store", "implements", f"{item}.IKeeper"),
        (f"{store}.Serializable", "decorates", f"{store}.Store"),
        (f"{store}.Store.Read", "overrides", f"{item}.IKeeper.Read"),
        (f"{store}.Store", "inherits", f"{item}.Base.Close"),
        (f"{store}.Store.Read", "calls", f"{item}.Base.Close"),
        (f"{store}.Store.Read", "calls", f"{item}.Base.Read"),
        (f"{store}.Store.Read", "calls", f"{item}.Item"),
        (f"{store}.Store.Read", "calls", f"{store}.Store.Convert"),
        (f"{store}.Store.Read", "calls", f"{store}.Store.Check"),
        (f"{store}.Store.Read", "calls", f"{store}.Store.Twice"),
        (f"{store}.Store.Read", "throws", f"{store}.KeyMissing"),
        (f"{store}.Store.Read", "type_hint_of", f"{item}.Item"),
        (f"{store}.Store.Store", "type_hint_of", f"{item}.IKeeper"),
        (f"{store}.Store.Store", "accesses_field", f"{store}.Store._path"),
        (f"{store}.Store.Read", "reads_env", "env://HOME"),
        (f"{store}.Store.Read", "executes_process", "process://git"),
        (f"{store}.Store.Name", "calls", f"{store}.Store.Home"),
        (f"{store}.GET /items/{{id}}", "handles_route", f"{store}.Store.Read"),
        (store, "imports", f"{item}.Item"),
        (f"{store}.Store", "contains", f"{store}.Store.Check"),
    }
    assert (f"{store}.Store.Convert", "calls", f"{store}.Store.Check") not in ends(graph), "it is a parameter there"
    assert [one.path for one in graph.skipped] == ["src/obj/Built.cs"]


CALLBACKS = {
    "python": (
        "a.py",
        """
from threading import Thread
from b import other
def process(x): pass
def size(): pass
class Job:
    def run(self, size):
        list(map(process, [])); sorted([], key=self.rank); Thread(target=other); compose([process, size])
        limit = 1
        print(limit, process(2), self.count)
    def rank(self): pass
    count = 3
def limit(): pass
""",
        {"a.py.process", "a.py.Job.rank", "b.py.other"},
    ),
    "go": (
        "a.go",
        """
package shop
func process(x int) int { return x }
func size() {}
type Job struct { count int }
func (j *Job) step() {}
func (j *Job) run(size int) { Map(items, process); go start(j.step, size, j.count) }
""",
        {"shop.process", "shop.Job.step"},
    ),
    "javascript": (
        "a.js",
        """
import { other } from './b.js'
function process(x) {}
function size() {}
class Job {
  run(size) { items.map(process); setTimeout(this.step, 5); queue.add(other, size); const limit = 1; show(limit) }
  step() {}
}
function limit() {}
""",
        {"a.js.process", "a.js.Job.step", "b.js.other"},
    ),
    "typescript": (
        "a.ts",
        """
function process(x: number) {}
class Job { run(xs: number[]) { xs.map(process); xs.map(this.step) } step() {} }
""",
        {"a.ts.process", "a.ts.Job.step"},
    ),
    "rust": (
        "a.rs",
        """
fn process(x: u8) -> u8 { x }
struct Job {}
impl Job {
    fn run(&self, xs: Vec<u8>) { xs.iter().map(process).map(Self::step).map(|x| process(x)); spawn(Job::step); }
    fn step(x: u8) {}
}
""",
        {"a.rs.process", "a.rs.Job.step"},
    ),
    "java": (
        "Job.java",
        """
class Job {
  void run(String size) { xs.map(Job::parse).forEach(this::step); xs.map(Made::new); show(size); }
  static void parse(String x) {}
  void step(String x) {}
  void size() {}
}
class Made { Made() {} }
""",
        {"Job.java.Job.parse", "Job.java.Job.step"},
    ),
}


@pytest.mark.parametrize("language", CALLBACKS)
def test_functions_passed_as_arguments_count_as_called(tmp_path: Path, language: str) -> None:
    path, source, wanted = CALLBACKS[language]
    others = {"b.py": "def other(): pass\n", "b.js": "export function other() {}\n"}
    graph = graph_of(tmp_path, {path: source, **others})
    given = {edge.target for edge in graph.edges if edge.provenance == "callback_registration"}
    assert given == wanted
    assert {edge.confidence for edge in graph.edges if edge.provenance == "callback_registration"} == {0.8}


@pytest.mark.parametrize(("count", "read"), [(1, 1), (3, 60), (25, 4000)])
def test_unsupported_language_with_many_files_is_named(tmp_path: Path, count: int, read: int) -> None:
    ruby = {f"lib/r{number}.rb": "def x; end\n" for number in range(count)}
    listing = list_sources(write(tmp_path, {**ruby, **{f"p{number}.py": "" for number in range(read)}}), code_rules())
    files = "1 Ruby file in all is" if count == 1 else f"{count} Ruby files in all are"
    assert [one.line for one in listing.skipped] == [f"lib/r0.rb: {files} {NOT_READ}"]


def test_unsupported_language_with_few_files_is_not_named(tmp_path: Path) -> None:
    files = {f"p{number}.py": "" for number in range(60)}
    listing = list_sources(write(tmp_path, {"a.rb": "", "b.rb": "", "note.txt": "", **files}), code_rules())
    assert listing.skipped == ()
