"""The engine over a small space: traces that add up, reasons, failures, and no writes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brvtui.engines.ageing.events import OF_TOPICS
from brvtui.engines.byterover_v4.engine import ByteRoverV4
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.engines.contract import EngineError, Query
from brvtui.engines.registry import presentation, verdict_sentence
from brvtui.lab.judgments.model import Judgment
from brvtui.lab.whatif.variant import Variant
from brvtui.session import Session
from brvtui.trace import RemedyKind, State, Trace, adds_up
from brvtui.tree.reading.project import ProjectError
from tests.support.spaces import SPACE_ID, opened, recorded_space, same, small_space, unpack_space
from tests.support.trees import DAY_MS, Tree
from tests.support.untouched import state_of

NOW = 1_763_640_000_000.0
RECORDED = Path(__file__).parents[2] / "data" / "byterover_v4" / "space-21.json.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return small_space(tmp_path, NOW)


@pytest.fixture
def session(folder: Path) -> Session:
    return loaded(folder)


def loaded(folder: Path, engine: str = "") -> Session:
    made = Session.open(folder, now_ms=NOW, engine=engine)
    made.load()
    return made


def tree_of(folder: Path) -> Path:
    return folder.parent / "data" / "projects" / SPACE_ID / "context-tree"


def sound(trace: Trace) -> None:
    assert all(adds_up(hit) for hit in trace.hits)
    assert all(stage.came_in - stage.dropped == stage.went_out for stage in trace.stages)
    assert trace.stages[-1].went_out == len(trace.hits)


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The recorded space, unpacked into ``tmp_path``."""
    made = recorded_space(RECORDED)
    unpack_space(made, tmp_path)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    return made


@pytest.fixture
def recorded_session(recorded: dict[str, Any], tmp_path: Path) -> Session:
    """A session over the recorded space, at the time of the recording."""
    session = Session.open(tmp_path / "project", now_ms=recorded_now(recorded))
    session.load()
    return session


@pytest.mark.parametrize("days", [0, 30, 365])
def test_forecasts_equal_the_counts_of_the_topic_board(days: int, recorded_session: Session) -> None:
    session = recorded_session
    counts = session.ageing.outlook("byterover_v4", days).counts
    forecast = session.ageing.forecast(days)
    assert [count.kind for count in counts] == ["leaves-high", "leaves-medium", "fades"]
    assert [count.text for count in counts] == [event.state for event in OF_TOPICS]
    for event, count in zip(OF_TOPICS, counts, strict=True):
        assert count.by_then == forecast.then.has_come[event].sum()
        assert count.in_span == forecast.changed[event].sum()
    assert counts[2].by_then > 0


def test_every_recorded_query_has_a_valid_trace_and_the_recorded_answer(
    tmp_path: Path, recorded: dict[str, Any], recorded_session: Session
) -> None:
    session = recorded_session
    before = state_of(tmp_path / "data", tmp_path / "project")
    for case in recorded["cases"][::4]:
        options = {name.replace("-", "_"): value for name, value in (case.get("options") or {}).items()}
        scope = options.pop("scope", "")
        if case.get("argv"):
            continue
        trace = session.preview(case["query"], scope, options=options)
        if "error" not in case["answer"]:
            sound(trace)
            printed = trace.section(SpaceAnswer).printed
            assert same(printed, {name: case["answer"][name] for name in printed})
        assert verdict_sentence(trace)
    assert state_of(tmp_path / "data", tmp_path / "project") == before


def test_variant_with_a_later_day_queries_the_same_topics(recorded_session: Session) -> None:
    session = recorded_session
    engine, context = session.engines.named("byterover_v4"), session.engines.context("byterover_v4")
    later = replace(context, now_ms=context.now_ms + 30 * DAY_MS)
    state = session.variants.state(Variant(days=30))
    assert state.context.snapshot is session.snapshot
    query = "retry queue"
    expected = [(hit.file, hit.score) for hit in engine.answer(later, Query(query)).hits]
    result = session.variants.result(state, Judgment("q", query))
    assert expected
    assert [(item.path, item.score) for item in result.results] == expected


