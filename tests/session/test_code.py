"""A session on code answers, explains and saves like one on notes; functions for notes only are refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.engines.contract import CodeAnswer, EngineError, Query, ReadsCode
from brvtui.engines.knowing.pack_cache import PackCache, kept_packs
from brvtui.engines.knowing.profile import load_profile
from brvtui.engines.knowing.sections import GraphRetrieval
from brvtui.engines.knowing.tracing_words import way_in_words
from brvtui.saved.traces import as_json, read
from brvtui.session import Session
from brvtui.store.feedback import FeedbackFile, clear_feedback
from brvtui.store.folders import runs_file
from brvtui.store.state_file import StateFile
from brvtui.trace.feedback import Feedback, Usefulness
from tests.corpus.code.making import write
from tests.support.trees import Tree

TOKENS = '''class TokenStore:
    """Keeps tokens."""
    def rotate(self): self.revoke()
    def revoke(self): pass
'''
WEB = """import os
from tokens import TokenStore
def refresh():
    os.environ['KEY']
    TokenStore.rotate()
"""
FILES = {
    "src/tokens.py": TOKENS,
    "src/web.py": WEB,
    "src/billing.py": "def round_cents(): pass\n",
    "tests/test_tokens.py": "from tokens import TokenStore\ndef test_rotation(): TokenStore.rotate()\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BRV_TUI_CACHE_DIR", str(tmp_path / "cache"))
    return write(tmp_path / "shop", FILES)


@pytest.fixture
def session(root: Path) -> Session:
    opened = Session.open(now_ms=1.8e12, repository=root)
    opened.load()
    return opened


def answered(session: Session, task: str, files: Sequence[str] = (), entry: str = "task") -> CodeAnswer:
    """The answer of the ``code`` command."""
    engine = session.engines.named(session.engine)
    assert isinstance(engine, ReadsCode)
    query = Query(task, services=True, options={"entry": entry, "budget": 5000})
    return engine.answer_code(session.engines.context(session.engine), query, files)


@pytest.mark.parametrize("entry", ["files", "changes"])
def test_files_named_in_a_question_become_the_entry(session: Session, entry: str) -> None:
    trace = session.preview("what of tokens.py?", options={"entry": entry})
    assert {"src/tokens.py/TokenStore.rotate", "src/web.py/refresh"} <= {hit.file for hit in trace.hits}
    missing = session.preview("no_file.py", options={"entry": entry})
    assert not missing.hits
    assert missing.verdict == "no symbol has this name, and none mentions a file with this name"


@pytest.mark.parametrize("task", ["rotate the TokenStore", "refresh the session", "nosuchword"])
def test_code_command_ranks_like_a_query(session: Session, task: str) -> None:
    packed = answered(session, task).packed
    hits = session.preview(task, options={"budget": 5000}).hits
    assert [round(one.score, 9) for one in packed] == [round(hit.score, 9) for hit in hits]
    assert all(one.node.name.rpartition("/")[2] in hit.file for one, hit in zip(packed, hits, strict=True))


TASK = "rotate the TokenStore"
ROTATE = "src/tokens.py/TokenStore.rotate"


def judge(root: Path, document: str, task: str = TASK, times: int = 2) -> None:
    for _ in range(times):
        FeedbackFile(root, "knowing").add(Feedback(task, document, Usefulness.ACCEPTED, 1.0))


@pytest.mark.parametrize("task", [TASK, "refresh the session", "`rotate` tokens"])
def test_feedback_and_learned_words_affect_the_ranking(session: Session, root: Path, task: str) -> None:
    before = {hit.file: hit.score for hit in session.preview(task).hits}
    session.engines.learn(session.preview(task), ROTATE, Usefulness.ACCEPTED)
    judge(root, ROTATE, task, 1)
    trace = session.preview(task)
    rotate = next(hit for hit in trace.hits if hit.file == ROTATE)
    assert [part.value for part in rotate.parts if part.name == "feedback"] == [0.25]
    assert rotate.score > before.get(ROTATE, 0.0)
    assert any(place.leg == "equivalence" for place in rotate.places), "its learned words find it"


def test_files_and_changes_are_ranked_without_feedback(session: Session, root: Path) -> None:
    asked = "src/tokens.py"
    before = session.preview(asked, options={"entry": "files"}).hits
    judge(root, ROTATE, asked)
    assert session.preview(asked, options={"entry": "files"}).hits == before


@pytest.mark.parametrize(
    "document",
    [
        "src/gone.py/TokenStore.rotate",
        "src/tokens.py/TokenStore.turn",
        "src/tokens.py",
        "src",
        "external://os.environ",
        "note://auth/jwt/code.md",
        "env://KEY",
        "../../etc/passwd",
        "\x1b]0;x\x07\udc80",
        "",
        "x" * 10_000,
    ],
)
def test_feedback_on_unknown_symbols_is_reported_and_ignored(session: Session, root: Path, document: str) -> None:
    before = session.preview(TASK)
    judge(root, document)
    trace = session.preview(TASK)
    assert trace.hits == before.hits
    assert len([line for line in trace.notices if line.startswith("feedback on 1 symbol that cannot be found")]) == 1
    assert session.explainer.explain(TASK, ROTATE, trace=trace).rank is not None
    assert answered(session, TASK).notices
    assert not answered(session, "another `thing` of `mine`").notices, "only where it counts"


def test_feedback_on_a_renamed_symbol_is_ignored_until_renamed_back(session: Session, root: Path) -> None:
    judge(root, ROTATE)
    judged = session.preview(TASK)
    assert not judged.notices
    write(root, {"src/tokens.py": TOKENS.replace("rotate", "turn")})
    session.refresh()
    assert any(ROTATE in line for line in session.preview(TASK).notices)
    write(root, {"src/tokens.py": TOKENS})
    session.refresh()
    assert session.preview(TASK).hits == judged.hits


def test_trace_over_code_uses_the_word_symbol(session: Session) -> None:
    trace = session.preview("rotate the TokenStore")
    first = trace.hits[0]
    assert first.title.startswith("TokenStore")
    assert first.file == f"src/tokens.py/{first.title}"
    assert "symbols fit into" in trace.verdict
    assert all("note" not in step.summary for step in trace.steps)
    for hit in trace.hits:
        assert hit.score == pytest.approx(sum(part.value for part in hit.parts), abs=1e-9)
    inside = session.preview("rotate the TokenStore", scope="src/web.py")
    assert inside.section(GraphRetrieval).ranking
    assert {word.word for hit in trace.hits for word in hit.words} >= {"rotate"}


INJECTED_TASK = "write a custom validator for the email field"


def test_agent_output_explains_each_score_and_confidence(session: Session, root: Path) -> None:
    write(root, {"src/checks.py": "class EmailValidator:\n    def clean(self): pass\n"})
    session.refresh()
    answer = answered(session, f"{INJECTED_TASK} and rotate the TokenStore")
    symbols = {row["qualified_name"].rpartition("/")[2]: row for row in json.loads(answer.as_text("json"))["symbols"]}
    for row in symbols.values():
        assert row["score"] == pytest.approx(sum(row["components"].values()), abs=1e-9)
    assert symbols["tokens.py.TokenStore.revoke"]["provenance"] == "structural", "it is a member of its type"
    injected = symbols["checks.py.EmailValidator"]
    assert injected["score"] == max(row["score"] for row in symbols.values())
    assert set(injected["components"]) >= {"confidence", "recency", "distance", "injected"}
    assert 0 < injected["components"]["injected"] < injected["score"]
    assert 'provenance=""' not in answer.as_text("xml")
    for entry in ("files", "changes"):
        text = answered(session, "", ["src/tokens.py"], entry).as_text("xml")
        assert "TokenStore.rotate" in text
        assert 'provenance=""' not in text


def test_injected_symbol_has_its_own_score_parts(session: Session, root: Path) -> None:
    write(root, {"src/checks.py": "class EmailValidator:\n    def clean(self): pass\n"})
    session.refresh()
    hit = session.preview(INJECTED_TASK).hits[0]
    assert hit.title == "EmailValidator"
    assert [part.name for part in hit.parts if part.value] == ["confidence", "recency", "nearness", "injected"]
    assert hit.score == pytest.approx(sum(part.value for part in hit.parts), abs=1e-9)


def test_step_explains_why_types_rank_first(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def steps() -> dict[str, str]:
        return {step.name: step.summary for step in session.preview(TASK).steps}

    assert "types before members" not in steps()["seeds"]
    assert "nearness has the exponent" not in steps()["packing"]
    profile = load_profile()
    changed = replace(profile, seeds=replace(profile.seeds, types_above=1))
    monkeypatch.setattr("brvtui.engines.knowing.engine.Knowing.constants", lambda *_: changed)
    assert "types before members" in steps()["seeds"]


def test_recent_option_boosts_recent_symbols(session: Session) -> None:
    trace = session.preview(TASK, options={"recent": ROTATE})
    rotate = next(hit for hit in trace.hits if hit.file == ROTATE)
    assert [part.value for part in rotate.parts if part.name == "session"] == [pytest.approx(0.1)]
    assert trace.section(GraphRetrieval).session == 1
    assert not session.preview(TASK).section(GraphRetrieval).session, "nothing is remembered of it"
    with pytest.raises(EngineError, match="recent=gone: no symbol has this path"):
        session.preview(TASK, options={"recent": f"{ROTATE},gone"})


def packs_of(root: Path) -> PackCache:
    return kept_packs(StateFile(runs_file(root, "knowing")).read(), load_profile().pack_cache)


def test_stored_packs_survive_a_restart_and_are_private(session: Session, root: Path) -> None:
    packed = session.run(TASK)
    file = runs_file(root, "knowing")
    assert file.stat().st_mode & 0o077 == 0
    (key,) = packs_of(root).packs
    rules, state = load_profile().pack_cache, session.snapshot.fingerprint
    found = packs_of(root).found(key, state, session.snapshot.loaded_ms / 1000, rules)
    assert (found.is_of_earlier_process, len(found.ids)) == (True, len(packed.hits))
    assert packs_of(root).found(key, "another state", session.snapshot.loaded_ms / 1000, rules) is None
    session.engines.learn(packed, packed.hits[0].file, Usefulness.ACCEPTED)
    assert packs_of(root).found(key, state, session.snapshot.loaded_ms / 1000, rules) is None, "a judgment ends packs"
    clear_feedback(root)
    assert not file.exists()


@pytest.mark.parametrize(
    "held", [None, [], 1, "x", {"k": 1}, {"k": [[], 1]}, {"k": [None, 1, 1, "", 0]}, {"k": [[], "x", 1, "", 0]}]
)
def test_invalid_stored_packs_are_skipped(held: object) -> None:
    assert not kept_packs(held, load_profile().pack_cache).packs


def test_damaged_pack_file_counts_as_missing(session: Session, root: Path) -> None:
    session.run(TASK)
    file = runs_file(root, "knowing")
    file.write_bytes(file.read_bytes().replace(b"TokenStore", b"TokenStoru"))
    assert not packs_of(root).packs
    assert session.preview(TASK).hits


def test_presence_and_absence_of_symbols_are_explained(session: Session) -> None:
    trace = session.preview("rotate the TokenStore")
    there = session.explainer.explain(trace.query, "src/tokens.py/TokenStore", trace=trace)
    assert there.use.startswith("given to an agent")
    missing = session.explainer.explain(trace.query, "round_cents", trace=trace)
    assert missing.path == "src/billing.py/round_cents"
    assert missing.reason.text == "no channel found it, and the walk hardly reaches it"


def test_trace_over_code_is_saved_and_read_back(session: Session, tmp_path: Path) -> None:
    trace = session.run("rotate the TokenStore")
    file = tmp_path / "trace.json"
    file.write_bytes(as_json(session.explainer.saved(trace)))
    assert read(file).trace.section(GraphRetrieval) == trace.section(GraphRetrieval)


def test_symbol_page_lists_notes_that_mention_the_symbol(session: Session, root: Path) -> None:
    path = "src/tokens.py/TokenStore.rotate"
    assert session.around(path).speaking == ()
    tree = Tree(root)
    tree.note("auth/jwt/code.md", "Where it is", "`TokenStore.rotate` is in src/tokens.py.", 1)
    tree.note("auth/jwt/other.md", "Other", "Nothing of it.", 1)
    session.refresh()
    assert session.around(path).speaking == (("auth/jwt/code.md", "TokenStore.rotate"),)
    assert session.around("src/billing.py/round_cents").speaking == ()


def test_note_connects_the_symbols_that_it_mentions(session: Session, root: Path) -> None:
    write(root, {"src/cash.py": "def settle_invoice(): pass\n"})
    session.refresh()
    plain = session.preview("settle an invoice")
    assert "src/billing.py/round_cents" not in {hit.file for hit in plain.hits}
    assert plain.section(GraphRetrieval).notes_on_code == plain.section(GraphRetrieval).files_without_note == ()
    Tree(root).note("auth/jwt/code.md", "Why", "After `settle_invoice` comes `round_cents`.", 1)
    assert session.refresh(), "a note alone has changed"
    result = session.preview("settle an invoice")
    linked = result.section(GraphRetrieval).placed("src/billing.py/round_cents")
    assert linked is not None, "the note joins it with what the task names"
    assert way_in_words(linked) == "from settle_invoice: documented by → auth/jwt/code.md → documents"
    notes = result.section(GraphRetrieval).notes_on_code
    assert [(note.note, set(note.written)) for note in notes] == [
        ("auth/jwt/code.md", {"settle_invoice", "round_cents"})
    ]
    assert result.section(GraphRetrieval).files_without_note == ()
    assert session.preview("rotate").section(GraphRetrieval).files_without_note == ("src/tokens.py", "src/web.py")
    assert "auth/jwt/code.md" not in {hit.file for hit in result.hits}
    assert session.refresh() is False


def test_named_project_notes_replace_repository_notes(session: Session, root: Path, tmp_path: Path) -> None:
    Tree(root).note("auth/jwt/own.md", "Own", "`TokenStore.rotate` is called by `refresh`.", 1)
    (tmp_path / "other").mkdir()
    Tree(tmp_path / "other").note("auth/jwt/code.md", "Why", "After `TokenStore.rotate` came `round_cents`.", 1)
    with closing(Session.open(tmp_path / "other", now_ms=1.8e12)) as notes:
        notes.load()
        session.join_notes(notes.snapshot)
    session.refresh()
    assert [note.note for note in session.preview(TASK).section(GraphRetrieval).notes_on_code] == ["auth/jwt/code.md"]
    session.join_notes(None)
    session.refresh()
    assert session.preview(TASK).section(GraphRetrieval).notes_on_code == ()


def test_changed_file_affects_the_next_answer(session: Session, root: Path) -> None:
    before = session.preview("rotate")
    write(root, {"src/more.py": "def rotate_everything(): pass\n"})
    assert session.refresh()
    assert "src/more.py/rotate_everything" in {hit.file for hit in session.preview("rotate").hits}
    assert session.snapshot_of(before).generation == before.snapshot.generation


def test_note_engines_are_refused_over_code(session: Session) -> None:
    for name in ("byterover", "soleri", "jeffs_brain"):
        with pytest.raises(EngineError, match=f"{name} ranks notes; over code, knowing answers"):
            session.preview("rotate", engine=name)


def test_symbol_page_reports_a_changed_or_removed_file(session: Session, root: Path) -> None:
    page = session.about("src/tokens.py/TokenStore.rotate")
    assert (page.title, page.state, page.text) == (
        "TokenStore.rotate", "current", "    def rotate(self): self.revoke()\n",
    )  # fmt: skip
    assert session.around(page.path).links == ()
    write(root, {"src/tokens.py": "def other(): pass\n"})
    assert session.about(page.path).state == "newer"
    assert session.stale_files([page.path]) == {page.path: "newer"}
    (root / "src/tokens.py").unlink()
    assert session.about(page.path).state == "gone"
