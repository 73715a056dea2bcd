"""Similarity of functions by the words of their names."""

from __future__ import annotations

from collections import Counter

from brvtui.corpus.code.memory import similar_pairs, words_of
from brvtui.corpus.code.records import CodeNode
from brvtui.corpus.code.rules import code_rules

RULES = code_rules().similarity


def functions(*names: str) -> list[CodeNode]:
    return [CodeNode(f"app/web.py.{name}", "function", name, "app/web.py", 1) for name in names]


def test_names_are_split_at_punctuation_and_capitals() -> None:
    assert words_of("app/web.py.HTTPServer.parseJSON_file2", 3) == {
        "app", "web", "http", "server", "parse", "json", "file2",
    }  # fmt: skip


def test_functions_sharing_over_half_their_words_are_similar() -> None:
    edges = similar_pairs(functions("load_user_file", "load_user_data", "open"), "", RULES)
    assert [(edge.source, edge.target) for edge in edges] == [
        ("app/web.py.load_user_file", "app/web.py.load_user_data")
    ]
    assert edges[0].confidence == 4 / 6


def test_each_symbol_keeps_only_its_most_similar_pairs() -> None:
    names = [f"load_user_file_{letter * 3}" for letter in "abcdefghij"]
    edges = similar_pairs(functions(*names), "", RULES)
    counts = Counter(end for edge in edges for end in (edge.source, edge.target))
    assert max(counts.values()) == RULES.edges_per_node
    assert [edge.confidence for edge in edges] == sorted((edge.confidence for edge in edges), reverse=True)


def test_repository_name_counts_towards_similarity() -> None:
    two = functions("read_user", "read_group")
    assert similar_pairs(two, "", RULES) == similar_pairs(two, "ab", RULES)
    shares = [similar_pairs(two, name, RULES)[0].confidence for name in ("git://shop", "github.com/some/shop://shop")]
    assert shares == [5 / 7, 7 / 9]


def test_similarity_is_skipped_for_too_many_functions() -> None:
    names = [f"load_user_file_{number}" for number in range(RULES.largest_group + 1)]
    assert similar_pairs(functions(*names), "", RULES) == []
