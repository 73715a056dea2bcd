"""The contents of the vault: entries, and memories of past sessions.

See ``docs/reference/soleri.md``, "Notes as entries".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

COLUMNS = ("id", "title", "description", "context", "tags")
"""The columns of the full-text index."""
MEMORY_COLUMNS = ("id", "context", "summary", "topics")
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class VaultEntry:
    """One entry in the vault. Times are in seconds since 1970, or None if unset."""

    id: str
    type: str
    domain: str
    title: str
    severity: str
    description: str
    tags: tuple[str, ...] = ()
    context: str = ""
    example: str = ""
    counter_example: str = ""
    why: str = ""
    applies_to: tuple[str, ...] = ()
    tier: str = "agent"
    origin: str = "agent"
    valid_from: float | None = None
    valid_until: float | None = None
    created_at: float | None = None
    updated_at: float | None = None
    compared_chars: int | None = None
    """The number of characters of the context that are used for TF-IDF; None for all."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts for full-text search, in the order of :data:`COLUMNS`."""
        return (self.id, self.title, self.description, self.context, compact(self.tags))

    @property
    def compared(self) -> str:
        """The text for the entry's TF-IDF vector."""
        return f"{self.title} {self.description} {self.context[: self.compared_chars]} {' '.join(self.tags)}"

    @property
    def embedded(self) -> str:
        """The text for the entry's vector: the title, description and context that are not empty."""
        return "\n".join(part for part in (self.title, self.description, self.context) if part)

    @property
    def has_window(self) -> bool:
        """True if the entry has a validity window."""
        return self.valid_from is not None or self.valid_until is not None

    def is_listable(self, now: float) -> bool:
        """True if the entry's validity window is open at ``now``, so that searches can find the entry. A
        ``valid_until`` of 0 is in the past.
        """
        begun = self.valid_from is None or self.valid_from <= now
        return begun and (self.valid_until is None or self.valid_until > now)

    @property
    def tokens(self) -> int:
        """The estimated number of tokens in the entry without its tags, at four characters per token."""
        texts = (self.title, self.description, self.context, self.example, self.counter_example, self.why)
        return math.ceil(sum(map(units, texts)) / _CHARS_PER_TOKEN)

    @property
    def budgeted_tokens(self) -> int:
        """The estimated number of tokens in the entry with its tags, which is used for token budgets."""
        texts = (self.title, self.description, self.context, self.example, self.counter_example, self.why)
        return math.ceil(sum(map(units, (*texts, compact(self.tags)))) / _CHARS_PER_TOKEN)

    def record(self) -> dict[str, Any]:
        """The entry as a record with Soleri's field names. Empty optional fields are left out."""
        required = {
            "id": self.id,
            "type": self.type,
            "domain": self.domain,
            "title": self.title,
            "severity": self.severity,
            "description": self.description,
        }
        optional = {
            "context": self.context,
            "example": self.example,
            "counterExample": self.counter_example,
            "why": self.why,
            "validFrom": self.valid_from,
            "validUntil": self.valid_until,
        }
        return {
            **required,
            **{name: value for name, value in optional.items() if value not in ("", None)},
            "tags": list(self.tags),
            "appliesTo": list(self.applies_to),
            "tier": self.tier,
            "origin": self.origin,
        }


_MEMORY_FIELDS: Mapping[str, Any] = {
    "topics": [],
    "filesModified": [],
    "toolsUsed": [],
    "intent": None,
    "decisions": [],
    "currentState": None,
    "nextSteps": [],
    "vaultEntriesReferenced": [],
    "archivedAt": None,
}
"""The defaults of a memory's fields."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory of a past session, as a record with Soleri's field names."""

    record: Mapping[str, Any]

    @property
    def archived(self) -> bool:
        """True if the memory is archived. Searches ignore archived memories."""
        return self.record["archivedAt"] is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts for full-text search, in the order of :data:`MEMORY_COLUMNS`."""
        record = self.record
        return (record["id"], record["context"], record["summary"], compact(record["topics"]))


def memory(record: Mapping[str, Any]) -> Memory:
    """The memory with the fields of ``record``, and with defaults for missing fields."""
    return Memory({**_MEMORY_FIELDS, **record})


def compact(tags: Sequence[str]) -> str:
    """``tags`` as compact JSON, which is the form that the database stores and indexes."""
    return json.dumps(list(tags), ensure_ascii=False, separators=(",", ":"))


def units(text: str) -> int:
    """The length of ``text`` in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)
