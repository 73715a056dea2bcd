"""Every page: links, commands and tests exist, and tables and words match the code."""

from __future__ import annotations

import importlib
import re
import tomllib
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from shutil import copytree

import pytest

from brvtui.app.actions.registry import ACTIONS
from brvtui.app.keys.checking import Checked, check_keys
from brvtui.session import Session
from tests.docs.pages import PAGES, ROOT, headings, page, script, section, without_code
from tests.docs.test_rules import defined
from tests.support.texts import Text, texts

_LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_SOURCE = re.compile(r"src(?:set)?=\"([^\"]+)\"")
_TARGET = re.compile(r"(?:^|`|&& )make ([a-z-]+)", re.MULTILINE)
_ELSEWHERE = re.compile(r"(?<![\w.])(?:/work|/home|/root|/tmp|/opt|/Users)/|\.\./shared|shared/spec|pypi\.org|npmjs")


def _links(name: str) -> list[str]:
    text = without_code(page(name))
    return [target for _, target in _LINK.findall(text)] + _SOURCE.findall(text)


@pytest.mark.parametrize("name", PAGES)
def test_internal_links_have_a_target(name: str) -> None:
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


def test_every_page_is_linked_from_the_overview() -> None:
    linked = {(ROOT / "docs" / link.partition("#")[0]).resolve() for link in _links("docs/README.md")}
    pages = [name for name in PAGES if name.startswith("docs/") and name != "docs/README.md"]
    assert [name for name in pages if ROOT / name not in linked] == []


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("docs/")])
def test_no_page_installs_the_package_from_an_index(name: str) -> None:
    assert re.findall(r"pipx? install '?brv-tui|tool install brv-tui", page(name)) == []


@pytest.mark.parametrize("name", PAGES)
def test_pages_refer_to_nothing_outside_the_repository(name: str) -> None:
    assert _ELSEWHERE.findall(page(name)) == []


