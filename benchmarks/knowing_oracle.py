#!/usr/bin/env python3
"""Compares the rules of knowing with the real program, on random cases of every family of recorded answers.

    BRV_TUI_KNOWING_ORACLE=… python -m benchmarks.knowing_oracle [FAMILY …] [--cases N] [--seed N] [--save]

The oracle is a program that you write around blackwell-systems/knowing (in Go, not part of this repository). It reads
lines of JSON ``{"family": …, "input": …}`` and writes a line with the answer to each, both in the format of the files
in tests/data/knowing. An answer with the key ``unstable``, ``nan`` or ``unencodable`` varies from run to run or is not
a number, so it is counted but not compared. Without the variable, nothing is done. ``--save`` writes a few of the cases
to tests/data/knowing/sampled.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.engines.knowing import test_recorded
from tests.engines.knowing.graph_cases import DATA, Case

ORACLE = "BRV_TUI_KNOWING_ORACLE"
_SAVED = 12
_SOUND_SCORE = 100
_UNCOMPARED = ("unstable", "nan", "unencodable")
_SYLLABLES = [
    "get",
    "set",
    "user",
    "Name",
    "HTTP",
    "JSON",
    "parse",
    "cache",
    "Store",
    "token",
    "ID",
    "url",
    "v2",
    "DB",
    "io",
    "auth",
    "req",
    "ctx",
    "Über",
    "É",
    "ß",
    "x",
    "A",
    "test",
    "mock",
]
_WORDS = [
    "add",
    "fix",
    "implement",
    "the",
    "a",
    "new",
    "all",
    "which",
    "that",
    "server",
    "client",
    "cache",
    "consumer",
    "stream",
    "parse",
    "token",
    "session",
    "store",
    "request",
    "before_request",
    "HTMLParser",
    "SQLiteStore",
    "utf8Decoder",
    "README.md",
    "e.g.",
    "3.9",
    "10.15.4",
    "`get_user`",
    "`App.run`",
    "save()",
    ".delete()",
    "Model.save",
    "django.utils.html.escape",
    "foo.bar",
    "__init__",
    "_private",
    "Foo_Bar",
    "cfg",
    "ctx",
    "db",
    "res",
    "stats",
    "migration",
    "operation",
    "migrations/operations",
    "don't",
    "content-type",
    "x",
    "y",
    "OK",
    "id",
    "http2",
    "MixedCASE",
    "ÜberGroß",
    "naïve",
    "İstanbul",
    "ΣΑΣ",
    "日本語",
    "test",
    "latest",
    "spec",
    "assert",
    "mock",
    "update",
    "delete",
    "HTTP",
    "API's",
    "(group)",
    "[list]",
    "{dict}",
    "#tag",
    "a/b",
    "C:\\path\\file",
    "a=b",
    "<tag>",
    "2024",
    "٣٤٥٦",
    "end.",
    "find",
    "blast",
    "radius",
    "impact",
    "analysis",
    "routing",
    "middleware",
    "command",
    "palette",
    "error",
    "handling",
    "e.g",
    "i.e",
    "Mr.X",
    "..",
    "`",
    "``",
    '"',
    "'",
    ":",
    ";",
    "-",
]
_PATHS = [
    "src/web/app.py",
    "src/cache/store.go",
    "lib/Ui/MainView.tsx",
    "tests/test_app.py",
    "a.rs",
    "pkg/vendor/x.js",
    "",
]
_PATHS += [
    "internal\\win\\File.cs",
    "dist/bundle.min.js",
    "Db/Migrations/X.py",
    "app/session_store.py",
    "node.d/a.b.c",
    "./x",
]
_OWNERS = ["App", "Scaffold", "FakeStore", "mockClient", "Blueprint", "HTMLParser", "SQLiteStore", "lower", "Ünit", ""]
_MEMBERS = [
    "run",
    "before_request",
    "ID",
    "x",
    "nR",
    "handle_error",
    "GetUser",
    "open_session",
    "__init__",
    "evict",
    "É",
]
_KINDS = ["function", "method", "type", "class", "interface", "struct", "trait", "const", "external"]
_EDGE_TYPES = [
    "calls",
    "imports",
    "implements",
    "extends",
    "contains",
    "member_of",
    "references",
    "similar_to",
    "tests",
    "unknown",
    "authored_by",
]
_REPOSITORY = "github.com/demo/kit"


_MARKS = {"tie_sensitive": True, "contains_invalid_utf8": True}
"""Differences in keywords that are due to chance: the order of words of equal length, and capitals cut at a byte."""


class Oracle:
    """The real program, as a process that answers line by line."""

    def __init__(self, path: str) -> None:
        self._process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, family: str, given: dict[str, Any]) -> Any:
        """The program's answer to a case."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"family": family, "input": given}), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())


