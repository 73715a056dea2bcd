"""When garbage is collected while the app runs."""

from __future__ import annotations

import gc

_COLLECTIONS = (10_000, 5, 20)
"""How many new objects lead to a collection of these (Python's 700), and how many of those to one of older ones."""


def settle_memory() -> None:
    """Sets what was made while starting apart from garbage collection, and turns that on, seldom and in small steps.

    A collection holds up the event loop: one of everything that ten thousand notes leave behind takes 60 ms.
    """
    if not gc.isenabled():
        gc.set_threshold(*_COLLECTIONS)
    if gc.get_threshold() == _COLLECTIONS:
        gc.freeze()
        gc.enable()
