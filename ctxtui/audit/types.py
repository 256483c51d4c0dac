"""The values of an audit: findings, fixes, ignores, settings, and the result of a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ctxtui.agents import Agent, AgentContext, Chain
from ctxtui.core.base.notices import Notice

if TYPE_CHECKING:
    from ctxtui.audit.weigh.types import Weighed

Severity = Literal["error", "warning", "info"]
"""Error: text is lost, refused or leaked. Warning: tokens are wasted or a claim is wrong. Info: worth knowing."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The severities, most severe first."""

SPOKEN: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}
"""What people read for each severity."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A change of one line that fixes a finding, valid for one version of the file only.

    `before` and `after` are the whole line without its end, `line` counts from 1. The change replaces the
    characters `start` to `end` of the file's text with `text`, or removes the byte order mark before it, which is at
    -1; `digest` identifies the version.
    """

    path: str
    line: int
    title: str
    before: str
    after: str
    start: int
    end: int
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one version of a file: replaces the characters `start` to `end` of its text with `text`.

    `digest` identifies the version.
    """

    path: str
    start: int
    end: int
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to create with a text; there must be none yet."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Removal:
    """A file to remove, if it still is the version that `digest` identifies."""

    path: str
    digest: bytes


Step = Fix | Edit | NewFile | Removal
"""What can be previewed, written and undone."""


@dataclass(frozen=True, slots=True)
class Place:
    """One of the places of a finding: a path relative to the project, a line from 1, the tokens at stake there.

    `subject` distinguishes places on one line: a target, a glob, another file.
    """

    path: str
    line: int | None = None
    tokens: int = 0
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that costs tokens, loses text or makes a wrong claim, with every place at which it was found.

    `path` is relative to the project, None if the finding is about an agent as a whole; `line` counts
    from 1. `tokens` are at stake: lost, wasted or wrong, 0 if unknown. `evidence` names the
    source and its date, or how it was measured. `agent` is the id of the only agent it is about, None
    if it is about several or none. `subject` says, in words that survive edits, what within the path
    it is about: a section, a target, a glob, another file.

    Findings of a rule with the same `cause` become one: at the first place, with the tokens of all,
    all `places` if there are several, and the message `many`, in which `{count}` is their number.
    """

    rule: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    tokens: int = 0
    evidence: str = ""
    agent: str | None = None
    subject: str = ""
    fix: Fix | None = None
    cause: str = ""
    many: str = ""
    places: tuple[Place, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the finding in a baseline: no line, tokens or number of places, which edits change."""
        if self.cause:
            return "|".join((self.rule, self.cause, self.agent or ""))
        return "|".join((self.rule, self.path or "", self.agent or "", self.subject))

    @property
    def count(self) -> int:
        """How many places have the same cause."""
        return len(self.places) or 1

    def also(self, most: int) -> str:
        """The first `most` places besides the finding's own and those that its message names, in words."""
        others = [each for each in self.places[1:] if each.path not in self.message]
        words = dict.fromkeys(f"{each.path}:{each.line}" if each.line else each.path for each in others)
        words.pop(f"{self.path}:{self.line}" if self.line else str(self.path), None)
        shown = list(words)[:most]
        left = len(words) - len(shown)
        return f"also {', '.join(shown)}{f' and {left:,} more' if left else ''}" if shown else ""


@dataclass(frozen=True, slots=True)
class Ignore:
    """Findings that someone has reviewed and dismissed, and why.

    `paths` are globs, `rules` ids; empty means all. A comment in a file is about that `file` only, and
    about its `lines` from the first to the last. `path` and `line` are where it is written, if known.
    """

    reason: str
    paths: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    file: str = ""
    lines: tuple[int, int] | None = None
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the rules, in tokens unless noted.

    A declared number drifts if it is wrong by more than `drift_share` of itself and by more than
    `drift_tokens`. `start_limits` are the limits at the start by agent id. `repeat_tokens` is the least
    repeated text worth a finding, `blob_tokens` the least encoded data,
    `heavy_tokens` what one trigger may bring, `twice_tokens` the least text that is paid for twice, `scope_tokens`
    the least text that always loads and should have a scope, `large_tokens` the most that a file and its imports may
    bring to a start if no agent says what it allows. `window` is the model's, if known; `cwd` the
    folder below the root where agents start, `table` the agents, None for those that the workspace was opened with.
    `tool_tokens` is the least definition of a tool worth a finding,
    `servers` are the MCP servers of the project, weighed or not. `off` are the rules not to run, `severities` those
    that replace a rule's own, `ignores` the findings to leave out.
    """

    drift_share: float = 0.5
    drift_tokens: int = 200
    start_limits: Mapping[str, int] = field(default_factory=dict)
    repeat_tokens: int = 100
    blob_tokens: int = 500
    heavy_tokens: int = 8_000
    twice_tokens: int = 20
    scope_tokens: int = 300
    large_tokens: int = 10_000
    window: int | None = None
    cwd: str = ""
    table: tuple[Agent, ...] | None = None
    tool_tokens: int = 2_000
    servers: tuple[Weighed, ...] = ()
    off: frozenset[str] = frozenset()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The result of one run: findings sorted by severity, tokens, path and line, the agents, and files not read.

    `chains` are the folders where agents start with most instructions.

    `ignored` are the findings that configuration and comments dismiss. `is_complete` is false if the run
    was stopped before all rules had run.
    """

    findings: tuple[Finding, ...]
    agents: tuple[AgentContext, ...]
    notices: tuple[Notice, ...] = ()
    is_complete: bool = True
    ignored: tuple[Finding, ...] = ()
    chains: tuple[Chain, ...] = ()
