"""The map: tokens as a treemap in the hues of the sources, to zoom into and to pick from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from textual import events, on

from ctxtui.core.documents.listing import PLAIN
from ctxtui.session.shares import Share
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.palette import FOLDERS
from ctxtui.tui.widgets.picture import Picture, StyledText
from ctxtui.tui.widgets.treemap_layout import Tile, by_source, index_at, lay_out, neighbor, pieces

# The shares of a hue in surfaces: the two tones of a leaf, and the title line of an open tile.
_TONES = (0.88, 0.74)
_HEAD = 0.3
# The least columns of a name.
_LABEL = 6
# The least columns for the sign of the source before a name.
_SIGNED = 9
_CRUMBS = 1
_FOLDERS = tuple(FOLDERS)


def name_lines(name: str, room: int, count: int) -> tuple[str, ...]:
    """A name in at most `count` lines of `room` columns, broken behind spaces and signs if possible."""
    lines = [""]
    for word in re.findall(r"(?:\S )*[.]*[^ ._/-]+[ _/-]*|[ ._/-]+", name):
        if cell_len(lines[-1]) + cell_len(word.rstrip()) > room and lines[-1]:
            lines.append("")
        lines[-1] += word
    lines[count - 1 :] = filter(None, ["".join(lines[count - 1 :])])
    return tuple(fit(line.rstrip(), room) for line in lines)


class Treemap(Picture):
    """Rectangles for the parts of a share. The cursor is on one of the outermost.

    `mark_of` returns the mark of an id: picked, in part, or not. The hue tells sources apart, or with `by_folder` the
    outermost rectangles. Then the cursor shows while the map has the focus.
    """

    def __init__(self, mark_of: Callable[[str], str], *, by_folder: bool = False, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._mark_of = mark_of
        self._by_folder = by_folder
        # The shares zoomed into, and the position of the cursor in each.
        self._path: list[Share] = []
        self._places: list[int] = []
        self._root_name = ""
        self._number: Callable[[int], str] = "{:,}".format
        self._sources: Counter[str] = Counter()
        self._tiles: list[Tile] = []
        self._lines: list[list[Tile]] = []
        # Whether the tiles are of several sources, and so need signs.
        self._is_mixed = False

    def show(self, root: Share, name: str, number: Callable[[int], str] = "{:,}".format) -> None:
        """Show another tree of shares. Zoom and cursor stay if they still exist. `number` writes tokens."""
        self._number = number
        old, place = [share.id for share in self._path[1:]], self._places[-1] if self._places else 0
        self._path, self._places, self._root_name = [], [], name
        self._enter(root)
        self._sources = by_source(root)
        for id_ in old[len(self._path) - 1 :]:
            inner = next((part for part in pieces(self._path[-1]) if part.id == id_ and id_), None)
            if inner is None or not pieces(inner):
                break
            self._enter(inner)
        if [share.id for share in self._path[1:]] == old:
            self._places[-1] = place
        self._show()

    @property
    def current(self) -> Share | None:
        """The share of the outermost tile at the cursor, None without tiles."""
        return self._tiles[self._place].share if self._tiles else None

    @property
    def _place(self) -> int:
        return self._places[-1]

    @property
    def _outer(self) -> Sequence[Tile]:
        count = next((place for place, tile in enumerate(self._tiles) if tile.depth), len(self._tiles))
        return self._tiles[:count]

    @on(events.Resize)
    def _show(self) -> None:
        """Lay out and draw the tiles, and tell that the cursor moved."""
        if not self._path:
            return
        width, height = self.size.width, self.size.height - _CRUMBS
        self._tiles = lay_out(self._path[-1], width, height)
        self._is_mixed = not self._by_folder and len({tile.share.source for tile in self._outer}) > 1
        self._lines = [[] for _ in range(max(0, height))]
        for tile in self._tiles:
            lines = range(tile.box.y, tile.box.y + 1) if tile.is_open else range(tile.box.y, tile.box.bottom)
            for y in lines:
                self._lines[y].append(tile)
        for tiles in self._lines:
            tiles.sort(key=lambda tile: tile.box.x)
        self._places[-1] = max(0, min(self._place, len(self._outer) - 1))
        self.refresh()
        self.post_message(self.Moved())

    @property
    def detail(self) -> str:
        share = self.current
        if share is None:
            return "no tokens to show"
        root, above = self._path[0], self._path[-1]
        parts = [f"{self._number(share.tokens)} tokens", f"{share.tokens / max(1, root.tokens):.1%} of all"]
        if above is not root:
            parts.append(f"{share.tokens / max(1, above.tokens):.1%} of {self._named(above)}")
        if share.children:
            parts.append(f"{len(share.children):,} in it")
        mark = {"●": "picked", "◐": "picked in part"}.get(self._mark(share), "")
        return f"{share.id or share.name}\n{' · '.join(filter(None, [*parts, mark]))}"

    def _named(self, share: Share) -> str:
        return self._root_name if share is self._path[0] else shown.line(share.name)

    def _mark(self, share: Share) -> str:
        return self._mark_of(share.id) if share.id else ""

    @property
    def target(self) -> str:
        return self.current.id if self.current is not None else ""

    def line(self, y: int) -> Iterator[StyledText]:
        if y < _CRUMBS:
            yield from self._crumbs()
        elif y - _CRUMBS < len(self._lines):
            draw = self._plain if self.app.no_color else self._colored
            for tile in self._lines[y - _CRUMBS]:
                yield from draw(tile, y - _CRUMBS)

    def _crumbs(self) -> Iterator[StyledText]:
        share = self.current
        if share is None:
            yield " no tokens to show" if self._path else " counting the files …", self.ink("dim")
            return
        told = f"   {self._number(share.tokens)}  {share.tokens / max(1, self._path[0].tokens):.1%} "
        room = max(0, self.size.width - len(told) - 1)
        last = fit(shown.line(share.name), room)
        above = fit(" › ".join([*map(self._named, self._path), ""]), room - cell_len(last))
        yield f" {above}", self.ink("dim")
        yield last, self.ink("strong")
        room -= cell_len(above) + cell_len(last)
        legend = list(self._legend())
        needed = sum(cell_len(text) for text, _ in legend)
        yield " " * max(0, room - (needed if needed < room else 0)), Style()
        if needed < room:
            yield from legend
        yield told, self.ink("strong")

    def _legend(self) -> Iterator[StyledText]:
        for source, sign in shown.SOURCES.items() if not self._by_folder else ():
            if self._sources[source]:
                yield f"   {sign}", self.ink(shown.source_style(source))
                yield f" {source} {self._number(self._sources[source])}", self.ink("dim")

    def _colored(self, tile: Tile, y: int) -> Iterator[StyledText]:
        """Line `y` of the map within a tile, in its hue. A frame surrounds the contents of the tile at the cursor."""
        box, is_current, hue = tile.box, self._has_cursor(tile), self._hue(tile)
        if is_current and tile.depth == 0:
            style = self.ink("pointer")
        elif tile.is_open:
            style = self.tone(hue, _HEAD) + Style(bold=tile.depth == 0)
        else:
            style = self.tone(hue, _TONES[tile.tone])
        edge = style + self.ink("edge")
        text = self._text(tile, y - box.y, box.width - 2)
        left, right = (" ", style), (" " if tile.is_open else "▕", edge)
        if is_current and tile.depth:
            outer, ring = self._tiles[tile.top].box, style + Style(color=self.ink("pointer").bgcolor)
            if y == outer.bottom - 1:
                yield "▄" * box.width, ring
                return
            left = ("▌", ring) if box.x == outer.x else left
            right = ("▐", ring) if box.right == outer.right else right
        if box.width > 1:
            yield left
        if not text and not tile.is_open and y == box.bottom - 1:
            yield "▁" * (box.width - 2), edge
        else:
            yield set_cell_size(text, max(0, box.width - 2)), style
        yield right

    def _has_cursor(self, tile: Tile) -> bool:
        return tile.top == self._place and (self.has_focus or not self._by_folder)

    def _hue(self, tile: Tile) -> str:
        if self._by_folder:
            return _FOLDERS[tile.top % len(_FOLDERS)]
        return shown.source_style(tile.share.source if tile.share.source in shown.SOURCES else PLAIN)

    def _plain(self, tile: Tile, y: int) -> Iterator[StyledText]:
        """A line of a tile without colors, drawn with line characters. The cursor has double lines and a `>`."""
        box, is_cursor, is_top = tile.box, self._has_cursor(tile), y == tile.box.y
        is_edge = is_cursor and (box.x == self._tiles[tile.top].box.x or tile.depth == 0)
        text = self._text(tile, y - box.y, box.width - 2)
        text = f">{text}" if is_cursor and tile.depth == 0 and is_top else text
        lead = ("╔" if is_edge else "┌") if is_top else "║" if is_edge else "│"
        fill = ("═" if is_cursor else "─") if is_top else " "
        yield set_cell_size(lead + text + fill * (box.width - 1 - cell_len(text)), box.width), Style(bold=is_cursor)

    def _text(self, tile: Tile, line: int, room: int) -> str:
        """The text in a line of a tile, counted from 0: its name first, then its tokens behind or below the name."""
        share, number = tile.share, self._number(tile.share.tokens)
        sign = "" if tile.depth or not self._is_mixed or room < _SIGNED else shown.SOURCES.get(share.source, "")
        mark = self._mark(share).replace("○", "")
        name = " ".join(filter(None, [mark, sign, shown.line(share.name)]))
        if not share.id and cell_len(name) > room:
            # A number that is cut would be another number.
            name = f"+{name.partition(' ')[0]}"
        if tile.is_open or tile.box.height == 1:
            gap = room - cell_len(name) - len(number)
            return "" if line else f"{name}{' ' * gap}{number}" if gap > 0 else _label(name, room)
        names = name_lines(name, room, max(1, tile.box.height - 2)) if _label(name, room) else ("",)
        if line < len(names):
            return names[line]
        part = f"{number} · {share.tokens / max(1, self._path[0].tokens):.1%}"
        return next((text for text in (part, number) if len(text) <= room), "") if line == len(names) else ""

    def _go(self, place: int) -> None:
        old, self._places[-1] = self._place, place
        for each in {old, place}:
            self.refresh(self._tiles[each].box.translate((0, _CRUMBS)))
        self.refresh_line(0)
        self.post_message(self.Moved())

    def step(self, dx: int, dy: int) -> None:
        """Go to the neighboring rectangle. Left of the first, zoom out."""
        place = neighbor([tile.box for tile in self._outer], self._place, dx, dy) if self._tiles else None
        if place is not None:
            self._go(place)
        elif dx < 0:
            self.zoom_out()

    def leap(self, direction: int, is_end: bool) -> None:
        if self._tiles:
            last = len(self._outer) - 1
            place = last * (direction > 0) if is_end else self._place + direction
            self._go(max(0, min(place, last)))

    def action_enter(self) -> None:
        """Zoom in, or choose a tile without contents."""
        share = self.current
        if share is not None and pieces(share):
            self.zoom_into(share)
        elif share is not None:
            super().action_enter()

    def zoom_into(self, share: Share) -> None:
        self._enter(share)
        self._show()

    def _enter(self, share: Share) -> None:
        """Zoom into a share, and further while it has a single part that has parts of its own."""
        self._path.append(share)
        self._places.append(0)
        only = pieces(share)
        if len(only) == 1 and pieces(only[0]):
            self._enter(only[0])

    def zoom_out(self) -> bool:
        """Go back to the nearest share above with several parts. Returns whether there is one."""
        above = [place for place, share in enumerate(self._path[:-1]) if len(pieces(share)) > 1]
        if not above:
            return False
        del self._path[above[-1] + 1 :], self._places[above[-1] + 1 :]
        self._show()
        return True

    def click(self, x: int, y: int, is_double: bool) -> None:
        """Go to a rectangle, or up with a click on the path. A double click zooms in."""
        place = index_at(self._outer, x, y - _CRUMBS)
        if y < _CRUMBS:
            self.zoom_out()
        elif place is not None and is_double:
            self.action_enter()
        elif place is not None:
            self._go(place)


def _label(name: str, room: int) -> str:
    """A name shortened to `room` columns, empty if fewer than `_LABEL` columns of a longer name would show."""
    return fit(name, room) if room >= min(_LABEL, cell_len(name)) else ""
