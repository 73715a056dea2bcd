"""Reasons why a topic is, or is not, in a V4 answer (``docs/reference/byterover-v4.md``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from brvtui.engines.advice import MAKE_ROOM, NOTHING_HELPS, Ask, edited_now, explained, title_wordings
from brvtui.engines.byterover_v4.ageing import aged_signals
from brvtui.engines.byterover_v4.corpus import RankedTopic
from brvtui.engines.byterover_v4.documents import term, tokens
from brvtui.engines.byterover_v4.hits import SpacePaths, score_parts
from brvtui.engines.byterover_v4.mending import (
    with_attribute,
    with_file_seen,
    with_topic,
    with_words_searched,
    without_failure,
)
from brvtui.engines.byterover_v4.printed import LOW
from brvtui.engines.byterover_v4.profile import FIELDS, V4Profile
from brvtui.engines.byterover_v4.scripts import RankedSpace, ScriptAnswer
from brvtui.engines.byterover_v4.search import FoundTopic
from brvtui.engines.byterover_v4.sections import DECIMALS, SpaceAnswer, TopicHit
from brvtui.engines.contract import Context
from brvtui.paint.text import days
from brvtui.ranking.decay import MS_PER_DAY, just_before_ms
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import from_utf16, typed_words
from brvtui.trace import (
    Detail,
    DocumentForecast,
    Explanation,
    Hit,
    LossStage,
    NearMiss,
    Origin,
    Remedy,
    RemedyKind,
    TextScore,
    Trace,
)
from brvtui.tree.reading.javascript import spaced_words
from brvtui.tree.spaces.contents import TopicFile, unseen_name
from brvtui.tree.spaces.topic_html import TOPIC

# The score of one topic: its parts, and the contribution of every term and field of its best document.


FORMULA = "weight × boost × idf × (d + tf (k + 1) ÷ (tf + k (1 − b + b length ÷ average))); raw = sum × words matched"


def detail_of(
    profile: V4Profile, trace: Trace, answer: ScriptAnswer, spaces: Sequence[SpacePaths], file: str
) -> Detail | None:
    """The score, by term and field, of the topic at ``file`` (a path in the snapshot) in ``answer``, whose trace is
    ``trace``; None if it was not found.
    """
    for search, paths in zip(answer.searches, spaces, strict=True):
        own = next((path for path, name in paths.paths.items() if name == file), file)
        topic = search.topics.named(own)
        if topic is None:
            continue
        best = topic.best
        addends = search.index.contributions(best.place, search.raw.tokens, profile.text)
        contributions = tuple(
            replace(one, query_term=from_utf16(one.query_term), term=from_utf16(one.term)) for one in addends
        )
        score = TextScore(best.term_sum, best.matched, best.raw, best.relevance)
        _, hit = trace.place_of(file)
        return Detail(file, contributions, score, FORMULA, hit or _behind(trace, file, topic, score, profile))
    return None


def _behind(trace: Trace, file: str, topic: FoundTopic, text: TextScore, profile: V4Profile) -> Hit | None:
    """The hit that ``topic`` would be if the limit were higher; None if the topic is not a near miss of ``trace``."""
    miss: NearMiss | None = next((miss for miss in trace.near_misses if miss.file == file), None)
    if miss is None:
        return None
    signals = aged_signals(topic.signals, profile)
    return Hit(
        miss.path,
        miss.file,
        miss.title,
        miss.kind,
        Origin.TEXT,
        miss.score,
        score_parts(topic, profile),
        text=text,
        signals=signals,
        words=miss.words,
    )


@dataclass(frozen=True, slots=True)
class Asking:
    """Functions that repeat a query with something changed."""

    ask: Ask
    ask_of: Callable[[int, RankedSpace], Trace]
    """A function that repeats the query after replacing the space at an index."""
    spaces: Sequence[SpacePaths]


_MOST_WORDS = 4
"""The maximum number of words of each kind that are named or tried.

