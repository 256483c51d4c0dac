"""Loads: which file an agent loads, at which moment, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.agents.scope import Scope


@dataclass(frozen=True, slots=True)
class Load:
    """A file that one agent loads or appears to load: the moment, row and reason.

    `scopes` trigger a `touch`. `imported_by` is the importing file. A file beside a skill has a `use`: agents read,
    run or copy it. `package` is the plugin that brings the file.
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
        return tuple(glob for scope in self.scopes for glob in scope.shown)
