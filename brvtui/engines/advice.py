"""Advice and reasons for documents that are not in an answer. Several engines share these functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from brvtui.trace import Detail, Explanation, Hit, LossStage, Remedy, RemedySearch, SideEffect, Trace
from brvtui.wording import counted

if TYPE_CHECKING:
    from brvtui.snapshot import Snapshot
    from brvtui.snapshot.naming import Named

_DIRECT = 2
"""The highest ByteRover tier that needs no model."""
_MOST_NAMED = 2
"""The maximum number of side effects that are described."""


def remarks(explanation: Explanation, remedy: Remedy) -> list[str]:
    """The gain from ``remedy`` beside its rank, and its drawbacks, each in a few words;
    empty if there are none.
    """
    found = [remedy.gain] if remedy.gain else []
    if remedy.is_used is False:
        found.append("listed, but the answer does not use it")
    if explanation.trace.tier == _DIRECT and remedy.tier is not None and remedy.tier > _DIRECT:
        found.append("the query then needs a model")
    return found


def side_effects(remedy: Remedy) -> str:
    """The numbers of other queries that ``remedy`` makes worse and changes, with the first two changes of each; empty
    if none ran again.
    """
    if not remedy.compared:
        return ""
    others = counted(remedy.compared, "other query", "other queries")
    worse, changed = ([one for one in remedy.side_effects if one.is_worse is each] for each in (True, False))
    parts = [f"makes {len(worse)} of {others} worse: {_named(worse)}"] if worse else []
    parts += [f"also changes {len(changed)} of {others}: {_named(changed)}"] if changed else []
    return "; ".join(parts) or f"changes none of {others}"


def _named(effects: Sequence[SideEffect]) -> str:
    more = len(effects) - _MOST_NAMED
    named = "; ".join(f"“{one.query}” ({one.text})" for one in effects[:_MOST_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def extent(search: RemedySearch) -> str:
    """The kinds of changes that were tried, if none helps or the time limit ended the search; otherwise empty."""
    kinds = ", ".join(search.kinds)
    if not search.is_complete:
        return f"the search reached its time limit; every change of these kinds was tried: {kinds or 'none'}"
    return f"nothing that was tried helps: {kinds}" if kinds and not search.remedies else ""


Ask = Callable[..., Trace]
"""A function that runs another query in the engine: ``ask(text, **options)``."""
Loss = TypeVar("Loss", bound=LossStage)
NOTHING_HELPS = "none of the wordings tried finds it"
"""The advice if none of the wordings that an engine tries finds the document."""
CHECK_PATH = "check the path, or add the note"
MAKE_READABLE = "correct the file or its name (see the reason), so that it can be read"
MAKE_ROOM = "shorten or split it, or remove files that come before it"
NO_WORDS = "the query contains no searchable words"
_MARKUP = re.compile(r"\[([^\[\]]{0,200})\]\([^()]{0,500}\)|[`*]|</?\w{1,20}>")


def title_wordings(query: str, title: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two wordings, each preceded by advice to try it: ``query`` with the words of the document's ``title`` added, and
    the title only, both without markup.
    """
    title = _MARKUP.sub(r"\1", title).strip()
    return (f"add the words of its title ({title})", f"{query} {title}"), ("ask for its title", title)


def tried_remedy(path: str, tries: Iterable[tuple[str, str, dict[str, Any]]], ask: Ask, decimals: int) -> Remedy:
    """A remedy based on the first of ``tries`` (each with advice, a query and options) that finds the document at
    ``path``. If none finds it, the remedy says so. Its score has ``decimals`` decimals.
    """
    for text, query, options in tries:
        rank, hit = ask(query, **options).place_of(path)
        if hit is not None:
            return Remedy(f"{text}: rank {rank}, {hit.score:.{decimals}f}", True, query, rank, hit.score)
    return Remedy(NOTHING_HELPS, False)


def explained(
    snapshot: Snapshot,
    trace: Trace,
    document: Named,
    hit: Hit | None,
    use: Callable[[int], str],
    lost: Callable[[], tuple[Loss, str]],
    remedy: Callable[[Loss, str], Remedy | None],
    detail: Detail | None = None,
    name: str = "",
) -> Explanation:
    """The reason why ``document`` is, or is not, among the hits of ``trace``. ``hit`` contains its score.

    ``use`` describes how the answer uses a hit with a given rank. ``lost`` returns the stage that dropped the document,
    and an explanation with the figures. ``remedy`` returns a remedy for that stage and the document's title. The title
    of a file that is not a document is ``name`` or, if ``name`` is empty, the last part of the path.
    """
    path, place = document.path, document.position
    title = snapshot.notes[place].title if place is not None else name or path.rpartition("/")[2]
    if detail is None and hit is not None:
        detail = Detail(path, (), None, "", hit)
    rank, _ = trace.place_of(path)
    if rank is not None:
        return Explanation(trace.query, path, title, True, rank, hit, detail, None, "", None, use(rank), trace)
    loss, numbers = lost()
    advice = remedy(loss, title)
    unread = next((file for file in snapshot.unseen if file.path == path), None) if place is None else None
    if unread is not None and advice is not None and advice.text == CHECK_PATH:
        numbers = f"the file exists, but is not read: {unread.reason}"
        advice = Remedy(MAKE_ROOM if unread.is_past_limit else MAKE_READABLE, False)
    return Explanation(trace.query, path, title, False, None, hit, detail, loss.reason, numbers, advice, "", trace)


def edited_now(days: float, stored_recency: str) -> str:
    """A phrase for an edit now instead of ``days`` ago, with ``stored_recency`` if ``days`` is 0 or less."""
    if days <= 0:
        return f"edited a moment ago, not now or later: {stored_recency}"
    if days < 1:
        return f"edited now, not {counted(max(1, round(days * 24)), 'hour', 'hours')} ago"
    return f"edited today, not {counted(round(days), 'day', 'days')} ago"


def with_remedies(explanation: Explanation, remedies: tuple[Remedy, ...], notice: str = "") -> Explanation:
    """``explanation`` with ``remedies`` and a ``notice`` about them. The first one replaces the advice that no wording
    helps.
    """
    advised = explanation.remedy
    if remedies and advised is not None and advised.text == NOTHING_HELPS:
        advised = remedies[0]
    notices = "; ".join(filter(None, (explanation.notice, notice if remedies else "")))
    return replace(explanation, remedies=remedies, remedy=advised, notice=notices)
