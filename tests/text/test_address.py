"""Valid addresses of services."""

from __future__ import annotations

import pytest

from brvtui.text.visible import why_no_address


@pytest.mark.parametrize("base", ["http://h", "https://h/v1", "http://localhost:11434/v1", "http://[::1]:80"])
def test_valid_addresses_are_accepted(base: str) -> None:
    assert why_no_address(base, "llm.url") == ""


@pytest.mark.parametrize(
    "base", ["", "ftp:/x", "h/v1", "http://", "http://h:99999", "http://h h", "http://é", "http://[h"]
)
def test_invalid_addresses_are_refused(base: str) -> None:
    assert (
        why_no_address(base, "llm.url") == f"llm.url: {base} is not an address: it must begin with http:// or https://"
    )


@pytest.mark.parametrize("base", ["https://me:hunter2@h", "hunter2@h", "https://h?key=hunter2", "https://h#hunter2"])
def test_possible_secrets_in_an_address_are_not_repeated(base: str) -> None:
    result = why_no_address(base, "services.embedder.url")
    assert result.startswith("services.embedder.url ")
    assert "remove it" in result
    assert "hunter2" not in result
    assert ("services.embedder.key_env" in result) == ("@" in base)
