"""What the user would read at each tier (``docs/engine.md``, "The answers")."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui import faults
from brvtui.profile import Profile
from brvtui.retrieve.byterover.excerpt import excerpt
from brvtui.retrieve.byterover.lint import query_words
from brvtui.route.prompt import source_line
from brvtui.snapshot import Snapshot
from brvtui.trace import Answer, Hit, Kind, Prompt
from brvtui.tree.frontmatter import parse
from brvtui.tree.reading import first_units, units

NO_MODEL = (
    "No model provider is set: this is the prompt that would be sent (ByteRover's order and excerpts, our words)."
)
PLACEHOLDER = "(no model provider was set when this query ran, so nothing was answered)"


def direct_answer(snapshot: Snapshot, profile: Profile, query: str, hits: Sequence[Hit]) -> Answer:
    """The direct answer: the notes themselves under Summary, Details, Sources and Gaps."""
    titles = ", ".join(f"**{hit.title}**" for hit in hits)
    noun = "note answers" if len(hits) == 1 else "notes answer"
    lines = ["## Summary", f"{len(hits)} {noun} “{query.strip()}” directly: {titles}.", "", "## Details"]
    for hit in hits:
        lines += [f"### {hit.title}", _body(snapshot, hit, profile, query), ""]
    lines += ["## Sources", *(f"- {source_line(hit)}" for hit in hits), ""]
    lines += ["## Gaps", "Taken word for word from the notes; no model has read them."]
    return Answer("direct", "\n".join(lines), None, "", tuple(hit.path for hit in hits))


def not_covered(query: str, closest: str) -> Answer:
    """The fixed answer when nothing in the tree covers the query."""
    lines = [f"“{query.strip()}” is not covered by this project's memory.", ""]
    if closest:
        lines += [closest, ""]
    lines.append(
        "If it should be, curate it: a note whose title holds these words will answer directly while it is fresh."
    )
    return Answer("not_covered", "\n".join(lines), None, "", ())


def model_answer(prompt: Prompt) -> Answer:
    """The place of a model's answer while no provider is set: the prompt that would be sent."""
    return Answer("prompt", "", prompt, NO_MODEL, prompt.prefetched)


def cached_answer(text: str, tier: int) -> Answer:
    """An answer from the cache."""
    return Answer("cached", text, None, f"from the cache, first answered at tier {tier}", ())


def _body(snapshot: Snapshot, hit: Hit, profile: Profile, query: str) -> str:
    """The note as the engine reads it, or, of a folder's summary, its excerpt."""
    try:
        text = snapshot.text(hit.file)
    except OSError as error:
        return f"(cannot be read: {faults.said(error)})"
    if hit.kind is Kind.SUMMARY:
        return excerpt(text[parse(text).body_start :], query_words(query, profile), profile.search)
    most = profile.direct.note_chars
    return text if units(text) <= most else f"{first_units(text, most)}..."
