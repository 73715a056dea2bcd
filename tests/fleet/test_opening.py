"""The permissions of members, trusted schedulers, and members that stay open."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from brvtui.engines.byterover.ranking_parts import TermCountRequest
from brvtui.engines.contract import Query
from brvtui.fleet.asking import IDLE_S, MemberQuestion, OpenMembers, ask, close_members, most_notes
from brvtui.fleet.cluster import AUTO, ClusterError, UntrustedScheduler, trusted_address
from brvtui.fleet.fleet_file import AbsenceKind, Member
from brvtui.fleet.one_ranking import PartOf
from brvtui.fleet.opening import OpenMember
from brvtui.fleet.questions import Answering, MemberAnswer, StateRequest
from brvtui.fleet.sketches import SketchOf
from brvtui.trace import Trace
from tests.fleet.conftest import Asking
from tests.fleet.test_cli import run
from tests.support.trees import NOW_MS, Tree

MakeTree = Callable[[str], Tree]
SECRET = "zanzibar"
SPACE = "11111111-1111-4111-8111-111111111111"


@dataclass(frozen=True)
class WithServices:
    """Runs queries with permission to use any service."""

    text: str

    def of(self, opened: OpenMember) -> Trace:
        """The trace of the query."""
        return opened.engine.answer(opened.context, Query(self.text, "", False, True))


def member(tree: Tree, **fields: str) -> Member:
    return Member("member", str(tree.root), **fields)


def found(asking: Asking, one: Member, words: str = SECRET) -> set[str]:
    reply = asking(one, Answering(words))
    assert not reply.failure
    return {hit.path for hit in reply.value.hits}


@pytest.fixture
def private(make_tree: MakeTree) -> Tree:
    """Another of the user's projects, which no member may read."""
    result = make_tree("private")
    result.note("safe/keys/pin.md", "The pin", f"{SECRET} {SECRET}")
    return result


def test_shared_sources_are_not_followed(asking: Asking, tree: Tree, private: Tree) -> None:
    tree.note("a/b/c.md", "A note", "of our own")
    tree.source(("lib", private))
    assert found(asking, member(tree)) == set()
    assert found(asking, member(tree), "note of our own") == {"a/b/c.md"}


def test_member_pointing_to_another_project_is_refused(asking: Asking, tmp_path: Path, private: Tree) -> None:
    (tmp_path / "lure").mkdir()
    (tmp_path / "lure" / ".brv").write_text(str(private.root))
    reply = asking(Member("lure", str(tmp_path / "lure")), Answering(SECRET))
    assert reply.failure == f"{tmp_path}/lure: its .brv points to another project; add that one"
    assert reply.kind is AbsenceKind.ONLY_ALONE


def test_member_with_a_symlinked_tree_is_refused(asking: Asking, tmp_path: Path, private: Tree) -> None:
    (tmp_path / "lure").mkdir()
    (tmp_path / "lure" / ".brv").symlink_to(private.root / ".brv")
    reply = asking(Member("lure", str(tmp_path / "lure")), Answering(SECRET))
    assert "its own files point to a memory elsewhere" in reply.failure
    assert reply.kind is AbsenceKind.ONLY_ALONE


@pytest.mark.parametrize("named_by", ["settings", "marker"])
def test_member_settings_cannot_open_a_space(asking: Asking, make_tree: MakeTree, named_by: str) -> None:
    data = Path(os.environ["BRV_DATA_DIR"])
    topics = data / "projects" / SPACE / "context-tree"
    topics.mkdir(parents=True)
    (topics / "pin.html").write_text(f'<bv-topic path="pin" title="The pin">{SECRET}</bv-topic>')
    (data / "bindings.json").write_text(f'{{"defaultSpaceId": "{SPACE}"}}')
    lure = make_tree("lure")
    lure.note("a/b/c.md", "A note")
    if named_by == "settings":
        lure.settings('engine = "byterover_v4"\n')
    else:
        (lure.root / ".brvspace").write_text(f'{{"space_id": "{SPACE}", "space_name": "x"}}')
        lure.tree.rename(lure.root / "notes")
        (lure.root / ".brv" / "config.json").unlink()
        (lure.root / ".brv").rmdir()
    reply = asking(member(lure), Answering(SECRET))
    assert "elsewhere" in reply.failure or not reply.value.hits
    assert asking(Member("space", str(topics)), Answering(SECRET)).value.hits


