"""Patterns that were rewritten to take linear time give the same results as the simpler ones that did not."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from brvtui.engines.byterover_v4.migration.converter import LINE_ENDS, split_label, split_pattern
from brvtui.engines.knowing import note_reading
from brvtui.engines.soleri import index, matching
from brvtui.engines.verification import installed
from brvtui.lab.delivery import outcomes
from brvtui.lab.health import junk
from brvtui.report import markdown_text
from brvtui.text import full_text
from brvtui.text.find_query import words_in
from brvtui.tree.editing import new_notes
from brvtui.tree.reading.javascript import SPACE

_HEADING = re.compile(r"^##[ \t]+(.+?)[ \t]*#*[ \t]*$")
_ANY_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$", re.MULTILINE)
_PATH = re.compile(r"[^\s`*()\[\]]+\.(?:md|html)")
_MACHINE = re.compile(r"at \S+ ?\(?\S*:\d")
_PLACEHOLDER = re.compile(
    r"[-*>\s\d.\[\]x|]*\(?(?:xxx+|[*_]*(?:what|why) .{0,60}\?|"
    r"[*_(<\[]+(?:describe|list)\b.{0,80}[*_)>\]]|<[^<>]{0,80}>|\[[^\[\]]{0,80}\])\)?[\s.:!*_]*",
    re.IGNORECASE,
)
_WORD = re.compile(
    r'\^?(?:(?!(?:AND|OR|NOT|NEAR)(?:[ \t\n\r]|\Z))[\w\x80-\U0010ffff]+|"[^"]*")\*?(?=[ \t\n\r]|\Z)', re.ASCII
)
_LABEL = re.compile(rf"[{SPACE}]*\*\*([^{LINE_ENDS}]+?):[{SPACE}]*\*\*[{SPACE}]*([^{LINE_ENDS}]*)")
_PATTERN = re.compile(rf"`(.+?)`(?:[{SPACE}]*\(flags:[{SPACE}]*([^)]*)\))?(?:[{SPACE}]*-[{SPACE}]*(.+))?")
_BLANK = ("#", "##", " ", "\t", "a", "\r", "\x0b", "\u2028", "\x85")


def _joined(*pieces: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces), max_size=12).map("".join)


@given(_joined("##", "#", " ", "\t", "a", "\x1c", "é").map("## ".__add__))
@example("## ")
@example("##   ")
@example("## ## ##")
def test_headings_of_sections_are_the_same(line: str) -> None:
    before = _HEADING.match(line)
    sections = [one.heading for one in note_reading._sections(line, 9)[1:]]
    if len(line.splitlines()) == 1:
        assert sections == ([before[1]] if before else [])


@given(_joined(*_BLANK, "\n", "## x", "#\n"))
@example("## x\n\n##\n\n y")
def test_headings_of_entries_are_the_same(body: str) -> None:
    assert index._HEADING.sub("", body) == _ANY_HEADING.sub("", body)
    expected = [
        heading[2].strip().lower()
        for line in body.splitlines()
        if (heading := _ANY_HEADING.match(line)) and len(heading[1]) == 2
    ]
    assert [*index._sections(body)] == [*dict.fromkeys(["", *expected])]


@given(_joined(".md", ".html", ".m", "d", "a", "/", " ", "`", "(", "]"))
def test_paths_of_sources_are_the_same(text: str) -> None:
    assert outcomes._PATH.findall(text) == _PATH.findall(text)


@given(_joined("at ", "at", " ", ":", "1", "(", "a", ":1").map("at ".__add__))
def test_lines_of_stack_traces_are_the_same(line: str) -> None:
    assert bool(junk._MACHINE.match(line)) == bool(_MACHINE.match(line))


_MARKS = ("*", "_", "(", "<", "[", "]", ">", ")", "x", "X", "xxx", " ", ".", "!", "?", "y")


@given(_joined(*_MARKS), st.sampled_from(("", "what a?", "Why ", "describe", "list y", "xxx")), _joined(*_MARKS))
def test_placeholders_are_the_same(before: str, word: str, after: str) -> None:
    text = before + word + after
    assert bool(junk._PLACEHOLDER.fullmatch(text)) == bool(_PLACEHOLDER.fullmatch(text))


@given(_joined("a ", "AND", "OR ", " ", '"', "^", "*", "é", "\n", ".", "b c "), _joined("a ", "AND ", '"a b" '))
def test_bare_words_are_the_same(before: str, after: str) -> None:
    query = before + after
    rest, expected = matching._WORD.sub("", query).strip(), _WORD.sub("", query).strip()
    assert bool(rest) == bool(expected)
    if not expected:
        assert matching._WORD.findall(query) == _WORD.findall(query)


@given(_joined("a", "!", "_", "é", "[", "-"))
def test_bare_keywords_are_the_same(word: str) -> None:
    assert new_notes._EDGE_PUNCTUATION.sub("", word) == re.sub(r"^\W+|\W+$", "", word)


@given(_joined("a", "1", "_", ".", "/", " ", "-", "!", "é"))
def test_plain_names_are_the_same(text: str) -> None:
    expected = re.fullmatch(r"[\w./ -]*\w[\w./ -]*", text, re.ASCII)
    assert bool(markdown_text._TAME.fullmatch(text)) == bool(expected)


@given(_joined("```", "~~~", "word", "other ", " ", "\n", "\n\n", "\t", "\r", "\x0b"))
def test_words_outside_fences_are_the_same(text: str) -> None:
    outside = re.sub(r"^\s*(?:```|~~~).*", "", text, flags=re.MULTILINE)
    found = words_in(full_text._FENCE.sub("", text))
    assert [word.text for word in found] == [word.text for word in words_in(outside)]


@given(_joined("version:", " ", "\n", "1.2", "'", "a", "\r"))
def test_versions_are_the_same(text: str) -> None:
    expected = re.search(r"^\s*version:\s*['\"]?([0-9][^\s'\"]{,255})", text, re.MULTILINE)
    found = installed._VERSION.search(text)
    assert (found and found[1]) == (expected and expected[1])


@given(_joined("**", "*", ":", " ", "a", "\r", "\u2028", ":**", "\t"))
@example("**a:**:**\u2028")
@example("**:**b:** c")
def test_labels_of_migrated_notes_are_the_same(line: str) -> None:
    before = _LABEL.fullmatch(line)
    assert split_label(line) == (before.groups() if before else None)


@given(_joined("`", "a", "(flags:", ")", " ", "-", " - ", "g", "(").map("`".__add__))
@example("`a` (flags: g)x` (flags: h) - b")
def test_patterns_of_migrated_notes_are_the_same(item: str) -> None:
    before = _PATTERN.fullmatch(item)
    assert split_pattern(item) == (tuple(each or "" for each in before.groups()) if before else None)
