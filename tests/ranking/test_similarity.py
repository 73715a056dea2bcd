from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brvtui.text.trigrams import jaccard

SETS = st.frozensets(st.sampled_from("abcdefgh"))


@given(SETS, SETS)
def test_jaccard_is_shared_over_all(left: frozenset[str], right: frozenset[str]) -> None:
    shared, union, ratio = jaccard(left, right)
    assert (shared, union) == (len(left & right), len(left | right))
    assert ratio == (len(left & right) / len(left | right) if left | right else 0.0)