@dataclass(frozen=True)
class ListeningService:
    """A service that closes every connection, and a record of its callers."""

    port: int
    callers: list[object]


@pytest.fixture
def service() -> Iterator[ListeningService]:
    with socket.create_server(("127.0.0.1", 0)) as result:
        callers: list[object] = []

        def listen() -> None:
            with suppress(OSError):
                while True:
                    connection, caller = result.accept()
                    callers.append(caller)
                    connection.close()

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        yield ListeningService(result.getsockname()[1], callers)
        result.shutdown(socket.SHUT_RDWR)
        listener.join(10)


def test_member_settings_cannot_cause_service_calls(asking: Asking, tree: Tree, service: ListeningService) -> None:
    """The user has an embedder, and the member's settings select an engine that would call it."""
    settings = Path(os.environ["BRV_TUI_DATA_DIR"]) / "config" / "config.toml"
    settings.parent.mkdir(parents=True)
    address = f"http://127.0.0.1:{service.port}/v1"
    settings.write_text(
        f'[services.embedder]\nmodel = "m"\nurl = "{address}"\n[services.reranker]\nmodel = "m"\nurl = "{address}"\n'
        f'[llm]\nmodel = "m"\nurl = "{address}"\nallowed = true\n'
    )
    tree.note("a/b/c.md", "A note", "of our own")
    tree.settings('engine = "jeffs_brain"\n[services.embedder]\nurl = "http://127.0.0.1:1"\n')
    reply = asking(member(tree), Answering("note of our own"))
    assert "services" in reply.failure, "settings that a project may not have are said"
    tree.settings('engine = "jeffs_brain"\n')
    reply = asking(member(tree), Answering("note of our own"))
    assert reply.value.engine == "jeffs_brain"
    assert [hit.path for hit in reply.value.hits] == ["a/b/c.md"]
    reply = asking(member(tree), WithServices("note of our own"))
    assert [hit.path for hit in reply.value.hits] == ["a/b/c.md"]
    assert service.callers == []


def test_git_repository_gives_the_same_answers_as_its_tree(asking: Asking, tree: Tree, tmp_path: Path) -> None:
    """Reads git objects at a revision without a checkout."""
    repository = tmp_path / "mirror.git"
    run = ["git", "-C", str(tree.root), "-c", "user.name=n", "-c", "user.email=e@x"]
    dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{NOW_MS // 1000 - 40 * 86400} +0000")
    tree.note("auth/jwt/keys.md", "Signing keys", "keys rotate every week", days=40)
    tree.note("auth/jwt/café.md", "Tokens", "tokens outlive keys", days=40)
    tree.summary("auth", days=40)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "one"]):
        subprocess.run([*run, *arguments], check=True, env={**os.environ, **dates})
    subprocess.run(["git", "clone", "-q", "--bare", str(tree.root), str(repository)], check=True)
    for words, first in (("keys rotate", "auth/jwt/keys.md"), ("outlive", "auth/jwt/café.md")):
        on_disk: MemberAnswer = asking(member(tree), Answering(words)).value
        in_git: MemberAnswer = asking(Member("git", repository=str(repository)), Answering(words)).value
        assert in_git.hits == on_disk.hits
        assert in_git.hits[0].path == first
    assert not list(repository.glob("**/*.md"))
    missing = asking(Member("git", repository=str(repository), revision="gone"), Answering("keys"))
    assert "no revision gone" in missing.failure


