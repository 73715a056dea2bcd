"""An event loop that is silent, and that no look-up of a name holds up."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from typing import Any


class PrivateLoop(asyncio.SelectorEventLoop):
    """Looks names up in daemon threads.

    A look-up cannot be broken off and may hang for minutes. asyncio's own loops make it in a pool of threads that the
    interpreter waits for before it ends.
    """

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Says nothing: what asyncio says of a connection that is broken off would be written over the screen."""

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
        """What :func:`socket.getaddrinfo` finds. Raises OSError, and UnicodeError for what cannot be a name."""
        found: asyncio.Future[list[Any]] = self.create_future()

        def look_up() -> None:
            try:
                addresses = socket.getaddrinfo(host, port, family, type, proto, flags)
            except (OSError, ValueError) as error:
                self._tell(found, [], error)
            else:
                self._tell(found, addresses, None)

        threading.Thread(target=look_up, name="look-up of a name", daemon=True).start()
        return await found

    def _tell(self, found: asyncio.Future[list[Any]], addresses: list[Any], error: Exception | None) -> None:
        def settle() -> None:
            if found.done():  # nobody waits any more
                return
            if error is None:
                found.set_result(addresses)
            else:
                found.set_exception(error)

        with suppress(RuntimeError):  # the loop has ended meanwhile
            self.call_soon_threadsafe(settle)