class Cases:
    """Random inputs for each family."""

    def __init__(self, seed: int) -> None:
        self._pick = random.Random(seed)

    def families(self) -> dict[str, Callable[[], dict[str, Any]]]:
        """The generators of inputs, by the family's name."""
        return {name.removeprefix("of_"): getattr(self, name) for name in dir(self) if name.startswith("of_")}

    def word(self) -> str:
        pick = self._pick
        if pick.random() < 0.6:
            return pick.choice(_WORDS)
        joint = pick.choice(["", "", "_", ".", "-"])
        return joint.join(pick.choice(_SYLLABLES) for _ in range(pick.randint(1, 4))) + pick.choice(
            ["", "", "s", "()", ","]
        )

    def text(self, most: int = 9) -> str:
        pick = self._pick
        joints = pick.choices([" ", "  ", "\t", "\n", "\u3000", "\xa0"], [20, 1, 1, 1, 1, 1], k=most)
        return "".join(f"{self.word()}{joint}" for joint in joints[: pick.randint(0, most)])

    def words(self, most: int = 6) -> list[str]:
        return [self.word() for _ in range(self._pick.randint(0, most))]

    def name(self) -> str:
        """A qualified name."""
        pick = self._pick
        if pick.random() < 0.08:
            return pick.choice(
                ["", "noscheme", "external://fmt/x.Print", "stdlib://os.Open", "r://", "a.b", "ab", "r://x"]
            )
        scheme = pick.choice([f"{_REPOSITORY}://", f"{_REPOSITORY}://", "r://", "https://x/y://", ""])
        return scheme + ".".join(filter(None, [pick.choice(_PATHS), pick.choice(_OWNERS), pick.choice(_MEMBERS)]))

    def keyword_set(self) -> dict[str, list[str]]:
        return {part: list(dict.fromkeys(self.words(4))) for part in ("exact", "compounds", "components")}

    def nodes(self, most: int = 12, signatures: bool = True) -> list[dict[str, Any]]:
        pick, made, known = self._pick, [], set()
        for number in range(pick.randint(0, most)):
            name = self.name()
            if name in known or not name:
                continue
            known.add(name)
            kind = pick.choice(_KINDS) if pick.random() < 0.8 else "function"
            made.append({"id": f"n{number:02}", "kind": kind, "qualified_name": name})
            if signatures:
                doc, path = self.text(5) if pick.random() < 0.5 else "", pick.choice(_PATHS)
                made[-1] |= {"signature": self.text(3), "doc": doc, "file_path": path}
        return made

    def edges(self, ids: list[str], most: int = 20, dangling: bool = True) -> list[dict[str, Any]]:
        pick = self._pick
        ends = [*ids, *(["gone1", "gone2"] if dangling and pick.random() < 0.3 else [])]
        made = []
        for _ in range(pick.randint(0, most) if ends else 0):
            edge: dict[str, Any] = {
                "source": pick.choice(ends),
                "target": pick.choice(ends),
                "type": pick.choice(_EDGE_TYPES),
            }
            if pick.random() < 0.3:
                edge |= {
                    "confidence": round(pick.random(), 2),
                    "provenance": pick.choice(["lsp_resolved", "ast_inferred"]),
                }
            made.append(edge)
        return made

    def ranked(self, most: int = 12) -> list[dict[str, Any]]:
        pick, made = self._pick, []
        for number in range(pick.randint(0, most)):
            score = round(pick.uniform(-0.1, 1.5), 6) + number * 1e-5
            made.append(
                {
                    "id": f"n{number}",
                    "kind": pick.choice(_KINDS),
                    "qualified_name": f"r://p/f.A{'q' * pick.randint(0, 90)}",
                    "signature": self.text(4),
                    "score": score,
                    "rwr_score": pick.choice([0, 1, round(pick.random(), 4)]),
                    "distance": pick.choice([0, 1, 1, 2, 3]),
                    "confidence_component": round(pick.random() / 5, 5),
                    "file": pick.choice(_PATHS),
                }
            )
        return sorted(made, key=lambda one: -one["score"])

    def votes(self, ids: list[str]) -> list[dict[str, Any]]:
        pick = self._pick
        return [
            {"symbol": pick.choice(ids), "useful": pick.random() < 0.6} for _ in range(pick.randint(0, 6) if ids else 0)
        ]

    def code(self, most: int = 30) -> dict[str, Any]:
        """A graph of symbols with a repository."""
        nodes = self.nodes(most)
        return {"nodes": nodes, "edges": self.edges([one["id"] for one in nodes], 3 * most), "repo_url": _REPOSITORY}

    def of_keyword_set(self) -> dict[str, Any]:
        return {"task": self.text(14)}

    def of_code_patterns(self) -> dict[str, Any]:
        return {"text": self.text()}

    def of_identifier_split(self) -> dict[str, Any]:
        return {
            "identifier": "".join(
                self._pick.choice([*_SYLLABLES, "_", ".", "9"]) for _ in range(self._pick.randint(0, 6))
            )
        }

    def of_identifiers(self) -> dict[str, Any]:
        return {"content": self.text()}

    def of_meaningful_words(self) -> dict[str, Any]:
        return {
            "qualified_name": self.name(),
            "generic": self._pick.sample(["handle", "get", "run", "app", "store"], 2),
        }

    def of_cluster_hash(self) -> dict[str, Any]:
        return {"keywords": self.words()}

    def of_fts_query(self) -> dict[str, Any]:
        return {"keywords": self.words(8), **self._pick.choice([{}, {"max_expansions": 3}, {"max_expansions": 1}])}

    def of_bm25(self) -> dict[str, Any]:
        query = " OR ".join(
            self._pick.choice(["", "symbol_name:", "file_path:"]) + f'"{word}"' for word in self.words(4) or ["x"]
        )
        return {"nodes": self.nodes(), "query": query.replace('""', '"'), "limit": self._pick.choice([1, 3, 30])}

    def of_split_for_fts(self) -> dict[str, Any]:
        return {"text": self._pick.choice([self.text(4), self.name()])}

    def of_fts_symbol_name(self) -> dict[str, Any]:
        return {"qualified_name": self.name()}

    def of_fts_concepts(self) -> dict[str, Any]:
        parts = [
            self._pick.choice([*_SYLLABLES, "src", "SRC", "Lib", "pkg", ".", "..", ".github", "main_view.PY"])
            for _ in range(4)
        ]
        return {"file_path": self._pick.choice(["/", "\\"]).join(parts)}

    def of_tiered_search(self) -> dict[str, Any]:
        keywords = {"keyword_set": self.keyword_set()} if self._pick.random() < 0.5 else {"task": self.text()}
        return {"nodes": self.nodes(50, signatures=False), **keywords}

    def of_equiv_match(self) -> dict[str, Any]:
        pick = self._pick
        if pick.random() < 0.4:
            return {"builtin": True, "query": self.text(14), "lang": pick.choice(["", "go", "python", "rust"])}
        classes = [
            {
                "Concept": f"C{number}",
                "Phrases": [*self.words(3), *pick.sample(["", "blast radius", "Cache"], 1)],
                "Targets": self.words(2),
                "Weight": pick.choice([0.5, 0.9, 1.0]),
                "Lang": pick.choice(["", "go", "python"]),
                "Source": pick.choice(["seed", "framework"]),
            }
            for number in range(pick.randint(0, 5))
        ]
        return {"classes": classes, "query": self.text(14), "lang": pick.choice(["", "go", "python"])}

    def of_expand_verbs(self) -> dict[str, Any]:
        return {
            "phrases": [
                *self.words(3),
                *self._pick.sample(["find", "finding", "get it", "runs", "running", "", "trace"], 2),
            ]
        }

    def of_graph_aliases(self) -> dict[str, Any]:
        code = self.code(8)
        return code | {"seeds": [one["id"] for one in code["nodes"]][:10]}

    def of_path_terms(self) -> dict[str, Any]:
        return {"task": self.text(8)}

    def of_path_match(self) -> dict[str, Any]:
        name = self.name()
        return {
            "qualified_name": name,
            "term": self._pick.choice([self.word(), name[2:8], name[-6:], "src", "APP", "store"]) or "x",
        }

    def of_rrf(self) -> dict[str, Any]:
        pick, ids = self._pick, [f"n{number}" for number in range(40)]
        channels = [
            {"name": name, "ids": pick.sample(ids, pick.randint(0, 20)), "weight": pick.choice([0, 1, 1.5, 2, 0.37])}
            for name in ("tiered", "bm25", "equivalence", "path")
        ]
        return {"channels": channels, "k": pick.choice([60, 1, 0, 10]), "limit": 40}

    def of_noise_filter(self) -> dict[str, Any]:
        return {"nodes": [{"kind": one["kind"], "qualified_name": one["qualified_name"]} for one in self.nodes(20)]}

    def of_focused_seeds(self) -> dict[str, Any]:
        return {"candidates": list(dict.fromkeys(self.name() for _ in range(self._pick.randint(0, 14))))}

    def of_session(self) -> dict[str, Any]:
        pick = self._pick
        ages = {id_: [pick.randint(-400, 2000) for _ in range(pick.randint(0, 5))] for id_ in "abc"}
        calls = {"record_calls": {id_: pick.randint(1, 25) for id_ in "de"}} if pick.random() < 0.3 else {}
        return {
            "access_ages_seconds": {id_: held for id_, held in ages.items() if held},
            "query": list("abcde"),
            **calls,
        }

    def of_implicit_feedback(self) -> dict[str, Any]:
        pick, ops, names = self._pick, [], [self.name() for _ in range(6)]
        for _ in range(pick.randint(1, 8)):
            match pick.choice(["register", "age", "detect", "expire", "flush"]):
                case "register":
                    ops.append(
                        {"op": "register", "symbols": list(dict.fromkeys(pick.sample(names, pick.randint(1, 4))))}
                    )
                case "age":
                    ops.append({"op": "age", "seconds": pick.choice([1, 300, 700])})
                case "detect":
                    content = " ".join(
                        [self.text(4), *(name.rpartition(".")[2].upper() for name in pick.sample(names, 2))]
                    )
                    ops.append({"op": "detect", "content": content})
                case op:
                    ops.append({"op": op})
        return {"ops": ops}

    def of_feedback_scores(self) -> dict[str, Any]:
        pick = self._pick
        records = [
            {
                "symbol": pick.choice("abc"),
                "useful": pick.random() < 0.5,
                "neighborhood_root": pick.choice(["", "r1", "r2"]),
                "cluster_keywords": pick.choice([[], ["k"], ["k", "l"], ["l", "k"]]),
            }
            for _ in range(pick.randint(0, 9))
        ]
        roots = pick.choice([{}, {"current_roots": {"a": "r1"}}, {"current_roots": {"a": "r2", "b": "r1", "c": "r1"}}])
        return {
            "query": list("abcd"),
            "query_cluster_keywords": pick.choice([[], ["k"], ["k", "l"]]),
            "records": records,
            **roots,
        }

    def of_vocab(self) -> dict[str, Any]:
        if self._pick.random() < 0.3:
            return {"count": self._pick.randint(-3, 14)}
        return {"keyword": self._pick.choice([self.word(), "file", "when", "query", "made", "add", "auth", "Test"])}

    def of_rwr(self) -> dict[str, Any]:
        pick = self._pick
        ids = [f"n{number:02}" for number in range(pick.randint(1, 25))]
        seeds = [
            {"id": id_, "weight": round(pick.uniform(0.05, 1), 3)}
            for id_ in pick.sample(ids, pick.randint(1, min(4, len(ids))))
        ]
        if pick.random() < 0.1:
            seeds[0]["weight"] = pick.choice([0, -1])
        given: dict[str, Any] = {
            "edges": self.edges(ids, 60),
            "seeds": seeds,
            "alpha": pick.choice([0.2, 0.2, 0.5, 1.5, 0, -1, 0.05]),
        }
        given["max_iter"] = pick.choice([20, 20, 0, -1, 1, 5])
        named = pick.choices(
            ["r://app/a.py.f", "r://lib/b.py.G", "r://x.py.h", "external://app/e.E"], [5, 4, 1, 1], k=len(ids)
        )
        if pick.random() < 0.5:
            given["nodes"] = [
                {"id": id_, "qualified_name": f"{name}{id_}", "kind": "external" if "ext" in name else "function"}
                for id_, name in zip(ids, named, strict=True)
            ]
        for key, chance in (("use_adjacency_cache", 0.4), ("uniform", 0.15)):
            if pick.random() < chance:
                given[key] = True
        if pick.random() < 0.1:
            given["exclude_edge_types"] = pick.sample(_EDGE_TYPES, 2)
        return given

    def of_top_dir(self) -> dict[str, Any]:
        return {"qualified_name": self.name()}

    def of_hits(self) -> dict[str, Any]:
        ids = [f"n{number:02}" for number in range(self._pick.randint(1, 12))]
        nodes, inside = [{"id": id_} for id_ in ids], self._pick.sample(ids, self._pick.randint(0, len(ids)))
        return {
            "nodes": nodes,
            "edges": self.edges(ids, 30),
            "subgraph": inside,
            "max_iter": self._pick.choice([10, 0, -2, 1, 5]),
        }

    def of_rank(self) -> dict[str, Any]:
        pick, symbols = self._pick, []
        for number in range(pick.randint(0, 9)):
            one = {
                "id": f"n{number}",
                "caller_count": pick.choice([0, number, 17 * number, -5]),
                "confidence": round(pick.random(), 3),
            }
            one |= {"distance": pick.choice([0, 0, 1, 2]), "is_test_file": pick.random() < 0.3}
            for key, values in (
                ("feedback_boost", [0, 0.2, 0.5, 0.7, 1, -1, 1.4]),
                ("session_boost", [0, 0.5, 2, -1]),
                ("last_observed_age_seconds", [5, 86_000, 600_000, 2_000_000, 9_000_000, -900]),
                ("last_commit_age_seconds", [5, 86_000, 600_000, 2_000_000, 9_000_000, -900]),
            ):
                if pick.random() < 0.4:
                    one[key] = pick.choice(values)
            symbols.append(one)
        if pick.random() < 0.5:
            return {"symbols": symbols}
        hits = {
            one["id"]: {"authority": round(pick.random(), 3), "hub": round(pick.random(), 3)}
            for one in symbols
            if pick.random() < 0.8
        }
        return {"symbols": symbols, "hits": hits, "hits_present": True}

    def of_recency(self) -> dict[str, Any]:
        age = self._pick.choice([86_400, 604_800, 2_592_000]) + self._pick.choice([-5, 5, -40_000])
        return {"age_seconds": self._pick.choice([age, self._pick.randint(-(10**7), 10**7)])}

    def of_test_path(self) -> dict[str, Any]:
        part = self._pick.choice(
            ["", "/Tests/", "_test.go.", "/test_x", "x.Spec.ts", "unittests/", "My.Tests/", "/__tests__/", "/test/lib/"]
        )
        return {"qualified_name": self.name() + part + self._pick.choice(["", "a.PY.f", "b.rb.X"])}

    def of_test_task(self) -> dict[str, Any]:
        return {"task": self.text(5)}

    def of_result_confidence(self) -> dict[str, Any]:
        count, least = self._pick.choice([0, 3, 9, 10, 15]), self._pick.choice([-1, 0, 0.2, 0.45])
        return {"scores": sorted((round(self._pick.uniform(least, 0.6), 3) for _ in range(count)), reverse=True)}

    def of_tokens(self) -> dict[str, Any]:
        if self._pick.random() < 0.4:
            return {"text": self.text()}
        name, kind, form = (
            self.name(),
            self._pick.choice(_KINDS),
            self._pick.choice(["", "xml", "json", "gcf", "gcb", "GCF"]),
        )
        return {"qualified_name": name or "x", "kind": kind or "type", "signature": self.text(4), "format": form}

    def of_proximity_exponent(self) -> dict[str, Any]:
        return {"phantom_ratio": self._pick.choice([0, 0.5, 2, 2.0001, -1, 100, round(self._pick.uniform(-3, 4), 4)])}

    def of_pack(self) -> dict[str, Any]:
        ranked, pick = self.ranked(), self._pick
        more = pick.choice(
            [
                {},
                {"strategy": "top-k"},
                {"strategy": "file-grouped"},
                {"coherence_bonus": 0.3},
                {"coherence_bonus": -0.5},
            ]
        )
        return {
            "ranked": ranked,
            "budget": pick.choice([-1, 0, 5, 30, 80, 1000]),
            "format": pick.choice(["xml", "gcf", "gcb", ""]),
            **more,
        }

    def of_pack_root(self) -> dict[str, Any]:
        return {"task": self.text(5), "node_ids": list(dict.fromkeys(self.words()))}

    def of_delta_pack(self) -> dict[str, Any]:
        pick, nodes = self._pick, [{**one, "file": ""} for one in self.ranked(10)]
        ids = [one["id"] for one in nodes]
        given: dict[str, Any] = {"format": pick.choice(["xml", "gcf", "gcb"])}
        for side in ("prior", "current"):
            held = pick.sample(nodes, pick.randint(0, len(nodes)))
            given[side] = [{key: one[key] for key in ("id", "kind", "qualified_name", "signature")} for one in held]
            given[f"{side}_edges"] = self.edges(ids, 5, dangling=False)
        return given

    def of_format(self) -> dict[str, Any]:
        ranked = self.ranked()
        for one in ranked:
            one["score"] = self._pick.choice([one["score"], 0, 1, 0.00004, 1.5e-7, 0.125])
        form = self._pick.choice(["", "xml", "markdown", "json", "yaml", "XML"])
        return {
            "ranked": ranked,
            "format": form,
            "tokens_used": self._pick.randint(0, 99),
            "token_budget": self._pick.randint(0, 9999),
        }

    def of_for_files(self) -> dict[str, Any]:
        return self.code() | {
            "files": self._pick.sample(_PATHS[:6], 3),
            "token_budget": self._pick.choice([0, 40, 200]),
        }

    def of_for_pr(self) -> dict[str, Any]:
        return self.of_for_files()

    def of_for_task(self) -> dict[str, Any]:
        pick, code = self._pick, self.code()
        ids = [one["id"] for one in code["nodes"]]
        code |= {
            "task": self.text(8),
            "token_budget": pick.choice([60, 500, 5000]),
            "feedback_same_cluster": self.votes(ids),
        }
        code["session_access_ages_seconds"] = {id_: [pick.randint(0, 900)] for id_ in ids[: pick.randint(0, 4)]}
        for key, chance in (("use_adjacency_cache", 0.5), ("scope_to_repo", 0.3)):
            if pick.random() < chance:
                code[key] = True
        return code

    def of_explain(self) -> dict[str, Any]:
        code = self.code()
        code["nodes"] = [one for one in code["nodes"] if "stdlib://" not in one["qualified_name"]]
        ids = [one["id"] for one in code["nodes"]]
        ages = {id_: [self._pick.randint(0, 900)] for id_ in ids[: self._pick.randint(0, 4)]}
        votes, symbol = self.votes(ids), self._pick.choice([*_MEMBERS, "App", "nothing_at_all"])
        return code | {
            "task": self.text(8),
            "symbol": symbol,
            "feedback_same_cluster": votes,
            "session_access_ages_seconds": ages,
        }

    def of_bench_normalize(self) -> dict[str, Any]:
        pick = self._pick
        line = pick.choice(
            ["a.py:10:def foo(x):", "x/y.go:FuncName", "b.rs:12", "c.cs:7: class Foo<T> {", "z.java: Foo ", "d.go:1:("]
        )
        kinds = [
            self.name(),
            line,
            f" {self.name()}. ",
            f"https://github.com/o/r/pkg/{self.word()}.Foo",
            self.word(),
            f"a.b.{self.word()}(",
        ]
        return {"raw": pick.choice(kinds)}

    def of_bench_match(self) -> dict[str, Any]:
        one, other = self.name(), self.name()
        near = [
            other,
            one,
            one.rpartition("/")[2],
            one.rpartition(".")[2],
            one.upper(),
            one.replace(".", "::"),
            self.word(),
        ]
        return {"retrieved": [one], "ground_truth": [self._pick.choice(near)]}

    def of_bench_metrics(self) -> dict[str, Any]:
        names = [self.name() for _ in range(self._pick.randint(0, 25))]
        return {"retrieved": names, "ground_truth": [*self._pick.sample(names, min(2, len(names))), self.name()]}


