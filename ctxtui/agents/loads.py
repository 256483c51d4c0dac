"""Loads: which file an agent loads, when, why, and where it applies. A kept scan needs no other value of agents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self


class GlobDialect(NamedTuple):
    """How an agent reads a path pattern. `agents.yaml` explains the keys."""

    anywhere: bool = False
    names: bool = True
    folders: bool = True
    any_case: bool = False
    slash: bool = True


GLOBS = GlobDialect()
"""The usual dialect."""


class Scope(NamedTuple):
    """Where a file applies: globs, the folder (`""`: the root) where they begin, and how the agent reads them.

    A glob that begins with `!` bars what it matches. `before` precedes the globs where they are shown.
    """

    folder: str
    globs: tuple[str, ...]
    dialect: GlobDialect = GlobDialect()
    before: str = ""

    @property
    def shown(self) -> tuple[str, ...]:
        """The globs as the opened folder sees them."""
        if not self.before:
            return self.globs
        signs = ("!" if glob.startswith("!") else "" for glob in self.globs)
        names = (glob.removeprefix("!").removeprefix("./") for glob in self.globs)
        return tuple(f"{sign}{self.before}{name}" for sign, name in zip(signs, names, strict=True))

    def each(self) -> Iterator[tuple[str, Scope]]:
        """Each glob that bars nothing, as it is shown, with a scope of its own."""
        for glob, shown in zip(self.globs, self.shown, strict=True):
            if not glob.startswith("!"):
                yield shown, self._replace(globs=(glob,))


@dataclass(frozen=True, slots=True)
class FileLoad:
    """A file that an agent loads or appears to load: when and why.

    `scopes` trigger a `touch`. `imported_by` is the importing file. A file beside a skill has a `use`: agents read,
    run or copy it. `package` is the plugin that brings the file.
    """

    path: str
    moment: str
    reason: str
    scopes: tuple[Scope, ...] = field(default=(), kw_only=True)
    imported_by: str | None = field(default=None, kw_only=True)
    use: str = field(default="read", kw_only=True)
    package: str = field(default="", kw_only=True)

    @property
    def globs(self) -> tuple[str, ...]:
        """The globs that trigger a `touch`, as displayed."""
        return tuple(glob for scope in self.scopes for glob in scope.shown)

    def under(self, seen: Callable[[str], str]) -> Self:
        """The same load with its paths converted by `seen`."""
        return replace(self, path=seen(self.path), imported_by=self.imported_by and seen(self.imported_by))


@dataclass(frozen=True, slots=True)
class Load(FileLoad):
    """A loaded file of one agent, by the id and kind of the row."""

    agent: str
    agent_name: str
    row: str
    kind: str

    def refused(self, reason: str) -> Load:
        """The same file, which the agent does not load for this reason."""
        return replace(self, moment="never", reason=reason, scopes=())
