"""Renders a file of the tree for reading: notices, frontmatter as a table, and text as lines with links.

Import and use it only in a worker thread, since long notes and the import of the markdown parser take a while.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

from brvtui.app.markdown import (
    LINK,
    MOST_CHARS,
    Document,
    Full,
    LinkTarget,
    Resolve,
    Typesetter,
    fields,
    labelled_rule,
    plain,
    typeset,
)
from brvtui.app.states import GONE_TEXT
from brvtui.lab.about import About, FileState
from brvtui.paint.flow import Piece, Row, flow
from brvtui.paint.text import plural
from brvtui.text.visible import visible
from brvtui.tree.reading.conflicts import has_conflict, with_marks_as_text
from brvtui.tree.reading.files import CONTEXT_FILE
from brvtui.tree.reading.frontmatter import block_of
from brvtui.tree.reading.inside import TOPIC_ENDING
from brvtui.tree.reading.links import Link, LinkKind, LinkState, links_in
from brvtui.tree.spaces.topic_html import SEARCHED_ATTRIBUTES, TopicPart, UnreadableTopic, topic_parts

# Renders a topic of a space: its elements, and which parts are searched.


def put_topic(page: About, typesetter: Typesetter) -> None:
    """Adds the topic's attributes, its elements, and its text outside of elements."""
    try:
        parts = topic_parts(page.text)
    except UnreadableTopic as error:
        _put_text(typesetter, f"not read: {error}", "warn")
        return
    is_whole = not parts.topic.searched_elements
    label = "searched as a whole: no element has a valid id" if is_whole else "searched together with each element"
    labelled_rule(typesetter, label, _DASH)
    searched = [(name, [Piece(visible(parts.topic.attribute(name)) or "–", "text")]) for name in SEARCHED_ATTRIBUTES]
    fields(searched, typesetter)
    for part in parts.parts:
        _put_part(part, typesetter)
    if parts.silent:
        labelled_rule(typesetter, "not searched: other attributes, and the path", _DASH)
        fields([(name, _topic_value(name, value, typesetter)) for name, value in parts.silent.items()], typesetter)


def _put_part(part: TopicPart, typesetter: Typesetter) -> None:
    named = " ".join(word for word in (part.kind or "loose text", part.id if part.is_searched else "") if word)
    labelled_rule(typesetter, visible(f"{named} · {'searched' if part.is_searched else 'not searched'}"), _DASH)
    if part.why and not part.is_searched:
        _put_text(typesetter, f"not searched: {part.why}", "warn")
    _put_text(typesetter, part.text or "–", "text" if part.is_searched else "muted")
    if part.attributes:
        _put_text(
            typesetter,
            f"attributes, not searched: {', '.join(f'{n} {v}' for n, v in part.attributes.items())}",
            "muted",
        )


def _put_text(typesetter: Typesetter, text: str, role: str) -> None:
    for row in flow([Piece(visible(text), role)], typesetter.width - 1):
        typesetter.put(row)


def _topic_value(name: str, value: str, typesetter: Typesetter) -> Row:
    if name != _RELATED:
        return [Piece(visible(value) or "–", "muted")]
    row: Row = []
    for entry in filter(None, (one.strip() for one in value.split(","))):
        row += [Piece("\n")] if row else []
        row += typesetter.linked(visible(entry), LinkKind.RELATED, entry.lstrip("@"))
    return row or [Piece("–", "muted")]


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_RELATED = "related"
_DASH = "┄"


def page_document(
    page: About, width: int, raw: bool, is_abandoned: Callable[[], bool] = lambda: False, folded: str = ""
) -> Document:
    """Renders ``page`` in lines of ``width`` cells, or shows its ``raw`` text. A hint ``folded`` replaces frontmatter.

    A document that would take too long to render ends early, with a notice. Raises
    :class:`brvtui.app.markdown.Abandoned` once ``is_abandoned`` returns True.
    """
    typesetter = Typesetter(width, resolver(page), is_abandoned)
    try:
        _put(page, raw, folded, typesetter)
    except Full:
        typesetter.end_early("too long to be shown in full: open the note in your own editor to see the rest")
    return typesetter.document()


