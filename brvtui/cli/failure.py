"""How commands end: their exit codes, and the failure that has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

OK, NEGATIVE, BAD_USAGE, NOT_THERE, FAILED = 0, 1, 2, 3, 4


class Failure(click.ClickException):
    """An error with its exit code; the message is one line."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(" ".join(message.split()))
        self.code = code


@contextmanager
def engine_errors_reported() -> Iterator[None]:
    """Turns an engine's refusal into one line and exit code 2; code 4 where a file cannot be written."""
    from brvtui.engines.contract import EngineError, StorageError

    try:
        yield
    except EngineError as error:
        raise Failure(str(error), FAILED if isinstance(error, StorageError) else BAD_USAGE) from error
