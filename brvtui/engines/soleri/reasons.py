"""Reasons why a note is, or is not, in an answer.

See ``docs/reference/soleri.md``, "Why a note is not there".
"""

from __future__ import annotations

from typing import Any

from brvtui.engines.advice import CHECK_PATH, Ask, explained, title_wordings, tried_remedy
from brvtui.engines.contract import Context
from brvtui.engines.soleri.entries import VaultEntry
from brvtui.engines.soleri.index import NoteVault
from brvtui.engines.soleri.matching import terms
from brvtui.engines.soleri.profile import SoleriProfile
from brvtui.engines.soleri.sections import RankedEntry, VaultSearch
from brvtui.engines.soleri.tracing import in_words
from brvtui.snapshot.naming import Named
from brvtui.trace import Explanation, LossStage, Remedy, Trace
from brvtui.wording import counted


class VaultLoss(LossStage):
    """The stages that can drop a note, earliest first."""

    NOT_AN_ENTRY = "not an entry of the vault"
    NO_TERM = "no word of the query can be searched"
    CLOSED = "outside its validity window"
    FILTERED = "filtered out"
    OTHER_COPY = "a copy of it in another tier is listed instead"
    NO_MATCH = "it contains no term of the query, and neither a link nor a vector adds it"
    POOL = "beyond the fetched candidates"
    LIMIT = "below the last result in the answer"
    GUARD_OFF = "beyond the limit, and the small corpus guard does not return all candidates"
    BUDGET = "the token budget runs out before it"
    MEMORIES = "memories took the last places"


def explain(context: Context[SoleriProfile], notes: NoteVault, trace: Trace, document: Named, ask: Ask) -> Explanation:
    """The reason why ``document`` is, or is not, among the hits of ``trace``."""
    section, path = trace.section(VaultSearch), document.path
    placed = section.placed(path)
    words = in_words(placed, trace.query) if placed is not None else ""
    return explained(
        context.snapshot,
        trace,
        document,
        placed.hit if placed is not None else None,
        lambda rank: "; ".join(filter(None, [words, f"listed at {rank} of {len(section.ranking)}"])),
        lambda: _loss(context, notes, trace, document, ask),
        lambda loss, title: _remedy(trace, section, loss, path, title, ask),
    )


def _loss(
    context: Context[SoleriProfile], notes: NoteVault, trace: Trace, document: Named, ask: Ask
) -> tuple[VaultLoss, str]:
    section, profile = trace.section(VaultSearch), context.constants
    if document.path in notes.shadowed:
        return VaultLoss.OTHER_COPY, f"{notes.shadowed[document.path]} has the same id in the same tier"
    found = notes.found(document.path)
    if found is None:
        return VaultLoss.NOT_AN_ENTRY, "derived files and archived stubs are not entries"
    tier, entry = found
    placed = section.placed(document.path)
    if placed is not None:
        return _place(trace, section, placed)
    if not terms(trace.query, profile.as_run) and not section.embedder:
        return VaultLoss.NO_TERM, "a term needs at least two letters"
    if not entry.is_listable(context.now_ms / 1000):
        return VaultLoss.CLOSED, "its validity window is not open"
    filtered = _filtered(entry, section)
    if filtered:
        return VaultLoss.FILTERED, filtered
    copies = (one for one in section.ranking if any(text.startswith(f"{tier} ") for text in one.lost_copies))
    copy = next((one for one in copies if notes.entry_of(one.hit.file) == entry.id), None)
    if copy is not None:
        return VaultLoss.OTHER_COPY, f"the copy in {copy.tier} is listed instead of {', '.join(copy.lost_copies)}"
    everything = len(context.snapshot.notes)
    if section.fetch_limit < everything and ask(trace.query, top_k=everything).section(VaultSearch).placed(
        document.path
    ):
        return (
            VaultLoss.POOL,
            f"only the {section.fetch_limit} best by BM25 are fetched, and this one is not among them",
        )
    return VaultLoss.NO_MATCH, f"searched: {section.expression}"


def _place(trace: Trace, section: VaultSearch, placed: RankedEntry) -> tuple[VaultLoss, str]:
    """The reason why a candidate is not among the results."""
    place, guard, memories = section.ranking.index(placed) + 1, section.guard, section.memories
    budgeted = section.returned + (memories.pushed_off if memories is not None else 0)
    if memories is not None and place <= budgeted:
        own = f"number {place} with {placed.hit.score:.3f}"
        numbers = f"{own}; {counted(memories.given, 'memory has', 'memories have')} {memories.score:.3f}"
        return VaultLoss.MEMORIES, numbers
    if place <= budgeted + section.cut_by_budget:
        return VaultLoss.BUDGET, f"number {place}, but only {budgeted} fit into {section.max_tokens} tokens"
    last = trace.hits[-1].score if trace.hits else 0.0
    numbers = f"number {place} of {len(section.ranking)} with {placed.hit.score:.3f}; the last result has {last:.3f}"
    if guard.acts or place > guard.candidates:
        return VaultLoss.LIMIT, numbers
    if guard.candidates >= guard.most:
        return (
            VaultLoss.GUARD_OFF,
            f"{numbers}; the guard needs fewer than {guard.most} candidates, not {guard.candidates}",
        )
    return VaultLoss.GUARD_OFF, f"{numbers}; the guard needs a limit below {guard.half:g}, not {guard.limit}"


def _filtered(entry: VaultEntry, section: VaultSearch) -> str:
    for name, wanted in section.filters.items():
        value = getattr(entry, name)
        if value != wanted:
            return f"its {name} is {value}, but the filter asks for {wanted}"
    return ""


def _remedy(trace: Trace, section: VaultSearch, loss: VaultLoss, path: str, title: str, ask: Ask) -> Remedy:
    if loss is VaultLoss.NOT_AN_ENTRY:
        return Remedy(CHECK_PATH, False)
    if loss is VaultLoss.CLOSED:
        return Remedy("change validFrom or validUntil in its frontmatter", False)
    tries: list[tuple[str, str, dict[str, Any]]] = []
    if loss is VaultLoss.FILTERED:
        tries.append(("run the query without the filter", trace.query, {**dict.fromkeys(section.filters), "scope": ""}))
    if loss in (VaultLoss.LIMIT, VaultLoss.GUARD_OFF, VaultLoss.POOL, VaultLoss.MEMORIES):
        more = section.limit * 2
        tries.append((f"ask for {more} results (brv-tui query -o top_k={more})", trace.query, {"top_k": more}))
    if loss is VaultLoss.MEMORIES:
        tries.insert(0, ("ask without memories", trace.query, {"memories": None}))
    if loss is VaultLoss.BUDGET:
        tries.append(("run the query without the token budget", trace.query, {"max_tokens": None}))
    tries += [(*wording, {}) for wording in title_wordings(trace.query, title)]
    return tried_remedy(path, tries, ask, 3)
