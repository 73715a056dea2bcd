"""Parses topics from their HTML (``docs/reference/byterover-v4.md``, "Topics").

lexbor parses the file as a fragment, with the WHATWG algorithm. V4's own rules decide which elements are read, and what
their texts are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from brvtui.tree.reading.javascript import folded, trim

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# Estimates the cost of parsing a topic before it is parsed. The WHATWG algorithm searches its open elements at most
# tags, and repeats unclosed formatting elements after each block, so its time and memory can grow with the square of
# the text's length. One pass over the tags finds an upper bound. An end tag is counted as closing an element only if
# that element was opened last, because any other rule could underestimate the parser's work.


MOST_COST = 200_000_000
"""The maximum cost of parsing a topic, in comparisons of the parser. Each takes about 5 ns, so parsing takes at most a
second.
"""
_NODE, _V4_NODE, _CLONES, _LOOPS, _REPEATED = 1_000, 8_900, 32, 8, 3
"""Costs, in comparisons of the parser, and numbers of repetitions.

In order: the cost of a tag; the cost of a start tag of one of V4's own elements, which is read, shown and checked
(20,000 of these elements are allowed if they are closed); the number of new elements that a misnested formatting tag
causes; the number of searches of the open elements that it causes; and how often equal formatting elements are
repeated.
"""
_SPACE = r" \t\n\f\r"
_VALUE = rf"""(?:"[^"]*+"|'[^']*+'|[^{_SPACE}>"'][^{_SPACE}>]*+)?+"""
_ATTRIBUTE = rf"[^{_SPACE}/>][^{_SPACE}/>=]*+(?:[{_SPACE}]*+=[{_SPACE}]*+{_VALUE})?+"
_TOKEN = re.compile(
    rf"<(?:(/?)([a-zA-Z][^{_SPACE}/>]*+)((?:[{_SPACE}/]++|{_ATTRIBUTE})*+)>?"
    r"|!--(?:-?>|.*?(?:--!?>|\Z))|!\[CDATA\[[^<]*?\]\]>|[!?/][^>]*+>?)",
    re.DOTALL,
)
_NO_TAGS = re.compile(r"<!(?:\[CDATA\[[^<]*?\]\]|--[^<]*?--)>")
"""A pattern for a CDATA section or comment that contains no tag, whatever surrounds it."""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_BREAKS = re.compile(rf"[{_SPACE}/\"']")
_FORMATTING = frozenset((
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"
))  # fmt: skip
_FORMATTING_TAGS = re.compile(rf"</?(?:{'|'.join(_FORMATTING)})(?=[{_SPACE}/>])", re.IGNORECASE)
_RAW = frozenset(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"])
"""Elements whose content is plain text up to their end tag, unless they are inside one of :data:`_OTHER_RULES`."""
_OTHER_RULES = frozenset(("svg", "math", "select", "frameset"))
_VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"
))  # fmt: skip
"""Elements that have no content, except inside SVG."""
_CLOSES_ITSELF = frozenset(("p", "li", "dd", "dt"))


@lru_cache(maxsize=1)
def parsing_cost(html: str) -> int:
    """Returns an upper bound on the number of comparisons that a parser needs for ``html``.

    Stops counting at a number above :data:`MOST_COST`.
    """
    cost = at = repeated = root_attributes = has_other_rules = 0
    opened: list[tuple[str, str]] = []
    unclosed: Counter[str] = Counter()
    while cost <= MOST_COST and (token := _TOKEN.search(html, at)):
        at = token.end()
        tag, end, name, rest = token[0], *token.groups()
        if name is None:
            if tag.startswith("<![CDATA[") and not tag.endswith("]]>"):  # where it ends depends on the parent
                return cost + _worst_cost(html[at:], len(opened), repeated)
            cost += _NODE
            continue
        name = name.lower() if name.isascii() else name
        attributes = sum(1 for _ in _ATTRIBUTES.finditer(rest)) if rest else 0
        root_attributes += attributes * (name == "html")  # the parser adds these attributes to the root element
        node = _V4_NODE if name.startswith("bv-") and not end else _NODE
        cost += node * (1 + repeated) + len(opened) + (attributes + root_attributes) ** 2
        is_formatting, is_last = name in _FORMATTING, bool(opened) and opened[-1][0] == name
        if is_formatting and not (end and is_last) and (end or (repeated and name in ("a", "nobr"))):
            cost += _LOOPS * len(opened) * (1 + repeated) + _NODE * _CLONES
        if end:
            if is_last:
                _, start = opened.pop()
                if is_formatting:
                    unclosed[start] -= 1
                    repeated -= unclosed[start] < _REPEATED
            continue
        has_other_rules |= name in _OTHER_RULES
        if name in _RAW:
            found = re.compile(rf"</{name}(?=[{_SPACE}/>])", re.IGNORECASE).search(html, at)
            content = html[at : found.start() if found else len(html)]
            if "<" in _NO_TAGS.sub("", content) and (has_other_rules or (name == "script" and "<!--" in content)):
                return cost + _worst_cost(html[at:], len(opened) + 1, repeated)
            at += len(content)
        if (name in _VOID and not has_other_rules) or (is_last and name in _CLOSES_ITSELF):
            continue
        opened.append((name, tag))
        if is_formatting:
            repeated += unclosed[tag] < _REPEATED
            unclosed[tag] += 1
    return cost


