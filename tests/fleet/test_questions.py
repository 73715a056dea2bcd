"""Evaluations and outlooks of a fleet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from brvtui.fleet.asking import close_members
from brvtui.fleet.one_ranking import evaluate_together
from brvtui.fleet.questions import EvaluationOf, Explaining, NoSuchNote, OutlookOf
from brvtui.lab.evaluation.results import parse_metric
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from tests.support.fleets import MadeFleet, made_fleet


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[MadeFleet]:
    yield made_fleet(tmp_path, members=3, notes=6, with_merged=False)
    close_members()


def test_one_set_of_judgments_over_all_members(fleet: MadeFleet) -> None:
    documents = []
    for member in fleet.members[:2]:
        tree = Path(member.path) / ".brv" / "context-tree"
        file = tree / f"own/{member.name}.md"
        file.parent.mkdir()
        file.write_text("# Quokka habitats\n\nquokka quokka\n")
        documents.append(f"own/{member.name}.md")
    judged = (JudgedDocument(documents[0], 3), JudgedDocument(f"[{fleet.members[1].name}]:{documents[1]}", 2))
    judgments = [Judgment("q", "quokka habitats", documents=judged), Judgment("no", "zzz", expected="not covered")]
    made, missing = evaluate_together(fleet.here, fleet.members, judgments, "all", "now")
    assert missing == ()
    assert made.mean(parse_metric("recall@5")) == 1.0
    assert set(made.queries[0].ranking[:2]) == {document.path for document in judged}
    assert made.expectations == (1, 1)


def test_members_evaluate_and_look_ahead_by_themselves(fleet: MadeFleet) -> None:
    first = Path(fleet.members[0].path)
    note = next((first / ".brv" / "context-tree").rglob("*_0_1.md"))
    path = note.relative_to(first / ".brv" / "context-tree").as_posix()
    (first / ".brv" / "brv-tui").mkdir()
    (first / ".brv" / "brv-tui" / "judgments.toml").write_text(
        f'version = 1\n\n[[query]]\nid = "q"\ntext = "{path}"\ndocuments = [{{path = "{path}", grade = 3}}]\n'
    )
    replies = fleet.here.ask(fleet.members, EvaluationOf())
    assert replies.missing == ()
    made = replies.values
    assert made["m0000"].mean(parse_metric("mrr")) == 1.0
    assert made["m0001"] is None
    outlooks = fleet.here.ask(fleet.members, OutlookOf(400)).values
    assert all(one.ranked == 6 and one.counts for one in outlooks.values())
    explained = fleet.here.ask(fleet.members, Explaining(path, path))
    assert explained.values["m0000"].found
    assert [name for name, one in explained.values.items() if isinstance(one, NoSuchNote)] == ["m0001", "m0002"]
