"""Texts for traces: the verdict, the way to a note, the names of edges, and a profile's deviations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from brvtui.engines.knowing.sections import GraphResult, GraphRetrieval, NoteOnCode, WalkPath
from brvtui.trace import MatchedWord, MatchKind
from brvtui.wording import counted

if TYPE_CHECKING:  # traces can be shown without loading the constants
    from brvtui.engines.knowing.profile import KnowingProfile
    from brvtui.engines.knowing.seed_rules import KeywordRules

WITHOUT_KEYWORD = "the question has no keyword"
_SECTION = " › "
_MOST_LISTED = 4
_BACK = {
    "related": "related from",
    "links": "linked from",
    "contains": "in",
    "member_of": "has",
    "holds": "in folder",
    "held_by": "holds",
    "has_keyword": "keyword of",
    "has_tag": "tag of",
    "mentions_file": "named by",
    "mentions_note": "named by",
    "similar_to": "similar to",
    "supersedes": "superseded by",
    "calls": "called by",
    "implements": "implemented by",
    "overrides": "overridden by",
    "extends": "extended by",
    "tests": "tested by",
    "accesses_field": "accessed by",
    "imports": "imported by",
    "depends_on": "needed by",
    "type_hint_of": "hinted by",
    "references": "referenced by",
    "throws": "thrown by",
    "documents": "documented by",
}
"""The names of edges as seen from their targets."""


def edge_words(type_: str) -> str:
    """The name of an edge of ``type_`` as seen from its source, such as ``has keyword``."""
    return type_.replace("_", " ")


def edge_words_back(type_: str) -> str:
    """The name of an edge of ``type_`` as seen from its target, such as ``linked from``."""
    return _BACK.get(type_, f"{edge_words(type_)} from")


def deviations(profile: KnowingProfile) -> tuple[str, ...]:
    """The points where ``profile`` follows the original program instead of its documentation, as text."""
    cases = (
        (profile.walk.whole_neighbourhood, "edges are read from the cache, which drops most of their types"),
        (
            profile.walk.other_module < 1,
            "an edge into another domain counts less, and the rest of its probability is lost",
        ),
        (profile.walk.negligible > 0, "a node with little probability does not pass it on"),
        (profile.scoring.seed_units > 0, "a seed counts as having callers"),
        (profile.scoring.penalty_words_inside, "a word also counts inside another word: “latest” counts as “test”"),
        (not profile.scoring.feedback.zero_counts, "feedback that is only negative counts as no feedback"),
        (not profile.full_text.quoted, "terms are not quoted, so one that FTS5 cannot parse disables the channel"),
        (profile.tiered.wildcards, "an underscore in a keyword stands for any character"),
        (profile.fusion.path_competes, "paths are fused with the other channels"),
    )
    return tuple(text for is_so, text in cases if is_so)


def verdict(section: GraphRetrieval, noun: str = "note", nouns: str = "notes") -> str:
    """A message with the first note, why it was found, and how many notes fit within the budget.

    ``noun`` and ``nouns`` are the singular and plural words for a result.
    """
    if section.entry == "task" and not (section.exact or section.compounds or section.components):
        return WITHOUT_KEYWORD
    packed = [one for one in section.ranking if one.is_packed]
    if not packed:
        files = f"no {noun} has this name, and none mentions a file with this name"
        why = f"no channel found a {noun}" if section.entry == "task" else files
        return why if not section.ranking else "nothing fits into the budget"
    best = packed[0]
    fits = f"{len(packed)} of {counted(len(section.ranking), noun, nouns)} fit into {section.budget:,} tokens"
    return f"{best.hit.title}, {best.hit.score:.3f}: {how_found(best)}; {fits}"


def how_found(one: GraphResult) -> str:
    """The reason why a note was found: the matching words, or the path of the walk to the note."""
    if not one.found_by and one.seed_weight is None and not one.probability:
        return "one of the files" if one.levels == 0 else "it uses one of the files"
    if one.found_by and one.seed_weight is not None:
        return ", ".join(match.why for match in one.found_by[:2])
    way = way_in_words(one)
    return f"contains none of your words, but was reached {way}" if way else "reached by the walk"


def way_in_words(one: GraphResult) -> str:
    """The strongest path of the walk from another place to a note, such as ``from Token rotation: related → Sessions →
    links``.

    A note and its sections are one place. The text is empty if there is no such path.
    """
    paths = [stops for way in one.ways if len(stops := stops_of(way)) > 1 and way.seed_place != one.hit.file]
    straight = (stops for stops in paths if len(set(stops[::2])) == len(stops[::2]))
    start, *stops = next(straight, paths[0] if paths else [""])
    return f"from {start}: {' → '.join(stops)}" if stops else ""


def stand_ins_in_words(one: GraphResult) -> str:
    """The related words in a note, each with the task word that it replaces, such as ``“backoff”, “timeout” for
    “retry”``; empty if there are none.
    """
    words: dict[str, list[str]] = {}
    for match in one.found_by:
        for word, keyword in match.stand_ins:
            words.setdefault(keyword, []).append(f"“{word}”")
    return "; ".join(f"{', '.join(stand_ins)} for “{keyword}”" for keyword, stand_ins in words.items())


def note_on_code(note: NoteOnCode) -> str:
    """One line about the symbols of an answer that a note mentions, with their ranks, such as ``a.md mentions Store:
    #1, #3``.
    """
    more_written = f" and {len(note.written) - _MOST_LISTED} more" if len(note.written) > _MOST_LISTED else ""
    ranks = ", ".join(f"#{rank}" for rank in note.ranks[:_MOST_LISTED])
    more = f" and {len(note.ranks) - _MOST_LISTED} more" if len(note.ranks) > _MOST_LISTED else ""
    return f"{note.note} mentions {', '.join(note.written[:_MOST_LISTED])}{more_written}: {ranks}{more}"


def stops_of(way: WalkPath) -> list[str]:
    """The names of the places and edges on a path, alternating, without the last place.

    A step within one place, such as from a note to its section, is left out.
    """
    stops, at = [way.seed.partition(_SECTION)[0]], way.seed_place
    for step in way.steps:
        if step.place != at:
            stops += [step.edge, step.title.partition(_SECTION)[0]]
            at = step.place
    return stops[:-1] if len(stops) > 1 else stops


def told_way(way: WalkPath, title: str) -> str:
    """A path to the note with the title ``title``, as text such as ``Token rotation → related → here``.

    Sections of the note itself are named by their headings.
    """
    if not way.steps:
        return "the walk starts here"
    own = f"{title.partition(_SECTION)[0]}{_SECTION}"
    stops = [way.seed, *(step.title for step in way.steps[:-1])]
    names = [f"its section {stop.removeprefix(own)}" if stop.startswith(own) else stop for stop in stops]
    edges = [step.edge for step in way.steps]
    return " → ".join([text for pair in zip(names, edges, strict=True) for text in pair] + ["here"])


_WORD = re.compile(r"[^\W_]+")
_LEAST = 2


class QuestionWords:
    """The words of a question, without stop words, for finding the words that match in notes."""

    def __init__(self, question: str, rules: KeywordRules) -> None:
        """Extracts the words of ``question``. Words of one letter are left out."""
        words = dict.fromkeys(_WORD.findall(question.lower()))
        self.words = [word for word in words if len(word) >= _LEAST and word not in rules.stop_words]

    @cached_property
    def _patterns(self) -> list[tuple[str, re.Pattern[str]]]:
        return [(word, re.compile(rf"(?<![^\W_]){re.escape(word)}[^\W_]*")) for word in self.words]

    def matched(self, title: str, path: str, text: str, inside: str = "") -> tuple[MatchedWord, ...]:
        """The words of the question that match a note, as whole words or as prefixes, each with the matching fields.

        A word that occurs in ``inside`` may also match inside a longer word of the title or path.
        """
        fields = [("title", title.lower()), ("path", path.lower()), ("text", text.lower())]
        return tuple(self._matches(fields, inside.lower()))

    def _matches(self, fields: Sequence[tuple[str, str]], inside: str) -> Iterator[MatchedWord]:
        for word, pattern in self._patterns:
            near = [(name, pattern.findall(text)) for name, text in fields if word in text]
            matches = [(name, min(form, key=len)) for name, form in near if form]
            if not matches and word in inside:
                near = [(name, [run for run in _WORD.findall(text) if word in run]) for name, text in fields[:2]]
                matches = [(name, min(form, key=len)) for name, form in near if form]
            if matches:
                best = min((form for _, form in matches), key=len)
                longer = MatchKind.PREFIX if best.startswith(word) else MatchKind.INSIDE
                kind = MatchKind.EXACT if best == word else longer
                order = sorted(matches, key=lambda pair: len(pair[1]))
                yield MatchedWord(word, best, kind, len(best) - len(word), tuple(name for name, _ in order))
