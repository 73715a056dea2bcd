"""The dialog that adds a column to the Lab."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input

from brvtui.app.actions.dialogs import VARIANTS
from brvtui.app.keys.bindings import bindings
from brvtui.app.lab.lab import title_of
from brvtui.app.screens.dialog import Dialog
from brvtui.app.view import View
from brvtui.app.widgets.choice_pane import ChoicePane
from brvtui.app.widgets.lines import wrapped
from brvtui.app.widgets.ordered_keys import OrderedInput
from brvtui.app.widgets.outline import WordFilter
from brvtui.lab.whatif.variant import EditedText, Variant, VariantError, parse_variant
from brvtui.paint.line import Line, line

if TYPE_CHECKING:
    from brvtui.session.variants import VariantRunner

_NAME = 24
_MOMENTS = {"+7d": "in a week", "+30d": "in 30 days", "+90d": "in 90 days", "+365d": "in a year"}
_LATER = "+30d"


class VariantsPane(ChoicePane):
    """The variants that match the typed words."""

    TITLE = "Columns"

    class Taken(Message):
        """Posted when a row is clicked."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.can_focus = False
        self._rows: Sequence[tuple[Variant, str]] = ()
        self._problem = ""

    @property
    def variant(self) -> Variant | None:
        """The variant under the cursor, or None."""
        return self._rows[self.cursor][0] if 0 <= self.cursor < len(self._rows) else None

    def put(self, rows: Sequence[tuple[Variant, str]], problem: str) -> None:
        """Lists ``rows`` or, if there are none, shows the ``problem`` with the typed text."""
        self._rows, self._problem, self.cursor = rows, problem, 0
        self.rebuild(force=True)

    def build(self, view: View, width: int) -> list[Line]:
        """Returns a line for each variant."""
        self.choices, self.owner = [], []
        lines: list[Line] = []
        for number, (variant, description) in enumerate(self._rows):
            entry = Line().gap().fit(title_of(variant), min(_NAME, width // 2), "text").gap().add(description, "muted")
            self.add_rows(lines, [entry.cut(width)], str(number))
        return lines or wrapped(self._problem or "nothing", width, "warn") or [line()]

    def clicked(self, place: int) -> None:
        """Selects the clicked row and reports the click."""
        self.move_to(place)
        self.post_message(self.Taken())


class VariantDialog(Dialog[Variant]):
    """Asks for a variant; returns it, or None."""

    AUTO_FOCUS = "#variant"
    BINDINGS = bindings(VARIANTS)

    def __init__(
        self, variants: VariantRunner, edited: EditedText | None, revisions: Mapping[str, str], view: View
    ) -> None:
        """Lists the available variants; ``revisions`` are the tree's git revisions, each with a description."""
        self._variants, self._profiles, self._engine = variants, variants.profiles, view.engine.name
        constants = (each for each in view.lab.controls if isinstance(each.base, float) and "." in each.name)
        self._constant = next((f"{each.name}={each.base}" for each in constants if each.group != "limits"), "")
        written = f"Or type it, with the words in any order: {', '.join(self._kinds())}."
        super().__init__("Add a column: run the judged queries with…", written, wide=True)
        moments = _MOMENTS if variants.kind.has_maturity else {}
        named = {f"rev:{name}": description for name, description in revisions.items()}
        self._offered = offered_variants(self._profiles, self._engine, edited, {**named, **moments})

    def _kinds(self) -> Iterator[str]:
        """Yields the kinds of variants that can be typed here."""
        variants = self._variants
        if self._other_engine:
            yield "an engine"
        if self._other_profile:
            yield "a profile"
        if variants.kind.has_maturity:
            yield _LATER
        if variants.kind.can_vary:
            yield "rev:BRANCH"
        if variants.has_modes:
            yield "mode=MODE"
        yield f"a constant ({self._constant})" if self._constant else "a constant"
        if variants.kind.can_vary:
            yield from ("without:NOTE.md", "NOTE.md:importance=90")

    @property
    def _other_engine(self) -> str:
        """The name of an engine other than the current one; empty if there is none."""
        return next((name for name in self._profiles if name != self._engine), "")

    @property
    def _other_profile(self) -> str:
        """The name of a profile that is not an engine's default; empty if there is none."""
        return next((own[1] for own in self._profiles.values() if len(own) > 1), "")

    def make_parts(self) -> ComposeResult:
        """Yields the field, the list and a hint."""
        later = _LATER if self._variants.kind.has_maturity else ""
        examples = filter(None, (self._other_engine, self._other_profile, later, self._constant))
        field = OrderedInput(placeholder=", ".join(examples), id="variant", compact=True)
        field.cursor_blink = False
        yield field
        yield VariantsPane(id="variants")
        yield from super().make_parts()

    def on_mount(self) -> None:
        """Lists all variants."""
        self._search()

    @on(Input.Changed)
    def _search(self) -> None:
        text = self.query_one(Input).value.strip()
        words = WordFilter.of(text)
        rows = [
            (variant, description)
            for variant, description in self._offered
            if words.keeps(f"{title_of(variant)} {description}".lower())
        ]
        problem = ""
        try:
            written = parse_variant(text, self._profiles, self._engine) if text else None
        except VariantError as error:
            written, problem = None, str(error)
        if written is not None and all(variant != written for variant, _ in rows):
            rows.insert(0, (written, "as typed"))
        self.query_one(VariantsPane).put(rows, problem)

    @on(Input.Submitted)
    @on(VariantsPane.Taken)
    def action_take(self) -> None:
        """Closes the dialog and returns the variant under the cursor, if its engine has the constants that it names."""
        pane = self.query_one(VariantsPane)
        if pane.variant is None:
            return
        try:
            self._variants.check(pane.variant, self._engine)
        except VariantError as error:
            pane.put((), str(error))
        else:
            self.dismiss(pane.variant)

    def action_step(self, step: int) -> None:
        """Moves to the next or previous row."""
        pane = self.query_one(VariantsPane)
        pane.move_to(pane.cursor + step)


def offered_variants(
    profiles: Mapping[str, Collection[str]], engine: str, edited: EditedText | None, others: Mapping[str, str]
) -> list[tuple[Variant, str]]:
    """Returns the variants to list with their descriptions, which ``others`` gives for typed variants."""
    variants: list[tuple[Variant, str]] = []
    if edited is not None:
        variants.append((Variant(edit=edited), "the text in the editor, before it is saved"))
    for name, description in others.items():
        variants.append((parse_variant(name, profiles, engine), description))
    for name, own in profiles.items():
        for number, profile in enumerate(own):
            if name == engine:
                variants.append((Variant(profile=profile), f"a profile of {name}"))
            elif number == 0:
                variants.append((Variant(engine=name), "another engine"))
            else:
                variants.append((Variant(engine=name, profile=profile), f"a profile of {name}"))
    return variants
