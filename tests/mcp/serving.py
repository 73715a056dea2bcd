"""A server over a copy of the sample tree, and clients of the SDK that call it in this process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.session import ClientRequestContext

from brvtui.mcp.projects import Projects
from brvtui.mcp.server import AnswerServer
from tests.support.trees import NOW_MS


def projects(here: Path, *named: Path) -> Projects:
    return Projects(named, here, NOW_MS)


@asynccontextmanager
async def client(
    here: Path, *named: Path, roots: Sequence[Path] | None = None, mode: str = "legacy"
) -> AsyncIterator[Client]:
    """A client whose server runs in ``here``, and which gives ``roots`` if it has any."""
    served = projects(here, *named)

    async def list_roots(_: ClientRequestContext) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()) for folder in roots or ()])

    callback = list_roots if roots is not None else None
    try:
        async with Client(AnswerServer(served).server, mode=mode, list_roots_callback=callback) as connected:
            yield connected
    finally:
        served.close()


async def answer(connected: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of ``tool``, which must not be an error."""
    result = await connected.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    assert not result.is_error, content.text
    assert json.loads(content.text) == result.structured_content
    found: dict[str, Any] = result.structured_content
    return found


async def failure(connected: Client, tool: str, **arguments: Any) -> str:
    """The message of ``tool``, which must be an error of one line."""
    result = await connected.call_tool(tool, arguments)
    (content,) = result.content
    assert result.is_error
    assert isinstance(content, types.TextContent)
    assert content.text
    assert content.text.isprintable()
    return content.text
