"""Costs of the files that agents load: charges, text cut by limits, repeated text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from ctxtui.agents.loads import FileLoad
from ctxtui.agents.project.base import AT_ROOT, Base, is_at_home
from ctxtui.agents.project.imports import Unmet
from ctxtui.agents.types import AT_START, Agent, Limit, Row
from ctxtui.core.text.markdown.light import Span


@dataclass(frozen=True, slots=True)
class Loss:
    """A stretch of a file that a limit keeps from the model: characters, tokens, and its first line."""

    span: Span
    tokens: int
    line: int
    limit: Limit


@dataclass(frozen=True, slots=True)
class Passed:
    """A hard or advised limit that one file exceeds, and the file's size in the unit of the limit."""

    limit: Limit
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A file's line in a list, and the text that `limit` cut from it. A dropped line has an empty `text`."""

    name: str
    description: str
    text: str
    tokens: int
    lost: str = ""
    lost_tokens: int = 0
    limit: Limit | None = None


@dataclass(frozen=True, slots=True)
class Charge(FileLoad):
    """One file in one agent's context: its row, entering text, and cost.

    `kept` are the ranges of characters that enter, None for a whole file that was not read. `lost` is text that
    limits cut. The agent removes all other text: frontmatter, comments, white space at the ends. `tokens` count the
    text that enters at `moment`: 0 for `never`, None if it cannot be counted. Text that the agent itself adds around
    a file, such as a heading with its path, is unknown and not counted. `entry` is the line listed instead of the
    file, at the start or on touch.
    """

    row: Row
    tokens: int | None
    kept: tuple[Span, ...] | None = None
    lost: tuple[Loss, ...] = ()
    passed: tuple[Passed, ...] = ()
    entry: Entry | None = None

    @property
    def home(self) -> bool:
        """Whether the file is the user's own, at home."""
        return self.row.at == "home" or (bool(self.package) and is_at_home(self.path))

    @property
    def start_tokens(self) -> int:
        """Tokens in context before the first request."""
        if self.moment in AT_START:
            return self.tokens or 0
        return self.entry.tokens if self.entry and self.moment != "touch" else 0

    @property
    def touch_tokens(self) -> int:
        """Tokens that enter when a file within the `scopes` is touched."""
        if self.moment != "touch":
            return 0
        return self.entry.tokens if self.entry else self.tokens or 0

    @property
    def lost_tokens(self) -> int:
        """Tokens that limits keep from the model, in the text and in its list entry."""
        return sum(loss.tokens for loss in self.lost) + (self.entry.lost_tokens if self.entry else 0)

    def text(self, whole: str) -> str:
        """The part of a `whole` text that enters."""
        return whole if self.kept is None else "".join(whole[start:end] for start, end in self.kept)


@dataclass(frozen=True, slots=True)
class Listing:
    """An agent's list of names and descriptions, and its limit.

    `wanted` and `room` are in `unit`. If the agent drops descriptions by recency of use, which only the agent knows,
    the entries show one possible outcome: the last are dropped.
    """

    limit: Limit
    unit: str
    room: int
    wanted: int
    entries: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A text that is in context more than once from the start. `tokens` is the cost of all but the first."""

    paths: tuple[str, ...]
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Part:
    """Uncounted tokens: their kind, names, places, and the reason."""

    what: str
    names: tuple[str, ...]
    file: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class PackageCost:
    """A plugin, and its tokens at the start once installed.

    `manifest` is the file that describes the plugin, `uncounted` are its hooks and servers, `missing` the paths in
    the manifest that do not exist.
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
    """Tokens of a start by their fate at a compaction.

    `kept` tokens stay in context or are read again. No source covers the `unknown` ones.
    """

    kept: int
    gone: int
    unknown: int


@dataclass(frozen=True, slots=True)
class Subagent:
    """A subagent of the project, and the tokens of its own start: its text and the files it reads again."""

    name: str
    path: str
    tokens: int


