"""Generated transcripts of Claude Code and query logs of ByteRover, with the outcome that every turn must get.

A label follows from the facts about the hook, the transcripts and the log, not from the program under test. Some
situations can be labelled in two ways; they are not generated:

* a prompt without any row of the hook: with a log entry for the same text, or shorter than 5 characters;
* an error row of a hook without its ``command``, and an error or a cancelled hook next to an answer after the limit;
* a hook that printed nothing after 6 seconds without a log entry, or although the log has an answer within the limit;
* durations between 5 and 6.5 seconds, and log entries that are still ``processing``;
* "not covered" without a log entry: the facts do not give the sentence;
* a spilled context that is repeated, cannot be recognised as ByteRover's, or is read with ``cat`` or by a subagent;
* a context that precedes its ``hook_success``, or is attached twice to one prompt;
* equal texts through two channels or in a subagent, two queries in one command, and ``cd`` into another project;
* a line that is cut off or broken directly after the output of the hook: it may have been the context;
* prompts of several text blocks, rows in subfolders of the project, and duplicated rows without ``uuid``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import cycle, pairwise
from pathlib import Path

from tests.support import transcript_cases as cases
from tests.support.conversations import MCP, SHELL, Conversation, Expectations, ExpectedTurn, Row, World

TURNS, WITHOUT_EVIDENCE = 500, 100
COPIED = 8
"""The turns that a resumed session copies from its first file into its second, if all of their rows have a uuid."""
Case = Callable[[Conversation], None]
HOOK_CASES: dict[str, Case] = {
    "delivered": cases.delivered,
    "delivered late in the log": partial(cases.delivered, took_ms=9_000),
    "delivered in many sessions": partial(cases.delivered, answer=cases.SHARED),
    "delivered twice": cases.deliver_twice,
    "not covered": cases.not_covered,
    "timed out": cases.time_out,
    "timed out, then delivered": cases.time_out_then_deliver,
    "failed": cases.fail,
    "failed with exit code": cases.fail_with_exit_code,
    "failed in engine": cases.fail_in_engine,
    "empty": cases.be_empty,
    "skipped": cases.skip,
    "ignored": cases.ignore,
    "ignored in the right form": partial(cases.ignore, top_level=False),
    "ignored, then delivered": cases.ignore_then_deliver,
    "spilled": cases.spill,
    "spilled without preview": partial(cases.spill, preview=False),
    "spilled, read": partial(cases.spill, read="now"),
    "spilled, read later": partial(cases.spill, read="later"),
    "spilled without preview, read": partial(cases.spill, preview=False, read="now"),
    "silent": cases.stay_silent,
    "silent, other entry": partial(cases.stay_silent, log="other"),
    "silent, entry hours away": partial(cases.stay_silent, log="far"),
}
CHANNEL_CASES: dict[str, Callable[..., None]] = {
    "delivered": cases.tool_delivered,
    "large": partial(cases.tool_delivered, size=150_000),
    "delivered late": partial(cases.tool_delivered, took_ms=11_000),
    "delivered twice": cases.tool_again,
    "failed": partial(cases.tool_ends, outcome="failed"),
    "empty": partial(cases.tool_ends, outcome="empty"),
    "not covered": partial(cases.tool_ends, outcome="not_covered"),
    "without result": cases.tool_without_result,
}
TURN_CASES: dict[str, Case] = {
    **{f"hook {name}": case for name, case in HOOK_CASES.items()},
    **{f"{way} {name}": partial(case, channel=way) for name, case in CHANNEL_CASES.items() for way in (MCP, SHELL)},
    "mcp in parallel": cases.tools_in_parallel,
}
EMPTY_CASES: dict[str, Case] = {
    "prompt only": cases.ask_only,
    "other hooks": partial(cases.ask_only, before=Conversation.other_hook),
    "renamed rows": partial(cases.ask_only, before=cases.renamed_rows),
    "misleading tools": partial(cases.ask_only, before=cases.misleading_tools),
    "lone log entry": cases.lone_entry,
}
CUT_CASES: tuple[tuple[str, Case], ...] = (
    ("mcp result cut off", cases.cut_result),
    ("shell result cut off", partial(cases.cut_result, channel=SHELL)),
    ("context cut off", cases.cut_context),
    ("prompt cut off", cases.cut_prompt),
    ("ignored, cut off after reply", cases.cut_after_reply),
)


def generate(seed: int, root: Path, transcripts: Path, query_log: Path) -> Expectations:
    """Writes the transcripts and the query log for a project; returns the turns in them with their outcomes."""
    world = World(seed, root, query_log)
    expected = world.expected
    talks = [Conversation(world) for _ in range(24)]
    agents = [Conversation(world, agent_of=talk) for talk in talks[:4]]
    repeats, other = Conversation(world), Conversation(world)
    cut = [Conversation(world) for _ in range(len(CUT_CASES))]
    run("repeats", cases.repeat_context, repeats)
    for talk, (name, case) in zip(cut, CUT_CASES, strict=True):
        run(name, case, talk, reply=False)
    for name, case in endless(world, TURN_CASES):
        if len(expected.turns) >= TURNS - 3:
            break
        tool = not name.startswith("hook")
        run(name, case, world.random.choice(agents if tool and world.chance(0.2) else talks))
    while len(expected.turns) < TURNS:
        run("hook delivered", cases.delivered, world.random.choice(talks))
    for name, case in endless(world, EMPTY_CASES):
        if len(expected.without_evidence) >= WITHOUT_EVIDENCE:
            break
        run(name, case, world.random.choice(talks), expected.without_evidence)
    for talk in (*talks[:12], *[other] * 12):
        run("elsewhere", cases.elsewhere, talk, expected.elsewhere)
    write_files(world, transcripts, talks, [*agents, repeats], cut, other)
    (query_log / "qry-1761984000001.json").write_text('{"query": "cut o')
    (query_log / "qry-1761984000002.json").write_text("[]")
    return expected


def endless(world: World, table: dict[str, Case]) -> cycle[tuple[str, Case]]:
    """All cases again and again, in a random order."""
    shuffled = list(table.items())
    world.random.shuffle(shuffled)
    return cycle(shuffled)


def run(
    name: str, case: Case, talk: Conversation, target: list[ExpectedTurn] | None = None, reply: bool = True
) -> None:
    """Writes one case to a conversation."""
    talk.case = name
    talk.target = talk.world.expected.turns if target is None else target
    case(talk)
    if reply:
        talk.reply()


def write_files(
    world: World,
    folder: Path,
    talks: list[Conversation],
    plain: list[Conversation],
    cut: list[Conversation],
    other: Conversation,
) -> None:
    """Writes conversations to files: some interleaved, some in two files, some in folders with other names."""
    slug, old_slug = re.sub(r"[^A-Za-z0-9]", "-", str(world.root)), str(world.root).replace("/", "-")
    own, old, others = folder / slug, folder / old_slug, folder / f"{slug}-two"
    for group in (talks[:2], talks[2:5]):
        rows = interleaved(world, *(talk.rows for talk in group))
        write_file(world, own / f"{group[0].session}.jsonl", rows, broken=False)
    for talk in talks[5:8]:
        half = len(talk.turn_starts) // 2
        middle, starts = talk.turn_starts[half], talk.turn_starts[max(0, half - COPIED) : half + 1]
        turns = [talk.rows[start:end] for start, end in pairwise(starts)]
        copied = [row for turn in turns if all("uuid" in row for row in turn) for row in turn]
        write_file(world, own / f"{talk.session}.jsonl", talk.rows[:middle])
        write_file(world, own / f"{world.uuid()}.jsonl", copied + talk.rows[middle:])
    for talk in (*talks[8:], *plain):
        name = f"agent-{world.uuid()[:8]}" if talk.agent else talk.session
        place = old if talk in talks[8:10] else others if talk is talks[10] else own
        write_file(world, place / f"{name}.jsonl", talk.rows)
    write_file(world, others / f"{other.session}.jsonl", other.rows)
    for talk in cut:
        write_file(world, own / f"{talk.session}.jsonl", talk.rows[:-1], talk.rows[-1])


def interleaved(world: World, *sessions: list[Row]) -> list[Row]:
    """The rows of several sessions in one list; each session keeps its order."""
    turns = [number for number, rows in enumerate(sessions) for _ in rows]
    world.random.shuffle(turns)
    left = [iter(rows) for rows in sessions]
    return [next(left[number]) for number in turns]


def write_file(world: World, path: Path, rows: Iterable[Row], last: Row | None = None, broken: bool = True) -> None:
    """Writes rows with some duplicates and lines that are not rows; the last line may be cut off."""
    lines: list[str] = []
    again: list[tuple[int, str]] = []
    for row in rows:
        line = json.dumps(row, ensure_ascii=world.chance(0.5))
        lines.append(line)
        if "uuid" in row and world.chance(0.04):
            again.append((len(lines) + world.random.randint(0, 6), line))
        while again and again[0][0] <= len(lines):
            lines.append(again.pop(0)[1])
        if world.chance(0.01):
            lines.append(world.random.choice(("", "null", "[1, 2]", '"attachment"', "7")))
        # after other rows, the broken line could be a context
        if broken and row["type"] == "assistant" and world.chance(0.01):
            lines.append('{"type": "attachment", broken')
    data = "\n".join(lines).encode() + b"\n"
    if last is None and world.chance(0.5):
        last = {"type": "assistant", "message": {"role": "assistant", "content": "naïve " * 9}}
    whole = json.dumps(last, ensure_ascii=False).encode() if last else b""
    cut = whole[: world.random.randint(20, len(whole) - 1)] if whole else b""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data + cut)
