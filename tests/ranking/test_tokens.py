from __future__ import annotations

import numpy as np
import pytest

from brvtui.ranking.tokens import estimated_tokens
from tests.support.trees import BRV3


@pytest.mark.parametrize(("chars", "tokens"), [(0, 0), (1, 0), (2, 1), (5, 1), (6, 2), (400, 100), (402, 101)])
def test_tokens_are_characters_by_four_rounded_half_up(chars: int, tokens: int) -> None:
    assert int(estimated_tokens(chars, BRV3.manifest.chars_per_token)) == tokens
    assert estimated_tokens(np.asarray([chars, chars]), BRV3.manifest.chars_per_token).tolist() == [tokens, tokens]
