"""Makes the animated picture of the README: an SVG that shows screens of the running app in turn.

``make_screenshots.py`` writes it with the other pictures. Browsers that prefer reduced motion show one screen.
"""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

SIZE = (110, 32)
_KEYS = 0.5
_READ = 4.0
"""The seconds for a step of typing, and for reading a screen."""
_FIRST = 5
"""The first scene of the loop, which is also shown without motion: the first answer."""
_INNER = re.compile(r"<svg[^>]*viewBox=\"([^\"]+)\"[^>]*>(.*)</svg>", re.DOTALL)


class Scene(NamedTuple):
    """A query to type, or keys to press after it, and the seconds for which the screen is shown."""

    query: str
    keys: tuple[str, ...]
    seconds: float


SCENES = (
    Scene("", (), 1.5),
    *(Scene("foghorn deploy"[:end], (), _KEYS) for end in (4, 7, 10, 12)),
    Scene("foghorn deploy", (), _READ),
    Scene("foghorn deploy", ("enter",), _READ / 2),
    *(Scene("black friday"[:end], (), _KEYS) for end in (5, 9)),
    Scene("black friday", ("escape",), _READ),
    Scene("black friday", ("end",), _READ),
    Scene("black friday", ("w",), 1.5 * _READ),
    Scene("", ("escape", "3"), _READ),
)


async def take_tour(project: Path, now: str) -> str:
    """The screens of :data:`SCENES` as one animated SVG."""
    from brvtui.app.app import BrvTui, Opening
    from tests.app.driving import ask, settled

    app = BrvTui(Opening(project, None, datetime.fromisoformat(now).timestamp() * 1000, None))
    pictures = []
    async with app.run_test(size=SIZE) as pilot:
        app.theme = "brv-dark"
        asked = ""
        for scene in SCENES:
            if scene.query and scene.query != asked:
                asked = scene.query
                await ask(pilot, scene.query)
            for key in scene.keys:
                await pilot.press(key)
                await settled(pilot)
            app.clear_notifications()
            await settled(pilot)
            pictures.append(app.export_screenshot(title="brv-tui"))
    seconds = [scene.seconds for scene in SCENES]
    return animated(pictures[_FIRST:] + pictures[:_FIRST], seconds[_FIRST:] + seconds[:_FIRST])


def animated(pictures: list[str], seconds: list[float]) -> str:
    """An SVG that shows each of ``pictures`` for its number of seconds, in an endless loop."""
    total, begin = sum(seconds), 0.0
    rules, frames, box = [], [], ""
    for place, (picture, length) in enumerate(zip(pictures, seconds, strict=True)):
        found = _INNER.search(picture)
        assert found is not None
        box, inner = found.groups()
        first, last = 100 * begin / total, 100 * (begin + length) / total
        rules.append(
            f"@keyframes s{place} {{ 0% {{ visibility: {'visible' if not place else 'hidden'} }}"
            f" {first:.2f}% {{ visibility: visible }} {last:.2f}% {{ visibility: hidden }} }}"
            f" .s{place} {{ visibility: hidden; animation: s{place} {total:g}s step-end infinite }}"
        )
        frames.append(f'<g class="s{place}">{inner}</g>')
        begin += length
    still = "@media (prefers-reduced-motion) { g { animation: none !important } .s0 { visibility: visible } }"
    style = f"<style>{' '.join(rules)} {still}</style>"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{style}{"".join(frames)}</svg>\n'
