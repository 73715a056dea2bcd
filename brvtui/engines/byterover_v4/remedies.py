"""Changes that help one topic in an answer of V4, each tried by asking again (``docs/byterover_v4.md``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from brvtui.engines.advice import ASK_FOR_TITLE, add_title
from brvtui.engines.byterover_v4.corpus import RankedTopic, SpaceCorpus
from brvtui.engines.byterover_v4.documents import term, tokens
from brvtui.engines.byterover_v4.mending import with_attribute, with_topic
from brvtui.engines.byterover_v4.profile import FIELDS, V4Profile
from brvtui.engines.byterover_v4.reasons import Asking, loss_of, remedy_of_loss, with_standing
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.engines.contract import Context
from brvtui.ranking.decay import MS_PER_DAY, just_before_ms
from brvtui.snapshot.naming import Named
from brvtui.text.analysis import from_utf16
from brvtui.trace import Remedy, RemedyKind, Trace
from brvtui.tree.reading.whitespace import spaced_words
from brvtui.tree.spaces.topic_html import TOPIC
from brvtui.wording import counted

_TITLE = FIELDS[0]
_MOST_WORDS = 4
"""Of each kind of words, so many are tried at most: each try is a whole answer, and of an edit an index, too."""


def remedies(
    context: Context[V4Profile], trace: Trace, document: Named, asking: Asking, cancelled: Callable[[], bool]
) -> tuple[Remedy, ...]:
    """The changes after which the topic ``document`` stands at a better rank in the answer ``trace``, best first.

    Of wordings the least change that helps and the best one, of titles the best one. Of a topic that is not found, also
    the remedy for the reason. Empty for a file that is no topic, and when ``cancelled`` became true.
    """
    if document.position is None:
        return ()
    note, path = context.snapshot.notes[document.position], document.path
    rank = next((float(rank) for rank, hit in enumerate(trace.hits, start=1) if hit.file == path), math.inf)
    found: list[Remedy] = []
    if rank == math.inf:
        loss, _ = loss_of(context, trace, document, asking.ask)
        of_loss = remedy_of_loss(context, trace, loss, document, asking)
        found += [of_loss] if of_loss is not None else []
    if trace.section(SpaceAnswer).failure is None:
        place = next(at for at, paths in enumerate(asking.spaces) if paths.paths.get(note.file) == path)
        corpus = asking.spaces[place].space.corpus
        topic = corpus.by_path[note.file]
        reworded = _improving(_wordings(context.constants, trace, corpus, topic, asking), path, rank, cancelled)
        found += dict.fromkeys((*reworded[:1], *reworded[-1:]))
        if note.is_local:  # those of other spaces are read only
            found += _improving(_edit(context, topic, place, asking), path, rank, cancelled)
            # A new title is saved with a new time: it must do more than an edit without it.
            least = min((one.rank for one in found if one.kind is RemedyKind.EDIT and one.rank), default=rank)
            found += _improving(_titles(context, trace, topic, place, asking), path, least, cancelled)[-1:]
    return () if cancelled() else tuple(sorted(found, key=lambda one: one.rank or math.inf))


def _improving(
    tries: Iterable[tuple[Remedy, Trace]], path: str, rank: float, cancelled: Callable[[], bool]
) -> list[Remedy]:
    """Returns those of ``tries`` after which ``path`` stands above ``rank`` and above all tries before."""
    made: list[Remedy] = []
    for remedy, trace in () if rank == 1 else tries:
        tried = with_standing(remedy, trace, path)
        if tried is not None and tried.rank is not None and tried.rank < rank:
            rank = tried.rank
            made.append(tried)
        if rank == 1 or cancelled():
            break
    return made


def _wordings(
    profile: V4Profile, trace: Trace, corpus: SpaceCorpus, topic: RankedTopic, asking: Asking
) -> Iterator[tuple[Remedy, Trace]]:
    """Other wordings, the least change first: a word less, a word more, the title."""
    query, title = trace.query.strip(), topic.topic.attribute(_TITLE).strip()
    words, stop = spaced_words(query), frozenset(profile.query.stop_words)
    rarest = _rarest(corpus, topic)
    held, asked = set(rarest), {*map(term, tokens(query)), *stop}
    in_title = _missing(title, asked)
    skipped = {*asked, *map(term, in_title)}
    added = [from_utf16(name) for name in rarest if name not in skipped][:_MOST_WORDS]
    changes = [
        (f"leave out “{word}”", " ".join(words[:place] + words[place + 1 :]))
        for place, word in enumerate(words)
        if word.lower() not in stop and held.isdisjoint(map(term, tokens(word)))
    ][:_MOST_WORDS]
    changes += [(f"add “{word}”", f"{query} {word}") for word in (*in_title, *added)]
    changes += [
        ("add the rarest of its words", f"{query} {' '.join(added)}"),
        (add_title(title), f"{query} {title}"),
        (ASK_FOR_TITLE, title),
    ]
    tried = {"", query, f"{query} "}
    for text, wording in changes:
        if wording not in tried:
            tried.add(wording)
            remedy = Remedy(f"“{wording}”: {text}", True, wording, kind=RemedyKind.WORDING, how="ask so")
            yield remedy, asking.ask(wording)


def _rarest(corpus: SpaceCorpus, topic: RankedTopic) -> list[str]:
    """All terms of ``topic``, those first that the fewest others hold, of these the most frequent ones."""
    own = Counter[str]()
    for document in topic.documents:
        for terms in document.terms:
            own.update(terms)
    others = Counter(
        name
        for one in corpus.topics
        if one is not topic
        for document in one.documents
        for terms in document.terms
        for name in own.keys() & terms.keys()
    )
    return sorted(own, key=lambda name: (not name.isalpha(), others[name], -own[name], name))


def _missing(text: str, skipped: set[str]) -> list[str]:
    """The first words of ``text`` whose terms are none of ``skipped``."""
    words: dict[str, str] = {}
    for token in tokens(text):
        words.setdefault(term(token), token)
    return [word for name, word in words.items() if name not in skipped][:_MOST_WORDS]


def _edit(
    context: Context[V4Profile], topic: RankedTopic, place: int, asking: Asking
) -> Iterator[tuple[Remedy, Trace]]:
    """The topic as it is, saved now."""
    age = (context.now_ms - topic.mtime_ms) / MS_PER_DAY
    text = f"edited today, not {counted(round(age), 'day', 'days')} ago"
    if age <= 0:
        text = "edited before this moment, not after it: until then its stored recency counts"
    elif age < 1:
        text = f"edited now, not {counted(max(1, round(age * 24)), 'hour', 'hours')} ago"
    saved = with_topic(asking.spaces[place].space, topic.path, topic.topic, just_before_ms(context.now_ms))
    yield Remedy(text, True, kind=RemedyKind.EDIT, how="save it with a change"), asking.ask_of(place, saved)


def _titles(
    context: Context[V4Profile], trace: Trace, topic: RankedTopic, place: int, asking: Asking
) -> Iterator[tuple[Remedy, Trace]]:
    """Each word of the query that the title lacks, added to it and saved now; then all of them."""
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
        text, how = f"“{added}” added to its title, and saved today", f"edit the {_TITLE} of its {TOPIC}"
        yield Remedy(text, True, kind=RemedyKind.TITLE, how=how, title=title), asking.ask_of(place, saved)
