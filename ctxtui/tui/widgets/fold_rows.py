"""A row that folds others or has several lines, its layout in the available width, and the rows of open groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rich.cells import cell_len

from ctxtui.tui import shown
from ctxtui.tui.filtering import Filter, fold, read_filter
from ctxtui.tui.names import Name, Plain, fit
from ctxtui.tui.widgets.rows import Cell, Drawn, ItemRows

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.audit.slim.change import Change
    from ctxtui.audit.types import Finding

# The shares of a row for its name, beside a text and beside a bar.
_OF_TEXT: Final = 0.55
_OF_BAR: Final = 0.4
_MOST_BAR: Final = 24
_LEAST_NAME: Final = 8
_GAP: Final = 2
# The columns of a name that cells at the right leave to it.
_ROOM: Final = 20
# The columns of a group's sign.
_SIGN: Final = 2


class Told(NamedTuple):
    """A harmless text, wrapped in its row. The first `head` characters, such as a path and line, are in color."""

    text: str
    style: str = ""
    head: int = 0


Widths = Mapping[tuple[int, bool], tuple[int, int]]
"""The columns of the longest name, and of the longest text behind a name, in rows of a kind."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of Start or the Audit screen.

    Enter goes to `path` (a path or `id:ID`) and `line`, or runs `act`, an action of the screen. Behind the cells at
    the `left` come the `name`, shortened at its front, a bar for `share` (0 to 1 of the largest row), and the cells
    `more`. Each text of `told` begins a line of its own. `tokens` sort the rows. A row with a `group` folds the rows
    that name it in `within`, and is open at first if `is_open`. A filter for `words` finds the whole group. A row
    that `heads` the list stays above all others. Without room for a name, the first `spare` cells at the right go.
    `change` is a change of the plan, `commit` the id of a commit. On Start, enter picks `ids` or a `start`, and `key`
    identifies a row whose texts change.
    """

    left: tuple[Cell, ...] = ()
    right: tuple[Cell, ...] = ()
    path: str | None = None
    line: int | None = None
    detail: str = ""
    tokens: int = 0
    finding: Finding | None = None
    change: Change | None = None
    name: Plain = ("", "")
    share: float | None = None
    more: tuple[Cell, ...] = ()
    group: str = ""
    within: tuple[str, ...] = ()
    is_open: bool = False
    words: str = ""
    heads: bool = False
    act: str = ""
    commit: str = ""
    told: tuple[Told, ...] = ()
    key: str = ""
    ids: tuple[str, ...] = ()
    start: Start | None = None
    spare: int = 0

    def is_same(self, other: Row) -> bool:
        """Whether the row is another one or its newer version."""
        return self == other or (bool(self.key) and self.key == other.key)

    @property
    def text(self) -> str:
        """The text at the left, or the words of a group, which find all of its rows."""
        cells = (*self.left, self.name, *self.more, *self.told)
        return self.words or " ".join(cell[0] for cell in cells if cell[0])

    @property
    def found_by(self) -> str:
        cells = (*self.left, self.name, *self.more, *self.right, *self.told)
        return " ".join((self.words, *(cell[0] for cell in cells)))

    @property
    def has_preview(self) -> bool:
        """Whether a change or a file, not an `id:`, stands behind the row."""
        return self.change is not None or (self.path is not None and not self.path.startswith("id:"))

    @property
    def is_leaf(self) -> bool:
        """Whether the row is content, and not a heading or summary."""
        return not (self.group or self.heads or self.act)


def heading(title: str, *right: Cell, count: int | None = None, **more: Any) -> Row:
    """The heading of an open group, with an optional count and cells at the `right`. `more` are fields of the row."""
    left = ((title, "strong"), (f"  {count:,}", "dim")) if count is not None else ((title, "strong"),)
    return Row(left, right, **{"group": title, "is_open": True, "words": title, **more})


def remark(text: str, style: str = "dim", right: tuple[Cell, ...] = (), **more: Any) -> Row:
    """A row of words, wrapped so that all of them show. `more` are fields of Row."""
    return Row(right=right, told=(Told(shown.line(text), style),), **more)


def item(
    left: Cell, name: str, right: tuple[Cell, ...], about: str | None = None, style: str = "", **more: Any
) -> Row:
    """A row with an untrusted name, followed by the text `about`, if any. `more` are fields of Row."""
    told: tuple[Cell, ...] = () if about is None else ((shown.line(about), "dim"),)
    return Row((left,), right, name=(shown.line(name), style), more=told, **more)


def longest_names(rows: Iterable[Row]) -> Widths:
    """The columns of the longest name, and of the longest text behind a name, for each key of `_kind`.

    In rows with bars, the indent counts as well.
    """
    longest: dict[tuple[int, bool], tuple[int, int]] = {}
    for row in rows:
        if row.name[0]:
            key = _kind(row)
            columns = cell_len(row.name[0]) + (0 if key[0] else _width(row.left))
            name, more = longest.get(key, (0, 0))
            longest[key] = max(columns, name), max(_width(row.more), more)
    return longest


def told_lines(row: Row, width: int, sign: str = "") -> list[Drawn]:
    """The wrapped texts of a row as lines of `width` columns. `sign` shows whether a group is open."""
    begin = [(_indent(row) + (sign or " " * _SIGN), ""), *row.left]
    hanging = (" " * _width(begin), "")
    room = max(_LEAST_NAME, width - 1 - _width(begin) - _width(row.right))
    lines: list[Drawn] = []
    for told in row.told:
        for place, text in enumerate(_wrapped(told.text, room)):
            head = 0 if place else told.head
            cells = [(text[:head], "accent"), (text[head:], told.style)]
            lines.append(([*([hanging] if lines else begin), *cells], () if lines else row.right))
    return lines


@lru_cache(maxsize=4096)
def _wrapped(text: str, room: int) -> list[str]:
    return shown.wrapped(text, room)


def drawn(row: Row, width: int, longest: Widths, sign: str = "") -> Drawn:
    """The left and right cells of a row in `width` columns. `longest` aligns names, `sign` is that of a group.

    Without room for a name, the first `spare` cells at the right go, one by one.
    """
    left = [(_indent(row) + sign, ""), *row.left] if sign else list(row.left)
    right = list(row.right)
    room = width - 1 - _width(left) - _width(right)
    for spare in row.right[: row.spare]:
        if room >= _ROOM:
            break
        room += cell_len(spare[0])
        right.remove(spare)
    if row.name[0] and not row.more and row.share is None:
        left.append(Name(*row.name))
    elif row.name[0]:
        columns = _columns(row, width, room, longest)
        text = fit(row.name[0], columns)
        left += [(text + " " * max(0, columns - cell_len(text)), row.name[1]), (" " * _GAP, "")]
        room -= columns + _GAP
    if row.share is not None:
        bar = max(0, min(_MOST_BAR, room // 3) if row.more else room)
        left.append((shown.bar(round(row.share * 10_000), 10_000, bar), "accent"))
    return [*left, *row.more], right


def _columns(row: Row, width: int, room: int, longest: Widths) -> int:
    """The width of a row's name in columns of the terminal, the same for rows of one kind."""
    name, more = longest.get(_kind(row), (0, 0))
    if row.share is not None:
        # Bars start in the same column for every indent.
        return max(min(_LEAST_NAME, room), min(name, int(width * _OF_BAR)) - _width(row.left))
    return max(1, min(name, max(_LEAST_NAME, int(room * _OF_TEXT), room - _GAP - more)))


