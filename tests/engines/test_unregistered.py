"""Our engines when the metadata of the package lists none of them."""

from collections.abc import Iterator
from importlib import metadata

import pytest

from brvtui.engines import registry
from brvtui.engines.contract import Caches, EngineError


@pytest.fixture
def no_entry_points(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    cached = (registry._places, registry.names, registry.declaration)
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.usefixtures("no_entry_points")
@pytest.mark.parametrize("name", registry._FIRST)
def test_an_engine_without_an_entry_point_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(EngineError, match=f"the engine {name} is not registered: install brv-tui again"):
        registry.load(name)
    assert registry.declaration(name) is None
    assert not registry.has(name, Caches)
    assert registry.presentation(name).title == name
