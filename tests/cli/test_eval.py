"""Evaluations on the command line: stored answers, several days, and gates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from brvtui.engines.byterover.engine import ByteRover
from brvtui.engines.byterover.profile import Context
from brvtui.engines.contract import Query
from brvtui.lab.evaluation import keeping
from brvtui.lab.judgments.file import JudgmentsFile
from brvtui.lab.judgments.following import DocumentFinder
from brvtui.lab.judgments.model import JudgedDocument, Judgment
from brvtui.saved.evaluations import read_evaluation
from brvtui.saved.traces import SavedError
from brvtui.services.legs import LegError, RerankDocument
from brvtui.store import kept_answers
from brvtui.store.feedback import FeedbackFile
from brvtui.store.kept_answers import KeptAnswers
from brvtui.trace import Trace
from brvtui.trace.feedback import Feedback, Usefulness
from brvtui.tree.reading.project import find_project
from tests.cli.conftest import NOW, Run
from tests.support.engine_packages import declared
from tests.support.trees import Tree
from tests.support.vectors import Letters

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


def test_eval_table_lists_found_and_missed_notes(run: Run, judged: Tree) -> None:
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


def test_json_output_can_serve_as_a_baseline(run: Run, judged: Tree, tmp_path: Path) -> None:
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
def test_every_engine_can_be_evaluated(run: Run, judged: Tree, engine: str) -> None:
    code, out, _ = run("eval", "--engine", engine, "--format", "json")
    value = json.loads(out)
    assert (code, value["evaluation"]["engine"]) == (0, engine)
    assert value["summary"]["metrics"]["recall@5"] == pytest.approx(0.75)
    # for an engine without tiers, "not covered" is the only possible expectation
    assert value["summary"]["with_expectation"] == 1


def test_at_option_changes_the_clock_and_not_the_notes(run: Run, judged: Tree) -> None:
    scores = {}
    for at in ("+0d", "+60d", "2027-01-19T12:00:00Z"):
        value = json.loads(run("eval", "--format", "json", "--at", at)[1])
        scores[at] = value["evaluation"]["clock"], value["evaluation"]["queries"][0]["results"][0]["score"]
    assert scores["+60d"] == scores["2027-01-19T12:00:00Z"]
    assert scores["+60d"][1] < scores["+0d"][1]


class Listening(ByteRover):
    """ByteRover, with a record of its queries."""

    name = "listening"
    asked: ClassVar[list[Query]] = []

    def answer(self, context: Context, query: Query) -> Trace:
        self.asked.append(query)
        return super().answer(context, query)


def test_paid_services_need_permission_for_foreign_queries(
    run: Run, judged: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with declared(tmp_path, monkeypatch, "listening", "tests.cli.test_eval:Listening"):
        for more, may in (((), False), (("--services",), True)):
            Listening.asked.clear()
            assert run("eval", "--engine", "listening", "--scope", "auth", *more)[0] == 0
            assert [query.text for query in Listening.asked] == [each.text for each in JUDGED]
            assert {(query.may_ask, query.run, query.scope) for query in Listening.asked} == {(may, False, "auth")}


def test_save_option_writes_each_format(run: Run, judged: Tree, tmp_path: Path) -> None:
    names = [str(tmp_path / name) for name in ("e.json", "e.md", "e.xml", "e.run")]
    code, out, err = run("eval", *(word for name in names for word in ("--save", name)))
    assert (code, "ndcg@10" in out, err.count("saved ")) == (0, True, 4)
    for form, name in (("md", "e.md"), ("trec", "e.run")):
        assert "session" in run("eval", "--format", form)[1]
        assert Path(name).name in err
    assert run("eval", "--format", "junit")[1].startswith("<?xml")
    assert run("eval", "--save", str(tmp_path / "e.txt"))[0] == 2
    assert run("eval", "--save", str(judged.tree / "e.md"))[0] == 2


def test_no_format_prints_controls_in_names(run: Run, judged: Tree) -> None:
    odd = "\x1b]52;c;cHduZWQ=\x07\u202e"
    judged.note(f"odd/{odd}.md", f"Session expiry {odd}", "session expiry")
    missing = Judgment("odd", f"session expiry {odd}", documents=(JudgedDocument(f"gone/{odd} gone.md", 3),))
    JudgmentsFile.of(find_project(judged.root)).change(lambda _: (missing,))
    for form in ("table", "json", "md", "junit", "trec"):
        out = run("eval", "--format", form)[1]
        assert "cHduZWQ=" in out
        assert out.replace("\n", "").isprintable()


def test_invalid_options_are_reported(run: Run, project: Tree) -> None:
    assert run("eval")[0] == 2  # no judgments
    JudgmentsFile.of(find_project(project.root)).change(lambda _: JUDGED)
    assert run("eval", "--metric", "ndgc@10")[2].strip().endswith("did you mean ndcg@10?")
    for cut in ("100000", "0"):
        assert (
            run("eval", "--metric", f"ndcg@{cut}")[2]
            .strip()
            .endswith(f"@{cut}: write 1 to 9999 after the @, such as ndcg@10")
        )
    assert "known: ndcg@N, recall@N" in run("eval", "--metric", "nope")[2]
    assert run("eval", "--at", "soon")[0] == 2
    assert run("eval", "--engine", "nosuch")[0] == 2
    file = project.root / ".brv/brv-tui/judgments.toml"
    file.write_text("[[query]]\n")
    code, _, err = run("eval")
    assert (code, "line 1: id is missing" in err) == (2, True)


DRIFTED = (
    Judgment("refresh", "refresh token", documents=(JudgedDocument(ROTATION, 3), JudgedDocument(EXPIRY, 1))),
    Judgment("session", "session expiry", documents=(JudgedDocument(EXPIRY, 3),)),
    Judgment("rollback", "rolling back", documents=(JudgedDocument("deploy/rollback.md", 2),)),
    Judgment(
        "kettle",
        "kettle descaling",
        documents=tuple(JudgedDocument(f"kitchen/{name}.md", 1) for name in ("kettle", "descaling", "spare")),
    ),
    Judgment("nginx", "kubernetes nginx", expected="not covered"),
)
DAYS = (3, 7, 14, 25, 35, 60, 400)


@pytest.fixture
def drifted(project: Tree) -> Tree:
    project.notes(20)
    project.note("kitchen/kettle.md", "Kettle descaling", "Kettle descaling: descaling a kettle. " * 3, 0)
    project.note("kitchen/descaling.md", "Kettle descaling, weekly", "Descaling a kettle each week.", 2)
    project.note("kitchen/spare.md", "A kettle", "Descaling is for later, when there is one to spare.", 1)
    JudgmentsFile.of(find_project(project.root)).change(lambda _: DRIFTED)
    return project


def answered(run: Run, text: str, days: int) -> tuple[str, list[str], set[str]]:
    """The outcome, results and quoted notes of one query that runs by itself on that day."""
    at = datetime.fromisoformat(NOW).astimezone(UTC) + timedelta(days=days)
    _, out, _ = run("query", text, "--format", "json", "--now", at.isoformat(), now=False)
    trace = json.loads(out)["trace"]
    outcome = f"tier {trace['tier']}" if trace["covered"] else "not covered"
    answer = trace["answer"]
    quoted = answer["prompt"]["prefetched"] if answer["kind"] == "extractive" else answer["sources"]
    return outcome, [hit["file"] for hit in trace["hits"]], set(quoted)


def test_drift_losses_equal_losses_of_single_queries(run: Run, drifted: Tree) -> None:
    code, out, _ = run("eval", "--drift", ",".join(map(str, DAYS)), "--format", "json")
    assert code == 0
    value = json.loads(out)
    expected: list[tuple[str, str, str, float]] = []
    for judgment in DRIFTED:
        states = [answered(run, judgment.text, days) for days in (0, *DAYS)]
        lost_before: set[tuple[str, str]] = set()
        for days, (outcome, found, quoted) in zip(DAYS, states[1:], strict=True):
            lost = {(f"{states[0][0]} → {outcome}", "")} if outcome != states[0][0] else set()
            for document in judgment.documents:
                path = document.path
                if path in states[0][1] and path not in found:
                    lost.add(("no longer found", path))
                elif path in states[0][2] and path not in quoted:
                    lost.add(("no longer quoted in the answer", path))
            expected += [(judgment.id, what, path, float(days)) for what, path in lost - lost_before]
            lost_before = lost
    made = [(loss["query"], loss["what"], loss["document"], loss["days"]) for loss in value["losses"]]
    assert sorted(made) == sorted(expected)
    assert {what for _, what, _, _ in made} >= {"no longer quoted in the answer", "tier 2 → tier 3"}
    assert [loss["days"] for loss in value["losses"]] == sorted(loss["days"] for loss in value["losses"])


def test_drift_at_a_day_equals_eval_at_that_time(run: Run, drifted: Tree) -> None:
    value: dict[str, Any] = json.loads(run("eval", "--drift", "60", "--format", "json")[1])
    at = json.loads(run("eval", "--at", "+60d", "--fresh", "--format", "json")[1])
    assert value["days"][0]["metrics"] == at["summary"]["metrics"]
    assert value["days"][0]["outcomes"] == at["summary"]["outcomes"]
    assert value["days"][0]["clock"] == at["evaluation"]["clock"]
    assert value["now"]["summary"] == json.loads(run("eval", "--format", "json")[1])["summary"]


def test_drift_table_lists_losses_by_date_and_gates_every_day(run: Run, drifted: Tree) -> None:
    code, out, _ = run("eval", "--drift", "60,400", "--fail-on-tier-change")
    text = " ".join(out.split())
    assert code == 1
    assert "now +60 d +400 d" in text
    assert "of 5 queries lose a result or change tier" in text
    assert "FAILED no tier change: refresh: tier 2 → tier 4" in text
    code, out, _ = run("eval", "--drift", "0.001", "--fail-on-tier-change")
    assert (code, "none of 5 queries" in out) == (0, True)


def test_drift_gates_judge_today(run: Run, drifted: Tree) -> None:
    for form in ("table", "json"):
        now = json.loads(run("eval", "--format", "json")[1])["summary"]["metrics"]["precision@5"]
        code, out, _ = run("eval", "--drift", "1", "--fail-under", f"precision@5={now + 0.01:.4f}", "--format", form)
        assert code == 1
        if form == "json":
            assert [gate["passed"] for gate in json.loads(out)["gates"]] == [False]
        else:
            assert out.index(" now\n") < out.index("FAILED") < out.index(" in 1 days")


@pytest.mark.parametrize("days", ["x", "", "0", "nan", "inf", "7,,30", "99999999"])
def test_invalid_days_are_refused(run: Run, drifted: Tree, days: str) -> None:
    code, _, err = run("eval", f"--drift={days}")
    assert (code, "must be day counts" in err) == (2, True)


def test_incompatible_options_are_refused(run: Run, drifted: Tree) -> None:
    assert run("eval", "--drift", "--baseline-rev", "main")[0] == 2
    assert run("eval", "--drift", "--format", "junit")[0] == 2
    assert run("eval", "--drift", "--save", "x.md")[0] == 2


ALL = [each.text for each in JUDGED]


@pytest.fixture
def asked(run: Run, project: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Evaluates with an engine that records its queries, and returns them with the result."""
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


