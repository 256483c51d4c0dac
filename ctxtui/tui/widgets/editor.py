"""The editor of dialogs for texts of several lines."""

from __future__ import annotations

from typing import ClassVar

from textual.widgets import TextArea


class Editor(TextArea):
    """Textual's editor, which is large; `takes_lines` is how others know it without importing it."""

    takes_lines: ClassVar[bool] = True
