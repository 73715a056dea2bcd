"""Shows a saved trace as text, JSON, Markdown and SVG, and exports it to a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path

from rich.console import RenderableType

from brvtui import faults
from brvtui.disk import writing
from brvtui.engines.presentation import Presentation
from brvtui.engines.registry import kind_of, presentation
from brvtui.paint.answers import completion_blocks, kind_of_answer
from brvtui.paint.attempts import score_text
from brvtui.paint.blocks import Blocks, lines_of
from brvtui.paint.glyphs import UNICODE, glyph_of
from brvtui.paint.hits import chips
from brvtui.paint.score import score_lines, ticks_of
from brvtui.paint.sentence import plain
from brvtui.paint.text import plural
from brvtui.report.lines import WIDTH, plain_lines, svg_report
from brvtui.report.markdown_text import Markdown, bold, escaped, fenced, heading, joined, paragraph, path, table
from brvtui.report.query import MOST_HITS, more_results, trace_report
from brvtui.saved.traces import SavedTrace, as_json
from brvtui.text.visible import bounded, visible
from brvtui.trace import Hit, NearMiss, Trace
from brvtui.tree.reading.project import NOT_IN_MARKER, is_context_tree, is_reserved, places_of

# Shows a saved trace as Markdown, for an issue or a wiki, with the contents of the panes in their order. Results are
# tables. Aligned lines, which look the same as in panes and reports, are in fenced code blocks.


_WIDTH = 100
"""The width, in columns, of lines in fenced code blocks."""
_ROUTE_WIDTH = 140
"""The width of the route in columns, wide enough to show every check in full."""


def markdown_report(saved: SavedTrace) -> str:
    """Returns the whole trace as a Markdown document."""
    saved = bounded(saved)
    trace = saved.trace
    title = heading(1, f"Why “{trace.query}” got its answer")
    return joined([title, *_blocks(saved, trace, presentation(trace.engine)), paragraph(_origin(saved))])


def _origin(saved: SavedTrace) -> str:
    parts = [f"by {saved.saved_by}" if saved.saved_by else "", f"at {saved.saved_at}" if saved.saved_at else ""]
    origin = " ".join(part for part in parts if part)
    return f"Saved {origin}." if origin else ""


def _blocks(saved: SavedTrace, trace: Trace, shown: Presentation) -> Iterator[str]:
    headline = shown.headline(trace)
    warning = f" {escaped(headline.warning)}." if headline.warning else ""
    yield Markdown(f"{bold(headline.badge)}: {escaped(plain(headline.sentence))}{warning}\n")
    yield _facts(trace, shown)
    if trace.notices:
        yield heading(2, "Good to know")
        yield Markdown("".join(f"- {escaped(notice)}\n" for notice in trace.notices))
    yield heading(2, "Results")
    yield _results(trace, shown) or paragraph("No results.")
    yield paragraph(more_results(trace))
    yield from _misses(trace, shown)
    yield heading(2, "Route")
    yield _fence([*shown.decision(trace, UNICODE), *shown.flow(trace, UNICODE)], _ROUTE_WIDTH)
    yield from _scores(saved, trace, shown)
    yield from _retry(trace, shown)
    if shown.caches:
        yield heading(2, "Cache (simulated)")
        yield _fence(shown.cache(trace, None, _WIDTH, UNICODE).blocks)
    yield from _answer(trace)


def _facts(trace: Trace, shown: Presentation) -> str:
    snapshot = trace.snapshot
    reading = " · ".join("".join(text for text, _ in spans) for _, spans in shown.reading(trace, UNICODE))
    rows = [
        ("query", trace.query),
        ("mode", trace.mode),
        ("engine", f"{trace.version}, profile {trace.profile}"),
        ("tree", f"{snapshot.project}, {plural(snapshot.notes, kind_of(trace.engine, snapshot).noun)}"),
        ("clock", snapshot.clock),
        ("scope", trace.scope_option or "whole tree"),
        ("read as", reading),
    ]
    return table(("fact", "value"), rows)


def _results(trace: Trace, shown: Presentation) -> str:
    rows = [
        (
            str(rank),
            _mark(hit),
            hit.title,
            path(hit.path),
            f"{hit.score:.{trace.scale.decimals}f}",
            chips(hit.words, _WIDTH).plain,
            f"by “{hit.found_by}”" if hit.found_by else shown.remark(trace, hit),
        )
        for rank, hit in enumerate(trace.hits[:MOST_HITS], start=1)
    ]
    return table(("rank", "", "note", "path", "score", "words", "found"), rows, ("rank", "score"))


def _misses(trace: Trace, shown: Presentation) -> Iterator[str]:
    rows = [
        (
            str(miss.rank),
            _mark(miss),
            miss.title,
            path(miss.path),
            f"{miss.score:.{trace.scale.decimals}f}",
            f"{shown.behind(trace, miss.reason)}: {shown.lack(miss, UNICODE)[0]}",
        )
        for miss in trace.near_misses[:MOST_HITS]
    ]
    if rows:
        yield heading(3, "Not in the results")
        yield table(("rank", "", "note", "path", "score", "lacks"), rows, ("rank", "score"))


def _mark(found: Hit | NearMiss) -> str:
    signals = found.signals if isinstance(found, Hit) else None
    maturity = found.maturity if isinstance(found, NearMiss) else signals.maturity if signals else ""
    return glyph_of(found.kind, maturity, UNICODE)[0]


def _scores(saved: SavedTrace, trace: Trace, shown: Presentation) -> Iterator[str]:
    own = {hit.file: hit for hit in trace.hits}
    others = {file: detail.hit for file, detail in saved.detail.items() if file not in own and detail.hit is not None}
    ticks = ticks_of(trace)
    if own or others:
        yield heading(2, "Scores")
    for place, hit in enumerate([*trace.hits[:MOST_HITS], *islice(others.values(), MOST_HITS)], start=1):
        number = str(place) if place <= len(trace.hits[:MOST_HITS]) else "Not in the results"
        yield heading(3, f"{number}: {hit.title} ({hit.path})")
        lines = score_lines(trace, hit, saved.detail.get(hit.file), ticks, _WIDTH, UNICODE)
        yield _fence([*lines, *shown.place(trace, hit.file, UNICODE)])


def _retry(trace: Trace, shown: Presentation) -> Iterator[str]:
    attempts = shown.attempts(trace)
    if not attempts:
        return
    yield heading(2, "Retry")
    rows = [
        (
            f"{'· ' * row.depth}{row.name}",
            f"{UNICODE.state[row.state.value]} {row.state.value.replace('_', ' ')}",
            row.query,
            row.found,
            Markdown(", ".join(f"{path(one.path)} {score_text(one, row, trace.scale)}" for one in row.results[:3])),
            row.why,
        )
        for row in attempts
    ]
    yield table(("tried", "ended", "query", "found", "best", "why"), rows)


def _answer(trace: Trace) -> Iterator[str]:
    yield heading(2, f"Answer: {kind_of_answer(trace.answer)}")
    yield paragraph(trace.answer.notice)
    if trace.answer.text:
        yield fenced(trace.answer.text)
    if trace.answer.sources:
        yield Markdown(f"Sources: {', '.join(path(source) for source in trace.answer.sources)}\n")
    yield _fence(completion_blocks(trace.answer.completion, UNICODE))
    if trace.answer.prompt is not None:
        yield heading(2, "Prompt")
        for section in trace.answer.prompt.sections:
            yield heading(3, f"{section.name}, {section.tokens} tokens")
            yield fenced(section.text)


def _fence(blocks: Blocks, width: int = _WIDTH) -> str:
    text = plain_lines(lines_of(blocks, width, UNICODE))
    return fenced(text) if text.strip() else ""


class Form(StrEnum):
    """The formats of a file. The value of each is the file's ending."""

    JSON = "json"
    MARKDOWN = "md"
    SVG = "svg"