def test_stored_answers_give_the_same_result(asked: Callable[..., Any], run: Run) -> None:
    first, second = asked(), asked()
    assert (first[0], second[0]) == (ALL, [])
    assert first[1] == second[1]
    assert asked("--fresh") == first
    assert "; 3 of 3 reused from an earlier run" in run("eval", "--engine", "listening")[1]
    assert "answers to judged queries" in run("cache", "info", now=False)[1]
    assert run("cache", "clear", now=False)[0] == 0
    assert asked() == first


def test_only_queries_without_stored_answers_run(asked: Callable[..., Any], project: Tree) -> None:
    asked()
    judgments = JudgmentsFile.of(find_project(project.root))
    judgments.change(lambda old: (*old[1:], Judgment("again", old[0].text), Judgment("new", "round the cents")))
    words, value = asked()
    assert words == ["round the cents"]
    first = value["evaluation"]["queries"][2]
    assert (first["id"], first["grades"], first["expected"]) == ("again", {}, "")
    assert first["results"]


def test_changed_inputs_make_queries_run_again(asked: Callable[..., Any], project: Tree, tmp_path: Path) -> None:
    asked()
    project.note("auth/jwt/rotation.md", "Refresh rotation", "Each use of a refresh tokex gives a new one.", 0.1)
    assert asked()[0] == ALL  # size and time are the same, so only the inode's change time reveals the edit
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


