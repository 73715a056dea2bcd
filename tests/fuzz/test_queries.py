"""The query parsers, and the whole route behind them: any text is answered, and the trace adds up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.profile import Context
from brvtui.engines.byterover.route.cache import CacheContents
from brvtui.engines.byterover.route.router import RouteRequest, route
from brvtui.engines.byterover.search.search import SearchOptions, search
from brvtui.engines.jeffs_brain.profile import load
from brvtui.engines.jeffs_brain.sections import RetrievalMode
from brvtui.ladder import query_tokens, sanitised, strongest_term
from brvtui.session import Session
from brvtui.snapshot.naming import UnknownNote
from brvtui.text.analysis import terms, without_stop_words
from brvtui.text.fts import phrase
from brvtui.text.query_language import Operator, TokenKind, alternatives, compile_fts, normalise, parse
from brvtui.text.trigrams import grams
from brvtui.trace import adds_up, to_plain
from tests.fuzz.budget import fuzzed
from tests.fuzz.texts import QUERIES
from tests.support.generated import generated
from tests.support.trees import BRV3, NOW_MS, Tree

HYBRID = load()
STOPPED = HYBRID.query.stopped
SCOPES = st.one_of(st.sampled_from(["", "auth", "auth/jwt", "..", "../..", "/", "ops/../auth", "[lib]:x"]), QUERIES)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A small tree with every kind of note, including a note with a hostile name."""
    tree: Tree = generated(tmp_path_factory.mktemp("fuzz") / "project", 3, 30)
    tree.note("x/good.md", "Quokka", "all about the quokka and its anchor")
    tree.note("x/[red] \x1b[2J.md", "\x1b]0;t\x07[bold]", "quokka \u202e anchor")
    return tree.session()


@fuzzed
@given(QUERIES)
def test_query_language_parses_any_text(query: str) -> None:
    assert normalise(normalise(query)) == normalise(query)
    parsed = parse(query, STOPPED, HYBRID.query.word_length)
    assert all(token.text and token.operator in (None, *Operator) for token in parsed.tokens)
    assert bool(compile_fts(parsed)) == bool(parsed.tokens)
    texts = [phrase(token.text, token.kind is TokenKind.PREFIX) for token in parsed.tokens]
    written = " ".join(alternatives(parsed))
    assert [part for part in texts if part not in written] == []
    assert len(written) >= sum(map(len, texts))
    assert sanitised(sanitised(query)) == sanitised(query)
    found = query_tokens(query, STOPPED, HYBRID.query.word_length)
    strongest = strongest_term(query, STOPPED, HYBRID.query.word_length)
    assert strongest == "" if not found else strongest in found
    assert all(len(gram) == 3 for gram in grams(query))
    kept = terms(without_stop_words(query, frozenset(BRV3.query.stop_words)))
    assert all(kept)


@fuzzed
@given(QUERIES, SCOPES)
def test_any_query_is_answered(session: Session, query: str, scope: str) -> None:
    trace, after = route(Context(session.snapshot, BRV3, NOW_MS), CacheContents(), RouteRequest(query, scope, True))
    assert trace.query == query
    assert all(adds_up(hit) for hit in trace.hits)
    assert {hit.file for hit in trace.hits} <= {*session.snapshot.by_path, *session.snapshot.summary_files}
    assert json.dumps(to_plain(trace)).encode()
    again, _ = route(Context(session.snapshot, BRV3, NOW_MS), after, RouteRequest(query, scope, True))
    assert again.tier == 0
    for hit in trace.hits[:2]:
        if hit.text is not None:
            assert session.explainer.detail(trace, hit.file).path == hit.file


@fuzzed
@given(QUERIES, st.integers(-5, 60), SCOPES)
def test_plain_search_respects_its_limit(session: Session, query: str, limit: int, scope: str) -> None:
    found = search(Context(session.snapshot, BRV3, NOW_MS), query, SearchOptions(limit, scope))
    assert len(found.hits) <= max(1, limit)
    for stage in found.stages:
        assert stage.came_in - stage.dropped == stage.went_out


@fuzzed
@given(QUERIES, st.sampled_from([None, *RetrievalMode]))
def test_hybrid_pipeline_answers_any_query(session: Session, query: str, mode: RetrievalMode | None) -> None:
    trace = session.preview(query, engine="jeffs_brain", options={"mode": mode} if mode else {}, services=True)
    assert json.dumps(to_plain(trace)).encode()
    assert all(adds_up(hit) for hit in trace.hits)


@fuzzed
@given(QUERIES, QUERIES)
def test_any_note_name_is_explained_or_unknown(session: Session, query: str, note: str) -> None:
    try:
        explanation = session.explainer.explain(query, note)
    except UnknownNote:
        return
    assert explanation.found or explanation.reason is not None
