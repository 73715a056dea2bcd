"""The text of a link that follows a note to its new place, written as it was: the same style, quotes and ending."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote

from brvtui.tree.editing.yaml_scalar import double_quoted, scalar
from brvtui.tree.reading.links import Link, LinkKind, LinkState, Names, Resolved, Written, links_in, normalised

_ESCAPED = re.compile(r"[\s\x00-\x1f()<>%#?\\\"'`\[\]]")
_ESCAPED_IN_ANGLES = re.compile(r"[\x00-\x1f\x7f<>%#?\\`\u2028\u2029\x85]")


def follow(text: str, found: Resolved, source: str, target: str, names: Names) -> str | None:
    """What is to stand between the link's start and end in ``text`` when its note lies at ``source``.

    ``target`` is where the link is to lead, among the ``names`` of the tree afterwards. None when no text of this
    kind of link leads there.
    """
    link = found.link
    written = text[link.start : link.end]
    path = _named(found, written, source, target)
    made = _spelled(link, written, path)
    return made if _leads_to(link, made, source, names) == target else None


def _named(found: Resolved, written: str, source: str, target: str) -> str:
    path = normalised(target) if found.written is Written.NORMALISED and found.state is LinkState.NOTE else target
    if found.written is Written.RELATIVE:
        path = posixpath.relpath(target, posixpath.dirname(source) or ".")
        if written.startswith("./") and not path.startswith("."):
            path = f"./{path}"
    if found.state is LinkState.NOTE and not found.ending:
        path = path.removesuffix(".md")
    return f"{path}/" if written.endswith("/") else path


def _spelled(link: Link, written: str, path: str) -> str:
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


def _leads_to(link: Link, made: str, source: str, names: Names) -> str:
    """Where ``made`` leads in the place of ``link``; empty when it is no such link."""
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