def test_relative_and_absolute_relevance_are_shown(session: Session) -> None:
    trace = session.preview("refresh token")
    sound(trace)
    first, second = trace.section(SpaceAnswer).topics
    assert (first.path, first.kind, first.element) == ("auth/jwt.html", "bv-decision", "bve-aaaa0001")
    assert first.raw == first.best_raw
    assert second.raw < second.best_raw
    assert first.absolute == pytest.approx(first.raw / (1 + first.raw))
    said = verdict_sentence(trace)
    assert "relevance 1.00 relative to the best" in said
    assert "V4 tells the agent to cite it" in said
    assert [word.query for word in trace.hits[0].words] == ["refresh", "token"]
    assert "nothing for" not in said
    assert "but nothing for ‘kumquat’;" in verdict_sentence(session.preview("the refresh token kumquat?"))


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        ("zzzqqq", {}, "no topic contains ‘zzzqqq’; rephrase the query, or let ByteRover curate a topic about it."),
        ("zzzqqq qqqzzz", {}, "no topic contains ‘zzzqqq’ or ‘qqqzzz’; rephrase the query, or"),
        ("!!!", {}, "no topic matches ‘!!!’; type at least one word."),
        ("--refresh", {}, "V4 reads a query that begins with -- as an option; begin with another word."),
        ("refresh", {"limit": 0}, "none of 2 topics; ask for more results."),
        (
            "refresh",
            {"element_tag": "bv-task"},
            "the filter element_tag bv-task removes all of them; widen the scope or the element filter.",
        ),
    ],
)
def test_empty_result_gives_advice(session: Session, query: str, options: dict[str, object], said: str) -> None:
    trace = session.preview(query, options=options)
    sentence = verdict_sentence(trace)
    assert said in sentence
    shown = presentation("byterover_v4").nothing(trace, 40)
    assert " ".join("".join(part.plain for part in shown).split()) in sentence


@pytest.mark.parametrize(
    "query", ["--", "---", "-- refresh", "--refresh", "--refresh token", "--limit 3 refresh", "--k=v", "--scope auth"]
)
def test_query_that_begins_with_two_dashes_is_read_as_an_option(session: Session, query: str) -> None:
    """V4's scripts also return no results and an empty echo of the query."""
    trace = session.preview(query)
    assert not trace.hits
    assert trace.query == query
    assert trace.section(SpaceAnswer).cleaned == ""
    assert any("as an option" in line for line in trace.notices)


@pytest.mark.parametrize("query", ["-refresh", " --refresh", "—refresh", "refresh --limit 1", "refresh --"])
def test_other_leading_dashes_are_part_of_a_word(session: Session, query: str) -> None:
    trace = session.preview(query)
    assert trace.hits
    assert trace.section(SpaceAnswer).cleaned
    assert not any("as an option" in line for line in trace.notices)


def test_terms_of_a_hit_sum_to_its_raw_score(session: Session) -> None:
    trace = session.preview("refresh token")
    detail = session.explainer.detail(trace, "auth/jwt.html")
    assert sum(one.value for one in detail.contributions) == pytest.approx(detail.score.term_sum, abs=1e-12)
    assert detail.score.raw == detail.score.term_sum * detail.score.matched_terms


@pytest.mark.parametrize(
    ("query", "note", "options", "number", "numbers"),
    [
        ("incident", "auth/jwt.html", {}, 5, "incident: only in elements without a valid id"),
        ("rollout", "ops/deploy.html", {}, 5, "rollout: only in attributes"),
        ("zebra", "ops/backup.html", {}, 6, "searched: zebra"),
        ("tokn", "auth/jwt.html", {}, 7, "tokn"),
        ("refresh token", "ops/deploy.html", {"limit": 1}, 8, "it is number 2, but V4 returns only 1"),
        ("refresh", "ops/deploy.html", {"element_tag": "bv-decision"}, 4, "bv-decision"),
    ],
)
def test_missing_topic_gets_the_reason(
    session: Session, query: str, note: str, options: dict[str, object], number: int, numbers: str
) -> None:
    trace = session.preview(query, options=options)
    made = session.explainer.explain(query, note, trace=trace)
    assert not made.found
    assert (made.reason.number, numbers in made.numbers) == (number, True), made.numbers
    assert made.remedy is not None


def test_ignored_file_is_explained(folder: Path) -> None:
    (tree_of(folder) / "old.abstract.html").write_text("<p>refresh</p>")
    made = loaded(folder).explainer.explain("refresh", "old.abstract.html")
    assert made.reason.number == 2
    assert ".abstract.html" in made.numbers


def test_explanation_includes_the_citation_and_the_ageing(session: Session) -> None:
    made = session.explainer.explain("refresh token", "auth/jwt.html")
    assert (made.found, made.rank) == (True, 1)
    assert "V4 tells the agent to cite it" in made.use
    assert "leaves high confidence, even as the best match" in made.use


