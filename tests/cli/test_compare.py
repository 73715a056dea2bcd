"""``brv-tui compare``: one query or all judged queries with every engine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality.__main__ import measured, table
from benchmarks.quality.datasets import DatasetError, read_beir, read_locomo
from brvtui.lab.engine_comparison import rank_biased_overlap
from brvtui.lab.evaluation.results import parse_metric
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.cli.test_eval import judged as judged
from tests.cli.test_space import AT, space
from tests.support.trees import Tree

__all__ = ["space"]


ENGINES = ["byterover", "jeffs_brain", "soleri", "knowing", "baseline"]


def test_compare_command_runs_one_query_with_all_engines(run: Run, project: Tree) -> None:
    code, out, _ = run("compare", "refresh token", "--format", "json")
    value = json.loads(out)
    assert code == 0
    assert [answer["engine"] for answer in value["answers"]] == ENGINES
    rankings = {}
    for answer in value["answers"]:
        alone = json.loads(run("query", "refresh token", "--engine", answer["engine"], "--format", "json")[1])
        files = list(dict.fromkeys(hit["file"] for hit in alone["trace"]["hits"]))
        rankings[answer["engine"]] = [item["path"] for item in answer["results"]]
        assert rankings[answer["engine"]] == files
    for overlap in value["overlaps"]:
        expected = rank_biased_overlap(rankings[overlap["one"]], rankings[overlap["other"]])
        assert overlap["value"] == pytest.approx(expected)
    assert len(value["overlaps"]) == 10
    _, out, _ = run("compare", "refresh token", "--engine", "byterover", "--engine", "soleri")
    assert "ByteRover" in out
    assert "2× Refresh rotation" in out
    assert "knowing" not in out


def test_options_for_judged_queries_are_refused_with_a_query(run: Run, project: Tree) -> None:
    for option, value in (("--metric", "recall@5"), ("--judgments", "judgments.toml")):
        code, out, err = run("compare", "refresh token", option, value)
        assert (code, out) == (2, "")
        assert err == f"brv-tui: {option} applies only to judged queries: leave out {option} or TEXT\n"


def test_engines_that_ignore_the_scope_are_reported(run: Run, project: Tree) -> None:
    _, out, _ = run("compare", "refresh token", "--scope", "nofolder")
    assert "below nofolder" not in out
    assert "ByteRover: 1 of 1 found outside nofolder" in out
    assert re.search(r"Jeffs Brain: \d of \d found outside nofolder", out)
    _, out, _ = run("compare", "rollback", "--scope", "auth")
    assert "ByteRover: 1 of 1 found outside auth" in out
    answers = json.loads(run("compare", "rollback", "--scope", "deploy/", "--format", "json")[1])["answers"]
    assert next(one for one in answers if one["engine"] == "byterover")["about_scope"] == ""


def test_comparison_of_judged_queries_equals_eval(run: Run, project: Tree) -> None:
    project.notes(20)
    judged = (
        Judgment("refresh", "refresh token", documents=(JudgedDocument("auth/jwt/rotation.md", 3),)),
        Judgment("release", "release", documents=(JudgedDocument("deploy/rollback.md", 2),)),
    )
    JudgmentsFile.of(find_project(project.root)).change(lambda _: judged)
    value = json.loads(run("compare", "--format", "json", "--metric", "mrr")[1])
    for engine in value["engines"]:
        alone = json.loads(run("eval", "--engine", engine["engine"], "--metric", "mrr", "--format", "json")[1])
        assert engine["metrics"] == alone["summary"]["metrics"]
    code, out, _ = run("compare")
    assert code == 0
    assert "With fewer than 25 queries, that may be chance." in " ".join(out.split())


def test_engines_that_do_not_fit_into_the_width_go_into_a_second_table(
    run: Run, project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    titles = ("ByteRover", "Jeffs Brain", "Soleri", "knowing", "Plain search")
    halves = [titles[:3], titles[3:]]
    for columns, tables in (("100", [titles]), ("60", halves), ("30", [(name,) for name in titles])):
        monkeypatch.setenv("COLUMNS", columns)
        lines = run("compare", "refresh")[1].splitlines()
        heads = [tuple(name for name in titles if name in line) for line in lines if " and " not in line]
        assert [names for names in heads if names] == tables
        assert sum("Refresh rotat" in line for line in lines) >= len(tables)


def test_invalid_comparison_is_refused_in_one_line(run: Run, project: Tree) -> None:
    code, out, _ = run("compare", "zyxw", "--engine", "byterover")
    assert (code, "nothing was found" in out) == (1, True)
    code, out, _ = run("compare", "zyxw")
    assert (code, "no engine found anything" in out, "overlap" in out) == (1, True, False)
    found = json.loads(run("compare", "zyxw", "--format", "json")[1])
    assert [overlap["value"] for overlap in found["overlaps"]] == [None] * 10
    for arguments, said in (
        ((), "no judgments yet"),
        (("x", "--engine", "nosuch"), "no engine nosuch"),
        (("x", "--engine", "byterover_v4"), "byterover_v4 cannot rank this project"),
        (("--metric", "speed"), "no metric speed"),
        (("x", "--engine", "soleri", "--profile", "brv-3"), "no profile brv-3: use soleri, soleri-code"),
    ):
        code, _, err = run("compare", *arguments)
        assert (code, said in err) == (2, True), err


def test_empty_text_and_misspelt_engine_are_refused(run: Run, project: Tree) -> None:
    code, out, err = run("compare", " ")
    assert (code, out) == (2, "")
    assert "TEXT is empty" in err
    code, _, err = run("compare", "refresh", "--engine", "soler")
    assert code == 2
    assert "no engine soler; did you mean soleri?" in err


def test_only_v4_answers_queries_over_a_space(run: Run, space: Path) -> None:
    code, out, _ = run("compare", "refresh token", "--format", "json", "--project", str(space), *AT, inside=False)
    assert code == 0
    assert [answer["engine"] for answer in json.loads(out)["answers"]] == ["byterover_v4"]


def locomo(file: Path, **changes: Any) -> Path:
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann", "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "I adopted a greyhound."}],
            "session_2_date_time": "2 June, 2023",
            "session_2": [
                {"speaker": "Bo", "dia_id": "D2:1", "text": "I paint lakes.", "blip_caption": "a canvas", "img_url": []}
            ],
        },
        "qa": [
            {"question": "What dog did Ann adopt?", "answer": "a greyhound", "evidence": ["D1:1"], "category": 4},
            {"question": "Who paints, who has a dog?", "answer": "…", "evidence": ["D1:1; D2:1"], "category": 1},
            {"question": "What does Ann paint?", "evidence": ["D2:1"], "category": 5, "adversarial_answer": "lakes"},
            {"question": "Nothing?", "answer": "x", "evidence": [], "category": 2},
            {"question": "Elsewhere?", "answer": "x", "evidence": ["D9:1"], "category": 2},
        ],
    }  # fmt: skip
    file.write_text(json.dumps([{**sample, **changes}]))
    return file


def test_locomo_data_set_becomes_notes_and_judgments(tmp_path: Path) -> None:
    made = read_locomo(locomo(tmp_path / "locomo10.json"))
    assert list(made.notes) == ["conv-1/session_1.md", "conv-1/session_2.md"]
    assert made.notes["conv-1/session_2.md"] == (
        "# conv-1, session 2: 2 June, 2023\n\nBo: I paint lakes. (a picture: a canvas)\n"
    )
    assert [(each.text, each.scope, [one.path for one in each.documents]) for each in made.judgments] == [
        ("What dog did Ann adopt?", "", ["conv-1/session_1.md"]),
        ("Who paints, who has a dog?", "", ["conv-1/session_1.md", "conv-1/session_2.md"]),
        ("What does Ann paint?", "", ["conv-1/session_2.md"]),
    ]
    found = measured(made, (parse_metric("recall@5"),))
    assert [each.engine for each in found.evaluations] == ENGINES
    lines = list(table(made, found))
    assert lines[0] == "\nlocomo10: 3 queries, 2 notes\n"
    assert lines[1] == "| | byterover | jeffs_brain | soleri | knowing | baseline |"
    assert lines[3].startswith("| recall@5 | ")
    for odd in ({"conversation": 3}, {"qa": [{"evidence": ["D1:1"]}]}, {"qa": None}):
        with pytest.raises(DatasetError, match=r"conversation 1"):
            read_locomo(locomo(tmp_path / "odd.json", **odd))
    (tmp_path / "odd.json").write_text("{")
    with pytest.raises(DatasetError, match="JSON"):
        read_locomo(tmp_path / "odd.json")


@pytest.mark.parametrize("place", ["qrels.tsv", "qrels/test.tsv"])
def test_beir_data_set_becomes_notes_and_judgments(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "some_set" / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d 1.md", "title": "", "text": "A token."}\n')
    (folder / "queries.jsonl").write_text('{"_id": "Q 1", "text": "token"}\n{"_id": "Q-1", "text": "other"}\n')
    (folder / place).write_text("query-id\tcorpus-id\tscore\nQ 1\td 1.md\t7\nQ 1\tgone\t1\n")
    made = read_beir(folder)
    assert (made.name, made.notes) == ("some_set", {"notes/d_1.md": "# d 1.md\n\nA token.\n"})
    assert [(each.id, each.documents) for each in made.judgments] == [
        ("q-1", (JudgedDocument("notes/d_1.md", 3),)),
        ("q-1-2", ()),
    ]
    with pytest.raises(DatasetError, match="corpus"):
        read_beir(tmp_path)