def _worst_cost(html: str, opened: int, repeated: int) -> int:
    """Returns the maximum cost of parsing ``html``, wherever its tags begin and end."""
    tags, formatting = html.count("<"), sum(1 for _ in _FORMATTING_TAGS.finditer(html))
    opened, repeated = opened + tags, repeated + formatting
    attributes = sum(1 for _ in _BREAKS.finditer(html))
    misnested = formatting * (_LOOPS * opened * (1 + repeated) + _NODE * _CLONES)
    return tags * (_V4_NODE * (1 + repeated) + opened) + misnested + attributes * attributes


TOPIC = "bv-topic"
INDEXED = tuple(
    f"bv-{kind}"
    for kind in (
        "fact", "decision", "flow", "rule", "bug", "fix", "pattern", "task", "changes", "highlights", "structure",
        "examples", "diagram",
    )
)  # fmt: skip
"""The kinds of elements that are searched if they have an id."""
SILENT = tuple(f"bv-{kind}" for kind in ("reason", "files", "timestamp", "author", "dependencies"))
"""The kinds of elements that are never searched on their own."""
KNOWN = frozenset({TOPIC, *INDEXED, *SILENT})
_INDEXED = frozenset(INDEXED)
_ID = re.compile(r"bve-[a-z0-9]{8}")
_TEXT, _IMAGE, _ROOT = "-text", "img", 0
MOST_TEXT = 20 * 1_048_576
"""The maximum total length, in characters, of the texts of a topic's elements: ten times the largest file.

The text of an outer element includes the texts of the elements in it.
"""
_MOST_REPEATED = 4 * 1_048_576
"""The maximum number of characters in a topic's attributes and images, counted once for each searched element."""


class UnreadableTopic(ValueError):
    """Raised if a topic is too large, too deep or too costly to read. The message is the reason in a few words."""


@dataclass(frozen=True, slots=True)
class TopicElement:
    """One of V4's 19 elements: its tag, attributes, and text with white space folded."""

    tag: str
    attributes: Mapping[str, str]
    text: str

    @property
    def id(self) -> str:
        """The element's id; empty if there is none."""
        return self.attributes.get("id", "")

    @property
    def is_document(self) -> bool:
        """True if the element is searched as a separate document, because its kind is indexed and its id is valid."""
        return self.tag in _INDEXED and is_element_id(self.id)


@dataclass(frozen=True, slots=True)
class Topic:
    """The content of one topic."""

    attributes: Mapping[str, str]
    """The attributes of the first ``bv-topic``; empty if there is none."""
    elements: tuple[TopicElement, ...]
    """V4's elements in document order, each before the elements inside it."""
    body: str
    """The text of the topic's whole file."""
    images: str
    """The alternative texts and sources of all images, joined by spaces."""

    @property
    def repeated(self) -> str:
        """The text that all documents of the topic share: attributes and images."""
        return " ".join((*self.attributes.values(), self.images))

    def attribute(self, name: str) -> str:
        """Returns the topic's attribute ``name``; empty if it is missing."""
        return self.attributes.get(name, "")

    @property
    def searched_elements(self) -> tuple[TopicElement, ...]:
        """The elements that are documents of their own; empty if the whole topic is one document."""
        return tuple(element for element in self.elements if element.is_document)


def is_element_id(text: str) -> bool:
    """True if ``text`` is an id under which an element is searched."""
    return _ID.fullmatch(text) is not None


def parse_topic(html: str) -> Topic:
    """Parses the topic in ``html``. Accepts any text, and reads malformed markup as a browser would.

    Raises :class:`UnreadableTopic` if the markup is too costly to parse, or if the texts of nested elements would have
    more than :data:`MOST_TEXT` characters.
    """
    found = _topic_or_problem(html)
    if isinstance(found, str):
        raise UnreadableTopic(found)
    return found


@lru_cache(maxsize=1)  # the same text is needed for a page, its parts and its problems
def _topic_or_problem(html: str) -> Topic | str:
    try:
        return _parsed(html)
    except UnreadableTopic as error:
        return str(error)


