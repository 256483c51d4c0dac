"""The meter: two lines that show what the payload is, what it costs, and how much room is left."""

from __future__ import annotations

from decimal import Decimal

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.core.payload.types import Payload
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.wording import plural
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.styles import foreground


class Meter(Widget):
    """Draws the layout of a session: always the exact number of tokens of the payload as exported."""

    COMPONENT_CLASSES = {"meter--over", "meter--dim", "meter--strong", "meter--warn"}  # noqa: RUF012

    session: reactive[Session | None] = reactive(None)
    figures: reactive[Figures] = reactive(Figures)
    recipe: reactive[str] = reactive("")
    is_behind: reactive[bool] = reactive(False)
    price: reactive[Decimal | None] = reactive(None)

    def render(self) -> Text:
        """Both lines."""
        if self.session is None:
            return Text(" opening …")
        width = self.size.width
        layout = self.figures.layout
        text = self._first(self.session, layout, width)
        text.append("\n")
        if layout is None:
            text.append(" counting …")
        else:
            text.append_text(self._second(self.session, layout, width))
        return text

    def _style(self, name: str) -> Style:
        return foreground(self, f"meter--{name}")

    def _first(self, session: Session, layout: Payload | None, width: int) -> Text:
        selection = session.selection
        left = Text(f" {shown.line(session.workspace.root.name or '/')}", self._style("strong"))
        if self.recipe:
            left.append(f"   recipe {shown.line(self.recipe)}", "")
        left.append(f"   {selection.format}", self._style("dim"))
        if selection.over == "fit":
            left.append("   fit", self._style("dim"))
        counter = session.budget.counter
        right = Text()
        if layout is not None and layout.secrets:
            done = {"redact": "redacted", "keep": "KEPT"}.get(selection.secrets, "")
            right.append(f"{plural(layout.secrets, 'secret')} {done}   ", self._style("warn"))
        if session.budget.model:
            right.append(f"{session.budget.model}   ")
        right.append(_known(counter, layout), self._style("dim"))
        if self.price is not None:
            right.append(f"   {_dollars(self.price)}")
        right.append(" ")
        return _spread(left, right, width)

    def _second(self, session: Session, layout: Payload, width: int) -> Text:
        """Size, limit, bar and room; at the right what makes up the size. Parts that do not fit are left out."""
        size, rest = self._sum(session, layout), self._rest(session, layout)
        right, legend = self._parts(session, layout), Text(f"   {_legend(self.figures)}", self._style("dim"))
        limit = session.budget.effective
        for bar_width, tail in (
            (min(32, width // 5), Text.assemble(right, legend)),
            (12, right),
            (6, right),
            (0, right),
        ):
            bar = Text() if limit is None or not bar_width else self._bar(layout, limit, bar_width)
            left = Text.assemble(" ", size, "  " if bar else "", bar, rest)
            if left.cell_len + tail.cell_len + 3 <= width:
                return _spread(left, Text.assemble(tail, " "), width)
        return _spread(Text.assemble(" ", size, rest), Text(), width)

    def _sum(self, session: Session, layout: Payload) -> Text:
        limit = session.budget.effective
        tokens, upper = _size(layout)
        over = limit is not None and upper > limit
        sign = ("~" if self.is_behind else "") + ("≈ " if _is_estimate(session.budget.counter, layout) else "")
        picked = f"{layout.wanted:,} picked → " if layout.wanted != layout.tokens else ""
        text = Text(f"{sign}{picked}{tokens:,}", self._style("over" if over else "strong"))
        if picked:
            text.append(" out", self._style("warn"))
        return text.append(f" / {limit:,}" if limit is not None else " tokens, no limit", self._style("dim"))

    def _rest(self, session: Session, layout: Payload) -> Text:
        limit = session.budget.effective
        if limit is None:
            return Text()
        room = limit - _size(layout)[1]
        # An estimate is judged by its upper bound, so the room is not the difference of the two numbers.
        estimated = _is_estimate(session.budget.counter, layout)
        end = "" if not estimated else " at most" if room < 0 else " at least"
        if room < 0:
            return Text(f"  {-room:,} OVER{end}", self._style("over"))
        return Text(f"  {room:,} left{end}")

    def _parts(self, session: Session, layout: Payload) -> Text:
        counter = session.budget.counter
        if not counter.exact:
            basis = f"{layout.whole.basis_tokens:,}" if layout.whole else "…"
            return Text(f"{basis} {counter.basis}", self._style("dim"))
        wrapping = layout.tokens - layout.text_tokens
        return Text(f"text {layout.text_tokens:,} + wrapping {wrapping:,}", self._style("dim"))

    def _bar(self, layout: Payload, limit: int, width: int) -> Text:
        scale = width / max(limit, layout.tokens, 1)
        bar = ""
        total = 0
        for source, glyph in shown.SOURCES.items():
            total += self.figures.sources.get(source, 0)
            bar += glyph * max(0, round(total * scale) - len(bar))
        return Text(f"▕{bar[:width]}{'·' * (width - len(bar))}▏")


def _size(layout: Payload) -> tuple[int, int]:
    """The tokens of a payload as well as they are known, and those to compare with the limit."""
    return (layout.whole.tokens if layout.whole else layout.tokens, layout.upper)


def _is_estimate(counter: TokenCounter, layout: Payload) -> bool:
    return not counter.exact and (layout.whole is None or layout.whole.label == "estimated")


def _known(counter: TokenCounter, layout: Payload | None) -> str:
    """How the size is known, in a few words."""
    if counter.exact:
        return f"{counter.basis} exact"
    whole = layout.whole if layout else None
    if whole is None:
        return f"≈ {counter.band}"
    return f"≈ {whole.band}" if whole.label == "estimated" else whole.label


def _legend(figures: Figures) -> str:
    return "  ".join(f"{glyph} {source}" for source, glyph in shown.SOURCES.items() if source in figures.sources)


def _dollars(price: Decimal) -> str:
    return f"${price:.2f}" if price >= Decimal("0.01") else "<$0.01" if price else "$0.00"


def _spread(left: Text, right: Text, width: int) -> Text:
    """The left text, a gap, and the right text if there is room for it."""
    room = width - left.cell_len - right.cell_len
    if room < 1:
        left.truncate(width, overflow="ellipsis")
        return left
    return Text.assemble(left, " " * room, right)
