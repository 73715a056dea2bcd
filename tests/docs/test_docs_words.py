"""docs/words.md: one word for one thing in every text that a user reads, and each text in one place."""

from __future__ import annotations

import re
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from shutil import copytree

from brvtui.session import Session
from tests.docs.pages import ROOT, page, without_code
from tests.support.texts import Text, texts

FEW_WORDS = 5
"""A text of fewer words may stand in several places: ``not a regular file``."""
PAGES = (
    "README.md", "sample-tree/README.md", "themes/README.md", "docs/code.md", "docs/configuration.md",
    "docs/editing.md", "docs/engine.md", "docs/export.md", "docs/fleet.md", "docs/jeffs_brain.md", "docs/keys.md",
    "docs/knowing.md", "docs/maturity.md", "docs/performance.md", "docs/security.md", "docs/soleri.md",
    "docs/watching.md",
)  # fmt: skip
_ROW = re.compile(r"^\| ([^|]+) \| [^|]* \| ?([^|]*?) ?\|$", re.MULTILINE)
_CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def glossary() -> dict[str, str]:
    """For each word that is not used, the one that is."""
    rows = _ROW.findall(page("docs/words.md"))
    return {word.strip(): row for row, avoided in rows[2:] for word in avoided.split(",") if word.strip()}


AVOIDED = glossary()


def found_in(text: str) -> list[str]:
    """The words of ``text`` that the glossary has another word for; capitals count only in a word of capitals."""
    return [
        word
        for word in AVOIDED
        if re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-]\w)", text, 0 if word.isupper() else re.IGNORECASE)
    ]


def test_the_glossary_is_read() -> None:
    assert AVOIDED["LLM"] == "model"
    assert AVOIDED["agentic loop"] == "agent loop"
    assert found_in("Needs an agentic loop") == ["agentic", "agentic loop"]
    assert found_in("no LLM asked; see llm.model") == ["LLM"]
    assert found_in("set llm.model or direct.min_gap to 1") == []


def test_one_word_for_one_thing_in_the_program() -> None:
    wrong = [f"{text.place}: {text.text!r}: not {words}" for text in texts() if (words := found_in(text.text))]
    assert wrong == [], "docs/words.md has the words that are used"


def test_one_word_for_one_thing_in_the_pages() -> None:
    wrong = {name: words for name in PAGES if (words := found_in(_CODE.sub("", without_code(page(name)))))}
    assert wrong == {}, "docs/words.md has the words that are used"


def test_each_text_comes_from_one_place() -> None:
    """In an engine, and in a room, a sentence is written once: who needs it again imports it."""
    places: dict[tuple[str, str], list[Text]] = defaultdict(list)
    for text in texts():
        if len(_WORD.findall(text.text.replace("{}", ""))) >= FEW_WORDS:
            places[text.unit, text.text.strip().casefold()].append(text)
    assert {text: [one.place for one in found] for (_, text), found in places.items() if len(found) > 1} == {}


def test_the_number_of_notes_is_one(tmp_path: Path) -> None:
    tree = copytree(ROOT / "sample-tree", tmp_path / "sample-tree")
    with closing(Session.open(tree)) as session:
        session.load()
        notes = len(session.snapshot.notes)
    for name in ("README.md", "sample-tree/README.md"):
        assert set(re.findall(r"(\d+) notes in eight domains", without_code(page(name)))) == {str(notes)}, name
