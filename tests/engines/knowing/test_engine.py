"""knowing over a context tree: its graph, edits, reasons, budget, session, feedback."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brvtui.engines.contract import Context, EngineError, Query
from brvtui.engines.knowing.engine import Knowing
from brvtui.engines.knowing.note_index import NoteIndex, index_notes
from brvtui.engines.knowing.packing import text_tokens
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.sections import GraphRetrieval
from brvtui.engines.knowing.tracing_words import way_in_words
from brvtui.engines.registry import verdict_sentence
from brvtui.paint.sentence import plain
from brvtui.saved.traces import as_json, read, saved_now
from brvtui.services.provided import NoServices
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import find_note
from brvtui.trace import MatchKind, Trace, adds_up
from brvtui.trace.feedback import Usefulness
from tests.support.generated import generated
from tests.support.trees import NOW_MS, Tree
from tests.support.vectors import WithFeedback

ROTATION = """---
title: Token rotation
summary: Refresh tokens rotate on every use.
tags: [auth]
keywords: [refresh token, rotation]
related: ["@auth/sessions/store.md", nowhere/gone.md]
updatedAt: '2026-01-02T00:00:00.000Z'
---
# Token rotation

## Narrative
Each use gives a new one, kept in `src/auth/rotate.py`.

```
## no heading
```

## Facts
- Reuse revokes the family

## Relations
@auth/sessions/store.md
"""
STORE = """---
title: Session store
summary: Where sessions live.
keywords: [redis]
related: [ops/handover.md]
---
# Session store

