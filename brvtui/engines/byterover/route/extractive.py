"""An answer without a model: the sentences with the most query words (``docs/reference/byterover.md``)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from brvtui.text.analysis import terms
from brvtui.trace import TermExpansion
from brvtui.tree.reading.frontmatter import parse
from brvtui.wording import counted

MOST_SENTENCES = 6
_AGAIN = 0.5
_LEAST_SHARE = 1 / 3
LABEL = "Composed without a model"
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}(\s|$)")
_MARK = re.compile(r"^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])+")
_STARTS_ANEW = re.compile(r"^[ \t]*(?:>|\||[-*+][ \t]|\d{1,9}[.)][ \t])")
_SAYS_NOTHING = re.compile(r"^[\s|:*_.=-]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[^a-z\s])")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that may be quoted, and the name of its source."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A chosen sentence. ``covers`` contains the query terms that occur in it."""

    source: str
    sentence: str
    covers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    source: str
    sentence: str
    held: Mapping[str, float]
    """The weight of each query term that occurs in the sentence."""


def chosen(passages: Sequence[Passage], expansions: Sequence[TermExpansion]) -> tuple[Quote, ...]:
    """Up to :data:`MOST_SENTENCES` sentences that best cover the query's terms, in the order of selection.

    A term's weight in a sentence (0..1) is the weight of the heaviest matching index term in that sentence. Sentences
    are chosen one at a time, by the largest gain. The gain from a term is halved for each chosen sentence that already
    contains it. If gains are equal, the sentence with the larger sum of weights wins, then the earlier one. Sentences
    with less than a third of the first sentence's gain are left out. If no sentence contains a term, the first sentence
    of each passage is chosen.
    """
    candidates = list(_candidates(passages, [(one.term, _weights(one)) for one in expansions]))
    worth = {expansion.term: 1.0 for expansion in expansions}
    quotes: list[Quote] = []
    min_gain = 0.0
    while candidates and len(quotes) < MOST_SENTENCES:
        gains = [sum(weight * worth[term] for term, weight in one.held.items()) for one in candidates]
        place = max(range(len(candidates)), key=lambda one: (gains[one], sum(candidates[one].held.values()), -one))
        if gains[place] <= min_gain:
            break
        min_gain = min_gain or gains[place] * _LEAST_SHARE
        choice = candidates.pop(place)
        quotes.append(Quote(choice.source, choice.sentence, tuple(choice.held)))
        worth |= {term: worth[term] * _AGAIN for term in choice.held}
    return tuple(quotes) or tuple(_beginnings(passages))[:MOST_SENTENCES]


def composed(query: str, quotes: Sequence[Quote], expansions: Sequence[TermExpansion], remark: str = "") -> str:
    """The ``quotes`` as an answer: Summary, Details, Sources and Gaps, which begin with ``remark``."""
    sources = tuple(dict.fromkeys(quote.source for quote in quotes))
    covered = {term for quote in quotes for term in quote.covers}
    left = [f"“{expansion.term}”" for expansion in expansions if expansion.term not in covered]
    count = f"{counted(len(quotes), 'sentence', 'sentences')} of {counted(len(sources), 'note', 'notes')}"
    quoted = f"“{query.strip()}”"
    why = (
        f"chosen because they contain words of {quoted}"
        if covered
        else f"each note's first one, because no sentence in the excerpts contains a word of {quoted}"
    )
    lines = ["## Summary", f"{LABEL}: {count}, {why}.", "", "## Details"]
    lines += [f"- {quote.sentence} ({quote.source})" for quote in quotes]
    lines += ["", "## Sources", *(f"- {source}" for source in sources), "", "## Gaps"]
    lines += [remark] if remark else []
    lines += [f"Missing from these sentences: {', '.join(left)}."] if left else []
    lines.append("No one has checked whether they answer the question.")
    return "\n".join(lines)


def sentences(text: str) -> Iterator[str]:
    """Yields the sentences of a note, including each line of code and table row, but no headings."""
    for block in _blocks(text[parse(text).body_start :]):
        for sentence in _SENTENCE_END.split(block):
            clean = sentence.strip()
            if clean and not _SAYS_NOTHING.match(clean):
                yield clean


def _blocks(text: str) -> Iterator[str]:
    """Yields paragraphs and list items, each joined into one line."""
    fenced, open_block = False, ""
    for line in text.splitlines():
        is_fence = bool(_FENCE.match(line))
        alone = fenced or is_fence or not line.strip() or bool(_HEADING.match(line))
        if alone or _STARTS_ANEW.match(line):
            if open_block:
                yield open_block
            open_block = ""
        if fenced and not is_fence:
            yield line.strip()
        elif not alone:
            open_block = f"{open_block} {line.strip()}" if open_block else _MARK.sub("", line).strip()
        fenced = fenced is not is_fence
    if open_block:
        yield open_block


def _candidates(
    passages: Sequence[Passage], weights: Sequence[tuple[str, Mapping[str, float]]]
) -> Iterator[_Candidate]:
    for passage in passages:
        for sentence in sentences(passage.text):
            words = set(terms(sentence))
            held = [(term, [by_word[word] for word in words & by_word.keys()]) for term, by_word in weights]
            yield _Candidate(passage.source, sentence, {term: max(found) for term, found in held if any(found)})


def _beginnings(passages: Sequence[Passage]) -> Iterator[Quote]:
    for passage in passages:
        first = next(sentences(passage.text), "")
        if first:
            yield Quote(passage.source, first, ())


def _weights(expansion: TermExpansion) -> Mapping[str, float]:
    """The weights of the index terms that match a query term. The query term itself always has weight 1."""
    return {expansion.term: 1.0, **{match.term: match.weight for match in expansion.matches}}
