"""The options of commands that run a query in an engine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import click

from brvtui.cli import completing
from brvtui.cli.options import (
    SCOPE_HELP,
    NamedPath,
    WholeNumber,
    engine_option,
    project_option,
    repo_option,
    shared,
    space_options,
)
from brvtui.cli.sessions import project_request

_F = TypeVar("_F", bound=Callable[..., Any])
_LARGEST_NUMBER, _LONGEST_NUMBER = 1e15, 64
"""The largest number that an option accepts, and the maximum number of characters of a number."""


def engine_command(command: _F) -> _F:
    """Adds the options shared by all commands that run a query. The command receives a :class:`ProjectRequest`.

    An engine refuses options that it does not know. ``--option`` passes on any option, so an engine from another
    package needs no flag here.
    """
    positive = WholeNumber(1, 1_000)
    flags = {
        "mode": click.option(
            "--mode",
            metavar="MODE",
            shell_complete=completing.modes,
            help="How the engine searches (jeffs_brain: auto, bm25, semantic, hybrid; soleri: full, scan; "
            "knowing: density, top-k, file-grouped).",
        ),
        "aliases": click.option("--aliases", type=NamedPath(), help="jeffs_brain: a JSON file of aliases."),
        "top_k": click.option("--top-k", type=positive, help="The number of results (default in jeffs_brain: 10)."),
        "candidate_k": click.option(
            "--candidate-k",
            type=positive,
            help="jeffs_brain: the number of candidates from each leg, BM25 and vectors (default: 60).",
        ),
        "rerank_top_n": click.option(
            "--rerank-top-n", type=positive, help="jeffs_brain: the number of results to rerank (default: 20)."
        ),
        "rerank": click.option("--rerank/--no-rerank", default=None, help="jeffs_brain: rerank the first results."),
        "budget": click.option(
            "--budget",
            type=WholeNumber(1, 10_000_000),
            metavar="TOKENS",
            help="knowing: the maximum number of tokens in the context (default: 50000).",
        ),
        "skip_retry_ladder": click.option(
            "--skip-retry-ladder", is_flag=True, default=None, help="jeffs_brain: do not try other forms of the query."
        ),
    }

    asking = project_request(command)

    @functools.wraps(command)
    def collected(**values: Any) -> Any:
        options = dict(values.pop("others"))
        options |= {name: value for name in flags if (value := values.pop(name)) is not None}
        return asking(options=options, **values)

    decorated: Any = collected
    for option in (
        click.option(
            "-o", "--option", "others", multiple=True, metavar="NAME=VALUE", callback=_named_values,
            help="Any other engine option; may be repeated.",
        ),
        *reversed(flags.values()),
        engine_option,
        click.option(
            "--scope", default="", metavar="PATH", shell_complete=completing.scopes,
            help=SCOPE_HELP,
        ),
        repo_option,
        space_options,
        project_option,
        shared,
    ):  # fmt: skip
        decorated = option(decorated)
    result: _F = decorated
    return result


def _named_values(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """The options, keyed by name: booleans and numbers in TOML's notation, everything else as strings."""
    by_name: dict[str, Any] = {}
    for pair in values:
        import tomllib

        name, equals, text = pair.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"{pair} must have the form NAME=VALUE")
        value: Any = text
        if len(text) <= _LONGEST_NUMBER:
            with suppress(tomllib.TOMLDecodeError, KeyError):
                value = tomllib.loads(f"value = {text}")["value"]
        if isinstance(value, int | float) and not abs(value) <= _LARGEST_NUMBER:
            raise click.BadParameter(f"{pair}: a number must be from -1e15 to 1e15", ctx, param)
        by_name[name.replace("-", "_")] = value if isinstance(value, bool | int | float) else text
    return by_name