@dataclass(frozen=True, slots=True)
class AgentContext:
    """The files that one agent loads from a project, in loading order, and the sums.

    Files outside the project (`elsewhere`) and `uncounted` parts cost tokens too, but are not in the sums. Files to
    install (`agent.installable`) have no start. Their sum is `installed_tokens`, and `packages` are the plugins.
    Paths and the globs of charges are seen from the `base`. `uncharged` are loads at other moments than requested,
    without tokens. If the home folder `is_home_read`, the user's own files are charged.
    """

    agent: Agent
    charges: tuple[Charge, ...]
    listings: tuple[Listing, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    uncounted: tuple[Part, ...] = ()
    packages: tuple[PackageCost, ...] = ()
    uncharged: tuple[Charge, ...] = ()
    base: Base = AT_ROOT
    is_home_read: bool = False

    @property
    def start_tokens(self) -> int:
        """Tokens in context before the first request: full texts and list entries."""
        return 0 if self.agent.installable else self._entering

    @property
    def home_tokens(self) -> int:
        """The tokens of the start that are from the user's home folder."""
        return sum(charge.start_tokens for charge in self.charges if charge.home)

    @property
    def installed_tokens(self) -> int:
        """Tokens at the start if all files to install were installed, 0 for an agent."""
        return self._entering if self.agent.installable else 0

    @property
    def after_compaction(self) -> Compacted:
        """The tokens of the start by their fate at a compaction, all 0 for files to install."""
        tokens = {"": 0, "stays": 0, "again": 0, "gone": 0}
        for charge in () if self.agent.installable else self.charges:
            tokens[charge.row.after_compaction] += charge.start_tokens
        return Compacted(tokens["stays"] + tokens["again"], tokens["gone"], tokens[""])

    @property
    def subagents(self) -> tuple[Subagent, ...]:
        """The project's subagents, none unless a source says which files the agent reads again for each."""
        if not any(row.in_subagents for row in self.agent.rows):
            return ()
        again = sum(charge.start_tokens for charge in self.charges if charge.row.in_subagents)
        defined = (charge for charge in self.at("subagent") if charge.row.kind == "agent")
        return tuple(
            Subagent(each.entry.name, each.path, again + (each.tokens or 0)) for each in defined if each.entry
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
        return sum(repeat.tokens for repeat in self.repeats)

    @property
    def elsewhere(self) -> tuple[Row, ...]:
        """The rows about files of the user or the machine that were not read."""
        rows = (row for row in self.agent.rows if row.at == "home")
        return tuple(row for row in rows if not self.is_home_read or row.files[0].startswith("/"))

    def at(self, *moments: str) -> Iterator[Charge]:
        """The charges of some moments, in loading order."""
        yield from (charge for charge in self.charges if charge.moment in moments)

    def seen_from(self, base: Base) -> AgentContext:
        """The context with paths seen from the folder `base` instead of the repository's root.

        At the root, the same object.
        """
        if not base.folder:
            return self
        seen = base.to_folder

        def seen_part(part: Part) -> Part:
            return replace(part, file=part.file and seen(part.file))

        packages = (
            replace(
                each,
                folder=seen(each.folder),
                manifest=seen(each.manifest),
                charges=tuple(charge.under(seen) for charge in each.charges),
                uncounted=tuple(map(seen_part, each.uncounted)),
                missing=tuple(map(seen, each.missing)),
            )
            for each in self.packages
        )
        return replace(
            self,
            charges=tuple(charge.under(seen) for charge in self.charges),
            repeats=tuple(replace(each, paths=tuple(map(seen, each.paths))) for each in self.repeats),
            unmet=tuple(each._replace(importer=seen(each.importer)) for each in self.unmet),
            uncounted=tuple(map(seen_part, self.uncounted)),
            packages=tuple(packages),
            uncharged=tuple(charge.under(seen) for charge in self.uncharged),
            base=base,
        )

    def evidence(self, charge: Charge) -> tuple[str, date | None]:
        """The source of the rule behind a charge, and the day of its last check, if known."""
        return self.agent.evidence(charge.row)
