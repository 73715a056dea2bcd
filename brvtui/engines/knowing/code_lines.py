"""Answers over code in lines of text: symbols with the reasons for them, notes, files without any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from brvtui.paint.text import signed
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.corpus.code.records import CodeNode, SkippedSource
    from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeResult
    from brvtui.engines.knowing.reasons import SymbolExplanation

_SHOWN = 10
_FOUND_BY = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path", "walk": "no channel: the walk"}
_SHOWN_BESIDE = 5
"""How many notes, and files without a note, are listed below the symbols."""


def unread_lines(skipped: Sequence[SkippedSource]) -> list[str]:
    """What was not read: a line for each reason that several share."""
    by_reason: dict[str, list[SkippedSource]] = {}
    for one in skipped:
        by_reason.setdefault(one.reason, []).append(one)
    return [
        same[0].line if len(same) == 1 else f"{same[0].path} and {len(same) - 1} more: {reason}"
        for reason, same in by_reason.items()
    ]


def no_note_line(answer: CodeAnswer) -> str:
    """Why no note is listed for ``answer``."""
    return f"no note speaks of {_counted(answer)}" if answer.packed else _nothing(answer)


def why_lines(answer: CodeAnswer, symbol: str) -> tuple[list[str], bool] | None:
    """Where ``symbol`` stands in ``answer``, the parts of its score, and whether it has one; None for no symbol."""
    told = answer.symbol_called(symbol)
    if told is None:
        return None
    node = told.node
    place = f"rank {told.rank} of {told.ranked}" if told.rank else f"not among {told.ranked} ranked"
    tier = f" ({told.tier})" if told.tier else ""
    channel = next((one.name for one in answer.made.search.channels if node.id in one.ids), told.channel)
    lines = [
        f"{node.qualified_name}  ({node.kind}): {place}",
        f"  found by     {_FOUND_BY.get(channel, channel)}{tier}{_as_seed(answer, told)}",
        f"  reach        {told.walk:.0%} of the best probability",
        f"  keywords     {', '.join(told.keywords) or 'none'}",
    ]
    if told.concepts:
        lines.append(f"  concepts     {', '.join(told.concepts)}")
    if told.links is not None:
        lines.append(f"  links        authority {told.links.authority:.3f}, hub {told.links.hub:.3f}")
    if told.scored is None:
        return lines, False
    lines += [f"  {name.replace('_', ' '):13}{signed(value, 4)}" for name, value in told.components.items() if value]
    return [*lines, f"  {'sum':13} {sum(told.components.values()):.4f}"], True


def _as_seed(answer: CodeAnswer, told: SymbolExplanation) -> str:
    """Whether a symbol is a seed of the walk; for another one that was found, its place among the candidates."""
    if told.is_seed:
        return ", a seed of the walk"
    search, id_ = answer.made.search, told.node.id
    found = sum(id_ in channel.ids for channel in search.channels)
    if not found:
        return ""
    place = f"behind the {len(search.fused)} candidates that are kept"
    if id_ in search.candidates:
        place = f"candidate {search.candidates.index(id_) + 1} of {len(search.candidates)}"
        place += f", after those in {search.focus}" if search.focus else ""
    elif any(id_ == one.id for one in search.noise):
        place = "it is left out as noise"
    return f"{' only' if found == 1 else ''}; no seed: {place}"


def symbol_lines(answer: CodeAnswer, symbols: Iterable[CodeNode]) -> list[str]:
    """The first of the ``symbols`` that ``answer`` has, and why each is there."""
    packed = answer.packed
    if not packed:
        return [_nothing(answer)]
    used = f"{_counted(answer)} in {answer.made.packed.used} of {answer.budget} tokens"
    all_of_them = " (--format markdown has all)" if len(packed) > _SHOWN else ""
    lines = [f"{used}; the first {min(len(packed), _SHOWN)}{all_of_them}:", ""]
    places = {node.id: f"{node.path}:{node.line}" if node.line else node.path for node in symbols}
    for rank, scored in enumerate(packed[:_SHOWN], start=1):
        node = scored.node
        lines.append(f"{rank:2}  {scored.score:.3f}  {node.name}  ({node.kind}, {places[node.id]})")
        lines.append(f"    {_reason(answer, answer.explained(scored))}")
    return lines


def lines_beside(notes: Sequence[str], files: Sequence[str]) -> list[str]:
    """The first of the ``notes`` that speak of an answer, and of its ``files`` without any."""
    lines = ["", f"{counted(len(notes), 'note speaks', 'notes speak')} of this code" + (":" if notes else "")]
    lines += notes[:_SHOWN_BESIDE]
    if len(notes) > _SHOWN_BESIDE:
        lines.append(f"and {len(notes) - _SHOWN_BESIDE} more: --notes lists them all")
    if files:
        lines += ["", f"{counted(len(files), 'file', 'files')} of it without a note:", *files[:_SHOWN_BESIDE]]
    if len(files) > _SHOWN_BESIDE:
        lines.append(f"and {len(files) - _SHOWN_BESIDE} more: --without-note lists them all")
    return lines


def _counted(answer: CodeAnswer) -> str:
    return counted(len(answer.packed), "symbol", "symbols")


def _nothing(answer: CodeAnswer) -> str:
    if answer.entry == "task":
        return "nothing in the code has to do with this task: name a symbol, a file or a word of them"
    return "none of these files holds a symbol that fits into the budget"


def _reason(answer: CodeAnswer, result: CodeResult) -> str:
    """Why a symbol is there: what found it, or the way to it."""
    candidate = result.scored.candidate
    way = " ".join(part if place % 2 else part.rpartition("/")[2] for place, part in enumerate(result.way))
    if answer.entry == "files":
        calls = counted(candidate.callers, "call", "calls")
        return f"in these files, {calls} of it" if not candidate.distance else f"it uses them: {way}"
    if answer.entry == "changes":
        return "in the changed files" if not candidate.distance else f"reached over {way}"
    found = ", ".join(f"{channel} (place {place})" for channel, place in result.found_by)
    if len(result.way) > 1:
        return f"found by {found}; most of its weight came over {way}" if found else f"reached over {way}"
    return f"found by {found}" if found else "stands for a concept that the task names, or implements what was found"
