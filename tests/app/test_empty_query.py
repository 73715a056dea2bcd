"""The help texts of the Query panes before there is a query: complete sentences at every width."""

from __future__ import annotations

import pytest

from brvtui.app.query.score import legend
from brvtui.app.widgets.lines import hanging
from brvtui.engines import registry
from brvtui.engines.contract import LearningEngine
from brvtui.paint.glyphs import UNICODE
from brvtui.paint.line import line


@pytest.mark.parametrize("engine", registry.names())
def test_presentation_declares_whether_its_engine_learns(engine: str) -> None:
    assert registry.presentation(engine).learns is isinstance(registry.load(engine), LearningEngine)


@pytest.mark.parametrize("width", [30, 41, 80])
@pytest.mark.parametrize("engine", registry.names())
def test_score_legend_is_complete_at_every_width(engine: str, width: int) -> None:
    parts = registry.presentation(engine).legend
    lines = legend(parts, width, UNICODE)
    text = " ".join(" ".join(each.plain for each in lines).split())
    assert all(what in text for _, what in parts)
    assert max(each.width for each in lines) <= width


def test_wrapped_lines_align_with_the_text_after_the_heading() -> None:
    result = hanging(line("Type").gap(), "each key shows its tier", 18)
    assert [each.plain for each in result] == ["Type each key", "     shows its", "     tier"]


def test_text_is_cut_if_too_narrow_to_wrap() -> None:
    (result,) = hanging(line("Type").gap(), "each key shows its tier", 16)
    assert result.plain == "Type each key s…"
