"""The server: lists tools and resources, checks arguments, and answers calls one at a time in a thread."""

from __future__ import annotations

import json
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from brvtui import __version__, faults
from brvtui.answers.queries import DETAILED, SHORT, fitted
from brvtui.installation import packaged_file
from brvtui.mcp.projects import Projects, folder_of
from brvtui.mcp.tools import INSTRUCTIONS, TOOLS, Arguments, ToolDeclaration
from brvtui.regular_files import LARGEST, read_regular
from brvtui.text.visible import visible
from brvtui.wording import shortened

_SECONDS, _ROOTS_SECONDS = 60.0, 10.0
"""The time after which a call is answered with an error, and the time for the client to name its roots."""
_LONGEST_ERROR, _ROOTS = 600, "roots"
_RESOURCES = {"brv-tui://trace-schema": "trace.schema.json", "brv-tui://glossary": "glossary.md"}
_Context = ServerRequestContext[Any]
_VALIDATORS = {tool.listed.name: Draft202012Validator(tool.listed.input_schema) for tool in TOOLS}


class AnswerServer:
    """Answers the requests of one client about ``projects``."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._is_computing = threading.Lock()
        """Held while a call is computed, also by a call that was given up."""
        self.server = Server(
            "brv-tui",
            version=__version__,
            instructions=INSTRUCTIONS,
            on_list_tools=_list_tools,
            on_call_tool=self._call,
            on_list_resources=_list_resources,
            on_read_resource=_read_resource,
        )
        self.server.middleware.clear()  # it would report calls, and so queries, to a tracing service

    async def run(self) -> None:
        """Serves standard input and output until the client closes them."""
        async with stdio_server() as (reading, writing):
            await self.server.run(reading, writing, self.server.create_initialization_options())

    async def _call(
        self, context: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tool = next((one for one in TOOLS if one.listed.name == params.name), None)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"no tool {shortened(visible(params.name))}")
        given = params.arguments or {}
        if problem := _problem(params.name, given):
            return _failed(problem)
        roots = await self._client_roots(context, params)
        if roots is None:
            return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
        with anyio.move_on_after(_SECONDS):
            work = partial(self._answer, tool, given, roots)
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._one_at_a_time)
        return _failed(f"no answer within {_SECONDS:g} s: ask for less, or use the command brv-tui")

    async def _client_roots(self, context: _Context, params: types.CallToolRequestParams) -> Sequence[Path] | None:
        """The folders that the client gives; empty if it gives none, None if the result must ask for them."""
        capabilities = context.session.client_capabilities
        if capabilities is None or capabilities.roots is None:
            return ()
        listed = (params.input_responses or {}).get(_ROOTS)
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            request = types.ListRootsRequest()
            listed = await context.session.send_request(request, types.ListRootsResult, _ROOTS_SECONDS)
        if not isinstance(listed, types.ListRootsResult):
            return None
        folders = [folder for root in listed.roots if (folder := folder_of(str(root.uri))) is not None]
        if listed.roots and not folders:
            raise MCPError(types.INVALID_PARAMS, "none of the client's roots is a folder on this machine")
        return folders

    def _answer(self, tool: ToolDeclaration, given: Arguments, roots: Sequence[Path]) -> types.CallToolResult:
        if not self._is_computing.acquire(blocking=False):
            return _failed("an earlier call that took too long is still computing: try again later")
        try:
            return self._computed(tool, given, roots)
        finally:
            self._is_computing.release()

    def _computed(self, tool: ToolDeclaration, given: Arguments, roots: Sequence[Path]) -> types.CallToolResult:
        try:
            session, notices = self._projects.choose(roots, given.get("project", ""), given.get("path", ""))
            answer = tool.answer(session, given)
        except Exception as error:  # the last resort: one line for the agent, the rest for the client's log
            if faults.exit_code_of(error) is not None:
                return _failed(str(error))
            if isinstance(error, OSError):
                return _failed(faults.error_line(error))
            traceback.print_exc(file=sys.stderr)
            return _failed(f"{type(error).__name__}: this is an error of brv-tui, please report it")
        if notices:
            answer["notices"] = [*notices, *answer.get("notices", ())]
        answer = fitted(answer, DETAILED if given.get("detail") else SHORT)
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)


def _failed(message: str) -> types.CallToolResult:
    text = shortened(visible(" ".join(message.split())), _LONGEST_ERROR)
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)


def _problem(name: str, given: Arguments) -> str:
    """The first problem of the arguments; empty if they are valid."""
    error = best_match(_VALIDATORS[name].iter_errors(given))
    if error is not None:
        place = ".".join(map(str, error.path))
        return f"{place}: must be {error.validator} {error.validator_value}" if place else error.message
    odd = (each for each, value in given.items() if any("\ud800" <= char <= "\udfff" for char in str(value)))
    return next((f"{each}: must be Unicode text, without lone surrogates" for each in odd), "")


async def _list_tools(context: _Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[tool.listed for tool in TOOLS])


async def _list_resources(context: _Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=name) for uri, name in _RESOURCES.items()])


async def _read_resource(context: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    name = _RESOURCES.get(params.uri)
    if name is None:
        raise MCPError(types.INVALID_PARAMS, f"no resource {shortened(visible(params.uri))}")
    text = read_regular(packaged_file(name, "docs", "reference", name), LARGEST, follow_links=True).decode("utf-8")
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=params.uri, text=text)])
