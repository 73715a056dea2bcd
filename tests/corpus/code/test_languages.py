"""Go, TypeScript, JavaScript, Rust and Java are read as Python is."""

from __future__ import annotations

from pathlib import Path

from tests.corpus.code.making import ends, graph_of, kinds


def test_go(tmp_path: Path) -> None:
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


def test_typescript(tmp_path: Path) -> None:
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


def test_javascript(tmp_path: Path) -> None:
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


def test_rust(tmp_path: Path) -> None:
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


def test_java(tmp_path: Path) -> None:
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
