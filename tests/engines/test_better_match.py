"""A note that matches clearly better than the first result is named, with the parts that outweighed its words."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from brvtui.engines.better_match import better_match
from brvtui.engines.registry import presentation, verdict_sentence
from brvtui.paint.sentence import sentence_lines
from brvtui.session import Session
from brvtui.trace import Hit, Kind, LegRank, Origin, Part, TextScore
from tests.support.trees import Tree

WORDS = ("rotate", "token", "keys", "jwt", "session", "cookie", "refresh")


@pytest.fixture
def session(tree: Tree) -> Session:
    tree.note("a/fresh.md", "Refresh", "certificates are refreshed now", days=0.1, importance=100.0, maturity="core")
    tree.note("b/old.md", "Certificate expiry", "certificates reach their expiry", days=400, importance=5.0)
    chosen = random.Random(7)
    for number in range(24):
        words = " ".join(chosen.choice(WORDS) for _ in range(12))
        maturity = chosen.choice(["draft", "validated", "core"])
        tree.note(
            f"c/n{number}.md", f"Note {number} {chosen.choice(WORDS)}", words, days=chosen.uniform(0, 400),
            importance=chosen.uniform(0, 100), maturity=maturity,
        )  # fmt: skip
    tree.notes(40)
    return tree.session()


def test_sentence_names_the_better_match_and_what_outweighed_it(session: Session) -> None:
    trace = session.preview("certificates expiry jwt")
    assert trace.hits[0].file == "a/fresh.md"
    better = trace.better_match
    assert better is not None
    assert better.file == "b/old.md"
    assert better.times is not None
    assert better.times >= 2
    assert set(better.because[:2]) <= {"importance", "recency", "maturity"}
    text = verdict_sentence(trace)
    assert f"ahead of “Certificate expiry” ({better.rank}" in text
    assert "times better) because of its" in text
    first = replace(trace, hits=trace.hits[:1])
    assert "ahead of “Certificate expiry” (not in the answer" in verdict_sentence(first)


def test_rank_of_the_better_match_stays_as_long_as_its_causes(session: Session) -> None:
    trace = session.preview("certificates expiry jwt")
    sentence = presentation(trace.engine).sentence(trace)
    texts = [" ".join(line.plain for line in sentence_lines(sentence, (60, width), 3)) for width in range(40, 120)]
    assert any("because of its" in text for text in texts)
    assert all("times better)" in text for text in texts if "because of its" in text)
    named = [text for text in texts if "contain" not in text]
    assert any("times better)" in text for text in named), "the words of the first note are dropped before"


def test_better_match_is_the_best_text_score_of_all_notes(session: Session) -> None:
    """Compared with the text scores of every note, for queries of one to three words."""
    chosen, found = random.Random(3), 0
    for _ in range(40):
        query = " ".join(chosen.sample(WORDS, chosen.randint(1, 3)))
        trace = session.preview(query)
        raw = {}
        for note in session.snapshot.notes:
            hit = session.explainer.explain(query, note.path, trace=trace).hit
            if hit is not None and hit.text is not None:
                raw[note.path] = hit.text.raw
        first = trace.hits[0]
        best = max(raw.values())
        expected = {path for path, value in raw.items() if value == pytest.approx(best)}
        if trace.better_match is None:
            assert best < 2 * raw[first.file] or first.origin is not Origin.TEXT, query
        else:
            found += 1
            assert trace.better_match.file in expected, query
            assert trace.better_match.times == pytest.approx(best / raw[first.file])
            listed = [hit.file for hit in trace.hits] + [miss.file for miss in trace.near_misses]
            if trace.better_match.file in listed[: len(trace.hits)]:
                assert trace.better_match.rank == listed.index(trace.better_match.file) + 1
    assert 2 <= found < 40


def test_equal_factors_do_not_explain_why_a_better_match_lost() -> None:
    def multiplied(name: str, text: float, base: float, factor: float) -> Hit:
        parts = (Part("importance", base), Part("maturity", base * (factor - 1), base, factor))
        score = TextScore(text, 1, text, text / (1 + text))
        return Hit(name, name, name, Kind.CONTEXT, Origin.TEXT, base * factor, parts, score)

    first = multiplied("first", 1.0, 0.8, 1.15)
    for factor, because in ((1.15, ("importance",)), (1.0, ("importance", "maturity"))):
        better = better_match((first,), [(2, multiplied("lost", 4.0, 0.5, factor))])
        assert better is not None
        assert better.because == because


def placed(name: str, rank: int | None, **parts: float) -> Hit:
    places = () if rank is None else (LegRank("bm25", rank, 1.0),)
    values = tuple(Part(part, value) for part, value in parts.items())
    return Hit(name, name, name, Kind.CONTEXT, Origin.FUSED, sum(parts.values()), values, places=places)


@pytest.mark.parametrize(("own", "expected"), [(None, "lost"), (4, "lost"), (3, None), (0, None)])
def test_leader_of_the_text_leg_is_named_if_the_first_result_is_fifth_there(
    own: int | None, expected: str | None
) -> None:
    first = placed("first", own, vector=0.03, words=0.01)
    lost = placed("lost", 0 if own != 0 else 1, words=0.02)
    better = better_match((first,), enumerate((first, lost), 1), "bm25")
    assert (better.file if better else None) == expected
    if better is not None:
        assert (better.rank, better.times, better.because) == (2, None, ("vector",))
        assert better.leg_rank == (None if own is None else own + 1)
