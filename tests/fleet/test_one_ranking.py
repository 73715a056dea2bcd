"""Across memories: one ranking, evaluations, forecasts, near-duplicates and differing facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from brvtui.engines.byterover.search.matched_words import with_words
from brvtui.engines.byterover.sections import Search
from brvtui.engines.together import OneRanking
from brvtui.fleet.asking import close_members
from brvtui.fleet.fleet_file import AbsenceKind, FleetError, Member
from brvtui.fleet.one_ranking import evaluate_together, one_ranking
from brvtui.fleet.questions import EvaluationOf, Explaining, NoSuchNote, OutlookOf
from brvtui.lab.evaluation.results import parse_metric
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.report.fleet import ranking_lines
from brvtui.session import Session
from brvtui.trace import Hit, Origin
from brvtui.trace.routing import SearchOutcome
from tests.support.fleets import MadeFleet, made_fleet, queries
from tests.support.trees import NOW_MS, Tree

CLOSE = 1e-12


LIMIT = 10


@pytest.fixture(autouse=True)
def closing_members() -> Iterator[None]:
    yield
    close_members()


def same(merged: Search, made: OneRanking) -> None:
    """Checks that order, rounded scores, counts, outcome and checks are equal, and unrounded numbers within 1e-12."""

    def results(hits: list[Hit]) -> list[object]:
        return [(one.path, one.file, one.title, one.kind, one.origin, one.signals, one.ceiling) for one in hits]

    own = [one.hit for one in made.hits]
    assert results(own) == results(list(merged.hits))
    for ours, theirs in zip(own, merged.hits, strict=True):
        assert ours.words == theirs.words or (ours.origin is Origin.PROPAGATED and not theirs.words)
        assert ours.score == pytest.approx(theirs.score, abs=CLOSE)
        assert [part.name for part in ours.parts] == [part.name for part in theirs.parts]
        assert [part.value for part in ours.parts] == pytest.approx([part.value for part in theirs.parts], abs=CLOSE)
        assert sum(part.value for part in ours.parts) == pytest.approx(ours.score, abs=1e-9)
    misses = [one.miss for one in made.near_misses]
    assert [(one.path, one.title, one.rank, one.reason) for one in misses] == [
        (one.path, one.title, one.rank, one.reason) for one in merged.near_misses
    ]
    assert [one.score for one in misses] == pytest.approx([one.score for one in merged.near_misses], abs=CLOSE)
    assert (made.outcome, made.total_found) == (merged.outcome, merged.total_found)
    assert [(one.name, one.passed) for one in made.checks] == [(one.name, one.passed) for one in merged.out_of_domain]
    assert made.unmatched_words == merged.unmatched_words


def compare(fleet: MadeFleet, texts: list[str]) -> Counter[SearchOutcome]:
    """Compares both for each query; returns the counts of the outcomes."""
    ended: Counter[SearchOutcome] = Counter()
    with closing(Session.open(fleet.merged.root, now_ms=NOW_MS)) as session:
        session.load()
        for text in texts:
            merged = with_words(session.engines.context("byterover"), session.search(text, LIMIT), misses=0)
            try:
                same(merged, one_ranking(fleet.here, fleet.members, text, LIMIT))
            except AssertionError as error:
                raise AssertionError(f"{text!r}: {error}") from error
            ended[merged.outcome] += 1
    return ended


def test_merged_ranking_equals_the_ranking_of_one_tree(tmp_path: Path) -> None:
    ended = compare(made_fleet(tmp_path, members=7, notes=11), queries(60))
    assert ended[SearchOutcome.MATCHES] > 30
    assert len(ended) >= 3, "answers that are emptied, and queries that match nothing, are among them"


@pytest.mark.long
@pytest.mark.parametrize("first", [0, 100])
def test_merged_ranking_of_100_members_equals_the_ranking_of_one_tree(tmp_path: Path, first: int) -> None:
    fleet = made_fleet(tmp_path, members=100, notes=10)
    compare(fleet, queries(200)[first : first + 100])


def test_members_with_other_engines_or_constants_are_skipped(tmp_path: Path) -> None:
    fleet = made_fleet(tmp_path, members=3, notes=5)
    Tree(tmp_path / "other").note("a/b/c.md", "ember")
    others = (
        Member("soleri", str(tmp_path / "other"), engine="soleri"),
        Member("docs", str(tmp_path / "other"), profile="docs"),
        Member("gone", str(tmp_path / "gone")),
    )
    result = one_ranking(fleet.here, (*others, *fleet.members), "ember anchor")
    soleri = "its engine is soleri: only byterover can be ranked together"
    docs = "its constants (docs) differ from those of most members: their scores cannot form one ranking"
    assert {one.member: (one.why, one.kind) for one in result.missing} == {
        "soleri": (soleri, AbsenceKind.NOT_RANKED),
        "docs": (docs, AbsenceKind.OTHER_CONSTANTS),
        "gone": (f"{tmp_path}/gone: no such folder", AbsenceKind.NO_FOLDER),
    }
    assert result.hits == one_ranking(fleet.here, fleet.members, "ember anchor").hits
    with pytest.raises(FleetError, match="no member can be ranked with others: its engine is soleri") as raised:
        one_ranking(fleet.here, others[:1], "ember")
    assert raised.value.kind is AbsenceKind.NOT_RANKED
    with pytest.raises(FleetError, match=r"its profile \(docs\) searches in a different order from brv-3"):
        one_ranking(fleet.here, others[1:2], "ember")


def test_profiles_of_ranked_members_are_named_in_a_fixed_order(tmp_path: Path) -> None:
    fleet = made_fleet(tmp_path, members=2, notes=5)
    own = Path(fleet.members[0].path) / ".brv/brv-tui.toml"
    own.write_text("[signals]\nfrontmatter = true\n")
    gone = Member("gone", str(tmp_path / "gone"))
    for members in (fleet.members, (*fleet.members[::-1], gone)):
        made = one_ranking(fleet.here, members, "ember anchor")
        assert (made.profile, made.members) == ("brv-3 and brv-3*", 2)
        assert f"in 2 members, profile {made.profile}. Words" in ranking_lines(made)[-1]
    assert one_ranking(fleet.here, fleet.members[1:], "ember anchor").profile == "brv-3"


def test_path_shared_by_several_members_is_refused(tmp_path: Path) -> None:
    members = []
    for name in ("one", "two"):
        tree = Tree(tmp_path / name)
        tree.note("auth/jwt/keys.md", "Keys", "ember")
        tree.note(f"auth/{name}/own.md", f"Only {name}", "ember")
        members.append(Member(name, str(tree.root)))
    here = made_fleet(tmp_path / "x", 0, 0).here
    with pytest.raises(FleetError, match=r"'auth/jwt/keys.md' names auth/jwt/keys.md in one and in two"):
        one_ranking(here, members, "auth/jwt/keys.md")
    result = one_ranking(here, members, "auth/two/own.md")
    assert [(one.member, one.hit.path, one.hit.score) for one in result.hits] == [("two", "auth/two/own.md", 1.0)]
    assert result.outcome is SearchOutcome.PATH_NOTE
    assert ranking_lines(result)[-1].endswith("1 shown: the query names the note, so no words are counted.")
    assert {one.member for one in one_ranking(here, members, "auth/jwt ember").hits} == {"one", "two"}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[MadeFleet]:
    yield made_fleet(tmp_path, members=3, notes=6, with_merged=False)
    close_members()


def test_one_judgment_set_evaluates_all_members(fleet: MadeFleet) -> None:
    documents = []
    for member in fleet.members[:2]:
        tree = Path(member.path) / ".brv" / "context-tree"
        file = tree / f"own/{member.name}.md"
        file.parent.mkdir()
        file.write_text("# Quokka habitats\n\nquokka quokka\n")
        documents.append(f"own/{member.name}.md")
    judged = (JudgedDocument(documents[0], 3), JudgedDocument(f"[{fleet.members[1].name}]:{documents[1]}", 2))
    judgments = [Judgment("q", "quokka habitats", documents=judged), Judgment("no", "zzz", expected="not covered")]
    result, missing = evaluate_together(fleet.here, fleet.members, judgments, "all", "now")
    assert missing == ()
    assert result.mean(parse_metric("recall@5")) == 1.0
    assert set(result.queries[0].ranking[:2]) == {document.path for document in judged}
    assert result.expectations == (1, 1)


def test_members_evaluate_and_forecast_separately(fleet: MadeFleet) -> None:
    first = Path(fleet.members[0].path)
    note = next((first / ".brv" / "context-tree").rglob("*_0_1.md"))
    path = note.relative_to(first / ".brv" / "context-tree").as_posix()
    (first / ".brv" / "brv-tui").mkdir()
    (first / ".brv" / "brv-tui" / "judgments.toml").write_text(
        f'version = 1\n\n[[query]]\nid = "q"\ntext = "{path}"\ndocuments = [{{path = "{path}", grade = 3}}]\n'
    )
    replies = fleet.here.ask(fleet.members, EvaluationOf())
    assert replies.missing == ()
    result = replies.values
    assert result["m0000"].mean(parse_metric("mrr")) == 1.0
    assert result["m0001"] is None
    outlooks = fleet.here.ask(fleet.members, OutlookOf(400)).values
    assert all(one.ranked == 6 and one.counts for one in outlooks.values())
    explained = fleet.here.ask(fleet.members, Explaining(path, path))
    assert explained.values["m0000"].found
    assert [name for name, one in explained.values.items() if isinstance(one, NoSuchNote)] == ["m0001", "m0002"]