def _put(page: About, raw: bool, folded: str, typesetter: Typesetter) -> None:
    for sentence in notices(page):
        typesetter.warn(visible(sentence))
    if page.moved_to:
        link = typesetter.link(LinkTarget(page.moved_to))
        moved = [Piece("moved to ", "warn"), Piece(visible(page.moved_to), LINK, link)]
        for row in flow([*moved, Piece(f": {page.moved_how}", "warn")], typesetter.width - 1):
            typesetter.put(row)
    if page.problem:
        return
    if page.aged is not None and page.path.endswith(TOPIC_ENDING) and not raw:
        put_topic(page, typesetter)
    elif raw or not page.path.endswith(".md"):
        places = [(link.start, link.end, link.kind, link.target) for link in links_in(page.text[:MOST_CHARS])]
        plain(page.text, typesetter, places)
    else:
        _rendered(page, folded, typesetter)


def notices(page: About) -> Iterator[str]:
    """Yields the notices above ``page``, one sentence each."""
    if page.state is FileState.NEWER:
        yield "changed on disk since it was read: scores, signals and links are from the earlier text"
    if page.state is FileState.GONE and page.text:
        yield GONE_TEXT
    elif page.problem:
        yield page.problem
    if page.unseen:
        yield f"not read by the engine: {page.unseen}"
    if has_conflict(page.text):
        yield (
            "an unresolved conflict: keep one side and remove the markers (<<<<<<<); until then both sides are searched"
        )
    if page.unread_signals:
        yield "neither the engine nor this profile reads the signals in its frontmatter (signals.frontmatter)"
    if page.cut_lines:
        yield f"the engine does not read the last {plural(page.cut_lines, 'line')}"
    if page.cut_units:
        yield f"the engine reads only the beginning of {plural(page.cut_units, 'long line')}"


def resolver(page: About) -> Resolve:
    """Returns a function that finds the target of a link in the text of ``page``."""
    prefix = f"[{page.alias}]:" if page.alias else ""
    source = page.path.removeprefix(prefix)

    def resolve(kind: LinkKind, written: str) -> LinkTarget:
        name, fragment = written, ""
        if kind is LinkKind.MARKDOWN:
            if _SCHEME.match(written):
                return LinkTarget(outside=written)
            name, _, fragment = written.partition("#")
            name = unquote(name.partition("?")[0])
            if not name:
                return LinkTarget(fragment=fragment)
        target = page.names.resolve(Link(kind, name, 0, 0, 0, 0), source)
        if target.state in (LinkState.NOTE, LinkState.FOLDER):
            context = f"{target.path}/{CONTEXT_FILE}"
            path = context if target.state is LinkState.FOLDER and context in page.names.files else target.path
            return LinkTarget(f"{prefix}{path}", fragment)
        if target.state is LinkState.FOREIGN:
            return LinkTarget(outside=name)
        return LinkTarget(broken="no such note" if target.state is LinkState.BROKEN else "outside the tree")

    return resolve


def _where_broken(text: str) -> str:
    """Returns the line number and the error of broken frontmatter; empty if the frontmatter can be read."""
    from brvtui.tree.editing.fields import BrokenFrontmatter, fields_of

    try:
        fields_of(text)
    except BrokenFrontmatter as error:
        number = text.count("\n", 0, error.offset) + 1
        return f"line {number}: {error}"
    return ""


def _rendered(page: About, folded: str, typesetter: Typesetter) -> None:
    front = page.frontmatter
    block = block_of(page.text)
    body = page.text[front.body_start :]
    if front.problem and block:
        problem = f"unreadable frontmatter: {visible(_where_broken(page.text) or front.problem)}"
        typesetter.warn(problem)
        plain(block.rstrip("\n"), typesetter)
        body = page.text.partition(block)[2].partition("\n")[2]
    elif front.fields and folded:
        many = plural(len(front.fields), "field")
        labelled_rule(typesetter, f"frontmatter · {many} · {folded}", _DASH)
    elif front.fields:
        labelled_rule(typesetter, "frontmatter", _DASH)
        fields(((name, _value(name, value, typesetter)) for name, value in front.fields.items()), typesetter)
    if block and not (front.fields and folded):
        typesetter.put([Piece(_DASH * (typesetter.width - 1), "faint")])
    typeset(with_marks_as_text(body.lstrip("\n")), typesetter)


def _value(name: str, value: Any, typesetter: Typesetter) -> Row:
    """Returns a field's value as text; each entry of ``related`` is a link on its own line."""
    if name == _RELATED:
        row: Row = []
        for entry in value if isinstance(value, list) else [value]:
            text = str(entry)
            row += [Piece("\n")] if row else []
            row += typesetter.linked(visible(text), LinkKind.RELATED, text.lstrip("@"))
        return row
    return [Piece(visible(_words(value)), "text")]


def _words(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_words(entry) for entry in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(str(value).split("\n"))
