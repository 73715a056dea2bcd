"""The presentation of an engine's traces in words: a base class for all traces, which engines extend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from brvtui.engines.sentence import default_sentence
from brvtui.paint.answers import prompt_blocks
from brvtui.paint.attempts import Attempted, attempts_in_short, ladder_rows
from brvtui.paint.blocks import Block, Blocks, CheckedStep, Marked, Rule, Text, Titled
from brvtui.paint.glyphs import STATE_ROLES, STATE_WORDS, Glyphs
from brvtui.paint.line import Line, Span, line
from brvtui.paint.neighbourhood import Neighbourhood
from brvtui.paint.sentence import NO_ANSWER, Headline, Sentence, tier_role
from brvtui.paint.steps import Outlook
from brvtui.paint.text import column
from brvtui.trace import Hit, Ladder, Leg, NearMiss, Section, Trace

Groups = list[tuple[int, list[Span]]]
"""Groups of spans, each with a weight. If a line is too narrow, the groups with the lowest weights are left out."""
_LEG_NAME = 10


class Presentation:
    """The texts and blocks that show the traces of one engine. A presentation computes no results."""

    title = ""
    """The engine's name as a heading."""
    outlook: Outlook = ()
    """The engine's steps towards an answer, shown before the first answer."""
    question = "which documents answer it"
    """The end of the sentence "type a question to see …" before the first answer."""
    typing = "typing changes nothing; {query.run} runs the query, with services if they are set"
    """One line about the effects of a preview and of a run. An action in braces is replaced by its key."""
    asks_services = True
    """True if a run calls an embedder or another service if one is configured."""
    learns = False
    """True if the engine learns from feedback on results (:class:`brvtui.engines.contract.LearningEngine`)."""
    caches = False
    """True if the engine caches answers."""
    draws_graph = False
    """True if the engine ranks over a graph of links that can be drawn. The Graph pane then replaces the Cache pane."""
    decimals: ClassVar[int] = 2
    """The number of decimals of a note's best possible score."""
    places_explained = ""
    """The meaning of the letters in :meth:`remark`, in a few words, shown in the border of the results."""
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "Beside each path is the note's rank in every list, after the list's initial (b3: third by BM25)."
    }
    """Sentences about this engine that are added to a pane's help, keyed by the pane's title."""
    tried_edits = "an edit"
    """The kinds of note edits that the engine tries in order to raise a note."""
    tried_constants: ClassVar[Mapping[str, float]] = {}
    """The constants that are changed in order to lower a document, by dotted name, each with the size of one step."""
    ranks_folders = False
    """True if a folder's summary can be a result that represents the folder, found by the words of notes in it."""

    sections: ClassVar[tuple[type[Section], ...]] = ()
    """The types of the sections that every trace of the engine has."""

    def why_broken(self, trace: Trace) -> str:
        """The missing or invalid part of ``trace`` that prevents its display; empty if there is none."""
        missing = next((kind.SECTION for kind in self.sections if trace.find(kind) is None), "")
        return f"trace.sections.{missing} is missing" if missing else ""

    @property
    def has_tiers(self) -> bool:
        """True if the engine's answers have tiers. If so, the steps of :attr:`outlook` name them."""
        return any(step.tier for step in self.outlook)

    @property
    def has_ladder(self) -> bool:
        """True if the engine tries other wordings after a search that found nothing."""
        return Ladder in self.sections

    def sentence(self, trace: Trace) -> Sentence:
        """The reason for the answer in one sentence: the note, its words, the decisive step, and the margin."""
        return default_sentence(trace)

    def headline(self, trace: Trace) -> Headline:
        """A badge with the tier (or the name of an engine without tiers), and the sentence about the answer."""
        badge = self.title.upper() if trace.tier is None else f"TIER {trace.tier}"
        role = tier_role(trace.tier) if trace.covered else NO_ANSWER
        return Headline(badge, role, self.sentence(trace), self.warning(trace))

    def warning(self, trace: Trace) -> str:
        """A warning shown beside the headline; empty if there is none."""
        return ""

    def failure(self, trace: Trace) -> str:
        """The reason why the engine cannot currently answer the query; empty if it answered."""
        return ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """The query as the engine reads it, shown as groups in the line below the query."""
        return []

    def named_folder(self, trace: Trace) -> str:
        """The folder that the query itself names and that restricts the search; empty if there is none."""
        return ""

    def in_words_of_notes(self, trace: Trace) -> str:
        """The query with words that no note contains replaced by forms in notes; empty if there are none."""
        return ""

    def counts(self, trace: Trace) -> str:
        """The heading of the results, with the number of results shown and the total number."""
        return f"Results {len(trace.hits)} of {trace.total_found}" if trace.hits else "Results none"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """A remark beside the path of a result, such as its ranks in the legs."""
        return " ".join(f"{place.leg[:1]}{place.rank + 1}" for place in hit.places)

    def behind(self, trace: Trace, reason: str) -> str:
        """The label above the near misses that share one ``reason``."""
        return reason

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The distance that a near miss fell short: in words, and in at most eight cells for a row of a list."""
        return f"{miss.short:.4f}", f"{glyphs.minus}{miss.short:.3f}"

    def nothing(self, trace: Trace, width: int) -> Iterable[Line]:
        """Yields the lines below the verdict if there are no results."""
        return ()

    def decision(self, trace: Trace, glyphs: Glyphs) -> Iterator[Block]:
        """Yields the steps of the decision, each with its checks."""
        yield from (CheckedStep(step, self.outlook) for step in trace.steps)

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "legs") -> Iterator[Block]:
        """Yields the legs under the heading ``legs``, and for each stage, the numbers of documents that entered, were
        dropped and remained.
        """
        if trace.legs:
            yield Rule(legs)
            cells = column((leg.name for leg in trace.legs), _LEG_NAME)
            yield from (leg_line(leg, cells, glyphs) for leg in trace.legs)
        if trace.stages:
            yield Rule("in − dropped = out")
            yield from trace.stages

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Blocks:
        """Yields the reasons for the rank of the document at ``file``, shown below the parts of its score."""
        return ()

    def neighbourhood(self, trace: Trace, place: str) -> Neighbourhood | None:
        """The links at ``place`` (a document or another node), for drawing; None if the trace contains none."""
        return None

    def not_scored(self, trace: Trace) -> str:
        """The reason why a document that is not listed has no score to show."""
        return "neither a result of this query nor a near miss"

    def attempts(self, trace: Trace) -> tuple[Attempted, ...]:
        """All attempts to find results, in order."""
        ladder = trace.find(Ladder)
        return ladder_rows(ladder, trace.timings) if ladder is not None else ()

    def attempts_in_short(self, trace: Trace) -> list[Span]:
        """The outcome of the trace's retry ladder, which must exist, and the number of attempts that ran."""
        return attempts_in_short(self.attempts(trace), trace.section(Ladder))

    def answer(self, trace: Trace) -> Blocks:
        """Yields the answer that the user reads."""
        text = trace.answer.text
        if trace.answer.kind == "retrieval":
            titles = ", ".join(hit.title for hit in trace.hits) or "nothing"
            text = f"{self.title} only retrieves and writes no answer. A reader would get: {titles}"
        elif trace.answer.notice:
            yield Text(trace.answer.notice, "warn", after=0)
        yield Marked(text, self.words(trace))

    def has_begun(self, text: str) -> bool:
        """True if ``text``, written by a model, begins the answer and is not just a remark about the next step."""
        return bool(text.strip())

    def prompt(self, trace: Trace | None) -> Titled:
        """The second tab of the Answer pane: the prompt for a model, or a remark that no model is called."""
        prompt = trace.answer.prompt if trace is not None else None
        if trace is None or prompt is None:
            return Titled("prompt", (Text("no model is called for this answer", "muted"),))
        return Titled(f"prompt {prompt.tokens} t", prompt_blocks(prompt, self.words(trace)), prompt.text)

    def words(self, trace: Trace) -> Sequence[str]:
        """The words that match the query, for highlighting."""
        return ()

    def cache(self, trace: Trace | None, now: Any, width: int, glyphs: Glyphs) -> Titled:
        """The cached answers from ``now``, the engine's current view of the cache, or else from ``trace``."""
        text = f"{self.title} does not cache answers: every query is a new search"
        return Titled("Cache none", (Text(text, "muted"),))

    def cache_in_short(self, trace: Trace | None, now: Any) -> list[Span]:
        """The number of cached answers, the time left, and the most similar answer; empty if there are none."""
        return []


def leg_line(leg: Leg, cells: int, glyphs: Glyphs) -> Line:
    """A line about a list: name (in ``cells`` cells), length, unit, and a remark if it does not count."""
    role = STATE_ROLES[leg.state.value]
    row = line(f" {glyphs.state[leg.state.value]} ", f"bold {role}").fit(leg.name, cells, "bold strong")
    by = f"found by {leg.unit}" if leg.unit else STATE_WORDS[leg.state.value]
    row.add(f"{len(leg.hits):>3} ", "text").add(by, "text")
    row.add("" if leg.counts else ", not fused", "warn")
    return row.add(f"  {leg.why}", "muted")


def deviation_blocks(deviations: Sequence[str]) -> Iterator[Block]:
    """Yields the differences between the original program and its documentation."""
    if deviations:
        yield Rule("as the program runs")
        yield from (Text(text, "warn") for text in deviations)
