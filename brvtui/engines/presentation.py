"""How an engine's traces are shown in words. The base class shows what every trace has; an engine adds its own."""

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
"""Groups of spans, each with its weight: where there is no room, the lightest give way."""
_LEG_NAME = 10


class Presentation:
    """Words and blocks for the traces of one engine; nothing is computed."""

    title = ""
    """The engine's name as a heading."""
    outlook: Outlook = ()
    """The steps of its answers, for the time before there is one."""
    question = "which documents answer it"
    """Completes the sentence "type a question to see …" while there is no answer."""
    typing = "a preview changes nothing and asks no service"
    """The effects of a preview and of a run, in one line; an action in braces stands for its key."""
    asks_services = True
    """Whether a run asks an embedder or another service, where one is set."""
    learns = False
    """Whether it learns from what became of a result (:class:`brvtui.engines.contract.Learns`)."""
    caches = False
    """Whether it keeps answers."""
    draws_graph = False
    """Whether it ranks over a graph, whose links can be drawn: the pane Graph then stands where Cache stands else."""
    hints: ClassVar[Sequence[tuple[str, str]]] = (
        ("Type", "every key searches"),
        ("{query.run}", "runs, asks services if set"),
    )
    """Keys, or actions in braces for theirs, each with its effect, for the time before there is an answer."""
    decimals: ClassVar[int] = 2
    """With how many the best score of a note for any words is written, as its engine writes scores."""
    legend: ClassVar[Sequence[tuple[str, str]]] = ()
    """The parts of a score, each with its meaning in a few words, for the time before there is a score."""
    places_explained = ""
    """What the letters of :meth:`remark` mean, in a few words, for the border of the results."""
    pane_help: ClassVar[Mapping[str, str]] = {
        "Results": "Beside a path: the note's place in each ranked list, after the first letter of the list's name."
    }
    """Sentences about this engine alone, by the title of the pane whose help they end."""
    tried_edits = "an edit"
    """The changes of a note that it tries, to see whether they help it."""
    ranks_folders = False
    """True if a folder's summary represents the folder, and is found by the words of the folder's notes."""

    sections: ClassVar[tuple[type[Section], ...]] = ()
    """The sections that all its traces have."""

    def why_broken(self, trace: Trace) -> str:
        """The missing or wrong part of ``trace``, read from a file, that keeps it from being shown; empty for none."""
        missing = next((kind.SECTION for kind in self.sections if trace.find(kind) is None), "")
        return f"trace.sections.{missing} is missing" if missing else ""

    @property
    def has_tiers(self) -> bool:
        """True if its answers have tiers: steps of :attr:`outlook` then name theirs."""
        return any(step.tier for step in self.outlook)

    @property
    def has_ladder(self) -> bool:
        """True if it retries a search that found nothing, in other words."""
        return Ladder in self.sections

    def sentence(self, trace: Trace) -> Sentence:
        """Why the query got its answer, in one sentence: which note, which of its words, what decided, by how much."""
        return default_sentence(trace)

    def headline(self, trace: Trace) -> Headline:
        """The badge and the sentence that says why; the name of the engine unless its answers have tiers."""
        badge = self.title.upper() if trace.tier is None else f"TIER {trace.tier}"
        role = tier_role(trace.tier) if trace.covered else NO_ANSWER
        return Headline(badge, role, self.sentence(trace), self.warning(trace))

    def warning(self, trace: Trace) -> str:
        """A warning beside the headline; empty for none."""
        return ""

    def failure(self, trace: Trace) -> str:
        """Why the engine answers no such query as things are; empty where it answered."""
        return ""

    def reading(self, trace: Trace, glyphs: Glyphs) -> Groups:
        """How the query was read: the groups of the line below it."""
        return []

    def named_folder(self, trace: Trace) -> str:
        """The folder that the query itself names and is kept to; empty for none."""
        return ""

    def in_words_of_notes(self, trace: Trace) -> str:
        """The query with other forms of words that no note holds, as the notes have them; empty without any."""
        return ""

    def counts(self, trace: Trace) -> str:
        """How many results of how many: the heading of the results."""
        return f"Results {len(trace.hits)} of {trace.total_found}" if trace.hits else "Results none"

    def remark(self, trace: Trace, hit: Hit) -> str:
        """A few words beside the path of a result: its places in the legs."""
        return " ".join(f"{place.leg[:1]}{place.rank + 1}" for place in hit.places)

    def behind(self, trace: Trace, reason: str) -> str:
        """The label above the near misses of one ``reason``."""
        return reason

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The distance by which a near miss was short: in words, and in at most eight cells for a row of a list."""
        return f"{miss.short:.4f}", f"{glyphs.minus}{miss.short:.3f}"

    def nothing(self, trace: Trace, width: int) -> Iterable[Line]:
        """Yields the lines below the verdict when there is no result."""
        return ()

    def decision(self, trace: Trace, glyphs: Glyphs) -> Iterator[Block]:
        """Yields everything that decided: the steps with their checks."""
        yield from (CheckedStep(step, self.outlook) for step in trace.steps)

    def flow(self, trace: Trace, glyphs: Glyphs, legs: str = "legs") -> Iterator[Block]:
        """Yields legs, and how many documents each stage took in, dropped and passed on; ``legs`` labels the legs."""
        if trace.legs:
            yield Rule(legs)
            cells = column((leg.name for leg in trace.legs), _LEG_NAME)
            yield from (leg_line(leg, cells, glyphs) for leg in trace.legs)
        if trace.stages:
            yield Rule("in − dropped = out")
            yield from trace.stages

    def place(self, trace: Trace, file: str, glyphs: Glyphs) -> Blocks:
        """Yields how the document at ``file`` came to its rank, below the parts of its score."""
        return ()

    def neighbourhood(self, trace: Trace, place: str) -> Neighbourhood | None:
        """The links at ``place``, a document or another node, to be drawn; None where the trace tells of none."""
        return None

    def not_scored(self, trace: Trace) -> str:
        """Why a document of which nothing is listed has no score to show."""
        return "not a result of this query, and not a near miss"

    def attempts(self, trace: Trace) -> tuple[Attempted, ...]:
        """Everything that was tried, in its order."""
        ladder = trace.find(Ladder)
        return ladder_rows(ladder, trace.timings) if ladder is not None else ()

    def attempts_in_short(self, trace: Trace) -> list[Span]:
        """The outcome of its retry ladder, which it must have, and the counts of what ran, a phrase each."""
        return attempts_in_short(self.attempts(trace), trace.section(Ladder))

    def answer(self, trace: Trace) -> Blocks:
        """Yields the answer that the user reads."""
        text = trace.answer.text
        if trace.answer.kind == "retrieval":
            given = ", ".join(hit.title for hit in trace.hits) or "nothing"
            text = f"{self.title} retrieves and stops there: it writes no answer. A reader would be given: {given}"
        elif trace.answer.notice:
            yield Text(trace.answer.notice, "warn", after=0)
        yield Marked(text, self.words(trace))

    def has_begun(self, text: str) -> bool:
        """Whether a model that wrote ``text`` so far writes the answer, and does not just say what it does next."""
        return bool(text.strip())

    def prompt(self, trace: Trace | None) -> Titled:
        """The second tab of the answer: the prompt for a model, or a remark that none is asked."""
        prompt = trace.answer.prompt if trace is not None else None
        if trace is None or prompt is None:
            return Titled("prompt", (Text("no model is asked for this answer", "muted"),))
        return Titled(f"prompt {prompt.tokens} t", prompt_blocks(prompt, self.words(trace)), prompt.text)

    def words(self, trace: Trace) -> Sequence[str]:
        """The words that the query matched, to be marked in texts."""
        return ()

    def cache(self, trace: Trace | None, now: Any, width: int, glyphs: Glyphs) -> Titled:
        """The answers that it keeps: as ``now`` has them (its own look at them), else as ``trace`` saw them."""
        text = f"{self.title} keeps no answers: every query is searched for"
        return Titled("Cache none", (Text(text, "muted"),))

    def cache_in_short(self, trace: Trace | None, now: Any) -> list[Span]:
        """The number of answers that it keeps, the time left, and the likest one, a phrase each; nothing if none."""
        return []


def leg_line(leg: Leg, cells: int, glyphs: Glyphs) -> Line:
    """One ranked list: its name in ``cells``, how many it holds, in which unit, and whether it counts."""
    role = STATE_ROLES[leg.state.value]
    made = line(f" {glyphs.state[leg.state.value]} ", f"bold {role}").fit(leg.name, cells, "bold strong")
    by = f"found by {leg.unit}" if leg.unit else STATE_WORDS[leg.state.value]
    made.add(f"{len(leg.hits):>3} ", "text").add(by, "text")
    made.add("" if leg.counts else ", not fused", "warn")
    return made.add(f"  {leg.why}", "muted")


def deviation_blocks(deviations: Sequence[str]) -> Iterator[Block]:
    """Yields the differences between the program and its document."""
    if deviations:
        yield Rule("as the program runs")
        yield from (Text(text, "warn") for text in deviations)
