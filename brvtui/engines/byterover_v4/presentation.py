"""V4's traces in words: relative relevance beside the absolute one, the filter, what the agent is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from brvtui.engines.byterover_v4.reasons import use_of
from brvtui.engines.byterover_v4.sections import DECIMALS, SpaceAnswer, TopicHit
from brvtui.engines.byterover_v4.sentence import relative, sentence, way_out
from brvtui.engines.presentation import Groups, Presentation
from brvtui.paint.blocks import Block, Rule, Text, Titled, lines_of
from brvtui.paint.glyphs import UNICODE, Glyphs
from brvtui.paint.line import Line
from brvtui.paint.steps import StepName
from brvtui.text.visible import visible
from brvtui.trace import Hit, NearMiss, Trace
from brvtui.wording import counted


class V4Presentation(Presentation):
    """A search whose best match always has relevance 1."""

    title = "ByteRover V4"
    sections = (SpaceAnswer,)
    outlook = (
        StepName("query", "query"),
        StepName("scope", "scope", usual=False),
        StepName("words", "words", timed_by="search"),
        StepName("filter", "filter"),
        StepName("cite", "cite"),
        StepName("coverage", "covered?", "cov?"),
    )
    question = "which topics answer it"
    typing = "every key searches; nothing is written, no access hit is counted"
    asks_services = False
    legend = (
        ("relevance", "raw ÷ best raw: the best is 1"),
        ("importance", "of the topic, falls with its age"),
        ("recency", "of the file's time"),
        ("maturity", "× 0.85 draft, × 1.15 core"),
    )
    decimals: ClassVar[int] = DECIMALS
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "ByteRover V4: one line for each topic, by its best element.",
        "Score": "ByteRover V4: relevance is relative to the best match, so it says nothing of how well your "
        "words are met; below stand the raw score, what it would be on an absolute scale, and what the agent is told.",
        "Route": "ByteRover V4: stop words, scope, words, the filter, and whether the agent is told to cite. "
        "“Covered?” is ours: V4 has no such gate; it says what ByteRover 3.14 would have said.",
        "Answer": "ByteRover V4: the block that the agent is to repeat; the second tab has the whole printed answer.",
    }
    sentence = staticmethod(sentence)

    def warning(self, trace: Trace) -> str:
        """That V4 fails as the space is."""
        return "V4 fails" if trace.section(SpaceAnswer).failure is not None else ""

    def failure(self, trace: Trace) -> str:
        """Why V4 fails as the space is."""
        failure = trace.section(SpaceAnswer).failure
        return f"V4 answers no query: {failure.what}" if failure is not None else ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """What was searched, stop words, limits."""
        section = trace.section(SpaceAnswer)
        groups: Groups = [(9, [("searched ", "muted"), (visible(section.cleaned), "text")])]
        limits = " ".join(part for part in (section.scope, section.element) if part)
        if limits:
            groups.append((8, [(visible(limits), "accent")]))
        if section.dropped:
            groups.append((5, [("left out ", "muted"), (visible(" ".join(section.dropped)), "text")]))
        if len(section.spaces) > 1:
            groups.append((6, [(visible(", ".join(section.spaces)), "text")]))
        return groups

    def remark(self, trace: Trace, hit: Hit) -> str:
        """Its relevance, which is relative."""
        return f"rel {hit.text.relevance:.2f}" if hit.text is not None else ""

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """Places behind the limit."""
        if not miss.short:
            return "0", glyphs.cross
        return counted(round(miss.short), "place", "places"), f"+{miss.short:.0f} rank"

    def nothing(self, trace: Trace, width: int) -> list[Line]:
        """What helps; where V4 fails, also its own message."""
        failure = trace.section(SpaceAnswer).failure
        if failure is None:
            return lines_of([_text(way_out(trace))], width, UNICODE)
        return lines_of([_text(f"V4 prints: {failure.message}", "warn"), _text(failure.remedy)], width, UNICODE)

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Iterator[Block]:
        """Yields its raw score and what that is relative to, its element, the filter, what the agent is told."""
        section = trace.section(SpaceAnswer)
        topic = section.topic(file)
        if topic is None:
            return
        yield Rule("relative and absolute")
        yield from map(_text, (_raw(topic), _carried(topic), _filter(topic, section)))
        yield Rule("what the agent is told")
        if section.topics.index(topic) >= section.returned:
            yield Text("nothing: it is behind the limit")
        else:
            yield from map(_text, (use_of(topic, section), f"“{topic.snippet}”"))

    def not_scored(self, trace: Trace) -> str:
        """That no term of it matched, or that the filter dropped it; where V4 fails, that."""
        return self.failure(trace) or "no term of it matches, or the filter dropped it"

    def answer(self, trace: Trace) -> Iterator[Block]:
        """Yields the citation block, as the agent is to repeat it."""
        cited = trace.section(SpaceAnswer).citation_block.splitlines()
        told = ". The agent is told to repeat this block:" if cited else "; it tells the agent to cite nothing"
        yield Text(f"V4 retrieves and writes no answer{told}", "muted")
        yield from map(_text, cited)

    def prompt(self, trace: Trace | None) -> Titled:
        """The answer as V4 prints it, which is what the agent gets."""
        printed = trace.section(SpaceAnswer).printed if trace is not None else ""
        text = json.dumps(printed, ensure_ascii=False, indent=1)
        return Titled("printed", map(_text, text.splitlines()), text)

    def words(self, trace: Trace) -> Sequence[str]:
        """The words that were searched."""
        return trace.section(SpaceAnswer).cleaned.split()


def _raw(topic: TopicHit) -> str:
    best = topic.best_raw
    return (
        f"raw {topic.raw:.3f} ÷ best raw {best:.3f} = relevance {relative(topic):.3f}; absolute, as ByteRover 3.14 "
        f"would have it, raw ÷ (1 + raw) = {topic.absolute:.3f}; number {topic.raw_rank} by text alone, before the "
        "filter"
    )


def _carried(topic: TopicHit) -> str:
    if not topic.kind:
        return "searched as a whole: no element of it has an id"
    others = f"; beside it {', '.join(topic.secondary)}" if topic.secondary else ""
    return f"carried by its {topic.kind.removeprefix('bv-')} {topic.element}{others}"


def _filter(topic: TopicHit, section: SpaceAnswer) -> str:
    if not section.significant:
        return "the filter let all pass: no run of three ASCII letters or digits in the query"
    shown = [
        f"‘{place.word}’ in its {place.field}"
        + (f", inside “{place.inside}”" if place.inside not in ("", place.word) else "")
        for place in topic.contained
    ]
    return f"the filter found {'; '.join(shown)}"


def _text(text: str, role: str = "text") -> Text:
    return Text(visible(text), role)
