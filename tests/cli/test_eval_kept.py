"""``brv-tui eval`` keeps its answers: nothing is asked twice, and nothing else is different."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from brvtui.lab.evaluation import keeping
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.model import Judgment
from brvtui.store import kept_answers
from brvtui.store.feedback import FeedbackFile
from brvtui.store.kept_answers import KeptAnswers
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import Run
from tests.cli.test_eval import JUDGED, Listening
from tests.support.engine_packages import declared
from tests.support.trees import Tree

ALL = [each.text for each in JUDGED]


@pytest.fixture
def asked(run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Evaluates by an engine that counts: which queries were asked, and what came of it."""
    project.notes(20)
    JudgmentsFile.of(find_project(project.root)).change(lambda _: JUDGED)

    def called(*more: str, now: bool = True) -> tuple[list[str], dict[str, Any]]:
        Listening.asked.clear()
        code, out, err = run("eval", "--engine", "listening", "--format", "json", *more, now=now)
        assert code == 0, err
        value = json.loads(out)
        value["summary"].pop("ms")
        evaluation = value["evaluation"]
        evaluation["kept"] = None
        for query in evaluation["queries"]:
            query["ms"] = None
        return [query.text for query in Listening.asked], value

    with declared(tmp_path, monkeypatch, "listening", "tests.cli.test_eval:Listening"):
        yield called


def test_what_was_asked_is_not_asked_again_and_all_is_the_same(asked: Callable[..., Any], run: Run) -> None:
    first, second = asked(), asked()
    assert (first[0], second[0]) == (ALL, [])
    assert first[1] == second[1]
    assert asked("--fresh") == first
    assert "; 3 of 3 kept from before" in run("eval", "--engine", "listening")[1]
    assert "answers to judged queries" in run("cache", "info", now=False)[1]
    assert run("cache", "clear", now=False)[0] == 0
    assert asked() == first


def test_only_new_queries_are_asked(asked: Callable[..., Any], project: Tree) -> None:
    asked()
    judgments = JudgmentsFile.of(find_project(project.root))
    judgments.change(lambda old: (*old[1:], Judgment("again", old[0].text), Judgment("new", "round the cents")))
    words, value = asked()
    assert words == ["round the cents"]
    first = value["evaluation"]["queries"][2]
    assert (first["id"], first["grades"], first["expected"]) == ("again", {}, "")
    assert first["results"]


def test_whatever_answers_depend_on_has_them_asked_again(
    asked: Callable[..., Any], project: Tree, tmp_path: Path
) -> None:
    asked()
    project.note("auth/jwt/rotation.md", "Refresh rotation", "Each use of a refresh tokex gives a new one.", 0.1)
    assert asked()[0] == ALL  # same size, same time: the inode's change tells
    signals = tmp_path / "signals.json"
    signals.write_text('{"auth/jwt/rotation.md": {"importance": 80}}')
    for options in (
        ("--signals", str(signals)), ("--profile", "docs"), ("--scope", "auth"), ("--at", "+1d"),
        ("--at", "2026-11-20T12:00:01Z"),
    ):  # fmt: skip
        assert asked(*options)[0] == ALL, options
        assert asked(*options)[0] == [], options
    signals.write_text('{"auth/jwt/rotation.md": {"importance": 81}}')
    assert asked("--signals", str(signals))[0] == ALL
    FeedbackFile(project.tree, "listening").add(Feedback("x", "auth/jwt/rotation.md", Usefulness.ACCEPTED, 1.0))
    assert asked()[0] == ALL


def test_what_services_say_is_not_kept(asked: Callable[..., Any]) -> None:
    assert asked("--services")[0] == asked("--services")[0] == ALL


def test_a_damaged_file_counts_as_none(asked: Callable[..., Any], project: Tree) -> None:
    first = asked()[1]
    (file,) = KeptAnswers(project.tree).folder.iterdir()
    whole = file.read_bytes()
    cuts = [whole[:length] for length in (0, 1, len(whole) // 2, len(whole) - 1)]
    flips = [bytes([*whole[:at], whole[at] ^ 4, *whole[at + 1 :]]) for at in (0, 20, len(whole) // 2, len(whole) - 9)]
    for damaged in (*cuts, *flips, b"{}", b"\0" * 50):
        file.write_bytes(damaged)
        assert asked() == (ALL, first)
    for odd in ([], {}, {"now_ms": 1}, {"now_ms": 1, "rows": [[1]]}, {"now_ms": None, "rows": 3}, "x"):
        KeptAnswers(project.tree).write(file.name.partition(".")[0], odd)
        assert asked() == (ALL, first)
    file.unlink()
    file.mkdir()
    assert asked() == (ALL, first)


def test_answers_of_the_running_clock_serve_for_an_hour(
    asked: Callable[..., Any], project: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, first = asked(now=False)
    assert words == ALL
    assert asked(now=False) == ([], first)
    assert asked("--at", "+30d", now=False)[0] == ALL
    words, later = asked("--at", "+30d", now=False)
    assert words == []
    assert later["evaluation"]["clock"] > first["evaluation"]["clock"]
    monkeypatch.setattr(keeping, "_SAME_HOUR_MS", -1)
    assert asked(now=False)[0] == ALL


def test_no_more_is_kept_than_there_is_room_for(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "_MOST_FILES", 3)
    kept = KeptAnswers(tree.tree)
    for number in range(6):
        kept.write(f"n{number}", {"number": number})
    assert len(list(kept.folder.iterdir())) == 3
    assert kept.read("n5") == {"number": 5}
    assert kept.read("n0") is None
    monkeypatch.setattr(kept_answers, "_MOST_BYTES", 1)
    kept.write("last", 7)
    assert [file.name for file in kept.folder.iterdir()] == ["last.json.gz"]
    assert kept.clear() > 0
    assert (kept.bytes(), kept.folder.exists()) == (0, False)


def test_another_program_asks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of code follows every source file: of a package, and of an engine that is one module."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "kept_alone.py").write_text("a = 1\n")
    (tmp_path / "kept_package").mkdir()
    for name in ("__init__.py", "inner.py", "constants.toml"):
        (tmp_path / "kept_package" / name).write_text("")
    digest = keeping._code_of.__wrapped__
    for package, file in (("kept_alone", "kept_alone.py"), ("kept_package", "kept_package/constants.toml")):
        before = digest(package)
        assert digest(package) == before
        (tmp_path / file).write_text("b = 22\n")
        assert digest(package) != before
