"""What the terminal shows, cell by cell, so that only cells that change are sent to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.strip import Strip

from ctxtui.tui.terminal.wire_codes import LeanUpdate

Cell = tuple[str, int]
"""The text that begins in a column and the number of its style; the further columns of a wide text are empty."""

_UNKNOWN: Final[Cell] = ("?", -1)

_Update = TypeVar("_Update")

# As many equal cells between two that differ are sent with them: moving the cursor takes as many bytes.
_GAP: Final = 8
# Where blanks of such a style could not be told from others, only their background matters.
_SEEN_ON_BLANKS: Final = ("underline", "underline2", "overline", "strike", "reverse", "link")


class Wire:
    """Remembers what was sent to the terminal, and takes out of an update what the terminal already shows.

    Textual sends all that it has rendered again. An update of the whole screen is sent as it is, and repairs a
    terminal that something else has written to.
    """

    def __init__(self) -> None:
        self._rows: list[list[Cell]] = []
        self._numbers: dict[Style | None, int] = {}
        self._styles: list[Style | None] = []
        self._backgrounds: list[int] = []

    def forget(self) -> None:
        """The terminal may show anything now."""
        self._rows = []

    def lean(self, update: _Update) -> _Update | ChopsUpdate | None:
        """An update without what the terminal already shows; None if that is all of it."""
        if isinstance(update, ChopsUpdate):
            return self._changes(update)
        self.forget()
        if isinstance(update, LayoutUpdate):
            self._rows = [[cell for strip in line for cell in self._cells(strip)] for line in update.strips]
        return update

    def _changes(self, update: ChopsUpdate) -> ChopsUpdate | None:
        sent: list[dict[int, Strip | None]] = [{} for _ in update.chops]
        ends: list[list[int]] = [[] for _ in update.chops]
        for y, first, last in update.spans:
            for (x, piece), end in zip(update.chops[y].items(), update.chop_ends[y], strict=False):
                if piece is not None and x < last and end > first:
                    for start, stop in self._differing(y, x, self._cells(piece)):
                        sent[y][start] = self._strip(self._rows[y][start:stop])
                        ends[y].append(stop)
        spans = [(y, min(line), max(ends[y])) for y, line in enumerate(sent) if line]
        return LeanUpdate(sent, spans, ends) if spans else None

    def _differing(self, y: int, x: int, cells: list[Cell]) -> list[tuple[int, int]]:
        """The runs of columns that do not show these cells yet; from now on they do."""
        self._rows += [[] for _ in range(y + 1 - len(self._rows))]
        row, end = self._rows[y], x + len(cells)
        row += [_UNKNOWN] * (end - len(row))
        if row[x:end] == cells:
            return []
        self._break(row, x)
        self._break(row, end)
        columns = [x + place for place, cell in enumerate(cells) if row[x + place] != cell]
        row[x:end] = cells
        runs: list[tuple[int, int]] = []
        for column in columns:
            if runs and column - runs[-1][1] <= _GAP:
                runs[-1] = runs[-1][0], column + 1
            else:
                runs.append((column, column + 1))
        return runs

    @staticmethod
    def _break(row: list[Cell], column: int) -> None:
        """Forget the wide text that columns before and after one belong to: drawing over a part of it loses it."""
        first = last = column
        while first < len(row) and not row[first][0]:
            first -= 1
        while last < len(row) and not row[last][0]:
            last += 1
        row[first:last] = [_UNKNOWN] * (last - first)

    def _cells(self, strip: Strip) -> list[Cell]:
        cells: list[Cell] = []
        for text, style, _ in strip:
            number = self._number(style)
            blank = (" ", self._backgrounds[number])
            cells += [blank if each == " " else (each, number) for each in _by_column(text)]
        return cells

    def _number(self, style: Style | None) -> int:
        number = self._numbers.get(style)
        if number is None:
            number = self._numbers[style] = len(self._styles)
            self._styles.append(style)
            self._backgrounds.append(number)
            if style is not None and not any(getattr(style, each) for each in _SEEN_ON_BLANKS):
                self._backgrounds[number] = self._number(Style(bgcolor=style.bgcolor))
        return number

    def _strip(self, cells: Iterable[Cell]) -> Strip:
        """The cells with as few changes of style as possible: blanks take the style of the text beside them."""
        groups: list[tuple[list[str], int]] = []
        for text, number in cells:
            texts, of = groups[-1] if groups else ([], -1)
            if texts and (of == number or (text == " " and self._backgrounds[of] == number)):
                texts.append(text)
            elif texts and of == self._backgrounds[number] and not "".join(texts).strip(" "):
                groups[-1] = [*texts, text], number
            else:
                groups.append(([text], number))
        return Strip(Segment("".join(texts), self._styles[number]) for texts, number in groups)


@lru_cache(4096)
def _by_column(text: str) -> Sequence[str]:
    """A text by column: its characters if each takes one, else the whole in its first column."""
    if text.isascii() or all(cell_len(each) == 1 for each in text):
        return text
    return (text, *[""] * (cell_len(text) - 1))
