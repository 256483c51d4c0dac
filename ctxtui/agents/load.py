"""Loads: which file an agent loads, at which moment, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.agents.scope import Scope


@dataclass(frozen=True, slots=True)
class Load:
    """One file that one agent loads, or seems to load: the moment, the row behind it, and the reason.

    `scopes` trigger a `touch`; `imported_by` is the file that imported this one. A file beside a skill
    has a `use`: agents read, run or copy it. `package` is the plugin that brings the file.
    """

    agent: str
    agent_name: str
    path: str
    moment: str
    row: str
    kind: str
    reason: str
    scopes: tuple[Scope, ...] = ()
    imported_by: str | None = None
    use: str = "read"
    package: str = ""

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs that trigger a `touch`, as they are shown."""
        return tuple(glob for scope in self.scopes for glob in scope.shown)
