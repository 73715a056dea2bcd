"""Small context trees in a temporary folder, with fixed modification times and a frozen clock."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brvtui.engines.byterover import profile as profiles
from brvtui.engines.byterover.profile import Context, Profile
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.byterover.sections import Search
from brvtui.loading import load
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.trace import Hit, Trace
from brvtui.tree.engine_files.sidecar import project_data, signals_folder
from brvtui.tree.reading.project import find_project
from brvtui.tree.reading.signals import NoteSignals, SignalLayers, Source, defaults
from brvtui.typed_tables import overlay

NOW_MS = 1_795_176_000_000
"""2026-11-20T12:00:00Z."""
DAY_MS = 86_400_000
SUMMARY = "---\ntype: summary\ncondensation_order: {order}\ntoken_count: {tokens}\n---\n{text}\n"

BRV3 = profiles.load("brv-3")
DOCS = profiles.load("docs")
READS_FRONTMATTER = overlay(BRV3, {"name": "brv-3*", "signals": {"frontmatter": True}}, "test")
"""``brv-3``, but signals are also read from frontmatter."""


def changed(base: Profile, **tables: Any) -> Profile:
    """``base`` with some constants changed: ``changed(BRV3, direct={"min_top": 0.9})``."""
    return overlay(base, tables, "test")


def stored(**values: Any) -> NoteSignals:
    """Stored signals; missing ones have default values."""
    base = defaults(BRV3.signals)
    result = {
        "importance": base.importance,
        "recency": base.recency,
        "maturity": base.maturity,
        "access_count": 0,
        "update_count": 0,
        "source": Source.FILE,
    }
    return NoteSignals(**{**result, **values})


class Tree:
    """A project in ``root``. Ages of files count back from :data:`NOW_MS`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tree = root / ".brv" / "context-tree"
        self.tree.mkdir(parents=True)
        (root / ".brv" / "config.json").write_text("{}")
        self.signals: dict[str, NoteSignals] = {}

    def file(self, path: str, content: str | bytes = "", days: float = 0.0) -> Path:
        """A file of the tree, ``days`` old."""
        place = self.tree / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        self.age(path, days)
        return place

    def age(self, path: str, days: float) -> None:
        """Makes a file ``days`` old."""
        moment = (NOW_MS - round(days * DAY_MS)) * 1_000_000
        os.utime(self.tree / path, ns=(moment, moment))

    def age_by_today(self) -> None:
        """Gives every file the age today that it had at :data:`NOW_MS`, for tests with the machine's clock."""
        passed_ns = time.time_ns() - int(NOW_MS) * 1_000_000
        for file in filter(Path.is_file, self.tree.rglob("*")):
            moved = file.stat().st_mtime_ns + passed_ns
            os.utime(file, ns=(moved, moved))

    def note(self, path: str, title: str, text: str = "", days: float = 0.0, **signals: Any) -> str:
        """A note with a heading; ``signals`` are its stored signals."""
        self.file(path, f"# {title}\n\n{text}\n", days)
        if signals:
            self.signals[path] = stored(**signals)
        return path

    def notes(self, count: int, text: str = "filler", days: float = 0.0, folder: str = "pad") -> None:
        """Notes that share no word with ordinary queries; they make a tree large."""
        for number in range(count):
            self.file(f"{folder}/p{number:03d}.md", text, days)

    def summary(self, folder: str, text: str = "a summary", order: int = 1, tokens: int = 3, days: float = 0.0) -> str:
        """A valid ``_index.md``."""
        path = f"{folder}/_index.md" if folder else "_index.md"
        self.file(path, SUMMARY.format(order=order, tokens=tokens, text=text), days)
        return path

    def settings(self, text: str) -> None:
        """The project's own settings file."""
        (self.root / ".brv" / "brv-tui.toml").write_text(text)

    def read_frontmatter(self) -> None:
        """Makes sessions also read signals in frontmatter, by setting."""
        self.settings("[signals]\nfrontmatter = true\n")

    def source(self, *others: tuple[str, Tree]) -> None:
        """Shared sources of this project, by alias."""
        entries = [
            {"alias": alias, "projectRoot": str(other.root), "readOnly": True, "addedAt": "2026-01-01T00:00:00Z"}
            for alias, other in others
        ]
        self.sources_file({"version": 1, "sources": entries})

    def sources_file(self, value: Any) -> None:
        """``sources.json`` with this content."""
        text = value if isinstance(value, str) else json.dumps(value)
        (self.root / ".brv" / "sources.json").write_text(text)

    @property
    def sidecar(self) -> Path:
        """The folder in which the engine would store this project's signals."""
        return signals_folder(project_data(self.root))

    def sidecar_file(self, path: str, value: Any) -> Path:
        """One of the engine's signal files: ``value`` unchanged if it is text, otherwise wrapped as by the engine."""
        place = self.sidecar / f"{path}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps({"createdAt": 1, "updatedAt": 1, "value": value})
        place.write_text(text)
        return place

    def snapshot(
        self,
        profile: Profile = BRV3,
        previous: Snapshot | None = None,
        now_ms: float = NOW_MS,
        signals: Mapping[str, NoteSignals] | None = None,
    ) -> Snapshot:
        """A snapshot of the tree on disk."""
        layers = self.layers() if signals is None else SignalLayers((signals,))
        result = load(find_project(self.root), profile, now_ms, layers, previous)
        assert result is not None
        return result

    def layers(self) -> SignalLayers:
        """The currently stored signals."""
        return SignalLayers((dict(self.signals),))

    def session(self, profile: str | None = None, now_ms: float | None = NOW_MS, **options: Any) -> Session:
        """An open, loaded session with its clock frozen."""
        session = Session.open(self.root, profile, now_ms, **options)
        session.load()
        return session

    def search(
        self, query: str, limit: int = 10, profile: Profile = BRV3, now_ms: float = NOW_MS, **options: Any
    ) -> Search:
        """A plain search."""
        return search(Context(self.snapshot(profile), profile, now_ms), query, SearchOptions(limit, **options))

    def ask(
        self,
        query: str,
        state: CacheContents = CacheContents(),  # noqa: B008 - frozen
        profile: Profile = BRV3,
        now_ms: float = NOW_MS,
        scope: str = "",
    ) -> Trace:
        """The router's answer to a query."""
        return route(Context(self.snapshot(profile), profile, now_ms), state, RouteRequest(query, scope))[0]


def paths(found: Search | Trace) -> list[str]:
    """The paths of the hits, as shown."""
    return [hit.path for hit in found.hits]


def scores(found: Search | Trace) -> dict[str, float]:
    """The scores of the hits, keyed by path; for a path that appears twice, the first score."""
    result: dict[str, float] = {}
    for hit in found.hits:
        result.setdefault(hit.path, hit.score)
    return result


def hit_of(found: Search | Trace, path: str) -> Hit:
    """The hit of a path."""
    return next(hit for hit in found.hits if hit.path == path)


def part(hit: Hit, name: str) -> float:
    """One part of a hit's score."""
    return next(part.value for part in hit.parts if part.name == name)
