"""How a part of a search fails without failing the whole."""

from __future__ import annotations


class LegError(RuntimeError):
    """A ranked list, or a service behind one, that could not be had; the message says why in one line."""


class ServiceError(ValueError):
    """A service that is named wrongly; the message says by which setting and what to do."""
