"""The answers of the engines installed on this machine, compared with ours, and messages if there are none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from brvtui.engines.byterover import profile as profiles
from brvtui.engines.byterover.verification import verify as verify_v3
from brvtui.engines.byterover_v4.engine import ByteRoverV4
from brvtui.engines.byterover_v4.sections import SpaceAnswer
from brvtui.engines.byterover_v4.verification import first_difference, recall_difference
from brvtui.engines.byterover_v4.verification import verify as verify_v4
from brvtui.engines.contract import Context, Query
from brvtui.engines.verification.installed import (
    BUNDLE_VARIABLE,
    PACKAGE,
    PACKAGE_VARIABLE,
    InstalledEngine,
    NotInstalled,
    find_bundle,
    find_node,
    find_package,
)
from brvtui.engines.verification.results import VerificationRun, made_questions
from brvtui.engines.verification.sealed_node import EngineRunError, SealedNode, sealed_node
from brvtui.session import Session
from brvtui.session.verifying import questions, verification_status, verify
from brvtui.snapshot import Snapshot
from brvtui.store.app_state import VerifiedVersion, remember_verified, verified_versions
from tests.support import recorded
from tests.support.generated import generated
from tests.support.spaces import small_space
from tests.support.trees import BRV3, NOW_MS, Tree, changed
from tests.support.untouched import state_of

ENVIRONMENT = dict(os.environ)  # saved here, because a fixture hides the tool's variables from the tests
SAMPLE = recorded.REPOSITORY / "sample-tree"


def _missing(find: object, *given: object) -> str:
    try:
        find(*given)  # type: ignore[operator]
    except NotInstalled as error:
        return str(error)
    return ""


NO_NODE = _missing(find_node)
NO_PACKAGE = _missing(find_package, None, ENVIRONMENT)
NO_BUNDLE = _missing(find_bundle, None, ENVIRONMENT)
needs_node = pytest.mark.skipif(bool(NO_NODE), reason=NO_NODE)
needs_package = pytest.mark.skipif(bool(NO_NODE or NO_PACKAGE), reason=NO_NODE or NO_PACKAGE)
needs_bundle = pytest.mark.skipif(bool(NO_NODE or NO_BUNDLE), reason=NO_NODE or NO_BUNDLE)


def never() -> bool:
    return False


def quiet(done: int, of: int) -> None:
    pass


def compared(snapshot: Snapshot, queries: list[str], constants: profiles.Profile = BRV3) -> tuple[str, list[str]]:
    installed, sealed = find_package(None, ENVIRONMENT), sealed_node(find_node())
    result = verify_v3(
        VerificationRun(installed, sealed, snapshot, constants, queries, NOW_MS, quiet, never), constants
    )
    assert result.engine == installed.name
    return result.sentence, [difference.step for difference in result.differences]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    place = tmp_path / "sample-tree"
    shutil.copytree(SAMPLE, place)
    stamp = [sys.executable, str(SAMPLE / "restamp.py"), "--tree", str(place), "--now", "2026-11-20T12:00:00Z"]
    subprocess.run(stamp, check=True, capture_output=True, timeout=60)
    return place


@pytest.mark.long
@needs_package
def test_installed_engine_matches_ours_on_the_sample(sample: Path) -> None:
    session = Session.open(sample, now_ms=NOW_MS)
    session.load()
    listed = [question["query"] for question in json.loads((sample / "queries.json").read_text(encoding="utf-8"))]
    asked = list(dict.fromkeys([*listed, *questions(session)]))
    before = state_of(sample)
    found = find_package(None, ENVIRONMENT)
    counts: list[tuple[int, int]] = []
    result = verify(session, asked, found.folder, lambda done, of: counts.append((done, of)))
    assert result.differences == ()
    assert result.sentence == f"{len(asked)} of {len(asked)} answers match {found.name}"
    assert len(asked) > 226
    assert counts[-1] == (len(asked), len(asked))
    assert state_of(sample) == before
    [kept] = verified_versions()
    assert (kept.engine, kept.queries, kept.same, kept.over) == (found.name, len(asked), len(asked), "sample-tree")
    assert found.name in verification_status(session, found.folder).sentence


@needs_package
def test_installed_engine_matches_ours_on_a_generated_tree(tmp_path: Path) -> None:
    snapshot = generated(tmp_path / "project", 5, notes=60).snapshot()
    asked = made_questions(snapshot, 80)
    assert len(asked) == 80
    assert compared(snapshot, asked) == (f"80 of 80 answers match {find_package(None, ENVIRONMENT).name}", [])


@pytest.mark.long
@needs_package
def test_engine_waits_while_brv_tui_compares(tmp_path: Path) -> None:
    """The pipe between them holds 64 kB, fewer than 50 answers."""
    snapshot = generated(tmp_path / "project", 5, notes=60).snapshot()
    found, asked = find_package(None, ENVIRONMENT), made_questions(snapshot, 120)

    def progress(done: int, of: int) -> None:
        if done == 1:
            time.sleep(8)

    run = VerificationRun(found, sealed_node(find_node()), snapshot, BRV3, asked, NOW_MS, progress, never)
    assert verify_v3(run, BRV3).differences == ()


@pytest.mark.long
@needs_package
@pytest.mark.parametrize(
    ("tables", "step"),
    [
        ({"text": {"k": 1.3}}, "text score"),
        ({"direct": {"min_top": 0.999}}, "tier"),
        ({"score": {"relevance": 0.5}}, "score of "),
    ],
)
def test_first_different_step_is_named(tmp_path: Path, tables: dict[str, object], step: str) -> None:
    snapshot = generated(tmp_path / "project", 5, notes=60).snapshot()
    sentence, steps = compared(snapshot, made_questions(snapshot, 30), changed(BRV3, **tables))
    assert not sentence.startswith("30 of 30")
    assert any(one.startswith(step) for one in steps), steps


@needs_package
def test_both_programs_receive_the_same_signals(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "project")
    for number in range(4):
        tree.note(f"a/b/n{number}.md", f"Note {number}", "refresh token rotation and more words", days=number)
    file = tmp_path / "signals.json"
    file.write_text(json.dumps({"a/b/n2.md": {"importance": 95, "recency": 0.5, "maturity": "core"}}))
    session = tree.session(signals_file=file)
    assert session.preview("token rotation").hits[0].path == "a/b/n2.md"
    sentence, steps = compared(session.snapshot, ["token rotation", "refresh", "note 3"])
    assert (sentence[:6], steps) == ("3 of 3", [])


@needs_package
def test_notes_with_equal_times_get_different_times_in_the_copy(tmp_path: Path) -> None:
    """The engine has no rule for their order, so one copy of the tree could have several answers."""
    tree = Tree(tmp_path / "project")
    for number in range(9):
        tree.note(f"a/b/{'zyxwvutsr'[number]}.md", f"Note {number}", "the same text", days=0)
    tree.note("a/b/alone.md", "Note", "the same text", days=0.5)
    tree.note("a/b/old.md", "Note", "the same text", days=5)
    tree.note("a/b/older.md", "Note", "the same text", days=5)
    before = state_of(tree.root)
    snapshot = tree.snapshot()
    result = verify_v3(
        VerificationRun(
            find_package(None, ENVIRONMENT),
            sealed_node(find_node()),
            snapshot,
            BRV3,
            ["same text", "note"],
            NOW_MS,
            quiet,
            never,
        ),
        BRV3,
    )
    assert result.differences == ()
    assert [notice.partition(":")[0] for notice in result.notices] == ["8 recent files with the same time as another"]
    assert state_of(tree.root) == before


@needs_package
def test_broken_tree_is_verified(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "project")
    tree.note("a/b/c.md", "Title", "text", days=3)
    (tree.tree / "a/b/link.md").symlink_to(tree.tree / "a/b/c.md")
    snapshot = tree.snapshot()
    assert "a symlink to another note" in snapshot.engine_failure
    assert compared(snapshot, ["title", "text"])[1] == []


@needs_bundle
def test_installed_bundle_matches_ours_on_a_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(small_space(tmp_path, NOW_MS), now_ms=NOW_MS)
    session.load()
    before = state_of(tmp_path)
    bundle = find_bundle(None, ENVIRONMENT)
    asked, sealed = questions(session, 12), sealed_node(find_node())
    result = verify_v4(
        VerificationRun(bundle, sealed, session.snapshot, BRV3, asked, NOW_MS, quiet, never), ByteRoverV4()
    )
    assert result.sentence == f"12 of 12 answers match {bundle.name}"
    assert state_of(tmp_path) == before


def test_query_that_fits_no_command_line_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(small_space(tmp_path, NOW_MS), now_ms=NOW_MS)
    session.load()
    bundle = InstalledEngine("byterover skill", "4.2.0", tmp_path)
    nobody = SealedNode(tmp_path / "node", ())
    run = VerificationRun(bundle, nobody, session.snapshot, BRV3, ["refresh\0token"], NOW_MS, quiet, never)
    result = verify_v4(run, ByteRoverV4())
    assert result.queries == 0
    assert result.notices == ("left out: 1 question contains a null character, which a command line cannot pass on",)


def test_first_difference_from_the_v4_output_is_named() -> None:
    hit = {"path": "a.html", "score": 0.765, "confidence": "high", "snippet": "x", "title": "A"}
    ours = {"hits": [hit], "should_cite": True, "citation_block": "c"}
    data = {**ours, "query": "a"}
    assert first_difference({"ok": True, "data": data}, ours) is None
    assert first_difference({"ok": True, "data": {**data, "hits": []}}, ours) == ("results", "none", "a.html")
    other = {**hit, "score": 0.766, "snippet": "y"}
    expected = ("score of a.html", "0.766", "0.765")
    assert first_difference({"ok": True, "data": {**data, "hits": [other]}}, ours) == expected
    expected = ("should_cite", "false", "true")
    assert first_difference({"ok": True, "data": {**data, "should_cite": False}}, ours) == expected
    assert first_difference({"ok": False, "error": "broken"}, ours) == ("error", "broken", "an answer")
    assert first_difference({"ok": False, "error": "broken"}, {"error": "broken"}) is None
    assert recall_difference([hit], [hit]) is None
    assert recall_difference([], [hit]) == ("results of recall", "none", "a.html")
    assert recall_difference([hit], [{**hit, "snippet": "y"}]) == ("snippet of a.html in recall", '"x"', '"y"')


@needs_node
@pytest.mark.parametrize("prefix", [(), sealed_node(Path("node")).prefix])
def test_sealed_process_has_no_network_and_a_fixed_time(tmp_path: Path, prefix: tuple[str, ...]) -> None:
    script = tmp_path / "tries.mjs"
    script.write_text(
        """
