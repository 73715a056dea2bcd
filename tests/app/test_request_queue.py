"""The rules for sending queries to the engine."""

from __future__ import annotations

from brvtui.app.query.answering import QueryRequest
from brvtui.app.query.runner import RequestQueue


class Engine:
    """Records the requests that started, and the number of pauses."""

    def __init__(self) -> None:
        self.begun: list[QueryRequest] = []
        self.pauses = 0
        self.requests = RequestQueue(self.begun.append, self._pause)

    def _pause(self) -> None:
        self.pauses += 1

    @property
    def queries(self) -> list[str]:
        return [asked.query for asked in self.begun]


def test_first_key_is_previewed_at_once() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    assert engine.queries == ["a"]
    assert engine.pauses == 0


def test_only_the_newest_waiting_request_runs_next() -> None:
    engine = Engine()
    for query in ("a", "ab", "abc"):
        engine.requests.ask(query, "")
    assert engine.queries == ["a"]
    assert not engine.requests.finished(engine.begun[0].number, 1)
    assert engine.queries == ["a", "abc"]
    assert engine.requests.finished(engine.begun[1].number, 1)
    assert engine.queries == ["a", "abc"]


def test_keys_after_a_slow_search_wait_for_a_pause() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    engine.requests.finished(1, 50)
    engine.requests.ask("ab", "")
    engine.requests.ask("abc", "")
    assert engine.queries == ["a"]
    assert engine.pauses == 2
    engine.requests.go()
    assert engine.queries == ["a", "abc"]
    engine.requests.finished(3, 1)
    engine.requests.ask("abcd", "")
    assert engine.queries == ["a", "abc", "abcd"]


def test_immediate_request_skips_the_pause_after_a_slow_search() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    engine.requests.finished(1, 50)
    engine.requests.ask("a", "", at_once=True)
    assert engine.queries == ["a", "a"]
    assert engine.pauses == 0


def test_runs_are_never_lost_and_never_wait_for_a_pause() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    engine.requests.finished(1, 50)
    engine.requests.ask("b", "", run=True)
    engine.requests.ask("c", "", run=True)
    engine.requests.ask("cd", "")
    assert engine.queries == ["a", "b"]
    engine.requests.finished(2, 1)
    engine.requests.finished(3, 1)
    assert engine.queries == ["a", "b", "c", "cd"]
    assert [asked.run for asked in engine.begun] == [False, True, True, False]


def test_forgotten_request_makes_its_answer_stale() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    engine.requests.forget()
    assert not engine.requests.finished(1, 1)


def test_failure_lets_the_next_request_start() -> None:
    engine = Engine()
    engine.requests.ask("a", "")
    engine.requests.ask("b", "")
    engine.requests.failed(1)
    assert engine.queries == ["a", "b"]


def test_failing_old_request_does_not_end_the_current_request() -> None:
    engine = Engine()
    engine.requests.ask("a", "", run=True)
    engine.requests.finished(1, 1)  # answered, but its model is still writing
    engine.requests.ask("b", "", run=True)
    engine.requests.ask("c", "")
    engine.requests.failed(1)
    assert engine.queries == ["a", "b"]
    engine.requests.failed(2)
    assert engine.queries == ["a", "b", "c"]


def test_late_answer_does_not_release_another_request() -> None:
    engine = Engine()
    engine.requests.ask("a", "", run=True)
    engine.requests.ask("b", "", run=True)
    engine.requests.finished(1, 1)
    engine.requests.ask("c", "", run=True)
    assert not engine.requests.finished(1, 1)  # a second answer to the first request
    assert engine.queries == ["a", "b"]
    engine.requests.finished(2, 1)
    assert engine.queries == ["a", "b", "c"]
