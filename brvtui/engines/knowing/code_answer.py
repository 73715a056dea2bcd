"""The answer to a question about code, as lines of text and in the formats for agents.

See ``docs/reference/code.md``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import Any

from brvtui.engines.knowing.code_tasks import SymbolIndex, files_without_note
from brvtui.engines.knowing.pipeline import TaskContext
from brvtui.engines.knowing.reasons import SymbolExplanation, explain_symbol
from brvtui.engines.knowing.scoring import ScoredCandidate
from brvtui.engines.knowing.sections import VECTORS
from brvtui.engines.knowing.tracing_words import note_on_code
from brvtui.engines.knowing.walk import StrongestWays, heaviest_edge
from brvtui.paint.text import signed
from brvtui.wording import counted

# The formats of a packed context for agents, as the original program writes them: XML, Markdown and JSON.


_SMALL = re.compile(r'(?<=": )(-?[\d.]+)e-(\d+)(?=,?$)', re.MULTILINE)
FORMATS = ("xml", "markdown", "json")
_ALWAYS = ("blast_radius", "confidence", "recency", "distance")


class UnknownFormatError(ValueError):
    """The error for a format that does not exist."""


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """The results for an agent, sorted by score, and their number of tokens."""

    results: Sequence[ScoredCandidate]
    tokens_used: int
    budget: int

    def within(self, nearest: int, farthest: int | None = None) -> list[ScoredCandidate]:
        """The results whose distance in edges is at least ``nearest`` and at most ``farthest``."""
        return [
            one
            for one in self.results
            if nearest <= one.candidate.distance and (farthest is None or one.candidate.distance <= farthest)
        ]


def formatted(block: ContextBlock, format_: str) -> str:
    """The results in ``block`` as text in ``format_``. Raises :class:`UnknownFormatError`."""
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
    for tag, results, is_near in (
        ("target_symbols", block.within(0, 0), True),
        ("related_symbols", block.within(1, 1), True),
        ("extended_context", block.within(2), False),
    ):
        if not results:
            continue
        lines.append(f"  <{tag}>")
        for one in results:
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
    lines = [
        f'    <symbol name="{_escaped(node.qualified_name)}" kind="{_escaped(node.kind)}" score="{one.score:.2f}"'
        f'{origin} distance="{one.candidate.distance}">'
    ]
    if node.signature:
        lines.append(f"      <signature>{_escaped(node.signature)}</signature>")
    return [*lines, "    </symbol>"]


def _escaped(text: str) -> str:
    """``text`` escaped as in the original program, which does not escape apostrophes."""
    return escape(text, quote=False).replace('"', "&quot;")


def _markdown(block: ContextBlock) -> str:
    lines = [f"# Context ({block.tokens_used}/{block.budget} tokens)", ""]
    for heading, results, is_target in (
        ("Target Symbols", block.within(0, 0), True),
        ("Related Symbols (distance: 1)", block.within(1, 1), False),
        ("Extended Context (distance: 2+)", block.within(2), False),
    ):
        if not results:
            continue
        lines.append(f"## {heading}")
        for one in results:
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
    """A small number in the original program's form, which uses an exponent only below one millionth."""
    digits, exponent = number.groups()
    return format(Decimal(number[0]), "f") if int(exponent) <= 6 else f"{digits}e-{int(exponent)}"


def _number(value: float) -> float | int:
    """A number in the original program's form. Whole numbers have no decimal point."""
    return int(value) if value == int(value) else value


_LONGEST_WAY = 6
_SHOWN = 10
_CHANNELS = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path"}
_FOUND_BY = {**_CHANNELS, "walk": "the walk, not a channel"}
_SHOWN_BESIDE = 5
"""The maximum number of notes, and of files without a note, that are listed below the symbols."""