def test_every_module_named_in_the_architecture_exists() -> None:
    files = [
        file.relative_to(ROOT).as_posix()
        for place in ("brvtui", "tests", "benchmarks")
        for file in (ROOT / place).rglob("*.py")
    ]
    named = set(re.findall(r"`([\w/]+\.py)`", page("docs/explanation/architecture.md")))
    assert len(named) > 20
    assert [name for name in sorted(named) if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


@pytest.mark.parametrize("name", PAGES)
def test_every_documented_make_target_exists(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", page("Makefile"), re.MULTILINE))
    assert set(_TARGET.findall(page(name))) <= targets


def test_makefile_explains_its_targets() -> None:
    makefile = page("Makefile")
    phony = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split())
    assert phony == set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    explained = set(re.findall(r"make ([a-z-]+) {2,}\S", makefile))
    assert phony - {"help"} == explained


class TestArchitecture:
    PAGE = page("docs/explanation/architecture.md")

    def test_documented_layers_match_the_import_contracts(self) -> None:
        contracts = tomllib.loads(page("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        layers = next(contract for contract in contracts if contract["id"] == "layers")["layers"]
        in_order = [room.strip() for layer in layers for room in layer.split("|")]
        assert re.findall(r"^\| `(brvtui\.\w+)` \|", section(self.PAGE, "The layers"), re.MULTILINE) == in_order

    def test_every_package_is_in_a_documented_layer(self) -> None:
        top = {
            file.stem for file in (ROOT / "brvtui").iterdir() if (file / "__init__.py").exists() or file.suffix == ".py"
        }
        layers = set(re.findall(r"`brvtui\.(\w+)`", section(self.PAGE, "The layers")))
        assert top - {"__init__", "__main__"} == layers

    def test_documented_dependencies_match_the_package(self) -> None:
        needed = tomllib.loads(page("pyproject.toml"))["project"]["dependencies"]
        named = {re.match(r"[\w-]+", requirement)[0] for requirement in needed}
        rows = re.findall(r"^\| ([\w, -]+) \|", section(self.PAGE, "Dependencies"), re.MULTILINE)
        assert {name for row in rows[1:] for name in row.split(", ")} - {"---"} == named

    def test_every_file_named_in_the_architecture_exists(self) -> None:
        to_come = section(self.PAGE, "Where to add things")
        named = set(re.findall(r"`((?:brvtui|tests|docs|tools|benchmarks)/[\w./-]+)`", self.PAGE.replace(to_come, "")))
        assert [path for path in named if not (ROOT / path).exists()] == []


MAKER = script("tools/make_tables.py")


@pytest.mark.parametrize("name", MAKER.TABLES)
def test_generated_tables_are_current(name: str) -> None:
    text = page(f"docs/reference/{name}")
    assert (ROOT / "docs/reference" / name).exists()
    assert MAKER.fresh(name, text) == text, "run make tables and look at the difference"


def test_every_key_binding_is_documented() -> None:
    text = page("docs/reference/keys.md")
    assert [name for name in ACTIONS if f"`{name}`" not in text] == []


def test_documented_key_bindings_are_valid() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", page("docs/reference/keys.md"), re.DOTALL | re.MULTILINE)
    keys = tomllib.loads(shown)["keys"]
    assert check_keys(keys) == Checked(keys)


PAGE = page("docs/explanation/security.md")
_NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_ATTACKS = re.compile(r"^\| `(\w+)` \| .* \| (\d+) \| 0 \|$", re.M)


@pytest.mark.parametrize(("path", "name"), sorted(set(_NAMED.findall(PAGE))))
def test_documented_tests_exist(path: str, name: str) -> None:
    assert (ROOT / path).is_file()
    assert not name or name in defined(path)


def test_every_promise_names_a_test() -> None:
    rows = [line for line in section(PAGE, "Promises and their tests").splitlines() if line.startswith("| ")]
    assert len(rows) > 20
    assert [row for row in rows[1:] if not _NAMED.search(row) and set(row) - set("|- ")] == []


@pytest.mark.parametrize(("script", "count"), _ATTACKS.findall(section(PAGE, "The table of attacks")))
def test_documented_attack_counts_are_correct(script: str, count: str) -> None:
    assert len(importlib.import_module(f"tests.attacks.{script}").ATTACKS) == int(count)


def test_every_attack_script_is_documented() -> None:
    scripts = {file.stem for file in (ROOT / "tests/attacks").glob("[a-z]*.py")} - {"harness", "test_attacks"}
    assert {script for script, _ in _ATTACKS.findall(PAGE)} == scripts


def test_no_text_installs_an_unpublished_package() -> None:
    by_name = re.compile(r"(?:pipx?|uv tool) install (?:-\S+ )*'?brv-tui\b")
    files = [
        *(ROOT / "brvtui").rglob("*.py"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
    ]
    assert [str(file) for file in files if by_name.search(file.read_text(encoding="utf-8"))] == []


FEW_WORDS = 5
"""A text with fewer words may occur in several places: ``not a regular file``."""
TEXTS = tuple(name for name in PAGES if name not in {"docs/reference/glossary.md", "CHANGELOG.md"})
_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
_MOST_TERMS = 50
_CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def glossary() -> dict[str, str]:
    """The word to use, keyed by each word to avoid."""
    rows = _ROW.findall(section(page("docs/reference/glossary.md"), "Words to avoid"))
    return {word.strip(): row for row, avoided in rows[2:] for word in avoided.split(",") if word.strip()}


AVOIDED = glossary()


def found_in(text: str) -> list[str]:
    """The words of ``text`` that the glossary replaces; case is respected only for words written in capitals."""
    return [
        word
        for word in AVOIDED
        if re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-]\w)", text, 0 if word.isupper() else re.IGNORECASE)
    ]


def test_words_to_avoid_are_read_from_the_glossary() -> None:
    assert AVOIDED["LLM"] == "model"
    assert AVOIDED["agentic loop"] == "agent loop"
    assert found_in("Needs an agentic loop") == ["agentic", "agentic loop"]
    assert found_in("no LLM asked; see llm.model") == ["LLM"]
    assert found_in("set llm.model or direct.min_gap to 1") == []


def test_glossary_is_short_and_sorted() -> None:
    terms = [term for term, _ in _ROW.findall(page("docs/reference/glossary.md").partition("\n## ")[0])[2:]]
    assert len(terms) <= _MOST_TERMS
    assert terms == sorted(terms, key=str.casefold)


def test_program_texts_use_only_glossary_words() -> None:
    wrong = [f"{text.place}: {text.text!r}: not {words}" for text in texts() if (words := found_in(text.text))]
    assert wrong == [], "docs/reference/glossary.md has the words that are used"


def test_pages_use_only_glossary_words() -> None:
    wrong = {name: words for name in TEXTS if (words := found_in(_CODE.sub("", without_code(page(name)))))}
    assert wrong == {}, "docs/reference/glossary.md has the words that are used"


def test_each_sentence_is_written_in_one_place() -> None:
    """An engine or a package contains each sentence once; other code imports it."""
    places: dict[tuple[str, str], list[Text]] = defaultdict(list)
    for text in texts():
        if len(_WORD.findall(text.text.replace("{}", ""))) >= FEW_WORDS:
            places[text.unit, text.text.strip().casefold()].append(text)
    assert {text: [one.place for one in found] for (_, text), found in places.items() if len(found) > 1} == {}


def test_every_page_gives_the_same_number_of_sample_notes(tmp_path: Path) -> None:
    tree = copytree(ROOT / "sample-tree", tmp_path / "sample-tree")
    with closing(Session.open(tree)) as session:
        session.load()
        notes = len(session.snapshot.notes)
    for name in ("README.md", "sample-tree/README.md"):
        assert set(re.findall(r"(\d+) notes", without_code(page(name)))) == {str(notes)}, name
