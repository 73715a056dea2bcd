"""A routed query as text: verdict, route, results, the first score, and the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from brvtui.engines.byterover.search.misses import PAST_LIMIT, TRIMMED
from brvtui.report.completion import spent, step_lines
from brvtui.report.score import score_report
from brvtui.report.words import STATE, bar, glyph, plain
from brvtui.text.visible import visible
from brvtui.trace import Answer, Check, Completion, Detail, Hit, NearMiss, Prompt, Search, State, Step, Trace

_BAR_CELLS = 12
_SHOWN_MISSES = 3
_SHOWN_ANSWER_LINES = 24


def trace_report(trace: Trace, details: Mapping[str, Detail], width: int) -> RenderableType:
    """The whole decision for reading. ``details`` holds the term x field detail of hits by their ``file``."""
    rows: list[RenderableType] = [_verdict(trace), _lint(trace.search)]
    rows += [Text(f"note: {visible(notice)}", style="yellow") for notice in trace.notices]
    rows.append(Text())
    rows += [
        _route(trace),
        Text(),
        Rule("results", style="dim", align="left"),
        _results(trace.hits, trace.search, width),
    ]
    if trace.hits:
        first = trace.hits[0]
        rows += [Rule("score of the first", style="dim", align="left"), score_report(first, details.get(first.file))]
        for hit in trace.hits[1:]:
            if hit.file in details:
                rows += [Text(), score_report(hit, details[hit.file])]
    rows += [Rule("answer", style="dim", align="left"), _answer(trace.answer)]
    return Group(*rows)


def search_report(search: Search, width: int) -> RenderableType:
    """A plain search for reading."""
    title = f"brv search --limit {search.limit}"
    return Group(Rule(title, style="dim", align="left"), _results(search.hits, search, width))


def _verdict(trace: Trace) -> Text:
    label = next((step.label for step in trace.steps if step.name == trace.outcome.value), "not covered")
    text = Text.assemble((f" TIER {trace.tier} ", "bold reverse"), (f" {label} ", "bold"), " ", plain(trace.verdict))
    text.append(
        f"  {trace.timings.get('total', 0.0):.1f} ms, {trace.profile}, {trace.snapshot.notes} notes", style="dim"
    )
    return text


def _lint(search: Search) -> Text:
    text = Text()
    stop = [word.word for word in search.lint.words if word.stop_word]
    if stop:
        text.append(f"stop words: {visible(' '.join(stop))}  ", style="dim")
    for expansion in search.lint.expansions:
        text.append(visible(expansion.term))
        more = expansion.prefix + expansion.fuzzy
        text.append(f"+{more} " if more else " ", style="dim")
    for word in search.lint.words:
        if word.mismatch and not word.stop_word and word.significant:
            tokens = " ".join(word.tokens) or "nothing"
            text.append(f" ⚠ word “{visible(word.word)}” ≠ token “{visible(tokens)}”", style="yellow")
    text.append(f"  {visible(search.combine_why)}", style="dim")
    if search.scope.path:
        text.append(f"  scope {visible(search.scope.path)}: {visible(search.scope.why)}", style="dim")
    elif search.scope.pattern:
        text.append(f"  no scope: {visible(search.scope.why)}", style="yellow")
    return text


def _route(trace: Trace) -> Table:
    table = Table.grid(padding=(0, 2))
    for step in trace.steps:
        mark, word, style = STATE[step.state]
        tier = "" if step.tier is None else str(step.tier)
        table.add_row(
            Text(tier, style="bold"),
            step.label,
            Text(f"{mark} {word}", style=style),
            _gates(step),
            Text(step.expected, "dim"),
        )
    return table


def _gates(step: Step) -> Text:
    text = plain(step.summary)
    for check in step.checks if step.state in (State.PASSED, State.FAILED, State.TAKEN) else ():
        shown = _check(check)
        if shown:
            text.append(f"\n{visible(shown)}", style="dim")
    return text


def _check(check: Check) -> str:
    if check.value is None or check.threshold is None:
        return ""
    mark = {True: "✓", False: "✗", None: "·"}[check.passed]
    return f"{mark} {check.name} {check.value:.4g} {check.operator} {check.threshold:g}"


def _results(hits: Sequence[Hit], search: Search, width: int) -> Table:
    table = Table.grid(padding=(0, 1), expand=False)
    table.add_column(justify="right", style="dim")
    table.add_column()
    table.add_column(ratio=1, max_width=max(20, width // 2))
    table.add_column(justify="right")
    table.add_column(style="cyan")
    table.add_column(style="dim")
    for rank, hit in enumerate(hits, start=1):
        found = f"by entity “{visible(hit.found_by)}”" if hit.found_by else hit.origin.value
        title = Text.assemble(plain(hit.title), "\n", plain(hit.path, "dim"))
        mark = glyph(hit.kind, hit.signals.maturity if hit.signals else "")
        table.add_row(str(rank), mark, title, f"{hit.score:.2f}", bar(hit.score, _BAR_CELLS), found)
    for miss in search.near_misses[:_SHOWN_MISSES]:
        table.add_row(
            "–", glyph(miss.kind, miss.maturity), plain(miss.title, "dim"), f"{miss.score:.2f}", "", lacks(miss)
        )
    if not hits and not search.near_misses:
        table.add_row("", "", Text("no results", style="dim"), "", "", "")
    return table


def lacks(miss: NearMiss) -> str:
    """Why a near miss is not in the results, and by how much."""
    short = f"{miss.short:.0f}" if miss.reason in (PAST_LIMIT, TRIMMED) else f"{miss.short:.4f}"
    return f"{miss.reason}, by {short}"


def _answer(answer: Answer) -> RenderableType:
    lines = visible(answer.text, keep="\n").splitlines()
    more = len(lines) - _SHOWN_ANSWER_LINES
    tail = [f"… {more} more lines, in --format json"] if more > 0 else []
    text = Text("\n".join([*lines[:_SHOWN_ANSWER_LINES], *tail]))
    if answer.prompt is None:
        return text
    notice = [plain(answer.notice)] if answer.notice else []
    return Group(*notice, text, *_completion(answer.completion), _prompt(answer.prompt))


def _completion(completion: Completion | None) -> Iterator[RenderableType]:
    if completion is not None:
        yield Rule("model", style="dim", align="left")
        yield plain(spent(completion))
        yield from (plain(line, "dim") for line in step_lines(completion))


def _prompt(prompt: Prompt) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for section in prompt.sections:
        table.add_row(section.name, Text(f"{section.tokens} tokens", style="dim"))
    lanes = ", ".join(f"{lane.name} {lane.tokens}/{lane.budget}" for lane in prompt.lanes)
    return Group(
        Rule("prompt", style="dim", align="left"),
        Text(f"{prompt.tokens} tokens; max tokens {prompt.max_tokens}, temperature {prompt.temperature:g}"),
        table,
        Text(f"manifest {prompt.manifest}: {lanes}", style="dim"),
        Text(
            f"quoted: {visible(', '.join(prompt.prefetched) or 'nothing')}; --format json holds the whole prompt", "dim"
        ),
    )
