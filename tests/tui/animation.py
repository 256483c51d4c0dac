"""An animated SVG from frames of the app: each distinct line is drawn once, and style sheets show one frame at a time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from rich.cells import cell_len
from rich.color import Color, blend_rgb
from rich.segment import Segment
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from textual.strip import Strip

_CELL, _LINE, _FONT, _BASE = 9.6, 20, 16, 15
_MARGIN = 14


@dataclass(frozen=True)
class Frame:
    """The lines of a screen, what to say of it, and how long it shows in seconds."""

    lines: Sequence[Strip]
    caption: str
    seconds: float


def animate(frames: Sequence[Frame], cover: int, theme: TerminalTheme) -> str:
    """The frames as one SVG that repeats; viewers without animation show the `cover`."""
    drawing = _Drawing(theme)
    groups = [drawing.frame(frame) for frame in frames]
    columns, rows = max(line.cell_length for line in frames[0].lines), len(frames[0].lines)
    width, height = columns * _CELL + 2 * _MARGIN, (rows + 2) * _LINE + 2 * _MARGIN
    total = sum(frame.seconds for frame in frames)
    rules = [_font(), *drawing.rules]
    at = 0.0
    for place, frame in enumerate(frames):
        start, end = (f"{share * 100 / total:.2f}%" for share in (at, at + frame.seconds))
        at += frame.seconds
        rules.append(f".f{place}{{visibility:{'visible' if place == cover else 'hidden'}}}")
        hidden = "" if place == 0 else "0%{visibility:hidden}"
        rules.append(f"@keyframes f{place}{{{hidden}{start}{{visibility:visible}}{end}{{visibility:hidden}}}}")
        rules.append(f".f{place}{{animation:f{place} {total:g}s step-end infinite}}")
    still = "".join(f".f{place}{{animation:none}}" for place in range(len(frames)))
    rules.append(f"@media (prefers-reduced-motion:reduce){{{still}}}")
    shown = "\n".join(f'<g class="f{place}">{group}</g>' for place, group in enumerate(groups))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {width:g} {height:g}">\n'
        f"<style>{''.join(rules)}</style>\n<defs>\n{drawing.definitions}\n</defs>\n"
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{drawing.ground}"/>\n{shown}\n</svg>\n'
    )


def _font() -> str:
    families = "ui-monospace,'Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace"
    return f"text{{font:{_FONT}px {families};white-space:pre}}.caption{{font-weight:bold}}"


class _Drawing:
    """Collects the lines and styles that frames share."""

    def __init__(self, theme: TerminalTheme) -> None:
        self.ground = theme.background_color.hex
        self._theme = theme
        self._lines: dict[str, str] = {}
        self._styles: dict[str, str] = {}

    @property
    def definitions(self) -> str:
        return "\n".join(f'<g id="{name}">{line}</g>' for line, name in self._lines.items())

    @property
    def rules(self) -> list[str]:
        return [f".{name}{{{rule}}}" for rule, name in self._styles.items()]

    def frame(self, frame: Frame) -> str:
        """References to the lines of a frame, and its caption below."""
        uses = []
        for row, strip in enumerate(frame.lines):
            line = "".join(self._parts(strip))
            name = self._lines.setdefault(line, f"l{len(self._lines)}")
            uses.append(f'<use href="#{name}" x="{_MARGIN}" y="{row * _LINE + _MARGIN}"/>')
        y = (len(frame.lines) + 1) * _LINE + _MARGIN + _BASE
        caption = f'<text class="caption" fill="#ffffff" x="{2 * _MARGIN}" y="{y}">{escape(frame.caption)}</text>'
        return "".join(uses) + caption

    def _parts(self, strip: Strip) -> Iterable[str]:
        column = 0
        for style, segments in groupby(strip, key=lambda segment: segment.style or Style()):
            text = "".join(segment.text for segment in segments)
            yield from self._run(text, style, column)
            column += cell_len(text)

    def _run(self, text: str, style: Style, column: int) -> Iterable[str]:
        front, back = self._colors(style)
        x, width = column * _CELL, cell_len(text) * _CELL
        if back != self.ground:
            yield f'<rect x="{x:g}" width="{width + 0.3:g}" height="{_LINE + 0.3}" fill="{back}"/>'
        bare = text.rstrip()
        if bare.strip():
            skipped = len(bare) - len(bare.lstrip())
            bare = bare.lstrip()
            rule = f"fill:{front}" + (";font-weight:bold" if style.bold else "")
            name = self._styles.setdefault(rule, f"s{len(self._styles)}")
            length = cell_len(bare) * _CELL
            yield (
                f'<text class="{name}" x="{x + skipped * _CELL:g}" y="{_BASE}" textLength="{length:g}">'
                f"{escape(bare)}</text>"
            )

    def _colors(self, style: Style) -> tuple[str, str]:
        back = (style.bgcolor or Color.default()).get_truecolor(self._theme, foreground=False)
        front = (style.color or Color.default()).get_truecolor(self._theme)
        if style.reverse:
            front, back = back, front
        if style.dim:
            front = blend_rgb(front, back, 0.4)
        return front.hex, back.hex


def lines_of(strips: Iterable[Strip]) -> list[Strip]:
    """The lines of a screen without what is no text."""
    return [Strip([Segment(each.text, each.style) for each in strip if not each.control]) for strip in strips]