## Narrative
Sessions lie in Redis for a day, see `src/auth/rotate.py`.
"""
OTHERS = {
    "deploy/rollback.md": "# Rollback\n\nRoll back by the last tag.\n",
    "deploy/freeze.md": "# Freeze window\n\nNothing is deployed on Fridays.\n",
    "billing/refunds.md": "# Refunds\n\nA refund needs two people.\n",
    "ops/handover.md": "# Handover\n\nWhoever leaves says what is open.\n",
}
NOTES = {"auth/tokens/rotation.md": ROTATION, "auth/sessions/store.md": STORE, **OTHERS}
ASKED = "how does token rotation work"


@pytest.fixture
def garden(tree: Tree) -> Tree:
    for path, text in NOTES.items():
        tree.file(path, text, 1.0)
    return tree


@pytest.fixture
def snapshot(garden: Tree) -> Snapshot:
    return garden.snapshot()


def context(snapshot: Snapshot, profile: str = "", now_ms: float = NOW_MS, services: Any = None) -> Context[Any]:
    return Context(snapshot, load_profile(profile), now_ms, services or NoServices())


def ask(snapshot: Snapshot, text: str, profile: str = "", **options: Any) -> Trace:
    return Knowing().answer(context(snapshot, profile), Query(text, options=options))


def test_notes_become_nodes_and_edges(snapshot: Snapshot) -> None:
    graph = index_notes(snapshot, load_profile()).notes.graph
    note = graph.find("auth/tokens/rotation.md")
    assert (note.name, note.aliases, note.package, note.module) == (
        "Token_rotation",
        ("rotation",),
        "auth/tokens",
        "auth",
    )
    assert note.modified == 1_767_312_000
    kinds = {edge.target: edge.type for edge in graph.edges_from(note.id)}
    assert kinds["auth/sessions/store.md"] == "related"
    assert kinds["external://nowhere/gone.md"] == "related"
    assert kinds["auth/tokens/rotation.md#Narrative"] == "contains"
    assert kinds["keyword://rotation"] == "has_keyword"
    assert [edge.target for edge in graph.edges_from("auth/tokens/rotation.md#Relations", "links")] == [
        "auth/sessions/store.md"
    ]
    both = {edge.source.partition("#")[0] for edge in graph.edges_to("file://src/auth/rotate.py")}
    assert both == {"auth/tokens/rotation.md", "auth/sessions/store.md"}
    assert graph.find("auth/tokens/rotation.md#no_heading") is None
    missing = graph.find("external://nowhere/gone.md")
    assert missing.is_external


@pytest.mark.parametrize("profile", ["knowing", "knowing-code"])
def test_trace_has_consistent_parts_counts_and_paths(snapshot: Snapshot, profile: str) -> None:
    trace = ask(snapshot, ASKED, profile)
    section = trace.section(GraphRetrieval)
    assert "auth/tokens/rotation.md" in {hit.file for hit in trace.hits[:2]}
    assert all(map(adds_up, trace.hits))
    assert all(stage.came_in - stage.dropped == stage.went_out for stage in trace.stages)
    assert len({hit.file for hit in trace.hits}) == len(trace.hits)
    assert sum(seed.share for seed in section.walk.seeds) == pytest.approx(1)
    words = next(step.summary for step in trace.steps if step.name == "keywords")
    assert words.startswith(", ".join((*section.exact, *section.components, *section.compounds)[:6]))
    (change,) = next(step.checks for step in trace.steps if step.name == "walk")
    assert change.note == ("" if change.passed else "the walk ended for another reason")
    assert change.passed == (section.walk.ended == "it stopped changing")
    for placed in section.ranking[: len(trace.hits)]:
        assert sum(way.share for way in placed.ways) + placed.other_ways == pytest.approx(1)
    assert section.broken_links == 1
    assert bool(section.deviations) == (profile == "knowing-code")


def test_note_without_a_query_word_names_the_links_to_it(snapshot: Snapshot) -> None:
    trace = ask(snapshot, ASKED)
    placed = trace.section(GraphRetrieval).placed("ops/handover.md")
    assert placed.seed_weight is None
    assert placed.found_by == ()
    steps = placed.ways[0].steps
    assert [step.title for step in steps][-2:] == ["Session store", "Handover"] or steps[-1].title == "Handover"
    assert steps[-1].edge == "related"
    explained = Knowing().why(context(snapshot), trace, find_note(snapshot, "ops/handover.md"))
    assert explained.found
    assert "contains none of your words, but was reached from " in explained.use


def test_every_result_without_a_query_word_names_its_path(tree: Tree) -> None:
    others = [f"far{n}/other.md" for n in range(5)]
    tree.file("near/zebra.md", f"---\nrelated: {others}\n---\n# Zebra\n\nStripes.\n", 1.0)
    for path in others:
        tree.file(path, f"# Title of {path[3]}\n\nNothing.\n", 1.0)
    profile, asked = load_profile(), context(tree.snapshot())
    trace = Knowing().answer(
        replace(asked, constants=replace(profile, notes=replace(profile.notes, shown=1))), Query("zebra")
    )
    linked = [placed.hit for placed in trace.section(GraphRetrieval).ranking if not placed.found_by]
    assert len(linked) == len(others)
    assert {Knowing().presentation.remark(trace, hit) for hit in linked} == {"from Zebra: related"}


def test_first_note_found_by_a_synonym_is_not_attributed_to_links(
    tree: Tree,
) -> None:
    tree.file("sending/fallback.md", "# Channel fallback\n\nFallback after a timeout, then backoff.\n", 1.0)
    tree.file("billing/refunds.md", OTHERS["billing/refunds.md"], 1.0)
    trace = ask(tree.snapshot(), "retry")
    assert trace.hits[0].title == "Channel fallback"
    assert not trace.hits[0].words
    said = plain(Knowing().presentation.sentence(trace))
    stand_ins = "“backoff”, “fallback”, “timeout” for “retry”"
    assert f"it contains none of your exact words, but {stand_ins}" in said
    assert Knowing().presentation.remark(trace, trace.hits[0]).startswith(f"{stand_ins} ")
    assert "over links" not in said


@pytest.mark.parametrize(("title", "query"), [("数据库连接池配置说明", "连接池"), ("photoconductor", "conduct")])
def test_name_contains_its_partial_words(tree: Tree, title: str, query: str) -> None:
    tree.file("u/found.md", f"# {title}\n\nBody {title}.\n", 1.0)
    for number in range(4):
        tree.file(f"u/{number}.md", f"# Other {number}\n\nBody other.\n", 1.0)
    trace = ask(tree.snapshot(), query)
    [held] = trace.hits[0].words
    assert (trace.hits[0].file, held.query, held.word, held.kind) == ("u/found.md", query, title, MatchKind.INSIDE)
    assert held.fields == ("title",)
    said = plain(Knowing().presentation.sentence(trace))
    assert f"its title contains ‘{title}’, which contains your ‘{query}’" in said
    assert "over links" not in said
    ranking = trace.section(GraphRetrieval).ranking
    assert way_in_words(ranking[0]) == ""
    assert all(f"from {title}: " in way_in_words(one) for one in ranking[1:])


def test_packed_context_has_the_counted_tokens(snapshot: Snapshot) -> None:
    trace = ask(snapshot, ASKED)
    section = trace.section(GraphRetrieval)
    assert "Reuse revokes the family" in section.context
    assert section.used == sum(one.tokens for one in section.ranking if one.is_packed)
    rules = load_profile().packing
    assert abs(text_tokens(section.context, rules) - section.used) <= len(trace.hits)


@pytest.mark.parametrize("budget", [1, 40, 90, 400])
def test_budget_is_never_exceeded(snapshot: Snapshot, budget: int) -> None:
    trace = ask(snapshot, ASKED, budget=budget)
    assert trace.section(GraphRetrieval).used <= budget
    assert trace.options == {"budget": budget}


@pytest.mark.parametrize(
    ("query", "options", "path", "reason"),
    [
        ("the of", {}, "deploy/rollback.md", "no keyword"),
        (ASKED, {}, "billing/refunds.md", "no channel found it"),
        (ASKED, {"budget": 10}, "auth/tokens/rotation.md", "more tokens than the whole budget"),
        (ASKED, {"budget": 75}, "auth/tokens/rotation.md", "others with a higher score"),
    ],
)
def test_missing_note_gets_the_earliest_reason_and_a_working_remedy(
    snapshot: Snapshot, query: str, options: dict[str, Any], path: str, reason: str
) -> None:
    engine, asked = Knowing(), context(snapshot)
    trace = engine.answer(asked, Query(query, options=options))
    explained = engine.why(asked, trace, find_note(snapshot, path))
    assert not explained.found
    assert reason in explained.reason.text, explained
    remedy = explained.remedy
    if remedy.verified:
        again = engine.answer(asked, Query(remedy.query, options={} if "tokens" in remedy.text else options))
        assert path in {hit.file for hit in again.hits}


def same(one: NoteIndex, other: NoteIndex) -> None:
    assert one.notes.graph.nodes == other.notes.graph.nodes
    assert one.notes.graph.edges == other.notes.graph.edges
    ours, theirs = one.task.ways, other.task.ways
    assert np.array_equal(ours.weights, theirs.weights)
    assert one.task.seeds.texts.texts == other.task.seeds.texts.texts


def generated_notes(other: Tree) -> list[tuple[str, str]]:
    made = generated(other.root.parent / "generated", 5, 30).tree
    files = sorted(made.rglob("*.md"))
    return [
        (str(file.relative_to(made)), file.read_text(encoding="utf-8"))
        for file in files
        if b"\0" not in file.read_bytes()
    ]


def test_updated_graph_equals_a_fresh_graph(tree: Tree, make_tree: Callable[[str], Tree]) -> None:
    profile, pick = load_profile(), random.Random(5)
    for path, text in NOTES.items():
        tree.file(path, text, 1.0)
    for path, text in generated_notes(make_tree("other")):
        tree.file(f"pad/{path}", text, 1.0)
    index = index_notes(tree.snapshot(), profile)
    for number in range(12):
        path = pick.choice([*NOTES, "auth/tokens/fresh.md"])
        target = pick.choice(list(NOTES))
        if number % 4 == 3:
            (tree.tree / path).unlink(missing_ok=True)
        else:
            front = f"---\nkeywords: [redis, {number}]\nrelated: [{target}]\n---\n"
            tree.file(path, f"{front}# Edit {number}\n\n## Facts\n@{target}\n", 0.5)
        snapshot = tree.snapshot()
        index = index_notes(snapshot, profile, index)
        fresh = index_notes(snapshot, profile)
        same(index, fresh)


def test_packed_notes_are_boosted_for_some_minutes(snapshot: Snapshot) -> None:
    engine = Knowing()
    before = engine.answer(context(snapshot), Query(ASKED))
    assert engine.answer(context(snapshot), Query(ASKED)).hits == before.hits
    engine.answer(context(snapshot), Query(ASKED, run=True))
    after = engine.answer(context(snapshot), Query(ASKED))
    assert after.section(GraphRetrieval).session > 0
    assert after.hits[0].score > before.hits[0].score
    assert {part.name: part.note for part in after.hits[0].parts}["session"] == "packed by a run some minutes ago"
    later = engine.answer(context(snapshot, now_ms=NOW_MS + 3_600_000), Query(ASKED))
    assert later.section(GraphRetrieval).session == 0


def test_different_cached_context_is_reported(garden: Tree) -> None:
    engine, first = Knowing(), garden.snapshot()
    trace = engine.answer(context(first), Query(ASKED, run=True))
    assert not trace.notices
    assert not engine.answer(context(first), Query(ASKED)).notices
    garden.file("auth/tokens/leak.md", "---\ntitle: Token rotation after a leak\n---\nRotation of each token.\n")
    later = garden.snapshot()
    (notice,) = engine.answer(context(later, now_ms=NOW_MS + 600_000), Query(f" {ASKED.upper()} ")).notices
    told = re.fullmatch(
        r"knowing would reuse the pack from a run 10 minutes ago\. That pack lacks (\d+) of these notes, contains "
        r"(\d+) others?, and uses [\d,]+ tokens\. The difference takes ([\d,]+) tokens, the whole new pack ([\d,]+)",
        notice,
    )
    lacks, _, difference, whole = (int(number.replace(",", "")) for number in told.groups())
    assert lacks >= 1
    assert 15 < difference < whole
    assert not engine.answer(context(later, now_ms=NOW_MS + 3_600_000), Query(ASKED)).notices
    assert not engine.answer(context(later), Query(ASKED, options={"budget": 4_000})).notices


def test_feedback_changes_a_score(snapshot: Snapshot, tmp_path: Path) -> None:
    engine, asked = Knowing(), context(snapshot, services=WithFeedback(tmp_path))
    trace = engine.answer(asked, Query(ASKED))
    best = next(hit for hit in trace.hits if hit.file == "auth/tokens/rotation.md")
    engine.learn(asked, trace, best.file, Usefulness.DISMISSED)
    assert feedback_part(engine.answer(asked, Query(ASKED)), best.file) == pytest.approx(-0.05)
    engine.learn(asked, trace, best.file, Usefulness.ACCEPTED)
    engine.learn(asked, trace, best.file, Usefulness.ACCEPTED)
    assert feedback_part(engine.answer(asked, Query(ASKED)), best.file) == pytest.approx(0.25 / 3)


def feedback_part(trace: Trace, file: str) -> float:
    hit = next(hit for hit in trace.hits if hit.file == file)
    return next(part.value for part in hit.parts if part.name == "feedback")


@pytest.mark.parametrize(
    "options", [{"budget": "many"}, {"budget": 0}, {"mode": "other"}, {"top_k": 3}, {"entry": "no"}]
)
def test_invalid_options_are_refused(snapshot: Snapshot, options: dict[str, Any]) -> None:
    with pytest.raises(EngineError):
        ask(snapshot, ASKED, **options)


def test_saved_trace_can_be_reopened(snapshot: Snapshot, tmp_path: Path) -> None:
    trace = ask(snapshot, ASKED)
    (tmp_path / "trace.json").write_bytes(as_json(saved_now(trace, NOW_MS)))
    assert read(tmp_path / "trace.json").trace == trace


def test_deprecated_note_has_a_lower_score(garden: Tree) -> None:
    plain = ask(garden.snapshot(), "rollback by tag")
    garden.file("deploy/rollback.md", f"---\nstatus: deprecated\n---\n{OTHERS['deploy/rollback.md']}", 1.0)
    aside = ask(garden.snapshot(), "rollback by tag")
    assert plain.hits[0].file == "deploy/rollback.md"
    parts = next(hit.parts for hit in aside.hits if hit.file == "deploy/rollback.md")
    penalty = next(part.value for part in parts if part.name == "penalty")
    assert penalty == pytest.approx(-0.7 * sum(part.value for part in parts if part.name != "penalty"))


@pytest.mark.parametrize(
    "query", ["", "   ", "a", "`", '"(OR NEAR/', "x" * 5000, "\x00\ud800", "日本語 トークン", "@auth/*"]
)
def test_any_query_has_an_answer(snapshot: Snapshot, query: str) -> None:
    for profile in ("knowing", "knowing-code"):
        assert all(map(adds_up, ask(snapshot, query, profile).hits))


def test_equal_paths_of_shared_sources_stay_separate(garden: Tree, make_tree: Callable[[str], Tree]) -> None:
    other = make_tree("other")
    other.file("auth/sessions/store.md", "# Their session store\n\nElsewhere.\n", 1.0)
    garden.source(("team", other))
    graph = index_notes(garden.snapshot(), load_profile()).notes.graph
    ours, theirs = graph.find("auth/sessions/store.md"), graph.find("[team]:auth/sessions/store.md")
    assert (ours.name, theirs.name) == ("Session_store", "Their_session_store")
    assert ours.module != theirs.module


def test_file_query_includes_symbols_and_callers(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "auth/sessions/store.md", entry="files")
    ranking = {one.hit.file: one for one in trace.section(GraphRetrieval).ranking}
    assert set(ranking) == {"auth/sessions/store.md", "auth/tokens/rotation.md"}
    assert trace.hits[0].file == "auth/sessions/store.md"
    assert (ranking["auth/sessions/store.md"].levels, ranking["auth/tokens/rotation.md"].levels) == (0, 1)
    assert all(map(adds_up, trace.hits))
    explained = Knowing().why(context(snapshot), trace, find_note(snapshot, "deploy/freeze.md"))
    assert "not one of the files" in explained.reason.text


def test_code_file_query_includes_notes_that_name_it(snapshot: Snapshot) -> None:
    for asked in ("src/auth/rotate.py", "what says `rotate.py`?"):
        trace = ask(snapshot, asked, entry="files")
        assert {hit.file for hit in trace.hits} == {"auth/sessions/store.md", "auth/tokens/rotation.md"}
    assert "none mentions a file" in ask(snapshot, "unknown.py", entry="files").verdict


def test_changed_files_are_starting_points_for_the_walk(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "auth/sessions/store.md", entry="changes")
    section = trace.section(GraphRetrieval)
    assert section.budget == load_profile().packing.review_budget
    assert {seed.file for seed in section.walk.seeds} == {"auth/sessions/store.md"}
    assert {"auth/tokens/rotation.md", "ops/handover.md"} <= {hit.file for hit in trace.hits}
    assert all(stage.came_in - stage.dropped == stage.went_out for stage in trace.stages)


@pytest.mark.parametrize(
    "text",
    [
        "## Same\n" * 20_000,
        "**Files:**\n- a.py\n" * 20_000,
        "`a/" * 20_000,
        "a/" * 50_000,
        "~~~\n" * 20_001,
        "@a/b/c " * 20_000,
    ],
    ids=["headings", "files", "quotes", "path", "fences", "relations"],
)
def test_hostile_note_is_processed_in_linear_time(tree: Tree, text: str) -> None:
    tree.file("a/b/hostile.md", f"# Hostile\n\n{text}", 1.0)
    tree.file("a/b/other.md", "# Other note\n\nNothing.\n", 1.0)
    began = time.process_time()
    graph = index_notes(tree.snapshot(), load_profile()).notes.graph
    assert len(graph.nodes) <= 2 * load_profile().notes.sections_most
    assert time.process_time() - began < 20


def test_equal_headings_are_separate_sections(tree: Tree) -> None:
    tree.file("a/b/twice.md", "# Twice\n\n## Steps\nFirst.\n\n## Steps\nThen.\n", 1.0)
    notes = index_notes(tree.snapshot(), load_profile()).notes
    assert notes.piece("a/b/twice.md").texts["a/b/twice.md#Steps"] == "## Steps\nFirst."
    assert notes.piece("a/b/twice.md").texts["a/b/twice.md#Steps-2"] == "## Steps\nThen."


def test_note_with_a_number_sign_in_its_path_is_returned(tree: Tree) -> None:
    tree.file("langs/c#.md", "# Sharp\n\nGenerics are reified.\n\n## Walrus traps\n\nA walrus boxes values.\n")
    section = ask(tree.snapshot(), "walrus traps").section(GraphRetrieval)
    assert "A walrus boxes values." in section.context
    assert {one.id for one in section.map.places} >= {"langs/c#.md"}
    assert not any("Walrus" in one.id for one in section.map.places)


def test_better_note_that_does_not_fit_is_named(tree: Tree) -> None:
    tree.note("auth/rotation.md", "Token rotation", "Tokens are rotated. " * 400)
    tree.note("auth/other.md", "Other things", "A token.")
    trace = tree.session().preview("token rotation", engine="knowing", options={"budget": 200})
    assert "“Token rotation” is better (" in verdict_sentence(trace)
    assert "but does not fit into 200 tokens" in verdict_sentence(trace)
    whole = tree.session().preview("token rotation", engine="knowing")
    assert "does not fit" not in verdict_sentence(whole)


def test_unmatched_words_are_shown_as_in_the_query(snapshot: Snapshot, garden: Tree) -> None:
    """A keyword keeps its hyphen but is searched by its parts."""
    assert "nothing for" not in verdict_sentence(ask(snapshot, "token-rotation"))
    assert verdict_sentence(ask(snapshot, "token-kumquat rotation")).count("nothing for ‘kumquat’") == 1
    assert "nothing for ‘kum-quat’" in verdict_sentence(ask(snapshot, "kum-quat rotation"))
    garden.file("fruit/store.md", "# KumquatStore\n\nIt keeps kumquats.\n", 1.0)
    assert "nothing for" not in verdict_sentence(ask(garden.snapshot(), "KumquatStore"))
    missed = verdict_sentence(ask(snapshot, "kumquat pomelo"))
    assert missed == "Not found: no note contains ‘kumquat’ or ‘pomelo’."