@pytest.mark.parametrize(
    ("name", "text", "message", "remedy"),
    [
        ("tree/old.md", "# old", "1 legacy markdown file", "migrate old.md"),
        (
            "tree/twice.html",
            '<bv-fact id="bve-dddd0001">refresh</bv-fact><bv-fact id="bve-dddd0001">again</bv-fact>',
            "duplicate ID twice.html#bve-dddd0001",
            "a different id",
        ),
        ("signals/auth/jwt.html.json", "{", "Expected property name", "fix or remove"),
    ],
)
def test_space_that_breaks_v4_gives_the_error_and_a_remedy(
    folder: Path, name: str, text: str, message: str, remedy: str
) -> None:
    tree = tree_of(folder)
    file = tree / name[5:] if name.startswith("tree/") else tree.parent / "state" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    session = loaded(folder)
    trace = session.preview("refresh token")
    failure = trace.section(SpaceAnswer).failure
    assert message in failure.message
    assert remedy in failure.remedy
    assert not trace.covered
    assert "V4 cannot answer" in verdict_sentence(trace)
    assert trace.section(SpaceAnswer).printed == {"error": failure.message}
    assert presentation("byterover_v4").not_scored(trace) == f"V4 cannot answer: {failure.what}"


def test_updated_space_ranks_like_a_freshly_loaded_one(folder: Path) -> None:
    session = loaded(folder)
    session.preview("refresh token")
    jwt = tree_of(folder) / "auth" / "jwt.html"
    jwt.write_text(jwt.read_text().replace("used once", "used once, then the token is void"))
    (tree_of(folder) / "new.html").write_text('<bv-topic title="Token"><p>refresh</p></bv-topic>')
    (tree_of(folder) / "ops" / "backup.html").unlink()
    os.utime(tree_of(folder) / "ops" / "deploy.html", (NOW / 1000, NOW / 1000))
    assert session.load()
    assert not session.load()
    again, fresh = (one.preview("refresh token").section(SpaceAnswer).printed for one in (session, loaded(folder)))
    assert same(again, fresh)
    assert len(again["hits"]) == 3


def test_space_needs_v4_and_tree_needs_another_engine(
    session: Session, folder: Path, make_tree: Callable[[str], Tree]
) -> None:
    tree = make_tree("elsewhere")
    assert session.engines.names == ("byterover_v4",)
    with pytest.raises(EngineError, match="use byterover_v4"):
        session.preview("refresh", engine="soleri")
    with pytest.raises(ProjectError, match="soleri cannot rank"):
        Session.open(folder, engine="soleri")
    tree.note("a.md", "A", "text")
    assert "byterover_v4" not in tree.session().engines.names
    with pytest.raises(EngineError, match="open a folder with a"):
        tree.session().preview("text", engine="byterover_v4")


@pytest.mark.parametrize("options", [{"limit": [1]}, {"depth": 1}, {"argv": "x"}, {"element_tag": 1}])
def test_invalid_option_is_refused(session: Session, options: dict[str, object]) -> None:
    with pytest.raises(EngineError):
        session.preview("refresh", options=options)


def test_space_is_opened_only_by_its_tree_or_a_binding(folder: Path) -> None:
    assert loaded(tree_of(folder)).preview("refresh").hits
    bound = folder.parent / "bound"
    (bound / "below").mkdir(parents=True)
    with pytest.raises(ProjectError):
        Session.open(bound / "below")
    with pytest.raises(ProjectError, match="No default space"):
        Session.open(bound / "below", engine="byterover_v4")
    bindings = {"bindings": [{"folder": str(bound), "space_id": SPACE_ID, "addedAt": "2026-01-01"}]}
    (folder.parent / "data" / "bindings.json").write_text(json.dumps(bindings))
    assert loaded(bound / "below").preview("refresh").hits


def test_several_synced_spaces_are_queried_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recorded = recorded_space(RECORDED)
    unpack_space(recorded, tmp_path)
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "cloud"))
    (tmp_path / "elsewhere").mkdir()
    session = Session.open(tmp_path / "elsewhere", now_ms=recorded_now(recorded), engine="byterover_v4")
    session.load()
    for asked in recorded["aggregate"]:
        trace = session.preview(asked["query"], options=asked.get("options") or {})
        sound(trace)
        printed = trace.section(SpaceAnswer).printed
        assert same(printed, {name: asked["answer"][name] for name in printed})
        for hit in trace.hits:
            assert session.explainer.explain(asked["query"], hit.file, trace=trace).found


