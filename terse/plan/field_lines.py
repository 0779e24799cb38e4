"""Running a rule's field lines on a payload, within the limits, and what they took out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property

from msgspec.structs import replace

from terse.fields.desk import Desk, Done
from terse.fields.find import find
from terse.fields.keep import keep
from terse.fields.page import Page
from terse.fields.remove import remove
from terse.fields.selector import Every, Everything, Path, Target
from terse.fields.set_aside import set_aside
from terse.fields.shorten import Cut, shorten
from terse.fields.size import Amount, counted
from terse.fields.tree import Tree
from terse.fields.unseen import may_hold
from terse.guarantee import Guarantee
from terse.layout.document import Document
from terse.payload.exact import JsonValue, NotExact, dump, parse
from terse.payload.payload import Payload
from terse.plan import describe
from terse.plan.limits import Limits
from terse.plan.model import FitIn, Keep, Quantity, Remove, SetAside, Shorten
from terse.plan.trace import NOT_COUNTED, StepStatus, StepTrace, Touched
from terse.plan.witness import Witness
from terse.tiers.spec import Draft, State

Line = Remove | SetAside | Shorten

LARGE = 1_000_000
"""Characters of a document that is forgotten as soon as it is not needed: it takes five times the memory."""

_LOSE = "lose at most"
_ACTIONS = {Remove: "removed", SetAside: "set aside", Shorten: "shortened"}


class FieldLines:
    """A payload under the field lines of one rule, and the trace of what they did.

    INVARIANT: `keep` lines, of the rule and of guards, are known before anything else is done.
    INVARIANT: nothing is taken from a text that names a kept field and in which it cannot be found.
    """

    def __init__(
        self,
        payload: Payload,
        keeps: Iterable[Keep],
        desk: Desk,
        limits: Limits,
        *,
        lose_percent: float | None = None,
        detail: bool = False,
    ) -> None:
        """
        Args:
            lose_percent: share of the payload's tokens that may be lost; None for any.
            detail: count the tokens of the whole after each line, for the trace.
        """
        self._payload = payload
        self._desk = desk
        self._limits = limits
        self._lose_percent = lose_percent
        self._detail = detail
        document = payload.json
        self.is_large_document = document is not None and len(payload.text) >= LARGE
        self.subject: Tree | Page = Page(payload.text) if document is None else Tree(document)
        self._cut_as_text = False
        self.steps: list[StepTrace] = []
        self.lost: list[str] = []
        self.aside: list[str] = []
        self.lost_tokens = 0
        self.kept: list[Target] = []
        self._unseen: list[str] = []
        self._witness = Witness(self.subject) if detail else None
        for line in keeps:
            self.kept += [target for target in line.targets if keep(target, self.subject)]
            if document is None:
                self._unseen += [
                    describe.target(target) for target in line.targets if may_hold(payload.text, target)
                ]
        self.kept_places = self._witness.kept(self.subject) if self._witness is not None else None

    def copy(self) -> FieldLines:
        """The same state, for an attempt that leaves this one as it is."""
        other = copy(self)
        other.__dict__.pop("draft", None)
        other.subject, other._desk = self.subject.copy(), self._desk.copy()
        other.steps, other.lost, other.aside = [*self.steps], [*self.lost], [*self.aside]
        return other

    @property
    def handles(self) -> dict[str, str]:
        return self._desk.handles

    @property
    def edited(self) -> bool:
        """Whether a line changed anything."""
        return self.subject.edited or self._cut_as_text

    @cached_property
    def draft(self) -> Draft:
        """What is left, as the chain takes it. To be asked for when all lines are done."""
        if not self.edited:
            return Draft.of(self._payload)
        if isinstance(self.subject, Page):
            return Draft(State.TEXT, self.subject.text)
        value = self.subject.value()
        if isinstance(value, str):
            # A note stands for the whole document.
            return Draft(State.TEXT, value)
        return Draft(State.JSON, dump(value), Document.of(value))

    @cached_property
    def _not_a_document(self) -> str:
        """Why the payload has no fields, in a few words."""
        try:
            parse(self._payload.text)
        except NotExact as reason:
            return str(reason)
        return "not JSON"

    def let_go(self) -> None:
        """Forget the payload's document. For when no line changed anything, and no line is to come."""
        self.subject = Page("")
        self.__dict__.pop("draft", None)
        self._payload.let_go()

    @property
    def left(self) -> JsonValue:
        """The document that the lines left; the text of one note where that stands for the whole."""
        return self.subject.value() if isinstance(self.subject, Tree) else self.subject.text

    @property
    def canonical(self) -> str | None:
        """The compact text of `left`, where it is at hand."""
        if not self.edited:
            return None if self._payload.json is None else self._payload.canonical
        return self.draft.text if self.draft.state is State.JSON else None

    def run(self, lines: Iterable[Line]) -> None:
        """Do the lines: all `remove` before all `set aside` before all `shorten`, as the language says."""
        ordered = sorted(lines, key=_order)
        instead = self._over_the_limit(ordered)
        for line in ordered:
            self._line(line, instead)

    def run_one(self, line: Line) -> bool:
        """Do one line of a `fit in`; returns whether it changed anything."""
        done = len(self.steps)
        self._line(line, self._over_the_limit([line]))
        return any(step.status is StepStatus.APPLIED for step in self.steps[done:])

    def note_fit(self, fit: FitIn, place: int, tokens: int) -> None:
        """Put in the trace what a `fit in` came to.

        Args:
            place: how many steps there were before its lines.
            tokens: of the result with its chain, at the end.
        """
        tried = len(self.steps) > place
        said = f"{counted(tokens, 'tokens')} with the chain: "
        said += "it fits" if tokens <= fit.tokens else "no line is left"
        status = StepStatus.APPLIED if tried else StepStatus.SKIPPED
        before = NOT_COUNTED
        if self._detail:
            before = self.steps[place - 1].tokens_after if place else self._desk.count(self._payload.text)
        label = describe.field_line(fit)
        bound = "" if tokens <= fit.tokens else "fit in"
        trace = StepTrace(label, fit.at, status, before, before, Guarantee.EXACT, said, bound=bound)
        self.steps.insert(place, trace)

    def _line(self, line: Line, instead: set[tuple[int, int]]) -> None:
        guarantee = class_of(line)
        label = describe.field_line(line)
        if why := self._limits.on_class(guarantee):
            self._trace(label, line.at, StepStatus.FORBIDDEN, guarantee, why)
            return
        if self._unseen and not all(isinstance(target, (Path, Every)) for target in line.targets):
            why = f"{', '.join(self._unseen)} must be kept, and cannot be found here: {self._not_a_document}"
            self._trace(label, line.at, StepStatus.FORBIDDEN, guarantee, why)
            return
        plain = [target for number, target in enumerate(line.targets) if (id(line), number) not in instead]
        spared = [target for number, target in enumerate(line.targets) if (id(line), number) in instead]
        if plain:
            if spared:
                label = describe.field_line(replace(line, targets=tuple(plain)))
            self._do(line, plain, label, guarantee)
        if spared:
            self._spare(line, spared)

    def _spare(self, line: Line, targets: list[Target]) -> None:
        """Set aside what a line would lose beyond `lose at most`; leave it where that is not possible."""
        said = f"at most {self._lose_percent:g}% may be lost"
        if why := self._limits.on_class(Guarantee.RECOVERABLE):
            label = describe.field_line(line)
            said = f"{said}, and {why}"
            self._trace(label, line.at, StepStatus.FORBIDDEN, Guarantee.LOSSY, said, bound=_LOSE)
            return
        if isinstance(line, Shorten):
            other: Line = Shorten(tuple(targets), line.to, line.end, at=line.at)
        else:
            over = line.over if isinstance(line, (Remove, SetAside)) else None
            other = SetAside(tuple(targets), over, at=line.at)
        label = describe.field_line(other)
        self._do(other, targets, label, Guarantee.RECOVERABLE, f"instead of losing it: {said}; ", _LOSE)

    def _do(
        self,
        line: Line,
        targets: list[Target],
        label: str,
        guarantee: Guarantee,
        prefix: str = "",
        bound: str = "",
    ) -> None:
        places = 0
        notes: list[str] = []
        for target in targets:
            done = self._act(line, target)
            notes.append(done.note + (self._overlooked(target) if self._detail and not done.places else ""))
            places += done.places
            self.lost_tokens += done.lost
            name = describe.target(target)
            if done.places and guarantee is Guarantee.LOSSY and name not in self.lost:
                self.lost.append(name)
            if done.aside:
                rest = "the rest of " if isinstance(line, Shorten) else ""
                self.aside.append(f"{rest}{name}" + (f" ({done.aside})" if done.aside > 1 else ""))
        if isinstance(self.subject, Tree) and self.subject.unseen:
            tree = self.subject
            if any(spot.place in tree.unseen for target in targets for spot in find(tree.document, target)):
                notes.append("a string of JSON stays: what is kept stands in it")
        self.__dict__.pop("draft", None)
        status = StepStatus.APPLIED if places else StepStatus.SKIPPED
        touched = self._witness.touched(self.subject) if self._witness is not None else None
        action = _ACTIONS[type(line)] if touched is not None else ""
        self._trace(label, line.at, status, guarantee, prefix + _joined(notes), action, touched, bound)

    def _overlooked(self, target: Target) -> str:
        """Where the target found nothing: that what it names stands in data that no selector looks into."""
        if isinstance(self.subject, Page):
            held = may_hold(self._payload.text, target)
            return "; data in it names them, and is not looked into" if held else ""
        tree = self.subject
        held = next(find(tree.document, target), None) is None and tree.names_in_strings(target)
        return "; JSON in a string names it, and is not looked into" if held else ""

    def _act(self, line: Line, target: Target) -> Done:
        if isinstance(self.subject, Page) and isinstance(target, (Path, Every)) and not self._cut_as_text:
            return Done(note=f"no fields to look for: {self._not_a_document}")
        match line:
            case Remove(_, over):
                return remove(target, _amount(over), self.subject, self._desk)
            case SetAside(_, over):
                return set_aside(target, _amount(over), self.subject, self._desk)
            case Shorten(_, to, end, remove_rest):
                cut = Cut(Amount(to.amount, to.unit), end, remove_rest)
                if isinstance(self.subject, Tree) and isinstance(target, Everything) and to.unit != "rows":
                    return self._as_text(target, cut, self.subject)
                return shorten(target, cut, self.subject, self._desk)

    def _as_text(self, target: Target, cut: Cut, tree: Tree) -> Done:
        """Cut a whole JSON document by characters, tokens or lines: as the text it is."""
        if tree.keeps:
            return Done(note="fields are kept: not cut as text")
        page = Page(self.draft.text, whole=self._payload.text)
        done = shorten(target, cut, page, self._desk)
        if done.places:
            self.subject, self._cut_as_text = page, True
        return done

    def _over_the_limit(self, lines: Iterable[Line]) -> set[tuple[int, int]]:
        """The targets, by line and number, that must not be lost: the largest, until the rest is allowed."""
        losing = [line for line in lines if class_of(line) is Guarantee.LOSSY]
        if self._lose_percent is None or not losing or self._limits.on_class(Guarantee.LOSSY):
            return set()
        allowed = self._lose_percent / 100 * self._desk.count(self._payload.text)
        sizes: dict[tuple[int, int], int] = {}
        for line in losing:
            for number, target in enumerate(line.targets):
                # Each by itself: what another line takes out today it may spare in the end.
                sizes[id(line), number] = self.copy()._act(line, target).lost
        total = self.lost_tokens + sum(sizes.values())
        spared: set[tuple[int, int]] = set()
        for place in sorted(sizes, key=lambda each: -sizes[each]):
            if total <= allowed:
                break
            total -= sizes[place]
            spared.add(place)
        return spared

    def _trace(
        self,
        label: str,
        at: str,
        status: StepStatus,
        guarantee: Guarantee,
        note: str,
        action: str = "",
        touched: Touched | None = None,
        bound: str = "",
    ) -> None:
        before = after = NOT_COUNTED
        text = None
        if self._detail:
            if status is StepStatus.APPLIED:
                self._trace_white_space()
            before = self._tokens_before()
            text = self.draft.text if status is StepStatus.APPLIED else None
            after = before if text is None else self._desk.count(text)
        self.steps.append(
            StepTrace(label, at, status, before, after, guarantee, note, 0.0, action, touched, text, bound)
        )

    def _trace_white_space(self) -> None:
        """Tell what the first line that changes a JSON document saves from what its new text does not need.

        A changed document is written anew, without white space; the line must not get the credit for that.
        """
        if self._payload.json is None or any(step.status is StepStatus.APPLIED for step in self.steps):
            return
        text = dump(self._payload.json)
        before, after = self._tokens_before(), self._desk.count(text)
        if after < before and not self._cut_as_text:
            label, note = "(JSON written anew)", "without white space"
            status, guarantee = StepStatus.APPLIED, Guarantee.LOSSLESS
            self.steps.append(StepTrace(label, "", status, before, after, guarantee, note, after=text))

    def _tokens_before(self) -> int:
        return self.steps[-1].tokens_after if self.steps else self._desk.count(self._payload.text)


def class_of(line: Line) -> Guarantee:
    """The guarantee class of a field line."""
    if isinstance(line, Remove) or (isinstance(line, Shorten) and line.remove_rest):
        return Guarantee.LOSSY
    return Guarantee.RECOVERABLE


def aside_words(aside: list[str], handles: dict[str, str], count: Callable[[str], int]) -> tuple[str, ...]:
    """What was set aside, for a reader: `issues.body (22)`, and how much it is in all."""
    if not aside:
        return ()
    total = sum(count(text) for text in handles.values())
    return (*aside, f"{counted(total, 'tokens')}, for this session")


def _order(line: Line) -> int:
    return 0 if isinstance(line, Remove) else 1 if isinstance(line, SetAside) else 2


def _amount(quantity: Quantity | None) -> Amount | None:
    return None if quantity is None else Amount(quantity.amount, quantity.unit)


def _joined(notes: list[str]) -> str:
    """The notes of a line's targets, each once; that one found nothing is said only if all did."""
    said = list(dict.fromkeys(notes))
    telling = [note for note in said if note != "nothing found"]
    return ", ".join(telling or said)
