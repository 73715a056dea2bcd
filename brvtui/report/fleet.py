"""Shows a fleet's answers and health, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines.together import OneRanking
from brvtui.fleet.comparing import Contradiction, NotePlace
from brvtui.fleet.health import FleetHealth, MemberHealth
from brvtui.paint.text import plural, signed
from brvtui.report.markdown_text import Markdown, heading, joined, paragraph, table
from brvtui.text.visible import bounded
from brvtui.trace import Hit, Origin
from brvtui.wording import counted

HEALTH_HEADS = (
    "member",
    "owner",
    "compared",
    "engine",
    "repeated",
    "contradicted",
    "only here",
    "stale",
    "oldest (days)",
)
_MOST_ROWS, _MOST_PLACES = 50, 5


def ranking_lines(answer: OneRanking) -> list[str]:
    """Returns the lines about one ranking of all members: each result with its member and the parts of its score, then
    statistics.
    """
    lines, answer = [], bounded(answer)
    for rank, one in enumerate(answer.hits, start=1):
        lines.append(f"{rank:>3}. {one.hit.score:.2f}  {one.member}  {one.hit.path}  {one.hit.title}")
        lines.append(f"     {_sum(one.hit)}")
    if not answer.hits:
        why = answer.outcome.value.replace("_", " ")
        lines.append(f"no results: {why}; rephrase the query, or add a note about it to a member")
    for word, title, content, path in answer.frequencies:
        lines.append(f"“{word}” is in {content} texts, {title} titles and {path} paths of {answer.notes} notes")
    inside = f" in {answer.scope}" if answer.scope else ""
    counted_over = "the query names the note, so no words are counted."
    if answer.members:
        counted_over = (
            f"one ranking of {answer.notes} notes in {plural(answer.members, 'member')}, profile {answer.profile}. "
            "Words are counted in all of them, so scores are comparable between members."
        )
    lines.append(f"{answer.matched} notes match{inside}, {_shown(answer)} shown: {counted_over}")
    return lines


def _shown(answer: OneRanking) -> str:
    folders = sum(one.hit.origin is Origin.PROPAGATED for one in answer.hits)
    notes = str(len(answer.hits) - folders)
    return f"{notes} and {plural(folders, 'folder')}" if folders else notes


def _sum(hit: Hit) -> str:
    parts = [f"{part.name} {signed(part.value, 4)}" for part in hit.parts]
    return f"{'  '.join(parts)}  = {hit.score:.4f}"


def health_row(one: MemberHealth) -> tuple[str, ...]:
    """Returns the cells of a member's row. Marks an engine or profile that differs from most members."""
    engine = f"{one.engine} {one.profile}{'' if one.is_usual else ' (unusual)'}"
    numbers = (one.repeated, one.contradicted, one.alone, one.stale)
    return (one.name, one.owner, str(one.notes), engine, *map(str, numbers), f"{one.oldest_days:.0f}")


def health_summary(health: FleetHealth) -> str:
    """Describes the findings in a sentence."""
    notes = sum(one.notes for one in health.members)
    return (
        f"{counted(len(health.members), 'member', 'members')}, {counted(notes, 'note', 'notes')} compared "
        "(without stubs and the context.md of folders): "
        f"{counted(len(health.contradictions), 'possible contradiction', 'possible contradictions')}, "
        f"{counted(len(health.alike), 'group of near-duplicates', 'groups of near-duplicates')} in several members, "
        f"{counted(len(health.stale), 'note', 'notes')} unchanged for {health.stale_days} days or more, "
        f"{counted(len(health.missing), 'member', 'members')} missing"
    )


def health_markdown(health: FleetHealth, name: str, day: str) -> str:
    """Returns a fleet's health as Markdown: its members, then the findings, the most serious first."""
    contradicting = [
        (_place(one.first), _place(one.second), one.same, str(one.other_statements), _only(one))
        for one in health.contradictions
    ]
    alike = [
        (f"{one.likeness:.2f}", str(len(one.notes)), ", ".join(map(_place, one.notes[:_MOST_PLACES])))
        for one in health.alike
    ]
    stale = [(_place(one.note), f"{one.days:.0f}", one.maturity) for one in health.stale]
    missing = [(one.member, one.why) for one in health.missing]
    blocks = [
        heading(1, f"Memories of {name or 'the fleet'}, {day}"),
        paragraph(f"{health_summary(health)}."),
        table(HEALTH_HEADS, [health_row(one) for one in health.members]),
    ]
    heads = ("note", "other note", "same", "other statements", "facts in only one")
    blocks += _section("Possible contradictions", heads, contradicting)
    blocks += _section("Near-duplicates", ("similarity", "count", "notes"), alike)
    blocks += _section("Stale notes", ("note", "days", "maturity"), stale)
    blocks += _section("Missing members", ("member", "why"), missing)
    return joined(blocks)


def _section(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Markdown]:
    if not rows:
        return []
    shown = [heading(2, title), table(heads, rows[:_MOST_ROWS])]
    more = len(rows) - _MOST_ROWS
    return [*shown, paragraph(f"{more} more; --format json shows all.")] if more > 0 else shown


def _place(place: NotePlace) -> str:
    return f"{place.member}: {place.path}"


def _only(one: Contradiction) -> str:
    return f"{one.only_first} and {one.only_second}"
