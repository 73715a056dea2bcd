"""The answers of every command to fixed queries, without prose and timings: one digest each.

``python -m tests.frozen.answers digests`` writes ``digests.json`` beside this module.
``python -m tests.frozen.answers compare OLD [NEW]`` prints each field that differs between two commits; without NEW,
between OLD and the working tree.

The module uses only the package's command line, so that it also works with an older package.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
DIGESTS = Path(__file__).with_name("digests.json")
NOW = "2026-11-20T12:00:00Z"
SPACE = "cloud/projects/68dbcb98-6d0b-4522-8e74-654500ce6f20/context-tree"
EVERY = 6
"""Only one in this many queries is run with commands that open the project for each query."""
FIRST_TWO = ("<first>", "<second>")
"""Placeholders for the first two hits of the previous query."""
PROSE = {
    *("advice", "after_access", "comment", "detail", "doing", "effect", "ended", "expected", "hint", "how"),
    *("idle_rules", "label", "manifest", "message", "note", "notice", "notices", "now_name", "numbers", "problem"),
    *("reason", "reason_now", "reason_then", "remark", "said", "sentence", "summary", "text", "then_name", "unit"),
    *("use", "verdict", "verdict_sentence", "warning", "warnings", "why"),
}
MIXED = {"exact", "fuzzy", "notes", "where"}
"""Fields that contain prose if the value is a string with a space, and data otherwise."""
VARYING = {"current", "fingerprint", "ms", "seconds", "timed_by", "timings", "value_before"}
CODE = {
    "src/tokens.py": "class TokenStore:\n    def rotate(self):\n        self.revoke()\n\n"
    "    def revoke(self):\n        pass\n",
    "src/web.py": "from tokens import TokenStore\n\n\ndef refresh(request):\n    TokenStore().rotate()\n",
    "src/billing.py": "def round_cents(amount):\n    return round(amount, 2)\n\n\ndef invoice(items):\n"
    "    return sum(map(round_cents, items))\n",
    "web/session.ts": "export class Session {\n  renew(): void { this.close(); }\n  close(): void {}\n}\n",
    "server/main.go": "package main\n\nfunc Serve() { handle() }\n\nfunc handle() {}\n",
}
TASKS = (
    "rotate the TokenStore",
    "round cents of an invoice",
    "renew a session",
    "handle",
    "TokenStore.revoke",
    "serve requests",
    "where is refresh called",
    "billing",
    "zzzqqq",
)


@dataclass(frozen=True)
class Project:
    """A project, the queries to run in it, and the engines that read it."""

    name: str
    where: tuple[str, ...]
    """The options that name the project."""
    queries: tuple[str, ...]
    engines: tuple[str, ...]
    other: str
    """A document that is in few answers."""
    sequence: tuple[Mapping[str, Any], ...] = ()


def projects(folder: Path) -> Iterator[Project]:
    """Yields the projects, whose files are written below ``folder``."""
    engines = ("byterover", "jeffs_brain", "soleri", "knowing", "baseline")
    sample = folder / "sample"
    shutil.copytree(REPOSITORY / "sample-tree", sample)
    stamp = [sys.executable, str(sample / "restamp.py"), "--tree", str(sample), "--now", NOW]
    newest = {**os.environ, "PYTHONPATH": str(REPOSITORY)}  # an older package cannot set the ages
    subprocess.run(stamp, check=True, capture_output=True, env=newest)
    queries = tuple(dict.fromkeys(case["query"] for case in _read(sample / "queries.json")))
    yield Project("sample", ("--project", str(sample)), queries, engines, "auth/sso/scim_deprovisioning.md")
    for name, other in (("generated-tree", "ast/general/dump.md"), ("frontmatter-tree", "")):
        recorded = _read(REPOSITORY / "tests/data/parity" / f"{name}.json")
        root = folder / name
        _write(root / ".brv/context-tree", recorded["files"])
        (root / ".brv/config.json").write_text("{}\n", encoding="utf-8")
        (root / "signals.json").write_text(json.dumps(recorded["signals"]), encoding="utf-8")
        where = ("--project", str(root), "--signals", str(root / "signals.json"))
        some = tuple(dict.fromkeys(case["query"] for case in recorded["cases"]))[::3]
        other = other or next(path for path in recorded["files"] if not path.rpartition("/")[2].startswith("_"))
        yield Project(name, where, some, engines, other, tuple(recorded["sequence"]))
    space = _read(REPOSITORY / "tests/data/byterover_v4/space-21.json.gz")
    _write(folder / "space", space["files"])
    asked = tuple(dict.fromkeys(case["query"] for case in space["cases"]))[::5]
    yield Project("space", ("--root", str(folder / "space" / SPACE)), asked, ("byterover_v4",), "limits/huge.html")
    for path, text in CODE.items():
        file = folder / "shop" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    yield Project("code", ("--repo", str(folder / "shop")), TASKS, ("knowing",), "src/billing.py")


def commands(project: Project, folder: Path, part: int) -> Iterator[tuple[str, list[str]]]:
    """Yields a name and the arguments of each command that is run on ``project``, which reads files of ``folder``."""
    end = [*project.where, "--now", NOW, "--format", "json"]
    numbered = [{"id": number, "query": query} for number, query in enumerate(project.queries)]
    asked = _json_file(folder / f"{project.name}-queries.json", numbered[::part])
    for engine in project.engines:
        options = ["--engine", engine, *end]
        yield f"replay {engine}", ["replay", "--queries", asked, *options]
        for query in project.queries[:: EVERY * part]:
            yield f"query {engine}: {query}", ["query", query, *options]
            yield f"explain {engine}: {query}", ["explain", query, project.other, *options]
            yield f"why {engine}: {query}", ["why", query, *FIRST_TWO, *options]
            yield f"diff {engine}: {query}", ["diff", query, "--at", "+30d", *options]
    if project.where[0] == "--project":
        for query in project.queries[:: EVERY * 2 * part]:
            yield f"compare: {query}", ["compare", query, *end]
    if part > 1:
        return
    if project.name == "sample":
        for engine in project.engines:
            yield f"eval {engine}", ["eval", "--engine", engine, *end]
    if "byterover" in project.engines:
        yield "maturity", ["maturity", "--all", *end]
    if project.sequence:
        yield "sequence", ["replay", "--sequence", _json_file(folder / "sequence.json", project.sequence), *end]


def answers(folder: Path, part: int = 1) -> Iterator[tuple[str, Any]]:
    """Yields a name and the plain answer of each command; runs every ``part``-th query."""
    from click.testing import CliRunner

    from brvtui.cli.program import cli

    places = {"BRV_TUI_DATA_DIR": "tool", "BRV_DATA_DIR": "engine", "BRV_TUI_CACHE_DIR": "cache"}
    places["BRV_TUI_CONFIG_DIR"] = "config"
    environment = {name: str(folder / place) for name, place in places.items()}
    runner = CliRunner(env={**environment, "COLUMNS": "100", "TZ": "UTC"})
    for project in projects(folder):
        hits: list[str] = []
        for name, arguments in commands(project, folder, part):
            first_two = dict(zip(FIRST_TWO, [*hits, project.other, project.other], strict=False))
            with chdir(folder):
                result = runner.invoke(cli, [first_two.get(argument, argument) for argument in arguments])
            lines = [json.loads(line) for line in _documents(result.stdout)]
            if arguments[0] == "query":
                hits = [hit["path"] for line in lines for hit in line["trace"]["hits"]]
            for number, line in enumerate(lines or [None]):
                place = project.queries[::part][number] if name.startswith("replay") else number
                yield f"{project.name} {name} {place}", {"code": result.exit_code, "answer": _plain(line)}


def digest(answer: Any) -> str:
    """Returns 12 hexadecimal digits for ``answer``."""
    text = json.dumps(answer, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yields a line for each field whose value differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from differences(old.get(key), new.get(key), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif old != new:
        yield f"  {path.lstrip('.')}: {_short(old)} -> {_short(new)}"


def _plain(value: Any, key: str = "") -> Any:
    """Returns ``value`` without prose and times; numbers have 10 significant digits."""
    if isinstance(value, dict):
        return {name: _plain(one, name) for name, one in value.items() if not _is_left_out(name, one)}
    if isinstance(value, list):
        return [_plain(one, key) for one in value if not _is_left_out(key, one)]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _is_left_out(key: str, value: Any) -> bool:
    is_sentence = key in MIXED and isinstance(value, str) and " " in value
    return is_sentence or key in PROSE or key in VARYING or key.endswith("_why")


def _documents(text: str) -> Iterator[str]:
    """Yields the JSON documents of ``text``, each as a string."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        _, end = decoder.raw_decode(text, place)
        yield text[place:end]
        place = end


