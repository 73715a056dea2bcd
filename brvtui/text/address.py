"""Validation of the addresses of services."""

from __future__ import annotations

from urllib.parse import urlsplit

from brvtui.text.visible import visible


def why_no_address(base: str, setting: str) -> str:
    """Why no service can be asked at ``base``, which ``setting`` (``llm.url``) holds; empty when one can.

    What may be a password or a key is never part of it.
    """
    if "@" in base:
        key = f"{setting.rpartition('.')[0]}.key_env"
        return f"{setting} holds a user or a password: leave them out, the key stands in {key}'s variable"
    if "?" in base or "#" in base:
        return f"{setting} holds a query or a fragment (? or #): leave it out, a path is put after the address"
    try:
        parts = urlsplit(base)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        usable = usable and base.isascii() and base.isprintable() and " " not in base
    except ValueError:
        usable = False
    return "" if usable else f"{setting}: {visible(base)} is not an address: it must begin with http:// or https://"
