"""What agents take of a project's files: charges, what limits cut, what is paid twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from ctxtui.agents.imports import Unmet
from ctxtui.agents.markdown_spans import Span
from ctxtui.agents.types import AT_START, Agent, Limit, Row


@dataclass(frozen=True, slots=True)
class Loss:
    """A stretch of a file that a limit keeps from the model: characters, tokens, and the line it begins in."""

    span: Span
    tokens: int
    line: int
    limit: Limit


@dataclass(frozen=True, slots=True)
class Passed:
    """A limit, hard or advised, that one file goes beyond, and its size in the unit of the limit."""

    limit: Limit
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file's line in a list of names and descriptions: the line as shown, and what was cut of it.

    `limit` is what cut it. A line of which nothing is left has an empty `text`.
    """

    name: str
    description: str
    text: str
    tokens: int
    lost: str = ""
    lost_tokens: int = 0
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Charge:
    """One file in one agent's context: when it enters, which text of it, and what that costs.

    `kept` are the stretches that enter, None for the whole of a file that nobody had to read; `lost` is what
    limits cut. What is in neither was taken away by the agent: frontmatter, comments, white space at the ends.
    `tokens` are those of the text that enters at `moment`, 0 for `never`, None where it cannot be counted.
    Text that the agent itself puts around a file, such as a heading with its path, is not known and not counted.
    `entry` is what is listed of the file instead, at the start or once a file is touched. A file beside a skill is
    only `read`, or `run`, or `copied`; `package` is the plugin that brings the file.
    """

    path: str
    moment: str
    row: Row
    reason: str
    tokens: int | None
    kept: tuple[Span, ...] | None = None
    lost: tuple[Loss, ...] = ()
    passed: tuple[Passed, ...] = ()
    entry: Entry | None = None
    globs: tuple[str, ...] = ()
    imported_by: str | None = None
    use: str = "read"
    package: str = ""

    @property
    def start_tokens(self) -> int:
        """Tokens in context before anything is asked."""
        if self.moment in AT_START:
            return self.tokens or 0
        return self.entry.tokens if self.entry and self.moment != "touch" else 0

    @property
    def touch_tokens(self) -> int:
        """Tokens that enter once a file under `globs` is touched."""
        if self.moment != "touch":
            return 0
        return self.entry.tokens if self.entry else self.tokens or 0

    @property
    def lost_tokens(self) -> int:
        """Tokens that limits keep from the model, of the text and of what is listed."""
        return sum(loss.tokens for loss in self.lost) + (self.entry.lost_tokens if self.entry else 0)

    def text(self, whole: str) -> str:
        """What enters of the text of the file."""
        return whole if self.kept is None else "".join(whole[start:end] for start, end in self.kept)


@dataclass(frozen=True, slots=True)
class Listing:
    """An agent's list of names and descriptions against the room it has.

    `wanted` and `room` are in `unit`. Where the agent drops descriptions by use, which nobody else knows,
    `fewest` and `most` say how many can stay, and the entries show one possible outcome: the last ones lose.
    """

    limit: Limit
    unit: str
    room: int
    wanted: int
    entries: int
    fewest: int
    most: int

    @property
    def is_certain(self) -> bool:
        """Whether the entries show what really happens."""
        return self.limit.then != "names" or self.wanted <= self.room


@dataclass(frozen=True, slots=True)
class Repeat:
    """The same text in context several times from the start: the files in loading order, and why.

    `tokens` are what all but the first cost.
    """

    paths: tuple[str, ...]
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Part:
    """Something that costs tokens as well and is in no sum: what it is, its names, where they stand, and why not."""

    what: str
    names: tuple[str, ...]
    file: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PackageCost:
    """A plugin, and what it adds to a start once it is installed.

    `manifest` is the file that describes it, `uncounted` are its hooks and servers, `missing` the paths that the
    manifest names and that do not exist.
    """

    name: str
    folder: str
    manifest: str
    start_tokens: int
    charges: tuple[Charge, ...]
    uncounted: tuple[Part, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compacted:
    """Tokens of a start by what becomes of them when the conversation is compacted.

    `kept` are in context afterwards, because they never leave it or are read again; of `unknown` no source says.
    """

    kept: int
    gone: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Subagent:
    """A subagent that the project defines, and the tokens of its own start: its text and what it reads again."""

    name: str
    path: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentContext:
    """What one agent takes of a project: every file it meets, in loading order, and the sums.

    Files outside the project (`elsewhere`) and `uncounted` parts cost as well and are not in the sums. What may be
    installed (`agent.installable`) has no start; its sum is `installed_tokens`, and `packages` are its plugins.
    """

    agent: Agent
    charges: tuple[Charge, ...]
    listings: tuple[Listing, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    uncounted: tuple[Part, ...] = ()
    packages: tuple[PackageCost, ...] = ()

    @property
    def start_tokens(self) -> int:
        """Tokens in context before anything is asked: full texts and what is listed."""
        return 0 if self.agent.installable else self._entering

    @property
    def installed_tokens(self) -> int:
        """Tokens that files for agents would add to a start if all of them were installed; 0 for an agent."""
        return self._entering if self.agent.installable else 0

    @property
    def after_compaction(self) -> Compacted:
        """What becomes of the start when the conversation is compacted."""
        tokens = {"": 0, "stays": 0, "again": 0, "gone": 0}
        for charge in () if self.agent.installable else self.charges:
            tokens[charge.row.after_compaction] += charge.start_tokens
        return Compacted(tokens["stays"] + tokens["again"], tokens["gone"], tokens[""])

    @property
    def subagents(self) -> tuple[Subagent, ...]:
        """The subagents whose start is known: those of agents of which a source says what they read again."""
        again = sum(charge.start_tokens for charge in self.charges if charge.row.in_subagents)
        if not any(row.in_subagents for row in self.agent.rows):
            return ()
        defined = (charge for charge in self.at("subagent") if charge.row.kind == "agent" and charge.entry)
        return tuple(
            Subagent(charge.entry.name, charge.path, again + (charge.tokens or 0))
            for charge in defined
            if charge.entry
        )

    @property
    def _entering(self) -> int:
        return sum(charge.start_tokens for charge in self.charges)

    @property
    def lost_tokens(self) -> int:
        """Tokens that limits keep from the model."""
        return sum(charge.lost_tokens for charge in self.charges)

    @property
    def repeated_tokens(self) -> int:
        """Tokens at the start that were paid for already."""
        return sum(repeat.tokens for repeat in self.repeats)

    @property
    def elsewhere(self) -> tuple[Row, ...]:
        """The rows about files of the user or the machine, which are never read here."""
        return tuple(row for row in self.agent.rows if row.at == "home")

    def at(self, *moments: str) -> Iterator[Charge]:
        """The charges of some moments, in loading order."""
        yield from (charge for charge in self.charges if charge.moment in moments)

    def evidence(self, charge: Charge) -> tuple[str, date | None]:
        """Where the rule behind a charge was checked, and when."""
        return self.agent.evidence(charge.row)
