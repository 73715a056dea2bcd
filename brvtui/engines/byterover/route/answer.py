"""The answer that the user reads at each tier (``docs/engine.md``, "The answers")."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines.byterover.context import Context
from brvtui.engines.byterover.profile import Profile
from brvtui.engines.byterover.route.extractive import Passage, chosen, composed
from brvtui.engines.byterover.route.prompt import Quoted, source_line
from brvtui.engines.byterover.search.excerpt import excerpt, unreadable
from brvtui.engines.byterover.search.lint import query_words
from brvtui.engines.byterover.sections import QueryLint
from brvtui.text.analysis import terms
from brvtui.trace import Answer, Hit, Kind, ModelPrompt, TermExpansion
from brvtui.tree.reading.contents import first_units, units
from brvtui.tree.reading.frontmatter import parse


def direct_answer(context: Context, query: str, hits: Sequence[Hit]) -> Answer:
    """The direct answer: the notes themselves under Summary, Details, Sources and Gaps."""
    titles = ", ".join(f"**{hit.title}**" for hit in hits)
    noun = "note answers" if len(hits) == 1 else "notes answer"
    lines = ["## Summary", f"{len(hits)} {noun} “{query.strip()}” directly: {titles}.", "", "## Details"]
    for hit in hits:
        lines += [f"### {hit.title}", _body(context, hit, query), ""]
    lines += ["## Sources", *(f"- {source_line(hit)}" for hit in hits), ""]
    lines += ["## Gaps", "Taken word for word from the notes; no model has read them."]
    return Answer("direct", "\n".join(lines), None, "", tuple(hit.path for hit in hits))


def without_words(query: str) -> Answer:
    """The fixed answer when no word of the query is left to search for: no note could cover that."""
    given = f"“{query.strip()}” leaves no word to search for" if query.strip() else "The query is empty"
    text = f"{given}, so no note was looked for.\n\nAsk in words: letters or digits, such as those of a note's title."
    return Answer("not_covered", text, None, "", ())


def not_covered(query: str, closest: str) -> Answer:
    """The fixed answer when nothing in the tree covers the query."""
    lines = [f"“{query.strip()}” is not covered by this project's memory.", ""]
    if closest:
        lines += [closest, ""]
    lines.append(
        "If it should be, curate it: a note with these words in its title is found and may answer directly while fresh."
    )
    return Answer("not_covered", "\n".join(lines), None, "", ())


def extractive_answer(
    profile: Profile, query: str, lint: QueryLint, prompt: ModelPrompt, quoted: Sequence[Quoted], why: str
) -> Answer:
    """The answer in place of a model's: sentences of ``quoted``. ``why`` says why no model was asked."""
    expansions = lint.expansions or tuple(
        TermExpansion(term, (), 0, 0, 0, 0) for term in dict.fromkeys(terms(lint.filtered))
    )
    passages = [Passage(source_line(one.hit), one.text) for one in quoted if one.readable]
    quotes = chosen(passages, expansions)
    far = f"No note reaches {profile.direct.prefetch:g}: none would be quoted to a model, which would search by itself."
    text = composed(query, quotes, expansions, "" if prompt.prefetched else far)
    named = {quote.source for quote in quotes}
    sources = tuple(one.hit.path for one in quoted if source_line(one.hit) in named)
    return Answer("extractive", text, prompt, why, sources)


def cached_answer(text: str, tier: int) -> Answer:
    """An answer from the cache."""
    return Answer("cached", text, None, f"from the cache, first given at tier {tier}", ())


def _body(context: Context, hit: Hit, query: str) -> str:
    """The note as the engine reads it, or, of a folder's summary, its excerpt."""
    snapshot, profile = context.snapshot, context.constants
    try:
        text = snapshot.text(hit.file)
    except OSError as error:
        return unreadable(error)
    if hit.kind is Kind.SUMMARY:
        return excerpt(text[parse(text).body_start :], query_words(query, profile), profile.search)
    most = profile.direct.note_chars
    return text if units(text) <= most else f"{first_units(text, most)}..."
