"""The table of coding agents: which files each of them loads, when, and within which limits."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

MOMENTS = ("start", "configured", "listed", "subagent", "touch", "manual", "reference", "never")
"""When a file reaches the model, earliest first."""


class Case(NamedTuple):
    """One line of a row's `load`: the moment that holds when the test on the frontmatter does."""

    test: str
    moment: str


@dataclass(frozen=True, slots=True)
class Limit:
    """How much of something an agent takes and what becomes of the rest; `hard` or merely advised."""

    of: str
    max: int
    unit: str
    effect: str
    hard: bool


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
    imports: int = 0
    limits: tuple[Limit, ...] = ()
    unless: tuple[str, ...] = ()
    common: bool = False
    note: str = ""

    @property
    def asks(self) -> bool:
        """Whether the answer depends on the text of the file."""
        return bool(self.needs or self.globs or len(self.load) > 1 or self.broken == "drop")


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: day and sources its rows were checked against, and the globs that betray its use."""

    id: str
    name: str
    checked: date
    sources: tuple[str, ...]
    detect: tuple[str, ...]
    rows: tuple[Row, ...]


@functools.cache
def load_table() -> tuple[Agent, ...]:
    """Read the packaged table; the second call costs nothing.

    Raises TypeError, KeyError or `yaml.YAMLError` when the table itself is broken, which is a bug.
    """
    # Both cost milliseconds that `import ctxtui.agents` should not.
    import importlib.resources  # noqa: PLC0415

    import yaml  # noqa: PLC0415

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = importlib.resources.files(__package__).joinpath("agents.yaml").read_text(encoding="utf-8")
    return tuple(_agent(entry) for entry in yaml.load(text, loader))  # noqa: S506 - both loaders are safe


def _agent(entry: Mapping[str, Any]) -> Agent:
    fields = dict(entry)
    sources, detect = tuple(fields.pop("src")), tuple(fields.pop("detect"))
    return Agent(sources=sources, detect=detect, rows=tuple(map(_row, fields.pop("rows"))), **fields)


def _row(entry: Mapping[str, Any]) -> Row:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
    fields["exclude"] = fields.pop("not", ())
    fields["load"] = _cases(entry["load"])
    fields["limits"] = tuple(Limit(**limit) for limit in entry.get("limits", ()))
    return Row(**fields)


def _cases(load: str | list[dict[str, str]]) -> tuple[Case, ...]:
    if isinstance(load, str):
        return (Case("", load),)
    return tuple(Case(case.get("if", ""), case["load"]) for case in load)
