"""Names, stubs and cues of archived notes, byte for byte as the engine writes them.

See ``docs/reference/byterover.md``, "The archive".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from brvtui.ranking.packing import estimated_tokens
from brvtui.tree.constants import ArchiveRules
from brvtui.tree.editing.fields import scalar
from brvtui.tree.reading.contents import first_units, units
from brvtui.tree.reading.files import ARCHIVE, Role, role_of
from brvtui.tree.reading.frontmatter import parse
from brvtui.tree.reading.javascript import folded

_STUB_END = ".stub.md"
_FULL_END = ".full.md"
_TYPE = "archive_stub"
_CUE_END = "..."
_PLAIN_FROM = 1e-6


class StubError(ValueError):
    """Raised if a stub cannot be restored. The message gives the reason, without the stub's name."""


@dataclass(frozen=True, slots=True)
class ArchivedAs:
    """The two files of an archived note: its searchable stub and its full text."""

    stub: str
    full: str


@dataclass(frozen=True, slots=True)
class Stub:
    """The two paths in a stub: the note's path before it was archived, and the path of its full text."""

    original_path: str
    points_to: str


def archived_as(path: str) -> ArchivedAs:
    """The paths in the archive for the note at ``path``, which must end in ``.md``."""
    bare = f"{ARCHIVE}/{path.removesuffix('.md')}"
    return ArchivedAs(f"{bare}{_STUB_END}", f"{bare}{_FULL_END}")


def stub_of(full: str) -> str:
    """The path of the stub that belongs to the archived full text at ``full``."""
    return f"{full.removesuffix(_FULL_END)}{_STUB_END}"


def stub_text(path: str, text: str, importance: float, now_ms: float, rules: ArchiveRules) -> str:
    """Returns the text of the stub for the note at ``path``, which contains ``text``.

    The result is identical to the stub that the engine writes if it has no model.
    """
    tokens = int(estimated_tokens(units(text), rules.chars_per_token))
    return (
        f"---\nevicted_at: '{_moment(now_ms)}'\nevicted_importance: {_number(importance)}\n"
        f"original_path: {scalar(path)}\noriginal_token_count: {tokens}\n"
        f"points_to: {scalar(archived_as(path).full)}\ntype: {_TYPE}\n---\n{cue(text, rules)}"
    )


def cue(text: str, rules: ArchiveRules) -> str:
    """Returns the start of ``text``, with runs of white space collapsed, followed by ``...``.

    If the limit splits a character, U+FFFD takes its place.
    """
    start = first_units(folded(text), rules.cue_units)
    return start.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") + _CUE_END


def read_stub(text: str) -> Stub:
    """Parses the stub ``text``. Raises :class:`StubError` if it is not a stub, or if it names forbidden paths."""
    fields = parse(text).fields
    if fields.get("type") != _TYPE:
        raise StubError(f"its frontmatter does not say type: {_TYPE}")
    original, full = _path(fields, "original_path"), _path(fields, "points_to")
    if role_of(original) not in (Role.NOTE, Role.CONTEXT) or original.startswith(f"{ARCHIVE}/"):
        raise StubError(f"original_path is {original!r}, which is not the path of a note")
    if role_of(full) is not Role.ARCHIVED:
        raise StubError(f"points_to is {full!r}, which is not a full text in {ARCHIVE}")
    return Stub(original, full)


def _path(fields: dict[str, Any], key: str) -> str:
    """The path under ``key``. Raises :class:`StubError` unless it is a relative path to an ``.md`` file in the tree."""
    path = fields.get(key)
    if not isinstance(path, str) or not path:
        raise StubError(f"{key} is missing")
    if path.startswith("/") or "\\" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise StubError(f"{key} is {path!r}, which points outside the tree")
    if not path.endswith(".md"):
        raise StubError(f"{key} is {path!r}, which does not end in .md")
    return path


def _moment(now_ms: float) -> str:
    moment = datetime.fromtimestamp(now_ms / 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def _number(value: float) -> str:
    """``value`` (0..100) as the engine's YAML writer formats it."""
    if float(value).is_integer():
        return str(int(value))
    if value >= _PLAIN_FROM:
        return f"{Decimal(repr(value)):f}"
    digits, _, exponent = repr(value).partition("e")
    return f"{digits}{'' if '.' in digits else '.'}e{int(exponent)}"