def test_missing_or_broken_member_is_reported_in_one_line(asking: Asking, tree: Tree, tmp_path: Path) -> None:
    tree.note("a/b/c.md", "A note")

    def refused(one: Member) -> tuple[str, AbsenceKind]:
        reply = asking(one, StateRequest())
        return reply.failure, reply.kind

    gone = Member("gone", str(tmp_path / "gone"))
    assert refused(gone) == (f"{tmp_path}/gone: no such folder", AbsenceKind.NO_FOLDER)
    line, kind = refused(member(tree, engine="wrong"))
    assert ("no engine wrong" in line, kind) == (True, AbsenceKind.ONLY_ALONE)
    own = tree.root / "own.toml"
    own.write_text('extends = "brv-3"\nname = "own"\n[limits]\nmax_lines = 100_000_000\n')
    for profile in ("wrong", str(own), "own.toml", "../own.toml", "/etc/passwd"):
        line, kind = refused(member(tree, profile=profile))
        assert line.startswith(f"{tree.root}: no profile is called {profile}; a fleet cannot use a profile file")
        assert kind is AbsenceKind.OTHER
    assert asking(member(tree), StateRequest()).value.notes == 1
    tree.note("a/b/d.md", "Another")
    assert asking(member(tree), StateRequest()).value.notes == 2
    tree.tree.rename(tmp_path / "moved")
    assert refused(member(tree)) == (f"{tree.root}: its folder is gone", AbsenceKind.NO_FOLDER)


def test_profile_with_another_relevance_cannot_be_merged(asking: Asking, tree: Tree, tmp_path: Path) -> None:
    tree.note("a/b/c.md", "A note")
    (tree.root / "own.toml").write_text('extends = "brv-3"\nname = "own"\n[text]\nrelevance = "tantivy"\n')
    (tree.root / ".brv/brv-tui.toml").write_text('profile = "../own.toml"\n')
    reply = asking(member(tree), PartOf(TermCountRequest(("note",), "")))
    assert (reply.failure, reply.kind) == ("its profile scores words with tantivy", AbsenceKind.NOT_RANKED)


def test_member_data_is_stored_only_in_the_cache(
    asking: Asking, tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Queries, merged rankings and comparisons write only the index in this machine's cache."""
    monkeypatch.setattr("brvtui.publishing.publisher.WORTH_KEEPING", 1)
    tree.notes(30)
    tree.note("a/b/c.md", "A note", f"{SECRET} of our own")
    before = {file for file in tmp_path.rglob("*") if file.is_file()}
    for question in (Answering(SECRET), PartOf(TermCountRequest((SECRET,), "")), SketchOf(), StateRequest()):
        assert not asking(member(tree), question).failure
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == before
    own = Path(os.environ["BRV_TUI_DATA_DIR"])
    written = [file for file in own.rglob("*") if file.is_file()]
    assert any(SECRET.encode() in file.read_bytes() for file in written), "the kept index is what is looked for"
    assert all(file.is_relative_to(own / "cache") for file in written)
    assert all(file.stat().st_mode & 0o077 == 0 for file in written)
    sketch = asking(member(tree), SketchOf()).value
    assert SECRET not in repr(sketch)


HERE = (
    "127.0.0.1:8786", "tcp://127.0.0.1:8786", "tcp://127.9.9.9:1", "tcp://localhost:8786", "localhost:8786",
    "tcp://[::1]:8786", "[::1]:8786", "tls://server:8786", "tls://10.0.0.1:8786", "tls://[2001:db8::1]:1",
)  # fmt: skip
ELSEWHERE = (
    "tcp://10.0.0.1:8786", "10.0.0.1:8786", "server:8786", "tcp://server:8786", "tcp://[2001:db8::1]:8786",
    "tcp://127.0.0.1.example.org:1", "tcp://localhost.example.org:1", "tcp://localhost@example.org:1",
    "tcp://127.0.0.1:1@example.org:2", "tcp://example.org/127.0.0.1:1", "tcp://0.0.0.0:1", "ucx://127.0.0.1:1",
    "ws://localhost:1", "tls://x://example.org:1", "tls:example.org:1", "TLS//example.org:1", "tcp://:1", "tcp://",
    "tls://", "inproc://1/2/3", "unix:///tmp/s", "tcp://localhost:1\n@example.org", "tls://a b:1", "gateway://h:1",
    "tcp://tls://h:1", "tcp://2130706433:1", "tcp://0x7f.1:1", "tcp://ⅼocalhost:1",
    "scheduler.example:8786", "tcp://0.0.0.0:8786", "ws://10.0.0.1:8786", "tcp://localhost.example.org:8786",
    "tcp://127.0.0.1.example.org:8786", "tcp://127.0.0.1@example.org:8786", "tcp://127.0.0.1:1@example.org:8786",
    "tcp://example.org:8786#127.0.0.1", "tcp://example.org/tls://x:1", "tcp://[::ffff:10.0.0.1]:8786",
    "tcp://2130706433:8786", " tls://example.org:8786", "tcptls://example.org:1", "tcp://tls:8786",
    "tcp://example.org:8786\ntls://x:1", "wss://example.org:8786", "ucx://example.org:1",
)  # fmt: skip


@pytest.mark.parametrize("address", HERE)
def test_local_and_tls_addresses_are_trusted(address: str) -> None:
    assert trusted_address(address, False) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_other_addresses_must_be_trusted(address: str) -> None:
    with pytest.raises(UntrustedScheduler, match=r"can run code in this process: .*--trust-scheduler"):
        trusted_address(address, False)
    assert trusted_address(address, True) == address


@pytest.mark.parametrize("address", ELSEWHERE)
def test_scheduler_file_grants_no_trust(tmp_path: Path, address: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address, "trust_scheduler": True, "type": "Scheduler"}))
    with pytest.raises(UntrustedScheduler):
        trusted_address(str(file), False)
    file.write_text(json.dumps({"address": "tcp://127.0.0.1:1"}))
    assert trusted_address(str(file), False) == "tcp://127.0.0.1:1"


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"address": null}', '{"address": 5}', '{"address": ["tls://h:1"]}', "5"]
)
def test_scheduler_file_without_an_address_is_reported(tmp_path: Path, text: str) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text(text)
    with pytest.raises(ClusterError):
        trusted_address(str(file), False)


