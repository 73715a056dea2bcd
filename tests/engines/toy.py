"""An engine in about sixty lines, as in another package: a note's score is the share of query words in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from brvtui.engines.contract import Context, EngineError, Query
from brvtui.engines.presentation import Presentation
from brvtui.snapshot import Note
from brvtui.snapshot.naming import Named
from brvtui.trace import SCHEMA, Detail, Explanation, Hit, Origin, Part, Reason, Stage, State, Step, Trace
from brvtui.typed_tables import ProfileError


@dataclass(frozen=True)
class Rules:
    """The constants of one profile."""

    name: str
    least: float
    """The minimum score of a hit."""


@dataclass(frozen=True)
class Counted:
    """The words that were counted."""

    SECTION: ClassVar[str] = "counted"
    words: tuple[str, ...]


class ToyPresentation(Presentation):
    """The presentation of any trace, with its own heading."""

    title = "Toy"


class Toy:
    """Counts words of the query in titles and texts."""

    name = "toy"
    title = "Toy"
    profiles = ("plain", "strict")
    modes: tuple[str, ...] = ()
    sections = (Counted,)
    presentation = ToyPresentation()

    def constants(self, profile: str = "") -> Rules:
        """The constants for half of all words, or for each of them."""
        if profile not in ("", *self.profiles):
            raise ProfileError(f"no profile {profile} of Toy: use {', '.join(self.profiles)}")
        return Rules("strict", 1.0) if profile == "strict" else Rules("plain", 0.5)

    def answer(self, context: Context[Rules], query: Query) -> Trace:
        """All notes that contain enough of the words, most words first."""
        unknown = query.options.keys() - {"whole"}
        if unknown:
            raise EngineError(f"toy has no option {min(unknown)}")
        words = tuple([query.text.lower()] if query.options.get("whole") else query.text.lower().split())
        scored = sorted(_scored(context, words), key=lambda hit: -hit.score)
        hits = tuple(hit for hit in scored if hit.score >= context.constants.least)
        step = Step("count", None, "count words", State.TAKEN, (), f"notes with enough of the words: {len(hits)}")
        return Trace(
            SCHEMA, self.name, "Toy 1", context.constants.name, "run" if query.run else "preview", query.text,
            query.scope, context.snapshot_info, f"{len(words)} words were counted", bool(hits), None,
            (step,), (Stage("least score", len(scored), len(scored) - len(hits), len(hits), "half of all"),), hits,
            options=dict(query.options), total_found=len(hits), matched=len(scored), sections=(Counted(words),),
        )  # fmt: skip

    def detail(self, context: Context[Rules], trace: Trace, file: str) -> Detail | None:
        """The score of the note at ``file``."""
        hit = next((hit for hit in _scored(context, trace.section(Counted).words) if hit.file == file), None)
        return Detail(file, (), None, "", hit) if hit is not None else None

    def why(self, context: Context[Rules], trace: Trace, document: Named) -> Explanation:
        """Explains why a note is in the answer, or what it lacks."""
        rank = next((rank for rank, hit in enumerate(trace.hits, 1) if hit.file == document.path), None)
        detail = self.detail(context, trace, document.path)
        reason = None if rank else Reason(1, "too few words" if detail else "no word")
        hit = detail.hit if detail is not None else None
        return Explanation(
            trace.query, document.path, document.path, rank is not None, rank, hit, detail, reason, "", None, "", trace
        )


def _scored(context: Context[Rules], words: tuple[str, ...]) -> Iterator[Hit]:
    for note in context.snapshot.notes:
        title, text = (sum(word in where.lower() for word in words) for where in _texts(context, note))
        if text or title:
            parts = (Part("title", title / 2 / len(words)), Part("text", text / 2 / len(words)))
            score = sum(part.value for part in parts)
            yield Hit(note.result_path, note.path, note.title, note.kind, Origin.TEXT, score, parts)


def _texts(context: Context[Rules], note: Note) -> tuple[str, str]:
    return note.title, context.snapshot.text(note.path)