def recorded_now(recorded: dict[str, str]) -> float:
    from tests.support.recorded import milliseconds

    return milliseconds(recorded["now"])


def test_small_space_documents_match_its_files(folder: Path) -> None:
    from brvtui.tree.spaces.locating import find_space

    space = opened(find_space(folder, folder.parent / "data"))
    assert [document.id for topic in space.corpus.topics for document in topic.documents] == [
        "auth/jwt.html#bve-aaaa0001",
        "auth/jwt.html#bve-aaaa0002",
        "ops/backup.html#bve-cccc0001",
        "ops/deploy.html",
    ]


@pytest.mark.parametrize(
    ("query", "note", "change"),
    [
        ("incident", "auth/jwt.html", "turn the element bv-reason into a bv-fact with an id"),
        ("rollout", "ops/deploy.html", "add rollout to the topic's keywords"),
    ],
)
def test_remedy_for_unsearched_words_is_verified(session: Session, query: str, note: str, change: str) -> None:
    remedy = session.explainer.explain(query, note).remedy
    assert remedy.text.startswith(change)
    assert (remedy.verified, remedy.rank) == (True, 1)


def test_remedy_for_unsearched_words_matches_a_real_save(folder: Path) -> None:
    deploy = tree_of(folder) / "ops" / "deploy.html"
    os.utime(deploy, (NOW / 1000 - 40 * 86_400,) * 2)
    remedy = loaded(folder).explainer.explain("rollout", "ops/deploy.html").remedy
    how = "save it now"
    assert (remedy.query, remedy.rank, remedy.how) == ("", 1, how)
    assert remedy.text == f"add rollout to the topic's keywords, and {how}: rank 1, {remedy.score:.3f}"
    assert remedy.kind is RemedyKind.EDIT
    deploy.write_text(deploy.read_text().replace('tags="rollout"', 'tags="rollout" keywords="rollout"'))
    os.utime(deploy, ((NOW - 1) / 1000,) * 2)
    (hit,) = loaded(folder).preview("rollout").hits
    assert hit.score == pytest.approx(remedy.score)


@pytest.mark.parametrize(
    ("options", "change"),
    [
        ({"limit": 1}, "ask for 2 results (brv-tui query -o limit=2)"),
        ({"element_tag": "bv-fact"}, "run the query without the scope"),
    ],
)
def test_remedy_that_changes_an_option_keeps_the_query(
    session: Session, options: dict[str, object], change: str
) -> None:
    trace = session.preview("refresh token", options=options)
    remedy = session.explainer.explain("refresh token", "ops/deploy.html", trace=trace).remedy
    assert (remedy.text[: len(change)], remedy.query) == (change, "")


def test_remedy_for_an_ignored_file_is_verified(folder: Path) -> None:
    (tree_of(folder) / "old.abstract.html").write_text("<p>quokka</p>")
    remedy = loaded(folder).explainer.explain("quokka", "old.abstract.html").remedy
    assert remedy.text.startswith("rename it to old_abstract.html in a shell: rank 1")


def test_remedy_for_a_failing_space_is_verified(folder: Path) -> None:
    (tree_of(folder) / "old.md").write_text("# old")
    remedy = loaded(folder).explainer.explain("refresh token", "auth/jwt.html").remedy
    assert remedy.text.startswith("migrate old.md")
    assert remedy.rank == 1


def test_only_topics_in_the_citation_block_count_as_cited(folder: Path) -> None:
    for number in range(5):
        topic = f'<bv-topic title="Quokka {number}"><p>A quokka is a small animal.</p></bv-topic>'
        (tree_of(folder) / f"q{number}.html").write_text(topic)
    session = loaded(folder)
    trace = session.preview("quokka")
    section = trace.section(SpaceAnswer)
    files = [hit.file for hit in trace.hits]
    assert section.cited == tuple(files[:3])
    assert trace.verdict == "5 topics, 3 to be cited"
    told = [session.explainer.explain("quokka", file, trace=trace).use.partition("; ")[0] for file in files]
    confidences = [topic.confidence for topic in section.topics]
    assert "low" not in confidences
    uncited = "V4 does not tell the agent to cite it, only the first 3 topics with high or medium confidence"
    said = ["V4 tells the agent to cite it"] * 3 + [uncited] * 2
    assert told == [f"{confidence} confidence: {one}" for confidence, one in zip(confidences, said, strict=True)]
    assert [line for line in section.citation_block.splitlines() if line.startswith("- ")] == [
        f"- Quokka {number}" for number in range(3)
    ]


