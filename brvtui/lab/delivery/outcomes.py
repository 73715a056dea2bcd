"""The outcome of each recall, from the host's record and the engine's log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from brvtui.lab.delivery.turns import ARRIVED, DeliveryChannel, DeliveryOutcome, Recall, Turn
from brvtui.tree.engine_files.query_log import LoggedQuery
from brvtui.tree.reading.contents import units

SHORTEST_PROMPT = 5
"""The number of UTF-16 units below which the hook recalls nothing."""
_NOT_COVERED = re.compile(r"\bnot covered (?:in|by) th(?:e|is) (?:knowledge base|project's memory)\b", re.IGNORECASE)
_UNCOVERED = "the engine answered that no note covers the query"
_OPENING, _CLOSING = "<byterover-context>", "</byterover-context>"
_INTRODUCTION = re.compile(r"^\s*The following knowledge is from ByteRover[^\n]*:\s*")
_SOURCES = re.compile(r"^(?:\*\*Sources\*\*|#+ Sources)[^\n]*$\n(?P<list>(?:\s*[-*] [^\n]*\n?|\s*\n)*)", re.MULTILINE)
_PATH = re.compile(r"(?<![^\s`*()\[\]])[^\s`*()\[\]]+\.(?:md|html)")
_TREE_FOLDER = ".brv/context-tree/"
_SHORTEST_NAME = 6
"""The minimum length of a file name whose appearance in a reply is not a coincidence."""
_SENTENCE_WORDS = 8
_MOST_COMPARED = 200_000
"""The maximum number of characters of an answer whose sentences are looked for in the reply."""


def context_of(text: str) -> str:
    """The answer inside ``text``, without the tags and the introduction that the hook adds."""
    inner = text.partition(_OPENING)[2].partition(_CLOSING)[0] if _OPENING in text else text
    return _INTRODUCTION.sub("", inner).strip()


def turns_of(
    recalls: Iterable[tuple[Recall, LoggedQuery | None]], limit_ms: float, known: Mapping[Recall, Turn] = {}
) -> Iterator[Turn]:
    """Yields a turn for each recall and its entry in the engine's log; recalls must be oldest first.

    ``limit_ms`` is the time after which the hook gives up, in ms. ``known`` contains turns of an earlier reading, whose
    texts are not compared again.
    """
    received = dict[tuple[str, str], float]()
    for recall, entry in recalls:
        text = context_of(recall.received or "")
        key = (recall.session, text)
        outcome, evidence = _outcome(recall, entry, text, limit_ms, received.get(key))
        if outcome in (DeliveryOutcome.DELIVERED, DeliveryOutcome.NOT_COVERED) and text:
            received.setdefault(key, recall.at_ms)
        before = known.get(recall)
        if before is not None and before.entry == entry and before.outcome is outcome:
            documents, used = before.documents, before.used
        else:
            documents = (entry.paths if entry is not None else ()) or _sources(text or context_of(recall.printed))
            used = tuple(_used(recall, documents, text)) if outcome in ARRIVED else ()
        yield Turn(recall, outcome, evidence, entry, documents, used)


def _outcome(
    recall: Recall, entry: LoggedQuery | None, text: str, limit_ms: float, earlier_ms: float | None
) -> tuple[DeliveryOutcome, str]:
    if recall.failure and recall.received is None:
        return DeliveryOutcome.FAILED, recall.failure
    if recall.spilled_to:
        is_read = recall.spilled_to in recall.opened
        rest = "which the agent read later" if is_read else "which the agent did not read"
        outcome = DeliveryOutcome.SPILLED_READ if is_read else DeliveryOutcome.SPILLED
        return outcome, f"the host saved the answer to {recall.spilled_to}, {rest}"
    if recall.received is not None:
        if not text:
            return DeliveryOutcome.EMPTY, "the answer is empty"
        if (entry is not None and entry.not_covered) or (_NOT_COVERED.search(text) and not _sources(text)):
            return DeliveryOutcome.NOT_COVERED, _UNCOVERED
        if earlier_ms is not None:
            return DeliveryOutcome.DELIVERED_AGAIN, "the agent had already received this text in this session"
        return DeliveryOutcome.DELIVERED, "the transcript contains the text that the agent received"
    if recall.channel is not DeliveryChannel.HOOK:
        return DeliveryOutcome.UNKNOWN, "the transcript contains no result for this tool call"
    return _undelivered(recall, entry, limit_ms)


def _undelivered(recall: Recall, entry: LoggedQuery | None, limit_ms: float) -> tuple[DeliveryOutcome, str]:
    """The outcome of a prompt to which the host attached nothing."""
    if context_of(recall.printed):
        if recall.is_cut_off:
            return DeliveryOutcome.UNKNOWN, "the hook printed a context, but the transcript is cut off right after it"
        return (
            DeliveryOutcome.IGNORED_BY_HOST,
            "the hook printed a context, but the host did not attach it",
        )
    late = _lateness(recall, entry, limit_ms)
    if entry is not None:
        return _undelivered_entry(recall, entry, late)
    if recall.hook_is_known and units(recall.prompt.strip()) < SHORTEST_PROMPT:
        return DeliveryOutcome.SKIPPED, f"the hook skips prompts of fewer than {SHORTEST_PROMPT} characters"
    printed = late or ("the hook printed nothing" if recall.ran else "no row shows that the hook ran")
    return DeliveryOutcome.UNKNOWN, f"{printed}, and the engine's log has no entry for this prompt"


def _undelivered_entry(recall: Recall, entry: LoggedQuery, late: str) -> tuple[DeliveryOutcome, str]:
    """The outcome of a prompt whose answer is in the engine's log, but not in the transcript."""
    took = "" if entry.waited_ms is None else f" after {entry.waited_ms / 1000:.1f} s"
    if not (recall.ran or recall.hook_is_known):
        lost = ": lost if the hook asked" if late else ""
        return DeliveryOutcome.UNKNOWN, f"the engine answered{took}, but no row shows that the hook had asked{lost}"
    if entry.status in ("error", "cancelled"):
        return (
            DeliveryOutcome.FAILED,
            f"the engine failed: {entry.problem}" if entry.problem else "the engine did not answer",
        )
    if entry.status == "processing":
        return DeliveryOutcome.UNKNOWN, "the engine's log does not show the end of this query"
    if late:
        return DeliveryOutcome.TIMED_OUT, late
    if entry.not_covered or _NOT_COVERED.search(entry.response):
        return DeliveryOutcome.NOT_COVERED, _UNCOVERED
    if entry.status == "completed" and not entry.response.strip():
        return DeliveryOutcome.EMPTY, "the engine's answer is empty, so the hook printed nothing"
    return DeliveryOutcome.UNKNOWN, f"the engine answered{took}, but no row shows whether the hook delivered it"


