"""The headline of the Fleet screen: one sentence about all answers, and advice about members without an answer."""

from __future__ import annotations

from brvtui.app.states import FleetState, FleetWork
from brvtui.app.view import View
from brvtui.app.widgets.lines import Lines
from brvtui.fleet.fleet_file import Absence, AbsenceKind
from brvtui.paint.bars import meter
from brvtui.paint.glyphs import Glyphs
from brvtui.paint.line import Line, badge, line
from brvtui.paint.sentence import NO_ANSWER, Headline, Sentence, clause, headline_lines, tier_role, title
from brvtui.paint.text import ms, plural
from brvtui.trace.routing import SearchOutcome
from brvtui.wording import counted

# Advice about members without an answer.


EACH = "{fleet.merge} asks each member's own engine instead"
"""The advice if one ranking is impossible; the action's name in braces is replaced by its key."""
_FIX, _ALONE = "fix this and press {fleet.again}", "; Enter opens this memory"
_WHAT_TO_DO = {
    AbsenceKind.OTHER: _FIX,
    AbsenceKind.ENTRY: "fix or remove that entry and press {fleet.again}",
    AbsenceKind.NO_FOLDER: (
        "restore the folder, or fix or remove its entry in the fleet, and press {fleet.again}; or open the "
        "fleet without the --over that names it"
    ),
    AbsenceKind.ONLY_ALONE: _FIX,
    AbsenceKind.TIMEOUT: "{fleet.again} asks again; brv-tui fleet open --timeout SECONDS waits longer",
    AbsenceKind.PROCESS_ENDED: "{fleet.again} asks again, in a new process",
    AbsenceKind.NOT_RANKED: EACH,
    AbsenceKind.OTHER_CONSTANTS: EACH + "; set a profile in its entry to make it comparable",
}


def what_to_do(state: FleetState, absence: Absence) -> str:
    """Returns advice about a missing member; action names in braces are to be replaced by keys."""
    return _WHAT_TO_DO[absence.kind] + (_ALONE if _opens_alone(state, absence) else "")


def _opens_alone(state: FleetState, absence: Absence) -> bool:
    """True if the member can probably be opened by itself; a member read from git has no folder."""
    members = state.fleet.members if state.fleet is not None else ()
    if any(one.name == absence.member and one.repository for one in members):
        return False
    was_opened = absence.kind is AbsenceKind.OTHER and absence.member in state.known
    return was_opened or absence.kind is AbsenceKind.ONLY_ALONE


def missing_words(state: FleetState, count: int) -> str:
    """Describes ``count`` members without an answer as left out of the common ranking or as unreadable."""
    if state.together and state.ranking is not None:
        return counted(count, "is left out", "are left out")
    return f"{count} could not be read"


_METER = 24
_EACH = (
    (
        "each by its own engine: each counts words only in its own notes, so scores of different members are not "
        "comparable"
    ),
    "each by its own engine: scores of different members are not comparable",
    "scores of different members are not comparable",
)
"""The description of the mode, longest text first."""
_TOGETHER = (
    "one ranking: words are counted in the notes of all ranked members, so scores are comparable",
    "one ranking: scores are comparable",
)
_ROWS = 2
_OUTCOMES = {
    SearchOutcome.NO_TOKENS: "the question has no word to search for",
    SearchOutcome.NO_MATCH: "no note matches any of its words",
    SearchOutcome.BELOW_FLOOR: "the best match is too weak to be on topic",
    SearchOutcome.UNMATCHED_WORDS: "none of the best matches contains any of its words",
}


