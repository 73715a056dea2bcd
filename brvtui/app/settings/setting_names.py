"""The groups of the Settings screen, with a readable name for each setting."""

from __future__ import annotations

from collections.abc import Mapping

_SERVICE = {"model": "Model", "url": "Address", "key_env": "Variable with the key"}


def _of_service(table: str, **names: str) -> dict[str, str]:
    return {f"{table}.{name}": title for name, title in {**_SERVICE, **names}.items()}


GROUPS: Mapping[str, Mapping[str, str]] = {
    "Appearance": {
        "theme": "Colour theme", "panes": "Panes of the Query screen", "animations": "Animations",
        "ascii": "Letters for symbols",
    },
    "Retrieval": {
        "engine": "Engine", "profile": "Profile", "signals.frontmatter": "Signals from frontmatter",
        "watch": "Follow changes on disk", "recording": "Record access hits", "history": "Past queries to remember",
        "hook_seconds": "Seconds that your agent's hook waits",
    },
    "Editing": {"editor.command": "Program that opens notes", "editor.keep_mtime": "Keep modification times"},
    "Language model": _of_service(
        "llm", protocol="Protocol", allowed="Call without asking", timeout="Time-out in seconds",
        sent_cents="Price of tokens sent", received_cents="Price of tokens received",
        answer_tokens="Token limit per answer", answer_cents="Cost limit per answer",
    ) | {"key_variables": "Other variables with keys"},
    "Embedding model": _of_service(
        "services.embedder", provider="Provider", batch_size="Texts per request", input_type="Text type for Voyage",
    ),
    "Reranker": _of_service("services.reranker"),
}  # fmt: skip
"""The names of settings by group and dotted name, in the order of the screen."""
OPEN = frozenset(tuple(GROUPS)[:3])
"""The groups of the program itself, which are open at first."""