def test_file_named_like_an_address_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tcp:").mkdir()
    for name in ("localhost:8786", "tcp:/127.0.0.1:8786", AUTO):
        (tmp_path / name).write_text(json.dumps({"address": "tcp://127.0.0.1:666"}))
    for address in ("localhost:8786", "tcp://127.0.0.1:8786"):
        assert trusted_address(address, False) == address
    monkeypatch.setattr("dask.config.config", {})
    with pytest.raises(ClusterError, match="does not name a scheduler"):
        trusted_address(AUTO, False)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:1", 5, None, ["tls://x:1"]])
def test_dask_configuration_grants_no_trust(address: object) -> None:
    config = pytest.importorskip("dask.config")
    with (
        config.set({"scheduler-address": address, "trust-scheduler": True}),
        pytest.raises(UntrustedScheduler if isinstance(address, str) else ClusterError),
    ):
        trusted_address(AUTO, False)
    with config.set({"scheduler-address": "tls://10.0.0.1:1"}):
        assert trusted_address(AUTO, False) == "tls://10.0.0.1:1"


@pytest.mark.long
@pytest.mark.parametrize("command", [["query", "x"], ["explain", "x", "a.md"], ["health"], ["eval"], ["maturity"]])
def test_every_command_refuses_an_untrusted_scheduler_in_one_line(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / ".brv" / "context-tree").mkdir(parents=True)
    code, out, err = run(tmp_path, *command, "--over", ".", "--scheduler", "tcp://10.0.0.1:8786")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "add --trust-scheduler if you trust it" in err


def test_fleet_file_and_environment_grant_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fleet.toml").write_text('trust_scheduler = true\n[[member]]\npath = "."\n')
    assert run(tmp_path, "query", "x")[::2] == (
        3, "brv-tui: fleet.toml: trust_scheduler cannot be used: a fleet has a name and [[member]] tables\n",
    )  # fmt: skip
    for name in ("BRV_TUI_TRUST_SCHEDULER", "TRUST_SCHEDULER", "BRV_TUI_FLEET_QUERY_TRUST_SCHEDULER"):
        monkeypatch.setenv(name, "1")
    assert run(tmp_path, "query", "x", "--over", ".", "--scheduler", "tcp://10.0.0.1:8786")[0] == 2


