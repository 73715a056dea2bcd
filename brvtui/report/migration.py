"""Shows the changes that a migration to ByteRover V4 would cause, as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from rich.console import RenderableType

from brvtui.engines.migration import MigratedNote
from brvtui.lab.migration import AnswerChange, AnsweredNote, MigratedAnswer
from brvtui.paint.line import Line, flowed, line
from brvtui.report.lines import rich_lines
from brvtui.session.migrating import MigrationReport
from brvtui.wording import counted

_SHOWN_HITS, _SHOWN_WORDS = 3, 12
_COUNT, _LABEL = 6, 8
CHANGE_ROLES = {
    AnswerChange.NOTHING_FOUND: "bad",
    AnswerChange.FIRST_GONE: "bad",
    AnswerChange.OTHER_FIRST: "warn",
    AnswerChange.COVERED_NOW: "warn",
}
_QUIET = (AnswerChange.SAME_FIRST, AnswerChange.STILL_NOTHING, AnswerChange.RIGHTLY_NOTHING)


def migration_report(report: MigrationReport, width: int, most: int) -> RenderableType:
    """Returns the lines of :func:`migration_lines`, wrapped to ``width`` columns."""
    lines = migration_lines(report, most)
    return rich_lines(part for one in lines for part in flowed(one, width, width))


def migration_lines(report: MigrationReport, most: int) -> list[Line]:
    """Returns the counts, then the answers that change and the notes with losses, at most ``most`` of each."""
    return [*_counts(report), *_answers(report.answers, most), *_notes(report.notes, most), Line(), _closing()]


def _closing() -> Line:
    return line(" nothing was written; ByteRover's own migration does it", "muted")


def _counts(report: MigrationReport) -> Iterator[Line]:
    topics = sum(not note.unseen for note in report.notes)
    files = counted(len(report.notes), "Markdown file", "Markdown files")
    yield line(f" {report.project}: {files} would become {counted(topics, 'topic', 'topics')}", "bold strong")
    yield from _facts(report)
    if not report.answers:
        yield line(' no query is judged or logged; give some: brv-tui migrate --dry-run "QUERY"', "muted")
        return
    yield Line()
    yield line(f" {counted(len(report.answers), 'query', 'queries')}, run before and after", "bold strong")
    for change, number in report.changes.items():
        yield _count(number, change.value, CHANGE_ROLES.get(change, "text"))


def _facts(report: MigrationReport) -> Iterator[Line]:
    notes = report.notes
    facts: tuple[tuple[str, Callable[[MigratedNote], object], str], ...] = (
        ("without the stored importance, maturity and accesses", lambda note: note.lost_signals, "warn"),
        ("no longer found by some words", lambda note: note.lost_words, "warn"),
        ("named so that V4 ignores them, or left out", lambda note: note.unseen, "text"),
        ("searched by V4 but not by ByteRover 3", lambda note: note.newly_searched, "text"),
        ("with frontmatter that becomes text", lambda note: note.frontmatter_problem, "text"),
    )
    for text, has, role in facts:
        number = sum(bool(has(note)) for note in notes)
        if number:
            yield _count(number, text, role)
    ages = [note.lost_age_days for note in notes if not note.unseen]
    if ages:
        span = f"all count as new: half are more than {median(ages):.0f} days old, and the oldest {max(ages):.0f} days"
        yield line(f" {'':>{_COUNT}} {span}", "warn")
    for file in report.left:
        yield line(f" {'':>{_COUNT}} {file.path}: {file.reason}", "bad")
    if report.shared_sources:
        yield line(
            f" {'':>{_COUNT}} V4 has no shared sources: {', '.join(report.shared_sources)} are left behind", "warn"
        )


def _count(number: int, text: str, role: str) -> Line:
    return Line().gap().add(f"{number:>{_COUNT}}", "strong").gap().add(text, role)


def _answers(answers: Sequence[MigratedAnswer], limit: int) -> Iterator[Line]:
    order = list(AnswerChange)
    changed = sorted((one for one in answers if one.change not in _QUIET), key=lambda one: order.index(one.change))
    for answer in changed[:limit]:
        yield Line()
        yield from answer_lines(answer)
    if len(changed) > limit:
        yield line(f" {len(changed) - limit} more; --all lists them, --format json shows all", "muted")


def answer_lines(answer: MigratedAnswer) -> Iterator[Line]:
    """Yields the query, the change in its answer, and the first results of both engines."""
    yield (
        Line()
        .gap()
        .add(answer.query, "strong")
        .add(f"  {answer.change.value}", CHANGE_ROLES.get(answer.change, "muted"))
    )
    cited = "to be cited" if answer.should_cite else "not to be cited"
    yield from _hits("before", answer.outcome, answer.before)
    yield from _hits("after", cited, answer.after)
    if answer.rank_before != answer.rank_after:
        ranks = (f"number {rank}" if rank else "not in the answer" for rank in (answer.rank_before, answer.rank_after))
        before, after = ranks
        yield Line().gap(_COUNT + 2).add(f"the best judged note: {before} before, {after} after", "warn")


def _hits(label: str, outcome: str, hits: Sequence[AnsweredNote]) -> Iterator[Line]:
    yield Line().gap(3).fit(label, _LABEL, "muted").add(outcome, "text")
    for hit in hits[:_SHOWN_HITS]:
        yield Line().gap(3 + _LABEL).add(f"{hit.score:.2f} ", "muted").add(hit.note, "text")


def _notes(notes: Sequence[MigratedNote], limit: int) -> Iterator[Line]:
    telling = [(note, own_losses) for note in notes if (own_losses := list(losses(note)))]
    if telling:
        yield Line()
        yield line(" Notes", "bold strong")
    for note, own_losses in telling[:limit]:
        yield Line().gap().add(note.note, "strong")
        yield from (line(f"   {text}", "text") for text in own_losses)
    if len(telling) > limit:
        yield line(f" {len(telling) - limit} more; --all lists them", "muted")


def losses(note: MigratedNote) -> Iterator[str]:
    """Yields a line for each loss of ``note`` in the migration, except the loss of its age."""
    if note.unseen:
        yield note.unseen if not note.topic else f"{note.topic}: {note.unseen}"
    if note.lost_signals is not None:
        stored = note.lost_signals
        accesses = counted(stored.access_count, "access hit", "access hits")
        yield f"loses importance {stored.importance:.0f}, maturity {stored.maturity} and {accesses}"
    if note.lost_words:
        yield f"no longer found by {_listed(note.lost_words)}"
    if note.lost_path_words:
        yield f"its path is not searched: {_listed(note.lost_path_words)}"
    if note.newly_searched:
        yield "becomes searchable"
    if note.frontmatter_problem:
        yield f"its frontmatter becomes text: {note.frontmatter_problem}"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _SHOWN_WORDS
    shown = ", ".join(words[:_SHOWN_WORDS])
    return f"{shown} and {more} more" if more > 0 else shown
