"""The scope: which files of a project are listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ctxtui.agents import Agent


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a project is listed: ignored files or not, and path globs (gitignore syntax) to keep or leave.

    `table` is the coding agents whose files are looked for, where it is not the packaged one.
    """

    with_ignored: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    table: tuple[Agent, ...] | None = None


EVERYTHING: Final = Scope()