The number is low because each trial runs the whole query, and a trial with an edit also builds an index.
"""


class TopicLoss(LossStage):
    """The stages that can drop a topic, earliest first."""

    FAILED = "V4 cannot answer this query"
    NOT_SEEN = "V4 does not see the file"
    NOT_READ = "beyond brv-tui's own limits, although V4 reads it"
    SCOPE = "outside the scope or the element filter"
    NOT_SEARCHED = "your words occur only in parts that V4 does not search"
    NO_TERM = "none of its terms matches"
    FILTERED = "it contains none of the significant words"
    LIMIT = "past the limit"


def explain(
    context: Context[V4Profile],
    trace: Trace,
    document: Named,
    detail: Detail | None,
    ahead: DocumentForecast | None,
    asking: Asking,
) -> Explanation:
    """The reason why ``document`` is, or is not, a hit of ``trace``. ``ahead`` contains its ageing events."""
    section, path = trace.section(SpaceAnswer), document.path
    topic = section.topic(path)
    use = "; ".join([use_of(topic, section), *_coming(topic, ahead)]) if topic is not None else ""

    def remedy(loss: TopicLoss, title: str) -> Remedy | None:
        of_loss = remedy_of_loss(context, trace, loss, document, asking)
        return _with_outcome(of_loss or _remedy(trace, section, loss, path, title, asking.ask))

    return explained(
        context.snapshot,
        trace,
        document,
        detail.hit if detail is not None else None,
        lambda rank: use,
        lambda: loss_of(context, trace, document, asking.ask),
        remedy,
        detail,
        path,
    )


def _coming(topic: TopicHit, ahead: DocumentForecast | None) -> Iterator[str]:
    """Yields a phrase that says when ``topic`` loses its level of confidence through ageing."""
    for event in ahead.events if ahead is not None else ():
        if event.kind == f"leaves-{topic.confidence}" and event.days > 0:
            yield f"if untouched, in {days(event.days)} it {event.text}"


def use_of(topic: TopicHit, section: SpaceAnswer) -> str:
    """A phrase for the agent's instructions about a hit, and for the part of the topic that the agent sees."""
    seen = f"the agent sees {len(topic.snippet)} characters of it"
    if not section.should_cite:
        return f"{seen}; V4 does not ask for a citation"
    if topic.file in section.cited:
        cited = "V4 tells the agent to cite it"
    elif topic.confidence == LOW:
        cited = "V4 does not tell the agent to cite it"
    else:
        first = "first topic" if len(section.cited) == 1 else f"first {len(section.cited)} topics"
        cited = f"V4 does not tell the agent to cite it, only the {first} with high or medium confidence"
        if len(section.spaces) > 1:
            cited += " in the space of result 1"
    return f"{topic.confidence} confidence: {cited}; {seen}"


def loss_of(context: Context[V4Profile], trace: Trace, document: Named, ask: Ask) -> tuple[TopicLoss, str]:
    """The stage that dropped ``document``, which is not a hit in ``trace``, and the details in words."""
    section, path = trace.section(SpaceAnswer), document.path
    if section.failure is not None:
        return TopicLoss.FAILED, section.failure.what
    if path in section.found:
        return TopicLoss.LIMIT, f"it is number {section.found.index(path) + 1}, but V4 returns only {section.returned}"
    if document.position is None:
        unseen = next((file for file in context.snapshot.unseen if file.path == path), None)
        loss = TopicLoss.NOT_READ if unseen is not None and unseen.is_past_limit else TopicLoss.NOT_SEEN
        return loss, unseen.reason if unseen is not None else "it is not a topic"
    if path in section.filtered:
        return TopicLoss.FILTERED, f"it must contain {' or '.join(section.significant)}, at least inside a longer word"
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
    elsewhere = _unsearched(context, section, path)
    if elsewhere:
        return TopicLoss.NOT_SEARCHED, elsewhere
    return TopicLoss.NO_TERM, f"searched: {section.cleaned}"


def _is_in(trace: Trace, path: str) -> bool:
    section = trace.section(SpaceAnswer)
    return path in section.found or path in section.filtered


def _unsearched(context: Context[V4Profile], section: SpaceAnswer, path: str) -> str:
    """A phrase with the query words that the topic contains only in a place that V4 does not search, and that place;
    empty if there are none.
    """
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
        "its markup": topic.source,
    }
    for place, text in places.items():
        words = sorted(wanted & {term(token) for token in tokens(text)})
        if words:
            return f"{', '.join(words[:_MOST_WORDS])}: only in {place}"
    return ""


def _topic_file(context: Context[V4Profile], path: str) -> TopicFile | None:
    snapshot = context.snapshot
    note = snapshot.notes[snapshot.by_path[path]] if path in snapshot.by_path else None
    if note is None:
        return None
    aliases = ["", *(source.alias for source in snapshot.project.sources)]
    space = dict(zip(aliases, snapshot.spaces, strict=True))[note.alias]
    return next((topic for topic in space.topics if topic.path == note.file), None)


