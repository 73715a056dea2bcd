"""The tables that docs/make_tables.py writes are those of the code."""

from __future__ import annotations

import re
import tomllib

import pytest

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.checking import Checked, check_keys
from tests.docs.pages import ROOT, page, script

MAKER = script("docs/make_tables.py")


@pytest.mark.parametrize("name", MAKER.TABLES)
def test_the_tables_are_what_the_code_says(name: str) -> None:
    text = page(f"docs/{name}")
    assert (ROOT / "docs" / name).exists()
    assert MAKER.fresh(name, text) == text, "run make tables and look at the difference"


def test_every_binding_is_in_the_docs_by_its_name() -> None:
    text = page("docs/keys.md")
    assert [name for name in ACTIONS if f"`{name}`" not in text] == []


def test_the_keys_that_are_shown_can_be_used() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page("docs/keys.md"), re.DOTALL | re.MULTILINE)
    keys = tomllib.loads(shown)["keys"]
    assert check_keys(keys) == Checked(keys)
