"""A packed context as the program hands it to an agent: XML, Markdown or JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from typing import Any

from brvtui.engines.knowing.scoring import ScoredCandidate

_SMALL = re.compile(r'(?<=": )(-?[\d.]+)e-(\d+)(?=,?$)', re.MULTILINE)
FORMATS = ("xml", "markdown", "json")
_ALWAYS = ("blast_radius", "confidence", "recency", "distance")


class UnknownFormatError(ValueError):
    """A format that the program does not know."""


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """The results that an agent is given, by score, and their tokens."""

    results: Sequence[ScoredCandidate]
    tokens_used: int
    budget: int

    def within(self, least: int, most: int | None = None) -> list[ScoredCandidate]:
        """The results at a distance of ``least`` to ``most`` edges."""
        return [
            one
            for one in self.results
            if least <= one.candidate.distance and (most is None or one.candidate.distance <= most)
        ]


def formatted(block: ContextBlock, format_: str) -> str:
    """``block`` as text in ``format_``. Raises :class:`UnknownFormatError`."""
    match format_:
        case "xml" | "":
            return _xml(block)
        case "markdown":
            return _markdown(block)
        case "json":
            return _json(block)
        case _:
            raise UnknownFormatError(f'unknown format: "{format_}" (supported: {", ".join(FORMATS)})')


def _xml(block: ContextBlock) -> str:
    lines = [f'<context tokens_used="{block.tokens_used}" token_budget="{block.budget}">']
    for tag, found, is_near in (
        ("target_symbols", block.within(0, 0), True),
        ("related_symbols", block.within(1, 1), True),
        ("extended_context", block.within(2), False),
    ):
        if not found:
            continue
        lines.append(f"  <{tag}>")
        for one in found:
            lines += _xml_symbol(one, is_near)
        lines.append(f"  </{tag}>")
    counts = sorted(Counter(one.candidate.distance for one in block.results).items())
    lines += ["  <relationship_summary>", f"    <total_symbols>{len(block.results)}</total_symbols>"]
    lines.append("    <by_distance>")
    lines += [f'      <distance hop="{hop}" count="{count}"/>' for hop, count in counts]
    lines += ["    </by_distance>", "  </relationship_summary>", "</context>"]
    return "\n".join(lines) + "\n"


def _xml_symbol(one: ScoredCandidate, is_near: bool) -> list[str]:
    node = one.node
    origin = (
        f' confidence="{one.component("confidence"):.2f}" provenance="{_escaped(one.candidate.provenance)}"'
        if is_near
        else ""
    )
    made = [
        f'    <symbol name="{_escaped(node.qualified_name)}" kind="{_escaped(node.kind)}" score="{one.score:.2f}"'
        f'{origin} distance="{one.candidate.distance}">'
    ]
    if node.signature:
        made.append(f"      <signature>{_escaped(node.signature)}</signature>")
    return [*made, "    </symbol>"]


def _escaped(text: str) -> str:
    """``text`` with the escapes of the program, which leaves an apostrophe as it is."""
    return escape(text, quote=False).replace('"', "&quot;")


def _markdown(block: ContextBlock) -> str:
    lines = [f"# Context ({block.tokens_used}/{block.budget} tokens)", ""]
    for heading, found, is_target in (
        ("Target Symbols", block.within(0, 0), True),
        ("Related Symbols (distance: 1)", block.within(1, 1), False),
        ("Extended Context (distance: 2+)", block.within(2), False),
    ):
        if not found:
            continue
        lines.append(f"## {heading}")
        for one in found:
            confidence = f", confidence: {one.component('confidence'):.2f}" if is_target else ""
            lines.append(f"- `{one.node.qualified_name}` ({one.node.kind}, score: {one.score:.2f}{confidence})")
            if one.candidate.distance <= 1 and one.node.signature:
                lines.append(f"  Signature: `{one.node.signature}`")
        lines.append("")
    return "\n".join(lines) + "\n"


def _json(block: ContextBlock) -> str:
    record = {
        "tokens_used": block.tokens_used,
        "token_budget": block.budget,
        "symbols": [_record(one) for one in block.results],
    }
    text = _SMALL.sub(_small, json.dumps(record, ensure_ascii=False, indent=2))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _record(one: ScoredCandidate) -> dict[str, Any]:
    components = {name: _number(one.component(name)) for name in _ALWAYS}
    components |= {name: _number(value) for name, value in one.components.items() if value and name not in _ALWAYS}
    return {
        "qualified_name": one.node.qualified_name,
        "kind": one.node.kind,
        "score": _number(one.score),
        "signature": one.node.signature,
        "provenance": one.candidate.provenance,
        "distance": one.candidate.distance,
        "components": components,
    }


def _small(number: re.Match[str]) -> str:
    """A number near 0 as the program writes it: with an exponent only below a millionth."""
    digits, exponent = number.groups()
    return format(Decimal(number[0]), "f") if int(exponent) <= 6 else f"{digits}e-{int(exponent)}"


def _number(value: float) -> float | int:
    """A number as the program writes it: a whole one without a decimal point."""
    return int(value) if value == int(value) else value