def test_age_lowers_a_topics_confidence(recorded: dict[str, Any], recorded_session: Session) -> None:
    told: set[str] = set()
    for case in recorded["cases"][::12]:
        trace = recorded_session.preview(case["query"])
        for topic in trace.section(SpaceAnswer).topics[: len(trace.hits)]:
            use = recorded_session.explainer.explain(trace.query, topic.file, trace=trace).use
            if "untouched" in use:
                assert f"leaves {topic.confidence} confidence" in use.partition("untouched")[2]
                told.add(topic.confidence)
    assert "high" in told
    assert "low" not in told


def test_coverage_advice_is_marked_as_ours(session: Session) -> None:
    covered = session.preview("refresh token").steps[-1]
    assert (covered.name, covered.state) == ("coverage", State.PASSED)
    assert covered.summary.startswith("our estimate (V4 has no such gate)")
    trace = session.preview("zebra stripes deploy")
    missed = trace.steps[-1]
    assert [check.constant for check in missed.checks[2:]] == ["advice.sure_top", "advice.direct_top", "advice.lead"]
    assert trace.section(SpaceAnswer).should_cite
    found, words = missed.checks[1].value, missed.checks[1].threshold
    assert (found, words) == (1, 3)
    assert missed.state is State.FAILED
    assert trace.section(SpaceAnswer).not_covered == "‘zebra’, ‘stripes’ are in no result"
    assert missed.summary.endswith("would say “not covered”, since ‘zebra’, ‘stripes’ are in no result")
    assert "are in no result, so ByteRover 3.14 would say “not covered”" in verdict_sentence(trace)
    assert session.preview("zebra").steps[-1].state is State.NOT_REACHED


def test_every_hit_has_its_ceiling(session: Session) -> None:
    hit = session.preview("refresh token").hits[0]
    assert hit.ceiling.score == pytest.approx(hit.score)  # the hit is already the best match
    high, medium = hit.ceiling.horizons
    assert high.days_left == pytest.approx(54, abs=0.5)
    assert medium.days_left is None


def test_stored_recency_of_0_does_not_lower_the_ceiling_of_an_older_topic(folder: Path) -> None:
    file = tree_of(folder).parent / "state" / "signals" / "auth" / "jwt.html.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"accessCount": 1, "importance": 50, "maturity": "draft", "recency": 0, "updateCount": 1}')
    hit = loaded(folder).preview("refresh token").hits[0]
    assert hit.file == "auth/jwt.html"
    assert hit.ceiling.score >= 0.6
    high, _ = hit.ceiling.horizons
    assert (high.threshold, high.reachable) == (0.6, True)


def test_saving_resets_the_age_with_a_fractional_clock(folder: Path) -> None:
    file = tree_of(folder).parent / "state" / "signals" / "auth" / "jwt.html.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"accessCount": 1, "importance": 50, "maturity": "draft", "recency": 0, "updateCount": 1}')
    session = Session.open(folder, now_ms=NOW + 0.664)
    session.load()
    engine, context = ByteRoverV4(), session.engines.context("byterover_v4")
    text = (tree_of(folder) / "auth" / "jwt.html").read_text()
    saved = engine.preview_edit(context, Query("refresh token"), "auth/jwt.html", text, keep_mtime=False).after
    assert saved.recency == pytest.approx(1.0, abs=1e-6)


def test_topic_past_the_limit_has_the_parts_of_its_score(session: Session) -> None:
    trace = session.preview("refresh token", options={"limit": 1})
    (miss,) = (one for one in trace.near_misses if one.rank)
    hit = session.explainer.explain("refresh token", miss.file, trace=trace).hit
    assert hit.parts
    assert adds_up(hit)
    assert hit.score == miss.score


def test_snippet_of_a_whole_topic_with_a_number_sign_in_its_name_is_empty(folder: Path) -> None:
    """Found by ``brv-tui verify``: V4 looks up the text under the part of the path before the ``#``."""
    tree = tree_of(folder)
    (tree / "a#b.html").write_text('<bv-topic title="Zebra">zebra stripes</bv-topic>')
    (tree / "c#d.html").write_text('<bv-topic><bv-fact id="bve-eeee0001">giraffe neck</bv-fact></bv-topic>')
    session = loaded(folder)
    for query, snippet in (("zebra", ""), ("giraffe", "giraffe neck")):
        [hit] = session.preview(query).section(SpaceAnswer).printed["hits"]
        assert (hit["title"], hit["snippet"]) == ("", snippet)
