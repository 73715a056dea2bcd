"""``brv-tui eval``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from brvtui.engines.byterover.engine import ByteRover
from brvtui.engines.byterover.profile import Context
from brvtui.engines.contract import Query
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.saved.evaluations import read_evaluation
from brvtui.saved.traces import SavedError
from brvtui.trace import Trace
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.support.engine_packages import declared
from tests.support.trees import Tree

ROTATION, EXPIRY = "auth/jwt/rotation.md", "auth/jwt/expiry.md"
JUDGED = (
    Judgment("refresh", "refresh rotation token", "", "tier 2", "", (JudgedDocument(ROTATION, 3),)),
    Judgment("sessions", "session expiry", documents=(JudgedDocument(EXPIRY, 2), JudgedDocument("gone.md", 1))),
    Judgment("nginx", "kubernetes nginx ingress", expected="not covered"),
)


@pytest.fixture
def judged(project: Tree) -> Tree:
    project.notes(20)
    JudgmentsFile.of(find_project(project.root)).change(lambda _: JUDGED)
    return project


def test_the_table_says_what_was_found_and_missed(run: Run, judged: Tree) -> None:
    code, out, err = run("eval")
    assert code == 0
    assert "note: sessions: gone.md: gone" in err
    lines = [line.split() for line in out.splitlines()]
    assert ["mrr", "1.0000", "of", "2", "queries"] in lines
    assert ["recall@5", "0.7500", "of", "2", "queries"] in lines
    assert ["as", "expected", "2", "of", "2"] in lines
    assert ["not", "covered", "33.3%"] in lines
    (missing,) = [line for line in lines if line[:1] == ["sessions"]]
    assert missing[-1] == "gone.md"


def test_the_json_holds_what_a_later_run_is_compared_with(run: Run, judged: Tree, tmp_path: Path) -> None:
    code, out, _ = run("eval", "--format", "json", "--metric", "recall@1")
    value = json.loads(out)
    assert code == 0
    assert value["summary"]["metrics"] == {"recall@1": 0.75}
    assert value["summary"]["not_covered"] == pytest.approx(1 / 3)
    first = value["evaluation"]["queries"][0]
    assert (first["outcome"], first["metrics"], first["as_expected"]) == ("tier 2", {"recall@1": 1.0}, True)
    assert sum(part["value"] for part in first["results"][0]["parts"]) == pytest.approx(first["results"][0]["score"])
    file = tmp_path / "base.json"
    file.write_text(out)
    assert [query.id for query in read_evaluation(file).queries] == ["refresh", "sessions", "nginx"]
    for broken in ("{", "[]", '{"evaluation_schema": 1}', '{"evaluation_schema": 1, "evaluation": {"engine": 3}}'):
        file.write_text(broken)
        with pytest.raises(SavedError, match=r"base\.json"):
            read_evaluation(file)


@pytest.mark.parametrize("engine", ["jeffs_brain", "soleri", "knowing"])
def test_any_engine_is_measured(run: Run, judged: Tree, engine: str) -> None:
    code, out, _ = run("eval", "--engine", engine, "--format", "json")
    value = json.loads(out)
    assert (code, value["evaluation"]["engine"]) == (0, engine)
    assert value["summary"]["metrics"]["recall@5"] == pytest.approx(0.75)
    assert value["summary"]["with_expectation"] == 1  # without tiers, only "not covered" can be expected


def test_the_moment_moves_with_the_notes_as_they_are(run: Run, judged: Tree) -> None:
    scores = {}
    for at in ("+0d", "+60d", "2027-01-19T12:00:00Z"):
        value = json.loads(run("eval", "--format", "json", "--at", at)[1])
        scores[at] = value["evaluation"]["clock"], value["evaluation"]["queries"][0]["results"][0]["score"]
    assert scores["+60d"] == scores["2027-01-19T12:00:00Z"]
    assert scores["+60d"][1] < scores["+0d"][1]


class Listening(ByteRover):
    """ByteRover, which keeps what it was asked."""

    name = "listening"
    asked: ClassVar[list[Query]] = []

    def answer(self, context: Context, query: Query) -> Trace:
        self.asked.append(query)
        return super().answer(context, query)


def test_queries_of_others_ask_nothing_that_costs_unless_they_may(
    run: Run, judged: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with declared(tmp_path, monkeypatch, "listening", "tests.cli.test_eval:Listening"):
        for more, may in (((), False), (("--services",), True)):
            Listening.asked.clear()
            assert run("eval", "--engine", "listening", "--scope", "auth", *more)[0] == 0
            assert [query.text for query in Listening.asked] == [each.text for each in JUDGED]
            assert {(query.may_ask, query.run, query.scope) for query in Listening.asked} == {(may, False, "auth")}


def test_files_beside_the_table(run: Run, judged: Tree, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("e.json", "e.md", "e.xml", "e.run")]
    code, out, err = run("eval", *(word for name in names for word in ("--save", name)))
    assert (code, "ndcg@10" in out, err.count("saved ")) == (0, True, 4)
    for form, name in (("md", "e.md"), ("trec", "e.run")):
        assert "session" in run("eval", "--format", form)[1]
        assert Path(name).name in err
    assert run("eval", "--format", "junit")[1].startswith("<?xml")
    assert run("eval", "--save", str(tmp_path / "e.txt"))[0] == 2
    assert run("eval", "--save", str(judged.tree / "e.md"))[0] == 4


def test_what_is_wrong_is_said(run: Run, project: Tree) -> None:
    assert run("eval")[0] == 2  # no judgments
    JudgmentsFile.of(find_project(project.root)).change(lambda _: JUDGED)
    assert run("eval", "--metric", "ndgc@10")[2].strip().endswith("did you mean ndcg@10?")
    assert "known: ndcg@N, recall@N" in run("eval", "--metric", "nope")[2]
    assert run("eval", "--at", "soon")[0] == 2
    assert run("eval", "--engine", "nosuch")[0] == 2
    file = project.root / ".brv/brv-tui/judgments.toml"
    file.write_text("[[query]]\n")
    code, _, err = run("eval")
    assert (code, "line 1: id is missing" in err) == (2, True)