@dataclass(frozen=True)
class SymbolAnswer:
    """The results from ``index``, as a :class:`brvtui.engines.contract.CodeAnswer`."""

    index: SymbolIndex
    result: TaskContext
    entry: str
    notices: tuple[str, ...]

    @cached_property
    def packed(self) -> list[ScoredCandidate]:
        """The symbols that fit into the budget, best first."""
        return self.result.packed.packed

    @property
    def is_empty(self) -> bool:
        """True if there is no symbol."""
        return not self.packed

    def as_text(self, form: str) -> str:
        """The packed symbols in the format ``form``: ``xml``, ``markdown`` or ``json``."""
        return formatted(ContextBlock(self.packed, self.result.packed.used, self.result.packed.budget), form)

    def lines(self) -> list[str]:
        """Lines about the first symbols with the reasons for them, about the notes that mention the symbols, and about
        the symbols' files without a note.
        """
        if not self.packed:
            return [self._nothing]
        used = f"{self._counted} in {self.result.packed.used} of {self.result.packed.budget} tokens"
        all_of_them = " (--format markdown shows all)" if len(self.packed) > _SHOWN else ""
        lines = [f"{used}; the first {min(len(self.packed), _SHOWN)}{all_of_them}:", ""]
        for rank, scored in enumerate(self.packed[:_SHOWN], start=1):
            node = scored.node
            page = self.index.pages.by_path[node.document].symbol
            place = f"{page.path}:{page.line}" if page.line else page.path
            lines.append(f"{rank:2}  {scored.score:.3f}  {node.name}  ({node.kind}, {place})")
            lines.append(f"    {self._reason(scored)}")
        return lines if self.index.documentation.is_empty else lines + self._lines_beside()

    def _lines_beside(self) -> list[str]:
        """Lines about the first notes that mention the symbols, and the first of the symbols' files without a note."""
        notes, files = self._notes, self.files_without_note()
        lines = ["", f"{counted(len(notes), 'note mentions', 'notes mention')} this code" + (":" if notes else "")]
        lines += notes[:_SHOWN_BESIDE]
        if len(notes) > _SHOWN_BESIDE:
            lines.append(f"and {len(notes) - _SHOWN_BESIDE} more: --notes lists them all")
        if files:
            lines += [
                "",
                f"{counted(len(files), 'of its files has', 'of its files have')} no note:",
                *files[:_SHOWN_BESIDE],
            ]
        if len(files) > _SHOWN_BESIDE:
            lines.append(f"and {len(files) - _SHOWN_BESIDE} more: --without-note lists them all")
        return lines

    @property
    def _notes(self) -> list[str]:
        return [note_on_code(note) for note in self.index.notes_on(self.packed)]

    def note_lines(self) -> tuple[list[str], bool]:
        """Lines about the notes that mention the symbols, sorted by the sum of the symbols' scores, and True.

        If there are no such notes, returns the reason and False.
        """
        none = f"no note mentions this code ({self._counted})" if self.packed else self._nothing
        return (notes, True) if (notes := self._notes) else ([none], False)

    def why_lines(self, symbol: str) -> tuple[list[str], bool] | None:
        """Lines about the rank of ``symbol`` and the parts of its score, and True if the symbol is ranked.

        The result is None if no symbol's name contains ``symbol``.
        """
        explained = explain_symbol(symbol, self.result, self.index.task.graph)
        if explained is None:
            return None
        node, scored, search, ranked = explained.node, explained.scored, self.result.search, len(self.result.ranked)
        place = f"rank {explained.rank} of {ranked}" if explained.rank else f"not among the {ranked} ranked symbols"
        tier = f" ({explained.tier})" if explained.tier else ""
        channel = next((one.name for one in search.channels if node.id in one.ids), explained.channel)
        lines = [
            f"{node.qualified_name}  ({node.kind}): {place}",
            f"  found by     {_FOUND_BY.get(channel, channel)}{tier}{self._as_seed(explained)}",
            f"  reach        {explained.walk:.0%} of the best probability",
            f"  keywords     {', '.join(search.keywords.all) or 'none'}",
        ]
        if search.matches:
            lines.append(f"  concepts     {', '.join(match.matched.concept for match in search.matches)}")
        if scored is None:
            return lines, False
        if scored.links is not None:
            lines.append(f"  links        authority {scored.links.authority:.3f}, hub {scored.links.hub:.3f}")
        parts = scored.components
        lines += [f"  {name.replace('_', ' '):13}{signed(value, 4)}" for name, value in parts.items() if value]
        return [*lines, f"  {'sum':13} {sum(parts.values()):.4f}"], True

    def files_without_note(self) -> Sequence[str]:
        """The files of the symbols that no note mentions, best first. Test files are left out."""
        return files_without_note(self.packed, self.index.documentation)

    @property
    def _counted(self) -> str:
        return counted(len(self.packed), "symbol", "symbols")

    @property
    def _nothing(self) -> str:
        if self.entry == "task":
            why = "no symbol matches this task by its name, file or comment"
            return f"{why}: use the name of a symbol or file, or a word from it"
        return "none of these files contains a symbol that fits into the budget"

    def _as_seed(self, explained: SymbolExplanation) -> str:
        """A phrase that says that a symbol is a seed of the walk, or why it is not; empty if no channel found the
        symbol.
        """
        if explained.is_seed:
            return ", a seed of the walk"
        search, id_ = self.result.search, explained.node.id
        count = sum(id_ in channel.ids for channel in search.channels)
        if not count:
            return ""
        place = f"below the {len(search.fused)} candidates that are kept"
        if id_ in search.candidates:
            place = f"candidate {search.candidates.index(id_) + 1} of {len(search.candidates)}"
            place += f", after the candidates in {search.focus}" if search.focus else ""
        elif any(id_ == one.id for one in search.noise):
            place = "it is left out as noise"
        return f"{' only' if count == 1 else ''}; not a seed: {place}"

    def _reason(self, scored: ScoredCandidate) -> str:
        """The reason why a symbol is listed: the channels that found it, or the path of the walk to it."""
        candidate = scored.candidate
        if self.entry == "files":
            calls = counted(candidate.callers, "call", "calls")
            in_files = f"in these files, with {calls} to it"
            return in_files if not candidate.distance else f"it uses them: {' '.join(self._call(scored))}"
        way = self._way(scored.node.id)
        if self.entry == "changes":
            return "in the changed files" if not candidate.distance else f"reached over {' '.join(way)}"
        channels = ", ".join(f"{channel} (place {place})" for channel, place in self._found_by(scored.node.id))
        if len(way) > 1:
            over = " ".join(way)
            return (
                f"found by {channels}; most of its weight came through {over}" if channels else f"reached over {over}"
            )
        return (
            f"found by {channels}"
            if channels
            else "represents a concept in the task, or implements a symbol that was found"
        )

    def _found_by(self, id_: str) -> list[tuple[str, int]]:
        """The channels that found a symbol, each with the symbol's rank, counted from 1."""
        search = self.result.search
        lists = {_CHANNELS.get(channel.name, channel.name): channel.ids for channel in search.channels}
        lists.setdefault("path", [hit.id for hit in search.paths])  # this channel can add seeds even if it is not fused
        lists[VECTORS] = tuple(search.near)
        return [(name, list(ids).index(id_) + 1) for name, ids in lists.items() if id_ in ids]

    def _call(self, scored: ScoredCandidate) -> tuple[str, ...]:
        """A call from a symbol outside the given files to one in them, in three parts; empty if there is none."""
        own = {one.node.id for one in self.result.ranked if not one.candidate.distance}
        calls = self.index.task.graph.edges_from(scored.node.id, "calls")
        return next(((_short(edge.source), "calls →", _short(edge.target)) for edge in calls if edge.target in own), ())

    @cached_property
    def _ways(self) -> StrongestWays | None:
        return StrongestWays(self.result.walk, _LONGEST_WAY) if self.result.walk is not None else None

    def _way(self, id_: str) -> list[str]:
        """The strongest walk path from a seed to a symbol, as names with the edge types between them; empty if there is
        none.
        """
        walk, graph = self.result.walk, self.index.task.graph
        way = self._ways.straight(graph.positions[id_]) if self._ways is not None else None
        if walk is None or way is None:
            return []
        parts = [_short(graph.ids[way.places[0]])]
        for one, other in pairwise(way.places):
            edge, is_forward = heaviest_edge(walk, graph, one, other)
            parts += (f"{edge.type} →" if is_forward else f"← {edge.type}", _short(graph.ids[other]))
        return parts


def _short(id_: str) -> str:
    return id_.rpartition("/")[2]