def remedy_of_loss(
    context: Context[V4Profile], trace: Trace, loss: TopicLoss, document: Named, asking: Asking
) -> Remedy | None:
    """A tried remedy for the cause of ``loss``: a fix to the space or the file, or the query without its limits. The
    result is None if there is no remedy, or if it does not make ``document`` a hit.
    """
    section, path, ask = trace.section(SpaceAnswer), document.path, asking.ask
    if loss is TopicLoss.SCOPE:
        everything = {"scope": "", "element_tag": None, "element_attr": None, "element_value": None}
        without = Remedy("run the query without the scope and the element filter", True)
        return with_standing(without, ask(trace.query, **everything), path)
    if loss is TopicLoss.LIMIT:
        place = section.found.index(path) + 1
        more = f"ask for {place} results (brv-tui query -o limit={place})"
        return with_standing(Remedy(more, True), ask(trace.query, limit=place), path)
    for place, paths in enumerate(asking.spaces):
        own = next((name for name, file in paths.paths.items() if file == path), path)
        change: tuple[RankedSpace, str] | None = None
        remedy, wanted = Remedy("", True, how="tried on an in-memory copy"), path
        if loss is TopicLoss.FAILED and section.failure is not None:
            change = without_failure(paths.space), section.failure.remedy
        elif loss is TopicLoss.NOT_SEEN:
            change = with_file_seen(paths.space, own, context.now_ms)
            if change is not None:
                wanted = change[1]
                change = change[0], f"rename it to {wanted} in a shell"
        elif loss is TopicLoss.NOT_SEARCHED:
            words = [term(token) for token in tokens(section.cleaned)]
            change = with_words_searched(paths.space, own, words, just_before_ms(context.now_ms))
            remedy = Remedy("", True, kind=RemedyKind.EDIT, how="save it now")
        if change is not None:
            space, text = change
            tried = with_standing(replace(remedy, text=text), asking.ask_of(place, space), wanted)
            if tried is not None:
                return tried
    return None


def with_standing(remedy: Remedy, trace: Trace, path: str) -> Remedy | None:
    """``remedy`` with the rank and score of ``path`` in ``trace``; None if ``path`` is not a hit in ``trace``."""
    rank, hit = trace.place_of(path)
    return replace(remedy, rank=rank, score=hit.score) if hit is not None else None


def _remedy(trace: Trace, section: SpaceAnswer, loss: TopicLoss, path: str, title: str, ask: Ask) -> Remedy | None:
    if loss is TopicLoss.FAILED:
        return Remedy(section.failure.remedy, False) if section.failure is not None else None
    if loss is TopicLoss.NOT_READ:
        return Remedy(MAKE_ROOM, False)
    if loss is TopicLoss.NOT_SEEN:
        wanted = "its name must end in .html in lower case, without .abstract, .full or .overview before that"
        return Remedy(f"rename it in a shell: {wanted}", False) if unseen_name(path) else None
    for text, query in title_wordings(trace.query, title):
        tried = with_standing(Remedy(text, True, query), ask(query), path)
        if tried is not None:
            return tried
    return Remedy(NOTHING_HELPS, False)


def _with_outcome(remedy: Remedy | None) -> Remedy | None:
    """``remedy`` with its outcome added to the text, for use where only the text is shown."""
    if remedy is None or not remedy.verified:
        return remedy
    saved = f", and {remedy.how}" if remedy.kind is RemedyKind.EDIT else ""
    return replace(remedy, text=f"{remedy.text}{saved}: rank {remedy.rank}, {remedy.score:.{DECIMALS}f}")


# Changes that help one topic in an answer of V4. Each is tried by running the query again.


_TITLE = FIELDS[0]


def remedies(
    context: Context[V4Profile], trace: Trace, document: Named, asking: Asking, cancelled: Callable[[], bool]
) -> tuple[Remedy, ...]:
    """The changes that give the topic ``document`` a better rank in the answer ``trace``, best first.

    They include the smallest helpful change of wording, the best wording, and the best title. If the topic is not
    found, they include the remedy for the cause. For a file that is not a topic, the result is empty. If ``cancelled``
    becomes true, the result contains only the changes found until then.
    """
    if document.position is None:
        return ()
    note, path = context.snapshot.notes[document.position], document.path
    rank = float(trace.place_of(path)[0] or math.inf)
    found: list[Remedy] = []
    if rank == math.inf:
        loss, _ = loss_of(context, trace, document, asking.ask)
        of_loss = remedy_of_loss(context, trace, loss, document, asking)
        found += [of_loss] if of_loss is not None else []
    if trace.section(SpaceAnswer).failure is None:
        place = next(at for at, paths in enumerate(asking.spaces) if paths.paths.get(note.file) == path)
        topic = asking.spaces[place].space.corpus.by_path[note.file]
        reworded = _improving(_wordings(context.constants, trace, topic, asking), path, rank, cancelled)
        found += dict.fromkeys((*reworded[:1], *reworded[-1:]))
        if note.is_local:  # other spaces are read-only
            found += _improving(_edit(context, topic, place, asking), path, rank, cancelled)
            # A new title is saved with a new time, so it must help more than just the new time does.
            rank_to_beat = min((one.rank for one in found if one.kind is RemedyKind.EDIT and one.rank), default=rank)
            found += _improving(_titles(context, trace, topic, place, asking), path, rank_to_beat, cancelled)[-1:]
    return tuple(sorted(found, key=lambda one: one.rank or math.inf))


