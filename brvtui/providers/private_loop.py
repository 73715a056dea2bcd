"""An event loop that prints nothing and that no slow name look-up delays."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from typing import Any


class PrivateLoop(asyncio.SelectorEventLoop):
    """Looks host names up in daemon threads.

    A look-up cannot be cancelled and may hang for minutes. asyncio runs it in a pool of threads that the interpreter
    joins at exit.
    """

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Prints nothing: asyncio's message about a closed connection would be written over the screen."""

    async def getaddrinfo(
        self,
        host: bytes | str | None,
        port: bytes | str | int | None,
        *,
        family: int = 0,
        type: int = 0,
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        """The result of :func:`socket.getaddrinfo`. Raises OSError, and UnicodeError for an invalid name."""
        found: asyncio.Future[list[Any]] = self.create_future()

        def look_up() -> None:
            try:
                addresses = socket.getaddrinfo(host, port, family, type, proto, flags)
            except (OSError, ValueError) as error:
                self._settle(found, [], error)
            else:
                self._settle(found, addresses, None)

        threading.Thread(target=look_up, name="look-up of a name", daemon=True).start()
        return await found

    def _settle(self, found: asyncio.Future[list[Any]], addresses: list[Any], error: Exception | None) -> None:
        def settle() -> None:
            if found.done():  # cancelled meanwhile
                return
            if error is None:
                found.set_result(addresses)
            else:
                found.set_exception(error)

        with suppress(RuntimeError):  # the loop is closed
            self.call_soon_threadsafe(settle)
