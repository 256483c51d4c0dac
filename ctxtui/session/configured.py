"""The files of a project that its configuration lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxtui.session.config import Config
from ctxtui.workspace.scope import Scope

if TYPE_CHECKING:
    from ctxtui.agents import Agent


def configured_scope(
    config: Config,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    with_ignored: bool = False,
    home: bool = False,
) -> Scope:
    """The files to list: the given globs, else those in the configuration, for the configured agents.

    `home` adds the files in the user's home folder. Raises ContextError for agents that cannot be read.
    """
    return Scope(
        with_ignored,
        tuple(include) or config.include,
        tuple(exclude) or config.exclude,
        _table(config) if config.agents else None,
        home=home,
    )


def _table(config: Config) -> tuple[Agent, ...]:
    from ctxtui.agents import load_table  # noqa: PLC0415 - most projects have no agents of their own

    return load_table(config.agents, config.place("agents"))
