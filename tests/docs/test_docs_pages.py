"""Every page: its links lead somewhere, its commands exist, and it stands alone."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.pages import PAGES, ROOT, headings, page, section, without_code

_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_SOURCE = re.compile(r"src(?:set)?=\"([^\"]+)\"")
_TARGET = re.compile(r"(?:^|`|&& )make ([a-z-]+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"(?<![\w.])(?:/work|/home|/root|/tmp|/opt|/Users)/|\.\./shared|shared/spec|pypi\.org|npmjs")


def _links(name: str) -> list[str]:
    text = without_code(page(name))
    return [target for _, target in _LINK.findall(text)] + _SOURCE.findall(text)


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    lost = []
    for link in _links(name):
        if link.startswith("http"):
            continue
        path, _, anchor = link.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        if file.parent.name == "screenshots" and not file.parent.exists():
            continue  # made by make screenshots
        if not file.exists() or (anchor and anchor not in headings(file.read_text(encoding="utf-8"))):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("name", PAGES)
def test_no_page_needs_another_place(name: str) -> None:
    assert _ELSEWHERE.findall(page(name)) == []


def test_every_module_that_the_architecture_names_exists() -> None:
    files = [
        file.relative_to(ROOT).as_posix()
        for place in ("brvtui", "tests", "benchmarks")
        for file in (ROOT / place).rglob("*.py")
    ]
    named = set(re.findall(r"`([\w/]+\.py)`", page("docs/architecture.md")))
    assert len(named) > 20
    assert [name for name in sorted(named) if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_make_target_that_is_named_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", page("Makefile"), re.MULTILINE))
    assert set(_TARGET.findall(page(name))) <= targets


def test_the_makefile_explains_its_targets() -> None:
    makefile = page("Makefile")
    phony = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split())
    assert phony == set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    explained = set(re.findall(r"make ([a-z-]+) {2,}\S", makefile))
    assert phony - {"help"} == explained


class TestArchitecture:
    PAGE = page("docs/architecture.md")

    def test_the_rooms_are_the_layers(self) -> None:
        contracts = tomllib.loads(page("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        layers = next(contract for contract in contracts if contract["id"] == "rooms")["layers"]
        in_order = [room.strip() for layer in layers for room in layer.split("|")]
        assert re.findall(r"^\| `(brvtui\.\w+)` \|", section(self.PAGE, "The rooms"), re.MULTILINE) == in_order

    def test_every_module_is_in_a_room(self) -> None:
        top = {
            file.stem for file in (ROOT / "brvtui").iterdir() if (file / "__init__.py").exists() or file.suffix == ".py"
        }
        rooms = set(re.findall(r"`brvtui\.(\w+)`", section(self.PAGE, "The rooms")))
        assert top - {"__init__", "__main__"} == rooms

    def test_the_dependencies_are_those_of_the_package(self) -> None:
        needed = tomllib.loads(page("pyproject.toml"))["project"]["dependencies"]
        named = {re.match(r"[\w-]+", requirement)[0] for requirement in needed}
        rows = re.findall(r"^\| ([\w, -]+) \|", section(self.PAGE, "Dependencies"), re.MULTILINE)
        assert {name for row in rows[1:] for name in row.split(", ")} - {"---"} == named

    def test_every_file_that_is_named_exists(self) -> None:
        to_come = section(self.PAGE, "Where the next things go")
        named = set(re.findall(r"`((?:brvtui|tests|docs|benchmarks)/[\w./-]+)`", self.PAGE.replace(to_come, "")))
        assert [path for path in named if not (ROOT / path).exists()] == []
