"""Names from transcripts made fit to show: harmless to a terminal, short, without secrets and home folders."""

from __future__ import annotations

from ctxtui.audit.logs.read import Environment
from ctxtui.core.base.plain import plain_line
from ctxtui.core.text.secrets import redact

_LENGTH = 120


class Shown:
    """Shows names to the user whose folders an environment names."""

    def __init__(self, environment: Environment) -> None:
        self._home = (environment.get("HOME") or environment.get("USERPROFILE") or "").rstrip("/")

    def name(self, text: str) -> str:
        """A name or a path in one line; the middle of a long one is left out."""
        line = redact(plain_line(self.place(text[: 4 * _LENGTH])))[0]
        half = _LENGTH // 2
        return line if len(line) <= _LENGTH else f"{line[:half]}…{line[-half:]}"

    def place(self, path: str) -> str:
        """A path with `~` for the user's folder."""
        return f"~{path[len(self._home) :]}" if self._home and path.startswith(f"{self._home}/") else path
