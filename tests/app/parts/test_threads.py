"""Work of parts in threads: what becomes of it is told in the app."""

from __future__ import annotations

import threading

import pytest
from textual.worker import Worker, WorkerFailed

from brvtui.app.crashing import ReportingApp
from brvtui.app.parts.threads import Job, Threads


class _Garden(ReportingApp):
    def __init__(self) -> None:
        super().__init__()
        self.threads = Threads(self)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.threads.changed(event)


def _refuse() -> None:
    raise OSError(28, "No space left on device", "/full/disk")


async def _done(app: _Garden, worker: Worker[object]) -> None:
    await app.workers.wait_for_complete([worker])


async def test_it_is_told_once_that_a_piece_has_ended() -> None:
    app, ended = _Garden(), list[int]()
    async with app.run_test() as pilot:
        job = Job("dig", ended=lambda: ended.append(threading.get_ident()))
        dug: list[str] = []
        worker = app.threads.start(job, dug.append, "bed")
        await _done(app, worker)
        await pilot.pause()
        assert (worker.name, worker.group, dug) == ("append", "dig", ["bed"])
        assert ended == [threading.get_ident()]


async def test_a_piece_that_broke_down_is_told_of_in_a_line() -> None:
    app, told = _Garden(), list[str]()
    async with app.run_test() as pilot:
        job = Job("dig", failed=lambda: told.append("failed"), ended=lambda: told.append("ended"))
        for piece in (job, Job("load", tell=told.append)):
            worker = app.threads.start(piece, _refuse)
            with pytest.raises(WorkerFailed):
                await worker.wait()
            await pilot.pause()
        toasts = [one.message for one in app._notifications]
    line = "/full/disk: the disk is full; free some space and try again"
    assert told == ["ended", "failed", line]
    assert toasts == [line]


async def test_a_new_piece_of_exclusive_work_cancels_the_one_before() -> None:
    app, hold = _Garden(), threading.Event()
    async with app.run_test() as pilot:
        job = Job("dig", exclusive=True)
        first, second = (app.threads.start(job, hold.wait, 5) for _ in range(2))
        assert (first.is_cancelled, second.is_cancelled) == (True, False)
        app.threads.cancel(job)
        assert second.is_cancelled
        hold.set()
        await pilot.pause()
