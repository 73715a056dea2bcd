"""The steps and stages of an answer of V4: comparisons with what they say, and conserved counts."""

from __future__ import annotations

from collections.abc import Iterator

from brvtui.engines.byterover_v4.printed import LOW, confidence
from brvtui.engines.byterover_v4.profile import V4Profile
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.trace import Check, Stage, State, Step
from brvtui.wording import counted


def verdict_of(section: SpaceAnswer) -> str:
    """How many topics the agent gets, and how many of them it is told to cite."""
    if not section.returned:
        return "nothing found"
    return f"{counted(section.returned, 'topic', 'topics')}, {len(section.cited) or 'none'} to be cited"


def steps_of(section: SpaceAnswer, best: float, matched: int, kept: int, profile: V4Profile) -> Iterator[Step]:
    """The steps of an answer with the highest score ``best``; ``matched`` documents hold a word, ``kept`` pass."""
    said = f"searched: {section.cleaned}" if section.cleaned else "nothing is searched: no word is left"
    if section.dropped:
        said += f"; stop words left out: {', '.join(section.dropped)}"
    yield Step("query", None, "query", State.PASSED, (), said)
    if section.scope or section.element:
        limits = " and ".join(part for part in (section.scope, section.element) if part)
        state = State.PASSED if section.searched else State.MISSED
        left = f"{limits}: {section.searched} of {counted(section.documents, 'document', 'documents')} are searched"
        yield Step("scope", None, "scope", state, (), left)
    words = f"{matched} of {counted(section.searched, 'document', 'documents')} match a word, or nearly"
    yield Step("words", None, "words", State.PASSED if matched else State.MISSED, (), words)
    yield _filter_step(section, matched, kept)
    yield _cite_step(section, best, profile)


def _filter_step(section: SpaceAnswer, matched: int, kept: int) -> Step:
    if not matched:
        return Step("filter", None, "filter", State.NOT_REACHED, (), "")
    if not section.significant:
        said = "no run of three ASCII letters or digits in the query: all stay"
        return Step("filter", None, "filter", State.SKIPPED, (), said)
    words = ", ".join(section.significant)
    said = f"{kept} of {matched} hold one of: {words}"
    check = Check("documents that hold a significant word", kept, "≥", 1, bool(kept), kept - 1.0, "", "the-filter")
    return Step("filter", None, "filter", State.PASSED if kept else State.FAILED, (check,), said)


def _cite_step(section: SpaceAnswer, best: float, profile: V4Profile) -> Step:
    if not section.returned:
        return Step("cite", None, "cite", State.NOT_REACHED, (), "")
    rules = profile.results
    checks = [
        Check(
            f"{name} confidence",
            best,
            "≥",
            threshold,
            best >= threshold,
            best - threshold,
            f"results.{name}",
            "results",
        )
        for name, threshold in (("high", rules.high), ("medium", rules.medium))
    ]
    if section.should_cite:
        said = "the agent is told to cite; the best match has relevance 1 whatever it is, so any answer is cited"
        return Step("cite", None, "cite", State.TAKEN, tuple(checks), said)
    sure = confidence(best, rules) != LOW
    why = "the space's folder has no id" if sure else "no hit is of medium confidence"
    return Step("cite", None, "cite", State.FAILED, tuple(checks), f"the agent is not told to cite: {why}")


def stages_of(section: SpaceAnswer, matched: int, kept: int) -> Iterator[Stage]:
    """The documents, then topics, that came into each stage and went out of it; each begins with what the last left."""
    yield _stage("scope and element", section.documents, section.searched, "a-search")
    yield _stage("words", section.searched, matched, "text-relevance")
    yield _stage("filter", matched, kept, "the-filter")
    yield _stage("best of each topic", kept, len(section.found), "results")
    yield _stage("limit", len(section.found), section.returned, "results")


def _stage(name: str, came_in: int, went_out: int, rule: str) -> Stage:
    return Stage(name, came_in, came_in - went_out, went_out, rule)


def notices_of(section: SpaceAnswer) -> Iterator[str]:
    """What is wrong with the files of topics that were found, and what to do."""
    for topic in section.topics:
        if topic.score is None:
            yield f"{topic.path}: its signals make no number, so V4 prints no score; fix its file of signals"
        if not topic.file:
            yield f"{topic.path}: a file name with # gives a path that is no file; rename the topic"