def test_answers_from_services_are_not_stored(asked: Callable[..., Any]) -> None:
    assert asked("--services")[0] == asked("--services")[0] == ALL


def test_files_named_by_options_are_part_of_the_key(
    run: Run, judged: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "named.json"
    for engine, option, contents in (
        ("jeffs_brain", ("--aliases", "named.json"), ('{"refresh": ["cents"]}', '{"refresh": ["hours"]}')),
        ("soleri", ("-o", "memories=named.json"), ("[]", "[ ]")),
    ):
        for content in contents:
            file.write_text(content)
            for kept in (False, True):
                out = run("eval", "--engine", engine, *option)[1]
                assert ("reused from an earlier run" in out) is kept, (engine, content)


class FailingReranker:
    name, is_remote = "judge", True

    def __init__(self, answer: list[Any] | None) -> None:
        self.answer = answer

    def rerank(self, query: str, documents: Sequence[RerankDocument]) -> list[Any]:
        if self.answer is None:
            raise LegError("judge is away")
        return self.answer


GATE = ("--fail-under", "mrr=0")


def check_failed_service(run: Run, folder: Path, command: tuple[str, ...], line: str) -> None:
    """Checks that ``command`` prints ``line`` as a note, and that the line fails a gate in every report."""
    code, out, err = run(*command, "--format", "json")
    assert (code, f"note: {line}" in err) == (0, True), err
    assert line in json.loads(out)["evaluation"]["notices"]
    files = [str(folder / name) for name in ("e.json", "e.md", "e.xml")]
    code, out, err = run(*command, *GATE, *(word for name in files for word in ("--save", name)))
    assert (code, line in err) == (4, True)
    for report in (out, *(Path(name).read_text() for name in files)):
        assert line in report
    base = str(folder / "e.json")
    assert run(*command, "--baseline", base, "--fail-on-tier-change")[0] == 4
    code, out, _ = run("eval", "--baseline", base, "--fail-on-tier-change")
    assert (code, "a service failed when the baseline was measured" in out) == (4, True)
    code, out, _ = run(*command, *GATE, "--drift", "7")
    assert (code, out.count(line)) == (4, 2)


@pytest.mark.parametrize("engine", ["jeffs_brain", "soleri", "knowing"])
def test_failed_embedder_fails_every_gate(
    run: Run, judged: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "letters")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda *_: Letters(fails=True))
    line = "the embedder letters failed for 3 of 3 queries: letters is away"
    check_failed_service(run, tmp_path, ("eval", "--services", "--engine", engine), line)


