"""The engine ``baseline``, which finds any form of the query's words and ranks by tantivy's BM25."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from brvtui import trace as traces
from brvtui.engines.advice import CHECK_PATH, explained, title_wordings, tried_remedy
from brvtui.engines.baseline.presentation import BaselinePresentation
from brvtui.engines.contract import AnalysisStep, Context, EngineError, Query, asking
from brvtui.engines.no_result import with_causes
from brvtui.engines.options import check_options
from brvtui.timing import Stopwatch
from brvtui.trace import Detail, Explanation, Hit, LossStage, Remedy, Stage, State, Step, Trace
from brvtui.tree.reading.files import SUMMARY_FILE
from brvtui.typed_tables import Count, typed
from brvtui.wording import counted

if TYPE_CHECKING:  # imported here, so that listing the engines does not import tantivy
    from brvtui.snapshot.naming import Named
    from brvtui.text.memory_index import MemoryMatch

ENGINE, _OPTIONS = "baseline", {"top_k": int}


@dataclass(frozen=True, slots=True)
class BaselineLimits:
    """The maximum numbers of results, of near misses, and of distinct words that are searched."""

    name: str
    top_k: Count
    near_misses: int
    most_words: Count


class PlainLoss(LossStage):
    """The stages that can drop a note, earliest first."""

    FOLDER = "a folder, which plain search does not rank"
    NOT_IN_TREE = "not a searchable note in the tree"
    NOTHING_ASKED = "the query has no word to search for"
    OUTSIDE = "outside the searched folder"
    NO_WORD = "neither title nor text contains any of the words"
    BEHIND = "below the last result in the answer"


class _NoteSearch:
    """The notes that match a query, best first."""

    def __init__(self, context: Context[BaselineLimits], text: str, scope: str) -> None:
        from brvtui.engines.baseline.index import index_of, searched_words

        index, words = index_of(context.snapshot), searched_words(text)
        self.words = dict(islice(words.items(), context.constants.most_words))
        self.has_more_words = len(words) > len(self.words)
        inside = [_is_inside(note.path, scope) for note in context.snapshot.notes]
        self.found, self.searched = [one for one in index.find(self.words) if inside[one.position]], sum(inside)
        self.hit: Callable[[MemoryMatch], Hit] = partial(index.hit, context.snapshot, self.words)

    def rank(self, position: int | None) -> int | None:
        return next((rank for rank, one in enumerate(self.found, 1) if one.position == position), None)


def _is_inside(path: str, scope: str) -> bool:
    return path.startswith(f"{scope.strip('/')}/") or not scope.strip("/")


class Baseline:
    """An ordinary full-text search. Between queries, it keeps only the index of the snapshot."""

    name, title, profiles, options = ENGINE, "Plain search", (ENGINE,), tuple(_OPTIONS)
    modes, sections, presentation = (), (), BaselinePresentation()

    def constants(self, profile: str = "") -> BaselineLimits:
        """The built-in constants, or those in a TOML file. Raises :class:`brvtui.typed_tables.ProfileError`."""
        from brvtui.engines.profile_files import profile_tables

        return typed(BaselineLimits, profile_tables(profile or ENGINE, (ENGINE,)), "", profile or ENGINE)

    def answer(self, context: Context[BaselineLimits], query: Query) -> Trace:
        """The notes that contain any word of the query, best first. Raises :class:`EngineError`."""
        check_options(ENGINE, query.options, _OPTIONS, ())
        limits, watch = context.constants, Stopwatch()
        if (top_k := query.options.get("top_k", limits.top_k)) < 1:
            raise EngineError(f"top_k {top_k}: ask for at least one result")
        with watch.measure("total"):
            search = _NoteSearch(context, query.text, query.scope)
            shown = tuple(map(search.hit, search.found[: top_k + limits.near_misses]))
        hits, count, words = shown[:top_k], len(search.found), " ".join(search.words)
        misses = tuple(traces.behind_the_first(hit, rank, top_k) for rank, hit in enumerate(shown[top_k:], top_k + 1))
        trace = Trace(
            traces.SCHEMA, ENGINE, "tantivy's BM25", limits.name, "run" if query.run else "preview", query.text,
            query.scope, context.snapshot_info, counted(count, "note", "notes"), bool(hits), None,
            (Step("words", None, "words", State.PASSED if words else State.MISSED, (), words or "no word to search"),
             Step("search", None, "search", State.TAKEN if hits else State.MISSED, (), f"{count} found")),
            (Stage("any word", search.searched, search.searched - count, count, ""),
             Stage("top_k", count, count - len(hits), len(hits), "")),
            hits, (), misses, count, count, scale=traces.Scale(2, hits[0].score if hits else 1.0),
            notices=(f"only the first {limits.most_words} words are searched",) if search.has_more_words else (),
            options=dict(query.options), timings={"total": round(watch.ms["total"], 3)},
        )  # fmt: skip
        return with_causes(self, context, query, trace, search.words.values(), ())

    def analysis(self, context: Context[BaselineLimits], text: str) -> tuple[AnalysisStep, ...]:
        """The words of ``text`` with their stems."""
        from brvtui.engines.baseline.index import index_of, words_with_stems

        search, index = _NoteSearch(context, text, ""), index_of(context.snapshot)
        pairs = words_with_stems(text)
        unmatched = (word for stem, word in search.words.items() if not index.find([stem]))
        return (
            AnalysisStep("words", tuple(word for word, _ in pairs), "lower case, without accents; CJK by character"),
            AnalysisStep("stop words", tuple(dict.fromkeys(word for word, stem in pairs if stem not in search.words))),
            AnalysisStep("stems", tuple(search.words), "English"),
            AnalysisStep("unmatched", tuple(unmatched)),
        )

    def detail(self, context: Context[BaselineLimits], trace: Trace, file: str) -> Detail | None:
        """The parts of the score of the note at ``file``, even if it is outside the scope; None if no word matches."""
        search = _NoteSearch(context, trace.query, "")
        rank = search.rank(context.snapshot.by_path[file])
        return Detail(file, (), None, "", search.hit(search.found[rank - 1])) if rank else None

    def why(self, context: Context[BaselineLimits], trace: Trace, document: Named) -> Explanation:
        """The reason why ``document`` is, or is not, in the answer ``trace``."""
        search, path, scope = _NoteSearch(context, trace.query, trace.scope_option), document.path, trace.scope_option
        rank, count = search.rank(document.position), len(search.found)
        hit = search.hit(search.found[rank - 1]) if rank else None

        def lost() -> tuple[PlainLoss, str]:
            if hit is not None:
                place = f"rank {rank} of {count}, score {hit.score:.2f}"
                return PlainLoss.BEHIND, f"{place}; the answer lists only {len(trace.hits)}"
            reasons = {
                PlainLoss.FOLDER: document.position is None and path.rpartition("/")[2] == SUMMARY_FILE,
                PlainLoss.NOT_IN_TREE: document.position is None,
                PlainLoss.NOTHING_ASKED: not search.words,
                PlainLoss.OUTSIDE: not _is_inside(path, scope),
            }
            searched = f"searched: {', '.join(search.words.values()) or 'nothing'}"
            return next((loss for loss, applies in reasons.items() if applies), PlainLoss.NO_WORD), searched

        def remedy(loss: PlainLoss, title: str) -> Remedy:
            if loss in (PlainLoss.FOLDER, PlainLoss.NOT_IN_TREE):
                return Remedy(CHECK_PATH if loss is PlainLoss.NOT_IN_TREE else "choose a note in it", False)
            tries = [(*wording, dict[str, Any]()) for wording in title_wordings(trace.query, title)]
            return tried_remedy(path, tries, asking(self, context, trace), 2)

        return explained(context.snapshot, trace, document, hit, lambda at: f"listed at {at} of {count}", lost, remedy)
