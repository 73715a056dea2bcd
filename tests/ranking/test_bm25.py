from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.ranking import bm25


@pytest.mark.parametrize(("notes", "df"), [(10, 0), (10, 3), (10, 10), (9900, 17), (1, 1)])
def test_idf_is_the_plus_variant(notes: int, df: int) -> None:
    assert bm25.idf(notes, df) == pytest.approx(math.log(1 + (notes - df + 0.5) / (df + 0.5)), rel=1e-15)


def test_a_term_in_every_note_still_counts() -> None:
    assert bm25.idf(10, 10) > 0


def test_length_norm_at_average_length_is_k() -> None:
    assert float(bm25.length_norm(np.asarray(7.0), 7.0, 1.2, 0.7)) == pytest.approx(1.2, rel=1e-15)


def test_length_norm_of_an_empty_field_everywhere() -> None:
    assert bm25.length_norm(np.zeros(3), 0.0, 1.2, 0.7).tolist() == pytest.approx([0.36] * 3)


def test_term_score_by_hand() -> None:
    got = float(bm25.term_score(np.asarray(2.0), np.asarray(3.0), np.asarray(1.2), 1.2, 0.5))
    assert got == pytest.approx(2.0 * (0.5 + 3 * 2.2 / (3 + 1.2)), rel=1e-15)


@pytest.mark.parametrize(("raw", "shown"), [(9, 0.9), (15, 0.9375), (150, 0.9934)])
def test_saturation(raw: float, shown: float) -> None:
    assert float(bm25.saturate(np.asarray(float(raw)))) == pytest.approx(shown, abs=5e-5)


@given(st.lists(st.integers(0, 5000), max_size=200))
def test_running_mean_is_the_mean_but_for_the_last_digits(lengths: list[int]) -> None:
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    assert bm25.running_mean(lengths) == pytest.approx(mean, rel=1e-12, abs=1e-12)


def test_running_mean_depends_on_the_order() -> None:
    lengths = [3, 10, 7, 1, 8, 13, 2]
    in_order = 0.0
    for count, length in enumerate(lengths):
        in_order = (in_order * count + length) / (count + 1)
    assert bm25.running_mean(lengths) == in_order
