"""Values of the table of coding agents, and the loads that follow from it: which file, when, within which limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from ctxtui.agents.loads import GLOBS, GlobDialect, Load

MOMENTS = ("start", "configured", "listed", "subagent", "touch", "manual", "reference", "never")
"""The moment at which a file reaches the model, earliest first."""

AT_START = ("start", "configured")
"""The moments at which a file is read in full before the first request."""

LISTED = ("listed", "subagent")
"""The moments at which only name and description are in context at the start."""


class Case(NamedTuple):
    """One line of a row's `load`: the moment that applies if the test on the frontmatter is true."""

    test: str
    moment: str


class Reading(NamedTuple):
    """How an agent reads frontmatter. `agents.yaml` explains its keys and those of the next two classes."""

    broken: str = "lines"
    mends: str = ""
    mark: str = "unknown"
    repeated: str = "last"
    values: str = "any"


READING = Reading()


class Grammar(NamedTuple):
    """How an agent finds `@path` imports in a text."""

    code: str = "markdown"
    comments: bool = True
    markup: bool = True
    escapes: bool = True
    part: bool = True
    begins: str = ""
    ascii: bool = False


MARKDOWN = Grammar()


class Verified(NamedTuple):
    """How rows were compared with what an agent does: by its own request, its source, documentation or a report."""

    by: str
    day: date
    version: str = ""

    @property
    def told(self) -> str:
        """The comparison in words, such as `by source of 1.2.3, 2026-01-31`."""
        version = f" of {self.version}" if self.version else ""
        return f"by {self.by}{version}, {self.day}"