@pytest.fixture
def members(make_tree: Callable[[str], Tree]) -> list[Member]:
    """Three members of two notes each."""
    result = []
    for name in ("one", "two", "three"):
        tree = make_tree(name)
        for note in ("b", "c"):
            tree.note(f"a/{name}/{note}.md", "A note")
        result.append(Member(name, str(tree.root)))
    return result


def test_member_beyond_the_memory_limit_is_opened_for_one_query(
    members: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = OpenMembers(most=5)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    now = [1_000.0]
    monkeypatch.setattr("brvtui.fleet.asking.time.monotonic", lambda: now[0])

    def opened() -> list[str]:
        return [one.name for one in members if kept._open.get(one)]

    for _ in range(2):
        assert [ask(MemberQuestion(one, StateRequest(), NOW_MS)).value.notes for one in members] == [2, 2, 2]
        assert opened() == ["one", "two"], "they stay, though the third was asked later"
    now[0] += IDLE_S
    for one in members[1:]:
        assert not ask(MemberQuestion(one, StateRequest(), NOW_MS)).failure
    assert opened() == ["two", "three"], "nobody asked the first for long"
    close_members()
    assert opened() == []


def test_single_member_larger_than_the_limit_stays_open(members: list[Member], monkeypatch: pytest.MonkeyPatch) -> None:
    kept = OpenMembers(most=1)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    for one in members:
        assert not ask(MemberQuestion(one, StateRequest(), NOW_MS)).failure
    assert list(kept._open) == members[:1]


def test_notes_added_to_an_open_member_count_towards_the_limit(
    members: list[Member], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = OpenMembers(most=5)
    monkeypatch.setattr("brvtui.fleet.asking._open_members", kept)
    assert not ask(MemberQuestion(members[0], StateRequest(), NOW_MS)).failure
    for name in ("d", "e"):
        (Path(members[0].path) / f".brv/context-tree/a/one/{name}.md").write_text("# A note\n")
    assert ask(MemberQuestion(members[0], StateRequest(), NOW_MS, 0.0)).value.notes == 4
    assert not ask(MemberQuestion(members[1], StateRequest(), NOW_MS)).failure
    assert list(kept._open) == members[:1]


def test_default_note_limit_is_plausible() -> None:
    assert 1_000 < most_notes() < 1_000_000_000


def _hang(connection: socket.socket) -> None:
    connection.recv(1)
    threading.Event().wait(60)


def _send(data: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        connection.sendall(data)
        _hang(connection)

    return answer


@pytest.mark.long
@pytest.mark.parametrize(
    "answer",
    [_hang, _send(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), _send(b"\xff\xff\x00\x7f" * 64),
     _send((2**40).to_bytes(8, "little") + bytes(99)), _send(bytes(999)), socket.socket.close],
    ids=["nothing", "http", "junk", "huge", "zeros", "end"],
)  # fmt: skip
@pytest.mark.parametrize("scheme", ["tcp", "tls"])
def test_port_without_a_scheduler_is_reported_within_the_time_limit(
    tmp_path: Path, answer: Callable[[socket.socket], None], scheme: str
) -> None:
    pytest.importorskip("distributed")
    (tmp_path / ".brv" / "context-tree").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=_quietly, args=(answer, server.accept()[0]), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        address = f"{scheme}://127.0.0.1:{server.getsockname()[1]}"
        begun = time.monotonic()
        code, out, err = run(tmp_path, "query", "x", "--over", ".", "--scheduler", address)
        assert (code, out, len(err.splitlines())) == (4, "", 1), err
        assert address in err
        assert time.monotonic() - begun < 18


def _quietly(answer: Callable[[socket.socket], None], connection: socket.socket) -> None:
    with suppress(OSError):
        answer(connection)
