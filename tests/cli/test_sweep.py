"""``brv-tui sweep``: all values of a constant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import NOW, Run
from tests.cli.test_eval import JUDGED
from tests.cli.test_eval import judged as judged
from tests.support.trees import Tree


def test_sweep_lists_the_values_at_which_tiers_change(run: Run, judged: Tree) -> None:
    code, out, _ = run("sweep", "direct.min_top=0.5:1:3", "--metric", "mrr")
    assert code == 0
    assert "direct.min_top: mrr of 2 of 3 judged queries" in out
    assert "direct.min_top is 0.85" in out
    assert f"as of {NOW.replace('Z', '.000Z')}\n" in out
    assert [line.split()[0] for line in out.splitlines() if "tier 2" in line and "→" not in line][:2] == ["0.5", "0.75"]


def test_sweep_writes_json_and_svg(run: Run, judged: Tree, tmp_path: Path) -> None:
    file = tmp_path / "map.svg"
    words = ("score.relevance=0.2:0.8:2", "score.recency=0:0.5:2")
    code, out, err = run("sweep", *words, "--format", "json", "--save", str(file))
    assert code == 0
    value = json.loads(out)
    assert [point["values"] for point in value["points"]] == [[0.2, 0.0], [0.2, 0.5], [0.8, 0.0], [0.8, 0.5]]
    assert file.read_text().startswith("<svg")
    assert f"saved {file}" in err
    assert run("sweep", *words, "--format", "svg")[1] == file.read_text()


def test_sweep_can_run_one_query_without_judgments(run: Run, project: Tree) -> None:
    code, out, err = run("sweep", "search.limit=1:3:3")
    assert (code, out) == (2, "")
    assert "brv-tui judge set" in err
    code, out, _ = run("sweep", "search.limit=1:3:3", "--query", "session expiry", "--format", "json")
    assert code == 0
    assert json.loads(out)["axes"][0]["values"] == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("direct.min_tops",), "direct.min_top"),
        (("direct.min_top=1:0",), "direct.min_top=1:0: FROM must be below TO; write direct.min_top=0:1\n"),
        (("direct.min_top=1:0.5:3",), "FROM must be below TO; write direct.min_top=0.5:1:3\n"),
        (("direct.min_top=1:1",), "must be CONSTANT=FROM:TO"),
        (("direct.min_top=a:b",), "must be CONSTANT=FROM:TO"),
        (("rotation:importanc",), "auth/jwt/rotation.md has no signal importanc; did you mean importance?"),
        (("rotation:maturity=1:2",), "auth/jwt/rotation.md:maturity has no range"),
        (("direct.min_top", "--metric", "ndgc@10"), "ndcg@10"),
        (("direct.min_top", "--save", "x.png"), ".svg or .json"),
        (("--list", "--save", "x.svg"), "--list only lists the constants"),
        (("--list", "direct.min_top"), "--list only lists the constants"),
        (("a.b", "a.b", "a.b"), "give one or two constants, each as CONSTANT=FROM:TO"),
        (("direct.min_top:0.7:1:5",), "FROM:TO:N; write direct.min_top=0.7:1:5\n"),
    ],
)
def test_invalid_sweep_is_refused_in_one_line(run: Run, judged: Tree, words: tuple[str, ...], said: str) -> None:
    code, out, err = run("sweep", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


def test_note_of_a_swept_signal_can_be_named_in_any_way(run: Run, judged: Tree) -> None:
    whole = run("sweep", "auth/jwt/rotation.md:importance=0:100:3", "--format", "json")
    assert whole[0] == 0
    assert json.loads(whole[1])["axes"][0]["values"] == [0.0, 50.0, 100.0]
    assert run("sweep", "rotation:importance=0:100:3", "--format", "json") == whole
    assert run("sweep", "Refresh rotation:importance=0:100:3", "--format", "json") == whole


@pytest.mark.parametrize(
    ("name", "near"), [("nowhere.md", ""), ("rotaton.md", "; near: auth/jwt/rotation.md"), ("jwt", "; near: auth/jwt/")]
)
def test_unknown_note_is_reported_with_similar_names(run: Run, judged: Tree, name: str, near: str) -> None:
    code, out, err = run("sweep", f"{name}:importance")
    assert (code, out) == (3, "")
    assert err.startswith(f"brv-tui: no note {name} in ")
    assert near in err


def test_sweep_uses_the_engines_constants(run: Run, judged: Tree) -> None:
    code, out, _ = run("sweep", "columns.title=0:20:3", "--engine", "jeffs_brain", "--mode", "bm25", "--format", "json")
    assert code == 0
    assert json.loads(out)["engine"] == "jeffs_brain"


def test_query_option_keeps_the_judgment_of_that_query(run: Run, judged: Tree) -> None:
    query = next(each.text for each in JUDGED if each.documents)
    out = run("sweep", "direct.min_top=0.5:1:3", "--query", query)[1]
    assert "of 1 judged query" in out


def test_list_option_prints_all_constants(run: Run, judged: Tree) -> None:
    code, out, _ = run("sweep", "--list")
    assert code == 0
    assert "direct.min_top" in out
    constants = json.loads(run("sweep", "--list", "--format", "json")[1])["constants"]
    assert {each["name"] for each in constants} > {"days", "direct.min_top"}
    for words in ((), ("nonsense",)):
        code, out, err = run("sweep", *words)
        assert (code, out, "--list lists them" in err) == (2, "", True)
