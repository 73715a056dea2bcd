"""Estimates the cost of parsing a topic before the parser sees it.

The WHATWG algorithm looks through its open elements at most tags, and repeats unclosed formatting elements after each
block, so its time and memory can grow with the square of a text's length. One pass over the tags bounds both. An end
tag counts only if it closes the element that was opened last: any other rule could count less than the parser does.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

MOST_COST = 200_000_000
"""Of a topic, in comparisons by the parser, each about 5 ns: at most a second."""
_NODE, _V4_NODE, _CLONES, _LOOPS, _REPEATED = 1_000, 10_000, 32, 8, 3
"""The cost of an element, and of one of V4's own, which is read, shown and checked; of a misnested formatting tag, new
elements and looks through the open ones; how often equal formatting elements are repeated."""
_SPACE = r" \t\n\f\r"
_VALUE = rf"""(?:"[^"]*+"|'[^']*+'|[^{_SPACE}>"'][^{_SPACE}>]*+)?+"""
_ATTRIBUTE = rf"[^{_SPACE}/>][^{_SPACE}/>=]*+(?:[{_SPACE}]*+=[{_SPACE}]*+{_VALUE})?+"
_TOKEN = re.compile(
    rf"<(?:(/?)([a-zA-Z][^{_SPACE}/>]*+)((?:[{_SPACE}/]++|{_ATTRIBUTE})*+)>?"
    r"|!--(?:-?>|.*?(?:--!?>|\Z))|!\[CDATA\[[^<]*?\]\]>|[!?/][^>]*+>?)",
    re.DOTALL,
)
_NO_TAGS = re.compile(r"<!(?:\[CDATA\[[^<]*?\]\]|--[^<]*?--)>")
"""A section of character data, or a comment, in which no tag begins, whatever it is in."""
_ATTRIBUTES = re.compile(_ATTRIBUTE)
_BREAKS = re.compile(rf"[{_SPACE}/\"']")
_FORMATTING = frozenset((
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"
))  # fmt: skip
_FORMATTING_TAGS = re.compile(rf"</?(?:{'|'.join(_FORMATTING)})(?=[{_SPACE}/>])", re.IGNORECASE)
_RAW = frozenset(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"])
"""Elements whose content is text up to their end tag, unless they are in one of :data:`_OTHER_RULES`."""
_OTHER_RULES = frozenset(("svg", "math", "select", "frameset"))
_VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"
))  # fmt: skip
"""Elements without content, unless they are in SVG."""
_CLOSES_ITSELF = frozenset(("p", "li", "dd", "dt"))


@lru_cache(maxsize=1)
def parsing_cost(html: str) -> int:
    """The most comparisons that a parser needs for ``html``; any number above :data:`MOST_COST` if it is too many."""
    cost = at = repeated = root_attributes = has_other_rules = 0
    opened: list[tuple[str, str]] = []
    unclosed: Counter[str] = Counter()
    while cost <= MOST_COST and (token := _TOKEN.search(html, at)):
        at = token.end()
        tag, end, name, rest = token[0], *token.groups()
        if name is None:
            if tag.startswith("<![CDATA[") and not tag.endswith("]]>"):  # its end depends on what it is in
                return cost + _worst_cost(html[at:], len(opened), repeated)
            cost += _NODE
            continue
        name = name.lower() if name.isascii() else name
        attributes = sum(1 for _ in _ATTRIBUTES.finditer(rest)) if rest else 0
        root_attributes += attributes * (name == "html")  # the parser adds them to those of the root
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
    """The most that ``html`` can cost, wherever its tags begin and end."""
    tags, formatting = html.count("<"), sum(1 for _ in _FORMATTING_TAGS.finditer(html))
    opened, repeated = opened + tags, repeated + formatting
    attributes = sum(1 for _ in _BREAKS.finditer(html))
    misnested = formatting * (_LOOPS * opened * (1 + repeated) + _NODE * _CLONES)
    return tags * (_V4_NODE * (1 + repeated) + opened) + misnested + attributes * attributes
