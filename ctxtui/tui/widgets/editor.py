"""The editor of dialogs for texts of several lines."""

from __future__ import annotations

from typing import ClassVar

from textual.widgets import TextArea


class Editor(TextArea):
    """Textual's editor. `takes_lines` identifies it without importing the large module."""

    takes_lines: ClassVar[bool] = True
