"""Sentences of a trace: which note is first, how it was found, what a profile does as the program runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from brvtui.engines.knowing.sections import GraphResult, GraphRetrieval
from brvtui.wording import counted

if TYPE_CHECKING:  # showing a trace needs no constants
    from brvtui.engines.knowing.profile import KnowingProfile


def deviations(profile: KnowingProfile) -> tuple[str, ...]:
    """What a profile does as the program runs, each in words."""
    made = (
        (profile.walk.whole_neighbourhood, "edges are read from the cache, which forgets most of their types"),
        (profile.walk.other_module < 1, "an edge into another domain counts less, and what it loses is lost"),
        (profile.walk.negligible > 0, "a node of little probability does not hand it on"),
        (profile.scoring.seed_units > 0, "a seed counts as having callers"),
        (profile.scoring.penalty_words_inside, "a word counts inside of another: “latest” is about tests"),
        (not profile.scoring.feedback.zero_counts, "feedback that is all negative counts as none"),
        (not profile.full_text.quoted, "terms are not quoted: one that FTS5 cannot read silences the channel"),
        (profile.tiered.wildcards, "an underscore in a keyword stands for any character"),
        (profile.fusion.path_competes, "paths are fused with the other channels"),
    )
    return tuple(text for is_so, text in made if is_so)


def verdict(section: GraphRetrieval) -> str:
    """Which note is first, how it was found, and what fits into the budget."""
    if section.entry == "task" and not (section.exact or section.compounds or section.components):
        return "the question has no keyword"
    packed = [one for one in section.ranking if one.is_packed]
    if not packed:
        files = "no note is called so, and none names a file of that name"
        why = "no channel found a note" if section.entry == "task" else files
        return f"nothing was found: {why}" if not section.ranking else "nothing fits into the budget"
    best = packed[0]
    fits = f"{len(packed)} of {counted(len(section.ranking), 'note', 'notes')} fit into {section.budget:,} tokens"
    return f"{best.hit.title}, {best.hit.score:.3f}: {how_found(best)}; {fits}"


def how_found(one: GraphResult) -> str:
    """How a note came into the answer: by which words, or over which way of the walk."""
    if not one.found_by and one.seed_weight is None and not one.probability:
        return "one of the files" if one.levels == 0 else "it uses one of the files"
    if one.found_by and one.seed_weight is not None:
        return ", ".join(found.why for found in one.found_by[:2])
    way = way_in_words(one)
    return f"none of your words: {way}" if way else "reached by the walk"


def way_in_words(one: GraphResult) -> str:
    """The strongest way of the walk to a note from elsewhere: ``from Token rotation → related``; empty without one."""
    way = next((way for way in one.ways if way.steps), None)
    if way is None:
        return ""
    steps = "".join(f"{step.edge} → {step.title} → " for step in way.steps[:-1])
    return f"from {way.seed} → {steps}{way.steps[-1].edge}"
