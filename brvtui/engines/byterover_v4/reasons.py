"""Why a topic is, or is not, in an answer of V4 (``docs/byterover_v4.md``, "Why a topic is not there")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from brvtui.engines.byterover_v4.hits import SpacePaths
from brvtui.engines.byterover_v4.mending import with_file_seen, with_words_searched, without_failure
from brvtui.engines.byterover_v4.outlook import CONFIDENCES
from brvtui.engines.byterover_v4.printed import LOW
from brvtui.engines.byterover_v4.profile import FIELDS, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace
from brvtui.engines.byterover_v4.sections import SpaceAnswer, TopicHit
from brvtui.engines.byterover_v4.tokens import term, tokens
from brvtui.engines.contract import Context
from brvtui.paint.text import days
from brvtui.ranking.decay import just_before_ms
from brvtui.snapshot.naming import Named
from brvtui.trace import Detail, DocumentForecast, Explanation, LossStage, Remedy, RemedyKind, Trace
from brvtui.tree.spaces.contents import TopicFile
from brvtui.wording import counted

Ask = Callable[..., Trace]
"""Asks the engine again: ``ask(text, **changes)``, of the scope and of options."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Asks the engine again, otherwise or of something else."""

    ask: Ask
    ask_of: Callable[[int, RankedSpace], Trace]
    """The same query, with the space at a place replaced."""
    spaces: Sequence[SpacePaths]


_MOST_WORDS = 4


class TopicLoss(LossStage):
    """The stages at which a topic can be lost, earliest first."""

    FAILED = "V4 answers no query as the space is"
    NOT_SEEN = "V4 does not see the file"
    SCOPE = "outside the scope or the element filter"
    NOT_SEARCHED = "your words stand only where nothing is searched"
    NO_TERM = "none of its terms matches"
    FILTERED = "it holds none of the significant words"
    LIMIT = "behind the limit"


def explain(
    context: Context[V4Profile],
    trace: Trace,
    document: Named,
    detail: Detail | None,
    ahead: DocumentForecast | None,
    asking: Asking,
) -> Explanation:
    """Why ``document`` is, or is not, among the hits of ``trace``; ``ahead`` is what age brings to it."""
    section, path = trace.section(SpaceAnswer), document.path
    title = context.snapshot.notes[document.position].title if document.position is not None else path
    rank = next((place for place, one in enumerate(trace.hits, start=1) if one.file == path), None)
    topic = section.topic(path)
    hit = detail.hit if detail is not None else None
    if rank is not None and topic is not None:
        use = "; ".join([use_of(topic, section), *_coming(ahead)])
        return Explanation(
            query=trace.query,
            path=path,
            title=title,
            found=True,
            rank=rank,
            hit=hit,
            detail=detail,
            reason=None,
            numbers="",
            remedy=None,
            use=use,
            trace=trace,
        )
    loss, numbers = _loss(context, trace, section, document, asking.ask)
    remedy = _mended(context, trace, section, loss, document, asking) or _remedy(
        trace, section, loss, path, title, asking.ask
    )
    return Explanation(
        query=trace.query,
        path=path,
        title=title,
        found=False,
        rank=None,
        hit=hit,
        detail=detail,
        reason=loss.reason,
        numbers=numbers,
        remedy=remedy,
        use="",
        trace=trace,
    )


def _coming(ahead: DocumentForecast | None) -> Iterator[str]:
    """Which confidence a topic loses first by its age."""
    events = ahead.events if ahead is not None else ()
    coming = [event for event in events if event.kind in CONFIDENCES and event.days > 0]
    if coming:
        event = min(coming, key=lambda one: one.days)
        yield f"untouched, it {event.text} in {days(event.days)}"


def use_of(topic: TopicHit, section: SpaceAnswer) -> str:
    """What the agent is told of a hit, and what it sees of it."""
    seen = f"the agent sees {len(topic.snippet)} characters of it"
    if not section.should_cite:
        return f"{seen}; it is not told to cite"
    if topic.file in section.cited:
        cited = "told to cite it"
    elif topic.confidence == LOW:
        cited = "not told to cite it"
    else:
        cited = f"not told to cite it, only the first {counted(len(section.cited), 'such topic', 'such topics')}"
        if len(section.spaces) > 1:
            cited += " of the space of number 1"
    return f"{topic.confidence} confidence: {cited}; {seen}"


def _loss(
    context: Context[V4Profile], trace: Trace, section: SpaceAnswer, document: Named, ask: Ask
) -> tuple[TopicLoss, str]:
    path = document.path
    if section.failure is not None:
        return TopicLoss.FAILED, section.failure.what
    if path in section.found:
        return TopicLoss.LIMIT, f"number {section.found.index(path) + 1}; {section.returned} are returned"
    if document.position is None:
        why = next((file.reason for file in context.snapshot.unseen if file.path == path), "it is no topic")
        return TopicLoss.NOT_SEEN, why
    if path in section.filtered:
        return TopicLoss.FILTERED, f"one of {', '.join(section.significant)} must stand in it, also inside a word"
    if (section.scope or section.element) and _is_in(
        ask(
            trace.query,
            scope="",
            element_tag=None,
            element_attr=None,
            element_value=None,
            limit=len(context.snapshot.notes),
        ),
        path,
    ):
        return TopicLoss.SCOPE, " and ".join(part for part in (section.scope, section.element) if part)
    held = _unsearched(context, section, path)
    if held:
        return TopicLoss.NOT_SEARCHED, held
    return TopicLoss.NO_TERM, f"searched: {section.cleaned}"


