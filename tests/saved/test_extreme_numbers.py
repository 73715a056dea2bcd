"""A saved trace with extreme numbers is shown or refused in one line, in every form."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brvtui.ranking.compound import round_half_up
from brvtui.report.saved import Form, rendered, text_report
from brvtui.saved.traces import SavedError, as_plain, read
from tests.support.trees import Tree

EXTREMES = [1e308, -1e308, 1e-308, 1e59, -1e59, 5e-324, 0, -0.0, -1, 10**59, 10**400, 1e16, 2**63, 1.5e15]
_FIELDS_EACH = 30


def numbers(value: Any) -> Iterator[tuple[Any, Any]]:
    """The containers and keys of all numbers in ``value``."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from numbers(inner)
        elif type(inner) in (int, float):
            yield value, key


def problem(plain: Any, file: Path) -> str:
    """What went wrong when ``plain`` was shown in every form; empty if it was shown, or refused in one line."""
    file.write_text(json.dumps(plain))
    try:
        saved = read(file)
    except SavedError as error:
        return "" if "\n" not in str(error) and len(str(error)) < 500 else str(error)
    for form in Form:
        rendered(saved, form)
    text_report(saved, 100, True)
    return ""


@pytest.fixture
def plain(tree: Tree) -> Any:
    tree.note("x/n.md", "Quokka", "all about the quokka", 45)
    tree.note("x/old.md", "Old quokka", "a quokka of long ago", 300)
    tree.notes(5)
    session = tree.session()
    return json.loads(json.dumps(as_plain(session.answers.saved(session.run("quokka")))))


@pytest.mark.parametrize("extreme", EXTREMES)
def test_one_number_is_extreme(plain: Any, tmp_path: Path, extreme: float) -> None:
    places = len(list(numbers(plain)))
    assert places > 100
    for place in random.Random(repr(extreme)).sample(range(places), _FIELDS_EACH):
        changed = copy.deepcopy(plain)
        holder, key = list(numbers(changed))[place]
        holder[key] = extreme
        assert problem(changed, tmp_path / "t.json") == ""


@pytest.mark.parametrize("extreme", EXTREMES)
def test_all_fractions_are_extreme(plain: Any, tmp_path: Path, extreme: float) -> None:
    for holder, key in numbers(plain):
        if isinstance(holder[key], float):
            holder[key] = extreme
    assert problem(plain, tmp_path / "t.json") == ""


@pytest.mark.parametrize("extreme", [1e308, -1e308, 10**400])
def test_extreme_score_is_refused_with_its_place(plain: Any, tmp_path: Path, extreme: float) -> None:
    plain["trace"]["hits"][0]["score"] = extreme
    file = tmp_path / "t.json"
    file.write_text(json.dumps(plain))
    with pytest.raises(SavedError, match=r"trace\.hits\[0\]\.score must be a number"):
        read(file)


@pytest.mark.parametrize("value", [1e308, -1e308, float("inf"), 1e-308, 1e300])
def test_rounding_never_overflows(value: float) -> None:
    assert round_half_up(value, 2) == (value if abs(value) > 1 else 0)