@pytest.mark.parametrize("vector", [[0.0] * 26, [float("nan")] * 26, [1.0] * 5, []])
@pytest.mark.parametrize("engine", ["jeffs_brain", "soleri", "knowing"])
def test_unusable_query_vector_fails_every_gate(
    run: Run, judged: Tree, monkeypatch: pytest.MonkeyPatch, engine: str, vector: list[float]
) -> None:
    class Odd(Letters):
        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            queries = {judgment.text for judgment in JudgmentsFile.of(find_project(judged.root)).read()}
            return [
                vector if text in queries else vectors
                for text, vectors in zip(texts, super().embed(texts), strict=True)
            ]

    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "letters")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda *_: Odd(1.0))
    code, out, _ = run("eval", "--services", "--engine", engine, *GATE)
    assert (code, "the embedder letters failed for 3 of 3 queries: " in out) == (4, True), out


@pytest.mark.parametrize("engine", ["jeffs_brain", "soleri", "knowing"])
def test_all_zero_note_vectors_fail_every_gate(
    run: Run, judged: Tree, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    class Zeros(Letters):
        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            vectors = super().embed(texts)
            return [[0.0] * len(vectors[0]), *vectors[1:]] if len(texts) > 1 else vectors

    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "letters")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda *_: Zeros(1.0))
    for _ in range(2):  # the second run must not take the vectors of the first from the cache
        code, out, _err = run("eval", "--services", "--engine", engine, *GATE)
        assert (code, "all zeros" in out) == (4, True), out


def test_cache_command_shows_and_removes_vectors(run: Run, judged: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "letters")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda *_: Letters(1.0))
    run("eval", "--services", "--engine", "jeffs_brain")
    assert "vectors of notes" in run("cache", "info", now=False)[1]
    assert "removed" in run("cache", "clear", now=False)[1]
    assert "vectors of notes" not in run("cache", "info", now=False)[1]


@pytest.mark.parametrize(("answer", "why"), [(None, "judge is away"), ([], "its answer is empty")])
def test_failed_reranker_fails_every_gate(
    run: Run, judged: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: list[Any] | None, why: str
) -> None:
    monkeypatch.setenv("BRV_TUI_RERANKER_MODEL", "judge")
    monkeypatch.setattr("brvtui.providers.services.reranker_of", lambda *_: FailingReranker(answer))
    line = f"the reranker judge failed for 2 of 3 queries: {why}"
    check_failed_service(run, tmp_path, ("eval", "--services", "--engine", "jeffs_brain", "--rerank"), line)