def is_uncompared(wanted: Any) -> bool:
    """True if an answer varies from run to run, or comes from a walk that was divided by zero."""
    if not isinstance(wanted, dict):
        return False
    symbols = wanted.get("symbols", ())
    return any(key in wanted for key in _UNCOMPARED) or any(abs(one["score"]) > _SOUND_SCORE for one in symbols)


def differences(family: str, cases: Iterator[Case]) -> Iterator[tuple[Case, str]]:
    """The cases with different answers from us and the program, each with the test's message."""
    for case in cases:
        try:
            test_recorded.check(family, case)
        except (AssertionError, LookupError, ValueError, TypeError, ArithmeticError, AttributeError) as error:
            yield case, f"{type(error).__name__}: {error}"


def recorded(family: str, count: int, made: Cases, oracle: Oracle, counts: Counter[str]) -> Iterator[Case]:
    """``count`` random cases with the program's answers. Stores the number of comparable cases in ``counts``."""
    for number in range(count):
        given = made.families()[family]()
        wanted = oracle.answer(family, given)
        is_sound = not is_uncompared(wanted)
        counts["compared" if is_sound else "not compared"] += 1
        if is_sound:
            yield {"name": f"random {number}", "input": given, "expected": wanted, **_MARKS}


def main(arguments: list[str]) -> int:
    """Queries both, and prints a line for each family and for each of the first differences."""
    parser = argparse.ArgumentParser(description="Compares the rules of knowing with the real program.")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--cases", type=int, default=2000, help="random cases of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shown", type=int, default=2, help="differences that are printed of each family")
    parser.add_argument("--save", type=int, default=0, help="write so many cases to tests/data/knowing/sampled")
    options = parser.parse_args(arguments)
    path = os.environ.get(ORACLE)
    if not path:
        print(f"skipped: {ORACLE} names no program", file=sys.stderr)
        return 0
    oracle, made, different = Oracle(path), Cases(options.seed), 0
    for family in options.families or made.families():
        counts: Counter[str] = Counter()
        if options.save:
            write_sample(family, list(recorded(family, options.save, made, oracle, counts)))
            continue
        for case, message in differences(family, recorded(family, options.cases, made, oracle, counts)):
            counts["different"] += 1
            if counts["different"] <= options.shown:
                print(f"  {family}: {message[:600]}")
                print(f"    {json.dumps(case['input'])[:900]}\n    {json.dumps(case['expected'])[:700]}")
        told = ", ".join(f"{counts[name]} {name}" for name in ("compared", "different", "not compared"))
        print(f"{family}: {told}", flush=True)
        different += counts["different"]
    return 1 if different else 0


def write_sample(family: str, cases: list[Case]) -> None:
    """Writes cases as a family of recorded answers."""
    folder = DATA / "sampled"
    folder.mkdir(exist_ok=True)
    record = {"family": family, "source": "random cases of benchmarks/knowing_oracle.py", "cases": cases}
    Path(folder / f"{family}.json").write_text(
        json.dumps(record, ensure_ascii=True, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
