from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.bm25 import log


@given(st.floats(1e-300, 1e300))
def test_it_is_the_logarithm_but_for_the_last_digit(value: float) -> None:
    assert abs(log(value) - math.log(value)) <= math.ulp(math.log(value))


@given(st.integers(0, 20_000), st.integers(0, 20_000))
def test_it_is_so_where_the_ranking_asks(notes: int, df: int) -> None:
    value = 1 + (max(notes, df) - df + 0.5) / (df + 0.5)
    assert log(value) == pytest.approx(math.log(value), rel=1e-15)


@pytest.mark.parametrize("exponent", [-1000, -2, -1, 0, 1, 2, 10, 1000])
def test_powers_of_two(exponent: int) -> None:
    assert log(2.0**exponent) == pytest.approx(exponent * math.log(2), rel=1e-15)


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, -math.inf, math.nan])
def test_what_has_no_logarithm(value: float) -> None:
    with pytest.raises(ValueError, match="no logarithm"):
        log(value)