def _write(folder: Path, files: Mapping[str, Any]) -> None:
    for name, held in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if "link" in held:
            file.symlink_to(held["link"])
            continue
        file.write_bytes(base64.b64decode(held["base64"]) if "base64" in held else held["text"].encode())
        os.utime(file, ns=(held["mtime_ns"], held["mtime_ns"]))


def _read(file: Path) -> Any:
    data = file.read_bytes()
    return json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)


def _json_file(file: Path, value: Sequence[Any]) -> str:
    file.write_text(json.dumps(value), encoding="utf-8")
    return str(file)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 100 else f"{text[:97]}..."


def _answers_of(commit: str, folder: Path) -> dict[str, Any]:
    """Returns the answers of the package at ``commit``; of the working tree if it is empty."""
    source = REPOSITORY
    if commit:
        source = folder / "source"
        subprocess.run(["git", "worktree", "add", "--detach", str(source), commit], cwd=REPOSITORY, check=True)
    try:
        command = [sys.executable, "-P", str(Path(__file__)), "write", str(folder / "answers.json")]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(source)}, check=True)
        value: dict[str, Any] = _read(folder / "answers.json")
        return value
    finally:
        if commit:
            subprocess.run(["git", "worktree", "remove", "--force", str(source)], cwd=REPOSITORY, check=True)


def _compare(old: str, new: str) -> int:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        before, after = _answers_of(old, Path(one)), _answers_of(new, Path(other))
    changed = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
    for name in changed:
        print(name, *differences(before.get(name), after.get(name)), sep="\n")
    print(f"{len(changed)} of {len(before)} answers differ")
    return 1 if changed else 0


def main() -> int:
    """Writes digests, or compares two commits; returns 1 if they differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=("digests", "write", "compare"))
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.action == "compare":
        return _compare(*(*given.names, "", "")[:2])
    with tempfile.TemporaryDirectory() as folder:
        held = dict(answers(Path(folder)))
    if given.action == "write":
        Path(given.names[0]).write_text(json.dumps(held), encoding="utf-8")
    else:
        digests = {name: digest(answer) for name, answer in held.items()}
        DIGESTS.write_text(json.dumps(digests, indent=0, ensure_ascii=True) + "\n", encoding="utf-8")
        print(f"{len(digests)} digests")
    return 0


if __name__ == "__main__":
    sys.exit(main())
