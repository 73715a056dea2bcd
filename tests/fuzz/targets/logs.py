"""The query logs of the engine and the tool, and the engine's signal files."""

from __future__ import annotations

import json
from pathlib import Path

from brvtui.app.log.log_pane import key_of, moment, score_of, tier_of
from brvtui.lab.log_comparison import summarise
from brvtui.logbook import SessionLog
from brvtui.session import Session
from brvtui.tree.engine_files.query_log import LoggedQuery
from tests.fuzz.targets.target import QUERY, Target, Wrong, planted

_MOST = 50
_QUERY_LOG = {
    "id": "qry-1795176000000",
    "query": "how does the gate open",
    "status": "completed",
    "tier": 2,
    "startedAt": 1795176000000,
    "completedAt": 1795176000500,
    "timing": {"durationMs": 480},
    "matchedDocs": [{"path": "yard/gate.md", "score": 0.9}],
    "searchMetadata": {"resultCount": 1, "totalFound": 3, "topScore": 0.91, "cacheFingerprint": "abc"},
}


class _Log(Target):
    """A log, with valid entries beside it."""

    def __init__(self, folder: Path) -> None:
        self.session = planted(folder).session()
        self.good = LoggedQuery(5.0, "good", "brv-tui", "completed", 2, 3.0, 0.5, 1, ("x/good.md",))

    def looked_at(self, entries: list[LoggedQuery]) -> str:
        """Processes ``entries`` like the Log screen."""
        summarise(entries)
        for entry in entries:
            _ = key_of(entry), tier_of(entry), score_of(entry), moment(entry.at_ms), entry.from_cache
        for entry in entries[:3]:
            self.session.explainer.compare_logged(entry)
        return str(sorted({f"{entry.status} {entry.tier} {entry.engine}"[:40] for entry in entries}))


class EngineLog(_Log):
    """One file of the engine's log, beside a valid one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = self.session.logbook.engine.place
        self.folder.mkdir(parents=True)
        self.file = self.folder / "qry-1795176000000.json"
        good = {**_QUERY_LOG, "query": "good", "id": "qry-1"}
        (self.folder / "qry-1.json").write_text(json.dumps(good))

    def seeds(self) -> list[bytes]:
        odd = {"query": "q", "status": "error", "error": "it broke"}
        return [json.dumps(value).encode() for value in (_QUERY_LOG, {**_QUERY_LOG, "status": "processing"}, odd)]

    def run(self, data: bytes) -> str:
        self.file.write_bytes(data)
        found = self.session.logbook.read(_MOST)
        if "good" not in [entry.query for entry in found]:
            raise Wrong("a whole entry is lost")
        return self.looked_at(found)


class OwnLog(_Log):
    """The tool's own log, to which an entry is added and read again."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.log = SessionLog(self.session.project.tree)

    def seeds(self) -> list[bytes]:
        for query in (QUERY, "gate", "none"):
            self.session.logbook.add(self.session.preview(query), 1.0, 2.0)
        self.session.logbook.add(self.session.preview(QUERY, engine="jeffs_brain"), 1.0, 2.0)
        return [self.log.path.read_bytes()]

    def run(self, data: bytes) -> str:
        self.log.path.write_bytes(data + b"\n")
        self.log.add(self.good)
        if self.log.read(_MOST)[0] != self.good:
            raise Wrong("an entry that is added is not read")
        return self.looked_at(self.session.logbook.read(_MOST))


class EngineSignals(Target):
    """The engine's stored signals of a note."""

    def __init__(self, folder: Path) -> None:
        self.tree = planted(folder)
        self.tree.signals.clear()

    def seeds(self) -> list[bytes]:
        value = {"importance": 70, "recency": 0.5, "maturity": "core", "accessCount": 3, "updateCount": 1}
        return [json.dumps({"createdAt": 1, "updatedAt": 2, "value": value}).encode()]

    def run(self, data: bytes) -> str:
        file = self.tree.sidecar_file("x/good.md", "")
        file.write_bytes(data)
        session: Session = self.tree.session()
        try:
            trace = session.preview(QUERY)
            session.about("x/good.md")
            session.ageing.forecast(30)
            return f"{[(hit.path, round(hit.score, 2)) for hit in trace.hits][:2]}"
        finally:
            session.close()