@dataclass(frozen=True, slots=True)
class Limit:
    """A maximum size of a load, `hard` or advised, and the fate of the rest, in the words of `agents.yaml`."""

    of: str
    max: int
    unit: str
    effect: str
    hard: bool = True
    then: str = "note"
    otherwise: int = 0
    most: int = 0
    own: int = 0
    ending: str = ""
    set_in: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: files of one kind, where an agent looks for them, and when it loads them.

    The top of `agents.yaml` explains the keys. `exclude` is its `not`, `imports` is a number of hops.
    """

    id: str
    kind: str
    at: str
    load: tuple[Case, ...]
    files: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    listed_in: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    part: str = ""
    also_in: tuple[str, ...] = ()
    instead_in: tuple[str, ...] = ()
    pick: str = "all"
    read_as: Reading = READING
    needs: tuple[str, ...] = ()
    takes: Mapping[str, str] = field(default_factory=dict, hash=False)
    globs: tuple[str, ...] = ()
    globs_as: GlobDialect = GLOBS
    whole_globs: bool = False
    meta: tuple[str, ...] = ()
    entry: str = "{name}: {description}"
    between: str = " "
    paragraph: bool = False
    body_lines: int = 0
    one_line: bool = False
    first_line: bool = False
    escapes: bool = False
    joint: str = "/"
    unique: bool = False
    misnamed: str = "keep"
    unlisted_by: str = ""
    strip: tuple[str, ...] = ()
    imports: int = 0
    imports_inside: bool = False
    imports_as: Grammar = MARKDOWN
    varies: str = ""
    again: bool = False
    links: str = ""
    limits: tuple[Limit, ...] = ()
    unless: tuple[str, ...] = ()
    unless_beside: tuple[str, ...] = ()
    common: bool = False
    after_compaction: str = ""
    in_subagents: bool = False
    since: str = ""
    per_project: bool = False
    git_only: bool = False
    note: str = ""
    src: str = ""
    checked: date | None = None
    verified: Verified | None = None

    @property
    def asks(self) -> bool:
        """Whether the moment depends on the text of the file."""
        demands = self.needs or self.takes or self.read_as.broken == "drop" or self.misnamed == "drop"
        return bool(demands or self.globs or len(self.load) > 1)

    def limit(self, of: str, *then: str) -> Limit | None:
        """The first hard limit of `of`, such as `file`, with one of these consequences, or None."""
        return next((each for each in self.limits if each.of == of and each.then in then and each.hard), None)


class Uncounted(NamedTuple):
    """An uncounted cost: its kind, the place where a project names it, and the reason.

    `places` are configuration keys (`FILE#key.path`), whose names are shown, or globs of files.
    """

    what: str
    places: tuple[str, ...] = ()
    note: str = ""


class Fixed(NamedTuple):
    """A size of an agent's own messages, published or captured here: kind, version, tokenizer and source.

    It is shown beside a figure and never added to it. `version` and `of` are empty if the source does not say. A
    captured size names a tokenizer in `of` only if it is estimated.
    """

    what: str
    tokens: int
    src: str
    day: date
    by: str
    version: str = ""
    of: str = ""
    is_captured: bool = False


@dataclass(frozen=True, slots=True)
class Deferral:
    """An agent's MCP servers: the user's files of servers, and when tools load. `agents.yaml` explains the keys.

    With a `share`, tools are deferred only if all of them exceed this percentage of the window.
    """

    agent: str
    form: str = "usual"
    project: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    defers: str = "unknown"
    tool: str = "{tool}"
    longest: int = 0
    ending: str = ""
    always: str = ""
    mark: str = ""
    switch: tuple[str, ...] = ()
    note: str = ""
    src: str = ""
    checked: str = ""
    share: int | None = None


class Switch(NamedTuple):
    """The setting by which an agent leaves out things by name. `agents.yaml` explains the keys."""

    what: str
    place: str
    entry: str = "{name}"
    values: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    src: str = ""
    checked: date | None = None

    def hides(self, value: object, name: str) -> bool:
        """Whether the value of a list or table of this kind leaves out a name."""
        if isinstance(value, Mapping):
            return value.get(name) in self.values
        return isinstance(value, list) and self.entry.format(name=name) in value


@dataclass(frozen=True, slots=True)
class Agent:
    """A coding agent: the date and sources of the last check of its rows, and the globs that show its use.

    `window` is the usual window of its models in tokens. An `installable` agent is a set of files for agents, without
    cost until installed. An agent that `is_wanted` counts as found in every project. `home` is its folder below the
    user's, which the environment's `variable` can move. `fixed` are published sizes of its system prompt and tools.
    """

    id: str
    name: str
    checked: date | None
    sources: tuple[str, ...]
    detect: tuple[str, ...]
    rows: tuple[Row, ...]
    links: str = "each"
    window: int = 0
    installable: bool = False
    manifests: tuple[str, ...] = ()
    excluded_in: tuple[str, ...] = ()
    ignored_in: tuple[str, ...] = ()
    uncounted: tuple[Uncounted, ...] = ()
    home: str = ""
    variable: str = ""
    installed_in: str = ""
    enabled_in: tuple[str, ...] = ()
    fixed: tuple[Fixed, ...] = ()
    verified: Verified | None = None
    servers: Deferral | None = None
    switches: tuple[Switch, ...] = ()
    is_wanted: bool = False

    def known_by(self, row: Row) -> str:
        """The mode for links and copies: read `each`, each file `once`, a link if `named` alike, each `text` once."""
        return row.links or self.links

    def evidence(self, row: Row) -> tuple[str, date | None]:
        """The source of a row, and the day of its last check. Where the row has none, those of the agent."""
        return row.src or next(iter(self.sources), ""), row.checked or self.checked


@dataclass(frozen=True, slots=True)
class Package:
    """A plugin: its name, folder (`""`: the root), manifest, and the paths named there.

    `named` maps parts such as `skills` to paths from the root. `only` are the parts that have no other paths.
    `missing` are named paths that do not exist.
    """

    name: str
    folder: str
    manifest: str
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    only: frozenset[str] = frozenset()
    missing: tuple[str, ...] = ()


class RowLoad(NamedTuple):
    """A file that an agent loads, and the row that says so."""

    load: Load
    row: Row
