"""Parsers of foreign files and replies. Each target defines how its inputs are mutated and what its output must
satisfy.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.fuzz.mutation import (
    Mutate,
    mutate_bytes,
    mutate_events,
    mutate_json,
    mutate_json_lines,
    mutate_toml,
)
from tests.fuzz.targets.target import Target
from tests.fuzz.yaml_grammar import mutate_note


@dataclass(frozen=True, slots=True)
class Kind:
    """A target: its module and class, how its inputs are mutated, and its share of the time."""

    module: str
    name: str
    mutate: Mutate
    share: float = 1.0


TARGETS = {
    "note": Kind("notes", "Note", mutate_note, 3),
    "project settings": Kind("projects", "ProjectSettings", mutate_toml, 2),
    "project profile": Kind("projects", "ProjectProfile", mutate_toml, 2),
    "user settings": Kind("projects", "UserSettings", mutate_toml),
    "worktree pointer": Kind("projects", "Pointer", mutate_json),
    "shared sources": Kind("projects", "Sources", mutate_json),
    "engine config": Kind("projects", "EngineConfig", mutate_json, 0.3),
    "judgments": Kind("judgments", "JudgmentsOfProject", mutate_toml, 2),
    "saved evaluation": Kind("judgments", "SavedEvaluation", mutate_json, 2),
    "saved trace": Kind("traces", "SavedTraces", mutate_json, 4),
    "chat completions": Kind("replies", "Chat", mutate_events, 2),
    "messages": Kind("replies", "Messages", mutate_events, 2),
    "http head": Kind("replies", "Head", mutate_bytes),
    "embeddings": Kind("replies", "Embeddings", mutate_json, 1.5),
    "reranking": Kind("replies", "Reranking", mutate_json, 1.5),
    "kept index": Kind("own_files", "Kept", mutate_bytes, 1.5),
    "vectors": Kind("own_files", "Vectors", mutate_bytes),
    "overlay": Kind("own_files", "OverlayFile", mutate_json),
    "draft": Kind("own_files", "Draft", mutate_json, 0.5),
    "history": Kind("own_files", "HistoryFile", mutate_json, 0.5),
    "feedback": Kind("own_files", "Feedback", mutate_json_lines, 0.5),
    "own log": Kind("logs", "OwnLog", mutate_json_lines),
    "engine log": Kind("logs", "EngineLog", mutate_json, 2),
    "engine signals": Kind("logs", "EngineSignals", mutate_json),
    "app on a trace": Kind("apps", "OnTrace", mutate_json, 2),
    "app on a log": Kind("apps", "OnLog", mutate_json, 1.5),
    "app with a layout": Kind("apps", "WithLayout", mutate_json),
    "app with settings": Kind("apps", "WithSettings", mutate_toml),
    "app on a note": Kind("apps", "OnNote", mutate_note, 1.5),
}


_CHECKS = {"misbehaving": Kind("misbehaving", "Misbehaving", mutate_bytes)}


def open_target(name: str, folder: Path) -> Target:
    """The target ``name``, which uses the empty ``folder``."""
    kind = {**TARGETS, **_CHECKS}[name]
    target: Target = getattr(import_module(f"tests.fuzz.targets.{kind.module}"), kind.name)(folder)
    return target
