from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brvtui.engines.byterover.route.prompt import chunks, excerpt
from tests.support.trees import BRV3, changed

SEARCH = BRV3.search


def test_title_and_relations_are_left_out() -> None:
    text = "# Title\n\nBody one.\n\n## Relations\n@a/b/c.md\n\n## Facts\n- **x**: y\n"
    assert excerpt(text, ["body"], SEARCH) == "Body one.\n\n## Facts\n- **x**: y"


def test_relations_at_the_end() -> None:
    assert excerpt("# T\nBody\n\n## Relations\n@a/b/c.md\n@d/e/f.md\n", [], SEARCH) == "Body"


def test_frontmatter_stays() -> None:
    assert excerpt("---\na: 1\n---\n# T\nBody", [], SEARCH).startswith("---\na: 1")


def test_a_short_note_stays_whole() -> None:
    assert excerpt("x" * 800, [], SEARCH) == "x" * 800


def test_a_long_one_is_cut_to_800() -> None:
    assert excerpt("x" * 801, [], SEARCH) == "x" * 800 + "..."


def test_the_chunk_that_holds_most_words() -> None:
    text = "alpha beta. " + "filler words here. " * 60 + "gamma delta. " + "more filler here. " * 60
    found = excerpt(text, ["gamma", "delta"], SEARCH)
    assert "gamma delta" in found
    assert len(found) <= 803
    assert found.endswith("...")
    assert "alpha beta" in excerpt(text, ["nothing"], SEARCH)


def test_chunks_break_at_a_paragraph_before_a_sentence_before_a_line() -> None:
    head = "a" * 600
    paragraph = f"{head}\n\nb. c\nd" + "e" * 500
    assert chunks(paragraph, SEARCH)[0] == f"{head}\n\n"
    sentence = f"{head}\nb. c\nd" + "e" * 500
    assert chunks(sentence, SEARCH)[0] == f"{head}\nb. "
    line = f"{head}\nb" + "e" * 500
    assert chunks(line, SEARCH)[0] == f"{head}\n"
    early = "a" * 500 + "\n\n" + "e" * 900
    assert len(chunks(early, SEARCH)[0]) == 800


def test_chunks_overlap_by_120() -> None:
    text = "".join(chr(97 + number % 26) for number in range(2000))
    made = chunks(text, SEARCH)
    assert made[0][-120:] == made[1][:120]


@given(
    st.text(st.sampled_from("ab .\n#"), max_size=300),
    st.integers(1, 40),
    st.integers(0, 60),
    st.just(0.0) | st.floats(1e-15, 1),
)
def test_chunks_cover_the_text_and_end(text: str, size: int, overlap: int, share: float) -> None:
    search = changed(BRV3, search={"excerpt_chars": size, "excerpt_overlap": overlap, "excerpt_break": share}).search
    made = chunks(text, search)
    assert all(0 < len(chunk) <= size for chunk in made)
    assert all(chunk in text for chunk in made)
    assert bool(made) == bool(text)
    if text:
        assert text.startswith(made[0])
        assert text.endswith(made[-1])
    assert len(excerpt(text, ["a"], search)) <= size + 3
