"""The table of coding agents: which files each of them loads, when, and within which limits."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ctxtui.core.data.schema import Place

MOMENTS = ("start", "configured", "listed", "subagent", "touch", "manual", "reference", "never")
"""When a file reaches the model, earliest first."""

AT_START = ("start", "configured")
"""The moments at which a file is read in full before anything is asked."""

LISTED = ("listed", "subagent")
"""The moments at which only name and description are in context at the start."""


class Case(NamedTuple):
    """One line of a row's `load`: the moment that holds when the test on the frontmatter does."""

    test: str
    moment: str


@dataclass(frozen=True, slots=True)
class Limit:
    """How much of something an agent takes and what becomes of the rest; `hard` or merely advised.

    The words in `of`, `unit` and `then` are explained at the top of `agents.yaml`.
    """

    of: str
    max: int
    unit: str
    effect: str
    hard: bool = True
    then: str = "note"
    otherwise: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: files of one kind, where they are looked for, and when they are loaded.

    The keys are explained at the top of `agents.yaml`; `exclude` is its `not`, `imports` is a number of hops.
    """

    id: str
    kind: str
    at: str
    load: tuple[Case, ...]
    files: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    listed_in: str | None = None
    pick: str = "all"
    broken: str = "lines"
    needs: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    entry: str = "{name}: {description}"
    paragraph: bool = False
    unique: bool = False
    strip: tuple[str, ...] = ()
    imports: int = 0
    again: bool = False
    links: str = ""
    limits: tuple[Limit, ...] = ()
    unless: tuple[str, ...] = ()
    unless_beside: tuple[str, ...] = ()
    common: bool = False
    note: str = ""
    src: str = ""
    checked: date | None = None

    @property
    def asks(self) -> bool:
        """Whether the answer depends on the text of the file."""
        return bool(self.needs or self.globs or len(self.load) > 1 or self.broken == "drop")

    def limit(self, of: str, *then: str) -> Limit | None:
        """The first hard limit of something that has one of these consequences."""
        for each in self.limits:
            if each.of == of and each.then in then and each.hard:
                return each
        return None


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: day and sources its rows were checked against, and the globs that betray its use."""

    id: str
    name: str
    checked: date | None
    sources: tuple[str, ...]
    detect: tuple[str, ...]
    rows: tuple[Row, ...]
    links: str = "each"

    def reads_once(self, row: Row) -> bool:
        """Whether two paths that are one real file are read once under a row."""
        return (row.links or self.links) == "once"

    def evidence(self, row: Row) -> tuple[str, date | None]:
        """Where a row was checked, and when."""
        return row.src or next(iter(self.sources), ""), row.checked or self.checked


def load_table(extra: Mapping[str, Any] | None = None, place: Place | None = None) -> tuple[Agent, ...]:
    """The packaged table, read once; with `extra`, agents and rows of the user's own merged into it.

    `extra` is what `[agents]` in a TOML file says, `place` where that is; its form is explained in `parsing.merge`.
    Raises ContextError (invalid_request) for an `extra` that says something else.
    """
    if not extra:
        return _packaged()
    # Projects without agents of their own need no merging.
    from ctxtui.agents.parse import merge  # noqa: PLC0415
    from ctxtui.core.data.schema import Place  # noqa: PLC0415

    return merge(_packaged(), extra, place or Place.named("[agents]"))


@functools.cache
def _packaged() -> tuple[Agent, ...]:
    # All cost milliseconds that `import ctxtui.agents` should not.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.agents.parse import parse_agent  # noqa: PLC0415
    from ctxtui.core.data.schema import Place  # noqa: PLC0415
    from ctxtui.core.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents.yaml").read_text(encoding="utf-8")
    entries = load_own_yaml(text)
    place = Place.named("agents.yaml")
    return tuple(parse_agent(id_ := entry.pop("id"), entry, place.at(id_)) for entry in entries)