class ExportError(ValueError):
    """Raised if a trace cannot be written to a file. The message names the file, the reason and the remedy."""


class OutputExistsError(ExportError):
    """Raised if the file to be written already exists."""


def write_report(file: Path, data: bytes, trees: Sequence[Path]) -> None:
    """Writes ``data`` to ``file``. If this fails, the file is unchanged.

    Raises :class:`ExportError`, for example if the file is inside one of ``trees`` or another project's context tree.
    """
    try:
        place = checked_place(file, trees)
        if not place.parent.is_dir():
            raise no_folder(file, place)
        writing.write(place, data, private=False)
    except (OSError, RuntimeError) as error:
        raise _not_written(file, error) from error


def checked_place(file: Path, trees: Sequence[Path] = ()) -> Path:
    """Returns the absolute path of ``file``.

    Raises :class:`ExportError` if the path is in one of ``trees``, in any context tree, or in ``.brv`` outside of the
    tool's own folder. Raises OSError or RuntimeError if the path cannot be resolved.
    """
    place = file.expanduser().absolute()
    named, real = places_of(place)
    if any(real.is_relative_to(tree) for tree in trees) or any(
        is_context_tree(folder) for folder in (*named.parents, *real.parents)
    ):
        raise ExportError(
            f"{file}: this is inside a context tree, where an .md file would become a note; save it elsewhere"
        )
    if is_reserved(place):
        raise ExportError(f"{file}: {NOT_IN_MARKER}; save it elsewhere")
    return place


