"""The transcript of an agent's session, and the engine's log beside it, for tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brvtui.tree.engine_files.query_log import query_log_folder
from brvtui.tree.engine_files.sidecar import project_data
from tests.support.trees import NOW_MS, Tree

Row = dict[str, Any]
PROMPT = "how do refresh tokens rotate?"
ANSWER = "Each use gives a new token."


def context(text: str = ANSWER) -> str:
    intro = "The following knowledge is from ByteRover context engine:"
    return f"<byterover-context>\n{intro}\n\n{text}\n</byterover-context>"


class Session:
    """A transcript of one session, and the engine's log beside it."""

    def __init__(self, project: Tree, folder: Path, name: str = "s1") -> None:
        self.project, self.name = project, name
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{name}.jsonl"
        self.file.touch()
        self.count = 0

    def row(self, kind: str, after_s: float = 0.0, **values: Any) -> str:
        self.count += 1
        time = datetime.fromtimestamp(NOW_MS / 1000 - 3600 + after_s, UTC).isoformat()
        row = {"type": kind, "uuid": f"{self.name}-{self.count}", "sessionId": self.name, "timestamp": time}
        with self.file.open("a") as out:
            out.write(json.dumps({**row, "cwd": str(self.project.root), **values}) + "\n")
        return str(row["uuid"])

    def prompt(self, text: str = PROMPT, after_s: float = 0.0, **values: Any) -> str:
        return self.row("user", after_s, message={"role": "user", "content": text}, **values)

    def hook(self, kind: str, after_s: float = 1.0, **values: Any) -> str:
        attachment = {"type": kind, "hookEvent": "UserPromptSubmit", "command": "brv-claude-plugin recall", **values}
        return self.row("attachment", after_s, attachment=attachment)

    def attached(self, text: str = ANSWER, after_s: float = 1.0) -> str:
        return self.hook("hook_additional_context", after_s, content=[context(text)])

    def call(self, name: str, after_s: float = 1.0, **given: Any) -> str:
        block = {"type": "tool_use", "id": f"t{self.count}", "name": name, "input": given}
        self.row("assistant", after_s, message={"role": "assistant", "content": [block]})
        return str(block["id"])

    def result(self, call: str, text: str = ANSWER, after_s: float = 2.0, **values: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": text}], **values}
        return self.row("user", after_s, message={"role": "user", "content": [block]})

    def reply(self, text: str, after_s: float = 3.0) -> str:
        content = [{"type": "text", "text": text}]
        return self.row("assistant", after_s, message={"role": "assistant", "content": content})

    def log(
        self, query: str = PROMPT, seconds: float = 0.2, after_s: float = 0.1, tier: int = 2, **values: Any
    ) -> None:
        folder = query_log_folder(project_data(self.project.root))
        folder.mkdir(parents=True, exist_ok=True)
        began = round(NOW_MS - 3_600_000 + after_s * 1000)
        entry = {
            "query": query,
            "startedAt": began,
            "status": "completed",
            "tier": tier,
            "timing": {"durationMs": seconds * 1000},
            "matchedDocs": [{"path": "auth/jwt/rotation.md", "score": 0.9, "title": "Refresh rotation"}],
            "searchMetadata": {"resultCount": 1, "topScore": 0.9, "totalFound": 1},
            "response": ANSWER,
        }
        (folder / f"qry-{began}.json").write_text(json.dumps({**entry, **values}))