def _lateness(recall: Recall, entry: LoggedQuery | None, limit_ms: float) -> str:
    """The evidence that the answer came too late for the hook; empty if there is none.

    The engine does not log the time that it takes to start, so the host's own record of the hook counts too.
    """
    limit = f"the hook gives up after {limit_ms / 1000:g} s"
    if entry is not None and entry.waited_ms is not None and entry.waited_ms > limit_ms:
        return f"the engine answered after {entry.waited_ms / 1000:.1f} s; {limit}"
    if recall.took_ms is not None and recall.took_ms > limit_ms:
        return f"the hook printed nothing for {recall.took_ms / 1000:.1f} s; {limit}"
    return ""


def _sources(text: str) -> tuple[str, ...]:
    """The paths that an answer lists under Sources, relative to the tree, as in the engine's log."""
    found = (
        path.rpartition(_TREE_FOLDER)[2] for block in _SOURCES.finditer(text) for path in _PATH.findall(block["list"])
    )
    return tuple(dict.fromkeys(found))


def _used(recall: Recall, documents: Iterable[str], text: str) -> Iterator[str]:
    """Yields each of ``documents`` whose name or path the reply mentions, or whose file the agent read.

    If the reply quotes a sentence of at least eight words from the answer, the first document counts as used.
    """
    reply = recall.reply
    is_quoted = _quotes(reply, text)
    for number, path in enumerate(documents):
        name = path.rpartition("/")[2]
        is_opened = any(opened.endswith(f"/{path}") or opened == path for opened in recall.opened)
        if is_opened or path in reply or (len(name) >= _SHORTEST_NAME and name in reply) or (is_quoted and not number):
            yield path


def _quotes(reply: str, text: str) -> bool:
    """True if ``reply`` contains every run of eight words of some sentence in ``text``.

    Takes time linear in both lengths.
    """
    there = set(_runs(re.split(r"[\s.!?]+", reply.lower())))
    sentences = re.split(r"[.!?\n]+", text[:_MOST_COMPARED].lower()) if there else []
    runs = (tuple(_runs(sentence.split())) for sentence in sentences)
    return any(of_sentence and there.issuperset(of_sentence) for of_sentence in runs)


def _runs(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Yields each run of eight consecutive words."""
    return zip(*(words[start:] for start in range(_SENTENCE_WORDS)), strict=False)
