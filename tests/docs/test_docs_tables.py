"""The tables that docs/make_tables.py writes are those of the code."""

from __future__ import annotations

import pytest

from tests.docs.pages import ROOT, page, script

MAKER = script("docs/make_tables.py")


@pytest.mark.parametrize("name", MAKER.TABLES)
def test_the_tables_are_what_the_code_says(name: str) -> None:
    text = page(f"docs/{name}")
    assert (ROOT / "docs" / name).exists()
    assert MAKER.fresh(name, text) == text, "run make tables and look at the difference"
