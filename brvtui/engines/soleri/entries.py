"""What the vault holds: entries, and records of past sessions (``docs/soleri.md``, "Notes as entries")."""

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
    """One entry of the vault. Times are seconds since 1970; None where there is none."""

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
    """How many characters of the context the TF-IDF comparison reads; None for all of them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts of the full-text index, in the order of :data:`COLUMNS`."""
        return (self.id, self.title, self.description, self.context, compact(self.tags))

    @property
    def compared(self) -> str:
        """The text of the TF-IDF comparison."""
        return f"{self.title} {self.description} {self.context[: self.compared_chars]} {' '.join(self.tags)}"

    @property
    def embedded(self) -> str:
        """The text that its vector stands for: title, description and context, as far as it has them."""
        return "\n".join(part for part in (self.title, self.description, self.context) if part)

    @property
    def has_window(self) -> bool:
        """Whether there are times at which it cannot be listed."""
        return self.valid_from is not None or self.valid_until is not None

    def is_listable(self, now: float) -> bool:
        """Whether its validity window is open at ``now``. A ``valid_until`` of 0 is over."""
        begun = self.valid_from is None or self.valid_from <= now
        return begun and (self.valid_until is None or self.valid_until > now)

    @property
    def tokens(self) -> int:
        """An estimate of its tokens: four characters each. Tags do not count."""
        texts = (self.title, self.description, self.context, self.example, self.counter_example, self.why)
        return math.ceil(sum(map(units, texts)) / _CHARS_PER_TOKEN)

    @property
    def budgeted_tokens(self) -> int:
        """The estimate that a token budget is compared with: its tags count, too."""
        texts = (self.title, self.description, self.context, self.example, self.counter_example, self.why)
        return math.ceil(sum(map(units, (*texts, compact(self.tags)))) / _CHARS_PER_TOKEN)

    def record(self) -> dict[str, Any]:
        """The entry under the names that Soleri gives its fields; optional ones only where they say something."""
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
"""What a memory's record holds that says nothing else."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What was remembered of a session, under the names that Soleri gives its fields."""

    record: Mapping[str, Any]

    @property
    def archived(self) -> bool:
        """Whether it is put away: it is not found then."""
        return self.record["archivedAt"] is not None

    @property
    def columns(self) -> tuple[str, ...]:
        """The texts of the full-text index, in the order of :data:`MEMORY_COLUMNS`."""
        held = self.record
        return (held["id"], held["context"], held["summary"], compact(held["topics"]))


def memory(record: Mapping[str, Any]) -> Memory:
    """The memory that ``record`` describes; fields that it leaves out are empty."""
    return Memory({**_MEMORY_FIELDS, **record})


def compact(tags: Sequence[str]) -> str:
    """``tags`` as compact JSON, as the database keeps and indexes them."""
    return json.dumps(list(tags), ensure_ascii=False, separators=(",", ":"))


def units(text: str) -> int:
    """The length of ``text`` in UTF-16 units."""
    return len(text) + sum(character > "\uffff" for character in text)