import { execSync, spawn } from 'node:child_process';
import dns from 'node:dns';
import http from 'node:http';
import net from 'node:net';
const tries = {
  connect: () => net.connect(80, '127.0.0.1'),
  exec: () => execSync('true'),
  fetch: () => fetch('http://127.0.0.1/'),
  get: () => http.get('http://127.0.0.1/'),
  listen: () => net.createServer().listen(0),
  lookup: () => dns.lookup('localhost', () => {}),
  resolve: () => dns.promises.resolve('localhost'),
  spawn: () => spawn('true'),
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    console.log(name, 'went through');
  } catch (error) {
    console.log(name, error.message.startsWith('brv-tui refuses'));
  }
}
console.log(Date.now(), new Date().getTime(), new Date(5).getTime(), new Date() instanceof Date, process.env.HOME);
"""
    )
    sealed = SealedNode(find_node(), prefix)
    with sealed.lines([str(script)], tmp_path, tmp_path / "home", 1234.0) as lines:
        *tried, last = [line.strip() for line in lines]
    names = ("connect", "exec", "fetch", "get", "listen", "lookup", "resolve", "spawn")
    assert tried == [f"{name} true" for name in names]
    assert last == f"1234 1234 5 true {tmp_path / 'home'}"
    assert ("namespace" in sealed.isolation) is bool(prefix)


@needs_node
def test_package_with_moved_modules_is_reported_in_one_line(tmp_path: Path, tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps({"name": PACKAGE, "version": "9.9.9"}))
    found = find_package(folder)
    run = VerificationRun(found, sealed_node(find_node()), tree.snapshot(), BRV3, ["title"], NOW_MS, quiet, never)
    with pytest.raises(EngineRunError, match=r"byterover-cli 9\.9\.9: its modules have moved .*update"):
        verify_v3(run, BRV3)
    (folder / "dist/agent/infra/file-system").mkdir(parents=True)
    (folder / "dist/agent/infra/file-system/file-system-service.js").write_text("import 'a-package-that-is-missing';")
    with pytest.raises(EngineRunError, match="lacks the package a-package-that-is-missing; run npm install in"):
        verify_v3(run, BRV3)


def printing(folder: Path, printed: str) -> SealedNode:
    """A program in place of Node that prints ``printed``."""
    (folder / "printed").write_text(printed)
    (folder / "node").write_text(f"#!/bin/sh\nexec cat '{folder}/printed'\n")
    (folder / "node").chmod(0o755)
    return SealedNode(folder / "node", ())


HIT = {"path": "a/b/c.md", "score": 1.0}
READY = json.dumps({"at": "ready", "documents": 1})
END = json.dumps({"at": "end"})


def answer(number: object, **other: object) -> str:
    parts = {"search": {"results": [HIT], "total": 1}, "run": {"tier": 2, "again": 0, "matched": [HIT]}, "raw": [HIT]}
    return json.dumps({"at": "answer", "id": number, **parts, **other})


def without_raw() -> str:
    line = json.loads(answer(0))
    del line["raw"]
    return json.dumps(line)


def v3_run(tree: Tree, folder: Path, *lines: str) -> VerificationRun:
    tree.note("a/b/c.md", "Title", "text")
    engine = InstalledEngine(PACKAGE, "3.14.0", folder)
    sealed = printing(folder, "".join(f"{line}\n" for line in lines))
    return VerificationRun(engine, sealed, tree.snapshot(), BRV3, ["title", "text"], NOW_MS, quiet, never)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [END],
        [READY, END],
        [READY, answer(0), END],
        [READY, answer(0), answer(1)[:-5]],
        [answer(0), answer(1), END],
    ],
)
def test_missing_answers_are_reported_in_one_line(tmp_path: Path, tree: Tree, lines: list[str]) -> None:
    with pytest.raises(EngineRunError, match=r"^byterover-cli 3\.14\.0 ended without all answers; .*") as raised:
        verify_v3(v3_run(tree, tmp_path, *lines), BRV3)
    assert "\n" not in str(raised.value)


def test_output_beside_the_answers_is_ignored(tmp_path: Path, tree: Tree) -> None:
    result = verify_v3(v3_run(tree, tmp_path, "noise", READY, answer(1), answer(0)), BRV3)
    assert [difference.step for difference in result.differences] == ["text score", "text score"]


@pytest.mark.parametrize(
    "line",
    [
        *("5", "[]", "{}", "null", '"end"', "[" * 200_000, '{"at": []}', '{"at": "answer"}', '{"at": "ready"}'),
        *('{"at": "failed"}', '{"at": "moved", "what": 5}', '{"at": "ready", "documents": []}', READY, without_raw()),
        *(answer(number) for number in (2, -1, 0.0, "0", None, [], {})),
        *(answer(0, search=part) for part in (5, {}, {"results": [], "total": []}, {"error": 5}, {"total": 1})),
        *(answer(0, run=part) for part in (None, {"tier": 2, "again": 2}, {"tier": 2, "matched": []}, {"error": []})),
        *(answer(0, raw=hits) for hits in (5, [5], [{}], [{"path": 5, "score": 1}], [{"path": "a", "score": "1"}])),
        *(answer(0, raw=[{**HIT, "score": score}]) for score in (None, [], 10**400)),
        answer(0, raw=[{**HIT, "score": 0}]).replace(": 0}", ": Infinity}"),
        *(f"{answer(0)}\n{again}" for again in (answer(0), answer(False))),
    ],
)
def test_malformed_engine_lines_are_reported_in_one_line(tmp_path: Path, tree: Tree, line: str) -> None:
    with pytest.raises(EngineRunError, match=r"^byterover-cli 3\.14\.0 printed .* is not an answer; ") as raised:
        verify_v3(v3_run(tree, tmp_path, READY, line, END), BRV3)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    "printed",
    [
        *("", "5", "[]", "{}", "[" * 200_000, '{"ok": 5}', '{"ok": true}', '{"ok": true, "data": []}'),
        '{"ok": true, "data": {"hits": 5, "should_cite": true, "citation_block": ""}}',
        '{"ok": true, "data": {"hits": [{}], "should_cite": true, "citation_block": ""}}',
        '{"ok": true, "data": {"hits": []}}',
    ],
)
def test_malformed_v4_output_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    with pytest.raises(EngineRunError, match=r"^byterover skill 4\.2\.0: query printed no answer; "):
        verify_v4(v4_run(tmp_path, monkeypatch, printing(tmp_path, printed)), ByteRoverV4())


@pytest.mark.parametrize("printed", ['{"data": 5}', '{"data": {"matchedDocs": [5]}}', '{"matchedDocs": [{"path": 5}]}'])
def test_malformed_recall_output_is_reported_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    run = v4_run(tmp_path, monkeypatch, printing(tmp_path, printed))
    context = Context(run.snapshot, ByteRoverV4().constants(), NOW_MS)
    ours = ByteRoverV4().answer(context, Query("token", options={"argv": ["token"]})).section(SpaceAnswer).printed
    shell = f"""#!/bin/sh
