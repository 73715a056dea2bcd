"""What ``brv-tui code`` prints: symbols with the reasons for them, notes, files without any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from brvtui.cli.failure import NEGATIVE, NOT_THERE, OK, Failure
from brvtui.cli.output import say
from brvtui.engines.knowing.tracing_words import note_on_code
from brvtui.paint.text import signed
from brvtui.text.visible import visible
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.corpus.code.records import SkippedSource
    from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeResult
    from brvtui.engines.knowing.reasons import SymbolExplanation
    from brvtui.engines.knowing.sections import NoteOnCode
    from brvtui.session.code import CodeSession

_SHOWN = 10
_MOST_SKIPPED = 8
_FOUND_BY = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path", "walk": "no channel: the walk"}
_SHOWN_BESIDE = 5
"""How many notes, and files without a note, are listed below the symbols."""


def report_skipped(session: CodeSession) -> None:
    """Prints what was not read: a line for each reason that several share."""
    by_reason: dict[str, list[SkippedSource]] = {}
    for one in session.graph.skipped:
        by_reason.setdefault(one.reason, []).append(one)
    lines = [
        same[0].line if len(same) == 1 else f"{same[0].path} and {len(same) - 1} more: {reason}"
        for reason, same in by_reason.items()
    ]
    for line in (*lines[:_MOST_SKIPPED], session.problem):
        if line:
            say(f"brv-tui: {visible(line)}", err=True)
    if len(lines) > _MOST_SKIPPED:
        say(f"brv-tui: and {len(lines) - _MOST_SKIPPED} reasons more for which files are left out", err=True)


def show_files_without_note(session: CodeSession, answer: CodeAnswer | None) -> int:
    """Prints the files of which no note speaks, all or those of ``answer``; returns the exit code."""
    files = session.files_without_note(answer)
    for path in files:
        click.echo(visible(path))
    if not session.documentation.has_code:
        say("no source file was read, so there is none that a note could speak of", err=True)
    elif not files:
        say("a note speaks of every file" + (" of the answer" if answer is not None else ""), err=True)
    return OK if files else NEGATIVE


def show_notes(session: CodeSession, answer: CodeAnswer) -> int:
    """Prints the notes that speak of the symbols of ``answer``; returns the exit code."""
    found = session.notes_on(answer)
    if not found:
        say(f"no note speaks of {_counted(answer)}" if answer.packed else _nothing(answer))
        return NEGATIVE
    _list_notes(found)
    return OK


def show_why(answer: CodeAnswer, symbol: str) -> int:
    """Prints where ``symbol`` stands in ``answer`` and the parts of its score; returns the exit code."""
    told = answer.symbol_called(symbol)
    if told is None:
        raise Failure(f"no symbol of this code has {visible(symbol)} in its name", NOT_THERE)
    node = told.node
    place = f"rank {told.rank} of {told.ranked}" if told.rank else f"not among {told.ranked} ranked"
    say(visible(f"{node.qualified_name}  ({node.kind}): {place}"))
    tier = f" ({told.tier})" if told.tier else ""
    channel = next((one.name for one in answer.made.search.channels if node.id in one.ids), told.channel)
    say(visible(f"  found by     {_FOUND_BY.get(channel, channel)}{tier}{_as_seed(answer, told)}"))
    say(f"  reach        {told.walk:.0%} of the best probability")
    say(visible(f"  keywords     {', '.join(told.keywords) or 'none'}"))
    if told.concepts:
        say(visible(f"  concepts     {', '.join(told.concepts)}"))
    if told.links is not None:
        say(f"  links        authority {told.links.authority:.3f}, hub {told.links.hub:.3f}")
    if told.scored is None:
        return NEGATIVE
    for name, value in told.components.items():
        if value:
            say(f"  {name.replace('_', ' '):13}{signed(value, 4)}")
    say(f"  {'sum':13} {sum(told.components.values()):.4f}")
    return OK


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


def _list_notes(notes: Sequence[NoteOnCode]) -> None:
    for note in notes:
        say(visible(note_on_code(note)))


def show(session: CodeSession, answer: CodeAnswer, form: str) -> int:
    """Prints ``answer`` for reading, or in the format ``form`` as an agent is given it; returns the exit code."""
    if form == "text":
        _show_symbols(session, answer)
    else:
        click.echo(answer.as_text(form))
    return OK if answer.packed else NEGATIVE


def _show_symbols(session: CodeSession, answer: CodeAnswer) -> None:
    """Prints the first symbols of ``answer``, why each is there, which notes speak of them, and files without any."""
    packed = answer.packed
    if not packed:
        say(_nothing(answer))
        return
    used = f"{_counted(answer)} in {answer.made.packed.used} of {answer.budget} tokens"
    all_of_them = " (--format markdown has all)" if len(packed) > _SHOWN else ""
    say(f"{used}; the first {min(len(packed), _SHOWN)}{all_of_them}:\n")
    places = {node.id: f"{node.path}:{node.line}" if node.line else node.path for node in session.graph.nodes}
    for rank, scored in enumerate(packed[:_SHOWN], start=1):
        node = scored.node
        say(visible(f"{rank:2}  {scored.score:.3f}  {node.name}  ({node.kind}, {places[node.id]})"))
        say(visible(f"    {_reason(answer, answer.explained(scored))}"))
    if session.documentation.is_empty:
        return
    notes, files = session.notes_on(answer), session.files_without_note(answer)
    say(f"\n{counted(len(notes), 'note speaks', 'notes speak')} of this code" + (":" if notes else ""))
    _list_notes(notes[:_SHOWN_BESIDE])
    if len(notes) > _SHOWN_BESIDE:
        say(f"and {len(notes) - _SHOWN_BESIDE} more: --notes lists them all")
    if files:
        say(f"\n{counted(len(files), 'file', 'files')} of it without a note:")
    for path in files[:_SHOWN_BESIDE]:
        click.echo(visible(path))
    if len(files) > _SHOWN_BESIDE:
        say(f"and {len(files) - _SHOWN_BESIDE} more: --without-note lists them all")


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
