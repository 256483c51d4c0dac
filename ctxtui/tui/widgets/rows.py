"""Lists of any length, of rows or of items that a function draws, of which only the lines on screen are drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, NamedTuple, Self, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from ctxtui.tui.keys.keymap import bindings
from ctxtui.tui.names import Name, Plain, fitted
from ctxtui.tui.palette import background, foreground
from ctxtui.tui.shown import wrapped
from ctxtui.tui.widgets.line_view import LineView

Cell = Plain | Name
"""A text and the name of its style, `""` or one of the `inks` of rows, or the name in a row, which is made to fit."""
Item = TypeVar("Item")
Drawn = tuple[Sequence[Cell], Sequence[Cell]]
"""The cells of a row, at the left and at the right."""


class _Line(NamedTuple):
    """A line of the screen: its cells at the left and right, and the index of its row, if any."""

    left: Sequence[Plain] = ()
    right: Sequence[Plain] = ()
    row: int | None = None
    is_first: bool = True


class _Frame(NamedTuple):
    """All lines of the screen. `key` is the scroll offset and the size that they were made for."""

    key: tuple[int, Size]
    lines: Sequence[_Line]


@dataclass
class _RowMessage(Message):
    rows: Rows

    @property
    def control(self) -> Rows:
        return self.rows


class Rows(LineView):
    """A list of rows with a cursor. Subclasses define the cells of a row.

    Cells on the screen are cached until the whole list is refreshed.
    """

    BINDINGS = bindings("list")

    cursor: reactive[int] = reactive(0, repaint=False)
    remark: reactive[str] = reactive("", repaint=False)
    """The text to show if there are no rows."""

    count = 0
    # The first line of each row, and the number of lines, if any row has several.
    _tops: Sequence[int] = ()
    _frame: _Frame | None = None
    _foregrounds: dict[str, Style]

    class Moved(_RowMessage):
        def can_replace(self, message: Message) -> bool:
            """A burst of moves collapses into the last one."""
            return isinstance(message, Rows.Moved) and message.rows is self.rows

    class Entered(_RowMessage):
        """The user chose the row under the cursor with enter or a double click."""

    class MarkClicked(_RowMessage):
        """The user clicked the mark of a row."""

    def set_count(self, count: int, cursor: int | None = None, heights: Sequence[int] = ()) -> None:
        """Show `count` rows with their heights in lines, by default 1 each. Without `cursor`, the cursor stays."""
        self.count = count
        self._tops = [0, *accumulate(heights)] if heights else []
        self._fit_size()
        wanted = self.cursor if cursor is None else cursor
        self.cursor = max(0, min(wanted, count - 1))
        self.update()

    def prepare(self, indices: range) -> None:
        """Called with the rows on the screen before the cells of each are made."""

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """The cells of a row, at the left and at the right."""
        raise NotImplementedError

    def header(self, _top: int) -> Sequence[Cell]:
        """The cells of a line that covers the row at the top of the screen, empty to show the row itself."""
        return ()

    def header_row(self, top: int) -> int:
        """The row to go to after a click on the header."""
        return top

    def below(self, index: int) -> Sequence[tuple[Sequence[Cell], Sequence[Cell]]]:
        """The cells of the second and later lines of a row, each line as in `row`."""
        raise NotImplementedError

    def _first_line(self, index: int) -> int:
        return self._tops[index] if self._tops else index

    def _row_at(self, line: int) -> int:
        return bisect_right(self._tops, line) - 1 if self._tops else line

    def mark_columns(self, _index: int) -> range:
        """The columns of a row in which a click toggles its mark."""
        return range(0)

    def fold_columns(self, _index: int) -> range:
        """The columns of a row in which a click opens or closes it."""
        return range(0)

    def toggle_fold(self, index: int) -> None:
        """Open or close a row. Flat lists do nothing."""

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw some regions again, or everything with new cells."""
        if not regions:
            self._frame = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def update(self) -> None:
        """Draw only the lines whose cells have changed."""
        old, self._frame = self._frame, None
        if old is None or old.key != self._current_frame().key:
            self.refresh()
            return
        pairs = zip(old.lines, self._current_frame().lines, strict=True)
        changed = [Region(0, y, self.size.width, 1) for y, (before, after) in enumerate(pairs) if before != after]
        if changed:
            self.refresh(*changed)

    def watch_remark(self) -> None:
        if not self.count:
            self.update()

    def render_lines(self, crop: Region) -> list[Strip]:
        self._foregrounds = {}
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        frame = self._current_frame()
        line = frame.lines[y] if y < len(frame.lines) else _Line()
        width, base = frame.key[1].width, self.base
        if line.row is None:
            return self._strip(line.left, line.right, width, base, False)
        is_cursor = line.row == self.cursor
        prefix = [(">" if is_cursor and line.is_first else " ", "strong")]
        is_cursor &= self.has_focus
        if is_cursor:
            base = background(self, "cursor")
        return self._strip([*prefix, *line.left], line.right, width, base, is_cursor)

    def _current_frame(self) -> _Frame:
        top, size = self.scroll_offset.y, self.scrollable_content_region.size
        key = (top, size)
        if self._frame is None or self._frame.key != key:
            if self.count:
                lines = self._row_lines(top, size)
            else:
                told = wrapped(self.remark, max(1, size.width - 2)) if self.remark else []
                lines = [_Line([(f" {line}", "note")]) for line in [*told, *[""] * size.height][: size.height]]
            self._frame = _Frame(key, [*lines, *[_Line()] * (size.height - len(lines))])
        return self._frame

    def _row_lines(self, top: int, size: Size) -> list[_Line]:
        """The lines of the rows on the screen, from the line `top` of the list on, with names made to fit."""
        first = self._row_at(top)
        indices = range(first, min(self.count, self._row_at(top + size.height - 1) + 1))
        self.prepare(indices)
        cells: list[tuple[Sequence[Cell], Sequence[Cell]]] = []
        places: list[tuple[int, bool]] = []
        for index in indices:
            drawn = [self.row(index), *(self.below(index) if self._tops else ())]
            cells += drawn
            places += [(index, not line) for line in range(len(drawn))]
        header, *rows = fitted([(self.header(first), ()), *cells], size.width - 1)
        lines = [_Line(*row, *place) for row, place in zip(rows, places, strict=True)]
        hidden = top - self._first_line(first)
        lines = lines[hidden : hidden + size.height]
        if header[0]:
            lines[0] = _Line(header[0])
        return lines

    def _strip(
        self, left: Iterable[Plain], right: Iterable[Plain], width: int, base: Style, is_cursor: bool
    ) -> Strip:
        """A line of `width` columns. The cells at the left are cut for those at the right."""
        right_segments = [Segment(text, self._style(name, base, is_cursor)) for text, name in right]
        room = width - sum(cell_len(segment.text) for segment in right_segments)
        segments: list[Segment] = []
        for text, name in left:
            if room <= 0:
                break
            size = cell_len(text)
            if size > room:
                text = set_cell_size(text, max(0, room - 1)) + "…" if room > 1 else set_cell_size(text, room)
                size = room
            segments.append(Segment(text, self._style(name, base, is_cursor)))
            room -= size
        if room > 0:
            segments.append(Segment(" " * room, base))
        return Strip([*segments, *right_segments]).crop(0, width)

    def _style(self, name: str, base: Style, is_cursor: bool) -> Style:
        if not name or (is_cursor and name == "dim"):
            return base
        if name not in self._foregrounds:
            self._foregrounds[name] = foreground(self, name)
        style = self._foregrounds[name]
        return base + (Style(bold=style.bold) if is_cursor else style)

    def watch_cursor(self, old: int, new: int) -> None:
        for index in (old, new) if self.count else ():
            index = min(index, self.count - 1)
            top, end = self._first_line(index), self._first_line(index + 1)
            self.refresh(Region(0, top - self.scroll_offset.y, self.size.width, end - top))
        self.show_cursor()
        self.post_message(self.Moved(self))

    def show_cursor(self) -> None:
        """Scroll to the row under the cursor."""
        height = self.scrollable_content_region.height
        if height <= 0:
            return
        top, first = self.scroll_offset.y, self._first_line(self.cursor)
        last = max(first, self._first_line(self.cursor + 1) - 1) if self.count else first
        if first < top or (first == top and self.header(self.cursor)):
            # A header would cover the row.
            self.jump(first - bool(self.header(self.cursor)))
        elif last >= top + height:
            self.jump(min(first, last - height + 1))

    def on_resize(self) -> None:
        self._fit_size()
        self.show_cursor()

    def _fit_size(self) -> None:
        self.fit(Size(max(1, self.scrollable_content_region.width), self._first_line(self.count)))

    def move(self, index: int) -> None:
        """Put the cursor on a row, or on the nearest one that exists."""
        if self.count:
            self.cursor = max(0, min(index, self.count - 1))

    def action_up(self) -> None:
        self.move(self.cursor - 1)

    def action_down(self) -> None:
        self.move(self.cursor + 1)

    def action_top(self) -> None:
        self.move(0)

    def action_bottom(self) -> None:
        self.move(self.count - 1)

    def action_page_up(self) -> None:
        self.move(min(self.cursor - 1, self._row_at(max(0, self._first_line(self.cursor) - self._page))))

    def action_page_down(self) -> None:
        self.move(max(self.cursor + 1, self._row_at(self._first_line(self.cursor) + self._page)))

    @property
    def _page(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def action_left(self) -> None:
        """Do nothing in a flat list."""

    action_right = action_left

    def action_enter(self) -> None:
        if self.count:
            self.post_message(self.Entered(self))

    def on_click(self, event: events.Click) -> None:
        """Move to a row. A click on its mark toggles it, on its fold sign opens it, a double click chooses it."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        top = self.scroll_offset.y
        index = self._row_at(offset.y + top)
        if not 0 <= index < self.count:
            return
        event.stop()
        self.focus()
        if offset.y == 0 and self.header(index):
            self.move(self.header_row(index))
            return
        self.move(index)
        if offset.x in self.mark_columns(index):
            self.post_message(self.MarkClicked(self))
        elif offset.x in self.fold_columns(index):
            self.toggle_fold(index)
        elif event.chain == 2:
            self.post_message(self.Entered(self))


class ItemRows(Rows, Generic[Item]):
    """Shows items. `draw` returns the cells of an item, `marks` the columns in which a click toggles its mark."""

    def __init__(
        self,
        draw: Callable[[Item], Drawn],
        marks: Callable[[Item], range] = lambda _item: range(0),
        *,
        id: str,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._draw, self._marks = draw, marks
        self.items: Sequence[Item] = ()

    def show(self, items: Sequence[Item], cursor: int | None = None, _typed: str = "") -> None:
        """Show other items, with the cursor on the given row or where it was. Lists that fold filter by `_typed`."""
        self.items = items
        self.set_count(len(items), cursor)

    def counted(self, items: Sequence[Item]) -> int:
        """The number of items without headings."""
        return len(items)

    @property
    def current(self) -> Item | None:
        return self.items[self.cursor] if self.items else None

    def mark_columns(self, index: int) -> range:
        return self._marks(self.items[index])

    def row(self, index: int) -> Drawn:
        return self._draw(self.items[index])
