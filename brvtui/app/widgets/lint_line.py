"""The line under the query: what is left of it, and what in it can never match."""

from __future__ import annotations

from brvtui.app.jeffs_brain import lint as hybrid
from brvtui.app.states import BYTEROVER, AnswerState, EngineState, Phase, ProjectState, QueryState
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.engines.jeffs_brain.trace import HybridTrace
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, Span, line, spread
from brvtui.paint.text import plural
from brvtui.trace import Trace

_MOST_WORDS = 12


class LintLine(Lines):
    """Stop words, terms with their expansions, words that cannot match, AND or OR."""

    READS = (QueryState, AnswerState, EngineState, ProjectState)

    def build(self, view: View, width: int) -> list[Line]:
        """One line; the least important group gives way when it is narrow."""
        match view.answered:
            case None:
                return [line("  " + _waiting(view), "muted").cut(width)]
            case Trace() as trace:
                groups = lint(trace, self.glyphs)
            case HybridTrace() as trace:
                groups = hybrid.lint(trace, view.query.scope, self.glyphs)
        inner = spread(width - 2, groups)
        return [Line().gap(2).extend(inner.spans)]


def _waiting(view: View) -> str:
    if view.project.phase is Phase.LOADING:
        return "type on: the query is probed as soon as the notes are read"
    if view.project.phase is Phase.FAILED:
        return "no tree to ask"
    if view.engine.pipeline != BYTEROVER:
        return "every key probes and asks no service; Enter runs"
    return "every key probes and changes nothing; Enter runs and caches the answer"


def lint(trace: Trace, glyphs: Glyphs) -> list[tuple[int, list[Span]]]:
    """The groups of the line with their weights."""
    found = trace.search
    groups: list[tuple[int, list[Span]]] = []
    stop = [word.word for word in found.lint.words if word.stop_word]
    terms: list[Span] = []
    for expansion in found.lint.expansions[:_MOST_WORDS]:
        more = expansion.prefix + expansion.fuzzy
        role = "text" if expansion.notes else "bad"
        terms += [(" " if terms else "", "text"), (expansion.term, role)]
        terms.append((f"+{more}" if expansion.notes else f" {glyphs.cross} in no note", "muted" if more else role))
    odd = [word for word in found.lint.words if word.mismatch]
    if odd:
        pairs = ", ".join(f"word “{word.word}” ≠ token “{' '.join(word.tokens)}”" for word in odd[:2])
        more_odd = f" +{len(odd) - 2}" if len(odd) > 2 else ""
        groups.append((8, [(f"{glyphs.warn} {pairs}{more_odd}", "warn")]))
    if terms:
        groups.append((6, [("terms ", "muted"), *terms]))
    groups += [(7, [(note, "warn")]) for note in found.lint.notes]
    groups += _combine(trace)
    if stop:
        groups.append((2, [("stop ", "muted"), (" ".join(dict.fromkeys(stop)), "strike muted")]))
    if trace.scope_option and not found.scope.path:
        groups.append((10, [(f"{glyphs.warn} {found.scope.why}", "warn")]))
    if found.scope.restricts:
        groups.append((5, [("in ", "muted"), (found.scope.path, "accent")]))
    return groups


def _combine(trace: Trace) -> list[tuple[int, list[Span]]]:
    found = trace.search
    if not found.combine:
        why = "" if found.lint.notes else found.combine_why or found.outcome.value.replace("_", " ")
        return [(9, [(why, "muted")])] if why else []
    notes = f" {found.matched} of {plural(found.searchable, 'note')}"
    groups: list[tuple[int, list[Span]]] = [(9, [(found.combine, "bold text"), (notes, "text")])]
    why = found.combine_why.partition(": ")[2] or found.combine_why
    return [*groups, (1, [(why, "muted")])] if why else groups
