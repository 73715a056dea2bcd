"""Blocking work in threads: results and exceptions return to the event loop."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

from textual.widgets import Label

from brvtui.app.services import AppServices
from brvtui.app.workers import Refusal, is_cancelled
from tests.app.driving import until
from tests.app.looking import toasts


def _refuse() -> None:
    raise OSError(28, "No space left on device", "/full/disk")


async def test_result_arrives_in_the_event_loop_before_the_end_of_the_task() -> None:
    app, received = AppServices(), list[object]()
    async with app.run_test() as pilot:

        def dig(bed: str) -> tuple[str, int]:
            return bed, threading.get_ident()

        def dug(result: tuple[str, int]) -> None:
            received.append((result[0], result[1] != threading.get_ident(), "in the loop of", app._thread_id))

        def ended() -> None:
            received.append(threading.get_ident())

        worker = app.background.run(partial(dig, "bed"), dug, group="dig", on_end=ended)
        await worker.wait()
        await pilot.pause()
        assert (worker.name, worker.group) == ("dig", "dig")
        assert received == [("bed", True, "in the loop of", threading.get_ident()), threading.get_ident()]


async def test_async_callbacks_are_awaited() -> None:
    app, received = AppServices(), list[str]()
    async with app.run_test() as pilot:

        async def dug(result: str) -> None:
            await asyncio.sleep(0)
            received.append(result)

        await app.background.run(lambda: "bed", dug, group="dig").wait()
        await pilot.pause()
    assert received == ["bed"]


async def test_failing_task_is_reported_in_one_line() -> None:
    app, received = AppServices(), list[str]()
    async with app.run_test() as pilot:
        run = app.background.run
        results = list[None]()
        await run(_refuse, results.append, group="dig", on_end=lambda: received.append("ended")).wait()
        await run(_refuse, results.append, group="load", on_error=lambda why: received.append(why)).wait()
        await pilot.pause()
        messages = toasts(pilot)
    line = "/full/disk: the disk is full; free some space and try again"
    assert received == ["ended", line]
    assert messages == [line]
    assert results == []


async def test_refusal_is_reported_with_its_own_text() -> None:
    app, received = AppServices(), list[str]()
    async with app.run_test() as pilot:

        def refuse() -> None:
            raise Refusal("too wet: wait for the sun")

        await app.background.run(refuse, group="dig", on_error=lambda why: received.append(why)).wait()
        await pilot.pause()
    assert received == ["too wet: wait for the sun"]


async def test_new_exclusive_task_drops_the_result_of_the_previous_task() -> None:
    app, hold, received = AppServices(), threading.Event(), list[tuple[int, bool]]()
    begun, ended = list[int](), list[int]()
    async with app.run_test() as pilot:

        def dig(number: int) -> tuple[int, bool]:
            begun.append(number)
            hold.wait(30)
            return number, is_cancelled()

        async def begin(number: int, exclusive: bool = True) -> None:
            end = partial(ended.append, number)
            run = app.background.run
            run(partial(dig, number), lambda dug: received.append(dug), group="dig", exclusive=exclusive, on_end=end)
            await until(pilot, lambda: number in begun)

        await begin(1)
        await begin(2)
        await begin(3, exclusive=False)
        hold.set()
        await until(pilot, lambda: sorted(ended) == [1, 2, 3])
        assert sorted(received) == [(2, False), (3, False)]
        hold.clear()
        await begin(4)
        app.background.cancel("dig")
        hold.set()
        await until(pilot, lambda: 4 in ended)
    assert sorted(received) == [(2, False), (3, False)]


async def test_removed_widget_receives_no_result() -> None:
    app, hold, received = AppServices(), threading.Event(), list[bool]()
    async with app.run_test() as pilot:
        label = Label("bed")
        await app.mount(label)
        worker = app.background.run(lambda: hold.wait(30), lambda dug: received.append(dug), group="dig", owner=label)
        await label.remove()
        hold.set()
        await worker.wait()
        await pilot.pause()
    assert received == []


async def test_task_may_report_progress_before_its_result() -> None:
    app, received = AppServices(), list[tuple[int, int]]()
    async with app.run_test() as pilot:
        tell = app.background.relay(lambda spade: received.append((spade, threading.get_ident())))
        await app.background.run(lambda: [tell(spade) for spade in range(3)], group="dig").wait()
        await pilot.pause()
        assert received == [(spade, threading.get_ident()) for spade in range(3)]