case $3 in *query.mjs) cat '{tmp_path}/query';; *) cat '{tmp_path}/printed';; esac
"""
    (tmp_path / "query").write_text(json.dumps({"ok": True, "data": ours}))
    (tmp_path / "node").write_text(shell)
    with pytest.raises(EngineRunError, match=r"^byterover skill 4\.2\.0: recall printed no answer; "):
        verify_v4(run, ByteRoverV4())


def v4_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sealed: SealedNode) -> VerificationRun:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(small_space(tmp_path, NOW_MS), now_ms=NOW_MS)
    session.load()
    bundle = InstalledEngine("byterover skill", "4.2.0", tmp_path)
    return VerificationRun(bundle, sealed, session.snapshot, BRV3, ["token"], NOW_MS, quiet, never)


@contextmanager
def flooding(folder: Path, flood: str, most: int) -> Iterator[Iterator[str]]:
    """The lines of an engine that prints 64 MB with the shell command ``flood``, and then waits.

    Checks that its process ends.
    """
    (folder / "node").write_text(f"#!/bin/sh\necho $$ > '{folder}/id'\n{flood} | head -c 64000000\nexec sleep 60\n")
    (folder / "node").chmod(0o755)
    with SealedNode(folder / "node", ()).lines([], folder, folder / "home", 0.0, seconds=20, limit=most) as lines:
        yield lines
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "id").read_text()), 0)


@pytest.mark.parametrize(("flood", "most"), [("tr '\\0' x < /dev/zero", 1 << 40), ("yes", 10_000_000)])
def test_engine_that_prints_without_end_is_stopped(tmp_path: Path, flood: str, most: int) -> None:
    began = time.monotonic()
    size = 0
    with flooding(tmp_path, flood, most) as lines, pytest.raises(EngineRunError, match="printed too much to be an"):
        size = sum(map(len, lines))
    assert size <= most
    assert time.monotonic() - began < 15


def test_files_that_the_engine_does_not_read_are_copied_without_text(tmp_path: Path, tree: Tree) -> None:
    large = tree.tree / "a/huge.md"
    run = v3_run(tree, tmp_path, READY, answer(0), answer(1), END)
    large.touch()
    os.truncate(large, 6 << 30)
    assert verify_v3(run, BRV3).notices == (
        "the copy has no text in 1 file larger than 10 MB: the engine does not read such files",
    )


@needs_package
def test_installed_engine_matches_ours_beside_large_files(tmp_path: Path) -> None:
    tree = generated(tmp_path / "project", 5, notes=20)
    for number, name in enumerate(("a/huge.md", "huge.bin", "a/_index.md")):
        file = tree.tree / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"refresh token " * 800_000)
        os.utime(file, (NOW_MS / 1000 - 90_000 - number,) * 2)
    (tree.tree / "a/exact.md").write_bytes(b"refresh token\n" + b"x" * (10 * 1_048_576 - 14))
    snapshot = tree.snapshot()
    assert compared(snapshot, made_questions(snapshot, 12))[1] == []


def test_topic_too_large_to_copy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = v4_run(tmp_path, monkeypatch, printing(tmp_path, ""))
    (run.snapshot.project.spaces[0].tree / "huge.html").touch()
    os.truncate(run.snapshot.project.spaces[0].tree / "huge.html", 6 << 30)
    with pytest.raises(EngineRunError, match=r"^huge\.html: larger than 10 MB"):
        verify_v4(run, ByteRoverV4())


def test_missing_package_is_reported_with_advice(tmp_path: Path) -> None:
    nowhere = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    with pytest.raises(NotInstalled, match=r"no Node\.js was found on PATH.*install Node\.js 20 or later"):
        find_node(nowhere)
    by_package = "pass its folder with brv-tui verify --package or"
    with pytest.raises(NotInstalled, match=rf"npm install -g {PACKAGE}, or {by_package}"):
        find_package(None, nowhere)
    with pytest.raises(NotInstalled, match=r"choose the folder that contains its package\.json"):
        find_package(tmp_path)
    (tmp_path / "package.json").write_text(json.dumps({"name": PACKAGE, "version": "9" * 5000}))
    with pytest.raises(NotInstalled, match=r"choose the folder that contains its package\.json"):
        find_package(tmp_path)
    with pytest.raises(NotInstalled, match=f"{by_package} {BUNDLE_VARIABLE}"):
        find_bundle(None, nowhere)
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v16.20.2\n")
    old.chmod(0o755)
    with pytest.raises(NotInstalled, match=r"Node\.js 16\.20\.2, but 20 or later is needed"):
        find_node({"PATH": str(tmp_path)})


def test_installed_engines_are_found_on_the_search_path(tmp_path: Path) -> None:
    package = tmp_path / "lib/node_modules" / PACKAGE
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": PACKAGE, "version": "3.16.1"}))
    (package / "bin/run.js").write_text("")
    (package / "bin/run.js").chmod(0o755)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "brv").symlink_to(package / "bin/run.js")
    expected = InstalledEngine(PACKAGE, "3.16.1", package)
    assert find_package(None, {"PATH": str(programs)}) == expected
    assert find_package(None, {"PATH": "", PACKAGE_VARIABLE: str(package)}) == expected
    assert find_package(package).name == "byterover-cli 3.16.1"
    skill = tmp_path / ".claude/skills/byterover"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts/query.mjs").write_text("")
    (skill / "SKILL.md").write_text("---\nname: byterover\nmetadata:\n  version: 4.2.0\n---\n")
    found = find_bundle(None, {"HOME": str(tmp_path)})
    assert (found.name, found.folder) == ("byterover skill 4.2.0", skill / "scripts")
    assert find_bundle(skill) == find_bundle(skill / "scripts") == found


def test_verification_never_runs_programs_of_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PATH")
    marked = small_space(tmp_path, NOW_MS)
    skill = marked / ".claude/skills/byterover"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts/query.mjs").write_text("")
    (skill / "SKILL.md").write_text("metadata:\n  version: 4.2.0\n")
    session = Session.open(marked, now_ms=NOW_MS)
    session.load()
    assert verification_status(session).installed is None
    monkeypatch.chdir(marked)
    (marked / "node").write_text("#!/bin/sh\necho v22.0.0\n")
    (marked / "node").chmod(0o755)
    with pytest.raises(NotInstalled, match=r"no Node\.js was found on PATH"):
        find_node({"PATH": ".:"})


def test_unknown_version_is_reported(tmp_path: Path, tree: Tree) -> None:
    tree.note("a/b/c.md", "Title", "text")
    session = tree.session()
    (tmp_path / "package.json").write_text(json.dumps({"name": PACKAGE, "version": "3.16.1"}))
    assert "brv-tui verify checks whether its answers are the same" in verification_status(session, tmp_path).sentence
    known = VerifiedVersion("byterover-cli 3.16.1", NOW_MS, 226, 225, "sample-tree")
    remember_verified(replace(known, engine="byterover-cli 3.14.0"))
    assert verification_status(session, tmp_path).last is None
    remember_verified(known)
    remember_verified(replace(known, same=226, at_ms=NOW_MS + 1))
    assert len(verified_versions()) == 2
    status = verification_status(session, tmp_path)
    assert status.sentence == "226 of 226 answers match byterover-cli 3.16.1, over sample-tree, 2026-11-20"


@pytest.mark.parametrize(
    ("version", "is_known"),
    [("3.14.0", True), ("3.14.9", True), ("3.13.9", False), ("3.16.1", False), ("4.0.0", False), ("next", False)],
)
def test_profile_lists_the_versions_it_describes(tree: Tree, tmp_path: Path, version: str, is_known: bool) -> None:
    tree.note("a/b/c.md", "Title", "text")
    session = tree.session()
    (tmp_path / "package.json").write_text(json.dumps({"name": PACKAGE, "version": version}))
    status = verification_status(session, tmp_path)
    assert (status.profile, status.versions, status.is_known) == ("brv-3", "3.14", is_known)
    assert ("but profile brv-3 describes 3.14" in status.sentence) is not is_known


def test_space_is_verified_against_v4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRV_DATA_DIR", str(tmp_path / "data"))
    session = Session.open(small_space(tmp_path, NOW_MS), now_ms=NOW_MS)
    session.load()
    bundle = tmp_path / "bundle"
    (bundle / "scripts").mkdir(parents=True)
    (bundle / "scripts/query.mjs").write_text("")
    (bundle / "SKILL.md").write_text("metadata:\n  version: 4.3.0\n")
    status = verification_status(session, bundle)
    assert (status.profile, status.versions, status.is_known) == ("byterover_v4", "4.2", False)
    (bundle / "SKILL.md").write_text("metadata:\n  version: 4.2.7\n")
    assert verification_status(session, bundle).is_known


def test_generated_queries_depend_only_on_the_notes(tree: Tree) -> None:
    tree.note("a/b/c.md", "Refresh rotation", "Each use of a refresh token gives another one.")
    asked = made_questions(tree.snapshot(), 50)
    assert asked == made_questions(tree.snapshot(), 50)
    assert {"Refresh rotation", "a/b/c", "zqxwv"} <= set(asked)
    assert made_questions(tree.snapshot(), 5) == asked[:5]