class FleetHeadline(Lines):
    """The sentence, in two lines, and a third line with the mode or the progress."""

    READS = (FleetState,)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns the sentence and the state."""
        state = view.fleet
        if state.fleet is None:
            return [badge("NO FLEET", "warn").add("  query many memories at once here", "muted").cut(width)]
        lines = _sentence_lines(state, width)
        return [
            *lines,
            *[Line()] * (_ROWS - len(lines)),
            _mode_line(state, width, self.glyphs, self.services.shown_key("fleet.again")),
        ]


def _sentence_lines(state: FleetState, width: int) -> list[Line]:
    if state.problem:
        return headline_lines(Headline("CANNOT ASK", "bad", (clause(state.problem),)), 0, "", width, _ROWS)
    if not state.text:
        return headline_lines(_ready_headline(state), 0, "", width, _ROWS)
    shown = _headline_of_ranking(state) if state.together else _headline_of_each(state)
    return headline_lines(shown, 0, "", width, _ROWS)


def _ready_headline(state: FleetState) -> Headline:
    assert state.fleet is not None
    count = len(state.fleet.members)
    asks = clause(f"type a question: {'it asks' if count == 1 else 'all'} {_memories(count)}")
    if count > 1:
        asks = clause(f"type a question to ask {_memories(count)} at once")
    return Headline("READY", "accent", (asks, *_unread(state)))


def _headline_of_each(state: FleetState) -> Headline:
    assert state.fleet is not None
    covering, replied, count = len(state.covering), len(state.answers), len(state.fleet.members)
    is_whole = state.work is FleetWork.IDLE
    among = _memories(count) if is_whole else f"{_memories(replied)} asked so far"
    if not covering:
        text = clause("none of " if count != 1 else "it is not covered by the memory of ", f"{among} covers it")
        if count == 1 and is_whole:
            text = clause("the memory does not cover it")
        if not is_whole and not replied:
            text = clause(f"asking {_memories(count)}")
        role = NO_ANSWER if is_whole else "accent"
        return Headline(_badge(state, "NOT COVERED"), role, (text, *_not_queried(state), *_unread(state)))
    verb = "covers" if covering == 1 else "cover"
    sentence: Sentence = (clause([(str(covering), "bold strong")], f" of {among} {verb} it"),)
    best = state.covering[0]
    answer = state.answers[best.member]
    sentence += (clause("; best: ", [(best.member, "bold accent")]),)
    if answer.tier is not None:
        sentence += (clause(f", tier {answer.tier}"),)
    if answer.hits:
        sentence += (clause(" from ", title(answer.hits[0].title), weight=60),)
    role = tier_role(answer.tier) if is_whole else "accent"
    return Headline(_badge(state, "COVERED"), role, (*sentence, *_not_queried(state), *_unread(state)))


def _headline_of_ranking(state: FleetState) -> Headline:
    assert state.fleet is not None
    ranking, count = state.ranking, len(state.fleet.members)
    if ranking is None:
        text = f"ranking the notes of {_memories(count)} as one"
        return Headline(_badge(state, ""), "accent", (clause(text), *_unread(state)))
    if not ranking.hits:
        why = _OUTCOMES.get(ranking.outcome, "nothing was found")
        notes = plural(ranking.notes, "note")
        sentence = (clause(why), clause(f"; words were counted in {notes}", weight=40), *_unread(state))
        return Headline("NOTHING", NO_ANSWER, sentence)
    best = ranking.hits[0]
    others = len({one.member for one in ranking.hits})
    sentence = (
        clause("best of all: ", title(best.hit.title), " of ", [(best.member, "bold accent")]),
        clause(f", {best.hit.score:.2f}"),
        clause(f"; {plural(len(ranking.hits), 'result')} of {_memories(others)}", weight=60),
        clause(f" among {ranking.matched} that match" if ranking.matched > len(ranking.hits) else "", weight=50),
        *_unread(state),
    )
    return Headline("ONE RANKING", tier_role(2), sentence)


def _badge(state: FleetState, ended: str) -> str:
    return {FleetWork.ASKING: "ASKING", FleetWork.STOPPED: "STOPPED"}.get(state.work, ended)


def _not_queried(state: FleetState) -> Sentence:
    """Returns a clause with the number of members that had not been queried when the user stopped."""
    assert state.fleet is not None
    left = len(state.fleet.members) - len(state.answers) - len(state.unread)
    text = counted(left, "was not asked", "were not asked")
    return (clause(f"; {text}"),) if state.work is FleetWork.STOPPED and left > 0 else ()


def _unread(state: FleetState) -> Sentence:
    """Returns a clause with the number of members that could not be read or listed."""
    assert state.fleet is not None
    count = len(state.unread) + len(state.fleet.absent)
    return (clause("; ", [(missing_words(state, count), "warn")]),) if count else ()


def _memories(count: int) -> str:
    return f"{count} memory" if count == 1 else f"{count} memories"


def _mode_line(state: FleetState, width: int, glyphs: Glyphs, again: str) -> Line:
    """Returns the progress, or the mode of the answers; ``again`` is the key that queries all members again."""
    if state.is_busy:
        row = Line().gap().extend(meter(state.done / max(1, state.total), min(_METER, width // 4), glyphs))
        doing = "opened" if state.work is FleetWork.OPENING else "asked"
        step = f"{state.step}: " if state.together and state.step and state.text else ""
        progress = f"  {step}{state.done} of {state.total} {'' if step else doing}".rstrip()
        return row.add(progress, "muted").add("  Esc stops", "accent").cut(width)
    spent = ""
    if state.took_s and state.text and state.work is FleetWork.IDLE:
        spent = f"{state.took_s:.1f} s " if state.took_s >= 1 else f"{ms(state.took_s * 1000)} "
    texts = _TOGETHER if state.together else _EACH
    mode = next((text for text in texts if len(text) + len(spent) + 2 <= width), texts[-1])
    row = line(f" {mode}", "muted")
    if state.work is FleetWork.STOPPED and state.text:
        row = line(" stopped: ", "warn").add(
            f"Enter in the field queries the rest, and {again} queries all of them again", "muted"
        )
    return row.right(width, line(spent, "muted"))
