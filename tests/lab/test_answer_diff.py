"""Causes of a changed answer, compared with the same states written to disk and queried directly."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines import registry
from brvtui.engines.contract import Context, Query
from brvtui.lab.answer_diff import AnswerDiff, AskedState, CauseKind, CauseSearch, StateMixer, through_terms
from brvtui.loading import EditedFile
from brvtui.loading.revised import Difference
from brvtui.snapshot.naming import Named
from brvtui.trace import Trace
from brvtui.tree.reading.signals import NoteSignals, SignalLayers
from tests.support.trees import BRV3, DAY_MS, DOCS, NOW_MS, Tree, stored

WORDS = ("token", "refresh", "rotate", "session", "carrier", "invoice", "rounding", "queue", "replay", "letter")
QUERY = Query("refresh token rotate")
ENGINES = ("byterover", "soleri", "jeffs_brain", "knowing", "baseline")


@dataclass(frozen=True)
class Files:
    """A state of a tree: each file's text and age in days, stored signals, the time, and the profile."""

    texts: dict[str, str]
    days: dict[str, float]
    signals: dict[str, NoteSignals]
    now_ms: float = NOW_MS
    profile: str = "brv-3"

    def constants(self, engine: str) -> Any:
        return registry.load(engine).constants(self.profile if engine == "byterover" else "")

    @property
    def reading(self) -> Any:
        return DOCS if self.profile == "docs" else BRV3


def written(tree: Tree, state: Files) -> Tree:
    for path, text in state.texts.items():
        tree.file(path, text, state.days[path])
    tree.signals.update(state.signals)
    return tree


def asked(tree: Tree, state: Files, engine: str) -> tuple[Context[Any], Trace]:
    """The answer over files on disk."""
    snapshot = written(tree, state).snapshot(state.reading, now_ms=state.now_ms)
    context = Context(snapshot, state.constants(engine), state.now_ms)
    return context, registry.load(engine).answer(context, QUERY)


def standing(context: Context[Any], trace: Trace, path: str) -> tuple[float, int | None]:
    """The score (0 if there is none) and the rank of a note."""
    for rank, hit in enumerate(trace.hits, start=1):
        if hit.file == path:
            return hit.score, rank
    if path not in context.snapshot.parsed:
        return 0.0, None
    why = registry.load(trace.engine).why(context, trace, Named(path, context.snapshot.by_path.get(path)))
    return (why.hit.score if why.hit is not None else 0.0), None


def mixer_of(tree: Tree, then: Files, now: Files, engine: str) -> StateMixer:
    """A mixer of the two states; ``then`` is on disk."""
    snapshot = written(tree, then).snapshot(then.reading, now_ms=then.now_ms)
    edits = {}
    for path, text in now.texts.items():
        if (text, now.days[path]) != (then.texts.get(path), then.days.get(path)):
            mtime_ns = (NOW_MS - round(now.days[path] * DAY_MS)) * 1_000_000
            edits[path] = EditedFile(path, text.encode(), mtime_ns)
    removed = frozenset(then.texts.keys() - now.texts.keys())
    first = AskedState(
        "then", Context(snapshot, then.constants(engine), then.now_ms), then.reading, Difference({}, frozenset()),
        snapshot.stored,
    )  # fmt: skip
    second = AskedState(
        "now", Context(snapshot, now.constants(engine), now.now_ms), now.reading, Difference(edits, removed),
        SignalLayers((now.signals,)),
    )  # fmt: skip
    return StateMixer(first, second)


def between(then: Files, now: Files, path: str) -> Iterator[tuple[CauseKind, Files]]:
    """Yields the states that result from replacing the data of the note at ``path``, one kind after another."""

    def merged(paths: set[str]) -> Files:
        texts = {name: text for name, text in then.texts.items() if name not in paths}
        texts |= {name: text for name, text in now.texts.items() if name in paths}
        return replace(then, texts=texts, days={**now.days, **then.days})

    everything = then.texts.keys() | now.texts.keys()
    if then.texts.get(path) != now.texts.get(path):
        yield CauseKind.OWN_TEXT, merged({path})
    state = merged(everything)
    yield CauseKind.OTHER_TEXTS, state
    state = replace(state, days=now.days, now_ms=now.now_ms)
    yield CauseKind.AGE, state
    state = replace(state, signals=now.signals)
    yield CauseKind.SIGNALS, state
    yield CauseKind.CONSTANTS, replace(state, profile=now.profile)


