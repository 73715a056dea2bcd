"""A saved trace as Markdown: what the panes show, in their order, for an issue or a wiki."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.report.completion import spent
from brvtui.report.markdown_hybrid import hybrid_blocks
from brvtui.report.markdown_rungs import best, rungs
from brvtui.report.markdown_score import score_blocks
from brvtui.report.markdown_text import Markdown, bold, escaped, fenced, heading, joined, paragraph, path, table
from brvtui.report.query import lacks
from brvtui.report.words import ended, glyph
from brvtui.saved.traces import Saved
from brvtui.trace import Answer, CacheLook, Completion, Hit, Ladder, Prompt, Search, Step, Trace


def markdown_report(saved: Saved) -> str:
    """The whole decision as one Markdown document."""
    trace = saved.trace
    title = heading(1, f"Why “{trace.query}” got its answer")
    blocks = _blocks(trace, saved) if isinstance(trace, Trace) else hybrid_blocks(trace)
    return joined([title, *blocks, paragraph(_origin(saved))])


def _origin(saved: Saved) -> str:
    parts = [f"by {saved.saved_by}" if saved.saved_by else "", f"at {saved.saved_at}" if saved.saved_at else ""]
    told = " ".join(part for part in parts if part)
    return f"Saved {told}." if told else ""


def _blocks(trace: Trace, saved: Saved) -> Iterator[str]:
    yield _verdict(trace)
    yield _facts(trace)
    yield heading(2, "Route")
    yield _route(trace)
    yield heading(3, "Gates")
    yield _gates(trace.steps)
    yield heading(3, "Search")
    yield _stages(trace.search)
    yield heading(2, "Results")
    yield _results(trace.hits) or paragraph("No results.")
    yield from _misses(trace.search)
    if saved.search:
        yield heading(3, f"A plain search for {saved.search.limit}")
        yield _results(saved.search.hits) or paragraph("No results.")
    if trace.hits or saved.missed:
        yield heading(2, "Scores")
    for rank, hit in enumerate(trace.hits, start=1):
        yield from score_blocks(str(rank), hit, saved.detail.get(hit.file))
    for file, hit in saved.missed.items():
        yield from score_blocks("Not in the results", hit, saved.detail.get(file))
    yield heading(2, "Retry")
    yield from _retry(trace)
    yield heading(2, "Cache (simulated)")
    yield from _cache(trace.cache)
    yield heading(2, "Answer")
    yield from _answer(trace.answer)
    if trace.notices:
        yield heading(2, "Good to know")
        yield Markdown("".join(f"- {escaped(notice)}\n" for notice in trace.notices))


def _verdict(trace: Trace) -> str:
    label = next((step.label for step in trace.steps if step.name == trace.outcome.value), "not covered")
    unused = "" if trace.used else " The cache answered: the search was computed and not used."
    return Markdown(f"{bold(f'TIER {trace.tier}, {label}')}: {escaped(trace.verdict)}.{unused}\n")


def _facts(trace: Trace) -> str:
    search = trace.search
    stop = " ".join(word.word for word in search.lint.words if word.stop_word)
    rows = [
        ("query", trace.query),
        ("mode", trace.mode),
        ("profile", f"{trace.profile} ({trace.engine})"),
        ("tree", f"{trace.snapshot.project}, {trace.snapshot.notes} notes, fingerprint {trace.fingerprint.value}"),
        ("clock", trace.snapshot.clock),
        ("searched for", search.lint.filtered or "nothing"),
        ("stop words", stop or "none"),
        ("combined", search.combine_why),
        ("scope", f"{search.scope.path or 'the whole tree'}: {search.scope.why}" if search.scope.why else "whole tree"),
    ]
    return table(("fact", "value"), rows)


def _route(trace: Trace) -> str:
    rows = [
        ("" if step.tier is None else str(step.tier), step.label, ended(step.state), step.summary, step.expected)
        for step in trace.steps
    ]
    return table(("tier", "step", "ended", "why", "documented latency"), rows, ("tier",))


def _gates(steps: tuple[Step, ...]) -> str:
    marks = {True: "✓", False: "✗", None: "·"}
    rows = [
        (
            step.label,
            f"{marks[check.passed]} {check.name}",
            _number(check.value),
            check.operator,
            _number(check.threshold),
            _number(check.margin),
            path(check.constant),
            check.note,
        )
        for step in steps
        for check in step.checks
    ]
    header = ("step", "check", "value", "", "threshold", "margin", "constant", "note")
    return table(header, rows, ("value", "threshold", "margin"))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _stages(search: Search) -> str:
    rows = [(one.name, str(one.came_in), str(one.dropped), str(one.went_out), one.note) for one in search.stages]
    return table(("stage", "in", "dropped", "out", "note"), rows, ("in", "dropped", "out"))


def _results(hits: tuple[Hit, ...]) -> str:
    rows = [
        (
            str(rank),
            glyph(hit.kind, hit.signals.maturity if hit.signals else ""),
            hit.title,
            path(hit.path),
            f"{hit.score:.2f}",
            f"by entity “{hit.found_by}”" if hit.found_by else hit.origin.value,
        )
        for rank, hit in enumerate(hits, start=1)
    ]
    return table(("rank", "", "note", "path", "score", "found"), rows, ("rank", "score"))


def _misses(search: Search) -> Iterator[str]:
    rows = [
        (str(miss.rank), glyph(miss.kind, miss.maturity), miss.title, path(miss.path), f"{miss.score:.2f}", lacks(miss))
        for miss in search.near_misses
    ]
    if rows:
        yield heading(3, "Not in the results")
        yield table(("rank", "", "note", "path", "score", "lacks"), rows, ("rank", "score"))


def _retry(trace: Trace) -> Iterator[str]:
    rows = [
        (
            one.name,
            ended(one.state),
            one.query,
            one.combine,
            str(one.came_in),
            str(one.found),
            best(one.listed),
            one.why,
        )
        for one in trace.search.attempts
    ]
    yield table(("attempt", "ended", "query", "words", "in", "found", "best", "why"), rows, ("in", "found"))
    yield Markdown(f"Entity searches: {ended(trace.entities.state)}. {escaped(trace.entities.why)}\n")
    searches = [
        (one.entity, one.search.outcome.value, str(len(one.search.hits)), ", ".join(one.added) or "nothing new")
        for one in trace.entities.searches
    ]
    yield table(("entity", "ended", "found", "added"), searches, ("found",))
    yield from _ladder(trace.ladder)


def _ladder(ladder: Ladder) -> Iterator[str]:
    named = "Retry ladder" if ladder.in_route else "Retry ladder (advice)"
    yield Markdown(f"{named}: {ended(ladder.state)}. {escaped(ladder.why)}\n")
    yield rungs(ladder.rungs)
    yield _results(ladder.hits)


def _cache(look: CacheLook) -> Iterator[str]:
    looks = [("exact", ended(look.exact), look.exact_why), ("fuzzy", ended(look.fuzzy), look.fuzzy_why)]
    yield table(("look-up", "ended", "why"), looks)
    entries = [
        (
            one.key,
            str(one.tier),
            f"{one.age_s:.0f}",
            f"{one.left_s:.0f}",
            "same" if one.fingerprint_match else "other",
            f"{one.similarity:.2f}",
            f"{ended(one.state)} {one.why}",
        )
        for one in look.entries
    ]
    header = ("entry", "tier", "age s", "left s", "fingerprint", "similarity", "ended")
    yield table(header, entries, ("tier", "age s", "left s", "similarity"))


def _answer(answer: Answer) -> Iterator[str]:
    yield paragraph(answer.notice)
    if answer.text:
        yield fenced(answer.text)
    if answer.sources:
        yield Markdown(f"Sources: {', '.join(path(source) for source in answer.sources)}\n")
    if answer.completion:
        yield from _completion(answer.completion)
    if answer.prompt:
        yield from _prompt(answer.prompt)


def _completion(completion: Completion) -> Iterator[str]:
    yield paragraph(spent(completion))
    steps = [
        (str(one.number), str(one.turn), one.tool, one.arguments, one.refused or f"{one.result_tokens} tokens")
        for one in completion.steps
    ]
    yield table(("step", "turn", "tool", "arguments", "result"), steps, ("step", "turn"))
    cited = [(one.path, "yes" if one.in_tree else "no", "yes" if one.seen else "no") for one in completion.cited]
    yield table(("source", "in the tree", "shown to the model"), cited)
    if completion.partial:
        yield fenced(completion.partial)


def _prompt(prompt: Prompt) -> Iterator[str]:
    facts = [
        ("tokens", str(prompt.tokens)),
        ("max tokens", str(prompt.max_tokens)),
        ("temperature", f"{prompt.temperature:g}"),
        ("iterations", str(prompt.max_iterations)),
        ("manifest", prompt.manifest),
        ("quoted", ", ".join(prompt.prefetched) or "nothing"),
    ]
    yield table(("prompt", "value"), facts)
    lanes = [
        (one.name, str(one.tokens), str(one.budget), str(len(one.entries)), str(one.left_out)) for one in prompt.lanes
    ]
    yield table(("lane", "tokens", "budget", "entries", "left out"), lanes, ("tokens", "budget", "entries", "left out"))
    for section in prompt.sections:
        yield heading(3, f"{section.name}, {section.tokens} tokens")
        yield fenced(section.text)
