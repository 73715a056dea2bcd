"""Soleri over a context tree: notes as entries, edits, reasons, tiers, vectors."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.contract import Context, EngineError, Query
from brvtui.engines.soleri.engine import Soleri
from brvtui.engines.soleri.index import index_notes, map_note
from brvtui.engines.soleri.profile import load_profile
from brvtui.engines.soleri.sections import VaultSearch
from brvtui.saved.traces import as_json, read
from brvtui.services.provided import NoServices
from brvtui.session import Session
from brvtui.snapshot import Snapshot
from brvtui.snapshot.naming import find_note
from brvtui.store.feedback import FeedbackFile, clear_feedback
from brvtui.store.vectors import VectorStore
from brvtui.trace import State, Trace, adds_up
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.typed_tables import ProfileError
from tests.support.trees import NOW_MS, Tree
from tests.support.vectors import Letters, WithEmbedder, WithFeedback, WronglySet

ROTATION = """---
title: JWT refresh rotation
summary: Refresh tokens rotate on every use.
tags: [jwt]
keywords: [refresh, JWT]
related: ["@auth/sessions/cookies.md", auth/sessions, nowhere.md]
createdAt: '2026-01-02T00:00:00.000Z'
validUntil: 2027-01-02
severity: info
---
# JWT refresh rotation

## Reason
Stolen tokens.

## Narrative
### Structure
Each use gives a new one.

## Raw Concept
Rotate.

## Facts
- Reuse revokes the family

