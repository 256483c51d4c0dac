"""The scope: which files of a project are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ctxtui.agents import Agent


@dataclass(frozen=True, slots=True)
class Scope:
    """The files of a project to list: ignored files or not, and path globs (gitignore syntax) to include or exclude.

    `table` is the table of coding agents whose files are recognized, by default the packaged table. With `above`,
    agents read files above a folder in its repository. With `home`, they read the user's own files for all projects.
    """

    with_ignored: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    table: tuple[Agent, ...] | None = None
    above: bool = True
    home: bool = False


EVERYTHING: Final = Scope()
