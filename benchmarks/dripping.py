"""A network between a client and a port of this machine that can be slowed down to a few bytes per second."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from types import TracebackType

_PIECE_S = 0.25


class DrippingNetwork:
    """Forwards connections to ``port``, at full speed or, if it is set, with ``bytes_per_s`` in each direction. Inside
    the ``with`` block, ``address`` is available.
    """

    def __init__(self, port: int, bytes_per_s: int = 0) -> None:
        self.bytes_per_s = bytes_per_s
        self.address = ""
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> DrippingNetwork:
        self._thread.start()
        server = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._joined, "127.0.0.1", 0), self._loop)
        self.address = f"tcp://127.0.0.1:{server.result(10).sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _end(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _joined(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, on = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            await asyncio.gather(self._forward(near, on), self._forward(far, back))
        finally:
            on.close()
            back.close()

    async def _forward(self, here: asyncio.StreamReader, there: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await here.read(max(1, int(self.bytes_per_s * _PIECE_S)) if self.bytes_per_s else 65_536):
                there.write(piece)
                await there.drain()
                if self.bytes_per_s:
                    await asyncio.sleep(_PIECE_S)
            there.close()
