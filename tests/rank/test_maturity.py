from __future__ import annotations

import pytest

from brvtui.rank.maturity import after_access, next_maturity
from tests.support.trees import BRV3

SIGNALS = BRV3.signals


@pytest.mark.parametrize(
    ("importance", "maturity", "then"),
    [
        (84.999, "draft", "validated"),
        (85, "draft", "core"),
        (85, "validated", "core"),
        (84.999, "validated", "validated"),
        (64.999, "draft", "draft"),
        (65, "draft", "validated"),
        (60, "core", "core"),
        (59.999, "core", "validated"),
        (35, "validated", "validated"),
        (34.999, "validated", "draft"),
        (0, "draft", "draft"),
        (34, "core", "validated"),
    ],
)
def test_hysteresis(importance: float, maturity: str, then: str) -> None:
    assert next_maturity(importance, maturity, SIGNALS) == then


@pytest.mark.parametrize(
    ("importance", "maturity", "then"),
    [
        (50, "draft", (53, "draft")),
        (62, "draft", (65, "validated")),
        (61.5, "draft", (64.5, "draft")),
        (82, "validated", (85, "core")),
        (99, "core", (100, "core")),
        (100, "core", (100, "core")),
    ],
)
def test_an_access_hit(importance: float, maturity: str, then: tuple[float, str]) -> None:
    assert after_access(importance, maturity, SIGNALS) == then
