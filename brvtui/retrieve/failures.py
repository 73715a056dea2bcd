"""How a part of a search fails without failing the whole."""

from __future__ import annotations


class LegError(RuntimeError):
    """A ranked list, or a service behind one, that could not be had; the message says why in one line."""