def _kind(row: Row) -> tuple[int, bool]:
    """The key that rows share if their names are aligned: all rows with bars, others by the width before the name."""
    if row.share is not None:
        return 0, True
    sign = len(_indent(row)) + _SIGN if row.group else 0
    return _width(row.left) + sign or 1, bool(row.more)


def _indent(row: Row) -> str:
    return "  " * len(row.within)


def _width(cells: Iterable[Cell]) -> int:
    return sum(cell_len(cell[0]) for cell in cells)


class FoldRows(ItemRows[Row]):
    """Rows whose groups open and close, wrapped for the width of the list. `mark` marks rows with ids."""

    def __init__(self, mark: Callable[[str], Cell] | None = None, *, id: str) -> None:  # noqa: A002
        super().__init__(lambda row: self._lines(row)[0], id=id)
        self._mark = mark
        self.by_tokens = False
        self.all: Sequence[Row] = ()
        self._sought = read_filter("")
        # The groups that have rows, and those that the user opened or closed.
        self._filled: set[str] = set()
        self._toggled: set[str] = set()
        self._longest = longest_names(())

    def show(self, items: Sequence[Row], cursor: int | None = None, typed: str = "") -> None:
        """Show the rows of open groups, or those that match a filter.

        The cursor stays on its row, or goes to the row `cursor`, for 0 to the first row to act on.
        """
        current, offset = self.current, self._first_line(self.cursor) - self.scroll_offset.y
        self.all, self._sought = items, read_filter(typed)
        self._longest = longest_names(items)
        self._filled = {group for row in items for group in row.within}
        self.items = self.kept()
        place = next((n for n, row in enumerate(self.items) if current and row.is_same(current)), None)
        place = place if cursor is None else cursor or self._first_to_act_on()
        self._wrap(place)
        if cursor is None and self.scroll_offset.y:
            # Rows above may be new.
            self.jump(self._first_line(self.cursor) - offset)
        if cursor is not None or 0 <= offset < self.size.height:
            self.show_cursor()

    def on_resize(self) -> None:
        self._wrap()

    def _wrap(self, cursor: int | None = None) -> None:
        heights = [len(self._lines(row)) if row.told else 1 for row in self.items]
        self.set_count(len(self.items), cursor, () if set(heights) <= {1} else heights)

    def kept(self) -> list[Row]:
        """The rows of open groups, or filter matches with their headings."""
        rows = by_tokens(self.all) if self.by_tokens else self.all
        if not self._sought.is_empty:
            return matching_rows(rows, self._sought)
        opened = {row.group for row in rows if row.group and self.is_open(row)}
        return [row for row in rows if opened.issuperset(row.within)]

    def _first_to_act_on(self) -> int:
        """The index of the first content, action or group that folds. 0 without such a row."""
        wanted = (row.is_leaf or bool(row.act) or (bool(row.group) and self._sought.is_empty) for row in self.items)
        return next((place for place, is_wanted in enumerate(wanted) if is_wanted), 0)

    def is_open(self, group: Row) -> bool:
        """Whether a group is open. A filter shows all of its matches."""
        return not self._sought.is_empty or group.is_open ^ (group.group in self._toggled)

    def fold(self, is_open: bool | None) -> bool:
        """Open, close or (None) toggle the group at the cursor, or close that around it. Returns whether it did."""
        row = self.current
        if row is not None and not row.group and is_open is False:
            row = next((each for each in self.items if (each.group,) == row.within[-1:]), None)
        if row is None or row.group not in self._filled or not self._sought.is_empty or is_open is self.is_open(row):
            return False
        self._toggled ^= {row.group}
        self.move(next(place for place, each in enumerate(self.items) if each is row))
        self.show(self.all)
        self.show_cursor()
        self.post_message(self.Moved(self))
        return True

    def _lines(self, row: Row) -> Sequence[Drawn]:
        """The lines of a row. A group with rows has a sign for open or closed."""
        # The column of a scroll bar stays free, so that lines do not change when it appears.
        width = self.outer_size.width - 1
        sign = ("▾ " if self.is_open(row) else "▸ ") if row.group in self._filled else "  " if row.group else ""
        if row.told:
            return told_lines(row, width, sign)
        mark = [self._mark(row.ids[0])] if self._mark is not None and row.ids else []
        left, right = drawn(row, width - _width(mark), self._longest, sign)
        place = len(row.left)
        return [([*left[:place], *mark, *left[place:]], right)]

    def below(self, index: int) -> Sequence[Drawn]:
        return self._lines(self.items[index])[1:]

    def counted(self, items: Sequence[Row]) -> int:
        return sum(row.is_leaf for row in items)

    def mark_columns(self, index: int) -> range:
        row = self.items[index]
        start = 1 + _width(row.left)
        return range(start, start + 2) if self._mark is not None and row.ids else range(0)

    def fold_columns(self, index: int) -> range:
        return range(self.size.width if self.items[index].group else 0)

    def toggle_fold(self, _index: int) -> None:
        """Fold or unfold the clicked row, which is under the cursor."""
        self.fold(None)

    def action_left(self) -> None:
        self.fold(False)

    def action_right(self) -> None:
        self.fold(True)

    def action_enter(self) -> None:
        if not self.fold(None):
            super().action_enter()


def matching_rows(rows: Sequence[Row], sought: Filter) -> list[Row]:
    """The rows that match a filter by their own text and their headings, and these headings."""
    words = {row.group: row.words for row in rows if row.group}
    held = [
        sought.holds(fold(" ".join((*(words.get(group, "") for group in row.within), row.found_by))))
        and not (row.heads or (sought.is_paths_only and not row.is_leaf))
        for row in rows
    ]
    needed = {group for row, is_held in zip(rows, held, strict=True) if is_held for group in row.within}
    any_held = any(held)
    return [
        row
        for row, is_held in zip(rows, held, strict=True)
        if is_held or row.group in needed or (row.heads and any_held)
    ]


def by_tokens(rows: Sequence[Row]) -> list[Row]:
    """The rows with most tokens first within their group. Rows that head the list or act stay above."""
    below: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        below.setdefault(row.within, []).append(row)

    def ordered(within: tuple[str, ...]) -> list[Row]:
        some = sorted(below.get(within, ()), key=lambda row: (row.is_leaf or bool(row.group), -row.tokens))
        return [each for row in some for each in (row, *(ordered((*within, row.group)) if row.group else ()))]

    return ordered(())
