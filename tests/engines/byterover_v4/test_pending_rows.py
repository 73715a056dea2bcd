"""V4's rows that are waiting to be sent: they are parsed safely, and never written."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover_v4.pending_rows import LARGEST_READ, ROWS, PendingRows
from brvtui.session import Session
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.tree.spaces.project import NamedSpace
from tests.engines.byterover_v4.test_properties import MOMENT
from tests.engines.byterover_v4.test_properties import space as space
from tests.support.examples import examples
from tests.support.spaces import SPACE_ID, small_space
from tests.support.untouched import state_of

OTHER = "1c2a4e6f-1b3d-4f5a-8b7c-9d0e1f2a3b4c"


HITS = [{"path": "auth/jwt.html", "title": "JWT", "score": 0.81, "snippet": "a token", "confidence": "high"}]


def row(name: str, properties: dict[str, Any]) -> str:
    return json.dumps({"id": "1", "name": name, "occurred_at": "2026-11-20T11:00:00.000Z", "properties": properties})


def asked(query: str, space: str = SPACE_ID) -> str:
    return row("v4:skill:query_completed", {"query": query, "space_id": space, "matched_doc_count": 1})


def printed(*arguments: str, command: str = "query", cwd: str = "/elsewhere", **result: Any) -> str:
    held = {"ok": True, "data": {"hits": HITS, "citation_block": "cited"}, **result}
    known = {"command": command, "args": arguments, "cwd": cwd, "ok": True, "duration_ms": 12, "result": held}
    return row("v4:skill:command", known)


def pieces(parts: int, cwd: str, *arguments: str) -> list[str]:
    whole = json.dumps({"args": arguments, "result": {"ok": True, "data": {"content": "files", "matchedDocs": HITS}}})
    step = -(-len(whole) // parts)
    common = {"command": "recall", "cwd": cwd, "ok": True, "duration_ms": 3, "group_id": "g", "chunk_total": parts}
    return [
        row("v4:skill:command", {**common, "chunk_index": place, "chunk": whole[place * step : (place + 1) * step]})
        for place in range(parts)
    ]


def read(folder: Path, *lines: str) -> list[LoggedQuery]:
    (folder / ROWS).write_text("\n".join(lines) + "\n")
    return PendingRows(folder, [SPACE_ID], Path("/project")).read(100)


def test_pending_rows_give_the_query_and_its_answer(tmp_path: Path) -> None:
    (entry,) = read(tmp_path, asked("refresh token"), printed("refresh", "token", "--scope", "auth", "--limit", "3"))
    assert (entry.query, entry.scope, entry.status, entry.engine) == (
        "refresh token", "auth", "completed", "byterover_v4",
    )  # fmt: skip
    assert (entry.top_score, entry.total_found, entry.paths, entry.took_ms) == (0.81, 1, ("auth/jwt.html",), 12)
    assert entry.response == "cited\nauth/jwt.html: a token"
    assert entry.options == {"argv": ["refresh", "token", "--scope", "auth", "--limit", "3"]}


def test_pieces_of_a_long_answer_are_joined(tmp_path: Path) -> None:
    lines = pieces(4, "/project/src", "token", "--scope", "auth")
    (entry,) = read(tmp_path, *lines)
    assert (entry.query, entry.response, entry.options) == ("token", "files", {"argv": ["token", "--limit", "5"]})
    assert entry.scope == ""
    assert not read(tmp_path, *lines[:-1])


def test_rows_from_other_spaces_and_folders_are_left_out(tmp_path: Path) -> None:
    failed = {"ok": False, "error": "no such space"}
    found = read(
        tmp_path,
        asked("one", OTHER), printed("one", cwd="/project"), asked("two"), printed("two"),
        *pieces(1, "/elsewhere", "three"), printed("four", cwd="/project", **failed), printed("five", **failed),
        printed("six", command="list", cwd="/project"),
    )  # fmt: skip
    assert [(entry.query, entry.status, entry.problem) for entry in found] == [
        ("four", "error", "no such space"),
        ("two", "completed", ""),
    ]


def test_recall_belongs_only_to_the_space_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This includes folders reached through a link, but not another space opened there by its root."""
    data = tmp_path / "data"
    monkeypatch.setenv("BRV_DATA_DIR", str(data))
    marked = small_space(tmp_path, MOMENT)
    shutil.copytree(data / "projects" / SPACE_ID, data / "projects" / OTHER)
    (data / ROWS).write_text("\n".join(pieces(1, str(marked.resolve()), "token")) + "\n")
    (tmp_path / "link").symlink_to(marked)
    for folder in (marked, tmp_path / "link"):
        assert [entry.query for entry in Session.open(folder, now_ms=MOMENT).logbook.engine.read(9)] == ["token"]
    other = NamedSpace(root=data / "projects" / OTHER / "context-tree")
    assert not Session.open(marked, now_ms=MOMENT, space=other).logbook.engine.read(9)
    own = NamedSpace(root=data / "projects" / SPACE_ID / "context-tree")
    assert Session.open(marked, now_ms=MOMENT, space=own).logbook.engine.read(9)


def test_repeated_chunk_is_not_a_second_query(tmp_path: Path) -> None:
    lines = pieces(2, "/project", "token")
    assert len(read(tmp_path, *lines, lines[0])) == 1


def test_broken_rows_and_old_rows_in_a_large_file_are_skipped(tmp_path: Path) -> None:
    broken = ("{", "[]", "null", row("x", {}), '{"occurred_at": "never"}', "[" * 10_000, printed("half")[:80])
    found = read(tmp_path, asked("old"), printed("old"), "x" * LARGEST_READ, *broken, asked("new"), printed("new"))
    assert [entry.query for entry in found] == ["new"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


NAMES = ("command", "args", "cwd", "duration_ms", "result", "group_id", "chunk_index", "chunk_total", "chunk", "query")


@examples(500)
@given(changed=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4), hit=JSON, data=JSON)
def test_hostile_rows_are_read_safely(
    tmp_path_factory: pytest.TempPathFactory, changed: dict[str, Any], hit: Any, data: Any
) -> None:
    properties = {"command": "query", "args": ["a"], "cwd": "/project", "result": {"ok": True, "data": data}, **changed}
    with_hit = {**properties, "result": {"ok": True, "data": {"hits": [hit], "citation_block": hit}}}
    found = read(tmp_path_factory.mktemp("rows"), row("x", properties), row("x", with_hit), asked("b"), printed("b"))
    assert found[0].query == "b"
    assert all(isinstance(path, str) for entry in found for path in entry.paths)


def test_session_follows_pending_rows_without_writing(space: Session, tmp_path: Path) -> None:
    file = tmp_path / "data" / ROWS
    came: list[LoggedQuery] = []
    noticed = threading.Event()

    def answered(entries: list[LoggedQuery]) -> None:
        came.extend(entries)
        noticed.set()

    space.logbook.engine.follow(answered)
    file.write_text(asked("refresh token") + "\n" + printed("refresh", "token") + "\n")
    before = state_of(tmp_path / "data")
    assert noticed.wait(20)
    assert came == space.logbook.read(10)
    compared = space.explainer.compare_logged(came[0])
    assert compared.paths[0] == "auth/jwt.html"
    assert any("0.810 then" in difference for difference in compared.differences)
    assert state_of(tmp_path / "data") == before
