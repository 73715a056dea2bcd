"""Work for which only the newest request counts, and the history of followed links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brvtui.app.notes.browsing import Trail
from brvtui.app.workers import Newest


def test_newest_request_runs_after_the_current_request() -> None:
    begun: list[str] = []
    work = Newest(begun.append, lambda: None)
    for name in ("a", "b", "c"):
        work.want(name)
        work.go()
    assert begun == ["a"]
    work.finished()
    assert begun == ["a", "c"]
    work.finished()
    assert begun == ["a", "c"]
    work.want("d")
    assert begun == ["a", "c", "d"]


def test_first_and_last_requests_of_a_burst_run() -> None:
    begun: list[str] = []
    pauses: list[None] = []
    work = Newest(begun.append, lambda: pauses.append(None))
    for name in ("a", "b", "c"):
        work.want(name)
        work.finished()
    assert begun == ["a"]
    assert len(pauses) == 3
    work.go()
    assert begun == ["a", "c"]
    work.finished()
    work.go()
    assert begun == ["a", "c"]
    work.want("d")
    assert begun == ["a", "c", "d"]


def test_requests_without_a_pause_run_one_at_a_time() -> None:
    begun: list[int] = []
    newest = Newest(begun.append)
    newest.want(1)
    newest.want(2)
    newest.want(3)
    assert begun == [1]
    assert newest.is_busy
    newest.finished()
    assert begun == [1, 3]
    newest.finished()
    assert not newest.is_busy
    newest.want(4)
    assert begun == [1, 3, 4]


def test_trail_steps_back_and_forward() -> None:
    trail = Trail().jumped("a").jumped("b")
    assert trail.step(-1, "c") == ("b", Trail(("a",), ("c",)))
    there, back = trail.step(-1, "c")
    assert back.step(1, there) == ("c", Trail(("a", "b")))
    assert back.step(-1, there)[0] == "a"


def test_jump_clears_the_forward_trail() -> None:
    _, back = Trail().jumped("a").step(-1, "b")
    assert back.ahead == ("b",)
    assert back.jumped("a").ahead == ()


def test_trail_does_not_step_past_its_ends() -> None:
    assert Trail().step(-1, "a") == ("", Trail())
    assert Trail().step(1, "a") == ("", Trail())
    assert Trail().jumped("") == Trail()


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.integers(1, 7))
def test_stepping_back_and_forward_returns_to_the_start(notes: list[str], steps: int) -> None:
    trail, here = Trail(), notes[0]
    for note in notes[1:]:
        trail, here = trail.jumped(here), note
    before, taken = (here, trail), 0
    for _ in range(steps):
        found, trail = trail.step(-1, here)
        if found:
            here, taken = found, taken + 1
    for _ in range(taken):
        here, trail = trail.step(1, here)
    assert (here, trail) == before


def test_trail_has_a_maximum_length() -> None:
    trail = Trail()
    for number in range(300):
        trail = trail.jumped(str(number))
    assert len(trail.back) == 100
    assert trail.back[-1] == "299"
