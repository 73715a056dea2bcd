"""The context of ByteRover's own functions."""

from __future__ import annotations

from brvtui.engines import contract
from brvtui.engines.byterover.profile import Profile

Context = contract.Context[Profile]
