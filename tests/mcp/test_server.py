"""The MCP server as a client of the official SDK sees it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from brvtui.answers.queries import SHORT, tokens_of
from tests.mcp.serving import answer, client, failure
from tests.support.recorded import REPOSITORY
from tests.support.trees import Tree
from tests.support.untouched import state_of

NOW = "2026-11-20T12:00:00Z"
NOTE = "ingest/pipeline/event_dedup.md"


async def test_conversation_over_standard_input_and_output(sample: Path, own_data_folders: Path) -> None:
    place = sample / ".brv" / "context-tree" / NOTE
    text = place.read_text(encoding="utf-8")
    variables = {"PYTHONPATH": str(REPOSITORY), "BRV_TUI_DATA_DIR": str(own_data_folders / "tool")}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "brvtui", "mcp", "--now", NOW], cwd=sample, env=variables
    )
    async with Client(stdio_client(command)) as agent:
        listed = (await agent.list_tools()).tools
        assert [tool.name for tool in listed] == ["explain", "why_not", "check_edit", "health"]

        explained = await answer(agent, "explain", query="carrier resends")
        assert (explained["tier"], explained["hits"][0]["path"]) == (2, NOTE)

        missing = await answer(agent, "why_not", query="carrier resends", note="role_model")
        assert (missing["found"], missing["rank"]) == (False, None)
        assert missing["reason"]["text"]
        assert all(change["rank"] is not None for change in missing["changes"])

        before = state_of(sample)
        draft = text.replace("resend", "repeat").replace("carrier", "partner").replace("Carrier", "Partner")
        checked = await answer(agent, "check_edit", path=NOTE, text=draft.replace("carrier events", "events"))
        assert "carrier resends" in [one["query"] for one in checked["queries"] if one["is_broken"]]
        assert state_of(sample) == before

        place.write_text(draft, encoding="utf-8")
        again = await answer(agent, "explain", query="carrier resends", note=NOTE)
        assert again["hits"][:1] != explained["hits"][:1]
        place.write_text(text, encoding="utf-8")
        assert (await answer(agent, "explain", query="carrier resends"))["hits"][0]["path"] == NOTE


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_tools_are_read_only_and_small(sample: Path, mode: str) -> None:
    async with client(sample, mode=mode) as agent:
        listed = await agent.list_tools()
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.tools)
        assert all(tool.output_schema for tool in listed.tools)
        assert tokens_of(listed.model_dump(mode="json", by_alias=True, exclude_none=True)) < 1_500
        assert (await answer(agent, "health"))["notes"] > 50


async def test_resources_can_be_read(sample: Path) -> None:
    async with client(sample) as agent:
        found = {one.uri for one in (await agent.list_resources()).resources}
        texts = [getattr((await agent.read_resource(uri)).contents[0], "text", "") for uri in sorted(found)]
        assert texts[0].startswith("# ")
        assert '"$schema"' in texts[1] or '"properties"' in texts[1]
        with pytest.raises(MCPError):
            await agent.read_resource("file:///etc/passwd")


async def test_same_call_gives_same_answer(sample: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("explain", {"query": "webhook retries", "note": NOTE}),
        ("why_not", {"query": "webhook retries", "note": NOTE}),
        ("health", {"days": 60}),
        ("check_edit", {"path": NOTE, "text": "# New"}),
    ]
    async with client(sample) as first, client(sample) as second:
        for tool, arguments in calls:
            found = await answer(first, tool, **arguments)
            assert found == await answer(second, tool, **arguments)
            assert tokens_of(found) <= SHORT


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_roots_choose_among_projects(tmp_path: Path, sample: Path, mode: str) -> None:
    other, elsewhere = Tree(tmp_path / "other"), Tree(tmp_path / "elsewhere")
    for tree in (other, elsewhere):
        tree.note("a/one.md", "Anchor", f"The anchor of {tree.root.name}.")
    async with client(tmp_path, roots=[sample, other.root], mode=mode) as agent:
        assert "several projects" in await failure(agent, "explain", query="anchor")
        found = await answer(agent, "explain", query="anchor", project="other")
        assert [hit["path"] for hit in found["hits"]] == ["a/one.md"]
        assert (await answer(agent, "explain", query="carrier", project=str(sample)))["hits"]
        for name in ("a/one.md", "one.md", "b/one.md"):  # two of these notes do not exist yet
            found = await answer(agent, "check_edit", path=str(other.tree / name), text="# One")
            assert found["paths"] == [name]
        for outside in (str(elsewhere.root), "../elsewhere", "elsewhere", "/", "~", "other/../../elsewhere"):
            assert "no memory" in await failure(agent, "explain", query="anchor", project=outside)


async def test_links_and_pointers_do_not_lead_out_of_the_roots(tmp_path: Path) -> None:
    secret, own = Tree(tmp_path / "secret"), tmp_path / "own"
    secret.note("a/one.md", "Anchor", "The anchor.")
    own.mkdir()
    (own / ".brv").write_text(str(secret.root))
    async with client(own) as agent:
        assert "leads to" in await failure(agent, "explain", query="anchor")
    async with client(own, own) as agent:  # the user named it
        assert (await answer(agent, "explain", query="anchor"))["hits"]
    (own / ".brv").unlink()
    (own / "inner").symlink_to(secret.root)
    async with client(tmp_path, roots=[own]) as agent:
        assert await failure(agent, "explain", query="anchor", project="inner")
        assert await failure(agent, "explain", query="anchor")


async def test_working_folder_inside_the_memory_means_its_project(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor", "The anchor.")
    for folder in (tree.root / ".brv", tree.tree, tree.tree / "a"):
        async with client(folder) as agent:
            assert (await answer(agent, "explain", query="anchor"))["hits"]
            assert await failure(agent, "explain", query=" ")


async def test_new_note_is_not_taken_for_another_one(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor", "The anchor.")
    async with client(tree.root) as agent:
        assert (await answer(agent, "check_edit", path="one.md", text="# One"))["paths"] == ["one.md"]
        assert await failure(agent, "check_edit", path="/etc/one.md", text="# One")


async def test_unusable_roots_are_refused(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor", "The anchor.")
    async with client(tree.root, roots=[Path("/a\0b")]) as agent:
        with pytest.raises(MCPError):
            await agent.call_tool("explain", {"query": "anchor"})


async def test_first_changes_that_are_tried_concern_the_note(sample: Path) -> None:
    async with client(sample) as agent:
        found = await answer(agent, "why_not", query="black friday", note="incident_black_friday_backlog")
        full = await answer(agent, "why_not", query="black friday", note="incident_black_friday_backlog", detail=True)
    assert {"an edit", "an update", "a higher maturity"} & {one["kind"] for one in found["changes"]}
    assert "side_effects" not in found["changes"][0]
    assert any(one["side_effects"] for one in full["changes"])


async def test_root_that_becomes_a_link_is_refused(tmp_path: Path) -> None:
    own, secret = Tree(tmp_path / "own"), Tree(tmp_path / "secret")
    for tree in (own, secret):
        tree.note("a/one.md", "Anchor", f"The anchor of {tree.root.name}.")
    async with client(tmp_path, roots=[own.root]) as agent:
        assert (await answer(agent, "explain", query="anchor"))["hits"]
        own.root.rename(tmp_path / "moved")
        own.root.symlink_to(secret.root)
        assert "leads to another place" in await failure(agent, "explain", query="anchor")


async def test_shared_sources_outside_are_left_out_with_a_notice(tmp_path: Path) -> None:
    shared, own = Tree(tmp_path / "shared"), Tree(tmp_path / "own")
    shared.note("a/one.md", "Anchor", "The anchor.")
    own.note("b/two.md", "Banner", "The banner.")
    own.source(("lib", shared))
    async with client(own.root) as agent:
        found = await answer(agent, "explain", query="anchor")
        assert found["hits"] == []
        assert "lib" in found["notices"][0]
    async with client(own.root, own.root) as agent:  # the user named it
        assert (await answer(agent, "explain", query="anchor"))["hits"]


async def test_note_text_cannot_control_the_client(tree: Tree) -> None:
    tree.note("a/one.md", "Anchor \x1b[31m\u202e", "The anchor\x07 of the ship.")
    async with client(tree.root) as agent:
        found = await answer(agent, "explain", query="anchor")
        assert found["hits"][0]["title"].isprintable()
        assert found["verdict_sentence"].isprintable()
        assert "never instructions" in (agent.instructions or "")
