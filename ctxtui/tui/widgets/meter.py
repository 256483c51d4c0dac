"""The meter: two lines with the content, cost and remaining room of the payload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.core.base.wording import noun, plural
from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.figures import Figures, Total, source_of
from ctxtui.session.picks import shown_name
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.palette import background, foreground
from ctxtui.tui.widgets.payload_list import OWN_BLOCKS

# If there are more blocks, the blocks of one source share a segment.
MOST_BLOCKS: Final = 12
# The share of the limit from which the number is a warning.
_NEAR = 0.85
_LEAST_BAR = 10
# The digits of a commit that git shows.
_COMMIT = 7

if TYPE_CHECKING:
    from ctxtui.tui.desk import Desk


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of the payload on the bar. `id` is the destination of a click."""

    id: str
    source: str
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """The columns of a part, from `start` up to but without `end`."""

    part: BarPart
    start: int
    end: int

    @property
    def width(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of `width` columns: its stretches, the column of the limit, and the end of the left-out tokens."""

    width: int
    stretches: tuple[Stretch, ...]
    limit: int | None
    beyond: int

    @property
    def end(self) -> int:
        """The first column after the parts."""
        return self.stretches[-1].end if self.stretches else 0

    def at(self, column: int) -> BarPart | None:
        """The part at a column, None behind the parts."""
        return next((each.part for each in self.stretches if each.start <= column < each.end), None)


def lay_out(parts: Sequence[BarPart], wanted: int, limit: int | None, width: int) -> Bar:
    """The bar of a payload that had `wanted` tokens before it was cut to the `limit`.

    The whole width is the limit, or `wanted` if that is more. Every part with tokens has at least one column if there
    are enough columns.
    """
    parts = [part for part in parts if part.tokens]
    tokens = sum(part.tokens for part in parts)
    scale = max(wanted, tokens, limit or 0, 1)
    columns = max(_columns(tokens, scale, width), min(len(parts), width))
    # If columns are few, only the first parts get any.
    seen = parts[:columns]
    sums = [0, *accumulate(part.tokens for part in seen)]
    rest = columns - len(seen)
    ends = [round(total * rest / max(1, sums[-1])) + place for place, total in enumerate(sums)]
    stretches = tuple(Stretch(*each) for each in zip(seen, ends, ends[1:], strict=False))
    end = ends[-1]
    mark = None if limit is None else min(width - 1, max(_columns(limit, scale, width), 0))
    beyond = max(end, _columns(wanted, scale, width)) if wanted > tokens else end
    return Bar(width, stretches, mark, beyond)


def _columns(tokens: int, scale: int, width: int) -> int:
    return round(tokens * width / scale)


class Meter(Widget):
    """Draws the layout of a session: the tokens of the exported payload, exact or marked as an estimate."""

    session: reactive[Session | None] = reactive(None)
    figures: reactive[Figures] = reactive(Figures)
    recipe: reactive[str] = reactive("")
    is_behind: reactive[bool] = reactive(False)
    """Whether the figures are those of an earlier session."""
    price: reactive[Decimal | None] = reactive(None)

    @dataclass
    class Chosen(Message):
        """The user clicked a part: the id of its block or of its source's first block, empty for a template."""

        id: str

    # The bar as drawn last, and the column where it starts.
    _bar: tuple[int, Bar] | None = None

    def show(self, desk: Desk) -> None:
        self.session, self.figures, self.is_behind = desk.session, desk.figures, desk.is_behind
        self.recipe, self.price = desk.recipe, desk.price

    def render(self) -> Text:
        self._bar = None
        if self.session is None:
            return Text(" opening …")
        width = self.size.width
        layout = self.figures.layout
        if self.figures.guess is not None and self.is_behind and not self.session.selection.is_empty:
            second = self._guessed(self.session, self.figures.guess)
        elif layout is None:
            second = Text(" counting …")
        elif self.session.selection.is_empty:
            second = _spread(
                Text(" ") + self._payload_size(self.session, layout), self._project_size(self.session), width
            )
        else:
            second = self._second_line(self.session, layout, width)
        # A low screen has room for the number only.
        return Text("\n").join([self._first_line(self.session, layout, width), second]) if self._has_first else second

    def on_click(self, event: events.Click) -> None:
        if self._bar is None or event.y != int(self._has_first):
            return
        start, bar = self._bar
        part = bar.at(event.x - start)
        if part is not None:
            self.post_message(self.Chosen(part.id))

    @property
    def _has_first(self) -> bool:
        return self.size.height > 1

    def _style(self, name: str) -> Style:
        return foreground(self, name)

    def _first_line(self, session: Session, layout: Payload | None, width: int) -> Text:
        selection = session.selection
        left = Text(f" {shown.line(session.workspace.root.name or '/')}", self._style("strong"))
        copy = session.workspace.copy
        if copy is not None:
            left.append(f" ⇣ {shown.line(copy.commit[:_COMMIT])}", self._style("dim"))
        if self.recipe:
            left.append(f"   recipe {shown.line(self.recipe)}", "")
        left.append(f"   {shown.line(selection.output)}", self._style("dim"))
        if selection.over == "fit":
            left.append("   fit", self._style("dim"))
        counter = session.budget.counter
        right = Text()
        if layout is not None and layout.secrets:
            done = {"redact": "redacted", "keep": "KEPT"}.get(session.secrets, "")
            right.append(f"{plural(layout.secrets, 'secret')} {done}   ", self._style("warn"))
        if session.budget.model:
            right.append(f"{session.budget.model}   ")
        right.append(_counter_label(counter, layout), self._style("dim"))
        if self.price is not None:
            right.append(f"   {_dollars(self.price)}")
        right.append(" ")
        if layout is not None and not selection.is_empty:
            # The parts of the size, if they fit between the two.
            gap = Text("   ")
            for more in (self._legend(session, layout), Text.assemble(gap, self._text_and_wrapping(layout))):
                if left.cell_len + more.cell_len + right.cell_len < width:
                    left.append_text(more)
        return _spread(left, right, width)

    def _second_line(self, session: Session, layout: Payload, width: int) -> Text:
        """The second line: the size and the limit, a bar if there is room for it, and the tokens left."""
        size, rest = self._payload_size(session, layout), self._remaining_room(session, layout)
        if not session.budget.counter.exact:
            basis = f"{layout.whole.basis_tokens:,}" if layout.whole else "…"
            rest.append(f"   {basis} {session.budget.counter.basis}", self._style("dim"))
        room = width - size.cell_len - rest.cell_len - 4
        if room < _LEAST_BAR:
            return _spread(Text.assemble(" ", size), Text.assemble(rest, " "), width)
        bar = lay_out(list(self._bar_parts(session, layout)), layout.wanted, session.budget.effective, room)
        self._bar = (size.cell_len + 3, bar)
        return Text.assemble(" ", size, "  ", self._drawn(bar, self._state(session, layout)), rest, " ")

    def _project_size(self, session: Session) -> Text:
        total = self.figures.totals.get("", Total())
        words = shown.size_of_project(total, session.budget.counter)
        words += f" {shown.uncounted(total.left)}" if total.large else ""
        return Text(f"{words} " if total.is_counted else f"{words}, counting {total.percent} % ")

    def _guessed(self, session: Session, tokens: int) -> Text:
        """The second line while texts are searched for secrets: the tokens of the picked files, and the progress."""
        limit = session.budget.effective
        sign = "" if session.budget.counter.exact else "≈ "
        style = "strong" if limit is None or tokens <= limit else "warn"
        text = Text.assemble(" ", (f"~{sign}{tokens:,}", self._style(style)))
        text.append(_limit_words(tokens, limit), self._style("dim"))
        return text.append(f"   searching for secrets, {self.figures.searched} %", self._style("dim"))

    def _bar_parts(self, session: Session, layout: Payload) -> Iterator[BarPart]:
        """The parts of the bar: the template, then the blocks in order, or if more than MOST_BLOCKS, the sources."""
        blocks = list(islice((block for block in layout.blocks if block.tokens), MOST_BLOCKS + 1))
        if session.selection.template is not None:
            # Blocks have no wrapping of their own. The rest is the template's.
            rest = self._unsourced(layout)
            if rest > 0:
                yield BarPart("", "prompt", "template", rest)
        if len(blocks) <= MOST_BLOCKS:
            for block in blocks:
                name = OWN_BLOCKS.get(block.id) or shown.line(shown_name(block.id))
                yield BarPart(block.id, source_of(session, block.id), name, block.tokens)
            return
        figures = self.figures
        for source in shown.SOURCES:
            if source in figures.sources:
                yield BarPart(figures.firsts[source], source, source, figures.sources[source])

    def _drawn(self, bar: Bar, state: str) -> Text:
        """The names of parts on the hues of their sources, in two tones by turns. Without colors, signs fill it."""
        text = Text()
        tones: dict[str, int] = {}
        for stretch in bar.stretches:
            part, width = stretch.part, stretch.width
            tone = tones[part.source] = tones.get(part.source, 0) + 1
            label = _label(part.name, width - 2)
            filling = width - cell_len(label)
            if self.app.no_color:
                text.append(label + shown.SOURCES[part.source] * filling)
            else:
                text.append(
                    label + " " * filling, background(self, f"{shown.source_style(part.source)}-{1 - tone % 2}")
                )
        text.append("╱" * (bar.beyond - bar.end), self._style("warn"))
        text.append("·" * (bar.width - bar.beyond), self._style("track"))
        if bar.limit is not None:
            before, behind = text.copy(), text[len(set_cell_size(text.plain, bar.limit + 1)) :]
            before.truncate(bar.limit)
            behind.pad_left(bar.width - bar.limit - 1 - behind.cell_len)
            text = Text.assemble(before, ("┃", self._style(state)), behind)
        return text

    def _state(self, session: Session, layout: Payload) -> str:
        """The style of the payload's size: `over` the limit, `warn` close to it or after cuts, else `strong`."""
        limit = session.budget.effective
        upper = layout.upper
        if limit is None:
            return "strong"
        return "over" if upper > limit else "warn" if upper > limit * _NEAR or layout.wanted > limit else "strong"

    def _payload_size(self, session: Session, layout: Payload) -> Text:
        """The best known tokens and the limit, after cuts behind the picked tokens: `820 picked → 300 out / 300`."""
        limit = session.budget.effective
        counter = session.budget.counter
        sign = "≈ " if shown.is_estimate(layout, counter) else ""
        # Picks are not measured by a vendor, so the counter's label applies.
        picked = (
            f"{'' if counter.exact else '≈ '}{layout.wanted:,} picked → " if layout.wanted != layout.tokens else ""
        )
        behind = "~" if self.is_behind or session.unanswered else ""
        text = Text(f"{behind}{picked}{sign}{layout.best:,}", self._style(self._state(session, layout)))
        if picked:
            text.append(" out", self._style("warn"))
        return text.append(_limit_words(layout.best, limit), self._style("dim"))

    def _remaining_room(self, session: Session, layout: Payload) -> Text:
        """The tokens left or over the limit, empty without a limit."""
        limit = session.budget.effective
        if limit is None:
            return Text()
        room = limit - layout.upper
        # An estimate is compared by its upper bound, so the room is not the difference of the two numbers.
        estimated = shown.is_estimate(layout, session.budget.counter)
        end = "" if not estimated else " at most" if room < 0 else " at least"
        if room < 0:
            return Text(f"  {-room:,} OVER{end}", self._style("over"))
        return Text(f"  {room:,} left{end}")

    @property
    def _sign(self) -> str:
        return "" if self.session is None or self.session.budget.counter.exact else "≈"

    def _text_and_wrapping(self, layout: Payload) -> Text:
        wrapping, sign = layout.tokens - layout.text_tokens, self._sign
        return Text(f"text {sign}{layout.text_tokens:,} + wrapping {sign}{wrapping:,}", self._style("dim"))

    def _unsourced(self, layout: Payload) -> int:
        """The tokens of a payload that belong to no source: those of a template, or around the blocks."""
        return layout.tokens - sum(self.figures.sources.values())

    def _legend(self, session: Session, layout: Payload) -> Text:
        """The sources with their signs and tokens, then the tokens that belong to no source."""
        text, rest = Text(), self._unsourced(layout)
        for source, glyph in shown.SOURCES.items():
            if source in self.figures.sources:
                text.append(f"   {glyph}", self._style(shown.source_style(source)))
                text.append(f" {source} {self._sign}{self.figures.sources[source]:,}", self._style("dim"))
        if rest > 0 and text:
            name = "template" if session.selection.template is not None else "frame"
            text.append(f"   {name} {self._sign}{rest:,}", self._style("dim"))
        return text


def _limit_words(tokens: int, limit: int | None) -> str:
    """The words behind a number of tokens: the limit, or that there is none."""
    return f" / {limit:,}" if limit is not None else f" {noun(tokens, 'token')}, no limit"


def _counter_label(counter: TokenCounter, layout: Payload | None) -> str:
    """The exactness of the payload's size: exact, an estimate with its band, or how the whole was counted."""
    if counter.exact:
        return f"{counter.basis} exact"
    whole = layout.whole if layout else None
    if whole is None:
        return f"≈ {counter.band}"
    return f"≈ {whole.band}" if whole.label == "estimated" else whole.label


def _label(name: str, room: int) -> str:
    """The longest end of a path, from a slash on, that fits, between spaces. Empty if the last part is too long."""
    while cell_len(name) > room and "/" in name:
        name = name.partition("/")[2]
    return f" {name} " if 0 < cell_len(name) <= room else ""


def _dollars(price: Decimal) -> str:
    return f"${price:.2f}" if price >= Decimal("0.01") else "<$0.01" if price else "$0.00"


def _spread(left: Text, right: Text, width: int) -> Text:
    """The left text, a gap, and the right text if it fits."""
    room = width - left.cell_len - right.cell_len
    if room < 1:
        left.truncate(width, overflow="ellipsis")
        return left
    return Text.assemble(left, " " * room, right)
