"""The app's themes, one hue for each source and severity in any theme, and styles for text that widgets draw.

The hues of the sources come from the set of Okabe and Ito, which people with the common color vision deficiencies
can tell apart. Amber is kept for warnings and vermilion for errors.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from rich.style import Style
from textual.theme import Theme
from textual.widget import Widget

from ctxtui.core.documents.listing import AGENTS, CATALOG, CONTEXT, ENTRIES, PLAIN

DARK: Final = Theme(
    name="ctxtui-dark",
    primary="#5aa2f5",
    secondary="#8fa1b8",
    accent="#8fc1ff",
    warning="#e6b450",
    error="#ff7a63",
    success="#4fc38a",
    foreground="#d9e0e8",
    background="#0f1318",
    surface="#161c23",
    panel="#1e262f",
    dark=True,
    variables={
        "border": "#5aa2f5",
        "block-cursor-background": "#2b4a70",
        "block-cursor-foreground": "#ffffff",
    },
)
LIGHT: Final = Theme(
    name="ctxtui-light",
    primary="#0b62c4",
    secondary="#566375",
    accent="#0a56ab",
    warning="#8f5d00",
    error="#b3261e",
    success="#176b3a",
    foreground="#1c2127",
    background="#fbfcfd",
    surface="#f0f3f6",
    panel="#e4e9ee",
    dark=False,
    variables={
        "border": "#0b62c4",
        "block-cursor-background": "#c3dcf8",
        "block-cursor-foreground": "#101418",
    },
)
THEMES: Final = (DARK, LIGHT)


class SourceLook(NamedTuple):
    """How a source looks: its sign, which works without color, and its hues in dark and light themes."""

    sign: str
    on_dark: str
    on_light: str


SOURCES: Final = {
    AGENTS: SourceLook("■", "#56b4e9", "#0072b2"),
    CONTEXT: SourceLook("▦", "#2cc295", "#00775a"),
    CATALOG: SourceLook("▒", "#d78bb5", "#a33e78"),
    ENTRIES: SourceLook("▤", "#8f9bff", "#4a4fc4"),
    PLAIN: SourceLook("□", "#93a1b1", "#5f6b78"),
    "prompt": SourceLook("▪", "#e8edf2", "#1c2127"),
}
"""The sources of what is shown: those of a project, and the prompt."""

# Matches, notes and empty bars in dark and light themes.
_OTHERS: Final = {"match": ("#7ee0d6", "#00696b"), "note": ("#93a1b1", "#5f6b78"), "track": ("#2c3742", "#d3dae1")}

FOLDERS: Final = {
    "folder-0": ("#56b4e9", "#0072b2"),
    "folder-1": ("#2cc295", "#00775a"),
    "folder-2": ("#d78bb5", "#a33e78"),
    "folder-3": ("#8f9bff", "#4a4fc4"),
    "folder-4": ("#c9b458", "#7a6a00"),
    "folder-5": ("#7fb7be", "#2f6f78"),
    "folder-6": ("#b58f6b", "#7d5532"),
    "folder-7": ("#93a1b1", "#5f6b78"),
}
"""The hues in dark and light themes that tell the outermost folders of a map apart."""


def source_style(source: str) -> str:
    return f"source-{source.removeprefix('.')}"


def inks() -> set[str]:
    """The classes of the stylesheet for texts and bars that widgets draw themselves, as components of the app.

    Were they components of each widget, Textual would match them with the stylesheet for each widget whenever the
    focus moves: a third of a start, a fifth of all work.
    """
    plain = ("cursor", "pointer", "edge", "dim", "strong", "accent", "key", "warn", "over", "good", "match", "note")
    tones = (f"{style}{tone}" for style in map(source_style, SOURCES) for tone in ("", "-0", "-1"))
    return {f"ink--{name}" for name in (*plain, "track", *tones, *FOLDERS)}


def source_css() -> str:
    """The stylesheet for folders and sources, which have two shades of each source as backgrounds."""
    return "".join(
        f".ink--{name} {{ color: ${name}; }}\n" for name in (*FOLDERS, *map(source_style, SOURCES))
    ) + "".join(
        f".ink--{style}-0 {{ background: ${style}; color: $background; }}\n"
        f".ink--{style}-1 {{ background: ${style} 78%; color: $background; }}\n"
        for style in map(source_style, SOURCES)
    )


def hues(is_dark: bool) -> dict[str, str]:
    """Stylesheet variables that Textual's themes lack: sources, folders, matches, notes, empty bars."""
    sources = {source_style(name): (look.on_dark, look.on_light) for name, look in SOURCES.items()}
    every = {**sources, **FOLDERS, **_OTHERS}
    return {name: on_dark if is_dark else on_light for name, (on_dark, on_light) in every.items()}


def foreground(widget: Widget, name: str) -> Style:
    """Color and weight of an ink on the background of a widget."""
    style = background(widget, name)
    return Style(color=style.color, bold=style.bold)


def background(widget: Widget, name: str) -> Style:
    """Color, weight and background of an ink, with those of the widget for any that the ink leaves open."""
    styles, own = widget.app.get_component_styles(f"ink--{name}"), widget.rich_style
    surface = widget.background_colors[1] + styles.background
    color = surface.get_contrast_text(styles.color.a) if styles.auto_color else styles.color
    written = (surface + color).rich_color if styles.has_rule("color") else own.color
    return own + styles.text_style + Style(color=written, bgcolor=surface.rich_color)
