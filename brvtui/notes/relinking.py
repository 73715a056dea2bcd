"""Rewrites links to a moved note in the style in which they were written: the same form, quotes and ending."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

from brvtui.tree.editing.yaml_scalar import double_quoted, scalar
from brvtui.tree.reading.links import Link, LinkKind, LinkState, Names, Resolved, Written, links_in, normalised

_ESCAPED = re.compile(r"[\s\x00-\x1f()<>%#?\\\"'`\[\]]")
_ESCAPED_IN_ANGLES = re.compile(r"[\x00-\x1f\x7f<>%#?\\`\u2028\u2029\x85]")


def relinked(text: str, found: Resolved, source: str, target: str, names: Names) -> str | None:
    """The text to put between the link's start and end in ``text``, so that it leads to ``target``.

    ``source`` is the path of the note that holds the link, and ``names`` are those of the tree, both after the move.
    None when a link of this kind cannot lead there.
    """
    link = found.link
    written = text[link.start : link.end]
    path = _relinked_path(found, written, source, target)
    made = _written_as(link, written, path)
    return made if _target_of(link, made, source, names) == target else None


def _relinked_path(found: Resolved, written: str, source: str, target: str) -> str:
    path = normalised(target) if found.written is Written.NORMALISED and found.state is LinkState.NOTE else target
    if found.written is Written.RELATIVE:
        path = posixpath.relpath(target, posixpath.dirname(source) or ".")
        if written.startswith("./") and not path.startswith("."):
            path = f"./{path}"
    if found.state is LinkState.NOTE and not found.ending:
        path = path.removesuffix(".md")
    return f"{path}/" if written.endswith("/") else path


def _written_as(link: Link, written: str, path: str) -> str:
    if link.kind is LinkKind.RELATION:
        return f"@{path}"
    if link.kind is LinkKind.MARKDOWN:
        escaped = _ESCAPED_IN_ANGLES if link.quote else _ESCAPED
        return escaped.sub(lambda character: quote(character[0], safe=""), path)
    value = f"@{path}" if written.lstrip("'\"").startswith("@") else path
    if link.quote == '"':
        return double_quoted(value)
    plain = scalar(value, link.in_flow)
    if link.quote == "'" and plain == value:
        return f"'{value.replace(chr(39), chr(39) * 2)}'"
    return plain


def _target_of(link: Link, made: str, source: str, names: Names) -> str:
    """The path to which ``made`` leads in place of ``link``; empty when it would not be read as one such link."""
    if link.kind is LinkKind.MARKDOWN:
        around = f"[text](<{made}>)" if link.quote else f"[text]({made})"
    elif link.kind is LinkKind.RELATION:
        around = made
    else:
        around = f"---\nrelated: [{made}]\n---\n" if link.in_flow else f"---\nrelated:\n  - {made}\n---\n"
    read = links_in(around)
    if len(read) != 1 or around[read[0].start : read[0].end] != made:
        return ""
    return names.resolve(read[0], source).path
