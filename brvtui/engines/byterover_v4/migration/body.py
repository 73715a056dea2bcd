"""The elements that V4's migration makes of a note's body, section by section."""

from __future__ import annotations

import re
from collections.abc import Callable

from brvtui.engines.byterover_v4.migration.html import element, escaped
from brvtui.engines.byterover_v4.migration.markdown import CLOSED_FENCE, bullets, labels, sections, without_title
from brvtui.tree.reading.whitespace import SPACE, trim

_FACT, _STRUCTURE, _EXAMPLES, _DIAGRAM = "bv-fact", "bv-structure", "bv-examples", "bv-diagram"
_TAKEN_WHOLE = {
    "reason": "bv-reason", "overview": "bv-reason", "purpose": "bv-reason",
    "structure": _STRUCTURE, "architecture": _STRUCTURE, "scope": _STRUCTURE,
    "dependencies": "bv-dependencies",
    "highlights": "bv-highlights", "features": "bv-highlights",
    "examples": _EXAMPLES,
}  # fmt: skip
"""The elements of sections whose text is taken as it is."""
_LABELLED = {
    "task": "bv-task", "tasks": "bv-task", "flow": "bv-flow", "flows": "bv-flow", "timestamp": "bv-timestamp",
    "timestamps": "bv-timestamp", "author": "bv-author", "authors": "bv-author",
}  # fmt: skip
_LISTED = {"change": "bv-changes", "changes": "bv-changes", "file": "bv-files", "files": "bv-files"}
_IN_NARRATIVE = {
    "dependencies": "bv-dependencies", "examples": _EXAMPLES, "highlights": "bv-highlights", "features": "bv-highlights"
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9_]+")
_SUBJECT = re.compile(rf"\*\*(.+?)\*\*[{SPACE}]*:[{SPACE}]*(.+)")
_CATEGORIES = frozenset({"personal", "project", "preference", "convention", "team", "environment"})
_OTHER = "other"
_PATTERN = re.compile(rf"`(.+?)`(?:[{SPACE}]*\(flags:[{SPACE}]*([^)]*)\))?(?:[{SPACE}]*-[{SPACE}]*(.+))?")
_DIAGRAM_KINDS = frozenset({"mermaid", "plantuml", "ascii", "dot", "graphviz"})
_MUST, _SHOULD = re.compile(r"\b(?:MUST|SHALL)\b", re.ASCII), re.compile(r"\bSHOULD\b", re.ASCII)
_SEVERITY_WORDS = re.compile(r"\b(?:must|should|may|shall|info)\b", re.ASCII | re.IGNORECASE)
_NOT_IN_IDS = re.compile(r"[^a-z0-9]+")
_ID_UNITS = 48


def elements_of(body: str) -> str:
    """The markup of the elements that ``body``, a note without its frontmatter, becomes."""
    lead, parts = sections(body, "##")
    rules: dict[str, int] = {}
    """The ids of rules so far."""
    made = "".join(_section(part.heading.lower(), part.text, rules) for part in parts)
    if not made:
        return element(_FACT, body)
    return element(_FACT, without_title(lead)) + made


def _section(heading: str, text: str, rules: dict[str, int]) -> str:
    if heading in _TAKEN_WHOLE:
        return element(_TAKEN_WHOLE[heading], text)
    match heading:
        case "facts" | "evidence":
            return _listed(text, _fact)
        case "rules":
            return _listed(text, lambda item: _rule(item, rules))
        case "decisions":
            return _listed(text, lambda item: element("bv-decision", item))
        case "patterns":
            return _listed(text, lambda item: element("bv-pattern", item))
        case "raw concept":
            return _raw_concept(text)
        case "narrative":
            return _narrative(text, rules)
        case "relations":
            return ""
    return element(_FACT, text)


def _listed(text: str, made_of: Callable[[str], str]) -> str:
    """What is made of each bullet of ``text``, then its stray text as a fact."""
    items, stray = bullets(text)
    return "".join(map(made_of, items)) + element(_FACT, stray)


def _fact(item: str) -> str:
    subject = _SUBJECT.fullmatch(item)
    text = subject[2] if subject else item
    attributes = {"subject": subject[1]} if subject else {}
    before, _, name = text.removesuffix("]").rpartition("[")
    if text.endswith("]") and before and _WORD.fullmatch(name):
        category = name.lower()
        text, attributes = before, {**attributes, "category": category if category in _CATEGORIES else _OTHER}
    return element(_FACT, text, attributes)


def _rule(item: str, taken: dict[str, int]) -> str:
    """The rule ``item``; its id is added to those ``taken``, each with the number after which to look for the next."""
    severity = "must" if _MUST.search(item) else "should" if _SHOULD.search(item) else "info"
    words = _NOT_IN_IDS.sub("-", _SEVERITY_WORDS.sub("", item).lower()).strip("-")
    base = words[:_ID_UNITS] or "rule"
    identity, number = base, taken.get(base, 1)
    while identity in taken:
        number += 1
        identity = f"{base}-{number}"
    taken[base] = number
    taken.setdefault(identity, 1)
    return element("bv-rule", item, {"severity": severity, "id": identity})


def _pattern(item: str) -> str:
    found = _PATTERN.fullmatch(item)
    if found is None:
        return element("bv-pattern", item)
    return element("bv-pattern", found[1], {"flags": found[2] or "", "description": found[3] or ""})


def _raw_concept(text: str) -> str:
    lead, parts = labels(text)
    made = [element(_FACT, lead)]
    for label in parts:
        name = label.heading.lower()
        if name in _LABELLED:
            made.append(element(_LABELLED[name], label.text))
        elif name in _LISTED:
            made.append(_items(_LISTED[name], label.text))
        elif name in ("pattern", "patterns"):
            made.append(_listed(label.text, _pattern))
        else:
            made.append(element(_FACT, f"{label.heading}: {trim(label.text)}".removesuffix(": ")))
    return "".join(made)


def _items(tag: str, text: str) -> str:
    items, stray = bullets(text)
    if not items:
        return element(tag, text)
    return f"<{tag}>{''.join(element('li', item) for item in items)}</{tag}>{element(_FACT, stray)}"


def _narrative(text: str, rules: dict[str, int]) -> str:
    lead, parts = sections(text, "###")
    made = [element(_STRUCTURE, lead)]
    for part in parts:
        name = part.heading.lower()
        if name == "rules":
            made.append(_listed(part.text, lambda item: _rule(item, rules)))
        elif name == "diagrams":
            made.append(_diagrams(part.text))
        else:
            made.append(element(_IN_NARRATIVE.get(name, _STRUCTURE), part.text))
    return "".join(made)


def _diagrams(text: str) -> str:
    found = CLOSED_FENCE.findall(text)
    if not found:
        return element(_DIAGRAM, text)
    drawn = [  # an empty one, too
        f'<{_DIAGRAM} type="{_kind(language)}">{escaped(trim(inner))}</{_DIAGRAM}>' for _, language, inner in found
    ]
    return "".join(drawn) + element(_EXAMPLES, CLOSED_FENCE.sub("", text))


def _kind(language: str) -> str:
    return language.lower() if language.lower() in _DIAGRAM_KINDS else _OTHER