def some_text(rng: random.Random, number: int) -> str:
    return f"# {' '.join(rng.sample(WORDS, 2))} {number}\n\n{' '.join(rng.choices(WORDS, k=rng.randrange(5, 60)))}\n"


def some_signals(rng: random.Random) -> NoteSignals:
    return stored(
        importance=rng.randrange(101), recency=rng.random(), maturity=rng.choice(("draft", "validated", "core"))
    )


def some_states(rng: random.Random) -> tuple[Files, Files]:
    """Two states of a tree of twelve notes: some are edited, some new, some removed, and all are older."""
    paths = [f"{'abc'[number % 3]}/n{number}.md" for number in range(12)]
    then = Files(
        {path: some_text(rng, number) for number, path in enumerate(paths)},
        {path: rng.uniform(0, 90) for path in paths},
        {path: some_signals(rng) for path in paths[::2]},
    )
    texts, days = dict(then.texts), dict(then.days)
    for path in rng.sample(paths, 3):
        texts[path], days[path] = some_text(rng, 50), rng.uniform(0, 3)
    texts["a/new.md"], days["a/new.md"] = f"# refresh {rng.choice(WORDS)}\n\nrotate a token\n", 0.5
    gone = rng.choice(paths)
    texts.pop(gone)
    days.pop(gone)
    signals = {**then.signals, **{path: some_signals(rng) for path in rng.sample(paths, 4)}}
    return then, Files(texts, days, signals, NOW_MS + rng.randrange(1, 60) * DAY_MS, "docs")


@pytest.mark.parametrize("engine", ENGINES)
def test_each_cause_matches_the_same_files_on_disk(engine: str, make_tree: Callable[[str], Tree]) -> None:
    then, now = some_states(random.Random(2))
    trees = (make_tree(f"t{number}") for number in range(1_000))
    diff = CauseSearch(registry.load(engine), mixer_of(next(trees), then, now, engine), QUERY).diff()
    ends = {"then": asked(next(trees), then, engine), "now": asked(next(trees), now, engine)}
    assert len(diff.notes) > 5
    _check_ends(diff, ends["then"], ends["now"])
    for note in (*diff.notes[:3], diff.notes[-1]):
        before = standing(*ends["then"], note.path)[0]
        found = {cause.kind: cause for cause in note.causes}
        for kind, state in between(then, now, note.path):
            score, rank = standing(*asked(next(trees), state, engine), note.path)
            if kind in found:
                cause = found[kind]
                assert cause.change == pytest.approx(score - before, abs=1e-9), (note.path, kind)
                assert cause.rank == rank, (note.path, kind)
            else:  # this kind of data is the same, so replacing it changes nothing
                assert score == pytest.approx(before, abs=1e-9), (note.path, kind)
            before = score


def _check_ends(diff: AnswerDiff, then: tuple[Context[Any], Trace], now: tuple[Context[Any], Trace]) -> None:
    moved = set()
    for path in {hit.file for _, trace in (then, now) for hit in trace.hits}:
        first, last = standing(*then, path), standing(*now, path)
        if first[1] != last[1] or abs(first[0] - last[0]) > 1e-9:
            moved.add(path)
    assert {note.path for note in diff.notes} == moved
    for note in diff.notes:
        assert note.rank_then == standing(*then, note.path)[1]
        assert note.rank_now == standing(*now, note.path)[1]
        assert sum(cause.change for cause in note.causes) == pytest.approx(note.change, abs=1e-9)
        assert note.change == pytest.approx(standing(*now, note.path)[0] - standing(*then, note.path)[0], abs=1e-9)
        for cause in note.causes:
            if cause.score is not None and cause.parts and cause.rank is not None:
                assert all(part.change for part in cause.parts)


