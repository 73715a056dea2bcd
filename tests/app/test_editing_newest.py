"""One request at a time, of those that wait only the newest."""

from __future__ import annotations

from brvtui.app.editing.newest import Newest


def test_the_newest_waits_for_the_one_under_way() -> None:
    begun: list[int] = []
    newest = Newest(begun.append)
    newest.ask(1)
    newest.ask(2)
    newest.ask(3)
    assert begun == [1]
    assert newest.is_busy
    newest.done()
    assert begun == [1, 3]
    newest.done()
    assert not newest.is_busy
    newest.ask(4)
    assert begun == [1, 3, 4]
