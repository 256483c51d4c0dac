"""The meter: two lines that say what the payload is, what it costs, and what room is left."""

from __future__ import annotations

from decimal import Decimal

from rich.style import Style
from rich.text import Text
from textual.reactive import reactive
from textual.widget import Widget

from ctxtui.core.assembly import PROMPT_ID, Payload
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
            right.append(f"{layout.secrets} secret{'s' if layout.secrets > 1 else ''} {done}   ", self._style("warn"))
        if session.budget.model:
            right.append(f"{session.budget.model}   ")
        right.append(f"{counter.basis} exact" if counter.exact else f"≈ {counter.band}", self._style("dim"))
        if self.price is not None:
            right.append(f"   {_dollars(self.price)}")
        right.append(" ")
        return _spread(left, right, width)

    def _second(self, session: Session, layout: Payload, width: int) -> Text:
        counter, limit = session.budget.counter, session.budget.effective
        sign = "" if counter.exact else "≈ "
        behind = "~" if self.is_behind else ""
        over = limit is not None and layout.upper > limit
        picked = f"{layout.wanted:,} picked → " if layout.wanted != layout.tokens else ""
        size = f"{behind}{sign}{picked}{layout.tokens:,}"
        left = Text(" ")
        left.append(size, self._style("over") if over else self._style("strong"))
        if layout.wanted != layout.tokens:
            left.append(" out", self._style("warn"))
        left.append(f" / {limit:,}" if limit is not None else " tokens, no limit", self._style("dim"))
        if limit is not None:
            room = limit - layout.upper
            rest = f"  {room:,} left" if room >= 0 else f"  {-room:,} OVER"
            left.append("  ")
            left.append_text(self._bar(session, layout, limit, max(8, min(32, width // 5))))
            left.append(rest, self._style("over") if room < 0 else "")
        wrapping = layout.tokens - layout.text_tokens
        right = Text(f"text {layout.text_tokens:,} + wrapping {wrapping:,}", self._style("dim"))
        if not counter.exact:
            right = Text(f"{layout.units:,} {counter.basis}", self._style("dim"))
        legend = Text(f"   {_legend(layout, session)} ", self._style("dim"))
        if left.cell_len + right.cell_len + legend.cell_len + 3 <= width:
            right.append_text(legend)
        elif left.cell_len + right.cell_len + 3 > width:
            right = Text()
        return _spread(left, right, width)

    def _bar(self, session: Session, layout: Payload, limit: int, width: int) -> Text:
        sums: dict[str, int] = {}
        for block in layout.blocks:
            source = _source(session, block.id)
            sums[source] = sums.get(source, 0) + block.tokens
        scale = width / max(limit, layout.tokens, 1)
        bar = ""
        total = 0
        for source, glyph in shown.SOURCES.items():
            total += sums.get(source, 0)
            bar += glyph * max(0, round(total * scale) - len(bar))
        return Text(f"▕{bar[:width]}{'·' * (width - len(bar))}▏")


def _source(session: Session, id_: str) -> str:
    if id_ == PROMPT_ID:
        return "prompt"
    reference = session.workspace.by_id.get(id_)
    return reference.source if reference else "files"


def _legend(layout: Payload, session: Session) -> str:
    used = {_source(session, block.id) for block in layout.blocks if block.tokens}
    return "  ".join(f"{glyph} {source}" for source, glyph in shown.SOURCES.items() if source in used)


def _dollars(price: Decimal) -> str:
    return f"${price:.2f}" if price >= Decimal("0.01") else "<$0.01" if price else "$0.00"


def _spread(left: Text, right: Text, width: int) -> Text:
    """The left text, room, and the right text where there is enough of it."""
    room = width - left.cell_len - right.cell_len
    if room < 1:
        left.truncate(width, overflow="ellipsis")
        return left
    return Text.assemble(left, " " * room, right)
