"""What a model did, in words: one line for all of it, a line for each tool; in text and in Markdown."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from brvtui.cli.ask import called, gave, spent
from brvtui.report.query import trace_report
from brvtui.report.saved import markdown_report
from brvtui.saved.traces import saved_now
from brvtui.trace import Answer, Cited, Completion, EndReason, ModelTurn, ToolStep, Trace, Usage
from tests.support.trees import NOW_MS, Tree

STEP = ToolStep(1, 1, "read_note", '{"path": "x/n.md"}', "{}", 42, "", ("x/n.md",))
REFUSED = replace(STEP, number=2, arguments='{"path": "../x.md"}', refused="../x.md: leads out of the tree", read=())
TURNS = (ModelTurn(1, "", 2, Usage(90, 5, False)), ModelTurn(2, "Yes.", 0, Usage(10, 5, False)))
DONE = Completion(
    model="mini at h",
    ended=EndReason.ANSWERED,
    why="",
    turns=TURNS,
    steps=(STEP, REFUSED),
    usage=Usage(100, 10, False),
    cost_cents=None,
    cited=(Cited("x/n.md", True, True), Cited("y.md", False, False)),
    missing=(),
    timings={"turn 1": 800.0, "turn 1 first text": 700.0, "turn 2": 1200.0, "step 1": 3.0},
)


def answered(tree: Tree) -> Trace:
    tree.note("x/n.md", "Quokka", "A quokka eats leaves.", days=300)
    tree.notes(30)
    trace = tree.ask("quokka")
    return replace(trace, answer=Answer("model", "## Summary\nYes.", trace.answer.prompt, "", ("x/n.md",), DONE))


def test_what_was_spent() -> None:
    assert DONE.took_ms == 2003.0
    assert spent(DONE) == "mini at h: 2 calls, 2 tools, 100 tokens sent, 10 received, 2.0 s"
    dear = replace(
        DONE, cost_cents=0.12, usage=Usage(100, 10, True), turns=DONE.turns[:1], steps=(STEP,),
        timings={"turn 1": 800.0, "step 1": 3.0},
    )  # fmt: skip
    assert spent(dear) == "mini at h: 1 call, 1 tool, about 100 tokens sent, 10 received, 0.12 cents, 0.8 s"
    assert spent(replace(DONE, turns=())) == "mini at h: no call came to its end"


def test_a_call_that_failed_took_its_time_too() -> None:
    failed = replace(DONE, ended=EndReason.FAILED, turns=TURNS[:1])
    assert failed.took_ms == 2003.0
    assert spent(failed) == "mini at h: 1 call, 2 tools, 100 tokens sent, 10 received, 2.0 s"
    alone = replace(failed, turns=(), steps=(), timings={"turn 1": 60_000.0, "turn 1 first text": 50_000.0})
    assert alone.took_ms == 60_000.0


def test_a_line_for_each_tool() -> None:
    assert called(1, STEP.tool, STEP.arguments) == '1. read_note {"path": "x/n.md"}'
    assert gave(REFUSED, 0) == "../x.md: leads out of the tree, 0 ms"
    assert called(3, "search", "x" * 200) == f"3. search {'x' * 100}…"
    assert gave(STEP, 1.6) == "42 tokens, 2 ms"


def test_the_text_report_shows_it(tree: Tree) -> None:
    console = Console(width=100, record=True, file=None, quiet=True)
    with console.capture() as captured:
        console.quiet = False
        console.print(trace_report(answered(tree), {}, 100))
    text = captured.get()
    assert "by mini at h" in text
    assert "2 calls · 2 tools · 100 t in, 10 t out" in text
    assert "2. read_note" in text
    assert "## Summary\nYes." in "\n".join(line.strip() for line in text.splitlines())


def test_markdown_shows_it(tree: Tree) -> None:
    text = markdown_report(saved_now(answered(tree), NOW_MS))
    assert "by mini at h" in text
    assert "2 calls · 2 tools" in text
    assert "leads out of the tree" in text
    assert "not in the tree, so not grounded: y.md" in text
