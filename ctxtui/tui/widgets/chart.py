"""The history as a chart: tokens over the commits, and the commit behind each jump."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.style import Style
from textual import events, on

from ctxtui.tui import shown
from ctxtui.tui.widgets import chart_layout
from ctxtui.tui.widgets.chart_layout import Curve, Growth, JumpLabel, columns_of, floor_of, point_at
from ctxtui.tui.widgets.picture import Picture, StyledText

_MARKS: Final = 12
_LABEL: Final = 46
_MOST_LABELS: Final = 4
# The sign of an axis that does not begin at 0.
_CUT: Final = "╱"


class Chart(Picture):
    """Shows how a project grew. The cursor is on a commit. One curve shows at a time."""

    _growth = Growth()
    _point, _curve = -1, 0
    _labels: Sequence[JumpLabel] = ()

    def show(self, growth: Growth) -> None:
        """Show another history. The cursor keeps its commit, at first the newest."""
        old, self._growth = self.commit, growth
        ids = [point.costs.commit.id for point in growth.points]
        self._point = ids.index(old) if old in ids else len(ids) - 1
        self._curve = min(self._curve, max(0, len(growth.curves) - 1))
        self._lay_out()

    @property
    def commit(self) -> str:
        """The id of the commit under the cursor, empty without commits."""
        return self._growth.points[self._point].costs.commit.id if self._growth.points else ""

    def select(self, commit: str) -> None:
        """Put the cursor on a commit, if it changed something."""
        for place, point in enumerate(self._growth.points):
            if point.costs.commit.id == commit and place != self._point:
                self._go(place)

    @property
    def path(self) -> str:
        """The file that the commit changed most, empty if it changed none."""
        return next((jump.path for jump in self._growth.changes_in(self.commit)), "")

    @property
    def detail(self) -> str:
        if not self._growth.points:
            return "no commits to show"
        commit = self._growth.points[self._point].costs.commit
        files = [f"{jump.path} {jump.tokens:+,}" for jump in self._growth.changes_in(commit.id)]
        more = f", {len(files) - 4:,} more" if len(files) > 4 else ""
        change = f"{self._change():+,} {self._open_curve.name}" if self._change() else ""
        head = f"{commit.id[:8]}  {commit.time.date().isoformat()}  {commit.author}  {change}"
        return f"{head}\n{commit.subject}\n{', '.join(files[:4])}{more}"

    @property
    def _open_curve(self) -> Curve:
        return self._growth.curves[self._curve] if self._growth.curves else Curve("", ())

    def _change(self) -> int:
        values = self._open_curve.values
        return values[self._point] - values[self._point - 1] if self._point > 0 and values else 0

    @property
    def _axis_width(self) -> int:
        return len(f"{max([*self._open_curve.values, 0]):,}") + 3

    @property
    def _room(self) -> tuple[int, int, int]:
        """The width of the area in columns, its height in lines, and the number of lines with labels."""
        labels = max(1, min(_MOST_LABELS, (self.size.height - 4) // 4))
        return max(1, self.size.width - self._axis_width - 1), max(1, self.size.height - labels - 2), labels

    @on(events.Resize)
    def _lay_out(self) -> None:
        """Place the labels of the largest jumps, and draw."""
        width, _, lines = self._room
        count = len(self._growth.points)
        marks = []
        for place, change in self._open_curve.jumps(_MARKS):
            commit = self._growth.points[place].costs.commit
            told = f"{commit.id[:7]} {commit.time.date().isoformat()} {shown.line(commit.subject)}"
            marks.append((columns_of(place, count, width).start, f"{change:+,}", told))
        self._labels = list(chart_layout.place_labels(marks, width, lines, _LABEL))
        self.refresh()

    def line(self, y: int) -> Iterator[StyledText]:
        """The title, the area, the axis with a sign at each jump, and the labels of the jumps."""
        if not self._growth.curves:
            return
        _, height, lines = self._room
        if y == 0:
            yield from self._title()
        elif y <= height:
            yield from self._area(height - y, height)
        elif y == height + 1:
            yield from self._axis()
        elif y < height + 2 + lines:
            yield from self._label_line(y - height - 2)

    def _title(self) -> Iterator[StyledText]:
        curve, values = self._open_curve, self._open_curve.values
        moment = "" if self._curve == 0 else " at the start"
        yield f" {curve.name}{moment} ", self.ink("strong")
        yield f"{self._curve + 1} of {len(self._growth.curves)}   ", self.ink("dim")
        yield f"{values[self._point]:,} tokens", self.ink("strong")
        change = self._change()
        yield f" {change:+,}   " if change else "   ", self.ink("over" if change > 0 else "good")
        if len(curve.layers) > 1:
            for source, each in curve.layers:
                yield f"{shown.SOURCES.get(source, ' ')} ", self.ink(shown.source_style(source))
                yield f"{source} {each[self._point]:,}   ", self.ink("dim")
        if floor := floor_of(values):
            yield f"{_CUT} the axis begins at {floor:,}", self.ink("dim")

    def _area(self, row: int, height: int) -> Iterator[StyledText]:
        """A line of the area, of `height` lines, behind the tokens on its axis. `row` 0 is the lowest line."""
        curve, count, width = self._open_curve, len(self._growth.points), self._room[0]
        most, least = max(*curve.values, 1), floor_of(curve.values)
        is_told = row in (height - 1, height // 2 - 1) and height > 2
        told = f"{least + (most - least) * (row + 1) // height:,}" if is_told else ""
        yield f"{told:>{self._axis_width - 2}} {_CUT if least and not row else '│'}", self.ink("dim")
        column = 0
        while column < width:
            point = point_at(column, count, width)
            end = column + 1
            while end < width and point_at(end, count, width) == point:
                end += 1
            block = chart_layout.stack([values[point] for _, values in curve.layers], most, height, least)[row]
            layer = block.front if block.text == "█" else block.behind
            surface = Style(bgcolor=self._hue_of(layer).color) if layer is not None else Style()
            if point == self._point:
                yield "┃", surface + self.ink("strong")
                column += 1
            front = self._hue_of(block.front) if block.front is not None else Style()
            yield block.text * (end - column), surface + front
            column = end

    def _hue_of(self, layer: int) -> Style:
        return self.ink(shown.source_style(self._open_curve.layers[layer][0]))

    def _axis(self) -> Iterator[StyledText]:
        count, width = len(self._growth.points), self._room[0]
        signs = ["─"] * width
        for place, change in self._open_curve.jumps(_MARKS):
            signs[columns_of(place, count, width).start] = "▲" if change > 0 else "▼"
        signs[columns_of(self._point, count, width).start] = "◆"
        yield f"{floor_of(self._open_curve.values):>{self._axis_width - 2},} └", self.ink("dim")
        yield "".join(signs), self.ink("accent")

    def _label_line(self, line: int) -> Iterator[StyledText]:
        yield " " * self._axis_width, Style()
        column = 0
        current = columns_of(self._point, len(self._growth.points), self._room[0]).start
        for label in sorted(each for each in self._labels if each.line == line):
            yield " " * (label.column - column), Style()
            is_current = current in (label.column, label.end - 1)
            change = label.change, self.ink("over" if label.change.startswith("+") else "good")
            commit = label.commit, self.ink("strong" if is_current else "dim")
            first, last = (change, commit) if label.is_change_first else (commit, change)
            yield from (first, (" ", Style()), last)
            column = label.end

    def _go(self, point: int) -> None:
        self._point = max(0, min(point, len(self._growth.points) - 1))
        self.refresh()
        self.post_message(self.Moved())

    def step(self, dx: int, dy: int) -> None:
        """Go to the commit beside the current one, or show the next curve."""
        if dx:
            self._go(self._point + dx)
        elif self._growth.curves:
            self._curve = (self._curve + dy) % len(self._growth.curves)
            self._lay_out()
            self.post_message(self.Moved())

    def leap(self, direction: int, is_end: bool) -> None:
        """Go to the nearest large jump in a direction, or to the end."""
        if is_end:
            self._go(self._point + direction * len(self._growth.points))
            return
        places = [place for place, _ in self._open_curve.jumps(_MARKS) if (place - self._point) * direction > 0]
        if places:
            self._go(min(places, key=lambda place: abs(place - self._point)))

    def click(self, x: int, _y: int, _is_double: bool) -> None:
        if self._growth.points and x >= self._axis_width:
            self._go(point_at(x - self._axis_width, len(self._growth.points), self._room[0]))
