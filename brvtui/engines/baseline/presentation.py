"""The presentation of traces of plain search."""

from __future__ import annotations

from collections.abc import Sequence

from brvtui.engines.presentation import Presentation
from brvtui.engines.sentence import default_sentence, missing_words
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.sentence import Sentence, clause
from brvtui.paint.steps import StepName
from brvtui.paint.text import plural
from brvtui.trace import NearMiss, Trace


class BaselinePresentation(Presentation):
    """Presents a list of results and the query words that they contain."""

    title = "Plain search"
    outlook = (StepName("words", "words"), StepName("search", "search", timed_by="total"))
    asks_services = False

    def sentence(self, trace: Trace) -> Sentence:
        """The first note and its lead or, without results, the query words that no note contains."""
        return default_sentence(trace) if trace.hits else (clause("Not found: "), *missing_words(trace, self.title))

    def lack(self, miss: NearMiss, glyphs: Glyphs) -> tuple[str, str]:
        """The number of ranks between ``miss`` and the last result."""
        return plural(round(miss.short), "rank"), f"rank {miss.rank}"

    def words(self, trace: Trace) -> Sequence[str]:
        """The words that matched, in the spelling of the query and of the notes."""
        return tuple({form: None for hit in trace.hits for one in hit.words for form in (one.query, one.word)})
