"""The app's themes, and one hue for each source and severity in any theme.

The hues of the sources come from the set of Okabe and Ito, which people with the common colour vision deficiencies
can tell apart. Amber is kept for warnings and vermilion for errors.
"""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

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

_ON_DARK: Final = {
    "source-agents": "#56b4e9",
    "source-context": "#2cc295",
    "source-catalog": "#d78bb5",
    "source-entries": "#8f9bff",
    "source-files": "#93a1b1",
    "source-prompt": "#e8edf2",
    "match": "#7ee0d6",
    "note": "#93a1b1",
    "track": "#2c3742",
}
_FOLDERS_ON_DARK: Final = (*("#56b4e9", "#2cc295", "#d78bb5", "#8f9bff", "#c9b458", "#7fb7be", "#b58f6b", "#93a1b1"),)
_ON_LIGHT: Final = {
    "source-agents": "#0072b2",
    "source-context": "#00775a",
    "source-catalog": "#a33e78",
    "source-entries": "#4a4fc4",
    "source-files": "#5f6b78",
    "source-prompt": "#1c2127",
    "match": "#00696b",
    "note": "#5f6b78",
    "track": "#d3dae1",
}
_FOLDERS_ON_LIGHT: Final = (
    *("#0072b2", "#00775a", "#a33e78", "#4a4fc4", "#7a6a00", "#2f6f78", "#7d5532", "#5f6b78"),
)


def hues(is_dark: bool) -> dict[str, str]:
    """Stylesheet variables that Textual's themes lack: sources, folders, matches, notes, empty bars."""
    folders = _FOLDERS_ON_DARK if is_dark else _FOLDERS_ON_LIGHT
    return (_ON_DARK if is_dark else _ON_LIGHT) | {f"folder-{place}": hue for place, hue in enumerate(folders)}
