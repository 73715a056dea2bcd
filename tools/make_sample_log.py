#!/usr/bin/env python3
"""Writes sample-tree/query-log.json: a week of an agent's queries to the sample.

    python tools/make_sample_log.py [--check]

The queries and their times are invented, and so are the durations, which follow ByteRover's documentation. Documents,
tiers, scores and answers come from the engine `byterover`, which runs each query at its own time. One of the answers
that a model would have written is invented, and the others are left out. The transcript, with the delivery of some
answers to the agent and its replies, is invented, too. With --check nothing is written, and the exit code is 1 if the
file differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "sample-tree"
FILE = SAMPLE / "query-log.json"
NOW = "2026-11-20T12:00:00+00:00"
_MS_PER_DAY = 86_400_000
_TIER_MS = (4, 46, 138, 3_900, 10_600)
"""The durations in milliseconds, by tier."""
WEEK = (
    (6.91, "how do we replay the dead letter lane"),
    (6.9095, "replay the dead letter lane safely"),
    (6.72, "carrier resends"),
    (6.70, "duplicate carrier events"),
    (6.08, "foghorn deploy"),
    (5.93, "which alerts have no runbook"),
    (5.81, "Wie wechseln wir das AS2-Zertifikat bei Nordhav"),
    (5.10, "what does the pepper do"),
    (4.94, "idempotent usage stream"),
    (4.88, "kubernetes ingress nginx"),
    (4.12, "mobile crash budget"),
    (3.96, "platform/database lock timeout"),
    (3.83, "black friday"),
    (3.05, "webhok signature"),
    (3.0495, "webhok signature"),
    (2.92, "emissions"),
    (2.77, "quiet hours"),
    (2.04, "can consignees unsubscribe"),
    (1.93, "Istio Envoy sidecar certificate"),
    (1.86, "are umlauts folded on labels"),
    (1.15, "dispatcher roles"),
    (1.09, "which shelf has the test devices"),
    (0.94, "billing/invoicing"),
    (0.21, "foghorn deploy"),
    (0.16, "what about my pension"),
    (0.03, "how do I rotate the jwt keys"),
)
"""The ages in days of the queries, oldest first."""


TURNS = {
    "how do we replay the dead letter lane": ("arrives", "I follow ingest/pipeline/dead_letter_replay.md."),
    "replay the dead letter lane safely": ("arrives", "Same steps as before."),
    "foghorn deploy": ("arrives", "Done."),
    "which alerts have no runbook": ("late", "I found no list of alerts, so I asked on the channel."),
    "what does the pepper do": ("arrives", "It is mixed into each password before hashing."),
    "idempotent usage stream": ("ignored", "I know no rule for the usage stream. I wrote it without a key."),
    "kubernetes ingress nginx": ("arrives", "There is nothing about it in the memory."),
    "black friday": ("file", "I know nothing about that night."),
    "emissions": ("arrives", "I computed the emissions from the distance alone."),
    "can consignees unsubscribe": ("arrives", "I found no rule, so I added a link to each message."),
    "how do I rotate the jwt keys": ("arrives", "I rotated the refresh tokens."),
}
"""The delivery of some answers to the agent, and its replies."""
_HOOK = {"hookEvent": "UserPromptSubmit", "command": "brv-claude-plugin recall"}
_MODEL = {"which alerts have no runbook": "None should: every alert names its runbook, and CI follows the link."}
"""The model's answers that the story needs."""
_SAVED = "Output too large. Full output saved to: /home/agent/.claude/week/hook-1-additionalContext.txt"


def transcript(number: int, query: str, response: str, took_ms: int) -> list[dict[str, Any]]:
    """The rows of Claude Code's transcript about ``query``: the prompt, the actions of the hook, and the reply."""
    way, reply = TURNS.get(query, ("", ""))
    if not reply or (way != "late" and not response):
        return []
    intro = "The following knowledge is from ByteRover context engine:"
    context = f"<byterover-context>\n{intro}\n\n{response}\n</byterover-context>"
    keys = (
        {"additionalContext": context} if way == "ignored" else {"hookSpecificOutput": {"additionalContext": context}}
    )
    printed = "" if way == "late" else json.dumps(keys)
    hook: list[dict[str, Any]] = [
        {"type": "hook_success", "stdout": printed, "exitCode": 0, "durationMs": min(took_ms, 6_004)}
    ]
    if way in ("arrives", "file"):
        content = f"<persisted-output>\n{_SAVED}\n</persisted-output>" if way == "file" else context
        hook.append({"type": "hook_additional_context", "content": [content]})
    rows: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "content": query}},
        *({"type": "attachment", "attachment": {**one, **_HOOK}} for one in hook),
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": reply}]}},
    ]
    return [{"sessionId": "week", "uuid": f"{number}-{place}", **row} for place, row in enumerate(rows)]


def entries() -> list[dict[str, Any]]:
    """The entries of the log, oldest first, with their ages in days."""
    from brvtui.session import Session

    now_ms = datetime.fromisoformat(NOW).timestamp() * 1000
    with tempfile.TemporaryDirectory() as place:
        os.environ.update(BRV_TUI_DATA_DIR=f"{place}/data", BRV_DATA_DIR=f"{place}/engine")
        project = Path(place, "sample-tree")
        shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns(".restamped", "query-log", "transcripts"))
        stamp = [sys.executable, str(SAMPLE / "restamp.py"), "--tree", str(project), "--now", NOW]
        subprocess.run(stamp, check=True, capture_output=True)
        session = Session.open(project, now_ms=now_ms)
        session.load()
        found = [_entry(session, now_ms, days, query) for days, query in WEEK]
        for number, entry in enumerate(found):
            took_ms = entry["timing"]["durationMs"]
            entry |= {"response": _MODEL[entry["query"]]} if entry["query"] in _MODEL else {}
            entry["transcript"] = transcript(number, entry["query"], entry.get("response", ""), took_ms)
        session.close()
    return found


def _entry(session: Any, now_ms: float, days: float, query: str) -> dict[str, Any]:
    """The entry about ``query``, asked ``days`` before ``now_ms``."""
    session.clock = lambda: now_ms - round(days * _MS_PER_DAY)
    trace = session.run(query)
    hits = [{"path": hit.path, "score": hit.score, "title": hit.title} for hit in trace.hits]
    top = hits[0]["score"] if hits else 0
    entry = {
        "days": days,
        "query": query,
        "status": "completed",
        "tier": trace.tier,
        "timing": {"durationMs": _TIER_MS[trace.tier] + len(query)},
    }
    if trace.answer.kind != "cached":  # the engine does not search for a cached answer
        entry["matchedDocs"] = hits
        entry["searchMetadata"] = {"resultCount": len(hits), "topScore": top, "totalFound": trace.total_found}
    return entry if trace.answer.awaits_model else {**entry, "response": trace.answer.text}


def main() -> int:
    """Writes or checks the file. Returns the exit code."""
    text = json.dumps(entries(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv[1:]:
        return int(FILE.read_text(encoding="utf-8") != text)
    FILE.write_text(text, encoding="utf-8")
    print(f"wrote {len(WEEK)} queries to {FILE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
