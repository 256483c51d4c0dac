"""An update as the terminal is sent it: all texts of one style together, and between styles only what changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.console import COLOR_SYSTEMS, Console
from rich.control import Control
from rich.style import Style
from textual._compositor import ChopsUpdate
from textual.strip import Strip

_Place = tuple[int, int]
"""A column and a row."""
_Placed = tuple[_Place, str]


class _Codes(NamedTuple):
    """What a style is for a terminal: the codes of its attributes and of its two colors."""

    attributes: str = ""
    background: str = "49"
    foreground: str = "39"

    def after(self, before: _Codes) -> str:
        """The sequence that changes another style into this one; empty if they are the same."""
        if self == before:
            return ""
        if self.attributes != before.attributes:
            # Most attributes cannot be ended one by one on every terminal.
            before = _Codes()
            codes = ["0", *([self.attributes] if self.attributes else [])]
        else:
            codes = []
        codes += [now for now, was in zip(self[1:], before[1:], strict=True) if now != was]
        return f"\x1b[{';'.join(codes)}m"


_NONE: Final = _Codes()


class LeanUpdate(ChopsUpdate):
    """An update of whole pieces of lines, whose texts come by style.

    Textual sends the whole style of each text, and resets it afterwards: more than half of the bytes of a row.
    """

    def render_segments(self, console: Console) -> str:
        """The sequences and texts; the style is that of the terminal at the beginning and at the end."""
        system = COLOR_SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
        return "".join(self._sequences(system))

    def _sequences(self, system: ColorSystem) -> Iterator[str]:
        by_codes: dict[_Codes, list[_Placed]] = {}
        for place, style, text in self._texts():
            if style is not None and style.link:
                yield _move(place) + Strip.render_style(style, text, system)
            else:
                by_codes.setdefault(_codes(style, system), []).append((place, text))
        last = _NONE
        for codes in sorted(by_codes):
            yield codes.after(last)
            last, end = codes, None
            for place, text in by_codes[codes]:
                yield text if place == end else _move(place) + text
                end = place[0] + cell_len(text), place[1]
        yield _NONE.after(last)

    def _texts(self) -> Iterator[tuple[_Place, Style | None, str]]:
        for y, line in enumerate(self.chops):
            for x, strip in line.items():
                for text, style, _ in strip or ():
                    yield (x, y), style, text
                    x += cell_len(text)


def _move(place: _Place) -> str:
    return Control.move_to(*place).segment.text


@lru_cache(4096)
def _codes(style: Style | None, system: ColorSystem) -> _Codes:
    if style is None:
        return _NONE
    attributes = Strip.render_ansi(style.without_color, system)
    return _Codes(attributes, _color(style.bgcolor, system, False), _color(style.color, system, True))


def _color(color: Color | None, system: ColorSystem, is_foreground: bool) -> str:
    return ";".join((color or Color.default()).downgrade(system).get_ansi_codes(is_foreground))
