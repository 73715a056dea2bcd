"""News goes to who asked for its kind."""

from __future__ import annotations

from dataclasses import dataclass

from brvtui.app.news import News
from brvtui.app.parts.hearing import Hearing


@dataclass
class Sown(News):
    what: str


@dataclass
class Picked(News):
    what: str


async def test_who_asked_last_hears_first() -> None:
    hearing, heard = Hearing(), list[str]()
    hearing.hear(Sown, lambda event: heard.append(f"below {event.what}"))
    hearing.hear(Sown, lambda event: heard.append(f"above {event.what}"))
    hearing.hear(Picked, lambda event: heard.append(f"picked {event.what}"))
    await hearing.tell(Sown("peas"))
    assert heard == ["above peas", "below peas"]


async def test_what_can_be_awaited_is_before_the_next_one_hears() -> None:
    hearing, heard = Hearing(), list[str]()

    async def slowly(event: Sown) -> None:
        heard.append(event.what)

    hearing.hear(Sown, lambda event: heard.append("next"))
    hearing.hear(Sown, slowly)
    await hearing.tell(Sown("peas"))
    assert heard == ["peas", "next"]


async def test_news_that_nobody_asked_for_is_dropped() -> None:
    hearing, heard = Hearing(), list[Sown]()
    hearing.hear(Sown, heard.append)
    await hearing.tell(Picked("peas"))
    assert not heard