def _is_in(trace: Trace, path: str) -> bool:
    section = trace.section(SpaceAnswer)
    return path in section.found or path in section.filtered


def _unsearched(context: Context[V4Profile], section: SpaceAnswer, path: str) -> str:
    """Which words of the query the topic holds, and where: only outside what is searched. Empty without any."""
    topic = _topic_file(context, path)
    if topic is None:
        return ""
    wanted = {term(token) for token in tokens(section.cleaned)}
    places = {
        "elements without a valid id, or loose text": topic.topic.body,
        "its path": path,
        "attributes": " ".join(
            value
            for element in topic.topic.elements
            for name, value in element.attributes.items()
            if not (element.tag == "bv-topic" and name in FIELDS)
        ),
        "markup that is no text": topic.source,
    }
    for place, text in places.items():
        found = sorted(wanted & {term(token) for token in tokens(text)})
        if found:
            return f"{', '.join(found[:_MOST_WORDS])}: only in {place}"
    return ""


def _topic_file(context: Context[V4Profile], path: str) -> TopicFile | None:
    snapshot = context.snapshot
    note = snapshot.notes[snapshot.by_path[path]] if path in snapshot.by_path else None
    if note is None:
        return None
    aliases = ["", *(source.alias for source in snapshot.project.sources)]
    space = dict(zip(aliases, snapshot.spaces, strict=True))[note.alias]
    return next((topic for topic in space.topics if topic.path == note.file), None)


def _mended(
    context: Context[V4Profile], trace: Trace, section: SpaceAnswer, loss: TopicLoss, document: Named, asking: Asking
) -> Remedy | None:
    """The remedy for what is wrong with a file, tried on a copy in memory; None where that does not bring it in."""
    for place, paths in enumerate(asking.spaces):
        own = next((path for path, known in paths.paths.items() if known == document.path), document.path)
        made: tuple[RankedSpace, str] | None = None
        wanted = document.path
        if loss is TopicLoss.FAILED and section.failure is not None:
            made = without_failure(paths.space), section.failure.remedy
        elif loss is TopicLoss.NOT_SEEN:
            made = with_file_seen(paths.space, own, context.now_ms)
            if made is not None:
                wanted = made[1]
                made = made[0], f"rename it {wanted} in a shell"
        elif loss is TopicLoss.NOT_SEARCHED:
            words = [term(token) for token in tokens(section.cleaned)]
            made = with_words_searched(paths.space, own, words, just_before_ms(context.now_ms))
        if made is None:
            continue
        space, text = made
        for rank, hit in enumerate(asking.ask_of(place, space).hits, start=1):
            if hit.file == wanted:
                kind = RemedyKind.EDIT if loss is TopicLoss.NOT_SEARCHED else None
                how = "save it with a new time" if kind is not None else "tried on a copy in memory"
                said = f"{text}, and {how}" if kind is not None else text
                return Remedy(f"{said}: rank {rank}, {hit.score:.3f}", True, "", rank, hit.score, kind, how=how)
    return None


def _remedy(trace: Trace, section: SpaceAnswer, loss: TopicLoss, path: str, title: str, ask: Ask) -> Remedy | None:
    if loss is TopicLoss.FAILED:
        return Remedy(section.failure.remedy, False) if section.failure is not None else None
    if loss is TopicLoss.NOT_SEEN:
        wanted = "*.html in lower case, without .abstract, .full or .overview before that"
        return Remedy(f"rename it in a shell: {wanted}", False)
    tries: list[tuple[str, str, dict[str, Any]]] = []
    if loss is TopicLoss.SCOPE:
        everything = {"scope": "", "element_tag": None, "element_attr": None, "element_value": None}
        tries.append(("ask without the scope and the element filter", trace.query, everything))
    if loss is TopicLoss.LIMIT:
        place = section.found.index(path) + 1
        more = f"ask for {place} results (brv-tui query -o limit={place})"
        tries.append((more, trace.query, {"limit": place}))
    tries += [
        (f"add the words of its title ({title})", f"{trace.query} {title}", {}),
        ("ask for its title", title, {}),
    ]
    for text, query, changes in tries:
        for rank, hit in enumerate(ask(query, **changes).hits, start=1):
            if hit.file == path:
                wording = "" if changes else query  # words alone do not make a change of scope, element or limit
                return Remedy(f"{text}: rank {rank}, {hit.score:.3f}", True, wording, rank, hit.score)
    return Remedy("nothing that was tried brings it in", False)
