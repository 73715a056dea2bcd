"""Finds problems in a topic's HTML during editing: errors in V4, and parts that V4 leaves out of its search."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from rapidfuzz import process

from brvtui.tree.editing.problems import Problem, Severity
from brvtui.tree.reading.javascript import folded
from brvtui.tree.spaces.topic_html import (
    INDEXED,
    KNOWN,
    SEARCHED_ATTRIBUTES,
    TOPIC,
    Topic,
    UnreadableTopic,
    is_element_id,
    parse_topic,
)

_SKIPPED = r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title|template)\b.*?(?:</(?P=raw)\s*>|\Z)"
_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s>]*+)"""
_REST = rf"""(?:\s++|/(?!>)|=|["']|[^\s"'>/=]++(?:\s*+=\s*+{_VALUE})?+)*+"""
"""A pattern for the rest of a start tag.

Its possessive quantifiers prevent backtracking if the final ``>`` is missing.
"""
_TAG = re.compile(
    rf"{_SKIPPED}|<(?P<end>/?)(?P<name>bv-[^\s/>]*+)(?P<rest>{_REST})(?P<closed>/?)(?:>|\Z)", re.IGNORECASE | re.DOTALL
)
_PAIR = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]*))?""", re.DOTALL)
_LEAST_LIKENESS = 70.0
_ID_FORM = "bve- plus eight lower-case letters or digits"


@dataclass(frozen=True, slots=True)
class _Tag:
    """A start tag in the source, as V4 parses it."""

    name: str
    attributes: dict[str, str]
    offset: int
    is_closed: bool
    """True if the tag ends with ``/>``."""


def topic_problems(html: str, topics: Collection[str]) -> tuple[Problem, ...]:
    """The problems in the topic ``html``, by position. Raises no errors. ``topics`` are the paths of all topics."""
    starts = [0, *(found.end() for found in re.finditer("\n", html))]
    try:
        found = [*_of_topic(html, parse_topic(html), topics), *_of_tags(html)]
    except UnreadableTopic as error:
        found = [(0, str(error), Severity.ERROR)]
    problems = []
    for offset, message, severity in found:
        line = bisect_right(starts, offset) - 1
        problems.append(Problem(line, offset - starts[line], message, severity))
    return tuple(sorted(problems))


def topic_damage(was: str, now: str) -> str:
    """Describes the first part that V4 reads in ``was`` but not in ``now``, although ``now`` still contains it.

    ``was`` and ``now`` are the HTML of a topic. A searched attribute is also a part. Errors that only ``now`` has are
    described in the same way. The result is empty if there is no such part, or if V4 cannot read ``was``.
    """
    try:
        before = parse_topic(was)
    except UnreadableTopic:
        return ""
    try:
        after = parse_topic(now)
    except UnreadableTopic as error:
        return f"V4 would not read it: {error}"
    if lost := [name for name in SEARCHED_ATTRIBUTES if before.attribute(name) and not after.attribute(name)]:
        return f"the topic would have no {' and no '.join(lost)}"
    searched = {element.id for element in after.searched_elements}
    for element in before.searched_elements:
        if element.id not in searched and (element.id in now or (element.text and element.text in folded(now))):
            return f"{element.id} would not be searched"
    if before.body and not after.body and now.strip():
        return "none of its text would be read"
    errors = [
        Counter(message for _, message, severity in _of_tags(html) if severity is Severity.ERROR) for html in (was, now)
    ]
    return next((errors[1] - errors[0]).elements(), "")


_Found = tuple[int, str, Severity]


def _of_tags(html: str) -> Iterator[_Found]:
    """Yields unknown or unclosed elements, and elements whose id is missing, invalid or repeated."""
    tags: list[_Tag] = []
    open_tags: list[_Tag] = []
    opened: Counter[str] = Counter()
    for match in _TAG.finditer(html):
        if match["name"] is None:
            continue
        name = match["name"].lower()
        if match["end"]:
            if not opened[name]:
                yield match.start(), f"</{name}> closes nothing", Severity.WARNING
                continue
            while (tag := open_tags.pop()).name != name:
                opened[tag.name] -= 1
                yield _swallowing(tag)
            opened[name] -= 1
            continue
        tag = _Tag(name, _attributes(match["rest"]), match.start(), bool(match["closed"]))
        tags.append(tag)
        open_tags.append(tag)
        opened[name] += 1
        if name not in KNOWN:
            yield tag.offset, _unknown(name), Severity.ERROR
    for tag in open_tags:
        yield _swallowing(tag)
    yield from _of_ids(tags)


def _swallowing(tag: _Tag) -> _Found:
    what = f"<{tag.name} …/> closes nothing" if tag.is_closed else f"<{tag.name}> has no end tag"
    return tag.offset, f"{what}: the element contains everything up to the end of its parent", Severity.ERROR


def _of_ids(tags: list[_Tag]) -> Iterator[_Found]:
    indexed = [tag for tag in tags if tag.name in INDEXED]
    has_documents = any(is_element_id(tag.attributes.get("id", "")) for tag in indexed)
    seen: set[str] = set()
    for tag in indexed:
        identity = tag.attributes.get("id", "")
        if identity in seen and is_element_id(identity):
            yield (
                tag.offset,
                f"{identity} occurs twice: every query whose scope contains this topic fails",
                Severity.ERROR,
            )
        elif not is_element_id(identity) and has_documents:
            what = f"its id {identity} is not {_ID_FORM}" if identity else "it has no id"
            yield tag.offset, f"<{tag.name}> is not searched: {what}", Severity.ERROR
        seen.add(identity)


def _of_topic(html: str, topic: Topic, topics: Collection[str]) -> Iterator[_Found]:
    if not any(element.tag == TOPIC for element in topic.elements):
        yield 0, f"there is no {TOPIC}: the topic has no title, summary or keywords", Severity.WARNING
    if topic.attribute("sig"):
        yield (
            max(0, html.find("sig=")),
            "the topic is signed (sig): editing it here does not update the signature",
            Severity.WARNING,
        )
    for entry in filter(None, (one.strip() for one in topic.attribute("related").split(","))):
        if entry.lstrip("@") not in topics:
            yield max(0, html.find(entry)), f"related: there is no topic {entry.lstrip('@')}", Severity.WARNING


def _attributes(text: str) -> dict[str, str]:
    """Returns attributes by name in lower case. If a name occurs twice, the first one wins."""
    attributes: dict[str, str] = {}
    for name, value in _PAIR.findall(text):
        attributes.setdefault(name.lower(), value[1:-1] if value[:1] in ("'", '"') else value)
    return attributes


def _unknown(name: str) -> str:
    near = process.extractOne(name, sorted(KNOWN), score_cutoff=_LEAST_LIKENESS)
    meant = f": did you mean {near[0]}?" if near else ""
    return f"V4 does not know the element {name}{meant}"
