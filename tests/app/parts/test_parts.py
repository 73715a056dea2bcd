"""The app has parts: none of them knows it, all news has a part that hears it, and no class stands on a long chain."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from brvtui.app import parts
from brvtui.app.app import BrvTui
from brvtui.app.configured import ConfiguredApp
from brvtui.app.crashing import ReportingApp
from brvtui.app.news import News
from brvtui.app.parts.hearing import Hearing
from brvtui.app.parts.project import Opening
from brvtui.app.themed import ThemedApp

_MODULES = sorted(Path(parts.__file__).parent.glob("*.py"))


def test_the_app_stands_on_three_classes() -> None:
    own = [kind for kind in BrvTui.__mro__ if kind.__module__.startswith("brvtui.")]
    assert own == [BrvTui, ConfiguredApp, ThemedApp, ReportingApp]


@pytest.mark.parametrize("module", _MODULES, ids=lambda module: module.stem)
def test_no_part_knows_the_app(module: Path) -> None:
    found = list(ast.walk(ast.parse(module.read_text())))
    imported = {node.module for node in found if isinstance(node, ast.ImportFrom)}
    assert not imported & {"brvtui.app.app", "brvtui.app.configured", "brvtui.app.themed"}
    assert not any(isinstance(node, ast.Name | ast.Attribute) and "BrvTui" in ast.unparse(node) for node in found)


@pytest.mark.parametrize("module", _MODULES, ids=lambda module: module.stem)
def test_no_part_inherits_from_another(module: Path) -> None:
    classes = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.ClassDef)]
    bases = {base.id for kind in classes for base in kind.bases if isinstance(base, ast.Name)}
    protocols = {kind.name for kind in classes if "Protocol" in [ast.unparse(base) for base in kind.bases]}
    needs = {node.name for node in ast.parse((_MODULES[0].parent / "needs.py").read_text()).body
             if isinstance(node, ast.ClassDef)}  # fmt: skip
    assert bases <= {"Protocol", "Message", "News"} | needs | protocols


def test_all_news_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: set[type[News]] = set()
    hear = Hearing.hear

    def noted(hearing: Hearing, kind: type[News], then: object) -> None:
        heard.add(kind)
        hear(hearing, kind, then)

    monkeypatch.setattr(Hearing, "hear", noted)
    BrvTui(Opening())
    kinds = {kind for kind in News.__subclasses__() if kind.__module__.startswith("brvtui.")}
    assert heard == kinds