def test_equal_states_have_no_differences(tree: Tree) -> None:
    then, _ = some_states(random.Random(7))
    mixer = mixer_of(tree, then, then, "byterover")
    assert mixer.kinds == ()
    diff = CauseSearch(registry.load("byterover"), mixer, QUERY).diff()
    assert (diff.notes, diff.outcomes, diff.differs) == ((), (), False)


def test_other_notes_change_a_score_through_idf_and_length(tree: Tree) -> None:
    """The three shares sum to the change of the term sum, and the idf share follows its formula."""
    then, _ = some_states(random.Random(11))
    path = next(iter(then.texts))
    then.texts[path] = "# refresh token\n\nrotate the token\n"
    engine = registry.load("byterover")

    def detail_with(more: dict[str, str]) -> Any:
        state = replace(then, texts={**then.texts, **more}, days={**then.days, **dict.fromkeys(more, 1.0)})
        context, trace = asked(tree, state, "byterover")
        made = engine.detail(context, trace, path)
        assert made is not None
        return made

    before = detail_with({})
    after = detail_with({f"z/{number}.md": f"# token {number}\n\n{'words ' * 50}\n" for number in range(6)})
    shares = {part.name: part.change for part in through_terms(before.contributions, after.contributions)}
    assert sum(shares.values()) == pytest.approx(after.score.term_sum - before.score.term_sum, abs=1e-9)
    new = {(one.query_term, one.term, one.field): one for one in after.contributions}
    by_hand = sum(
        one.weight * one.boost * (new[one.query_term, one.term, one.field].idf - one.idf) * one.value
        / (one.weight * one.boost * one.idf)
        for one in before.contributions
    )  # fmt: skip
    assert shares["idf"] == pytest.approx(by_hand, abs=1e-9)
    assert shares["length"] == pytest.approx(after.score.term_sum - before.score.term_sum - by_hand, abs=1e-9)


def test_note_dropped_from_the_results_has_a_reason(tree: Tree) -> None:
    paths = [f"a/n{number}.md" for number in range(3)]
    then = Files(dict.fromkeys(paths, "# refresh token\n\nrotate\n"), dict.fromkeys(paths, 1.0), {})
    now = replace(then, texts={**then.texts, paths[0]: "# other\n\nnothing of it\n"})
    diff = CauseSearch(registry.load("byterover"), mixer_of(tree, then, now, "byterover"), QUERY).diff()
    lost = next(note for note in diff.notes if note.path == paths[0])
    assert (lost.rank_now, lost.score_now) == (None, None)
    cause = max(lost.causes, key=lambda one: abs(one.change))
    assert (cause.kind, cause.reason) == (CauseKind.OWN_TEXT, lost.reason)
    assert lost.reason.startswith("no word of the query matches it")


def test_removed_file_counts_as_missing(tree: Tree, tmp_path: Path) -> None:
    then, now = some_states(random.Random(3))
    mixer = mixer_of(tree, then, now, "byterover")
    for path in then.texts:
        (tree.tree / path).unlink()
    assert CauseSearch(registry.load("byterover"), mixer, QUERY).diff().notes


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("---\nmaturity: core\n---\n# Refresh token\n", CauseKind.FRONTMATTER),
        ("---\nmaturity: core\n---\n# Refresh\n", CauseKind.OWN_TEXT),
    ],
)
def test_change_of_frontmatter_alone_has_its_own_name(tree: Tree, text: str, kind: CauseKind) -> None:
    then = Files({"a/n.md": "---\nmaturity: draft\n---\n# Refresh token\n"}, {"a/n.md": 1.0}, {})
    mixer = mixer_of(tree, then, replace(then, texts={"a/n.md": text}), "byterover")
    assert mixer.own_kind("a/n.md") is kind