def no_folder(file: Path, place: Path) -> ExportError:
    """Returns the error for a ``file`` whose folder, the parent of ``place``, does not exist."""
    return ExportError(f"{file}: there is no folder {place.parent}; create it, or save elsewhere")


def text_report(saved: SavedTrace, width: int, whole: bool = False) -> RenderableType:
    """The trace for ``width`` columns. ``whole`` adds the score of each term in each field, for every result."""
    trace = saved.trace
    shown = {hit.file: saved.detail[hit.file] for hit in trace.hits[: None if whole else 1] if hit.file in saved.detail}
    return trace_report(trace, shown, width)


def rendered(saved: SavedTrace, form: Form) -> bytes:
    """Returns the content of a file in the format ``form``, in UTF-8."""
    if form is Form.JSON:
        return as_json(saved)
    if form is Form.MARKDOWN:
        return markdown_report(saved).encode()
    return svg_report(text_report(saved, WIDTH), visible(bounded(saved.trace.query))).encode()


def form_of(file: Path) -> Form:
    """Returns the format for the ending of ``file``. Raises :class:`ExportError` for an unknown ending."""
    try:
        return Form(file.suffix.lower().removeprefix("."))
    except ValueError:
        endings = ", ".join(f".{form}" for form in Form)
        raise ExportError(f"{file}: a trace is saved as {endings}; give the file one of these extensions") from None


def _not_written(file: Path, error: Exception) -> ExportError:
    return ExportError(f"{file}: cannot be written ({faults.reason(error)}): save it elsewhere")


def export(saved: SavedTrace, file: Path, trees: Sequence[Path] = (), replace: bool = True) -> Path:
    """Writes ``saved`` to ``file`` in the format for its ending, and returns the file's path.

    If this fails, the file is unchanged. Raises :class:`OutputExistsError` if the file exists and ``replace`` is False.
    Raises :class:`ExportError` if the ending is unknown, if the file is inside one of ``trees`` or another project's
    context tree, or if the file cannot be written.
    """
    form = form_of(file)
    try:
        place = checked_place(file, trees)
        if place.exists() and not place.is_file():
            raise ExportError(f"{file}: not a file; save it elsewhere")
        if not place.parent.is_dir():
            raise no_folder(file, place)
        if place.exists() and not replace:
            raise OutputExistsError(f"{file}: already exists")
        writing.write(place, rendered(saved, form), private=False)
    except (OSError, RuntimeError) as error:
        raise _not_written(file, error) from error
    return place
