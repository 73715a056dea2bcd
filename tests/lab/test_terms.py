"""The terms of a tree, compared with counts over the files' own text by separate code."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from brvtui.lab.terms import TermList, terms_of
from brvtui.session import Session
from brvtui.text.vocabulary import KINDS
from tests.support.generated import generated
from tests.support.trees import BRV3, NOW_MS, Tree

SAMPLE = Path("sample-tree")


def words(text: str) -> Counter[str]:
    """The words of ``text`` with their counts, cut character by character at line breaks, separators and
    punctuation.
    """
    found, word = Counter[str](), ""
    for char in f"{text}\n":
        if char in "\r\n" or unicodedata.category(char)[0] in "ZP":
            if word:
                found[word.lower()] += 1
            word = ""
        else:
            word += char
    return found


def counted(session: Session) -> dict[str, tuple[int, int, set[str]]]:
    """For each term: the number of notes, the number of occurrences, and the fields, from the files themselves."""
    counts = dict[str, tuple[int, int, set[str]]]()
    for note in session.snapshot.notes:
        text = session.snapshot.location(note.path).read_bytes().decode("utf-8", "replace")
        fields = {"title": words(note.title), "content": words(text), "path": words(note.file)}
        for term in set().union(*fields.values()):
            df, cf, where = counts.get(term, (0, 0, set()))
            own = {name for name, found in fields.items() if term in found}
            counts[term] = df + 1, cf + sum(found[term] for found in fields.values()), where | own
    return counts


def opened(project: Path) -> Session:
    session = Session.open(project, now_ms=NOW_MS)
    session.load()
    return session


@pytest.mark.parametrize("source", ["sample", "3", "11"])
def test_numbers_of_all_terms_equal_a_count_over_the_files(source: str, tmp_path: Path) -> None:
    session = opened(SAMPLE if source == "sample" else generated(tmp_path / source, int(source), 60).root)
    counts, table = counted(session), terms_of(session.snapshot)
    assert {name: (term.df, term.cf, set(term.fields)) for name, term in table.by_name.items()} == counts
    notes = len(session.snapshot.notes)
    for term in table.by_name.values():
        assert term.idf == pytest.approx(math.log(1 + (notes - term.df + 0.5) / (term.df + 0.5)))
        assert len(table.details(term.term, None).paths) == term.df


def test_numbers_follow_changes_to_notes(tmp_path: Path) -> None:
    tree = generated(tmp_path / "tree", 5, 30)
    session = opened(tree.root)
    paths = [note.path for note in session.snapshot.notes]
    tree.file(paths[0], "# Zebra\n\nzebra crossing, zebra\n")
    (session.snapshot.location(paths[1])).unlink()
    assert session.load()
    counts = counted(session)
    assert {name: (term.df, term.cf) for name, term in terms_of(session.snapshot).by_name.items()} == {
        name: (df, cf) for name, (df, cf, _) in counts.items()
    }
    assert counts["zebra"][1] >= 3


@pytest.fixture
def table(make_tree: Callable[[str], Tree]) -> TermList:
    tree = make_tree("words")
    tree.file("ops/a.md", "# Hooks\n\nEach webhook is signed. Webhooks retry. The common word.\n")
    tree.file("ops/b.md", "# Calls\n\nA web hook of the common shop sends an e-mail.\n")
    tree.file("ops/c.md", "# Mail\n\nThe common email goes out; a web\u200b is not a hook. Café.\n")
    tree.file("ops/d.md", "# Other\n\nThe common cafe is one of ten, often.\n")
    return terms_of(opened(tree.root).snapshot)


def test_variants_are_written_as_one_word_or_as_two(table: TermList) -> None:
    spellings = {term: set(table.details(term, None).variants) for term in table.by_name}
    assert spellings["webhook"] == {("web hook", 1)}
    assert ("webhook", 1) in spellings["hook"]
    assert spellings["email"] == {("e mail", 1)}
    assert spellings["often"] == set()
    assert {term.term for term in table.find(only="split")} == {"webhook", "email"}


def test_terms_are_filtered_and_sorted(table: TermList) -> None:
    assert [term.term for term in table.find("CAFE")] == ["cafe", "café"]
    by_df = [term.df for term in table.find(order="df")]
    assert by_df == sorted(by_df, reverse=True)
    assert [term.df for term in table.find(order="idf")] == sorted(by_df)
    by_name = [term.term for term in table.find()]
    assert by_name == sorted(by_name)
    assert {term.df for term in table.find(only="common")} <= {3, 4}
    assert {term.df for term in table.find(only="rare")} == {1}


def test_neighbours_are_the_matches_of_the_search(table: TermList) -> None:
    neighbours = {one.term: one for one in table.details("webhook", BRV3.text).neighbours}
    assert "webhook" not in neighbours
    webhooks = neighbours["webhooks"]
    assert (webhooks.kind, webhooks.distance, webhooks.df) == (KINDS[1], 1, 1)
    assert webhooks.weight == pytest.approx(BRV3.text.prefix_weight * 8 / (8 + BRV3.text.prefix_slope))
    weights = [one.weight for one in neighbours.values()]
    assert weights == sorted(weights, reverse=True)