def _improving(
    tries: Iterable[tuple[Remedy, Trace]], path: str, rank: float, cancelled: Callable[[], bool]
) -> list[Remedy]:
    """The remedies in ``tries`` that give ``path`` a better rank than ``rank`` and than all earlier remedies."""
    improving: list[Remedy] = []
    for remedy, trace in () if rank == 1 else tries:
        tried = with_standing(remedy, trace, path)
        if tried is not None and tried.rank is not None and tried.rank < rank:
            rank = tried.rank
            improving.append(tried)
        if rank == 1 or cancelled():
            break
    return improving


def _wordings(profile: V4Profile, trace: Trace, topic: RankedTopic, asking: Asking) -> Iterator[tuple[Remedy, Trace]]:
    """Yields other wordings, smallest change first: with one word fewer, with one word more, or only the title."""
    query, title = trace.query.strip(), topic.topic.attribute(_TITLE).strip()
    words, stop = spaced_words(query), frozenset(profile.query.stop_words)
    own_terms = {name for document in topic.documents for terms in document.terms for name in terms}
    searched = " ".join(map(topic.topic.attribute, FIELDS[:-1]))
    added = _missing(" ".join(typed_words(searched)), {*map(term, tokens(query)), *stop})
    changes = [
        (f"leave out “{word}”", " ".join(words[:place] + words[place + 1 :]))
        for place, word in enumerate(words)
        if word.lower() not in stop and own_terms.isdisjoint(map(term, tokens(word)))
    ][:_MOST_WORDS]
    changes += [(f"add “{word}”", f"{query} {word}") for word in added]
    changes += title_wordings(query, title)
    tried = {"", query, f"{query} "}
    for text, wording in changes:
        if wording not in tried:
            tried.add(wording)
            remedy = Remedy(f"“{wording}”: {text}", True, wording, kind=RemedyKind.WORDING, how="use this wording")
            yield remedy, asking.ask(wording)


def _missing(text: str, skipped: set[str]) -> list[str]:
    """The first words of ``text`` whose terms are not in ``skipped``."""
    words: dict[str, str] = {}
    for token in tokens(text):
        words.setdefault(term(token), token)
    return [word for name, word in words.items() if name not in skipped][:_MOST_WORDS]


def _edit(
    context: Context[V4Profile], topic: RankedTopic, place: int, asking: Asking
) -> Iterator[tuple[Remedy, Trace]]:
    """Yields the result of saving the topic now without a change."""
    days = (context.now_ms - topic.mtime_ms) / MS_PER_DAY
    text = edited_now(days, "until then, its stored recency is used unchanged")
    saved = with_topic(asking.spaces[place].space, topic.path, topic.topic, just_before_ms(context.now_ms))
    yield Remedy(text, True, kind=RemedyKind.EDIT, how="change and save it"), asking.ask_of(place, saved)


def _titles(
    context: Context[V4Profile], trace: Trace, topic: RankedTopic, place: int, asking: Asking
) -> Iterator[tuple[Remedy, Trace]]:
    """Yields the results of adding each missing query word to the topic's title, then all of them."""
    if all(element.tag != TOPIC for element in topic.topic.elements):
        return
    before = topic.topic.attribute(_TITLE)
    words = _missing(trace.section(SpaceAnswer).cleaned, set(map(term, tokens(before))))
    choices: list[Sequence[str]] = [[word] for word in words]
    for chosen in choices if len(words) < 2 else [*choices, words]:
        added = " ".join(chosen)
        title = f"{before} {added}".strip()
        retitled = with_attribute(topic.topic, _TITLE, title)
        saved = with_topic(asking.spaces[place].space, topic.path, retitled, just_before_ms(context.now_ms))
        text, how = (
            f"“{added}” added to its title, and the topic saved today",
            f"edit the {_TITLE} of its {TOPIC} element",
        )
        yield Remedy(text, True, kind=RemedyKind.TITLE, how=how, title=title), asking.ask_of(place, saved)
