from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking.packing import estimated_tokens, fitting
from tests.support.trees import BRV3


@pytest.mark.parametrize(("chars", "tokens"), [(0, 0), (1, 0), (2, 1), (5, 1), (6, 2), (400, 100), (402, 101)])
def test_tokens_are_characters_by_four_rounded_half_up(chars: int, tokens: int) -> None:
    assert int(estimated_tokens(chars, BRV3.manifest.chars_per_token)) == tokens
    assert estimated_tokens(np.asarray([chars, chars]), BRV3.manifest.chars_per_token).tolist() == [tokens, tokens]


@given(st.lists(st.integers(-3, 30), max_size=20), st.integers(0, 60))
def test_each_entry_that_still_fits_is_taken_in_order(tokens: list[int], budget: int) -> None:
    taken, left = [], budget
    for place, amount in enumerate(tokens):
        if amount <= left:
            taken.append(place)
            left -= amount
    assert fitting(np.asarray(tokens, dtype=np.int64), budget).tolist() == taken
