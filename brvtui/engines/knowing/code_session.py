"""One repository of code that is asked for what a task needs, and which notes speak of it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from brvtui import faults
from brvtui.corpus.code.commits import CommitTimes
from brvtui.corpus.code.documents import Documentation, speaking_note
from brvtui.corpus.code.index import Progress, build_index
from brvtui.corpus.code.records import CodeNode, SkippedSource
from brvtui.engines.code import CodeEntry
from brvtui.engines.knowing.code_tasks import CodeAnswer, CodeResult, CodeTasks, files_without_note, notes_on
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.reasons import SymbolExplanation
from brvtui.engines.knowing.remembered import UseMemory, feedback_problem
from brvtui.engines.knowing.sections import ENGINE
from brvtui.engines.knowing.tracing_words import note_on_code
from brvtui.paint.text import signed
from brvtui.services.provided import NO_SERVICES, EngineServices
from brvtui.snapshot import Snapshot
from brvtui.store.feedback import FeedbackFile
from brvtui.store.kept_code import KeptCode
from brvtui.wording import counted

_SHOWN = 10
_FOUND_BY = {"tiered": "name", "bm25": "text", "equivalence": "concept", "path": "path", "walk": "no channel: the walk"}
_SHOWN_BESIDE = 5
"""Notes, and files without a note, that are listed below the symbols."""


class CodeSession:
    """A repository that was read, and the notes of a project about it."""

    def __init__(
        self,
        root: Path,
        profile: str = "",
        notes: Snapshot | None = None,
        progress: Progress | None = None,
        now: float | None = None,
        services: EngineServices = NO_SERVICES,
    ) -> None:
        """Reads the repository at ``root``, or what changed in it since it was read last.

        ``now``, in seconds since 1970, is the time of the clock unless given; the embedder of ``services`` fills gaps.
        Calls ``progress`` with the numbers of files that were read and of all of these. Raises
        :class:`brvtui.corpus.code.reading.NoGrammar`, :class:`brvtui.typed_tables.ProfileError` for a profile that is
        none, and OSError when ``root`` is no folder that can be read.
        """
        constants = load_profile(profile)
        kept = KeptCode(root)
        before = kept.read()
        index = build_index(root, before=before, progress=progress)
        self.problem = ""
        """Why feedback cannot be read, or what was read cannot be kept for the next time; empty for neither."""
        if before is None or index.files != before.files:
            try:
                kept.write(index)
            except OSError as error:
                self.problem = f"what was read of the code is not kept: {faults.error_line(error, kept.path)}"
        try:
            judged = FeedbackFile(root, ENGINE).said()
        except OSError as error:
            judged = []
            self.problem = feedback_problem(error)
        self.graph = index.graph()
        speaking = (speaking_note(notes, note.path) for note in notes.notes) if notes is not None else ()
        self.documentation = Documentation(self.graph, speaking)
        """Which notes speak of which code; of none without a project."""
        memory, times = UseMemory(constants).after(judged), CommitTimes(root)
        moment = time.time() if now is None else now
        self.tasks = CodeTasks(self.graph, constants, self.documentation, memory, times, moment, services)
        """Answers over the symbols, joined with these notes."""
        self.review_budget = self.tasks.review_budget
        self.has_code = self.documentation.has_code

    def ask(self, entry: CodeEntry, asked: Sequence[str], budget: int) -> CodeAnswer:
        """The answer to a task, whose words are ``asked``, or about files, within ``budget`` tokens."""
        match entry:
            case "task":
                return self.tasks.answer(" ".join(asked), budget)
            case "files":
                return self.tasks.answer_files(asked, budget)
            case "changes":
                return self.tasks.answer_changes(asked, budget)

    def is_empty(self, answer: CodeAnswer) -> bool:
        """True if ``answer`` has no symbol."""
        return not answer.packed

    def unread(self) -> list[str]:
        """A line for each reason for which files were not read."""
        return [*filter(None, [self.graph.cut]), *_unread(self.graph.skipped)]

    def notices(self, answer: CodeAnswer) -> list[str]:
        """Lines on feedback and services that could not count for ``answer``."""
        return self.tasks.notices(answer)

    def as_text(self, answer: CodeAnswer, form: str) -> str:
        """The symbols of ``answer`` as an agent is given them: ``xml``, ``markdown`` or ``json``."""
        return answer.as_text(form)

    def lines(self, answer: CodeAnswer) -> list[str]:
        """The first symbols of ``answer``, why each is there, which notes speak of them, and files without any."""
        lines = _symbol_lines(answer, self.graph.nodes)
        if self.documentation.is_empty or not answer.packed:
            return lines
        return lines + _lines_beside(self.note_lines(answer), self.files_without_note(answer))

    def note_lines(self, answer: CodeAnswer) -> list[str]:
        """The notes that mention symbols of ``answer``, sorted by the sum of the scores of these symbols."""
        return [note_on_code(note) for note in notes_on(answer.packed, self.documentation)]

    def no_note_line(self, answer: CodeAnswer) -> str:
        """The reason why no note is listed for ``answer``."""
        return f"no note speaks of {_counted(answer)}" if answer.packed else _nothing(answer)

    def why_lines(self, answer: CodeAnswer, symbol: str) -> tuple[list[str], bool] | None:
        """The rank of ``symbol`` in ``answer`` with the parts of its score, and True if it has one.

        None if no symbol has that in its name.
        """
        explained = answer.symbol_called(symbol)
        if explained is None:
            return None
        node = explained.node
        place = (
            f"rank {explained.rank} of {explained.ranked}" if explained.rank else f"not among {explained.ranked} ranked"
        )
        tier = f" ({explained.tier})" if explained.tier else ""
        channel = next((one.name for one in answer.made.search.channels if node.id in one.ids), explained.channel)
        lines = [
            f"{node.qualified_name}  ({node.kind}): {place}",
            f"  found by     {_FOUND_BY.get(channel, channel)}{tier}{_as_seed(answer, explained)}",
            f"  reach        {explained.walk:.0%} of the best probability",
            f"  keywords     {', '.join(explained.keywords) or 'none'}",
        ]
        if explained.concepts:
            lines.append(f"  concepts     {', '.join(explained.concepts)}")
        if explained.links is not None:
            lines.append(f"  links        authority {explained.links.authority:.3f}, hub {explained.links.hub:.3f}")
        if explained.scored is None:
            return lines, False
        lines += [
            f"  {name.replace('_', ' '):13}{signed(value, 4)}" for name, value in explained.components.items() if value
        ]
        return [*lines, f"  {'sum':13} {sum(explained.components.values()):.4f}"], True

    def files(self, written: Iterable[str]) -> tuple[list[str], list[str]]:
        """The files that are meant by ``written``, by paths or the ends of paths; and what means none, or several."""
        meant = {one: self.documentation.names.file(one) for one in written}
        return list(dict.fromkeys(filter(None, meant.values()))), [one for one, path in meant.items() if not path]

    def files_without_note(self, answer: CodeAnswer | None = None) -> Sequence[str]:
        """The files, tests aside, of which no note speaks: all, or those of an answer's symbols, best first."""
        if answer is None:
            return self.documentation.files_without_note
        return files_without_note(answer.packed, self.documentation)


def _unread(skipped: Sequence[SkippedSource]) -> list[str]:
    """A line for each reason for which files were not read."""
    by_reason: dict[str, list[SkippedSource]] = {}
    for one in skipped:
        by_reason.setdefault(one.reason, []).append(one)
    return [
        same[0].line if len(same) == 1 else f"{same[0].path} and {len(same) - 1} more: {reason}"
        for reason, same in by_reason.items()
    ]


def _as_seed(answer: CodeAnswer, explained: SymbolExplanation) -> str:
    """The role of a symbol as a seed of the walk, or its place among the candidates; empty if it was not found."""
    if explained.is_seed:
        return ", a seed of the walk"
    search, id_ = answer.made.search, explained.node.id
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


def _symbol_lines(answer: CodeAnswer, symbols: Iterable[CodeNode]) -> list[str]:
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


def _lines_beside(notes: Sequence[str], files: Sequence[str]) -> list[str]:
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
    """The reason why a symbol is listed: the channel that found it, or the way to it."""
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
