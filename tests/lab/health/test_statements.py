"""Statements about the same thing that disagree, and those that only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brvtui.lab.health.junk import junk
from brvtui.lab.health.likeness import likeness, near_pairs, shingle_hashes, signature
from brvtui.lab.health.pairs import ComparedNote, compare
from brvtui.lab.health.statements import Disagreement, claims, disagreements, statements, stems

DISAGREEING = [
    ("The webhook timeout is 30 s.", "The webhook timeout is 45 seconds."),
    ("- **webhook timeout**: 30 s", "The webhook timeout was raised from 30 s to 45 s in March."),
    ("Feature flags are enabled in checkout.", "Feature flags in checkout are disabled."),
    ("Retries are not idempotent in the billing client.", "Retries are idempotent in the billing client."),
    ("Owner of quiet hours: Dele Okafor", "Owner of quiet hours: Karim Nasser"),
    ("We use RabbitMQ as the queue for invoices.", "We use Kafka as the queue for invoices."),
    ("Deploys of the depot happen on Tuesday.", "Deploys of the depot happen on Thursday."),
    ("| access token | bollard | 15 min |", "| access token | bollard | 60 min |"),
    ("The legacy importer is planned for Q3 2026.", "The legacy importer shipped on 2 March 2026."),
    ("The primary database runs Postgres 14.", "The primary database runs Postgres 16."),
    ("The old endpoint of sextant is supported.", "The old endpoint of sextant is deprecated."),
    ("We use npm for installs.", "We switched from npm to pnpm for installs."),
    ("Dependabot merges patches automatically.", "Dependabot patches are merged by hand."),
    ("The importer is still in use.", "The importer has been retired."),
    ("Alerts go to #ops-alerts.", "Alerts go to #oncall."),
    ("Operators may pause the sync.", "Operators may no longer pause the sync."),
    ("The sync log is encrypted by Millrace.", "Millrace does not encrypt the sync log."),
]
AGREEING = [
    ("The webhook timeout is 60 seconds.", "The webhook timeout is one minute."),
    ("The staging timeout is 30 s.", "The production timeout is 45 s."),
    ("The webhook timeout is 30 s.", "The size of an invoice is 45 kB."),
    ("**Timestamp:** 2026-01-02", "**Timestamp:** 2026-03-04"),
    ("Kitamaru polls every 30 s.", "Pelican polls every 45 s."),
    ("Step 1: stop the worker.", "Step 2: start the worker."),
    ("The trace shows 312 spans a day.", "The vendor calls 168 times a day."),
    ("src/checkout/montage.png", "src/checkout/export.pdf"),
]


def found(first: str, second: str, subject: str = "") -> tuple[Disagreement, ...]:
    return disagreements(statements(first), statements(second), stems(subject), lambda _: 3.0)[0]


@pytest.mark.parametrize(("first", "second"), DISAGREEING)
def test_disagreement_is_found_in_either_order(first: str, second: str) -> None:
    assert found(first, second)
    assert found(second, first)


@pytest.mark.parametrize(("first", "second"), AGREEING)
def test_statements_that_can_both_hold_do_not_disagree(first: str, second: str) -> None:
    assert not found(first, second)


JUNK = [
    ("template_only", "## Summary\n\n(to be filled in)\n\n## Steps\n\n1.\n2.\n"),
    ("template_only", "## What\n\n_Describe what changed._\n\n## Decision\n\n<what was decided>\n"),
    ("template_only", "## Status\nDraft\n\n## Details\n\nTODO: write this\n"),
    ("transcript_leftover", "> **You said:** why is CI red?\n\n> **ChatGPT said:** The lockfile is stale.\n"),
    ("tool_output", "```\n== test session ==\n=== 4 failed, 8 passed in 2.1s ===\nFAILED tests/a.py\nrun a\n```\n"),
    ("tool_output", "```\nerror[E0308]: mismatched types\n --> src/main.rs:4:5\n  |\n4 |     x\n```\n"),
    ("links_only", "## Links\n- <https://a.b/c>\n- `docs/a.md`\n"),
    ("title_only", "This note is about the nightly job.\n"),
    ("", "```yaml\ntimeout: 30\nretries: 4\n```\n"),
    ("", "User: the person who books.\nAgent: the clerk who confirms.\n"),
    ("", "- **Add** the header\n- **Replace** the disk of the night shift\n"),
]


@pytest.mark.parametrize(("kind", "body"), JUNK)
def test_notes_without_knowledge_are_recognised(kind: str, body: str) -> None:
    defect = junk("The nightly job", f"# The nightly job\n\n{body}")
    assert (defect.kind if defect else "") == kind


def test_statement_with_the_former_value_is_the_newer_one() -> None:
    [one] = found("The webhook timeout is 30 s.", "The webhook timeout was raised from 30 s to 45 s.", "webhook")
    assert (one.first, one.second, one.newer) == ("30 s", "45 s", 1)


def test_claims_differ_only_by_their_values() -> None:
    [(subject, value)] = claims("- **port**: 80 [convention]")
    [(same, other)] = claims("* Port: 81")
    assert subject == same
    assert value != other
    assert claims("The depot is large.") == ()


def test_similarity_is_the_share_of_common_word_triples() -> None:
    assert likeness(shingle_hashes("a b c d"), shingle_hashes("A b. c d e")) == 2 / 3
    assert likeness(shingle_hashes(""), shingle_hashes("")) == 0
    assert likeness(shingle_hashes("one two"), shingle_hashes("one two")) == 1


def test_copies_form_pairs_and_empty_texts_do_not() -> None:
    import numpy as np

    texts = ["some words that are copied", "", "nothing in common with it", "some words that are copied", ""]
    signatures = np.stack([signature(shingle_hashes(text)) for text in texts])
    assert near_pairs(signatures, 0.5) == [(0, 3)]


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_texts_can_be_compared(first: str, second: str) -> None:
    one, two = ComparedNote.of("one", first), ComparedNote.of("two", second)
    result = compare(one, two, lambda _: 1.0, 0.5)
    assert result == compare(one, two, lambda _: 1.0, 0.5)
    assert 0 <= result.same_words <= 1
    assert compare(one, ComparedNote.of("one", first), lambda _: 1.0, 1.0).facts is None
    assert junk("one", first) == junk("one", first)


@pytest.mark.parametrize("piece", ["](", "[[", "{{", "a/", "@a/", "from 1 ", "1,", "**", "user: ", "| a ", "https://a"])
def test_repetitive_text_is_cut_into_bounded_parts(piece: str) -> None:
    for text in (piece * 60_000, f"{piece * 100}\n" * 600):
        assert len(statements(text)) <= 400
        assert all(len(one.text) <= 400 for one in statements(text))
        junk("title", text)