def test_working_services_do_not_fail_a_gate(run: Run, judged: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_TUI_EMBEDDER_MODEL", "letters")
    monkeypatch.setattr("brvtui.providers.services.embedder_of", lambda *_: Letters(1.0))
    for engine in ("jeffs_brain", "soleri", "knowing"):
        assert run("eval", "--services", "--engine", engine, *GATE)[0] == 0


def test_gates_refuse_scopes_that_the_tree_lacks(run: Run, judged: Tree) -> None:
    told = "the tree has no folder or note nowhere; check --scope"
    code, _, err = run("eval", "--scope", "nowhere", *GATE)
    assert (code, told in err) == (2, True)
    code, _, err = run("eval", "--scope", "nowhere")
    assert (code, f"note: {told}" in err) == (0, True)
    assert run("eval", "--scope", "auth", *GATE)[0] == 0
    file = JudgmentsFile.of(find_project(judged.root))
    file.change(lambda old: (*old, Judgment("odd", "session", "nowhere", documents=(JudgedDocument(EXPIRY, 1),))))
    told = "the tree has no folder or note nowhere; correct the scope of odd"
    code, _, err = run("eval", *GATE)
    assert (code, told in err) == (2, True)
    assert f"note: {told}" in run("eval")[2]


def test_gate_fails_if_a_judged_note_is_found_only_by_its_title_or_name(run: Run, judged: Tree, tmp_path: Path) -> None:
    file = JudgmentsFile.of(find_project(judged.root))
    finder = DocumentFinder(judged.snapshot())
    file.change(lambda _: (Judgment("refresh", "refresh token", documents=(finder.judged(ROTATION, 3),)),))
    text = (judged.tree / ROTATION).read_text()
    (judged.tree / ROTATION).unlink()
    saved = [tmp_path / name for name in ("e.json", "e.md", "e.xml")]
    save = tuple(word for name in saved for word in ("--save", str(name)))
    for path in ("auth/other.md", "auth/new/rotation.md"):
        title = "Refresh rotation" if path == "auth/other.md" else "Else"
        judged.note(path, title, "Something else about a refresh token.")
        assert run("eval")[0] == 0
        code, out, _ = run("eval", *GATE, *save)
        told = f"1 judged note is found only by its title or name: {ROTATION} → {path}; if it is the same note, run"
        assert (code, told in out) == (1, True)
        for name in saved:
            assert told.partition(":")[0] in name.read_text(), name
        (judged.tree / path).unlink()
    (judged.tree / "auth/same.md").write_text(text)
    assert run("eval", *GATE)[0] == 0


def test_damaged_stored_answers_count_as_missing(asked: Callable[..., Any], project: Tree) -> None:
    first = asked()[1]
    (file,) = KeptAnswers(project.tree).folder.iterdir()
    whole = file.read_bytes()
    cuts = [whole[:length] for length in (0, 1, len(whole) // 2, len(whole) - 1)]
    flips = [bytes([*whole[:at], whole[at] ^ 4, *whole[at + 1 :]]) for at in (0, 20, len(whole) // 2, len(whole) - 9)]
    for damaged in (*cuts, *flips, b"{}", b"\0" * 50):
        file.write_bytes(damaged)
        assert asked() == (ALL, first)
    numbers = {"now_ms": 10**500, "rows": []}
    for odd in ([], {}, {"now_ms": 1}, {"now_ms": 1, "rows": [[1]]}, {"now_ms": None, "rows": 3}, "x", numbers):
        KeptAnswers(project.tree).write(file.name.partition(".")[0], odd)
        assert asked() == (ALL, first)
    file.unlink()
    file.mkdir()
    assert asked() == (ALL, first)


def test_stored_answers_are_reused_for_an_hour_with_a_running_clock(
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


def test_stored_answers_have_a_size_limit(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "_MOST_FILES", 3)
    kept = KeptAnswers(tree.tree)
    for number in range(6):
        kept.write(f"n{number}", {"number": number})
    assert len(list(kept.folder.iterdir())) == 3
    assert kept.read("n5") == {"number": 5}
    assert kept.read("n0") is None
    monkeypatch.setattr(kept_answers, "_LARGEST_UNPACKED", 12)
    assert kept.read("n5") == {"number": 5}
    kept.write("long", "x" * 20)
    assert kept.read("long") is None
    monkeypatch.setattr(kept_answers, "_MOST_BYTES", 1)
    kept.write("last", 7)
    assert [file.name for file in kept.folder.iterdir()] == ["last.json.gz"]
    assert kept.clear() > 0
    assert (kept.bytes(), kept.folder.exists()) == (0, False)


def test_changed_program_runs_queries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code digest covers every source file in the package, or a single-module engine's module."""
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