def _parsed(html: str) -> Topic:
    pieces: list[str] = []
    """The texts of the file in order. Adjacent text nodes are joined."""
    images: list[str] = []
    open_elements: list[tuple[int, str, Mapping[str, str], int, int]] = []
    numbered_elements: list[tuple[int, TopicElement]] = []
    count = repeated = 0

    def close(depth: int) -> None:
        nonlocal repeated
        while open_elements and open_elements[-1][0] >= depth:
            _, tag, attributes, first, number = open_elements.pop()
            text = " ".join(pieces[first:])
            repeated += len(text)
            if repeated > MOST_TEXT:
                raise UnreadableTopic("elements are nested too deeply")
            numbered_elements.append((number, TopicElement(tag, attributes, folded(text))))

    for node, depth, follows_text in _nodes(_root(html)):
        close(depth)
        tag = node.tag or ""
        if tag == _TEXT and follows_text:
            pieces[-1] += node.text_content or ""
        elif tag == _TEXT:
            pieces.append(node.text_content or "")
        elif tag == _IMAGE:
            found = _attributes(node)
            images += [value for name in ("alt", "src") if (value := trim(found.get(name, "")))]
        elif tag in KNOWN:
            open_elements.append((depth, tag, _attributes(node), len(pieces), count))
            count += 1
    close(_ROOT)
    elements = tuple(element for _, element in sorted(numbered_elements, key=lambda numbered: numbered[0]))
    first_topic = next((element.attributes for element in elements if element.tag == TOPIC), {})
    topic = Topic(first_topic, elements, folded(" ".join(pieces)), " ".join(images))
    if len(topic.searched_elements) * len(topic.repeated) > _MOST_REPEATED:
        raise UnreadableTopic("too many elements for such long attributes and images; split the topic")
    return topic


def loose_text(html: str) -> str:
    """Returns the text of the topic that is not inside any of V4's elements except ``bv-topic``, with white space
    folded.

    Raises :class:`UnreadableTopic` like :func:`parse_topic`.
    """
    pieces: list[str] = []
    within: int | None = None
    for node, depth, _ in _nodes(_root(html)):
        if within is not None and depth <= within:
            within = None
        tag = node.tag or ""
        if within is None and tag == _TEXT:
            pieces.append(node.text_content or "")
        elif within is None and tag in KNOWN and tag != TOPIC:
            within = depth
    return folded(" ".join(pieces))


def _root(html: str) -> LexborNode | None:
    """Parses ``html``, and returns the first node. Raises :class:`UnreadableTopic` if that takes too long."""
    from selectolax.lexbor import LexborHTMLParser  # imported here so that a tree of notes can be read without it

    if parsing_cost(html) > MOST_COST:
        raise UnreadableTopic("its markup is too costly to parse; split the topic, or close elements that are open")
    return LexborHTMLParser(html, is_fragment=True).root


def _nodes(first: LexborNode | None) -> Iterator[tuple[LexborNode, int, bool]]:
    """Yields each node from ``first`` on in document order, its depth, and True if its previous sibling is a text.

    Not recursive, because markup may be nested to any depth.
    """
    node, depth, follows_text = first, 0, False
    above: list[LexborNode] = []
    while node is not None:
        yield node, depth, follows_text
        child = node.first_child
        if child is not None:
            above.append(node)
            node, depth, follows_text = child, depth + 1, False
            continue
        follows_text, following = node.tag == _TEXT, node.next
        while following is None and above:
            node, depth, follows_text = above.pop(), depth - 1, False
            following = node.next
        node = following


def _attributes(node: LexborNode) -> Mapping[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


# The parts of a topic that are searched, and the reasons why other parts are not (``docs/reference/byterover-v4.md``,
# "Topics").


SEARCHED_ATTRIBUTES = ("title", "summary", "keywords")
"""Attributes of the topic that are searched with each of its documents."""
_WHOLE = "searched with the whole topic: no element has a valid id"


@dataclass(frozen=True, slots=True)
class TopicPart:
    """An element of a topic, or the text outside of V4's elements, which has no kind.

    ``why`` is the reason why the part is not searched on its own.
    """

    kind: str
    id: str
    attributes: Mapping[str, str]
    text: str
    is_searched: bool
    why: str


@dataclass(frozen=True, slots=True)
class TopicParts:
    """All parts of a topic in document order, ending with the loose text.

    ``silent`` are the attributes that are not searched.
    """

    topic: Topic
    parts: tuple[TopicPart, ...]
    silent: Mapping[str, str]


def topic_parts(html: str) -> TopicParts:
    """Returns the parts of the topic in ``html``. Raises :class:`brvtui.tree.spaces.topic_html.UnreadableTopic`."""
    topic = parse_topic(html)
    silent = {name: value for name, value in topic.attributes.items() if name not in SEARCHED_ATTRIBUTES}
    return TopicParts(topic, tuple(_parts(topic, loose_text(html))), silent)


def _parts(topic: Topic, loose: str) -> Iterator[TopicPart]:
    is_whole = not topic.searched_elements
    for element in topic.elements:
        if element.tag == TOPIC:
            continue
        searched = is_whole or element.is_document
        why = _WHOLE if is_whole else "" if element.is_document else _why_not(element)
        rest = {name: value for name, value in element.attributes.items() if name != "id"}
        yield TopicPart(element.tag.removeprefix("bv-"), element.id, rest, element.text, searched, why)
    if loose:
        yield TopicPart("", "", {}, loose, is_whole, _WHOLE if is_whole else "outside every element with an id")


def _why_not(element: TopicElement) -> str:
    if element.tag not in INDEXED:
        return "this kind is searched only inside an element that is searched"
    return f"its id {element.id} is not bve- plus eight lower-case letters or digits" if element.id else "it has no id"