## Relations
@auth/sessions/cookies.md
"""


NOTES = {
    "auth/jwt/rotation_of_refresh.md": ROTATION,
    "auth/sessions/cookies.md": "# Session cookies\n\nCookies are signed and short-lived.\n",
    "auth/jwt/token_store.md": "# Token store\n\nEvery refresh token lies in the token store.\n",
    "deploy/rollback.md": "# Rollback\n\nRoll back by the last tag.\n",
    "deploy/freeze.md": "# Freeze window\n\nNothing is deployed on Fridays.\n",
    "billing/refunds.md": "# Refunds\n\nA refund needs two people.\n",
}


@pytest.fixture
def garden(tree: Tree) -> Tree:
    for path, text in NOTES.items():
        tree.file(path, text, 1.0)
    return tree


@pytest.fixture
def snapshot(garden: Tree) -> Snapshot:
    return garden.snapshot()


def context(snapshot: Snapshot, profile: str = "", services: Any = None) -> Context[Any]:
    return Context(snapshot, load_profile(profile), NOW_MS, services or NoServices())


def ask(snapshot: Snapshot, text: str, profile: str = "", services: Any = None, **options: Any) -> Trace:
    return Soleri().answer(context(snapshot, profile, services), Query(text, services=True, options=options))


def test_note_is_mapped_to_a_vault_entry(snapshot: Snapshot) -> None:
    position = snapshot.by_path["auth/jwt/rotation_of_refresh.md"]
    mapped = map_note(snapshot.notes[position], ROTATION, "core", load_profile("").mapping)
    entry = mapped.entry
    assert (entry.id, entry.domain, entry.type) == ("auth/jwt/rotation_of_refresh", "auth", "rule")
    assert entry.description == "Refresh tokens rotate on every use.\nReuse revokes the family"
    assert entry.context == "Rotate.\n\nEach use gives a new one."
    assert entry.why == "Stolen tokens."
    assert entry.tags == ("jwt", "refresh")
    assert entry.severity == "suggestion"
    assert entry.created_at == entry.updated_at == 1_767_312_000
    assert entry.valid_until == 1_798_848_000
    assert mapped.related[0] == "auth/sessions/cookies"
    vault = index_notes(snapshot, load_profile("")).vault
    assert vault.links.neighbours["auth/jwt/rotation_of_refresh"] == ("auth/sessions/cookies",)


def test_severity_by_maturity_is_optional(snapshot: Snapshot) -> None:
    note = snapshot.notes[snapshot.by_path["auth/sessions/cookies.md"]]
    rules = replace(load_profile("").mapping, severity_by_maturity=True)
    assert map_note(note, "# Cookies", "core", rules).entry.severity == "critical"
    assert map_note(note, "# Cookies", "", rules).entry.severity == "suggestion"
    assert map_note(note, "---\nseverity: warning\n---\n# Cookies", "core", rules).entry.severity == "warning"


def test_trace_has_consistent_parts_counts_and_steps(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "refresh token rotation")
    section = trace.section(VaultSearch)
    assert section.expression == "refresh OR token OR rotation"
    assert trace.hits
    assert all(adds_up(hit) and len(hit.parts) == 7 for hit in trace.hits)
    assert all(stage.came_in - stage.dropped == stage.went_out for stage in trace.stages)
    for placed in section.ranking:
        semantic = placed.hit.parts[0].amount
        assert semantic == pytest.approx(sum(shared.adds for shared in placed.shared), abs=1e-12)
    assert trace.verdict.startswith(f"{trace.hits[0].title} is first")
    linked = next(one for one in section.ranking if one.hit.file == "auth/sessions/cookies.md")
    assert linked.path[-1] == "auth/sessions/cookies"
    assert "links" in " ".join(step.name for step in trace.steps)


def test_updated_index_equals_a_fresh_index(garden: Tree) -> None:
    engine, before = Soleri(), garden.snapshot()
    engine.answer(context(before), Query("token"))
    added = "---\ntitle: Added token note\nrelated: [deploy/rollback]\n---\nToken family.\n"
    garden.file("auth/jwt/added.md", added)
    garden.file("deploy/rollback.md", "# Rollback of a token family\n\nGone.\n", 0.5)
    (garden.tree / "billing/refunds.md").unlink()
    after = garden.snapshot(previous=before)
    for query in ("token family", "refund", "rollback"):
        followed, fresh = engine.answer(context(after), Query(query)), ask(after, query)
        assert [(hit.file, hit.score) for hit in followed.hits] == [(hit.file, hit.score) for hit in fresh.hits]
    assert any(hit.file == "auth/jwt/added.md" for hit in ask(after, "token family").hits)


def test_shared_source_is_the_team_tier(garden: Tree, make_tree: Callable[[str], Tree]) -> None:
    shared = make_tree("shared")
    shared.file("deploy/rollback.md", "# Rollback rollback rollback\n\nThe team's copy.\n", 1.0)
    shared.file("deploy/canary.md", "# Canary rollback\n\nOne in a hundred.\n", 1.0)
    garden.source(("team", shared))
    snapshot = garden.snapshot()
    trace = ask(snapshot, "rollback")
    section = trace.section(VaultSearch)
    assert [(tier.name, tier.weight) for tier in section.tiers] == [("project", 0.8), ("team", 0.6)]
    by_file = {one.hit.file: one for one in section.ranking}
    (lost_copy,) = by_file["deploy/rollback.md"].lost_copies
    assert lost_copy.startswith("team × 0.6 = ")
    assert "[team]:deploy/rollback.md" not in by_file
    assert by_file["[team]:deploy/canary.md"].tier == "team"
    lost = find_note(snapshot, "[team]:deploy/rollback.md")
    explanation = Soleri().why(context(snapshot), trace, lost)
    assert "a copy of it in another tier" in explanation.reason.text
    personal = replace(load_profile(""), mapping=replace(load_profile("").mapping, personal="team"))
    agent = Soleri().answer(Context(snapshot, personal, NOW_MS), Query("rollback")).section(VaultSearch)
    assert [tier.name for tier in agent.tiers] == ["agent", "project"]
    assert {one.hit.file for one in agent.ranking} >= {"[team]:deploy/rollback.md"}


@pytest.mark.parametrize(
    ("query", "options", "reason"),
    [
        ("zebra", {}, "neither a link nor a vector"),
        ("?", {}, "no word of the query"),
        ("rollback", {"domain": "auth"}, "filtered"),
        ("rollback tag token store refresh", {"top_k": 1, "max_tokens": 1}, "token budget"),
    ],
)
def test_missing_note_gets_the_earliest_reason_and_a_working_remedy(
    snapshot: Snapshot, query: str, options: dict[str, Any], reason: str
) -> None:
    engine, asked = Soleri(), context(snapshot)
    trace = engine.answer(asked, Query(query, options=options))
    path = "deploy/rollback.md"
    if trace.hits and trace.hits[0].file == path:
        path = trace.section(VaultSearch).ranking[1].hit.file
    explanation = engine.why(asked, trace, find_note(snapshot, path))
    assert not explanation.found
    assert reason in explanation.reason.text
    remedy = explanation.remedy
    assert remedy.verified
    assert remedy.rank is not None


def test_expired_note_is_hidden(garden: Tree) -> None:
    garden.file("auth/old.md", "---\ntitle: Zebra crossing\nvalidUntil: 2020-01-01\n---\nZebra.\n")
    snapshot = garden.snapshot()
    trace = ask(snapshot, "zebra")
    assert not trace.hits
    explanation = Soleri().why(context(snapshot), trace, find_note(snapshot, "auth/old.md"))
    assert "validity window" in explanation.reason.text


def test_invalid_options_are_refused(snapshot: Snapshot) -> None:
    with pytest.raises(EngineError, match="no option colour"):
        ask(snapshot, "token", colour="red")
    with pytest.raises(EngineError, match="mode fast"):
        ask(snapshot, "token", mode="fast")


def test_program_profile_lists_its_deviations(snapshot: Snapshot) -> None:
    assert not ask(snapshot, "token").section(VaultSearch).deviations
    as_run = ask(snapshot, "token", "soleri-code")
    assert any("D03" in text for text in as_run.section(VaultSearch).deviations)
    assert as_run.profile == "soleri-code"
    assert "its age does not count" in str(as_run.hits[0].parts)


def test_vectors_are_used_and_computed_once(snapshot: Snapshot) -> None:
    services = WithEmbedder(Letters(1.0))
    trace = ask(snapshot, "zebra", services=services)
    assert trace.hits
    assert all(one.pool_rank is None and one.vector_rank for one in trace.section(VaultSearch).ranking if not one.path)
    assert trace.section(VaultSearch).weights.used["vector"] == 0.15
    made = len(services.embedder.texts)
    ask(snapshot, "zebra", services=services)
    assert len(services.embedder.texts) == made + 1  # only the query was embedded


def test_failing_embedder_leaves_a_ranking_by_words(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "token", services=WithEmbedder(Letters(1.0, fails=True)))
    section, by_words = trace.section(VaultSearch), ask(snapshot, "token")
    assert [(hit.path, hit.score) for hit in trace.hits] == [(hit.path, hit.score) for hit in by_words.hits]
    assert trace.hits
    assert section.weights.used == by_words.section(VaultSearch).weights.used
    assert section.weights.used["vector"] == 0
    assert section.embedder_error == "letters is away"
    assert any("letters is away" in notice for notice in trace.notices)
    assert next(step.state for step in trace.steps if step.name == "vectors") is State.FAILED
    assert Soleri().presentation.headline(trace).warning == "vectors failed"


def test_program_profile_keeps_hybrid_weights_if_the_embedder_fails(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "token", "soleri-code", WithEmbedder(Letters(1.0, fails=True)))
    section = trace.section(VaultSearch)
    assert (section.weights.used["semantic"], section.weights.used["vector"]) == (0.2, 0.15)
    assert any("D20" in text for text in section.deviations)


def test_misconfigured_embedder_leaves_a_ranking_by_words(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "token", services=WronglySet())
    assert [(hit.path, hit.score) for hit in trace.hits] == [
        (hit.path, hit.score) for hit in ask(snapshot, "token").hits
    ]
    assert any("localhost is not an address" in notice for notice in trace.notices)


@pytest.mark.parametrize("mode", ["full", "scan"])
def test_ids_option_loads_full_entries_in_vault_order(snapshot: Snapshot, mode: str) -> None:
    trace = ask(snapshot, "cookies", ids="deploy/rollback, auth/sessions/cookies,no/such", mode=mode)
    section = trace.section(VaultSearch)
    assert {record["entry"]["id"] for record in section.given} == {"auth/sessions/cookies", "deploy/rollback"}
    turned = ask(snapshot, "cookies", ids="auth/sessions/cookies,deploy/rollback", mode=mode)
    assert turned.section(VaultSearch).given == section.given
    assert all(record["entry"]["description"] for record in section.given)
    (step,) = [step for step in trace.steps if step.name == "load"]
    assert step.state is State.MISSED
    assert "2 of 3" in step.summary
    assert "no/such" in step.summary
    assert trace.hits == ask(snapshot, "cookies", mode=mode).hits


def test_ids_and_memories_cannot_be_combined(snapshot: Snapshot) -> None:
    with pytest.raises(EngineError, match="ids and memories"):
        ask(snapshot, "cookies", ids="deploy/rollback", memories=[])


def test_feedback_changes_the_weights_until_forgotten(garden: Tree) -> None:
    snapshot, engine = garden.snapshot(), Soleri()
    asked = Context(snapshot, load_profile(""), NOW_MS, WithFeedback(garden.tree))
    first = engine.answer(asked, Query("token"))
    file = first.hits[0].file
    for row in range(1, 31):
        said = engine.learn(asked, first, file, Usefulness.ACCEPTED)
        assert said.startswith(f"{row} ")
        weights = engine.answer(asked, Query("token")).section(VaultSearch).weights
        assert weights.moved == (row == 30)
        assert weights.used["semantic"] == (0.5 if row == 30 else 0.35)
        assert weights.other["semantic"] == (0.35 if row == 30 else 0.5)
    after = engine.answer(asked, Query("token"))
    placed = after.section(VaultSearch).ranking[0]
    assert placed.other_score == pytest.approx(first.hits[0].score)
    assert after.hits[0].score > first.hits[0].score
    assert not list(garden.root.rglob("*feedback*")), "the tree is left as it is"
    assert clear_feedback(garden.tree) == 30
    assert engine.answer(asked, Query("token")).hits[0].score == first.hits[0].score


def test_failed_actions_are_stored_but_not_counted(garden: Tree) -> None:
    session = garden.session(engine="soleri")
    engine, asked = Soleri(), context(session.snapshot, services=WithFeedback(garden.tree))
    first = engine.answer(asked, Query("token"))
    for _ in range(40):
        text = engine.learn(asked, first, first.hits[0].file, Usefulness.FAILED)
    assert "40 failed" in text
    weights = engine.answer(asked, Query("token")).section(VaultSearch).weights
    assert (weights.moved, weights.rows) == (False, 0)
    assert FeedbackFile(garden.tree, "soleri").counts() == {Usefulness.FAILED: 40}


def test_broken_feedback_rows_are_ignored(garden: Tree) -> None:
    log = FeedbackFile(garden.tree, "soleri")
    log.add(Feedback("q", "a.md", Usefulness.MODIFIED, NOW_MS))
    with log.path.open("ab") as file:
        file.write(b'{"usefulness": "excellent"}\n[1]\nnot json\n' + b"[" * 100_000 + b"\n")
    assert log.counts() == {Usefulness.MODIFIED: 1}


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan", "9" * 400, "'0001-01-01T00:00:00+23:59'"])
@pytest.mark.parametrize("field", ["createdAt", "updatedAt", "validFrom", "validUntil"])
def test_invalid_time_does_not_stop_a_query(tree: Tree, field: str, value: str) -> None:
    tree.file("auth/odd.md", f"---\ntitle: Zebra\n{field}: {value}\n---\nZebra crossing.\n")
    snapshot = tree.snapshot()
    trace = ask(snapshot, "zebra")
    assert all(adds_up(hit) for hit in trace.hits)
    assert Soleri().why(context(snapshot), trace, find_note(snapshot, "auth/odd.md")).path == "auth/odd.md"


def test_equal_paths_in_shared_sources_stay_separate(garden: Tree, make_tree: Callable[[str], Tree]) -> None:
    sources = []
    for alias in ("a", "b"):
        source = make_tree(f"source-{alias}")
        source.file("ops/canary.md", f"# Canary {alias * 3}\n\nText of {alias * 3}.\n", 1.0)
        sources.append((alias, source))
    garden.source(*sources)
    snapshot = garden.snapshot()
    trace = ask(snapshot, "aaa")
    assert [(hit.title, hit.file) for hit in trace.hits if hit.places] == [("Canary aaa", "[a]:ops/canary.md")]
    both = ask(snapshot, "text canary")
    (stands,) = [one for one in both.section(VaultSearch).ranking if one.hit.title.startswith("Canary")]
    assert stands.hit.file == f"[{stands.tier}]:ops/canary.md"
    ranks = [place.rank for hit in both.hits for place in hit.places]
    assert sorted(ranks) == [hit.rank for hit in both.leg("pool").hits]
    assert {hit.id for hit in both.leg("pool").hits} <= set(snapshot.by_path)


def test_duplicate_id_in_a_tier_is_reported(garden: Tree, make_tree: Callable[[str], Tree]) -> None:
    shared = make_tree("shared")
    shared.file("deploy/freeze.md", "# Freeze of the team\n\nThe other text.\n", 1.0)
    garden.file("deploy/freeze.md", "---\ntitle: Freeze\nscope: team\n---\nOurs.\n", 1.0)
    garden.source(("team", shared))
    snapshot = garden.snapshot()
    paths = {note.path for note in snapshot.notes if note.file == "deploy/freeze.md"}
    vault = index_notes(snapshot, load_profile(""))
    ((hidden, stands),) = vault.shadowed.items()
    assert {hidden, stands} == paths
    trace = ask(snapshot, "freeze")
    explanation = Soleri().why(context(snapshot), trace, find_note(snapshot, hidden))
    assert "a copy of it in another tier" in explanation.reason.text
    assert stands in explanation.numbers


def test_unreadable_note_is_read_again_later(garden: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    before = garden.snapshot()
    real = Snapshot.text

    def failing(snapshot: Snapshot, path: str) -> str:
        if path == "deploy/rollback.md":
            raise OSError("busy")
        return real(snapshot, path)

    engine = Soleri()
    with monkeypatch.context() as patched:
        patched.setattr(Snapshot, "text", failing)
        trace = engine.answer(context(before), Query("tag"))
        assert any("1 note cannot be read" in notice for notice in trace.notices)
        assert not trace.hits
    garden.file("auth/new.md", "# New\n\nOther.\n")
    after = garden.snapshot(previous=before)
    assert [hit.file for hit in engine.answer(context(after), Query("tag")).hits][:1] == ["deploy/rollback.md"]


def test_preview_without_a_remote_service_is_not_a_failure(snapshot: Snapshot) -> None:
    remote = Letters(1.0)
    remote.is_remote = True
    trace = Soleri().answer(context(snapshot, services=WithEmbedder(remote)), Query("token"))
    assert trace.leg("vector").state is State.NOT_RUN
    assert not trace.section(VaultSearch).embedder_error
    assert not remote.texts


def test_changed_vector_length_recomputes_all_vectors(garden: Tree) -> None:
    class Longer(Letters):
        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[*vector, 1.0] for vector in super().embed(texts)]

    services = WithEmbedder(Letters(1.0))
    ask(garden.snapshot(), "token", services=services)
    services.embedder = Longer(1.0)
    garden.file("auth/new.md", "# New\n\nAdded.\n")
    snapshot = garden.snapshot()
    ask(snapshot, "token", services=services)
    assert {len(vector) for vector in services.vectors("soleri letters").held.values()} == {27}
    trace = ask(snapshot, "token", services=services)
    assert len(services.vectors("soleri letters").held) == len(snapshot.notes)
    assert trace.leg("vector").hits


def test_note_outside_the_scope_has_a_remedy(snapshot: Snapshot) -> None:
    engine, asked = Soleri(), context(snapshot)
    trace = engine.answer(asked, Query("rollback", scope="auth"))
    explanation = engine.why(asked, trace, find_note(snapshot, "deploy/rollback.md"))
    assert "filtered" in explanation.reason.text
    assert explanation.remedy.verified
    assert "without the filter" in explanation.remedy.text


@pytest.mark.parametrize("mode", ["full", "scan"])
def test_agent_records_use_soleris_field_names(snapshot: Snapshot, mode: str) -> None:
    section = ask(snapshot, "token store", mode=mode).section(VaultSearch)
    assert len(section.given) == section.returned
    first = section.given[0]
    assert first["score"] == section.ranking[0].hit.score
    assert set(first) >= ({"entry", "breakdown"} if mode == "full" else {"id", "snippet", "tokenEstimate"})


def test_saved_trace_can_be_reopened(garden: Tree, tmp_path: Path) -> None:
    session = garden.session()
    trace = session.preview("refresh token rotation", engine="soleri")
    (tmp_path / "saved.json").write_bytes(as_json(session.explainer.saved(trace)))
    opened = read(tmp_path / "saved.json").trace
    assert opened.section(VaultSearch) == trace.section(VaultSearch)
    assert opened.hits == trace.hits


def test_verdict_names_the_source_of_the_score(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "rollback")
    heaviest = max(trace.hits[0].parts, key=lambda part: part.value)
    assert f"{heaviest.value:.3f}".removeprefix("0") in trace.verdict
    assert "none of your words" in ask(snapshot, "refunded").verdict


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("café", "(caf, from ‘café’)"), ("CAFÉ!", "(caf, from ‘CAFÉ’)"), ("the caf", "(caf)"),
        ("naïveté", "(vet, from ‘naïveté’)"), ("überall", "(berall, from ‘überall’)"),
        ("rollback café", "(rollback; caf, from ‘café’)"),
    ],
)  # fmt: skip
def test_score_names_the_typed_word_of_each_term(tree: Tree, query: str, named: str) -> None:
    tree.note("a/b/c.md", "Title", "café caf naïveté überall and a rollback")
    tree.note("a/b/d.md", "Other", "nothing of that")
    session = tree.session()
    trace = session.preview(query, engine="soleri")
    assert named in trace.verdict
    explanation = session.explainer.explain(query, "a/b/c.md", engine="soleri")
    assert named in explanation.use


def test_next_run_computes_vectors_missing_after_a_cancellation(snapshot: Snapshot) -> None:
    engine, services = Soleri(), WithEmbedder(Letters(1.0))
    asked = context(snapshot, services=services)
    engine.prepare(asked, lambda made, wanted: None, lambda: True)
    assert not services.vectors("soleri letters").held
    engine.prepare(asked, lambda made, wanted: None, lambda: False)
    assert len(services.vectors("soleri letters").held) == len(snapshot.notes)


def test_note_has_a_ceiling_and_dated_events(garden: Tree) -> None:
    garden.file("auth/season.md", "---\ntitle: Season\nvalidFrom: 2026-01-01\nvalidUntil: 2027-06-01\n---\nOpen.\n")
    session = garden.session()
    ageing = session.ageing
    rotation = ageing.in_engine("soleri", "auth/jwt/rotation_of_refresh.md")
    assert {part.name for part in rotation.lacks} == {"severity", "age"}, "it has tags and a link"
    left = 42.5 / (365 / 4)  # the share of the window's last quarter that is left
    assert rotation.ceiling == pytest.approx(0.825 - 0.06 - 0.1 * (1 - left))
    cookies = ageing.in_engine("soleri", "auth/sessions/cookies.md", 365.0)
    assert {part.name for part in cookies.lacks} == {"severity", "tags", "age"}
    (halved,) = cookies.events
    assert halved.text == "its age factor has halved to 0.5"
    assert halved.days == pytest.approx(364, abs=1)
    assert cookies.ceiling - cookies.ceiling_then == pytest.approx(0.05, abs=0.001)
    season = ageing.in_engine("soleri", "auth/season.md")
    assert [(event.date, event.text.partition(";")[0]) for event in season.events] == [
        ("2027-01-23", "its age factor begins to fall from 1"),
        ("2027-06-01", "its window closes"),
    ]
    assert ageing.in_engine("soleri", "nowhere.md") is None
    assert {event.kind for event in (*rotation.events, *cookies.events, *season.events)} <= Soleri().event_kinds.keys()
    trace = session.preview("rotation", engine="soleri")
    placed = trace.section(VaultSearch).placed("auth/jwt/rotation_of_refresh.md")
    assert placed.forecast == rotation
    assert placed.hit.ceiling.score == rotation.ceiling


def test_program_profile_has_a_ceiling_without_ageing(snapshot: Snapshot) -> None:
    made = Soleri().forecast(context(snapshot, "soleri-code"), "auth/sessions/cookies.md", 3_650.0)
    assert not made.events
    assert made.ceiling_then == made.ceiling


MEMORIES = [
    {"id": "m1", "context": "Token work", "summary": "Moved refresh tokens into the token store.", "topics": ["auth"]},
    {"id": "m2", "context": "Old token work", "summary": "Tokens in files.", "archivedAt": 1_767_312_000},
    {"id": "m3", "context": "Design review", "summary": "Talked about colours.", "topics": []},
]


def test_memories_are_merged_by_score(snapshot: Snapshot) -> None:
    trace = ask(snapshot, "token store", memories=MEMORIES)
    section = trace.section(VaultSearch)
    assert section.memories.found == ("Token work",)
    assert (section.memories.held, section.memories.given) == (3, 1)
    scores = [record["score"] for record in section.given]
    assert scores == sorted(scores, reverse=True)
    assert [record["id"] for record in section.given if record["source"] == "memory"] == ["m1"]
    assert trace.steps[-1].name == "memories"
    assert ask(snapshot, "colours", memories=MEMORIES).verdict.endswith("1 memory does")
    assert ask(snapshot, "token").section(VaultSearch).memories is None


def test_memories_replace_the_last_entries(snapshot: Snapshot) -> None:
    engine, asked = Soleri(), context(snapshot)
    plain = engine.answer(asked, Query("refresh tokens refund rollback", options={"top_k": 3}))
    trace = engine.answer(asked, Query("refresh tokens refund rollback", options={"top_k": 3, "memories": MEMORIES}))
    section = trace.section(VaultSearch)
    assert len(plain.hits) == len(section.given) == 3
    assert [hit.file for hit in trace.hits] == [hit.file for hit in plain.hits[:2]]
    assert section.memories.pushed_off == 1
    assert all(stage.came_in - stage.dropped == stage.went_out for stage in trace.stages)
    explanation = engine.why(asked, trace, find_note(snapshot, plain.hits[2].file))
    assert explanation.reason.text == "memories took the last places"
    assert explanation.remedy.verified


def test_program_searches_memories_with_the_typed_query(snapshot: Snapshot) -> None:
    documented, as_run = (
        ask(snapshot, "refresh-tokens, colours", profile, memories=MEMORIES).section(VaultSearch)
        for profile in ("", "soleri-code")
    )
    assert set(documented.memories.found) == {"Token work", "Design review"}
    assert as_run.memories.found == ()
    assert any("D06" in text for text in as_run.deviations)
    assert not any(
        "D06" in text for text in ask(snapshot, "refresh-tokens", "soleri-code").section(VaultSearch).deviations
    )


def test_memories_file_is_stored_in_the_trace(snapshot: Snapshot, tmp_path: Path) -> None:
    file = tmp_path / "memories.json"
    file.write_text(json.dumps(MEMORIES), encoding="utf-8")
    trace = ask(snapshot, "token store", memories=str(file))
    file.unlink()
    again = Soleri().answer(context(snapshot), Query.repeating(trace))
    assert again.section(VaultSearch) == trace.section(VaultSearch)


def test_options_file_cannot_name_a_memories_file() -> None:
    engine, profile = Soleri(), load_profile("soleri")
    assert engine.options_of_file(profile, {"memories": MEMORIES}) == {"memories": MEMORIES}
    with pytest.raises(EngineError, match="memories: a file cannot name another file"):
        engine.options_of_file(profile, {"memories": "secret.json"})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{}", "must be a list"),
        ("[1]", "memory 1 is not an object"),
        ('[{"id": "m", "context": "c"}]', "memory 1: summary must be a string"),
        ('[{"id": "m", "context": "c", "summary": "s", "topics": [1]}]', "topics must be a list of strings"),
    ],
)
def test_file_without_memories_is_refused_in_one_line(snapshot: Snapshot, tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "memories.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(EngineError, match=said) as refused:
        ask(snapshot, "token", memories=str(file))
    assert str(file) in str(refused.value)
    with pytest.raises(EngineError, match=r"nowhere\.json"):
        ask(snapshot, "token", memories=str(tmp_path / "nowhere.json"))


def test_applicable_deviations_are_named(snapshot: Snapshot) -> None:
    def named(query: str) -> set[str]:
        deviations = ask(snapshot, query, "soleri-code").section(VaultSearch).deviations
        return {text[-4:-1] for text in deviations}

    assert named("refund") == {"D03"}
    assert named("refund c++") == {"D01", "D03"}
    assert named("refund café") == {"D02", "D03"}


def test_explanation_past_the_limit_accounts_for_the_guard(snapshot: Snapshot) -> None:
    engine, asked = Soleri(), context(snapshot)
    trace = engine.answer(asked, Query("refund rollback token", options={"top_k": 2}))
    section = trace.section(VaultSearch)
    assert not section.guard.acts
    explanation = engine.why(asked, trace, find_note(snapshot, section.ranking[2].hit.file))
    assert "guard does not" in explanation.reason.text
    assert "the guard needs a limit below" in explanation.numbers


def test_user_profile_extends_a_built_in_one(garden: Tree, make_tree: Callable[[str], Tree], tmp_path: Path) -> None:
    personal = make_tree("personal")
    personal.file("deploy/rollback.md", "# Rollback of mine\n\nMy own copy.\n", 1.0)
    garden.source(("me", personal))
    file = tmp_path / "mine.toml"
    file.write_text('[mapping]\npersonal = "me"\n', encoding="utf-8")
    session = Session.open(garden.root, str(file), NOW_MS, engine="soleri")
    session.load()
    trace = session.preview("rollback")
    assert trace.profile == "mine"
    assert [(tier.name, tier.weight) for tier in trace.section(VaultSearch).tiers] == [("agent", 1.0), ("project", 0.8)]
    assert trace.hits[0].file == "[me]:deploy/rollback.md"
    as_run = tmp_path / "as_run.toml"
    as_run.write_text('extends = "soleri-code"\n', encoding="utf-8")
    assert load_profile(str(as_run)).as_run == load_profile("soleri-code").as_run
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[guard]\nshare = 'half'\n", encoding="utf-8")
    for text in (str(wrong), "brv-3", str(tmp_path / "nowhere.toml")):
        with pytest.raises(ProfileError):
            load_profile(text)


def test_order_of_equal_cosines_is_the_same_after_a_restart(snapshot: Snapshot, tmp_path: Path) -> None:
    class Same(Letters):
        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[1.0] * 26 for _ in texts]

    class OnDisk(WithEmbedder):
        def vectors(self, model: str) -> Any:
            return VectorStore(tmp_path, model)

    first, second = (
        Soleri().answer(context(snapshot, services=OnDisk(Same())), Query("token", services=True)) for _ in range(2)
    )
    ranks = [[one.vector_rank for one in trace.section(VaultSearch).ranking] for trace in (first, second)]
    assert any(ranks[0])
    assert ranks[0] == ranks[1]
